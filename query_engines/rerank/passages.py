"""Finds the passages of a report that come nearest to a question, for somebody to read.

How much words, meaning, headings and place tell is learned from questions that people asked of reports:
`python -m tests.measures.passages LIBRARY --train` writes `passages.json`.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from llama_index.core.schema import QueryBundle

from indexes.facts.sentences import sentences_of
from query_engines.calculation.derivation import Operand
from query_engines.extraction.asked import QuestionTerms
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.question.search_text import movement_asked
from query_engines.question.section_topics import without_company
from query_engines.retrieval.index_cache import ReportSearch
from query_engines.retrieval.page_nodes import ReadPages
from query_engines.retrieval.retrievers import fused
from storage.lexicon.calendar import written_years
from storage.lexicon.question_words import ASKED_LOOSELY, ASKED_OPENLY
from storage.lexicon.reasons import CAUSE, asks_why
from storage.lexicon.words import expression
from storage.records.metrics import Metric
from storage.records.pages import Page
from storage.records.record import Box
from storage.text import SAME, fingerprint, plain, stems, terms

Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike a question and each of the texts are in meaning, -1..1, higher is better."""
Floats = npt.NDArray[np.float64]
WEIGHTS = "passages.json"
SIGNS = (
    "meaning",
    "meaning below the best",
    "rank of its chunk by meaning",
    "words of its chunk",
    "words",
    "words with the heading",
    "neighbouring words",
    "words of the heading",
    "length",
    "item of a list",
    "cause for a why",
    "the year asked for",
    "another year",
)
"""What is weighed, in the order of the weights."""
_OF_MEANING = 2  # of the signs, which come first
_CHUNKS, _COMPARED = 40, 40  # that are looked at; passages whose meaning is compared
# Of the other signs, what makes a passage worth comparing.
_PROMISING = np.array(
    [
        {"rank of its chunk by meaning": -0.1, "words with the heading": 1.0, "length": 0.1}.get(sign, 0.0)
        for sign in SIGNS[_OF_MEANING:]
    ]
)
_RANKED = 200  # chunks, by meaning
_PLACE = 60  # letters of a passage, to know its chunk by
_SHORTEST, _LONGEST = 40, 700  # letters
_IN_HEADING = 0.6  # credit for a word that only the heading has
_ALIKE = 0.8  # credit for another word of the same meaning
_LIGHT = 0.4  # weight of words that say little of the answer
_RAREST = 6.0  # weight of a word that no passage has
_SAID_TWICE = 0.8  # share of the words of two passages that say the same
_SAYS_NOTHING, _SAYS_LITTLE = stems(ASKED_OPENLY), stems(ASKED_LOOSELY)
_FARTHEST = 30.0  # logarithm of the odds
_CAUSE = expression(CAUSE)


@dataclass(frozen=True)
class Passage:
    """Sentences that stand together on a page.

    Attributes:
        heading: above them; may be empty.
        is_item: it is an item of a list.
    """

    text: str
    page: Page
    heading: str
    is_item: bool
    words: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class Near:
    """A passage, and the probability, 0..1, that it answers."""

    passage: Passage
    probability: float


@dataclass(frozen=True)
class Weights:
    """Of each sign: its usual value and spread, and what it adds."""

    middle: Floats
    spread: Floats
    weights: Floats
    bias: float

    @classmethod
    @cache
    def load(cls) -> "Weights":
        """Those that come with Pageproof."""
        told = json.loads(files(__package__).joinpath(WEIGHTS).read_text(encoding="utf-8"))
        rows = np.array([told["signs"][sign] for sign in SIGNS], dtype=np.float64)
        return cls(rows[:, 0], rows[:, 1], rows[:, 2], float(told["bias"]))

    def of(self, signs: Floats) -> Floats:
        """The probability of each row of signs."""
        raw = (signs - self.middle) / self.spread @ self.weights + self.bias
        return np.asarray(1 / (1 + np.exp(-np.clip(raw, -_FARTHEST, _FARTHEST))), dtype=np.float64)


class NearPassages:
    """Finds the nearest passages of one report, in what is searched of it: `search`."""

    def __init__(self, search: ReportSearch, read_pages: ReadPages, likeness: Likeness | None = None) -> None:
        """Compare meanings with `likeness`; without it, by words alone."""
        self.search = search
        self._read_pages = read_pages
        self._likeness = likeness
        self._last: tuple[str, list[Near]] = ("", [])

    def ranked(self, question: str, weights: Weights | None = None) -> list[Near]:
        """The passages that have anything in common with a question, best first, each said once.

        Args:
            question: without the company's name.
            weights: of the signs; those that come with Pageproof without any.
        """
        if weights is not None:
            return self._ranked(question, weights)
        if self._last[0] != question:
            self._last = question, self._ranked(question, Weights.load())
        return self._last[1]

    def _ranked(self, question: str, weights: Weights) -> list[Near]:
        found, signs = self.weighed(question)
        if not found:
            return []
        probabilities = weights.of(signs)
        kept: list[Near] = []
        for at in np.argsort(-probabilities, kind="stable"):
            if not any(_say_the_same(found[at], near.passage) for near in kept):
                kept.append(Near(found[at], float(probabilities[at])))
        return kept

    def by_page(self, question: str, page_count: int) -> Floats:
        """For each page of the report, how near its nearest passage is; 1 for the nearest of all, 0 for none."""
        found = np.zeros(page_count)
        for near in self.ranked(question):
            page = near.passage.page.page_number - 1
            found[page] = max(found[page], near.probability)
        return found / (found.max() or 1.0)

    def weighed(self, question: str) -> tuple[list[Passage], Floats]:
        """The passages that may be near, and a row of `SIGNS` for each."""
        chunks, words = self._chunks(question)
        pages = self._read_pages(self.search.report.sha1, list({chunk.page for chunk in chunks}))
        found, of_chunk = [], []
        for passage in passages_of(pages):
            own = [chunk for chunk in chunks if chunk.has(passage)]
            if own:
                found.append(passage)
                of_chunk.append((min(math.log1p(c.rank) for c in own), max(words[c.id] for c in own)))
        if not found:
            return [], np.zeros((0, len(SIGNS)))
        asked = _Asked(question, found)
        signs = np.array([(*own, *asked.signs_of(one)) for own, one in zip(of_chunk, found, strict=True)])
        best = np.argsort(-(signs @ _PROMISING), kind="stable")[:_COMPARED]
        found, signs = [found[at] for at in best], signs[best]
        told = self._likeness(question, [_in_context(passage) for passage in found]) if self._likeness else ()
        alike = np.asarray(
            told or signs[:, SIGNS.index("words") - _OF_MEANING]
        )  # a model on a server is not asked
        return found, np.column_stack([alike, alike - alike.max(), signs])

    def _chunks(self, question: str) -> tuple[list["_Chunk"], dict[str, float]]:
        """The chunks that come nearest by meaning and words, and the share of the best chunk's words of each."""
        search = self.search
        by_words = search.words.best(question, _CHUNKS)
        best = max((node.score or 0.0 for node in by_words), default=0.0) or 1.0
        words = defaultdict[str, float](float, {n.node.node_id: (n.score or 0.0) / best for n in by_words})
        by_meaning = (
            search.index.retriever(search.report.sha1, _RANKED).retrieve(QueryBundle(question))
            if search.index is not None
            else by_words
        )
        ranks = defaultdict[str, int](lambda: _RANKED, {n.node.node_id: at for at, n in enumerate(by_meaning)})
        nodes = [found.node for found in fused([by_meaning, by_words], _CHUNKS)]
        chunks = [
            _Chunk(n.node_id, n.metadata["page"], fingerprint(n.get_content()), ranks[n.node_id]) for n in nodes
        ]
        return chunks, words


@dataclass(frozen=True)
class _Chunk:
    id: str
    page: int
    text: str
    rank: int

    def has(self, passage: Passage) -> bool:
        """Whether a passage begins or ends in it."""
        own = fingerprint(passage.text)
        return self.page == passage.page.page_number and (own[:_PLACE] in self.text or own[-_PLACE:] in self.text)


def passages_of(pages: Sequence[Page]) -> Iterator[Passage]:
    """The whole sentences of each paragraph, as many as can be read at a glance, with the heading above them."""
    for page in pages:
        kinds = {block.box: block.kind for block in page.blocks if block.box is not None}
        printed = {plain(block.text).lower() for block in page.blocks if block.kind == "heading"}  # further down
        heading = next((title for title in reversed(page.section) if plain(title).lower() not in printed), "")
        for box, texts in _paragraphs(page):
            kind = kinds.get(box) if box else None
            if kind == "heading":
                heading = " ".join(texts)
                continue
            for text in _together(texts):
                if len(text) >= _SHORTEST:
                    yield Passage(text, page, heading, kind == "list_item", stems(text))


def _paragraphs(page: Page) -> Iterator[tuple[Box | None, list[str]]]:
    held: list[str] = []
    box: Box | None = None
    for sentence in sentences_of(page):
        if held and sentence.box != box:
            yield box, held
            held = []
        held, box = [*held, sentence.text.strip()], sentence.box
    if held:
        yield box, held


def _together(sentences: Iterable[str]) -> Iterator[str]:
    """Neighbouring sentences, joined as far as they can be read at a glance."""
    held = ""
    for sentence in sentences:
        if held and len(held) + len(sentence) > _LONGEST:
            yield held
            held = ""
        held = f"{held} {sentence}".strip()
    if held:
        yield held


class _Asked:
    """A question, with the weight that each of its words has among some passages."""

    def __init__(self, question: str, passages: Sequence[Passage]) -> None:
        wanted = stems(question) - _SAYS_NOTHING or stems(question)
        counts = Counter(word for passage in passages for word in wanted & passage.words)
        size = len(passages)
        weights = {
            word: (_LIGHT if word in _SAYS_LITTLE else 1.0)
            * min(_RAREST, math.log(1 + (size - counts[word] + 0.5) / (counts[word] + 0.5)))
            for word in wanted
        }
        self._terms = QuestionTerms(weights, frozenset())
        self._pairs = _pairs(question)
        self._years = written_years(question)
        self._why = asks_why(question)

    def signs_of(self, passage: Passage) -> tuple[float, ...]:
        """The signs after those of meaning."""
        heading = stems(passage.heading)
        pairs = len(self._pairs & _pairs(passage.text)) / len(self._pairs) if self._pairs else 0.0
        years, has_cause = written_years(passage.text), _CAUSE.search(passage.text) is not None
        return (
            self._share(passage.words, frozenset()),
            self._share(passage.words, heading),
            pairs,
            self._share(frozenset(), heading),
            math.log(len(passage.text)),
            float(passage.is_item),
            float(self._why and has_cause),
            float(bool(self._years & years)),
            float(bool(self._years and years and not self._years & years)),
        )

    def _share(self, words: frozenset[str], heading: frozenset[str]) -> float:
        """The share of what is asked that words say; other words of the same meaning, and a heading's, say less."""
        alike = frozenset(word for word in self._terms.weights if SAME.get(word, frozenset()) & words)
        return self._terms.share((words, 1.0), (alike, _ALIKE), (heading, _IN_HEADING))


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """The neighbouring words that both carry meaning."""
    return frozenset(pairwise(word for word in terms(text) if word not in _SAYS_NOTHING))


def _in_context(passage: Passage) -> str:
    return f"{passage.heading}: {passage.text}" if passage.heading else passage.text


def _say_the_same(one: Passage, other: Passage) -> bool:
    """Whether two passages have nearly the same words; reports say things twice."""
    return len(one.words & other.words) > _SAID_TWICE * min(len(one.words), len(other.words))


def in_words(parsed: ParsedQuestion, facts: FactMatch) -> str:
    """A question as passages are compared with it: without the company, and with its figure called as the row is."""
    asked = without_company(parsed.question.text, parsed.company) if parsed.company else parsed.question.text
    derived = facts.derivation
    if derived is None or not derived.operands:
        return asked
    if derived.value and not movement_asked(asked):
        asked = asked.replace(" change", " increase" if derived.value > 0 else " decrease")
    return _as_printed(asked, derived.operands[0], facts.others)


def _as_printed(asked: str, figure: Operand, metrics: Sequence[Metric]) -> str:
    """A question with its figure called as the row is, which is how the report speaks of it: net sales, not revenue."""
    known = [name for metric in metrics if metric.id == figure.metric for name in metric.question_names]
    names = (name for name in (figure.title.lower(), *known) if name in asked.lower())
    if not (name := max(names, key=len, default="")):
        return asked
    before, after = asked[: (at := asked.lower().find(name))], asked[at + len(name) :]
    return f"{before}{plain(figure.fact.row_label).lower()}{after}"

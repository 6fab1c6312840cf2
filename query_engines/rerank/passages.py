"""Finds the passages of pages that come nearest to a question, for somebody to read.

How much words, meaning, headings and place tell is learned from questions that people asked of reports:
`python -m query_engines.training.passages` writes `passages.json`.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from indexes.facts.sentences import sentences_of
from storage.lexicon.calendar import written_years
from storage.lexicon.question_words import ASKED_LOOSELY, ASKED_OPENLY
from storage.lexicon.reasons import CAUSE, asks_why
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.records.record import Box
from storage.text import SAME, stems, terms

Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike a question and each of the texts are in meaning, -1..1, higher is better."""
Floats = npt.NDArray[np.float64]
WEIGHTS = "passages.json"
SIGNS = (
    "meaning",
    "meaning below the best",
    "words",
    "words with the heading",
    "neighbouring words",
    "words of the heading",
    "rank of the page",
    "best page",
    "length",
    "share of digits",
    "item of a list",
    "cause for a why",
    "cause for another question",
    "the year asked for",
    "another year",
)
"""What is weighed, in the order of the weights."""
COMPARED = 40  # passages whose meaning is compared
_SHORTEST, _LONGEST = 40, 700  # letters
_IN_HEADING = 0.6  # credit for a word that only the heading has
_ALIKE = 0.8  # credit for another word of the same meaning
_LIGHT = 0.4  # weight of words that say little of the answer
_RAREST = 6.0  # weight of a word that no passage has
_SAID_TWICE = 0.8  # share of the words of two passages that say the same
_SAYS_NOTHING, _SAYS_LITTLE = stems(ASKED_OPENLY), stems(ASKED_LOOSELY)
_CAUSE = expression(CAUSE)


@dataclass(frozen=True)
class Passage:
    """Sentences that stand together on a page.

    Attributes:
        heading: above them; may be empty.
        rank: of the page, 0 for the best one.
        is_item: it is an item of a list.
    """

    text: str
    page: Page
    heading: str
    rank: int
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
        return np.asarray(1 / (1 + np.exp(-raw)), dtype=np.float64)


class NearPassages:
    """Finds the nearest passages of pages."""

    def __init__(self, likeness: Likeness | None = None, weights: Weights | None = None) -> None:
        """Compare meanings with `likeness`; without it, by words alone."""
        self._likeness = likeness
        self._weights = weights

    def ranked(self, question: str, pages: Sequence[Page]) -> list[Near]:
        """The passages of pages, best first, that have anything in common with a question, each said once.

        Args:
            question: without the company's name.
            pages: best first.
        """
        found, signs = self.weighed(question, pages)
        if not found:
            return []
        probabilities = (self._weights or Weights.load()).of(signs)
        kept: list[Near] = []
        for at in np.argsort(-probabilities, kind="stable"):
            if not any(_say_the_same(found[at], near.passage) for near in kept):
                kept.append(Near(found[at], float(probabilities[at])))
        return kept

    def weighed(self, question: str, pages: Sequence[Page]) -> tuple[list[Passage], Floats]:
        """The passages that may be near, and a row of `SIGNS` for each."""
        found = list(passages_of(pages))
        asked = _Asked(question, found)
        plain = np.array([asked.signs_of(passage) for passage in found], dtype=np.float64)
        if not found or not plain[:, 1].any():
            return [], np.zeros((0, len(SIGNS)))
        order = np.argsort(-(plain[:, 1] + plain[:, 2] - 0.02 * plain[:, 4]), kind="stable")[:COMPARED]
        found, plain = [found[at] for at in order], plain[order]
        told = self._likeness(question, [_in_context(passage) for passage in found]) if self._likeness else ()
        alike = np.asarray(told or plain[:, 1])  # a model on a server is not asked
        return found, np.column_stack([alike, alike - alike.max(), plain])


def passages_of(pages: Sequence[Page]) -> Iterator[Passage]:
    """The whole sentences of each paragraph, as many as can be read at a glance, with the heading above them."""
    for rank, page in enumerate(pages):
        kinds = {block.box: block.kind for block in page.blocks if block.box is not None}
        heading = page.section[-1] if page.section else ""
        for box, texts in _paragraphs(page):
            kind = kinds.get(box) if box else None
            if kind == "heading":
                heading = " ".join(texts)
                continue
            for text in _together(texts):
                if len(text) >= _SHORTEST:
                    yield Passage(text, page, heading, rank, kind == "list_item", stems(text))


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
        self._weights = {
            word: (_LIGHT if word in _SAYS_LITTLE else 1.0)
            * min(_RAREST, math.log(1 + (size - counts[word] + 0.5) / (counts[word] + 0.5)))
            for word in wanted
        }
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
            math.log1p(passage.rank),
            float(passage.rank == 0),
            math.log(len(passage.text)),
            sum(map(str.isdigit, passage.text)) / len(passage.text),
            float(passage.is_item),
            float(self._why and has_cause),
            float(has_cause and not self._why),
            float(bool(self._years & years)),
            float(bool(self._years and years and not self._years & years)),
        )

    def _share(self, words: frozenset[str], heading: frozenset[str]) -> float:
        """The share of what is asked that words say; other words of the same meaning, and a heading's, say less."""
        total = sum(self._weights.values())
        said = sum(weight * _credit(word, words, heading) for word, weight in self._weights.items())
        return said / total if total else 0.0


def _credit(word: str, words: frozenset[str], heading: frozenset[str]) -> float:
    if word in words:
        return 1.0
    if SAME.get(word, frozenset()) & words:
        return _ALIKE
    return _IN_HEADING if word in heading else 0.0


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """The neighbouring words that both carry meaning."""
    return frozenset(pairwise(word for word in terms(text) if word not in _SAYS_NOTHING))


def _in_context(passage: Passage) -> str:
    return f"{passage.heading}: {passage.text}" if passage.heading else passage.text


def _say_the_same(one: Passage, other: Passage) -> bool:
    """Whether two passages have nearly the same words; reports say things twice."""
    return len(one.words & other.words) > _SAID_TWICE * min(len(one.words), len(other.words))

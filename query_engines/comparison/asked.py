"""Reads what a question does with figures of several years or companies, and the words that name the figure.

Both are read by linear models that are trained on questions that people wrote, in five languages:
`python -m query_engines.training.linear`. First the words that name the figure are told from those around them. With a
sign in their place, and one for each company and period, the question is then read for what it asks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args
from zlib import crc32

import numpy as np
import numpy.typing as npt

from query_engines.question.classifier import LinearReader
from query_engines.question.parser import MARK
from storage.lexicon.periods import NamedPeriod, periods_in
from storage.lexicon.words import expression, unaccented
from storage.records.derived_metrics import DerivedMetrics
from storage.records.metrics import Ontology, significant

OverYears = Literal[
    "growth",
    "difference",
    "fall_difference",
    "change",
    "direction",
    "rose",
    "fell",
    "above",
    "below",
    "highest",
    "lowest",
    "average",
    "sum",
    "rising",
    "falling",
    "always_rising",
    "always_falling",
    "ever_rising",
    "ever_falling",
    "compound_growth",
    "series",
    "each",
    "share",
    "why",
    "other",
]
"""What is asked of a figure over years: its change in percent, as an amount, as the amount of a fall, or in words;
which way it went, whether it rose or fell, or was above or below another year's; the year of the most or least; mean
and sum; whether it has been going up or down, in every year, or in any; growth a year; year by year; of each year; one
figure as a part of another; why; or something else."""
AmongCompanies = Literal[
    "highest",
    "lowest",
    "second",
    "third",
    "ranking",
    "ranking_up",
    "more",
    "less",
    "difference",
    "less_difference",
    "gap",
    "percent_difference",
    "ratio",
    "ratio_percent",
    "sum",
    "average",
    "share",
    "grew_most",
    "grew_least",
    "fell_most",
    "compare",
    "which_do",
    "all_do",
    "any_do",
    "same",
    "each",
    "other",
]
"""What is asked of a figure among companies: whose is the most, the least, the second or third; all in order, the most
or the least first; whether one's is more or less than another's, by how much it is more or less, how far apart they
are, by how many percent, how many times, or what percentage; together, on average, one's part of all; whose grew or
fell most; side by side; which of them did something; whether they are alike; what each is or says; or another thing."""
OVER_YEARS: tuple[OverYears, ...] = get_args(OverYears)
AMONG_COMPANIES: tuple[AmongCompanies, ...] = get_args(AmongCompanies)
YEARS_FILE = Path(__file__).parent / "over_years.npz"
COMPANIES_FILE = Path(__file__).parent / "among_companies.npz"
FIGURES_FILE = Path(__file__).parent / "figures.npz"
SURE = 0.55  # probability from which it is done
COMPANY, PERIOD, FIGURE = "@", "#", "X"  # what stands for them
BUCKETS = 1 << 14
_NAMED = 0.5  # probability from which a word names the figure
_BETWEEN = 0.1  # of a word between two that do
_LEAST = 0.05  # of the only word that may
_MARKED = expression(rf"{MARK}\d+")
_YEAR = expression(r"\d{2,4}")
_TOKEN = expression(r"[@#]|\w+(?:[&.'’-]\w+)*(?:(?<=s)['’](?!\w))?|[^\w\s]")
_WITHIN = 2  # words between two that name the figure, as in "cost of the goods sold"
Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Asked:
    """What a question asks of a figure.

    Attributes:
        does: what is made of it.
        probability: of that, between 0 and 1.
        figure: the words that name it, as the question has them; empty where a verb or nothing says it.
        is_named: whether these are words with which people do not ask; else they are a verb, or everyday words.
        beside: further words with which people do not ask for such a thing.
        figures: the words that name each of its figures, in order.
    """

    does: OverYears | AmongCompanies
    probability: float
    figure: str = ""
    is_named: bool = False
    beside: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether to rely on it."""
        return self.probability >= SURE


def asked_over_years(text: str) -> Asked:
    """What a question about several years of one company asks; its companies are numbered."""
    return _read(text, YEARS_FILE)


def asked_among_companies(text: str) -> Asked:
    """What a question about several companies asks; they are numbered."""
    return _read(text, COMPANIES_FILE)


@lru_cache(maxsize=256)
def _read(text: str, file: Path) -> Asked:
    tokens, finder = list(_tokens(text)), FigureWords.load()
    words = [token.text for token in tokens]
    found = finder.find(words)
    does, probability = LinearReader.load(file).read(finder.masked(words, found))
    first = max(found.stretches, key=lambda one: (finder.unknown(words, one), len(one)), default=range(0))
    return Asked(
        does=cast(OverYears | AmongCompanies, does),
        probability=probability,
        figure=text[tokens[first[0]].start : tokens[first[-1]].end] if first else "",
        is_named=finder.unknown(words, first) > 0,
        beside=tuple(words[at] for at in found.beside),
        figures=tuple(text[tokens[one[0]].start : tokens[one[-1]].end] for one in found.stretches),
    )


def words_of(text: str) -> list[str]:
    """The words and signs of a text whose companies and periods are signs already."""
    return _TOKEN.findall(text)


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def _tokens(text: str) -> Iterator[_Token]:
    """The words of a text with signs for companies and periods, each with its place."""
    signs = [_Token(COMPANY, *match.span()) for match in _MARKED.finditer(text)]
    dated = [period for period in periods_in(text) if period.year or period.first_year]
    signs += [sign for period in dated for sign in _of_period(text, period)]
    at = 0
    for sign in (*sorted(signs, key=lambda sign: sign.start), _Token("", len(text), len(text))):
        yield from (
            _Token(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text, at, sign.start)
        )
        if sign.text and sign.start >= at:
            yield sign
        at = max(at, sign.end)


def _of_period(text: str, period: NamedPeriod) -> Iterator[_Token]:
    """One sign for a period, two for the ends of a range."""
    if period.first_year is None:
        yield _Token(PERIOD, period.start, period.end)
    else:
        ends = _YEAR.finditer(text, period.start, period.end)
        yield from (_Token(PERIOD, match.start(), match.end()) for match in ends)


class FigureWords:
    """Tells the words of a question that name its figure, by a linear model over each word and those beside it."""

    def __init__(self, weights: Floats, known: frozenset[int]) -> None:
        """Make a reader.

        Args:
            weights: one for each bucket of hashed features.
            known: the hashed words with which people ask, which name no figure.
        """
        self._weights, self._known = weights, known

    @classmethod
    @cache
    def load(cls) -> "FigureWords":
        """The reader whose arrays the training has written."""
        with FIGURES_FILE.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            return cls(arrays["weights"].astype(np.float32), frozenset(map(int, arrays["known"])))

    def probabilities(self, words: Sequence[str]) -> list[float]:
        """Of each word, that it names the figure; 0 for signs."""
        return [
            0.0 if word in (COMPANY, PERIOD) else float(1 / (1 + np.exp(-self._weights[signs(words, at)].sum())))
            for at, word in enumerate(words)
        ]

    def unknown(self, words: Sequence[str], stretch: range) -> int:
        """How many words of a stretch nobody asks with."""
        return sum(hashed(words[at]) not in self._known for at in stretch)

    def masked(self, words: Sequence[str], found: "Found") -> str:
        """The words with one sign for each stretch that names the figure; a verb, or "fastest", stays what it is."""
        likely = self.probabilities(words)
        named = [
            one for one in found.stretches if self.unknown(words, one) or max(likely[at] for at in one) >= _NAMED
        ]
        at = {place: stretch for stretch in named for place in stretch}
        kept = [
            FIGURE if place in at else word
            for place, word in enumerate(words)
            if place not in at or place == at[place][0]
        ]
        return " ".join(kept)

    def find(self, words: Sequence[str]) -> "Found":
        """The words that name the figure, and others with which nobody asks.

        A word that people do not ask with narrows the figure where it stands beside it: "revenue from hotels".
        """
        probabilities = self.probabilities(words)
        told = [
            probability >= _NAMED or (word.isalpha() and hashed(word) not in self._known)
            for word, probability in zip(words, probabilities, strict=True)
        ]
        if not any(told):  # it is said by a verb alone
            likeliest = max(probabilities, default=0.0)
            told = [probability == likeliest >= _LEAST for probability in probabilities]
        stretches = list(_stretches(words, told, probabilities))
        likely = {stretch: max(probabilities[at] for at in stretch) for stretch in stretches}
        likeliest_last = sorted(stretches, key=likely.__getitem__)
        named = [one for one in stretches if likely[one] >= _NAMED] or likeliest_last[-1:]
        beside = [at for stretch in stretches if stretch not in named for at in stretch if told[at]]
        wide = (_widened(one, probabilities) if not self.unknown(words, one) else one for one in named)
        called = [_as_called(words, stretch) for stretch in wide]
        whole = (one for one in called if not any(set(one) < set(other) for other in called))
        return Found(tuple(dict.fromkeys(whole)), tuple(beside))


class Found(NamedTuple):
    """Places of words in a question: stretches that name its figure, and single ones with which nobody asks."""

    stretches: tuple[range, ...]
    beside: tuple[int, ...]


def _stretches(words: Sequence[str], told: Sequence[bool], likely: Sequence[float]) -> Iterator[range]:
    """Stretches of words that are told, with few others between them that may be, and no sign."""
    start = last = None
    for at, (word, is_told) in enumerate(zip((*words, PERIOD), (*told, False), strict=True)):
        is_end = not word[:1].isalnum() or not (is_told or likely[at] >= _BETWEEN)
        if start is not None and last is not None and (is_end or (at - last > _WITHIN and not is_told)):
            yield range(start, last + 1)
            start = last = None
        if is_told:
            start, last = at if start is None else start, at


def _widened(stretch: range, likely: Sequence[float]) -> range:
    """The stretch with the words beside it that may belong to it."""
    start, stop = stretch.start, stretch.stop
    while start > 0 and likely[start - 1] >= _BETWEEN:
        start -= 1
    while stop < len(likely) and likely[stop] >= _BETWEEN:
        stop += 1
    return range(start, stop)


def _as_called(words: Sequence[str], stretch: range) -> range:
    """The stretch with the words beside it that belong to the name of a metric: "total assets", "combined ratio"."""
    is_word = [word.isalpha() and bool(significant(word)) for word in words]
    wider = (
        range(start, stop)
        for start in range(max(stretch.start - _WITHIN, 0), stretch.start + 1)
        for stop in range(min(stretch.stop + _WITHIN, len(words)), stretch.stop - 1, -1)
        if all(is_word[at] for at in range(start, stop) if at not in stretch)
    )
    named = (one for one in wider if _is_called(" ".join(words[one.start : one.stop])))
    return next(named, stretch)


def _is_called(name: str) -> bool:
    """Whether a line has this name, or a figure made of several; the growth of one is what is done to it."""
    ontology = Ontology.load()
    made = DerivedMetrics.load(ontology).called(name)
    return ontology.metric_named(name) is not None or (made is not None and len(made.metrics) > 1)


def hashed(word: str) -> int:
    """A word without accents and capitals as a number."""
    return crc32(unaccented(word.lower()).encode())


def signs(words: Sequence[str], at: int) -> Indices:
    """The hashed features of a word in its place: itself, its ends, and the words beside it."""
    one, two, before, behind, far = (
        unaccented(words[n].lower()) if 0 <= n < len(words) else "^" for n in (at, at + 1, at - 1, at - 2, at + 2)
    )
    told = (
        *(f"w {one}", f"p {before}", f"n {two}", f"pp {behind} {before}", f"nn {two} {far}", f"pw {before} {one}"),
        *(f"wn {one} {two}", f"s {one[-3:]}", f"s4 {one[-4:]}", f"h {one[:4]}", f"p2 {behind}", f"n2 {far}", "b"),
    )
    return np.fromiter((crc32(feature.encode()) % BUCKETS for feature in told), np.int64, len(told))

"""Printed words with their places, the input of the geometric layout."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from storage.lexicon.words import expression
from storage.records.record import Box
from storage.text import MARKS

_BOLD = expression(r"bold|black|heavy|demi|semibd|-bd|medium", re.IGNORECASE)
_ITALIC = expression(r"italic|oblique|-it\b", re.IGNORECASE)
_FONTS = 512  # names whose style is remembered; a report has a few dozen
_FIRST_LEFTWARDS = "\u0590"
_OVERPRINT_POINTS = 1.0
_SQUARES = 1 << 20  # in a row of a grid over a page
_LEADER = expression(r"[.…_]{4,}|…")
_LEADER_DOTS = 2  # single dots in a row
_DOTS = ("…", "..", "__", "._", "_.", " . ")  # some of which is in every leader


class Spread(Protocol):
    """Anything with a left and a right edge, in points."""

    @property
    def left(self) -> float: ...  # noqa: D102  # the protocol's docstring says it
    @property
    def right(self) -> float: ...  # noqa: D102


class Placed(Spread, Protocol):
    """Anything with a rectangle in points from the top left."""

    @property
    def top(self) -> float: ...  # noqa: D102
    @property
    def bottom(self) -> float: ...  # noqa: D102


@dataclass(
    slots=True, unsafe_hash=True
)  # not frozen: a page has a thousand, and making them would take four times as long
class Word:
    """One printed word: its text, its rectangle in points from the top left, and its font's name. Never changed."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    font: str = ""

    @property
    def size(self) -> float:
        """The font's height on the page, in points; the unit that gaps are measured in."""
        return self.bottom - self.top

    @property
    def bold(self) -> bool:
        """Whether the font's name contains "bold"."""
        return _is_bold(self.font)

    @property
    def italic(self) -> bool:
        """Whether the font's name means italic."""
        return _is_italic(self.font)


@lru_cache(_FONTS)
def _is_bold(font: str) -> bool:
    return bool(_BOLD.search(font))


@lru_cache(_FONTS)
def _is_italic(font: str) -> bool:
    return bool(_ITALIC.search(font))


@dataclass(frozen=True, slots=True)
class Extent:
    """A rectangle in points from the top left."""

    left: float
    top: float
    right: float
    bottom: float


def text_of(words: Sequence[Word]) -> str:
    """The words of a line with single spaces, in the order in which they are read.

    Args:
        words: from left to right; those of Hebrew and Arabic that stand beside each other are read from right to left.
    """
    text = " ".join([w.text for w in words])
    if text.isascii():
        return text
    runs = ((is_leftwards, list(run)) for is_leftwards, run in groupby(words, key=_is_leftwards))
    return " ".join(w.text for is_leftwards, run in runs for w in (reversed(run) if is_leftwards else run))


def _is_leftwards(word: Word) -> bool:
    return word.text[:1] >= _FIRST_LEFTWARDS and unicodedata.bidirectional(word.text[0]) in ("R", "AL")


def extent(things: Iterable[Placed]) -> Extent:
    """The smallest rectangle around all of them."""
    found = list(things)
    if len(found) == 1:
        (only,) = found
        return Extent(only.left, only.top, only.right, only.bottom)
    return Extent(
        min([t.left for t in found]),
        min([t.top for t in found]),
        max([t.right for t in found]),
        max([t.bottom for t in found]),
    )


def box_of(place: Placed) -> Box:
    """A place as it is stored."""
    return Box(left=place.left, top=place.top, right=place.right, bottom=place.bottom)


def overlap(a: Spread, b: Spread) -> float:
    """The width that two things share, in points; a negative value is the gap between them."""
    left, right, other_left, other_right = a.left, a.right, b.left, b.right
    # min() and max() are written out: a page asks thousands of times.
    return (right if right < other_right else other_right) - (left if left > other_left else other_left)


def without_overprints(words: Sequence[Word]) -> list[Word]:
    """The words in their order, without words that are printed twice at one place to look bold or shadowed."""
    texts, tops, lefts = [w.text for w in words], [w.top for w in words], [w.left for w in words]
    if len(set(texts)) == len(texts):
        return list(words)
    # Two places that are near each other are in one square of a grid, or of one that is half a square beside it.
    squares_of = list(product(*(_squares(np.array(sides, np.float64)) for sides in (tops, lefts))))
    if all((np.diff(np.sort(rows * _SQUARES + columns)) > 0).all() for rows, columns in squares_of):
        return list(words)
    grids = [(rows.tolist(), columns.tolist()) for rows, columns in squares_of]
    retained: list[Word] = []
    known: dict[tuple[int, str, int, int], list[Word]] = defaultdict(list)
    for place, word in enumerate(words):
        squares = [known[i, word.text, rows[place], columns[place]] for i, (rows, columns) in enumerate(grids)]
        if any(_on_top(word, twin) for square in squares for twin in square):
            continue
        for square in squares:
            square.append(word)
        retained.append(word)
    return retained


_MARK = expression(r"^\(?(?:\d{1,2}|[a-z])(?:,(?:\d{1,2}|[a-z]))*\)?$")
_SUPERSCRIPTS = str.maketrans("0123456789()+-abcdefghijklmnoprstuvwxyz", MARKS)
_SMALLER = 0.8  # of the height of the word before
_RAISED = 0.08  # of it: how much higher the middle is
_NEAR_MARK = 0.25  # of it


def with_raised_marks(words: Sequence[Word]) -> list[Word]:
    """The words, with each raised note mark as superscript characters of the word that it stands at.

    So "1,497" with a small raised 7 is no figure of five digits, and the mark is no figure in a column of its own.
    """
    found: list[Word] = []
    tallest = float("-inf")  # that a mark may be; nearly all words are taller
    for word in words:
        size = word.bottom - word.top
        if size <= tallest and _is_mark_of(word, found[-1]):
            found[-1] = replace(found[-1], text=found[-1].text + word.text.translate(_SUPERSCRIPTS))
        else:
            found.append(word)
            tallest = _SMALLER * size
    return found


def _is_mark_of(word: Word, base: Word) -> bool:
    if not _MARK.match(word.text):
        return False
    is_beside = -_NEAR_MARK * base.size <= word.left - base.right <= _NEAR_MARK * base.size
    higher = (base.top + base.bottom) / 2 - (word.top + word.bottom) / 2
    return is_beside and _RAISED * base.size <= higher <= base.size and word.bottom > base.top


def _squares(sides: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """The square of each place in a grid, and in one half a square further."""
    width = 2 * _OVERPRINT_POINTS
    return [np.floor((sides + shift) / width).astype(np.intp) for shift in (0.0, _OVERPRINT_POINTS)]


def without_leaders(words: Sequence[Word]) -> list[Word]:
    """The words in their order, without the dot leaders between a label and its figure."""
    text = f" {' '.join([word.text for word in words])} "
    if not any(dots in text for dots in _DOTS):
        return [word for word in words if word.text]
    dots: list[Word] = []
    retained: list[Word] = []
    for word in words:
        if word.text == "." and (not dots or _beside(dots[-1], word)):
            dots.append(word)
            continue
        retained += dots if len(dots) < _LEADER_DOTS else []
        dots = [word] if word.text == "." else []
        retained += [] if dots else _off_leader(word)
    return retained + (dots if len(dots) < _LEADER_DOTS else [])


def _beside(dot: Word, word: Word) -> bool:
    return abs(dot.top - word.top) < _OVERPRINT_POINTS and 0 < word.left - dot.left < 2 * word.size


def _off_leader(word: Word) -> Iterator[Word]:
    """The parts of a word before, between and after dot leaders, each with its share of the width."""
    if word.text and not _LEADER.search(word.text):
        yield word
        return
    letter = (word.right - word.left) / max(1, len(word.text))
    start = 0
    for leader in [*_LEADER.finditer(word.text), None]:
        end = leader.start() if leader else len(word.text)
        if end > start:
            left, right = word.left + start * letter, word.left + end * letter
            yield replace(word, text=word.text[start:end], left=left, right=right) if leader or start else word
        start = leader.end() if leader else start


def _on_top(a: Word, b: Word) -> bool:
    return abs(a.left - b.left) < _OVERPRINT_POINTS and abs(a.top - b.top) < _OVERPRINT_POINTS


def body_size(words: Sequence[Word]) -> float:
    """The font height of most letters, rounded to half a point; 0 without words."""
    by_size: defaultdict[float, int] = defaultdict(int)
    for word in words:
        by_size[word.bottom - word.top] += len(word.text)
    letters: Counter[float] = Counter()
    for size, count in by_size.items():
        letters[round(size * 2) / 2] += count
    return letters.most_common(1)[0][0] if letters else 0.0

"""Groups words into segments (no wide gap inside) and rows (one baseline)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import TypeVar

from indexes.layout.words import Placed, Word, text_of

_WIDE_GAP = 0.8  # of the font's height; a space is about 0.3
_STRETCHED_GAP = 1.6  # no space of justified text is as wide
_FEWEST_SPACES = 3
_USUAL_SPACE = 0.5
_EVEN = 1.5  # times the line's usual space
_WORDED = 0.75
_NEAR = 2  # lines above and below
_SPECK = 0.01  # points
_SAME_BASELINE = 0.5
_LEVELS_BACK = 3  # that a thing may still belong to
_T = TypeVar("_T", bound=Placed)
_left = attrgetter("left")


# A page has hundreds of both, of which the sides are asked for again and again; so these are computed once, and neither
# is frozen, which would make that four times as dear.
@dataclass(unsafe_hash=True)
class Segment:
    """Words on one baseline without a wide gap between them, left to right. Never changed.

    Attributes:
        left: points from the page's left.
        top: points from the page's top.
        right: points from the page's left to its end.
        bottom: points from the page's top to its end.
        size: the font height of its first word.
    """

    words: tuple[Word, ...]
    left: float = field(init=False, compare=False, repr=False)
    top: float = field(init=False, compare=False, repr=False)
    right: float = field(init=False, compare=False, repr=False)
    bottom: float = field(init=False, compare=False, repr=False)
    size: float = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Take the sides from the words."""
        first = self.words[0]
        self.left, top, right, bottom = first.left, first.top, first.right, first.bottom
        self.size = bottom - top
        for word in self.words[1:]:  # written out, as in `levels`
            if word.top < top:
                top = word.top
            if word.right > right:
                right = word.right
            if word.bottom > bottom:
                bottom = word.bottom
        self.top, self.right, self.bottom = top, right, bottom

    @cached_property
    def text(self) -> str:
        """Its words with single spaces, in the order in which they are read."""
        return text_of(self.words)


@dataclass(unsafe_hash=True)
class Row:
    """Segments that share a baseline, left to right. Never changed.

    Attributes:
        words: all of them, left to right.
        left: where its first segment begins.
        top: points from the page's top.
        right: where its last segment ends.
        bottom: points from the page's top to its end.
    """

    segments: tuple[Segment, ...]
    words: tuple[Word, ...] = field(init=False, compare=False, repr=False)
    left: float = field(init=False, compare=False, repr=False)
    top: float = field(init=False, compare=False, repr=False)
    right: float = field(init=False, compare=False, repr=False)
    bottom: float = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Take the sides and the words from the segments."""
        parts = self.segments
        first = parts[0]
        self.left = first.left
        if len(parts) == 1:
            self.words, self.top, self.right, self.bottom = first.words, first.top, first.right, first.bottom
            return
        self.words = tuple(word for part in parts for word in part.words)
        self.top = min([part.top for part in parts])
        self.right = max([part.right for part in parts])
        self.bottom = max([part.bottom for part in parts])

    @cached_property
    def size(self) -> float:
        """The font height of most of its letters."""
        lengths = [len(word.text) for word in self.words]
        return self.words[lengths.index(max(lengths))].size

    @cached_property
    def text(self) -> str:
        """Its words with single spaces, in the order in which they are read."""
        return text_of(self.words)


def segments(words: Sequence[Word]) -> list[Segment]:
    """Group words into segments, each word in exactly one; from top to bottom, then from left to right."""
    lines = [sorted(level, key=_left) for level in levels(words)]
    return [Segment(tuple(run)) for place in range(len(lines)) for run in _runs(lines, place)]


def _runs(lines: Sequence[Sequence[Word]], place: int) -> Iterator[Sequence[Word]]:
    """The parts of a line between its wide gaps."""
    line = lines[place]
    if len(line) == 1:
        yield line
        return
    sizes = [max(word.bottom - word.top, _SPECK) for word in line]
    each = zip(line, line[1:], sizes, sizes[1:], strict=False)
    gaps = [(b.left - a.right) / (one if one > other else other) for a, b, one, other in each]
    cuts = [index for index, gap in enumerate(gaps, 1) if gap > _WIDE_GAP]
    if any(gaps[cut - 1] < _STRETCHED_GAP for cut in cuts):
        apart = [cut for cut in cuts if gaps[cut - 1] >= _STRETCHED_GAP]
        stretches = [range(begin, end) for begin, end in pairwise([0, *apart, len(line)])]
        joined = {cut for stretch in stretches for cut in _spaces(lines, place, gaps, stretch)}
        cuts = [cut for cut in cuts if cut not in joined]
    yield from (line[begin:end] for begin, end in pairwise([0, *cuts, len(line)]))


def _spaces(lines: Sequence[Sequence[Word]], place: int, gaps: Sequence[float], stretch: range) -> Iterator[int]:
    """The wide gaps of a line that are spaces of justified text: all about as wide, and not free above and below."""
    inside = sorted(gaps[stretch[0] : stretch[-1]])
    if len(inside) < _FEWEST_SPACES or inside[-1] <= _WIDE_GAP:
        return
    line, usual = lines[place], inside[len(inside) // 2]
    if usual < _USUAL_SPACE or sum(line[index].text[:1].isalpha() for index in stretch) < _WORDED * len(stretch):
        return
    near = [
        word
        for level in (*lines[max(0, place - _NEAR) : place], *lines[place + 1 : place + 1 + _NEAR])
        for word in level
    ]
    for index in stretch[1:]:
        if _WIDE_GAP < gaps[index - 1] < _EVEN * usual and _is_crossed(line[index - 1], line[index], near):
            yield index


def _is_crossed(before: Word, behind: Word, near: Sequence[Word]) -> bool:
    """Whether a word of a neighbouring line is where the gap is."""
    middle, reach = (before.right + behind.left) / 2, _NEAR * before.size
    return any(word.left < middle < word.right and abs(word.top - before.top) < reach for word in near)


def rows(parts: Sequence[Segment]) -> list[Row]:
    """Group segments into rows by baseline, from top to bottom."""
    return [Row(tuple(sorted(level, key=_left))) for level in levels(parts)]


def levels(things: Sequence[_T]) -> list[list[_T]]:
    """Group things by baseline, from top to bottom."""
    found: list[list[_T]] = []
    last: list[tuple[float, float, list[_T]]] = []  # the newest first: top and bottom of the first thing of each
    for thing in sorted(things, key=lambda t: t.top + t.bottom):
        top, bottom = thing.top, thing.bottom
        for first_top, first_bottom, level in last:
            height, other = first_bottom - first_top, bottom - top
            # min() and max() are written out, since a page has thousands of words.
            shared = (first_bottom if first_bottom < bottom else bottom) - (first_top if first_top > top else top)
            if shared > _SAME_BASELINE * (height if height < other else other):
                level.append(thing)
                break
        else:
            new = [thing]
            found.append(new)
            last = [(top, bottom, new), *last[: _LEVELS_BACK - 1]]
    return found


_UNEVEN = 1.15
_MOSTLY = 0.5
_SAME_PRINT = 1.45  # the difference that letters with ascenders and descenders make


def with_even_heights(words: Sequence[Word]) -> list[Word]:
    """The words; those of fonts with uneven heights get the height of the highest line of the same print."""
    if not any(_are_uneven(found) for found in _by_font(words).values()):
        return list(words)
    lines = [_by_font(level) for level in levels(words)]
    uneven = _uneven_fonts(lines)
    if not uneven:
        return list(words)
    heights: dict[str, list[float]] = {f: sorted(_height(line[f]) for line in lines if f in line) for f in uneven}
    return [word for line in lines for font, found in line.items() for word in _even(found, heights.get(font))]


def _by_font(level: Sequence[Word]) -> dict[str, list[Word]]:
    fonts: dict[str, list[Word]] = defaultdict(list)
    for word in level:
        fonts[word.font].append(word)
    return fonts


def _uneven_fonts(lines: Sequence[dict[str, list[Word]]]) -> set[str]:
    """Fonts whose words differ in height within most lines."""
    several: dict[str, int] = defaultdict(int)
    different: dict[str, int] = defaultdict(int)
    for line in lines:
        for font, found in line.items():
            if len(found) > 1:
                several[font] += 1
                different[font] += _are_uneven(found)
    return {font for font, count in several.items() if different[font] > _MOSTLY * count}


def _are_uneven(found: Sequence[Word]) -> bool:
    sizes = [word.bottom - word.top for word in found]
    return max(sizes) > _UNEVEN * min(sizes)


def _height(found: Sequence[Word]) -> float:
    return max(w.bottom for w in found) - min(w.top for w in found)


def _even(found: Sequence[Word], heights: Sequence[float] | None) -> list[Word]:
    """The words of a line, with the height of the highest line of their font in the same print size."""
    if heights is None:
        return list(found)
    top, height = min(w.top for w in found), _height(found)
    even = max(h for h in heights if h <= _SAME_PRINT * height)
    return [Word(w.text, w.left, top, w.right, top + even, w.font) for w in found]

"""Turns a page's words upright, and groups them into blocks in reading order."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import Literal

from indexes.layout.blocks import LayoutBlock, text_blocks, usual_gap
from indexes.layout.columns import text_columns
from indexes.layout.grid import Grid, grid
from indexes.layout.lines import Row, rows, segments, with_even_heights
from indexes.layout.rows import TableRow
from indexes.layout.tables import table_regions
from indexes.layout.words import (
    Extent,
    Placed,
    Word,
    body_size,
    with_raised_marks,
    without_leaders,
    without_overprints,
)


def page_blocks(words: Sequence[Word]) -> list[LayoutBlock]:
    """Group words into blocks, each word in exactly one; overprints are left out.

    Args:
        words: words that run from left to right, in any order.
    """
    printed = _printed(words)
    body = body_size(printed)
    columns = [rows(part) for part in text_columns(segments(printed))]
    gap = median([usual_gap(c) for c in columns if len(c) > 1] or [0.0])
    return [block for column in columns for block in _column_blocks(column, body, gap)]


def _column_blocks(column: Sequence[Row], body: float, gap: float) -> Iterator[LayoutBlock]:
    taken = [TableRow.of(row) for row in column]
    done = 0
    for region in table_regions(taken):
        cells = grid(region)
        if cells is None:
            continue
        yield from text_blocks(taken[done : region.first], body, gap)
        yield LayoutBlock("table", tuple(column[region.first : region.last + 1]), cells)
        done = region.last + 1
    yield from text_blocks(taken[done:], body, gap)


def table_grid(words: Sequence[Word]) -> Grid | None:
    """The grid of words that make up one table; None when no table can be read from them."""
    printed = rows(segments(_printed(words)))
    regions = table_regions([TableRow.of(row) for row in printed])
    largest = max(regions, key=lambda r: len(r.rows), default=None)
    return grid(largest) if largest else None


def _printed(words: Sequence[Word]) -> list[Word]:
    printed = without_overprints([w for w in words if w.text.strip()])
    return with_even_heights(without_leaders(with_raised_marks(printed)))


Turn = Literal[0, 90, 180, 270]
_TURNS: tuple[Turn, ...] = (0, 90, 180, 270)


@dataclass(frozen=True)
class Frame:
    """A page whose text runs at `turn` degrees, counter-clockwise, from left to right."""

    width: float
    height: float
    turn: Turn = 0

    def upright(self, word: Word) -> Word:
        """The word's place on the page turned so that its text runs from left to right."""
        if self.turn == 0:
            return word
        left, top, right, bottom = self._turned(word, self.turn)
        return replace(word, left=left, top=top, right=right, bottom=bottom)

    def as_displayed(self, place: Placed) -> Extent:
        """A place on the upright page, as a place on the displayed page."""
        if self.turn in (90, 270):
            turned = Frame(self.height, self.width)
            back: Turn = 270 if self.turn == 90 else 90
            return Extent(*turned._turned(place, back))
        return Extent(*self._turned(place, self.turn))

    def _turned(self, p: Placed, turn: Turn) -> tuple[float, float, float, float]:
        if turn == 90:  # text runs upwards: the page is turned clockwise
            return self.height - p.bottom, p.left, self.height - p.top, p.right
        if turn == 270:
            return p.top, self.width - p.right, p.bottom, self.width - p.left
        if turn == 180:
            return self.width - p.right, self.height - p.bottom, self.width - p.left, self.height - p.top
        return p.left, p.top, p.right, p.bottom


def main_turn(angles: Iterable[int]) -> Turn:
    """The direction, to a quarter turn, in which most words run; 0 for none."""
    turns: Counter[Turn] = Counter()
    for angle, count in Counter(angles).items():
        if (quarter := quarter_turn(angle)) is not None:
            turns[quarter] += count
    return turns.most_common(1)[0][0] if turns else 0


@cache
def quarter_turn(angle: int) -> Turn | None:
    """The quarter turn that an angle in degrees is within five degrees of."""
    return next((t for t in _TURNS if min(abs(angle - t), 360 - abs(angle - t)) <= 5), None)

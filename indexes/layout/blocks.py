"""Groups rows outside tables into headings, paragraphs and list items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from indexes.layout.grid import Grid
from indexes.layout.lines import Row
from indexes.layout.rows import TableRow
from indexes.layout.words import Word
from storage.lexicon.words import expression
from storage.text import BULLETS

Kind = Literal["heading", "paragraph", "list_item", "listing", "table", "furniture"]
_MARKER = expression(rf"^(?:[{BULLETS}]|[-–—]$|\(?(?:[a-z]|[ivx]{{1,5}}|\d{{1,2}})[.)]$|o$)")
_SAME_SIZE = 0.08
_WIDER_GAP = 0.35  # of the font's height, on top of the usual gap between lines


@dataclass(frozen=True)
class LayoutBlock:
    """A piece of a page; tables have a `grid`. Each row of a "listing" stays a line of its own."""

    kind: Kind
    rows: tuple[Row, ...]
    grid: Grid | None = None

    @property
    def words(self) -> tuple[Word, ...]:
        """All its words, row by row."""
        return tuple(w for r in self.rows for w in r.words)


def text_blocks(taken: Sequence[TableRow], body: float, gap: float) -> Iterator[LayoutBlock]:
    """Groups consecutive rows of one column into blocks, in their order.

    Args:
        taken: rows from top to bottom, none of them in a table.
        body: the page's usual font height.
        gap: the usual white space between two lines, in points.
    """
    right = max((t.row.right for t in taken), default=0.0)
    block: list[Row] = []
    was_listed = False
    for each in taken:
        row, is_listed = each.row, each.is_data
        if block and (is_listed != was_listed or _breaks(block, row, gap, right, is_listed=is_listed)):
            yield _block(block, body, is_listed=was_listed)
            block = []
        block.append(row)
        was_listed = is_listed
    if block:
        yield _block(block, body, is_listed=was_listed)


def usual_gap(rows: Sequence[Row]) -> float:
    """The white space between most neighbouring lines, in points."""
    gaps = [b.top - a.bottom for a, b in pairwise(rows) if -a.size < b.top - a.bottom < 1.2 * a.size]
    return median(gaps) if gaps else 0.0


def _block(rows: Sequence[Row], body: float, *, is_listed: bool) -> LayoutBlock:
    if is_listed:
        return LayoutBlock("listing", tuple(rows))
    if is_heading(rows, body):
        return LayoutBlock("heading", tuple(rows))
    marked = bool(_MARKER.match(rows[0].words[0].text)) and len(rows[0].words) > 1
    return LayoutBlock("list_item" if marked else "paragraph", tuple(rows))


def _breaks(block: Sequence[Row], row: Row, gap: float, right: float, *, is_listed: bool) -> bool:
    """Whether a new block begins with this row, which is listed as those above it are or is not as they are not."""
    above = block[-1]
    if row.top - above.bottom > gap + _WIDER_GAP * row.size or row.top < above.top:
        return True
    if is_listed:
        return False
    if _MARKER.match(row.words[0].text) and len(row.words) > 1:
        return True
    if _is_bold(above) != _is_bold(row) or abs(above.size - row.size) > _SAME_SIZE * above.size:
        return True
    ended = above.text.endswith((".", ":", "?", "!"))
    short = above.right < right - 0.15 * (right - above.left)
    indented = row.left > above.left + row.size and row.left > block[0].left + row.size
    return ended and not row.text[:1].islower() and (short or indented)


def _is_bold(row: Row) -> bool:
    return all(w.bold for w in row.words)


_LARGER = 1.12
_MOST_WORDS = 18
_MOST_ROWS = 3
_SLANTED_WORDS = 10
_LETTERS = expression(r"[^\W\d_]")


def is_heading(rows: Sequence[Row], body: float) -> bool:
    """Whether a block is a heading: few words, larger or bolder than the page's text, and not a sentence."""
    words = [w for r in rows for w in r.words]
    text = " ".join(w.text for w in words)
    if len(rows) > _MOST_ROWS or len(words) > _MOST_WORDS or text.endswith((".", ",", ";")):
        return False
    letters = len(_LETTERS.findall(text))
    if letters < 3 or letters < 0.5 * len(text.replace(" ", "")) or text.startswith("("):
        return False
    larger = min(r.size for r in rows) >= _LARGER * body
    capitals = text.upper() == text and letters >= 6 and len(rows) == 1
    slanted = len(rows) == 1 and len(words) <= _SLANTED_WORDS and all(w.italic for w in words)
    return larger or all(w.bold for w in words) or capitals or slanted

"""Groups a page's words into blocks in reading order."""

from collections.abc import Iterator, Sequence
from statistics import median

from indexes.layout.blocks import LayoutBlock, text_blocks, usual_gap
from indexes.layout.columns import text_columns
from indexes.layout.grid import Grid, grid
from indexes.layout.lines import Row, rows, segments, with_even_heights
from indexes.layout.tables import table_regions
from indexes.layout.words import Word, body_size, without_leaders, without_overprints


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
    done = 0
    for region in table_regions(column):
        cells = grid(region)
        if cells is None:
            continue
        yield from text_blocks(column[done : region.first], body, gap)
        yield LayoutBlock("table", tuple(column[region.first : region.last + 1]), cells)
        done = region.last + 1
    yield from text_blocks(column[done:], body, gap)


def table_grid(words: Sequence[Word]) -> Grid | None:
    """The grid of words that make up one table; None when no table can be read from them."""
    printed = rows(segments(_printed(words)))
    regions = table_regions(printed)
    largest = max(regions, key=lambda r: len(r.rows), default=None)
    return grid(largest) if largest else None


def _printed(words: Sequence[Word]) -> list[Word]:
    return with_even_heights(without_leaders(without_overprints([w for w in words if w.text.strip()])))

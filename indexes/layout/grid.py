"""Puts the rows of a table into a grid of cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from indexes.layout.figures import is_year, names_period
from indexes.layout.header_cells import header_bands, place_header
from indexes.layout.pieces import Piece
from indexes.layout.rows import Band, PlacedRow, TableRow, with_joined_labels
from indexes.layout.tables import TableRegion
from indexes.layout.words import Extent, Word, extent, overlap

Role = Literal["column_header", "row_label", "section", "value"]
_CROWDED_SHARE = 0.1
_FIGURE_SHARE = 0.5
_TORN_SHARE = 0.15


@dataclass(frozen=True)
class GridCell:
    """A cell's place, words and meaning; rows and columns count from 0."""

    row: int
    column: int
    words: tuple[Word, ...]
    text: str
    role: Role
    column_span: int = 1

    @property
    def extent(self) -> Extent:
        """The rectangle around its words."""
        return extent(self.words)


@dataclass(frozen=True)
class Grid:
    """A table's cells in reading order."""

    row_count: int
    column_count: int
    cells: tuple[GridCell, ...]


def grid(region: TableRegion) -> Grid | None:
    """The region's grid; None when its figures cannot be assigned to separate columns."""
    bands = _all_bands(region)
    heads, body = region.rows[: region.header_count], region.rows[region.header_count :]
    over = header_bands(heads, bands)
    labels = min((row.row.left for row in body), default=bands[0].left)
    lines = [_place_above(row, heads, bands, over, labels) for row in heads]
    lines += [_place_body(row, bands) for row in body]
    if sum(line.crowded for line in lines) > _CROWDED_SHARE * len(lines):
        return None
    joined = with_joined_labels(lines, bands)
    if not _is_well_read([line for line in joined if not line.is_header]):
        return None
    cells = tuple(cell for index, line in enumerate(joined) for cell in _cells(index, line, bands))
    return Grid(len(joined), len(bands) + 1, cells)


def _all_bands(region: TableRegion) -> list[Band]:
    """The columns of figures, and the columns of words between the labels and the figures."""
    bands = list(region.columns)
    loose = [
        piece
        for row in region.rows[region.header_count :]
        for piece in row.pieces[1:]
        if not piece.figure and not any(overlap(piece.extent, b) > 0 for b in bands)
    ]
    groups: list[list[Piece]] = []
    for piece in sorted(loose, key=lambda p: p.extent.left):
        if not groups or piece.extent.left > max(p.extent.right for p in groups[-1]):
            groups.append([])
        groups[-1].append(piece)
    worded = [Band(min(p.left for p in g), max(p.extent.right for p in g)) for g in groups if len(g) > 1]
    return sorted(bands + worded, key=lambda b: b.left)


def _is_well_read(lines: Sequence[PlacedRow]) -> bool:
    """Whether the grid is plausible: most rows have figures, and few are only continuation lines in the table."""
    with_figures = sum(line.has_figures for line in lines)
    torn = sum(not line.has_figures and not line.label for line in lines)
    return with_figures >= _FIGURE_SHARE * len(lines) and torn <= _TORN_SHARE * len(lines)


def _place_above(
    row: TableRow, heads: Sequence[TableRow], bands: Sequence[Band], over: Sequence[Band], labels: float
) -> PlacedRow:
    """Place a row above the figures: a header, or the first section's name, which begins where labels begin."""
    first = row.pieces[0].extent
    apart = first.left > labels + 3 * row.row.size
    dated = is_year(row.pieces[0].text) or names_period(row.pieces[0].text)
    is_header = len(row.pieces) > 1 or (apart and (dated or first.right > bands[0].left))
    return place_header(row, over, heads) if is_header else _place_body(row, bands)


def _place_body(row: TableRow, bands: Sequence[Band]) -> PlacedRow:
    slots: dict[int, tuple[Piece, ...]] = {}
    crowded = False
    for index, piece in enumerate(row.pieces):
        column = _column_of(piece, bands, first=index == 0)
        crowded = crowded or (column > 0 and column in slots and piece.figure)
        slots[column] = (*slots.get(column, ()), piece)
    return PlacedRow(slots, {}, is_header=False, crowded=crowded)


def _column_of(piece: Piece, bands: Sequence[Band], first: bool) -> int:
    """The column that a piece overlaps most; a row's first words are its label."""
    if (
        first
        and (not piece.figure or is_year(piece.text))
        and (piece.left < bands[0].left or len(piece.words) > 2)
    ):
        return 0
    shares = [overlap(piece if piece.figure else piece.extent, b) for b in bands]
    best = max(range(len(bands)), key=lambda i: shares[i])
    return 0 if shares[best] <= 0 and piece.extent.right < bands[0].left else best + 1


def _cells(index: int, line: PlacedRow, bands: Sequence[Band]) -> list[GridCell]:
    cells: list[GridCell] = []
    for column, found in sorted(line.slots.items()):
        words = tuple(w for p in found for w in p.words)
        span = min(line.spans.get(column, 1), len(bands) + 1 - column)
        cells.append(GridCell(index, column, words, " ".join(p.text for p in found), _role(line, column), span))
    return cells


def _role(line: PlacedRow, column: int) -> Role:
    if line.is_header:
        return "column_header"
    if column:
        return "value"
    return "row_label" if line.has_values else "section"

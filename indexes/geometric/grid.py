"""From a table's rows to its cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from indexes.geometric.figures import is_year
from indexes.geometric.pieces import Piece
from indexes.geometric.tables import Band, TableRegion, TableRow
from indexes.geometric.words import Extent, Spread, Word, extent, overlap

Role = Literal["column_header", "row_label", "section", "value"]
_CROWDED_SHARE = 0.1
_FIGURE_SHARE = 0.5
_HEADER_GAP = 0.42  # of the font's height
_INDENT = 3.0  # points
_FULL_LABEL = 0.6  # of the width before the figures
_JOINING_WORDS = frozenset(("and", "or", "of", "to", "in", "the", "at", "for", "from", "on", "by", "december"))


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
    """The region's grid; None when its figures do not fall into columns one by one."""
    bands = _all_bands(region)
    heads, body = region.rows[: region.header_count], region.rows[region.header_count :]
    over = _header_bands(heads, bands)
    lines = [_place_above(row, bands, over) for row in heads] + [_place_body(row, bands) for row in body]
    if sum(line.crowded for line in lines) > _CROWDED_SHARE * len(lines):
        return None
    joined = _join_wrapped(lines, bands)
    if sum(line.has_figures for line in joined) < _FIGURE_SHARE * (len(joined) - len(heads)):
        return None
    cells = tuple(cell for index, line in enumerate(joined) for cell in _cells(index, line, bands))
    return Grid(len(joined), len(bands) + 1, cells)


@dataclass(frozen=True)
class _Line:
    """A row's pieces by column; column 0 is the label, columns 1… are the bands."""

    slots: dict[int, tuple[Piece, ...]]
    spans: dict[int, int]
    is_header: bool
    crowded: bool = False

    @property
    def label(self) -> tuple[Word, ...]:
        return tuple(w for p in self.slots.get(0, ()) for w in p.words)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(p for found in self.slots.values() for p in found)

    @property
    def has_figures(self) -> bool:
        return any(p.figure for column, found in self.slots.items() if column for p in found)

    @property
    def has_values(self) -> bool:
        return any(column for column in self.slots)


def _all_bands(region: TableRegion) -> list[Band]:
    """The figures' columns, and columns of words that stand between the labels and the figures."""
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


def _header_bands(heads: Sequence[TableRow], bands: Sequence[Band]) -> list[Band]:
    """The columns as wide as their figures and the headers that stand over one column alone."""
    wide = list(bands)
    for row in reversed(heads):
        over = [part for p in row.pieces if not _is_stub(p, bands) for part in _apart(p, bands)]
        for index, piece in enumerate(over if len(over) > 1 else ()):
            touched = [index] if len(over) == len(bands) else _touching(piece, wide)
            if len(touched) == 1:
                band = wide[touched[0]]
                wide[touched[0]] = Band(min(band.left, piece.extent.left), max(band.right, piece.extent.right))
    return wide


def _place_above(row: TableRow, bands: Sequence[Band], over: Sequence[Band]) -> _Line:
    """A row above the figures: a header, or the name of the first section."""
    is_header = len(row.pieces) > 1 or row.pieces[0].extent.right > bands[0].left
    return _place_header(row, over) if is_header else _place_body(row, bands)


def _place_body(row: TableRow, bands: Sequence[Band]) -> _Line:
    slots: dict[int, tuple[Piece, ...]] = {}
    crowded = False
    for index, piece in enumerate(row.pieces):
        column = _column_of(piece, bands, first=index == 0)
        crowded = crowded or (column > 0 and column in slots and piece.figure)
        slots[column] = (*slots.get(column, ()), piece)
    return _Line(slots, {}, is_header=False, crowded=crowded)


def _column_of(piece: Piece, bands: Sequence[Band], first: bool) -> int:
    """The column a piece shares most width with; a row's first words are its label."""
    if (
        first
        and (not piece.figure or is_year(piece.text))
        and (piece.left < bands[0].left or len(piece.words) > 2)
    ):
        return 0
    shares = [overlap(piece if piece.figure else piece.extent, b) for b in bands]
    best = max(range(len(bands)), key=lambda i: shares[i])
    return 0 if shares[best] <= 0 and piece.extent.right < bands[0].left else best + 1


def _place_header(row: TableRow, bands: Sequence[Band]) -> _Line:
    """Header pieces over the columns they stand over; one between columns spans them."""
    stub = tuple(p for p in row.pieces if _is_stub(p, bands))
    over = [part for p in row.pieces if p not in stub for part in _apart(p, bands)]
    slots: dict[int, tuple[Piece, ...]] = {0: stub} if stub else {}
    spans: dict[int, int] = {}
    for (start, end), piece in zip(_runs(over, bands), over, strict=True):
        slots[start + 1] = (*slots.get(start + 1, ()), piece)
        spans[start + 1] = end - start + 1
    return _Line(slots, spans, is_header=True)


def _runs(over: Sequence[Piece], bands: Sequence[Band]) -> list[tuple[int, int]]:
    """The first and last column that each header piece stands over."""
    if len(over) == len(bands):
        return [(i, i) for i in range(len(bands))]
    runs = [_touched(piece, bands) for piece in over]
    for index, piece in enumerate(over):
        start, end = runs[index]
        lowest = runs[index - 1][1] + 1 if index else 0
        highest = runs[index + 1][0] - 1 if index + 1 < len(over) else len(bands) - 1
        runs[index] = _widened(piece, bands, start, end, lowest, highest)
    return runs


def _is_stub(piece: Piece, bands: Sequence[Band]) -> bool:
    """Words over the labels, not over the figures."""
    return not _touching(piece, bands) and piece.extent.right < bands[0].left - (bands[0].right - bands[0].left)


def _touched(piece: Piece, bands: Sequence[Band]) -> tuple[int, int]:
    touched = _touching(piece, bands)
    if touched:
        return touched[0], touched[-1]
    nearest = max(range(len(bands)), key=lambda i: overlap(piece.extent, bands[i]))
    return nearest, nearest


def _apart(piece: Piece, bands: Sequence[Band]) -> list[Piece]:
    """Headers of neighbouring columns that stand so close that they read as one, taken apart."""
    alone = [_touching(Piece((w,), False), bands) for w in piece.words]
    if len(alone) > 1 and all(len(t) == 1 for t in alone) and len({t[0] for t in alone}) == len(alone):
        return [Piece((w,), False) for w in piece.words]
    for index in range(1, len(piece.words)):
        before, word = piece.words[index - 1], piece.words[index]
        left, right = Piece(piece.words[:index], False), Piece(piece.words[index:], False)
        ends = _touching(left, bands)[-1:], _touching(right, bands)[:1]
        if word.left - before.right > _HEADER_GAP * word.size and all(ends) and ends[0] < ends[1]:
            return [left, *_apart(right, bands)]
    return [piece]


def _touching(piece: Piece, bands: Sequence[Band]) -> list[int]:
    return [i for i, band in enumerate(bands) if overlap(piece.extent, band) > 0]


def _widened(
    piece: Piece, bands: Sequence[Band], start: int, end: int, lowest: int, highest: int
) -> tuple[int, int]:
    """The run of columns around `start` to `end` over whose middle the piece stands."""
    middle = _middle(piece.extent)

    def off(run: tuple[int, int]) -> float:
        return abs((bands[run[0]].left + bands[run[1]].right) / 2 - middle)

    runs = [(a, b) for a in range(lowest, start + 1) for b in range(end, highest + 1)]
    best = min(runs, key=lambda r: (off(r), r[1] - r[0]), default=(start, end))
    return best if off(best) < 0.5 * off((start, end)) - 4 else (start, end)


def _middle(thing: Spread) -> float:
    return (thing.left + thing.right) / 2


def _join_wrapped(lines: Sequence[_Line], bands: Sequence[Band]) -> list[_Line]:
    """Rows that are one label broken over several lines, joined."""
    labels = [w for line in lines if not line.is_header for w in line.label if w.right <= bands[0].left]
    longest = max((w.right for w in labels), default=bands[0].left)
    left = min((w.left for w in labels), default=0.0)
    limit = max(longest, left + _FULL_LABEL * (bands[0].left - left))
    result: list[_Line] = []
    for line in lines:
        if result and _goes_on(result[-1], line, limit):
            result[-1] = _merged(result[-1], line)
        else:
            result.append(line)
    return result


def _goes_on(above: _Line, line: _Line, limit: float) -> bool:
    """`line` continues the label above it: it begins in lower case, or did not fit on the line above."""
    if above.is_header or line.is_header or not above.label or (above.has_values and line.has_values):
        return False
    last = above.label[-1]
    if last.text.endswith((":", ".")):
        return False
    if not line.label:  # figures halfway between the lines of their label
        return min(w.top for p in line.pieces for w in p.words) < last.bottom
    first = line.label[0]
    if first.top - last.bottom > 0.8 * first.size:
        return False
    if _continues_sentence(last.text, first.text):
        return True
    wraps = last.right + 0.3 * first.size + (first.right - first.left) > limit
    apart = first.left - above.label[0].left > _INDENT and not first.text[:1].isdigit()
    return wraps and not (above.has_values or apart or _is_shouting(above.label))


def _continues_sentence(last: str, first: str) -> bool:
    return (
        first.lstrip("(")[:1].islower()
        or last.endswith((",", ";", "-", "–", "&"))
        or last.lower() in _JOINING_WORDS
    )


def _is_shouting(label: Sequence[Word]) -> bool:
    return all(w.text.upper() == w.text for w in label)


def _merged(above: _Line, line: _Line) -> _Line:
    slots = dict(above.slots)
    for column, found in line.slots.items():
        slots[column] = (*slots.get(column, ()), *found)
    return replace(above, slots=slots, crowded=above.crowded or line.crowded)


def _cells(index: int, line: _Line, bands: Sequence[Band]) -> list[GridCell]:
    cells: list[GridCell] = []
    for column, found in sorted(line.slots.items()):
        words = tuple(w for p in found for w in p.words)
        span = min(line.spans.get(column, 1), len(bands) + 1 - column)
        cells.append(GridCell(index, column, words, " ".join(p.text for p in found), _role(line, column), span))
    return cells


def _role(line: _Line, column: int) -> Role:
    if line.is_header:
        return "column_header"
    if column:
        return "value"
    return "row_label" if line.has_values else "section"

"""Which columns a table's headers stand over."""

from collections.abc import Sequence

from indexes.geometric.figures import count_years, names_period
from indexes.geometric.pieces import Piece
from indexes.geometric.placed_rows import PlacedRow
from indexes.geometric.table_rows import Band, TableRow
from indexes.geometric.words import Spread, overlap

_HEADER_GAP = 0.42  # of the font's height


def header_bands(heads: Sequence[TableRow], bands: Sequence[Band]) -> list[Band]:
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


def place_header(row: TableRow, bands: Sequence[Band]) -> PlacedRow:
    """Header pieces over the columns they stand over; one between columns spans them."""
    stub = tuple(p for p in row.pieces if _is_stub(p, bands))
    over = [part for p in row.pieces if p not in stub for part in _apart(p, bands)]
    slots: dict[int, tuple[Piece, ...]] = {0: stub} if stub else {}
    spans: dict[int, int] = {}
    for (start, end), piece in zip(_runs(over, bands), over, strict=True):
        slots[start + 1] = (*slots.get(start + 1, ()), piece)
        spans[start + 1] = end - start + 1
    return PlacedRow(slots, spans, is_header=True)


def _runs(over: Sequence[Piece], bands: Sequence[Band]) -> list[tuple[int, int]]:
    """The first and last column that each header piece stands over."""
    if len(over) == len(bands):
        return [(i, i) for i in range(len(bands))]
    runs = [_touched(piece, bands) for piece in over]
    pull = 0.5 if over and len(bands) % len(over) else 0.9
    for index, piece in enumerate(over):
        start, end = runs[index]
        lowest = runs[index - 1][1] + 1 if index else 0
        highest = runs[index + 1][0] - 1 if index + 1 < len(over) else len(bands) - 1
        runs[index] = _widened(piece, bands, start, end, lowest, highest, pull)
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
    if names_period(piece.text) and count_years(piece.text) < 2:
        return [piece]
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
    piece: Piece, bands: Sequence[Band], start: int, end: int, lowest: int, highest: int, pull: float
) -> tuple[int, int]:
    """The run of columns around `start` to `end` over whose middle the piece stands.

    It has to stand there clearly: off the wider middle by less than `pull` of what it is off the narrow one.
    """
    middle = _middle(piece.extent)

    def off(run: tuple[int, int]) -> float:
        return abs((bands[run[0]].left + bands[run[1]].right) / 2 - middle)

    runs = [(a, b) for a in range(lowest, start + 1) for b in range(end, highest + 1)]
    best = min(runs, key=lambda r: (off(r), r[1] - r[0]), default=(start, end))
    return best if off(best) < pull * off((start, end)) - 3 else (start, end)


def _middle(thing: Spread) -> float:
    return (thing.left + thing.right) / 2

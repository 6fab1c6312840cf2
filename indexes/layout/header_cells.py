"""Finds the header rows of a table, and the columns that each header cell covers."""

from collections.abc import Sequence

from indexes.layout.figures import count_years, is_year, names_period
from indexes.layout.pieces import Piece
from indexes.layout.rows import Band, PlacedRow, TableRow
from indexes.layout.words import Spread, overlap

_HEADER_GAP = 0.42  # of the font's height
_OVER_ONE = 0.6  # of the font's height: the largest distance from the centre of its column
_OFF_CENTRE = 1.2  # of the font's height


def header_bands(heads: Sequence[TableRow], bands: Sequence[Band]) -> list[Band]:
    """The columns, as wide as their figures and those headers that cover only one column."""
    wide = list(bands)
    for row in reversed(heads):
        stub = _stub(row, bands)
        over = [part for p in row.pieces if p not in stub for part in _apart(p, bands)]
        for index, piece in enumerate(over if len(over) > 1 else ()):
            touched = [index] if len(over) == len(bands) else _touching(piece, wide)
            if len(touched) == 1:
                band = wide[touched[0]]
                wide[touched[0]] = Band(min(band.left, piece.extent.left), max(band.right, piece.extent.right))
    return wide


def place_header(row: TableRow, bands: Sequence[Band], heads: Sequence[TableRow] = ()) -> PlacedRow:
    """Assign header pieces to the columns below them; a piece between columns spans them.

    Args:
        row: a row of the header.
        bands: the columns of figures.
        heads: all rows of the header.
    """
    stub = _stub(row, bands)
    over = [part for p in row.pieces if p not in stub for part in _apart(p, bands)]
    slots: dict[int, tuple[Piece, ...]] = {0: stub} if stub else {}
    spans: dict[int, int] = {}
    years_apart = any(is_year(p.text) for other in heads if other is not row for p in other.pieces)
    for (start, end), piece in zip(_runs(over, bands, years_apart=years_apart), over, strict=True):
        slots[start + 1] = (*slots.get(start + 1, ()), piece)
        spans[start + 1] = end - start + 1
    return PlacedRow(slots, spans, is_header=True)


def _runs(over: Sequence[Piece], bands: Sequence[Band], *, years_apart: bool = False) -> list[tuple[int, int]]:
    """The first and last column that each header piece covers; a year is that of all unless columns have their own."""
    if len(over) == len(bands):
        return [(i, i) for i in range(len(bands))]
    if len(over) == 1 and _is_over_all(over[0], bands) and not (years_apart and is_year(over[0].text)):
        return [(0, len(bands) - 1)]
    if len(over) > 1 and (even := _even_runs(over, bands)):
        return even
    runs = _disjoint([_touched(piece, bands) for piece in over], over, bands)
    pull = 0.5 if over and len(bands) % len(over) else 0.9
    for index, piece in enumerate(over):
        start, end = runs[index]
        if years_apart and start == end and is_year(piece.text):
            continue
        lowest = runs[index - 1][1] + 1 if index else 0
        highest = runs[index + 1][0] - 1 if index + 1 < len(over) else len(bands) - 1
        runs[index] = _widened(piece, bands, start, end, lowest, highest, pull)
    return runs


def _is_over_all(piece: Piece, bands: Sequence[Band]) -> bool:
    """Whether it is a period or a remark in brackets, centred over all columns."""
    remark = piece.text.startswith("(") and piece.text.endswith(")")
    touched = _touching(piece, bands)
    if not (remark or names_period(piece.text)):
        return False
    if len(touched) > 1 and touched[0] == len(bands) - 1 - touched[-1]:
        return True
    return abs((bands[0].left + bands[-1].right) / 2 - _middle(piece.extent)) < _OFF_CENTRE * piece.words[0].size


def _even_runs(over: Sequence[Piece], bands: Sequence[Band]) -> list[tuple[int, int]]:
    """Runs of equally many columns, if each piece is centred over its own run; else none.

    The first column may be one of notes, over which none of them is.
    """
    for notes in (0, 1):
        count, rest = divmod(len(bands) - notes, len(over))
        runs = [(notes + i * count, notes + (i + 1) * count - 1) for i in range(len(over))]
        if count and not rest:
            fits = (_is_over_all(piece, bands[a : b + 1]) for piece, (a, b) in zip(over, runs, strict=True))
            if all(fits):
                return runs
    return []


def _disjoint(
    runs: Sequence[tuple[int, int]], over: Sequence[Piece], bands: Sequence[Band]
) -> list[tuple[int, int]]:
    """The runs without overlaps: a column that two neighbours touch goes to the one that covers more of it."""
    found = list(runs)
    for index in range(len(found) - 1):
        (start, end), (next_start, next_end) = found[index], found[index + 1]
        if start <= next_start == end <= next_end and (start < end or next_start < next_end):
            ours, theirs = (overlap(over[i].extent, bands[end]) for i in (index, index + 1))
            if start < end and (theirs >= ours or next_start == next_end):
                found[index] = (start, end - 1)
            else:
                found[index + 1] = (next_start + 1, next_end)
    return found


def _stub(row: TableRow, bands: Sequence[Band]) -> tuple[Piece, ...]:
    """The pieces over the labels instead of the figures. If there is one period for each column, they are headers."""
    named = [p for p in row.pieces if is_year(p.text) or names_period(p.text)]
    if len(named) == len(row.pieces) == len(bands) > 1:
        return ()
    return tuple(p for p in row.pieces if _is_stub(p, bands))


def _is_stub(piece: Piece, bands: Sequence[Band]) -> bool:
    return not _touching(piece, bands) and piece.extent.right < bands[0].left - (bands[0].right - bands[0].left)


def _touched(piece: Piece, bands: Sequence[Band]) -> tuple[int, int]:
    touched = _touching(piece, bands)
    if touched:
        return touched[0], touched[-1]
    nearest = max(range(len(bands)), key=lambda i: overlap(piece.extent, bands[i]))
    return nearest, nearest


def _apart(piece: Piece, bands: Sequence[Band]) -> list[Piece]:
    """Separate headers of neighbouring columns that are so close that they were read as one."""
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
    """The run of columns around `start` to `end` over which the piece is centred.

    The wider run is taken only if the piece is clearly closer to its centre: less than `pull` times the distance to
    the centre of the narrow run.
    """
    middle = _middle(piece.extent)

    def off(run: tuple[int, int]) -> float:
        return abs((bands[run[0]].left + bands[run[1]].right) / 2 - middle)

    if start == end and off((start, end)) < _OVER_ONE * piece.words[0].size:
        return start, end

    runs = [(a, b) for a in range(lowest, start + 1) for b in range(end, highest + 1)]
    best = min(runs, key=lambda r: (off(r), r[1] - r[0]), default=(start, end))
    return best if off(best) < pull * off((start, end)) - 3 else (start, end)


def _middle(thing: Spread) -> float:
    return (thing.left + thing.right) / 2


_GAP_LINES = 3.3  # of the font's height, between two rows of headers
_REACH = 8  # rows above the first figures that are looked at
_WIDE_TEXT_WORDS = 9


def header_start(rows: Sequence[TableRow], first: int, last: int, start: int, bands: Sequence[Band]) -> int:
    """The topmost header row of the figures below; `first` when there is no header."""
    area = Band(bands[0].left, bands[-1].right)
    labels = min(r.row.left for r in rows[first : last + 1])
    begun = first > start and _begins_label(rows[first - 1], rows[first], labels, area)
    top = first - 1 if begun else first
    for index in range(first - 1, max(start, first - _REACH) - 1, -1):
        row, below = rows[index], rows[index + 1].row
        reach = _GAP_LINES * (3 if row.names_columns else 1)
        if below.top - row.row.bottom > reach * row.row.size or _is_title(row, labels, area):
            break
        if _heads(row, labels, area):
            top = index
        elif _is_headed(rows[top:first]) or not _is_label(row, labels, area):
            break
    return top


def _is_headed(rows: Sequence[TableRow]) -> bool:
    return any(len(r.pieces) > 1 or r.names_columns for r in rows)


def _begins_label(row: TableRow, body: TableRow, labels: float, area: Spread) -> bool:
    """Whether the label of the first figures begins on the row above them."""
    return _is_label(row, labels, area) and (body.pieces[0].figure or body.pieces[0].text[:1].islower())


def _is_title(row: TableRow, labels: float, area: Spread) -> bool:
    """Whether it is a title: one line of words, centred over labels and figures."""
    whole = Band(labels, area.right)
    off = abs(_centre(row.row) - _centre(whole))
    return len(row.row.segments) == 1 and row.row.right > area.left and off < 0.02 * (whole.right - whole.left)


def _heads(row: TableRow, labels: float, area: Spread) -> bool:
    """Whether every piece except a first label is over the area of the figures."""
    third = labels + (area.left - labels) * 0.3
    over = [p for p in row.pieces if p.extent.right > area.left - 3 * row.row.size]
    over = [p for p in over if p.extent.left > third and _centre(p.extent) > area.left - 3 * row.row.size]
    rest = [p for p in row.pieces if p not in over]
    if not over or any(p.extent.right > area.left + row.row.size for p in rest):
        return False
    return all(len(p.words) <= _WIDE_TEXT_WORDS for p in over)


def _is_label(row: TableRow, labels: float, area: Spread) -> bool:
    """Whether the row is a label: it is over the labels, such as "Current assets", or begins there and is longer."""
    if len(row.row.segments) > 1:
        return False
    if row.row.right < area.left + row.row.size:
        return True
    begins = row.row.left < labels + 4 * row.row.size
    return begins and len(row.row.words) < _WIDE_TEXT_WORDS and row.row.right < area.right


def is_header(row: TableRow, bands: Sequence[Band]) -> bool:
    """Whether it is a row of years or words over the columns of figures."""
    over = [p for p in row.pieces if any(overlap(p.extent, b) > 0 for b in bands)]
    return bool(over) and all(is_year(p.text) or _is_name(p) for p in over)


def _is_name(piece: Piece) -> bool:
    """Whether the words may name a column: few words, with digits only in a period or a unit."""
    if piece.figure or len(piece.words) > _WIDE_TEXT_WORDS:
        return False
    return names_period(piece.text) or not any(c in "123456789" for c in piece.text) or len(piece.words) > 1


def _centre(thing: Spread) -> float:
    return (thing.left + thing.right) / 2

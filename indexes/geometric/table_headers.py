"""Which rows head a table's columns."""

from collections.abc import Sequence

from indexes.geometric.figures import is_year, names_period
from indexes.geometric.pieces import Piece
from indexes.geometric.table_rows import Band, TableRow
from indexes.geometric.words import Spread, overlap

_GAP_LINES = 3.3  # of the font's height, between two rows of headers
_REACH = 8  # rows above the first figures that are looked at
_WIDE_TEXT_WORDS = 9


def header_start(rows: Sequence[TableRow], first: int, last: int, start: int, bands: Sequence[Band]) -> int:
    """The topmost row that heads the columns of the figures below; `first` when none does."""
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
    """The label of the first figures begins on the row above them."""
    return _is_label(row, labels, area) and (body.pieces[0].figure or body.pieces[0].text[:1].islower())


def _is_title(row: TableRow, labels: float, area: Spread) -> bool:
    """One line of words in the middle over labels and figures alike."""
    whole = Band(labels, area.right)
    off = abs(_centre(row.row) - _centre(whole))
    return len(row.row.segments) == 1 and row.row.right > area.left and off < 0.02 * (whole.right - whole.left)


def _heads(row: TableRow, labels: float, area: Spread) -> bool:
    """Every piece but a first label stands over the figures' area."""
    third = labels + (area.left - labels) * 0.3
    over = [p for p in row.pieces if p.extent.right > area.left - 3 * row.row.size]
    over = [p for p in over if p.extent.left > third and _centre(p.extent) > area.left - 3 * row.row.size]
    rest = [p for p in row.pieces if p not in over]
    if not over or any(p.extent.right > area.left + row.row.size for p in rest):
        return False
    return all(len(p.words) <= _WIDE_TEXT_WORDS for p in over)


def _is_label(row: TableRow, labels: float, area: Spread) -> bool:
    """A row over the labels, such as "Current assets", or one that begins with them and reaches further."""
    if len(row.row.segments) > 1:
        return False
    if row.row.right < area.left + row.row.size:
        return True
    begins = row.row.left < labels + 4 * row.row.size
    return begins and len(row.row.words) < _WIDE_TEXT_WORDS and row.row.right < area.right


def is_header(row: TableRow, bands: Sequence[Band]) -> bool:
    """A row of years or words over the columns of figures."""
    over = [p for p in row.pieces if any(overlap(p.extent, b) > 0 for b in bands)]
    return bool(over) and all(is_year(p.text) or _is_name(p) for p in over)


def _is_name(piece: Piece) -> bool:
    """Words that may name a column: few, and digits only in what says its time or unit."""
    if piece.figure or len(piece.words) > _WIDE_TEXT_WORDS:
        return False
    return names_period(piece.text) or not any(c in "123456789" for c in piece.text) or len(piece.words) > 1


def _centre(thing: Spread) -> float:
    return (thing.left + thing.right) / 2

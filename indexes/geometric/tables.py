"""Finding the rows that make up a table, and where its columns stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from indexes.geometric.figures import is_page_reference, is_year, names_period
from indexes.geometric.lines import Row
from indexes.geometric.pieces import Piece, pieces
from indexes.geometric.words import Spread, overlap

_BETWEEN = 4  # rows without figures that may stand between two with figures
_GAP_LINES = 3.5  # of the font's height, between two rows of one table
_ALIGNED_GAP_LINES = 9.0  # the same, where all figures stand right under those above
_HEADER_GAP_LINES = 2.5
_WIDE_TEXT_WORDS = 9
_HEADER_REACH = 6  # rows above the first figures that are looked at for headers
_CONTENTS_ROWS = 4


@dataclass(frozen=True)
class TableRow:
    """A printed row with its pieces."""

    row: Row
    pieces: tuple[Piece, ...]

    @cached_property
    def figures(self) -> tuple[Piece, ...]:
        """Its figures, left to right; a year at its beginning is its label."""
        return tuple(p for i, p in enumerate(self.pieces) if p.figure and (i or not is_year(p.text)))

    @cached_property
    def is_data(self) -> bool:
        """It has figures to the right of a label, or several figures."""
        count = len(self.figures)
        labelled = count == 1 and self.figures[0] is not self.pieces[0]
        return (count > 1 or labelled) and not self.names_columns

    @cached_property
    def names_columns(self) -> bool:
        """It says what time each column is about, and nothing else: years, dates, "31 March"."""
        named = [p for p in self.pieces if is_year(p.text) or names_period(p.text)]
        others = [p for p in self.pieces if p not in named]
        heads = named[1:] if named and named[0] is self.pieces[0] and len(self.pieces) > len(named) else named
        return len(heads) > 1 and not any(p.figure for p in others) and all(len(p.words) <= 4 for p in others)


@dataclass(frozen=True)
class TableRegion:
    """Rows `first` to `last` (of those given) make one table; its first `header_count` rows head the columns."""

    first: int
    last: int
    header_count: int
    rows: tuple[TableRow, ...]
    columns: tuple["Band", ...]


@dataclass(frozen=True)
class Band:
    """The width that a column of figures takes."""

    left: float
    right: float


def table_regions(printed: Sequence[Row]) -> list[TableRegion]:
    """The tables among rows that run from top to bottom. What is doubtful stays text."""
    taken = [TableRow(row, pieces(row)) for row in printed]
    found: list[TableRegion] = []
    for first, last in _bodies(taken):
        start = found[-1].last + 1 if found else 0
        region = _region(taken, first, last, start)
        if region is not None:
            found.append(region)
    return found


def figure_bands(rows: Sequence[TableRow]) -> list[Band]:
    """The columns that the rows' figures stand in: groups of figures that overlap from row to row."""
    figures = sorted((f for r in rows for f in r.figures), key=lambda f: f.left)
    groups: list[list[Piece]] = []
    reach = float("-inf")
    for figure in figures:
        if not groups or figure.left > reach:
            groups.append([])
        groups[-1].append(figure)
        reach = max(reach, figure.right)
    return [band for group in groups for band in _unbridged(group)]


def _unbridged(group: list[Piece]) -> Iterator[Band]:
    """A group cut at its right edges where one wide figure bridges two columns."""
    ordered = sorted(group, key=lambda f: f.right)
    clusters: list[list[Piece]] = []
    for figure in ordered:
        if not clusters or figure.right - clusters[-1][-1].right > 0.6 * figure.words[0].size:
            clusters.append([])
        clusters[-1].append(figure)
    crowded = _most_in_one_row(group) > 1
    for cluster in clusters if crowded else [ordered]:
        yield Band(min(f.left for f in cluster), max(f.right for f in cluster))


def _most_in_one_row(group: Sequence[Piece]) -> int:
    counts: dict[float, int] = {}
    for figure in group:
        key = round(figure.bottom / 3)
        counts[key] = counts.get(key, 0) + 1
    return max(counts.values())


def _bodies(rows: Sequence[TableRow]) -> Iterator[tuple[int, int]]:
    """Runs of rows from a first to a last row with figures that belong together."""
    first = last = None
    for index, row in enumerate(rows):
        if row.names_columns and first is not None and last is not None:
            yield first, last
            first = last = None
        if not row.is_data:
            continue
        if first is not None and last is not None and _belongs_below(rows, first, last, index):
            last = index
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = index
    if first is not None and last is not None:
        yield first, last


def _belongs_below(rows: Sequence[TableRow], first: int, last: int, index: int) -> bool:
    if index - last - 1 > _BETWEEN:
        return False
    body = [r for r in rows[first : last + 1] if r.is_data][-6:]
    reach = _ALIGNED_GAP_LINES if _is_aligned(body, rows[index]) else _GAP_LINES
    if any(b.row.top - a.row.bottom > reach * a.row.size for a, b in pairwise(rows[last : index + 1])):
        return False
    edge = min(f.right for r in body for f in r.figures)
    if any(_is_running_text(r, edge) for r in rows[last + 1 : index]):
        return False
    return any(overlap(f, g) > 0 for r in body for f in r.figures for g in rows[index].figures)


def _is_aligned(body: Sequence[TableRow], row: TableRow) -> bool:
    """All its figures, at least two, end where figures above end."""
    edges = [f.right for r in body for f in r.figures]
    ends = [f.right for f in row.figures]
    return len(ends) > 1 and all(any(abs(end - e) < 0.4 * row.row.size for e in edges) for end in ends)


def _is_running_text(row: TableRow, edge: float) -> bool:
    """A line of prose: many words without a gap that run through the first figures' column."""
    return any(s.right > edge and len(s.words) >= _WIDE_TEXT_WORDS for s in row.row.segments)


def _region(rows: Sequence[TableRow], first: int, last: int, start: int) -> TableRegion | None:
    data = [r for r in rows[first : last + 1] if r.is_data]
    bands = figure_bands(data)
    while first < last and _is_header(rows[first], bands):
        first += 1
    data = [r for r in rows[first : last + 1] if r.is_data and not _is_header(r, bands)]
    if not _is_table(data, bands):
        return None
    header = _header_start(rows, first, start, bands)
    return TableRegion(header, last, first - header, tuple(rows[header : last + 1]), tuple(bands))


def _is_table(data: Sequence[TableRow], bands: Sequence[Band]) -> bool:
    if len(data) < 2 or (len(data) < 3 and len(bands) < 2) or _is_contents(data, bands):
        return False
    labelled = sum(r.pieces[0] not in r.figures for r in data)
    return labelled >= 0.4 * len(data)


def _is_contents(data: Sequence[TableRow], bands: Sequence[Band]) -> bool:
    """Texts with rising page numbers."""
    if len(bands) > 1 or len(data) < _CONTENTS_ROWS:
        return False
    texts = [r.figures[-1].text for r in data]
    if not all(is_page_reference(t) for t in texts):
        return False
    numbers = [int(t) for t in texts]
    rising = sum(a <= b for a, b in pairwise(numbers))
    return rising >= 0.8 * (len(numbers) - 1)


def _is_header(row: TableRow, bands: Sequence[Band]) -> bool:
    """A row of years or words over the columns of figures."""
    over = [p for p in row.pieces if any(overlap(p.extent, b) > 0 for b in bands)]
    if not over:
        return False
    return all(is_year(p.text) or (not p.figure and len(p.words) <= _WIDE_TEXT_WORDS) for p in over)


def _header_start(rows: Sequence[TableRow], first: int, start: int, bands: Sequence[Band]) -> int:
    """The topmost row that heads the columns of the figures below; `first` when none does."""
    area = Band(bands[0].left, bands[-1].right)
    top = first
    for index in range(first - 1, max(start, first - _HEADER_REACH) - 1, -1):
        row, below = rows[index], rows[index + 1].row
        reach = _HEADER_GAP_LINES * (2 if row.names_columns else 1)
        if below.top - row.row.bottom > reach * row.row.size or _is_title(row, rows[first], area):
            break
        if _heads(row, area, rows[first]):
            top = index
        elif top < first or not _is_label(row, area):
            break
    return top


def _is_title(row: TableRow, body: TableRow, area: Spread) -> bool:
    """One line of words in the middle over labels and figures alike."""
    whole = Band(body.row.left, area.right)
    off = abs(_centre(row.row) - _centre(whole))
    return len(row.row.segments) == 1 and off < 0.02 * (whole.right - whole.left)


def _heads(row: TableRow, area: Spread, body: TableRow) -> bool:
    """Every piece but a first label stands over the figures' area."""
    label_left = body.row.left
    third = label_left + (area.left - label_left) * 0.3
    over = [p for p in row.pieces if p.extent.right > area.left - 3 * row.row.size]
    over = [p for p in over if p.extent.left > third and _centre(p.extent) > area.left - 3 * row.row.size]
    rest = [p for p in row.pieces if p not in over]
    if not over or any(p.extent.right > area.left + row.row.size for p in rest):
        return False
    return all(len(p.words) <= _WIDE_TEXT_WORDS for p in over)


def _is_label(row: TableRow, area: Spread) -> bool:
    """A row that stands wholly over the labels, such as "Current assets"."""
    return row.row.right < area.left + row.row.size and len(row.pieces) == 1 and len(row.row.words) <= 12


def _centre(thing: Spread) -> float:
    return (thing.left + thing.right) / 2

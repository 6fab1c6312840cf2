"""Finds the rows that make up a table, and the positions of its columns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexes.layout.figures import is_page_reference, is_reference, is_year
from indexes.layout.header_cells import header_start, is_header
from indexes.layout.pieces import Piece
from indexes.layout.rows import Band, TableRow
from indexes.layout.words import overlap
from storage.lexicon.words import expression
from storage.records.metrics import OTHER_TITLES

_BETWEEN = 4  # rows without figures that may stand between two with figures
_GAP_LINES = 3.5  # of the font's height, between two rows of one table
_ALIGNED_GAP_LINES = 9.0  # the same, where all figures are aligned with the figures above
_WIDE_TEXT_WORDS = 9
_STATEMENT = expression(
    r"(?i)\b(?:consolidated|company|group|parent)?\s*(?:statements? of\b|balance sheets?\b)"
    rf"|{'|'.join(OTHER_TITLES.values())}"
)
_ANNOUNCES = expression(r"(?i)\b(?:follow(?:s|ing)|table|below|consist(?:s|ed) of)\b.{0,200}:$")
_INNER_ROWS = 3  # that an inner column has before its sum
_HEADER_ROWS = 8  # above the first figures
_SECTION_WORDS = 8
_TOTAL_GAP_LINES = 1.5
_SECTION_GAP_LINES = 5.0
_NUMBERED = expression(r"(?i)^(?:notes?\b|\(?\d{1,2}(?:\.\d{1,2})*[.)]?\s|\(?[a-z][.)]\s)")
_CONTENTS_ROWS = 4
_SCALE_ROWS = 4
_HEADLESS_ROWS = 3  # rows of figures that a table without a header needs
_Body = tuple[int, int, int]  # the row where its header may begin, its first and its last row with figures


@dataclass(frozen=True)
class TableRegion:
    """Rows `first` to `last` of the given rows are one table; its first `header_count` rows are the header."""

    first: int
    last: int
    header_count: int
    rows: tuple[TableRow, ...]
    columns: tuple[Band, ...]


def table_regions(taken: Sequence[TableRow]) -> list[TableRegion]:
    """The tables among rows in order from top to bottom. Doubtful rows stay text."""
    found: list[TableRegion] = []
    for start, first, last in _rejoined(taken, _bodies(taken)):
        above = found[-1].last + 1 if found else 0
        region = _region(taken, first, last, max(start, above))
        if region is not None:
            found.append(region)
    return found


def figure_bands(rows: Sequence[TableRow]) -> list[Band]:
    """The columns of the rows' figures: groups of figures that overlap from row to row."""
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
    """Split a group where one wide figure overlaps two columns, by the right edges of the others."""
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


def _bodies(rows: Sequence[TableRow]) -> Iterator[_Body]:
    """Runs of rows with figures that belong together, each with the row where its header may begin."""
    start = 0
    first = last = None
    for index, row in enumerate(rows):
        announced = _announces(row)
        if first is not None and last is not None and (announced or _repeats_header(rows, first, index)):
            yield start, first, last
            first = last = None
        if announced:
            start = index + 1
        held = first is not None and last is not None and _is_bare_total(rows, first, last, index)
        if not row.is_data and not held:
            continue
        if first is not None and last is not None and _belongs_below(rows, first, last, index):
            last = index
            continue
        if first is not None and last is not None:
            yield start, first, last
        first = last = index
    if first is not None and last is not None:
        yield start, first, last


def _rejoined(rows: Sequence[TableRow], bodies: Iterable[_Body]) -> Iterator[_Body]:
    """Join runs that are separated only by white space or by the name of a section."""
    held: _Body | None = None
    for body in bodies:
        if body[1] == body[2] and _only_refers(rows[body[1]]):
            continue
        if held and _goes_on(rows, held, body):
            held = (held[0], held[1], body[2])
            continue
        if held:
            yield held
        held = body
    if held:
        yield held


def _goes_on(rows: Sequence[TableRow], upper: _Body, lower: _Body) -> bool:
    """Whether all figures below align with figures above, with no header, sentence or numbered heading between."""
    (begun, first, last), (start, below, end) = upper, lower
    between = rows[last + 1 : below]
    if begun != start or not all(map(_names_section, between)):
        return False
    if any(
        b.row.top - a.row.bottom > _SECTION_GAP_LINES * a.row.size for a, b in pairwise(rows[last : below + 1])
    ):
        return False
    edges = [f.right for r in rows[first : last + 1] if r.is_data for f in r.figures]
    figures = [f for r in rows[below : end + 1] if r.is_data for f in r.figures]
    tolerance = 0.4 * rows[below].row.size
    if min(len(edges), len(figures)) < 2 or any(is_year(f.text) for f in rows[below].figures):
        return False
    return all(any(abs(f.right - e) < tolerance for e in edges) for f in figures)


def _is_bare_total(rows: Sequence[TableRow], first: int, last: int, index: int) -> bool:
    """Whether it is a single figure without a label, directly below the figures of its column."""
    row = rows[index]
    if index != last + 1 or len(row.pieces) != 1 or not row.figures:
        return False
    edges = [r.figures[-1].right for r in rows[first : last + 1] if r.is_data]
    close = row.row.top - rows[last].row.bottom < _TOTAL_GAP_LINES * row.row.size
    return len(edges) > 1 and close and all(abs(row.figures[0].right - e) < 0.4 * row.row.size for e in edges)


def _only_refers(row: TableRow) -> bool:
    """Whether it is a label with only a note's number beside it."""
    return bool(row.figures) and len(row.pieces) == 2 and all(is_reference(f.text) for f in row.figures)


def _names_section(row: TableRow) -> bool:
    """Whether it names a section, such as "Share capital and reserves", and starts no other note or statement."""
    few = (
        (len(row.pieces) == 1 or _only_refers(row))
        and len(row.row.words) <= _SECTION_WORDS
        and not row.row.text.endswith((".", ":"))
    )
    return few and not _names_statement(row) and not _NUMBERED.match(row.row.text)


def _announces(row: TableRow) -> bool:
    """Whether it is the end of a sentence that introduces a table."""
    if row.row.text[-1:] != ":" or row.is_data:
        return False
    return len(row.row.segments) == 1 and bool(_ANNOUNCES.search(row.row.text))


def _repeats_header(rows: Sequence[TableRow], first: int, index: int) -> bool:
    """Whether it is the header of another table: it names periods, or repeats the header above `first`."""
    row = rows[index]
    if row.names_columns or row.is_data:
        return row.names_columns
    named = {p.text for p in row.pieces}
    heads = (r for r in rows[max(0, first - _HEADER_ROWS) : first] if not r.is_data)
    return len(row.pieces) > 1 and any(len(named & {p.text for p in r.pieces}) > 1 or _same(row, r) for r in heads)


def _same(row: TableRow, head: TableRow) -> bool:
    """Whether both have the same words at the same places."""
    return row.row.text == head.row.text and abs(row.row.left - head.row.left) < row.row.size


def _belongs_below(rows: Sequence[TableRow], first: int, last: int, index: int) -> bool:
    body = [r for r in rows[first : last + 1] if r.is_data][-6:]
    aligned = _is_aligned(body, rows[index])
    reach = _ALIGNED_GAP_LINES if aligned else _GAP_LINES
    if index - last - 1 > _BETWEEN + 2 * aligned:
        return False
    if any(b.row.top - a.row.bottom > reach * a.row.size for a, b in pairwise(rows[last : index + 1])):
        return False
    if any(_names_statement(r) for r in rows[last + 1 : index]):
        return False
    edge = min(f.right for r in body for f in r.figures)
    prose = [r for r in rows[last + 1 : index] if _is_running_text(r, edge)]
    if prose and not (aligned and not any(r.row.text.endswith((".", ":")) for r in prose)):
        return False  # a long label is no prose if its figures align with those above
    if _share_a_column(body, rows[index]):
        return True
    below = [r for r in rows[index + 1 : index + 1 + _INNER_ROWS] if r.is_data]
    return any(_share_a_column(body, r) and _share_a_column([rows[index]], r) for r in below)  # an inner column


def _share_a_column(body: Sequence[TableRow], row: TableRow) -> bool:
    return any(overlap(f, g) > 0 for r in body for f in r.figures for g in row.figures)


def _is_aligned(body: Sequence[TableRow], row: TableRow) -> bool:
    """Whether it has at least two figures and all of them align with figures above."""
    edges = [f.right for r in body for f in r.figures]
    ends = [f.right for f in row.figures]
    return len(ends) > 1 and all(any(abs(end - e) < 0.4 * row.row.size for e in edges) for end in ends)


def _names_statement(row: TableRow) -> bool:
    """Whether it is the heading of another statement."""
    emphasised = all(w.bold for w in row.row.words) or row.row.text.isupper()
    return emphasised and bool(_STATEMENT.search(row.row.text))


def _is_running_text(row: TableRow, edge: float) -> bool:
    """Whether it is prose: many words without a gap that run across the first column of figures."""
    return any(s.right > edge and len(s.words) >= _WIDE_TEXT_WORDS for s in row.row.segments)


def _region(rows: Sequence[TableRow], first: int, last: int, start: int) -> TableRegion | None:
    data = [r for r in rows[first : last + 1] if r.is_data]
    bands = figure_bands(data)
    while first < last and is_header(rows[first], bands):
        first += 1
    data = [r for r in rows[first : last + 1] if r.is_data and not is_header(r, bands)]
    header = header_start(rows, first, last, start, bands)
    dated = any(r.names_columns for r in rows[header:first])
    if not _is_table(data, bands, dated):
        return None
    if len(data) < _HEADLESS_ROWS and header == first:
        return None
    return TableRegion(header, last, first - header, tuple(rows[header : last + 1]), tuple(bands))


def _is_table(data: Sequence[TableRow], bands: Sequence[Band], dated: bool) -> bool:
    """Whether it is a table: several rows and columns of figures, or one row under a header with periods."""
    if len(data) < 2 - dated or (len(data) < 3 and len(bands) < 2):
        return False
    if _is_contents(data, bands) or (len(bands) == 1 and _is_scale(data)):
        return False
    labelled = sum(r.pieces[0] not in r.figures and any(map(str.isalnum, r.pieces[0].text)) for r in data)
    return labelled >= 0.4 * len(data)


def _is_contents(data: Sequence[TableRow], bands: Sequence[Band]) -> bool:
    """Whether it is a table of contents: rising page numbers at the end, and no other figures but item numbers."""
    if len(data) < _CONTENTS_ROWS:
        return False
    pages = [r.figures[-1].text for r in data]
    items = [f.text for r in data for f in r.figures[:-1]]
    if len(bands) > 2 or not all(map(is_page_reference, pages)) or not all(map(is_reference, items)):
        return False
    rising = sum(int(a) <= int(b) for a, b in pairwise(pages))
    return rising >= 0.8 * (len(pages) - 1)


def _is_scale(data: Sequence[TableRow]) -> bool:
    """Whether the figures are the axis of a chart: they rise or fall in equal steps."""
    digits = [re.sub(r"[^\d.]", "", r.figures[0].text).strip(".") for r in data]
    amounts = [float(d) for d in digits if re.fullmatch(r"\d+(?:\.\d+)?", d)]
    steps = {round(b - a, 4) for a, b in pairwise(amounts)}
    return len(amounts) >= _SCALE_ROWS and len(steps) == 1 and steps != {0.0}

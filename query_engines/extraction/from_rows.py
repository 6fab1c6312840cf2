"""Finds a number for a question outside the ontology: a table cell whose row, column and table fit the question."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from indexes.facts.printed_rows import Figure, PrintedRow, table_rows
from prompts.drafts import Evidence, NumberDraft
from query_engines.extraction.labelled_rows import SURELY_IN_FULL, row_quote
from query_engines.extraction.question_terms import QuestionTerms, question_terms, rarity
from query_engines.verification.printed_figures import is_unscaled
from storage.lexicon.calendar import ENGLISH_MONTHS
from storage.records.answers import Dimension
from storage.records.pages import Column, Page, Table
from storage.records.reports import Report
from storage.text import plain, stems

NOT_REPORTED = re.compile(  # words of adjusted figures, forecasts and changes
    r"(?i)\b(?:non-?(?:gaap|ifrs)|adjusted|pro ?forma|forecasts?|targets?|budget(?:ed)?|guidance|outlook|projected"
    r"|underlying|normali[sz]ed|constant currency|organic|hypothetical|sensitivity|(?:fair value )?movement|variance"
    r"|growth|change|increase|decrease)\b"
)
PERCENT = re.compile(r"(?i)%|\bper ?cent(?:age)?\b|\bmargins?\b|\bratios?\b|\bshare of\b|\brates?\b|\byield\b")
_PART_OF_YEAR = re.compile(r"(?i)\b(?:quarter|half|three months|six months|nine months|q[1-4]|month of)\b")
_AVERAGE = re.compile(r"(?i)\b(?:average|mean|median|weighted)\b")
_TOTAL = re.compile(r"(?i)^(?:the )?(?:total|group|consolidated|combined|company)\b|\btotal$")
_DATE_WORDS = frozenset(
    stems(
        f"{' '.join(ENGLISH_MONTHS)} year years ended ending month months period as at of note notes thousands millions"
        " usd eur gbp"
    )
)
_OTHERS = stems(
    "other others less excluding"
)  # a label with one of these means another row, unless the question has the word
_NAME, _HEADING, _COLUMN, _TITLE, _ABOVE, _SECTION, _EARLIER = 1.0, 0.95, 0.95, 0.85, 0.7, 0.6, 0.5
_NEAREST = 400  # letters above a table that still belong to it
_BLOCKS_ABOVE = 3
_PAGE = 0.004  # penalty for each rank of the row's page
_STRAY_COLUMN = 0.9
_UNASKED_AVERAGE = 0.8


@dataclass(frozen=True)
class FoundCell:
    """A cell, how well it fits (0..1), and how much of the question its row, column and table contain (0..1)."""

    page: Page
    table: Table
    row: PrintedRow
    figure: Figure
    column: Column
    score: float
    coverage: float

    @property
    def value(self) -> Decimal:
        """The printed figure, without its scale."""
        if self.figure.value is None:
            raise TypeError("a dash is no figure")
        return self.figure.value


@dataclass(frozen=True)
class _Placed:
    page: Page
    rank: int
    table: Table
    title: frozenset[str]
    above: frozenset[str]
    section: frozenset[str]
    earlier: frozenset[str]
    rows: list[PrintedRow]


def fitting_cells(query: str, year: int | None, pages: Sequence[Page]) -> list[FoundCell]:
    """Cells of the requested year that fit the question at least in part, best first."""
    tables = list(_tables(pages))
    rows = [stems(row.label) for placed in tables for row in placed.rows]
    counts = Counter(word for words in rows for word in words)
    words = question_terms(query, rows)
    wants_percent, wants_adjusted = PERCENT.search(query) is not None, NOT_REPORTED.search(query) is not None
    wants_part = _PART_OF_YEAR.search(query) is not None
    found = []
    for placed in tables:
        if not wants_adjusted and NOT_REPORTED.search(placed.table.title):
            continue
        for row in placed.rows:
            if row.figures and (wants_adjusted or not NOT_REPORTED.search(row.label)):
                fit = _row_fit(row, words, counts, len(rows))
                for figure, column in _columns(row, placed.table, year, wants_part) if fit is not None else ():
                    is_percent = "%" in figure.printed or "%" in row.label or "%" in column.header
                    if is_percent == wants_percent and (wants_adjusted or not NOT_REPORTED.search(column.header)):
                        cell = _cell(placed, row, figure, column, words, fit or 0.0)
                        if cell is not None:
                            found.append(cell)
    return sorted(found, key=lambda c: -c.score)


def _tables(pages: Sequence[Page]) -> Iterator[_Placed]:
    for rank, page in enumerate(pages):
        section = stems(" ".join(page.section[-2:]))
        texts: list[str] = []
        for block in page.blocks:
            if block.kind == "furniture":
                continue
            if block.table is None:
                texts.append(plain(block.text))
                continue
            above = " ".join(texts[-_BLOCKS_ABOVE:])[-_NEAREST:]
            rows = table_rows(block.table, page.page_number)
            title, earlier = stems(plain(block.table.title)), stems(" ".join(texts))
            yield _Placed(page, rank, block.table, title, stems(above), section, earlier, rows)


def _row_fit(row: PrintedRow, words: QuestionTerms, counts: Counter[str], size: int) -> float | None:
    """The weighted share of a label's words that are in the question; None where no word is."""
    label = stems(row.label)
    wanted = label & words.weights.keys()
    if label & _OTHERS - wanted:
        return None
    if not wanted and not (_TOTAL.search(row.label) or not label):
        return None
    own = sum(words.weights[w] for w in wanted)
    stray = sum(rarity(w, counts[w], size) for w in label - wanted - _DATE_WORDS)
    return own / (own + stray) if own + stray else 0.0


def _columns(row: PrintedRow, table: Table, year: int | None, part: bool) -> Iterator[tuple[Figure, Column]]:
    """The row's figures in columns of the year; all figures where no column has a year."""
    placed = [
        (f, table.columns[f.column] if 0 <= f.column < len(table.columns) else Column())
        for f in row.figures
        if f.value is not None
    ]
    dated = [(f, c) for f, c in placed if c.period is not None]
    if not dated:
        yield from placed
        return
    for figure, column in dated:
        period = column.period
        if period is not None and (year is None or period.year == year) and (part or period.months in (None, 12)):
            yield figure, column


def _cell(
    placed: _Placed, row: PrintedRow, figure: Figure, column: Column, words: QuestionTerms, fit: float
) -> FoundCell | None:
    label, heading, header = stems(row.label), stems(row.heading), stems(column.header)
    around = label | heading | header | placed.title | placed.above | placed.section | placed.earlier
    if not words.entities <= around:
        return None
    if not label & words.weights.keys() and not header & words.weights.keys():
        return None
    coverage = words.share(
        (label, _NAME),
        (heading, _HEADING),
        (header, _COLUMN),
        (placed.title, _TITLE),
        (placed.above, _ABOVE),
        (placed.section, _SECTION),
        (placed.earlier, _EARLIER),
    )
    strays = header - words.weights.keys() - _DATE_WORDS
    stray = 1.0 if not strays or _TOTAL.search(column.header) else _STRAY_COLUMN
    averaged = _AVERAGE.search(f"{row.label} {row.heading} {column.header} {placed.table.title}") is not None
    mean = _UNASKED_AVERAGE if averaged and not words.wants_average else 1.0
    score = coverage * (0.5 + 0.5 * fit) * stray * mean - _PAGE * placed.rank
    return FoundCell(placed.page, placed.table, row, figure, column, score, coverage)


# Chosen with questions about rows drawn at random, asked about the same and about another report
# (tests/measures/offline.py): with lower limits, wrong answers increase faster than right ones.
FITS, COVERED, MARGIN = 0.7, 0.75, 0.06
ENOUGH_TABLES = 3  # tables with the same unit that are needed to assume it for a table without a unit
_AGREES = Decimal("0.01")
_COUNTED = re.compile(
    r"(?i)\b(?:employees|staff|headcount|personnel|persons|people|stores|shops|outlets|patents|customers|subscribers|beds"
    r"|rooms|vehicles|vessels|aircraft|units|licen[cs]es|offices|branches|sites|shares|options|warrants|holders)\b"
)
_CURRENCY_SIGN = re.compile(r"[$€£¥]")
_SIZE_QUESTION = re.compile(
    r"(?i)^how (?:much|many)\b|\bspen[dt]\b|\bspending\b|\bpaid\b|\bcosts?\b|\bexpenses?\b"
)
_SIGN_WORDS = re.compile(
    r"(?i)\b(?:loss|losses|profit|income|earnings|result|return|gain|cash flows?|benefit|movement|net)\b"
)


def draft_from_fitting_cell(
    query: str,
    question: str,
    year: int | None,
    report: Report,
    pages: Sequence[Page],
    dimension: Dimension | None = None,
) -> NumberDraft | None:
    """A draft with the best figure; None where none fits, another fits nearly as well, or the unit is unknown."""
    cells = fitting_cells(query, year, pages)
    best = cells[0] if cells else None
    if best is None or best.score < FITS or best.coverage < COVERED:
        return None
    rival = next((cell for cell in cells if not _same_figure(cell, best)), None)
    if rival is not None and best.score - rival.score < MARGIN:
        return None
    scale = _scale(best, pages, dimension)
    if scale is None:
        return None
    value = best.value * scale
    if _SIZE_QUESTION.search(question) and not _SIGN_WORDS.search(f"{best.row.label} {query}"):
        value = abs(value)
    return _draft(best, rival, value, scale, query, report)


def _same_figure(one: FoundCell, other: FoundCell) -> bool:
    """Whether two cells print the same value, also rounded, in other units or with another sign."""
    first, second = (abs(c.value * (c.column.scale or 1)) for c in (one, other))
    return abs(first - second) <= _AGREES * max(first, second) or abs(one.value) == abs(other.value)


def _scale(cell: FoundCell, pages: Sequence[Page], dimension: Dimension | None) -> int | None:
    """The scale; None where it may be thousands, as in other tables, but is not printed."""
    label = f"{cell.row.label} {cell.column.header}"
    is_count = dimension == "count" or (dimension != "money" and _COUNTED.search(label) is not None)
    if "%" in cell.figure.printed or is_unscaled(label) or is_count:
        return 1
    if cell.column.scale is not None:
        return cell.column.scale
    tables = [{c.scale for c in table.columns if c.scale} for page in pages for table in page.tables]
    known = [scales for scales in tables if scales]
    elsewhere = frozenset[int]().union(*known)
    if len(elsewhere) == 1 and len(known) >= ENOUGH_TABLES and _is_money(cell):
        return min(elsewhere)  # notes use the report's unit and rarely repeat it
    in_full = abs(cell.value) >= SURELY_IN_FULL or cell.value % 1 != 0
    return 1 if in_full or not elsewhere - {1} or _COUNTED.search(cell.table.title) else None


def _is_money(cell: FoundCell) -> bool:
    """Whether the figure's column prints a currency sign anywhere."""
    column = (c for c in cell.table.cells if c.column == cell.figure.column and c.role == "value")
    return bool(cell.column.currency) or any(_CURRENCY_SIGN.search(c.text) for c in column)


def _draft(
    cell: FoundCell, rival: FoundCell | None, value: Decimal, scale: int, query: str, report: Report
) -> NumberDraft:
    number, column = cell.page.page_number, cell.column
    where = f"page {number}, row {cell.row.words!r}, column {column.header or 'without a heading'!r}"
    sure = f"It fits the question's words to {cell.score:.0%}"
    sure += (
        f", the next other figure to {rival.score:.0%}." if rival is not None else ", and no other figure does."
    )
    period = column.period
    return NumberDraft(
        step_by_step_analysis=(
            f"Found without a language model. Asked: {query!r}. The row that says so is on {where}: "
            f"{cell.figure.printed}, one unit being {scale:,}. {sure}"
        ),
        reasoning_summary=f"Found without a language model: {cell.row.label}: {cell.figure.printed} ({where}). {sure}",
        evidence=[
            Evidence(
                page=number,
                quote=_quote(cell),
                printed_figure=cell.figure.printed,
                scale=scale,
                currency=None if "%" in cell.figure.printed else column.currency or report.currency,
                period=(period.printed or period.end.isoformat()) if period else None,
            )
        ],
        relevant_pages=[number],
        unavailable_because=None,
        final_answer=float(value),
    )


def _quote(cell: FoundCell) -> str:
    """The row as far as the figure, as its table prints it."""
    found = (c for c in cell.table.cells if c.row == cell.row.row and c.column == cell.figure.column)
    printed = next(found, None)
    return row_quote(cell.table, printed) if printed is not None else cell.figure.printed

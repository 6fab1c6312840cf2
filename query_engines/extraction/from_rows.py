"""Finds a number for a question outside the ontology: a table cell whose row, column and table say what is asked.

They say no less: each word of the question stands in the row's label, its heading, its column, the table's title or
the section. And no more: the label has no further word that makes it another row.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from indexes.facts.printed_rows import Figure, PrintedRow, table_rows
from indexes.facts.rows import label_scale
from indexes.facts.statements import TITLES
from prompts.drafts import Evidence, drafted
from prompts.kinds.number import NumberDraft
from query_engines.extraction.asked import LOOSE, QuestionTerms, question_terms, rarity
from query_engines.extraction.from_facts import row_quote
from query_engines.question.classifier import label_words
from query_engines.question.fact_lookup import same_label
from query_engines.question.search_text import label_in
from query_engines.verification.printed_figures import is_unscaled
from storage.lexicon.calendar import ENGLISH_MONTHS
from storage.lexicon.words import FUNCTION_WORDS, expression
from storage.records.answers import Dimension
from storage.records.facts import Period
from storage.records.metrics import OTHER_TITLES, folded, significant
from storage.records.pages import Column, Page, Table
from storage.records.reports import Report
from storage.text import plain, stems

NOT_REPORTED = expression(  # words of adjusted figures, forecasts and changes
    r"(?i)\b(?:non-?(?:gaap|ifrs)|adjusted|pro ?forma|forecasts?|targets?|budget(?:ed)?|guidance|outlook|projected"
    r"|underlying|normali[sz]ed|constant currency|organic|hypothetical|sensitivity|(?:fair value )?movement|variance"
    r"|growth|change|increase|decrease)\b"
)
PERCENT = expression(r"(?i)%|\bper ?cent(?:age)?\b|\bmargins?\b|\bratios?\b|\bshare of\b|\brates?\b|\byield\b")
_PART_OF_YEAR = expression(r"(?i)\b(?:quarter|half|three months|six months|nine months|q[1-4]|month of)\b")
_PER_HEAD = expression(r"(?i)\b(?:per|each) (?:employee|head|person|capita)\b")
AVERAGE = expression(r"(?i)\b(?:average|mean|median|weighted)\b")
_TOTAL = expression(r"(?i)^(?:the )?(?:total|group|consolidated|combined|company)\b|\btotal$")
_DATE_WORDS = frozenset(
    stems(
        f"{' '.join(ENGLISH_MONTHS)} year years ended ending month months period as at of note notes thousands millions"
        " usd eur gbp"
    )
)
_SAME_ROW = (
    stems("total net group consolidated company sum overall respectively million thousand balance the its our")
    | FUNCTION_WORDS
)  # a label with one of these means the same row
_ASIDE = expression(r"\([^()]{0,200}\)")
_NUMBERED = expression(r"\d")
_NAME, _HEADING, _COLUMN, _TITLE, _ABOVE, _SECTION = 1.0, 0.95, 0.95, 0.85, 0.7, 0.6
_NEAREST = 400  # letters above a table that still belong to it
_BLOCKS_ABOVE = 3
_EXACT, _IN_STATEMENT = 0.3, 0.15  # bonus of a label with the question's very words, and of a statement's row
_PAGE = 0.004  # penalty for each rank of the row's page
_STRAY_COLUMN = 0.9
_YEAR = 12  # months
_UNASKED_AVERAGE = 0.8
_CENTS = -2  # decimals of what is printed in full; one decimal is for millions
_CASH_FLOWS = expression(rf"(?i)\bcash[ -]?flows?\b|{OTHER_TITLES['cash_flow']}")


@dataclass(frozen=True)
class Sought:
    """What a question asks for, and for when.

    Attributes:
        query: its search text.
        question: its text.
        year: in which its period ends; None for any.
        is_reported: whether it is the reported year, to which figures without a period belong.
        is_day: whether only a position at a day can be meant, as for an opening balance.
        dimension: what the answer is, where that is known.
        is_printed_label: whether only a row under the very label that is asked for can be meant.
    """

    query: str
    question: str
    year: int | None
    is_reported: bool = True
    is_day: bool = False
    dimension: Dimension | None = None
    is_printed_label: bool = False

    def is_of(self, period: Period) -> bool:
        """Whether a column's period is it."""
        return (self.year is None or period.year == self.year) and not (self.is_day and period.months is not None)


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
    in_statement: bool = False

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
    rows: list[PrintedRow]
    in_statement: bool


def fitting_cells(sought: Sought, pages: Sequence[Page]) -> list[FoundCell]:
    """Cells of the requested time whose row, column and table say what is asked, best first."""
    tables = list(_tables(pages))
    rows = [stems(row.label) for placed in tables for row in placed.rows]
    counts = Counter(word for words in rows for word in words)
    words = question_terms(sought.query, rows)
    wants_percent, wants_adjusted = (
        PERCENT.search(sought.query) is not None or sought.dimension == "percent",
        NOT_REPORTED.search(sought.query) is not None,
    )
    is_per_head = _PER_HEAD.search(sought.question) is not None
    wants_part = _PART_OF_YEAR.search(sought.query) is not None
    found = []
    for placed in tables:
        if not wants_adjusted and NOT_REPORTED.search(placed.table.title):
            continue
        for row in placed.rows:
            if sought.is_printed_label and not same_label(row.label, label_in(sought.query)):
                continue
            if is_per_head and not _PER_HEAD.search(f"{row.label} {row.heading} {placed.table.title}"):
                continue
            if not row.figures or (not wants_adjusted and NOT_REPORTED.search(row.label)):
                continue
            fit = _row_fit(row, words, counts, len(rows))
            for figure, column in (
                _columns(row, placed.table, words, sought, wants_part) if fit is not None else ()
            ):
                is_percent = "%" in figure.printed or "%" in row.label or "%" in column.header
                is_named_so = (
                    wants_percent and PERCENT.search(row.label) is not None
                )  # "Share of profit of associates"
                if (is_percent == wants_percent or is_named_so) and (
                    wants_adjusted or not NOT_REPORTED.search(column.header)
                ):
                    cell = _cell(placed, row, figure, column, words, sought, fit or 0.0)
                    if cell is not None:
                        found.append(cell)
    return sorted(found, key=lambda c: -c.score)


def _tables(pages: Sequence[Page]) -> Iterator[_Placed]:
    for rank, page in enumerate(pages):
        section = stems(" ".join(page.section[-2:]))
        texts: list[str] = []
        for block in page.blocks:
            if block.table is None:
                texts += [plain(block.text)] if block.kind != "furniture" else []
                continue
            above = stems(" ".join(texts[-_BLOCKS_ABOVE:])[-_NEAREST:])
            title, rows = plain(block.table.title), table_rows(block.table, page.page_number)
            in_statement = any(pattern.search(title) for pattern in TITLES.values())
            yield _Placed(page, rank, block.table, stems(title), above, section, rows, in_statement)


def _row_fit(row: PrintedRow, words: QuestionTerms, counts: Counter[str], size: int) -> float | None:
    """The weighted share of a label's words that are in the question; None where the label says another thing."""
    label = stems(_ASIDE.sub(" ", row.label))
    wanted = label & words.weights.keys()
    strays = {w for w in label - wanted - _DATE_WORDS - _SAME_ROW if not _NUMBERED.search(w)}
    if strays:
        return None
    if not wanted and not (_TOTAL.search(row.label) or not label):
        return None
    own = sum(words.weights[w] for w in wanted)
    stray = sum(rarity(w, counts[w], size) for w in label - wanted - _DATE_WORDS)
    return own / (own + stray) if own + stray else 0.0


def _columns(
    row: PrintedRow, table: Table, words: QuestionTerms, sought: Sought, part: bool
) -> Iterator[tuple[Figure, Column]]:
    """The row's figures in columns of the time asked for.

    A figure without a period counts for the reported year only; one of several must be named by its column.
    """
    placed = [
        (f, table.columns[f.column] if 0 <= f.column < len(table.columns) else Column())
        for f in row.figures
        if f.value is not None
    ]
    dated = [(f, c) for f, c in placed if c.period is not None]
    if dated:
        for figure, column in dated:
            period = column.period
            if period is not None and sought.is_of(period) and (part or period.months in (None, _YEAR)):
                yield figure, column
        return
    if sought.is_reported:
        named = [(f, c) for f, c in placed if stems(c.header) & words.weights.keys()]
        yield from placed if len(placed) == 1 else named


def _cell(
    placed: _Placed,
    row: PrintedRow,
    figure: Figure,
    column: Column,
    words: QuestionTerms,
    sought: Sought,
    fit: float,
) -> FoundCell | None:
    if sought.dimension == "per share" and not is_unscaled(f"{row.label} {row.heading} {column.header}"):
        return None
    label, heading, header = stems(row.label), stems(row.heading), stems(column.header)
    near = label | heading | header | placed.title
    if words.entities and words.entities <= near | placed.above:
        near |= (
            placed.above
        )  # "goodwill on the Nestwave acquisition" under "Nestwave's assets and liabilities were"
    asked = words.weights.keys() - LOOSE - _SAME_ROW
    if not asked <= near | placed.section or asked & _label_stems() - near:
        return None
    if not label & words.weights.keys() and not header & words.weights.keys():
        return None
    coverage = words.share(
        (label, _NAME),
        (heading, _HEADING),
        (header, _COLUMN),
        (placed.title, _TITLE),
        (near, _ABOVE),
        (placed.section, _SECTION),
    )
    strays = header - words.weights.keys() - _DATE_WORDS
    stray = 1.0 if not strays or _TOTAL.search(column.header) else _STRAY_COLUMN
    averaged = AVERAGE.search(f"{row.label} {row.heading} {column.header} {placed.table.title}") is not None
    mean = _UNASKED_AVERAGE if averaged and not words.wants_average else 1.0
    score = coverage * (0.5 + 0.5 * fit) * stray * mean - _PAGE * placed.rank
    if significant(folded(row.label)) == significant(label_in(sought.query)):
        score += _EXACT + _IN_STATEMENT * placed.in_statement
    return FoundCell(placed.page, placed.table, row, figure, column, score, coverage, placed.in_statement)


@cache
def _label_stems() -> frozenset[str]:
    """Words of labels, for which the name of a section is no substitute."""
    return frozenset(stem for word in label_words() for stem in stems(word))


# Chosen with questions about rows drawn at random, asked about the same and about another report
# (tests/measures/offline.py): with lower limits, wrong answers increase faster than right ones.
FITS, COVERED, MARGIN = 0.7, 0.75, 0.06
ENOUGH_TABLES = 3  # tables with the same unit that are needed to assume it for a table without a unit
_AGREES = Decimal("0.01")
_SURELY_IN_FULL = 10_000_000  # digits; a longer figure is not in thousands
_COUNTED = expression(
    r"(?i)\b(?:employees|staff|headcount|personnel|persons|people|stores|shops|outlets|patents|customers|subscribers|beds"
    r"|rooms|vehicles|vessels|aircraft|units|licen[cs]es|offices|branches|sites|shares|options|warrants|holders)\b"
)
_PRICE = expression(
    r"(?i)\b(?:share|stock|exercise|strike|closing|market|unit|issue|conversion) prices?\b|\bkurs\b"
)
_CURRENCY_SIGN = expression(r"[$€£¥]")
_SIZE_QUESTION = expression(
    r"(?i)^how (?:much|many)\b|\bspen[dt]\b|\bspending\b|\bpaid\b|\bcosts?\b|\bexpenses?\b"
)
_SPENT = expression(r"(?i)^(?!how many\b).*\b(?:spen[dt]|spending|cost|invest(?:ed)?)\b")
_COST = expression(  # that is nothing but one: "net finance costs", but not "other income and expenses"
    r"(?i)^(?!.*(?:\b(?:income|gains?|profit|benefit|credit|result|cash flows?)\b(?! tax)|\())"
    r".*\b(?:expenses?|costs?|charges?)$"
)
_SIGN_WORDS = expression(
    r"(?i)\b(?:loss|losses|profit|income|earnings|result|return|gain|cash flows?|benefit|movement|net)\b"
)


def best_fitting(sought: Sought, pages: Sequence[Page]) -> tuple[FoundCell, FoundCell | None] | None:
    """The cell that says what is asked, and the best with another figure; None where another fits nearly as well."""
    cells = fitting_cells(sought, pages)
    best = _with_own_sign(cells[0], cells) if cells else None
    if best is None or best.score < FITS or best.coverage < COVERED:
        return None
    rival = next((cell for cell in cells if not _same_figure(cell, best)), None)
    return None if rival is not None and best.score - rival.score < MARGIN else (best, rival)


def draft_from_fitting_cell(sought: Sought, report: Report, pages: Sequence[Page]) -> NumberDraft | None:
    """A draft with the best figure; None where none fits, another fits nearly as well, or the unit is unknown."""
    found = best_fitting(sought, pages)
    best, rival = found or (None, None)
    is_spent = sought.dimension == "count" and _SPENT.search(sought.question) is not None
    scale = scale_of(best, pages, "money" if is_spent else sought.dimension) if best else None
    if best is None or scale is None:
        return None
    value = best.value * scale
    said = f"{best.row.label} {sought.query}"
    if _COST.search(best.row.label) or (_SIZE_QUESTION.search(sought.question) and not _SIGN_WORDS.search(said)):
        value = abs(value)
    return _draft(best, rival, value, scale, sought, report)


def _with_own_sign(best: FoundCell, cells: Sequence[FoundCell]) -> FoundCell:
    """The figure where it is earned or spent: a statement of cash flows takes gains off and adds losses back."""
    if not _CASH_FLOWS.search(best.table.title):
        return best
    elsewhere = (
        cell
        for cell in cells
        if best.score - cell.score < MARGIN
        and _same_figure(cell, best)
        and not _CASH_FLOWS.search(cell.table.title)
    )
    return next(elsewhere, best)


def _same_figure(one: FoundCell, other: FoundCell) -> bool:
    """Whether two cells print the same value, also rounded, in other units or with another sign."""
    first, second = (abs(c.value * (c.column.scale or 1)) for c in (one, other))
    return abs(first - second) <= _AGREES * max(first, second) or abs(one.value) == abs(other.value)


def scale_of(cell: FoundCell, pages: Sequence[Page], dimension: Dimension | None) -> int | None:
    """The scale; None where it may be thousands, as in other tables, but is not printed.

    A row that does not say that it counts, is per share or a percentage, is money whatever the question asks for.
    """
    label = f"{cell.row.label} {cell.column.header}"
    if (own := label_scale(cell.row.label)) is not None:
        return own
    if "%" in cell.figure.printed or is_unscaled(label) or _PRICE.search(label) or dimension == "per share":
        return 1
    has_unit = cell.in_statement or cell.column.currency is not None or cell.column.scale not in (None, 1)
    if dimension == "count" and (counts(cell) or not has_unit):
        return 1
    if dimension != "money" and not cell.in_statement and _COUNTED.search(label):
        return 1 if cell.column.scale in (None, 1) else None  # shares or what was paid for them
    if cell.column.scale is not None:
        return cell.column.scale
    tables = [{c.scale for c in table.columns if c.scale} for page in pages for table in page.tables]
    known = [scales for scales in tables if scales]
    elsewhere = frozenset[int]().union(*known)
    if len(elsewhere) == 1 and len(known) >= ENOUGH_TABLES and _is_money(cell):
        return min(elsewhere)  # notes use the report's unit and rarely repeat it
    in_full = abs(cell.value) >= _SURELY_IN_FULL or cell.value.as_tuple().exponent == _CENTS
    return 1 if in_full or not elsewhere - {1} or _COUNTED.search(cell.table.title) else None


def counts(cell: FoundCell) -> bool:
    """Whether the row, its column or its table say that things or people are counted."""
    return _COUNTED.search(f"{cell.row.label} {cell.column.header} {cell.table.title}") is not None


def _is_money(cell: FoundCell) -> bool:
    """Whether the figure's column prints a currency sign anywhere."""
    column = (c for c in cell.table.cells if c.column == cell.figure.column and c.role == "value")
    return bool(cell.column.currency) or any(_CURRENCY_SIGN.search(c.text) for c in column)


def _draft(
    cell: FoundCell, rival: FoundCell | None, value: Decimal, scale: int, sought: Sought, report: Report
) -> NumberDraft:
    number, column = cell.page.page_number, cell.column
    is_percent = "%" in cell.figure.printed or PERCENT.search(cell.row.label) is not None
    is_bare = is_percent or (sought.dimension == "count" and scale == 1)
    where = f"page {number}, row {cell.row.words!r}, column {column.header or 'without a heading'!r}"
    sure = f"It fits the question's words to {cell.score:.0%}"
    sure += (
        f", the next other figure to {rival.score:.0%}." if rival is not None else ", and no other figure does."
    )
    period = column.period
    evidence = Evidence(
        page=number,
        quote=_quote(cell),
        printed_figure=cell.figure.printed,
        scale=scale,
        currency=None if is_bare else column.currency or report.currency,
        period=(period.printed or period.end.isoformat()) if period else None,
    )
    how = (
        f"Found without a language model. Searched for {sought.query!r}. The row that says so is on {where}: "
        f"{cell.figure.printed}, one unit being {scale:,}. {sure}"
    )
    told = f"Found without a language model: {cell.row.label}: {cell.figure.printed} ({where}). {sure}"
    return drafted(NumberDraft, float(value), told, [evidence], how=how)


def _quote(cell: FoundCell) -> str:
    """The row as far as the figure, as its table prints it."""
    found = (c for c in cell.table.cells if c.row == cell.row.row and c.column == cell.figure.column)
    printed = next(found, None)
    return row_quote(cell.table, printed) if printed is not None else cell.figure.printed

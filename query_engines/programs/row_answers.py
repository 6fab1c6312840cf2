"""A number from the table cell that fits a question beyond the ontology, where no other fits nearly as well."""

import re
from collections.abc import Sequence
from decimal import Decimal

from prompts.drafts import Evidence, NumberDraft
from query_engines.printed_figures import is_unscaled
from query_engines.programs.asked_rows import FoundCell, fitting_cells
from query_engines.programs.labelled_rows import SURELY_IN_FULL, row_quote
from storage.pages import Page
from storage.reports import Report

# Chosen on rows drawn at random from reports and asked back, of the report itself and of another company's
# (tests/measures/offline.py): below, wrong answers grow faster than right ones.
FITS, SAID, MARGIN = 0.7, 0.75, 0.06
ENOUGH_TABLES = 3  # of one unit, to take it for that of a table that names none
_AGREES = Decimal("0.01")
_COUNTED = re.compile(
    r"(?i)\b(?:employees|staff|headcount|personnel|persons|people|stores|shops|outlets|patents|customers|subscribers|beds"
    r"|rooms|vehicles|vessels|aircraft|units|licen[cs]es|offices|branches|sites|shares|options|warrants|holders)\b"
)
_CURRENCY_SIGN = re.compile(r"[$€£¥]")
_SIZE_ASKED = re.compile(r"(?i)^how (?:much|many)\b|\bspen[dt]\b|\bspending\b|\bpaid\b|\bcosts?\b|\bexpenses?\b")
_SIGN_TELLS = re.compile(
    r"(?i)\b(?:loss|losses|profit|income|earnings|result|return|gain|cash flows?|benefit|movement|net)\b"
)


def draft_from_fitting_cell(
    asked: str, question: str, year: int | None, report: Report, pages: Sequence[Page]
) -> NumberDraft | None:
    """The figure that fits; None where none does, where another fits nearly as well, or where its unit is not known."""
    cells = fitting_cells(asked, year, pages)
    best = cells[0] if cells else None
    if best is None or best.score < FITS or best.said < SAID:
        return None
    rival = next((cell for cell in cells if not _same_figure(cell, best)), None)
    if rival is not None and best.score - rival.score < MARGIN:
        return None
    scale = _scale(best, pages)
    if scale is None:
        return None
    value = best.value * scale
    if _SIZE_ASKED.search(question) and not _SIGN_TELLS.search(f"{best.row.label} {asked}"):
        value = abs(value)
    return _draft(best, rival, value, scale, asked, report)


def _same_figure(one: FoundCell, other: FoundCell) -> bool:
    """Whether two cells print one value, rounded or in other units, signed or not."""
    first, second = (abs(c.value * (c.column.scale or 1)) for c in (one, other))
    return abs(first - second) <= _AGREES * max(first, second) or abs(one.value) == abs(other.value)


def _scale(cell: FoundCell, pages: Sequence[Page]) -> int | None:
    """What one unit stands for; None where it may be thousands like other tables' and nothing says so."""
    label = f"{cell.row.label} {cell.column.header}"
    if "%" in cell.figure.printed or is_unscaled(label) or _COUNTED.search(label):
        return 1
    if cell.column.scale is not None:
        return cell.column.scale
    tables = [{c.scale for c in table.columns if c.scale} for page in pages for table in page.tables]
    telling = [scales for scales in tables if scales]
    elsewhere = frozenset[int]().union(*telling)
    if len(elsewhere) == 1 and len(telling) >= ENOUGH_TABLES and _is_money(cell):
        return min(elsewhere)  # notes share their report's unit and seldom repeat it
    in_full = abs(cell.value) >= SURELY_IN_FULL or cell.value % 1 != 0
    return 1 if in_full or not elsewhere - {1} or _COUNTED.search(cell.table.title) else None


def _is_money(cell: FoundCell) -> bool:
    """Whether the figure's column prints a currency sign anywhere."""
    column = (c for c in cell.table.cells if c.column == cell.figure.column and c.role == "value")
    return bool(cell.column.currency) or any(_CURRENCY_SIGN.search(c.text) for c in column)


def _draft(
    cell: FoundCell, rival: FoundCell | None, value: Decimal, scale: int, asked: str, report: Report
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
            f"Found without a language model. Asked: {asked!r}. The row that says so is on {where}: "
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
    """The row up to the figure, as its table prints it."""
    found = (c for c in cell.table.cells if c.row == cell.row.row and c.column == cell.figure.column)
    printed = next(found, None)
    return row_quote(cell.table, printed) if printed is not None else cell.figure.printed

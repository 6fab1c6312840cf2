"""Finds a metric in a table row with one of its names, where a report has no facts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from prompts.drafts import Evidence
from prompts.kinds.number import NumberDraft
from query_engines.verification.printed_figures import column_of, is_unscaled, row_label
from storage.amounts import parse_figure
from storage.records.metrics import Metric
from storage.records.pages import Cell, Page, Table
from storage.records.reports import Report

SURELY_IN_FULL = 10_000_000  # digits; a longer figure is not in thousands


@dataclass(frozen=True)
class _Row:
    page: Page
    table: Table
    row: int
    label: str
    order: tuple[float, ...]  # smaller is better


def draft_from_rows(
    query: str, metric: Metric, year: int | None, report: Report, pages: Sequence[Page]
) -> NumberDraft | None:
    """A draft with the figure of the requested year in the row that fits best; None where no row fits."""
    for row in sorted(_rows(metric, pages), key=lambda r: r.order):
        cell = _cell(row, year)
        if cell is not None and _is_plain(row, cell, metric):
            return _draft(row, cell, query, metric, report)
    return None


def row_quote(table: Table, cell: Cell) -> str:
    """The cell's row as printed, from its label to the figure."""
    cells = sorted(
        (c for c in table.cells if c.row == cell.row and c.column <= cell.column), key=lambda c: c.column
    )
    return " ".join(c.text for c in cells if c.text.strip())


def _rows(metric: Metric, pages: Sequence[Page]) -> Iterator[_Row]:
    """Rows with one of the metric's names: those of its own statement first, then by exactness and page."""
    for page_rank, page in enumerate(pages):
        for table in page.tables:
            for row in range(table.row_count):
                label = row_label(table, row)
                rank = metric.rank(label)
                if rank is not None:
                    elsewhere = not metric.is_at_home_in(table.title)
                    yield _Row(page, table, row, label, (elsewhere, rank, page_rank, row))


def _cell(row: _Row, year: int | None) -> Cell | None:
    """The row's figure in the column of the requested year; its only figure where no column has a year.

    Several columns of one year are segments, quarters or companies; it is unclear which one is meant.
    """
    mark = row.table.decimal_mark
    in_row = (c for c in row.table.cells if c.row == row.row and c.role == "value")
    cells = [c for c in in_row if parse_figure(c.text, mark) is not None]
    dated = [c for c in cells if (period := column_of(row.table, c).period) and period.year == year]
    if dated:
        return dated[0] if len(dated) == 1 else None
    return cells[0] if len(cells) == 1 and column_of(row.table, cells[0]).period is None else None


def _is_plain(row: _Row, cell: Cell, metric: Metric) -> bool:
    """Whether the scale is certain: an amount of money without a printed unit may be in thousands."""
    if metric.kind == "per_share" or is_unscaled(row.label):
        return True
    figure = parse_figure(cell.text, row.table.decimal_mark) or Decimal(0)
    in_full = abs(figure) >= SURELY_IN_FULL
    return "%" not in cell.text and (in_full or column_of(row.table, cell).scale is not None)


def _draft(row: _Row, cell: Cell, query: str, metric: Metric, report: Report) -> NumberDraft:
    column = column_of(row.table, cell)
    printed = parse_figure(cell.text, row.table.decimal_mark)
    if printed is None:
        raise TypeError(f"{cell.text!r} was taken for a figure")
    per_share = metric.kind == "per_share"
    scale = 1 if per_share or is_unscaled(row.label) or "%" in cell.text else column.scale or 1
    value = printed * scale
    page = row.page.page_number
    where = f"page {page}, row {row.label!r}, column {column.header or 'without a heading'!r}"
    return NumberDraft(
        step_by_step_analysis=(
            f"Found without a language model. Searched for {query!r}. The row that says so is on {where}: {cell.text}, "
            f"one unit being {scale:,}."
        ),
        reasoning_summary=f"{row.label}: {cell.text} ({where}).",
        evidence=[
            Evidence(
                page=page,
                quote=row_quote(row.table, cell),
                printed_figure=cell.text,
                scale=scale,
                currency=None if "%" in cell.text else column.currency or report.currency,
                period=column.period.printed or column.period.end.isoformat() if column.period else None,
            )
        ],
        relevant_pages=[page],
        unavailable_because=None,
        final_answer=float(abs(value) if metric.sign == "size" else value),
    )

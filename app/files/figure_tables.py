"""The figures of an answer as a table, periods as columns, and that table as a workbook with live formulas."""

import csv
import io
import re
from collections.abc import Callable, Sequence

from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from app.files.answer_json import unit_text
from app.files.workbooks import (
    Computed,
    filter_rows,
    harmless,
    head,
    new_book,
    number_format,
    put_formula,
    put_link,
    put_text,
    put_value,
    saved,
)
from storage.amounts import grouped
from storage.errors import UsageError
from storage.records.answers import Answer, Citation, SeriesFigure
from storage.records.record import Record
from storage.records.reports import Report, ending_year
from storage.text import capital

FEWEST = 2


class Source(Record):
    """A cited report.

    Attributes:
        report: its name for people: the company and the year.
        link: the address that opens it at the cited page; "" where there is none that works elsewhere.
    """

    report: str
    link: str = ""


SourceOf = Callable[[Citation], Source]


def cited_source(citation: Citation, report: Report | None = None, link: str = "") -> Source:
    """The report of a citation; by the name of its PDF where nothing more is known of it."""
    return Source(report=report.title if report else citation.file, link=link)


class TableCell(Record):
    """A figure of a table, or the reason why there is none.

    Attributes:
        answer: that the cell shows.
        unit: of the figure; empty for a count.
    """

    figure: SeriesFigure
    answer: Answer
    unit: str = ""


class TableRow(Record):
    """A row: its names, below the headings on the left, the unit of all its figures if they have one, and its cells."""

    names: tuple[str, ...]
    unit: str = ""
    cells: tuple[TableCell | None, ...]


class FigureTable(Record):
    """The figures of an answer.

    Attributes:
        heads: the headings over the names of the rows, such as "Company" and "Metric".
        columns: the headings over the figures.
        units: of each column, where its figures share one and those of the rows do not.
        unit: of all figures, if they share one.
        are_periods: whether the columns are years or other periods.
    """

    heads: tuple[str, ...]
    columns: tuple[str, ...]
    units: tuple[str, ...] = ()
    unit: str = ""
    rows: tuple[TableRow, ...]
    are_periods: bool = False

    @property
    def has_row_units(self) -> bool:
        """Whether each row says its unit."""
        return any(row.unit for row in self.rows)


def table_of(answer: Answer, fewest: int = FEWEST) -> FigureTable | None:
    """The table of an answer's series; None where it has fewer figures than that."""
    if len(answer.series) < fewest or len(answer.series) != len(answer.parts):
        return None
    cells = [
        TableCell(figure=figure, answer=part, unit=unit_text(part))
        for figure, part in zip(_dated(_called(answer)), answer.parts, strict=True)
    ]
    companies, metrics, periods = (
        tuple(dict.fromkeys(getattr(cell.figure, name) for cell in cells))
        for name in ("company", "metric", "column")
    )
    if len(periods) > 1 or len(companies) == 1:
        heads, columns, rows = _by_period(cells, companies, metrics, periods)
    else:
        known = {(c.figure.company, c.figure.metric): c for c in cells}
        heads, columns = ("Company",), tuple(f"{metric}{_in(periods[0])}" for metric in metrics)
        rows = [((company,), [known.get((company, metric)) for metric in metrics]) for company in companies]
    return _with_units(heads, columns, rows, are_periods=len(periods) > 1)


def _called(answer: Answer) -> Sequence[SeriesFigure]:
    """The figures by what they are: growth of one metric, say, is not called by the metric that grows."""
    figure = answer.understood.figure if answer.understood else ""
    is_of_one = len({each.metric for each in answer.series}) == 1
    is_calculated = all(part.formula for part in answer.parts if part.is_available)
    if not figure or not is_of_one or not is_calculated:
        return answer.series
    name = f"{capital(figure)}"
    return [each.model_copy(update={"metric": name}) for each in answer.series]


def _dated(figures: Sequence[SeriesFigure]) -> Sequence[SeriesFigure]:
    """The figures with their year, where none was asked for and all are of one."""
    years = {ending_year(figure.period) for figure in figures if figure.period}
    if len(years) != 1 or any(figure.column for figure in figures):
        return figures
    return [figure.model_copy(update={"column": str(*years)}) for figure in figures]


def _by_period(
    cells: Sequence[TableCell], companies: tuple[str, ...], metrics: tuple[str, ...], periods: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...], list[tuple[tuple[str, ...], list[TableCell | None]]]]:
    """A row for each company and metric, a column for each period."""
    known = {(c.figure.company, c.figure.metric, c.figure.column): c for c in cells}
    heads = tuple(h for h, count in (("Company", len(companies)), ("Metric", len(metrics))) if count > 1) or (
        "Metric",
    )
    rows = []
    for company in companies:
        for metric in metrics:
            found = [known.get((company, metric, period)) for period in periods]
            if any(found):
                names = {"Company": company, "Metric": metric}
                rows.append((tuple(names[h] for h in heads), found))
    return heads, tuple(period or "Newest period" for period in periods), rows


def _in(period: str) -> str:
    return f", {period}" if period else ""


def _with_units(
    heads: tuple[str, ...],
    columns: tuple[str, ...],
    rows: Sequence[tuple[tuple[str, ...], list[TableCell | None]]],
    *,
    are_periods: bool,
) -> FigureTable:
    """The table with its units said once: over all of it, over each column, or in each row."""
    whole = _one_unit([cell for _, cells in rows for cell in cells])
    of_rows = [_one_unit(cells) for _, cells in rows]
    of_columns = [_one_unit([cells[at] for _, cells in rows]) for at in range(len(columns))]
    by_column = whole is None and not are_periods and all(unit is not None for unit in of_columns)
    return FigureTable(
        heads=heads,
        columns=columns,
        units=tuple(unit or "" for unit in of_columns) if by_column else (),
        unit=whole or "",
        rows=tuple(
            TableRow(names=names, unit="" if whole is not None or by_column else unit or "", cells=tuple(cells))
            for (names, cells), unit in zip(rows, of_rows, strict=True)
        ),
        are_periods=are_periods,
    )


def _one_unit(cells: Sequence[TableCell | None]) -> str | None:
    """The unit of all figures; None where they have several."""
    units = {cell.unit for cell in cells if cell is not None and cell.figure.value != "N/A"}
    return units.pop() if len(units) == 1 else None if units else ""


def in_figures(answer: Answer) -> str:
    """A calculated figure's formula with figures in the place of names; empty where it has no operands."""
    if not answer.operands or not answer.formula:
        return ""
    named = [(operand.name, str(operand.period.year) if operand.period else "") for operand in answer.operands]
    return with_operands(answer.formula, named, [_in_brackets(operand.value) for operand in answer.operands])


def with_operands(formula: str, operands: Sequence[tuple[str, str]], texts: Sequence[str]) -> str:
    """A formula in words with a text in the place of each operand.

    Args:
        formula: in words, such as "(Revenue 2024 - Revenue 2023) / |Revenue 2023|".
        operands: the name and the year of each; a formula over several years writes the year behind the name.
        texts: of the operands.
    """
    written = {
        n: f"{name} {year}" if year and f"{name} {year}" in formula else name
        for n, (name, year) in enumerate(operands)
    }
    for n in sorted(written, key=lambda n: len(written[n]), reverse=True):
        formula = formula.replace(written[n], f"\x00{n}\x00")
    return re.sub(r"\x00(\d+)\x00", lambda found: texts[int(found[1])], formula)


def cell_formula(formula: str, operands: Sequence[tuple[str, str]], places: Sequence[str], unit: str) -> str:
    """The same as a formula of a spreadsheet over the operands' cells; empty where the words are no such thing."""
    written = formula.replace("×", "*").replace("−", "-")
    bare = with_operands(written, operands, [""] * len(operands))
    if not operands or not formula or re.search(r"[^\d.,()+*/|\s-]", bare):
        return ""
    made = re.sub(r"\|([^|]*)\|", r"ABS(\1)", with_operands(written, operands, places))
    return f"=({made})*100" if unit == "%" else f"={made}"


def _in_brackets(value: float) -> str:
    return f"({grouped(value)})" if value < 0 else grouped(value)


TABLE, OPERANDS, SOURCES = "Figures", "Operands", "Sources"
_OPERAND_HEADS = ("Company", "Figure", "Period to", "Value", "Unit", "Page", "Report", "Quote", "File")
_SOURCE_HEADS = ("Cell", "Company", "Period to", "Page", "Report", "Quote", "File")


def table_book(
    table: FigureTable, title: str, source_of: SourceOf, order: Sequence[int] = (), note: str = ""
) -> bytes:
    """The workbook's content: the table as it is shown, the operands of its calculated figures, and the pages.

    Args:
        table: to write.
        title: of the sheet's first line.
        source_of: names a report and opens its page.
        order: of the rows, by their numbers from 0; those that it leaves out come in their own order.
        note: what is said of the table, such as years that end on different days.
    """
    known = [n for n in dict.fromkeys(order) if 0 <= n < len(table.rows)]
    rows = [table.rows[n] for n in (*known, *(n for n in range(len(table.rows)) if n not in known))]
    book, page = new_book(TABLE)
    writer = _TableWriter(page, book.create_sheet(OPERANDS), book.create_sheet(SOURCES), source_of)
    writer.write(table.model_copy(update={"rows": tuple(rows)}), title, note)
    if not writer.operands:
        book.remove(book[OPERANDS])
    return saved(book, writer.computed)


_GRID_HEADS = (
    "company",
    "metric",
    "column",
    "period_end",
    "value",
    "unit",
    "page",
    "file",
    "link",
    "quote",
    "state",
)


def grid_book(answer: Answer, source_of: SourceOf) -> bytes:
    """The table of an answer's series as a workbook; a table of one figure is one, too.

    Raises:
        UsageError: it has no figure.
    """
    table = table_of(answer, fewest=1)
    if table is None:
        raise UsageError("the answer is no table: it has no figures")
    return table_book(table, answer.question, source_of, note=answer.summary)


def grid_rows(answer: Answer, source_of: SourceOf) -> bytes:
    """An answer's series as CSV, a row for each figure; its state is "passed", "failed" or why there is none."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_GRID_HEADS)
    for figure, part in zip(answer.series, answer.parts, strict=True):
        cited = figure.citation
        failed = any(check.verdict == "failed" for check in part.checks)
        place = (cited.page, cited.file, source_of(cited).link, cited.quote) if cited else ("", "", "", "")
        values = (figure.company, figure.metric, figure.column, figure.period or "", figure.value, unit_text(part))
        state = figure.reason or ("failed" if failed else "passed")
        writer.writerow([harmless(v) if isinstance(v, str) else v for v in (*values, *place, state)])
    return buffer.getvalue().encode("utf-8-sig")  # the mark shows spreadsheets that it is UTF-8


class _TableWriter:
    """Writes the sheets of one table."""

    def __init__(self, page: Worksheet, below: Worksheet, sources: Worksheet, source_of: SourceOf) -> None:
        self._page, self._below, self._sources, self._source_of = page, below, sources, source_of
        self.operands = 0
        self.computed: Computed = {}
        self._cited = 0

    def write(self, table: FigureTable, title: str, note: str) -> None:
        """Write the figures with their headings, and what they rest on."""
        units = table.units or tuple("" for _ in table.columns)
        unit_head = ("Unit",) if table.has_row_units else ()
        columns = [f"{name} ({unit})" if unit else name for name, unit in zip(table.columns, units, strict=True)]
        first = f"{table.heads[0]} ({table.unit})" if table.unit else table.heads[0]
        names = (first, *table.heads[1:], *unit_head, *columns)
        widths = [34] * len(table.heads) + [14] * len(unit_head) + [20] * len(columns)
        head(self._below, _OPERAND_HEADS, [28, 34, 12, 20, 10, 8, 36, 70, 44], 0)
        head(self._sources, _SOURCE_HEADS, [8, 28, 12, 8, 36, 70, 44], 0)
        head(self._page, names, widths, len(table.rows))
        self._page.oddHeader.center.text = title.replace("&", "&&")[:200]
        for line, row in enumerate(table.rows, 2):
            for column, name in enumerate((*row.names, *((row.unit,) if unit_head else ())), 1):
                put_text(self._page.cell(line, column), name)
            for column, cell in enumerate(row.cells, len(table.heads) + len(unit_head) + 1):
                self._put(line, column, cell)
        self._page.freeze_panes = self._page.cell(2, len(table.heads) + 1)
        filter_rows(self._below, len(_OPERAND_HEADS), self.operands)
        filter_rows(self._sources, len(_SOURCE_HEADS), self._cited)
        if note:
            put_text(self._page.cell(len(table.rows) + 3, 1), note)

    def _put(self, line: int, column: int, cell: TableCell | None) -> None:
        shown = self._page.cell(line, column)
        shown.alignment = Alignment(horizontal="right")
        if cell is None:
            return
        if cell.figure.value == "N/A":
            put_text(shown, "N/A")
            shown.font = Font(italic=True, color="808080")
            if cell.answer.reason:
                shown.comment = Comment(cell.answer.words.reasons[cell.answer.reason], "Pageproof")
            return
        put_value(shown, cell.figure.value, cell.unit, is_named=False)
        formula = self._formula(cell)
        if formula:
            put_formula(shown, formula, cell.figure.value, self.computed)
            shown.number_format = number_format(cell.figure.value, cell.unit, is_named=False)
        citation = cell.figure.citation
        if citation is not None:
            if link := self._source_of(citation).link:
                put_link(shown, link)
            self._source(f"{get_column_letter(column)}{line}", cell, citation)

    def _source(self, place: str, cell: TableCell, citation: Citation) -> None:
        self._cited += 1
        line = self._cited + 1
        put_text(self._sources.cell(line, 1), place)
        put_text(self._sources.cell(line, 2), cell.figure.company)
        put_value(self._sources.cell(line, 3), str(cell.figure.period) if cell.figure.period else "")
        self._put_place(self._sources, line, 4, citation)

    def _formula(self, cell: TableCell) -> str:
        """A calculated figure as a formula over cells with its operands; empty where it is none."""
        operands = cell.answer.operands
        named = [(operand.name, str(operand.period.year) if operand.period else "") for operand in operands]
        places = [f"{OPERANDS}!$D${self.operands + 2 + n}" for n in range(len(operands))]
        formula = cell_formula(cell.answer.formula or "", named, places, cell.unit)
        if not formula:
            return ""
        for operand in operands:
            self.operands += 1
            line = self.operands + 1
            put_text(self._below.cell(line, 1), cell.figure.company)
            put_text(self._below.cell(line, 2), operand.name)
            currency = (operand.unit.currency if operand.unit else None) or ""
            put_value(self._below.cell(line, 4), operand.value, currency, is_named=False)
            put_text(self._below.cell(line, 5), currency)
            put_value(self._below.cell(line, 3), str(operand.period) if operand.period else "")
            self._put_place(self._below, line, 6, operand.citation)
        return formula

    def _put_place(self, page: Worksheet, line: int, column: int, citation: Citation) -> None:
        """The page of a figure with its report and its words, from a column on."""
        number, cited = page.cell(line, column, citation.page), self._source_of(citation)
        if cited.link:
            put_link(number, cited.link)
        for n, text in enumerate((cited.report, citation.quote, citation.file), column + 1):
            put_text(page.cell(line, n), text)

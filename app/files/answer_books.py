"""Answers as a workbook: a row for each answer, a sheet of cited pages, and the filled-in grid."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from openpyxl import load_workbook
from openpyxl.cell.cell import Cell
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, PatternFill
from openpyxl.worksheet.worksheet import Worksheet

from app.files.answer_json import Row, table_row
from app.files.questions import FileQuestion, Grid
from app.files.workbooks import (
    CellValue,
    head,
    new_book,
    print_wide,
    put_link,
    put_text,
    read_sheet,
    saved,
    style_head,
)
from storage.errors import UsageError
from storage.records.answers import NOT_AVAILABLE, Answer, Citation

PdfOf = Callable[[str], Path]
LinkTo = Callable[[str, int], str]
"""The address that opens a report, by its SHA-1, at a page."""
ANSWERS, SOURCES, GRID, COLOURS = "Answers", "Sources", "Grid", "Colours"
# Column → heading and width.
_COLUMNS: dict[str, tuple[str, int]] = {
    "question": ("Question", 70),
    "kind": ("Kind", 11),
    "company": ("Company", 28),
    "value": ("Value", 22),
    "currency": ("Currency", 9),
    "scale": ("Scale", 10),
    "printed": ("As printed", 14),
    "period_end": ("Period to", 12),
    "reason": ("Reason", 16),
    "pages": ("Pages", 16),
    "checks": ("Checks", 44),
    "quotes": ("Quotes", 60),
    "requests": ("Requests", 9),
    "cost_usd": ("Cost (USD)", 11),
    "cached": ("Cached", 8),
    "seconds": ("Seconds", 9),
    "profile": ("Profile", 12),
    "error": ("Error", 40),
}
_SOURCE_COLUMNS = ("Answer", "Company", "Report", "Page", "Quote")
_FILLS = {
    "passed": ("DDEFDD", "Every check that applies is passed."),
    "unchecked": ("FFF6D6", "No check applies: look at the page."),
    "failed": ("FBDDCB", "A check is failed: do not rely on it."),
    "missing": ("E6E6E6", "N/A: the column Reason says why."),
    "error": ("E3B5B5", "The question failed: the column Error says why; ask again with --resume."),
}


def file_links(pdf_of: PdfOf) -> LinkTo:
    """Links to the PDFs on this machine."""

    def link(sha1: str, page: int) -> str:
        return f"{pdf_of(sha1).absolute().as_uri()}#page={page}"

    return link


def book_row(answer: Answer, error: str | None, link_to: LinkTo | None) -> Row:
    """A table's row, and under `sources` each cited page once, with a link that opens the PDF there."""
    cited: dict[tuple[str, int], Citation] = {}
    for citation in answer.citations:
        cited.setdefault((citation.report_sha1, citation.page), citation)
    sources: list[Row] = [
        {
            "file": citation.file,
            "page": citation.page,
            "quote": citation.quote,
            "link": link_to(citation.report_sha1, citation.page) if link_to else "",
        }
        for citation in cited.values()
    ]
    return table_row(answer, error) | {"sources": [*sources]}


def as_book(answered: Sequence[tuple[FileQuestion, Row]], grid: Grid | None) -> bytes:
    """The workbook's content."""
    book, first = new_book(ANSWERS)
    rows = [row for _, row in answered]
    _fill_answers(first, rows)
    _fill_sources(book.create_sheet(SOURCES), rows)
    if grid is not None:
        _fill_grid(book.create_sheet(GRID), grid, {cell.question: row for cell, row in answered})
    legend = book.create_sheet(COLOURS)
    for number, (colour, meaning) in enumerate(_FILLS.values(), 1):
        legend.cell(number, 1).fill = PatternFill("solid", fgColor=colour)
        put_text(legend.cell(number, 2), meaning)
    legend.column_dimensions["B"].width = 80
    return saved(book)


def book_rows(path: Path) -> list[Row]:
    """The rows of such a workbook, with their sources.

    Raises:
        UsageError: it is not such a workbook.
    """
    read_sheet(path)  # a file that is no workbook is refused there
    book = load_workbook(path)
    if not {ANSWERS, SOURCES} <= set(book.sheetnames):
        raise UsageError(f"{path}: expected a workbook of answers with the sheets {ANSWERS!r} and {SOURCES!r}")
    keys = {title: key for key, (title, _) in _COLUMNS.items()}
    titles = [str(cell.value) for cell in book[ANSWERS][1]]
    if missing := keys.keys() - set(titles):
        raise UsageError(f"{path}: the sheet {ANSWERS!r} has no column {min(missing)!r}")
    rows: list[Row] = []
    for cells in book[ANSWERS].iter_rows(min_row=2, values_only=True):
        rows.append({keys[t]: _read(cell) for t, cell in zip(titles, cells, strict=True) if t in keys})
    for number, source in _read_sources(book[SOURCES]):
        if 1 <= number <= len(rows):
            sources = rows[number - 1].setdefault("sources", [])
            assert isinstance(sources, list)
            sources.append(source)
    return rows


def _fill_answers(page: Worksheet, rows: Sequence[Row]) -> None:
    head(page, [title for title, _ in _COLUMNS.values()], [width for _, width in _COLUMNS.values()], len(rows))
    for number, row in enumerate(rows, 2):
        for column, key in enumerate(_COLUMNS, 1):
            cell = page.cell(number, column)
            _put(cell, row.get(key), separated=key in ("value", "scale"))
            if key == "value":
                _mark(cell, row)
            if key in ("value", "pages") and (link := _first_link(row)):
                put_link(cell, link)
            if key == "period_end" and row.get(key):
                cell.value = dt.date.fromisoformat(str(row[key]))
                cell.number_format = "yyyy-mm-dd"
    page.freeze_panes = "B2"


def _fill_sources(page: Worksheet, rows: Sequence[Row]) -> None:
    lines = [(number, row, source) for number, row in enumerate(rows, 1) for source in _sources(row)]
    head(page, _SOURCE_COLUMNS, [8, 28, 44, 7, 110], len(lines))
    for line, (number, row, source) in enumerate(lines, 2):
        page.cell(line, 1, number)
        put_text(page.cell(line, 2), str(row.get("company") or ""))
        put_text(page.cell(line, 3), str(source["file"]))
        shown = page.cell(line, 4, source["page"])
        if source["link"]:
            put_link(shown, str(source["link"]))
        put_text(page.cell(line, 5), str(source["quote"]))


def _fill_grid(page: Worksheet, grid: Grid, rows: dict[object, Row]) -> None:
    for number, cells in enumerate(grid.rows, 1):
        for column, value in enumerate(cells, 1):
            _put(page.cell(number, column), value, separated=True)
    for question in grid.cells:
        row = rows.get(question.question)
        if row is None:
            continue
        cell = page.cell(question.row + 1, question.column + 1)
        _put(cell, row.get("value"), separated=True, unit=str(row.get("currency") or ""))
        cell.alignment = Alignment(horizontal="right")
        _mark(cell, row)
        if link := _first_link(row):
            put_link(cell, link)
        if problem := row.get("error") or row.get("reason"):
            cell.comment = Comment(str(problem).replace("_", " "), "Pageproof")
    for cell in page[1]:
        style_head(cell)
        page.column_dimensions[cell.column_letter].width = 24
    page.column_dimensions["A"].width = 34
    page.freeze_panes = "B2"
    print_wide(page)


def _put(cell: Cell, value: object, *, separated: bool, unit: str = "") -> None:
    """Write a value in its own type; `separated` shows thousands separators and the unit."""
    if isinstance(value, bool):
        cell.value = value
        cell.number_format = '"TRUE";"TRUE";"FALSE"'  # without it LibreOffice would show 1 and 0; Excel ignores it
    elif isinstance(value, int | float):
        cell.value = value
        if separated:
            digits = "#,##0" if float(value).is_integer() else "#,##0.00####"
            cell.number_format = f'{digits} "{unit}"' if unit.isalpha() else digits
    elif value is not None and value != "":
        put_text(cell, str(value))


def _mark(cell: Cell, row: Row) -> None:
    cell.fill = PatternFill("solid", fgColor=_FILLS[_state(row)][0])


def _state(row: Row) -> str:
    if row.get("error"):
        return "error"
    if row.get("value") == NOT_AVAILABLE:
        return "missing"
    checks = str(row.get("checks") or "")
    if " failed" in checks:
        return "failed"
    return "passed" if " passed" in checks else "unchecked"


def _sources(row: Row) -> list[Row]:
    found = row.get("sources")
    return [source for source in found if isinstance(source, dict)] if isinstance(found, list) else []


def _first_link(row: Row) -> str:
    return next((str(source["link"]) for source in _sources(row)), "")


def _read_sources(page: Worksheet) -> Iterator[tuple[int, Row]]:
    for number, _, file, shown, quote in page.iter_rows(min_row=2, max_col=len(_SOURCE_COLUMNS)):
        link = shown.hyperlink.target if shown.hyperlink else ""
        place = shown.hyperlink.location if shown.hyperlink else None
        source: Row = {
            "file": str(file.value or ""),
            "page": shown.value,
            "quote": str(quote.value or ""),
            "link": f"{link}#{place}" if place else link,
        }
        if isinstance(number.value, int):
            yield number.value, source


def _read(value: CellValue | dt.datetime) -> bool | int | float | str:
    if value is None:
        return ""
    return value.date().isoformat() if isinstance(value, dt.datetime) else value

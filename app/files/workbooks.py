"""Functions that all our workbooks share."""

import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet
from pydantic import JsonValue

from storage.amounts import parse_figure
from storage.errors import UsageError
from storage.text import storable

CellValue = bool | int | float | str | None
LONGEST_CELL = 32_767  # characters; spreadsheets refuse more
# What openpyxl and zipfile raise for broken archives and broken XML (whose ParseError is a SyntaxError).
BROKEN_BOOK = (
    BadZipFile, zlib.error, InvalidFileException, EOFError, KeyError, ValueError, IndexError, TypeError, AttributeError,
    SyntaxError, RuntimeError,
)  # fmt: skip
_HEAD = PatternFill("solid", fgColor="1F3A4D")


def new_book(title: str) -> tuple[Workbook, Worksheet]:
    """A workbook with one sheet of this title."""
    book = Workbook()
    first = book.active
    if not isinstance(first, Worksheet):
        raise TypeError("a new workbook has no sheet")
    first.title = title
    return book, first


def head(page: Worksheet, names: Sequence[str], widths: Sequence[int], count: int) -> None:
    """Write the header row, set the widths, and add a filter over this number of rows."""
    for column, (name, width) in enumerate(zip(names, widths, strict=True), 1):
        cell = page.cell(1, column)
        put_text(cell, name)
        style_head(cell)
        cell.alignment = Alignment(horizontal="right" if name.isdigit() else "left")
        page.column_dimensions[get_column_letter(column)].width = width
    page.freeze_panes = "A2"
    page.auto_filter.ref = f"A1:{get_column_letter(len(names))}{count + 1}"
    print_wide(page)


def print_wide(page: Worksheet) -> None:
    """Set up printing: landscape, all columns on one page, the first row on each page."""
    page.page_setup.orientation = "landscape"
    page.page_setup.fitToHeight = 0  # any number of pages
    page.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    page.print_title_rows = "1:1"


def style_head(cell: Cell) -> None:
    """Style the header: white on dark."""
    cell.font = Font(bold=True, color="FFFFFF")
    cell.fill = _HEAD


def put_text(cell: Cell, text: str) -> None:
    """Write a text that is never run as a formula."""
    cell.value = ILLEGAL_CHARACTERS_RE.sub("", storable(text))[:LONGEST_CELL]
    cell.data_type = "s"


def put_link(cell: Cell, link: str) -> None:
    """Make a cell open a link."""
    cell.hyperlink = link
    cell.font = Font(color="0B5394", underline="single")


def saved(book: Workbook) -> bytes:
    """The content of the file."""
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def read_sheet(path: Path) -> list[tuple[CellValue, ...]]:
    """The cells of a workbook's first sheet, formulas as last computed, without empty rows and columns at the end.

    Raises:
        UsageError: it is not a workbook that can be read.
    """
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            rows = [tuple(map(_cell_value, row)) for row in book.worksheets[0].iter_rows(values_only=True)]
        finally:
            book.close()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except BROKEN_BOOK as error:
        raise UsageError(f"{path}: is not an Excel workbook (.xlsx) that can be read: {error}") from error
    width = max((n for row in rows for n, value in enumerate(row, 1) if value is not None), default=0)
    height = max((n for n, row in enumerate(rows, 1) if any(v is not None for v in row)), default=0)
    return [(*row[:width], *(None,) * (width - len(row))) for row in rows[:height]]


def _cell_value(value: object) -> CellValue:
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value).strip() or None


def inert(cell: JsonValue) -> JsonValue:
    """The cell, with an apostrophe before a text that a spreadsheet would run as a formula."""
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and parse_figure(cell) is None:
        return f"'{cell}"
    return cell


def without_guard(cell: str) -> str:
    """A cell that `inert` wrote, as it was before."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA_STARTS) else cell


# Characters that begin a formula in a spreadsheet; quotes and names come from untrusted PDFs.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

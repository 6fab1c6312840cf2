"""Functions that all our workbooks share."""

import datetime as dt
import io
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn
from urllib.parse import quote
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet
from pydantic import JsonValue

from storage.amounts import parse_figure
from storage.errors import UsageError
from storage.lexicon.calendar import given_day
from storage.lexicon.words import expression
from storage.text import storable

CellValue = bool | int | float | str | None
CellPlace = tuple[int, int]
"""Row and column, from 0."""
LONGEST_CELL = 32_767  # characters; spreadsheets refuse more
# What openpyxl and zipfile raise for broken archives and broken XML (whose ParseError is a SyntaxError).
BROKEN_BOOK = (
    BadZipFile, zlib.error, InvalidFileException, EOFError, KeyError, ValueError, IndexError, TypeError, AttributeError,
    SyntaxError, RuntimeError,
)  # fmt: skip
_HEAD = PatternFill("solid", fgColor="1F3A4D")


_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run a text that begins with these


def harmless(text: str) -> str:
    """A text for a CSV file, which no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_NO_FILE_NAME = expression(r'[\\/:*?"<>|\x00-\x1f]')
_LONGEST_NAME = 120


def download_headers(about: str) -> dict[str, str]:
    """What makes a browser store a workbook, called by what it is about and by the day."""
    name = _NO_FILE_NAME.sub("", about)[:_LONGEST_NAME]
    day = f"{dt.datetime.now(dt.UTC):%Y-%m-%d}.xlsx"
    plain = name.encode("ascii", "ignore").decode()
    named = f"attachment; filename=\"{plain} {day}\"; filename*=UTF-8''{quote(f'{name} {day}')}"
    return {"Content-Disposition": named, "Cache-Control": "no-store"}


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
    filter_rows(page, len(names), count)
    print_wide(page)


def filter_rows(page: Worksheet, columns: int, count: int) -> None:
    """Add a filter over this number of rows below the header, where there are several to choose from."""
    if count > 1:
        page.auto_filter.ref = f"A1:{get_column_letter(columns)}{count + 1}"


_LINE, _MOST_LINES = 15.0, 12  # points; of a row


def fit_rows(page: Worksheet) -> None:
    """Give every row the height of its longest wrapped text: not every program does so by itself."""
    for row in page.iter_rows(min_row=2):
        lines = 1
        for cell in row:
            if cell.alignment.wrap_text and cell.value is not None:
                width = page.column_dimensions[cell.column_letter].width
                lines = max(
                    lines, sum(math.ceil(max(1, len(part)) / width) for part in str(cell.value).split("\n"))
                )
        page.row_dimensions[row[0].row].height = _LINE * min(lines, _MOST_LINES)


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


STATES = {"passed": "DDEFDD", "unchecked": "FFF6D6", "failed": "FBDDCB", "missing": "E6E6E6", "error": "E3B5B5"}
"""How far an answer can be trusted, and the colour that shows it."""


def state_fill(state: str) -> PatternFill:
    """The colour of a state."""
    return PatternFill("solid", fgColor=STATES[state])


def put_value(cell: Cell, value: object, unit: str = "", *, is_named: bool = True) -> None:
    """Write a value in its own type; a figure with the number format of its unit."""
    if isinstance(value, bool):
        cell.value = value
        cell.number_format = '"TRUE";"TRUE";"FALSE"'  # without it LibreOffice would show 1 and 0; Excel ignores it
    elif isinstance(value, int | float):
        cell.value = value
        cell.number_format = number_format(value, unit, is_named=is_named)
    elif isinstance(value, str) and (day := _whole_date(value)) is not None:
        cell.value, cell.number_format = day, "yyyy-mm-dd"
    elif value is not None and value != "":
        put_text(cell, str(value))


_SHORT_FIGURE = 1000


def number_format(value: object, unit: str, *, is_named: bool = True) -> str:
    """How a figure of this unit is shown: thousands separators, decimals where it has some, its sign behind it.

    A currency stands behind the figure only where `is_named`; beside a column of units it would stand there twice.
    """
    if unit == "%":
        return '#,##0.0#"%"'
    if unit == "x":
        return '0.00"x"'
    is_whole = isinstance(value, int | float) and float(value).is_integer()
    is_short = isinstance(value, int | float) and abs(value) < _SHORT_FIGURE
    digits = "#,##0.00##" if unit.endswith("per share") else "#,##0" if is_whole or not is_short else "#,##0.00##"
    words = unit.replace('"', "") if is_named else ""
    return f'{digits} "{words}"' if words else digits if is_whole or is_short or unit else "#,##0.####"


def _whole_date(text: str) -> dt.date | None:
    return given_day(text) if len(text) == len("2022-12-31") else None


def put_link(cell: Cell, link: str) -> None:
    """Make a cell open a link."""
    cell.hyperlink = link
    cell.font = Font(color="0B5394", underline="single")


Computed = dict[tuple[str, str], float]
"""What formulas give, by the title of the sheet and the name of the cell."""


def put_formula(cell: Cell, formula: str, value: object, computed: Computed) -> None:
    """Write a formula, and note what it gives."""
    cell.value = formula
    if isinstance(value, int | float):
        computed[cell.parent.title, cell.coordinate] = value


_EMPTY_FORMULA = expression(r'(<c r="([A-Z]+\d+)"[^<>]*><f>[^<]*</f>)<v ?(?:/>|></v>)')


def saved(book: Workbook, computed: Mapping[tuple[str, str], float] | None = None) -> bytes:
    """The content of the file, with the values of its formulas for programs that calculate nothing.

    openpyxl writes a formula or a value, never both, so the values are put into the sheets that it has written.
    """
    buffer = io.BytesIO()
    book.save(buffer)
    if not computed:
        return buffer.getvalue()
    titles = {sheet.path.lstrip("/"): sheet.title for sheet in book.worksheets}
    whole = io.BytesIO()
    with ZipFile(buffer) as written, ZipFile(whole, "w") as valued:
        for entry in written.infolist():
            content = written.read(entry)
            if (title := titles.get(entry.filename)) is not None:
                content = _with_values(content.decode(), title, computed).encode()
            valued.writestr(entry, content)
    return whole.getvalue()


def _with_values(sheet: str, title: str, computed: Mapping[tuple[str, str], float]) -> str:
    def valued(found: re.Match[str]) -> str:
        value = computed.get((title, found[2]))
        return found[0] if value is None else f"{found[1]}<v>{value!r}</v>"

    return _EMPTY_FORMULA.sub(valued, sheet)


MOST_XML = 40_000_000  # bytes, unpacked
MOST_BYTES = 100_000_000  # with pictures
MOST_COLUMNS = 2_000  # each heading is compared with all that are known
_MOST_PARTS = 10_000
_MOST_CELLS = 2_000_000
_MOST_ELEMENTS = 1_000_000  # about 400,000 cells, which openpyxl reads in 15 seconds
_MOST_OTHERS = 200_000  # of styles, charts and the like, which take it longer; Excel has at most 65,490 styles
_MOST_LEVELS = 100
_OF_CELLS = frozenset({"row", "c", "v", "f", "is", "si", "t"})
_PIECE = 1 << 20


def open_book(path: Path, **options: bool) -> Workbook:
    """A workbook that is no larger than it looks; the options are openpyxl's.

    It is measured first: a file of a megabyte can stand for gigabytes, packed or as merged cells.

    Raises:
        UsageError: it is too large.
        OSError, one of `BROKEN_BOOK`: it cannot be opened, or is no workbook.
    """
    with ZipFile(path) as packed:
        parts = packed.infolist()
        tables = sum(part.file_size for part in parts if not part.filename.startswith("xl/media/"))
        everything = sum(part.file_size for part in parts)
        check_amount(path, tables / 1e6, MOST_XML / 1e6, "MB of tables unpacked")
        check_amount(path, everything / 1e6, MOST_BYTES / 1e6, "MB unpacked, with its pictures")
        check_amount(path, len(parts), _MOST_PARTS, "parts")
        measure = _Measure(path)
        for part in parts:
            with packed.open(part) as content:
                measure.add(part.filename, content)
    return load_workbook(path, **options)


def check_amount(path: Path, found: float, most: float, what: str) -> None:
    """Refuse a file with more of something than is read.

    Raises:
        UsageError: it has more.
    """
    if found > most:
        raise UsageError(
            f"{path}: is too large to be read: {found:,.0f} {what}, expected at most {most:,.0f}; keep what holds "
            "questions"
        )


class _Measure:
    """Counts what the parts of a workbook have while they are unpacked, and stops where that is too much."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._elements = self._others = self._levels = self._merged = 0

    def add(self, name: str, content: IO[bytes]) -> None:
        """Count a part; one that is no XML, such as a picture, counts as far as it could be read.

        Raises:
            UsageError: it is too much.
            ValueError: it should be XML and is not, or it declares entities.
        """
        self._levels = 0
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._opened, self._closed
        parser.EntityDeclHandler = _refuse_entity
        try:
            while piece := content.read(_PIECE):
                parser.Parse(piece)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            if name.endswith((".xml", ".rels")):
                raise ValueError(f"{name}: {error}") from error

    def _opened(self, name: str, attributes: dict[str, str]) -> None:
        self._levels += 1
        self._elements += 1
        kind = name.rpartition(":")[2]
        self._others += kind not in _OF_CELLS
        check_amount(self._path, self._elements, _MOST_ELEMENTS, "cells, rows and other elements or more")
        check_amount(self._path, self._others, _MOST_OTHERS, "styles and other elements or more")
        check_amount(self._path, self._levels, _MOST_LEVELS, "levels in each other or more")
        if kind == "mergeCell":
            left, top, right, bottom = (
                edge or _MOST_CELLS for edge in range_boundaries(attributes.get("ref", ""))
            )
            self._merged += (abs(right - left) + 1) * (abs(bottom - top) + 1)
            check_amount(self._path, self._merged, _MOST_CELLS, "merged cells")

    def _closed(self, _: str) -> None:
        self._levels -= 1


def _refuse_entity(name: str, *_: object) -> NoReturn:
    raise ValueError(f"it declares an entity, {name[:40]!r}")


def read_sheet(path: Path) -> list[tuple[CellValue, ...]]:
    """The cells of a workbook's first sheet, formulas as last computed, without empty rows and columns at the end.

    Raises:
        UsageError: it is not a workbook that can be read.
    """
    try:
        book = open_book(path, read_only=True, data_only=True)
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


@dataclass(frozen=True)
class SheetCells:
    """A sheet's cells, all from A1 on, without empty rows and columns at the end.

    Attributes:
        name: the sheet's; empty for a table that is no workbook.
        rows: what is shown, formulas as last computed; a merged cell's value stands in each of its cells.
        uncomputed: the cells, from 0, with a formula whose value is not stored.
        covered: the cells that a merged cell covers, besides its first.
    """

    name: str
    rows: list[list[CellValue]]
    uncomputed: frozenset[CellPlace] = frozenset()
    covered: frozenset[CellPlace] = frozenset()


def read_sheets(path: Path) -> list[SheetCells]:
    """The cells of every sheet of a workbook that is not hidden.

    Raises:
        UsageError: it is not a workbook that can be read, or a sheet is too large.
    """
    try:
        values, formulas = open_book(path, data_only=True), open_book(path)
        shown = [sheet for sheet in values.worksheets if sheet.sheet_state == "visible"]
        return [_cells(sheet, formulas[sheet.title], path) for sheet in shown]
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except BROKEN_BOOK as error:
        raise UsageError(f"{path}: is not an Excel workbook (.xlsx) that can be read: {error}") from error


def _cells(sheet: Worksheet, formulas: Worksheet, path: Path) -> SheetCells:
    found = {(c.row - 1, c.column - 1): _shown(c.value) for c in _written(sheet)}
    uncomputed = {
        (c.row - 1, c.column - 1)
        for c in _written(formulas)
        if c.data_type == "f" and found.get((c.row - 1, c.column - 1)) is None
    }
    covered: set[CellPlace] = set()
    for merged in sheet.merged_cells.ranges:
        first = (merged.min_row - 1, merged.min_col - 1)
        if merged.size["rows"] * merged.size["columns"] > _MOST_CELLS:
            raise UsageError(f"{path}: the sheet {sheet.title!r} has a merged cell that is too large to be read")
        for row, column in merged.cells:
            if (row - 1, column - 1) != first:
                covered.add((row - 1, column - 1))
                found[row - 1, column - 1] = found.get(first)
    full = [place for place, value in found.items() if value is not None] + list(uncomputed)
    height, width = (max((place[n] + 1 for place in full), default=0) for n in (0, 1))
    check_table(path, height, width, f"of the sheet {sheet.title!r}")
    rows = [[found.get((row, column)) for column in range(width)] for row in range(height)]
    return SheetCells(sheet.title, rows, frozenset(uncomputed), frozenset(covered))


def check_table(path: Path, rows: int, columns: int, where: str = "") -> None:
    """Refuse a table with more cells or columns than are read.

    Raises:
        UsageError: it has more.
    """
    check_amount(path, columns, MOST_COLUMNS, f"columns {where}".strip())
    check_amount(path, rows * columns, _MOST_CELLS, f"cells {where}".strip())


def _written(sheet: Worksheet) -> Iterator[Cell]:
    """The cells that are in the file; a sheet may claim to reach to its last row and column."""
    yield from (cell for cell in list(sheet._cells.values()) if isinstance(cell, Cell) and cell.value is not None)


def _shown(value: object) -> CellValue:
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    return _cell_value(value)


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

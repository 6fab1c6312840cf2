"""Writes answers into people's own workbooks: beside their questions and into the empty cells of their grids."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from openpyxl import Workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.comments import Comment
from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from app.files.answer_json import Row, state_of
from app.files.questions import QuestionFile
from app.files.sheets import FileQuestion, Place
from app.files.workbooks import new_book, open_book, put_link, put_text, put_value, state_fill, style_head
from storage.lexicon.money import SCALES

BESIDE = {"Answer": 22, "Unit": 14, "Period to": 12, "Pages": 14, "Checks": 30, "Explanation": 60}
"""The columns beside questions and their widths."""
_GRID = "Grid"
Answered = Sequence[tuple[FileQuestion, Row]]


def fill_in(source: QuestionFile, answered: Answered) -> Workbook:
    """The workbook of questions with the answers in it; everything else in it stays as it is."""
    if source.is_book:
        book = open_book(source.path, rich_text=True)
    else:
        book, page = new_book(_GRID)
        _copy_rows(page, source)
    rows = iter(answered)
    found: list[tuple[Place, FileQuestion, Row]] = []
    waiting = next(rows, None)
    for question, place in zip(source.questions, source.places, strict=True):
        if waiting is not None and place is not None and waiting[0] == question:
            found.append((place, *waiting))
            waiting = next(rows, None)
    by_sheet: defaultdict[str, list[tuple[Place, FileQuestion, Row]]] = defaultdict(list)
    for one in found:
        by_sheet[one[0].sheet].append(one)
    for name, items in by_sheet.items():
        sheet = book[name or _GRID]
        beside = [item for item in items if item[0].column is None]
        if beside:
            _fill_beside(sheet, beside)
        for place, question, row in items:
            if place.column is not None:
                _fill_cell(sheet.cell(place.row, place.column), question, row)
    return book


def _copy_rows(page: Worksheet, source: QuestionFile) -> None:
    for number, cells in enumerate(source.rows, 1):
        for column, value in enumerate(cells, 1):
            put_value(page.cell(number, column), value)
    for cell in page[1]:
        style_head(cell)
        page.column_dimensions[cell.column_letter].width = 24
    page.column_dimensions["A"].width = 34
    page.freeze_panes = "B2"


def _fill_cell(cell: Cell | MergedCell, question: FileQuestion, row: Row) -> None:
    """A cell of a grid: its value in the unit of its heading, its colour, its page, and why it is N/A."""
    if not isinstance(cell, Cell):
        return
    value, unit = shown_value(question, row)
    put_value(cell, value, unit)
    cell.alignment = Alignment(horizontal="right")
    cell.fill = state_fill(state_of(row))
    if link := _link(row):
        put_link(cell, link)
    if problem := row.get("error") or row.get("reason"):
        near = f"\nnearest: {row['nearest']:,} ({row.get('nearest_detail')})" if row.get("nearest") else ""
        cell.comment = Comment(f"{str(problem).replace('_', ' ')}{near}", "Pageproof")


def shown_value(question: FileQuestion, row: Row) -> tuple[object, str]:
    """An answer's value and unit as its file wants them: 386.4 and "USD million" where it asks for millions."""
    value, unit = row.get("value"), str(row.get("unit") or "")
    is_money = bool(row.get("currency")) and not unit.endswith("per share")
    if question.scale and question.scale > 1 and is_money and isinstance(value, int | float):
        word = next((scale.words[0] for scale in SCALES if scale.value == question.scale and scale.words), "")
        return value / question.scale, f"{unit} {word}" if word else unit
    return value, unit


def _fill_beside(sheet: Worksheet, items: Sequence[tuple[Place, FileQuestion, Row]]) -> None:
    """New columns beside all that the sheet holds; those of an earlier run are used again."""
    headers = {place.header for place, _, _ in items}
    first = _own_columns(sheet, min(headers)) or _width(sheet) + 1
    for header in headers:
        for column, (title, width) in enumerate(BESIDE.items(), first):
            _put_heading(sheet, header, column, title, first)
            sheet.column_dimensions[get_column_letter(column)].width = width
    for place, question, row in items:
        value, unit = shown_value(question, row)
        cells = [sheet.cell(place.row, first + n) for n in range(len(BESIDE))]
        for cell in cells:
            if isinstance(cell, Cell):
                cell.value, cell.hyperlink = None, None
        put_value(cells[0], value, unit, is_named=False)
        cells[0].fill = state_fill(state_of(row))
        if link := _link(row):
            put_link(cells[0], link)
        texts = (unit, row.get("period_end"), row.get("pages"), row.get("checks"), _explanation(row))
        for cell, text in zip(cells[1:], texts, strict=True):
            put_value(cell, text)
        for cell in cells:
            cell.alignment = Alignment(vertical="top", wrap_text=cell is cells[-1])


def _put_heading(sheet: Worksheet, row: int, column: int, title: str, first: int) -> None:
    """A heading in the form of the one to its left."""
    cell, left = sheet.cell(row, column), sheet.cell(row, max(first - 1, 1))
    put_text(cell, title)
    if left.has_style:
        cell.font, cell.fill, cell.border = copy(left.font), copy(left.fill), copy(left.border)
        cell.alignment = copy(left.alignment)
    else:
        style_head(cell)


def _own_columns(sheet: Worksheet, header: int) -> int | None:
    """The first of the columns that an earlier run has added, from 1."""
    titles = [cell.value for cell in sheet[header]]
    return next((n + 1 for n in range(len(titles)) if titles[n : n + len(BESIDE)] == list(BESIDE)), None)


def has_answers(source: QuestionFile) -> bool:
    """Whether an earlier run has written its answers beside the questions of a workbook."""
    if not source.is_book:
        return False
    book = open_book(source.path, read_only=False)
    places = {(place.sheet, place.header) for place in source.places if place and place.column is None}
    return any(_own_columns(book[name], header) is not None for name, header in places)


def _width(sheet: Worksheet) -> int:
    """The last column that holds anything, from 1."""
    written = [cell.column for row in sheet.iter_rows() for cell in row if cell.value is not None]
    return max([*written, *(merged.max_col for merged in sheet.merged_cells.ranges)], default=0)


def _explanation(row: Row) -> str:
    parts = [str(row.get(key) or "").replace("_", " ") for key in ("error", "reason")]
    near = f"nearest: {row['nearest']:,} ({row.get('nearest_detail')})" if row.get("nearest") else ""
    return ". ".join(part for part in (*parts, near, str(row.get("explanation") or "")) if part)


def _link(row: Row) -> str:
    sources = row.get("sources")
    first = sources[0] if isinstance(sources, list) and sources else None
    return str(first["link"]) if isinstance(first, dict) else ""


_PARTS = {
    "xl/vbaProject": "its macros",
    "xl/charts/chart": "its charts' finer formats",
    "xl/pivotTables/": "its pivot tables' finer settings",
    "xl/slicers/": "its slicers",
    "xl/timelines/": "its timelines",
    "xl/ctrlProps/": "its form controls",
    "xl/activeX/": "its controls",
    "xl/threadedComments/": "its comment threads",
    "xl/embeddings/": "its embedded files",
    "xl/diagrams/": "its SmartArt",
    "xl/queryTables/": "its data queries",
}
_INSIDE = {
    b"<xdr:sp ": "its drawn shapes",
    b"<xdr:cxnSp": "its drawn lines",
    b"x14:sparkline": "its sparklines",
    b"x14:slicer": "its slicers",
}


def would_lose(path: Path) -> tuple[str, ...]:
    """What of a workbook is lost where it is written again, in words."""
    return tuple(dict.fromkeys(_lost(path)))


def _lost(path: Path) -> Iterator[str]:
    try:
        with ZipFile(path) as packed:
            for name in packed.namelist():
                yield from (words for part, words in _PARTS.items() if name.startswith(part))
                if name.endswith((".emf", ".wmf", ".svg")):
                    yield "its pictures in vector form"
                if name.startswith(("xl/drawings/drawing", "xl/worksheets/sheet")):
                    content = packed.read(name)
                    yield from (words for mark, words in _INSIDE.items() if mark in content)
    except (OSError, BadZipFile):
        return

"""Reads files of questions: the challenge's JSON, CSV, workbooks, and grids of companies and metrics."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import cast, get_args

from pydantic import JsonValue

from app.files.workbooks import CellValue, read_sheet, without_guard
from storage.errors import UsageError
from storage.records.metrics import Ontology
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record

_COLUMN_FORM = "a column 'question' or 'text' with the questions"
_GRID_FORM = "a grid with companies in the first column, metrics in the first row and empty cells"


class GridCell(Record):
    """A cell to fill in, with its position in the grid (0-based)."""

    row: int
    column: int
    question: Question


class Grid(Record):
    """A sheet's cells as given, and the questions of the empty cells, row by row."""

    rows: tuple[tuple[CellValue, ...], ...]
    cells: tuple[GridCell, ...]


def read_grid(rows: Sequence[Sequence[CellValue]], path: Path) -> Grid:
    """The questions of a grid. Cells with content are not changed.

    Raises:
        UsageError: it is not a grid, or has no empty cells.
    """
    metrics = {n: str(label) for n, label in enumerate(rows[0] if rows else ()) if n and label is not None}
    companies = {n: str(row[0]) for n, row in enumerate(rows) if n and row[0] is not None}
    if not metrics or not companies:
        found = ", ".join(repr(cell) for cell in (rows[0] if rows else ()) if cell is not None) or "nothing"
        raise UsageError(f"{path}: expected {_COLUMN_FORM}, or {_GRID_FORM}; found in the first row: {found}")
    cells = tuple(
        GridCell(row=row, column=column, question=cell_question(company, metric))
        for row, company in companies.items()
        for column, metric in metrics.items()
        if rows[row][column] is None
    )
    if not cells:
        raise UsageError(f"{path}: no cell is empty; expected {_COLUMN_FORM}, or {_GRID_FORM}")
    return Grid(rows=tuple(map(tuple, rows)), cells=cells)


def cell_question(company: str, label: str) -> Question:
    """The question of a cell, about a number; a label that the ontology knows is replaced by the metric's name.

    A label that is a question is used unchanged.
    """
    if label.endswith("?"):
        return Question(text=label, company=company)
    return Question(text=f"What was the {_named(label)} of {company}?", kind="number", company=company)


def _named(label: str) -> str:
    ontology = _ontology()
    metric = ontology.metric_named(label)
    # A few titles would not be understood in a question.
    return metric.title if metric is not None and ontology.metric_named(metric.title) is metric else label


@cache
def _ontology() -> Ontology:
    return Ontology.load()


KINDS: tuple[str, ...] = get_args(AnswerKind)
_SYNONYMS = {"string": "text"}
_TEXT_COLUMNS = ("question", "text")  # round 1, round 2
_KIND_COLUMNS = ("kind", "schema")  # round 2, round 1
_CURRENCY = re.compile(r"[A-Z]{3}")


class FileQuestion(Record):
    """A question of a file.

    Attributes:
        kind_in_file: the kind in the file's own word, such as "string" for "text", which the answers repeat; None
            where the file has no kind.
    """

    question: Question
    kind_in_file: str | None = None


class QuestionFile(Record):
    """The questions of a file in order, and its `grid` if it is a grid to fill in."""

    questions: tuple[FileQuestion, ...]
    grid: Grid | None = None


def read_question_file(path: Path) -> QuestionFile:
    """The questions of a file, in its order.

    JSON is a list of objects with `question` or `text`, and optionally `kind` or `schema`, `company` and `currency`.
    CSV has the same names as columns, separated by commas, semicolons or tabs. The first sheet of a workbook has these
    columns, or is a grid of companies and metrics. Other fields are ignored.

    Raises:
        UsageError: the file cannot be read; the message names the file, the item (from 1) and what was expected.
    """
    suffix = path.suffix.lower()
    if suffix == ".xlsx":
        return _read_workbook(path)
    reader = _READERS.get(suffix)
    if reader is None:
        raise UsageError(f"{path}: questions are read from {', '.join(_READERS)}, .xlsx, not {path.suffix!r}")
    return QuestionFile(questions=_questions(reader(path), path))


def read_questions(path: Path) -> tuple[FileQuestion, ...]:
    """The questions of a file alone; see `read_question_file`."""
    return read_question_file(path).questions


def read_text(path: Path) -> str:
    """A user's file as text, with or without a byte order mark.

    Raises:
        UsageError: it does not exist, cannot be opened or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def parse_json(text: str, where: Path) -> JsonValue:
    """Parse a user's JSON.

    Raises:
        UsageError: it is not JSON; the message names the file and the line.
    """
    try:
        return cast(JsonValue, json.loads(text))
    except json.JSONDecodeError as error:
        raise UsageError(f"{where}: is not JSON: {error.msg} in line {error.lineno}") from error
    except (
        ValueError,
        RecursionError,
    ) as error:  # a number of more than 4,300 digits, or lists in lists without end
        raise UsageError(
            f"{where}: is no JSON that can be read: its numbers or its nesting are too long"
        ) from error


Item = Mapping[str, JsonValue]


def _json_items(path: Path) -> list[tuple[int, Item]]:
    content = parse_json(read_text(path), path)
    if not isinstance(content, list):
        raise UsageError(f"{path}: expected a list of questions, found {type(content).__name__}")
    items: list[tuple[int, Item]] = []
    for number, item in enumerate(content, start=1):
        if not isinstance(item, dict):
            expected = "an object with `question` or `text`"
            raise UsageError(f"{path}: question {number}: expected {expected}, found {item!r}")
        items.append((number, item))
    return items


def _csv_items(path: Path) -> list[tuple[int, Item]]:
    text = read_text(path)
    header = text.partition("\n")[0]
    # In many countries spreadsheets separate by semicolons.
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    columns = _columns(next(rows, []))
    if not set(_TEXT_COLUMNS) & set(columns):
        found = ", ".join(map(repr, columns)) or "none"
        raise UsageError(f"{path}: expected a header with a column 'question' or 'text', found columns: {found}")
    items: list[tuple[int, Item]] = []
    for number, cells in enumerate((cells for cells in rows if any(map(str.strip, cells))), start=1):
        if len(cells) > len(columns):
            message = f"expected {len(columns)} cells as in the header, found {len(cells)}"
            raise UsageError(f"{path}: question {number}: {message}; put a text with separators in quotes")
        items.append((number, dict(zip(columns, map(without_guard, cells), strict=False))))
    return items


def _read_workbook(path: Path) -> QuestionFile:
    rows = read_sheet(path)
    columns = _columns(rows[0] if rows else ())
    if set(_TEXT_COLUMNS) & set(columns):
        given = (cells for cells in rows[1:] if any(cell is not None for cell in cells))
        texts = [["" if cell is None else str(cell) for cell in cells] for cells in given]
        items = [(number, dict(zip(columns, cells, strict=True))) for number, cells in enumerate(texts, start=1)]
        return QuestionFile(questions=_questions(items, path))
    grid = read_grid(rows, path)
    empty = (cell.question for cell in grid.cells)
    return QuestionFile(questions=tuple(FileQuestion(question=q, kind_in_file=q.kind) for q in empty), grid=grid)


def _columns(header: Sequence[CellValue]) -> list[str]:
    return [str(name or "").strip().lower() for name in header]


def _questions(items: Iterable[tuple[int, Mapping[str, JsonValue]]], path: Path) -> tuple[FileQuestion, ...]:
    questions = tuple(_question(item, f"{path}: question {number}") for number, item in items)
    if not questions:
        raise UsageError(f"{path}: holds no questions")
    return questions


# Suffix → the items of such a file with their numbers from 1.
_READERS: dict[str, Callable[[Path], list[tuple[int, Item]]]] = {".json": _json_items, ".csv": _csv_items}


def _question(item: Item, where: str) -> FileQuestion:
    text = _field(item, _TEXT_COLUMNS, where)
    if text is None:
        found = ", ".join(map(repr, item)) or "none"
        raise UsageError(f"{where}: expected a text in `question` or `text`, found fields: {found}")
    kind_in_file = (_field(item, _KIND_COLUMNS, where) or "").strip() or None
    kind = _kind(kind_in_file, where) if kind_in_file else None
    company = (_field(item, ("company",), where) or "").strip() or None
    question = Question(text=text, kind=kind, company=company, currency=_currency(item, where))
    return FileQuestion(question=question, kind_in_file=kind_in_file)


def _currency(item: Item, where: str) -> str | None:
    code = (_field(item, ("currency",), where) or "").strip().upper() or None
    if code and not _CURRENCY.fullmatch(code):
        raise UsageError(f"{where}: currency {code!r} is no code of three letters such as EUR")
    return code


def _kind(word: str, where: str) -> AnswerKind:
    kind = _SYNONYMS.get(word.lower(), word.lower())
    if kind not in KINDS:
        known = ", ".join([*KINDS, *_SYNONYMS])
        raise UsageError(f"{where}: kind {word!r} is not one of {known}; leave it empty to have it inferred")
    return cast(AnswerKind, kind)


def _field(item: Item, names: tuple[str, ...], where: str) -> str | None:
    """The first of these fields that is not empty, unchanged, since answers are matched by the exact text."""
    for name in names:
        value = item.get(name)
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{where}: `{name}` is {value!r}, expected a text")
        if value and value.strip():
            return value
    return None

"""Reads files of questions: the challenge's JSON, CSV, workbooks, and grids of companies and metrics."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from app.files.headings import as_text, meaning_of, read_period, with_period
from app.files.sheets import (
    COLUMN_FORM,
    GRID_FORM,
    Columns,
    FileQuestion,
    Place,
    SheetQuestion,
    cell_name,
    open_share,
    read_sheet_questions,
)
from app.files.workbooks import CellValue, SheetCells, check_table, read_sheets, without_guard
from prompts.kinds import KIND_WORDS, KINDS
from storage.errors import UsageError
from storage.files import delimiter_of, read_table_text
from storage.lexicon.money import currency_code
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record

_SUFFIXES = (".json", ".csv", ".tsv", ".xlsx", ".xlsm")
_MOSTLY = 0.5
_TEXT_FIELDS = ("question", "text")  # round 1, round 2
_KIND_FIELDS = ("kind", "schema")  # round 2, round 1
_PERIOD_FIELDS = ("period", "year", "fiscal_year", "fiscal year")


class QuestionFile(Record):
    """The questions of a file in order.

    Attributes:
        path: of the file.
        places: where each stands in a sheet; None in other files.
        columns: what else the file says beside each, by its heading.
        rows: the cells of a table that is no workbook, where its places are cells to fill in.
        notes: what was not read, for people.
    """

    path: Path
    questions: tuple[FileQuestion, ...]
    places: tuple[Place | None, ...] = ()
    columns: tuple[Columns, ...] = ()
    rows: tuple[tuple[CellValue, ...], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_book(self) -> bool:
        """Whether it is a workbook, which answers can be written into."""
        return self.path.suffix.lower() in (".xlsx", ".xlsm")

    @property
    def has_places(self) -> bool:
        """Whether a workbook of answers shows the questions' own sheets."""
        return self.is_book or bool(self.rows)

    def given_for(self, questions: Sequence[FileQuestion]) -> tuple[Columns, ...]:
        """What the file says beside these of its questions, which are in its order; some may be missing."""
        left = iter(zip(self.questions, self.columns, strict=False))
        found = []
        for question in questions:
            found.append(next((columns for one, columns in left if one == question), {}))
        return tuple(found) if any(found) else ()


def read_question_file(path: Path) -> QuestionFile:
    """The questions of a file, in its order.

    JSON is a list of objects with `question` or `text`, and optionally `kind` or `schema`, `company`, `currency` and
    `period` or `year`. CSV and every sheet of a workbook have columns with such headings, in English or German, or are
    lists or grids of companies, metrics and years. Other fields and columns are passed on to the answers.

    Raises:
        UsageError: the file cannot be read; the message names the file, the item or cell, and what was expected.
    """
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _read_json(path)
    if suffix not in _SUFFIXES:
        raise UsageError(f"{path}: questions are read from {', '.join(_SUFFIXES)}, not {path.suffix!r}")
    return _read_tables(path, [_csv_cells(path)] if suffix in (".csv", ".tsv") else read_sheets(path))


def _read_tables(path: Path, sheets: Sequence[SheetCells]) -> QuestionFile:
    found: list[SheetQuestion] = []
    notes: list[str] = []
    for sheet in sheets:
        read = read_sheet_questions(sheet, path)
        if read and (not found or read[0].place.column is None or open_share(sheet, read) > _MOSTLY):
            found += read
        elif sheet.rows and len(sheets) > 1:
            notes.append(f"no questions are read from the sheet {sheet.name!r}")
    if not found:
        raise UsageError(f"{path}: {_nothing(sheets)}")
    return QuestionFile(
        path=path,
        questions=tuple(one.question for one in found),
        places=tuple(one.place for one in found),
        columns=tuple(one.columns for one in found),
        rows=tuple(map(tuple, sheets[0].rows)) if not sheets[0].name and found[0].place.column else (),
        notes=tuple(notes),
    )


def _nothing(sheets: Sequence[SheetCells]) -> str:
    """Why tables hold no questions."""
    cells = (
        (s, r, c, as_text(v)) for s in sheets for r, row in enumerate(s.rows, 1) for c, v in enumerate(row, 1)
    )
    first = next((found for found in cells if found[3]), None)
    expected = f"expected {COLUMN_FORM}, or {GRID_FORM}"
    if first is None:
        return f"it is empty; {expected}"
    sheet, row, column, text = first
    if any(meaning_of(as_text(cell)) == "question" for s in sheets for line in s.rows for cell in line):
        return "holds no questions: no row has one below the heading"
    if any(meaning_of(as_text(cell)) in ("company", "metric") for s in sheets for line in s.rows for cell in line):
        return f"no cell is empty; {expected}"
    shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
    return f"{cell_name(sheet.name, row, column)}, {shown!r}, is no heading that is known; {expected}"


_LONGEST_SHOWN = 60


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


def _csv_cells(path: Path) -> SheetCells:
    """A CSV's cells; in many countries spreadsheets separate them by semicolons."""
    text = re.sub(r"\Asep=.\r?\n", "", read_table_text(path))  # a line that only spreadsheets read
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=False))
    except csv.Error as error:
        raise UsageError(f"{path}: is no CSV that can be read: {error}") from error
    width = len(rows[0]) if rows else 0
    for number, cells in enumerate(rows, start=1):
        if len(cells) > width and width > 1 and any(map(str.strip, cells[width:])):
            message = f"expected {width} cells as in the header, found {len(cells)}"
            raise UsageError(f"{path}: row {number}: {message}; put a text with separators in quotes")
    widest = max(map(len, rows), default=0)
    check_table(path, len(rows), widest)
    padded = (cells + [""] * (widest - len(cells)) for cells in rows)  # a row may end before its last columns
    return SheetCells("", [[without_guard(cell) if cell.strip() else None for cell in cells] for cells in padded])


def _read_json(path: Path) -> QuestionFile:
    items = _json_items(path)
    questions = tuple(_question(item, f"{path}: question {number}") for number, item in items)
    if not questions:
        raise UsageError(f"{path}: holds no questions")
    known = {*_TEXT_FIELDS, *_KIND_FIELDS, *_PERIOD_FIELDS, "company", "currency"}
    others = tuple(
        {name: _cell(value) for name, value in item.items() if name.lower() not in known} for _, item in items
    )
    return QuestionFile(path=path, questions=questions, columns=others)


def _cell(value: JsonValue) -> CellValue:
    return (
        value if value is None or isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)
    )


def _question(item: Item, where: str) -> FileQuestion:
    text = _field(item, _TEXT_FIELDS, where)
    if text is None:
        found = ", ".join(map(repr, item)) or "none"
        raise UsageError(f"{where}: expected a text in `question` or `text`, found fields: {found}")
    kind_in_file = (_field(item, _KIND_FIELDS, where) or "").strip() or None
    kind = _kind(kind_in_file, where) if kind_in_file else None
    company = (_field(item, ("company",), where) or "").strip() or None
    text = _in_period(text, item, where)
    question = Question(text=text, kind=kind, company=company, currency=_currency(item, where))
    return FileQuestion(question=question, kind_in_file=kind_in_file)


def _in_period(text: str, item: Item, where: str) -> str:
    given = next((value for name in _PERIOD_FIELDS if (value := item.get(name)) not in (None, "")), None)
    if given is None:
        return text
    period = read_period(str(given)) if isinstance(given, str | int) else None
    if period is None:
        raise UsageError(f"{where}: {given!r} is no period; expected one such as 2022, FY2022 or Q2 2022")
    try:
        return with_period(text, period)
    except ValueError as error:
        raise UsageError(f"{where}: {given!r} is another period: {error}") from error


def _currency(item: Item, where: str) -> str | None:
    given = _field(item, ("currency",), where)
    code = currency_code(given) if given else None
    if given and code is None:
        raise UsageError(f"{where}: {given!r} is no currency; expected a code of three letters such as EUR")
    return code


def _kind(word: str, where: str) -> AnswerKind:
    kind = KIND_WORDS.get(word.lower())
    if kind is None:
        raise UsageError(
            f"{where}: kind {word!r} is not one of {', '.join((*KINDS, 'string'))}; leave it empty to have it inferred"
        )
    return kind


def _field(item: Item, names: tuple[str, ...], where: str) -> str | None:
    """The first of these fields that is not empty, unchanged, since answers are matched by the exact text."""
    for name in names:
        value = item.get(name)
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{where}: `{name}` is {value!r}, expected a text")
        if value and value.strip():
            return value
    return None

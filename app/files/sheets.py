"""Finds the questions of a sheet: a table of them, a list of companies and metrics, or a grid to fill in."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from app.files.headings import (
    KEYS,
    Label,
    Meaning,
    Period,
    Unit,
    as_text,
    cell_question,
    header_rows,
    is_heading,
    is_period,
    meaning_of,
    misspelled,
    read_label,
    read_period,
    read_unit,
    with_period,
)
from app.files.workbooks import CellValue, SheetCells
from prompts.kinds import KIND_WORDS, KINDS
from storage.errors import UsageError
from storage.lexicon.money import currency_code
from storage.lexicon.words import expression
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record

T = TypeVar("T")
COLUMN_FORM = "a column 'Question' with the questions"
GRID_FORM = "a grid with companies in the first column, metrics in the first row and empty cells"
Columns = Mapping[str, CellValue]
"""A row's other cells by their headings."""
_ERRORS = ("#REF!", "#N/A", "#VALUE!", "#NAME?", "#DIV/0!", "#NULL!", "#NUM!")
_FOOTER = expression(
    r"^(?:sources?|quellen?|notes?|anmerkung(?:en)?|hinweis|legend|n/a\b.*=|\*|\(\d\)|\d\)"
    r"|(?P<sum>total|sum|summe|gesamt|average|mean|median|mittelwert|durchschnitt|min(?:imum)?|max(?:imum)?))"
    r"(?:\b|\s|:|$)",
    re.IGNORECASE,
)
_SECTION = expression(
    r"^(?:.*\b(?:statements?|balance sheet|cash ?flows?|ratios|figures|profitability|leverage|liquidity|management"
    r"|governance|per share data|bilanz|kapitalfluss\w*|kennzahlen|erfolgsrechnung|guv))$",
    re.IGNORECASE,
)
_DEFAULT_NAME = expression(
    r"^(?:sheet|tabelle|blatt|feuil|feuille|hoja|foglio|table|data|input|questions?|grid)?\s?\d*$", re.I
)
_BEHIND_A_NAME = expression(
    r"(?<!\s)\s++(?:[-–|:]\s.*|(?:key figures|key financials|financials|summary|kennzahlen))$|(?<!\s)\s*+[(,].*$",
    re.IGNORECASE | re.DOTALL,
)


class FileQuestion(Record):
    """A question of a file.

    Attributes:
        kind_in_file: the kind in the file's own word, such as "string" for "text", which the answers repeat; None
            where the file has no kind.
        scale: of the unit that the file wants a figure in, such as 1,000,000 for "EUR m".
    """

    question: Question
    kind_in_file: str | None = None
    scale: int | None = None


class Place(Record):
    """Where a question stands, and the row of its headings, counted from 1. Only a cell to fill in has a column."""

    sheet: str
    row: int
    column: int | None = None
    header: int = 1


class SheetQuestion(Record):
    """A question with its place, and the row's cells by their headings."""

    question: FileQuestion
    place: Place
    columns: Columns


@dataclass(frozen=True)
class CellText:
    """What a cell says, and where, so that an error can name it."""

    text: str
    row: int
    column: int


@dataclass
class _Column:
    """A column below its heading: what its cells hold, or what they ask for."""

    index: int
    heading: str
    meaning: Meaning | None = None
    asks: dict[Meaning, CellText] = field(default_factory=dict)


def read_sheet_questions(sheet: SheetCells, path: Path) -> tuple[SheetQuestion, ...]:
    """The questions of a sheet, from the top; none where nothing in it is understood as a question.

    Raises:
        UsageError: a heading or a value is not understood; the message names the cell.
    """
    found: list[SheetQuestion] = []
    starts = header_rows(sheet)
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(sheet.rows)
        first = starts[number - 1] + 1 if number else 0
        found += _Table(sheet, path, start, end, first).questions()
    return tuple(found)


def open_share(sheet: SheetCells, found: Sequence[SheetQuestion]) -> float:
    """How much of the sheet's figures is still empty: a sheet of data with some holes is no grid to fill in."""
    headers = {one.place.header for one in found}
    rows = [row for number, row in enumerate(sheet.rows, 1) if number not in headers]
    filled = sum(isinstance(cell, int | float) for row in rows for cell in row)
    return len(found) / (len(found) + filled) if found else 0.0


class _Table:
    """One table of a sheet: its headings, and the rows below them."""

    def __init__(self, sheet: SheetCells, path: Path, start: int, end: int, first: int) -> None:
        self._sheet, self._path, self._end = sheet, path, end
        self._group: int | None = None
        self._start = start
        self._find_groups()
        self._columns = self._read_headings()
        self._context = self._read_context(first)

    def questions(self) -> Iterator[SheetQuestion]:
        """The table's questions, row by row."""
        meanings = {column.meaning for column in self._columns}
        if "question" in meanings:
            yield from self._of_rows()
        elif any(column.asks for column in self._columns):
            yield from self._of_cells()
        elif "metric" in meanings and any(meaning_of(column.heading) == "metric" for column in self._columns):
            yield from self._of_list()

    def _find_groups(self) -> None:
        """Two rows of headings: metrics over years, or years over metrics."""
        above, here, below = (self._labels(row) for row in (self._start - 1, self._start, self._start + 1))
        if _is_mixed(here, below) and (
            not self._cell(self._start + 1, 0) or _first_is_key(self._texts(self._start + 1))
        ):
            self._group, self._start = self._start, self._start + 1
        elif _is_mixed(above, here) and any(self._texts(self._start - 1)[1:]):
            self._group = self._start - 1

    def _labels(self, row: int) -> list[str]:
        """Of each labelled cell whether it is a period or a metric, where little else stands in the row.

        A heading that is not known makes the others no less known; beside periods nothing else stands.
        """
        texts = [t for t in self._texts(row) if t]
        kinds = ["period" if is_period(t) else "metric" if read_label(t).is_known else "" for t in texts]
        keys = sum(meaning_of(t) is not None for t in texts)
        known = sum(map(bool, kinds)) + keys
        enough = len(texts) if "period" in kinds else len(texts) / 2 + 1
        return [k for k in kinds if k] if texts and known >= min(enough, len(texts)) else []

    def _texts(self, row: int) -> list[str]:
        return [as_text(cell) for cell in self._sheet.rows[row]] if 0 <= row < len(self._sheet.rows) else []

    def _cell(self, row: int, column: int) -> str:
        texts = self._texts(row)
        return texts[column] if column < len(texts) else ""

    def _read_headings(self) -> list[_Column]:
        headings = self._texts(self._start)
        used = [c for c in range(len(headings)) if headings[c] or any(self._cell(r, c) for r in self._data_rows())]
        columns = [_Column(c, headings[c], meaning_of(headings[c]) if headings[c] else None) for c in used]
        if not any(column.meaning == "question" for column in columns):
            self._read_grid(columns)
        for column in columns:
            is_free = column.meaning is None and not column.asks
            if is_free and (meant := misspelled(column.heading)):
                raise self._wrong(
                    self._start,
                    column.index,
                    f"the heading {column.heading!r} is not known; did you mean {meant!r}?",
                )
        return columns

    def _data_rows(self) -> range:
        return range(self._start + 1, self._end)

    def _read_grid(self, columns: list[_Column]) -> None:
        """Say which column labels the rows, and what the others ask for."""
        keyed = [column for column in columns if column.meaning in ("company", "ticker", "metric")]
        if not keyed and columns and (columns[0].meaning in (None, "other") or not columns[0].heading):
            columns[0].meaning = self._class_of(columns[0].index)
            keyed = columns[:1]
        by_metric = any(column.meaning == "metric" for column in keyed)
        has_company = any(column.meaning in ("company", "ticker") for column in keyed)
        open_columns = [
            c for c in columns if c.meaning is None and c.heading and c.index > _least(keyed or columns)
        ]
        known = any(is_heading(c.heading) for c in open_columns) or has_company or by_metric
        for column in open_columns:
            heading = CellText(column.heading, self._start, column.index)
            if is_period(column.heading):
                column.asks["period"] = heading
            elif by_metric and not has_company and not read_label(column.heading).is_known:
                column.asks["company"] = heading
            elif (
                not by_metric and known and (read_label(column.heading).is_known or self._has_empty(column.index))
            ):
                column.asks["metric"] = heading
            if (
                column.asks
                and self._group is not None
                and (over := self._over(column.index, _least(keyed or columns)))
            ):
                key: Meaning = "period" if is_period(over.text) else "metric"
                column.asks.setdefault(key, over)
        is_list = by_metric and any(column.meaning == "value" for column in columns)
        if is_list and all(set(column.asks) <= {"company"} for column in columns):
            for column in columns:
                column.asks.clear()

    def _over(self, column: int, first: int) -> CellText | None:
        """The upper heading of a column: its own, or the last one to its left, which stands over several."""
        assert self._group is not None
        upper = ((c, self._cell(self._group, c)) for c in range(column, first, -1))
        return next((CellText(text, self._group, c) for c, text in upper if text), None)

    def _class_of(self, index: int) -> Meaning:
        """What an unnamed first column labels its rows with."""
        texts = [text for row in self._data_rows() if (text := self._cell(row, index))]
        metrics = sum(read_label(text).is_known or _SECTION.match(text) is not None for text in texts)
        periods = sum(map(is_period, texts))
        if periods * 2 > len(texts):
            return "period"
        return "metric" if metrics * 2 >= len(texts) and metrics else "company"

    def _has_empty(self, index: int) -> bool:
        return any(self._is_empty(row, index) and any(self._texts(row)) for row in self._data_rows())

    def _is_empty(self, row: int, column: int) -> bool:
        place = (row, column)
        taken = place in self._sheet.uncomputed or place in self._sheet.covered
        return not taken and not self._cell(row, column)

    def _read_context(self, first: int) -> dict[Meaning, CellText]:
        """What the lines above the headings, their corner and the sheet's name say about the whole table."""
        found: dict[Meaning, CellText] = {}
        top = self._start if self._group is None else min(self._start, self._group)
        places = [(row, c) for row in range(top - 1, first - 1, -1) for c in range(len(self._texts(row)))]
        corner = [
            (self._start, c.index) for c in self._columns[:1] if c.meaning in ("company", "metric", "period")
        ]
        for row, column in [*corner, *places]:
            if text := self._cell(row, column):
                self._read_title(text, row, column, found)
        if not _DEFAULT_NAME.match(self._sheet.name):
            self._read_title(self._sheet.name, -1, 0, found)
        return found

    def _read_title(self, text: str, row: int, column: int, found: dict[Meaning, CellText]) -> None:
        name, colon, value = text.partition(":")
        meaning = meaning_of(name)
        if meaning in KEYS:
            named = (
                value.strip()
                if colon and value.strip()
                else self._cell(row, column + 1)
                if row != self._start
                else ""
            )
            if named:
                found.setdefault(meaning, CellText(named, row, column))
            return
        if column and meaning_of(self._cell(row, column - 1).rstrip(":")) in KEYS and row != self._start:
            return
        label = read_label(text)
        if read_unit(text.strip("()[] ")) is not None:
            found.setdefault("unit", CellText(text.strip("()[] "), row, column))
        elif label.is_known and not text.endswith("?"):
            found.setdefault("metric", CellText(text, row, column))
        elif is_period(text):
            found.setdefault("period", CellText(text, row, column))
        elif self._may_name_a_company(row) and (name := _BEHIND_A_NAME.sub("", text).strip()):
            found.setdefault("company", CellText(name, row, column))

    def _may_name_a_company(self, row: int) -> bool:
        """A title may, and the corner of a table of metrics or years."""
        return row != self._start or self._columns[0].meaning in ("metric", "period")

    def _of_rows(self) -> Iterator[SheetQuestion]:
        for row in self._data_rows():
            texts = self._texts_in(row)
            if "question" in texts:
                yield self._sheet_question(row, None, texts)
            elif (cell := self._question_cell(row)) in self._sheet.uncomputed:
                raise self._wrong(*cell, _NO_VALUE)
            elif {"kind", "company", "period", "ticker"} & set(texts) and len(
                [t for t in self._texts(row) if t]
            ) > 1:
                raise self._wrong(*cell, "is empty, and the row has no question")

    def _question_cell(self, row: int) -> tuple[int, int]:
        return row, self._column_of("question")

    def _column_of(self, meaning: Meaning) -> int:
        return next(column.index for column in self._columns if column.meaning == meaning)

    def _of_list(self) -> Iterator[SheetQuestion]:
        for row in self._data_rows():
            texts = self._texts_in(row)
            if _is_footer(texts):
                continue
            if "metric" in texts:
                yield self._sheet_question(row, None, {**self._context_of(texts), **texts})
            elif {"company", "ticker"} & set(texts) and set(texts) - {"company", "ticker"}:
                raise self._wrong(row, self._column_of("metric"), "is empty, and the row has no metric")

    def _of_cells(self) -> Iterator[SheetQuestion]:
        above: dict[int, dict[Meaning, CellText]] = {}
        for row in self._data_rows():
            texts = self._texts_in(row)
            label = next((texts[key] for key in ("company", "metric", "ticker", "period") if key in texts), None)
            if label is None or _is_footer(texts):
                continue
            if "metric" in texts and (key := meaning_of(texts["metric"].text)) is not None and key != "company":
                self._note_row(row, key, above)
                continue
            if label is texts.get("metric") and not read_label(label.text).is_known and _SECTION.match(label.text):
                continue
            for column in self._columns:
                if column.asks and self._is_empty(row, column.index):
                    whole = {
                        **self._context_of(texts | column.asks),
                        **texts,
                        **above.get(column.index, {}),
                        **column.asks,
                    }
                    yield self._sheet_question(row, column.index, whole)

    def _note_row(self, row: int, key: Meaning, above: dict[int, dict[Meaning, CellText]]) -> None:
        """A row of currencies, tickers, units or years over the columns."""
        if key in KEYS:
            for column in self._columns:
                if column.asks and (text := self._cell(row, column.index)):
                    above.setdefault(column.index, {})[key] = CellText(text, row, column.index)

    def _context_of(self, texts: Mapping[Meaning, CellText]) -> dict[Meaning, CellText]:
        """What the titles say; a company or a metric only where neither row nor column names one."""
        return {key: value for key, value in self._context.items() if key not in texts and key != "kind"}

    def _texts_in(self, row: int) -> dict[Meaning, CellText]:
        """What the row's cells say, by the meaning of their columns."""
        texts: dict[Meaning, CellText] = {}
        for column in self._columns:
            meaning = column.meaning
            if meaning not in ("question", *KEYS):
                continue
            text = self._cell(row, column.index)
            if (row, column.index) in self._sheet.uncomputed and meaning != "question":
                raise self._wrong(row, column.index, _NO_VALUE)
            if text in _ERRORS:
                raise self._wrong(row, column.index, f"holds the error {text}")
            if text:
                texts.setdefault(meaning, CellText(text, row, column.index))
        return texts

    def _sheet_question(self, row: int, column: int | None, texts: Mapping[Meaning, CellText]) -> SheetQuestion:
        cell = None if column is None else column + 1
        place = Place(sheet=self._sheet.name, row=row + 1, column=cell, header=self._start + 1)
        columns = {
            one.heading or f"Column {_letter(one.index)}": self._sheet.rows[row][one.index]
            for one in self._columns
            if not one.asks
        }
        return SheetQuestion(question=self._file_question(row, texts), place=place, columns=columns)

    def _file_question(self, row: int, texts: Mapping[Meaning, CellText]) -> FileQuestion:
        period, unit, currency = self._period(texts), self._unit(texts), self._currency(texts)
        company = (texts.get("company") or texts.get("ticker") or CellText("", row, 0)).text
        if "question" in texts:
            kind = self._kind(texts)
            text = self._in_period(lambda: with_period(self._exact(texts["question"]), period), texts)
            question = Question(text=text, kind=kind, company=company or None, currency=currency or unit.currency)
            return FileQuestion(
                question=question, kind_in_file=texts["kind"].text if kind else None, scale=unit.scale
            )
        label = texts.get("metric")
        if label is None:
            raise self._wrong(
                self._start, self._columns[0].index, "names no metric, and no title above the years does"
            )
        if not company:
            raise self._wrong(
                label.row, label.column, f"{label.text!r} is asked of no company: expected {GRID_FORM}"
            )
        read: Label = read_label(label.text)
        question = self._in_period(
            lambda: cell_question(company, label.text, period, currency or unit.currency), texts
        )
        if (kind := self._kind(texts)) is not None:
            question = question.model_copy(update={"kind": kind})
        return FileQuestion(question=question, kind_in_file=question.kind, scale=read.unit.scale or unit.scale)

    def _exact(self, cell: CellText) -> str:
        """The question as it stands in the file, since answers are matched by the exact text."""
        return str(self._sheet.rows[cell.row][cell.column])

    def _in_period(self, compose: Callable[[], T], texts: Mapping[Meaning, CellText]) -> T:
        """What `compose` gives; the cell is named where the question says another period."""
        try:
            return compose()
        except ValueError as error:
            where = texts["period"] if "period" in texts else texts["question"]
            raise self._wrong(where.row, where.column, f"{where.text!r} is another period: {error}") from error

    def _kind(self, texts: Mapping[Meaning, CellText]) -> AnswerKind | None:
        if "kind" not in texts:
            return None
        word = texts["kind"]
        kind = KIND_WORDS.get(word.text.lower())
        if kind is None:
            raise self._wrong(
                word.row,
                word.column,
                f"kind {word.text!r} is not one of {', '.join(KINDS)}; leave it empty to have it inferred",
            )
        return kind

    def _period(self, texts: Mapping[Meaning, CellText]) -> Period | None:
        year, quarter = texts.get("period"), texts.get("quarter")
        text = " ".join(part.text for part in (quarter, year) if part)
        if quarter and re.fullmatch(r"[1-4](?:\.0)?", quarter.text):
            text = f"Q{quarter.text[0]} {year.text if year else ''}".strip()
        if not text or text.lower() in ("latest", "last", "newest", "aktuell", "letztes"):
            return None
        period = read_period(text)
        if period is None:
            where = year or quarter
            assert where is not None
            expected = "expected one such as 2022, FY2022, Q2 2022 or 31.12.2022"
            raise self._wrong(where.row, where.column, f"{where.text!r} is no period; {expected}")
        return period

    def _unit(self, texts: Mapping[Meaning, CellText]) -> Unit:
        if "unit" not in texts:
            return Unit()
        unit = read_unit(texts["unit"].text)
        if unit is None:
            where = texts["unit"]
            raise self._wrong(
                where.row, where.column, f"{where.text!r} is no unit; expected one such as EUR million, USD or %"
            )
        return unit

    def _currency(self, texts: Mapping[Meaning, CellText]) -> str | None:
        if "currency" not in texts:
            return None
        where = texts["currency"]
        code = currency_code(where.text)
        if code is None:
            raise self._wrong(
                where.row,
                where.column,
                f"{where.text!r} is no currency; expected a code of three letters such as EUR",
            )
        return code

    def _wrong(self, row: int, column: int, what: str) -> UsageError:
        return UsageError(f"{self._path}: {cell_name(self._sheet.name, row + 1, column + 1)}: {what}")


_NO_VALUE = (
    "is a formula without a stored value; open the file in a spreadsheet and save it, so that its value is in it"
)


def cell_name(sheet: str, row: int, column: int) -> str:
    """A cell's name for people, such as "cell B7 of 'Peers'"."""
    return f"cell {_letter(column - 1)}{row} of {sheet!r}" if sheet else f"row {row}, column {column}"


def row_name(sheet: str, row: int) -> str:
    """A row's name for people."""
    return f"row {row} of {sheet!r}" if sheet else f"row {row}"


def _letter(index: int) -> str:
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


def _is_mixed(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether two rows of headings are metrics over periods, or periods over metrics."""
    return (
        bool(upper)
        and bool(lower)
        and {frozenset(upper), frozenset(lower)} == {frozenset({"metric"}), frozenset({"period"})}
    )


def _first_is_key(texts: Sequence[str]) -> bool:
    first = next((text for text in texts if text), "")
    return meaning_of(first) in ("company", "ticker")


def _is_footer(texts: Mapping[Meaning, CellText]) -> bool:
    """Whether a row's only label begins a note, a source or a total of the rows above.

    A row with a company and a metric is asked whatever they are called. A metric may have such a word in its name.
    """
    metric, company = texts.get("metric"), texts.get("company") or texts.get("ticker")
    label = company or metric or texts.get("period")
    if label is None or (company and metric) or (found := _FOOTER.match(label.text)) is None:
        return False
    read = read_label(label.text)
    is_of_rows = label is not metric or not found["sum"] or not read.text[found.end("sum") :].strip(" :")
    return is_of_rows and not read.is_known


def _least(columns: Sequence[_Column]) -> int:
    return min((column.index for column in columns), default=-1)

"""Writes a validation set as a workbook for people to fill in, and reads the filled-in workbook."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from app.evaluation.question_sets import DrawnQuestion
from app.files.answer_json import PageRef
from app.files.workbooks import BROKEN_BOOK, new_book, open_book, print_wide, put_link, put_text, saved, style_head
from storage.amounts import parse_figure
from storage.errors import UsageError
from storage.lexicon.words import expression
from storage.records.answers import NOT_AVAILABLE
from storage.records.record import Record

FilledValue = bool | float | str | tuple[str, ...]
COLUMNS = {"question": 74, "kind": 10, "company": 30, "report": 34, "value": 26, "pages": 18, "note": 38}
_TO_FILL = ("value", "pages", "note")
_REPORT_COLUMNS = {"report": 44, "company": 34, "sha1": 44, "pages": 8}
_REPORTS, _HOW = "Reports", "How to fill in"
_GUIDE = (
    "Fill in the yellow columns. A row without a value is left out when answers are scored.",
    "value: a number in full units (3,114,000, not 3.1 million); yes or no; a name as printed; names separated by ;",
    "value: N/A where the report does not say it. Another value that is right too stands behind | (5.2 | 5.25).",
    "pages: of the PDF, counted from 1. Any of them is a right one: 12, 14",
    "pages: of several reports, each with its name: first.pdf 12, 14; second.pdf 3",
    "pages: leave them empty for N/A and no. References are scored when every other answer has its pages.",
    "note: for yourself.",
)
_FILL = PatternFill("solid", fgColor="FFF8DC")
_EDGE = Border(**dict.fromkeys(("left", "right", "top", "bottom"), Side(style="thin", color="D9D9D9")))
_LINE = 15.0  # points
_FULL = 0.9  # wrapped words do not fill whole lines
_FILE_AND_PAGES = expression(r"(?:(?P<file>.{1,400}?) )??(?P<pages>\d{1,5}(?: ?, ?\d{1,5}){0,50})")
_YES = {"yes": True, "true": True, "no": False, "false": False}


class FilledRow(Record):
    """A question with its known answer.

    Attributes:
        answers: any of them is right.
        pools: one set of pages for each report; None where a value was filled in without pages.
    """

    question: str
    kind: str
    company: str | None
    answers: tuple[FilledValue, ...]
    pools: tuple[frozenset[PageRef], ...] | None


def workbook(questions: Sequence[DrawnQuestion], pdf_of: Callable[[str], Path]) -> bytes:
    """A workbook with a row for each question, the reports with the answers, and instructions.

    Args:
        questions: in their order.
        pdf_of: the PDF of a report by its SHA-1, for links.
    """
    book, page = new_book("Questions")
    _head(page, COLUMNS)
    for number, question in enumerate(questions, 2):
        _question_row(page, number, question, pdf_of)
    page.freeze_panes = "B2"
    print_wide(page)
    page.auto_filter.ref = f"A1:{get_column_letter(len(COLUMNS))}{len(questions) + 1}"
    _offer_choices(page, questions)
    _reports_sheet(book.create_sheet(_REPORTS), questions, pdf_of)
    guide = book.create_sheet(_HOW)
    guide.column_dimensions["A"].width = 120
    for number, line in enumerate(_GUIDE, 1):
        guide.cell(number, 1, line)
    return saved(book)


def read_filled(path: Path) -> tuple[FilledRow, ...]:
    """The rows that have a value, in their order.

    Raises:
        UsageError: it is another workbook, nothing is filled in, or a cell is invalid; the message names the row.
    """
    try:
        book = open_book(path, read_only=False, data_only=True)
    except (OSError, *BROKEN_BOOK) as error:
        raise UsageError(f"{path}: cannot be read as a workbook: {error}") from error
    sha1_of = dict(_known_reports(book))
    found = []
    for number, cells in _cells(book.worksheets[0], path):
        where = f"{path}: row {number}"
        if not _cell_text(cells.get("value")):
            continue
        found.append(_filled(cells, sha1_of, where))
    if not found:
        raise UsageError(f"{path}: no row has a value; fill in the columns `value` and `pages`")
    return tuple(found)


def _question_row(page: Worksheet, number: int, question: DrawnQuestion, pdf_of: Callable[[str], Path]) -> None:
    files = "; ".join(report.file for report in question.reports)
    texts = [question.text, question.kind, "; ".join(question.companies), files]
    for column, text in enumerate([*texts, *("" for _ in _TO_FILL)], 1):
        cell = page.cell(number, column)
        if text:
            put_text(cell, text)
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        cell.border = _EDGE
        if column > len(texts):
            cell.fill = _FILL
    lines = max(
        math.ceil(len(text) / (width * _FULL)) for text, width in zip(texts, COLUMNS.values(), strict=False)
    )
    page.row_dimensions[number].height = (
        max(1, lines) * _LINE + 3
    )  # not every program adjusts the height of rows to wrapped text
    page.cell(
        number, list(COLUMNS).index("pages") + 1
    ).number_format = "@"  # "12, 14" must not become a decimal number
    if len(question.reports) == 1:
        put_link(page.cell(number, len(texts)), pdf_of(question.reports[0].sha1).absolute().as_uri())


def _offer_choices(page: Worksheet, questions: Sequence[DrawnQuestion]) -> None:
    choices = DataValidation(type="list", formula1='"yes,no,N/A"', allow_blank=True)
    column = get_column_letter(list(COLUMNS).index("value") + 1)
    for number, question in enumerate(questions, 2):
        if question.kind == "boolean":
            choices.add(f"{column}{number}")
    if choices.sqref:
        page.add_data_validation(choices)


def _reports_sheet(page: Worksheet, questions: Sequence[DrawnQuestion], pdf_of: Callable[[str], Path]) -> None:
    _head(page, _REPORT_COLUMNS)
    reports = {report.sha1: report for question in questions for report in question.reports}
    for number, report in enumerate(sorted(reports.values(), key=lambda r: (r.company, r.file)), 2):
        for column, value in enumerate([report.file, report.company, report.sha1, report.page_count], 1):
            cell = page.cell(number, column, value)
            cell.data_type = "s" if isinstance(value, str) else "n"
        put_link(page.cell(number, 1), pdf_of(report.sha1).absolute().as_uri())


def _head(page: Worksheet, columns: Mapping[str, int]) -> None:
    for column, (name, width) in enumerate(columns.items(), 1):
        style_head(page.cell(1, column, name))
        page.column_dimensions[get_column_letter(column)].width = width


def _cells(page: Worksheet, path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    rows = page.iter_rows(values_only=True)
    columns = [str(name or "").strip().lower() for name in next(rows, ())]
    lacking = [name for name in ("question", "kind", "value") if name not in columns]
    if lacking:
        raise UsageError(f"{path}: expected the columns {', '.join(COLUMNS)}; found no {', '.join(lacking)}")
    for number, cells in enumerate(rows, 2):
        row = dict(zip(columns, cells, strict=False))
        if _cell_text(row.get("question")):
            yield number, row


def _known_reports(book: Workbook) -> Iterator[tuple[str, str]]:
    """The file names and SHA-1s in the workbook's list."""
    if _REPORTS in book.sheetnames:
        for file, _company, sha1, *_ in book[_REPORTS].iter_rows(min_row=2, values_only=True):
            if file and sha1:
                yield str(file), str(sha1)


def _filled(cells: Mapping[str, object], sha1_of: Mapping[str, str], where: str) -> FilledRow:
    kind = _cell_text(cells.get("kind")).lower()
    value = cells.get("value")
    parts = [part for part in _cell_text(value).split("|") if part.strip()] if isinstance(value, str) else [value]
    answers = tuple(_value(part, kind, where) for part in parts)
    files = [name.strip() for name in _cell_text(cells.get("report")).split(";") if name.strip()]
    pools = tuple(_pools(cells.get("pages"), files, sha1_of, where))
    has_no_place = all(answer is False or answer == NOT_AVAILABLE for answer in answers)
    return FilledRow(
        question=str(cells["question"]),
        kind=kind,
        company=_cell_text(cells.get("company")) or None,
        answers=answers,
        pools=() if NOT_AVAILABLE in answers and has_no_place else pools or (() if has_no_place else None),
    )


def _value(cell: object, kind: str, where: str) -> FilledValue:
    text = _cell_text(cell)
    if text.lower() in ("n/a", "na", "n.a."):
        return NOT_AVAILABLE
    if kind == "number":
        number = cell if isinstance(cell, int | float) and not isinstance(cell, bool) else parse_figure(text)
        if number is None:
            raise UsageError(f"{where}: the value {text!r} is no number; expected one such as 3114000, or N/A")
        return float(number)
    if kind == "boolean":
        if text.lower() not in _YES:
            raise UsageError(f"{where}: the value {text!r} is neither yes nor no")
        return _YES[text.lower()]
    if kind == "names":
        return tuple(name.strip() for name in text.split(";") if name.strip())
    return text


def _pools(
    cell: object, files: Sequence[str], sha1_of: Mapping[str, str], where: str
) -> Iterator[frozenset[PageRef]]:
    """One set of pages for each report that the cell names."""
    if isinstance(cell, float) and not cell.is_integer():
        raise UsageError(
            f"{where}: the pages {cell} were taken for a decimal number; write them as a text: 12, 14"
        )
    text = str(int(cell)) if isinstance(cell, float) else _cell_text(cell)
    expected = "expected pages such as 12, 14, or of several reports first.pdf 12; second.pdf 3"
    for part in (" ".join(piece.split()) for piece in text.split(";") if piece.strip()):
        match = _FILE_AND_PAGES.fullmatch(part)
        if match is None:
            raise UsageError(f"{where}: the pages {part!r} cannot be understood; {expected}")
        file = match["file"] or (files[0] if len(files) == 1 else None)
        if file is None:
            raise UsageError(f"{where}: {part!r} does not say of which report; {expected}")
        if file not in sha1_of:
            raise UsageError(f"{where}: there is no report {file!r} on the sheet {_REPORTS!r}")
        yield frozenset((sha1_of[file], int(page)) for page in match["pages"].split(","))


def _cell_text(cell: object) -> str:
    return "" if cell is None else str(cell).strip()

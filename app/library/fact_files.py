"""The fact table as a file: a workbook, CSV or JSON."""

import csv
import datetime as dt
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from app.files.workbooks import Computed, harmless, head, new_book, put_formula, put_link, put_text, saved
from app.library.fact_sheet import EventRow, FactRow, FactSheet, OfficerRow, Place
from storage.errors import UsageError
from storage.files import write_atomically
from storage.records.answers import Verdict
from storage.records.derived_metrics import Formula
from storage.records.facts import Confidence, FactCheckName

MARKS: dict[Verdict, str] = {"passed": "✓", "failed": "✗", "not_applicable": "·"}
_DOUBT: dict[Confidence, PatternFill | None] = {
    "high": None,
    "medium": PatternFill("solid", fgColor="FFF6D6"),
    "low": PatternFill("solid", fgColor="FBDDCB"),
}
_NOTE = (
    "Values are in full units. Cells open the report's page. White: high confidence; yellow: medium; red: low. "
    "Calculated figures are formulas over the cells above them."
)


def write_facts(sheet: FactSheet, path: Path) -> None:
    """Write the table in the form of the file's suffix.

    Raises:
        UsageError: the suffix is unknown.
    """
    writers: dict[str, Callable[[FactSheet], bytes]] = {".xlsx": fact_book, ".csv": _csv, ".json": _json}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise UsageError(f"--out {str(path)!r} has no known ending; expected .xlsx, .csv or .json")
    write_atomically(path.absolute(), writer(sheet))


def checks_text(checks: dict[FactCheckName, Verdict]) -> str:
    """The checks with their marks."""
    return "  ".join(f"{MARKS[verdict]} {name.replace('_', ' ')}" for name, verdict in checks.items())


def _json(sheet: FactSheet) -> bytes:
    return (json.dumps(sheet.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n").encode()


def _csv(sheet: FactSheet) -> bytes:
    buffer = io.StringIO()
    names = [n for n in FactRow.model_fields if n not in ("checks", "operands", "boxes", "neighbours")]
    writer = csv.writer(buffer)
    writer.writerow([*names, "checks", "neighbours"])
    for row in sheet.facts:
        values = [getattr(row, name) for name in names]
        texts = [checks_text(row.checks), harmless("; ".join(map(str, row.neighbours)))]
        writer.writerow([*(harmless(v) if isinstance(v, str) else v for v in values), *texts])
    return buffer.getvalue().encode("utf-8-sig")  # the mark shows spreadsheets that it is UTF-8


def fact_book(sheet: FactSheet) -> bytes:
    """The workbook's content: a row for each metric, whose figures open their pages; officers and events."""
    book, first = new_book("Facts")
    computed: Computed = {}
    _fill_facts(first, sheet, computed)
    if sheet.officers:
        _fill_officers(book.create_sheet("Officers"), sheet.officers)
    if sheet.events:
        _fill_events(book.create_sheet("Events"), sheet.events)
    return saved(book, computed)


def _fill_facts(page: Worksheet, sheet: FactSheet, computed: Computed) -> None:
    years, groups = sheet.columns(), list(sheet.by_metric())
    printed = {
        (
            row.company,
            row.metric,
            row.period_end,
            row.value,
        ): f"{get_column_letter(4 + years.index(row.label))}{at}"
        for at, rows in enumerate(groups, 2)
        for row in rows
        if row.label and not row.formula
    }
    widths = [30, 34, 16, *([17] * len(years)), 13, 7, 12, 34, 52, 28, 60]
    tail = ["Period to", "Page", "Confidence", "Checks", "Row as printed", "Report", "Not to be confused with"]
    head(page, ["Company", "Metric", "Unit", *years, *tail], widths, len(groups))
    for number, rows in enumerate(groups, 2):
        latest = rows[0]
        texts = [latest.company, latest.title, latest.unit]
        for column, text in enumerate(texts, 1):
            put_text(page.cell(number, column), text)
        for row in rows:
            if row.label:
                cell = page.cell(number, 4 + years.index(row.label))
                _value(cell, row)
                if row.formula:
                    put_formula(cell, _live(row, printed), row.value, computed)
        beside = "; ".join(map(str, latest.neighbours))
        details = [latest.confidence, checks_text(latest.checks), latest.row_label, latest.file, beside]
        start = 4 + len(years)
        period = page.cell(number, start, latest.period_end)
        period.number_format = "yyyy-mm-dd"
        put_link(page.cell(number, start + 1, latest.page), latest.link)
        for column, text in enumerate(details, start + 2):
            put_text(page.cell(number, column), text)
    page.freeze_panes = "C2"
    put_text(page.cell(page.max_row + 2, 1), _NOTE)


_Cells = Mapping[tuple[str, str, dt.date | None, int | float], str]


def _live(row: FactRow, printed: _Cells) -> str:
    """The formula of a calculated figure over the cells of its operands; one without a cell is written as a number."""
    cells = {
        (o.metric, o.moment): printed.get((row.company, o.metric, o.period_end, o.value), repr(o.value))
        for o in row.operands
    }
    text = Formula(row.formula).written(lambda metric, moment: cells.get((metric, moment), ""))
    text = re.sub(r"\|([^|]+)\|", r"ABS(\1)", text).replace("×", "*")
    return f"=({text})*100" if row.unit == "%" else f"={text}"


def _fill_officers(page: Worksheet, rows: Sequence[OfficerRow]) -> None:
    head(
        page,
        ["Company", "Role", "Name", "Title as printed", "Page", "Confidence"],
        [30, 18, 30, 44, 7, 12],
        len(rows),
    )
    for number, row in enumerate(rows, 2):
        _line(page, number, [row.company, row.role, row.name, row.title], row)


def _fill_events(page: Worksheet, rows: Sequence[EventRow]) -> None:
    head(
        page, ["Company", "Event", "About", "Sentence", "Page", "Confidence"], [30, 18, 24, 110, 7, 12], len(rows)
    )
    for number, row in enumerate(rows, 2):
        _line(page, number, [row.company, row.kind, row.about, row.quote], row)
        page.cell(number, 4).alignment = Alignment(wrap_text=True, vertical="top")


def _line(page: Worksheet, number: int, texts: Sequence[str], place: Place) -> None:
    for column, text in enumerate(texts, 1):
        put_text(page.cell(number, column), text)
    put_link(page.cell(number, len(texts) + 1, place.page), place.link)
    cell = page.cell(number, len(texts) + 2)
    put_text(cell, place.confidence)
    _doubt(cell, place.confidence)


def _value(cell: Cell, row: FactRow) -> None:
    cell.value = row.value
    cell.number_format = "#,##0" if isinstance(row.value, int) and row.unit != "%" else "#,##0.00##"
    put_link(cell, row.link)
    _doubt(cell, row.confidence)


def _doubt(cell: Cell, confidence: Confidence) -> None:
    fill = _DOUBT[confidence]
    if fill is not None:
        cell.fill = fill

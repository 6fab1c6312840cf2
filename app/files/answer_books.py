"""Answers as a workbook: a row for each answer, its parts with their formulas, and the cited pages."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.chart import BarChart, LineChart, Reference, Series
from openpyxl.chart.legend import Legend
from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet
from pydantic import JsonValue

from app.files.answer_json import Given, Row, carried_columns, state_of, table_row, unit_text
from app.files.figure_tables import SourceOf, cell_formula
from app.files.filled_books import fill_in
from app.files.questions import QuestionFile
from app.files.sheets import FileQuestion
from app.files.workbooks import (
    STATES,
    CellValue,
    Computed,
    fit_rows,
    head,
    new_book,
    number_format,
    open_book,
    put_formula,
    put_link,
    put_text,
    put_value,
    read_sheet,
    saved,
    state_fill,
)
from storage.errors import UsageError
from storage.records.answers import Answer, Citation

ANSWERS, PARTS, SOURCES, COLOURS = "Answers", "Parts", "Sources", "Colours"
# Column → heading and width.
_COLUMNS: dict[str, tuple[str, int]] = {
    "question": ("Question", 62),
    "kind": ("Kind", 11),
    "company": ("Company", 28),
    "value": ("Value", 26),
    "unit": ("Unit", 12),
    "period_end": ("Period to", 12),
    "reason": ("Reason", 16),
    "nearest": ("Nearest figure", 16),
    "nearest_unit": ("Unit of it", 11),
    "nearest_detail": ("How it differs", 44),
    "explanation": ("Explanation", 60),
    "pages": ("Pages", 16),
    "checks": ("Checks", 44),
    "quotes": ("Quotes", 60),
    "currency": ("Currency", 9),
    "scale": ("Scale", 10),
    "printed": ("As printed", 14),
    "formula": ("Formula", 36),
    "candidates": ("Candidates", 36),
    "requests": ("Requests", 9),
    "cost_usd": ("Cost (USD)", 11),
    "cached": ("Cached", 8),
    "seconds": ("Seconds", 9),
    "profile": ("Profile", 12),
    "error": ("Error", 40),
}
_LAST_PRINTED = "pages"
_WRAPPED = ("question", "nearest_detail", "explanation", "quotes", "checks")
_LONGEST_FIGURE = 24  # characters; a longer value is names or a sentence
_SOURCE_COLUMNS = {
    "answer": ("Answer", 8),
    "company": ("Company", 28),
    "report": ("Report", 36),
    "page": ("Page", 7),
    "quote": ("Quote", 110),
    "file": ("File", 44),
}
_PART_COLUMNS = {
    "answer": ("Answer", 8),
    "role": ("Role", 10),
    "company": ("Company", 30),
    "name": ("What", 44),
    "period": ("Period to", 12),
    "value": ("Value", 20),
    "unit": ("Unit", 14),
    "page": ("Page", 8),
    "report": ("Report", 36),
    "reason": ("Reason", 18),
    "quote": ("Quote", 70),
    "file": ("File", 44),
}
_MEANINGS = {
    "passed": "Every check that applies is passed.",
    "unchecked": "No check applies: look at the page.",
    "failed": "A check is failed: do not rely on it.",
    "missing": "N/A: the column Reason says why.",
    "error": "The question failed: the column Error says why; ask again with --resume.",
}


def book_row(answer: Answer, error: str | None, source_of: SourceOf) -> Row:
    """A table's row, and under `sources` each cited page once, with a link that opens the PDF there."""
    cited: dict[tuple[str, int], Citation] = {}
    for citation in answer.citations:
        cited.setdefault((citation.report_sha1, citation.page), citation)
    sources: list[Row] = [
        {
            "report": source_of(citation).report,
            "file": citation.file,
            "page": citation.page,
            "quote": citation.quote,
            "link": source_of(citation).link,
        }
        for citation in cited.values()
    ]
    return table_row(answer, error) | {"sources": [*sources], "parts": [*_parts(answer, source_of)]}


def _parts(answer: Answer, source_of: SourceOf) -> Iterator[JsonValue]:
    """The parts of a comparison, and the figures that a calculated value rests on."""
    for operand in answer.operands:
        currency = operand.unit.currency if operand.unit else None
        period = operand.period.isoformat() if operand.period else ""
        texts = {"name": operand.name, "company": answer.company or "", "period": period, "unit": currency or ""}
        yield _part("operand", operand.value, texts, operand.citation, source_of)
    for part in answer.parts:
        end = part.unit.period_end.isoformat() if part.unit and part.unit.period_end else ""
        metrics = part.understood.metrics if part.understood else ()
        texts = {
            "name": ", ".join(metrics) or part.question,
            "company": part.company or "",
            "period": end or part.period,
            "unit": unit_text(part),
            "reason": part.reason or "",
        }
        value = "; ".join(part.value) if isinstance(part.value, tuple) else part.value
        yield _part("part", value, texts, part.citations[0] if part.citations else None, source_of)


def _part(
    role: str, value: JsonValue, texts: dict[str, str], citation: Citation | None, source_of: SourceOf
) -> JsonValue:
    part: Row = {**{key: "" for key in _PART_COLUMNS if key != "answer"}, **texts, "role": role, "value": value}
    if citation is None:
        return part
    report = source_of(citation).report
    return part | {"page": citation.page, "report": report, "file": citation.file, "quote": citation.quote}


def as_book(answered: Sequence[tuple[FileQuestion, Row]], source: QuestionFile | None = None) -> bytes:
    """The workbook's content: a workbook of questions with its answers beside them, and then our own sheets."""
    rows = [row for _, row in answered]
    is_filled_in = source is not None and source.has_places
    book = fill_in(source, answered) if source is not None and is_filled_in else new_book(ANSWERS)[0]
    given = () if source is None else source.given_for([question for question, _ in answered])
    computed: Computed = {}
    _fill_answers(_own_sheet(book, ANSWERS), rows, given)
    if any(row.get("parts") for row in rows):
        _fill_parts(_own_sheet(book, PARTS), rows, computed)
    _fill_sources(_own_sheet(book, SOURCES), rows)
    legend = _own_sheet(book, COLOURS)
    for number, state in enumerate(STATES, 1):
        legend.cell(number, 1).fill = state_fill(state)
        put_text(legend.cell(number, 2), _MEANINGS[state])
    legend.column_dimensions["B"].width = 80
    return saved(book, computed)


def _own_sheet(book: Workbook, name: str) -> Worksheet:
    """An empty sheet of ours, at its place if the book has it; a sheet of somebody else's is never touched."""
    own = own_name(book, name)
    if own in book.sheetnames:
        place = book.sheetnames.index(own)
        book.remove(book[own])
        return book.create_sheet(own, place)
    return book.create_sheet(own)


def own_name(book: Workbook, name: str) -> str:
    """What our sheet of this name is called in a book that may have one of its own."""
    return name if name not in book.sheetnames or _is_ours(book[name]) else f"Pageproof {name.lower()}"


def _is_ours(sheet: Worksheet) -> bool:
    titles = [cell.value for cell in sheet[1]]
    ours = {
        ANSWERS: {"Value", "Checks", "Quotes", "As printed"},
        PARTS: {"Answer", "Role", "What"},
        SOURCES: {"Answer", "Report", "Quote"},
        COLOURS: {_MEANINGS["passed"]},
    }
    is_blank = sheet.max_row == 1 and titles in ([], [None])
    return is_blank or ours.get(sheet.title, set()) <= set(titles)


def book_rows(path: Path) -> list[Row]:
    """The rows of such a workbook, with their sources.

    Raises:
        UsageError: it is not such a workbook.
    """
    read_sheet(path)  # a file that is no workbook is refused there
    book = open_book(path)
    answers, sources = own_name(book, ANSWERS), own_name(book, SOURCES)
    if not {answers, sources} <= set(book.sheetnames):
        raise UsageError(f"{path}: expected a workbook of answers with the sheets {ANSWERS!r} and {SOURCES!r}")
    keys = {title: key for key, (title, _) in _COLUMNS.items()}
    titles = [str(cell.value) for cell in book[answers][1]]
    if missing := keys.keys() - set(titles):
        raise UsageError(f"{path}: the sheet {ANSWERS!r} has no column {min(missing)!r}")
    rows: list[Row] = []
    for cells in book[answers].iter_rows(min_row=2, values_only=True):
        row: Row = {keys[t]: _read(cell) for t, cell in zip(titles, cells, strict=True) if t in keys}
        rows.append(row | {"sources": [], "parts": []})
    _append(rows, "sources", _read_sources(book[sources]))
    if (parts := own_name(book, PARTS)) in book.sheetnames:
        _append(rows, "parts", _read_parts(book[parts]))
    return rows


def _append(rows: list[Row], key: str, found: Iterator[tuple[int, Row]]) -> None:
    """Put what belongs to an answer, by its number from 1, into its row."""
    for number, item in found:
        if 1 <= number <= len(rows):
            items = rows[number - 1][key]
            assert isinstance(items, list)
            items.append(item)


def _fill_answers(page: Worksheet, rows: Sequence[Row], given: Sequence[Given]) -> None:
    names = carried_columns(rows, given)
    titles = [title for title, _ in _COLUMNS.values()]
    taken = {heading: f"{name} (given)" if name in titles else name for heading, name in names.items()}
    widths = [width for _, width in _COLUMNS.values()]
    head(page, [titles[0], *taken.values(), *titles[1:]], [widths[0], *[18] * len(taken), *widths[1:]], len(rows))
    for number, row in enumerate(rows, 2):
        for column, heading in enumerate(taken, 2):
            put_value(page.cell(number, column), given[number - 2].get(heading))
        for order, key in enumerate(_COLUMNS):
            cell = page.cell(number, order + 1 + (len(taken) if order else 0))
            _put_answer(cell, key, row)
            is_words = key == "value" and len(str(row.get(key) or "")) > _LONGEST_FIGURE
            if key in _WRAPPED or is_words:
                cell.alignment = Alignment(wrap_text=True, vertical="top")
            else:
                cell.alignment = Alignment(vertical="top", horizontal="right" if key == "value" else None)
    fit_rows(page)
    page.freeze_panes = "B2"
    last = list(_COLUMNS).index(_LAST_PRINTED) + 1 + len(taken)
    page.print_area = f"A1:{get_column_letter(last)}{len(rows) + 1}"  # on one page's width, so not all of them


def _put_answer(cell: Cell, key: str, row: Row) -> None:
    value = row.get(key)
    if key in ("value", "nearest"):
        unit = row.get("unit" if key == "value" else "nearest_unit")
        put_value(cell, value, str(unit or ""), is_named=False)
    elif key in ("scale", "cost_usd", "seconds", "requests", "cached"):
        put_value(cell, value)
    elif key == "period_end" and value:
        cell.value, cell.number_format = dt.date.fromisoformat(str(value)), "yyyy-mm-dd"
    elif value not in (None, ""):
        put_text(cell, str(value))
    if key == "value":
        cell.fill = state_fill(state_of(row))
    is_figure = len(str(row.get("value") or "")) <= _LONGEST_FIGURE  # a linked sentence is not wrapped everywhere
    if (key == "pages" or (key == "value" and is_figure)) and (link := _first_link(row)):
        put_link(cell, link)


def _fill_parts(page: Worksheet, rows: Sequence[Row], computed: Computed) -> None:
    """A row for each part and operand, under them the formula of the value, and a chart of figures of one unit."""
    count = sum(len(_dicts(row, "parts")) for row in rows)
    head(page, [t for t, _ in _PART_COLUMNS.values()], [w for _, w in _PART_COLUMNS.values()], count)
    line, charts = 2, 0
    for number, row in enumerate(rows, 1):
        parts, first = _dicts(row, "parts"), line
        for part in parts:
            for column, key in enumerate(_PART_COLUMNS, 1):
                value = number if key == "answer" else part.get(key)
                put_value(
                    page.cell(line, column),
                    value,
                    str(part.get("unit") or "") if key == "value" else "",
                    is_named=False,
                )
            line += 1
        if parts and (formula := _formula(row, parts, first)):
            page.cell(line, 1, number)
            put_text(page.cell(line, 2), "result")
            put_text(page.cell(line, 4), str(row.get("formula") or "the highest"))
            result = page.cell(line, 6)
            put_formula(result, formula, row.get("value"), computed)
            result.number_format = number_format(row.get("value"), str(row.get("unit") or ""), is_named=False)
            put_text(page.cell(line, 7), str(row.get("unit") or ""))
            line += 1
        if (chart := _chart(page, row, parts, first)) is not None:
            page.add_chart(chart, f"M{2 + charts * 18}")
            charts += 1


def _formula(row: Row, parts: Sequence[Row], first: int) -> str:
    """The value as a formula over the operands' cells; empty where the words of the formula are no such thing."""
    operands = [(n, part) for n, part in enumerate(parts) if part.get("role") == "operand"]
    named = [(str(part["name"]), str(part.get("period") or "")[:4]) for _, part in operands]
    places = [f"F{first + n}" for n, _ in operands]
    return cell_formula(str(row.get("formula") or ""), named, places, str(row.get("unit") or ""))


_LEAST_POINTS = 3


def _chart(page: Worksheet, row: Row, parts: Sequence[Row], first: int) -> LineChart | BarChart | None:
    """A line over the periods of one company, or bars of several companies, side by side for each period.

    None where there are too few figures, or figures of several units, or one between two others is missing.
    """
    drawn = [n for n, part in enumerate(parts) if isinstance(part.get("value"), int | float)]
    if len(drawn) < _LEAST_POINTS or any(part.get("role") != "part" for part in parts):
        return None
    places = {(part.get("company"), part.get("period") or n) for n, part in enumerate(parts)}
    if len({parts[n].get("unit") for n in drawn}) > 1 or len(places) < len(parts):
        return None
    companies = list(dict.fromkeys(part.get("company") for part in parts))
    periods = len(parts) // len(companies)
    is_grid = len(companies) > 1 and periods > 1
    if is_grid and [part.get("company") for part in parts] != [c for c in companies for _ in range(periods)]:
        return None
    start, end = (0, len(parts) - 1) if len(companies) > 1 else (drawn[0], drawn[-1])
    if len(companies) == 1 and end - start + 1 > len(drawn):
        return None  # a line would fall to nothing there
    chart = LineChart() if len(companies) == 1 else BarChart()
    for group in range(len(companies) if is_grid else 1):
        top = first + start + group * periods
        bottom = top + periods - 1 if is_grid else first + end
        series = Series(
            Reference(page, min_col=_VALUE, min_row=top, max_row=bottom), title=_title(companies, group)
        )
        chart.series.append(series)
    labels = _PERIOD if is_grid or len(companies) == 1 else _COMPANY
    if is_grid:  # the labels are those of a company with a figure for every period, where there is one
        whole = (top for top in range(0, len(parts), periods) if set(range(top, top + periods)) <= set(drawn))
        start = next(whole, 0)
        end = start + periods - 1
    chart.set_categories(Reference(page, min_col=labels, min_row=first + start, max_row=first + end))
    chart.title = str(row.get("question") or "")[:80]
    chart.legend = Legend() if is_grid else None
    chart.y_axis.title = str(parts[drawn[0]].get("unit") or "")
    chart.y_axis.delete = chart.x_axis.delete = False
    chart.height, chart.width = 8, 16
    return chart


_COMPANY, _PERIOD, _VALUE = (list(_PART_COLUMNS).index(key) + 1 for key in ("company", "period", "value"))


def _title(companies: Sequence[JsonValue], number: int) -> str:
    return str(companies[number] or "")


def _read_parts(page: Worksheet) -> Iterator[tuple[int, Row]]:
    for cells in _rows_of(page, _PART_COLUMNS):
        part: Row = {key: _read(cells[key].value) if key in cells else "" for key in _PART_COLUMNS}
        number = part.pop("answer")
        if isinstance(number, int) and part["role"] in ("part", "operand"):
            yield number, part


def _fill_sources(page: Worksheet, rows: Sequence[Row]) -> None:
    lines = [(number, row, source) for number, row in enumerate(rows, 1) for source in _dicts(row, "sources")]
    head(page, [t for t, _ in _SOURCE_COLUMNS.values()], [w for _, w in _SOURCE_COLUMNS.values()], len(lines))
    for line, (number, row, source) in enumerate(lines, 2):
        shown: Row = {**source, "answer": number, "company": row.get("company")}
        for column, key in enumerate(_SOURCE_COLUMNS, 1):
            cell, value = page.cell(line, column), shown.get(key)
            if isinstance(value, int):
                cell.value = value
            else:
                put_text(cell, str(value or ""))
            if key == "page" and source["link"]:
                put_link(cell, str(source["link"]))


def _dicts(row: Row, key: str) -> list[Row]:
    found = row.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _first_link(row: Row) -> str:
    return next((str(source["link"]) for source in _dicts(row, "sources")), "")


def _read_sources(page: Worksheet) -> Iterator[tuple[int, Row]]:
    for cells in _rows_of(page, _SOURCE_COLUMNS):
        source: Row = {
            key: _read(cells[key].value) if key in cells else "" for key in ("report", "file", "page", "quote")
        }
        linked = cells["page"].hyperlink
        place = linked.location if linked else None
        source["link"] = f"{linked.target}#{place}" if linked and place else linked.target if linked else ""
        number = cells["answer"].value
        if isinstance(number, int):
            yield number, source


def _rows_of(page: Worksheet, columns: Mapping[str, tuple[str, int]]) -> Iterator[dict[str, Cell]]:
    """The cells of each row by what they hold; a workbook of an earlier version has fewer columns."""
    titles = {title: key for key, (title, _) in columns.items()}
    keys = [titles.get(str(cell.value)) for cell in page[1]]
    for row in page.iter_rows(min_row=2):
        yield {key: cell for key, cell in zip(keys, row, strict=True) if key and isinstance(cell, Cell)}


def _read(value: CellValue | dt.datetime) -> bool | int | float | str:
    if value is None:
        return ""
    return value.date().isoformat() if isinstance(value, dt.datetime) else value

"""An answer in the forms of files: `ask --json`, plain text, an item of the challenge's submission, a table's row."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from app.files.questions import parse_json, read_text
from app.files.sheets import FileQuestion
from app.files.workbooks import CellValue, inert
from storage.errors import UsageError
from storage.records.answers import NOT_AVAILABLE, Answer, Citation
from storage.records.record import Record

PageRef = tuple[str, int]
"""A report's SHA-1 and a page number (1-based)."""
Row = dict[str, JsonValue]
Given = Mapping[str, CellValue]
"""What a file of questions says beside a question, by its headings."""


class Submission(Record):
    """The sender and the name of a submission to the challenge."""

    team_email: str = ""
    submission_name: str = ""


def answer_json(answer: Answer) -> Row:
    """The object of `ask --json`.

    A comparison adds `parts`, one such object for each company or year, and the `series` of their figures; a calculated
    figure adds `formula` and `operands`; one that is easily taken for another adds `neighbours`; where only reading can
    answer there are `nearest_passages`; an answer from the cache adds `cached`.
    """
    unsaid = {"pages", "parts", "series"} if answer.cached else {"pages", "parts", "series", "cached"}
    unsaid |= set() if answer.formula else {"formula", "operands"}
    unsaid |= {name for name in ("neighbours", "nearest_passages") if not getattr(answer, name)}
    row: Row = _without_empty_measures(answer.model_dump(mode="json", exclude=unsaid)) | {"value": _value(answer)}
    if answer.kind == "comparative" or answer.parts:
        row["parts"] = [answer_json(part) for part in answer.parts]
    if series := _series(answer):
        row["series"] = series
    return row


def _series(answer: Answer) -> list[JsonValue]:
    """The figures of a question about several companies, metrics or years, in its order; empty where there is none.

    One that is missing has the value "N/A" and its `reason`.
    """
    points: list[JsonValue] = []
    for figure in answer.series:
        unit = figure.unit.model_dump(mode="json", exclude_none=True) if figure.unit else None
        points.append(figure.model_dump(mode="json") | {"value": _plain(figure.value), "unit": unit})
    return points


def _without_empty_measures(row: Row) -> Row:
    """The object with `measure` only in the units of ratios, percentages and times."""
    units = [row.get("unit"), *(o.get("unit") for o in _list(row.get("operands")) if isinstance(o, dict))]
    for unit in units:
        if isinstance(unit, dict) and unit.get("measure") is None:
            unit.pop("measure", None)
    return row


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def citation_line(number: int, citation: Citation) -> str:
    """A citation for people: its number, file, page and words."""
    return f"[{number}] {citation.file}, page {citation.page}: “{citation.quote}”"


def answer_text(answer: Answer) -> str:
    """An answer as text: the value, what it rests on, and its pages."""
    lines = [answer.value_text if answer.is_available else str(answer)]
    head = " · ".join(filter(None, (answer.company, answer.period, answer.filing)))
    lines += [head] if head else []
    lines += [f"= {answer.formula}"] if answer.formula else []
    lines += [f"{part.company or part.period or part.question}: {part}" for part in answer.parts]
    lines += [citation_line(n, c) for n, c in enumerate(answer.citations, 1)]
    lines += [f"not: {near}" for near in answer.neighbours]
    failed = [check for check in answer.checks if check.verdict == "failed"]
    lines += [f"check failed: {check.name} ({check.detail})" for check in failed]
    if answer.nearest:
        near = answer.nearest
        lines.append(f"nearest: {near.shown}, page {near.page}, “{near.quote}”: {near.detail}")
    lines += [citation_line(n, near.citation) for n, near in enumerate(answer.nearest_passages, 1)]
    lines += [text for text in (answer.summary, answer.remark) if text]
    lines += [f"nearest names: {'; '.join(answer.candidates)}"] if answer.candidates else []
    return "\n".join(lines)


def submission_item(question: FileQuestion, answer: Answer) -> Row:
    """One answer of the challenge's submission: the kind in the file's word, each page once and 0-based."""
    pages = dict.fromkeys((citation.report_sha1, citation.page - 1) for citation in answer.citations)
    return {
        "question_text": question.question.text,
        "kind": question.kind_in_file or answer.kind,
        "value": _value(answer),
        "references": [{"pdf_sha1": sha1, "page_index": index} for sha1, index in pages],
    }


def table_row(answer: Answer, error: str | None = None) -> Row:
    """A table's row: every cell a text, a number, a yes/no, or empty.

    Pages are the cited ones, with the file's name if there are several reports.
    """
    value = _value(answer)
    unit, usage, near = answer.unit, answer.usage, answer.nearest
    return {
        "question": answer.question,
        "kind": answer.kind,
        "company": answer.company or "",
        "value": "; ".join(map(str, value)) if isinstance(value, list) else value,
        "currency": (unit and unit.currency) or "",
        "scale": unit.scale if unit else "",
        "printed": unit.printed if unit else "",
        "period_end": unit.period_end.isoformat() if unit and unit.period_end else "",
        "reason": answer.reason or "",
        "pages": _pages(answer.citations),
        "quotes": " | ".join(dict.fromkeys(citation.quote for citation in answer.citations)),
        "checks": "; ".join(f"{check.name} {check.verdict}" for check in answer.checks),
        "requests": usage.requests,
        "cost_usd": "" if usage.cost_usd is None else round(usage.cost_usd, 6),
        "cached": answer.cached,
        "seconds": round(answer.seconds, 2),
        "profile": answer.profile,
        "error": error or "",
        "unit": unit_text(answer),
        "explanation": answer.summary or answer.remark,
        "formula": answer.formula or "",
        "nearest": near.value if near else "",
        "nearest_unit": unit_text(answer.model_copy(update={"value": near.value, "unit": near.unit}))
        if near
        else "",
        "nearest_detail": f"page {near.page}, “{near.quote}”: {near.detail}" if near else _passages(answer),
        "candidates": "; ".join(answer.candidates),
    }


def _passages(answer: Answer) -> str:
    """The passages to read, where only reading can answer."""
    return " | ".join(f"page {near.page}, “{near.quote}”" for near in answer.nearest_passages)


_MEASURES = {"percent": "%", "times": "x", "points": "percentage points"}


def unit_text(answer: Answer) -> str:
    """The unit of a figure in words: "USD", "USD per share", "%", "x", "days"; empty for a count and for no figure."""
    unit, dimension = answer.unit, answer.understood.dimension if answer.understood else None
    if not isinstance(answer.value, float) or isinstance(answer.value, bool):
        return ""
    if unit and unit.measure:
        return _MEASURES.get(unit.measure, unit.measure)
    if dimension in ("percent", "days"):
        return "%" if dimension == "percent" else "days"
    currency = (unit and unit.currency) or ""
    return f"{currency} per share" if currency and dimension == "per share" else currency


def state_of(row: Row) -> str:
    """Which of the five colours tells about an answer."""
    if row.get("error"):
        return "error"
    if row.get("value") == NOT_AVAILABLE:
        return "missing"
    checks = str(row.get("checks") or "")
    if " failed" in checks:
        return "failed"
    return "passed" if " passed" in checks else "unchecked"


def as_submission(rows: list[Row], submission: Submission) -> str:
    """The challenge's file, which has no place for an error."""
    answers = [{key: value for key, value in row.items() if key != "error"} for row in rows]
    return json.dumps({"answers": answers, **submission.model_dump()}, ensure_ascii=False, indent=2) + "\n"


def as_lines(rows: list[Row], given: Sequence[Given] = ()) -> str:
    """JSON Lines; `columns` is what the file of questions says beside each."""
    beside = given or [{}] * len(rows)
    lines = (row | ({"columns": dict(one)} if one else {}) for row, one in zip(rows, beside, strict=True))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in lines)


def as_table(rows: list[Row], given: Sequence[Given] = ()) -> str:
    """CSV with a header, also without rows, and without cells that a spreadsheet would run as formulas.

    The columns of the file of questions come first.
    """
    file = io.StringIO(newline="")
    names = carried_columns(rows, given)
    writer = csv.DictWriter(file, (*names.values(), *TABLE_COLUMNS), lineterminator="\n")
    writer.writerow({name: inert(name) for name in writer.fieldnames})
    for number, row in enumerate(rows):
        beside = {name: given[number].get(heading) for heading, name in names.items()} if given else {}
        shown = {key: cell for key, cell in row.items() if key in TABLE_COLUMNS} | beside
        writer.writerow({key: inert(cell) for key, cell in shown.items()})
    return file.getvalue()


def carried_columns(rows: Sequence[Row], given: Sequence[Given]) -> dict[str, str]:
    """The headings of a file of questions whose cells the answers do not repeat, and their names among the answers.

    One that an answer's column is called by gets "(given)" behind it.
    """
    headings = dict.fromkeys(heading for one in given for heading in one)
    names: dict[str, str] = {}
    for heading in headings:
        own = heading.strip().lower()
        cells = [(one.get(heading), row.get(own)) for one, row in zip(given, rows, strict=True)]
        if own in TABLE_COLUMNS and all(cell in (None, "", row) for cell, row in cells):
            continue
        names[heading] = f"{heading} (given)" if own in TABLE_COLUMNS else heading
    return names


def submission_rows(path: Path) -> list[Row]:
    """The answers of a submission, or of a bare list of answers.

    Raises:
        UsageError: it has neither form.
    """
    content = parse_json(read_text(path), path)
    answers = content.get("answers") if isinstance(content, dict) else content
    if not isinstance(answers, list):
        raise UsageError(f"{path}: expected a submission: an object with a list `answers`, or a list of answers")
    return [_object(answer, f"{path}: answer {number}") for number, answer in enumerate(answers, start=1)]


def line_rows(path: Path) -> list[Row]:
    """The objects of a JSON Lines file."""
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [_object(parse_json(line, path), f"{path}: line {number}") for number, line in lines if line.strip()]


def table_rows(path: Path) -> list[Row]:
    """The rows of a CSV file, every cell a text."""
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
    if "question" not in (reader.fieldnames or ()):
        raise UsageError(f"{path}: expected a table of answers with a column 'question'")
    return [dict(row) for row in reader]


def _object(item: JsonValue, where: str) -> Row:
    if not isinstance(item, dict):
        raise UsageError(f"{where}: expected an object, found {item!r}")
    return item


def _value(answer: Answer) -> JsonValue:
    value = answer.value
    if isinstance(value, tuple):
        return list(value)
    return _plain(value)


def _plain(value: bool | float | str) -> JsonValue:
    """3114000 and not 3114000.0, as people write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _pages(citations: tuple[Citation, ...]) -> str:
    several = len({citation.report_sha1 for citation in citations}) > 1
    return "; ".join(dict.fromkeys(f"{c.file} {c.page}" if several else str(c.page) for c in citations))


TABLE_COLUMNS = tuple(table_row(Answer(question="", kind="text")))

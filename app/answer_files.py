"""Files of answers: the challenge's submission (.json), everything (.jsonl), a table (.csv)."""

import json
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import AliasChoices, BaseModel, Field, JsonValue, TypeAdapter, ValidationError

from app import answer_json as forms
from app.answer_json import PageRef, Row, Submission
from app.question_files import FileQuestion, read_text
from storage.answers import Answer
from storage.errors import UsageError
from storage.record import Record


class WrittenAnswer(Record):
    """What an answer file says about one question, as far as it is scored."""

    question: str
    value: JsonValue = None
    references: frozenset[PageRef] = frozenset()


class AnswerWriter:
    """Collects answers as they come, in any order, and writes the file at the end, in the questions' order.

    Until `finish`, each answer stands in a journal beside the file (its name with `.partial` after it), so that a
    run that was killed can be resumed. The file itself is replaced in one step.
    """

    def __init__(
        self,
        path: Path,
        questions: Sequence[FileQuestion],
        *,
        resume: bool = False,
        submission: Submission | None = None,
    ) -> None:
        """Open the journal.

        Args:
            path: the file to write; its suffix names the form.
            questions: what is to be answered. Equal questions share one answer.
            resume: keep the answers of an earlier run, by question text and kind, and by company where one text
                is asked about several.
            submission: what a `.json` file says about its sender.

        Raises:
            UsageError: unknown suffix, no place to write, or a file to resume that is not such a file.
        """
        self._path, self._form, self._questions = path, _form(path), tuple(questions)
        self._submission = submission or Submission()
        self._journal = path.with_name(path.name + ".partial")
        self._lock = threading.Lock()
        self._rows: dict[FileQuestion, Row] = self._kept() if resume else {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(self._journal, "".join(_journal_line(q, row) for q, row in self._rows.items()))
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror}") from error

    @property
    def pending(self) -> tuple[FileQuestion, ...]:
        """The questions without an answer yet, in order, each once."""
        return tuple(question for question in dict.fromkeys(self._questions) if question not in self._rows)

    def add(self, question: FileQuestion, answer: Answer) -> None:
        """Keep an answer; safe from several threads."""
        row = self._form.row(question, answer)
        with self._lock, self._journal.open("a", encoding="utf-8") as journal:
            self._rows[question] = row
            journal.write(_journal_line(question, row))

    def finish(self) -> None:
        """Write the file. Questions without an answer are left out of it, for a later run with `resume`."""
        rows = [self._rows[question] for question in self._questions if question in self._rows]
        _replace(self._path, self._form.render(rows, self._submission))
        self._journal.unlink(missing_ok=True)

    def _kept(self) -> dict[FileQuestion, Row]:
        written = self._form.rows(self._path) if self._path.exists() else []
        noted = _read_journal(self._journal) if self._journal.exists() else []
        asked = set(self._questions)
        return _matched(self._questions, written) | {question: row for question, row in noted if question in asked}


def read_answers(path: Path) -> tuple[WrittenAnswer, ...]:
    """The answers of a submission (`.json`; round 1's `answer` stands for `value`) or of a `.jsonl` file.

    Raises:
        UsageError: not such a file. A table is none: it does not name the reports of its pages.
    """
    if path.suffix.lower() not in (".json", ".jsonl"):
        raise UsageError(f"{path}: answers are scored from .json and .jsonl, not {path.suffix!r}")
    try:
        rows = _SCORED_ROWS.validate_python(_form(path).rows(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        number, *field = first["loc"]
        place = f"answer {int(number) + 1}: {'.'.join(map(str, field))}"
        raise UsageError(f"{path}: {place}: {first['msg']}") from error
    return tuple(WrittenAnswer(question=r.question, value=r.value, references=frozenset(r.pages())) for r in rows)


class _Reference(BaseModel):
    pdf_sha1: str
    page_index: int


class _CitedPage(BaseModel):
    report_sha1: str
    page: int


class _ScoredRow(BaseModel):
    """An item of a submission (pages 0-based) or an object of `ask --json` (pages 1-based)."""

    question: str = Field(validation_alias=AliasChoices("question_text", "question"))
    value: JsonValue = Field(None, validation_alias=AliasChoices("value", "answer"))
    references: tuple[_Reference, ...] | None = None
    citations: tuple[_CitedPage, ...] | None = None

    def pages(self) -> list[PageRef]:
        referred = [(page.pdf_sha1, page.page_index + 1) for page in self.references or ()]
        return referred + [(page.report_sha1, page.page) for page in self.citations or ()]


_SCORED_ROWS = TypeAdapter(list[_ScoredRow])


def _matched(questions: Sequence[FileQuestion], rows: Iterable[Row]) -> dict[FileQuestion, Row]:
    """For each question, the last row that answers it."""
    by_text: dict[str, list[Row]] = {}
    for row in rows:
        by_text.setdefault(_text(row), []).append(row)
    companies: dict[str, set[str | None]] = {}
    for asked in questions:
        companies.setdefault(asked.question.text, set()).add(asked.question.company)

    def answers(row: Row, asked: FileQuestion) -> bool:
        # A comparison is called one in a table, whatever the file of questions called it.
        kinds = (asked.kind_in_file, asked.question.kind, "comparative")
        same_kind = asked.kind_in_file is None or row.get("kind") in kinds
        text, company = asked.question.text, asked.question.company
        return same_kind and (len(companies[text]) == 1 or row.get("company") == company)

    found = {q: [row for row in by_text.get(q.question.text, []) if answers(row, q)] for q in questions}
    return {question: rows[-1] for question, rows in found.items() if rows}


def _text(row: Row) -> str:
    return str(row.get("question_text") or row.get("question"))


_JOURNAL_ENTRY = TypeAdapter(tuple[FileQuestion, Row])


def _journal_line(question: FileQuestion, row: Row) -> str:
    return json.dumps([question.model_dump(), row]) + "\n"  # ASCII: half a line is never half a letter


def _read_journal(path: Path) -> list[tuple[FileQuestion, Row]]:
    lines = read_text(path).split("\n")[:-1]  # a run that was killed may leave half a line
    try:
        return [_JOURNAL_ENTRY.validate_json(line) for line in lines]
    except ValidationError as error:
        raise UsageError(f"{path}: is not a journal of answers; remove it to start again") from error


def _replace(path: Path, content: str) -> None:
    """Write all of it or nothing."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("w", encoding="utf-8", newline="") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


class _Form(NamedTuple):
    row: Callable[[FileQuestion, Answer], Row]
    render: Callable[[list[Row], Submission], str]
    rows: Callable[[Path], list[Row]]


def _asked(question: FileQuestion, row: Row) -> Row:
    """The row under the file's own wording, which `resume` looks for."""
    return row | {"question": question.question.text}


_FORMS = {
    ".json": _Form(forms.submission_item, forms.as_submission, forms.submission_rows),
    ".jsonl": _Form(
        lambda q, a: _asked(q, forms.answer_json(a)), lambda rows, _: forms.as_lines(rows), forms.line_rows
    ),
    ".csv": _Form(
        lambda q, a: _asked(q, forms.table_row(a)), lambda rows, _: forms.as_table(rows), forms.table_rows
    ),
}


def _form(path: Path) -> _Form:
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path}: answers are written as {', '.join(_FORMS)}, not {path.suffix!r}")
    return form

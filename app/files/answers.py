"""Files of answers: the challenge's submission (.json), everything (.jsonl), tables (.csv, .xlsx)."""

import itertools
import json
import shutil
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import AliasChoices, BaseModel, Field, JsonValue, TypeAdapter, ValidationError

from app.files import answer_json as forms
from app.files.answer_books import as_book, book_row, book_rows
from app.files.answer_json import Given, PageRef, Row, Submission
from app.files.answer_pages import PictureOf, as_page, page_row, page_rows
from app.files.figure_tables import SourceOf, cited_source
from app.files.filled_books import has_answers, would_lose
from app.files.questions import QuestionFile, read_text
from app.files.sheets import FileQuestion
from storage.errors import UsageError
from storage.files import file_stamp, write_atomically
from storage.records.answers import Answer
from storage.records.record import Record

SUBMISSION = ".json"
"""The end of the name of a file in the challenge's form."""


class StepSeconds(Record):
    """What the parts of an answer took: finding pages, answering from them, and checking."""

    search: float = 0.0
    answer: float = 0.0
    checks: float = 0.0


class WrittenAnswer(Record):
    """The scored parts of one answer in an answer file.

    Attributes:
        reason: why it is N/A; submissions do not have it.
        seconds, cost_usd: time and cost; None where the file does not have them or the price is unknown.
        step_seconds: None where the file does not have them; only the lab's have.
    """

    question: str
    value: JsonValue = None
    references: frozenset[PageRef] = frozenset()
    reason: str | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    step_seconds: StepSeconds | None = None


class AnswerWriter:
    """Collects answers as they come, in any order, and writes the file at the end, in the questions' order.

    Each answer and each failure is written at once to a journal beside the file (its name with `.partial` added), so
    that a killed run can be resumed. The journal is deleted when every question has an answer. The file itself is
    replaced in one step.
    """

    def __init__(
        self,
        path: Path,
        questions: Sequence[FileQuestion],
        *,
        resume: bool = False,
        submission: Submission | None = None,
        source: QuestionFile | None = None,
        source_of: SourceOf = cited_source,
        picture_of: PictureOf | None = None,
    ) -> None:
        """Open the journal.

        Args:
            path: the file to write; its suffix decides the form.
            questions: to be answered. Equal questions share one answer.
            resume: keep the answers of an earlier run, by question text and kind, and by company where one text
                is asked about several.
            submission: the sender, for a `.json` file.
            source: the file of the questions; its other columns, and in a workbook its sheets, go with the answers.
            source_of: names a cited report and opens its page, for a workbook.
            picture_of: draws a cited page, for a page of answers.

        Raises:
            UsageError: the suffix is unknown, the place cannot be written, or the file to resume is not such a file.
        """
        self._path, self._form, self._questions = path, _form(path), tuple(questions)
        self._submission, self._source, self._source_of = submission or Submission(), source, source_of
        self._picture_of = picture_of
        self._stamp = file_stamp(path) if self._is_in_place else None
        self._journal = _journal_of(path)
        self._lock = threading.Lock()
        self._rows: dict[FileQuestion, Row] = self._written_rows() if resume else {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(
                self._journal, "".join(_journal_line(q, row) for q, row in self._rows.items()).encode()
            )
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror}") from error

    @property
    def pending(self) -> tuple[FileQuestion, ...]:
        """The questions without an answer yet, also those that failed, in order, each once."""
        return tuple(q for q in dict.fromkeys(self._questions) if q not in self._rows or _failed(self._rows[q]))

    @property
    def answered(self) -> int:
        """The number of different questions that have an answer."""
        return len(set(self._questions)) - len(self.pending)

    def add(self, question: FileQuestion, answer: Answer, error: str | None = None) -> None:
        """Store an answer, or with `error` a placeholder for a failed one. Safe for several threads."""
        row = self._form.row(question, answer, error, self._source_of)
        with self._lock, self._journal.open("a", encoding="utf-8") as journal:
            self._rows[question] = row
            journal.write(_journal_line(question, row))

    def finish(self) -> Path | None:
        """Write the file. Questions that were not asked are omitted, for a later run with `resume`.

        Returns:
            The copy of the file of questions that was made first, where the answers went into that file.

        Raises:
            UsageError: the file of questions was changed while they were asked; the answers stay in the journal.
        """
        answered = [(question, self._rows[question]) for question in self._questions if question in self._rows]
        if self._stamp is not None and file_stamp(self._path) != self._stamp:
            raise UsageError(
                f"{self._path} was changed while its questions were asked, so nothing was written to it; its answers "
                f"are in {self._journal}: run it again with --resume"
            )
        if self._form is _PAGE:
            name = self._source.path.stem if self._source else self._path.stem
            content = as_page(answered, f"Answers to {name}", self._picture_of)
        else:
            content = self._form.render(answered, self._submission, self._source)
        copy = _copied(self._path) if self._stamp is not None else None
        write_atomically(self._path.absolute(), content)
        if not self.pending:
            self._journal.unlink(missing_ok=True)
        return copy

    def give_up(self) -> None:
        """Leave the file unchanged; the journal stays unless it is empty."""
        if not self._rows:
            self._journal.unlink(missing_ok=True)

    @property
    def _is_in_place(self) -> bool:
        return self._source is not None and is_same_file(self._source.path, self._path)

    def _written_rows(self) -> dict[FileQuestion, Row]:
        is_new = self._is_in_place and self._source is not None and not has_answers(self._source)
        written = self._form.rows(self._path) if self._path.exists() and not is_new else []
        noted = _read_journal(self._journal) if self._journal.exists() else []
        wanted = set(self._questions)
        return _matched(self._questions, written) | {
            question: row for question, row in noted if question in wanted
        }


def refuse_replacing(path: Path, *, force: bool) -> None:
    """Stop before a file that is there would be replaced.

    Raises:
        UsageError: it is there, and `force` is not given.
    """
    if path.exists() and not path.is_dir() and not force:
        raise UsageError(f"{path} is there already: --force replaces it")


@dataclass(frozen=True)
class Overwriting:
    """What a run may do with what is there: keep its answers, replace them, write into the file of questions."""

    resume: bool = False
    force: bool = False
    in_place: bool = False


def refuse_loss(source: QuestionFile, out: Path, allowed: Overwriting) -> None:
    """Stop before a run would replace questions, answers, or the half of them that a stopped run has left.

    Raises:
        UsageError: the answers would replace the file of questions; or there are answers, and neither `resume` nor
            `force` is given; or a workbook has what cannot be written again.
    """
    if allowed.resume and allowed.force:
        raise UsageError(
            "--resume keeps the answers that are there and --force replaces them: give one of the two"
        )
    if is_same_file(source.path, out):
        _refuse_in_place(source, out, allowed)
    elif allowed.in_place:
        raise UsageError("--in-place writes into the file of questions: leave out --out")
    if allowed.resume or allowed.force:
        return
    if (out.exists() and not allowed.in_place) or (allowed.in_place and has_answers(source)):
        what = "has answers" if allowed.in_place else "is there"
        raise UsageError(
            f"{out} {what} already: --resume keeps its answers and asks what is missing, --force replaces them"
        )
    journal = _journal_of(out)
    if journal.exists() and (rows := [row for _, row in _read_journal(journal)]):
        answers = f"{len(rows)} answer" + ("s" if len(rows) > 1 else "")
        raise UsageError(
            f"{journal} holds {answers} of a run that was stopped{_paid(rows)}: --resume goes on with them, "
            "--force asks everything again"
        )


def _refuse_in_place(source: QuestionFile, out: Path, allowed: Overwriting) -> None:
    if not allowed.in_place:
        more = ", or --in-place to write them beside the questions" if source.is_book else ""
        raise UsageError(
            f"{out} is the file of questions, and its answers would replace it; give another --out{more}"
        )
    if not source.is_book or out.suffix.lower() != ".xlsx":
        raise UsageError(f"{out}: only an .xlsx workbook has a place for answers beside its questions; give --out")
    if lost := would_lose(source.path):
        raise UsageError(f"{out} would lose {', '.join(lost)} if answers were written into it; give another --out")


def _copied(path: Path) -> Path:
    """A copy of a file beside it, under a name that is free."""
    names = (f"{path.stem} (before answers{f' {n}' if n > 1 else ''}){path.suffix}" for n in itertools.count(1))
    copy = next(target for name in names if not (target := path.with_name(name)).exists())
    shutil.copy2(path, copy)
    return copy


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by whatever names and links."""
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return one.absolute() == other.absolute()


def _journal_of(path: Path) -> Path:
    return path.with_name(path.name + ".partial")


def _paid(rows: Sequence[Row]) -> str:
    """What the answers have cost, in brackets; empty where they cost nothing, or nobody knows."""
    usages = [row.get("usage") for row in rows]
    costs = [usage.get("cost_usd") if isinstance(usage, dict) else None for usage in usages]
    paid = sum(cost for cost in (*costs, *(row.get("cost_usd") for row in rows)) if isinstance(cost, float))
    return f" ({paid:.4f} USD)" if paid else ""


def read_answers(path: Path) -> tuple[WrittenAnswer, ...]:
    """The answers of a submission (`.json`; `answer` of round 1 means `value`) or of a `.jsonl` file.

    Raises:
        UsageError: it is not such a file. Tables are not accepted, since they do not name the reports of pages.
    """
    if path.suffix.lower() not in (".json", ".jsonl"):
        raise UsageError(f"{path}: answers are scored from .json and .jsonl, not {path.suffix!r}")
    return written_answers(_form(path).rows(path), path)


def written_answers(rows: Sequence[Row], path: Path) -> tuple[WrittenAnswer, ...]:
    """The scored parts of the rows of a submission or of `ask --json`.

    Raises:
        UsageError: a row has another form; the message names the file and the row.
    """
    try:
        scored = _SCORED_ROWS.validate_python(rows)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        number, *field = first["loc"]
        place = f"answer {int(number) + 1}: {'.'.join(map(str, field))}"
        raise UsageError(f"{path}: {place}: {first['msg']}") from error
    return tuple(row.written() for row in scored)


class _Reference(BaseModel):
    pdf_sha1: str
    page_index: int


class _CitedPage(BaseModel):
    report_sha1: str
    page: int


class _Taken(BaseModel):
    cost_usd: float | None = None


class _ScoredRow(BaseModel):
    """An item of a submission (pages 0-based) or an object of `ask --json` (pages 1-based)."""

    question: str = Field(validation_alias=AliasChoices("question_text", "question"))
    value: JsonValue = Field(None, validation_alias=AliasChoices("value", "answer"))
    references: tuple[_Reference, ...] | None = None
    citations: tuple[_CitedPage, ...] | None = None
    reason: str | None = None
    seconds: float | None = None
    step_seconds: StepSeconds | None = None
    usage: _Taken = _Taken()

    def written(self) -> WrittenAnswer:
        referred = [(page.pdf_sha1, page.page_index + 1) for page in self.references or ()]
        cited = [(page.report_sha1, page.page) for page in self.citations or ()]
        return WrittenAnswer(
            question=self.question,
            value=self.value,
            references=frozenset(referred + cited),
            reason=self.reason,
            seconds=self.seconds,
            step_seconds=self.step_seconds,
            cost_usd=self.usage.cost_usd,
        )


_SCORED_ROWS = TypeAdapter(list[_ScoredRow])


def _matched(questions: Sequence[FileQuestion], rows: Iterable[Row]) -> dict[FileQuestion, Row]:
    """For each question its row: by position if the file has exactly these questions, else the last that fits."""
    rows = list(rows)
    if [_text(row) for row in rows] == [wanted.question.text for wanted in questions]:
        return {wanted: row for wanted, row in zip(questions, rows, strict=True) if _is_of_kind(row, wanted)}
    by_text: dict[str, list[Row]] = {}
    for row in rows:
        by_text.setdefault(_text(row), []).append(row)
    companies: dict[str, set[str | None]] = {}
    for wanted in questions:
        companies.setdefault(wanted.question.text, set()).add(wanted.question.company)

    def answers(row: Row, wanted: FileQuestion) -> bool:
        text, company = wanted.question.text, wanted.question.company
        return _is_of_kind(row, wanted) and (len(companies[text]) == 1 or row.get("company") == company)

    found = {q: [row for row in by_text.get(q.question.text, []) if answers(row, q)] for q in questions}
    return {question: rows[-1] for question, rows in found.items() if rows}


def _is_of_kind(row: Row, question: FileQuestion) -> bool:
    # Tables always have "comparative" for a comparison, whatever the question file has.
    kinds = (question.kind_in_file, question.question.kind, "comparative")
    return question.kind_in_file is None or row.get("kind") in kinds


def _text(row: Row) -> str:
    return str(row.get("question_text") or row.get("question"))


_JOURNAL_ENTRY = TypeAdapter(tuple[FileQuestion, Row])


def _journal_line(question: FileQuestion, row: Row) -> str:
    return (
        json.dumps([question.model_dump(), row]) + "\n"
    )  # ASCII, so that an incomplete line never ends within a character


def _read_journal(path: Path) -> list[tuple[FileQuestion, Row]]:
    lines = read_text(path).split("\n")[:-1]  # a killed run may leave an incomplete line
    try:
        return [_JOURNAL_ENTRY.validate_json(line) for line in lines]
    except ValidationError as error:
        raise UsageError(f"{path}: is not a journal of answers; remove it to start again") from error


def _failed(row: Row) -> bool:
    return bool(row.get("error"))


class _Form(NamedTuple):
    row: Callable[[FileQuestion, Answer, str | None, SourceOf], Row]
    render: Callable[[Sequence[tuple[FileQuestion, Row]], Submission, QuestionFile | None], bytes]
    rows: Callable[[Path], list[Row]]


def _submission_row(question: FileQuestion, answer: Answer, error: str | None, _: SourceOf) -> Row:
    return forms.submission_item(question, answer) | ({"error": error} if error else {})


def _line_row(question: FileQuestion, answer: Answer, error: str | None, _: SourceOf) -> Row:
    return _with_question(question, forms.answer_json(answer)) | ({"error": error} if error else {})


def _table_row(question: FileQuestion, answer: Answer, error: str | None, _: SourceOf) -> Row:
    return _with_question(question, forms.table_row(answer, error))


def _book_row(question: FileQuestion, answer: Answer, error: str | None, source_of: SourceOf) -> Row:
    return _with_question(question, book_row(answer, error, source_of))


def _with_question(question: FileQuestion, row: Row) -> Row:
    """The row with the file's own wording of the question, by which `resume` finds it."""
    return row | {"question": question.question.text}


Answered = Sequence[tuple[FileQuestion, Row]]


def _submission(answered: Answered, sender: Submission, _: QuestionFile | None) -> bytes:
    return forms.as_submission([row for _q, row in answered], sender).encode()


def _lines(answered: Answered, _: Submission, source: QuestionFile | None) -> bytes:
    return forms.as_lines([row for _q, row in answered], _given(answered, source)).encode()


def _table(answered: Answered, _: Submission, source: QuestionFile | None) -> bytes:
    # The mark shows spreadsheets that it is UTF-8.
    return forms.as_table([row for _q, row in answered], _given(answered, source)).encode("utf-8-sig")


def _given(answered: Answered, source: QuestionFile | None) -> tuple[Given, ...]:
    return source.given_for([question for question, _ in answered]) if source else ()


def _page_row(question: FileQuestion, answer: Answer, error: str | None, _: SourceOf) -> Row:
    return _with_question(question, page_row(answer, error))


_PAGE = _Form(_page_row, lambda answered, *_: as_page(answered, "Answers", None), page_rows)
_FORMS = {
    SUBMISSION: _Form(_submission_row, _submission, forms.submission_rows),
    ".jsonl": _Form(_line_row, _lines, forms.line_rows),
    ".csv": _Form(_table_row, _table, forms.table_rows),
    ".xlsx": _Form(_book_row, lambda answered, _, source: as_book(answered, source), book_rows),
    ".html": _PAGE,
}


def _form(path: Path) -> _Form:
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path}: answers are written as {', '.join(_FORMS)}, not {path.suffix!r}")
    return form

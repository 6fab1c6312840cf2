"""What programs send and get: the bodies of the API, which its OpenAPI document describes."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.chat.uploads.uploads import Upload, UploadStage
from app.files.answer_json import answer_json
from storage.records.answers import Answer, SeriesFigure
from storage.records.questions import LONGEST_COMPANY, LONGEST_QUESTION, AnswerKind, Question
from storage.records.record import Record
from storage.records.reports import Company, Report

MOST_NAMES = 100
LONGEST_BOXES = 4_000
Text = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION)]
CompanyName = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_COMPANY)]
Names = Annotated[list[CompanyName], Field(max_length=MOST_NAMES)]
LONGEST_FILE = 255
ReportName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_FILE),
    Field(description="The report: its SHA-1, or the name of its file."),
]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$", max_length=3)]
Boxes = Annotated[str, StringConstraints(max_length=LONGEST_BOXES)]
PageNumber = Annotated[int, Field(ge=1, le=1_000_000, description="1-based.")]
Years = Annotated[int, Field(ge=1, le=1000)]


class Body(BaseModel):
    """What a caller sends; a field that is not known is an error, since it is a slip."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AskBody(Body):
    """A question, with what its text leaves open."""

    question: Text
    kind: AnswerKind | None = None
    company: CompanyName | None = None
    currency: Currency | None = None

    @property
    def asked(self) -> Question:
        """The question."""
        return Question(text=self.question, kind=self.kind, company=self.company, currency=self.currency)


class AnswerObject(Answer):
    """An answer as `pageproof ask --json` prints it."""


# What `pageproof ask --json` leaves out where there is nothing to say.
_ALWAYS: dict[str, object] = {
    "formula": None,
    "operands": [],
    "neighbours": [],
    "nearest_passages": [],
    "parts": [],
    "series": [],
    "cached": False,
}


def answer_object(answer: Answer) -> dict[str, object]:
    """The body of an answer: that of `pageproof ask --json`, with every field, also where it is empty."""
    parts = [answer_object(part) for part in answer.parts]
    return {**_ALWAYS, **answer_json(answer), "parts": parts}


class ReportBody(Report):
    """A report; `report_sha1` is its name in all requests and answers, and `sha1` the same under its older name."""

    report_sha1: str

    @classmethod
    def of(cls, report: Report) -> "ReportBody":
        """A report's body."""
        return cls.model_validate({**dict(report), "report_sha1": report.sha1})


class CompanyBody(Record):
    """A company: its full name, other names that people use for it, and its reports, newest first."""

    name: str
    aliases: tuple[str, ...] = ()
    reports: tuple[ReportBody, ...] = ()

    @classmethod
    def of(cls, company: Company) -> "CompanyBody":
        """A company's body."""
        reports = tuple(map(ReportBody.of, company.reports))
        return cls(name=company.name, aliases=company.aliases, reports=reports)


class ConversationBody(Record):
    """A conversation: its id, and its turns so far."""

    id: str
    turns: tuple[dict[str, object], ...] = ()


class PagePlace(Record):
    """A page that a search found; `page` is 1-based."""

    report_sha1: str
    file: str
    page: int


class FindBody(Body):
    """What to look for, in the reports of which company."""

    question: Text
    company: CompanyName


class GridCell(SeriesFigure):
    """A figure of a grid, or the reason why there is none.

    Attributes:
        metric: as it was asked for.
        column: the year that was asked for; empty for the newest.
        formula: of a calculated figure, in words.
        failed_checks: what is wrong with it.
    """

    formula: str | None = None
    failed_checks: tuple[str, ...] = ()


class Grid(Record):
    """Figures of companies by metrics and years: the cells of the first company first, and of its first metric."""

    companies: tuple[str, ...]
    metrics: tuple[str, ...]
    years: tuple[int, ...] = ()
    cells: tuple[GridCell, ...]
    answers: Annotated[tuple[Answer, ...], Field(exclude=True)] = ()

    @property
    def as_answer(self) -> Answer:
        """The grid as an answer with a series, of which tables are made."""
        title = f"{', '.join(self.metrics)} of {', '.join(self.companies)}"
        return Answer(question=title, kind="text", series=self.cells, parts=self.answers)


class PageBody(Record):
    """A page as it was read: its text in Markdown, tables included. `page` is 1-based, sizes are in points."""

    report_sha1: str
    file: str
    page: int
    width: float
    height: float
    text: str
    section: tuple[str, ...] = ()
    text_source: str = "text_layer"


class UploadBody(Record):
    """How far a PDF is that was sent.

    Attributes:
        stage: waiting, then the steps of reading; "indexed" and "unchanged" are good ends, "failed", "stopped" and
            "interrupted" others.
        done, of: pages while reading, passages while embedding.
        reason: why it failed.
        warning: what is missing of a report that is in the library all the same.
    """

    report_sha1: str
    file: str
    page_count: int
    stage: UploadStage
    done: int
    of: int
    reason: str = ""
    warning: str = ""

    @classmethod
    def of_upload(cls, upload: Upload) -> "UploadBody":
        """The state of an upload."""
        sent, state = upload.received, upload.state
        return cls(
            report_sha1=sent.sha1,
            file=sent.name,
            page_count=sent.page_count,
            **state.model_dump(include={"stage", "done", "of", "reason", "warning"}),
        )


class CorrectBody(Body):
    """What is put right of a report; what is left out stays."""

    company: CompanyName | None = None
    currency: Currency | None = None
    period_end: dt.date | None = None


class Problem(BaseModel):
    """Why something was not done."""

    detail: str
    error: str = Field(default="", description="The class of the error, such as UsageError.")


class Ready(Record):
    """Whether questions can be answered."""

    ready: bool
    profile: str
    companies: int
    reports: int


LONGEST_MESSAGE = 200_000  # characters; what stands in tables of an earlier answer comes back
ContentParts = Annotated[list[dict[str, object]], Field(max_length=100)]


class ChatMessage(BaseModel):
    """A message in OpenAI's form; what else it carries is left alone."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[str, Field(max_length=LONGEST_MESSAGE)] | ContentParts | None = None

    @property
    def text(self) -> str:
        """Its words."""
        if isinstance(self.content, list):
            return " ".join(str(part.get("text", "")) for part in self.content if part.get("type") == "text")
        return self.content or ""


class ChatBody(BaseModel):
    """A request in OpenAI's form; options of models have no effect."""

    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=200)]
    model: Annotated[str, Field(max_length=200)] = "pageproof"
    stream: bool = False

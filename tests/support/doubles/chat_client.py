"""A client over one written PDF whose answers are scripted; as a program, the chat over it."""

import asyncio
import datetime as dt
import hashlib
import os
import shutil
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reportlab.pdfgen.canvas import Canvas

from app.chat.session.client_pool import ClientPool, Key
from app.chat.uploads.uploads import Uploads
from app.chat_options import ChatOptions
from app.library.fact_sheet import FactRow, FactSheet, OfficerRow
from app.library.overview import Overview
from indexes.ingestion.requests import Ingested, IngestRequest, OnProgress, Stopped
from indexes.preflight import preflight
from query_engines.events import AnalysisWritten, AnswerReady, Event, PageRead, StepFinished, StepStarted
from query_engines.local_model.model_files import ModelFolder
from query_engines.routing.dialogue import Dialogue
from storage.errors import IngestionStopped, ProviderError, UsageError
from storage.paths import DataPaths
from storage.records.answers import Answer, Check, Citation, Unit, Usage
from storage.records.questions import Question
from storage.records.record import Box
from storage.records.reports import Company, Evidence, Report
from tests.support.long_report import write_long_report

QUOTE = "Total revenue $ 1,249,642"
QUOTE_BOX = Box(left=72, top=160, right=300, bottom=174)


def write_report(folder: Path) -> str:
    """Two letter pages, the quote at QUOTE_BOX on the second; gives the SHA-1."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / "draft.pdf"
    canvas = Canvas(str(draft), pagesize=(612, 792), invariant=1)
    canvas.setFont("Helvetica-Bold", 26)
    canvas.drawString(72, 600, "Northwind Traders Inc.")
    canvas.showPage()
    canvas.setFont("Helvetica-Bold", 15)
    canvas.drawString(72, 792 - 100, "Consolidated statement of operations")
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 792 - 125, "(in thousands)")
    for k, (label, amount) in enumerate(
        [("Total revenue", "$ 1,249,642"), ("Cost of sales", "(811,020)"), ("Gross profit", "438,622")]
    ):
        canvas.drawString(74, 792 - 171 - 22 * k, label)
        canvas.drawRightString(298, 792 - 171 - 22 * k, amount)
    canvas.showPage()
    canvas.save()
    sha1 = hashlib.sha1(draft.read_bytes()).hexdigest()
    draft.rename(folder / f"{sha1}.pdf")
    return sha1


def write_pdf(path: Path, pages: int = 2, title: str = "") -> Path:
    """A PDF with so many pages; the title tells two apart."""
    canvas = Canvas(str(path), pagesize=(612, 792), invariant=1)
    for number in range(1, pages + 1):
        canvas.drawString(72, 600, f"{title or path.stem}, page {number}")
        canvas.showPage()
    canvas.save()
    return path


class ScriptedClient:
    """Knows Northwind; the first word of a question picks the script. Reads a report as its file's name says."""

    def __init__(
        self,
        data: Path,
        *,
        empty: bool = False,
        pause: float = 0.0,
        listing: float = 0.0,
        page_seconds: float = 0.0,
        profile: str = "offline",
        overrides: Sequence[str] = (),
    ) -> None:
        self.paths = DataPaths(data)
        self.profile = profile
        self.run_id = "20260102-030405-abcdef"
        self.overrides = tuple(overrides)
        self.closed = False
        self.heard: list[tuple[str, str | None]] = []
        """The questions before and the companies of their answers, as follow-ups were asked with them."""
        self.stopped = data / "stopped"
        """A file that is there once a question was left before its answer."""
        self.page_seconds = page_seconds
        """What reading a page takes; a change is seen at once."""
        self.vector_seconds = self.picture_seconds = 0.0
        self.unread_pictures = 0  # pages of each report
        self.pictures_read = 0  # times
        """What making a report's vectors takes, when it answers already; a change is seen at once."""
        self.reading: list[str] = []
        """The files whose reading was begun."""
        self.discarded: list[str] = []
        """Reports that did not get into the library."""
        self.library = self  # of its own reports
        self.pause = pause
        self._listing = listing
        sha1 = write_report(self.paths.reports)
        self.known = Report(sha1=sha1, file="northwind.pdf", company="Northwind Traders Inc.", page_count=2)
        self._reports = {} if empty else {self.known.sha1: self.known}
        self.long = write_long_report(self.paths)
        """A report to read on the screen; it is in no list."""

    def overview(self, company: str, sha1: str | None = None) -> Overview:
        del sha1
        return Overview(company=company, report_sha1="ab", file="ab.pdf", filing="annual report", page_count=9)

    def companies(self) -> tuple[Company, ...]:
        time.sleep(self._listing)
        names = sorted({report.company for report in self._reports.values()})
        return tuple(
            Company(name=name, reports=tuple(r for r in self._reports.values() if r.company == name))
            for name in names
        )

    def has_indexes(self) -> bool:
        return self.profile == "offline"

    def report(self, sha1: str) -> Report | None:
        return self.long if sha1 == self.long.sha1 else self._reports.get(sha1)

    def paths_of(self, sha1: str) -> DataPaths:
        del sha1
        return self.paths

    def owns(self, sha1: str) -> bool:
        return sha1 in self._reports

    def ingest(
        self, request: IngestRequest, on_progress: OnProgress | None = None, stopped: Stopped | None = None
    ) -> Iterator[Ingested]:
        for path in request.paths:
            seen, name = preflight(path), request.name(path)
            self.reading.append(name)
            for page in range(seen.page_count):
                if on_progress:
                    on_progress(path, "reading", page, seen.page_count)
                self._pass(lambda: self.page_seconds, stopped)
            if name.startswith("unreadable"):
                yield Ingested(file=name, status="failed", sha1=seen.sha1, reason=f"{path}: no page has text")
                continue
            status = "unchanged" if seen.sha1 in self._reports else "indexed"
            if not self.paths.report_pdf(seen.sha1).exists():  # of another client over the same folder
                shutil.copyfile(path, self.paths.report_pdf(seen.sha1))
            self._reports[seen.sha1] = Report(
                sha1=seen.sha1,
                file=name,
                company=Path(name).stem.title(),
                page_count=seen.page_count,
                currency="EUR",
                period_end=dt.date(2023, 12, 31),
                evidence=(
                    Evidence(field="company", source="report", page=1, quote=Path(name).stem.title()),
                    Evidence(field="currency", source="report", page=2, quote="in millions of euros"),
                    Evidence(field="period_end", source="report", page=1, quote="31 December 2023"),
                ),
            )
            if on_progress:
                on_progress(path, "answers", 1, 1)
            self._pass(lambda: self.vector_seconds, stopped)
            yield Ingested(file=name, status=status, sha1=seen.sha1, unread_pictures=self.unread_pictures)

    def read_pictures(self, on_progress: OnProgress | None = None, stopped: Stopped | None = None) -> None:
        del on_progress
        self._pass(lambda: self.picture_seconds, stopped)
        self.pictures_read += 1

    def _pass(self, seconds: Callable[[], float], stopped: Stopped | None) -> None:
        begun = time.monotonic()
        while True:
            if stopped and stopped():
                raise IngestionStopped("stopped")
            if time.monotonic() - begun >= seconds():
                return
            time.sleep(0.01)

    def correct(
        self,
        sha1: str,
        *,
        company: str | None = None,
        currency: str | None = None,
        period_end: dt.date | None = None,
    ) -> Report:
        known = self._own(sha1)
        self._reports[sha1] = known.edited(
            {
                "company": company or known.company,
                "currency": currency or known.currency,
                "period_end": period_end or known.period_end,
            }
        )
        return self._reports[sha1]

    def remove(self, sha1: str) -> None:
        del self._reports[self._own(sha1).sha1]
        self.paths.report_pdf(sha1).unlink()

    def discard(self, sha1: str) -> None:
        self.discarded.append(sha1)

    def _own(self, sha1: str) -> Report:
        if sha1 not in self._reports:
            raise UsageError(f"there is no report {sha1!r} in the library")
        return self._reports[sha1]

    def follow_up(self, dialogue: Dialogue, text: str) -> Question:
        """One word goes on about the company of the question before."""
        question, answer = dialogue.question, dialogue.answer
        if question is None or answer is None:
            return Question(text=text)
        self.heard.append((question.text, answer.company))
        return Question(text=f"Undisclosed {text} of {answer.company}" if len(text.split()) == 1 else text)

    async def stream(self, question: Question) -> AsyncGenerator[Event, None]:
        try:
            script = self._compare if question.text.startswith("Which") else self._read
            async for event in script(question):
                yield event
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped.touch()
            raise

    async def _compare(self, question: Question) -> AsyncGenerator[Event, None]:
        yield StepStarted(step_id=1, kind="routing", label="Choosing the companies")
        yield StepFinished(step_id=1, summary="three companies", seconds=0.01)
        for k, company in enumerate(("Northwind Traders Inc.", "Contoso Mining plc"), start=2):
            yield StepStarted(step_id=k, kind="sub_question", label=company)
        for k in (2, 3):
            yield StepStarted(step_id=10 + k, kind="retrieval", label="Searching the report", parent_id=k)
        await asyncio.sleep(self.pause)
        for k in (3, 2):
            yield StepFinished(step_id=10 + k, summary="10 pages", seconds=0.2)
            yield StepFinished(step_id=k, summary="answered", seconds=0.3)
        yield AnswerReady(answer=self._answer(question))

    async def _read(self, question: Question) -> AsyncGenerator[Event, None]:
        yield StepStarted(step_id=1, kind="routing", label="Choosing the company")
        await asyncio.sleep(self.pause)
        yield StepFinished(step_id=1, summary="Northwind Traders Inc. by exact name", seconds=0.01)
        if question.text.startswith("Overload"):
            raise ProviderError("the model's provider is overloaded: try again in a minute")
        if question.text.startswith("Break"):
            raise KeyError("secret detail")
        yield StepStarted(step_id=2, kind="retrieval", label="Searching the report")
        await asyncio.sleep(self.pause)
        yield StepFinished(
            step_id=2, summary="| page | similarity |\n|---|---|\n| 2 | 0.81 |\n| 1 | 0.34 |", seconds=0.12
        )
        yield StepStarted(step_id=3, kind="answer", label="Reading 2 pages")
        yield AnalysisWritten(step_id=3, text="EBITDA:Margin is not asked.")
        await asyncio.sleep(self.pause)
        yield AnalysisWritten(step_id=3, text="EBITDA:Margin is not asked.\nThe row Total revenue is on page 2.")
        yield StepFinished(step_id=3, summary="", seconds=0.05)
        pages = (PageRead(report_sha1=self.known.sha1, page=2, score=0.81), self.other_page)
        yield AnswerReady(answer=self._answer(question), read=pages)

    @property
    def other_page(self) -> PageRead:
        """The page that is read and not cited."""
        return PageRead(report_sha1=self.known.sha1, page=1, score=0.34)

    def close(self) -> None:
        self.closed = True

    def cite(self, page: int = 2) -> Citation:
        return Citation(
            report_sha1=self.known.sha1,
            file="northwind.pdf",
            page=page,
            page_width=612,
            page_height=792,
            quote=QUOTE,
            boxes=(QUOTE_BOX,),
        )

    def _answer(self, question: Question) -> Answer:
        if question.text.startswith("Hello"):
            return Answer(question=question.text, kind="text", value="Hello! Ask me something.", profile="offline")
        if question.text.startswith("Unknown"):
            return Answer(
                question=question.text,
                kind="number",
                reason="company_unknown",
                candidates=("Northwind Traders Inc.",),
                summary="No report of Nordwind is in the library.",
                profile="offline",
            )
        if question.text.startswith("Undisclosed"):
            return Answer(
                question=question.text,
                kind=question.kind or "number",
                company="Northwind Traders Inc.",
                reason="not_disclosed",
                summary="The pages that speak of staff give no head count.",
                profile="offline",
            )
        if question.text.startswith("Which"):
            return self._comparison(question)
        return self._revenue(question).model_copy(update={"cached": question.text.startswith("Again")})

    def _revenue(
        self, question: Question, company: str = "Northwind Traders Inc.", value: float = 1249642e3
    ) -> Answer:
        return Answer(
            question=question.text,
            kind="number",
            company=company,
            value=value,
            unit=Unit(
                currency="USD", scale=1000, printed=f"{value / 1000:,.0f}", period_end=dt.date(2022, 12, 31)
            ),
            citations=(self.cite(),),
            checks=(
                Check(name="page", verdict="passed"),
                Check(name="quote", verdict="passed"),
                Check(name="figure", verdict="passed", detail="1,249,642 times 1,000"),
                Check(name="currency", verdict="passed" if "total assets" in question.text else "failed"),
                Check(name="period", verdict="not_applicable", detail="no year was asked for"),
            ),
            analysis="1. The question asks for total revenue.\n2. The statement of operations prints it.",
            summary="Read from the statement of operations.",
            seconds=0.42,
            profile="offline",
        )

    def _comparison(self, question: Question) -> Answer:
        parts = (
            self._revenue(question),
            self._revenue(question, "Contoso Mining plc", 98e7),
            Answer(question=question.text, kind="number", company="Fabrikam Bank", reason="not_disclosed"),
        )
        return Answer(
            question=question.text,
            kind="comparative",
            value="Northwind Traders Inc.",
            citations=(self.cite(),),
            parts=parts,
            summary="Northwind's revenue is the higher of the two that are disclosed.",
            seconds=12.3,
            profile="openai",
            usage=Usage(requests=3, prompt_tokens=9000, completion_tokens=420, cost_usd=0.0123),
        )


def scripted_pool(client: ScriptedClient, environment: Mapping[str, str] | None = None) -> ClientPool:
    """A pool whose first client is the given one."""

    def open_client(key: Key) -> ScriptedClient:
        if key == Key(profile=client.profile):
            return client
        pause = 0.0 if "runs.log=false" in key.overrides else client.pause  # else tried for the first screen
        return ScriptedClient(
            client.paths.root,
            pause=pause,
            page_seconds=client.page_seconds,
            profile=key.profile,
            overrides=key.overrides,
        )

    return ClientPool(open_client, client.profile, (), environment or {})


def scripted_uploads(pool: ClientPool, **options: Any) -> Uploads:
    """Uploads to the pool's clients, looked at in this process."""
    return Uploads(pool.at, pool.first.paths, ChatOptions(**options), preflight)


@cache
def _northwind() -> str:
    """The SHA-1 of Northwind's report, the same in every folder."""
    with TemporaryDirectory() as folder:
        return write_report(Path(folder))


def scripted_facts(key: Key, company: str) -> FactSheet:
    """Two figures and an officer of Northwind, whatever the settings."""
    del key
    if "northwind" not in company.lower():
        raise UsageError(f"{company!r} is no company in the library; nearest names: Northwind Traders Inc.")
    place = {
        "company": "Northwind Traders Inc.",
        "report_sha1": _northwind(),
        "file": "northwind.pdf",
        "page": 2,
        "link": "file:///northwind.pdf#page=2",
        "boxes": (QUOTE_BOX,),
    }
    revenue = FactRow(
        **place,
        confidence="high",
        metric="revenue",
        title="Total revenue",
        value=1_249_642_000,
        unit="USD",
        period_end=dt.date(2022, 12, 31),
        period="2022",
        printed="1,249,642",
        scale=1000.0,
        row_label="Total revenue",
        is_current=True,
        checks={},
    )
    before = revenue.model_copy(
        update={"value": 0.5, "period_end": dt.date(2021, 12, 31), "is_current": False, "confidence": "low"}
    )
    left = {**place, "report_sha1": "a" * 40}  # a report that is not in the library any more
    officer = OfficerRow(**left, confidence="high", role="chief executive", name="Ann Lee", title="CEO")
    return FactSheet(facts=(revenue, before), officers=(officer,))


def main() -> None:
    """Chat over a scripted client; its arguments are FOLDER PORT [BETWEEN_STEPS [TO_LIST [FOR_A_PAGE]]] (seconds).

    PAGEPROOF_PEOPLE names who may sign in.
    """
    from app.chat.launcher import Place, listen, run
    from app.chat.session.connections import ModelConnections
    from app.chat.session.own_models import OwnModels
    from app.chat.session.people import People

    given = [float(word) for word in sys.argv[3:6]]
    pause, listing, page_seconds = (*given, *(0.3, 0.0, 0.0)[len(given) :])
    options, people = ChatOptions(upload_megabytes=1), People.load(None, os.environ)
    own = OwnModels(ModelFolder(DataPaths(Path(sys.argv[1])).models))
    run(
        scripted_pool(ScriptedClient(Path(sys.argv[1]), pause=pause, listing=listing, page_seconds=page_seconds)),
        scripted_facts,
        Place(listen("127.0.0.1", int(sys.argv[2]))),
        options=options,
        people=people,
        connections=ModelConnections(options, signs_in=bool(people), own=own),
    )

"""Pageproof to a program: ask, watch, change the library."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.query_engine import BaseQueryEngine

from app.assembly.libraries import Readable
from app.library.editor import LibraryEditor
from app.library.overview import Overview
from app.settings import Settings
from query_engines.answering.company_engine import CompanyQueryEngine
from query_engines.events import AnswerReady, Event, PageRead, listening
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.parsed import QuestionBundle
from query_engines.question.parser import QuestionParser
from query_engines.routing.dialogue import Conversation, Dialogue
from query_engines.routing.follow_up import follow_up
from storage.errors import MissingIndex, UsageError
from storage.paths import DataPaths
from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question, check_length
from storage.records.reports import Company, Report
from storage.text import storable

if TYPE_CHECKING:  # it loads openpyxl
    from app.files.answer_pages import AnswerCard

T = TypeVar("T")


@dataclass(frozen=True)
class Engines:
    """What answers.

    Attributes:
        company: gives a company's engine.
        query_engine: the whole of them, behind a router.
        aclose: lets go of the connections to models.
    """

    parser: QuestionParser
    company: Callable[[Company], CompanyQueryEngine]
    query_engine: BaseQueryEngine
    aclose: Callable[[], Coroutine[Any, Any, None]]


@dataclass
class AnswerResponse(PydanticResponse):
    """LlamaIndex's response to a question; the answer is typed."""

    response: Answer


class Pageproof:
    """Answers questions over one library with one profile. Close it, or use it as a context manager.

    A person's client reads the shared library and theirs as one, and whatever it stores is stored in theirs.

    Attributes:
        paths: the data root that is written to.
        pages: the pages of every report, as they were read.
        library: changes the library that is written to.
        query_engine: a LlamaIndex engine; its `response` is the `storage.records.answers.Answer`.
        run_id: where its questions stand in the run log; None where nothing is logged.
    """

    def __init__(
        self,
        profile: str,
        settings: Settings,
        read: Readable,
        library: LibraryEditor,
        engines: Engines,
        loop: BackgroundLoop,
        run_id: str | None = None,
    ) -> None:
        self.profile = profile
        self.settings = settings
        self.paths = library.paths
        self.pages = read.pages
        self.library = library
        self.query_engine = engines.query_engine
        self.run_id = run_id
        self._read = read
        self._engines = engines
        self._loop = loop

    def companies(self) -> tuple[Company, ...]:
        """Every company in the library, by name."""
        return self._read.library.companies()

    def has_indexes(self) -> bool:
        """Whether anything is published under these settings."""
        return any(self._read.generation_of(company.name) for company in self.companies())

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None when it is not in the library."""
        return self._read.library.report(sha1)

    def pdf(self, sha1: str) -> Path:
        """The PDF of a report in the library."""
        return self.paths_of(sha1).report_pdf(sha1)

    def paths_of(self, sha1: str) -> DataPaths:
        """The data root that keeps a report: the shared one, or the person's own."""
        return self._read.paths_of(sha1)

    def overview(self, company: str, sha1: str | None = None) -> Overview:
        """What a report holds: figures, people, events, risks and contents, each with its page.

        Args:
            company: its name.
            sha1: of one of its reports; None takes the newest.

        Raises:
            UsageError: the name fits no company, or several.
            MissingIndex: the library is empty, or no facts are stored for these settings.
        """
        return self.library.overview(company, self.pages, sha1)

    def follow_up(self, dialogue: Dialogue, text: str) -> Question:
        """The question that a text means in a conversation; one that stands alone stays as it is."""
        return follow_up(text, dialogue, self._engines.parser, self._prints)

    def _prints(self, company: str, words: str) -> bool:
        """Whether one of a company's reports has all of the words."""
        reports = [
            (known.name, report) for known in self.companies() if known.name == company for report in known.reports
        ]
        try:
            return any(self._read.index_cache.get(name, report).words.has(words) for name, report in reports)
        except MissingIndex:
            return False

    def conversation(self) -> Conversation:
        """A conversation, whose questions may leave out what was said before."""
        return Conversation(self.follow_up, self.ask)

    def ask(
        self, question: str | Question, *, kind: AnswerKind | None = None, company: str | None = None
    ) -> Answer:
        """Answer a question.

        Args:
            question: its text, or a question with its hints.
            kind: how it is to be answered, where the text alone does not say it.
            company: which company it is about, whatever the text says.

        Raises:
            UsageError: the question is empty, or longer than 2,000 characters.
            SetupError: nothing is ingested, or not under this profile.
            ProviderError: the model could not be asked.
        """
        return self._loop.run(self.aask(question, kind=kind, company=company))

    async def aask(
        self, question: str | Question, *, kind: AnswerKind | None = None, company: str | None = None
    ) -> Answer:
        """`ask` for callers in an event loop."""
        return (await self._respond(_with_hints(question, kind, company))).response

    def query(
        self, question: str | Question, *, kind: AnswerKind | None = None, company: str | None = None
    ) -> AnswerResponse:
        """`ask` with the pages: `.response` is the answer, `.source_nodes` are the pages that were read, best first.

        A node's metadata has `company`, `file`, `filing`, `report_sha1` and `page` (1-based).
        """
        return self._loop.run(self.aquery(question, kind=kind, company=company))

    async def aquery(
        self, question: str | Question, *, kind: AnswerKind | None = None, company: str | None = None
    ) -> AnswerResponse:
        """`query` for callers in an event loop."""
        return await self._respond(_with_hints(question, kind, company))

    async def _respond(self, question: Question) -> AnswerResponse:
        if not question.text.strip():
            raise UsageError("the question is empty")
        check_length(question.text, question.company)
        query = await asyncio.to_thread(self._parsed, question)
        # On the client's own loop: a caller's loop, such as the chat's, stays free for others.
        response = await self._loop.arun(self.query_engine.aquery(query))
        if not isinstance(response, PydanticResponse) or not isinstance(response.response, Answer):
            raise TypeError(f"the engines gave a {type(response).__name__}, expected an Answer")
        self._name_files(response)
        return AnswerResponse(response.response, response.source_nodes, response.metadata)

    def _name_files(self, response: PydanticResponse) -> None:
        """Let each node say of what it is a page: company, file and filing."""
        for found in response.source_nodes:
            report = self.report(str(found.node.metadata.get("report_sha1", "")))
            if report is not None:
                named = {"company": report.company, "file": report.file, "filing": report.filing.type}
                found.node.metadata |= named

    def _parsed(self, question: Question) -> QuestionBundle:
        if not self.companies():
            raise MissingIndex(
                "nothing is ingested yet; run `pageproof ingest PATH` on a PDF or a folder, or `pageproof demo`"
            )
        return self._engines.parser.bundle(question)

    async def stream(self, question: Question) -> AsyncGenerator[Event, None]:
        """What happens while a question is answered; the last event is AnswerReady. Leaving stops the work."""
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def sink(event: Event) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        async def work() -> AnswerReady:
            try:
                with listening(sink):
                    response = await self._respond(question)
                    return AnswerReady(answer=response.response, read=_pages_read(response))
            finally:
                loop.call_soon(events.put_nowait, None)

        task = asyncio.create_task(work())
        try:
            while (event := await events.get()) is not None:
                yield event
            yield await task
        finally:
            task.cancel()

    def card(self, answer: Answer) -> "AnswerCard":
        """An answer as a notebook shows it: with its checks, and pictures of the cited pages with the quotes marked."""
        from app.files.answer_pages import as_card  # late: openpyxl
        from app.page_pictures import PagePictures, SafeDrawing  # late: PDFium

        drawing = SafeDrawing()
        return as_card(
            answer,
            lambda sha1, page, boxes: PagePictures(self.paths_of(sha1), drawing).png(sha1, page, boxes),
        )

    def retrieve(self, question: Question, company: Company) -> list[tuple[str, int]]:
        """The pages that an answer would be drawn from, best first: SHA-1 and 1-based page number."""
        nodes = self._loop.run(self._engines.company(company).aretrieve(self._engines.parser.bundle(question)))
        return [(n.metadata["report_sha1"], n.metadata["page"]) for n in nodes]

    def warm_up(self, *, reading: bool = True) -> None:
        """Load what the first question would wait for, and with `reading` also what the first PDF would."""
        self.library.warm_up(reading=reading)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine on the client's own event loop, where its model's connections live."""
        return self._loop.run(coroutine)

    def close(self) -> None:
        """Close connections and end the background loop."""
        self._loop.run(self._engines.aclose())
        self._loop.close()

    def __enter__(self) -> "Pageproof":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _pages_read(response: PydanticResponse) -> tuple[PageRead, ...]:
    places = ((n.metadata.get("report_sha1"), n.metadata.get("page"), n.score) for n in response.source_nodes)
    return tuple(PageRead(report_sha1=s, page=p, score=score) for s, p, score in places if s and p)


def _with_hints(question: str | Question, kind: AnswerKind | None, company: str | None) -> Question:
    given = Question(text=question) if isinstance(question, str) else question
    hints = {"kind": kind, "company": company and storable(company)}
    return given.model_copy(update={name: hint for name, hint in hints.items() if hint is not None})

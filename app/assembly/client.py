"""Pageproof to a program: ask, watch, ingest."""

import asyncio
import datetime as dt
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.query_engine import BaseQueryEngine

from app.library.editor import LibraryEditor
from app.settings import Settings
from indexes.ingestion.ingestion import Ingested, OnProgress, Stopped, Until
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
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company, Report
from storage.stores.protocols import KnownCompanies, StoredPages
from storage.stores.run_log import Run

T = TypeVar("T")


class Pageproof:
    """Answers questions over one library with one profile. Close it, or use it as a context manager.

    A person's client reads the shared library and theirs as one, and whatever it keeps is kept in theirs.

    Attributes:
        paths: the data root that is written to.
    """

    def __init__(
        self,
        profile: str,
        settings: Settings,
        paths: DataPaths,
        library: KnownCompanies,
        pages: StoredPages,
        paths_of: Callable[[str], DataPaths],
        engine_for: Callable[[Company], CompanyQueryEngine],
        query_engine: BaseQueryEngine,
        parser: QuestionParser,
        generation_of: Callable[[str], str | None],
        editor: LibraryEditor,
        loop: BackgroundLoop,
        run: Run | None = None,
        closing: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.profile = profile
        self.settings = settings
        self.paths = paths
        self.pages = pages
        self.query_engine = query_engine
        self.run_id = run.id if run else None
        self._library = library
        self._engine_for = engine_for
        self._paths_of = paths_of
        self._parser = parser
        self._generation_of = generation_of
        self._editor = editor
        self._loop = loop
        self._closing = closing

    def companies(self) -> tuple[Company, ...]:
        """Every company in the library, by name."""
        return self._library.companies()

    def has_indexes(self) -> bool:
        """Whether anything is published under these settings."""
        return any(self._generation_of(company.name) for company in self.companies())

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None when it is not in the library."""
        return self._library.report(sha1)

    def pdf(self, sha1: str) -> Path:
        """The PDF of a report in the library."""
        return self._paths_of(sha1).report_pdf(sha1)

    def owns(self, sha1: str) -> bool:
        """Whether the report is in the library that is written to, so that it can be corrected and removed."""
        return self._editor.owns(sha1)

    def follow_up(self, dialogue: Dialogue, text: str) -> Question:
        """The question that a text means in a conversation; one that stands alone stays as it is."""
        return follow_up(text, dialogue, self._parser)

    def conversation(self) -> Conversation:
        """A conversation, whose questions may leave out what was said before."""
        return Conversation(self.follow_up, lambda question: self.run(self.answer(question)))

    def query(self, text: str, *, kind: AnswerKind | None = None, company: str | None = None) -> PydanticResponse:
        """Answer a question; `.response` of what comes back is the `storage.records.answers.Answer`.

        Raises:
            UsageError: the question is empty.
            SetupError: nothing is ingested, or not under this profile.
            ProviderError: the model could not be asked.
        """
        return self._loop.run(self.aquery(text, kind=kind, company=company))

    async def aquery(
        self, text: str, *, kind: AnswerKind | None = None, company: str | None = None
    ) -> PydanticResponse:
        """`query` for callers in an event loop."""
        response, _ = await self._respond(Question(text=text, kind=kind, company=company))
        return response

    async def answer(self, question: Question) -> Answer:
        """The answer alone, to a question with its hints."""
        _, answer = await self._respond(question)
        return answer

    async def _respond(self, question: Question) -> tuple[PydanticResponse, Answer]:
        if not question.text.strip():
            raise UsageError("the question is empty")
        query = await asyncio.to_thread(self._parsed, question)
        # On the client's own loop: a caller's loop, such as the chat's, stays free for others.
        response = await self._loop.arun(self.query_engine.aquery(query))
        if not isinstance(response, PydanticResponse) or not isinstance(response.response, Answer):
            raise TypeError(f"the engines gave a {type(response).__name__}, expected an Answer")
        return response, response.response

    def _parsed(self, question: Question) -> QuestionBundle:
        if not self.companies():
            raise MissingIndex(
                "nothing is ingested yet; run `pageproof ingest PATH` on a PDF or a folder, or `pageproof demo`"
            )
        return self._parser.bundle(question)

    async def stream(self, question: Question) -> AsyncGenerator[Event, None]:
        """What happens while a question is answered; the last event is AnswerReady. Leaving stops the work."""
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def sink(event: Event) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        async def work() -> AnswerReady:
            try:
                with listening(sink):
                    response, answer = await self._respond(question)
                    return AnswerReady(answer=answer, read=_pages_read(response))
            finally:
                loop.call_soon(events.put_nowait, None)

        task = asyncio.create_task(work())
        try:
            while (event := await events.get()) is not None:
                yield event
            yield await task
        finally:
            task.cancel()

    def retrieve(self, question: Question, company: Company) -> list[tuple[str, int]]:
        """The pages that an answer would be drawn from, best first: SHA-1 and 1-based page number."""
        nodes = self._loop.run(self._engine_for(company).aretrieve(self._parser.bundle(question)))
        return [(n.metadata["report_sha1"], n.metadata["page"]) for n in nodes]

    def warm_up(self) -> None:
        """Load what the first question would wait for."""
        self._editor.load_embedder()

    def ingest(
        self,
        paths: Sequence[Path],
        catalog: Path | None = None,
        workers: int | None = None,
        on_progress: OnProgress | None = None,
        until: Until = "index",
        names: Mapping[Path, str] | None = None,
        stopped: Stopped | None = None,
    ) -> Iterator[Ingested]:
        """Ingest PDFs and folders of PDFs, or without any the library's own reports; yields what became of each.

        With an owner into their own library: what the shared one has is told to be there, and not read again.

        Args:
            paths: files and folders.
            catalog: whose they are; without one the reports tell.
            workers: processes that read.
            on_progress: called with the file, the stage, and how much of how much is done.
            until: the last step.
            names: what people call the files, where that is not their name on the disk.
            stopped: asked twice a second; once it holds, IngestionStopped is raised.
        """
        return self._editor.ingest(paths, catalog, workers, on_progress, until, names, stopped)

    def pdfs(self, paths: Sequence[Path]) -> list[Path]:
        """The PDFs that `ingest` would take.

        Raises:
            UsageError: a path does not exist, or there is no PDF.
        """
        return self._editor.pdfs(paths)

    def correct(
        self,
        sha1: str,
        *,
        company: str | None = None,
        currency: str | None = None,
        period_end: dt.date | None = None,
    ) -> Report:
        """Put right what is known of a report in the library that is written to; None leaves a thing as it is.

        Every client over the library sees it at its next question.

        Returns:
            The report as it is known now.

        Raises:
            UsageError: the report is not in that library, or a value is wrong; nothing is changed then.
        """
        corrected = self._editor.correct(sha1, company=company, currency=currency, period_end=period_end)
        return self.report(sha1) or corrected

    def remove(self, sha1: str) -> None:
        """Remove a report from the library that is written to, with everything that was made of it.

        Every client over the library sees it at its next question. After a kill, removing it again goes on.

        Raises:
            UsageError: the report is not in that library.
            SetupError: its files cannot be removed.
        """
        self._editor.remove(sha1)

    def discard(self, sha1: str) -> None:
        """Remove what an ingestion that was stopped or failed left of a report that is not in the library.

        Raises:
            SetupError: something cannot be removed.
        """
        self._editor.discard(sha1)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine on the client's own event loop, where its model's connections live."""
        return self._loop.run(coroutine)

    def close(self) -> None:
        """Close connections and end the background loop."""
        if self._closing is not None:
            self._loop.run(_awaited(self._closing))
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


async def _awaited(closing: Callable[[], Awaitable[None]]) -> None:
    await closing()

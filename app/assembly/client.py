"""Pageproof to a program: ask, watch, change the library."""

import asyncio
import difflib
import itertools
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CoroutineType, TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import NodeWithScore

from app.assembly.libraries import Readable
from app.library.editor import LibraryEditor
from app.library.fact_sheet import companies_named
from app.library.overview import Overview
from app.recording.recorded_engine import AnswerResponse, PagesRetriever
from app.settings import Settings, nothing_ingested
from query_engines.answering.company_engine import CompanyQueryEngine
from query_engines.events import AnswerReady, Event, PageRead, listening
from query_engines.llm.event_loop import IS_CLOSED, BackgroundLoop
from query_engines.question.parsed import QuestionBundle
from query_engines.question.parser import QuestionParser
from query_engines.routing.dialogue import Conversation, Dialogue
from query_engines.routing.follow_up import follow_up
from storage.errors import MissingIndex, UsageError, check_type, in_words
from storage.lexicon.money import currency_code
from storage.paths import DataPaths
from storage.records.answers import Answer
from storage.records.questions import AnswerKind, Question, check_length
from storage.records.reports import Company, Report
from storage.stores.protocols import StoredPages
from storage.text import storable

if TYPE_CHECKING:  # it loads openpyxl
    from app.files.answer_pages import AnswerCard

T = TypeVar("T")
_SHA1 = "the SHA-1 of a report"


@dataclass(frozen=True)
class Engines:
    """What answers.

    Attributes:
        company: gives a company's engine.
        query_engine: the whole of them, behind a router.
        aclose: lets go of the connections to models.
        named: lets pages say of what they are pages.
    """

    parser: QuestionParser
    company: Callable[[Company], CompanyQueryEngine]
    query_engine: BaseQueryEngine
    aclose: Callable[[], Coroutine[Any, Any, None]]
    named: Callable[[Sequence[NodeWithScore]], list[NodeWithScore]] = list


class Pageproof:
    """Answers questions over one library with one profile. Close it, or use it as a context manager.

    A closed client refuses every question and every look at its library. It may be closed again.

    A person's client reads the shared library and theirs as one, and whatever it stores is stored in theirs.

    Attributes:
        paths: the data root that is written to.
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
        self.query_engine = engines.query_engine
        self.run_id = run_id
        self._library = library
        self._readable = read
        self._engines = engines
        self._loop = loop
        self._closing = threading.Lock()
        self._is_closed = False

    @property
    def library(self) -> LibraryEditor:
        """Changes the library that is written to.

        Raises:
            UsageError: the client is closed.
        """
        self._check_open()
        return self._library

    @property
    def pages(self) -> StoredPages:
        """The pages of every report, as they were read.

        Raises:
            UsageError: the client is closed.
        """
        return self._read.pages

    @property
    def _read(self) -> Readable:
        self._check_open()
        return self._readable

    def _check_open(self) -> None:
        if self._is_closed:
            raise UsageError(IS_CLOSED)

    def companies(self) -> tuple[Company, ...]:
        """Every company in the library, by name."""
        return self._read.library.companies()

    def has_indexes(self) -> bool:
        """Whether anything is published under these settings."""
        return any(self._read.generation_of(company.name) for company in self.companies())

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None when it is not in the library."""
        check_type("sha1", sha1, str, _SHA1)
        return self._read.library.report(sha1)

    def pdf(self, sha1: str) -> Path:
        """The PDF of a report in the library."""
        return self.paths_of(sha1).report_pdf(sha1)

    def paths_of(self, sha1: str) -> DataPaths:
        """The data root that keeps a report: the shared one, or the person's own."""
        check_type("sha1", sha1, str, _SHA1)
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
        check_type("the question", text, str, "a text")
        check_type("dialogue", dialogue, Dialogue, "a Dialogue, the state of a conversation")
        check_length(text)
        self._check_open()
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
        query = await asyncio.to_thread(self._parsed, question)
        # On the client's own loop: a caller's loop, such as the chat's, stays free for others.
        response = await self._loop.arun(self.query_engine.aquery(query))
        if not isinstance(response, AnswerResponse):
            raise TypeError(f"the engines gave a {type(response).__name__}, expected an AnswerResponse")
        return response

    def _parsed(self, question: Question) -> QuestionBundle:
        if not self.companies():
            raise nothing_ingested(self._read.root)
        return self._engines.parser.bundle(question)

    async def stream(
        self, question: str | Question, *, kind: AnswerKind | None = None, company: str | None = None
    ) -> AsyncGenerator[Event, None]:
        """What happens while a question is answered; the last event is AnswerReady. Leaving stops the work.

        Raises:
            UsageError: the question is empty, too long, or has a wrong hint.
        """
        asked = _with_hints(question, kind, company)
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def sink(event: Event) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        async def work() -> AnswerReady:
            try:
                with listening(sink):
                    response = await self._respond(asked)
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
        check_type("answer", answer, Answer, "an Answer, such as `ask` gives")
        self._check_open()
        from app.files.answer_pages import as_card  # late: openpyxl
        from app.page_pictures import PagePictures, SafeDrawing  # late: PDFium

        drawing = SafeDrawing()
        return as_card(
            answer,
            lambda sha1, page, boxes: PagePictures(self.paths_of(sha1), drawing).png(sha1, page, boxes),
        )

    def retrieve(self, question: str | Question, company: str | Company) -> list[tuple[str, int]]:
        """The pages that an answer would be drawn from, best first: SHA-1 and 1-based page number.

        Raises:
            UsageError: the company's name fits none, or several.
        """
        known = company if isinstance(company, Company) else self._company(company)
        nodes = self._loop.run(self._pages(_with_hints(question, None, known.name), (known,)))
        return [(n.metadata["report_sha1"], n.metadata["page"]) for n in nodes]

    def retriever(self, company: str | None = None) -> BaseRetriever:
        """A LlamaIndex retriever of whole pages, best first, to use elsewhere.

        Args:
            company: whose pages; None lets each question name its companies.

        Raises:
            UsageError: the company's name fits none, or several; a question names no company.
        """
        only = None if company is None else self._company(company)

        async def pages(text: str) -> list[NodeWithScore]:
            question = _with_hints(text, None, only and only.name)
            if only is not None:
                return await self._pages(question, (only,))
            query = await asyncio.to_thread(self._parsed, question)
            if not query.parsed.companies:
                raise UsageError(
                    f"the question {text!r} names no company of the library; name one, or use retriever(company=…)"
                )
            return await self._pages(question, query.parsed.companies)

        return PagesRetriever(pages, self._loop)

    def _company(self, name: str) -> Company:
        (known,) = companies_named([name], self.companies())
        return known

    async def _pages(self, question: Question, companies: Sequence[Company]) -> list[NodeWithScore]:
        """The pages of each company, best first; of several companies one after the other, by rank."""
        query = await asyncio.to_thread(self._parsed, question)
        found = [await self._engines.company(company).aretrieve(query) for company in companies]
        by_rank = (node for nodes in itertools.zip_longest(*found) for node in nodes if node is not None)
        return self._engines.named(list(by_rank))

    def warm_up(self, *, reading: bool = True) -> None:
        """Load what the first question would wait for, and with `reading` also what the first PDF would."""
        self.library.warm_up(reading=reading)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine on the client's own event loop, where its model's connections live."""
        check_type("coroutine", coroutine, CoroutineType, "a coroutine, such as client.aask(…)")
        return self._loop.run(coroutine)

    def close(self) -> None:
        """Close connections and end the background loop. A client that is closed already stays as it is."""
        if self._is_closed or not self._closing.acquire(blocking=False):  # another thread is closing it
            return
        try:
            self._loop.run(self._engines.aclose())
            self._is_closed = True
            self._loop.close()
        finally:
            self._closing.release()

    async def aclose(self) -> None:
        """`close` for callers in an event loop."""
        await asyncio.to_thread(self.close)

    async def __aenter__(self) -> "Pageproof":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __enter__(self) -> "Pageproof":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _pages_read(response: PydanticResponse) -> tuple[PageRead, ...]:
    places = ((n.metadata.get("report_sha1"), n.metadata.get("page"), n.score) for n in response.source_nodes)
    return tuple(PageRead(report_sha1=s, page=p, score=score) for s, p, score in places if s and p)


def _with_hints(question: object, kind: object, company: object) -> Question:
    """A question with its hints.

    Raises:
        UsageError: it is no question, or a hint is none, such as a currency that nobody knows; it is empty or too long.
    """
    check_type("the question", question, (str, Question), "a text or a Question")
    assert isinstance(question, str | Question)
    kinds = get_args(AnswerKind)
    given = Question(text=question) if isinstance(question, str) else question
    for hint in (kind, given.kind):
        if hint is not None and hint not in kinds:
            near = difflib.get_close_matches(str(hint), kinds, n=1)
            guess = f"did you mean {near[0]!r}? " if near else ""
            raise UsageError(f"kind is {in_words(hint)}; {guess}expected {', '.join(map(repr, kinds))}")
    check_type("company", company, (str, type(None)), "a company's name")
    assert isinstance(company, str | None)
    if not given.text.strip():
        raise UsageError("the question is empty")
    currency = currency_code(given.currency) if given.currency else None
    if given.currency and currency is None:
        raise UsageError(
            f"{in_words(given.currency)} is no currency; expected a code of three letters such as EUR"
        )
    hints = {"kind": kind, "company": company and storable(company), "currency": currency}
    asked = given.model_copy(update={name: hint for name, hint in hints.items() if hint is not None})
    check_length(asked.text, asked.company)
    return asked

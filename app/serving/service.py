"""What the routes and tools of a server share: clients by person, uploads, conversations, counts."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram

from app.assembly.client import Pageproof
from app.chat.session.client_pool import ChatClient, ClientPool, Key
from app.chat.session.people import Rights
from app.chat.uploads.uploads import Upload, Uploads
from app.library.fact_sheet import companies_named
from app.page_pictures import PagePictures, SafeDrawing
from app.recording.run_views import RunSummary, SeenRun, seen, summaries
from app.serving.bodies import Grid, GridCell, PageBody, PagePlace
from query_engines.comparison.reader import MOST_CELLS
from query_engines.routing.dialogue import Dialogue
from storage.errors import UsageError
from storage.records.answers import Answer
from storage.records.questions import Question
from storage.records.record import Box, Record
from storage.records.reports import Company, Report
from storage.stores.run_log import RunLog


class NotFound(UsageError):
    """There is no such thing for this caller."""


class Caller(Record):
    """Who asks.

    Attributes:
        name: for limits and logs: a person, or an address where no token is needed.
        owner: whose own library is read beside the shared one; None where people have none.
        writes: whether the library may be changed.
        shares: whether the shared library may be, by a person who has their own.
    """

    name: str = "local"
    owner: str | None = None
    writes: bool = True
    shares: bool = False


class Turn(Record):
    """A question of a conversation and its answer."""

    question: str
    answer: Answer


MOST_TURNS = 200


class Talk:
    """One conversation: what it is about so far, and its last turns."""

    def __init__(self, owner: str) -> None:
        """A caller's, by name."""
        self.owner = owner
        self.dialogue = Dialogue()
        self.turns: deque[Turn] = deque(maxlen=MOST_TURNS)


K = TypeVar("K")
V = TypeVar("V")


class FairCache(Generic[K, V]):
    """What was used last, by owner: where there is no room, whoever has most loses what they used longest ago."""

    def __init__(self, most: int) -> None:
        """Remember so many in all."""
        self._most = most
        self._all: dict[str, OrderedDict[K, V]] = {}

    def get(self, owner: str, key: K) -> V | None:
        """An owner's."""
        known = self._all.get(owner, OrderedDict())
        if key in known:
            known.move_to_end(key)
        return known.get(key)

    def put(self, owner: str, key: K, value: V) -> None:
        """Remember one."""
        self._all.setdefault(owner, OrderedDict())[key] = value
        self._all[owner].move_to_end(key)
        if sum(map(len, self._all.values())) > self._most:
            most = max(self._all, key=lambda one: len(self._all[one]))
            self._all[most].popitem(last=False)

    def pop(self, owner: str, key: K) -> None:
        """Forget one; it may be gone already."""
        self._all.get(owner, OrderedDict()).pop(key, None)


@dataclass
class Counts:
    """What is measured, in Prometheus' form."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    requests: Counter = field(init=False)
    answers: Counter = field(init=False)
    seconds: Histogram = field(init=False)

    def __post_init__(self) -> None:
        labels = ("method", "route", "status")
        self.requests = Counter("pageproof_requests", "HTTP requests.", labels, registry=self.registry)
        self.answers = Counter("pageproof_answers", "Answers.", ("outcome",), registry=self.registry)
        self.seconds = Histogram("pageproof_answer_seconds", "Time of an answer.", registry=self.registry)


_ANALYST = "answers.strictness=analyst"


class Service:
    """Everything that a caller can do, for the routes of the API and the tools of MCP."""

    def __init__(
        self, clients: ClientPool, profile: str, overrides: Sequence[str], uploads: Uploads, conversations: int
    ) -> None:
        """Serve with these clients.

        Args:
            clients: opens a client for a person.
            profile: its settings' profile.
            overrides: settings on top of it.
            uploads: reads PDFs that callers send.
            conversations: how many are remembered.
        """
        self.clients = clients
        self._profile, self._overrides = profile, tuple(overrides)
        self.uploads = uploads
        self.counts = Counts()
        self.talks: FairCache[str, Talk] = FairCache(conversations)
        self._drawing = SafeDrawing()

    def key(self, caller: Caller, *further: str) -> Key:
        """The client of a caller, with further settings."""
        return Key(profile=self._profile, overrides=(*self._overrides, *further), owner=caller.owner)

    @asynccontextmanager
    async def client(self, caller: Caller, *further: str) -> AsyncIterator[Pageproof]:
        """A caller's client; it stays open inside the block."""
        async with self.clients.at(self.key(caller, *further)) as client:
            if not isinstance(client, Pageproof):
                raise TypeError(f"a server needs Pageproof's own client, got {type(client).__name__}")
            yield client

    @asynccontextmanager
    async def answering(self, caller: Caller, *further: str) -> AsyncIterator[Pageproof]:
        """A caller's client once it is their turn with a question."""
        async with self.clients.turns.of(caller.name), self.client(caller, *further) as client:
            yield client

    @asynccontextmanager
    async def client_to_change(self, caller: Caller, sha1: str) -> AsyncIterator[ChatClient]:
        """The client of the library in which a caller may correct or remove a report that they see."""
        rights = Rights("keeper" if caller.shares else "contributor" if caller.writes else "reader")
        key = await self.clients.key_to_change(self.key(caller), sha1, rights)
        async with self.clients.at(key) as client:
            yield client

    async def ask(self, caller: Caller, question: Question, *, derived: bool = False) -> Answer:
        """The answer to a question; `derived` lets a calculated figure be the value.

        Raises:
            PageproofError: it cannot be asked; the class says why.
        """
        with self._counted() as outcome:
            async with self.answering(caller, *((_ANALYST,) if derived else ())) as client:
                answer = await client.aask(question)
            outcome(answer)
        return answer

    async def go_on(self, caller: Caller, talk: Talk, question: Question) -> Answer:
        """The answer to a question of a conversation, which may leave out what was said before."""
        with self._counted() as outcome:
            async with self.answering(caller) as client:
                whole = question
                if not question.company:
                    whole = await asyncio.to_thread(client.follow_up, talk.dialogue, question.text)
                whole = whole.model_copy(update={"kind": question.kind or whole.kind})
                answer = await client.aask(whole)
            outcome(answer)
        talk.dialogue = talk.dialogue.after(whole, answer)
        talk.turns.append(Turn(question=question.text, answer=answer))
        return answer

    def talk(self, caller: Caller, number: str) -> Talk:
        """A caller's conversation.

        Raises:
            NotFound: there is none, it is another's, or it was forgotten.
        """
        found = self.talks.get(caller.name, number)
        if found is None:
            raise NotFound(f"there is no conversation {number!r}; those used last are remembered")
        return found

    async def companies(self, caller: Caller) -> tuple[Company, ...]:
        """Every company that a caller sees."""
        async with self.client(caller) as client:
            return await asyncio.to_thread(client.companies)

    async def report(self, caller: Caller, name: str) -> Report:
        """A report that a caller sees, by its SHA-1 or the name of its file.

        Raises:
            NotFound: there is none.
            UsageError: several have this name.
        """
        async with self.client(caller) as client:
            found = client.report(name)
            known = () if found else await asyncio.to_thread(client.companies)
        named = [r for c in known for r in c.reports if r.file.casefold() == name.casefold()]
        if len(named) > 1:
            sha1s = ", ".join(report.sha1 for report in named)
            raise UsageError(f"{name!r} is the name of several reports; give one of their SHA-1s: {sha1s}")
        if found is None and not named:
            raise NotFound(
                f"there is no report {name!r} in the library; expected its SHA-1 or the name of its file"
            )
        return found or named[0]

    def upload(self, caller: Caller, name: str) -> Upload:
        """A PDF that a caller sent, by its SHA-1 or the name of its file; the last one of that name.

        Raises:
            NotFound: there is none.
        """
        sent = self.uploads.of(caller.owner)
        named = [u for u in sent if name.casefold() in (u.received.sha1, u.received.name.casefold())]
        if not named:
            raise NotFound(f"no PDF {name!r} was sent since the server began; expected its SHA-1 or its name")
        return named[-1]

    async def find_pages(self, caller: Caller, question: str, company: str) -> tuple[PagePlace, ...]:
        """The pages of a company's reports that an answer would be drawn from, best first.

        Raises:
            UsageError: the company's name fits none, or several.
        """
        async with self.answering(caller) as client:

            def found() -> tuple[Company, list[tuple[str, int]]]:
                (known,) = companies_named([company], client.companies())
                return known, list(client.retrieve(Question(text=question, company=known.name), known))

            known, places = await asyncio.to_thread(found)
        files = {report.sha1: report.file for report in known.reports}
        return tuple(PagePlace(report_sha1=sha1, file=files.get(sha1, ""), page=page) for sha1, page in places)

    async def grid(
        self, caller: Caller, companies: Sequence[str], metrics: Sequence[str], years: Sequence[int]
    ) -> Grid:
        """Figures of companies by metrics and years, each asked for on its own; calculated ones count, too.

        Raises:
            UsageError: a company's name fits none, or several; or there are too many figures.
        """
        async with self.client(caller) as client:
            known = await asyncio.to_thread(lambda: companies_named(companies, client.companies()))
        named = [company.name for company in known]
        wanted = [
            (name, metric, year)
            for name in named
            for metric in dict.fromkeys(metrics)
            for year in years or (None,)
        ]
        if len(wanted) > MOST_CELLS:
            raise UsageError(
                f"the grid has {len(wanted)} figures, expected at most {MOST_CELLS}: ask for a part of it"
            )
        answers = [await self._figure(caller, *cell) for cell in wanted]
        cells = [_cell(*cell, answer) for cell, answer in zip(wanted, answers, strict=True)]
        return Grid(
            companies=tuple(named),
            metrics=tuple(dict.fromkeys(metrics)),
            years=tuple(years),
            cells=tuple(cells),
            answers=tuple(answers),
        )

    async def _figure(self, caller: Caller, company: str, metric: str, year: int | None) -> Answer:
        text = f"What was the {metric}" + (f" in {year}?" if year else "?")
        return await self.ask(caller, Question(text=text, kind="number", company=company), derived=True)

    async def page(self, caller: Caller, name: str, page_number: int) -> PageBody:
        """A page as it was read.

        Raises:
            NotFound: no such report or page.
        """
        report = await self.report(caller, name)
        if not 1 <= page_number <= report.page_count:
            raise NotFound(f"{report.file} has no page {page_number}: it has {report.page_count}")
        async with self.client(caller) as client:
            (page,) = await asyncio.to_thread(client.pages.read, report.sha1, [page_number])
        return PageBody(
            report_sha1=report.sha1,
            file=report.file,
            page=page_number,
            width=page.width,
            height=page.height,
            text=page.markdown,
            section=page.section,
            text_source=page.text_source,
        )

    async def picture(self, caller: Caller, name: str, page: int, boxes: Sequence[Box]) -> bytes:
        """A page as PNG with marks; blocks for a moment.

        Raises:
            NotFound: no such report or page.
            DocumentError: it cannot be drawn.
        """
        report = await self.report(caller, name)
        if not 1 <= page <= report.page_count:
            raise NotFound(f"{report.file} has no page {page}: it has {report.page_count}")
        async with self.client(caller) as client:
            paths = client.paths_of(report.sha1)
        pictures = PagePictures(paths, self._drawing.of(caller.name))
        return await asyncio.to_thread(pictures.png, report.sha1, page, boxes)

    async def runs(self, caller: Caller) -> tuple[RunSummary, ...]:
        """The runs of a caller, the latest first."""
        return summaries(await self._log(caller))

    async def run(self, caller: Caller, name: str) -> SeenRun:
        """One run with its questions.

        Raises:
            NotFound: there is none.
        """
        try:
            return seen(await self._log(caller), name)
        except UsageError as error:
            raise NotFound(str(error)) from error

    @contextmanager
    def _counted(self) -> Iterator[Callable[[Answer], None]]:
        """Count what comes of a question, and its time."""
        outcomes = ["failed"]
        begun = time.perf_counter()
        try:
            yield lambda answer: outcomes.append("answered" if answer.is_available else "not available")
        finally:
            self.counts.answers.labels(outcomes[-1]).inc()
            self.counts.seconds.observe(time.perf_counter() - begun)

    async def _log(self, caller: Caller) -> RunLog:
        async with self.client(caller) as client:
            return RunLog(client.paths.runs)


def _cell(company: str, metric: str, year: int | None, answer: Answer) -> GridCell:
    figure = answer.value if isinstance(answer.value, float) else None
    operand = answer.operands[0] if answer.operands else None
    return GridCell(
        company=company,
        metric=metric,
        column=str(year or ""),
        period=answer.unit.period_end if answer.unit else None,
        value="N/A" if figure is None else figure,
        unit=answer.unit if figure is not None else None,
        citation=answer.citations[0] if answer.citations else operand.citation if operand else None,
        reason=answer.reason or (None if figure is not None else "not_found"),
        formula=answer.formula,
        failed_checks=tuple(check.name for check in answer.checks if check.verdict == "failed"),
    )

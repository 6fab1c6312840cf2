"""What the panel of sources asks for and changes: the list, one report, which reports a conversation is about."""

import asyncio
import logging
from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol

from chainlit.auth import get_current_user
from chainlit.context import context, init_ws_context
from chainlit.session import WebsocketSession
from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, SecretStr

from app.chat.cards.links import LinkedReports
from app.chat.cards.screen import say, sentence, speech
from app.chat.session.client_pool import ChatClient, ChatLibrary, ClientPool, Key
from app.chat.session.connections import (
    Connection,
    ModelConnections,
    NotConnected,
    Reachability,
    WantedModel,
)
from app.chat.session.conversation import Conversation
from app.chat.session.people import AT_THIS_MACHINE, NotAllowed, Rights, RightsOf
from app.chat.session.requests import read_correction
from app.chat.session.settings_panel import ProfileOffer
from app.chat.sources.listing import (
    SourceDetails,
    SourceFilter,
    SourceList,
    Wanted,
    Whose,
    label_of,
    short_name,
    source_details,
    source_list,
)
from app.chat.uploads.handlers import may_change
from app.chat.uploads.middleware import session_of
from app.chat.uploads.uploads import Upload, Uploads
from app.files.workbooks import MEDIA_TYPE, download_headers
from app.library.fact_files import fact_book
from app.library.fact_sheet import FactRow, FactSheet
from app.library.overview import Overview
from app.library.report_text import ReportTexts
from app.page_pictures import page_address
from app.settings import Settings, uses_model
from query_engines.options import model_name
from query_engines.question.parser import chosen_of
from storage.errors import MissingIndex, PageproofError, UsageError
from storage.incoming import LONGEST_NAME
from storage.records.reports import Company, Report

logger = logging.getLogger(__name__)
MOST_CHOSEN = 100  # reports that one conversation may be about
_LONGEST_SEARCH = 200
_MOST_NAMED = 4  # companies on the first screen
FactsOf = Callable[[Key, str], FactSheet]
"""The facts of the named company under a profile and settings, as a person may see them."""


class OpenChat(Protocol):
    """The conversation that is open in the page that speaks."""

    def conversation(self) -> Conversation:
        """What it is about and how it is answered."""
        ...

    def key(self) -> Key:
        """Its client."""
        ...

    async def store_settings(self) -> None:
        """Write down what was chosen in it."""
        ...

    async def answer_with(self, profile: str, connection: str = "") -> None:
        """Let a profile answer in it, or a connected model on top of the profile."""
        ...

    def connection(self) -> Connection | None:
        """The connected model that answers in it."""
        ...


_Word = Annotated[str, Field(max_length=300)]
_SessionId = Annotated[str, Query(max_length=100)]


class _InSession(BaseModel):
    session_id: _Word


class _Chosen(_InSession):
    reports: list[_Word] = Field(max_length=MOST_CHOSEN)


class _Corrected(_InSession):
    company: _Word = ""
    currency: _Word = ""
    period_end: _Word = ""


class _Reading(_InSession):
    what: Literal["retry", "stop", "hand_over"]


class _Profile(_InSession):
    profile: _Word


class _Own(_InSession):
    model: str = Field(max_length=_LONGEST_SEARCH)
    what: Literal["get", "stop", "use"]


class _Connected(_InSession):
    provider: _Word
    address: Annotated[str, Field(max_length=2000)] = ""
    model: _Word
    key: Annotated[SecretStr, Field(max_length=10_000)] = SecretStr("")
    remember: bool = False


class Sources:
    """The library of the person who chats, and who answers, beside their conversation."""

    def __init__(
        self,
        clients: ClientPool,
        uploads: Uploads,
        facts_of: FactsOf,
        chat: OpenChat,
        connections: ModelConnections,
        rights_of: RightsOf = lambda _: AT_THIS_MACHINE,
    ) -> None:
        self._rights_of = rights_of
        self._clients = clients
        self._uploads = uploads
        self._facts_of = facts_of
        self._chat = chat
        self._connections = connections
        self._reach = Reachability()
        self._texts = ReportTexts()
        self._handing: dict[tuple[str, str], asyncio.Task[None]] = {}
        """What is being put into the shared library, by owner and SHA-1."""

    async def announce(self) -> None:
        """Tell the page, which shows what surrounds the conversation, how that stands."""
        await context.emitter.send_window_message({"pageproof": await self.state()})

    async def state(self) -> dict[str, Any]:
        """What the page needs to know: the id of its session, and the reports that the conversation is about."""
        return {
            "session": context.session.id,
            "about": self._labels(self._chat.conversation().about),
            "uploads": self._takes_uploads,
            "model": await self._model(),
            "library": await self._library(),
        }

    async def _library(self) -> dict[str, Any]:
        """What the first screen says of the library."""
        companies: tuple[Company, ...] = ()
        try:
            async with self._clients.at(self._chat.key()) as client:
                companies = await asyncio.to_thread(client.companies)
        except PageproofError as error:  # the conversation says so
            logger.debug("the library cannot be opened: %s", error)
        return {
            "companies": len(companies),
            "reports": sum(len(company.reports) for company in companies),
            "names": [short_name(company.name) for company in companies[:_MOST_NAMED]],
        }

    async def _model(self) -> dict[str, Any]:
        """Who answers here, where that is, and whether the person may change it."""
        conversation, connection = self._chat.conversation(), self._chat.connection()
        settings = self._clients.settings_at(
            self._clients.key(conversation.choices, self._chat.key().owner, connection)
        )
        return {
            "name": _model_name(settings),
            "hosts": self._clients.hosts(conversation.choices, connection),
            "profile": conversation.choices.profile,
            "connected": connection is not None,
            "may_connect": self._connections.is_allowed,
        }

    async def missing_server(self, key: Key) -> str:
        """The address of a client's model where no server answers; "" if it is there, or none is needed."""
        connection = self._connections.get(key.connection, key.owner)
        environment = {**self._clients.environment, **(connection.environment if connection else {})}
        return await self._reach.missing(self._clients.settings_at(key), environment)

    async def models(self) -> dict[str, Any]:
        """What can be chosen to answer, and what may be connected; a server of one's own is looked for."""
        owner = self._chat.key().owner
        known = self._connections.of(owner)
        return {
            "profiles": list(await asyncio.gather(*map(self._offered, self._clients.offers))),
            "providers": [p.model_dump() for p in self._connections.providers()]
            if self._connections.is_allowed
            else [],
            "known": known.wanted.model_dump() if known else None,
            "can_remember": self._connections.can_remember,
            "own": self._own(),
            "model": await self._model(),
        }

    def _own(self) -> dict[str, Any] | None:
        """The models of this machine, with what is said of each in the language of the page."""
        own = self._connections.own
        if own is None:
            return None
        said = {name: say for name in ("about", "trouble")}
        models = [
            {key: said[key](sentence(value)) if value and key in said else value for key, value in model}
            for model in own.offered()
        ]
        return {"install": own.missing_extra, "models": models}

    async def own_model(self, name: str, what: str) -> dict[str, Any]:
        """Get a model of this machine, stop that, or let it answer in the conversation.

        Raises:
            UsageError, MissingModel: as `OwnModels` and `ModelConnections.connect_own`.
        """
        own, owner = self._connections.own, self._chat.key().owner
        if own is None or what == "use":
            made = await asyncio.to_thread(self._connections.connect_own, owner, name)
            self._clients.forget(owner)
            await self._chat.answer_with(self._clients.first.profile, made.id)
            await self.announce()
            return await self.state()
        own.get(name) if what == "get" else own.stop(name)
        return await self.models()

    async def _offered(self, offer: ProfileOffer) -> dict[str, Any]:
        settings = self._clients.settings_of(offer.name)
        return {
            "profile": offer.name,
            "description": offer.description,
            "hosts": offer.hosts,
            "model": _model_name(settings),
            "missing": await self._reach.missing(settings, self._clients.environment),
        }

    async def connect(self, wanted: WantedModel, key: str, *, remember: bool) -> dict[str, Any]:
        """Try a model, and let it answer in the conversation.

        Raises:
            UsageError, NotConnected: as `ModelConnections.connect`.
        """
        owner = self._chat.key().owner
        profile = self._clients.first.profile
        made, seconds = await self._connections.connect(owner, wanted, key)
        self._clients.forget(owner)
        await self._chat.answer_with(profile, made.id)
        await self.announce()
        is_remembered = remember and await asyncio.to_thread(self._connections.remember, made)
        return {**await self.state(), "seconds": seconds, "remembered": is_remembered}

    async def use(self, profile: str) -> dict[str, Any]:
        """Let a profile answer; "connected" stands for the model that was connected in another conversation.

        Raises:
            UsageError: it is not offered.
        """
        known = self._connections.of(self._chat.key().owner) if profile == "connected" else None
        await self._chat.answer_with(self._clients.first.profile if known else profile, known.id if known else "")
        await self.announce()
        return await self.state()

    async def disconnect(self) -> dict[str, Any]:
        """Forget the person's key, and answer by the profile again."""
        owner = self._chat.key().owner
        await asyncio.to_thread(self._connections.disconnect, owner)
        self._clients.forget(owner)
        await self._chat.answer_with(self._chat.conversation().choices.profile)
        await self.announce()
        return await self.state()

    @property
    def _takes_uploads(self) -> bool:
        return self._uploads.options.uploads and self._rights().sends

    def _rights(self) -> Rights:
        return self._rights_of(self._chat.key().owner)

    async def listed(self, wanted: Wanted) -> SourceList:
        """The reports that a question may be about, and those on their way."""
        key = self._chat.key()
        uploads = self._uploads.of(key.owner)
        chosen = tuple(r.sha1 for company in self._chat.conversation().about for r in company.reports)
        wanted = wanted.model_copy(update={"chosen": chosen})
        rights = self._rights()
        whose = Whose(
            is_personal=key.owner is not None,
            takes_uploads=self._uploads.options.uploads and rights.sends,
            hands_over=rights.shares,
            on_the_way=frozenset(sha1 for owner, sha1 in self._handing if owner == key.owner),
        )
        async with self._clients.at(key) as client:

            def listed() -> SourceList:
                return source_list(
                    client.companies(),
                    uploads,
                    client.library.owns,
                    lambda sha1: may_change(client, sha1, rights),
                    wanted,
                    whose,
                )

            return await asyncio.to_thread(listed)

    async def details(self, sha1: str) -> SourceDetails:
        """One report opened.

        Raises:
            UsageError: it is not in this person's library.
        """
        key = self._chat.key()
        async with self._clients.at(key) as client:

            def opened() -> SourceDetails:
                company, report = _found(client.companies(), sha1)
                overview: Overview | None = None
                sheet = FactSheet()
                try:
                    overview = client.overview(company.name, sha1)
                    sheet = self._facts_of(key, company.name)
                except MissingIndex:
                    logger.debug("nothing is stored of %s", report.file)
                return source_details(company, report, overview, sheet, self.linked(client))

            return await asyncio.to_thread(opened)

    async def facts_book(self, company: str, origin: str) -> bytes:
        """A company's figures as a workbook, in which each opens its marked page below this address of the chat."""
        sheet = await asyncio.to_thread(self._facts_of, self._chat.key(), company)

        def linked(row: FactRow) -> FactRow:
            return row.model_copy(update={"link": origin + page_address(row.report_sha1, row.page, row.boxes)})

        shown = sheet.model_copy(update={"facts": tuple(map(linked, sheet.facts))})
        return await asyncio.to_thread(fact_book, shown)

    def linked(self, client: ChatClient) -> LinkedReports:
        """The reports that links of a card or of the panel lead to, with the numbers that their pages print."""

        def printed(report: Report, page: int) -> str:
            return self._texts.printed(client.paths_of(report.sha1), report.sha1, page, report.page_count)

        return LinkedReports(client.report, printed)

    async def choose(self, reports: tuple[str, ...]) -> dict[str, Any]:
        """Let the conversation be about some reports, or about the whole library where there are none."""
        async with self._clients.at(self._chat.key()) as client:
            companies = await asyncio.to_thread(client.companies)
        self._chat.conversation().choose(chosen_of(companies, reports))
        await self._chat.store_settings()
        return await self.state()

    async def correct(self, sha1: str, values: dict[str, str]) -> None:
        """Put right what is known of a report.

        Raises:
            UsageError: a value is wrong, or the report is not this person's.
        """
        wanted = read_correction({"sha1": sha1, **values})
        key = await self._clients.key_to_change(self._chat.key(), sha1, self._rights())
        async with self._clients.at(key) as client:

            def put_right() -> Report:
                return client.library.correct(
                    wanted.sha1, company=wanted.company, currency=wanted.currency, period_end=wanted.period_end
                )

            await asyncio.to_thread(put_right)

    async def retry(self, sha1: str) -> None:
        """Read a PDF again that is still stored.

        Raises:
            UsageError: it is not stored any more, or not this person's.
        """
        self._rights().must_send()
        upload = self._uploads.find(self._chat.key().owner, sha1)
        if upload is None:
            raise UsageError("this PDF is not stored any more: send it again")
        self._uploads.retry(upload)

    async def stop(self, sha1: str) -> None:
        """Stop reading a report of this person."""
        upload = self._uploads.find(self._chat.key().owner, sha1)
        if upload is not None:
            upload.stop()

    async def hand_over(self, sha1: str) -> None:
        """Put a report of one's own into the shared library; it leaves the own one when it is there.

        Raises:
            NotAllowed: only keepers may.
            UsageError: the report is not this person's own.
            PageproofError: it cannot be taken there.
        """
        self._rights().must_keep()
        key = self._chat.key()
        if key.owner is None:
            raise UsageError("every report is in the shared library here")
        async with self._clients.at(key) as client:
            is_own = await asyncio.to_thread(client.library.owns, sha1)
            report = await asyncio.to_thread(client.report, sha1) if is_own else None
            if report is None:
                raise UsageError("this report is not in your own library")
            shared = key.model_copy(update={"owner": None})
            upload, _ = await self._uploads.take(client.paths.report_pdf(sha1), report.file, shared)
        task = asyncio.create_task(self._handed_over(upload, report, key))
        self._handing[key.owner, sha1] = task
        task.add_done_callback(lambda _: self._handing.pop((key.owner or "", sha1), None))

    async def _handed_over(self, upload: Upload, report: Report, own: Key) -> None:
        """Wait until a report is in the shared library, take corrections along, and remove the person's own."""
        await upload.finished.wait()
        if not upload.state.is_in_library:
            return  # it stays where it was; the shared library's keepers see why
        by_hand = {evidence.field for evidence in report.evidence if evidence.source == "edited"}

        def put_right(library: ChatLibrary) -> None:
            library.correct(
                report.sha1,
                company=report.company if "company" in by_hand else None,
                currency=report.currency if "currency" in by_hand else None,
                period_end=report.period_end if "period_end" in by_hand else None,
            )

        try:
            async with self._clients.at(upload.key) as client:
                if by_hand:
                    await asyncio.to_thread(put_right, client.library)
            await self._uploads.forget(own.owner, report.sha1)
            async with self._clients.at(own) as client:
                await asyncio.to_thread(client.library.remove, report.sha1)
        except PageproofError as error:  # it is in both libraries then, and can be handed over again
            logger.warning("%s was handed over, but not taken out of the own library: %s", report.file, error)

    async def remove(self, sha1: str) -> None:
        """Remove a report, or what is stored of one that was not read.

        Raises:
            UsageError: the report is not this person's.
        """
        key = await self._clients.key_to_change(self._chat.key(), sha1, self._rights())
        was_sent = self._uploads.find(key.owner, sha1) is not None
        await self._uploads.forget(key.owner, sha1)
        async with self._clients.at(key) as client:
            library = client.library
            is_on_its_way = was_sent and not await asyncio.to_thread(library.owns, sha1)
            await asyncio.to_thread(library.discard if is_on_its_way else library.remove, sha1)

    def _labels(self, companies: tuple[Company, ...]) -> list[dict[str, str]]:
        return [
            {"sha1": report.sha1, "label": label_of(report)} for company in companies for report in company.reports
        ]


def _model_name(settings: Settings) -> str:
    """What a page calls the model that answers, "" for none."""
    return model_name(settings.llm) if uses_model(settings) else ""


def _found(companies: tuple[Company, ...], sha1: str) -> tuple[Company, Report]:
    for company in companies:
        for report in company.reports:
            if report.sha1 == sha1:
                return company, report
    raise UsageError("this report is not in the library any more")


def source_pages(sources: Sources) -> FastAPI:
    """The routes of the panel; each names the session of its page, which must be the person's own."""
    app = FastAPI(openapi_url=None)
    _add_model_routes(app, sources)  # before those that have a SHA-1 in their place
    person = Annotated[Any, Depends(get_current_user)]

    @app.get("/sources/facts.xlsx")
    async def workbook(
        session_id: _SessionId,
        user: person,
        request: Request,
        company: Annotated[str, Query(max_length=LONGEST_NAME)],
    ) -> Response:
        await _enter(session_id, user)
        origin = f"{request.url.scheme}://{request.headers['host']}"
        book = await sources.facts_book(company, origin)
        return Response(book, media_type=MEDIA_TYPE, headers=download_headers(f"{company}, facts"))

    @app.get("/sources")
    async def listed(
        session_id: _SessionId,
        user: person,
        words: Annotated[str, Query(max_length=_LONGEST_SEARCH)] = "",
        shown: SourceFilter = "all",
    ) -> dict[str, Any]:
        await _enter(session_id, user)
        found = await sources.listed(Wanted(words=words, filter=shown))
        return speech().card(found.model_dump(mode="json"))

    @app.put("/sources/about")
    async def choose(chosen: _Chosen, user: person) -> dict[str, Any]:
        await _enter(chosen.session_id, user)
        return await sources.choose(tuple(chosen.reports))

    @app.get("/sources/{sha1}")
    async def opened(sha1: str, session_id: _SessionId, user: person) -> dict[str, Any]:
        await _enter(session_id, user)
        return speech().card((await sources.details(sha1)).model_dump(mode="json"))

    @app.put("/sources/{sha1}")
    async def correct(sha1: str, given: _Corrected, user: person) -> dict[str, bool]:
        await _enter(given.session_id, user)
        await sources.correct(sha1, given.model_dump(exclude={"session_id"}))
        return {"done": True}

    @app.post("/sources/{sha1}")
    async def read(sha1: str, wanted: _Reading, user: person) -> dict[str, bool]:
        await _enter(wanted.session_id, user)
        do = {"retry": sources.retry, "stop": sources.stop, "hand_over": sources.hand_over}[wanted.what]
        await do(sha1)
        return {"done": True}

    @app.delete("/sources/{sha1}")
    async def remove(sha1: str, gone: _InSession, user: person) -> dict[str, bool]:
        await _enter(gone.session_id, user)
        await sources.remove(sha1)
        return {"done": True}

    @app.exception_handler(PageproofError)
    def refused(_: Request, error: PageproofError) -> Response:
        status = 403 if isinstance(error, NotAllowed) else 400
        trouble = error.trouble if isinstance(error, NotConnected) else ""
        return JSONResponse({"detail": say(sentence(str(error))), "trouble": trouble}, status_code=status)

    return app


def _add_model_routes(app: FastAPI, sources: Sources) -> None:
    person = Annotated[Any, Depends(get_current_user)]

    @app.get("/sources/model")
    async def models(session_id: _SessionId, user: person) -> dict[str, Any]:
        await _enter(session_id, user)
        return await sources.models()

    @app.put("/sources/model")
    async def use(chosen: _Profile, user: person) -> dict[str, Any]:
        await _enter(chosen.session_id, user)
        return await sources.use(chosen.profile)

    @app.post("/sources/model")
    async def connect(given: _Connected, user: person) -> dict[str, Any]:
        await _enter(given.session_id, user)
        wanted = WantedModel(provider=given.provider, address=given.address, model=given.model)
        return await sources.connect(wanted, given.key.get_secret_value().strip(), remember=given.remember)

    @app.post("/sources/model/own")
    async def own_model(wanted: _Own, user: person) -> dict[str, Any]:
        await _enter(wanted.session_id, user)
        return await sources.own_model(wanted.model, wanted.what)

    @app.delete("/sources/model")
    async def disconnect(gone: _InSession, user: person) -> dict[str, Any]:
        await _enter(gone.session_id, user)
        return await sources.disconnect()


async def _enter(session_id: str, user: Any) -> WebsocketSession:
    """Speak for the session of a page; what follows in the same request finds its conversation."""
    session = await session_of(session_id, user)
    init_ws_context(session)
    return session

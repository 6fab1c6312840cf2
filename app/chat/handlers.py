"""What Chainlit calls: a question becomes steps while it is answered, then one message with the answer card."""

# mypy: untyped-calls-exclude=chainlit

import asyncio
import datetime as dt
import logging
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import aclosing
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import chainlit as cl
from chainlit.chat_context import chat_context
from chainlit.config import config
from chainlit.context import context, init_ws_context
from chainlit.input_widget import InputWidget, Select, Slider, TextInput
from chainlit.input_widget import Tab as TabWidget
from chainlit.server import sio
from chainlit.session import WebsocketSession
from chainlit.socket import connection_successful
from chainlit.socket import message as heard_by_chainlit
from chainlit.types import ThreadDict

from app.chat.cards.answer import answer_card, answer_line, literal
from app.chat.cards.lists import facts_card
from app.chat.cards.screen import (
    Trail,
    answering_step,
    replying,
    say,
    send_element,
    sentence,
    speech,
    tell,
    tell_defect,
    tell_error,
    toast,
)
from app.chat.cards.words import speech_of
from app.chat.history.data_layer import History
from app.chat.session.client_pool import AskAgain, ChatClient, ClientPool, Key
from app.chat.session.connections import Connection, ModelConnections
from app.chat.session.conversation import Conversation, StoredAnswer, close_what_was_left_open
from app.chat.session.people import AT_THIS_MACHINE, RightsOf
from app.chat.session.requests import FACTS, Request, asks, read_request
from app.chat.session.settings_panel import Choices, PanelField
from app.chat.session.sign_in import owner_of
from app.chat.sources.listing import FirstQuestions
from app.chat.sources.routes import FactsOf, Sources
from app.chat.uploads.handlers import Reports
from app.chat.uploads.uploads import Upload, Uploads
from app.library.overview import overview_markdown
from app.readiness import privacy, uses_model
from query_engines.events import AnswerReady
from query_engines.question.parser import chosen_of
from storage.errors import MissingKey, PageproofError, ProviderError, UsageError
from storage.records.questions import Question, check_length
from storage.records.reports import Company

logger = logging.getLogger(__name__)
HELLO = "pageproof: hello"
T = TypeVar("T")
P = ParamSpec("P")
NOT_READ = "No report beside “{}” was read, so the question has no answer. Ask it again when one is there."
WENT_ON = "The chat ended while these were read: {}. Reading goes on; Sources shows how far it is."
NO_SUCH_CONVERSATION = "there is no such conversation, or it is another person’s. This is a new one."
NOT_THERE = "Start its server and try again, or ask without a model: figures, names and passages need none."
MODEL_FAILED = "The model could not answer."
EMPTY_LIBRARY = "**There are no reports in this library yet.**\n\n"
DROP_ONE = (
    "Drop the PDF of an annual report here, or choose it with the paper clip below: it is read, and then you can ask "
    "about it. Many at once are quicker from a terminal:\n\n"
)
ADD_SOME = "Add some from a terminal, then ask here:\n\n"
INGEST = "```\npageproof ingest FOLDER_WITH_PDFS\n```"
NO_INDEX = (
    "**No report is indexed for the profile {profile} yet.** Each profile searches with its own model. "
    "Make its index from a terminal, or choose another profile:\n\n"
    "```\npageproof ingest FOLDER_WITH_PDFS --profile {profile}{settings}\n```"
)
_CONVERSATION, _ABOUT, _CONNECTION = "conversation", "about", "connection"


class Chat:
    """The chat over a pool of clients."""

    def __init__(
        self,
        clients: ClientPool,
        facts_of: FactsOf,
        uploads: Uploads,
        history: History | None = None,
        rights_of: RightsOf = lambda _: AT_THIS_MACHINE,
        connections: ModelConnections | None = None,
    ) -> None:
        self._clients = clients
        self._uploads = uploads
        self._reports = Reports(clients, uploads, self.key, rights_of)
        self._facts_of = facts_of
        self._history = history
        self._first = FirstQuestions(clients)
        self._connections = connections or ModelConnections(uploads.options)
        self.sources = Sources(clients, uploads, facts_of, self, self._connections, rights_of)
        self._answering: dict[str, asyncio.Task[Any]] = {}
        """What is being worked out, by conversation."""
        self._waiting: WeakValueDictionary[str, asyncio.Task[Any]] = WeakValueDictionary()
        """Questions that wait for the reports beside them, by conversation, until they are answered."""
        self._beside: set[asyncio.Task[Any]] = set()
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by connection

    def register(self) -> None:
        """Tell Chainlit, which keeps one set of callbacks for the process, to call this chat."""
        cl.on_app_startup(self.start)
        cl.on_app_shutdown(self.close)
        self._reports.register()
        cl.on_message(self.answer)
        cl.action_callback("without_model")(replying(self.without_model))
        cl.set_starters(self.starters)
        config.code.on_window_message = self.hear
        config.code.on_chat_start = _beside_a_question(self.greet)
        config.code.on_settings_update = _beside_a_question(self.choose)
        sio.on("connection_successful", self.connected)
        sio.on("client_message", self.asked)
        config.code.on_chat_resume = _beside_a_question(self.resume) if self._history else None
        config.code.data_layer = (lambda: self._history) if self._history else None
        config.code.set_chat_profiles = lambda *_: _Ready(self.profiles())

    async def start(self) -> None:
        """Go on with what was sent before the chat ended, and try the first questions before anybody comes."""
        await self._uploads.resume()
        self._begin(self._first.offered(None, speech_of("en")))

    async def close(self) -> None:
        """Let go of everything."""
        await self._first.close()
        await self._uploads.close()
        await asyncio.to_thread(self._clients.close)

    async def greet(self) -> None:
        """Show the settings. Only trouble is said aloud: a greeting would hide the starters."""
        if context.session.thread_id_to_resume:  # there is no such conversation: this one gets a name of its own
            context.session.thread_id, context.session.thread_id_to_resume = str(uuid.uuid4()), None
        conversation = self.conversation()
        await context.emitter.set_commands([_facts_command()])
        await self._show_panel(conversation)
        await self.sources.announce()
        if went_on := self._reports.went_on():
            await toast(WENT_ON.format(", ".join(went_on)), "info")
        await self._warn(conversation)

    async def connected(self, socket_id: str) -> None:
        """A page has opened its connection, perhaps again: what it was sent on the one before may be lost."""
        opening = self._opening.setdefault(socket_id, asyncio.Lock())
        async with opening:
            session = WebsocketSession.get(socket_id)
            if session is not None and not await self._may_resume(session):
                session.thread_id, session.thread_id_to_resume = str(uuid.uuid4()), None
                init_ws_context(session)
                await context.emitter.send_resume_thread_error(NO_SUCH_CONVERSATION)
            await connection_successful(socket_id)
            if session is None or not session.restored:
                return
            init_ws_context(session)
            await context.emitter.set_commands([_facts_command()])
            await self._show_panel(self.conversation())
            await self.sources.announce()
            if session.thread_id in self._answering:
                await context.emitter.task_start()

    async def asked(self, socket_id: str, payload: Any) -> None:
        """Hear a question once its connection is open: else Chainlit takes the greeting for what *Stop* ends."""
        if opening := self._opening.get(socket_id):
            async with opening:
                pass
        await heard_by_chainlit(socket_id, payload)

    async def _may_resume(self, session: WebsocketSession) -> bool:
        """Whether the conversation that a page wants to open again is there, and its person's own."""
        wanted = session.thread_id_to_resume
        if not wanted or session.restored or self._history is None or session.user is None:
            return True
        return await self._history.get_thread_author(wanted) == session.user.identifier

    async def hear(self, sent: object) -> None:
        """Tell a page that has just been loaded how its conversation stands; other windows may ask this too."""
        if sent == HELLO:
            await self.sources.announce()

    async def resume(self, thread: ThreadDict) -> None:
        """Go on with a kept conversation: with its settings, and with what the last question was about."""
        answered = await self._history.answers(thread["id"]) if self._history else ()
        last = (answered[-1].question, answered[-1].answer) if answered else None
        conversation = Conversation(await self._stored_choices(thread), last)
        conversation.is_begun = True
        cl.user_session.set(_CONVERSATION, conversation)
        await self._choose_again(conversation, thread)
        await context.emitter.set_commands([_facts_command()])
        await self._show_panel(conversation)
        await self.sources.announce()
        thread["metadata"] = {**(thread["metadata"] or {}), "chat_settings": context.session.chat_settings}
        if hosts := self._clients.hosts(conversation.choices, self.connection()):
            await toast(privacy(hosts), "warning")
        running, waiting = self._answering.get(thread["id"]), self._waiting.get(thread["id"])
        if running is not None:
            context.session.current_task = running  # stop ends it from here too
            await context.emitter.task_start()
            self._begin(self._catch_up(thread["id"], running))
        elif waiting is not None:
            self._begin(self._catch_up(thread["id"], waiting))
        else:
            close_what_was_left_open(thread)

    async def starters(self, user: cl.User | None = None, language: str | None = None) -> list[cl.Starter]:
        """First questions about companies that are in the library, each tried before."""
        offered = await self._first.offered(owner_of(user), speech_of(language or ""))
        return [cl.Starter(label=text, message=text) for text in offered]

    def profiles(self) -> list[cl.ChatProfile]:
        """The profiles that can be used here."""
        return [
            cl.ChatProfile(
                name=offer.name,
                markdown_description=f"{offer.description}\n\n{offer.privacy}"
                if offer.hosts
                else offer.description,
                default=offer.name == self._clients.first.profile,
            )
            for offer in self._clients.offers
        ]

    async def choose(self, values: Mapping[str, Any]) -> None:
        """Take over what was set in the panel, or say what is wrong with it."""
        conversation = self.conversation()
        try:
            choices = self._clients.read(values, conversation.choices)
        except PageproofError as error:
            await tell_error(error)
        else:
            conversation.choices = choices
            await self._warn(conversation)
        await self._show_panel(conversation)
        await self.store_settings()
        await self.sources.announce()

    async def answer(self, message: cl.Message) -> None:
        """Answer one message; whatever goes wrong, the person is told."""
        if message.elements:
            await self._guarded(lambda _: self._take(message), message.content)
        else:
            await self._guarded(
                lambda trail: self._respond(message.content, message.command, trail), message.content
            )

    async def _guarded(self, work: Callable[[Trail], Awaitable[None]], question: str) -> None:
        trail = Trail(speech())
        thread_id, task = context.session.thread_id, asyncio.current_task()
        if task is not None:
            self._answering[thread_id] = task
        try:
            check_length(question)
            await work(trail)
        except (ProviderError, MissingKey) as error:
            await trail.finish(failed=True)
            if uses_model(self._clients.settings_at(self._answering_key())):
                await self._show_trouble(question, MODEL_FAILED, sentence(str(error)))
            else:
                await tell_error(error)
        except PageproofError as error:
            await trail.finish(failed=True)
            await tell_error(error)
        except Exception as error:  # noqa: BLE001  # Chainlit swallows what a handler raises: the last place to tell the person
            await trail.finish(failed=True)
            await tell_defect(error, "the chat could not answer")
        finally:
            await trail.finish(failed=True)  # stopped by the person: nothing is left running on the screen
            chat_context.clear()  # Chainlit would keep every card of a session for as long as its page is open
            if self._answering.get(thread_id) is task:
                del self._answering[thread_id]

    async def _take(self, message: cl.Message) -> None:
        """Take in reports; a question that came with them is answered when they are read, and others meanwhile."""
        conversation = self.conversation()
        uploads = await self._reports.take(message, names_it=not conversation.is_begun)
        conversation.is_begun = True
        if uploads and asks(message.content):
            waiting = self._begin(self._answer_when_read(uploads, message, conversation))
            self._waiting[context.session.thread_id] = waiting
        await self.sources.announce()

    async def _answer_when_read(
        self, uploads: Sequence[Upload], message: cl.Message, conversation: Conversation
    ) -> None:
        """Answer the question beside reports, after whatever else is answered in its conversation then."""
        session, text = context.session, message.content
        reports = await self._reports.read(uploads)
        while (other := self._answering.get(session.thread_id)) is not None:
            await asyncio.wait({other})
        cl.user_session.set(_CONVERSATION, conversation)  # Chainlit forgets it when the page is left
        if not reports:
            await tell_error(NOT_READ.format(text))
            return
        session.current_task = asyncio.current_task()  # stop ends it like any other
        await context.emitter.task_start()
        chosen = tuple(report.sha1 for report in reports)
        try:
            async with cl.Step(name="on_message", type="run", parent_id=message.id, show_input=False):
                await self._guarded(lambda trail: self._respond(text, message.command, trail, chosen), text)
        finally:
            await context.emitter.task_end()

    async def _respond(self, text: str, command: str | None, trail: Trail, reports: tuple[str, ...] = ()) -> None:
        self.conversation().is_begun = True
        request = read_request(text, command)
        if not await self._companies(self.conversation().choices, self._owner()):
            how = DROP_ONE if self._reports.takes_uploads else ADD_SOME
            await tell(EMPTY_LIBRARY + how + INGEST)
        elif request is None:
            choices = self._clients.choices_by_command(command, self.conversation().choices)
            await self._answer(text, trail, choices, reports)
        else:
            await self._fulfil(request)

    async def _answer(self, text: str, trail: Trail, choices: Choices, reports: tuple[str, ...]) -> None:
        conversation, key = self.conversation(), self._answering_key(choices)
        if address := await self.sources.missing_server(key):
            await self._show_trouble(text, f"No model answers at {address}.", NOT_THERE)
            return
        await trail.start()
        async with self._clients.at(key) as client:
            question = await asyncio.to_thread(conversation.question, text, client, reports)
            # Closing the stream stops the work, wherever this handler was when the person pressed stop.
            async with aclosing(client.stream(question)) as events:
                async for event in events:
                    if isinstance(event, AnswerReady):
                        await trail.finish(failed=False)
                        conversation.heard(question, event.answer)
                        await self._show(event, client, question, text, choices)
                        await self._store(event, client, question)
                    else:
                        await trail.follow(event)

    async def _show(
        self, ready: AnswerReady, client: ChatClient, question: Question, typed: str, choices: Choices
    ) -> None:
        hosts = self._clients.hosts(choices, self._connection_under(choices))
        again = await self._other_way(question.text, choices)
        stored = f"/conversation/{context.session.thread_id}"
        props = await asyncio.to_thread(
            answer_card,
            ready.answer,
            ready.read,
            client.report,
            understood="" if question.text == " ".join(typed.split()) else question.text,
            hosts=hosts,
            workbooks=(f"{stored}/answers.xlsx", f"{stored}/{answering_step()}.xlsx")
            if self._history
            else ("", ""),
            again=again.model_dump() if again else None,
        )
        # The text stands behind the card: it is searched, and Chainlit offers thumbs only where there is some.
        await send_element("AnswerCard", props, literal(answer_line(ready.answer)))

    async def _show_trouble(self, question: str, headline: str, message: str) -> None:
        """Say what is wrong with the model, with a way to go on."""
        props = {"headline": headline, "note": message, "question": question, "without": True}
        await send_element("TroubleCard", props, literal(say(headline)))

    async def without_model(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Let the open conversation be answered without a model from now on.

        Raises:
            UsageError: every profile here has a model.
        """
        del payload
        own = self.conversation().choices.profile
        profiles = dict.fromkeys([own, *(offer.name for offer in self._clients.offers)])
        bare = next((name for name in profiles if not uses_model(self._clients.settings_of(name))), None)
        if bare is None:
            raise UsageError("every profile of this chat answers with a model")
        await self.answer_with(bare)
        return {}

    async def _store(self, ready: AnswerReady, client: ChatClient, question: Question) -> None:
        step = answering_step()
        if self._history is None or step is None:
            return
        answered = StoredAnswer(
            id=step,
            at=dt.datetime.now(dt.UTC),
            question=question,
            answer=ready.answer,
            read=ready.read,
            choices=self.conversation().choices,
            run=client.run_id,
        )
        await self._history.store_answer(answered)
        await self.store_settings()

    async def store_settings(self) -> None:
        """Write down what was chosen in the open conversation.

        Chainlit does so when the page is left, which is too late for one that is loaded again at once.
        """
        session, conversation = context.session, self.conversation()
        own = {_ABOUT: conversation.reports, _CONNECTION: conversation.connection}
        for name, value in own.items():
            cl.user_session.set(name, value)
        if self._history and session.has_first_interaction:
            settings = {"chat_settings": session.chat_settings, "chat_profile": session.chat_profile, **own}
            await self._history.update_thread(session.thread_id, metadata=settings)

    async def answer_with(self, profile: str, connection: str = "") -> None:
        """Let a profile answer in the open conversation, or a connected model on top of it.

        Raises:
            UsageError: the profile is not offered.
        """
        conversation = self.conversation()
        conversation.choices = self._clients.read({"profile": profile}, conversation.choices)
        conversation.connection = connection
        await self._show_panel(conversation)
        await self._warn(conversation)
        await self.store_settings()
        await self.sources.announce()

    def connection(self) -> Connection | None:
        """The connected model that answers in the open conversation; None once its key is gone."""
        return self._connections.get(self.conversation().connection, self._owner())

    async def _stored_choices(self, thread: ThreadDict) -> Choices:
        """What was chosen before, or the profile's own where that is no longer offered."""
        metadata = thread["metadata"] or {}
        values = metadata.get("chat_settings") or {}
        own = self._clients.choices(values.get("profile") or metadata.get("chat_profile"))
        try:
            return self._clients.read(values, own)
        except PageproofError as error:
            await toast(f"The settings are the profile's own again: {error}", "warning")
            return own

    def _begin(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Let something go on beside the conversations."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        return task

    async def _choose_again(self, conversation: Conversation, thread: ThreadDict) -> None:
        """Let a conversation be about the reports that it was about, and its model answer, as far as they are there."""
        conversation.connection = str((thread["metadata"] or {}).get(_CONNECTION) or "")
        chosen = (thread["metadata"] or {}).get(_ABOUT) or []
        if chosen:
            companies = await self._companies(conversation.choices, self._owner())
            conversation.choose(chosen_of(companies, chosen))

    async def _catch_up(self, thread_id: str, running: asyncio.Task[Any]) -> None:
        """Show the conversation once more when the answer that was being worked out on the way here is there."""
        await asyncio.wait({running})
        thread = await self._history.get_thread(thread_id) if self._history else None
        if thread is not None:
            await context.emitter.resume_thread(thread)
        await context.emitter.task_end()

    async def _fulfil(self, request: Request) -> None:
        if request.what == "companies":
            await self._reports.list_companies()
            return
        if request.what == "overview":
            async with self._clients.at(self.key()) as client:
                found = await asyncio.to_thread(client.overview, request.name)
            link = f"/report/{found.report_sha1}.pdf"
            await cl.Message(content=overview_markdown(found, link, literal)).send()
            return
        sheet = await asyncio.to_thread(self._facts_of, self.key(), request.name)
        company = sheet.facts[0].company if sheet.facts else request.name
        await send_element("FactsCard", facts_card(company, sheet))

    async def _companies(self, choices: Choices, owner: str | None) -> tuple[Company, ...]:
        async with self._clients.client(choices, owner) as client:
            return await asyncio.to_thread(client.companies)

    def key(self) -> Key:
        """The client of this conversation, which reads reports and lists them."""
        return self._clients.key(self.conversation().choices, self._owner())

    def _answering_key(self, choices: Choices | None = None) -> Key:
        """The client that answers: the conversation's with the connected model, or that of other choices."""
        choices = choices or self.conversation().choices
        return self._clients.key(choices, self._owner(), self._connection_under(choices))

    def _connection_under(self, choices: Choices) -> Connection | None:
        """The connected model; a question that is put again under another profile is answered as that says."""
        return self.connection() if choices == self.conversation().choices else None

    async def _other_way(self, question: str, choices: Choices) -> AskAgain | None:
        """How the question is put with a model or without, where that model's server answers."""
        again = None if self._connection_under(choices) else self._clients.other_way(question, choices)
        if again is not None and again.model:
            other = self._clients.choices_by_command(again.command, choices)
            return None if await self.sources.missing_server(self._answering_key(other)) else again
        return again

    def _owner(self) -> str | None:
        """The person signed in, None where there is no login."""
        return owner_of(cl.user_session.get("user"))

    def conversation(self) -> Conversation:
        """What the open conversation is about and how it is answered."""
        known = cl.user_session.get(_CONVERSATION)
        if not isinstance(known, Conversation):
            known = Conversation(self._clients.choices(cl.user_session.get("chat_profile")))
            cl.user_session.set(_CONVERSATION, known)
        return known

    async def _show_panel(self, conversation: Conversation) -> None:
        tabs = self._clients.panel(conversation.choices)
        widgets = [TabWidget(id=t.id, label=say(t.label), inputs=[_widget(f) for f in t.fields]) for t in tabs]
        await cl.ChatSettings(widgets).send()

    async def _warn(self, conversation: Conversation) -> None:
        """Say what a person must know before asking: text that leaves the machine, an index that is missing."""
        choices = conversation.choices
        if hosts := self._clients.hosts(choices, self.connection()):
            await toast(privacy(hosts), "warning")
        try:
            async with self._clients.client(choices, self._owner()) as client:
                is_empty = not await asyncio.to_thread(client.companies)  # the first screen says so
                if (
                    not is_empty
                    and choices.mode != "full_report"
                    and not await asyncio.to_thread(client.has_indexes)
                ):
                    overrides = self._clients.key(choices).overrides
                    settings = "".join(f" --set {override}" for override in overrides)
                    await tell(NO_INDEX.format(profile=choices.profile, settings=settings))
        except PageproofError as error:
            await tell_error(error)


class _Ready(Generic[T]):
    """A value to await. Chainlit calls for the profiles once more than it awaits them: a coroutine would complain."""

    def __init__(self, value: T) -> None:
        self._value = value

    def __await__(self) -> Generator[None, None, T]:
        yield from ()
        return self._value


def _widget(field: PanelField) -> InputWidget:
    name, label, about = field.id, say(field.label), say(field.description)
    if field.items:
        items = {say(shown): value for shown, value in field.items.items()}
        return Select(id=name, label=label, description=about, items=items, initial_value=str(field.initial))
    if field.high:
        return Slider(id=name, label=label, description=about, initial=float(field.initial), min=1, max=field.high)
    return TextInput(id=name, label=label, description=about, initial=str(field.initial))


def _facts_command() -> Any:
    return {
        "id": FACTS,
        "icon": "table-2",
        "description": say("Every figure of one company as a table: write its name"),
        "button": False,
        "persistent": False,
        "selected": False,
    }


def _beside_a_question(handler: Callable[P, Awaitable[None]]) -> Callable[P, Awaitable[None]]:
    """A handler for what may happen while a question is answered; its trouble is told.

    Chainlit's own decorator marks the conversation as running, and at its end as idle: a question asked meanwhile
    would go on without its stop button.
    """

    @wraps(handler)
    async def beside(*arguments: P.args, **named: P.kwargs) -> None:
        try:
            await handler(*arguments, **named)
        except PageproofError as error:
            await tell_error(error)
        except Exception as error:  # noqa: BLE001  # the last place to tell the person
            await tell_defect(error, f"the chat could not {handler.__name__}")

    return beside

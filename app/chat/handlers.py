"""What Chainlit calls: pages that come, go and come back, the settings, and what answers them."""

# mypy: untyped-calls-exclude=chainlit

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import chainlit as cl
from chainlit.config import config
from chainlit.context import context, init_ws_context
from chainlit.server import sio
from chainlit.session import WebsocketSession
from chainlit.socket import connection_successful
from chainlit.socket import message as heard_by_chainlit
from chainlit.types import ThreadDict

from app.chat.answering import Answering
from app.chat.cards.screen import replying, say, tell_defect, tell_error, toast
from app.chat.cards.words import speech_of
from app.chat.history.data_layer import History
from app.chat.open_conversation import OpenConversation
from app.chat.session.client_pool import ClientPool
from app.chat.session.connections import ModelConnections
from app.chat.session.conversation import Conversation, close_what_was_left_open
from app.chat.session.people import AT_THIS_MACHINE, RightsOf
from app.chat.session.requests import FACTS, OVERVIEW
from app.chat.session.sign_in import owner_of
from app.chat.sources.listing import FirstQuestions
from app.chat.sources.routes import FactsOf, Sources
from app.chat.uploads.handlers import Reports
from app.chat.uploads.uploads import Uploads
from app.readiness import privacy
from app.settings import uses_model
from storage.errors import PageproofError, UsageError

HELLO = "pageproof: hello"
T = TypeVar("T")
P = ParamSpec("P")
WENT_ON = "The chat ended while these were read: {}. Reading goes on; Sources shows how far it is."
NO_SUCH_CONVERSATION = "there is no such conversation, or it is another person’s. This is a new one."


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
        connections = connections or ModelConnections(uploads.options)
        self._clients = clients
        self._uploads = uploads
        self._history = history
        self._first = FirstQuestions(clients)
        self.opened = OpenConversation(clients, connections, history)
        self._reports = Reports(clients, uploads, self.opened.key, rights_of)
        self.sources = Sources(clients, uploads, facts_of, self.opened, connections, rights_of)
        self.answering = Answering(clients, self.opened, self._reports, self.sources, facts_of, history)
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by connection

    def register(self) -> None:
        """Tell Chainlit, which keeps one set of callbacks for the process, to call this chat."""
        cl.on_app_startup(self.start)
        cl.on_app_shutdown(self.close)
        self._reports.register()
        cl.on_message(self.answering.answer)
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
        self.answering.begin(self._first.offered(None, speech_of("en")))

    async def close(self) -> None:
        """Let go of everything."""
        await self._first.close()
        await self._uploads.close()
        await asyncio.to_thread(self._clients.close)

    async def greet(self) -> None:
        """Show the settings. Only trouble is said aloud: a greeting would hide the starters."""
        if context.session.thread_id_to_resume:  # there is no such conversation: this one gets a name of its own
            context.session.thread_id, context.session.thread_id_to_resume = str(uuid.uuid4()), None
        conversation = self.opened.conversation()
        await context.emitter.set_commands(_commands())
        await self.opened.show_panel(conversation)
        await self.sources.announce()
        if went_on := self._reports.went_on():
            await toast(WENT_ON.format(", ".join(went_on)), "info")
        await self.opened.warn(conversation)

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
            await context.emitter.set_commands(_commands())
            await self.opened.show_panel(self.opened.conversation())
            await self.sources.announce()
            if self.answering.running(session.thread_id):
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
        conversation = Conversation(await self.opened.stored_choices(thread), last)
        conversation.is_begun = conversation.is_named = True
        self.opened.go_on(conversation)
        await self.opened.choose_again(conversation, thread)
        await context.emitter.set_commands(_commands())
        await self.opened.show_panel(conversation)
        await self.sources.announce()
        thread["metadata"] = {**(thread["metadata"] or {}), "chat_settings": context.session.chat_settings}
        if hosts := self._clients.hosts(conversation.choices, self.opened.connection()):
            await toast(privacy(hosts), "warning")
        running, waiting = self.answering.running(thread["id"]), self.answering.waiting(thread["id"])
        if running is not None:
            context.session.current_task = running  # stop ends it from here too
            await context.emitter.task_start()
            self.answering.begin(self._catch_up(thread["id"], running))
        elif waiting is not None:
            self.answering.begin(self._catch_up(thread["id"], waiting))
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
        """Take over what was set in the panel."""
        await self.opened.choose(values)
        await self.sources.announce()

    async def without_model(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Let the open conversation be answered without a model from now on.

        Raises:
            UsageError: every profile here has a model.
        """
        del payload
        own = self.opened.conversation().choices.profile
        profiles = dict.fromkeys([own, *(offer.name for offer in self._clients.offers)])
        bare = next((name for name in profiles if not uses_model(self._clients.settings_of(name))), None)
        if bare is None:
            raise UsageError("every profile of this chat answers with a model")
        await self.opened.answer_with(bare)
        await self.sources.announce()
        return {}

    async def _catch_up(self, thread_id: str, running: asyncio.Task[Any]) -> None:
        """Show the conversation once more when the answer that was being worked out on the way here is there."""
        await asyncio.wait({running})
        thread = await self._history.get_thread(thread_id) if self._history else None
        if thread is not None:
            await context.emitter.resume_thread(thread)
        await context.emitter.task_end()


class _Ready(Generic[T]):
    """A value to await. Chainlit calls for the profiles once more than it awaits them: a coroutine would complain."""

    def __init__(self, value: T) -> None:
        self._value = value

    def __await__(self) -> Generator[None, None, T]:
        yield from ()
        return self._value


def _commands() -> list[Any]:
    """What stands under "More"; each takes a company's name."""
    shown = (
        (FACTS, "table-2", "Every figure of one company as a table: write its name"),
        (OVERVIEW, "book-open-text", "What the newest report of one company holds: write its name"),
    )
    looks = {"button": False, "persistent": False, "selected": False}
    return [{"id": name, "icon": icon, "description": say(text), **looks} for name, icon, text in shown]


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

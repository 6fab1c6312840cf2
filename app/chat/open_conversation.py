"""The conversation that is open in a page: how it is answered, what it is about, and its settings on the screen."""

# mypy: untyped-calls-exclude=chainlit

import asyncio
from collections.abc import Mapping
from typing import Any

import chainlit as cl
from chainlit.context import context
from chainlit.input_widget import InputWidget, Select, Slider, TextInput
from chainlit.input_widget import Tab as TabWidget
from chainlit.types import ThreadDict

from app.chat.cards.screen import say, tell, tell_error, toast
from app.chat.history.data_layer import History
from app.chat.session.client_pool import ClientPool, Key
from app.chat.session.connections import Connection, ModelConnections
from app.chat.session.conversation import Conversation
from app.chat.session.settings_panel import Choices, PanelField
from app.chat.session.sign_in import owner_of
from app.readiness import privacy
from query_engines.question.parser import chosen_of
from storage.errors import PageproofError
from storage.records.reports import Company

NO_INDEX = (
    "**No report is indexed for the profile {profile} yet.** Each profile searches with its own model. "
    "Make its index from a terminal, or choose another profile:\n\n"
    "```\npageproof ingest FOLDER_WITH_PDFS --profile {profile}{settings}\n```"
)
_CONVERSATION, _ABOUT, _CONNECTION = "conversation", "about", "connection"


class OpenConversation:
    """The conversation of the page that speaks: Chainlit says which one that is."""

    def __init__(self, clients: ClientPool, connections: ModelConnections, history: History | None = None) -> None:
        self._clients = clients
        self._connections = connections
        self._history = history

    def conversation(self) -> Conversation:
        """What the open conversation is about and how it is answered."""
        known = cl.user_session.get(_CONVERSATION)
        if not isinstance(known, Conversation):
            known = Conversation(self._clients.choices(cl.user_session.get("chat_profile")))
            cl.user_session.set(_CONVERSATION, known)
        return known

    def go_on(self, conversation: Conversation) -> None:
        """Let the page go on with a conversation that is known."""
        cl.user_session.set(_CONVERSATION, conversation)

    def key(self) -> Key:
        """The client of this conversation, which reads reports and lists them."""
        return self._clients.key(self.conversation().choices, self.owner())

    def answering_key(self, choices: Choices | None = None) -> Key:
        """The client that answers: the conversation's with the connected model, or that of other choices."""
        choices = choices or self.conversation().choices
        return self._clients.key(choices, self.owner(), self.connection_under(choices))

    def connection(self) -> Connection | None:
        """The connected model that answers in the open conversation; None once its key is gone."""
        return self._connections.get(self.conversation().connection, self.owner())

    def connection_under(self, choices: Choices) -> Connection | None:
        """The connected model; a question that is put again under another profile is answered as that says."""
        return self.connection() if choices == self.conversation().choices else None

    def owner(self) -> str | None:
        """The person signed in, None where there is no login."""
        return owner_of(cl.user_session.get("user"))

    async def companies(self, choices: Choices, owner: str | None) -> tuple[Company, ...]:
        """What a person can ask about under some choices."""
        async with self._clients.client(choices, owner) as client:
            return await asyncio.to_thread(client.companies)

    async def choose(self, values: Mapping[str, Any]) -> None:
        """Take over what was set in the panel, or say what is wrong with it."""
        conversation = self.conversation()
        try:
            choices = self._clients.read(values, conversation.choices)
        except PageproofError as error:
            await tell_error(error)
        else:
            conversation.choices = choices
            await self.warn(conversation)
        await self.show_panel(conversation)
        await self.store_settings()

    async def answer_with(self, profile: str, connection: str = "") -> None:
        """Let a profile answer in the open conversation, or a connected model on top of it.

        Raises:
            UsageError: the profile is not offered.
        """
        conversation = self.conversation()
        conversation.choices = self._clients.read({"profile": profile}, conversation.choices)
        conversation.connection = connection
        await self.show_panel(conversation)
        await self.warn(conversation)
        await self.store_settings()

    async def show_panel(self, conversation: Conversation) -> None:
        """Send the settings, as they are now, to the page."""
        tabs = self._clients.panel(conversation.choices)
        widgets = [TabWidget(id=t.id, label=say(t.label), inputs=[_widget(f) for f in t.fields]) for t in tabs]
        await cl.ChatSettings(widgets).send()

    async def warn(self, conversation: Conversation) -> None:
        """Say what a person must know before asking: text that leaves the machine, an index that is missing."""
        choices = conversation.choices
        if hosts := self._clients.hosts(choices, self.connection()):
            await toast(privacy(hosts), "warning")
        try:
            async with self._clients.client(choices, self.owner()) as client:
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

    async def stored_choices(self, thread: ThreadDict) -> Choices:
        """What was chosen before, or the profile's own where that is no longer offered."""
        metadata = thread["metadata"] or {}
        values = metadata.get("chat_settings") or {}
        own = self._clients.choices(values.get("profile") or metadata.get("chat_profile"))
        try:
            return self._clients.read(values, own)
        except PageproofError as error:
            await toast(f"The settings are the profile's own again: {error}", "warning")
            return own

    async def choose_again(self, conversation: Conversation, thread: ThreadDict) -> None:
        """Let a conversation be about the reports that it was about, and its model answer, as far as they are there."""
        conversation.connection = str((thread["metadata"] or {}).get(_CONNECTION) or "")
        chosen = (thread["metadata"] or {}).get(_ABOUT) or []
        if chosen:
            companies = await self.companies(conversation.choices, self.owner())
            conversation.choose(chosen_of(companies, chosen))


def _widget(field: PanelField) -> InputWidget:
    name, label, about = field.id, say(field.label), say(field.description)
    if field.items:
        items = {say(shown): value for shown, value in field.items.items()}
        return Select(id=name, label=label, description=about, items=items, initial_value=str(field.initial))
    if field.high:
        return Slider(id=name, label=label, description=about, initial=float(field.initial), min=1, max=field.high)
    return TextInput(id=name, label=label, description=about, initial=str(field.initial))

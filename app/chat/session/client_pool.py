"""The clients of the chat: one for each profile, choice and person, opened once and shared by their conversations."""

import asyncio
import datetime as dt
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Protocol
from weakref import WeakValueDictionary

from app.chat.session.connections import Connection
from app.chat.session.people import Rights
from app.chat.session.settings_panel import Choices, Tab, panel, profile_offers, read_choices
from app.library.overview import Overview
from app.readiness import hosts_of
from app.settings import Settings, load_settings
from indexes.ingestion.requests import Ingested, IngestRequest, OnProgress, Stopped
from query_engines.events import Event
from query_engines.routing.dialogue import Dialogue
from storage.paths import DataPaths
from storage.records.questions import Question
from storage.records.record import Record
from storage.records.reports import Company, Report


class ChatLibrary(Protocol):
    """What the chat changes of a library. Everything here blocks."""

    def owns(self, sha1: str) -> bool:
        """Whether the report can be corrected and removed here."""
        ...

    def ingest(
        self, request: IngestRequest, on_progress: OnProgress | None = None, stopped: Stopped | None = None
    ) -> Iterator[Ingested]:
        """Bring PDFs into the library; yields what became of each."""
        ...

    def read_pictures(self, on_progress: OnProgress | None = None, stopped: Stopped | None = None) -> None:
        """Read the text in pictures that was left for later."""
        ...

    def correct(
        self,
        sha1: str,
        *,
        company: str | None = None,
        currency: str | None = None,
        period_end: dt.date | None = None,
    ) -> Report:
        """Correct what is known of a report; None leaves a thing as it is."""
        ...

    def remove(self, sha1: str) -> None:
        """Remove a report with everything that was made of it."""
        ...

    def discard(self, sha1: str) -> None:
        """Remove what a stopped or failed ingestion left of a report that is not in the library."""
        ...


class ChatClient(Protocol):
    """A client as the chat sees it."""

    @property
    def profile(self) -> str:
        """The profile's name."""
        ...

    @property
    def run_id(self) -> str | None:
        """Where its questions stand in the run log; None where nothing is logged."""
        ...

    @property
    def paths(self) -> DataPaths:
        """Where the library that it writes to keeps things."""
        ...

    def overview(self, company: str, sha1: str | None = None) -> Overview:
        """What the newest report of a company holds, or the one with this SHA-1."""
        ...

    def companies(self) -> tuple[Company, ...]:
        """Every company in the library."""
        ...

    def has_indexes(self) -> bool:
        """Whether anything is published under its settings."""
        ...

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None."""
        ...

    def paths_of(self, sha1: str) -> DataPaths:
        """The data root that keeps a report."""
        ...

    @property
    def library(self) -> ChatLibrary:
        """Changes the library that the client writes to."""
        ...

    def follow_up(self, dialogue: Dialogue, text: str) -> Question:
        """What a text means in a conversation; a question that stands alone comes back as it is."""
        ...

    def stream(self, question: Question) -> AsyncGenerator[Event, None]:
        """What happens while the question is answered; ends with AnswerReady. Closing it stops the work."""
        ...

    def close(self) -> None:
        """Let go of files and workers."""
        ...


HELD = 32  # open clients, 3 MB each and about 10 for each own report in use; one in use is never closed


class Key(Record):
    """Which client: a profile, the settings on top of it as "section.key=value", whose, and of which connection."""

    profile: str
    overrides: tuple[str, ...] = ()
    owner: str | None = None
    connection: str = ""


class AskAgain(Record):
    """The same question under another profile, by one click; `model` is empty where that uses none."""

    question: str
    command: str
    model: str


AGAIN = "profile:"  # before a profile's name in the command of a question that is put again
OpenClient = Callable[[Key], ChatClient]


MOST_AT_ONCE, MOST_OF_ONE = 16, 4


class QuestionTurns:
    """Lets so many questions be answered at once, and so many of one person who signed in; the others wait.

    So people take turns: a newcomer's question waits for at most a few of each other person.
    """

    def __init__(self, most: int = MOST_AT_ONCE, most_of_one: int = MOST_OF_ONE) -> None:
        """Let so many be answered, and so many of one person."""
        self._all, self._most_of_one = asyncio.Semaphore(most), most_of_one
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, person: str | None) -> AsyncIterator[None]:
        """Wait for a person's turn, and hold it; None is whoever sits at this machine."""
        own = self._own.setdefault(person, asyncio.Semaphore(self._most_of_one)) if person else nullcontext()
        async with own, self._all:
            yield


class _Held:
    """A client and how many answers are being worked out with it."""

    def __init__(self, client: ChatClient) -> None:
        self.client = client
        self.users = 0
        self.is_leaving = False  # closed when its last user is done


class ClientPool:
    """Gives the client for a conversation's choices.

    Attributes:
        turns: in which questions are answered.
    """

    def __init__(
        self,
        open_client: OpenClient,
        profile: str,
        overrides: Sequence[str],
        environment: Mapping[str, str],
        held: int = HELD,
    ) -> None:
        """Open the first client.

        Args:
            open_client: opens a client.
            profile: the one that the chat was started with.
            overrides: settings it was started with; they go with that profile alone.
            environment: where the providers' keys and addresses are.
            held: how many clients stay open.

        Raises:
            UsageError: a setting is wrong.
            SetupError: a key, an extra or weights are missing.
        """
        self.turns = QuestionTurns()
        self._open_client = open_client
        self._overrides = {profile: tuple(overrides)}
        self.environment = environment
        self._most = held
        self._opening = threading.Lock()  # held for as long as a client takes to open
        self._lock = threading.Lock()  # held for an instant, also by the event loop
        self._clients: OrderedDict[Key, _Held] = OrderedDict()
        self.first_key = Key(profile=profile, overrides=tuple(overrides))
        self.first = self._held(self.first_key).client
        self._data = self.first.paths.root
        self.offers = profile_offers(profile, self.settings_of, environment, self._data)

    def settings_of(self, profile: str) -> Settings:
        """A profile's settings in this chat."""
        return load_settings(profile, self._overrides.get(profile, ()), data=self._data)

    def choices(self, profile: str | None = None) -> Choices:
        """What a conversation starts with; the first profile where the named one is not offered."""
        name = profile if profile in [offer.name for offer in self.offers] else self.first.profile
        return Choices.of(name, self.settings_of(name))

    def read(self, values: Mapping[str, object], before: Choices) -> Choices:
        """The choices out of what a browser sent.

        Raises:
            UsageError: a value that is not offered.
        """
        return read_choices(values, before, [offer.name for offer in self.offers], self.settings_of)

    def choices_by_command(self, command: str | None, own: Choices) -> Choices:
        """The choices for one question that is put again: those of the profile in its command, else its own."""
        name = (command or "").removeprefix(AGAIN)
        if name == (command or "") or name not in [offer.name for offer in self.offers]:
            return own
        return self.choices(name).model_copy(update={"kind": own.kind, "strictness": own.strictness})

    def other_way(self, question: str, choices: Choices) -> AskAgain | None:
        """How the same question is put with a model, where it was answered without one, and the other way round."""
        models = {offer.name: self.choices(offer.name).model for offer in self.offers}
        name = next((name for name, model in models.items() if bool(model) != bool(choices.model)), None)
        return AskAgain(question=question, command=AGAIN + name, model=models[name]) if name else None

    def panel(self, choices: Choices) -> tuple[Tab, ...]:
        """The settings panel as it stands for these choices."""
        return panel(choices, self.settings_of(choices.profile), self.hosts(choices), self.offers)

    def hosts(self, choices: Choices, connection: Connection | None = None) -> tuple[str, ...]:
        """The other machines that text is sent to under these choices, with a connected model or without."""
        return hosts_of(self.settings_at(self.key(choices, None, connection)), self.environment)

    def settings_at(self, key: Key) -> Settings:
        """The settings of a client."""
        return load_settings(key.profile, key.overrides, data=self._data)

    def key(self, choices: Choices, owner: str | None = None, connection: Connection | None = None) -> Key:
        """The profile and the settings on top of it, for a person, who may have connected a model."""
        own = Choices.of(choices.profile, self.settings_of(choices.profile))
        overrides = (*self._overrides.get(choices.profile, ()), *choices.overrides(own))
        if connection is None:
            return Key(profile=choices.profile, overrides=overrides, owner=owner)
        overrides = (*overrides, *connection.overrides)
        return Key(profile=choices.profile, overrides=overrides, owner=owner, connection=connection.id)

    def forget(self, owner: str | None) -> None:
        """Close a person's clients of connected models, with the keys that they hold."""
        with self._lock:
            known = [key for key in self._clients if key.connection and key.owner == owner]
            leaving = [self._clients.pop(key) for key in known]
            for held in leaving:
                held.is_leaving = True
            idle = [held for held in leaving if not held.users]
        for held in idle:
            held.client.close()

    @asynccontextmanager
    async def client(self, choices: Choices, owner: str | None = None) -> AsyncIterator[ChatClient]:
        """The client for these choices; it stays open at least until the block ends.

        Args:
            choices: of the conversation.
            owner: the person signed in, whose own library is read too and who alone gets this client; None where
                there is no login.

        Raises:
            UsageError: a setting is wrong.
            SetupError: a key, an extra or weights are missing.
        """
        async with self.at(self.key(choices, owner)) as client:
            yield client

    @asynccontextmanager
    async def at(self, key: Key) -> AsyncIterator[ChatClient]:
        """The client of a key; it stays open at least until the block ends.

        Raises:
            UsageError: a setting is wrong.
            SetupError: a key, an extra or weights are missing.
        """
        held = await asyncio.to_thread(self._held, key, using=True)
        try:
            yield held.client
        finally:
            with self._lock:
                held.users -= 1
                is_last = held.is_leaving and not held.users
            if is_last:
                await asyncio.to_thread(held.client.close)

    async def key_to_change(self, key: Key, sha1: str, rights: Rights) -> Key:
        """The key of the library in which somebody may correct or remove a report: their own, or the shared one.

        Raises:
            NotAllowed: they only read.
        """
        rights.must_send()
        if key.owner is None or not rights.shares:
            return key
        shared = key.model_copy(update={"owner": None})
        async with self.at(shared) as client:
            return shared if await asyncio.to_thread(client.library.owns, sha1) else key

    def close(self) -> None:
        """Close every client."""
        with self._opening, self._lock:
            closing = list(self._clients.values())
            self._clients.clear()
        for held in closing:
            held.client.close()

    def _held(self, key: Key, *, using: bool = False) -> _Held:
        with self._opening:
            held = self._clients.get(key) or _Held(self._open_client(key))
            with self._lock:
                held.users += using
                self._clients[key] = held
                self._clients.move_to_end(key)
                idle = [k for k, h in self._clients.items() if not h.users and k not in (key, self.first_key)]
                leaving = [self._clients.pop(k) for k in idle[: max(0, len(self._clients) - self._most)]]
        for other in leaving:
            other.client.close()
        return held

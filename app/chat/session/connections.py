"""Models that people connect in the chat with a key of their own. A key lives in this process alone, or in the keyring.

No setting, no history, no log and no message holds a key. A conversation names its connection by an id, which opens
nothing for anybody but the person who connected it.
"""

import asyncio
import importlib
import importlib.util
import json
import logging
import os
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from app.chat.session.own_models import OwnModels
from app.chat_options import ChatOptions
from app.settings import Settings, load_settings, uses_model
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.providers import OPENAI, PRESETS, SELF_HOSTED, Provider, address_of, is_loopback
from query_engines.options import LlamaCppLlmOptions, OwnLlmOptions
from storage.errors import MissingKey, PageproofError, ProviderError, SetupError, UsageError
from storage.lexicon.words import expression
from storage.records.record import Record

logger = logging.getLogger(__name__)
OTHER, OWN = "other", "own"
_OWN_PAGES = 3  # that a model on this machine reads; each takes it seconds
_NAMES = {
    "openai": "OpenAI",
    "gemini": "Google Gemini",
    "qwen": "Qwen (DashScope)",
    "ollama": "Ollama",
    "llama_cpp": "llama.cpp",
    "vllm": "vLLM",
    OTHER: "Another server with OpenAI's API",
}
_MODELS = {"openai": "gpt-4o-mini", "gemini": "gemini-2.5-flash", "qwen": "qwen-plus", "ollama": "qwen3:8b"}
_MODEL = expression(r"[\w.:/@+-]{1,120}")
_KEY = expression(r"[\x21-\x7e]{0,400}")
_LONGEST_ADDRESS = 300
TEST_SECONDS = 20.0
_TEST = "Answer with one word: ready"
REACH_SECONDS = 1.5
_REMEMBERED_SECONDS = 20.0
_SERVICE, _ENTRY = "pageproof", "connected model"
Trouble = Literal["key", "no_key", "not_there", "not_found", "not_allowed", "refused"]


class NotConnected(ProviderError):
    """A model that did not answer the test; `trouble` says why, `detail` in the server's words."""

    def __init__(self, trouble: Trouble, detail: str) -> None:
        super().__init__(detail)
        self.trouble, self.detail = trouble, detail


class OfferedProvider(Record):
    """A provider in the form; `address` is empty where a person must give one."""

    id: str
    name: str
    address: str
    model: str
    needs_key: bool


class WantedModel(Record):
    """What a person wrote into the form. The key is not part of it, so that it stands in no message."""

    provider: str
    address: str = ""
    model: str


@dataclass(frozen=True)
class Connection:
    """A model that a person connected; its text never shows the key."""

    id: str
    owner: str | None
    wanted: WantedModel
    key: str = field(repr=False)

    @property
    def overrides(self) -> tuple[str, ...]:
        """The settings that let this model answer."""
        return overrides_of(self.wanted)

    @property
    def environment(self) -> dict[str, str]:
        """The variable that a provider's key is read from."""
        return {_provider(self.wanted.provider).key_variable: self.key}


class Keyring(Protocol):
    """The system's keyring, as the package `keyring` gives it."""

    def get_password(self, service: str, name: str) -> str | None:
        """A stored secret, or None."""
        ...

    def set_password(self, service: str, name: str, secret: str) -> None:
        """Store a secret."""
        ...

    def delete_password(self, service: str, name: str) -> None:
        """Forget a secret."""
        ...


def system_keyring() -> Keyring | None:
    """The keyring of this computer, where the optional package `keyring` is installed."""
    if importlib.util.find_spec("keyring") is None:
        return None
    found: Keyring = importlib.import_module("keyring")  # late: optional, and it asks the system
    return found


class ModelConnections:
    """The connected models of this process, each its person's own."""

    def __init__(
        self,
        options: ChatOptions,
        *,
        signs_in: bool = False,
        keyring: Keyring | None = None,
        own: OwnModels | None = None,
    ) -> None:
        """Begin with none.

        Args:
            options: who may connect a model, and where to.
            signs_in: whether people sign in; then no address is tried that the options do not allow.
            keyring: where a key may be remembered; only for the person at this machine.
            own: the models of this machine; only for that person, too.
        """
        self._options = options
        self._signs_in = signs_in
        self._keyring = None if signs_in else keyring
        self._own = None if signs_in else own
        self._lock = threading.Lock()
        self._all: dict[str, Connection] = {}

    @property
    def is_allowed(self) -> bool:
        """Whether the person who speaks may connect a model."""
        who = self._options.connect_model
        return who == "everybody" or (who == "local" and not self._signs_in)

    @property
    def own(self) -> OwnModels | None:
        """The models of this machine, where the person who speaks may get and use them."""
        return self._own if self.is_allowed else None

    @property
    def can_remember(self) -> bool:
        """Whether a key can be put into the system's keyring."""
        return self._keyring is not None

    def providers(self) -> tuple[OfferedProvider, ...]:
        """The providers to choose from."""
        offered = [name for name in _NAMES if not self._signs_in or not _is_own_machine(name)]
        if self._signs_in and not self._options.model_addresses:
            offered.remove(OTHER)
        return tuple(
            OfferedProvider(
                id=name,
                name=_NAMES[name],
                address=_provider(name).address or "",
                model=_MODELS.get(name, ""),
                needs_key=_provider(name).key_needed,
            )
            for name in offered
        )

    def get(self, connection_id: str, owner: str | None) -> Connection | None:
        """A person's connection; None for anybody else, and after it was ended."""
        with self._lock:
            found = self._all.get(connection_id)
        return found if found is not None and found.owner == owner else None

    def of(self, owner: str | None) -> Connection | None:
        """The model that a person connected last."""
        with self._lock:
            own = [connection for connection in self._all.values() if connection.owner == owner]
        return own[-1] if own else None

    async def connect(self, owner: str | None, wanted: WantedModel, key: str) -> tuple[Connection, float]:
        """Try a model with one small request, and hold its key if it answers.

        Returns:
            The connection, and how many seconds the answer took.

        Raises:
            UsageError: this person may connect none, or something in the form is wrong.
            NotConnected: the model did not answer.
        """
        if not self.is_allowed:
            raise UsageError("no model can be connected in this chat; whoever runs it chooses the models")
        checked = self._checked(wanted, key)
        key = key or await asyncio.to_thread(self._remembered_key, checked)
        made = Connection(id=str(uuid.uuid4()), owner=owner, wanted=checked, key=key)
        seconds = await asyncio.to_thread(try_model, made)
        self._hold(made)
        return made, seconds

    def connect_own(self, owner: str | None, name: str) -> Connection:
        """Let a model of this machine answer. It starts with the first question, so it is not tried.

        Raises:
            UsageError: this person may use none.
            MissingModel: it is not here.
        """
        if self.own is None:
            raise UsageError("no model can be connected in this chat; whoever runs it chooses the models")
        self.own.check(name)
        wanted = WantedModel(provider=OWN, model=self.own.setting(name))
        made = Connection(id=str(uuid.uuid4()), owner=owner, wanted=wanted, key="")
        self._hold(made)
        return made

    def _hold(self, made: Connection) -> None:
        """Keep a connection in the place of the person's earlier one."""
        with self._lock:
            for known in [known for known in self._all.values() if known.owner == made.owner]:
                del self._all[known.id]
            self._all[made.id] = made

    def remember(self, made: Connection) -> bool:
        """Put a key into the system's keyring; whether it took it."""
        if self._keyring is None:
            return False
        secret = json.dumps({"address": made.wanted.address, "key": made.key})
        try:
            self._keyring.set_password(_SERVICE, _ENTRY, secret)
        except Exception as error:  # noqa: BLE001  # each keyring has its own errors, which may show what they hold
            logger.warning("the keyring takes no key: %s", type(error).__name__)
            return False
        return True

    def disconnect(self, owner: str | None) -> None:
        """Forget a person's key, here and in the keyring."""
        with self._lock:
            for known in [known for known in self._all.values() if known.owner == owner]:
                del self._all[known.id]
        if self._keyring is not None and owner is None:
            try:
                self._keyring.delete_password(_SERVICE, _ENTRY)
            except Exception as error:  # noqa: BLE001  # each keyring has its own errors; there was nothing to forget
                logger.debug("the keyring forgets nothing: %s", type(error).__name__)

    def _checked(self, wanted: WantedModel, key: str) -> WantedModel:
        """What was written into the form, with the provider's own address where that is fixed."""
        if wanted.provider not in {offered.id for offered in self.providers()}:
            raise UsageError(f"{wanted.provider[:40]!r} is no provider of this chat")
        if not _MODEL.fullmatch(wanted.model.strip()):
            raise UsageError("write the model's name as its provider does, such as gpt-4o-mini")
        if not _KEY.fullmatch(key):
            raise UsageError("a key has letters, digits and signs only, without spaces: copy it once more")
        provider = _provider(wanted.provider)
        is_fixed = provider.address is not None and not is_loopback(provider.address)
        address = str(provider.address) if is_fixed else wanted.address.strip() or provider.address or ""
        if not is_fixed:
            check_address(address, self._options.model_addresses if self._signs_in else None)
        if self._signs_in and provider.key_needed and not key:
            raise UsageError("write the key that the provider gave you")
        return WantedModel(provider=wanted.provider, address=address, model=wanted.model.strip())

    def _remembered_key(self, wanted: WantedModel) -> str:
        """The key in the keyring for the same address; else the one that this process was started with."""
        stored = self._stored()
        if stored.get("address") == wanted.address:
            return str(stored.get("key", ""))
        return "" if self._signs_in else os.environ.get(_provider(wanted.provider).key_variable, "").strip()

    def _stored(self) -> dict[str, str]:
        if self._keyring is None:
            return {}
        try:
            found = json.loads(self._keyring.get_password(_SERVICE, _ENTRY) or "{}")
        except Exception as error:  # noqa: BLE001  # each keyring has its own errors; a locked one remembers nothing
            logger.warning("the keyring cannot be read: %s", type(error).__name__)
            return {}
        return found if isinstance(found, dict) else {}


def check_address(address: str, allowed: tuple[str, ...] | None) -> None:
    """Refuse what is no address of a model, or none that people who sign in may name; None allows any.

    Raises:
        UsageError: it is refused.
    """
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_whole = False
    if not is_whole or len(address) > _LONGEST_ADDRESS or not address.isprintable():
        raise UsageError("write the address of the model's server, such as http://127.0.0.1:11434/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError("leave names, passwords and everything after a question mark out of the address")
    if allowed is not None and address.rstrip("/") not in {known.rstrip("/") for known in allowed}:
        raise UsageError("this address is not allowed here: whoever runs this chat names the addresses of models")


def overrides_of(wanted: WantedModel) -> tuple[str, ...]:
    """The settings that let a model answer, as "section.key=value"."""
    if wanted.provider == OWN:
        chosen = ("llm.kind=llamacpp", f"llm.model={wanted.model}", f"retrieval.pages={_OWN_PAGES}")
        return ("answers.kind=llm", *chosen)
    if wanted.provider == "openai":
        kind: tuple[str, ...] = ("llm.kind=openai", "llm.api_base=none")
    else:
        preset = "none" if wanted.provider == OTHER else wanted.provider
        kind = ("llm.kind=openai_like", f"llm.preset={preset}", f"llm.api_base={wanted.address}")
    return ("answers.kind=llm", *kind, f"llm.model={wanted.model}")


def try_model(connection: Connection) -> float:
    """Send one small request, which holds nothing of any report; how many seconds the answer took.

    Raises:
        NotConnected: there was none.
    """
    from llama_index.core.llms import ChatMessage  # late, like the two below: they load the package openai

    from query_engines.llm.connection import access
    from query_engines.llm.hosted import HostedModels

    options = load_settings("offline", connection.overrides).llm.model_copy(
        update={"timeout_seconds": TEST_SECONDS, "budget_usd": None}
    )
    loop, begun = BackgroundLoop(), time.monotonic()
    try:
        shared = access(options, loop, {**os.environ, **connection.environment}, attempts=1)
        models = HostedModels(shared)
        try:
            loop.run(models.llm(options).achat([ChatMessage(role="user", content=_TEST)]))
        finally:
            loop.run(models.aclose())
    except PageproofError as error:
        raise _not_connected(error, connection.key) from None
    finally:
        loop.close()
    return time.monotonic() - begun


def _not_connected(error: PageproofError, key: str) -> NotConnected:
    """The trouble by what must be done about it; the key is taken out whatever a server sends back."""
    detail = str(error).replace(key, "•••") if key else str(error)
    trouble: Trouble = "refused"
    if isinstance(error, MissingKey):
        trouble = "key" if key else "no_key"
    elif isinstance(error, UsageError):
        trouble = "not_found"
    elif isinstance(error, SetupError):
        trouble = "not_allowed"
    elif isinstance(error, ProviderError) and ("cannot be reached" in detail or "did not answer" in detail):
        trouble = "not_there"
    return NotConnected(trouble, detail)


def _provider(name: str) -> Provider:
    return OPENAI if name == "openai" else PRESETS.get(name, SELF_HOSTED)


def _is_own_machine(name: str) -> bool:
    address = _provider(name).address
    return address is not None and is_loopback(address)


class Reachability:
    """Whether the server of a model is there; an answer holds for a moment."""

    def __init__(self) -> None:
        self._there: dict[tuple[str, int], float] = {}

    async def missing(self, settings: Settings, environment: Mapping[str, str]) -> str:
        """The address of the model's server where nobody answers; "" where it is there, or nobody can know."""
        if not uses_model(settings) or isinstance(settings.llm, OwnLlmOptions | LlamaCppLlmOptions):
            return ""
        try:
            address = address_of(settings.llm, environment)
        except UsageError:
            return ""
        parts = urlsplit(address)
        place = (parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
        is_behind_proxy = not is_loopback(address) and parts.scheme in getproxies() and not proxy_bypass(place[0])
        if (
            is_behind_proxy
            or time.monotonic() - self._there.get(place, -_REMEMBERED_SECONDS) < _REMEMBERED_SECONDS
        ):
            return ""
        if not await _answers(*place):
            return address
        self._there[place] = time.monotonic()
        return ""


async def _answers(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(REACH_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True

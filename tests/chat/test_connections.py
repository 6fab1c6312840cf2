"""A model that a person connects in the chat: tried first, their own alone, and its key shown to nobody."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from app.chat.session.connections import (
    ModelConnections,
    NotConnected,
    Reachability,
    WantedModel,
    check_address,
)
from app.chat.session.own_models import OfferedModel, OwnModels
from app.chat_options import ChatOptions
from app.settings import load_settings
from query_engines.local_model.model_files import ModelFolder
from storage.errors import MissingModel, UsageError
from tests.support.doubles.chat_client import ScriptedClient
from tests.support.doubles.chat_visit import visit
from tests.support.doubles.hub_server import Behaviour, HubServer
from tests.support.doubles.openai_server import ErrorReply, OpenAIServer
from tests.support.doubles.people_chat import REVENUE, Chat
from tests.support.tiny_model import gguf, write_model
from tests.support.waiting import until

KEY = "sk-of-ann-0123456789"


def wanted(server: OpenAIServer, **given: str) -> WantedModel:
    return WantedModel(**{"provider": "other", "address": server.api_base, "model": "any", **given})


class Ring:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.secrets: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.secrets.get((service, name))

    def set_password(self, service: str, name: str, secret: str) -> None:
        self.secrets[service, name] = secret

    def delete_password(self, service: str, name: str) -> None:
        del self.secrets[service, name]


async def test_a_model_is_tried_with_one_request_that_holds_nothing_of_a_report() -> None:
    with OpenAIServer("ready") as server:
        made, seconds = await ModelConnections(ChatOptions()).connect(None, wanted(server), KEY)
        (sent,) = server.chats
    assert [message["content"] for message in sent["messages"]] == ["Answer with one word: ready"]
    assert seconds >= 0
    settings = load_settings("offline", made.overrides)
    assert (settings.answers.kind, settings.llm.model) == ("llm", "any")
    assert KEY not in repr(made)
    assert not any(KEY in override for override in made.overrides)


async def test_a_connection_is_nobody_elses_and_ends_when_it_is_ended() -> None:
    connections = ModelConnections(ChatOptions(connect_model="everybody"))
    with OpenAIServer("ready") as server:
        made, _ = await connections.connect("ann", wanted(server), KEY)
    assert connections.get(made.id, "ann") == made
    assert connections.get(made.id, "bob") is None
    assert connections.get(made.id, None) is None
    connections.disconnect("bob")
    assert connections.of("ann") == made
    connections.disconnect("ann")
    assert connections.get(made.id, "ann") is None


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (ErrorReply(401, f"bad key {KEY}"), "key"),
        (ErrorReply(404, f"no model any for {KEY}"), "not_found"),
        (ErrorReply(403, f"{KEY} may not"), "not_allowed"),
        (ErrorReply(400, f"what is {KEY}?"), "refused"),
    ],
)
async def test_a_test_that_fails_says_what_to_do_and_never_the_key(
    reply: ErrorReply, trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    connections = ModelConnections(ChatOptions())
    with OpenAIServer(reply) as server, pytest.raises(NotConnected) as raised:
        await connections.connect(None, wanted(server), KEY)
    assert raised.value.trouble == trouble
    assert KEY not in str(raised.value)
    assert KEY not in caplog.text
    assert connections.of(None) is None


async def test_an_address_where_nobody_answers_is_said() -> None:
    with pytest.raises(NotConnected) as raised:
        await ModelConnections(ChatOptions()).connect(
            None, WantedModel(provider="other", address="http://127.0.0.1:9/v1", model="any"), ""
        )
    assert raised.value.trouble == "not_there"


@pytest.mark.parametrize(
    ("who", "signs_in", "may"),
    [
        ("local", False, True),
        ("local", True, False),
        ("everybody", True, True),
        ("nobody", False, False),
        ("nobody", True, False),
    ],
)
async def test_the_setting_says_who_may_connect_a_model(who: Any, signs_in: bool, may: bool) -> None:
    connections = ModelConnections(ChatOptions(connect_model=who), signs_in=signs_in)
    assert connections.is_allowed is may
    if not may:
        with pytest.raises(UsageError, match="no model can be connected"):
            await connections.connect("ann", WantedModel(provider="openai", model="gpt-4o"), KEY)


async def test_where_people_sign_in_no_address_is_tried_that_nobody_allowed() -> None:
    with OpenAIServer("ready", "ready") as server:
        open_to_none = ModelConnections(ChatOptions(connect_model="everybody"), signs_in=True)
        assert {p.id for p in open_to_none.providers()} == {"openai", "gemini", "qwen"}
        for name in ("other", "ollama"):
            with pytest.raises(UsageError, match="no provider of this chat"):
                await open_to_none.connect("ann", wanted(server, provider=name), KEY)
        allowed = ChatOptions(connect_model="everybody", model_addresses=("http://127.0.0.1:9/v1",))
        with pytest.raises(UsageError, match="not allowed here"):
            await ModelConnections(allowed, signs_in=True).connect("ann", wanted(server), KEY)
        assert server.chats == []
        allowed = ChatOptions(connect_model="everybody", model_addresses=(server.api_base,))
        made, _ = await ModelConnections(allowed, signs_in=True).connect("ann", wanted(server), KEY)
        assert made.wanted.address == server.api_base


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://x/v1",
        "file:///etc/passwd",
        "http://",
        "http://ann:secret@x/v1",
        "http://x/v1?key=1",
        "http://x:99999",
    ],
)
def test_what_is_no_address_of_a_model_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_address(address, None)
    assert "secret" not in str(raised.value)


async def test_a_key_is_put_into_the_keyring_only_on_wish_and_found_there_for_the_same_address() -> None:
    ring = Ring()
    connections = ModelConnections(ChatOptions(), keyring=ring)
    with OpenAIServer("ready", "ready") as server:
        made, _ = await connections.connect(None, wanted(server), KEY)
        assert ring.secrets == {}
        assert connections.remember(made)
        again, _ = await ModelConnections(ChatOptions(), keyring=ring).connect(None, wanted(server), "")
        assert again.key == KEY
    connections.disconnect(None)
    assert ring.secrets == {}
    assert not ModelConnections(ChatOptions(), signs_in=True, keyring=ring).can_remember


async def test_a_server_that_is_not_there_is_known_at_once_and_one_that_is_there_too() -> None:
    reach = Reachability()
    away = load_settings("ollama", ["llm.api_base=http://127.0.0.1:9/v1"])
    assert await reach.missing(away, {}) == "http://127.0.0.1:9/v1"
    assert await reach.missing(load_settings("offline"), {}) == ""
    with OpenAIServer() as server:
        assert await reach.missing(load_settings("ollama", [f"llm.api_base={server.api_base}"]), {}) == ""


async def test_a_connected_model_answers_in_its_conversation_and_its_key_is_stored_nowhere(
    chat: Chat, tmp_path: Path
) -> None:
    chat.app.opened._connections._options = ChatOptions(connect_model="everybody")
    async with chat.signed_in("ann") as ann, visit(chat.history, "ann") as page:
        with OpenAIServer("ready") as server:
            sent = {"provider": "other", "address": server.api_base, "model": "any", "key": KEY}
            answered = await ann.post("/sources/model", json={"session_id": page.session.id, **sent})
            assert answered.json()["model"] == {
                "name": "any",
                "hosts": [],
                "profile": "offline",
                "connected": True,
                "may_connect": True,
            }
            await page.ask(REVENUE)
        assert chat.app.opened.answering_key().connection
        assert not chat.app.opened.key().connection  # reports are read without it
        thread = await chat.history.get_thread(page.thread_id)
        shown = json.dumps([page.sent, thread], default=str)
        assert KEY not in shown
        assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        gone = await ann.request("DELETE", "/sources/model", json={"session_id": page.session.id})
        assert gone.json()["model"]["connected"] is False
    async with visit(chat.history, "ann"):
        assert chat.app.opened.answering_key().connection == ""


async def test_a_profile_whose_server_is_not_there_says_so_with_a_way_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, history: Any
) -> None:
    from tests.support.doubles.people_chat import people

    monkeypatch.setenv("PAGEPROOF__LLM__API_BASE", "http://127.0.0.1:9/v1")
    chat = Chat(ScriptedClient(tmp_path), history, people())
    async with visit(history, "ann") as page:
        await chat.app.opened.answer_with("ollama")
        await page.ask(REVENUE)
        card = page.of("element")[-1]
        assert (card["name"], card["props"]["question"]) == ("TroubleCard", REVENUE)
        assert card["props"]["headline"] == "No model answers at http://127.0.0.1:9/v1."
        await chat.app.without_model({})
        await page.ask(REVENUE)
        assert page.of("element")[-1]["name"] == "AnswerCard"


async def test_a_model_of_this_machine_answers_where_nobody_signs_in_and_is_offered_to_nobody_else(
    tmp_path: Path,
) -> None:
    write_model(tmp_path / "own.gguf")
    own = OwnModels(ModelFolder(tmp_path), {})
    connections = ModelConnections(ChatOptions(), own=own)
    made = connections.connect_own(None, "own")
    settings = load_settings("offline", made.overrides)
    assert (settings.llm.kind, settings.llm.model, settings.retrieval.pages) == ("llamacpp", "own", 3)
    assert connections.get(made.id, None) is made
    assert own.missing_extra == ""
    with pytest.raises(MissingModel, match="'other' is not on this machine"):
        connections.connect_own(None, "other")
    for closed in (
        ModelConnections(ChatOptions(connect_model="everybody"), signs_in=True, own=own),
        ModelConnections(ChatOptions(connect_model="nobody"), own=own),
    ):
        assert closed.own is None
        with pytest.raises(UsageError, match="no model can be connected"):
            closed.connect_own("ann", "own")


async def test_a_download_in_the_chat_says_how_far_it_is_and_why_it_ended(tmp_path: Path) -> None:
    with HubServer(gguf(), Behaviour(waits_after=40_000)) as hub:
        own = OwnModels(ModelFolder(tmp_path), {"HF_ENDPOINT": hub.root})
        own.get("qwen3-4b")
        own.get("qwen3-4b")  # runs already
        await until(lambda: (one(own).here_gb or 0) > 0)
        assert one(own).size_gb == len(gguf()) / 1e9
        hub.go_on.set()
        await until(lambda: one(own).is_here)
        assert one(own).here_gb is None
        assert len(hub.ranges) == 1
    with HubServer(b"", Behaviour(status=404)) as hub:
        own = OwnModels(ModelFolder(tmp_path / "other"), {"HF_ENDPOINT": hub.root})
        own.get("qwen3-4b")
        await until(lambda: one(own).trouble)
        assert "has no file" in one(own).trouble
    with pytest.raises(UsageError, match="no recommended model"):
        own.get("nope")


def one(own: OwnModels) -> OfferedModel:
    return next(model for model in own.offered() if model.name == "qwen3-4b")

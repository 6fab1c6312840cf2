"""What a conversation may choose, and which client it gets for it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.chat.session.client_pool import ClientPool, Key
from app.chat.session.conversation import Conversation
from app.chat.session.requests import Request, read_request
from app.chat.session.settings_panel import Choices, profile_offers
from app.readiness import hosts_of
from app.settings import load_settings
from storage.errors import MissingKey, UsageError
from storage.records.answers import Answer
from storage.records.questions import Question
from tests.support.doubles.chat_client import ScriptedClient

KEY = {"OPENAI_API_KEY": "set"}


class Opener:
    """Opens scripted clients and remembers them."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.opened: list[ScriptedClient] = []
        self.keys: list[Key] = []

    def __call__(self, key: Key) -> ScriptedClient:
        client = ScriptedClient(self.data, profile=key.profile, overrides=key.overrides)
        self.keys.append(key)
        self.opened.append(client)
        return client


@pytest.fixture
def opener(tmp_path: Path) -> Opener:
    return Opener(tmp_path)


@pytest.fixture
def pool(opener: Opener) -> ClientPool:
    return ClientPool(opener, "offline", (), KEY)


def test_a_conversation_starts_with_what_its_profile_brings(pool: ClientPool) -> None:
    assert pool.choices() == Choices.of("offline", load_settings("offline"))
    assert pool.choices("openai").model == "gpt-4o-mini"
    assert pool.choices("no such profile").profile == "offline"


def test_changed_values_are_settings_on_top_of_the_profile(pool: ClientPool) -> None:
    chosen = pool.read({"pages": 14.0, "mode": "hybrid", "kind": "number"}, pool.choices())
    assert chosen.kind == "number"
    assert pool.key(chosen) == Key(profile="offline", overrides=("retrieval.pages=14", "retrieval.mode=hybrid"))
    assert pool.key(pool.read({"pages": 10, "mode": "vector"}, chosen)) == Key(profile="offline")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"profile": "../secrets"}, "Profile cannot be '../secrets'"),
        ({"kind": "essay"}, "number, boolean"),
        ({"pages": 0}, "choose 1 to 40"),
        ({"pages": 41}, "choose 1 to 40"),
        ({"pages": 2.5}, "choose 1 to 40"),
        ({"pages": float("nan")}, "choose 1 to 40"),
        ({"pages": True}, "choose 1 to 40"),
        ({"pages": "10; drop"}, "choose 1 to 40"),
        ({"rerank": "llm"}, "none, lexical"),
        ({"rerank": ["none"]}, "none, lexical"),
        ({"mode": "guess"}, "vector, bm25, hybrid, full_report"),
        ({"strictness": None}, "strict, practical, analyst"),
        ({"profile": "openai", "model": "a b"}, "Model cannot be 'a b'"),
        ({"profile": "openai", "model": " "}, "Model cannot be ' '"),
    ],
)
def test_what_is_not_offered_is_refused_whatever_the_browser_sends(
    pool: ClientPool, values: dict[str, Any], expected: str
) -> None:
    with pytest.raises(UsageError, match=expected.replace("(", r"\(").replace(".", r"\.")):
        pool.read(values, pool.choices())


def test_no_click_makes_an_offline_profile_ask_a_model(pool: ClientPool) -> None:
    offline = pool.choices()
    ids = [field.id for tab in pool.panel(offline) for field in tab.fields]
    assert "model" not in ids
    assert pool.read({"model": "gpt-4o"}, offline) == offline
    assert pool.hosts(pool.read({"mode": "full_report", "strictness": "analyst"}, offline)) == ()


def test_another_profile_comes_with_its_own_settings_and_keeps_what_was_changed_with_it(pool: ClientPool) -> None:
    before = pool.read({"pages": 3, "kind": "boolean"}, pool.choices())
    form = {**before.model_dump(), "profile": "openai", "mode": "bm25"}
    after = pool.read(form, before)
    assert (after.profile, after.model, after.pages, after.mode, after.kind) == (
        "openai",
        "gpt-4o-mini",
        10,
        "bm25",
        "boolean",
    )


def test_profiles_that_lack_a_key_or_a_component_are_not_offered() -> None:
    with_key = {offer.name for offer in profile_offers("offline", load_settings, KEY)}
    without = {offer.name for offer in profile_offers("offline", load_settings, {})}
    assert {"offline", "openai", "ollama"} <= with_key
    assert "openai" not in without
    assert {"ibm_llama70b", "qwen"}.isdisjoint(with_key)  # their keys are not set


def test_the_profile_that_the_chat_was_started_with_comes_first_and_keeps_its_settings(opener: Opener) -> None:
    pool = ClientPool(opener, "openai", ("llm.model=gpt-4o",), {})
    assert pool.offers[0].name == "openai"
    assert pool.choices().model == "gpt-4o"
    assert pool.key(pool.choices("offline")) == Key(profile="offline")


@pytest.mark.parametrize(
    ("profile", "overrides", "hosts"),
    [
        ("offline", (), ()),
        ("ollama", (), ()),
        ("openai", (), ("api.openai.com",)),
        ("qwen", (), ("dashscope.aliyuncs.com",)),
        ("gemini_flash", (), ("api.openai.com", "generativelanguage.googleapis.com")),
        ("ibm_llama70b", (), ("its provider",)),
        ("offline", ("rerank.kind=jina",), ("api.jina.ai",)),
        ("ollama", ("llm.api_base=http://10.0.0.7:11434/v1",), ("10.0.0.7",)),
        ("offline", ("rerank.kind=llm",), ("api.openai.com",)),
        ("offline", ("answers.kind=llm", "llm.kind=openai_like", "llm.model=m"), ("its provider",)),
    ],
)
def test_every_machine_that_pages_are_sent_to_is_named(
    profile: str, overrides: tuple[str, ...], hosts: tuple[str, ...]
) -> None:
    assert hosts_of(load_settings(profile, overrides), {}) == hosts


def test_a_hosted_profile_says_in_its_panel_that_pages_leave(pool: ClientPool) -> None:
    profile, model, *_ = pool.panel(pool.choices("openai"))[0].fields
    assert profile.description == (
        "Questions and pages of reports leave this machine: they are sent to api.openai.com."
    )
    assert "offline · stays on this machine" in profile.items
    assert "openai · sends pages to api.openai.com" in profile.items
    assert model.initial == "gpt-4o-mini"


async def test_conversations_with_the_same_choices_share_one_client(pool: ClientPool, opener: Opener) -> None:
    more = pool.read({"pages": 14}, pool.choices())

    async def work(choices: Choices) -> ScriptedClient:
        async with pool.client(choices) as client:
            await asyncio.sleep(0.01)
            assert isinstance(client, ScriptedClient)
            return client

    clients = await asyncio.gather(*(work(c) for c in [pool.choices(), more, more, pool.choices("ollama"), more]))
    assert len(opener.opened) == 3
    assert clients[0] is pool.first
    assert clients[1] is clients[2] is clients[4]
    assert clients[1].overrides == ("retrieval.pages=14",)


async def test_each_person_has_a_client_of_their_own(pool: ClientPool, opener: Opener) -> None:
    clients = {}
    for owner in (None, "ann", "bob", "ann"):
        async with pool.client(pool.choices(), owner) as client:
            clients.setdefault(owner, client)
            assert clients[owner] is client
    assert [key.owner for key in opener.keys] == [None, "ann", "bob"]
    assert clients[None] is pool.first


async def test_idle_clients_are_closed_and_one_in_use_is_not(opener: Opener) -> None:
    pool = ClientPool(opener, "offline", (), {}, held=2)
    several = [pool.read({"pages": pages}, pool.choices()) for pages in (1, 2, 3, 4)]
    async with pool.client(several[0]) as used:
        for choices in several[1:]:
            async with pool.client(choices):
                pass
        closed = [client.overrides for client in opener.opened if client.closed]
        assert closed == [("retrieval.pages=2",), ("retrieval.pages=3",)]
        assert used.has_indexes()
    pool.close()
    assert all(client.closed for client in opener.opened)


async def test_a_client_that_cannot_be_opened_is_tried_again_next_time(pool: ClientPool, opener: Opener) -> None:
    def without_key(key: Key) -> ScriptedClient:
        del key
        raise MissingKey("api.openai.com needs a key")

    choices = pool.choices("openai")
    pool._open_client = without_key
    for _ in range(2):
        with pytest.raises(MissingKey):
            async with pool.client(choices):
                pass
    pool._open_client = opener
    async with pool.client(choices) as client:
        assert client.profile == "openai"


def test_a_follow_up_gets_the_last_question_and_its_answer(tmp_path: Path) -> None:
    client = ScriptedClient(tmp_path)
    talk = Conversation(Choices.of("offline", load_settings("offline")))
    first = talk.question("  What was the revenue\nof Northwind? ", client)
    assert first == Question(text="What was the revenue of Northwind?")
    talk.heard(first, Answer(question=first.text, kind="number", company="Northwind", value=1.0))
    assert talk.question("staff", client).text == "Undisclosed staff of Northwind"
    assert client.heard == [("What was the revenue of Northwind?", "Northwind")]


def test_the_chosen_kind_goes_with_every_question(pool: ClientPool) -> None:
    talk = Conversation(pool.read({"kind": "boolean"}, pool.choices()))
    assert talk.question("Is it?", pool.first) == Question(text="Is it?", kind="boolean")
    assert talk.question("Is it so?", pool.first).kind == "boolean"


@pytest.mark.parametrize(
    ("text", "command", "wanted"),
    [
        ("Show the facts of Rapid7", None, Request(what="facts", name="Rapid7")),
        ("Please show me all the facts about Holley Inc.?", None, Request(what="facts", name="Holley Inc")),
        ("key figures for OFX Group", None, Request(what="facts", name="OFX Group")),
        ("Rapid7", "facts", Request(what="facts", name="Rapid7")),
        ("Overview of Holley Inc.", None, Request(what="overview", name="Holley Inc")),
        ("Show me the contents of the report of Rapid7", None, Request(what="overview", name="Rapid7")),
        ("Give me an overview of the risks of Rapid7", None, None),
        ("Which companies are there?", None, Request(what="companies")),
        ("list all companies", None, Request(what="companies")),
        ("What companies do you have?", None, Request(what="companies")),
        ("companies", None, Request(what="companies")),
        ("What was the revenue of Rapid7?", None, None),
        ("Which companies are suppliers of Rapid7?", None, None),
        ("Which companies had the highest revenue, A or B?", None, None),
        ("What are the risk factors of Rapid7?", None, None),
        ("State the facts that the report of Rapid7 gives about its staff", None, None),
    ],
)
def test_requests_are_told_from_questions(text: str, command: str | None, wanted: Request | None) -> None:
    assert read_request(text, command) == wanted

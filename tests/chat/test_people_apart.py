"""Every route and every event of the socket, called by one person with the ids of another: nothing comes back.

The routes and events are read from the application, so one that is added is tried too. A name that the trial does not
know fails it: say below what stands for it.
"""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.chat.session.client_pool import MOST_OF_ONE, QuestionTurns
from tests.support.doubles.chat_routes import ANYBODYS, emitted, places, routes
from tests.support.doubles.chat_visit import visit
from tests.support.doubles.people_chat import REVENUE, Chat, thread_with_answer

SECRET_NAME, SECRET_FILE = "the quiet takeover", b"%PDF- the plans of ann"
ANSWER = "1,249,642,000"


@dataclass(frozen=True)
class Theirs:
    """What one person has, and the ids of it that another may have got hold of."""

    thread: Any
    user_id: str
    session_id: str
    file_id: str
    sha1: str

    @property
    def answer(self) -> Any:
        """The step that holds the answer."""
        return next(step for step in self.thread["steps"] if step["name"] == "on_message")

    def named(self) -> dict[str, Any]:
        """A value for every name that a path, a query or a body has."""
        element = self.thread["elements"][0]
        message = {
            "id": self.answer["id"], "threadId": self.thread["id"], "output": "mine", "name": "bob",
            "type": "user_message",
        }  # fmt: skip
        return ANYBODYS | {
            "thread_id": self.thread["id"],
            "threadId": self.thread["id"],
            "link_id": self.thread["id"],
            "link": self.thread["id"],
            "element_id": element["id"],
            "element": element,
            "file_id": self.file_id,
            "fileReferences": [{"id": self.file_id}],
            "session_id": self.session_id,
            "sessionId": self.session_id,
            "ask_parent_id": self.answer["id"],
            "sha1": self.sha1,
            "reports": [self.sha1],
            "feedbackId": self.answer["id"],
            "step_id": self.answer["id"],
            "order": "0",
            "feedback": {"forId": self.answer["id"], "value": 1, "threadId": self.thread["id"]},
            "action": {"name": "facts", "payload": {"threadId": self.thread["id"]}, "forId": self.answer["id"]},
            "pagination": {"first": 20, "cursor": self.thread["id"]},
            "filter": {"userId": self.user_id, "search": SECRET_NAME},
            "userId": self.user_id,
            "message": message,
            **message,
            "isShared": True,
            "payload": {"threadId": self.thread["id"]},
        }


@pytest_asyncio.fixture
async def theirs(chat: Chat) -> AsyncIterator[Theirs]:
    """A conversation of ann's that is open, with a file in it."""
    thread = await thread_with_answer(chat, "ann")
    await chat.history.update_thread(thread["id"], name=SECRET_NAME)
    ann = await chat.history.get_user("ann")
    async with visit(chat.history, "ann", thread["id"]) as page:
        sent = await page.session.persist_file(name="a.pdf", mime="application/pdf", content=SECRET_FILE)
        session = page.session
        yield Theirs(
            await chat.history.get_thread(thread["id"]), ann.id, session.id, sent["id"], chat.client.known.sha1
        )


def untouched(session_id: str) -> tuple[Any, ...]:
    """What a person's open conversation is made of."""
    from chainlit.session import WebsocketSession

    session = WebsocketSession.get_by_id(session_id)
    assert session is not None
    return session.id, session.socket_id, session.to_clear, sorted(session.files), session.user.identifier


async def test_no_route_gives_or_changes_what_is_another_persons(chat: Chat, theirs: Theirs) -> None:
    before, named, tried = untouched(theirs.session_id), theirs.named(), 0
    async with chat.signed_in("bob") as bob:
        for route in routes():
            for method in sorted((route.methods or set()) - {"HEAD"}):
                if route.path == "/logout":
                    continue  # it ends the caller's own visit
                response = await call(bob, route, method, named)
                tried += 1
                assert_nothing_of(theirs, response.content, f"{method} {route.path}: {response.status_code}")
        assert (await bob.get("/user")).json()["identifier"] == "bob"
    assert tried > 35
    assert await chat.history.get_thread(theirs.thread["id"]) == theirs.thread
    assert untouched(theirs.session_id) == before
    assert (await chat.history.answers(theirs.thread["id"]))[0].opinion is None


async def call(browser: httpx.AsyncClient, route: Any, method: str, named: dict[str, Any]) -> httpx.Response:
    """A request that names in its path, query and body what another person has."""
    in_path = {name: named[name] for part, name in places(route) if part == "path"}
    query = {name: named[name] for part, name in places(route) if part == "query"}
    path = route.path_format.format(**in_path)
    if method == "GET":
        return await browser.get(path, params=query)
    if route.path == "/project/file":
        return await browser.post(path, params=query, files={"file": ("b.pdf", b"%PDF-")})
    in_body = {name: named[name] for part, name in places(route) if part == "body" and name in named}
    return await browser.request(method, path, params=query, json=in_body or {"session_id": named["session_id"]})


def assert_nothing_of(theirs: Theirs, content: bytes | str, where: str) -> None:
    """Whether what came back shows nothing that only the other person may see."""
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    for secret in (SECRET_NAME, SECRET_FILE.decode(), ANSWER, theirs.thread["steps"][0]["output"]):
        assert secret not in text, where


def test_every_name_of_a_route_stands_for_something_of_the_other_person(theirs: Theirs) -> None:
    known = theirs.named().keys()
    unknown = {
        (route.path, name)
        for route in routes()
        for part, name in places(route)
        if part != "body" and name not in known
    }
    assert unknown == set()


async def test_no_event_of_the_socket_gives_or_changes_what_is_another_persons(
    chat: Chat,
    theirs: Theirs,
) -> None:
    from chainlit import server

    before, events = untouched(theirs.session_id), server.sio.handlers["/"]
    names = theirs.named()
    async with chat.signed_in("bob") as bob:
        cookie = {"HTTP_COOKIE": f"access_token={bob.cookies['access_token']}"}
        with emitted() as sent:
            await events["connect"]("bob", cookie, {"sessionId": str(uuid.uuid4()), "clientType": "webapp"})
            for event in sorted(set(events) - {"connect", "disconnect", "clear_session"}):
                await send(events[event], names)
            await asyncio.sleep(0.2)
            await events["clear_session"]("bob")
            await events["disconnect"]("bob")
    assert_nothing_of(theirs, json.dumps(sent, default=str), "events")
    assert await chat.history.get_thread(theirs.thread["id"]) == theirs.thread
    assert untouched(theirs.session_id) == before


async def send(handler: Any, names: dict[str, Any]) -> None:
    """An event as the socket hears it: with everything that can be named, with an id alone, or with nothing."""
    for sent in ((names,), (names["threadId"],), ()):
        try:
            await handler("bob", *sent)
        except Exception:  # noqa: BLE001  # what an event makes of a wrong form is its own affair
            continue


async def test_nobody_connects_to_another_persons_session(chat: Chat, theirs: Theirs) -> None:
    from chainlit import server
    from socketio.exceptions import ConnectionRefusedError as Refused

    auth = {"sessionId": theirs.session_id, "clientType": "webapp"}
    before = untouched(theirs.session_id)
    async with chat.signed_in("bob") as bob:
        cookie = {"HTTP_COOKIE": f"access_token={bob.cookies['access_token']}"}
        with emitted() as sent, pytest.raises(Refused, match="authorization failed"):
            await server.sio.handlers["/"]["connect"]("bob", cookie, auth)
    assert sent == []
    assert untouched(theirs.session_id) == before


async def test_the_link_to_another_persons_conversation_leads_to_a_new_one_and_says_so(
    chat: Chat, theirs: Theirs
) -> None:
    from chainlit import server
    from chainlit.session import WebsocketSession

    before, events = untouched(theirs.session_id), server.sio.handlers["/"]
    auth = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "threadId": theirs.thread["id"]}
    async with chat.signed_in("bob") as bob:
        cookie = {"HTTP_COOKIE": f"access_token={bob.cookies['access_token']}"}
        with emitted() as sent:
            assert await events["connect"]("bob", cookie, auth)
            session = WebsocketSession.get("bob")
            assert session is not None
            await events["connection_successful"]("bob")
            if session.current_task:
                await session.current_task
        assert session.thread_id not in (theirs.thread["id"], "")
        said = [what[1] for what, _ in sent if what[0] == "resume_thread_error"]
        assert said == ["there is no such conversation, or it is another person’s. This is a new one."]
        assert_nothing_of(theirs, json.dumps(sent, default=str), "connect")
        await events["clear_session"]("bob")
        await events["disconnect"]("bob")
    assert untouched(theirs.session_id) == before
    assert await chat.history.get_thread(theirs.thread["id"]) == theirs.thread


async def test_one_person_s_questions_leave_another_their_turn(chat: Chat) -> None:
    async def asked(name: str) -> None:
        async with visit(chat.history, name) as page:
            await page.ask(REVENUE)

    async with AsyncExitStack() as stack:
        for _ in range(MOST_OF_ONE):
            await stack.enter_async_context(chat.pool.turns.of("ann"))
        waiting = asyncio.create_task(asked("ann"))
        await asyncio.create_task(asked("bob"))
        assert not waiting.done()
    await waiting


async def test_people_take_turns_however_much_each_of_them_asks() -> None:
    turns, order = QuestionTurns(most=2, most_of_one=1), []

    async def asks(person: str) -> None:
        async with turns.of(person):
            order.append(person)
            await asyncio.sleep(0)

    await asyncio.gather(*(asks(person) for person in ["rob"] * 20 + ["bob"]))
    assert "bob" in order[:4]

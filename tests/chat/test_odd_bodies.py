"""Every route and event of the chat is given the same twenty odd bodies: each is refused in one line or answered."""

import logging
import uuid
from typing import Any

import pytest

from tests.support.doubles.chat_routes import ANYBODYS, emitted, places, routes
from tests.support.doubles.people_chat import Chat
from tests.support.odd_bodies import LONGEST_REFUSAL, MARK, VALUES, bodies

SESSION = "5f0c6f1e-52d7-4b1c-9a57-0d8b1f3e6c24"
JSON = {"Content-Type": "application/json"}
ADDRESSES = [
    "/public/%00", "/invite%00", "/report/%ff/about", "/set-session-cookie?x=%00", "/sources?words=%ed%a0%80",
    "/project/translations?language=%00", "/avatars/%e2%80%a8",
]  # fmt: skip
NOT_OURS = ("/oauth", "/auth", "/mcp")


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if MARK in r.getMessage() or r.exc_info]


@pytest.mark.parametrize("path", ["/public/", "/public/team/", "/assets/", "/avatars/", "/report/"])
async def test_there_is_nothing_under_an_address_that_no_file_can_have(
    chat: Chat, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    async with chat.browser() as browser:
        assert (await browser.get(path + "a" * 300)).status_code == 404
        assert (await browser.get(path + "é" * 150)).status_code == 404
        assert (await browser.get(path + "a/" * 2_500)).status_code == 404
    assert caplog.records == []


@pytest.mark.parametrize("body", [b'451-["a",1]', b"\xff", b"4" * 900_000, b"2" * 10])
async def test_a_socket_is_opened_by_websocket_alone(
    chat: Chat, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    async with chat.browser() as browser:
        polling = {"EIO": "4", "transport": "polling"}
        opened = await browser.get("/ws/socket.io/", params=polling)
        assert (opened.status_code, "sid" in opened.text) == (400, False)
        sent = await browser.post("/ws/socket.io/", params={**polling, "sid": "a"}, content=body)
        assert sent.status_code == 400
    assert caplog.records == []


@pytest.mark.parametrize("is_signed_in", [False, True])
async def test_every_route_refuses_or_answers_each_odd_body(
    chat: Chat, caplog: pytest.LogCaptureFixture, is_signed_in: bool
) -> None:
    caplog.set_level(logging.INFO)
    async with chat.signed_in("ann") if is_signed_in else chat.browser() as browser:
        for route in routes():
            if route.path.startswith(NOT_OURS):
                continue
            named = dict(places(route))
            path = route.path_format.format(
                **{n: str(ANYBODYS.get(n, SESSION)) for p, n in places(route) if p == "path"}
            )
            query = {name: ANYBODYS.get(name, SESSION) for part, name in places(route) if part == "query"}
            for method in sorted((route.methods or set()) - {"HEAD"}):
                trials = {name: {"params": query, "content": body} for name, body in bodies(named).items()}
                if method == "GET":
                    trials = {
                        name: {"params": {one: str(value)[:15_000] for one in query}}
                        for name, value in VALUES.items()
                    }
                for name, trial in trials.items():
                    response = await browser.request(method, path, headers=JSON, **trial)
                    where = f"{method} {route.path} with {name}: {response.status_code} {response.text[:300]}"
                    assert response.status_code < 500, where
                    if response.status_code >= 400:
                        assert len(response.content) <= 3 * LONGEST_REFUSAL, where
        for address in ADDRESSES:
            assert (await browser.get(address)).status_code == 400, address
    assert logged(caplog) == []


async def test_every_event_leaves_out_or_takes_each_odd_body(chat: Chat, caplog: pytest.LogCaptureFixture) -> None:
    from chainlit import server

    caplog.set_level(logging.INFO)
    events = server.sio.handlers["/"]
    async with chat.signed_in("ann") as ann:
        cookie = {"HTTP_COOKIE": f"access_token={ann.cookies['access_token']}"}
        with emitted() as sent:
            await events["connect"]("ann", cookie, {"sessionId": str(uuid.uuid4()), "clientType": "webapp"})
            for event in sorted(set(events) - {"connect", "disconnect", "clear_session"}):
                for value in (*VALUES.values(), float("inf"), 10**5_000, "\ud800", "\0", None, [[[]]] * 3):
                    step = {
                        "id": SESSION,
                        "name": "ann",
                        "type": "user_message",
                        "createdAt": None,
                        "output": value,
                    }
                    for body in (
                        value,
                        {"message": value},
                        {"message": {**step, "name": value}},
                        {"message": step},
                    ):
                        await events[event]("ann", body)
            await events["disconnect"]("ann")
    assert sent
    assert logged(caplog) == []


async def test_a_question_that_is_too_long_is_told_so_and_nothing_of_it_is_stored(chat: Chat) -> None:
    from chainlit import server

    events, text = server.sio.handlers["/"], "why " * 200_000
    async with chat.signed_in("ann") as ann:
        cookie = {"HTTP_COOKIE": f"access_token={ann.cookies['access_token']}"}
        with emitted() as sent:
            await events["connect"]("ann", cookie, {"sessionId": str(uuid.uuid4()), "clientType": "webapp"})
            step = {"id": SESSION, "name": "ann", "type": "user_message", "createdAt": None, "output": text}
            await events["client_message"]("ann", {"message": step})
            await events["disconnect"]("ann")
    ((_, message), *_), *_ = sent
    assert message["isError"]
    assert "800,000 characters" in message["output"].replace("\\", "")
    assert await _longest_stored(chat) < 2_000


async def test_one_person_is_heard_only_so_often_in_a_minute(chat: Chat) -> None:
    from chainlit import server

    from app.chat.session.client_ids import MOST_QUESTIONS

    events = server.sio.handlers["/"]
    async with chat.signed_in("ann") as ann:
        cookie = {"HTTP_COOKIE": f"access_token={ann.cookies['access_token']}"}
        with emitted() as sent:
            await events["connect"]("ann", cookie, {"sessionId": str(uuid.uuid4()), "clientType": "webapp"})
            step = {"name": "ann", "type": "user_message", "createdAt": None, "output": "revenue?"}
            for _ in range(MOST_QUESTIONS + 5):
                await events["client_message"]("ann", {"message": {**step, "id": str(uuid.uuid4())}})
            await events["disconnect"]("ann")
    errors = [what for (event, what), _ in sent if event == "new_message" and what.get("isError")]
    assert len(errors) == 5
    assert "questions a minute" in errors[0]["output"]


async def _longest_stored(chat: Chat) -> int:
    await chat.history._writer.written()
    rows: list[dict[str, Any]] = await chat.history.execute_sql('SELECT "output" FROM steps', {})
    return max((len(row["output"] or "") for row in rows), default=0)

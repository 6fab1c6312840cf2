"""Who may come in, how often a password may be tried, and what one person gets to see of another."""

import asyncio
import datetime as dt
import os
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from openpyxl import load_workbook

from app.chat.launcher import listen
from app.chat.session.people import PasswordHash, People, Person, people_line, session_secret
from app.chat.session.people_file import PeopleFile
from app.chat.session.sign_in import Attempts
from app.chat_options import ChatOptions
from app.command_line import run
from app.settings import load_settings
from storage.errors import UsageError
from storage.paths import DataPaths
from storage.stores.run_log import Run
from tests.support.doubles.chat_client import QUOTE, ScriptedClient
from tests.support.doubles.chat_visit import HOST, PORT
from tests.support.doubles.people_chat import (
    ELSEWHERE,
    LINES,
    REVENUE,
    Chat,
    people,
    sign_in,
    thread_with_answer,
)


def test_a_person_is_known_by_name_and_password() -> None:
    known = people()
    assert known.verified("ann", "correct horse") == "ann"
    assert known.verified(" ANN ", "correct horse") == "ann"
    assert known.verified("ann", "battery staple") is None
    assert known.verified("ann", "") is None
    assert known.verified("carl", "correct horse") is None
    assert known.verified("", "") is None


def test_people_are_read_from_a_file_and_from_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "people"
    file.write_text(f"# who may ask\n\n{LINES['ann']}\n")
    known = People.load(str(file), {"PAGEPROOF_PEOPLE": LINES["bob"]})
    assert known.verified("ann", "correct horse") == "ann"
    assert known.verified("bob", "battery staple") == "bob"
    assert not People.load(None, {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ann", "line 1: expected NAME:HASH"),
        ("ann:correct horse", "the hash of 'ann' cannot be read"),
        ("ann:scrypt$2$8$1$c2FsdHNhbHQ=$" + "A" * 40, "too weak or too costly"),
        (f"local:{LINES['ann'].partition(':')[2]}", "expected NAME:HASH"),
        (f"{LINES['ann']}\nANN:{LINES['bob'].partition(':')[2]}", "line 2: 'ANN' is there twice"),
        (f"ann\u2028bob:{LINES['ann'].partition(':')[2]}", "line 1: expected NAME:HASH"),
        (f"ann\u202e:{LINES['ann'].partition(':')[2]}", "line 1: expected NAME:HASH"),
        ("\udcff\udcc0\0", "line 1: expected NAME:HASH"),
    ],
    # hashes are salted: others each time
    ids=["no hash", "no form", "weak", "reserved", "twice", "two lines", "turned", "no text"],
)
def test_a_wrong_line_is_named_and_the_others_sign_in(
    tmp_path: Path, content: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "people"
    file.write_bytes(f"{content}\n{LINES['bob']}\n".encode(errors="surrogateescape"))
    people = People.load(str(file), {})
    assert people.verified("bob", "battery staple") == "bob"
    assert people.verified("ann\u2028bob", "correct horse") is None
    assert message in caplog.text
    assert "correct horse" not in caplog.text


def test_a_file_that_names_nobody_is_no_file_of_people(tmp_path: Path) -> None:
    file = tmp_path / "people"
    file.write_text("# nobody")
    with pytest.raises(UsageError, match="names nobody"):
        People.load(str(file), {})


def test_a_change_of_the_file_leaves_a_line_that_is_wrong_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "people"
    file.write_bytes(b"\xff\x00 broken\n" + LINES["ann"].encode() + b"\n")
    PeopleFile(file, {}).add(Person.new("eve", PasswordHash.of("long enough"), "reader"))
    assert file.read_bytes().startswith(b"\xff\x00 broken\n")
    assert {person.name for person in People.load(str(file), {}).all().values()} == {"ann", "eve"}


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("a:b", "long enough"),
        ("local", "long enough"),
        ("ann", "short"),
        ("ann\u2028eve", "long enough"),
        ("ann\u202e", "long enough"),
    ],
)
def test_a_line_is_made_for_sound_names_and_passwords_only(name: str, password: str) -> None:
    with pytest.raises(UsageError):
        people_line(name, password)


def test_a_stranger_takes_as_long_as_a_wrong_password() -> None:
    known = people()

    def seconds(name: str) -> float:
        started = time.process_time()
        known.verified(name, "some password")
        return time.process_time() - started

    strangers, members = sorted(seconds("carl") for _ in range(5)), sorted(seconds("ann") for _ in range(5))
    assert 0.5 < strangers[2] / members[2] < 2


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_after_five_wrong_passwords_one_has_to_wait_and_each_time_longer() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    for _ in range(4):
        attempts.failed("ann", "10.0.0.1")
    assert attempts.seconds_to_wait("ann", "10.0.0.1") == 0
    attempts.failed("Ann ", "10.0.0.1")
    assert attempts.seconds_to_wait("ann", "10.0.0.1") == 30
    assert attempts.seconds_to_wait("bob", "10.0.0.1") == 0
    assert attempts.seconds_to_wait("ann", "10.0.0.2") == 0  # a stranger elsewhere does not lock her out
    clock.now += 31
    assert attempts.seconds_to_wait("ann", "10.0.0.1") == 0
    attempts.failed("ann", "10.0.0.1")
    assert attempts.seconds_to_wait("ann", "10.0.0.1") == 60
    clock.now += 3601
    attempts.failed("ann", "10.0.0.1")
    assert attempts.seconds_to_wait("ann", "10.0.0.1") == 0


def test_guessing_many_names_or_from_many_places_has_an_end_too() -> None:
    attempts = Attempts(Clock())
    for k in range(25):
        attempts.failed(f"name {k}", "2001:db8::1")
    assert attempts.seconds_to_wait("ann", "2001:db8::2") > 0  # the same household
    assert attempts.seconds_to_wait("ann", "2001:db9::1") == 0
    for k in range(50):
        attempts.failed("bob", f"10.0.{k}.1")
    assert attempts.seconds_to_wait("bob", "10.1.0.1") > 0


def test_a_name_in_other_letters_of_unicode_counts_as_the_same_name() -> None:
    attempts = Attempts(Clock())
    for name in ("ann", "ANN", "\uff41\uff4e\uff4e", "\U0001d41a\U0001d427\U0001d427", " ann "):
        attempts.failed(name, "10.0.0.1")
    assert attempts.seconds_to_wait("ann", "10.0.0.1") > 0


def test_what_the_chat_writes_is_nobody_else_s_to_read(tmp_path: Path) -> None:
    from app.chat.launcher import guard_library

    paths = DataPaths(tmp_path)
    paths.people.mkdir(mode=0o755)
    before = os.umask(0o022)
    try:
        guard_library(paths)
        (tmp_path / "runs.sqlite").touch()
    finally:
        os.umask(before)
    assert stat.S_IMODE(paths.people.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "runs.sqlite").stat().st_mode) == 0o600


def test_the_right_password_forgets_the_wrong_ones() -> None:
    attempts = Attempts(Clock())
    for _ in range(4):
        attempts.failed("ann", "10.0.0.1")
    attempts.succeeded("ann", "10.0.0.1")
    attempts.failed("ann", "10.0.0.1")
    assert attempts.seconds_to_wait("ann", "10.0.0.1") == 0


def test_the_secret_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    path = tmp_path / "data" / "chat-secret"
    made = session_secret(path, {}, signs_in=True)
    assert len(made) >= 32
    assert made not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    assert session_secret(path, {}, signs_in=True) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert session_secret(path, {"CHAINLIT_AUTH_SECRET": "x" * 40}, signs_in=True) != made
    assert sorted(p.name for p in path.parent.iterdir()) == ["chat-secret"]
    with pytest.raises(UsageError, match="CHAINLIT_AUTH_SECRET has 5 characters: expected at least 32"):
        session_secret(path, {"CHAINLIT_AUTH_SECRET": "short"}, signs_in=True)


@pytest.mark.parametrize("garbage", [b"", b"\xff\xfe\x00" * 30])
def test_a_damaged_secret_is_set_aside_and_a_new_one_made(
    tmp_path: Path, garbage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "chat-secret"
    path.write_bytes(garbage)
    made = session_secret(path, {}, signs_in=True)
    assert session_secret(path, {}, signs_in=True) == made
    assert len(path.read_text()) == 64
    assert "holds no secret of sign-ins: a new one is made, and all sign in again" in caplog.text


def test_a_token_given_while_nobody_signed_in_is_worth_nothing_where_people_do(tmp_path: Path) -> None:
    for environment in ({}, {"CHAINLIT_AUTH_SECRET": "x" * 40}):
        alone, with_people = (
            session_secret(tmp_path / "chat-secret", environment, signs_in=signs_in) for signs_in in (False, True)
        )
        token = jwt.encode({"identifier": "local"}, alone, algorithm="HS256")
        with pytest.raises(jwt.InvalidSignatureError):
            jwt.decode(token, with_people, algorithms=["HS256"])


@pytest.mark.parametrize(
    ("host", "origins", "signs_in", "message"),
    [
        ("192.0.2.7", (), False, "nobody signs in"),
        ("127.0.0.1", (ELSEWHERE,), False, "nobody signs in"),
        ("0.0.0.0", (), True, "chat.origins"),
        ("::", (), True, "chat.origins"),
    ],
)
def test_others_come_in_only_where_people_sign_in(
    host: str, origins: tuple[str, ...], signs_in: bool, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        listen(host, 0, ChatOptions(origins=origins), signs_in=signs_in)


def test_with_people_the_chat_listens_on_every_address() -> None:
    with listen("0.0.0.0", 0, ChatOptions(origins=(ELSEWHERE,)), signs_in=True) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/user"),
        ("GET", "/project/settings"),
        ("POST", "/project/threads"),
        ("GET", "/project/thread/{thread}"),
        ("GET", "/project/thread/{thread}/element/{element}"),
        ("GET", "/report/{sha1}.pdf"),
        ("GET", "/report/{sha1}/1.png"),
        ("GET", "/report/{sha1}/about"),
        ("GET", "/report/{sha1}/1/text"),
        ("GET", "/report/{sha1}/find?words=revenue"),
        ("GET", "/conversation/{thread}/answers.xlsx"),
        ("PUT", "/feedback"),
        ("DELETE", "/feedback"),
        ("DELETE", "/project/thread"),
        ("PUT", "/project/thread"),
        ("POST", "/project/action"),
        ("GET", "/project/file/{thread}?session_id={thread}"),
    ],
)
async def test_without_signing_in_nothing_is_shown(chat: Chat, method: str, path: str) -> None:
    thread = await thread_with_answer(chat, "ann")
    path = path.format(thread=thread["id"], element=thread["elements"][0]["id"], sha1=chat.client.known.sha1)
    body = {
        "pagination": {"first": 20}, "filter": {}, "threadId": thread["id"], "name": "x", "sessionId": thread["id"],
        "action": {}, "feedbackId": thread["id"], "feedback": {"forId": thread["steps"][0]["id"], "value": 0},
    }  # fmt: skip
    async with chat.browser() as stranger:
        assert (await stranger.request(method, path, json=body)).status_code == 401
        stranger.cookies.set("access_token", "forged")
        assert (await stranger.request(method, path, json=body)).status_code == 401


async def test_signing_in_and_out(chat: Chat) -> None:
    async with chat.browser() as browser:
        assert (await sign_in(browser, "ann", "wrong password")).status_code == 401
        assert (await browser.get("/user")).status_code == 401
        response = await sign_in(browser, "Ann", "correct horse")
        cookie = response.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert (await browser.get("/user")).json()["identifier"] == "ann"
        token = browser.cookies["access_token"]
        assert (await browser.post("/logout")).json() == {"success": True}
        assert "access_token" not in browser.cookies
        browser.cookies.set("access_token", token)  # kept by somebody
        assert (await browser.get("/user")).status_code == 401
        bearer = {"Authorization": f"Bearer {token}"}
        browser.cookies.clear()
        assert (await browser.get("/user", headers=bearer)).status_code == 401


@pytest.mark.parametrize(
    "others",
    [
        [("Cookie", "x=1"), ("Cookie", "{token}")],
        [("Cookie", "{token}"), ("Cookie", "x=1")],
        [("Authorization", "Basic eA=="), ("Cookie", "{token}"), ("Authorization", "Bearer x")],
    ],
)
async def test_a_second_header_does_not_undo_signing_out(chat: Chat, others: list[tuple[str, str]]) -> None:
    async with chat.browser() as browser:
        await sign_in(browser, "ann", "correct horse")
        token = browser.cookies["access_token"]
        await browser.post("/logout")
    transport = httpx.ASGITransport(app=chat.application, client=("10.0.0.1", 1234))
    base = f"http://{HOST}:{PORT}"
    async with httpx.AsyncClient(transport=transport, base_url=base) as somebody:
        headers = [(name, value.format(token=f"access_token={token}")) for name, value in others]
        for path in ("/user", f"/report/{chat.client.known.sha1}.pdf", "/project/settings"):
            response = await somebody.get(path, headers=headers)
            assert response.status_code == 400
            assert response.text.endswith("came twice")


@pytest.mark.parametrize("name", ["host", "origin", "cookie", "authorization", "content-length"])
async def test_a_socket_with_a_header_twice_is_closed(chat: Chat, name: str) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", f"{HOST}:{PORT}".encode()), (name.encode(), b"a"), (name.encode(), b"b")]
    scope = {"type": "websocket", "path": "/ws/socket.io/", "query_string": b"", "headers": headers}
    await chat.application(scope, None, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]


async def test_signing_out_closes_the_pages_that_are_open(chat: Chat) -> None:
    from chainlit import server
    from chainlit.session import WebsocketSession

    async with chat.signed_in("ann") as ann:
        cookie = f"access_token={ann.cookies['access_token']}"
        auth = {"sessionId": str(uuid.uuid4()), "clientType": "webapp"}
        events = server.sio.handlers["/"]
        await events["connect"]("socket", {"HTTP_COOKIE": cookie}, auth)
        session = WebsocketSession.get("socket")
        assert session is not None
        assert session.user.identifier == "ann"
        heard: list[Any] = []
        with hearing(heard):
            await server.sio.handlers["/"]["window_message"]("socket", "hello")
            assert heard == ["hello"]
            await ann.post("/logout")
            assert session.to_clear
            await server.sio.handlers["/"]["window_message"]("socket", "again")
            assert heard == ["hello"]
        await events["disconnect"]("socket")
        assert WebsocketSession.get("socket") is None


@contextmanager
def hearing(heard: list[Any]) -> Iterator[None]:
    """Hear an event of the socket as Chainlit hears it."""
    from chainlit.config import config

    async def hear(content: Any) -> None:
        heard.append(content)

    config.code.on_window_message = hear
    yield
    config.code.on_window_message = None


async def test_a_cookie_goes_over_tls_only_where_the_chat_does(chat: Chat) -> None:
    async with chat.browser(ELSEWHERE) as browser:
        response = await sign_in(browser, "ann", "correct horse")
        assert "; secure" in response.headers["set-cookie"].lower()
        assert (await browser.get("/user")).json()["identifier"] == "ann"


async def test_the_sixth_wrong_password_has_to_wait_and_so_has_the_right_one(chat: Chat) -> None:
    async with chat.browser() as browser, chat.browser(address="10.0.0.2") as elsewhere:
        statuses = [(await sign_in(browser, "ann", f"wrong {k}")).status_code for k in range(6)]
        assert statuses == [401] * 5 + [429]
        refused = await sign_in(browser, "ann", "correct horse")
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 31
        assert (await sign_in(elsewhere, "ann", "correct horse")).status_code == 200


async def test_many_guesses_at_once_are_counted_all_the_same(chat: Chat) -> None:
    async with chat.browser() as browser:
        guesses = await asyncio.gather(*(sign_in(browser, "ann", f"wrong {k}") for k in range(12)))
        assert sorted(response.status_code for response in guesses).count(401) <= 7


@pytest.mark.parametrize("known", [["bob"], ["bob", "ann anew"]])
async def test_one_who_may_no_longer_come_is_out_at_once(tmp_path: Path, history: Any, known: list[str]) -> None:
    async with Chat(ScriptedClient(tmp_path), history, people()).signed_in("ann") as browser:
        cookies = browser.cookies
    lines = [LINES["bob"], *([people_line("ann", "another password")] if len(known) > 1 else [])]
    later = Chat(ScriptedClient(tmp_path), history, People.load(None, {"PAGEPROOF_PEOPLE": "\n".join(lines)}))
    async with later.browser() as again:
        again.cookies = cookies
        assert (await again.get("/user")).status_code == 401


async def test_where_nobody_signs_in_whoever_is_here_has_a_history(tmp_path: Path, history: Any) -> None:
    chat = Chat(ScriptedClient(tmp_path), history, People({}))
    thread = await thread_with_answer(chat, "local")
    async with chat.browser() as browser:
        browser.cookies.set("access_token", "left over from a chat where people sign in")
        assert (await browser.get("/user")).json()["identifier"] == "local"
        found = await browser.post("/project/threads", json={"pagination": {"first": 20}, "filter": {}})
        assert [t["id"] for t in found.json()["data"]] == [thread["id"]]
        assert (await browser.get("/auth/config")).json()["passwordAuth"] is False


async def test_a_conversation_is_its_owners_to_read_rename_and_delete(chat: Chat) -> None:
    thread = await thread_with_answer(chat, "ann")
    name, address = {"threadId": thread["id"], "name": "Revenue"}, f"/project/thread/{thread['id']}"
    async with chat.signed_in("ann") as ann:
        assert (await ann.get(address)).json()["steps"][0]["output"] == REVENUE
        element = await ann.get(f"{address}/element/{thread['elements'][0]['id']}")
        assert element.json()["props"]["values"] == ["1,249,642,000 USD"]
        assert (await ann.put("/project/thread", json=name)).status_code == 200
        found = await ann.post("/project/threads", json={"pagination": {"first": 20}, "filter": {}})
        assert [t["name"] for t in found.json()["data"]] == ["Revenue"]
        assert (await ann.request("DELETE", "/project/thread", json=name)).status_code == 200
        assert (await ann.get(address)).status_code == 404


async def test_another_person_gets_nothing_by_guessed_ids(chat: Chat) -> None:
    thread = await thread_with_answer(chat, "ann")
    of, address = {"threadId": thread["id"]}, f"/project/thread/{thread['id']}"
    ann = await chat.history.get_user("ann")
    body = {"feedback": {"forId": thread["steps"][1]["id"], "value": 0}, "sessionId": thread["id"]}
    async with chat.signed_in("bob") as browser:
        tried = [
            await browser.get(address),
            await browser.get(f"{address}/element/{thread['elements'][0]['id']}"),
            await browser.put("/project/thread", json=of | {"name": "mine"}),
            await browser.request("DELETE", "/project/thread", json=of),
            await browser.get(f"/conversation/{thread['id']}/answers.xlsx"),
            await browser.put("/feedback", json=body),
            await browser.get(f"/project/share/{thread['id']}"),
            await browser.put("/project/thread/share", json=of | {"isShared": True}),
            await browser.put(
                "/project/element", json={"sessionId": thread["id"], "element": thread["elements"][0]}
            ),
        ]
        assert [response.status_code for response in tried] == [401, 401, 401, 401, 404, 404, 404, 404, 404]
        page_of_threads = {"pagination": {"first": 20}, "filter": {"userId": ann.id}}
        assert (await browser.post("/project/threads", json=page_of_threads)).json()["data"] == []
    assert await chat.history.get_thread(thread["id"]) == thread


async def test_feedback_is_kept_with_its_answer_and_told_by_the_run_log(chat: Chat) -> None:
    thread = await thread_with_answer(chat, "ann")
    run = next(step for step in thread["steps"] if step["name"] == "on_message")
    body = {"feedback": {"forId": run["id"], "value": 0, "comment": " the prior year "}, "sessionId": thread["id"]}
    logged = Run.begin("chat", "offline", {}, None).model_copy(update={"id": chat.client.run_id})
    async with chat.signed_in("ann") as ann, chat.signed_in("bob") as bob:
        given = (await ann.put("/feedback", json=body)).json()["feedbackId"]
        (answered,) = await chat.history.answers(thread["id"])
        assert answered.opinion is not None
        assert (answered.opinion.helpful, answered.opinion.comment) == (False, "the prior year")
        (logged_opinion,) = chat.log.opinions(logged)
        assert (logged_opinion.question.text, logged_opinion.helpful, logged_opinion.comment) == (
            REVENUE,
            False,
            "the prior year",
        )
        body["feedback"] |= {"value": 1, "comment": None}
        assert (await ann.put("/feedback", json=body)).json()["feedbackId"] == given
        assert [o.helpful for o in chat.log.opinions(logged)] == [True]
        shown = await chat.history.get_thread(thread["id"])
        assert [s["feedback"]["value"] for s in shown["steps"] if s["feedback"]] == [1]
        assert (await bob.request("DELETE", "/feedback", json={"feedbackId": given})).status_code == 404
        assert (await ann.request("DELETE", "/feedback", json={"feedbackId": given})).status_code == 200
        assert chat.log.opinions(logged) == ()
        assert (await chat.history.answers(thread["id"]))[0].opinion is None


async def test_a_conversations_answers_are_a_workbook_whose_links_open_where_it_is_read(chat: Chat) -> None:
    thread = await thread_with_answer(chat, "ann")
    async with chat.signed_in("ann") as ann:
        here = await ann.get(f"/conversation/{thread['id']}/answers.xlsx")
        response = await ann.get(
            f"/conversation/{thread['id']}/answers.xlsx", headers={"host": "chat.example.com"}
        )
        name = f"Northwind Traders Inc., all answers {dt.datetime.now(dt.UTC):%Y-%m-%d}.xlsx"
        assert response.headers["content-disposition"].startswith(f'attachment; filename="{name}"')
        assert (await ann.get("/conversation/..%2F..%2Fx/answers.xlsx")).status_code == 404
        assert (await ann.get("/conversation/x/answers.xlsx")).status_code == 400
    book = load_workbook(BytesIO(response.content))
    assert book["Answers"]["A2"].value == REVENUE
    values = [cell for cell in book["Answers"][2] if cell.value == 1_249_642_000]
    view = f"https://chat.example.com/report/{chat.client.known.sha1}/view"
    assert values[0].hyperlink.target == f"{view}?page=2&boxes=72.0,160.0,300.0,174.0"
    line = [cell.value for cell in book["Sources"][2]]
    assert line == [1, "Northwind Traders Inc.", "Northwind Traders Inc.", 2, QUOTE, "northwind.pdf"]
    local = load_workbook(BytesIO(here.content))["Answers"]
    links = [cell.hyperlink.target for row in local.iter_rows() for cell in row if cell.hyperlink]
    assert all(link.startswith(f"{here.url.scheme}://{here.url.netloc.decode()}/report/") for link in links)
    assert links
    assert str(chat.client.paths.root) not in str([c.value for row in book["Sources"] for c in row])


def test_a_line_is_printed_for_a_name_and_a_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("Ann Lee\ncorrect horse\n"))
    assert run(["chat", "--hash-password"]) == 0
    line = capsys.readouterr().out
    assert "correct horse" not in line
    assert People.load(None, {"PAGEPROOF_PEOPLE": line}).verified("Ann Lee", "correct horse") == "Ann Lee"
    monkeypatch.setattr("sys.stdin", StringIO("Ann Lee\n"))
    assert run(["chat", "--hash-password"]) == 2


@pytest.mark.parametrize(
    "setting",
    [
        "chat.history_url=postgresql+asyncpg://ann:pass%20word@db/chat",
        "chat.history_url=postgresql+asyncpg://ann@db/chat?password=pass%20word",
        "chat.history_url=sqlite:///tmp/x",
        "chat.origins=chat.example.com",
        "chat.origins=https://chat.example.com/path",
    ],
)
def test_a_wrong_setting_is_told_without_a_password(setting: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_settings("offline", [setting])
    assert setting.partition("=")[0] in str(caught.value)
    assert "pass%20word" not in str(caught.value)


def test_several_origins_are_one_setting() -> None:
    chosen = load_settings("offline", ["chat.origins=https://chat.example.com, http://10.0.0.5:8000"])
    assert chosen.chat.origins == ("https://chat.example.com", "http://10.0.0.5:8000")


async def test_a_connection_is_its_person_s_and_one_without_a_sign_in_its_address_s(chat: Chat) -> None:
    from app.chat.session.sign_in import speaking

    known = speaking(people(), needs_a_person=True)
    scope = {"type": "websocket", "headers": [], "client": ("10.0.0.1", 1234)}
    assert known.whose(scope) == "10.0.0.1"
    async with chat.signed_in("ann") as ann:
        cookies = "; ".join(f"{name}={value}" for name, value in ann.cookies.items())
        assert known.whose({**scope, "headers": [(b"cookie", cookies.encode())]}) == "person ann"
        assert known.whose({**scope, "headers": [(b"cookie", b"access_token=made-up")]}) == "10.0.0.1"

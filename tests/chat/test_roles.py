"""Readers ask, contributors also send reports, keepers change the shared library; a running chat hears of changes."""

import asyncio
import time
import uuid
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.chat.session.people import Invitation, PasswordHash, People, Person
from app.chat.session.people_file import PeopleFile
from storage.stores.library import Library
from tests.support.doubles.chat_client import ScriptedClient, write_pdf
from tests.support.doubles.chat_visit import Visit, visit
from tests.support.doubles.people_chat import PASSWORDS, REVENUE, Chat, thread_with_answer
from tests.support.waiting import until

HASHES = {name: PasswordHash.of(password) for name, password in PASSWORDS.items()}


@pytest.fixture
def book(tmp_path: Path) -> PeopleFile:
    """Ann and bob, contributors."""
    book = PeopleFile(tmp_path / "people.txt", {})
    for name, secret in HASHES.items():
        book.add(Person.new(name, secret, "contributor"))
    return book


@pytest.fixture
def team(tmp_path: Path, history: Any, book: PeopleFile) -> Chat:
    del book
    file = tmp_path / "people.txt"
    return Chat(ScriptedClient(tmp_path), history, People.load(str(file), {}), file)


async def send(browser: httpx.AsyncClient, page: Visit) -> httpx.Response:
    file = {"file": ("a.pdf", BytesIO(b"%PDF- a report"))}
    return await browser.post("/project/file", params={"session_id": page.session.id}, files=file)


async def correct(browser: httpx.AsyncClient, page: Visit, sha1: str) -> httpx.Response:
    changes = {"session_id": page.session.id, "company": "North plc", "currency": "EUR", "period_end": ""}
    return await browser.put(f"/sources/{sha1}", json=changes)


async def remove(browser: httpx.AsyncClient, page: Visit, sha1: str) -> httpx.Response:
    return await browser.request("DELETE", f"/sources/{sha1}", json={"session_id": page.session.id})


async def call(name: str, **payload: Any) -> Any:
    """What a card's button calls."""
    import chainlit as cl
    from chainlit.config import config

    return await config.code.action_callbacks[name](cl.Action(name=name, payload=payload))


async def test_a_reader_asks_and_sees_and_changes_nothing(team: Chat, book: PeopleFile) -> None:
    book.change("ann", role="reader")
    sha1 = team.client.known.sha1
    async with team.signed_in("ann") as ann, visit(team.history, "ann") as page:
        assert "your role is reader" in (await send(ann, page)).json()["detail"]
        for refused in (await correct(ann, page, sha1), await remove(ann, page, sha1)):
            assert (refused.status_code, refused.json()["detail"][:19]) == (403, "Your role is reader")
        for name in ("stop_upload", "retry_upload", "correct_report", "remove_report"):
            said = await call(name, sha1=sha1, company="North plc", currency="", period_end="")
            assert said["error"].startswith("Your role is reader"), name
        session = {"session_id": page.session.id}
        listed = (await ann.get("/sources", params=session)).json()
        assert (listed["takes_uploads"], [s["can_change"] for s in listed["sources"]]) == (False, [False])
        assert (await ann.get(f"/report/{sha1}/2.png")).status_code == 200
        await page.ask(REVENUE)
        assert (await team.app.sources.state())["uploads"] is False
    assert len(await team.history.answers(page.thread_id)) == 1


async def test_files_in_a_reader_s_message_are_not_taken(team: Chat, book: PeopleFile, tmp_path: Path) -> None:
    book.change("ann", role="reader")
    pdf = write_pdf(tmp_path / "sent.pdf")
    async with visit(team.history, "ann") as page:
        import chainlit as cl

        element = cl.File(name="sent.pdf", path=str(pdf), mime="application/x-pdf")
        message = cl.Message(content="", elements=[element])
        message.type = "user_message"
        await team.app.answering.answer(message)
        said = [step["output"] for step in page.of("new_message")]
    assert any("Your role is reader" in text for text in said)
    assert team.app._uploads.of("ann") == []


async def test_a_contributor_changes_what_is_their_own_and_nothing_shared(team: Chat) -> None:
    sha1 = team.client.known.sha1
    async with team.signed_in("ann") as ann, visit(team.history, "ann") as page:
        assert (await send(ann, page)).status_code == 200
        assert (await correct(ann, page, sha1)).status_code == 200
        assert (await remove(ann, page, sha1)).status_code == 200
        assert (await remove(ann, page, sha1)).status_code == 400
    assert team.client.report(sha1).company == "Northwind Traders Inc."


@pytest.mark.parametrize("way", ["panel", "card"])
async def test_a_keeper_corrects_and_removes_what_is_shared(team: Chat, book: PeopleFile, way: str) -> None:
    book.change("ann", role="keeper")
    sha1 = team.client.known.sha1
    async with team.signed_in("ann") as ann, visit(team.history, "ann") as page:
        listed = (await ann.get("/sources", params={"session_id": page.session.id})).json()
        assert [source["can_change"] for source in listed["sources"]] == [True]
        if way == "panel":
            assert (await correct(ann, page, sha1)).status_code == 200
        else:
            assert await call("correct_report", sha1=sha1, company="North plc", currency="", period_end="") == {}
        assert team.client.report(sha1).company == "North plc"
        if way == "panel":
            assert (await remove(ann, page, sha1)).status_code == 200
        else:
            assert await call("remove_report", sha1=sha1) == {}
        assert team.client.report(sha1) is None


async def hand_over(browser: httpx.AsyncClient, page: Visit, sha1: str) -> httpx.Response:
    return await browser.post(f"/sources/{sha1}", json={"session_id": page.session.id, "what": "hand_over"})


async def test_a_keeper_hands_a_report_of_their_own_to_the_shared_library(team: Chat, book: PeopleFile) -> None:
    book.change("ann", role="keeper")
    sha1 = team.client.known.sha1
    del team.client._reports[sha1]  # it is in ann's own library alone
    async with team.signed_in("ann") as ann, visit(team.history, "ann") as page:
        session = {"session_id": page.session.id}
        (source,) = (await ann.get("/sources", params=session)).json()["sources"]
        assert (source["whose"], source["can_hand_over"]) == ("yours", True)
        team.client.page_seconds = 0.1
        assert (await hand_over(ann, page, sha1)).status_code == 200
        (source,) = (await ann.get("/sources", params=session)).json()["sources"]
        assert (source["can_hand_over"], source["is_handed_over"], source["can_change"]) == (False, True, False)
        await until(lambda: not team.app.sources._handing)
        assert team.client.owns(sha1)
        async with team.app._clients.at(team.app.opened.key()) as own:
            assert not own.library.owns(sha1)
        again = await hand_over(ann, page, sha1)
        assert (again.status_code, again.json()["detail"]) == (400, "This report is not in your own library.")


@pytest.mark.parametrize("role", ["reader", "contributor"])
async def test_who_is_no_keeper_hands_nothing_to_the_shared_library(
    team: Chat, book: PeopleFile, role: str
) -> None:
    book.change("ann", role=role)
    sha1 = team.client.known.sha1
    del team.client._reports[sha1]
    async with team.signed_in("ann") as ann, visit(team.history, "ann") as page:
        (source,) = (await ann.get("/sources", params={"session_id": page.session.id})).json()["sources"]
        assert source["can_hand_over"] is False
        refused = await hand_over(ann, page, sha1)
        assert (refused.status_code, "only keepers can do this" in refused.json()["detail"]) == (403, True)
    assert not team.client.owns(sha1)


async def test_a_changed_role_holds_at_the_next_request_without_signing_in_again(
    team: Chat, book: PeopleFile
) -> None:
    async with team.signed_in("ann") as ann, visit(team.history, "ann") as page:
        assert (await send(ann, page)).status_code == 200
        book.change("ann", role="reader")
        assert (await send(ann, page)).status_code == 403
        book.change("ann", role="contributor")
        assert (await send(ann, page)).status_code == 200


@pytest.mark.parametrize("change", ["revoked", "password", "invited"])
async def test_one_who_is_revoked_or_has_another_password_is_signed_out_of_a_running_chat(
    team: Chat, book: PeopleFile, change: str
) -> None:
    async with team.signed_in("ann") as ann, team.signed_in("bob") as bob:
        assert (await ann.get("/user")).status_code == 200
        if change == "revoked":
            book.revoke("ann")
        else:
            secret = Invitation.new(time.time())[1] if change == "invited" else PasswordHash.of("another password")
            book.change("ann", secret=secret)
        assert (await ann.get("/user")).status_code == 401
        assert (await bob.get("/user")).status_code == 200
        again = await ann.post("/login", data={"username": "ann", "password": PASSWORDS["ann"]})
        assert again.status_code == 401


async def test_the_open_page_of_one_who_is_revoked_is_closed_though_nothing_is_sent(
    team: Chat, book: PeopleFile, tmp_path: Path
) -> None:
    from chainlit import server
    from chainlit.session import WebsocketSession

    from app.chat.session.sign_in import SignedIn, SignIn

    async def rest(*_: Any) -> None:
        await asyncio.Event().wait()

    session, known = str(uuid.uuid4()), People.load(str(tmp_path / "people.txt"), {})
    running = asyncio.create_task(SignedIn(rest, SignIn(known))({"type": "lifespan"}, rest, rest))
    try:
        async with team.signed_in("ann") as ann:
            cookie = {"HTTP_COOKIE": f"access_token={ann.cookies['access_token']}"}
            auth = {"sessionId": session, "clientType": "webapp"}
            await server.sio.handlers["/"]["connect"]("ann", cookie, auth)
            opened = WebsocketSession.get_by_id(session)
            assert opened is not None
            assert opened.to_clear is False
            book.revoke("ann")
            async with asyncio.timeout(60):
                while not opened.to_clear:
                    await asyncio.sleep(0.05)
    finally:
        running.cancel()
        await server.sio.handlers["/"]["disconnect"]("ann")


def test_whoever_sits_at_the_machine_may_do_everything_but_manage_people() -> None:
    here = People({}).rights(None)
    assert (here.sends, here.shares, here.manages) == (True, True, False)


async def test_a_keeper_invites_a_person_who_chooses_a_password_by_the_link_once(
    team: Chat, book: PeopleFile, tmp_path: Path
) -> None:
    book.change("ann", role="keeper")
    async with team.signed_in("ann") as ann, team.browser() as carl, team.browser() as late:
        made = await ann.post("/team/people", json={"name": "Carl Jones", "role": "reader"})
        secret = made.json()["secret"]
        assert secret not in (tmp_path / "people.txt").read_text()
        listed = {p["name"]: (p["role"], p["state"], p["is_me"]) for p in (await ann.get("/team/people")).json()}
        assert listed == {
            "ann": ("keeper", "active", True),
            "bob": ("contributor", "active", False),
            "Carl Jones": ("reader", "invited", False),
        }
        chosen = {"secret": secret, "password": "long enough"}
        assert (await carl.post("/invite", json=chosen | {"password": "short"})).status_code == 400
        assert (await carl.post("/invite", json=chosen)).json() == {"name": "Carl Jones"}
        again = await late.post("/invite", json=chosen | {"password": "somebody else's"})
        assert (again.status_code, again.json()["detail"][:28]) == (400, "This link is not valid any m")
        welcome = await carl.post("/login", data={"username": "carl jones", "password": "long enough"})
        assert welcome.status_code == 200
        assert (await carl.get("/team/people")).status_code == 403


async def test_a_keeper_changes_roles_gives_a_new_link_and_revokes(team: Chat, book: PeopleFile) -> None:
    book.change("ann", role="keeper")
    async with team.signed_in("ann") as ann, team.signed_in("bob") as bob:
        assert (await ann.put("/team/people", json={"name": "bob", "role": "reader"})).status_code == 200
        assert (await bob.get("/user")).status_code == 200
        secret = (await ann.post("/team/link", json={"name": "bob"})).json()["secret"]
        assert (await bob.get("/user")).status_code == 401
        assert (await bob.post("/invite", json={"secret": secret, "password": "new and long"})).status_code == 200
        assert (await ann.request("DELETE", "/team/people", json={"name": "bob"})).status_code == 200
        login = await bob.post("/login", data={"username": "bob", "password": "new and long"})
        assert login.status_code == 401
        for method, path in (("DELETE", "/team/people"), ("POST", "/team/link"), ("PUT", "/team/people")):
            refused = await ann.request(method, path, json={"name": "ann", "role": "reader"})
            assert (refused.status_code, refused.json()["detail"]) == (
                403,
                "Ask another keeper to change or revoke you.",
            )


@pytest.mark.parametrize("role", ["reader", "contributor", None])
async def test_who_is_no_keeper_manages_nobody(
    team: Chat, book: PeopleFile, tmp_path: Path, role: str | None
) -> None:
    book.change("bob", role=role or "keeper")
    async with team.signed_in("bob") as bob, team.browser() as stranger:
        browser, expected = (bob, 403) if role else (stranger, 401)
        before = (tmp_path / "people.txt").read_text()
        for method, path in (
            ("GET", "/team/people"), ("POST", "/team/people"), ("PUT", "/team/people"), ("DELETE", "/team/people"),
            ("POST", "/team/link"),
        ):  # fmt: skip
            body = {"name": "ann", "role": "keeper"}
            assert (await browser.request(method, path, json=body)).status_code == expected, (method, path)
        assert (tmp_path / "people.txt").read_text() == before


async def test_a_page_of_another_site_invites_nobody_in_a_keeper_s_name(
    team: Chat, book: PeopleFile, tmp_path: Path
) -> None:
    book.change("ann", role="keeper")
    async with team.signed_in("ann") as ann:
        before = (tmp_path / "people.txt").read_text()
        body = {"name": "eve", "role": "keeper"}
        foreign = {"Origin": "https://evil.example"}
        assert (await ann.post("/team/people", json=body, headers=foreign)).status_code == 403
        as_form = {"Content-Type": "text/plain"}
        for headers in (foreign | as_form, as_form):
            sent = await ann.post("/team/people", content=b'{"name": "eve", "role": "keeper"}', headers=headers)
            assert sent.status_code in (403, 422)
        assert (tmp_path / "people.txt").read_text() == before


async def test_a_link_shows_a_conversation_as_it_was_to_people_who_sign_in_until_it_is_taken_back(
    team: Chat,
) -> None:
    async with team.signed_in("ann") as ann, team.signed_in("bob") as bob, team.browser() as stranger:
        async with visit(team.history, "ann") as page:
            session = {"session_id": page.session.id}
            assert (await ann.get("/sharing", params=session)).json()["thread"] is None
            await page.ask(REVENUE)
            opened = (await ann.get("/sharing", params=session)).json()
            assert opened == {"thread": page.thread_id, "link": None, "can_link": True, "manages": False}
            link = (await ann.put(f"/sharing/{page.thread_id}")).json()["link"]
            assert link != page.thread_id
            await page.ask("Undisclosed head count of Northwind")
        address = f"/shared/{link}/answers"
        shown = (await bob.get(address)).json()
        assert (shown["owner"], "1,249,642,000" in shown["cards"], "head count" in shown["cards"]) == (
            "ann",
            True,
            False,
        )
        assert f"/report/{team.client.known.sha1}/2.png?boxes=" in shown["cards"]
        assert (await stranger.get(address)).status_code == 401
        assert (await ann.put(f"/sharing/{page.thread_id}")).json()["link"] == link
        assert "head count" in (await bob.get(address)).json()["cards"]
        for refused in (
            await bob.put(f"/sharing/{page.thread_id}"),
            await bob.delete(f"/sharing/{page.thread_id}"),
        ):
            assert refused.status_code == 404
        assert (await ann.delete(f"/sharing/{page.thread_id}")).status_code == 200
        assert (await bob.get(address)).status_code == 404


@pytest.mark.parametrize(("link", "refused"), [("not-an-id", 400), ("not/an/id", 400), ("", 404)])
async def test_a_link_that_is_no_id_is_answered_with_the_page_that_says_so(
    team: Chat, link: str, refused: int
) -> None:
    async with team.signed_in("bob") as bob:
        page = await bob.get(f"/shared/{link}")
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert (await bob.get(f"/shared/{link}/answers")).status_code == refused


@pytest.mark.parametrize("gone", ["conversation", "owner"])
async def test_a_link_ends_with_its_conversation_and_with_its_owner(
    team: Chat, book: PeopleFile, gone: str
) -> None:
    thread = await thread_with_answer(team, "ann")
    async with team.signed_in("ann") as ann, team.signed_in("bob") as bob:
        link = (await ann.put(f"/sharing/{thread['id']}")).json()["link"]
        assert (await bob.get(f"/shared/{link}/answers")).status_code == 200
        if gone == "owner":
            book.revoke("ann")
        else:
            await ann.request("DELETE", "/project/thread", json={"threadId": thread["id"]})
        assert (await bob.get(f"/shared/{link}/answers")).status_code == 404


async def test_the_reader_of_a_link_sees_no_page_of_a_report_in_its_owner_s_library(team: Chat) -> None:
    own = Library(team.client.paths.of_owner("ann").catalog)
    own.prepare()
    own.update(None, team.client.known, ())
    thread = await thread_with_answer(team, "ann")
    team.client.remove(team.client.known.sha1)
    async with team.signed_in("ann") as ann, team.signed_in("bob") as bob:
        link = (await ann.put(f"/sharing/{thread['id']}")).json()["link"]
        for_bob = (await bob.get(f"/shared/{link}/answers")).json()["cards"]
        for_ann = (await ann.get(f"/shared/{link}/answers")).json()["cards"]
    assert "This report is in its owner&#x27;s library." in for_bob
    assert "/report/" not in for_bob
    assert f"/report/{team.client.known.sha1}/view?page=2" in for_ann


async def test_a_conversation_is_downloaded_as_one_file_by_its_owner_alone_also_where_nobody_signs_in(
    team: Chat, tmp_path: Path
) -> None:
    thread = await thread_with_answer(team, "ann")
    address = f"/sharing/{thread['id']}/answers.html"
    async with team.signed_in("ann") as ann, team.signed_in("bob") as bob:
        page = await ann.get(address)
        assert (page.status_code, "1,249,642,000" in page.text) == (200, True)
        assert "data:image/jpeg;base64," in page.text
        assert (await bob.get(address)).status_code == 404
    alone = Chat(ScriptedClient(tmp_path), team.history, People({}))
    thread = await thread_with_answer(alone, "local")
    async with alone.browser() as browser:
        assert (await browser.get(f"/sharing/{thread['id']}/answers.html")).status_code == 200
        assert (await browser.put(f"/sharing/{thread['id']}")).status_code == 404


async def test_what_is_shared_is_shown_as_text_whatever_it_says(team: Chat) -> None:
    async with team.signed_in("ann") as ann, visit(team.history, "ann") as page:
        await page.ask("<img src=x onerror=alert(1)> revenue of Northwind")
        link = (await ann.put(f"/sharing/{page.thread_id}")).json()["link"]
        cards = (await ann.get(f"/shared/{link}/answers")).json()["cards"]
    assert "<img src=x" not in cards
    assert "&lt;img src=x onerror" in cards

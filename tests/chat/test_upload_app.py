"""Files on their way in: what is refused before it is read, and under which name a file is shown."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from starlette.types import Message

from app.chat.launcher import local_origins
from app.chat.uploads.uploads import shown_name
from app.chat_options import ChatOptions
from app.web_guards import Rate
from tests.support.doubles.chat_client import ScriptedClient
from tests.support.doubles.chat_sessions import id_of, recorded_session

HOST, PORT = "127.0.0.1", 8000
SESSION = id_of("session")
OPTIONS = ChatOptions(upload_megabytes=1, uploads_per_hour=3)


def whole(tmp_path: Path, options: ChatOptions = OPTIONS) -> Any:
    from chainlit import server

    from app.chat.routes import front

    return front(server, ScriptedClient(tmp_path), local_origins(HOST, PORT), options)


@pytest_asyncio.fixture
async def browser(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=whole(tmp_path))
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}:{PORT}") as http:
        yield http


async def send(browser: httpx.AsyncClient, name: str = "a.pdf", content: bytes = b"%PDF-") -> httpx.Response:
    files = {"file": (name, content, "application/pdf")}
    return await browser.post(f"/project/file?session_id={SESSION}", files=files)


async def test_a_file_waits_on_the_disk_until_its_message_is_sent(browser: httpx.AsyncClient) -> None:
    from chainlit.session import WebsocketSession

    async with recorded_session("session"):
        response = await send(browser, "../../etc/annual report.pdf", b"%PDF-1.7 and more")
        session = WebsocketSession.get_by_id(SESSION)
        assert session is not None
        stored = session.files[response.json()["id"]]
        assert stored["name"] == "annual report.pdf"
        path = Path(stored["path"])
        assert path.parent == session.files_dir
        assert path.stem == response.json()["id"]
        assert path.read_bytes() == b"%PDF-1.7 and more"
        assert stored["type"] != "application/pdf"  # Chainlit would open a viewer for it within the question


async def test_a_file_that_is_empty_arrives_and_is_judged_with_its_message(browser: httpx.AsyncClient) -> None:
    async with recorded_session("session"):
        assert (await send(browser, content=b"")).status_code == 200


async def test_a_body_that_is_announced_as_too_large_is_not_read_at_all(tmp_path: Path) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("the body was read")

    async def answer(message: Message) -> None:
        sent.append(message)

    headers = {"host": f"{HOST}:{PORT}", "content-length": "1000000000", "content-type": "multipart/form-data"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/project/file",
        "query_string": f"session_id={SESSION}".encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    await whole(tmp_path)(scope, receive, answer)
    assert sent[0]["status"] == 413
    assert b"it is larger than 1 MB, the most that is taken here" in sent[1]["body"]


async def test_a_body_that_goes_on_without_an_announcement_is_cut_off(browser: httpx.AsyncClient) -> None:
    from chainlit.session import WebsocketSession

    given = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal given
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'
        for _ in range(1000):
            given += 100_000
            yield b"x" * 100_000

    async with recorded_session("session"):
        response = await browser.post(
            f"/project/file?session_id={SESSION}",
            content=endless(),
            headers={"content-type": "multipart/form-data; boundary=x"},
        )
        session = WebsocketSession.get_by_id(SESSION)
        assert session is not None
        assert session.files == {}
    assert response.status_code == 413
    assert given <= 1_200_000


async def test_a_large_body_is_refused_elsewhere_too(browser: httpx.AsyncClient) -> None:
    response = await browser.post("/project/action", content=b"x" * 5_000_000)
    assert (response.status_code, response.json()["detail"]) == (413, "the request is too large")


async def test_a_file_just_beyond_the_limit_says_how_large_it_may_be(browser: httpx.AsyncClient) -> None:
    async with recorded_session("session"):
        response = await send(browser, content=b"x" * 1_000_001)
    assert response.status_code == 413
    assert response.json()["detail"] == "it is larger than 1 MB, the most that is taken here"


async def test_one_person_may_send_so_many_files_an_hour(browser: httpx.AsyncClient) -> None:
    async with recorded_session("session"):
        codes = [(await send(browser)).status_code for _ in range(4)]
        response = await send(browser)
    assert codes == [200, 200, 200, 429]
    assert response.json()["detail"].startswith("3 files an hour are taken from one person: try again in ")


async def test_a_conversation_that_is_over_takes_no_file(browser: httpx.AsyncClient) -> None:
    response = await send(browser)
    assert (response.status_code, response.json()["detail"]) == (
        404,
        "this conversation has ended: reload the page",
    )


async def test_another_person_s_conversation_takes_no_file(browser: httpx.AsyncClient) -> None:
    async with recorded_session("session", "ann"):
        assert (await send(browser)).status_code == 401


async def test_no_file_is_taken_where_uploads_are_off(tmp_path: Path) -> None:
    transport = httpx.ASGITransport(app=whole(tmp_path, ChatOptions(uploads=False)))
    async with (
        recorded_session("session"),
        httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}:{PORT}") as browser,
    ):
        response = await send(browser)
    assert response.status_code == 403
    assert "pageproof ingest" in response.json()["detail"]


async def test_a_form_without_a_file_is_refused(browser: httpx.AsyncClient) -> None:
    async with recorded_session("session"):
        response = await browser.post(f"/project/file?session_id={SESSION}", data={"file": "text"})
    assert response.status_code == 400


async def test_a_file_from_another_site_is_turned_away(browser: httpx.AsyncClient) -> None:
    async with recorded_session("session"):
        response = await browser.post(
            f"/project/file?session_id={SESSION}",
            files={"file": ("a.pdf", b"%PDF-")},
            headers={"Origin": "https://evil.example"},
        )
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("annual report 2023.pdf", "annual report 2023.pdf"),
        ("../../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\report.pdf", "report.pdf"),
        ("/absolute/report.pdf", "report.pdf"),
        ("..", "report.pdf"),
        ("", "report.pdf"),
        (None, "report.pdf"),
        (".hidden.pdf", "hidden.pdf"),
        ("two\nlines\x00\x1b[31m.pdf", "two lines\ufffd[31m.pdf"),
        ("report\u202efdp.exe", "reportfdp.exe"),
        ("<img src=x onerror=alert(1)>.pdf", "<img src=x onerror=alert(1)>.pdf"),
        ("Geschäftsbericht.pdf", "Geschäftsbericht.pdf"),
        ("x" * 300 + ".pdf", "x" * 115 + "….pdf"),
    ],
)
def test_a_name_is_made_fit_to_be_shown(given: str | None, shown: str) -> None:
    assert shown_name(given) == shown
    assert len(shown) <= 120


def test_an_hour_later_there_is_room_again() -> None:
    now = 0.0
    rate = Rate(2, clock=lambda: now)
    assert [rate.seconds_to_wait("ann") for _ in range(3)] == [0, 0, 3600]
    assert rate.seconds_to_wait("bob") == 0
    now = 3599.0
    assert rate.seconds_to_wait("ann") == 1
    now = 3600.0
    assert rate.seconds_to_wait("ann") == 0

"""What the page pane asks the chat's server for."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from app.chat.launcher import local_origins
from app.chat_options import ChatOptions
from app.page_pictures import ZOOM_LEVELS
from tests.support.doubles.chat_client import ScriptedClient
from tests.support.long_report import CROPPED, LANDSCAPE, PAGES, SIZES, TURNED, page

HOST, PORT = "127.0.0.1", 8000


@pytest.fixture
def client(tmp_path: Path) -> ScriptedClient:
    return ScriptedClient(tmp_path)


@pytest_asyncio.fixture
async def browser(client: ScriptedClient) -> AsyncIterator[httpx.AsyncClient]:
    """Requests to the whole application, as a browser on this machine sends them."""
    from chainlit import server

    from app.chat.routes import front

    transport = httpx.ASGITransport(app=front(server, client, local_origins(HOST, PORT), ChatOptions()))
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}:{PORT}") as http:
        yield http


async def test_the_pane_learns_what_a_report_is(browser: httpx.AsyncClient, client: ScriptedClient) -> None:
    response = await browser.get(f"/report/{client.long.sha1}/about")
    about = response.json()
    assert (about["title"], about["file"]) == ("Long Reports plc 2023", "long.pdf")
    assert len(about["pages"]) == PAGES
    for number in (1, TURNED, LANDSCAPE, CROPPED):
        record = page(client.long.sha1, number)
        assert about["pages"][number - 1] == pytest.approx([record.width, record.height])
    assert about["pages"][CROPPED - 1] == list(SIZES[CROPPED])
    assert about["levels"] == list(ZOOM_LEVELS)
    assert about["contents"][1] == {"title": "1 Risks", "level": 2, "page": 10}
    assert response.headers["cache-control"] == "private, no-cache"


async def test_a_page_is_drawn_for_a_zoom_level(browser: httpx.AsyncClient, client: ScriptedClient) -> None:
    small, large = [
        len((await browser.get(f"/report/{client.long.sha1}/1.png?scale={scale}")).content)
        for scale in ("0.3", "3")
    ]
    assert small < large


async def test_words_of_a_page_and_of_the_report(browser: httpx.AsyncClient, client: ScriptedClient) -> None:
    text = (await browser.get(f"/report/{client.long.sha1}/7/text")).json()
    assert text["pieces"][0]["text"] == "Words of page 7 and share-"
    found = (await browser.get(f"/report/{client.long.sha1}/find", params={"words": "7,000"})).json()
    assert [hit["page"] for hit in found["hits"]] == [7, 17, 27, 37, 47, 57]
    unread = await browser.get(f"/report/{client.known.sha1}/find?words=revenue")
    assert (unread.status_code, "ingest it again" in unread.json()["detail"]) == (404, True)
    assert (await browser.get(f"/report/{client.known.sha1}/1/text")).json() == {"pieces": [], "source": "none"}


async def test_the_pane_is_a_page_of_its_own(browser: httpx.AsyncClient, client: ScriptedClient) -> None:
    response = await browser.get(f"/report/{client.long.sha1}/view?page=7&boxes=1,2,3,4")
    assert response.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in response.headers["content-security-policy"]
    assert "/public/pane/whole.js" in response.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/report/{sha1}/1.png?scale=2.5", 400),
        ("/report/{sha1}/1.png?scale=1000", 400),
        ("/report/{sha1}/1.png?scale=nan", 400),
        ("/report/{sha1}/1.png?scale=x", 422),
        ("/report/{sha1}/61.png?scale=1", 404),
        ("/report/{other}/1.png?scale=1", 404),
        ("/report/{other}/about", 404),
        ("/report/{other}/1/text", 404),
        ("/report/{other}/find?words=a", 404),
        ("/report/{sha1}/0/text", 422),
        ("/report/{sha1}/find?words=" + "a" * 201, 422),
        ("/report/..%2F..%2Fetc/view", 404),
    ],
)
async def test_what_is_not_there_is_refused(
    browser: httpx.AsyncClient, client: ScriptedClient, path: str, status: int
) -> None:
    response = await browser.get(path.format(sha1=client.long.sha1, other="b" * 40))
    assert response.status_code == status


async def test_an_address_that_is_no_report_s_is_answered_with_the_page_that_says_so(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get("/report/ABC/view")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")


async def test_a_report_without_its_pdf_says_what_to_do(
    browser: httpx.AsyncClient, client: ScriptedClient
) -> None:
    client.paths.report_pdf(client.long.sha1).unlink()
    response = await browser.get(f"/report/{client.long.sha1}/about")
    assert response.status_code == 500
    assert "ingest it again" in response.json()["detail"]


async def test_scripts_and_looks_are_not_mixed_with_those_of_an_earlier_version(
    browser: httpx.AsyncClient,
) -> None:
    for name in ("pageproof.js", "pane/pane.js", "custom.css"):
        response = await browser.get(f"/public/{name}")
        assert (response.status_code, response.headers["cache-control"]) == (200, "no-cache")

"""What another site's page makes a browser ask for is not answered, by whatever method; a link opens a page."""

import httpx
import pytest
from starlette.responses import PlainTextResponse

from app.web_guards import OriginGuard

HERE, CORS = "http://127.0.0.1:8000", "https://sheet.example.com"
BROWSER = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64)"}
PICTURE = {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
FRAME = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
GRID, PDF = "/v1/grid?company=a&metric=b", "/v1/reports/ab/pdf"


async def status(path: str, headers: dict[str, str], method: str = "GET") -> int:
    guarded = OriginGuard(PlainTextResponse("ok"), [HERE], "", [CORS], ("/docs", "/v1/reports/"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=guarded), base_url=HERE) as client:
        return (await client.request(method, path, headers=headers)).status_code


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("kind", [PICTURE, FRAME, LINK], ids=["picture", "frame", "link"])
async def test_another_site_s_page_spends_nothing_by_a_picture_frame_or_link(
    site: str, kind: dict[str, str]
) -> None:
    assert await status(GRID, BROWSER | kind | {"sec-fetch-site": site}) == 403


async def test_a_browser_that_does_not_say_where_a_request_comes_from_spends_nothing_without_a_token() -> None:
    assert await status(GRID, BROWSER) == 403
    assert await status(GRID, BROWSER | {"authorization": "Bearer pp_x"}) == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        BROWSER | PICTURE | {"sec-fetch-site": "same-origin"},
        BROWSER | LINK | {"sec-fetch-site": "none"},
        BROWSER | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "origin": CORS},
    ],
    ids=["a program", "a page of ours", "the address line", "a page that may"],
)
async def test_programs_and_pages_that_may_are_answered(headers: dict[str, str]) -> None:
    assert await status(GRID, headers) == 200


async def test_a_link_on_another_site_opens_what_costs_nothing_and_changes_nothing() -> None:
    assert await status(PDF, BROWSER | LINK | {"sec-fetch-site": "cross-site"}) == 200
    assert await status(PDF, BROWSER | PICTURE | {"sec-fetch-site": "cross-site"}) == 403
    assert await status(PDF, BROWSER | LINK | {"sec-fetch-site": "cross-site"}, "DELETE") == 403

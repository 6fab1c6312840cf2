"""A body that comes too slowly is not waited for; where a page may connect to is this server alone."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Scope

from app.web_guards import BodyLimit, OriginGuard


class Impatient(BodyLimit):
    patience_seconds = 0.2
    least_pace = 100.0


def _most(_scope: Scope) -> tuple[int, str]:
    return 1000, "at most 1,000 bytes"


async def _length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def client() -> httpx.AsyncClient:
    application = Starlette(routes=[Route("/", _length, methods=["GET", "POST"])])
    limited = Impatient(application, _most)
    guarded = OriginGuard(limited, ["https://reports.example"], "connect-src 'self' {socket}")
    return httpx.AsyncClient(transport=httpx.ASGITransport(guarded), base_url="https://reports.example")


async def _pieces(sizes: list[int], pause: float) -> AsyncIterator[bytes]:
    for size in sizes:
        await asyncio.sleep(pause)
        yield bytes(size)


@pytest.mark.parametrize(
    ("sizes", "pause", "status"),
    [
        ([1] * 10, 0.05, 408),  # a byte now and then: its pauses never end the patience, their sum does
        ([1, 1], 0.5, 408),
        ([30] * 10, 0.05, 200),  # 0.5 s in all, but at a pace that brings it to its end
        ([900, 200], 0.0, 413),
    ],
    ids=["drips", "stops", "slow", "too large"],
)
async def test_a_body_that_drips_is_cut_off_and_one_at_a_pace_is_waited_for(
    sizes: list[int], pause: float, status: int
) -> None:
    async with client() as browser:
        answer = await browser.post("/", content=_pieces(sizes, pause))
        assert (await browser.get("/")).text == "0"

    assert answer.status_code == status


async def test_a_page_may_open_sockets_to_its_own_server_alone() -> None:
    async with client() as browser:
        policy = (await browser.get("/")).headers["Content-Security-Policy"]

    assert policy == "connect-src 'self' wss://reports.example"

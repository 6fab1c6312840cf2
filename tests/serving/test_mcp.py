"""MCP over the samples with the official client, over stdio and over HTTP."""

import base64
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent
from pydantic import AnyUrl

from app.serving.tokens import Tokens
from tests.support.samples import ROOT
from tests.support.served import served

REVENUE = "What was the total revenue of Ostermere Instruments?"
TOOLS = {"ask", "compare", "companies", "derive", "facts", "find_pages", "page_image", "read_page"}


@pytest.fixture(scope="module")
def guarded(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server's address and a token that it needs."""
    data = Path(shutil.copytree(sample_data, tmp_path_factory.mktemp("mcp") / "data"))
    token = Tokens(data / "tokens.json").add("ann", writes=False)
    with served(data) as address:
        yield f"{address}/mcp", token


@asynccontextmanager
async def over_http(address: str, token: str) -> AsyncIterator[ClientSession]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(address, http_client=http) as (reads, writes, _),
        ClientSession(reads, writes) as session,
    ):
        await session.initialize()
        yield session


def _text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def _typed(result: CallToolResult) -> dict[str, Any]:
    assert not result.isError
    assert result.structuredContent is not None
    return result.structuredContent


async def test_three_questions_over_http_with_a_token(guarded: tuple[str, str]) -> None:
    async with over_http(*guarded) as session:
        tools = (await session.list_tools()).tools
        revenue = await session.call_tool("ask", {"question": REVENUE})
        margin = await session.call_tool("derive", {"figure": "gross margin", "company": "Ostermere"})
        both = {"figure": "total assets", "companies": ["Ostermere", "Veldhoorn"]}
        compared = _typed(await session.call_tool("compare", both))

    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.annotations and tool.annotations.readOnlyHint for tool in tools)
    assert all(tool.outputSchema for tool in tools if tool.name != "page_image")
    assert _text(revenue).startswith("386,412,000 USD\n")
    (source,) = _typed(revenue)["sources"]
    assert (_typed(revenue)["value"], source["file"], source["page"]) == (386_412_000, "ostermere_2024.pdf", 8)
    assert _typed(margin)["text"] == "37.5%"
    assert [o["source"]["page"] for o in _typed(margin)["operands"]] == [8, 8]
    assert [a["unit"]["currency"] for a in compared["answers"]] == ["USD", "EUR"]
    assert all(answer["sources"] for answer in compared["answers"])


async def test_pages_can_be_found_read_and_seen(guarded: tuple[str, str]) -> None:
    async with over_http(*guarded) as session:
        known = _typed(await session.call_tool("companies", {"name": "ostermere"}))
        places = _typed(await session.call_tool("find_pages", {"question": REVENUE, "company": "ostermere"}))
        sha1 = known["companies"][0]["reports"][0]["report_sha1"]
        page = _typed(await session.call_tool("read_page", {"report_sha1": sha1, "page": 8}))
        marked = {"report_sha1": sha1, "page": 8, "boxes": "72.0,159.7,106.2,167.9"}
        picture = await session.call_tool("page_image", marked)
        resource = await session.read_resource(AnyUrl(f"pageproof://reports/{sha1}/pages/8"))
        figures = _typed(await session.call_tool("facts", {"company": "ostermere", "metrics": ["total_revenue"]}))
        prompt = await session.get_prompt("topic", {"company": "Ostermere", "about": "risks"})

    assert 8 in [place["page"] for place in places["pages"]]
    assert "Net sales" in page["text"]
    (image,) = picture.content
    assert image.type == "image"
    assert base64.b64decode(image.data)[:4] == b"\x89PNG"
    assert "Net sales" in getattr(resource.contents[0], "text", "")
    assert figures["figures"][0]["value"] == 386_412_000
    assert "find_pages" in str(prompt.messages[0].content)


async def test_an_n_a_and_a_mistake_say_why(guarded: tuple[str, str]) -> None:
    async with over_http(*guarded) as session:
        absent = _typed(await session.call_tool("ask", {"question": REVENUE.replace("Ostermere", "Wexcombe")}))
        wrong = await session.call_tool("facts", {"company": "nobody at all"})
        misspelt = await session.call_tool("facts", {"company": "ostermere", "metric": "revenue"})

    assert (absent["value"], absent["reason"], absent["sources"]) == ("N/A", "company_unknown", [])
    assert wrong.isError
    assert "is no company in the library" in _text(wrong)
    assert "'metric' is not known here; expected company, metrics" in _text(misspelt)


@pytest.mark.parametrize("token", [None, "pp_00000000_" + "A" * 43])
def test_over_http_without_a_token_nothing(guarded: tuple[str, str], token: str | None) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Accept": "application/json, text/event-stream"}

    response = httpx.post(
        guarded[0], json=call, headers=headers | ({"Authorization": f"Bearer {token}"} if token else {})
    )

    assert response.status_code == 401
    assert "tools" not in response.text


async def test_three_questions_over_stdio(sample_data: Path) -> None:
    program = "from app.command_line import main; main()"
    command = ["-c", program, "mcp", "--data", str(sample_data)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    server = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=ROOT)
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        revenue = _typed(await session.call_tool("ask", {"question": REVENUE}))
        chief = _typed(await session.call_tool("ask", {"question": "Who is the CEO of Ostermere Instruments?"}))
        margin = _typed(await session.call_tool("derive", {"figure": "gross margin", "company": "Ostermere"}))

    assert tools == TOOLS
    assert (revenue["value"], chief["value"], margin["text"]) == (386_412_000, "Dana R. Whitcombe", "37.5%")
    assert all(found["sources"] for found in (revenue, chief, margin))


async def test_the_server_says_its_own_version(guarded: tuple[str, str]) -> None:
    headers = {"Authorization": f"Bearer {guarded[1]}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(guarded[0], http_client=http) as (reads, writes, _),
        ClientSession(reads, writes) as session,
    ):
        told = await session.initialize()

    assert (told.serverInfo.name, told.serverInfo.version) == ("pageproof", metadata.version("pageproof"))


async def test_a_page_is_read_by_the_file_name_that_every_text_has(guarded: tuple[str, str]) -> None:
    async with over_http(*guarded) as session:
        told = _text(await session.call_tool("ask", {"question": REVENUE}))
        known = _text(await session.call_tool("companies", {"name": "ostermere"}))
        page = _typed(await session.call_tool("read_page", {"report_sha1": "ostermere_2024.pdf", "page": 8}))
        picture = await session.call_tool("page_image", {"report_sha1": "ostermere_2024.pdf", "page": 8})
        resource = await session.read_resource(AnyUrl("pageproof://reports/ostermere_2024.pdf/pages/8"))
        wrong = await session.call_tool("read_page", {"report_sha1": "nothing.pdf", "page": 8})

    assert "ostermere_2024.pdf, page 8" in told
    assert "ostermere_2024.pdf (13 pages, SHA-1 8c499692" in known
    assert "Net sales" in page["text"]
    assert not picture.isError
    assert "Net sales" in getattr(resource.contents[0], "text", "")
    assert "no report 'nothing.pdf' in the library; expected its SHA-1 or the name of its file" in _text(wrong)


async def test_the_best_of_all_companies_is_found_in_one_call(guarded: tuple[str, str]) -> None:
    async with over_http(*guarded) as session:
        margins = await session.call_tool("compare", {"figure": "operating margin"})
        assets = _typed(await session.call_tool("compare", {"figure": "total assets"}))

    found = _typed(margins)
    assert found["highest"] == found["answers"][0]["company"] == "Veldhoorn Packaging N.V."
    assert found["lowest"] == "Ostermere Instruments, Inc."
    assert _text(margins).endswith("highest: Veldhoorn Packaging N.V.; lowest: Ostermere Instruments, Inc.")
    assert (assets["highest"], len(assets["answers"])) == ("", 3)  # three currencies


async def test_years_are_counted_under_both_names(guarded: tuple[str, str]) -> None:
    async with over_http(*guarded) as session:
        found = [
            _typed(await session.call_tool("facts", {"company": "ostermere", name: 1}))["figures"]
            for name in ("last_years", "years")
        ]

    assert found[0] == found[1]
    assert {figure["period"] for figure in found[0]} == {"2024"}

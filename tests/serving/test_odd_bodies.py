"""Every route and tool of the server is given the same twenty odd bodies: each is refused in one line or answered."""

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from tests.support.odd_bodies import LONGEST_REFUSAL, MARK, VALUES, bodies
from tests.support.served import served

JSON = {"Content-Type": "application/json"}
ADDRESSES = [
    "/v1/reports/%00",
    "/v1/reports/%ff",
    "/v1/runs/a%0ab",
    "/v1/facts?company=%00",
    "/v1/facts?company=%ed%a0%80",
]


@pytest.fixture(scope="module")
def address(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(Path(shutil.copytree(sample_data, tmp_path_factory.mktemp("odd") / "data"))) as found:
        yield found


@pytest.fixture(scope="module")
def document(address: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{address}/openapi.json").json()
    return found


def resolved(node: Any, document: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = document["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]]
    found: dict[str, Any] = node
    return found


def routes(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        yield from ((method.upper(), path, route) for method, route in methods.items())


def form_of(route: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    content = route.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return {}
    fields: dict[str, Any] = resolved(content["application/json"]["schema"], document)["properties"]
    return fields


def unbounded(node: Any, document: dict[str, Any], where: str, seen: tuple[str, ...] = ()) -> Iterator[str]:
    """Where a text or a list in a schema may be as long as its sender likes."""
    if (reference := node.get("$ref", "")) in seen:
        return
    node, seen = resolved(node, document), (*seen, *([reference] if reference else []))
    for part in ("anyOf", "oneOf", "allOf"):
        for one in node.get(part, ()):
            yield from unbounded(one, document, where, seen)
    known = "enum" in node or "const" in node or node.get("format") in ("date", "binary")
    if node.get("type") == "string" and not known and "maxLength" not in node:
        yield where
    if node.get("type") == "array":
        if "maxItems" not in node:
            yield f"{where}[]"
        yield from unbounded(node["items"], document, f"{where}[]", seen)
    for name, inner in node.get("properties", {}).items():
        yield from unbounded(inner, document, f"{where}.{name}", seen)


def test_every_text_and_list_that_a_route_takes_has_a_greatest_length(document: dict[str, Any]) -> None:
    found = []
    for method, path, route in routes(document):
        for parameter in route.get("parameters", ()):
            found += unbounded(parameter["schema"], document, f"{method} {path} {parameter['name']}")
        for content in route.get("requestBody", {}).get("content", {}).values():
            if content["schema"].get("$ref", "").endswith("send_v1_reports_post"):
                continue  # a file, which the limit of the body is for
            found += unbounded(content["schema"], document, f"{method} {path}")
    assert found == []


def assert_is_refused_or_answered(response: httpx.Response, where: str) -> None:
    assert response.status_code < 500, f"{where}: {response.status_code} {response.text[:300]}"
    if response.status_code >= 400:
        assert len(response.content) <= LONGEST_REFUSAL, where
        assert "\n" not in response.text, where
        assert MARK not in response.text or response.status_code in (400, 404), where


def test_every_route_refuses_or_answers_each_odd_body(
    address: str, document: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    tried = 0
    with httpx.Client(base_url=address, timeout=120, headers=JSON) as client:
        for method, path, route in routes(document):
            named = {p["name"]: p["in"] for p in route.get("parameters", ())}
            good = path.replace("{form}", "csv").replace("{name}", "a" * 40).replace("{page}", "1")
            good = good.replace("{conversation_id}", "x").replace("{run_id}", "x")
            if method in ("POST", "PATCH"):
                for name, body in bodies(form_of(route, document)).items():
                    response = client.request(method, good, content=body)
                    assert_is_refused_or_answered(response, f"{method} {path} with {name}")
                    tried += 1
            for name, value in VALUES.items():
                asked = [one for one, place in named.items() if place == "query"]
                most = (45_000 if str(value).isascii() else 6_000) // max(1, len(asked))  # httpx sends no more
                query = {one: str(value)[:most] for one in asked}
                response = client.request(method, good, params=query)
                assert_is_refused_or_answered(response, f"{method} {path}?{name}")
                tried += 1
        for place in ADDRESSES:
            assert client.get(place).status_code in (400, 404, 422)
    assert tried > 200
    assert not [r.getMessage() for r in caplog.records if MARK in r.getMessage() or r.exc_info]


async def test_every_tool_refuses_or_answers_each_odd_value_in_one_line(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with (
        httpx.AsyncClient(timeout=120) as http,
        streamable_http_client(f"{address}/mcp", http_client=http) as (reads, writes, _),
        ClientSession(reads, writes) as session,
    ):
        await session.initialize()
        tools = (await session.list_tools()).tools
        for tool in tools:
            fields = tool.inputSchema["properties"]
            document = {"components": {"schemas": tool.inputSchema.get("$defs", {})}}
            assert list(unbounded(tool.inputSchema, document, tool.name)) == []
            for name, value in VALUES.items():
                said = await session.call_tool(tool.name, dict.fromkeys(fields, value))
                for content in said.content if said.isError else ():
                    assert isinstance(content, TextContent)
                    assert "\n" not in content.text, f"{tool.name}: {name}"
                    assert len(content.text) <= LONGEST_REFUSAL
        for name, body in bodies({"jsonrpc": "2.0"}).items():
            headers = JSON | {"Accept": "application/json, text/event-stream"}
            response = await http.post(f"{address}/mcp", content=body, headers=headers)
            assert response.status_code < 500, name
            assert len(response.content) <= 3 * LONGEST_REFUSAL, name  # the SDK names all forms of a message
    assert len(tools) == 8
    assert not [r.getMessage() for r in caplog.records if MARK in r.getMessage() or r.exc_info]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", {"method": MARK, "id": 1}),
        ("application/json", {"method": "tools/call", "params": {MARK: MARK}, "id": 1}),
        ("application/json", {"method": "notifications/progress", "params": {MARK: MARK}}),
        ("application/json", {"result": {MARK: MARK}, "id": MARK}),
        (f"text/{MARK.replace(' ', '-')}", {}),
    ],
)
def test_mcp_logs_a_place_and_a_kind_and_nothing_that_came(
    address: str, caplog: pytest.LogCaptureFixture, kind: str, body: dict[str, Any]
) -> None:
    headers = {"Content-Type": kind, "Accept": "application/json, text/event-stream"}
    httpx.post(f"{address}/mcp", json={"jsonrpc": "2.0", **body}, headers=headers, timeout=60)

    lines = [record.getMessage() for record in caplog.records]
    assert not [line for line in lines if "sesame" in line or "\n" in line]
    assert all(line.startswith("MCP, ") for line in lines)


def test_a_character_that_stands_for_eighteen_counts_as_eighteen(address: str) -> None:
    response = httpx.post(f"{address}/v1/ask", json={"question": "\ufdfa" * 1_500}, timeout=60)
    assert response.status_code == 400
    assert "27,000 characters" in response.json()["detail"]

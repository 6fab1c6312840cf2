"""Every route of the OpenAPI document, called by a client that is made from the document itself."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from playwright.sync_api import expect, sync_playwright
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from tests.support.served import served

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
_CALLS = 12  # of each route


@pytest.fixture(scope="module")
def address(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    data = Path(shutil.copytree(sample_data, tmp_path_factory.mktemp("openapi") / "data"))
    with served(data) as found:
        yield found


@pytest.mark.timeout(300)
def test_no_route_fails_or_answers_with_a_status_that_it_does_not_name(address: str) -> None:
    document = schemathesis.openapi.from_url(f"{address}/openapi.json")
    called = []
    for result in document.get_all_operations():
        operation = result.ok()
        called.append(f"{operation.method.upper()} {operation.path}")
        _call(operation)

    assert len(called) >= 24
    assert {"POST /v1/ask", "GET /v1/facts", "POST /v1/reports"} <= set(called)


def test_the_documentation_shows_the_routes_and_asks_no_other_machine(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/docs")
        expect(page.get_by_text("/v1/ask", exact=True).first).to_be_visible()
        browser.close()

    assert [url for url in asked if not url.startswith((address, "data:"))] == []


def _call(operation: Any) -> None:
    @hypothesis.settings(
        max_examples=_CALLS,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy())
    def one(case: Any) -> None:
        case.call_and_validate(checks=(not_a_server_error, status_code_conformance, content_type_conformance))

    one()

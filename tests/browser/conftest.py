"""One browser and one scripted chat for all tests here."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.browser import ARGUMENTS, CHROMIUM, PATIENCE, foreign, scripted, serving


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests here; it is closed before other tests run an event loop of their own."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, headless=True)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh profile; a request to another machine or an error in the page fails the test at its end."""
    troubles: list[str] = []
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page = context.new_page()
    page.on("request", lambda request: troubles.extend(foreign(request.url)))
    page.on("pageerror", lambda error: troubles.append(f"error in the page: {error}"))
    yield page
    context.close()
    assert troubles == []


@pytest.fixture(scope="package")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one chat for all tests that neither end it nor change its library."""
    with serving(*scripted(tmp_path_factory.mktemp("chat") / "data")) as address:
        yield address

"""What browser tests share: the servers they talk to, and what a person does in the chat."""

import os
import shutil
import signal
import socket
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support.forks import Forked, start
from tests.support.samples import ROOT

SAMPLE = ROOT / "app" / "samples" / "ostermere_2024.pdf"
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 120_000  # milliseconds; on a busy machine a browser takes its time
TRIES = 10
CONNECTED = PATIENCE // TRIES
BROWSER_TEST = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="Chromium is missing: apt-get install chromium"),
]


def foreign(url: str) -> list[str]:
    at_home = url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:"))
    return [] if at_home else [f"request to {url}"]


@contextmanager
def serving(
    program: str, *arguments: str, people: str = "", ends_by: signal.Signals = signal.SIGTERM
) -> Iterator[str]:
    """A server in a process of its own; `PORT` among its arguments becomes a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "printed.txt"
        given = [port if word == "PORT" else word for word in arguments]
        process = start(program, *given, output=output, environment=os.environ | {"PAGEPROOF_PEOPLE": people})
        try:
            _wait(process, address, output)
            yield address
        finally:
            process.end(ends_by, PATIENCE / 1000)
        printed = output.read_text(encoding="utf-8")
    assert "Warning" not in printed
    assert "Traceback" not in printed
    assert "the history cannot be written" not in printed


def _wait(process: Forked, address: str, output: Path) -> None:
    for _ in range(900):
        if process.has_ended():
            pytest.fail(f"the server left: {output.read_text(encoding='utf-8')}")
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=PATIENCE / 1000):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    pytest.fail("the server did not answer in time")


def scripted(data: Path, *seconds: float) -> tuple[str, ...]:
    """A chat over a scripted client, as `serving` takes it; see its module for what takes how long."""
    return ("tests.support.doubles.chat_client:main", str(data), "PORT", *map(str, seconds))


def ask(page: Page, question: str) -> None:
    """Send a question once it stands there whole: what else is drawn just then may empty the composer."""
    composer, submit = page.locator("#chat-input"), page.locator("#chat-submit")
    for _ in range(TRIES):
        composer.fill(question)
        with suppress(AssertionError):  # emptied since, or not connected yet
            expect(submit).to_be_enabled(timeout=CONNECTED)
        if submit.is_enabled() and composer.inner_text().strip() == question:
            break
    expect(composer).to_have_text(question)
    submit.click()


def open_citation(page: Page) -> None:
    """Open the first citation and wait until its page is drawn."""
    page.get_by_test_id("citation").first.click()
    expect(page.get_by_test_id("page-image")).to_be_visible()
    page.wait_for_function("document.querySelector('[data-testid=page-image]').naturalWidth > 0")


def too_wide(page: Page, selector: str) -> list[str]:
    """What reaches over the screen's edge."""
    found: list[str] = page.locator(selector).evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 90))"
    )
    return found


def barriers(page: Page, selector: str) -> list[str]:
    """What axe finds serious or critical, by WCAG 2.2 AA, in a part of the page."""
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = Axe().run(page, context=selector, options={"runOnly": tags}).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def wait_for(path: Path) -> None:
    for _ in range(300):
        if path.exists():
            return
        time.sleep(0.1)
    pytest.fail(f"{path} did not appear")


def sign_in(page: Page, name: str, password: str) -> None:
    page.locator("#email").fill(name)
    page.locator("#password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def send(page: Page, *files: Path) -> None:
    page.locator("#upload-button-input").set_input_files([str(file) for file in files])
    page.locator("#chat-submit").click()  # waits until they are uploaded

"""The chat in a real Chromium: over a scripted desk, and over a sample report ingested for the occasion."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
PAGEPROOF = (sys.executable, "-c", "from app.command_line import main; main()")
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
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="Chromium is missing: apt-get install chromium"),
]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """A fresh browser; a request to another machine or an error in the page fails the test at its end."""
    troubles: list[str] = []
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path / "browser"), executable_path=CHROMIUM, args=ARGUMENTS, headless=True
        )
        page = context.pages[0]
        page.on("request", lambda request: troubles.extend(_foreign(request.url)))
        page.on("pageerror", lambda error: troubles.append(f"error in the page: {error}"))
        yield page
        context.close()
    assert troubles == []


def _foreign(url: str) -> list[str]:
    at_home = url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:"))
    return [] if at_home else [f"request to {url}"]


@contextmanager
def serving(*command: str) -> Iterator[str]:
    """A server in a process of its own; `PORT` in the command becomes a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    process = subprocess.Popen(
        [port if word == "PORT" else word for word in command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(process, address)
        yield address
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _wait(process: subprocess.Popen[str], address: str) -> None:
    for _ in range(300):
        if process.poll() is not None:
            pytest.fail(f"the server left: {process.communicate()[0]}")
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=2):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    pytest.fail("the server did not answer in time")


def ask(page: Page, question: str) -> None:
    page.locator("#chat-input").click()
    page.keyboard.type(question)
    page.locator("#chat-submit").click()  # waits until the chat is connected


def open_citation(page: Page) -> None:
    """Open the first citation and wait until its page is drawn."""
    page.get_by_test_id("citation").first.click()
    expect(page.get_by_test_id("page-image")).to_be_visible()
    page.wait_for_function("document.querySelector('[data-testid=page-image]').naturalWidth > 0")


def test_an_answer_comes_with_its_checks_and_its_page(page: Page, tmp_path: Path) -> None:
    with serving(sys.executable, "-m", "tests.doubles.chat_desk", str(tmp_path / "data"), "PORT") as address:
        page.goto(address)
        ask(page, "What was the total revenue of Northwind?")
        expect(page.get_by_test_id("answer-value")).to_have_text("1,249,642,000 USD")
        expect(page.get_by_test_id("answer-kind")).to_have_text("Number")
        expect(page.get_by_test_id("answer-check")).to_have_count(5)
        expect(page.get_by_test_id("answer-check").nth(3)).to_have_attribute("data-verdict", "failed")
        expect(page.get_by_text("No language model was used")).to_be_visible()
        open_citation(page)
        link = page.get_by_role("link", name="Open PDF at this page")
        assert (link.get_attribute("href") or "").endswith(".pdf#page=2")


def test_what_goes_wrong_is_said_on_the_screen(page: Page, tmp_path: Path) -> None:
    with serving(sys.executable, "-m", "tests.doubles.chat_desk", str(tmp_path / "data"), "PORT") as address:
        page.goto(address)
        page.get_by_role("button", name="What was the total revenue of Northwind Traders Inc.?").click()
        expect(page.get_by_test_id("answer-value")).to_be_visible()
        ask(page, "Unknown company?")
        expect(page.get_by_test_id("answer-value").last).to_have_text("N/A")
        expect(page.get_by_text("The question names no company whose report is in the library.")).to_be_visible()
        page.get_by_test_id("candidate").click()
        expect(page.get_by_text("Unknown company? (Northwind Traders Inc.)")).to_be_visible()
        expect(page.get_by_test_id("answer-value")).to_have_count(3)
        ask(page, "Overload")
        expect(page.get_by_text("The model's provider is overloaded: try again in a minute.")).to_be_visible()


def test_a_sample_report_is_asked_in_the_real_chat(page: Page, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    catalog = str(SAMPLE.with_name("catalog.csv"))
    subprocess.run(
        [*PAGEPROOF, "ingest", str(SAMPLE), "--catalog", catalog, "--data", data],
        cwd=ROOT,
        check=True,
        timeout=240,
    )
    chat = ("chat", "--headless", "--port", "PORT", "--profile", "offline", "--data", data)
    with serving(*PAGEPROOF, *chat) as address:
        page.goto(address)
        ask(page, "What was the gross profit of Ostermere Instruments, Inc.?")
        expect(page.get_by_test_id("answer-value")).to_have_text("144,905,000 USD", timeout=60_000)
        open_citation(page)

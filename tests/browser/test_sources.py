"""The panel of sources, the chip of what a conversation is about, and dropped files, over a scripted client."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import BROWSER_TEST, ask, barriers, scripted, serving, too_wide
from tests.support.doubles.hub_server import Behaviour, HubServer
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.tiny_model import gguf

pytestmark = BROWSER_TEST
REVENUE = "What was the total revenue?"
CHIP = "Northwind Traders"


def open_sources(page: Page, chat: str) -> None:
    page.goto(chat)
    page.get_by_test_id("sources-button").click()
    expect(page.get_by_test_id("source")).to_have_count(1)


def test_a_conversation_is_about_what_is_ticked_also_after_a_reload_and_a_new_one_is_not(
    page: Page, chat: str
) -> None:
    open_sources(page, chat)
    page.get_by_label(f"Ask about {CHIP}", exact=True).check()
    chip = page.get_by_test_id("about-chip")
    expect(chip).to_have_text(CHIP)
    ask(page, REVENUE)
    expect(page.get_by_test_id("answer-value")).to_have_text("$1,249.6m")
    page.wait_for_url("**/thread/*")
    page.reload()
    expect(chip).to_have_text(CHIP)
    page.locator("#new-chat-button:visible").click()
    expect(chip).to_have_count(0)
    page.get_by_test_id("sources-button").click()
    page.get_by_label(f"Ask about {CHIP}", exact=True).check()
    chip.get_by_role("button", name=f"Stop asking about {CHIP}").click()
    expect(chip).to_have_count(0)


def test_a_report_is_found_by_its_words_and_opened_at_its_first_page(page: Page, chat: str) -> None:
    open_sources(page, chat)
    search = page.get_by_label("Search companies, years, files")
    search.fill("zarquon")
    expect(page.get_by_text("No report fits this search.")).to_be_visible()
    search.fill("north")
    page.locator("button.pp-source-title").click()
    page.get_by_role("tab", name="Facts").click()
    expect(page.get_by_test_id("source-figures")).to_contain_text("1,249,642,000")
    page.get_by_test_id("open-report").click()
    expect(page.get_by_test_id("page-image").first).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_figures_of_three_periods_are_not_cut(width: int, page: Page, chat: str) -> None:
    def answer(route: Route) -> None:
        details = route.fetch().json()
        line = details["figures"][0]
        large = {**line["figures"][0], "text": "203,417,000,000"}
        periods = {"periods": ["2022", "2021", "2020"], "figures": [{**line, "figures": [large] * 3}]}
        route.fulfill(json={**details, **periods})

    page.set_viewport_size({"width": width, "height": 844})
    page.route(re.compile(r"/sources/[0-9a-f]{40}"), answer)
    open_sources(page, chat)
    page.locator("button.pp-source-title").click()
    page.get_by_role("tab", name="Facts").click()
    expect(page.get_by_test_id("source-figures").get_by_role("button")).to_have_count(3)
    figures = page.locator(".pp-figures")
    assert figures.evaluate("f => f.scrollWidth - f.clientWidth") == 0


def test_on_a_phone_the_sources_are_a_drawer_that_escape_closes(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_sources(page, chat)
    assert too_wide(page, "#pp-sources *, #header button") == []
    page.locator("button.pp-source-title").click()
    expect(page.get_by_test_id("sources-back")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#pp-sources")).to_have_count(0)
    expect(page.get_by_test_id("sources-button")).to_be_focused()


DROP = """
([selector, name]) => {
    const files = new DataTransfer()
    files.items.add(new File(["%PDF- no report"], name, { type: "application/pdf" }))
    const place = document.querySelector(selector)
    for (const kind of ["dragenter", "dragover", "drop"])
        place.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }))
}
"""


@pytest.mark.parametrize("place", ["#header", "#chat-input", ".pp-answer"])
def test_a_pdf_that_is_dropped_anywhere_is_sent_once(page: Page, chat: str, place: str) -> None:
    page.goto(chat)
    ask(page, "revenue?")
    expect(page.get_by_test_id("answer-value")).to_be_visible()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "/project/file" in request.url else None)
    page.evaluate(DROP, [place, "alder.pdf"])
    expect(page.locator(".message-content", has_text="alder.pdf").first).to_contain_text("is damaged or cut off")
    assert len(sent) == 1


def test_a_pdf_that_is_dropped_beside_a_question_waits_for_it(page: Page, chat: str) -> None:
    open_sources(page, chat)
    page.locator("#chat-input").fill("What was the revenue of Alder?")
    page.evaluate(DROP, ["#header", "alder.pdf"])
    expect(page.locator("#message-composer")).to_contain_text("alder.pdf")
    expect(page.locator("#chat-input")).to_have_text("What was the revenue of Alder?")


def test_the_first_screen_says_what_is_there_and_who_answers(page: Page, chat: str) -> None:
    page.goto(chat)
    expect(page.locator("#pp-first")).to_contain_text("1 company, 1 report: Northwind Traders")
    expect(page.locator("#pp-first")).to_contain_text("Drop the PDF of a report anywhere on this page to add it.")
    expect(page.locator("#starters button")).to_have_text(["What were the total assets of Northwind Traders?"])
    expect(page.get_by_test_id("model-button")).to_contain_text("No model · on this machine")


def test_a_model_is_connected_after_a_test_and_disconnected(page: Page, chat: str) -> None:
    page.goto(chat)
    button, said = page.get_by_test_id("model-button"), page.get_by_test_id("model-said")
    button.click()
    page.get_by_label("Provider").select_option("other")
    page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    page.get_by_label("Model", exact=True).fill("any-model")
    expect(page.get_by_test_id("model-sent")).to_contain_text("Questions and pages stay on this machine")
    page.get_by_role("button", name="Test and connect").click()
    expect(said).to_have_text("No server answers at this address. Start it, or check the address.")
    with OpenAIServer("ready") as server:
        page.get_by_label("Address").fill(server.api_base)
        page.get_by_label("Key (if it needs one)").fill("sk-secret")
        page.get_by_role("button", name="Test and connect").click()
        expect(said).to_contain_text("any-model answered in")
    assert "sk-secret" not in page.content()
    page.keyboard.press("Escape")
    expect(button).to_contain_text("any-model · on this machine")
    ask(page, REVENUE)  # its server is gone meanwhile
    expect(page.get_by_test_id("trouble")).to_contain_text("No model answers at")
    page.get_by_test_id("without-model").click()
    expect(page.get_by_test_id("answer-value")).to_have_text("$1,249.6m")
    expect(button).to_contain_text("No model · on this machine")


def test_a_model_of_this_machine_is_downloaded_with_its_progress_and_answers(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HubServer(gguf(), Behaviour(waits_after=50_000)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.root)
        with serving(*scripted(tmp_path)) as address:
            page.goto(address)
            page.get_by_test_id("model-button").click()
            offered = page.get_by_test_id("own-qwen2.5-1.5b")
            expect(offered).to_contain_text("Licence Apache-2.0 · 1.1 GB · for 4 GB of memory")
            page.get_by_role("button", name="Download 1.1 GB: Qwen2.5 1.5B Instruct").click()
            expect(offered.locator("progress")).to_be_visible()
            expect(page.get_by_role("button", name="Stop: Qwen2.5 1.5B Instruct")).to_be_visible()
            assert barriers(page, "[data-testid=model-dialog]") == []
            hub.go_on.set()
            page.get_by_role("button", name="Use it: Qwen2.5 1.5B Instruct").click()
            expect(page.get_by_test_id("model-button")).to_contain_text("qwen2.5-1.5b · on this machine")
            page.get_by_test_id("model-button").click()
            expect(page.get_by_test_id("own-qwen2.5-1.5b")).to_contain_text("in use")

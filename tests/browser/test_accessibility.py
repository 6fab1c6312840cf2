"""The chat by its names, contrasts and sizes: what axe finds, a screen twice as large, German words."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import ARGUMENTS, BROWSER_TEST, CHROMIUM, TRIES, ask, barriers

pytestmark = BROWSER_TEST
QUESTION = "Which company had the higher revenue, Northwind or Contoso?"


def lasting_barriers(page: Page) -> list[str]:
    """What axe finds at every look: Chainlit's controls are named a moment after they are drawn."""
    found = barriers(page, "html")
    for _ in range(TRIES):
        if not found:
            break
        page.wait_for_timeout(300)
        found = barriers(page, "html")
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_on_the_chats_screens_is_without_a_name_or_contrast(
    browser: Browser, chat: str, scheme: str
) -> None:
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]  # one of the two above
    page.goto(chat)
    expect(page.locator("#chat-input")).to_be_visible()
    assert lasting_barriers(page) == []
    ask(page, QUESTION)
    expect(page.get_by_test_id("comparison-row")).to_have_count(3)
    assert lasting_barriers(page) == []
    page.locator("#chat-settings-open-modal").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert lasting_barriers(page) == []
    page.keyboard.press("Escape")
    page.get_by_test_id("sources-button").click()
    expect(page.get_by_test_id("source")).to_have_count(1)
    assert lasting_barriers(page) == []
    page.locator("button.pp-source-title").click()
    expect(page.get_by_role("tab")).to_have_count(4)
    assert lasting_barriers(page) == []
    page.get_by_test_id("share-button").click()
    expect(page.locator("dialog[open]")).to_be_visible()
    assert lasting_barriers(page) == []
    for path in ("/team", "/invite"):
        page.goto(f"{chat}{path}")
        expect(page.get_by_role("heading").first).to_be_visible()
        assert lasting_barriers(page) == []
    page.close()


def test_enter_renames_a_conversation_and_escape_closes_a_window(browser: Browser, chat: str) -> None:
    page = browser.new_page()
    page.goto(chat)
    ask(page, QUESTION)
    page.wait_for_url("**/thread/*")
    page.locator("#thread-options").first.click()
    page.get_by_role("menuitem", name="Rename").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Rename this conversation")
    dialog.locator("input").fill("Two companies")
    dialog.locator("input").press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Two companies")).to_be_visible()
    page.locator("#readme-button").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.close()


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        ("#chat-settings-open-modal", "Settings for this conversation"),
        ("#upload-button", "Send PDFs"),
        ("#chat-submit", "Send"),
        ("#new-chat-button", "New conversation"),
        ("#search-chats-button", "Search the conversations"),
        ("#sidebar-trigger-button", "Show or hide the conversations"),
    ],
)
def test_chainlits_controls_have_names(named: Page, selector: str, name: str) -> None:
    expect(named.locator(selector).first).to_have_attribute("aria-label", name)


@pytest.fixture(scope="module")
def named(browser: Browser, chat: str) -> Iterator[Page]:
    """The first screen."""
    page = browser.new_page()
    page.goto(chat)
    yield page
    page.close()


def test_a_screen_twice_as_large_scrolls_in_one_direction_only(browser: Browser, chat: str) -> None:
    page = browser.new_page(viewport={"width": 640, "height": 400})  # 1280 by 800 at 200 %
    page.goto(chat)
    ask(page, QUESTION)
    expect(page.get_by_test_id("comparison-row")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.close()


def test_a_german_browser_is_shown_german(browser: Browser, chat: str) -> None:
    # A browser that only plays German opens sockets in its own language.
    german = browser.browser_type.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, "--accept-lang=de-DE"])
    page = german.new_page()
    page.goto(chat)
    expect(page.get_by_placeholder("Fragen Sie nach dem Geschäftsbericht eines Unternehmens")).to_be_visible()
    ask(page, QUESTION)
    expect(page.get_by_test_id("answer-kind")).to_have_text("Vergleich")
    expect(page.get_by_test_id("copy-text")).to_have_text("Kopieren")
    expect(page.get_by_text("So kam die Antwort zustande", exact=False)).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.get_by_role("button", name="Einstellungen").click()
    expect(page.get_by_text("Art der Antwort", exact=True)).to_be_visible()
    german.close()

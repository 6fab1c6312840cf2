"""The chat in a real Chromium: over a scripted client, and over a sample report ingested for the occasion."""

import json
import re
import signal
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, expect

from app.chat.session.people import people_line
from tests.support.browser import (
    BROWSER_TEST,
    SAMPLE,
    ask,
    open_citation,
    scripted,
    send,
    serving,
    sign_in,
    too_wide,
    wait_for,
)
from tests.support.doubles.chat_client import write_pdf
from tests.support.forks import PAGEPROOF

pytestmark = BROWSER_TEST


def test_an_answer_comes_with_its_checks_and_its_page(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    expect(page.get_by_test_id("answer-value")).to_have_text("$1,249.6m")
    expect(page.get_by_test_id("answer-kind")).to_have_text("Number")
    expect(page.get_by_test_id("answer-check")).to_have_count(5)
    expect(page.get_by_test_id("answer-check").nth(3)).to_have_attribute("data-verdict", "failed")
    other = page.get_by_test_id("other-checks")
    expect(other.locator("li")).to_be_hidden()
    other.get_by_text("1 check does not apply").click()
    expect(other.locator("li")).to_have_text("Period: no year was asked for")
    expect(page.locator(".pp-cost")).to_have_text("No language model was used · stayed on this machine")
    open_citation(page)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("page-image")).to_have_count(0)
    page.get_by_test_id("pages-read").locator("summary").click()
    expect(page.get_by_test_id("page-read")).to_contain_text("p. 1")


def test_the_question_just_sent_is_at_the_top_with_its_answer_below(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(chat)
    questions = page.locator("[data-step-type='user_message']")
    for count in range(1, 4):
        ask(page, "What was the total revenue of Northwind?")
        expect(page.get_by_test_id("copy-text")).to_have_count(count)
        page.wait_for_timeout(500)  # the cards above are drawn anew
        place = questions.last.bounding_box()
        assert place is not None
        assert 60 < place["y"] < 100, count


def test_one_bar_scrolls_the_conversation(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto(chat)
    ask(page, "Which company had the higher revenue, Northwind or Contoso?")
    expect(page.get_by_test_id("copy-text")).to_be_visible()
    scrolled = """all => all.filter(part => getComputedStyle(part).overflowY !== "visible"
        && part.scrollHeight > part.clientHeight + 1).length"""
    assert page.locator(".overflow-y-auto").evaluate_all(scrolled) == 1


def test_the_button_that_leads_to_the_end_covers_no_words(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 390, "height": 600})
    page.goto(chat)
    ask(page, "Which company had the higher revenue, Northwind or Contoso?")
    expect(page.get_by_test_id("copy-text")).to_be_visible()
    page.mouse.move(195, 300)
    page.mouse.wheel(0, 60)
    down = page.locator("button:has(> .lucide-arrow-down)")
    expect(down).to_be_in_viewport()
    page.locator("#chat-input").fill("a long question " * 20)
    page.wait_for_timeout(1_000)
    if not down.is_visible():  # an answer that ended meanwhile goes to its end
        page.mouse.wheel(0, -60)
        expect(down).to_be_in_viewport()
    button, composer = down.bounding_box(), page.locator("#message-composer").bounding_box()
    words = page.locator("#chat-input").evaluate(
        "i => i.getBoundingClientRect().right - parseFloat(getComputedStyle(i).paddingRight)"
    )
    assert button is not None
    assert composer is not None
    assert button["y"] >= composer["y"]
    assert button["x"] >= words
    down.click()
    expect(page.get_by_test_id("copy-text")).to_be_in_viewport()


def test_a_quoted_sentence_is_copied_with_its_page(page: Page, chat: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    page.get_by_role("button", name="Copy the sentence with its page").click()
    expect(page.get_by_test_id("copy-quote")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "Total revenue $ 1,249,642 (Northwind Traders Inc., p. 2)"


def test_an_answer_is_copied_as_text_and_as_json(page: Page, chat: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    page.get_by_test_id("copy-text").click()
    expect(page.get_by_test_id("copy-text")).to_have_text("Copied")
    assert "Northwind Traders Inc., p. 2" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_test_id("copy-json").click()
    expect(page.get_by_test_id("copy-json")).to_have_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copied["value"] == 1_249_642_000
    assert copied["citations"][0]["page"] == 2


def test_an_answer_that_was_kept_says_so(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "Again: what was the total revenue of Northwind?")
    expect(page.get_by_test_id("answered-before")).to_have_text(re.compile("Answered before"))
    expect(page.get_by_text("No model was asked again")).to_be_visible()


def test_companies_are_compared_in_a_table_with_bars(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "Which company had the higher revenue, Northwind or Contoso?")
    expect(page.get_by_test_id("answer-value")).to_have_text("Northwind Traders Inc.")
    expect(page.get_by_test_id("comparison-row")).to_have_count(3)
    expect(page.get_by_test_id("comparison-row").nth(2)).to_contain_text("The report does not disclose it.")
    bars = page.get_by_test_id("bars")
    expect(bars).to_have_attribute("aria-label", re.compile("Contoso Mining plc: 980,000,000 USD"))
    expect(bars.locator(".pp-bar")).to_have_count(2)
    widths = bars.locator(".pp-bar").evaluate_all("bars => bars.map(b => b.getBoundingClientRect().width)")
    assert widths[1] / widths[0] == pytest.approx(980 / 1249.642, abs=0.01)
    page.get_by_test_id("company-card").first.locator("> summary").click()
    expect(page.get_by_test_id("answer-check").first).to_be_visible()
    open_citation(page)


def test_stop_ends_the_work_on_the_server(page: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(*scripted(data, 600)) as address:
        page.goto(address)
        ask(page, "What was the total revenue of Northwind?")
        expect(page.get_by_text("Choosing the company").first).to_be_visible()
        expect(page.locator("#stop-button")).to_be_visible()
        assert not (data / "stopped").exists()
        page.locator("#stop-button").click()
        expect(page.get_by_text("Stopped after")).to_be_visible()
        wait_for(data / "stopped")


def test_a_question_asked_during_the_greeting_can_be_stopped(page: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(*scripted(data, 600, 3)) as address:
        page.goto(address)
        ask(page, "What was the total revenue of Northwind?")
        expect(page.get_by_text("Choosing the company").first).to_be_visible()
        expect(page.locator("#chat-settings-open-modal")).to_be_visible()  # the greeting's panel is there
        page.wait_for_timeout(4_000)  # and its look at the library is over
        page.locator("#stop-button").click()
        expect(page.get_by_text("Stopped after")).to_be_visible()
        wait_for(data / "stopped")


def test_settings_hold_for_the_next_question(page: Page, chat: str) -> None:
    page.goto(chat)
    page.locator("#chat-settings-open-modal").click()
    expect(page.get_by_text("Everything stays on this machine.")).to_be_visible()
    page.locator("#kind").click()
    page.get_by_role("option", name="Yes or no").click()
    page.locator("#confirm").click()
    ask(page, "Undisclosed staff of Northwind")
    expect(page.get_by_test_id("answer-kind")).to_have_text("Yes or no")
    page.locator("#chat-settings-open-modal").click()
    page.locator("#profile").click()
    page.get_by_role("option", name="ollama").click()
    page.locator("#confirm").click()
    expect(page.get_by_text("No report is indexed for the profile ollama yet.")).to_be_visible()


def test_the_facts_of_a_company_open_from_its_answer(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    expect(page.get_by_test_id("answer-value")).to_be_visible()
    said = page.locator("[data-step-type]").count()
    page.get_by_test_id("company-facts").click()
    table = page.get_by_test_id("source-figures")
    expect(table).to_contain_text("1,249,642,000")
    assert page.locator("[data-step-type]").count() == said  # nothing of it stands in the conversation
    table.get_by_role("button", name="1,249,642,000").click()
    expect(page.locator(".pane-mark")).to_be_in_viewport()


def test_the_facts_of_a_company_open_from_the_list_of_companies(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "Which companies are there?")
    page.get_by_test_id("company-row").get_by_role("button", name="Facts").first.click()
    expect(page.get_by_test_id("source-figures")).to_contain_text("1,249,642,000")


def test_facts_that_are_asked_for_in_words_are_a_card(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "Show the facts of Northwind")
    table = page.get_by_test_id("facts-table")
    expect(table).to_contain_text("1,249.6")
    href = table.get_by_role("link").first.get_attribute("href") or ""
    assert "/view?page=2&boxes=" in href


def test_the_answer_stays_in_sight_beside_an_open_page(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    open_citation(page)
    value, pane = page.locator(".pp-card").bounding_box(), page.locator(".pane").bounding_box()
    assert value is not None
    assert pane is not None
    assert value["x"] + value["width"] <= pane["x"]
    page.locator("#chat-input").click()
    page.keyboard.type("And the net income?")  # the page can be read while the next question is written
    expect(page.get_by_test_id("page-image")).to_be_visible()
    page.locator("summary", has_text="Also read").click()
    page.get_by_test_id("page-read").first.click()  # takes the first page's place
    expect(page.locator(".pane-title")).to_have_text("Northwind Traders Inc., page 1")
    expect(page.locator(".pane")).to_contain_text("The answer does not cite it.")
    page.locator(".pane").get_by_role("button", name="Close").click()
    expect(page.locator(".pane")).to_have_count(0)


def test_an_open_page_follows_the_conversation(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    page.locator("summary", has_text="Also read").click()
    page.get_by_test_id("page-read").first.click()
    title = page.locator(".pane-title")
    expect(title).to_have_text("Northwind Traders Inc., page 1")
    ask(page, "What was the gross profit of Northwind?")
    expect(title).to_have_text("Northwind Traders Inc., page 2")
    expect(page.locator(".pane-mark")).to_be_in_viewport()
    expect(page.locator(".pane :focus")).to_have_count(0)  # who goes on writing is not disturbed
    ask(page, "Undisclosed staff of Northwind")
    expect(title).to_have_text("No page")
    ask(page, "Which company had the higher revenue, Northwind or Contoso?")
    expect(title).to_have_text("Northwind Traders Inc., page 2")
    page.evaluate("document.querySelector('#new-chat-button').click()")  # the list of conversations has made room
    expect(page.locator(".pane")).to_have_count(0)


def test_a_phone_shows_the_whole_card(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(chat)
    expect(page.locator("#starters button").first).to_be_visible()
    assert too_wide(page, "#starters button") == []
    ask(page, "Which company had the higher revenue, Northwind or Contoso?")
    expect(page.get_by_test_id("comparison-row")).to_have_count(3)
    assert too_wide(page, ".pp-card *") == []
    open_citation(page)
    assert too_wide(page, ".pane *") == []


def test_what_goes_wrong_is_said_on_the_screen(page: Page, chat: str) -> None:
    page.goto(chat)
    page.get_by_role("button", name="What were the total assets of Northwind Traders?").click()
    expect(page.get_by_test_id("answer-value")).to_be_visible()
    ask(page, "Unknown company?")
    expect(page.get_by_test_id("answer-value").last).to_have_text("N/A")
    expect(page.get_by_text("The question names no company whose report is in the library.")).to_be_visible()
    page.get_by_test_id("candidate").click()
    expect(page.get_by_text("Unknown company? (Northwind Traders Inc.)")).to_be_visible()
    expect(page.get_by_test_id("answer-value")).to_have_count(3)
    ask(page, "Overload the model")
    expect(page.get_by_text("The model's provider is overloaded: try again in a minute.")).to_be_visible()


def test_a_conversation_is_there_after_a_reload_and_after_a_restart(page: Page, tmp_path: Path) -> None:
    server = scripted(tmp_path / "data")
    with serving(*server) as address:
        page.goto(address)
        ask(page, "What was the total revenue of Northwind?")
        expect(page.get_by_test_id("answer-value")).to_have_text("$1,249.6m")
        page.wait_for_url(re.compile("/thread/"))
        page.reload()
        expect(page.get_by_test_id("answer-value")).to_have_text("$1,249.6m")
        path = page.url.removeprefix(address)
        page.goto("about:blank")
    with serving(*server) as address:
        page.goto(address + path)
        expect(page.get_by_test_id("answer-value")).to_have_text("$1,249.6m")
        expect(page.get_by_test_id("answer-check")).to_have_count(5)
        expect(page.locator("#chat-settings-open-modal")).to_be_visible()
        open_citation(page)
        page.keyboard.press("Escape")
        ask(page, "staff")  # goes on about the company of the question before
        expect(page.get_by_test_id("understood")).to_contain_text("Undisclosed staff of Northwind Traders Inc.")


def test_feedback_stays_and_the_answers_are_fetched_as_a_workbook(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    page.locator(".negative-feedback-off").click()
    page.get_by_placeholder("What is wrong or missing?").fill("the prior year")
    page.locator("#submit-feedback").click()
    expect(page.locator(".negative-feedback-on")).to_be_visible()
    with page.expect_download() as fetched:
        page.get_by_test_id("workbook").click()
    book = load_workbook(BytesIO(fetched.value.path().read_bytes()))
    assert book["Answers"]["A2"].value == "What was the total revenue of Northwind?"
    page.reload()
    expect(page.locator(".negative-feedback-on")).to_be_visible()


def test_two_people_sign_in_and_see_nothing_of_each_other(page: Page, tmp_path: Path) -> None:
    people = f"{people_line('ann', 'correct horse')}\n{people_line('bob', 'battery staple')}"
    with serving(*scripted(tmp_path / "data"), people=people) as address:
        page.goto(address)
        sign_in(page, "ann", "wrong password")
        expect(page.get_by_text("Name and password do not belong together.")).to_be_visible()
        sign_in(page, "ann", "correct horse")
        ask(page, "What was the total revenue of Northwind?")
        expect(page.get_by_test_id("answer-value")).to_be_visible()
        page.wait_for_url(re.compile("/thread/"))
        hers = page.url
        expect(page.locator(f"#thread-{hers.rpartition('/')[2]}")).to_be_visible()
        page.locator("#user-nav-button").click()
        page.get_by_role("menuitem", name="Logout").click()
        expect(page.locator("#email")).to_be_visible()
        page.goto(hers)
        expect(page.locator("#email")).to_be_visible()
        sign_in(page, "bob", "battery staple")
        expect(page.locator("#chat-settings-open-modal")).to_be_visible()
        page.goto(hers)
        expect(page.get_by_text("Couldn't resume chat")).to_be_visible()
        expect(page.locator("li[id^=thread-]")).to_have_count(0)
        expect(page.get_by_test_id("answer-value")).to_have_count(0)


def test_a_report_is_sent_put_right_asked_and_removed(page: Page, tmp_path: Path) -> None:
    with serving(*scripted(tmp_path / "data", 0, 0, 0)) as address:
        page.goto(address)
        send(page, write_pdf(tmp_path / "contoso.pdf"))
        expect(page.get_by_test_id("report-stage")).to_have_text("Ready: 2 pages read")
        expect(page.get_by_test_id("report-currency")).to_contain_text("EUR")
        assert (page.get_by_test_id("report-evidence").nth(1).get_attribute("href") or "").endswith(".pdf#page=2")
        page.get_by_test_id("report-edit").click()
        page.get_by_test_id("correct-currency").fill("xy")
        page.get_by_test_id("correct-save").click()
        expect(page.get_by_role("alert")).to_contain_text("write its three letters")
        page.get_by_test_id("correct-currency").fill("gbp")
        page.get_by_test_id("correct-save").click()
        expect(page.get_by_test_id("report-currency")).to_contain_text("put right by hand")
        page.get_by_test_id("report-ask").first.click()
        expect(page.get_by_test_id("answer-value")).to_be_visible()
        expect(page.get_by_test_id("report-currency")).to_contain_text("GBP")  # the card was drawn anew
        ask(page, "Which companies are there?")
        expect(page.get_by_test_id("company-row")).to_have_count(2)
        page.get_by_test_id("report-remove").click()
        page.get_by_test_id("remove-confirm").click()
        expect(page.get_by_test_id("report-removed")).to_be_visible()
        page.get_by_test_id("listed-remove").last.click()
        page.get_by_test_id("listed-confirm").click()
        expect(page.get_by_text("No reports yet")).to_be_visible()  # the list was drawn anew


def test_files_that_are_no_reports_get_one_message_each(page: Page, tmp_path: Path) -> None:
    (tmp_path / "script.pdf").write_bytes(b"<script>document.title = 'taken'</script>")
    with (tmp_path / "huge.pdf").open("wb") as huge:
        huge.truncate(1_000_000_000)
    (tmp_path / "notes.txt").write_text("not a report")
    with serving(*scripted(tmp_path / "data", 0, 0, 0)) as address:
        page.goto(address)
        expect(page.locator("#upload-button")).to_be_visible()
        page.locator("#upload-button-input").set_input_files(str(tmp_path / "huge.pdf"))
        expect(page.get_by_text("File is larger than 1 MB")).to_have_count(1)
        page.locator("#upload-button-input").set_input_files(str(tmp_path / "notes.txt"))
        expect(page.get_by_text("File type must be application/pdf")).to_have_count(1)
        send(page, tmp_path / "script.pdf")
        expect(page.get_by_text("“script.pdf”: not a PDF")).to_have_count(1)
        assert page.get_by_test_id("report-card").count() == 0
        assert page.title() != "taken"


def test_a_report_is_gone_on_with_after_the_chat_was_killed(page: Page, tmp_path: Path) -> None:
    with serving(*scripted(tmp_path / "data", 0, 0, 600), ends_by=signal.SIGKILL) as address:
        page.goto(address)
        send(page, write_pdf(tmp_path / "contoso.pdf"))
        expect(page.get_by_text("Reading page 1 of 2")).to_be_visible()
        ask(page, "What was the total revenue of Northwind?")
        expect(page.get_by_test_id("answer-value")).to_be_visible()  # while the report is read
    with serving(*scripted(tmp_path / "data", 0, 0, 0)) as address:
        page.goto(address)
        expect(page.get_by_text("The chat ended while these were read: contoso.pdf.")).to_be_visible()
        page.get_by_test_id("sources-button").click()
        expect(page.locator("button.pp-source-title", has_text="contoso.pdf")).to_be_visible()


def test_a_report_that_is_sent_to_an_empty_real_chat_is_asked_there(page: Page, tmp_path: Path) -> None:
    chat = ("chat", "--headless", "--port", "PORT", "--profile", "offline", "--data", str(tmp_path / "data"))
    with serving(PAGEPROOF, *chat) as address:
        page.goto(address)
        expect(page.get_by_text("Drop the PDF of an annual report anywhere on this page")).to_be_visible()
        send(page, SAMPLE)
        expect(page.get_by_text("Ready: ")).to_be_visible(timeout=240_000)
        expect(page.get_by_test_id("report-period-ended")).to_contain_text("31 December 2024")
        ask(page, "What was the gross profit of Ostermere Instruments, Inc.?")
        expect(page.get_by_test_id("answer-value")).to_have_text("$144.9m", timeout=120_000)
        open_citation(page)
        ask(page, "What are the critical accounting policies of Ostermere Instruments, Inc.?")
        expect(page.get_by_test_id("passage").first).to_contain_text("p. ")

"""Tables of figures on the card: sorted, drawn, taken along; each figure opens its page."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, expect

from tests.support.browser import BROWSER_TEST, ask, serving
from tests.support.forks import PAGEPROOF

pytestmark = BROWSER_TEST
QUESTION = "Compare the revenue and the operating margin of Ostermere and Tsukimine from 2022 to 2024"


@pytest.fixture(scope="module")
def samples(sample_data: Path) -> Iterator[str]:
    """The address of a chat over the sample reports."""
    with serving(PAGEPROOF, "chat", "--headless", "--port", "PORT", "--data", str(sample_data)) as address:
        yield address


def test_a_table_is_sorted_opened_unfolded_and_taken_along(page: Page, samples: str) -> None:
    page.goto(samples)
    ask(page, QUESTION)
    table = page.get_by_test_id("figure-table")
    expect(table).to_be_visible()
    heads = table.locator("thead th")
    assert heads.all_inner_texts() == ["Company", "Metric", "Unit", "2022", "2023", "2024"]
    rows = page.get_by_test_id("comparison-row")
    expect(rows).to_have_count(4)

    heads.nth(5).get_by_role("button").click()
    expect(heads.nth(5)).to_have_attribute("aria-sort", "descending")
    assert "203,417" in rows.first.inner_text()

    with page.expect_download() as waiting:
        page.get_by_test_id("table-csv").click()
    lines = Path(waiting.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "Company,Metric,Unit,2022,2023,2024"
    assert lines[1].endswith(",JPY,187245000000,198760000000,203417000000")

    with page.expect_download() as waiting:
        page.get_by_test_id("table-workbook").click()
    book = load_workbook(BytesIO(Path(waiting.value.path()).read_bytes()))
    assert book["Figures"]["F2"].value == 203_417_000_000
    assert "Operands!" in str(book["Figures"]["F4"].value)
    link = book["Figures"]["F2"].hyperlink.target
    assert re.fullmatch(rf"{re.escape(samples)}/report/[0-9a-f]{{40}}/view\?page=9&boxes=[\d.,;]+", link)
    assert waiting.value.suggested_filename.startswith("Ostermere Instruments, Inc., Tsukimine Seiki Co., Ltd.")
    assert {row[4].value for row in book["Sources"].iter_rows(min_row=2)} >= {"Ostermere Instruments, Inc. 2024"}

    page.get_by_test_id("show-formula").first.click()
    formula = page.get_by_test_id("formula").first
    expect(formula).to_contain_text("= Operating income / Total revenue")
    expect(formula.get_by_test_id("operand")).to_have_count(2)

    page.get_by_test_id("missing").first.click()
    expect(page.get_by_test_id("why").first).to_contain_text("another period")
    whose = page.locator(".pp-formula-line h4").all_inner_texts()  # several may be unfolded at once
    assert len(whose) == 2
    assert "Ostermere Instruments, Inc., Total revenue, 2022" in whose

    page.get_by_test_id("show-chart").click()
    expect(page.get_by_test_id("line-chart").first).to_have_attribute(
        "aria-label", re.compile("Tsukimine.*2024 203,417")
    )
    page.get_by_test_id("show-chart").click()

    page.get_by_test_id("citation").first.click()
    expect(page.locator(".pane")).to_be_visible()


def test_the_newest_year_is_seen_and_all_digits_are_shown_to_whoever_wants_them(page: Page, samples: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(samples)
    ask(page, QUESTION)
    table, newest = (
        page.get_by_test_id("figure-table"),
        page.get_by_test_id("comparison-row").nth(2).locator("td").last,
    )
    expect(newest).to_have_text("203,417")
    expect(newest).to_be_in_viewport(ratio=1)
    expect(table).to_contain_text("JPY million")
    expect(newest.get_by_role("button")).to_have_attribute("title", re.compile("^203,417,000,000\n"))

    page.get_by_test_id("all-digits").click()
    expect(newest).to_have_text("203,417,000,000")
    expect(table).not_to_contain_text("million")
    page.reload()
    expect(newest).to_have_text("203,417,000,000")
    page.get_by_test_id("all-digits").click()
    expect(newest).to_have_text("203,417")


def test_an_amount_is_large_as_people_say_it_and_whole_below(page: Page, samples: str) -> None:
    page.goto(samples)
    ask(page, "What was the net income of Ostermere in 2024?")
    expect(page.get_by_test_id("answer-value")).to_have_text("-$19.5m")
    expect(page.get_by_test_id("printed")).to_have_text("-19,545,000 USD · as printed: $(19,545) in thousands")
    page.goto(samples)
    ask(page, "What was the net income of Ostermere in 2024 in thousands?")
    expect(page.get_by_test_id("answer-value")).to_contain_text("thousand")


def test_a_copied_table_is_a_table_whose_figures_open_their_pages(page: Page, samples: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(samples)
    ask(page, QUESTION)
    page.get_by_test_id("copy-table").click()
    expect(page.get_by_test_id("copy-table")).to_have_text("Copied")
    lines = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert lines[0].split("\t") == ["Company", "Metric", "Unit", "2022", "2023", "2024"]
    assert lines[1].split("\t")[3:] == ["N/A", "402875000", "386412000"]
    html = page.evaluate("""async () => {
        const [item] = await navigator.clipboard.read()
        return (await item.getType("text/html")).text()
    }""")
    assert re.search(r'<a href="http[^"]+/view\?page=8[^"]*"[^>]*>386412000</a>', html)

    page.goto(samples)
    ask(page, "Show the facts of Ostermere Instruments")
    page.get_by_test_id("copy-facts").click()
    expect(page.get_by_test_id("copy-facts")).to_have_text("Copied")
    lines = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert lines[:2] == ["Metric\tUnit\t2024\t2023", "Total revenue\tUSD\t386412000\t402875000"]


def test_all_figures_of_a_company_are_a_workbook_in_which_each_opens_its_page(page: Page, samples: str) -> None:
    page.goto(samples)
    ask(page, "Show the facts of Ostermere Instruments")
    with page.expect_download() as waiting:
        page.get_by_test_id("facts-workbook").click()
    assert waiting.value.suggested_filename.startswith("Ostermere Instruments, Inc., facts ")
    figures = load_workbook(BytesIO(Path(waiting.value.path()).read_bytes()))["Facts"]
    assert (figures["B2"].value, figures["D2"].value) == ("Total revenue", 386_412_000)
    assert figures["D2"].hyperlink.target.startswith(f"{samples}/report/")
    assert "/view?page=8&boxes=" in figures["D2"].hyperlink.target


def test_a_calculated_figure_of_a_table_opens_all_that_it_was_calculated_from(page: Page, samples: str) -> None:
    page.goto(samples)
    ask(page, "Compare the operating margin of Ostermere and Tsukimine in 2023 and 2024")
    figure = page.get_by_test_id("citation").first
    expect(figure).to_have_attribute("title", re.compile(r"Operating (income|loss).*\n.*sales"))
    figure.click()
    expect(page.locator(".pane-mark-words")).to_have_text("Mark 1 of 2")
    expect(page.locator(".pane-said")).to_contain_text("Operating")
    page.keyboard.press("n")
    expect(page.locator(".pane-mark-words")).to_have_text("Mark 2 of 2")
    expect(page.locator(".pane-said")).to_contain_text("Net sales")


def test_a_calculated_figure_shows_its_formula_and_can_be_put_otherwise(page: Page, samples: str) -> None:
    page.goto(samples)
    ask(page, "What was the current ratio of Ostermere?")
    expect(page.get_by_test_id("answer-value")).to_have_text("2.45x")
    expect(page.get_by_test_id("formula")).to_contain_text("= 212,853,000 / 86,735,000")
    expect(page.get_by_test_id("citation")).to_have_count(2)
    with page.expect_download() as waiting:
        page.get_by_test_id("copy-picture").click()
    assert Path(waiting.value.path()).read_bytes().startswith(b"\x89PNG")
    assert waiting.value.suggested_filename == "What was the current ratio of Ostermere.png"

    page.get_by_test_id("edit-question").click()
    expect(page.get_by_test_id("edited-figure")).to_have_value("Current ratio")
    draft = page.get_by_test_id("edited-company")
    expect(draft).to_have_value("Ostermere Instruments, Inc.")
    draft.fill("Veldhoorn")
    draft.press("Enter")
    expect(page.get_by_test_id("answer-value")).to_have_count(2)
    expect(page.get_by_test_id("answer-value").last).to_have_text("1.45x")


def test_texts_of_several_reports_stand_one_below_the_other(page: Page, samples: str) -> None:
    page.goto(samples)
    ask(page, "What are the main risks of Ostermere and Veldhoorn?")
    texts = page.get_by_test_id("part-text")
    expect(texts).to_have_count(2)
    expect(texts.first.locator("h4")).to_have_text("Ostermere Instruments, Inc.")
    expect(texts.first.get_by_test_id("citation").first).to_be_visible()
    expect(page.get_by_test_id("comparison")).to_have_count(0)
    sentence = texts.first.locator("li").first.locator("span").first.inner_text()
    assert page.locator(".pp-answer").inner_text().count(sentence) == 1


def test_the_highest_company_of_each_year_is_marked(page: Page, samples: str) -> None:
    page.goto(samples)
    ask(page, "Compare the operating margin of Ostermere and Tsukimine in 2023 and 2024")
    expect(page.get_by_test_id("comparison-row")).to_have_count(2)
    assert [title for title in page.locator(".pp-highest").all_inner_texts() if "%" in title]


def test_a_table_is_drawn_once_the_chat_is_there_again(page: Page, samples: str) -> None:
    page.route("**/public/cards/table.js", lambda route: route.abort())
    page.goto(samples)
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/cards/table.js")):
        ask(page, QUESTION)
    page.unroute("**/public/cards/table.js")
    expect(page.get_by_test_id("figure-table")).to_be_visible()

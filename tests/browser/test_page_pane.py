"""A report beside the conversation, and as a page of its own, in a real Chromium."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from storage.paths import DataPaths
from tests.support.browser import BROWSER_TEST, ask, barriers, open_citation, too_wide
from tests.support.long_report import CROPPED, LANDSCAPE, PAGES, SIZES, TURNED, WORDS, write_long_report

pytestmark = BROWSER_TEST


@pytest.fixture(scope="module")
def sha1(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the long report, which the scripted chat knows too."""
    return write_long_report(DataPaths(tmp_path_factory.mktemp("long"))).sha1


def open_report(page: Page, chat: str, sha1: str, number: int, marked: bool = True) -> None:
    """Open the long report as a page of its own, and wait until the page is drawn."""
    boxes = f"&boxes={WORDS.left},{WORDS.top},{WORDS.right},{WORDS.bottom}" if marked else ""
    page.goto(f"{chat}/report/{sha1}/view?page={number}{boxes}")
    page.wait_for_function("document.querySelector('[data-testid=page-image]')?.naturalWidth > 0")


def title(page: Page) -> Locator:
    return page.locator(".pane-title")


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_long_report_is_read_by_keyboard_and_only_pages_near_the_view_are_there(
    page: Page, chat: str, sha1: str
) -> None:
    open_report(page, chat, sha1, 7)
    expect(title(page)).to_have_text("Long Reports plc 2023, page 7")
    expect(page.locator(".pane-mark")).to_be_in_viewport()
    assert page.locator(".pane-paper").count() < 8
    page.keyboard.press("End")
    expect(title(page)).to_have_text(f"Long Reports plc 2023, page {PAGES}")
    page.keyboard.press("Home")
    expect(title(page)).to_have_text("Long Reports plc 2023, page 1")
    page.keyboard.press("ArrowRight")
    expect(title(page)).to_have_text("Long Reports plc 2023, page 2")
    page.get_by_role("textbox", name="Page").fill("30")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Long Reports plc 2023, page 30 – Pageproof")
    assert page.url.endswith("view?page=30")
    assert page.locator(".pane-paper").count() < 8


def test_the_number_that_a_page_prints_stands_beside_its_place_in_the_pdf(
    page: Page, chat: str, sha1: str
) -> None:
    def answer(route: Route) -> None:
        about = route.fetch().json()
        route.fulfill(json={**about, "printed": [str(number - 6) for number in range(1, PAGES + 1)]})

    page.route(re.compile(r"/about$"), answer)
    open_report(page, chat, sha1, 30)
    expect(title(page)).to_have_text("Long Reports plc 2023, page 30 (printed 24)")
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="1 Risks, page 10 (printed 4)")).to_have_attribute(
        "title", "Page 10 (printed 4)"
    )


def test_zooming_holds_the_mark_where_it_is_and_the_page_stays_sharp(page: Page, chat: str, sha1: str) -> None:
    open_report(page, chat, sha1, 7)
    mark = page.locator(".pane-mark")
    before = middle(mark)
    for _ in range(6):
        page.keyboard.press("+")
    expect(page.locator(".pane-percent")).to_have_text(re.compile(r"^[34]\d\d %$"))
    assert middle(mark) == pytest.approx(before, abs=3)
    page.wait_for_function(
        "(() => { const p = document.querySelector('[data-testid=page-image]');"
        " return p.naturalWidth >= 0.95 * p.getBoundingClientRect().width })()"
    )
    page.keyboard.press("0")
    page.wait_for_function(
        "(() => { const v = document.querySelector('.pane-view'); return v.scrollWidth <= v.clientWidth + 1 })()"
    )


@pytest.mark.parametrize("number", [TURNED, LANDSCAPE, CROPPED])
def test_a_turned_or_cropped_page_has_its_own_shape(page: Page, chat: str, sha1: str, number: int) -> None:
    open_report(page, chat, sha1, number)
    expect(title(page)).to_have_text(f"Long Reports plc 2023, page {number}")
    width, height = SIZES[number]
    shape = page.get_by_test_id("page-image").evaluate("p => p.naturalWidth / p.naturalHeight")
    assert shape == pytest.approx(width / height, abs=0.01)
    sides = page.locator(f"[data-page='{number}'].pane-paper").evaluate(
        "p => { const [a, b] = [p, p.querySelector('.pane-mark')].map(e => e.getBoundingClientRect());"
        " return [(b.left - a.left) / a.width, (b.top - a.top) / a.height] }"
    )
    assert sides == pytest.approx([(WORDS.left - 1.5) / width, (WORDS.top - 1.5) / height], abs=0.005)


def test_words_are_searched_and_stepped_through_and_lead_back(page: Page, chat: str, sha1: str) -> None:
    open_report(page, chat, sha1, 9, marked=False)
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="1 Risks, page 10")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("shareholders’ equity")
    expect(page.locator(".pane-count")).to_have_text(f"9 of {PAGES}")
    expect(page.locator(".pane-hit.pane-current")).to_have_count(2)  # the words go over two lines
    page.keyboard.press("Enter")
    expect(page.locator(".pane-count")).to_have_text(f"10 of {PAGES}")
    expect(title(page)).to_have_text("Long Reports plc 2023, page 10")
    expect(page.locator(".pane-hit.pane-current").first).to_be_in_viewport()
    page.get_by_role("searchbox").fill("37,000")
    page.keyboard.press("Enter")
    expect(title(page)).to_have_text("Long Reports plc 2023, page 37")
    page.get_by_role("searchbox").fill("nowhere to be found")
    expect(page.locator(".pane-count")).to_have_text("Not found")
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).to_be_hidden()
    expect(page.locator(".pane-view")).to_be_focused()


def test_cells_are_copied_with_tabs_between_them(page: Page, chat: str, sha1: str) -> None:
    open_report(page, chat, sha1, 7, marked=False)
    words = page.locator("[data-page='7'] .pane-words")
    expect(words).to_contain_text("Total assets")
    copied = words.evaluate("w => { getSelection().selectAllChildren(w); return getSelection().toString() }")
    assert "Words of page 7 and share-\nholders’ équity" in copied
    assert "Total assets\t7,000" in copied


def test_a_page_that_fails_says_so_and_is_tried_again(page: Page, chat: str, sha1: str) -> None:
    fails = [True]

    def answer(route: Route) -> None:
        if fails:
            route.fulfill(status=500, json={"detail": "page 7 of this report is damaged"})
        else:
            route.continue_()

    page.route(re.compile(r"/7\.png"), answer)
    page.goto(f"{chat}/report/{sha1}/view?page=7")
    expect(page.get_by_role("alert")).to_contain_text("Page 7 of this report is damaged.")
    fails.clear()
    page.get_by_role("button", name="Retry").click()
    page.wait_for_function("document.querySelector('[data-testid=page-image]').naturalWidth > 0")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_marks_of_an_answer_are_stepped_through_and_escape_gives_the_focus_back(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "Which company had the higher revenue, Northwind or Contoso?")
    open_citation(page)
    marks = page.get_by_role("group", name="Marks of the answer")
    expect(marks).to_contain_text("Mark 1 of 2")
    page.keyboard.press("n")
    expect(marks).to_contain_text("Mark 2 of 2")
    expect(page.locator(".pane-mark.pane-current")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.locator(".pane")).to_have_count(0)
    expect(page.get_by_test_id("citation").first).to_be_focused()
    page.get_by_test_id("company-card").first.locator("> summary").click()


def test_only_marks_are_counted_as_marks_and_pages_that_were_read_as_pages(
    page: Page, chat: str, sha1: str
) -> None:
    page.goto(chat)
    expect(page.locator("#chat-input")).to_be_visible()
    read = [{"sha1": sha1, "page": number, "boxes": [], "isRead": True} for number in (3, 4, 5)]
    marks = [{"sha1": sha1, "page": number, "boxes": [[72, 92, 272, 104]]} for number in (7, 9)]
    shown = "([places, index]) => window.pageproof.openPage({ ...places[index], marks: places, index })"
    page.evaluate(shown, [[*read, *marks], 1])
    expect(page.get_by_role("group", name="Pages that were read")).to_contain_text("Page 2 of 3 that were read")
    page.get_by_role("button", name="Next page").click()
    page.get_by_role("button", name="Next page").click()
    expect(title(page)).to_have_text("Long Reports plc 2023, page 3")
    page.evaluate(shown, [[*read, *marks], 4])
    expect(page.get_by_role("group", name="Marks of the answer")).to_contain_text("Mark 2 of 2")
    page.keyboard.press("n")
    expect(title(page)).to_have_text("Long Reports plc 2023, page 7")
    page.evaluate(shown, [[{"sha1": sha1, "page": 7, "boxes": []}, *marks], 0])
    expect(page.locator(".pane-steps")).to_be_hidden()


def test_keys_go_on_working_where_the_next_mark_is_in_another_report(page: Page, chat: str, sha1: str) -> None:
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    open_citation(page)
    marks = [{"sha1": sha1, "page": number, "boxes": [[72, 92, 272, 104]]} for number in (2, 50)]
    page.evaluate(
        """async (marks) => {
        const { sha1 } = (await import("/public/pane/report.js")).placeOf(document.querySelector(".pane a").href)
        const last = { sha1, page: 2, boxes: [[72, 160, 300, 174]] }
        await window.pageproof.openPage({ ...marks[0], marks: [...marks, last], index: 0 })
    }""",
        marks,
    )
    expect(title(page)).to_have_text("Long Reports plc 2023, page 2")
    page.keyboard.press("p")
    expect(title(page)).to_have_text("Northwind Traders Inc., page 2")
    page.keyboard.press("p")
    expect(title(page)).to_have_text("Long Reports plc 2023, page 50")
    page.keyboard.press("Home")
    expect(title(page)).to_have_text("Long Reports plc 2023, page 1")


def test_a_link_to_a_page_opens_beside_the_conversation(page: Page, chat: str) -> None:
    page.goto(chat)
    ask(page, "Show the facts of Northwind")
    page.get_by_role("link", name="p. 2").click()
    expect(page.locator(".pane")).to_contain_text("It is not in this library any more.")
    expect(page.locator(".pane").get_by_role("button", name="Retry")).to_be_visible()
    assert len(page.context.pages) == 1


def test_on_a_phone_the_report_covers_the_conversation(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    open_citation(page)
    expect(page.get_by_role("dialog", name="Northwind Traders Inc., page 2")).to_be_visible()
    assert too_wide(page, ".pane *") == []
    assert page.locator("#root").evaluate("root => root.inert")
    page.keyboard.press("c")
    page.get_by_role("tab", name="Pages").click()
    page.get_by_role("button", name="Page 1", exact=True).click()
    expect(page.locator(".pane-title")).to_have_text("Northwind Traders Inc., page 1")
    expect(page.locator(".pane-side")).to_be_hidden()
    page.keyboard.press("Escape")
    assert not page.locator("#root").evaluate("root => root.inert")


def test_no_figure_of_the_facts_is_cut_off_on_a_phone(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(chat)
    ask(page, "Show the facts of Northwind")
    expect(page.get_by_test_id("facts-table")).to_contain_text("1,249.6")
    assert too_wide(page, ".pp-facts *") == []
    edge = page.locator(".pp-scroll").evaluate("s => s.scrollWidth - s.clientWidth")
    assert edge <= 0


def test_the_edge_between_conversation_and_report_is_moved(page: Page, chat: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(chat)
    ask(page, "What was the total revenue of Northwind?")
    open_citation(page)
    edge = page.get_by_role("separator", name="Width of the report")
    x, y = middle(edge)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 150, y, steps=3)
    page.mouse.up()
    assert middle(edge)[0] == pytest.approx(x + 150, abs=2)
    edge.focus()
    page.keyboard.press("ArrowLeft")
    assert middle(edge)[0] == pytest.approx(x + 118, abs=2)
    root = page.locator("#root").bounding_box()
    assert root is not None
    assert root["width"] == pytest.approx(x + 118, abs=2)
    page.keyboard.press("Escape")
    open_citation(page)
    assert middle(edge)[0] == pytest.approx(x + 118, abs=2)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_report_can_be_read_by_everybody(
    page: Page, chat: str, sha1: str, colours: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    open_report(page, chat, sha1, 7)
    page.keyboard.press("c")
    expect(page.get_by_role("tab", name="Contents")).to_be_visible()
    assert barriers(page, ".pane") == []
    page.keyboard.press("/")
    page.keyboard.type("total assets")
    expect(page.get_by_role("tab", name="Found (60)")).to_have_attribute("aria-selected", "true")
    assert barriers(page, ".pane") == []

"""Take the pictures of the chat for docs/ anew: `python -m tests.support.doc_pictures`.

They show the chat over the sample reports, as a newcomer goes through it with an empty library.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.support.browser import ARGUMENTS, CHROMIUM, PATIENCE, SAMPLE, ask, open_citation, serving
from tests.support.forks import PAGEPROOF
from tests.support.libraries import ingest_samples
from tests.support.samples import ROOT

DOCS = ROOT / "docs"
SIZE = {"width": 1280, "height": 800}
COLOURS = 128  # of a picture: small, and no difference is seen
REVENUE = "What was the total revenue of Ostermere Instruments in 2024?"
MARGINS = "Compare the gross margin of Ostermere, Veldhoorn and Tsukimine in 2023 and 2024"
Take = Callable[[str], None]


def journey(page: Page, take: Take) -> None:
    """From an empty library to the first checked figure of a PDF."""
    choose = page.get_by_role("button", name="Choose PDFs")
    expect(choose).to_be_visible()
    take("journey_1_empty")
    with page.expect_file_chooser() as chooser:
        choose.click()
    chooser.value.set_files(SAMPLE)
    offer = page.get_by_role("button", name="What was the total revenue of")
    expect(offer).to_be_visible()
    take("journey_2_read")
    offer.click()
    expect(page.get_by_test_id("answer-value")).to_be_visible()
    page.wait_for_timeout(1500)  # it scrolls to the answer
    take("journey_3_answer")
    open_citation(page)
    page.wait_for_timeout(1500)
    take("journey_4_page")


def samples(page: Page, take: Take) -> None:
    """One answer with its page, a comparison, the facts of a company, the sources."""
    ask(page, REVENUE)
    expect(page.get_by_test_id("answer-value")).to_be_visible()
    open_citation(page)
    page.wait_for_timeout(1500)
    take("answer")
    for name, question, shown in (
        ("comparison", MARGINS, "figure-table"),
        ("facts", "Show the facts of Ostermere Instruments", "facts-table"),
    ):
        page.goto(page.url.partition("/thread")[0])
        ask(page, question)
        expect(page.get_by_test_id(shown)).to_be_visible()
        page.wait_for_timeout(1500)
        take(name)
    page.goto(page.url.partition("/thread")[0])
    page.get_by_test_id("sources-button").click()
    expect(page.get_by_test_id("source")).to_have_count(3)
    page.wait_for_timeout(1500)
    take("journey_5_sources")


def _taken(page: Page, name: str) -> None:
    shown = Image.open(BytesIO(page.screenshot())).convert("RGB")
    shown.quantize(COLOURS, dither=Image.Dither.NONE).save(DOCS / f"{name}.png", optimize=True)


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        known = Path(folder) / "samples"
        ingest_samples(known)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for data, play in ((Path(folder) / "empty", journey), (known, samples)):
            with serving(PAGEPROOF, "chat", "--headless", "--port", "PORT", "--data", str(data)) as address:
                page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]  # a plain dict is a ViewportSize
                page.set_default_timeout(PATIENCE)
                expect.set_options(timeout=PATIENCE)
                page.goto(address)
                play(page, partial(_taken, page))
                page.close()
        browser.close()


if __name__ == "__main__":
    main()

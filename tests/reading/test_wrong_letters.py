"""Pages whose fonts give wrong letters: they are read from some of their lines, not as pictures."""

import re
import string
from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from indexes.options import ReaderOptions
from indexes.reading.alphabets import Glyph
from indexes.reading.decoded_pages import DecodedPage
from indexes.reading.docling_reader import DoclingReader
from indexes.reading.ocr_engine import PageOcrModel
from storage.records.pages import Page

SHIFTED = {
    **dict(zip(string.ascii_lowercase, string.ascii_lowercase[9:] + string.ascii_lowercase[:9], strict=True)),
    **dict(zip(string.digits, "#%&*+<>=@^", strict=True)),
    ".": "\x0e",
    " ": "\x01",
    "F": " ",
}
PROSE = """
The company sells engines to makers of ships in many seas. First deliveries of the new class are due in March 2026.
Financing was arranged in February with a bank in Ghent, for a term of 7 years, with quarterly repayments from 2027.
Orders of the year were 1,084 engines, after 962 in the year before, and the backlog at its end was worth 38.5 million.
Every jacket, valve and exhaust box is checked quickly; the quiz of the trade journal puts its quality at 4.7 of 5.
""".strip().splitlines()
ROWS = [("Revenue", "1,402.6", "1,318.9"), ("Freight", "87.3", "75.0"), ("Profit before tax", "204.8", "196.4")]
LINES_OF_A_PAGE = 24


def write(path: Path, monkeypatch: pytest.MonkeyPatch, letters: dict[str, str], lifted: float = 0.0) -> Path:
    """Six pages of prose and a table, each with the lines in another order; the text layer has other letters.

    Below them is a black bar. The letters stand higher by `lifted` points than they should.
    """
    made = ttfonts.makeToUnicodeCMap

    def wrong(font: str, codes: Sequence[int]) -> str:
        return str(made(font, [ord(letters.get(chr(code), chr(code))) for code in codes]))

    monkeypatch.setattr(ttfonts, "makeToUnicodeCMap", wrong)
    pdfmetrics.registerFont(ttfonts.TTFont("Vera", "Vera.ttf"))
    canvas = Canvas(str(path), pagesize=(612, 792))
    for number in range(6):
        canvas.rect(54, 60, 500, 40, fill=1)
        canvas.translate(0, lifted)
        canvas.setFont("Vera", 8)
        for place in range(LINES_OF_A_PAGE):
            canvas.drawString(54, 740 - 14 * place, PROSE[(place + number) % len(PROSE)])
        for place, (label, *figures) in enumerate(ROWS):
            canvas.drawString(54, 300 - 14 * place, label + " " + "." * (60 - len(label)))
            for right, figure in zip((400, 500), figures, strict=True):
                canvas.drawRightString(right, 300 - 14 * place, figure)
        canvas.showPage()
    canvas.save()
    return path


def text_of(page: Page) -> str:
    return " ".join(line.text for block in page.blocks for line in block.lines)


@pytest.fixture
def read_as_pictures(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the pages that OCR read as a whole."""
    read = PageOcrModel._read_place
    numbers: list[int] = []

    def noted(self, backend, *rest, **options):  # type: ignore[no-untyped-def]
        numbers.append(backend.page_no)
        return read(self, backend, *rest, **options)

    monkeypatch.setattr(PageOcrModel, "_read_place", noted)
    return numbers


def test_words_and_figures_follow_from_some_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_as_pictures: list[int]
) -> None:
    path = write(tmp_path / "shifted.pdf", monkeypatch, SHIFTED)
    pages = DoclingReader.from_options(ReaderOptions()).read_pages(path, "ab")
    assert not read_as_pictures
    assert {page.text_source for page in pages} == {"ocr"}
    figures = re.findall(r"\d[\d,.]*\d|\d", " ".join(PROSE))
    for page in pages[1:]:
        text = text_of(page)
        missing = [word for line in PROSE for word in line.split() if word not in text]
        assert not missing, missing
        assert [f for f in figures if f not in text] == []
        assert [[c.text for c in t.cells if c.text[0].isdigit()] for t in page.tables] == [
            [figure for _, *row in ROWS for figure in row]
        ]


def test_a_page_from_whose_layer_figures_may_be_missing_is_read_as_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_as_pictures: list[int]
) -> None:
    path = write(tmp_path / "lost.pdf", monkeypatch, SHIFTED | {"F": "D", "1": " "})
    pages = DoclingReader.from_options(ReaderOptions()).read_part(path, "ab", range(1, 2))
    assert read_as_pictures == [1]
    assert "1,402.6" in text_of(pages[0])


def test_letters_outside_the_page_are_not_read_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_as_pictures: list[int]
) -> None:
    deciphered: list[int] = []
    glyphs = DecodedPage.glyphs

    def noted(self: DecodedPage) -> Sequence[Glyph]:
        deciphered.append(self.page_no)
        return glyphs(self)

    monkeypatch.setattr(DecodedPage, "glyphs", noted)
    path = write(tmp_path / "outside.pdf", monkeypatch, SHIFTED, lifted=900.0)
    (page,) = DoclingReader.from_options(ReaderOptions()).read_part(path, "ab", range(1, 2))
    assert (deciphered, read_as_pictures) == ([], [1])
    assert text_of(page) == ""

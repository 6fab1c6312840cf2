"""Scanned pages, nonsense text layers and tables pasted as pictures, read by Docling with RapidOCR."""

import math
from collections import defaultdict
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from indexes.options import ReaderOptions
from indexes.reading.docling_reader import DoclingReader
from storage.records.pages import Page
from tests.support.samples import SAMPLES

SAMPLE = SAMPLES / "ostermere_2024.pdf"
STATEMENT_PAGE = 8
WIDTH, HEIGHT = 612, 792 * 0.4  # points, of the part that is scanned
PROSE = [
    "The company sells engines to makers of ships in many seas",
    "and expects its revenue to grow during the next financial",
    "year as demand for new vessels recovers. Operating profit",
]


def scan(dpi: int, degrees: float = 0, quarter_turns: int = 0) -> Image.Image:
    """The upper part of the statement, as a scanner gives it."""
    with pypdfium2.PdfDocument(SAMPLE) as document:
        picture = document[STATEMENT_PAGE - 1].render(scale=dpi / 72).to_pil().convert("L")
    picture = picture.crop((0, 0, picture.width, round(picture.height * 0.4)))
    turned = picture.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    return turned.rotate(90 * quarter_turns, expand=True)


def write_scans(path: Path) -> Path:
    canvas = Canvas(str(path))
    for picture in (scan(150), scan(300), scan(200, degrees=2), scan(200, quarter_turns=1)):
        size = (HEIGHT, WIDTH) if picture.height > picture.width else (WIDTH, HEIGHT)
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(picture), 0, 0, *size)
        canvas.showPage()
    canvas.setPageSize((612, 792))
    canvas.setFont("Helvetica", 10)
    for n, line in enumerate(PROSE):  # the words of the text layer, and below them a picture
        canvas.drawString(72, 740 - 14 * n, line)
    canvas.drawImage(ImageReader(scan(200)), 0, 200, WIDTH, HEIGHT)
    canvas.showPage()
    canvas.save()
    return path


@pytest.fixture(scope="module")
def printed() -> Page:
    """The statement as its text layer gives it."""
    reader = DoclingReader.from_options(ReaderOptions(ocr="off"))
    return reader.read_pages(SAMPLE, "ab")[STATEMENT_PAGE - 1]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Page]:
    path = write_scans(tmp_path_factory.mktemp("scans") / "scans.pdf")
    return DoclingReader.from_options(ReaderOptions()).read_pages(path, "ab")


def test_pictures_beside_words_are_left_and_read_later_with_the_same_result(
    pages: list[Page], tmp_path: Path
) -> None:
    path = write_scans(tmp_path / "scans.pdf")
    reader = DoclingReader.from_options(ReaderOptions(), leaves_pictures=True)
    first = reader.read_pages(path, "ab")
    assert [page.unread_pictures for page in first] == [False] * 4 + [True]
    assert first[:4] == pages[:4]
    assert (first[4].text_source, first[4].tables) == ("text_layer", ())
    assert reader.with_pictures(path, first) == pages


def rows(page: Page, above: float = math.inf) -> list[tuple[str, ...]]:
    """Labels and figures of tables' rows, without leaders, spaces, and lone dashes, which OCR does not see."""
    found: dict[tuple[int, int], list[str]] = defaultdict(list)
    for number, table in enumerate(page.tables):
        for cell in table.cells:
            if cell.box and cell.box.bottom < above and cell.row >= table.header_row_count:
                found[number, cell.row].append("".join(cell.text.split()).rstrip(".").strip("$-–—"))
    return [tuple(filter(None, texts)) for texts in found.values()]


@pytest.mark.parametrize(
    ("place", "how"), list(enumerate(["150 dpi", "300 dpi", "two degrees askew", "on its side"]))
)
def test_a_scanned_statement_s_rows_come_out_whole(pages: list[Page], printed: Page, place: int, how: str) -> None:
    assert pages[place].text_source == "ocr", how
    wanted = [row for row in rows(printed, above=HEIGHT - 10) if len(row) > 1]
    assert len(wanted) > 4
    assert [row for row in wanted if row not in rows(pages[place])] == []


def test_a_table_pasted_as_a_picture_is_read_into_its_page(pages: list[Page], printed: Page) -> None:
    page = pages[4]
    assert page.text_source == "partly_ocr"
    wanted = [row for row in rows(printed, above=HEIGHT - 10) if len(row) > 1]
    assert [row for row in wanted if row not in rows(page)] == []


def test_words_of_the_text_layer_are_neither_lost_nor_doubled_beside_a_picture(pages: list[Page]) -> None:
    assert all(pages[4].markdown.count(phrase) == 1 for phrase in ("sells engines", "expects its", "new vessels"))


def test_a_page_read_in_part_tells_which(pages: list[Page]) -> None:
    page = pages[4]
    prose = next(b.box for b in page.blocks if "engines" in b.text)
    table = next(b.box for b in page.blocks if b.table)
    assert (page.source_at([prose]), page.source_at([table])) == ("text_layer", "ocr")

from pathlib import Path

import pytest
from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend
from docling.backend.pdf_backend import PdfDocumentBackend
from docling.datamodel.backend_options import ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling_core.types.doc.base import BoundingBox

from indexes.layout.page_layout import quarter_turn
from indexes.reading.decoded_pages import DecodedDocument, DecodedPage, parser_options
from tests.support.samples import SAMPLES

PDFS = sorted(SAMPLES.glob("*.pdf"))
Placed = tuple[str, float, float, float, float, str, int | None]


def opened(pdf: Path, backend: type[PdfDocumentBackend]) -> PdfDocumentBackend:
    options = (
        parser_options(threads=1, pages_in_flight=8)
        if backend is DecodedDocument
        else ThreadedDoclingParseBackendOptions(parser_threads=1, render_pages=False)
    )
    document = InputDocument(
        path_or_stream=pdf, format=InputFormat.PDF, backend=backend, backend_options=options, filename=pdf.name
    )
    assert isinstance(document._backend, backend)
    return document._backend


def decoded(pdf: Path) -> list[DecodedPage]:
    backend = opened(pdf, DecodedDocument)
    pages = [page for page in backend.iter_pages() if isinstance(page, DecodedPage)]
    return sorted(pages, key=lambda page: page.page_no)


def words_of_docling(pdf: Path) -> dict[int, list[Placed]]:
    found: dict[int, list[Placed]] = {}
    for page in opened(pdf, ThreadedDoclingParseDocumentBackend).iter_pages():
        parsed = page.get_segmented_page()
        assert parsed is not None
        found[page.page_no] = [
            (cell.text, *_sides(cell.rect.to_bounding_box()), cell.font_name, quarter_turn(cell.rect.angle_360))
            for cell in parsed.word_cells
        ]
    return found


def _sides(box: BoundingBox) -> tuple[float, float, float, float]:
    return round(box.l, 3), round(box.t, 3), round(box.r, 3), round(box.b, 3)


@pytest.mark.parametrize("pdf", PDFS, ids=lambda pdf: pdf.stem)
def test_the_words_are_those_that_docling_makes_objects_of(pdf: Path) -> None:
    expected = words_of_docling(pdf)
    for page in decoded(pdf):
        words = [
            (w.text, *(round(x, 3) for x in (w.left, w.top, w.right, w.bottom)), w.font, quarter_turn(angle))
            for w, angle in page.words
        ]
        assert words == expected[page.page_no]
    assert sum(map(len, expected.values())) > 1000


def test_a_page_is_drawn_upright_and_in_parts_when_its_picture_is_asked_for() -> None:
    first = decoded(PDFS[0])[0]
    assert first._drawing._document is None  # nothing was drawn while it was parsed
    size = first.get_size()
    whole = first.get_page_image(scale=2)
    assert whole.size == pytest.approx((2 * size.width, 2 * size.height), abs=2)
    word = next(word for word, _ in first.words if len(word.text) > 5)
    box = BoundingBox(l=word.left, t=word.top, r=word.right, b=word.bottom)
    part = first.get_page_image(scale=2, cropbox=box)
    assert part.size == pytest.approx((2 * box.width, 2 * box.height), abs=2)
    darkest, _ = part.convert("L").getextrema()
    assert float(str(darkest)) < 128  # the word's ink


def test_the_text_of_a_page_comes_line_by_line() -> None:
    page = decoded(PDFS[0])[0]
    lines = page.text.splitlines()
    assert len(lines) > 1
    assert all(line.split()[0] in page.text for line in lines if line.strip())
    assert page.get_text_in_rect(BoundingBox(l=0, t=0, r=10_000, b=10_000)).split()[0] in page.text

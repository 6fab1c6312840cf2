from collections.abc import Iterable
from pathlib import Path

import pytest
from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend
from docling.backend.pdf_backend import PdfDocumentBackend
from docling.datamodel.backend_options import PdfBackendOptions, ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling_core.types.doc.base import BoundingBox
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import ttfonts
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from indexes.layout.page_layout import quarter_turn
from indexes.layout.words import text_of
from indexes.reading.decoded_pages import DecodedDocument, DecodedOptions, DecodedPage
from tests.support.samples import SAMPLES

PDFS = sorted(SAMPLES.glob("*.pdf"))
WIDTH, HEIGHT = 595, 842
Placed = tuple[str, float, float, int | None]


def opened(pdf: Path, backend: type[PdfDocumentBackend], options: PdfBackendOptions) -> PdfDocumentBackend:
    document = InputDocument(
        path_or_stream=pdf, format=InputFormat.PDF, backend=backend, backend_options=options, filename=pdf.name
    )
    assert isinstance(document._backend, backend)
    return document._backend


def decoded(pdf: Path) -> list[DecodedPage]:
    pages = opened(pdf, DecodedDocument, DecodedOptions()).iter_pages()
    return [page for page in pages if isinstance(page, DecodedPage)]


def words_of_docling(pdf: Path) -> dict[int, list[Placed]]:
    """What another parser of PDFs reads: the words, where they begin and end, and which way they run."""
    options = ThreadedDoclingParseBackendOptions(parser_threads=1, render_pages=False)
    found: dict[int, list[Placed]] = {}
    for page in opened(pdf, ThreadedDoclingParseDocumentBackend, options).iter_pages():
        parsed = page.get_segmented_page()
        assert parsed is not None
        boxes = [(cell, cell.rect.to_bounding_box()) for cell in parsed.word_cells]
        found[page.page_no] = [(c.text, b.l, b.r, quarter_turn(c.rect.angle_360)) for c, b in boxes]
    return found


def draw(path: Path, rotation: int = 0, crop: tuple[int, int, int, int] | None = None) -> Canvas:
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    canvas.setPageRotation(rotation)
    if crop:
        canvas.setCropBox(crop)
    canvas.setFont("Helvetica", 10)
    return canvas


def only(canvas: Canvas) -> DecodedPage:
    canvas.save()
    (page,) = decoded(Path(canvas._filename))
    return page


def texts(page: DecodedPage) -> list[str]:
    return [word.text for word, _ in page.words]


@pytest.mark.parametrize("pdf", PDFS, ids=lambda pdf: pdf.stem)
def test_the_words_are_those_that_another_parser_reads_at_the_same_places(pdf: Path) -> None:
    expected = words_of_docling(pdf)
    for page in decoded(pdf):
        words = [(w.text, w.left, w.right, quarter_turn(angle)) for w, angle in page.words]
        assert [w[0] for w in words] == [w[0] for w in expected[page.page_no]]
        # That parser knows other widths of a few letters, such as "ü".
        assert [w[1:3] for w in words] == [pytest.approx(w[1:3], abs=2.5) for w in expected[page.page_no]]
        assert [w[3] for w in words] == [w[3] for w in expected[page.page_no]]
    assert sum(map(len, expected.values())) > 1000


def test_a_page_is_drawn_upright_and_in_parts_when_its_picture_is_asked_for() -> None:
    first = decoded(PDFS[0])[0]
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


@pytest.mark.parametrize(("rotation", "angle"), [(0, 0), (90, 270), (180, 180), (270, 90)])
def test_words_of_a_turned_page_are_where_they_are_seen(rotation: int, angle: int, tmp_path: Path) -> None:
    canvas = draw(tmp_path / "turned.pdf", rotation)
    canvas.drawString(200, 400, "Revenue")
    page = only(canvas)
    ((word, turn),) = page.words
    assert turn == angle
    box = BoundingBox(l=word.left, t=word.top, r=word.right, b=word.bottom)
    assert ink(page, box) < 128
    assert ink(page, BoundingBox(l=box.l, t=box.t - 60, r=box.r, b=box.b - 60)) > 250


def ink(page: DecodedPage, box: BoundingBox) -> float:
    darkest, _ = page.get_page_image(scale=2, cropbox=box).convert("L").getextrema()
    return float(str(darkest))


def test_a_cut_page_begins_at_its_crop_box_and_has_no_words_outside(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "cut.pdf", crop=(50, 100, 545, 742))
    canvas.drawString(72, 700, "inside")
    canvas.drawString(72, 780, "outside")
    page = only(canvas)
    assert (page.get_size().width, page.get_size().height) == (495, 642)
    ((word, _),) = page.words
    assert (word.text, word.left) == ("inside", pytest.approx(22, abs=0.1))
    assert word.bottom == pytest.approx(42, abs=3)


def test_print_that_runs_upwards_keeps_its_words_and_its_angle(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "upwards.pdf")
    canvas.translate(300, 200)
    canvas.rotate(90)
    canvas.drawString(0, 0, "Annual report")
    page = only(canvas)
    assert [(word.text, angle) for word, angle in page.words] == [("Annual", 90), ("report", 90)]
    annual, report = (word for word, _ in page.words)
    assert report.bottom < annual.top
    assert (annual.left, annual.right) == (report.left, report.right)


def spelt(canvas: Canvas, text: str, widths: Iterable[float]) -> None:
    """Each letter as a piece of text of its own, as some programs print."""
    x = 72.0
    for letter, width in zip(text, widths, strict=True):
        canvas.drawString(x, 700, letter)
        x += width


def test_letters_printed_one_by_one_are_words_and_none_is_lost(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "letters.pdf")
    text = "a different 11"
    spelt(canvas, text, [canvas.stringWidth(c, "Helvetica", 10) * (0.85 if c == "f" else 1) for c in text])
    assert texts(only(canvas)) == ["a", "different", "11"]


def test_what_is_printed_twice_to_look_bold_is_read_once(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "bold.pdf")
    for shift in (0, 0.3):
        canvas.drawString(72 + shift, 700, "Total 1,234")
    assert texts(only(canvas)) == ["Total", "1,234"]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ([(72, "Net"), (100, "5")], ["Net", "5"]),  # a gap without a space
        ([(72, "1,200"), (99, "1,300")], ["1,200", "1,300"]),  # columns that nearly touch
        ([(72, "Cash  and   banks")], ["Cash", "and", "banks"]),
    ],
)
def test_words_end_at_spaces_and_at_gaps(
    printed: list[tuple[float, str]], expected: list[str], tmp_path: Path
) -> None:
    canvas = draw(tmp_path / "gaps.pdf")
    for x, text in printed:
        canvas.drawString(x, 700, text)
    assert texts(only(canvas)) == expected


def test_a_raised_mark_is_a_word_of_its_own(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "raised.pdf")
    canvas.drawString(72, 700, "Goodwill")
    end = 72 + canvas.stringWidth("Goodwill", "Helvetica", 10)
    canvas.setFont("Helvetica", 6)
    canvas.drawString(end, 704, "2")
    assert texts(only(canvas)) == ["Goodwill", "2"]


def test_a_hyphen_at_the_end_of_a_line_stays_and_quotes_are_plain(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "hyphen.pdf")
    canvas.drawString(72, 700, "The company’s long–term consoli-")
    canvas.drawString(72, 688, "dated results")
    assert texts(only(canvas)) == ["The", "company's", "long-term", "consoli-", "dated", "results"]


def test_what_is_filled_into_a_form_is_read_with_the_page(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "form.pdf")
    canvas.drawString(72, 700, "Fee")
    canvas.acroForm.textfield(name="fee", value="12,345 EUR", x=120, y=690, width=200, height=20)
    page = only(canvas)
    assert texts(page) == ["Fee", "12,345", "EUR"]


def test_text_and_pictures_of_a_form_are_where_it_is_drawn(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "forms.pdf")
    canvas.beginForm("stamp")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(0, 0, "Approved")
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 40), (90, 120, 90))), 0, 20, 60, 40)
    canvas.endForm()
    canvas.translate(200, 500)
    canvas.doForm("stamp")
    page = only(canvas)
    ((word, _),) = page.words
    assert (word.text, word.left) == ("Approved", pytest.approx(200, abs=1))
    (picture,) = page.pictures
    assert (picture.left, picture.top) == pytest.approx((200, HEIGHT - 560), abs=0.5)
    assert (picture.right, picture.bottom) == pytest.approx((260, HEIGHT - 520), abs=0.5)


def test_of_a_picture_that_is_cut_off_its_seen_part_is_its_place(tmp_path: Path) -> None:
    canvas = draw(tmp_path / "clip.pdf")
    clip = canvas.beginPath()
    clip.rect(100, 100, 50, 50)
    canvas.clipPath(clip, stroke=0, fill=0)
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 40), (90, 120, 90))), 80, 80, 200, 200)
    (picture,) = only(canvas).pictures
    assert (picture.left, picture.right) == pytest.approx((100, 150), abs=0.5)
    assert (picture.top, picture.bottom) == pytest.approx((HEIGHT - 150, HEIGHT - 100), abs=0.5)


def test_words_that_run_from_right_to_left_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hebrew = {ord(latin): ord(letter) for latin, letter in zip("abcdef", "הכנסות", strict=True)}
    made = ttfonts.makeToUnicodeCMap
    monkeypatch.setattr(
        ttfonts, "makeToUnicodeCMap", lambda font, codes: made(font, [hebrew.get(code, code) for code in codes])
    )
    registerFont(ttfonts.TTFont("Vera", "Vera.ttf"))
    canvas = draw(tmp_path / "hebrew.pdf")
    canvas.setFont("Vera", 12)
    canvas.drawRightString(540, 700, "abcdef fed"[::-1])
    canvas.drawString(72, 700, "(56)")
    words = [word for word, _ in only(canvas).words]
    printed = sorted(words, key=lambda word: word.left)
    assert text_of(printed).replace("( 56 )", "(56)") == "(56) הכנסות תוס"

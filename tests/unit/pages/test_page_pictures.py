import io
import threading
import time
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from app.page_pictures import (
    LONGEST_SIDE,
    ZOOM_LEVELS,
    DrawingBusy,
    PagePictures,
    RecentPictures,
    SafeDrawing,
    Turns,
    draw,
)
from storage.errors import DocumentError, UsageError
from storage.paths import DataPaths
from storage.records.record import Box
from tests.support.doubles.page_readers import endless_drawing

SHA1 = "c" * 40
# A black square, 40 by 20 points, at left 100 and top 200 of the page as displayed.
SQUARE = Box(left=100, top=200, right=140, bottom=220)


@pytest.fixture
def pictures(tmp_path: Path) -> PagePictures:
    return PagePictures(DataPaths(tmp_path), draw)


def write_pdf(tmp_path: Path, size: tuple[float, float] = (612, 792)) -> Path:
    path = DataPaths(tmp_path).report_pdf(SHA1)
    path.parent.mkdir(exist_ok=True)
    canvas = Canvas(str(path), pagesize=size)
    canvas.rect(100, size[1] - 220, 40, 20, fill=1, stroke=0)
    canvas.showPage()
    canvas.save()
    return path


def turn(path: Path, degrees: int) -> None:
    document = pypdfium2.PdfDocument(path.read_bytes())
    document[0].set_rotation(degrees)
    document.save(path)
    document.close()


def read(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def pixel(image: Image.Image, left: float, top: float) -> tuple[int, ...]:
    """The colour at a place given in points, on a picture of two pixels a point."""
    colour = image.getpixel((int(left * 2), int(top * 2)))
    assert isinstance(colour, tuple)
    return colour


def is_yellow(colour: tuple[int, ...]) -> bool:
    red, green, blue = colour
    return red > 240 and green > 200 and blue < 160


def test_a_page_is_drawn_at_two_pixels_a_point(tmp_path: Path, pictures: PagePictures) -> None:
    write_pdf(tmp_path)
    image = read(pictures.png(SHA1, 1))
    assert image.size == (1224, 1584)
    assert pixel(image, 120, 210) == (0, 0, 0)
    assert pixel(image, 50, 50) == (255, 255, 255)


def test_a_mark_tints_the_paper_and_leaves_the_letters_black(tmp_path: Path, pictures: PagePictures) -> None:
    write_pdf(tmp_path)
    image = read(pictures.png(SHA1, 1, [Box(left=90, top=190, right=150, bottom=230)]))
    assert is_yellow(pixel(image, 95, 195))
    assert pixel(image, 120, 210) == (0, 0, 0)
    assert pixel(image, 300, 300) == (255, 255, 255)


def test_a_mark_follows_a_turned_page(tmp_path: Path, pictures: PagePictures) -> None:
    turn(write_pdf(tmp_path), 90)
    image = read(pictures.png(SHA1, 1, [Box(left=560, top=90, right=600, bottom=150)]))
    assert image.size == (1584, 1224)
    assert pixel(image, 582, 120) == (0, 0, 0)  # the square: left = 792 - 210
    assert is_yellow(pixel(image, 565, 95))


def test_a_box_beyond_the_page_is_cut_off(tmp_path: Path, pictures: PagePictures) -> None:
    write_pdf(tmp_path)
    image = read(pictures.png(SHA1, 1, [Box(left=600, top=780, right=9000, bottom=9000)]))
    assert is_yellow(pixel(image, 611, 791))


def test_a_poster_is_drawn_smaller_and_its_marks_still_fit(tmp_path: Path, pictures: PagePictures) -> None:
    write_pdf(tmp_path, (8000, 4000))
    image = read(pictures.png(SHA1, 1, [Box(left=4000, top=2000, right=4400, bottom=2400)]))
    assert max(image.size) == LONGEST_SIDE
    colour = image.getpixel((LONGEST_SIDE * 4200 // 8000, LONGEST_SIDE * 2200 // 8000))
    assert isinstance(colour, tuple)
    assert is_yellow(colour)


def test_a_page_is_drawn_at_each_level_and_at_no_other(tmp_path: Path, pictures: PagePictures) -> None:
    write_pdf(tmp_path)
    widths = [read(pictures.png(SHA1, 1, scale=level)).width for level in ZOOM_LEVELS]
    assert widths == [pytest.approx(612 * level, abs=1) for level in ZOOM_LEVELS]
    for scale in (0.0, 2.5, 100.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="is not drawn at scale"):
            pictures.png(SHA1, 1, scale=scale)


def test_a_picture_of_another_size_is_held_in_memory_up_to_a_bound(tmp_path: Path) -> None:
    pdf, drawn = write_pdf(tmp_path), []

    def drawing(path: Path, page_number: int, scale: float) -> bytes:
        drawn.append(scale)
        return draw(path, page_number, scale)

    recent = RecentPictures(len(draw(pdf, 1, 1.0)) + len(draw(pdf, 1, 1.5)))
    for scale in (1.0, 1.5, 1.0, 1.5, 4.0, 1.0):
        PagePictures(DataPaths(tmp_path), drawing, recent).png(SHA1, 1, scale=scale)
    assert drawn[:3] == [1.0, 1.5, 4.0]
    assert not (tmp_path / "pictures").exists()


def test_sizes_of_pages_are_those_displayed(tmp_path: Path) -> None:
    turn(write_pdf(tmp_path), 90)
    assert SafeDrawing().sizes(DataPaths(tmp_path).report_pdf(SHA1)) == ((792, 612),)
    with pytest.raises(DocumentError, match="missing or damaged"):
        SafeDrawing().sizes(tmp_path / "none.pdf")


def test_a_drawn_page_is_kept_and_marks_are_not(tmp_path: Path, pictures: PagePictures) -> None:
    pdf = write_pdf(tmp_path)
    pictures.png(SHA1, 1, [SQUARE])
    pdf.unlink()
    assert pixel(read(pictures.png(SHA1, 1)), 99, 199) == (255, 255, 255)
    assert [p.name for p in (tmp_path / "pictures" / SHA1).iterdir()] == ["0001.png"]


@pytest.mark.parametrize("page_number", [0, -1, 2])
def test_a_page_that_is_not_there_is_named(tmp_path: Path, pictures: PagePictures, page_number: int) -> None:
    write_pdf(tmp_path)
    with pytest.raises(UsageError, match=rf"no page {page_number}: it has 1 pages"):
        pictures.png(SHA1, page_number)


def test_a_path_is_not_a_report(pictures: PagePictures) -> None:
    with pytest.raises(UsageError, match="does not name a report"):
        pictures.png("../../etc/passwd", 1)


def test_a_missing_or_broken_pdf_is_named(tmp_path: Path, pictures: PagePictures) -> None:
    with pytest.raises(DocumentError, match=SHA1):
        pictures.png(SHA1, 1)
    write_pdf(tmp_path).write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(DocumentError, match=SHA1):
        pictures.png(SHA1, 1)


def test_a_page_that_never_ends_is_given_up_and_not_tried_again_at_once(tmp_path: Path) -> None:
    drawing, path = SafeDrawing(seconds=2, draw_page=endless_drawing), tmp_path / "endless.pdf"
    with pytest.raises(DocumentError, match=r"^page 1 of report endless: it could not be drawn within 2 s"):
        drawing(path, 1)
    begun = time.monotonic()
    with pytest.raises(DocumentError, match="could not be drawn"):
        drawing(path, 1)
    assert time.monotonic() - begun < 1.5  # it was not waited for once more


def test_a_page_is_drawn_in_another_process_as_it_is_here(tmp_path: Path) -> None:
    path = write_pdf(tmp_path)
    assert SafeDrawing()(path, 1) == draw(path, 1)
    with pytest.raises(UsageError, match="has no page 2"):
        SafeDrawing()(path, 2)


def test_people_take_turns_and_one_who_asks_for_much_is_told_to_wait() -> None:
    turns, begun, order = Turns(most=6, most_of_one=4), threading.Event(), list[str]()
    may_end = threading.Event()

    def draw_for(person: str) -> None:
        with turns.of(person):
            order.append(person)
            begun.set()
            may_end.wait()

    threads = []
    for person in ("ann", "ann", "ann", "ann", "bob"):
        threads.append(threading.Thread(target=draw_for, args=(person,)))
        threads[-1].start()
        begun.wait()
        while turns.waiting(person) < min(len(threads), 4 if person == "ann" else 1):
            time.sleep(0.001)
    with pytest.raises(DrawingBusy), turns.of("ann"):
        pass
    may_end.set()
    for thread in threads:
        thread.join()
    assert order == ["ann", "bob", "ann", "ann", "ann"]


def test_a_report_of_which_several_pages_could_not_be_drawn_is_left_alone_for_a_while(tmp_path: Path) -> None:
    drawing, path = SafeDrawing(), tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.4 nothing")
    for page in range(1, 4):
        with pytest.raises(DocumentError, match="missing or damaged"):
            drawing(path, page)
    with pytest.raises(DocumentError, match=r"several pages .* could not be drawn"):
        drawing(path, 4)


def test_a_minus_for_which_there_is_no_font_is_seen_on_the_picture(tmp_path: Path) -> None:
    font = UnicodeCIDFont("HeiseiMin-W3")  # which the PDF does not bring
    registerFont(font)
    canvas = Canvas(str(tmp_path / "yen.pdf"), pagesize=(612, 792))
    canvas.setFont(font.fontName, 12)
    canvas.drawString(72, 700, "△567")
    canvas.save()
    image = read(draw(tmp_path / "yen.pdf", 1)).convert("L")
    triangle = image.crop((144, 160, 166, 190))
    assert triangle.getextrema() == (0, 255)

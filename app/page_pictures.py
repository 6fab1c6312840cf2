"""Pictures of report pages, with highlighted passages of an answer."""

import io
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_int
from functools import partial
from pathlib import Path

import numpy as np
import pypdfium2
from PIL import Image, ImageChops, ImageDraw
from pypdfium2 import raw

from indexes.preflight import PdfProcess, Result
from storage.errors import DocumentError, UsageError
from storage.files import file_stamp, write_atomically
from storage.lexicon.words import expression
from storage.paths import DataPaths
from storage.records.record import Box
from storage.stores.pages import StampedCache

logger = logging.getLogger(__name__)
PIXELS_PER_POINT = 2.0
ZOOM_LEVELS = (0.3, 1.0, 1.5, PIXELS_PER_POINT, 3.0, 4.0, 6.0)
"""The pixels per point that a page is drawn with: from a thumbnail up to print of four times the size, sharp."""
LONGEST_SIDE = 5200  # pixels; larger pages are drawn smaller
RECENT_BYTES = 64_000_000  # of pictures at other levels than the usual one, in memory
SECONDS = 10.0  # for one page; the slowest of real reports takes less than 2
MOST_WAITING = 20  # pages at once; the chat has about 40 threads for all its routes
MOST_OF_ONE = 8  # of one person; a browser asks for six at once
MOST_FAILED = 3  # pages of a report
REFUSED_SECONDS = 600.0
_MOST_REFUSED = 1000
_HIGHLIGHT = (255, 214, 0)
_FIRST_RARE = "\u2000"  # other signs have other letters beside them that would be missing as well
_TRIANGLES = "△▲"  # the minus of Japanese accounts
_MISSING = (150, 150, 150)
_MARGIN = 6  # part of a line's height that is left free above and below
_INK = 40  # levels of grey between paper and print
_PADDING = 1.5  # points around each box, so that the mark does not cut the letters
_SHA1 = expression(r"[0-9a-f]{40}")
_SHOWN = 200  # characters of what somebody sent
MOST_BOXES = 60  # marks on one page; the address stays well under what servers accept
# As citations have them, with as many decimals as a computer's number has.
_BOX = expression(r"(-?\d{1,5}(?:\.\d{1,20})?)" + r",(-?\d{1,5}(?:\.\d{1,20})?)" * 3)


def read_boxes(text: str) -> list[Box]:
    """Boxes out of an address: `left,top,right,bottom` in points, several parted by semicolons.

    Raises:
        UsageError: anything else.
    """
    found = [_BOX.fullmatch(piece) for piece in text.split(";")] if text else []
    if len(found) > MOST_BOXES:
        raise UsageError(f"at most {MOST_BOXES} boxes, got {len(found)}")
    boxes = []
    for match in found:
        left, top, right, bottom = map(float, match.groups()) if match else (0.0, 0.0, 0.0, 0.0)
        if right <= left or bottom <= top:
            raise UsageError(
                f"boxes={text[:_SHOWN]!r}: expected left,top,right,bottom in points, as in a citation's `boxes`, with "
                "a semicolon between two boxes"
            )
        boxes.append(Box(left=left, top=top, right=right, bottom=bottom))
    return boxes


def page_address(sha1: str, page: int, boxes: Sequence[Box] = ()) -> str:
    """Where the chat shows a page of a report, with these places marked: what `read_boxes` reads, and more."""
    return f"/report/{sha1}/view?page={page}{'&' if boxes else ''}{_marks(boxes)}"


def picture_address(sha1: str, page: int, boxes: Sequence[Box] = ()) -> str:
    """Where the chat has the picture of a page, with these places marked."""
    return f"/report/{sha1}/{page}.png?{_marks(boxes)}"


def _marks(boxes: Sequence[Box]) -> str:
    sides = (f"{b.left:.1f},{b.top:.1f},{b.right:.1f},{b.bottom:.1f}" for b in boxes[:MOST_BOXES])
    return f"boxes={';'.join(sides)}" if boxes else ""


DrawPage = Callable[[Path, int, float], bytes]
"""Gives a page of a PDF as PNG, with so many pixels per point."""


class DrawingBusy(DocumentError):
    """Too many pages wait to be drawn; it is worth trying again."""


def draw(pdf: Path, page_number: int, scale: float = PIXELS_PER_POINT) -> bytes:
    """A page of a PDF as PNG; its scale is stored in the picture, so that marks fit it later.

    A sign for which neither the PDF nor this machine has a font is an empty box, and not a gap that nobody sees: "△567"
    is a loss.

    Raises:
        UsageError: the page does not exist.
        DocumentError: the PDF is missing or cannot be drawn.
    """
    document = _opened(pdf)
    try:
        if not 1 <= page_number <= len(document):
            raise UsageError(f"report {pdf.stem} has no page {page_number}: it has {len(document)} pages")
        page = document[page_number - 1]
        scale = min(scale, LONGEST_SIDE / max(page.get_size()))
        image = page.render(scale=scale).to_pil().convert("RGB")
        _show_missing_signs(image, page)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"page {page_number} of report {pdf.stem} is damaged and cannot be drawn") from error
    finally:
        document.close()
    return _encoded(image, dpi=72 * scale)


def _show_missing_signs(image: Image.Image, page: pypdfium2.PdfPage) -> None:
    """Draw a box for each sign of the text that was not drawn, for want of a font; △, a minus, is a triangle."""
    text, pen = page.get_textpage(), ImageDraw.Draw(image)
    for index in range(text.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(text, index))
        if sign < _FIRST_RARE or sign.isspace() or not sign.isprintable() or not _is_painted(text, index):
            continue
        place = _pixels(text, index, image, page)
        if place is None or _has_ink(image, place):
            continue
        left, top, right, bottom = place
        if sign in _TRIANGLES:
            corners = [(left, bottom), (right, bottom), ((left + right) / 2, top)]
            pen.polygon(corners, outline="black", fill="black" if sign == "▲" else None)
        else:
            pen.rectangle(place, outline=_MISSING)


def _is_painted(text: pypdfium2.PdfTextPage, index: int) -> bool:
    """Whether a sign should be seen, in a font that the PDF does not bring."""
    drawn = raw.FPDFText_GetTextObject(text, index)
    font = raw.FPDFTextObj_GetFont(drawn) if drawn else None
    is_hidden = not drawn or raw.FPDFTextObj_GetTextRenderMode(drawn) == raw.FPDF_TEXTRENDERMODE_INVISIBLE
    return not is_hidden and bool(font) and raw.FPDFFont_GetIsEmbedded(font) == 0


def _pixels(
    text: pypdfium2.PdfTextPage, index: int, image: Image.Image, page: pypdfium2.PdfPage
) -> tuple[int, int, int, int] | None:
    """The place of a sign in the picture of its page, a little smaller than its line is high; None outside."""
    box = raw.FS_RECTF()
    if not raw.FPDFText_GetLooseCharBox(text, index, box):
        return None
    corners = []
    for x, y in ((box.left, box.bottom), (box.right, box.top)):
        across, down = c_int(), c_int()
        raw.FPDF_PageToDevice(page, 0, 0, *image.size, 0, x, y, across, down)
        corners.append((across.value, down.value))
    (left, right), (top, bottom) = (sorted(side) for side in zip(*corners, strict=True))
    margin = (bottom - top) // _MARGIN
    place = left + 1, top + margin, right - 1, bottom - margin
    is_inside = 0 <= place[0] < place[2] < image.width and 0 <= place[1] < place[3] < image.height
    return place if is_inside else None


def _has_ink(image: Image.Image, place: tuple[int, int, int, int]) -> bool:
    levels = np.asarray(image.crop(place).convert("L"))
    return int(levels.max()) - int(levels.min()) > _INK


def page_sizes(pdf: Path) -> tuple[tuple[float, float], ...]:
    """Width and height of each page in points, as displayed.

    Raises:
        DocumentError: the PDF is missing or damaged.
    """
    document = _opened(pdf)
    try:
        return tuple(document.get_page_size(index) for index in range(len(document)))
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"the pages of report {pdf.stem} are damaged; ingest it again") from error
    finally:
        document.close()


def _opened(pdf: Path) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(pdf)
        if document.get_formtype() == pypdfium2.raw.FORMTYPE_ACRO_FORM:
            document.init_forms()  # which draws the values of fields that have no appearance
        return document
    except (pypdfium2.PdfiumError, FileNotFoundError) as error:
        raise DocumentError(f"the PDF of report {pdf.stem} is missing or damaged; ingest it again") from error


class Turns:
    """Lets one after the other do something: people take turns, however much each of them asks for."""

    def __init__(self, most: int = MOST_WAITING, most_of_one: int = MOST_OF_ONE) -> None:
        """Let so many wait, and so many of one person, those who are doing it included."""
        self._most, self._most_of_one = most, most_of_one
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str | None, deque[object]] = OrderedDict()  # whose turn is next stands first

    def waiting(self, person: str | None) -> int:
        """How many of a person wait, or have their turn."""
        with self._changed:
            return len(self._waiting.get(person, ()))

    @contextmanager
    def of(self, person: str | None) -> Iterator[None]:
        """Wait for a person's turn, and take it.

        Raises:
            DrawingBusy: too many wait, or too many of this person.
        """
        ticket = object()
        with self._changed:
            own = self._waiting.get(person, deque())
            if sum(map(len, self._waiting.values())) >= self._most or len(own) >= self._most_of_one:
                raise DrawingBusy("many pages are being drawn; try again in a moment")
            self._waiting.setdefault(person, deque()).append(ticket)
            self._changed.wait_for(lambda: next(iter(self._waiting.values()))[0] is ticket)
        try:
            yield
        finally:
            with self._changed:
                self._waiting[person].popleft()
                self._waiting.move_to_end(person)
                if not self._waiting[person]:
                    del self._waiting[person]
                self._changed.notify_all()


class SafeDrawing:
    """Draws pages in a process of its own, one after the other, and a page that could not be drawn not again soon.

    People take turns. A report of which several pages could not be drawn is not drawn at all for a while.
    """

    def __init__(self, seconds: float = SECONDS, draw_page: DrawPage = draw) -> None:
        """Give up a page after so many seconds; `draw_page` is a function of a module."""
        self._draw_page = draw_page
        self._process = PdfProcess("drawn", seconds)
        self._turns = Turns()
        self._refused: dict[tuple[object, ...], tuple[float, str]] = {}
        self._failed: dict[Path, list[float]] = {}

    def of(self, person: str | None) -> DrawPage:
        """Draws for a person."""
        return partial(self.__call__, person=person)

    def __call__(
        self, pdf: Path, page_number: int, scale: float = PIXELS_PER_POINT, person: str | None = None
    ) -> bytes:
        """A page as PNG.

        Raises:
            UsageError: the page does not exist.
            DrawingBusy: too many pages wait.
            DocumentError: it cannot be drawn.
        """
        what = f"page {page_number} of report {pdf.stem}"
        return self._once(what, person, self._draw_page, pdf, page_number, scale)

    def sizes(self, pdf: Path, person: str | None = None) -> tuple[tuple[float, float], ...]:
        """Width and height of each page in points, as displayed.

        Raises:
            DrawingBusy: too many pages wait.
            DocumentError: the PDF cannot be opened.
        """
        return self._once(f"report {pdf.stem}", person, page_sizes, pdf)

    def _once(
        self, what: str, person: str | None, job: Callable[..., Result], pdf: Path, *arguments: object
    ) -> Result:
        """Do a job in the process; one that failed fails again at once for a while."""
        tried = (pdf, *arguments)
        self._check(tried)
        with self._turns.of(person):
            self._check(tried)  # it may have failed meanwhile, for somebody else
            try:
                return self._process.call(job, pdf, *arguments)
            except DocumentError as error:
                why = str(error).replace(str(pdf), what)
                self._note(tried, why)
                raise DocumentError(why) from error

    def _check(self, tried: tuple[object, ...]) -> None:
        now = time.monotonic()
        until, why = self._refused.get(tried, (0.0, ""))
        if now < until:
            raise DocumentError(why)
        pdf = tried[0]
        failed = (
            [at for at in self._failed.get(pdf, ()) if now < at + REFUSED_SECONDS] if isinstance(pdf, Path) else []
        )
        if isinstance(pdf, Path) and len(failed) >= MOST_FAILED:
            raise DocumentError(f"several pages of report {pdf.stem} could not be drawn: try again in ten minutes")

    def _note(self, tried: tuple[object, ...], why: str) -> None:
        if len(self._refused) >= _MOST_REFUSED:
            self._refused.clear()
            self._failed.clear()
        now = time.monotonic()
        self._refused[tried] = (now + REFUSED_SECONDS, why)
        if isinstance(tried[0], Path):
            self._failed.setdefault(tried[0], []).append(now)


RecentPictures = StampedCache[tuple[Path, int, float], bytes]
"""Pictures that were asked for last, by their PDF, page and scale; shared by many `PagePictures`."""


class PagePictures:
    """Draws pages of the library's PDFs. Pages of the usual size are stored on disk; marks are drawn at each call."""

    def __init__(self, paths: DataPaths, draw_page: DrawPage, recent: RecentPictures | None = None) -> None:
        """Draw pages of one data root.

        Args:
            paths: of the data root.
            draw_page: draws what is not stored yet: `draw` itself, or better `SafeDrawing`, since PDFs are foreign.
            recent: holds pictures of other sizes.
        """
        self._paths = paths
        self._draw_page = draw_page
        self._recent = recent or RecentPictures(0)

    def png(
        self, sha1: str, page_number: int, boxes: Sequence[Box] = (), scale: float = PIXELS_PER_POINT
    ) -> bytes:
        """A page as PNG, with the boxes marked.

        Args:
            sha1: of the report.
            page_number: 1-based.
            boxes: places to mark, in points of the displayed page from the top left; parts outside the page are
                cut off.
            scale: pixels per point, one of `ZOOM_LEVELS`.

        Raises:
            UsageError: the page does not exist, the SHA-1 is invalid, or a page is not drawn at this scale.
            DocumentError: the PDF is missing or cannot be drawn.
        """
        if not _SHA1.fullmatch(sha1):
            raise UsageError(f"{sha1!r} does not name a report: expected the 40 hex digits of a SHA-1")
        if scale not in ZOOM_LEVELS:
            raise UsageError(f"a page is not drawn at scale {scale:g}: expected one of {_LEVELS}")
        pdf = self._paths.report_pdf(sha1)
        png = self._usual(pdf, page_number) if scale == PIXELS_PER_POINT else self._other(pdf, page_number, scale)
        return _mark(png, boxes) if boxes else png

    def _usual(self, pdf: Path, page_number: int) -> bytes:
        stored = self._paths.pictures / pdf.stem / f"{page_number:04d}.png"
        png = stored.read_bytes() if stored.is_file() else b""
        if not is_picture(png):
            png = self._draw_page(pdf, page_number, PIXELS_PER_POINT)
            _store(stored, png)
        return png

    def _other(self, pdf: Path, page_number: int, scale: float) -> bytes:
        key, stamp = (pdf, page_number, scale), file_stamp(pdf)
        png = self._recent.get(key, stamp)
        if png is None:
            png = self._draw_page(pdf, page_number, scale)
            self._recent.put(key, stamp, png, len(png))
        return png


_LEVELS = ", ".join(f"{level:g}" for level in ZOOM_LEVELS)


def is_picture(png: bytes) -> bool:
    """Whether a file's content is a whole picture."""
    try:
        with Image.open(io.BytesIO(png)) as picture:
            picture.verify()
    except (OSError, SyntaxError, ValueError):
        return False
    return True


def _store(path: Path, png: bytes) -> None:
    """Keep a picture for the next time; where it cannot be kept, it is drawn again then."""
    try:
        write_atomically(path, png)
    except OSError as error:
        logger.warning("the picture %s cannot be stored: %s", path, error)


def _mark(png: bytes, boxes: Sequence[Box]) -> bytes:
    with Image.open(io.BytesIO(png)) as page:
        dpi = page.info["dpi"][0]
        ink = Image.new("RGB", page.size, "white")
        pen = ImageDraw.Draw(ink)
        for box in boxes:
            corners = (
                box.left - _PADDING,
                box.top - _PADDING,
                box.right + _PADDING,
                box.bottom + _PADDING,
            )
            pen.rectangle([corner * dpi / 72 for corner in corners], fill=_HIGHLIGHT)
        return _encoded(_under_the_letters(page.convert("RGB"), ink), dpi=dpi)


def _under_the_letters(page: Image.Image, ink: Image.Image) -> Image.Image:
    """Marks that colour the paper and leave black letters black, like a highlighter."""
    return Image.blend(page, ImageChops.multiply(page, ink), 0.6)


def _encoded(image: Image.Image, dpi: float) -> bytes:
    target = io.BytesIO()
    image.save(target, format="PNG", dpi=(dpi, dpi), compress_level=4)
    return target.getvalue()

"""Docling's pages of PDFs, with the words as plain records that PDFium decodes.

Docling makes several objects of every word, character and line before a layout engine sees it, draws every page, and
orders the elements of the whole document, which take more time than the parsing. The geometric layout needs the words
alone. So this backend takes them from PDFium, and draws a page only when OCR asks for its picture.
"""

import ctypes
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
import pypdfium2
import pypdfium2.raw as raw
from docling.backend.pdf_backend import PdfDocumentBackend, PdfPageBackend
from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.document import InputDocument
from docling.exceptions import DocumentLoadError
from docling.utils.locks import pypdfium2_lock
from docling_core.types.doc.base import BoundingBox, Size
from docling_core.types.doc.page import SegmentedPdfPage, TextCell
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field

from indexes.drawn_objects import DrawnObjects, has_layers, page_problem
from indexes.layout.words import Extent, Word
from indexes.pdf_words import Display, Fonts, Pdfium, TurnedWord, words_of
from indexes.reading.alphabets import Glyph
from indexes.reading.annotations import Annotations, annotations_of, places_of_notes, with_values
from storage.records.pages import Page

_SMALLEST_PRINT = 2.0  # points from the top to the bottom of a word; smaller print is a speck
_FEWEST_LEVELS = 16  # of 255, between the lightest and the darkest point of a word that can be seen
_SCAN_SHARE = 0.7  # of a page, which a picture takes whose text layer may lie under it
_LOOKED_AT = 1.0  # times 72 dpi
_MOST_TWINS = 100  # pieces of text at one place that are looked at; more are no accident, and cost a picture each
_ROW, _OVER = 6.0, 0.6  # points; share of the smaller word's sides
_AROUND = 4  # points around a piece of text that may change with it
_SMALLEST_TURN = 0.01  # radians
_SMALLEST_MARK = 0.05  # points
_SMALLEST_GAP = 1.0
_SAME_BREADTH = 0.05  # of a character's height
_LONGEST_NAME = 256  # bytes of a font's name


@dataclass
class Findings:
    """What comes of a PDF while its pages are read.

    Attributes:
        sha1: the report's.
        pages: the record of each page, in order.
        problem: the number of a page that is larger than any that is printed, and in what way.
    """

    sha1: str = ""
    pages: list[Page] = field(default_factory=list)
    problem: tuple[int, str] | None = None


class DecodedOptions(PdfBackendOptions):
    """Whether hidden text is left out and pictures are left, and what comes of the PDF that is read."""

    leaves_out_hidden: bool = False
    leaves_pictures: bool = False
    findings: Findings = Field(default_factory=Findings)


class DecodedPage(PdfPageBackend):
    """A page of a PDF.

    Attributes:
        words: the page's words; OCR may replace them.
        text: the text layer, line by line.
        pictures: where bitmaps are drawn that can be seen.
        hidden: the words that nobody sees who looks at the page, where they are left out.
        notes: where texts and stamps stand that somebody put on the page.
        may_leave_pictures: whether pictures beside words may be left.
        has_unread_pictures: whether some were.
    """

    may_leave_pictures = False
    has_unread_pictures = False

    def __init__(self, number: int, pdf: "_OpenPdf", fonts: Fonts, *, leaves_out_hidden: bool = False) -> None:
        self._number = number
        self._pdf = pdf
        self._size = Size(width=0.0, height=0.0)
        self.words: list[TurnedWord] = []
        self.text = ""
        self.pictures: list[Extent] = []
        self.hidden = ""
        self.notes: list[Extent] = []
        self.problem = ""
        self._is_valid = True
        try:
            with pdf.opened(number) as page:
                self._take(page, fonts, leaves_out_hidden=leaves_out_hidden)
        except pypdfium2.PdfiumError as error:
            self._is_valid, self._why_not = False, str(error)

    def _take(self, page: pypdfium2.PdfPage, fonts: Fonts, *, leaves_out_hidden: bool) -> None:
        width, height = page.get_size()
        self._size = Size(width=width, height=height)
        drawn = DrawnObjects(page)
        text = cache(page.get_textpage)
        self.problem = self._why_not = page_problem(drawn, text)
        if self.problem:
            self._is_valid = False
            return
        self.pictures = drawn.pictures()
        self.words = words_of(text(), drawn, fonts)
        if annotated := self._pdf.annotated.get(self._number):
            added, before = annotated
            self.words = with_values(self.words, added.fields, -page.get_rotation() % 360)
            self.notes = places_of_notes(self.words, before, added.notes)
        self.text = text().get_text_range().replace("\r\n", "\n")
        if leaves_out_hidden:
            seen = _seen_words(
                self.words, _OpenPage(page, text, drawn, self.pictures), has_layers=self._pdf.has_layers
            )
            if len(seen) < len(self.words):
                remaining = {id(word) for word, _ in seen}
                self.hidden = " ".join(word.text for word, _ in self.words if id(word) not in remaining)
                self.words = seen
        text().close()

    @property
    def page_no(self) -> int:
        """Docling's name for the number of the page, from 1."""
        return self._number

    def leaves_pictures(self) -> bool:
        """Whether the pictures are to be left, which is noted then."""
        self.has_unread_pictures |= self.may_leave_pictures
        return self.may_leave_pictures

    def glyphs(self) -> list[Glyph]:
        """The printed characters as PDFium tells them apart; none where some are turned, or cannot be seen."""
        return [] if self.hidden else self._pdf.glyphs(self.page_no)

    def get_text_in_rect(self, bbox: BoundingBox) -> str:
        """The words whose centre is in the box."""
        place = Extent(bbox.l, bbox.t, bbox.r, bbox.b)
        return " ".join(w.text for w, _ in self.words if _is_in(w, place))

    def get_segmented_page(self) -> SegmentedPdfPage | None:
        """None: the words are in `words`."""
        return None

    def get_text_cells(self) -> Iterable[TextCell]:
        """None: the words are in `words`."""
        return ()

    def get_bitmap_rects(self, scale: float = 1) -> Iterable[BoundingBox]:
        """Where bitmaps are drawn."""
        for place in self.pictures:
            box = BoundingBox(l=place.left, t=place.top, r=place.right, b=place.bottom)
            yield box.scaled(scale=scale)

    def get_page_image(self, scale: float = 1, cropbox: BoundingBox | None = None) -> Image.Image:
        """The page or a part of it, drawn now."""
        return self._pdf.drawn(self.page_no, scale, cropbox)

    def get_size(self) -> Size:
        """The page's size in points."""
        return self._size

    def is_valid(self) -> bool:
        """Whether the page could be read."""
        return self._is_valid

    def get_error_message(self) -> str:
        """Why it could not."""
        return self._why_not

    def unload(self) -> None:
        """Nothing is held but memory."""


class DecodedDocument(PdfDocumentBackend):
    """A PDF whose pages are `DecodedPage`s."""

    def __init__(
        self, in_doc: InputDocument, path_or_stream: BytesIO | Path, options: PdfBackendOptions | None = None
    ) -> None:
        """Open the PDF.

        Raises:
            DocumentLoadError: PDFium cannot open it.
        """
        super().__init__(in_doc, path_or_stream, options)
        self.findings = options.findings if isinstance(options, DecodedOptions) else Findings()
        self._fonts = Fonts()
        try:
            self._pdf: _OpenPdf | None = _OpenPdf(path_or_stream)
        except pypdfium2.PdfiumError as error:
            raise DocumentLoadError(f"PDFium cannot open the document {self.document_hash}: {error}") from error

    def is_valid(self) -> bool:
        """Whether it has pages."""
        return self.page_count() > 0

    def page_count(self) -> int:
        """How many."""
        return self._pdf.page_count if self._pdf is not None else 0

    def load_page(self, page_no: int) -> DecodedPage:
        """A page by its place, from 0, without its hidden text where that is left out."""
        assert self._pdf is not None
        options = self.options if isinstance(self.options, DecodedOptions) else DecodedOptions()
        page = DecodedPage(page_no + 1, self._pdf, self._fonts, leaves_out_hidden=options.leaves_out_hidden)
        page.may_leave_pictures = options.leaves_pictures
        if page.problem:
            self.findings.problem = page_no + 1, page.problem
        return page

    def unload(self) -> None:
        """Close the document."""
        if self._pdf is not None:
            self._pdf.close()
            self._pdf = None
        super().unload()  # type: ignore[no-untyped-call]  # Docling's has no types


class _OpenPdf:
    """An open PDF, which gives one page at a time to any thread.

    Attributes:
        annotated: for each page that was opened and has any, what is filled in and put on it, and the words without it.
    """

    def __init__(self, pdf: BytesIO | Path) -> None:
        self.annotated: dict[int, tuple[Annotations, list[TurnedWord]]] = {}
        with pypdfium2_lock:
            self._document = pypdfium2.PdfDocument(pdf if isinstance(pdf, Path) else pdf.getvalue())
            self.page_count = len(self._document)
            self.has_layers = has_layers(pdf.read_bytes() if isinstance(pdf, Path) else pdf.getvalue())
            self._document.init_forms()  # which draws the values of fields that have no appearance
        self._opened: tuple[int, pypdfium2.PdfPage] | None = None

    @contextmanager
    def opened(self, page_number: int) -> Iterator[pypdfium2.PdfPage]:
        """A page with what is filled into its form and put on it; it stays open until another one is asked for."""
        with pypdfium2_lock:
            if self._opened is None or self._opened[0] != page_number:
                self._close_page()
                self._opened = page_number, self._page(page_number)
            yield self._opened[1]

    def _page(self, page_number: int) -> pypdfium2.PdfPage:
        page = self._document[page_number - 1]
        added, is_drawn = annotations_of(page)
        if is_drawn:
            self.annotated[page_number] = added, _words_of(page) if added.notes else []
            raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
            page.close()
            page = self._document[page_number - 1]
        return page

    def _close_page(self) -> None:
        if self._opened is not None:
            self._opened[1].close()
            self._opened = None

    def drawn(self, page_number: int, scale: float, part: BoundingBox | None) -> Image.Image:
        with self.opened(page_number) as page:
            width, height = page.get_size()
            crop = (part.l, height - part.b, width - part.r, part.t) if part else (0, 0, 0, 0)
            bitmap = page.render(scale=scale, crop=tuple(max(0.0, side) for side in crop))
            image: Image.Image = bitmap.to_pil().convert("RGB")
            return image

    def glyphs(self, page_number: int) -> list[Glyph]:
        """The characters of a page; none where the page or some of them are turned, or the page is cut."""
        with self.opened(page_number) as page:
            left, bottom, _, _ = page.get_bbox()
            return list(_glyphs(page)) if page.get_rotation() == 0 and (left, bottom) == (0, 0) else []

    def close(self) -> None:
        with pypdfium2_lock:
            self._close_page()
            self._document.close()


def _words_of(page: pypdfium2.PdfPage) -> list[TurnedWord]:
    """The words of a page, if it is not too large."""
    drawn, text = DrawnObjects(page), cache(page.get_textpage)
    return [] if page_problem(drawn, text) else words_of(text(), drawn, Fonts())


def _glyphs(page: pypdfium2.PdfPage) -> Sequence[Glyph]:
    """The characters of a page that print something; none where one of them is turned.

    PDFium takes a letter for a space where the font says it is one, and leaves it out in a gap; it is supposed there.
    """
    text, height = page.get_textpage(), page.get_height()
    found: list[Glyph] = []
    box, sides = raw.FS_RECTF(), [ctypes.c_double() for _ in range(4)]
    name, flags = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()
    begins, left_out = True, math.inf
    for place in range(text.count_chars()):
        raw.FPDFText_GetCharBox(text, place, *sides)
        left, right, bottom, top = (side.value for side in sides)
        if raw.FPDFText_IsGenerated(text, place):
            is_behind = (
                bool(found) and left < found[-1].right + _SMALLEST_GAP and height - bottom < found[-1].bottom
            )
            left_out = math.inf if is_behind else left
            continue
        if min(right - left, top - bottom) < _SMALLEST_MARK:  # nothing is printed, as of a space
            begins = True
            continue
        if raw.FPDFText_GetCharAngle(text, place) > _SMALLEST_TURN:
            return []
        raw.FPDFText_GetLooseCharBox(text, place, box)
        raw.FPDFText_GetFontInfo(text, place, name, _LONGEST_NAME, flags)
        font, code = name.value.decode(errors="replace"), chr(raw.FPDFText_GetUnicode(text, place))
        glyph = Glyph(font, code, box.left, height - box.top, box.right, height - box.bottom, begins)
        if 0 < glyph.left - left_out < glyph.bottom - glyph.top:
            found.append(replace(glyph, code=" ", left=left_out, right=glyph.left, begins=True, is_supposed=True))
        found.append(glyph)
        begins, left_out = False, math.inf
    widths = {glyph.font: glyph.breadth for glyph in found if glyph.code == " " and not glyph.is_supposed}
    return [
        glyph
        for glyph in found
        if not glyph.is_supposed or abs(glyph.breadth - widths.get(glyph.font, math.inf)) < _SAME_BREADTH
    ]


@dataclass(frozen=True)
class _OpenPage:
    """A page while it is open.

    Attributes:
        page: as PDFium has it.
        text: gives its text.
        drawn: what is drawn on it.
        pictures: where bitmaps are drawn that can be seen.
    """

    page: pypdfium2.PdfPage
    text: Callable[[], pypdfium2.PdfTextPage]
    drawn: DrawnObjects
    pictures: Sequence[Extent]


def _seen_words(words: Sequence[TurnedWord], page: _OpenPage, *, has_layers: bool) -> list[TurnedWord]:
    """The words without those of one point and, where text may be hidden, without all that cannot be seen.

    Args:
        words: of the page.
        page: itself.
        has_layers: whether the document has layers that may be switched off.
    """
    seen = [
        (word, angle)
        for word, angle in words
        if angle or word.bottom - word.top >= _SMALLEST_PRINT or not _is_print(word)
    ]
    if seen and page.drawn.may_hide_text(has_layers=has_layers):
        look = _look(page, [word for word, _ in seen])
        seen = [(word, angle) for word, angle in seen if not _is_print(word) or look.shows(word)]
    if twins := _at_one_place([word for word, _ in seen]):
        beneath = list(_unseen(page, twins))
        seen = [(word, angle) for word, angle in seen if not (word in twins and _is_of(word, beneath))]
    return seen


@dataclass(frozen=True)
class _Look:
    """A page's picture, in grey.

    Attributes:
        bare: the same without its painted text; None for a scan, whose text layer may lie under its picture.
        differs: where the two are not alike.
        bitmaps: where text may lie behind a photograph, so that something is seen there all the same.
        unpainted: where text lies that is not painted, as over the outlines of its letters.
        painted: the letters of the painted text around a place.
    """

    picture: NDArray[np.uint8]
    bare: NDArray[np.uint8] | None
    differs: NDArray[np.bool_] | None = None
    bitmaps: Sequence[Extent] = ()
    unpainted: Sequence[Extent] = ()
    painted: Callable[[float, float], Iterable[str]] | None = None

    def shows(self, word: Word) -> bool:
        """Whether anything is seen where the word is said to be, and would not be without it."""
        left, top, right, bottom = (side * _LOOKED_AT for side in (word.left, word.top, word.right, word.bottom))
        rows = slice(max(0, int(top)), math.ceil(bottom) + 1)
        columns = slice(max(0, int(left)), math.ceil(right) + 1)
        if not _has_contrast(self.picture[rows, columns]):
            return False
        if self.bare is None or self.differs is None:
            return True
        if any(_is_in(word, place) for place in self.unpainted):  # what is seen there may be another text
            x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
            letters = _letters(word.text)
            is_seen = _has_contrast(self.bare[rows, columns])
            return is_seen or (self.painted is not None and any(letters in other for other in self.painted(x, y)))
        may_be_behind = any(_is_in(word, place) for place in self.bitmaps)
        return not may_be_behind or bool(self.differs[rows, columns].any())


def _has_contrast(place: NDArray[np.uint8]) -> bool:
    return place.size > 0 and int(place.max()) - int(place.min()) >= _FEWEST_LEVELS


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _look(page: _OpenPage, words: Sequence[Word]) -> _Look:
    """The page as it is seen, and without its painted text where words may lie behind a picture or on other text."""
    picture = _picture(page.page)
    texts, places = page.drawn.addresses[page.drawn.texts], page.drawn.boxes_in_page(page.drawn.texts)
    handles = Pdfium.handles(texts)
    modes = Pdfium.numbers(Pdfium.render_mode, handles)
    is_unpainted = modes == raw.FPDF_TEXTRENDERMODE_INVISIBLE
    is_scan = any(_area(p) > _SCAN_SHARE * picture.size / _LOOKED_AT**2 for p in page.pictures)
    may_be_behind = (_is_in(word, place) for place in page.pictures for word in words)
    if is_scan or not (is_unpainted.any() or any(may_be_behind)):
        return _Look(picture, None)
    left, top, right, bottom = _displayed(Display.of(page.page), places).T
    unpainted = [Extent(*sides) for sides in np.stack((left, top, right, bottom), axis=1)[is_unpainted].tolist()]
    for text in handles:
        Pdfium.set_render_mode(text, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
    bare = _picture(page.page)
    for text, mode in zip(handles, modes.tolist(), strict=True):
        Pdfium.set_render_mode(text, mode)

    def painted(x: float, y: float) -> Iterator[str]:
        around = ~is_unpainted & (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
        yield from (_letters(_text_of(text, page.text())) for text in texts[around].tolist())

    return _Look(picture, bare, _differ(picture, bare), page.pictures, unpainted, painted)


def _differ(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where the eye sees a difference between two pictures of one size."""
    return np.maximum(one, other) - np.minimum(one, other) >= _FEWEST_LEVELS


def _unseen(page: _OpenPage, words: set[Word]) -> Iterable[tuple[str, Extent]]:
    """Of words that are printed at one place, the pieces of text that a page looks the same without.

    Such are those of a layer that is switched off, and those that are not painted.
    """
    display, drawn = Display.of(page.page), page.drawn
    texts = drawn.addresses[drawn.texts]
    places = _displayed(display, Pdfium.bounds(Pdfium.handles(texts)).astype(np.float64))
    middles = np.array([((w.left + w.right) / 2, (w.top + w.bottom) / 2) for w in words])
    are_in = np.all((places[:, None, :2] <= middles) & (middles <= places[:, None, 2:]), axis=2)
    near = np.flatnonzero(np.any(are_in, axis=1))[:_MOST_TWINS]
    changed = _displayed(display, drawn.boxes_in_page(drawn.texts[near]))
    for place, around in zip(near.tolist(), changed.tolist(), strict=True):
        text, cut = Pdfium.handle(int(texts[place])), _cut_around(around, page.page.get_size())
        mode = Pdfium.render_mode(text)
        with_it = _picture(page.page, cut)
        Pdfium.set_render_mode(text, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
        without = _picture(page.page, cut)
        Pdfium.set_render_mode(text, mode)
        if not _differ(with_it, without).any():
            yield _text_of(int(texts[place]), page.text()), Extent(*places[place].tolist())


def _cut_around(place: Sequence[float], size: Sequence[float]) -> tuple[int, int, int, int]:
    """What to cut off the page's picture around a place: on the left, below, on the right and above, in points.

    Nothing is cut off where the place is not on the page.
    """
    (left, top, right, bottom), (width, height) = place, size
    cut = left - _AROUND, height - bottom - _AROUND, width - right - _AROUND, top - _AROUND
    is_on_page = max(left, 0.0) < min(right, width) and max(top, 0.0) < min(bottom, height)
    first, second, third, fourth = (max(0, math.floor(side)) if is_on_page else 0 for side in cut)
    return first, second, third, fourth


def _picture(page: pypdfium2.PdfPage, cut: tuple[int, int, int, int] = (0, 0, 0, 0)) -> NDArray[np.uint8]:
    """The page, or what is left of it, in grey, a pixel for each point."""
    bitmap = page.render(
        scale=_LOOKED_AT, crop=cut, prefer_bgrx=True, rev_byteorder=True
    )  # which Pillow need not copy
    size, rows = (bitmap.width, bitmap.height), (bitmap.stride, 1)
    return np.asarray(Image.frombuffer("RGBX", size, bitmap.buffer, "raw", "RGBX", *rows).convert("L"))


def _displayed(display: Display, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Left, bottom, right and top in the file as left, top, right and bottom of what is shown."""
    xs, ys = (np.sort(side, axis=1) for side in display.points(boxes[:, 0::2], boxes[:, 1::2]))
    return np.stack((xs[:, 0], ys[:, 0], xs[:, 1], ys[:, 1]), axis=1)


def _text_of(piece: int, letters: pypdfium2.PdfTextPage) -> str:
    handle = ctypes.cast(piece, raw.FPDF_PAGEOBJECT)
    size = raw.FPDFTextObj_GetText(handle, letters, None, 0)
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFTextObj_GetText(handle, letters, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")


def _sides(words: Sequence[Word]) -> NDArray[np.float64]:
    """Left, top, right and bottom of each word."""
    sides = [w.left for w in words], [w.top for w in words], [w.right for w in words], [w.bottom for w in words]
    return np.array(sides).T


def _at_one_place(words: Sequence[Word]) -> set[Word]:
    """Words of which one lies over the greater part of another that says something else."""
    found: set[Word] = set()
    printed = [
        word for word in words if word.text[:1].isalnum() or _is_print(word)
    ]  # most begin with what is print
    if not printed:
        return found
    sides = _sides(printed)
    for shift in (0.0, 0.5):  # two rows that are near are one in one of both grids
        rows = np.floor((sides[:, 1] + sides[:, 3]) / 2 / _ROW + shift)
        order = np.lexsort((sides[:, 2], rows))
        one, other = sides[order[:-1]], sides[order[1:]]
        shared = np.minimum(one[:, 2:], other[:, 2:]) - np.maximum(one[:, :2], other[:, :2])
        least = np.minimum(one[:, 2:] - one[:, :2], other[:, 2:] - other[:, :2])
        for place in np.flatnonzero((shared > _OVER * least).all(axis=1)).tolist():
            pair = printed[int(order[place])], printed[int(order[place + 1])]
            if pair[0].text != pair[1].text:
                found.update(pair)
    return found


def _is_of(word: Word, pieces: Iterable[tuple[str, Extent]]) -> bool:
    return any(word.text in text and _is_in(word, place) for text, place in pieces)


def _is_print(word: Word) -> bool:
    return any(map(str.isalnum, word.text))


def _area(place: Extent) -> float:
    return (place.right - place.left) * (place.bottom - place.top)


def _is_in(word: Word, place: Extent) -> bool:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return place.left <= x <= place.right and place.top <= y <= place.bottom

"""Docling's parser of PDFs, with the words of its pages as plain records.

Docling makes several objects of every word, character and line before a layout engine sees it, draws every page, and
orders the elements of the whole document, which take more time than the parsing. The geometric layout needs the words
alone. So this backend reads them straight from the decoder, and draws a page only when OCR asks for its picture.
"""

import ctypes
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as raw
from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend
from docling.backend.pdf_backend import PdfPageBackend
from docling.datamodel.backend_options import ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import AssembledUnit, Page
from docling.datamodel.document import ConversionResult
from docling.models.base_model import BasePageModel
from docling.pipeline.standard_pdf_pipeline import StandardPdfPipeline
from docling.utils.locks import pypdfium2_lock
from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.page import BoundingRectangle, SegmentedPdfPage, TextCell
from docling_parse.pdf_parser import PageParseResult
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field

from indexes.layout.words import Extent, Word
from indexes.reading.alphabets import Glyph

TurnedWord = tuple[Word, int]
"""A word as displayed, and the angle of its print in degrees, counter-clockwise."""
_SMALLEST_PRINT = 2.0  # points from the top to the bottom of a word; smaller print is a speck
_FEWEST_LEVELS = 16  # of 255, between the lightest and the darkest point of a word that can be seen
_SCAN_SHARE = 0.7  # of a page, which a picture takes whose text layer may lie under it
_LOOKED_AT = 1.0  # times 72 dpi
_SMALLEST_TURN = 0.01  # radians
_SMALLEST_MARK = 0.05  # points
_SMALLEST_GAP = 1.0
_SAME_BREADTH = 0.05  # of a character's height
_LONGEST_NAME = 256  # bytes of a font's name


@dataclass
class HiddenText:
    """What of a PDF's text nobody sees who looks at its pages.

    Attributes:
        suspected: pages whose words are compared with the page's picture.
        found: the hidden words of each page that has some; filled as pages are parsed.
    """

    suspected: frozenset[int]
    found: dict[int, str] = field(default_factory=dict)


class DecodedOptions(ThreadedDoclingParseBackendOptions):
    """The parser's options, and for each PDF whose hidden text is left out what is known of it."""

    hidden: dict[Path, HiddenText] = Field(default_factory=dict)


class DecodedPage(PdfPageBackend):
    """A page of a parsed PDF.

    Attributes:
        words: the page's words; OCR may replace them.
    """

    def __init__(self, result: PageParseResult, drawing: "_Drawing") -> None:
        self._result = result
        self._drawing = drawing
        self._has_hidden = False
        self.words: list[TurnedWord] = list(self._decoded()) if result.success else []

    @property
    def page_no(self) -> int:
        """Docling's name for the number of the page, from 1."""
        return int(self._result.page_number)

    @cached_property
    def text(self) -> str:
        """The text layer, line by line."""
        decoder = self._result._page_decoder
        lines = decoder.get_line_cells() if decoder is not None and decoder.has_line_cells() else ()
        return "\n".join(line.text for line in lines)

    @cached_property
    def pictures(self) -> list[Extent]:
        """Where bitmaps are drawn that can be seen."""
        decoder = self._result._page_decoder
        images = decoder.get_page_images() if decoder is not None else ()
        places = [_extent(i, self._result.page_height) for i in images if getattr(i, "is_visible", True)]
        return [p for p in places if (p.right - p.left) * (p.bottom - p.top) > 0]

    def _decoded(self) -> Iterator[TurnedWord]:
        decoder, height = self._result._page_decoder, self._result.page_height
        for cell in decoder.get_word_cells() if decoder is not None and decoder.has_word_cells() else ():
            xs = (cell.r_x0, cell.r_x1, cell.r_x2, cell.r_x3)
            ys = (height - cell.r_y0, height - cell.r_y1, height - cell.r_y2, height - cell.r_y3)
            word = Word(cell.text, min(xs), min(ys), max(xs), max(ys), cell.font_name)
            is_level = ys[0] == ys[1] and xs[0] < xs[1]
            yield word, 0 if is_level else _angle(xs, ys)

    def leave_out_hidden(self, is_suspected: bool) -> str:
        """Leave out the words outside the page and those of one point; on a suspected page all that cannot be seen.

        Returns:
            The words that are left out.
        """
        size = self.get_size()
        whole = BoundingBox(l=0.0, t=0.0, r=size.width, b=size.height)
        seen = [
            (word, angle)
            for word, angle in self.words
            if _is_in(word, whole) and (angle or word.size >= _SMALLEST_PRINT or not _is_print(word))
        ]
        if is_suspected and seen:
            look = self._drawing.look(self.page_no, self.pictures)
            seen = [(word, angle) for word, angle in seen if not _is_print(word) or look.shows(word)]
        if len(seen) == len(self.words):
            return ""
        remaining = {id(word) for word, _ in seen}
        hidden = " ".join(word.text for word, _ in self.words if id(word) not in remaining)
        self.words, self._has_hidden = seen, True
        return hidden

    def glyphs(self) -> list[Glyph]:
        """The printed characters as PDFium tells them apart; none where some are turned, or cannot be seen."""
        return [] if self._has_hidden else self._drawing.glyphs(self.page_no)

    def get_text_in_rect(self, bbox: BoundingBox) -> str:
        """The words whose centre is in the box."""
        return " ".join(w.text for w, _ in self.words if _is_in(w, bbox))

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
        return self._drawing.drawn(self.page_no, scale, cropbox)

    def get_size(self) -> Size:
        """The page's size in points."""
        return Size(width=self._result.page_width, height=self._result.page_height)

    def is_valid(self) -> bool:
        """Whether the page could be parsed."""
        return bool(self._result.success)

    def get_error_message(self) -> str:
        """Why it could not."""
        return str(self._result.error_message)

    def unload(self) -> None:
        """Nothing is held but memory."""


class DecodedDocument(ThreadedDoclingParseDocumentBackend):
    """Docling's threaded parser, whose pages are `DecodedPage`s."""

    _drawing: "_Drawing | None" = None

    def iter_pages(self) -> Iterator[Any]:
        """The pages, as they are parsed."""
        self._drawing = _Drawing(self.path_or_stream)
        options, path = self.options, self.path_or_stream
        hidden = (
            options.hidden.get(path) if isinstance(options, DecodedOptions) and isinstance(path, Path) else None
        )
        for result in self.parser.iterate_results():
            page = DecodedPage(result, self._drawing)
            if hidden is not None and (found := page.leave_out_hidden(page.page_no in hidden.suspected)):
                hidden.found[page.page_no] = found
            yield page

    def unload(self) -> None:
        """Close the document."""
        if self._drawing is not None:
            self._drawing.close()
        super().unload()


def parser_options(threads: int, pages_in_flight: int) -> DecodedOptions:
    """The parser's options; it draws nothing and leaves out lines and shapes, which nobody looks at."""
    return DecodedOptions(parser_threads=threads, max_concurrent_results=pages_in_flight, render_pages=False)


class GeometricPipeline(StandardPdfPipeline):
    """Docling's standard pipeline for the geometric layout, whose blocks come in reading order.

    Pages are neither drawn nor rated before the layout, and there is no second order of the document's elements.
    """

    def _init_models(self) -> None:
        super()._init_models()
        self.preprocessing_model = _AsParsed()  # type: ignore[assignment]  # the stage calls it, nothing more

    def _assemble_document(self, conv_res: ConversionResult) -> ConversionResult:
        elements = [e for page in conv_res.pages if page.assembled for e in page.assembled.elements]
        conv_res.assembled = AssembledUnit(elements=elements, headers=[], body=[])
        return conv_res


class _AsParsed(BasePageModel):
    """Passes pages on as the parser gave them."""

    def __call__(self, conv_res: ConversionResult, page_batch: Iterable[Page]) -> Iterable[Page]:
        del conv_res
        return page_batch


class _Drawing:
    """Draws pages of a PDF, which is opened for the first of them."""

    def __init__(self, pdf: Any) -> None:
        self._pdf = pdf if isinstance(pdf, Path) else pdf.getvalue()
        self._document: pypdfium2.PdfDocument | None = None

    @contextmanager
    def _opened(self, page_number: int) -> Iterator[pypdfium2.PdfPage]:
        with pypdfium2_lock:
            if self._document is None:
                self._document = pypdfium2.PdfDocument(self._pdf)
            page = self._document[page_number - 1]
            try:
                yield page
            finally:
                page.close()

    def drawn(self, page_number: int, scale: float, part: BoundingBox | None) -> Image.Image:
        with self._opened(page_number) as page:
            width, height = page.get_size()
            crop = (part.l, height - part.b, width - part.r, part.t) if part else (0, 0, 0, 0)
            bitmap = page.render(scale=scale, crop=tuple(max(0.0, side) for side in crop))
            image: Image.Image = bitmap.to_pil().convert("RGB")
            return image

    def glyphs(self, page_number: int) -> list[Glyph]:
        """The characters of a page; none where the page or some of them are turned, or the page is cut."""
        with self._opened(page_number) as page:
            left, bottom, _, _ = page.get_bbox()
            return list(_glyphs(page)) if page.get_rotation() == 0 and (left, bottom) == (0, 0) else []

    def look(self, page_number: int, pictures: Sequence[Extent]) -> "_Look":
        """The page as it is seen, and without its painted text where that may lie behind a picture."""
        picture = np.asarray(self.drawn(page_number, _LOOKED_AT, None).convert("L"))
        is_scan = any(_area(p) > _SCAN_SHARE * picture.size / _LOOKED_AT**2 for p in pictures)
        if is_scan or not pictures:
            return _Look(picture, None)
        with self._opened(page_number) as page:
            unpainted = []
            for text in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT]):
                if raw.FPDFTextObj_GetTextRenderMode(text) == raw.FPDF_TEXTRENDERMODE_INVISIBLE:
                    left, bottom, right, top = text.get_bounds()
                    height = page.get_height()
                    unpainted.append(BoundingBox(l=left, t=height - top, r=right, b=height - bottom))
                raw.FPDFTextObj_SetTextRenderMode(text, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
            bare = page.render(scale=_LOOKED_AT).to_pil().convert("L")
            return _Look(picture, np.asarray(bare), pictures, unpainted)

    def close(self) -> None:
        with pypdfium2_lock:
            if self._document is not None:
                self._document.close()
                self._document = None


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


def _angle(xs: Sequence[float], ys: Sequence[float]) -> int:
    corners = {f"r_{axis}{n}": v for axis, values in (("x", xs), ("y", ys)) for n, v in enumerate(values)}
    return BoundingRectangle(**corners, coord_origin=CoordOrigin.TOPLEFT).angle_360


def _extent(image: Any, height: float) -> Extent:
    """A bitmap's place on the page, or what can be seen of it."""
    seen = "visible_" if getattr(image, "has_visible_bbox", False) else ""
    x0, y0, x1, y1 = (getattr(image, f"{seen}{side}") for side in ("x0", "y0", "x1", "y1"))
    return Extent(min(x0, x1), height - max(y0, y1), max(x0, x1), height - min(y0, y1))


def _is_print(word: Word) -> bool:
    return any(map(str.isalnum, word.text))


@dataclass(frozen=True)
class _Look:
    """A page's picture, in grey.

    Attributes:
        bare: the same without its painted text; None for a scan, whose text layer may lie under its picture.
        bitmaps: where text may lie behind a photograph, so that something is seen there all the same.
        unpainted: where text lies that is not painted, as over the outlines of its letters.
    """

    picture: NDArray[np.uint8]
    bare: NDArray[np.uint8] | None
    bitmaps: Sequence[Extent] = ()
    unpainted: Sequence[BoundingBox] = ()

    def shows(self, word: Word) -> bool:
        """Whether anything is seen where the word is said to be, and would not be without it."""
        left, top, right, bottom = (side * _LOOKED_AT for side in (word.left, word.top, word.right, word.bottom))
        rows = slice(max(0, int(top)), math.ceil(bottom) + 1)
        columns = slice(max(0, int(left)), math.ceil(right) + 1)
        place = self.picture[rows, columns].astype(np.int16)
        if place.size == 0 or int(place.max()) - int(place.min()) < _FEWEST_LEVELS:
            return False
        x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
        may_be_behind = any(b.left < x < b.right and b.top < y < b.bottom for b in self.bitmaps)
        if self.bare is None or not may_be_behind or any(_is_in(word, box) for box in self.unpainted):
            return True
        return int(np.abs(place - self.bare[rows, columns]).max()) >= _FEWEST_LEVELS


def _area(place: Extent) -> float:
    return (place.right - place.left) * (place.bottom - place.top)


def _is_in(word: Word, box: BoundingBox) -> bool:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return box.l <= x <= box.r and box.t <= y <= box.b

"""Docling's OCR stage with RapidOCR, and the pages and pictures that need it.

Importing this module loads Docling's OCR models' module: import it with Docling only.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from docling.backend.pdf_backend import PdfPageBackend
from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import OcrOptions, RapidOcrOptions
from docling.models.stages.ocr.rapid_ocr_model import RapidOcrModel
from docling.utils.profiling import TimeRecorder
from docling_core.types.doc.base import BoundingBox, CoordOrigin
from docling_core.types.doc.page import BoundingRectangle, TextCell
from numpy.typing import NDArray
from PIL.Image import Image

from indexes.layout.page_layout import Frame, Turn
from indexes.layout.words import Extent, Placed, Word, overlap
from indexes.reading.alphabets import Alphabet, Glyph, deciphered
from indexes.reading.ocr_words import Corners, SeenLine, is_legible, legibility, runs_sideways, straight_words
from indexes.text_quality import is_nonsense

_LONGEST_SIDE = 2000  # pixels, 170 dpi on A4; RapidOCR shrinks longer images
_MOST_PIXELS = 3_200_000  # a letter page's; a gigabyte of memory, which grows with the pixels
_LARGEST_SCALE = 4.0  # times 72 dpi; larger print needs no more
_TALLEST = 4  # times its width
_FEWEST_LEVELS = 16  # levels of grey between the lightest and the darkest pixel of a page that is not empty
_MARGIN = 1.0  # points around a line that is read alone
_SHADES = 16  # of 256 greys, which look the same to the eye
_BACKGROUND_SHARE = 0.3
_AFAR = 736  # pixels of the longer side, RapidOCR's smallest
_DENSE = 0.3  # of a picture of text or of a table that its lines cover
_LONG_LINE = 8.0  # times its height
_OF_LONG_LINES = 0.25  # of what all lines cover, in a picture of text
_SHORT_WORD = 1.2  # times its height, with a line's margins
_SIDEWAYS: tuple[Turn, Turn] = (90, 270)


ReadWord = tuple[Extent, Word, Turn]
"""A word's place as displayed, the word on the page turned upright, and the direction of its print."""


@dataclass(frozen=True)
class TextLayer:
    """What a page has without OCR.

    Attributes:
        text: line by line.
        pictures: where bitmaps are drawn.
    """

    text: str
    words: Sequence[Word]
    pictures: Sequence[Extent]


_FEWEST_DIGITS, _FEWEST_FIGURES, _MOST_FIGURES = 4, 2, 5
_ENOUGH_DIGITS, _SAME_DIGITS = 8, 0.7  # of several figures; the share that OCR reads as the text has them
_FIGURE_SCALE = 4.0  # times 72 dpi


class PageOcrOptions(RapidOcrOptions):
    """Chooses this engine. `read` decides which pages it reads. More `threads` are faster, but use more CPU time."""

    kind: ClassVar[Literal["pageproof_ocr"]] = "pageproof_ocr"  # type: ignore[assignment]  # ours, not theirs
    read: Literal["auto", "pictures", "always"] = "auto"
    threads: int = 1


class PageOcrModel(RapidOcrModel):
    """Adds the words that it reads to the page's cells, or replaces a text layer that is garbled."""

    def __init__(
        self,
        enabled: bool,
        artifacts_path: Path | None,
        options: PageOcrOptions,
        accelerator_options: AcceleratorOptions,
    ) -> None:
        """The models come from RapidOCR's wheel, not from the folder of Docling's other weights."""
        del artifacts_path
        params = {
            "Rec.rec_batch_num": 1,
            "Global.log_level": "error",
        }  # saves memory, and does not log an empty picture as a problem
        one_line_at_a_time = options.model_copy(update={"rapidocr_params": params})
        threads = accelerator_options.model_copy(update={"num_threads": options.threads})
        super().__init__(enabled, None, one_line_at_a_time, threads)
        self._mode = options.read
        self._document, self._alphabet = "", Alphabet()
        self._have_wrong_digits: dict[str, bool] = {}  # by font

    @classmethod
    def get_options_type(cls) -> type[OcrOptions]:
        """What Docling selects this engine by."""
        return PageOcrOptions

    def __call__(self, conv_res: ConversionResult, page_batch: Iterable[Page]) -> Iterable[Page]:
        """The pages in their order. Pages that need OCR get the words read from their picture."""
        if conv_res.input.document_hash != self._document:
            self._document, self._alphabet = conv_res.input.document_hash, Alphabet()
            self._have_wrong_digits = {}
        for page in page_batch:
            if self.enabled and page._backend is not None and page._backend.is_valid():
                with TimeRecorder(conv_res, "ocr"):
                    self._read_page(page)
            yield page

    def text_layer(self, page: Page) -> "TextLayer | None":
        """What the page has without OCR; None where it could not be parsed."""
        if page.parsed_page is None or page._backend is None:
            return None
        return TextLayer(
            "\n".join(cell.text for cell in page.parsed_page.textline_cells),
            [_layer_word(cell) for cell in page.parsed_page.word_cells if cell.text.strip()],
            [Extent(b.l, b.t, b.r, b.b) for b in page._backend.get_bitmap_rects()],
        )

    def add_words(self, page: Page, words: Sequence[ReadWord], *, keep: bool) -> None:
        """Give the page the words that were read, beside its own ones or in their place."""
        cells = [_cell(place, word, turn) for place, word, turn in words]
        page_words = page.parsed_page
        if page_words is not None:
            page_words.word_cells = [*(page_words.word_cells if keep else ()), *cells]
            page_words.textline_cells = [*(page_words.textline_cells if keep else ()), *cells]
            page_words.has_words = page_words.has_lines = bool(page_words.word_cells)

    def _read_page(self, page: Page) -> None:
        layer = self.text_layer(page)
        if page._backend is None or layer is None or page.size is None:
            return
        whole = Extent(0.0, 0.0, page.size.width, page.size.height)
        todo = plan(self._mode, layer.text, layer.words, layer.pictures, whole, drawn=True)
        if todo.keep_words and self._prints_other_digits(page._backend, layer.words):
            todo = OcrPlan((whole,), keep_words=False)
        if not todo.places or (todo.keep_words and self.leaves_pictures(page)):
            return
        if not _is_drawn(page._backend):  # a page is drawn only where it may be read
            return
        if layer.words and not todo.keep_words and (found := self._deciphered(page)):
            self.add_words(page, [(Extent(w.left, w.top, w.right, w.bottom), w, 0) for w in found], keep=False)
            layer = replace(layer, text="", words=found)  # its pictures may still be of text
            todo = plan(self._mode, layer.text, layer.words, layer.pictures, whole, drawn=True)
            if todo.places and self.leaves_pictures(page):
                return
        read: list[ReadWord] = []
        for place in todo.places:
            turn, words = self._read_place(page._backend, place, turnable=place == whole)
            new = added(words, layer.words) if todo.keep_words else words
            frame = Frame(whole.right, whole.bottom, turn)
            read += [(frame.as_displayed(w), w, turn) for w in new]
        if read or not todo.keep_words:
            self.add_words(page, read, keep=todo.keep_words)

    def leaves_pictures(self, page: Page) -> bool:
        """Whether the pictures of a page with words are left to be read later."""
        del page
        return False

    def glyphs(self, page: Page) -> Sequence[Glyph]:
        """The printed characters of a page, whose letters may be wrong; none where they are not known."""
        del page
        return ()

    def _deciphered(self, page: Page) -> list[Word] | None:
        """The words of a page whose fonts give wrong letters; None where it must be read as a picture."""
        backend, glyphs = page._backend, self.glyphs(page) if self._mode != "always" else ()
        if backend is None or page.size is None or not glyphs:
            return None
        scale = scale_for(Extent(0.0, 0.0, page.size.width, page.size.height))
        image = np.asarray(backend.get_page_image(scale=scale))

        def part(place: Extent, margin: float) -> NDArray[np.uint8]:
            left, top = max(0.0, place.left - margin), max(0.0, place.top - margin)
            rows = slice(int(top * scale), math.ceil((place.bottom + margin) * scale))
            return image[rows, int(left * scale) : math.ceil((place.right + margin) * scale)]

        def read(place: Extent) -> str:
            found: Any = self.reader(part(place, _MARGIN), use_det=False, use_cls=False, use_rec=True)
            return "".join(found.txts or ())

        def is_printed(place: Extent) -> bool:
            return int(np.ptp(part(place, 0.0))) >= _FEWEST_LEVELS

        return deciphered(glyphs, self._alphabet, read, is_printed)

    def _prints_other_digits(self, backend: PdfPageBackend, words: Sequence[Word]) -> bool:
        """Whether a font of the page shows other digits than its text has: a few figures of each font are read once."""
        known = self._have_wrong_digits
        unsure = {font for font in {word.font for word in words} if known.get(font, True)}
        figures: dict[str, list[Word]] = defaultdict(list)
        for word in words if unsure else ():
            text = word.text
            if word.font in unsure and (
                len(text) >= _FEWEST_DIGITS
                and not text.isalpha()
                and sum(map(str.isdigit, text)) >= _FEWEST_DIGITS
            ):
                figures[word.font].append(word)
        for font, found in figures.items():
            if font not in known and len(found) >= _FEWEST_FIGURES:
                known[font] = self._are_wrong(backend, found)
        return any(map(known.get, figures))

    def _are_wrong(self, backend: PdfPageBackend, words: Sequence[Word]) -> bool:
        """Whether most digits of some figures, the longest ones, are others than those that are seen.

        The first figures are read beside each other, which takes as long as one of them; if that is not what the text
        says, each is read alone, and more of them.
        """
        longest = sorted(words, key=lambda word: -len(word.text))[:_MOST_FIGURES]
        images = [_image_of(backend, word) for word in longest[:_FEWEST_FIGURES]]
        said = [_digits(word.text) for word in longest]
        together, first = self._digits_in(_beside(images)), "".join(said[:_FEWEST_FIGURES])
        if len(together) == len(first) and _are_same(together, first) >= _SAME_DIGITS * len(first):
            return False
        same = all_digits = 0
        for place, word in enumerate(longest):
            read = self._digits_in(images[place] if place < len(images) else _image_of(backend, word))
            if len(read) == len(said[place]):
                same += _are_same(read, said[place])
                all_digits += len(read)
            if place + 1 >= _FEWEST_FIGURES and same >= _SAME_DIGITS * all_digits:
                return False
        return all_digits >= _ENOUGH_DIGITS and same < _SAME_DIGITS * all_digits

    def _digits_in(self, image: NDArray[np.uint8]) -> str:
        seen: Any = self.reader(image, use_det=False, use_cls=False, use_rec=True)
        return _digits("".join(seen.txts or ()))

    def _read_place(self, backend: PdfPageBackend, place: Extent, turnable: bool) -> tuple[Turn, list[Word]]:
        """The rotation of the print, and its words in points of the page turned upright."""
        scale = scale_for(place)
        box = BoundingBox(l=place.left, t=place.top, r=place.right, b=place.bottom)
        if self._mode != "always" and not self._may_hold_text(backend, box, is_page=turnable):
            return 0, []
        image = np.asarray(backend.get_page_image(scale=scale, cropbox=box))
        seen: dict[Turn, list[SeenLine]] = {0: self._see(image, place, scale)}
        if turnable and runs_sideways(seen[0]):
            seen = {turn: self._see(_upright(image, turn), place, scale) for turn in _SIDEWAYS}
        elif turnable and seen[0] and not is_legible(seen[0]):
            seen[180] = self._see(_upright(image, 180), place, scale)
        turn = max(seen, key=lambda t: legibility(seen[t]))
        upright = place if turn in (0, 180) else Extent(0.0, 0.0, place.bottom, place.right)
        return turn, straight_words(seen[turn], upright)

    def _may_hold_text(self, backend: PdfPageBackend, box: BoundingBox, *, is_page: bool) -> bool:
        """Whether lines are seen from afar, in a picture as long as the fewest words that count and on a background.

        With `auto`, a picture must look like text or a table too. Maps and charts have short words here and there, and
        to read one takes seconds.
        """
        if not is_page and not _has_background(backend.get_page_image(scale=1.0, cropbox=box)):
            return False
        image = backend.get_page_image(scale=_AFAR / max(box.width, box.height), cropbox=box)
        found: Any = self.reader(squared(np.asarray(image)), use_det=True, use_cls=False, use_rec=False)
        fewest = _FEWEST_ON_PAGE if is_page else _FEWEST_WORDS
        if found.boxes is None or sum(map(_slenderness, found.boxes)) < fewest * _SHORT_WORD:
            return False
        return is_page or self._mode == "pictures" or looks_like_text(found.boxes, image.width * image.height)

    def _see(self, image: NDArray[np.uint8], place: Extent, scale: float) -> list[SeenLine]:
        """The lines that OCR finds in an image of the place, in points."""
        found: Any = self.reader(widened(image), use_det=True, use_cls=False, use_rec=True, return_word_box=True)
        if found.boxes is None:
            return []

        def corners(quadrangle: Sequence[Sequence[float]]) -> Corners:
            a, b, c, d = ((x / scale + place.left, y / scale + place.top) for x, y in quadrangle)
            return a, b, c, d

        return [
            SeenLine(corners(box), tuple((text, corners(where)) for text, _, where in words), float(score))
            for box, score, words in zip(found.boxes, found.scores, found.word_results, strict=True)
        ]


def _image_of(backend: PdfPageBackend, word: Word) -> NDArray[np.uint8]:
    box = BoundingBox(l=word.left - _MARGIN, t=word.top - _MARGIN, r=word.right + _MARGIN, b=word.bottom + _MARGIN)
    return np.asarray(backend.get_page_image(scale=_FIGURE_SCALE, cropbox=box))


def _beside(images: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Images in one row, each on its own background, with a space between."""
    height = max(image.shape[0] for image in images)
    parts = []
    for image in images:
        part = np.empty((height, image.shape[1] + height // 2, *image.shape[2:]), np.uint8)
        part[:] = np.median(image, axis=(0, 1)).astype(np.uint8)
        part[: image.shape[0], : image.shape[1]] = image
        parts.append(part)
    return np.concatenate(parts, axis=1)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _are_same(one: str, other: str) -> int:
    """In how many places two texts have the same."""
    return sum(a == b for a, b in zip(one, other, strict=True))


def scale_for(place: Extent) -> float:
    """How large a place is drawn for OCR, times 72 dpi."""
    longest = max(place.right - place.left, place.bottom - place.top)
    return min(_LARGEST_SCALE, _LONGEST_SIDE / longest, math.sqrt(_MOST_PIXELS / _area(place)))


def widened(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A tall strip gets a margin on its right: RapidOCR enlarges it by its shorter side, which takes gigabytes."""
    height, width = image.shape[:2]
    missing = height // _TALLEST - width
    if missing <= 0:
        return image
    margin = np.broadcast_to(np.median(image, axis=(0, 1)).astype(np.uint8), (height, missing, *image.shape[2:]))
    return np.concatenate([image, margin], axis=1)


def squared(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The image in the corner of a square: RapidOCR enlarges others to a longer side."""
    height, width = image.shape[:2]
    square = np.empty((max(height, width), max(height, width), *image.shape[2:]), np.uint8)
    square[:] = np.median(image, axis=(0, 1)).astype(np.uint8)
    square[:height, :width] = image
    return square


def _sides(box: Any) -> tuple[float, float]:
    """A line's length and height in pixels, the height one at least."""
    a, b, c, d = (np.asarray(corner, float) for corner in box)
    sides = np.hypot(*(b - a)) + np.hypot(*(c - d)), np.hypot(*(d - a)) + np.hypot(*(c - b))
    return float(max(sides)) / 2, max(1.0, float(min(sides)) / 2)


def _slenderness(box: Any) -> float:
    """How many times as long as high a line is."""
    length, height = _sides(box)
    return length / height


def looks_like_text(boxes: Any, area: float) -> bool:
    """Whether lines lie close together, as in a table, or enough of them are long, as in a paragraph."""
    lines = [_sides(box) for box in boxes]
    covered = sum(length * height for length, height in lines)
    in_long = sum(length * height for length, height in lines if length >= _LONG_LINE * height)
    return covered >= _DENSE * area or in_long >= _OF_LONG_LINES * covered


def _is_drawn(backend: PdfPageBackend) -> bool:
    darkest, lightest = backend.get_page_image(scale=1.0).convert("L").getextrema()
    return float(str(lightest)) - float(str(darkest)) >= _FEWEST_LEVELS


def _has_background(image: Image) -> bool:
    """Whether one shade dominates, as behind text; in photographs none does."""
    counts = image.convert("L").histogram()
    prevailing = max(sum(counts[i : i + _SHADES]) for i in range(len(counts)))
    return prevailing >= _BACKGROUND_SHARE * sum(counts)


def _upright(image: NDArray[np.uint8], turn: Turn) -> NDArray[np.uint8]:
    return np.ascontiguousarray(np.rot90(image, -turn // 90))


def _layer_word(cell: TextCell) -> Word:
    box = cell.rect.to_bounding_box()
    return Word(cell.text, box.l, box.t, box.r, box.b)


def _cell(place: Extent, word: Word, turn: Turn) -> TextCell:
    """The word's cell. Docling derives the direction of print from the position of the lower left corner."""
    left, top, right, bottom = place.left, place.top, place.right, place.bottom
    round_about = [(left, bottom), (right, bottom), (right, top), (left, top)]
    first = {0: 0, 90: 1, 180: 2, 270: 3}[turn]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = round_about[first:] + round_about[:first]
    return TextCell(
        index=0,
        rect=BoundingRectangle(
            r_x0=x0,
            r_y0=y0,
            r_x1=x1,
            r_y1=y1,
            r_x2=x2,
            r_y2=y2,
            r_x3=x3,
            r_y3=y3,
            coord_origin=CoordOrigin.TOPLEFT,
        ),
        text=word.text,
        orig=word.text,
        from_ocr=True,
    )


OcrMode = Literal["auto", "pictures", "off", "always"]
_SMALLEST_SHARE = 0.02  # of the page, a table of a few rows; logos and icons are smaller
_SMALLEST_SIDE = 36.0  # points
_APART = 4.0  # points; pictures are often cut into strips
_OWN_WORDS_SHARE = 0.02  # of a picture's area; a background picture has the page's words on it
_FEWEST_ON_PAGE = 2  # on one without text, as on a cover
_FEWEST_WORDS = 6  # in a picture of text; a photograph may show a sign or a name


@dataclass(frozen=True)
class OcrPlan:
    """What to read by OCR, and whether the text layer's words stay."""

    places: tuple[Extent, ...] = ()
    keep_words: bool = True


def plan(
    mode: OcrMode, text: str, words: Sequence[Word], pictures: Sequence[Extent], page: Extent, drawn: bool
) -> OcrPlan:
    """What a page needs.

    Args:
        mode: from the settings.
        text: of the text layer, line by line.
        words: the same words with their places.
        pictures: where bitmaps are drawn.
        page: its whole area.
        drawn: whether anything is visible on the page.
    """
    if mode == "off" or not drawn:
        return OcrPlan()
    if mode == "always" or not words or is_nonsense(text):
        return OcrPlan((page,), keep_words=False)
    return OcrPlan(tuple(p for p in _joined(pictures) if _may_be_text(p, words, page)))


def added(read: Sequence[Word], words: Sequence[Word]) -> list[Word]:
    """The words that a picture adds to a page, without words that are there already; none if there are only a few."""
    new = [w for w in read if not any(_covers(own, w) for own in words)]
    return new if len(new) >= _FEWEST_WORDS else []


def _joined(pictures: Sequence[Extent]) -> list[Extent]:
    """The pictures, with those that touch joined to one."""
    left = list(pictures)
    whole: list[Extent] = []
    while left:
        first = left.pop()
        touching = [p for p in (*left, *whole) if _touch(first, p)]
        if not touching:
            whole.append(first)
            continue
        taken = set(map(id, touching))
        left = [p for p in left if id(p) not in taken]
        whole = [p for p in whole if id(p) not in taken]
        left.append(_around(first, *touching))
    return whole


def _touch(a: Extent, b: Extent) -> bool:
    return overlap(a, b) > -_APART and min(a.bottom, b.bottom) - max(a.top, b.top) > -_APART


def _around(*places: Extent) -> Extent:
    return Extent(
        min(p.left for p in places),
        min(p.top for p in places),
        max(p.right for p in places),
        max(p.bottom for p in places),
    )


def _may_be_text(picture: Extent, words: Sequence[Word], page: Extent) -> bool:
    smaller_side = min(picture.right - picture.left, picture.bottom - picture.top)
    if smaller_side < _SMALLEST_SIDE or _area(picture) < _SMALLEST_SHARE * _area(page):
        return False
    return sum(_area(w) for w in words if _covers(picture, w)) < _OWN_WORDS_SHARE * _area(picture)


def _area(place: Placed) -> float:
    return max(0.0, place.right - place.left) * max(0.0, place.bottom - place.top)


def _covers(place: Placed, word: Placed) -> bool:
    """Whether the word's centre is in the place."""
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return place.left <= x <= place.right and place.top <= y <= place.bottom

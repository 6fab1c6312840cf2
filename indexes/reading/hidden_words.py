"""Finds the words of a page that nobody sees who looks at it: it is drawn, and looked at where they are said to be."""

import ctypes
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2
import pypdfium2.raw as raw
from numpy.typing import NDArray

from indexes.layout.words import Extent, Word
from indexes.pdf_words import Display, Pdfium, TurnedWord
from indexes.preflight import DrawnObjects

_SMALLEST_PRINT = 2.0  # points from the top to the bottom of a word; smaller print is a speck
_FEWEST_LEVELS = 16  # of 255, between the lightest and the darkest point of a word that can be seen
_SCAN_SHARE = 0.7  # of a page, which a picture takes whose text layer may lie under it
_LOOKED_AT = 1.0  # times 72 dpi
_MOST_TWINS = 100  # pieces of text at one place that are looked at; more are no accident, and cost a picture each
_ROW, _OVER = 6.0, 0.6  # points; share of the smaller word's sides
_AROUND = 4  # points around a piece of text that may change with it


@dataclass(frozen=True)
class OpenPage:
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


def seen_words(words: Sequence[TurnedWord], page: OpenPage, *, has_layers: bool) -> list[TurnedWord]:
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
        look = _look(page)
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
        bitmaps: where text may lie behind a photograph, so that something is seen there all the same.
        unpainted: where text lies that is not painted, as over the outlines of its letters.
    """

    picture: NDArray[np.uint8]
    bare: NDArray[np.uint8] | None
    bitmaps: Sequence[Extent] = ()
    unpainted: Sequence[Extent] = ()

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
        if self.bare is None or not may_be_behind or any(_is_in(word, place) for place in self.unpainted):
            return True
        return int(np.abs(place - self.bare[rows, columns]).max()) >= _FEWEST_LEVELS


def _look(page: OpenPage) -> _Look:
    """The page as it is seen, and without its painted text where that may lie behind a picture."""
    picture = _picture(page.page)
    is_scan = any(_area(p) > _SCAN_SHARE * picture.size / _LOOKED_AT**2 for p in page.pictures)
    if is_scan or not page.pictures:
        return _Look(picture, None)
    texts, height = page.drawn.addresses[page.drawn.texts], page.page.get_height()
    modes = Pdfium.numbers(Pdfium.render_mode, texts.tolist())
    boxes = Pdfium.bounds(texts[modes == raw.FPDF_TEXTRENDERMODE_INVISIBLE]).tolist()
    unpainted = [Extent(left, height - top, right, height - bottom) for left, bottom, right, top in boxes]
    for text in texts.tolist():
        Pdfium.set_render_mode(text, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
    bare = _picture(page.page)
    for text, mode in zip(texts.tolist(), modes.tolist(), strict=True):
        Pdfium.set_render_mode(text, mode)
    return _Look(picture, bare, page.pictures, unpainted)


def _unseen(page: OpenPage, words: set[Word]) -> Iterable[tuple[str, Extent]]:
    """Of words that are printed at one place, the pieces of text that a page looks the same without.

    Such are those of a layer that is switched off, and those that are not painted.
    """
    display, drawn = Display.of(page.page), page.drawn
    texts = drawn.addresses[drawn.texts]
    places = _displayed(display, Pdfium.bounds(texts).astype(np.float64))
    middles = np.array([((w.left + w.right) / 2, (w.top + w.bottom) / 2) for w in words])
    are_in = np.all((places[:, None, :2] <= middles) & (middles <= places[:, None, 2:]), axis=2)
    near = np.flatnonzero(np.any(are_in, axis=1))[:_MOST_TWINS]
    changed = _displayed(display, drawn.boxes_in_page(drawn.texts[near]))
    for place, around in zip(near.tolist(), changed.tolist(), strict=True):
        text, cut = int(texts[place]), _cut_around(around, page.page.get_size())
        (mode,) = Pdfium.numbers(Pdfium.render_mode, [text]).tolist()
        with_it = _picture(page.page, cut).astype(np.int16)
        Pdfium.set_render_mode(text, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
        without = _picture(page.page, cut)
        Pdfium.set_render_mode(text, mode)
        if int(np.abs(with_it - without).max()) < _FEWEST_LEVELS:
            yield _text_of(text, page.text()), Extent(*places[place].tolist())


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
    return np.asarray(page.render(scale=_LOOKED_AT, crop=cut).to_pil().convert("L"))


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


def _at_one_place(words: Sequence[Word]) -> set[Word]:
    """Words of which one lies over the greater part of another that says something else."""
    found: set[Word] = set()
    printed = [word for word in words if _is_print(word)]
    if not printed:
        return found
    sides = np.array([(w.left, w.top, w.right, w.bottom) for w in printed])
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

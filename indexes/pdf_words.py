"""The words of a PDF's page with their places, as PDFium decodes them.

PDFium gives characters. They are asked for by a few quick calls for each, and grouped by arithmetic over all of them:
a page has some thousands, and each further call for one takes as long as everything that is done with it here. Spaces
that PDFium supposes in gaps are left out; words end at printed spaces and at gaps.
"""

import ctypes
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import repeat
from typing import Any, Protocol

import numpy as np
import pypdfium2
import pypdfium2.raw as raw
from numpy.typing import NDArray

from indexes.layout.words import Word

TurnedWord = tuple[Word, int]
"""A word as displayed, and the angle of its print in degrees, counter-clockwise."""
_SMALLEST_MARK = 0.05  # points
_GAP = 0.17  # of the font's size; a wider gap ends the word, also where PDFium supposes no space
_SPACE = 0.115  # a narrower gap between letters is none, though PDFium supposes a space there
_TOUCHING = 0.05  # the same between other characters, as figures, whose groups may stand near
_STEP = 0.3  # as of a superscript
_TWINS = 6  # pieces of text
_SAME, _PRINTED_TWICE = 0.05, 0.15  # of a letter's height
_NO_GAP = 0.02
_SAME_PLACE = 0.001  # points
_ASKED_EVERY = 8  # characters: of one of them PDFium is asked in which piece of text it is
_FIGURE_OVERHANG = 0.08  # a figure that is wider than PDFium says is another one of the font's
_FURTHEST_BACK = 1.0
_COSINES, _SINES = (turn(np.radians(np.arange(360))).round(9) for turn in (np.cos, np.sin))  # by degrees
_LEFTWARDS = ((0x590, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC))  # codes of letters
_CAPITALS = "HETDIFLPRBNM1"
_NO_LETTER = "\ue123"  # of Unicode's private use: a font draws it like a letter that it lacks
_USUAL_CAPITAL = 0.7  # of the font's size
_CAPITAL = (0.45, 0.95)
_DESCENT = (0.1, 0.45)
_LONGEST_NAME = 256  # bytes of a font's name
_UPRIGHT = 5  # degrees that print may be off a quarter turn
_NO_CHARACTER = 0xFFFE  # what PDFium's text has for a hyphen at the end of a line, and for what is no character
_LINE_FEED, _RETURN, _LAST_CONTROL = 0x0A, 0x0D, 0x1F
_HYPHEN, _UNKNOWN = 2, 0xFFFD
_HALVES = 0xD800 >> 11  # of characters beyond the first 65,536, each of which PDFium may give in two halves


Addresses = NDArray[np.uint64]
Floats = NDArray[np.float64]
Places = NDArray[np.intp]


_SLOT = 32  # bytes, as many as any function writes
_SLOTS = 8192  # that each thread has; a page of print has fewer characters
_UNIT = ctypes.c_float(1.0)
Handle = Any
"""What stands for an address, or a place to write to, in a call of PDFium's functions."""
Handles = NDArray[Any]


def _quick(function: Any, result: Any) -> Any:
    return ctypes.PYFUNCTYPE(result)(ctypes.cast(function, ctypes.c_void_p).value or 0)


class _Slots(threading.local):
    """Places for what PDFium writes, and the arguments that stand for them: making these takes as long as the calls."""

    def __init__(self, count: int = _SLOTS) -> None:
        self.count = count
        self.bytes = (ctypes.c_char * (_SLOT * count))()
        begins = range(0, _SLOT * count, _SLOT)
        self.handles = {side: [ctypes.byref(self.bytes, b + side) for b in begins] for side in (0, 4, 8, 12)}

    def filled(
        self,
        call: Any,
        count: int,
        width: int,
        kind_: Any,
        arguments: Iterable[Iterable[Any]],
        sides: Iterable[int],
    ) -> NDArray[Any]:
        """What a function writes for each of so many sets of arguments; zeros where it writes nothing."""
        slots: NDArray[Any] = np.frombuffer(memoryview(self.bytes), kind_).reshape(self.count, -1)[:count, :width]
        slots[:] = 0
        deque(map(call, *arguments, *(self.handles[side] for side in sides)), maxlen=0)
        return slots.copy()


@cache
def _usual_slots() -> _Slots:
    return _Slots()


def _slots(count: int) -> _Slots:
    return _usual_slots() if count <= _SLOTS else _Slots(count)


class Pdfium:
    """PDFium's functions, called for thousands of characters and drawn things of a page.

    `pypdfium2.raw` makes an object of each argument, which takes longer than most of these calls. Here addresses are
    given as handles that are made once, numbers as they are, and what PDFium writes fills the rows of arrays.
    """

    unicode = _quick(raw.FPDFText_GetUnicode, ctypes.c_uint)
    is_supposed = _quick(raw.FPDFText_IsGenerated, ctypes.c_bool)
    is_unknown = _quick(raw.FPDFText_HasUnicodeMapError, ctypes.c_bool)
    is_hyphen = _quick(raw.FPDFText_IsHyphen, ctypes.c_bool)
    text_object = _quick(raw.FPDFText_GetTextObject, ctypes.c_size_t)
    loose_box = _quick(raw.FPDFText_GetLooseCharBox, ctypes.c_int)
    origin = _quick(raw.FPDFText_GetCharOrigin, ctypes.c_int)
    matrix = _quick(raw.FPDFText_GetMatrix, ctypes.c_int)
    font = _quick(raw.FPDFTextObj_GetFont, ctypes.c_size_t)
    font_size = _quick(raw.FPDFTextObj_GetFontSize, ctypes.c_int)
    glyph_width = _quick(raw.FPDFFont_GetGlyphWidth, ctypes.c_int)
    render_mode = _quick(raw.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
    set_render_mode = _quick(raw.FPDFTextObj_SetTextRenderMode, ctypes.c_int)
    page_object = _quick(raw.FPDFPage_GetObject, ctypes.c_size_t)
    form_object = _quick(raw.FPDFFormObj_GetObject, ctypes.c_size_t)
    kind = _quick(raw.FPDFPageObj_GetType, ctypes.c_int)
    fill_colour = _quick(raw.FPDFPageObj_GetFillColor, ctypes.c_int)
    clip_path = _quick(raw.FPDFPageObj_GetClipPath, ctypes.c_size_t)
    count_clip_paths = _quick(raw.FPDFClipPath_CountPaths, ctypes.c_int)
    count_segments = _quick(raw.FPDFClipPath_CountPathSegments, ctypes.c_int)
    segment = _quick(raw.FPDFClipPath_GetPathSegment, ctypes.c_size_t)
    point = _quick(raw.FPDFPathSegment_GetPoint, ctypes.c_int)
    draw_mode = _quick(raw.FPDFPath_GetDrawMode, ctypes.c_int)
    pixels = _quick(raw.FPDFImageObj_GetImagePixelSize, ctypes.c_int)
    object_matrix = _quick(raw.FPDFPageObj_GetMatrix, ctypes.c_int)
    count_form_objects = _quick(raw.FPDFFormObj_CountObjects, ctypes.c_int)
    _bounds = _quick(raw.FPDFPageObj_GetBounds, ctypes.c_int)

    @staticmethod
    def handle(thing: Any) -> Handle:
        """What stands for a page or a text of `pypdfium2`, or for an address, in calls."""
        return ctypes.c_void_p.from_param(thing if isinstance(thing, int) else ctypes.cast(thing, ctypes.c_void_p))

    @staticmethod
    def handles(addresses: Addresses) -> Handles:
        """What stands for addresses in calls."""
        return np.fromiter(map(ctypes.c_void_p.from_param, addresses.tolist()), object, len(addresses))

    @staticmethod
    def addresses(call: Any, *arguments: Iterable[Any]) -> Addresses:
        """What a function that gives addresses gives for each set of arguments."""
        return np.fromiter(map(call, *arguments), np.uint64)

    @staticmethod
    def numbers(call: Any, *arguments: Iterable[Any]) -> Places:
        """What a function that gives numbers gives for each set of arguments."""
        return np.fromiter(map(call, *arguments), np.intp)

    @staticmethod
    def rows(call: Any, count: int, width: int, kind_: Any, *arguments: Iterable[Any]) -> NDArray[Any]:
        """What a function writes into one place for each set of arguments, as an array of so many rows."""
        return _slots(count).filled(call, count, width, kind_, arguments, (0,))

    @staticmethod
    def sides(call: Any, count: int, width: int, kind_: Any, *arguments: Iterable[Any]) -> NDArray[Any]:
        """The same for a function that writes each number into a place of its own."""
        size = np.dtype(kind_).itemsize
        return _slots(count).filled(call, count, width, kind_, arguments, range(0, width * size, size))

    @staticmethod
    def bounds(drawn: Handles) -> NDArray[np.float32]:
        """Left, bottom, right and top of each drawn thing."""
        return Pdfium.sides(Pdfium._bounds, len(drawn), 4, np.float32, drawn)


@dataclass(frozen=True)
class Display:
    """How a page is shown: the sides of its box in the file, and its clockwise rotation."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @classmethod
    def of(cls, page: pypdfium2.PdfPage) -> "Display":
        """How PDFium shows the page."""
        left, bottom, right, top = page.get_bbox()
        return cls(left, bottom, right, top, page.get_rotation())

    def points(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Points of the file as points from the top left of what is shown."""
        if self.rotation == 90:
            return y - self.bottom, x - self.left
        if self.rotation == 180:
            return self.right - x, y - self.bottom
        if self.rotation == 270:
            return self.top - y, self.right - x
        return x - self.left, self.top - y


class Drawn(Protocol):
    """What is drawn on a page, in the order in which it is drawn."""

    @property
    def addresses(self) -> Addresses:
        """Where PDFium has each object, while the page is open."""
        ...

    @property
    def texts(self) -> Places:
        """The places of the pieces of text among them."""
        ...


@dataclass(frozen=True)
class Font:
    """A font's name, and what it reaches to in shares of its size.

    Attributes:
        ascent: how far above the baseline PDFium's boxes of its characters go.
        descent: how far below.
        capital: the height of its capitals; 0 for a font of signs.
    """

    name: str
    ascent: float
    descent: float
    capital: float

    @property
    def below(self) -> float:
        """How far a word's box goes below the baseline: in the share of the descent that the capitals have above."""
        share = self.capital / self.ascent if self.ascent > 0 else 1.0
        return min(max(self.descent * min(share, 1.0), _DESCENT[0]), _DESCENT[1])


@dataclass
class Fonts:
    """The fonts of a document, as far as they were met."""

    _known: dict[tuple[str, float, float], Font] = field(default_factory=dict)

    def font(self, address: int) -> Font:
        """The font that PDFium has at an address while the page is open."""
        handle = ctypes.cast(address, raw.FPDF_FONT)
        name, number = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_float()
        raw.FPDFFont_GetBaseFontName(handle, name, _LONGEST_NAME)
        raw.FPDFFont_GetAscent(handle, 1.0, number)
        ascent = number.value
        raw.FPDFFont_GetDescent(handle, 1.0, number)
        key = name.value.decode(errors="replace"), ascent, -number.value
        if key not in self._known:
            self._known[key] = Font(*key, _height_of_capitals(handle))
        return self._known[key]


def _height_of_capitals(font: Any) -> float:
    """The height of a capital that the font has; a letter that it lacks has the shape of others that it lacks."""
    shapes = [_shape(raw.FPDFFont_GetGlyphPath(font, ord(letter), 1.0)) for letter in _CAPITALS + _NO_LETTER]
    highest = (max((y for _, y in shape), default=0.0) for shape in shapes if shapes.count(shape) == 1)
    return next((height for height in highest if _CAPITAL[0] <= height <= _CAPITAL[1]), 0.0)


def _shape(path: Any) -> list[tuple[float, float]]:
    x, y = ctypes.c_float(), ctypes.c_float()
    points = []
    for place in range(raw.FPDFGlyphPath_CountGlyphSegments(path) if path else 0):
        raw.FPDFPathSegment_GetPoint(raw.FPDFGlyphPath_GetGlyphPathSegment(path, place), x, y)
        points.append((x.value, y.value))
    return points


def words_of(text: pypdfium2.PdfTextPage, drawn: Drawn, fonts: Fonts) -> list[TurnedWord]:
    """The words of a page in the order of its text; those whose middle is off the page are left out.

    Args:
        text: of the page.
        drawn: what is drawn on it.
        fonts: those of the document that were met so far.
    """
    if text.count_chars() <= 0:
        return []
    return _Characters(text, drawn, fonts).words(Display.of(text.page), text.page.get_size())


class _Characters:
    """The characters of a page that print something; arrays have a place for each."""

    def __init__(self, text: pypdfium2.PdfTextPage, drawn: Drawn, fonts: Fonts) -> None:
        count = text.count_chars()
        page = Pdfium.handle(text.raw)
        codes = _codes(text, page, count)
        objects = _objects(page, count)
        is_space = _IS_SPACE[np.minimum(codes, len(_IS_SPACE) - 1)]
        kept = np.flatnonzero((codes > _LAST_CONTROL) & ~is_space & (objects != 0))
        ranks = _ranks(drawn.addresses, objects)
        kept = kept[np.argsort(ranks[kept], kind="stable")]
        left_out = _left_out(drawn, ranks)
        kept, self.shift = _with_left_out(kept, objects, left_out.letters)
        self.codes, self.objects = codes[kept], objects[kept]
        self.is_left_out = self.shift > 0
        self.is_before_blank = left_out.is_before_blank[ranks[kept]] & ~self.is_left_out
        is_space &= (codes != _LINE_FEED) & (codes != _RETURN)
        self.spaces = np.cumsum(is_space)[kept]
        spaces = np.flatnonzero(is_space)
        is_space[spaces[list(map(Pdfium.is_supposed, repeat(page), spaces.tolist()))]] = False
        self.printed_spaces = np.cumsum(is_space)[kept]
        self._take_styles(page, kept, fonts)
        font_and_code = self.font.astype(np.uint64) << np.uint64(32) | self.codes
        self.known_letters, self.letter = np.unique(font_and_code, return_inverse=True)
        self._take_places(page, kept)

    def _take_styles(self, page: Handle, kept: Places, fonts: Fonts) -> None:
        """The font, the angle and the size of each character: those of the piece of text that it is in."""
        is_first = np.diff(self.objects, prepend=np.uint64(0)) != 0
        begins, piece = np.flatnonzero(is_first), np.cumsum(is_first) - 1
        objects = Pdfium.handles(self.objects[begins])
        matrices = Pdfium.rows(Pdfium.matrix, len(begins), 6, np.float32, repeat(page), kept[begins].tolist())
        sizes = Pdfium.rows(Pdfium.font_size, len(begins), 1, np.float32, objects)[:, 0]
        addresses = Pdfium.addresses(Pdfium.font, objects)
        # In the order of their first use: of two that differ in nothing else, the first one's capitals count for both.
        known = np.array(list(dict.fromkeys(addresses.tolist())), np.uint64)
        self.handles, self.fonts = Pdfium.handles(known), list(map(fonts.font, known.tolist()))
        order = np.argsort(known)
        self.font = order[np.searchsorted(known[order], addresses)][piece]
        self.fonts = list(_with_capitals(self.fonts, np.bincount(self.font, minlength=len(self.fonts))))
        a, b, c, d = matrices[:, :4].T.astype(np.float64)
        self.is_first, self.piece, self.first_origins = is_first, piece, matrices[:, 4:].astype(np.float64)
        width = np.hypot(a, b)
        height = np.abs(a * d - b * c) / np.where(width > 0, width, 1.0)
        self.width, self.height = (np.abs(sizes) * width)[piece], (np.abs(sizes) * height)[piece]
        self.angle = (np.degrees(np.arctan2(b, a)).round().astype(np.intp) % 360)[piece]
        off = (self.angle + 45) % 90 - 45
        self.is_askew = np.abs(off) > _UPRIGHT
        direction = np.where(self.is_askew, self.angle, self.angle - off) % 360
        self.along, self.across = _COSINES[direction], _SINES[direction]

    def _take_places(self, page: Handle, kept: Places) -> None:
        """Begin and end of each character along its print, and its lower and upper end across it, in the file."""
        count, places = len(kept), kept.tolist()
        boxes = Pdfium.rows(Pdfium.loose_box, count, 4, np.float32, repeat(page), places).astype(np.float64)
        left, top, right, bottom = boxes.T
        ends = left * self.along + bottom * self.across, right * self.along + top * self.across
        # The matrix of a piece of text says where its first character is, if that is no space.
        origins = self.first_origins[self.piece]
        begin = origins[:, 0] * self.along + origins[:, 1] * self.across
        others = np.flatnonzero(~self.is_first | (np.minimum(*ends) > begin + _NO_GAP * self.width))
        origins[others, 0] = left[others]
        others = others[self._may_begin_elsewhere(page, kept, others, left)]
        origins[others] = Pdfium.sides(
            Pdfium.origin, len(others), 2, np.float64, repeat(page), kept[others].tolist()
        )
        x, y = origins[:, 0] + self.shift, origins[:, 1]
        self.begin, self.base = x * self.along + y * self.across, y * self.along - x * self.across
        self.end = np.maximum(self.begin, np.maximum(*ends) + self.shift)
        is_same_place = (np.abs(np.diff(self.begin)) < _SAME_PLACE) & (np.abs(np.diff(self.base)) < _SAME_PLACE)
        self.is_part = is_same_place & (np.diff(self.objects) == 0)
        advance = self._advances() * self.width
        overhang = self.end - self.begin - advance
        is_one = (overhang > 0) & (~self._is_figure() | (overhang < _FIGURE_OVERHANG * self.width))
        is_known = (advance > 0) & (self.is_askew | is_one)
        is_known &= ~(np.append(self.is_part, False) | np.insert(self.is_part, 0, False))
        self.end = np.where(is_known, self.begin + advance, self.end)
        capital, below = (np.array([getattr(f, side) for f in self.fonts]) for side in ("capital", "below"))
        self._turn_brackets()
        self.low = self.base - (below[self.font] if count else 0) * self.height
        self.high = self.base + (capital[self.font] if count else 0) * self.height

    def _turn_brackets(self) -> None:
        """Turn brackets as they are seen: in lines of Hebrew and Arabic, PDFium gives them mirrored."""
        leftwards = self._is_leftwards()
        if not leftwards.any():
            return
        near = np.abs(np.diff(self.base)) < _SAME_PLACE
        back = near & (self.begin[1:] < self.begin[:-1])
        before, behind = np.append(back, False), np.insert(back, 0, False)
        opens, closes = self.codes == ord("("), self.codes == ord(")")
        self.codes = np.where(opens & before, ord(")"), np.where(closes & behind, ord("("), self.codes))

    def _may_begin_elsewhere(self, page: Handle, kept: Places, some: Places, left: Floats) -> NDArray[np.bool_]:
        """Whether some characters may begin elsewhere than at the left of their boxes, as italics and turned ones do.

        PDFium is asked for one of each letter of a font, and for all of a piece of text whose first one does.
        """
        letter, first = self.letter[some], np.full(len(self.known_letters), -1)
        first[letter[::-1]] = some[::-1]
        asked = first[first >= 0]
        begins = Pdfium.sides(Pdfium.origin, len(asked), 2, np.float64, repeat(page), kept[asked].tolist())[:, 0]
        is_elsewhere = np.zeros(len(first), np.bool_)
        is_elsewhere[first >= 0] = np.abs(begins - left[asked]) > _SAME_PLACE
        is_unknown = (self.codes[some] == _UNKNOWN) | (self.angle[some] != 0)
        first_left = left[np.flatnonzero(self.is_first)]
        is_shifted = np.abs(self.first_origins[:, 0] - first_left) > _SAME_PLACE
        return np.asarray(is_elsewhere[letter] | is_unknown | is_shifted[self.piece[some]])

    def _advances(self) -> Floats:
        """How far each character moves those behind it, in shares of the font's size; 0 where that is not known."""
        keys = self.known_letters
        fonts = map(self.handles.__getitem__, (keys >> np.uint64(32)).tolist())
        codes = (keys & np.uint64(0xFFFFFFFF)).tolist()
        found = Pdfium.rows(Pdfium.glyph_width, len(keys), 1, np.float32, fonts, codes, repeat(_UNIT))
        return np.asarray(found[:, 0].astype(np.float64)[self.letter])

    def words(self, display: Display, size: tuple[float, float]) -> list[TurnedWord]:
        """The words on the page, which has this width and height, as displayed."""
        if not len(self.codes):
            return []
        begins = self._begins()
        ends = np.append(begins[1:], len(self.codes))
        begin, low = np.minimum.reduceat(self.begin, begins), np.minimum.reduceat(self.low, begins)
        end, high = np.maximum.reduceat(self.end, begins), np.maximum.reduceat(self.high, begins)
        along, across = self.along[begins], self.across[begins]
        corners = [
            display.points(s * along - t * across, s * across + t * along)
            for s in (begin, end)
            for t in (low, high)
        ]
        xs, ys = (np.array(points) for points in zip(*corners, strict=True))
        sides = np.stack((xs.min(axis=0), ys.min(axis=0), xs.max(axis=0), ys.max(axis=0)))
        doubled = sides[:2] + sides[2:]
        shown = np.flatnonzero(((doubled >= 0.0) & (doubled <= 2 * np.array([size]).T)).all(axis=0))
        begins, ends, sides = begins[shown], ends[shown], sides[:, shown]
        angles = (self.angle[begins] - display.rotation) % 360
        text, is_plain = _text(self.codes), not ((self.codes >> 11) == _HALVES).any()
        names = [font.name for font in self.fonts]
        texts = [text[first:last] for first, last in zip(begins.tolist(), ends.tolist(), strict=True)]
        fonts = [names[font] for font in self.font[begins].tolist()]
        words = map(Word, texts if is_plain else map(_whole, texts), *sides.tolist(), fonts)
        return list(zip(words, angles.tolist(), strict=True))

    def _begins(self) -> Places:
        """The first character of each word: behind a space, printed or supposed, a wide gap or a step up or down."""
        size = np.minimum(self.width[1:], self.width[:-1])
        is_leftwards = self._is_leftwards()
        is_leftwards = is_leftwards[1:] & is_leftwards[:-1]
        gap = np.where(is_leftwards, self.begin[:-1] - self.end[1:], self.begin[1:] - self.end[:-1])
        step = np.abs(np.diff(self.base))
        is_next = (np.diff(self.objects) != 0) | self.is_left_out[1:]
        is_printed = (np.diff(self.printed_spaces) != 0) | self.is_before_blank[:-1] & is_next
        is_apart = is_printed | (gap > _GAP * size) | (gap < -_FURTHEST_BACK * size) | (step > _STEP * size)
        in_letters = self._is_letter()[1:] & self._is_letter()[:-1] | is_leftwards
        least = np.where(in_letters, _SPACE, _TOUCHING) * size
        is_apart |= (np.diff(self.spaces) != 0) & (np.abs(gap) >= least)
        ends = (np.diff(self.angle) != 0) | (is_apart & ~self.is_part)
        return np.flatnonzero(np.concatenate(([True], ends)))

    def _is_figure(self) -> NDArray[np.bool_]:
        return (self.codes >= ord("0")) & (self.codes <= ord("9"))

    def _is_leftwards(self) -> NDArray[np.bool_]:
        """Whether each is a letter of Hebrew or Arabic, which PDFium gives in the order in which they are read."""
        found = np.zeros(len(self.codes), np.bool_)
        for first, last in _LEFTWARDS:
            found |= (self.codes >= first) & (self.codes <= last)
        return found

    def _is_letter(self) -> NDArray[np.bool_]:
        return ((self.codes | 0x20) >= ord("a")) & ((self.codes | 0x20) <= ord("z"))


def _with_capitals(fonts: Sequence[Font], counts: NDArray[np.intp]) -> Iterator[Font]:
    """The fonts of a page; signs are as high as the capitals of the font that most of its characters have."""
    usual = max(
        ((count, font.capital) for font, count in zip(fonts, counts, strict=True) if font.capital),
        default=(0, _USUAL_CAPITAL),
    )
    yield from (font if font.capital else replace(font, capital=usual[1]) for font in fonts)


_SIGNS = dict(zip("‐‑‒–—―−‘’‚‛“”„‟", '-------\'\',\'""""', strict=True))
_PLAIN = np.arange(max(map(ord, _SIGNS)) + 1, dtype=np.uint32)  # by code point
_PLAIN[[*map(ord, _SIGNS)]] = [*map(ord, _SIGNS.values())]


@dataclass(frozen=True)
class _LeftOut:
    """Pieces of text that PDFium leaves out.

    Attributes:
        letters: for pieces of one letter, how far behind it the same letter is printed.
        is_before_blank: of each drawn object, whether a blank of no width is behind it.
    """

    letters: dict[int, float]
    is_before_blank: NDArray[np.bool_]


def _left_out(objects: Drawn, ranks: Places) -> _LeftOut:
    """What PDFium leaves out where each letter is a piece of text of its own.

    It takes a letter for one printed twice, to look bold, which is printed up to nine tenths of its width behind the
    same letter: so it loses the second f of "different".

    Args:
        objects: what is drawn.
        ranks: where the pieces of text that PDFium gives are among them; see `_ranks`.
    """
    drawn, is_seen = objects.addresses[objects.texts], np.zeros(len(objects.addresses) + 1, np.bool_)
    is_seen[ranks] = True
    is_seen = is_seen[objects.texts]
    unseen = np.flatnonzero(~is_seen)
    boxes = Pdfium.bounds(Pdfium.handles(drawn[unseen]))
    is_blank = boxes[:, 2] <= boxes[:, 0]
    letters: dict[int, float] = {}
    for place, box in zip(unseen[~is_blank].tolist(), boxes[~is_blank], strict=True):
        first = max(0, place - _TWINS)
        twins = drawn[first:place][is_seen[first:place]][::-1]
        for twin, other in zip(twins.tolist(), Pdfium.bounds(Pdfium.handles(twins)), strict=True):
            distance, height = float(box[0] - other[0]), float(other[3] - other[1])
            is_same = np.abs(box - other - (distance, 0.0, distance, 0.0)).max() < _SAME * height
            if is_same and distance > _PRINTED_TWICE * height:
                letters[twin] = distance
                break
    blanks, is_before_blank = unseen[is_blank], np.zeros(len(objects.addresses) + 1, np.bool_)
    is_before_blank[objects.texts[blanks[blanks > 0] - 1]] = True
    return _LeftOut(letters, is_before_blank)


def _ranks(drawn: Addresses, objects: Addresses) -> Places:
    """The place of each of some objects in the order in which they are drawn, and -1 for those that are not drawn."""
    order = np.append(np.argsort(drawn), -1)
    places = np.searchsorted(drawn[order[:-1]], objects)
    found = order[places]
    return np.where(np.append(drawn, 0)[found] == objects, found, -1)


def _with_left_out(kept: Places, objects: Addresses, left_out: dict[int, float]) -> tuple[Places, Floats]:
    """The characters with those that are left out, and how far each is printed behind what PDFium says."""
    shift = np.zeros(len(kept))
    for piece, distance in left_out.items():
        places = np.flatnonzero(objects[kept] == piece)
        if len(places) == 1:
            kept = np.insert(kept, places[0] + 1, kept[places[0]])
            shift = np.insert(shift, places[0] + 1, distance)
    return kept, shift


_SPACES = [*map(ord, " \t\n\r\x0b\x0c\xa0\u2002\u2003\u2009\u200a\u3000")]
_IS_SPACE = np.zeros(max(_SPACES) + 2, np.bool_)  # by code point; the last is for all beyond
_IS_SPACE[_SPACES] = True


def _codes(text: pypdfium2.PdfTextPage, page: Handle, count: int) -> NDArray[np.uint32]:
    """The code point of each character; 0 for none."""
    taken = np.zeros(count + 1, np.uint16)
    place = taken.ctypes.data_as(ctypes.POINTER(ctypes.c_ushort))
    if count and raw.FPDFText_GetText(text, 0, count, place) == count + 1:
        codes = taken[:count].astype(np.uint32)
        unsure = np.flatnonzero((codes == _NO_CHARACTER) | (codes >> 11 == _HALVES))
    else:
        codes, unsure = np.zeros(count, np.uint32), np.arange(count)
    codes[unsure] = np.fromiter(map(Pdfium.unicode, repeat(page), unsure.tolist()), np.uint32, len(unsure))
    controls = np.flatnonzero(codes <= _LAST_CONTROL).tolist()
    for control in controls:
        if Pdfium.is_unknown(page, control):
            codes[control] = _UNKNOWN if _is_printed(text, control) else ord(" ")
    codes[[place for place in controls if codes[place] == _HYPHEN and Pdfium.is_hyphen(page, place)]] = ord("-")
    return codes


def _objects(page: Handle, count: int) -> Addresses:
    """The piece of text of each character. All characters of a piece follow one another, so not each is asked for.

    A blank that PDFium adds between them is of none; here it may be of theirs.
    """
    asked = np.append(np.arange(0, count, _ASKED_EVERY), count - 1)
    known = Pdfium.addresses(Pdfium.text_object, repeat(page), asked.tolist())
    steps, is_same = np.diff(asked), (known[1:] == known[:-1]) & (known[1:] != 0)
    found = np.append(np.repeat(known[:-1], steps), known[-1])
    is_left = np.append(~np.repeat(is_same, steps), False)
    is_left[asked] = False
    left = np.flatnonzero(is_left)
    found[left] = Pdfium.addresses(Pdfium.text_object, repeat(page), left.tolist())
    return found


def _is_printed(text: pypdfium2.PdfTextPage, place: int) -> bool:
    left, bottom, right, top = text.get_charbox(place)
    return bool(min(right - left, top - bottom) > _SMALLEST_MARK)


def _text(codes: NDArray[np.uint32]) -> str:
    plain = np.where(codes < len(_PLAIN), _PLAIN[np.minimum(codes, len(_PLAIN) - 1)], codes)
    return plain.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _whole(text: str) -> str:
    """The text with each character in one piece."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

"""What is drawn on a PDF's page: how much of it, where its pictures are, and whether it may hide text."""

import ctypes
import re
import zlib
from collections.abc import Callable
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from pypdfium2 import raw

from indexes.layout.words import Extent
from indexes.pdf_words import Addresses, Display, Floats, Handle, Handles, Pdfium, Places

# Of one page. The largest of 29 real reports have 9,000 objects, 8 million pixels and 510,000 square points; a dense
# page has 10,000 characters.
MOST_CHARACTERS = 60_000
MOST_OBJECTS = 50_000
MOST_PIXELS = 100_000_000
MOST_SQUARE_POINTS = 25_000_000
_FAINT = 32  # levels of 255 that two colours or an opacity may differ, and nobody sees it
_UNPAINTED = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_RULE = 8.0  # points; a filled shape of fewer on a side is a rule, no background
_MOST_CLIPS, _MOST_CORNERS = 4, 64  # paths that cut off a text, and their points, that are looked at
_MOST_SHAPES = 300  # of a page, which are looked through for each text
_PAPER = (255, 255, 255)
_WHOLE = (-np.inf, -np.inf, np.inf, np.inf)


class DrawnObjects:
    """The objects of a page in the order in which they are drawn, and those of forms after each form.

    Attributes:
        addresses: where PDFium has them, while the page is open.
        kinds: PDFium's number for what each is.
        are_too_many: whether there are more of them than are looked at.
    """

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._page = page
        self._parts: list[tuple[Addresses, Handles]] = []
        self._kinds: list[Places] = []
        self._forms: list[Places] = []
        self._matrices: list[Floats] = [np.array((1.0, 0.0, 0.0, 1.0, 0.0, 0.0))]  # of forms, into the page
        self._count = 0
        self.are_too_many = False
        self._take(Pdfium.page_object, Pdfium.handle(page.raw), raw.FPDFPage_CountObjects(page), 0)
        self.addresses, self._handles = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        self.kinds, self._form = np.concatenate(self._kinds), np.concatenate(self._forms)

    def _take(self, get: Any, holder: Handle, count: int, form: int) -> None:
        """Take note of the objects of the page, or of a form on it."""
        self.are_too_many |= self._count + count > MOST_OBJECTS
        found = Pdfium.addresses(get, repeat(holder), range(0 if self.are_too_many else count))
        handles, first = Pdfium.handles(found), 0
        kinds = Pdfium.numbers(Pdfium.kind, handles)
        for place in np.flatnonzero(kinds == raw.FPDF_PAGEOBJ_FORM).tolist():
            some, inner = slice(first, place + 1), handles[place]
            self._add(found[some], handles[some], kinds[some], form)
            first = place + 1
            (own,) = Pdfium.rows(Pdfium.object_matrix, 1, 6, np.float32, [inner]).astype(np.float64)
            self._matrices.append(_product(own, self._matrices[form]))
            self._take(Pdfium.form_object, inner, Pdfium.count_form_objects(inner), len(self._matrices) - 1)
            if self.are_too_many:
                break
        self._add(found[first:], handles[first:], kinds[first:], form)

    def _add(self, found: Addresses, handles: Handles, kinds: Places, form: int) -> None:
        self._count += len(found)
        self._parts.append((found, handles))
        self._kinds.append(kinds)
        self._forms.append(np.full(len(found), form, np.intp))

    @cached_property
    def texts(self) -> Places:
        """The places of the pieces of text."""
        return np.flatnonzero(self.kinds == raw.FPDF_PAGEOBJ_TEXT)

    @cached_property
    def _images(self) -> Places:
        return np.flatnonzero(self.kinds == raw.FPDF_PAGEOBJ_IMAGE)

    def problem(self) -> str:
        """What is too large on the page, before its text is looked at; empty where nothing is."""
        width, height = self._page.get_size()
        if width * height > MOST_SQUARE_POINTS:
            size = f"{width:,.0f} by {height:,.0f} points"
            return f"is {size} large; at most {MOST_SQUARE_POINTS:,} square points are read"
        if self.are_too_many:
            return f"has more than {MOST_OBJECTS:,} lines, pictures and pieces of text"
        sizes = Pdfium.sides(Pdfium.pixels, len(self._images), 2, np.uint32, self._handles[self._images])
        pixels = int(sizes.astype(np.int64).prod(axis=1).max(initial=0))
        if pixels > MOST_PIXELS:
            return f"has a picture of {pixels:,} pixels; at most {MOST_PIXELS:,} are read"
        return ""

    def pictures(self) -> list[Extent]:
        """Where bitmaps are drawn that can be seen, as displayed."""
        display, clips = Display.of(self._page), self._clips(self._images)
        seen = self._in_page(_common(self._boxes(self._images), clips), self._images)
        seen = _common(seen, np.array((display.left, display.bottom, display.right, display.top)))
        seen = seen[(seen[:, 0] < seen[:, 2]) & (seen[:, 1] < seen[:, 3])]
        xs, ys = (np.sort(side, axis=1).tolist() for side in display.points(seen[:, 0::2], seen[:, 1::2]))
        return [Extent(left, top, right, bottom) for (left, right), (top, bottom) in zip(xs, ys, strict=True)]

    def may_hide_text(self, *, has_layers: bool = False) -> bool:
        """Whether text may be in the colour of what is behind it, clear, not painted, cut off or behind a picture.

        Where the document has layers, also whether it is of one, which may be switched off.
        """
        if not len(self.texts):
            return False
        if has_layers and any(map(_is_of_a_layer, self.addresses[self.texts].tolist())):
            return True
        handles = self._handles[self.texts]
        colours = Pdfium.sides(Pdfium.fill_colour, len(handles), 4, np.uint32, handles).astype(np.intp)
        modes = Pdfium.numbers(Pdfium.render_mode, handles)
        if (colours[:, 3] < _FAINT).any() or np.isin(modes, _UNPAINTED).any():
            return True
        return self._are_cut_off() or self._are_covered(colours[:, :3])

    def _are_cut_off(self) -> bool:
        """Whether the middle of a text is outside a path that cuts it off."""
        clips = self._clips(self.texts)
        some = np.isfinite(clips).any(axis=1)
        return bool(_are_outside(_middles(self._boxes(self.texts[some])), clips[some]).any())

    def _are_covered(self, inks: Places) -> bool:
        """Whether something is drawn over the middle of a text, or the last shape before is of the text's colour."""
        pictures = np.flatnonzero(np.isin(self.kinds, (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING)))
        shapes = np.sort(np.concatenate((pictures, self._backgrounds())))
        if len(shapes) > _MOST_SHAPES:
            return True
        is_picture, drawn = np.isin(shapes, pictures), self._handles[shapes]
        colours = Pdfium.sides(Pdfium.fill_colour, len(drawn), 4, np.uint32, drawn)[:, :3].astype(np.intp)
        boxes = self.boxes_in_page(shapes)
        below = self.texts[self.texts < shapes.max(initial=0)]
        if _around(boxes, _middles(self.boxes_in_page(below)), shapes[:, None] > below).any():
            return True
        known = np.concatenate((colours[~is_picture], [_PAPER]))
        _, first, which = np.unique(inks @ (1 << 16, 1 << 8, 1), return_index=True, return_inverse=True)
        is_doubtful = np.asarray(_are_like(inks[first, None], known[None]).any(axis=1))
        doubtful = np.flatnonzero(is_doubtful[which.ravel()])
        places = self.texts[doubtful]
        # The paper is the first shape, behind all others.
        is_behind = _around(boxes, _middles(self.boxes_in_page(places)), shapes[:, None] < places)
        is_behind = np.concatenate((np.ones((1, len(places)), np.bool_), is_behind))
        last = len(shapes) - np.argmax(is_behind[::-1], axis=0)
        is_picture, colours = np.append(False, is_picture), np.concatenate(([_PAPER], colours))
        return bool((_are_like(inks[doubtful], colours[last]) & ~is_picture[last]).any())

    def _backgrounds(self) -> Places:
        """The places of filled shapes that are no rules."""
        paths = np.flatnonzero(self.kinds == raw.FPDF_PAGEOBJ_PATH)
        modes = Pdfium.sides(Pdfium.draw_mode, len(paths), 2, np.int32, self._handles[paths])
        paths = paths[modes[:, 0] != raw.FPDF_FILLMODE_NONE]
        boxes = self.boxes_in_page(paths)
        return np.asarray(paths[np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]) > _RULE])

    def _boxes(self, places: Places) -> Floats:
        """Left, bottom, right and top in the page, or in the form that holds the object."""
        return Pdfium.bounds(self._handles[places]).astype(np.float64)

    def boxes_in_page(self, places: Places) -> Floats:
        """Left, bottom, right and top of objects in the page, also of those in forms."""
        return self._in_page(self._boxes(places), places)

    def _in_page(self, boxes: Floats, places: Places) -> Floats:
        """Boxes of objects as boxes of the page, where the objects are in forms."""
        if len(self._matrices) == 1:
            return boxes
        a, b, c, d, e, f = np.array(self._matrices)[self._form[places]].T
        xs, ys = boxes[:, [0, 0, 2, 2]].T, boxes[:, [1, 3, 1, 3]].T
        x, y = a * xs + c * ys + e, b * xs + d * ys + f
        return np.stack((x.min(axis=0), y.min(axis=0), x.max(axis=0), y.max(axis=0)), axis=1)

    def _clips(self, places: Places) -> Floats:
        """The box that all paths which cut off an object leave of it, in the page or in its form."""
        clips = Pdfium.handles(Pdfium.addresses(Pdfium.clip_path, self._handles[places]))
        counts = Pdfium.numbers(Pdfium.count_clip_paths, clips)
        found = np.full((len(places), 4), _WHOLE)
        for path in range(min(int(counts.max(initial=0)), _MOST_CLIPS)):
            some = np.flatnonzero(counts > path)
            # Objects that are cut off by the same path share its points.
            cut = clips[some]
            points = Pdfium.addresses(Pdfium.segment, cut, repeat(path), repeat(0))
            _, first, which = np.unique(points, return_index=True, return_inverse=True)
            boxes = np.array([_box_of_clip(cut[place], path) for place in first.tolist()])
            found[some] = _common(found[some], boxes[which.ravel()])
        return found


_MOST_BYTES, _MOST_INFLATED, _LONGEST_MARK = 1 << 28, 1 << 20, 64


def has_layers(data: bytes) -> bool:
    """Whether a PDF has layers that may be switched off, also where its objects are compressed."""
    if b"/OCProperties" in data:
        return True
    for found in re.finditer(rb"/ObjStm\b[^>]*>>\s*stream\r?\n", data[:_MOST_BYTES]):
        try:
            inner = zlib.decompressobj().decompress(data[found.end() : found.end() + _MOST_BYTES], _MOST_INFLATED)
        except zlib.error:
            continue
        if b"/OCProperties" in inner:
            return True
    return False


def _is_of_a_layer(address: int) -> bool:
    """Whether a piece of text is marked as a layer's."""
    piece = ctypes.cast(address, raw.FPDF_PAGEOBJECT)
    name, length = ctypes.create_string_buffer(_LONGEST_MARK), ctypes.c_ulong()
    for place in range(raw.FPDFPageObj_CountMarks(piece)):
        mark = raw.FPDFPageObj_GetMark(piece, place)
        raw.FPDFPageObjMark_GetName(
            mark, ctypes.cast(name, ctypes.POINTER(ctypes.c_ushort)), _LONGEST_MARK, length
        )
        if name.raw[: length.value].decode("utf-16-le", "replace").rstrip("\0") == "OC":
            return True
    return False


def _box_of_clip(clip: Handle, path: int) -> tuple[float, ...]:
    """The box of a path that cuts off; none where there are too many points to look at."""
    count = Pdfium.count_segments(clip, path)
    if not 0 < count <= _MOST_CORNERS:
        return _WHOLE
    segments = Pdfium.addresses(Pdfium.segment, repeat(clip), repeat(path), range(count))
    points = Pdfium.sides(Pdfium.point, count, 2, np.float32, Pdfium.handles(segments))
    return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _product(inner: Floats, outer: Floats) -> Floats:
    """The matrix that does what one does and then another."""
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return np.array(
        (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)
    )


def _common(boxes: Floats, others: Floats) -> Floats:
    """What each box shares with another; turned inside out where that is nothing."""
    low, high = np.maximum(boxes[:, :2], others[..., :2]), np.minimum(boxes[:, 2:], others[..., 2:])
    return np.concatenate((low, high), axis=1)


def _middles(boxes: Floats) -> Floats:
    return (boxes[:, :2] + boxes[:, 2:]) / 2


def _are_outside(points: Floats, boxes: Floats) -> NDArray[np.bool_]:
    return np.asarray(((points < boxes[:, :2]) | (points > boxes[:, 2:])).any(axis=1))


def _around(boxes: Floats, points: Floats, is_meant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which boxes are around which points."""
    x, y = points.T
    left, bottom, right, top = boxes.T[:, :, None]
    return np.asarray((left < x) & (x < right) & (bottom < y) & (y < top) & is_meant)


def _are_like(inks: Places, colours: Places) -> NDArray[np.bool_]:
    return np.asarray((np.abs(inks - colours) < _FAINT).all(axis=-1))


def page_problem(drawn: DrawnObjects, text: Callable[[], pypdfium2.PdfTextPage]) -> str:
    """What is too large on a page; empty where nothing is.

    Args:
        drawn: what is drawn on it.
        text: gives its text; called where that much can be drawn.
    """
    if problem := drawn.problem():
        return problem
    characters = text().count_chars()
    if characters > MOST_CHARACTERS:
        return f"has {characters:,} characters; no page of print has more than {MOST_CHARACTERS:,}"
    return ""

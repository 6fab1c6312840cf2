"""What is drawn on a page of a PDF: whether it is more than can be read, what hides text, and where pictures are."""

from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from pypdfium2 import raw

from indexes import pdfium_calls as calls
from indexes.layout.words import Extent

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
_Floats = NDArray[np.float64]
_Places = NDArray[np.intp]
_WHOLE = (-np.inf, -np.inf, np.inf, np.inf)


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
        return cls(*page.get_bbox(), page.get_rotation())

    def points(self, x: _Floats, y: _Floats) -> tuple[_Floats, _Floats]:
        """Points of the file as points from the top left of what is shown."""
        if self.rotation == 90:
            return y - self.bottom, x - self.left
        if self.rotation == 180:
            return self.right - x, y - self.bottom
        if self.rotation == 270:
            return self.top - y, self.right - x
        return x - self.left, self.top - y


class DrawnObjects:
    """The objects of a page in the order in which they are drawn, and those of forms after each form.

    Attributes:
        addresses: where PDFium has them, while the page is open.
        kinds: PDFium's number for what each is.
        are_too_many: whether there are more of them than are looked at.
    """

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._page = page
        self._parts: list[calls.Addresses] = []
        self._kinds: list[NDArray[np.intp]] = []
        self._forms: list[NDArray[np.intp]] = []
        self._matrices: list[_Floats] = [np.array((1.0, 0.0, 0.0, 1.0, 0.0, 0.0))]  # of forms, into the page
        self._count = 0
        self.are_too_many = False
        self._take(calls.page_object, calls.address_of(page.raw), raw.FPDFPage_CountObjects(page), 0)
        self.addresses = np.concatenate(self._parts)
        self.kinds, self._form = np.concatenate(self._kinds), np.concatenate(self._forms)

    def _take(self, get: Any, holder: int, count: int, form: int) -> None:
        """Take note of the objects of the page, or of a form on it."""
        self.are_too_many |= self._count + count > MOST_OBJECTS
        found = calls.addresses(get, repeat(holder), range(0 if self.are_too_many else count))
        kinds, first = calls.numbers(calls.kind, found.tolist()), 0
        for place in np.flatnonzero(kinds == raw.FPDF_PAGEOBJ_FORM).tolist():
            self._add(found[first : place + 1], kinds[first : place + 1], form)
            first, inner = place + 1, int(found[place])
            (own,) = calls.rows(calls.object_matrix, 1, 6, np.float32, [inner]).astype(np.float64)
            self._matrices.append(_product(own, self._matrices[form]))
            self._take(calls.form_object, inner, calls.count_form_objects(inner), len(self._matrices) - 1)
            if self.are_too_many:
                break
        self._add(found[first:], kinds[first:], form)

    def _add(self, found: calls.Addresses, kinds: NDArray[np.intp], form: int) -> None:
        self._count += len(found)
        self._parts.append(found)
        self._kinds.append(kinds)
        self._forms.append(np.full(len(found), form, np.intp))

    @cached_property
    def texts(self) -> _Places:
        """The places of the pieces of text."""
        return np.flatnonzero(self.kinds == raw.FPDF_PAGEOBJ_TEXT)

    @cached_property
    def _images(self) -> _Places:
        return np.flatnonzero(self.kinds == raw.FPDF_PAGEOBJ_IMAGE)

    def ranks(self, addresses: calls.Addresses) -> _Places:
        """The place of each of some objects in the order in which they are drawn."""
        order = np.argsort(self.addresses)
        places = np.searchsorted(self.addresses[order], addresses)
        return np.asarray(order[np.minimum(places, len(order) - 1)])

    def problem(self) -> str:
        """What is too large on the page, before its text is looked at; empty where nothing is."""
        width, height = self._page.get_size()
        if width * height > MOST_SQUARE_POINTS:
            size = f"{width:,.0f} by {height:,.0f} points"
            return f"is {size} large; at most {MOST_SQUARE_POINTS:,} square points are read"
        if self.are_too_many:
            return f"has more than {MOST_OBJECTS:,} lines, pictures and pieces of text"
        sizes = calls.sides(calls.pixels, len(self._images), 2, np.uint32, self.addresses[self._images].tolist())
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

    def may_hide_text(self) -> bool:
        """Whether text may be in the colour of what is behind it, clear, not painted, cut off or behind a picture."""
        texts = self.addresses[self.texts].tolist()
        if not texts:
            return False
        colours = calls.sides(calls.fill_colour, len(texts), 4, np.uint32, texts).astype(np.intp)
        if (colours[:, 3] < _FAINT).any() or np.isin(calls.numbers(calls.render_mode, texts), _UNPAINTED).any():
            return True
        return self._are_cut_off() or self._are_covered(colours[:, :3])

    def _are_cut_off(self) -> bool:
        """Whether the middle of a text is outside a path that cuts it off."""
        clips = self._clips(self.texts)
        some = np.isfinite(clips).any(axis=1)
        return bool(_are_outside(_middles(self._boxes(self.texts[some])), clips[some]).any())

    def _are_covered(self, inks: _Places) -> bool:
        """Whether a picture is drawn over the middle of a text, or the last shape before is of the text's colour."""
        pictures = np.flatnonzero(np.isin(self.kinds, (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING)))
        shapes = np.sort(np.concatenate((pictures, self._backgrounds())))
        if len(shapes) > _MOST_SHAPES:
            return True
        is_picture, colours = np.isin(shapes, pictures), self._colours(shapes)
        boxes = self._boxes_in_page(shapes)
        below = self.texts[self.texts < pictures.max(initial=0)]
        if _around(boxes[is_picture], self._middles_in_page(below), pictures[:, None] > below).any():
            return True
        known = np.concatenate((colours[~is_picture], [_PAPER]))
        _, first, which = np.unique(inks @ (1 << 16, 1 << 8, 1), return_index=True, return_inverse=True)
        doubtful = np.flatnonzero(_are_like(inks[first, None], known[None]).any(axis=1)[which.ravel()])
        places = self.texts[doubtful]
        # The paper is the first shape, behind all others.
        is_behind = _around(boxes, self._middles_in_page(places), shapes[:, None] < places)
        is_behind = np.concatenate((np.ones((1, len(places)), np.bool_), is_behind))
        last = len(shapes) - np.argmax(is_behind[::-1], axis=0)
        is_picture, colours = np.append(False, is_picture), np.concatenate(([_PAPER], colours))
        return bool((_are_like(inks[doubtful], colours[last]) & ~is_picture[last]).any())

    def _backgrounds(self) -> _Places:
        """The places of filled shapes that are no rules."""
        paths = np.flatnonzero(self.kinds == raw.FPDF_PAGEOBJ_PATH)
        modes = calls.sides(calls.draw_mode, len(paths), 2, np.int32, self.addresses[paths].tolist())
        paths = paths[modes[:, 0] != raw.FPDF_FILLMODE_NONE]
        boxes = self._boxes_in_page(paths)
        return paths[np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]) > _RULE]

    def _colours(self, places: _Places) -> _Places:
        found = calls.sides(calls.fill_colour, len(places), 4, np.uint32, self.addresses[places].tolist())
        return found[:, :3].astype(np.intp)

    def _boxes(self, places: _Places) -> _Floats:
        """Left, bottom, right and top in the page, or in the form that holds the object."""
        return calls.bounds(self.addresses[places]).astype(np.float64)

    def _boxes_in_page(self, places: _Places) -> _Floats:
        return self._in_page(self._boxes(places), places)

    def _middles_in_page(self, places: _Places) -> _Floats:
        return _middles(self._boxes_in_page(places))

    def _in_page(self, boxes: _Floats, places: _Places) -> _Floats:
        """Boxes of objects as boxes of the page, where the objects are in forms."""
        if len(self._matrices) == 1:
            return boxes
        a, b, c, d, e, f = np.array(self._matrices)[self._form[places]].T
        xs, ys = boxes[:, [0, 0, 2, 2]].T, boxes[:, [1, 3, 1, 3]].T
        x, y = a * xs + c * ys + e, b * xs + d * ys + f
        return np.stack((x.min(axis=0), y.min(axis=0), x.max(axis=0), y.max(axis=0)), axis=1)

    def _clips(self, places: _Places) -> _Floats:
        """The box that all paths which cut off an object leave of it, in the page or in its form."""
        clips = calls.addresses(calls.clip_path, self.addresses[places].tolist())
        counts = calls.numbers(calls.count_clip_paths, clips.tolist())
        found = np.full((len(places), 4), _WHOLE)
        for path in range(min(int(counts.max(initial=0)), _MOST_CLIPS)):
            some = np.flatnonzero(counts > path)
            # Objects that are cut off by the same path share its points.
            points = calls.addresses(calls.segment, clips[some].tolist(), repeat(path), repeat(0))
            _, first, which = np.unique(points, return_index=True, return_inverse=True)
            boxes = np.array([_box_of_clip(int(clips[some[place]]), path) for place in first.tolist()])
            found[some] = _common(found[some], boxes[which.ravel()])
        return found


def _box_of_clip(clip: int, path: int) -> tuple[float, ...]:
    """The box of a path that cuts off; none where there are too many points to look at."""
    count = calls.count_segments(clip, path)
    if not 0 < count <= _MOST_CORNERS:
        return _WHOLE
    segments = calls.addresses(calls.segment, repeat(clip), repeat(path), range(count))
    points = calls.sides(calls.point, count, 2, np.float32, segments.tolist())
    return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _product(inner: _Floats, outer: _Floats) -> _Floats:
    """The matrix that does what one does and then another."""
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return np.array(
        (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)
    )


def _common(boxes: _Floats, others: _Floats) -> _Floats:
    """What each box shares with another; turned inside out where that is nothing."""
    low, high = np.maximum(boxes[:, :2], others[..., :2]), np.minimum(boxes[:, 2:], others[..., 2:])
    return np.concatenate((low, high), axis=1)


def _middles(boxes: _Floats) -> _Floats:
    return (boxes[:, :2] + boxes[:, 2:]) / 2


def _are_outside(points: _Floats, boxes: _Floats) -> NDArray[np.bool_]:
    return ((points < boxes[:, :2]) | (points > boxes[:, 2:])).any(axis=1)


def _around(boxes: _Floats, points: _Floats, is_meant: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which boxes are around which points."""
    x, y = points.T
    left, bottom, right, top = boxes.T[:, :, None]
    return (left < x) & (x < right) & (bottom < y) & (y < top) & is_meant


def _are_like(inks: _Places, colours: _Places) -> NDArray[np.bool_]:
    return (np.abs(inks - colours) < _FAINT).all(axis=-1)

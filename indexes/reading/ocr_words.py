"""Turns the lines that OCR finds on an image into words on an upright page.

OCR finds lines as quadrangles with some margin, tilted like the scan. The layout needs level words as high as their
print. A tilted scan is straightened about its centre, so that the words of a row have the same height on the page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import atan2, cos, hypot, sin
from statistics import median

from indexes.layout.words import Extent, Word

OCR_FONT = "read by OCR"
_PRINT_SHARE = 0.8  # of a found line's height; the rest is margin
_LONG = 3.0  # a line at least so many times as long as high, so that its direction can be measured
_SAME_PRINT = 1.25  # heights that differ less are the same print, measured inexactly
_TALL_SHARE = 0.5
_FEW_LETTERS = 20
_SURE = 0.8

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]


@dataclass(frozen=True)
class SeenLine:
    """A line as OCR finds it: its corners clockwise from the top left, and the corners of each word."""

    corners: Corners
    words: tuple[tuple[str, Corners], ...]
    confidence: float

    @property
    def length(self) -> float:
        """The length along the print."""
        return _distance(self.corners[0], self.corners[1])

    @property
    def height(self) -> float:
        """The height across the print, with the margin."""
        return _distance(self.corners[0], self.corners[3])

    @property
    def text(self) -> str:
        """Its words, with single spaces."""
        return " ".join(text for text, _ in self.words)


def runs_sideways(lines: Sequence[SeenLine]) -> bool:
    """Whether most letters are in lines that are higher than long."""
    letters = sum(len(line.text) for line in lines)
    tall = sum(len(line.text) for line in lines if line.height > line.length)
    return tall > _TALL_SHARE * letters


def legibility(lines: Sequence[SeenLine]) -> float:
    """How much was read, and with what confidence; both are low for a page in a wrong rotation."""
    return sum(len(line.text) * line.confidence**2 for line in lines)


def is_legible(lines: Sequence[SeenLine]) -> bool:
    """Whether anything was read with confidence; upside-down text is read as something, but with low confidence."""
    letters = sum(len(line.text) for line in lines)
    return letters >= _FEW_LETTERS and legibility(lines) > _SURE**2 * letters


def straight_words(lines: Sequence[SeenLine], place: Extent) -> list[Word]:
    """The words, rotated to level about the centre of the place, each as high as its print."""
    angle = tilt(lines)
    middle = ((place.left + place.right) / 2, (place.top + place.bottom) / 2)
    heights = _even([line.height * _PRINT_SHARE for line in lines])
    return [
        _word(text, corners, height, angle, middle)
        for line, height in zip(lines, heights, strict=True)
        for text, corners in line.words
        if text.strip()
    ]


def tilt(lines: Sequence[SeenLine]) -> float:
    """The angle of the long lines in radians: the median, weighted by length."""
    measured = sorted((_angle(line.corners), line.length) for line in lines if line.length > _LONG * line.height)
    passed = list(accumulate(length for _, length in measured))
    return next((angle for (angle, _), sum_ in zip(measured, passed, strict=True) if 2 * sum_ >= passed[-1]), 0.0)


def _angle(corners: Corners) -> float:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    return atan2((y1 + y2 - y0 - y3) / 2, (x1 + x2 - x0 - x3) / 2)


def _even(heights: Sequence[float]) -> list[float]:
    """The heights, with those near the median set to the median."""
    if not heights:
        return []
    usual = median(heights)
    return [usual if usual / _SAME_PRINT <= h <= usual * _SAME_PRINT else h for h in heights]


def _word(text: str, corners: Corners, height: float, angle: float, middle: Point) -> Word:
    x, y = _turned((sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4), -angle, middle)
    half = _distance(corners[0], corners[1]) / 2
    return Word(text.strip(), x - half, y - height / 2, x + half, y + height / 2, OCR_FONT)


def _turned(point: Point, angle: float, middle: Point) -> Point:
    x, y = point[0] - middle[0], point[1] - middle[1]
    return middle[0] + x * cos(angle) - y * sin(angle), middle[1] + x * sin(angle) + y * cos(angle)


def _distance(a: Point, b: Point) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])

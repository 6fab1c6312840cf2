"""What OCR sees on an image, made into words on an upright page.

OCR finds lines as quadrangles, with some margin, tilted as the scan is; the layout wants level words as high as their
print. A page scanned askew is straightened about its middle, so that the words of a row stand at one height.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import atan2, cos, hypot, sin
from statistics import median

from indexes.layout.words import Extent, Word

OCR_FONT = "read by OCR"
_PRINT_SHARE = 0.8  # of a found line's height; the rest is margin
_LONG = 3.0  # times as long as high: a line whose direction can be measured
_SAME_PRINT = 1.25  # heights up to here apart are the same print, measured unevenly
_TALL_SHARE = 0.5
_FEW_LETTERS = 20
_SURE = 0.8

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]


@dataclass(frozen=True)
class SeenLine:
    """A line as OCR sees it: its corners clockwise from the top left, and those of each word."""

    corners: Corners
    words: tuple[tuple[str, Corners], ...]
    confidence: float

    @property
    def length(self) -> float:
        """Along the print."""
        return _distance(self.corners[0], self.corners[1])

    @property
    def height(self) -> float:
        """Across the print, margin included."""
        return _distance(self.corners[0], self.corners[3])

    @property
    def text(self) -> str:
        """Its words, with single spaces."""
        return " ".join(text for text, _ in self.words)


def runs_sideways(lines: Sequence[SeenLine]) -> bool:
    """Whether most letters stand in lines that are higher than long."""
    letters = sum(len(line.text) for line in lines)
    tall = sum(len(line.text) for line in lines if line.height > line.length)
    return tall > _TALL_SHARE * letters


def legibility(lines: Sequence[SeenLine]) -> float:
    """How much was read, and how surely; a page held the wrong way round gives little of both."""
    return sum(len(line.text) * line.confidence**2 for line in lines)


def is_legible(lines: Sequence[SeenLine]) -> bool:
    """Whether anything was read, and that surely: what stands on its head is read as something, but unsurely."""
    letters = sum(len(line.text) for line in lines)
    return letters >= _FEW_LETTERS and legibility(lines) > _SURE**2 * letters


def straight_words(lines: Sequence[SeenLine], place: Extent) -> list[Word]:
    """The words, turned level about the middle of the place they were read from, each as high as its print."""
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
    """The angle, in radians, in which the long lines run: their median, by length."""
    measured = sorted((_angle(line.corners), line.length) for line in lines if line.length > _LONG * line.height)
    passed = list(accumulate(length for _, length in measured))
    return next((angle for (angle, _), sum_ in zip(measured, passed, strict=True) if 2 * sum_ >= passed[-1]), 0.0)


def _angle(corners: Corners) -> float:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    return atan2((y1 + y2 - y0 - y3) / 2, (x1 + x2 - x0 - x3) / 2)


def _even(heights: Sequence[float]) -> list[float]:
    """Heights near the median are the median."""
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

"""Words from the lines that OCR sees."""

from math import cos, radians, sin

import pytest

from indexes.layout.words import Extent
from indexes.reading.ocr_words import (
    Corners,
    SeenLine,
    is_legible,
    legibility,
    runs_sideways,
    straight_words,
    tilt,
)

PAGE = Extent(0, 0, 600, 800)


def corners(left: float, top: float, right: float, bottom: float, degrees: float = 0) -> Corners:
    """Of a rectangle turned clockwise about the page's middle."""
    angle = radians(degrees)

    def turned(x: float, y: float) -> tuple[float, float]:
        dx, dy = x - 300, y - 400
        return 300 + dx * cos(angle) - dy * sin(angle), 400 + dx * sin(angle) + dy * cos(angle)

    return turned(left, top), turned(right, top), turned(right, bottom), turned(left, bottom)


def line(top: float, degrees: float = 0, height: float = 12, confidence: float = 0.99) -> SeenLine:
    words = (("Revenue", corners(50, top, 100, top + height, degrees)),)
    words += (("12,500", corners(500, top, 540, top + height, degrees)),)
    return SeenLine(corners(50, top, 540, top + height, degrees), words, confidence)


@pytest.mark.parametrize("degrees", [-3, -0.5, 0, 0.5, 2, 4])
def test_the_words_of_a_row_stand_at_one_height_however_the_page_was_scanned(degrees: float) -> None:
    label, figure = straight_words([line(100, degrees)], PAGE)
    assert label.top == pytest.approx(figure.top)
    assert (label.left, figure.right) == (pytest.approx(50), pytest.approx(540))
    assert (label.top + label.bottom) / 2 == pytest.approx(106)


def test_one_slanting_line_does_not_tilt_the_page() -> None:
    lines = [line(100 + 20 * n, degrees=1) for n in range(9)] + [line(300, degrees=30)]
    assert tilt(lines) == pytest.approx(radians(1))


def test_lines_measured_a_little_differently_are_of_the_same_print() -> None:
    words = straight_words([line(100, height=12), line(120, height=13), line(140, height=11)], PAGE)
    assert {round(w.size, 3) for w in words} == {9.6}


def test_a_heading_stays_larger() -> None:
    words = straight_words([line(100, height=20), *(line(140 + 20 * n) for n in range(4))], PAGE)
    assert words[0].size > 1.5 * words[-1].size


def test_nothing_seen_is_no_words() -> None:
    assert straight_words([], PAGE) == []


def test_a_page_of_upright_lines_does_not_run_sideways_and_one_of_tall_lines_does() -> None:
    tall = SeenLine(corners(50, 100, 62, 500), (("Revenue", corners(50, 100, 62, 200)),), 0.9)
    assert not runs_sideways([line(100), line(120), tall])
    assert runs_sideways([line(100), tall, tall, tall])


def test_unsure_words_are_less_legible_than_sure_ones() -> None:
    sure, unsure = [line(20 * n) for n in range(4)], [line(20 * n, confidence=0.6) for n in range(4)]
    assert legibility(sure) > legibility(unsure)
    assert is_legible(sure)
    assert not is_legible(unsure)
    assert not is_legible([])

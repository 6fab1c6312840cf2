"""Which parts of a page are read by OCR."""

import numpy as np
import pytest

from indexes.layout.words import Extent, Word
from indexes.reading.ocr_engine import added, looks_like_text, plan, scale_for, squared, widened

PAGE = Extent(0, 0, 600, 800)
TABLE_PICTURE = Extent(50, 300, 550, 500)
PROSE = "The company sells engines to makers of ships in many seas\n" * 3
NONSENSE = "Wkh frpsdqb vhoov hqjlqhv wr pdnhuv ri vklsv lq pdqb vhdv\n" * 3


def word(text: str, left: float, top: float) -> Word:
    return Word(text, left, top, left + 40, top + 10)


ABOVE = [word("engines", 50, 100), word("ships", 100, 100)]


def test_a_sound_text_layer_needs_no_ocr() -> None:
    assert plan("auto", PROSE, ABOVE, [], PAGE, drawn=True).places == ()


def test_a_page_without_words_is_read_whole() -> None:
    assert plan("auto", "", [], [], PAGE, drawn=True).places == (PAGE,)


def test_an_empty_page_is_not_read() -> None:
    assert plan("auto", "", [], [], PAGE, drawn=False).places == ()
    assert plan("always", "", [], [], PAGE, drawn=False).places == ()


def test_nonsense_is_read_whole_and_its_words_go() -> None:
    found = plan("auto", NONSENSE, ABOVE, [], PAGE, drawn=True)
    assert (found.places, found.keep_words) == ((PAGE,), False)


def test_always_reads_sound_pages_too() -> None:
    found = plan("always", PROSE, ABOVE, [], PAGE, drawn=True)
    assert (found.places, found.keep_words) == ((PAGE,), False)


def test_of_a_page_with_text_only_the_large_picture_is_read() -> None:
    logo = Extent(10, 10, 60, 40)
    found = plan("auto", PROSE, ABOVE, [logo, TABLE_PICTURE], PAGE, drawn=True)
    assert (found.places, found.keep_words) == ((TABLE_PICTURE,), True)


def test_a_picture_cut_into_strips_is_read_as_one() -> None:
    strips = [Extent(50, 300 + 20 * n, 550, 320 + 20 * n) for n in (3, 0, 2, 1, 4)]
    assert plan("auto", PROSE, ABOVE, strips, PAGE, drawn=True).places == (Extent(50, 300, 550, 400),)


def test_a_background_under_the_page_s_own_words_is_not_read() -> None:
    words = [word("engines", 50 + 50 * n, 100 + 15 * row) for n in range(10) for row in range(40)]
    assert plan("auto", PROSE, words, [PAGE], PAGE, drawn=True).places == ()


def test_no_word_is_doubled() -> None:
    seen = [
        word(t, 50 + 50 * n, 302) for n, t in enumerate(["one", "two", "three", "four", "five", "six", "seven"])
    ]
    own = [Word("three", 151, 301, 189, 313)]
    assert [w.text for w in added(seen, own)] == ["one", "two", "four", "five", "six", "seven"]


@pytest.mark.parametrize("count", [1, 5])
def test_the_few_words_of_a_photograph_are_left_in_it(count: int) -> None:
    assert added([word("EXIT", 50, 20 * n) for n in range(count)], []) == []


@pytest.mark.parametrize(
    ("width", "height", "pixels"),
    [(595, 842, 2000 * 1413), (612, 792, 2000 * 1545), (2000, 2000, 3_200_000), (40, 90, 160 * 360)],
    ids=["A4", "letter", "a large square", "a small picture"],
)
def test_a_place_is_drawn_as_large_as_ocr_needs_and_no_larger_than_memory_allows(
    width: float, height: float, pixels: int
) -> None:
    scale = scale_for(Extent(0, 0, width, height))
    assert width * scale * height * scale == pytest.approx(pixels, rel=0.001)


def test_a_tall_strip_is_given_to_ocr_with_a_margin_since_it_would_be_enlarged_to_gigabytes() -> None:
    strip = np.full((2000, 90, 3), 240, dtype=np.uint8)
    strip[:, :9] = 0
    wide = widened(strip)
    assert wide.shape == (2000, 500, 3)
    assert (wide[:, :90] == strip).all()
    assert (wide[:, 90:] == 240).all()
    assert widened(wide) is wide


def test_a_strip_is_looked_at_in_the_corner_of_a_square() -> None:
    strip = np.full((20, 100, 3), 7, np.uint8)
    strip[:5] = 200
    found = squared(strip)
    assert found.shape == (100, 100, 3)
    assert (found[:20] == strip).all()
    assert (found[20:] == 7).all()


def lines(count: int, length: float, height: float, apart: float) -> list[list[tuple[float, float]]]:
    """The corners of lines of a picture, one below the other."""
    tops = [n * apart for n in range(count)]
    return [[(0, top), (length, top), (length, top + height), (0, top + height)] for top in tops]


@pytest.mark.parametrize(
    ("boxes", "is_text"),
    [
        (lines(20, 300, 10, 20), True),  # a paragraph
        (lines(30, 60, 12, 14) * 4, True),  # a table of short cells, close together
        (lines(40, 40, 10, 14), False),  # a map's names here and there
        ([*lines(1, 200, 10, 20), *lines(30, 30, 10, 20)], False),  # a chart below its title
    ],
    ids=["paragraph", "table", "map", "chart"],
)
def test_a_picture_of_text_has_long_lines_or_many_close_together(
    boxes: list[list[tuple[float, float]]], is_text: bool
) -> None:
    assert looks_like_text(boxes, 400 * 600) is is_text

"""What the characters of a font look like follows from some readings of them."""

from collections.abc import Sequence

from indexes.layout.words import Extent
from indexes.reading.alphabets import Alphabet, Glyph, deciphered

HIGH, WIDE = 10.0, 5.0
LINES = [
    "the revenue of the year rose to 318 million from 301 million in the year before",
    "costs of the year were 247 million and the profit before tax was 71 million",
    "the board proposes to pay 18 million of it to those who hold shares of the company",
    "in the third quarter 83 million came in and 64 million in the same quarter before",
]


def glyphs(lines: Sequence[str], font: str = "Serif", shift: int = 7) -> list[Glyph]:
    """The characters of some lines, one below the other, whose font says that each is another one."""
    found = []
    for row, line in enumerate(lines):
        begins = True
        for place, letter in enumerate(line):
            if letter == " ":
                begins = True
                continue
            left, top = 50 + WIDE * place, 50 + 1.5 * HIGH * row
            found.append(Glyph(font, chr(ord(letter) + shift), left, top, left + WIDE, top + HIGH, begins))
            begins = False
    return found


class Reader:
    """Reads lines of a page, and counts how often; some readings have another letter."""

    def __init__(self, lines: Sequence[str], misread: dict[int, tuple[str, str]] | None = None) -> None:
        self.lines = lines
        self.misread = misread or {}
        self.count = 0

    def __call__(self, place: Extent) -> str:
        self.count += 1
        row = round((place.top - 50) / (1.5 * HIGH))
        text = self.lines[row][round((place.left - 50) / WIDE) : round((place.right - 50) / WIDE)]
        return text.replace(*self.misread.get(self.count, ("", "")))


def words(lines: Sequence[str], reader: Reader, alphabet: Alphabet, **options: object) -> list[str] | None:
    found = deciphered(glyphs(lines, **options), alphabet, reader, lambda _: False)  # type: ignore[arg-type]
    return None if found is None else [word.text for word in found]


def test_a_second_page_is_hardly_read() -> None:
    alphabet, reader = Alphabet(), Reader(LINES * 4)
    assert words(LINES * 4, reader, alphabet) == " ".join(LINES * 4).split()
    again = Reader(LINES[::-1])
    assert words(LINES[::-1], again, alphabet) == " ".join(LINES[::-1]).split()
    assert again.count <= 2, "one line is read for a check"


def test_what_is_misread_now_and_then_is_outvoted() -> None:
    reader = Reader(LINES * 6, {3: ("l", "1"), 5: ("1", "l"), 6: ("o", "0")})
    assert words(LINES * 6, reader, Alphabet()) == " ".join(LINES * 6).split()


def test_a_page_that_says_other_things_than_its_picture_is_not_taken() -> None:
    alphabet = Alphabet()
    words(LINES * 4, Reader(LINES * 4), alphabet)
    assert words(LINES, Reader(LINES), alphabet, shift=3) is None, "the same font's name, with other letters"


def test_fonts_have_letters_of_their_own() -> None:
    alphabet = Alphabet()
    words(LINES * 4, Reader(LINES * 4), alphabet)
    assert words(LINES, Reader(LINES), alphabet, font="Sans", shift=3) == " ".join(LINES).split()


def test_a_digit_that_pdfium_may_have_left_out_is_not_trusted() -> None:
    shift = ord(" ") - ord("1")
    assert words(LINES * 4, Reader(LINES * 4), Alphabet(), shift=shift) is None

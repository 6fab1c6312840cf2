"""Text layers that do not say what is printed, and those that do."""

import random
from pathlib import Path

import pypdfium2
import pytest

from indexes.text_quality import is_nonsense

PROSE = """The company sells engines to makers of ships in many seas and expects its revenue
to grow during the next financial year as demand for new vessels recovers. Operating profit
rose by four percent because freight became cheaper, while wages and energy cost more than
in the year before. The directors propose a dividend of twelve pence for each share."""
STATEMENT = "\n".join(
    f"{label} {now:,} {before:,}"
    for label, now, before in [
        ("Revenue", 12500, 11900),
        ("Cost of sales", -9000, -8800),
        ("Gross profit", 3500, 3100),
        ("Administrative expenses", -1200, -1100),
        ("Operating profit", 2300, 2000),
        ("Income tax expense", -500, -430),
    ]
    * 4
)
NAMES = "\n".join(["Przemysław Krzyżanowski", "Dr. Frank Czichowski", "Siân Llywelyn", "Nguyễn Thị Hồng"] * 5)
CODES = "\n".join(["AAPL MSFT GOOGL NVDA BRKB JPM XOM", "GB0031348658 US0378331005 DE0007164600 SOFDL GBP"] * 12)
POLISH = """Zarząd spółki przedstawia sprawozdanie z działalności grupy kapitałowej za rok obrotowy.
Przychody ze sprzedaży wzrosły w porównaniu z rokiem poprzednim, a wynik finansowy
był wyższy niż oczekiwano przez akcjonariuszy."""


def shifted(word: str, places: int) -> str:
    return "".join(
        chr((ord(c) - ord(a) + places) % 26 + ord(a)) if c.isascii() and c.isalpha() else c
        for c in word
        for a in ("A" if c.isupper() else "a")
    )


@pytest.mark.parametrize("text", [PROSE, STATEMENT, NAMES, CODES, POLISH, "", "12", "Qx jr vv"])
def test_sound_text_and_too_little_to_tell_are_no_nonsense(text: str) -> None:
    assert not is_nonsense(text)


@pytest.mark.parametrize("places", range(1, 26))
def test_letters_that_are_all_shifted_are_nonsense(places: int) -> None:
    assert is_nonsense(shifted(PROSE, places))


@pytest.mark.parametrize("seed", range(10))
def test_letters_shifted_by_another_number_in_each_word_are_nonsense(seed: int) -> None:
    shift = random.Random(seed)
    lines = [" ".join(shifted(w, shift.randint(1, 25)) for w in line.split()) for line in PROSE.splitlines()]
    assert is_nonsense("\n".join(lines))


def test_codes_shifted_beyond_the_letters_are_nonsense() -> None:
    assert is_nonsense(" ".join("".join(chr(ord(c) - 43) for c in w) for w in PROSE.split()))


def test_a_sound_page_with_some_nonsense_paragraphs_is_nonsense() -> None:
    assert is_nonsense("\n".join([PROSE] * 8 + [shifted(PROSE, 4)]))


@pytest.mark.parametrize("name", ["(cid:{})", "/g{}", "GLYPH<{}>", "/uni00{}"])
def test_glyph_names_are_nonsense(name: str) -> None:
    assert is_nonsense("\n".join(" ".join(name.format(ord(c)) for c in w) for w in PROSE.split()))


@pytest.mark.parametrize("first", [0xE000, 0xF000, 0xF0000])
def test_private_use_characters_are_nonsense(first: int) -> None:
    assert is_nonsense("".join(chr(first + ord(c)) if c.isalpha() else c for c in PROSE))


@pytest.mark.parametrize("mark", ["\x03", "\ufffd"])
def test_figures_that_are_all_control_or_replacement_characters_are_nonsense(mark: str) -> None:
    assert is_nonsense("".join(mark if c.isdigit() else c for c in STATEMENT))


def test_the_bullets_of_an_icon_font_are_no_nonsense() -> None:
    assert not is_nonsense("\n".join(f"\uf0b7 {line}" for line in PROSE.splitlines()))


def test_of_a_real_report_the_two_enciphered_pages_are_found_and_no_others(real_reports: Path) -> None:
    path = real_reports / "reports" / "85fb23ba2910de45e27f8f40170c0f3576043916.pdf"
    with pypdfium2.PdfDocument(path) as document:
        texts = [page.get_textpage().get_text_range() for page in document]
    assert [number for number, text in enumerate(texts, start=1) if is_nonsense(text)] == [2, 3]

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.amounts import grouped, parse_figure, printed_decimals
from storage.text import fingerprint, plain, words


@pytest.mark.parametrize(
    ("printed", "value", "scale", "decimals"),
    [
        ("$(0.30)", -0.3, 1, 2),
        ("26.0%", 26, 1, 1),
        ("0,30", 0.3, 1, 2),
        ("(1.00)", -0.01, 0.01, 4),  # in pence
        ("1,249,642", 1_249_642, 1, 0),
        ("1.249.642", 1_249_642, 1, 0),
        ("1.5", 1500, 1000, 0),
        ("five", 5, 1, 0),
        ("0.30", 0.305, 1, 0),  # rounded there: it would be another value
    ],
)
def test_a_value_has_the_decimals_that_its_page_prints(
    printed: str, value: float, scale: float, decimals: int
) -> None:
    assert printed_decimals(printed, value, scale) == decimals


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("1,249,642", 1249642),
        ("(28,641)", -28641),
        ("$ (0.47)", Decimal("-0.47")),
        ("$(0.47)", Decimal("-0.47")),
        ("–118.7", Decimal("-118.7")),
        ("−5", -5),
        ("12.5%", Decimal("12.5")),
        ("1 234 567", 1234567),
        ("¥214,836", 214836),
        ("15.00p", Decimal("15.00")),
        ("2,024", 2024),
    ],
)
def test_a_printed_figure_is_read_with_its_sign(printed: str, number: int | Decimal) -> None:
    assert parse_figure(printed) == number


@pytest.mark.parametrize(
    "text", ["", "–", "-", "n/a", "12,34", "1,2345", "(12", "12)", "5 to 7", "Note 4", "3a", "1.2.3"]
)
def test_what_is_not_one_figure_is_none(text: str) -> None:
    assert parse_figure(text) is None


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_a_number_survives_being_printed_with_separators_and_brackets(number: int) -> None:
    printed = f"({-number:,})" if number < 0 else f"{number:,}"
    assert parse_figure(printed) == number


def test_plain_text_has_no_ligatures_soft_hyphens_or_typographic_signs() -> None:
    assert plain("pro\u00adfit \ufb01gures – “quoted”\u00a0 x") == 'profit figures - "quoted" x'


@given(st.text())
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_a_fingerprint_forgives_layout_but_no_digit_or_bracket() -> None:
    assert fingerprint("| Net  loss | $ (28,641) |") == fingerprint("Net loss (28,641)")
    assert fingerprint("(28,641)") != fingerprint("28,641")


def test_words_keep_abbreviations_and_figures_whole() -> None:
    assert words("The U.S. paid 1,249.5 in Q4.") == ["the", "u.s", "paid", "1,249.5", "in", "q4"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (61_352_000_000, "61,352,000,000"),
        (214_836_000_000.0, "214,836,000,000"),
        (3e15, "3,000,000,000,000,000"),
        (12_345_678_901.5, "12,345,678,901.5"),
        (-4.25, "-4.25"),
        (0.1 + 0.2, "0.3"),
        (0.0000123, "0.0000123"),
        (-0.0, "0"),
    ],
)
def test_a_large_figure_has_its_digits_and_no_exponent(value: float, shown: str) -> None:
    assert grouped(value) == shown

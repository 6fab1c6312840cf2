"""Currencies and scales, as reports print them and as questions ask for them."""

import pytest
from babel.numbers import get_currency_name
from hypothesis import given
from hypothesis import strategies as st

from indexes.enrichment.units import printed_currency, printed_scale, unit_of_line
from query_engines.question.search_text import requested_currency, without_currency
from storage.amounts import parse_figure
from storage.lexicon.calendar import LOCALES
from storage.lexicon.money import CODES, CURRENCIES, ISO_CODES, scale_of

NAMED_IN = st.sampled_from([locale for locale in (*LOCALES, "ja", "zh")])
OWN_CODES = st.sampled_from([currency.code for currency in CURRENCIES])


@given(code=OWN_CODES, locale=NAMED_IN, count=st.sampled_from([None, 1, 2]))
def test_a_currency_s_name_in_any_language_is_known_to_reports_and_questions(
    code: str, locale: str, count: int | None
) -> None:
    name = get_currency_name(code, count=count, locale=locale)
    assert printed_currency(f"({name})") == code
    if len(name) > 1:  # one sign alone, such as that of the yen, is read in reports only
        assert requested_currency(f"What was the revenue of Acme in {name}?") == code


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_known_to_reports_questions_and_figures(code: str) -> None:
    iso = ISO_CODES[code]
    assert printed_currency(f"in {code} million") == iso
    assert printed_currency(f"{code}'000") == iso
    assert requested_currency(f"revenue of Acme (in {code})?") == iso
    assert without_currency(f"revenue of Acme in {code} million").split() == ["revenue", "of", "Acme"]
    assert parse_figure(f"{code} 1,234") == 1234


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("in Mio. EUR", 10**6),
        ("in millions of Swiss francs", 10**6),
        ("MUSD", 10**6),
        ("MSEK", 10**6),
        ("TCHF", 10**3),
        ("kEUR", 10**3),
        ("in Mrd. €", 10**9),
        ("en miles de euros", 10**3),
        ("en milliers d'euros", 10**3),
        ("in miljoen euro", 10**6),
        ("NOK million", 10**6),
        ("beløp i tusen", 10**3),
        ("₹ crore", 10**7),
        ("Rs. in lakhs", 10**5),
        ("$mm", 10**6),
        ("£bn", 10**9),
        ("(百万円)", 10**6),
        ("OVER 3 MILLIONS", 10**6),
        ("MRD-negative patients", None),
        ("miles driven", None),
        ("lac Léman", None),
    ],
)
def test_a_printed_scale_is_known_in_any_of_the_languages(text: str, scale: int | None) -> None:
    assert printed_scale(text) == scale


@pytest.mark.parametrize("text", ["TRYING TIMES", "NISSAN", "the pesos of others", "R2 000"])
def test_words_that_only_begin_like_a_currency_are_none(text: str) -> None:
    assert printed_currency(text) is None


def test_a_word_for_a_scale_counts_in_any_number_and_letters() -> None:
    words = ["thousands", "Mio.", "MILLIONEN", "Mrd", "bn", "m", "crores", "stores"]
    assert [scale_of(word) for word in words] == [10**3, 10**6, 10**6, 10**9, 10**9, 10**6, 10**7, None]


def test_the_unit_line_of_another_language_is_read() -> None:
    unit = unit_of_line("(bedragen in miljoenen euro's)") or unit_of_line("(in miljoen euro)")
    assert unit is not None
    assert (unit.scale, unit.currency) == (10**6, "EUR")

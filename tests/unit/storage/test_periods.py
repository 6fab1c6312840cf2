"""Periods as questions and headings name them."""

import datetime as dt
import re

import pytest
from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from storage.lexicon.calendar import LOCALES, MONTHS, dates_in
from storage.lexicon.periods import NamedPeriod, periods_in, without_periods

FISCAL_2022 = """FY2022;FY22;FY 22;FY'22;FY-22;fy2022;fiscal 2022;fiscal year 2022;financial year 2021/22;2021-22
2021/22;2021/2022;FY21/22;fiscal year 2021-2022;the 2022 fiscal year;Geschäftsjahr 2022;l'exercice 2022;exercice 2022
ejercicio 2022;esercizio 2022;im Geschäftsjahr 2021/22;FYE 2022;boekjaar 2022;2022年度"""
CALENDAR_2022 = """2022;in 2022;for 2022, what;calendar year 2022;CY2022;CY22;'22;2022's;2022?
In 2022 employees were paid;in USD 2022;03/04/2022;2022 dividends per share;year-end 2022;(2022)"""
SECOND_QUARTER = """Q2 2022;Q2 of 2022;2Q22;Q2'22;Q2 22;second quarter of 2022;2022 Q2;2022's second quarter
2. Quartal 2022;T2 2022;2e trimestre 2022;the second quarter 2022;second-quarter 2022"""
FIRST_HALF = """H1 2022;1H22;1H 2022;first half of 2022;first half-year 2022;1. Halbjahr 2022;S1 2022
first six months of 2022"""
LAST_OF_JUNE = """30 June 2022;June 30, 2022;30.06.2022;2022-06-30;30th June 2022;30th of June, 2022;au 30 juin 2022
30-Jun-22;30. Juni 2022;30 de junio de 2022;30 giugno 2022;30 juni 2022;30/06/2022;2022年6月30日;30 de junho de 2022"""
NO_YEARS = """2000 stores;2,022 employees;1999 shares;$2020;€ 2020;USD 2020;2022 million;2022 new stores;ISO 2022
ISO 14001:2015;ISO/IEC 27001-2013;page 2021;pages 2020;2022%;1.2022;2022.5;(555) 555-2021;Companies Act 2006;Act of 2002
Russell 2000;notes due 2026;notes due 2025 and 2027
2026 Senior Notes;2021 Equity Incentive Plan;v2022;20220;in 2000 stores;it may 10"""


def each(table: str) -> list[str]:
    """The cases of a table."""
    return re.split(r"[;\n]", table)


def only(text: str) -> NamedPeriod:
    """The one period of a text."""
    (period,) = periods_in(text)
    return period


@pytest.mark.parametrize("text", each(FISCAL_2022))
def test_a_fiscal_year_is_read_however_it_is_written(text: str) -> None:
    period = only(text)
    assert (period.kind, period.year, period.is_fiscal) == ("year", 2022, True)


@pytest.mark.parametrize("text", each(CALENDAR_2022))
def test_a_year_by_its_number_alone_is_a_year(text: str) -> None:
    period = only(text)
    assert (period.kind, period.year, period.is_fiscal) == ("year", 2022, False)


@pytest.mark.parametrize("text", each(SECOND_QUARTER))
def test_a_quarter_has_its_number_and_its_year(text: str) -> None:
    period = only(text)
    assert (period.kind, period.part, period.year, period.months) == ("quarter", 2, 2022, 3)


@pytest.mark.parametrize(
    "text", ["April to June 2022", "April, May and June 2022", "April bis Juni 2022", "Apr-Jun 2022"]
)
def test_months_in_a_row_are_one_period(text: str) -> None:
    period = only(text)
    assert (period.kind, period.months, period.month, period.year) == ("quarter", 3, 6, 2022)


def test_two_months_that_do_not_follow_each_other_are_no_run() -> None:
    assert [(p.kind, p.month) for p in periods_in("March and June 2022")] == [("month", 6)]
    assert [(p.kind, p.months) for p in periods_in("May and June 2022")] == [("months", 2)]


def test_the_last_months_of_a_year_are_its_last_part() -> None:
    period = only("last three months of 2022")
    assert (period.kind, period.part, period.year) == ("quarter", 4, 2022)


def test_a_quarter_of_a_fiscal_year_is_fiscal() -> None:
    assert [
        (p.part, p.year, p.is_fiscal) for p in periods_in("Q2 FY24, or the fourth quarter of fiscal 2023?")
    ] == [
        (2, 2024, True),
        (4, 2023, True),
    ]


@pytest.mark.parametrize("text", ["from Q2 2022 to Q2 2023", "between H1 2022 and H1 2023"])
def test_two_quarters_or_halves_are_no_range_of_years(text: str) -> None:
    assert [(p.kind, p.year) for p in periods_in(text)] in (
        [("quarter", 2022), ("quarter", 2023)],
        [("half", 2022), ("half", 2023)],
    )


@pytest.mark.parametrize("text", each(FIRST_HALF))
def test_a_half_year_has_its_number_and_its_year(text: str) -> None:
    period = only(text)
    assert (period.kind, period.part, period.year, period.months) == ("half", 1, 2022, 6)


@pytest.mark.parametrize("text", each(LAST_OF_JUNE))
def test_a_day_is_read_in_every_order_and_language(text: str) -> None:
    period = only(text)
    assert (period.kind, period.year, period.month, period.day) == ("day", 2022, 6, 30)


@pytest.mark.parametrize("text", each(NO_YEARS))
def test_a_number_that_is_no_year_is_no_period(text: str) -> None:
    assert periods_in(text) == ()


@pytest.mark.parametrize(
    ("text", "kind", "months", "year"),
    [
        ("for the year ended 30 June 2022", "year", 12, 2022),
        ("52 weeks ended January 1, 2023", "year", 12, 2023),
        ("three months ended March 31, 2023", "quarter", 3, 2023),
        ("13 weeks ended July 29, 2023", "quarter", 3, 2023),
        ("the 26 weeks ended July 29, 2023", "half", 6, 2023),
        ("53 weeks ended February 3, 2024", "year", 12, 2024),
        ("six months to 30 June 2022", "half", 6, 2022),
        ("nine months ended 30 September 2022", "months", 9, 2022),
        ("9M 2022", "months", 9, 2022),
        ("as of December 31, 2022", "day", 0, 2022),
        ("June 2022", "month", None, 2022),
        ("Jun-22", "month", None, 2022),
        ("1 July 2021 to 30 June 2022", "year", 12, 2022),
        ("1. Januar bis 30. Juni 2022", "half", 6, 2022),
    ],
)
def test_the_words_around_a_day_say_how_long_the_period_is(
    text: str, kind: str, months: int | None, year: int
) -> None:
    period = only(text)
    assert (period.kind, period.months, period.year) == (kind, months, year)


@pytest.mark.parametrize(
    ("text", "newest", "years"),
    [
        ("2019-2022", None, (2019, 2020, 2021, 2022)),
        ("2019 - 2021", None, (2019, 2020, 2021)),
        ("from 2019 to 2022", None, (2019, 2020, 2021, 2022)),
        ("between 2018 and 2020", None, (2018, 2019, 2020)),
        ("from fiscal 2021 to fiscal 2022", None, (2021, 2022)),
        ("FY19-FY21", None, (2019, 2020, 2021)),
        ("2019 through 2021", None, (2019, 2020, 2021)),
        ("since 2020", 2022, (2020, 2021, 2022)),
        ("since 2020", None, ()),
        ("2020 onwards", 2022, (2020, 2021, 2022)),
        ("the last three years", 2022, (2020, 2021, 2022)),
        ("past five fiscal years", 2022, (2018, 2019, 2020, 2021, 2022)),
        ("last year", 2022, (2022,)),
        ("the latest fiscal year", 2022, (2022,)),
        ("the prior year", 2022, (2021,)),
        ("the previous reporting period", 2022, (2021,)),
        ("the year before last", 2022, (2021,)),
        ("a year earlier", 2022, (2021,)),
        ("two years ago", 2022, (2020,)),
        ("next year", 2022, (2023,)),
        ("im Vorjahr", 2022, (2021,)),
        ("last year", None, ()),
    ],
)
def test_a_period_of_several_years_or_by_the_newest_one_gives_its_years(
    text: str, newest: int | None, years: tuple[int, ...]
) -> None:
    assert only(text).years(newest) == years


@pytest.mark.parametrize(
    "text", ["2022 and 2021", "2022 compared to 2021", "compare 2022 to 2021", "2022, 2021", "2022 vs 2021"]
)
def test_two_years_beside_each_other_are_two_periods(text: str) -> None:
    assert [period.year for period in periods_in(text)] == [2022, 2021]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What was the revenue of Acme in fiscal year 2022?", "What was the revenue of Acme ?"),
        ("Revenue for the year ended 30 June 2022 in EUR", "Revenue in EUR"),
        ("How did sales change from 2019 to 2022?", "How did sales change ?"),
        ("How did 2000 stores do over the last three years?", "How did 2000 stores do ?"),
        ("2022's revenue", "revenue"),
    ],
)
def test_a_period_can_be_taken_out_of_its_text(text: str, rest: str) -> None:
    assert " ".join(without_periods(text).split()) == rest


def test_months_have_one_number_in_all_languages() -> None:
    named = {number: {name for name, n in MONTHS.items() if n == number} for number in range(1, 13)}
    assert {"june", "jun", "juni", "juin", "junio", "giugno", "junho"} <= named[6]
    assert {"sept", "september", "septiembre", "settembre"} <= named[9]
    assert MONTHS.keys().isdisjoint({"set", "ago", "out", "marco"})  # words and names, before a number


DAYS = st.dates(min_value=dt.date(1990, 1, 1), max_value=dt.date(2060, 12, 31))


@given(
    day=DAYS,
    locale=st.sampled_from(LOCALES),
    form=st.sampled_from(["long", "full", "d MMMM y", "dd.MM.y", "y-MM-dd"]),
)
def test_a_day_formatted_in_any_language_is_read_back(day: dt.date, locale: str, form: str) -> None:
    (date,) = dates_in(format_date(day, form, locale=locale))
    assert (date.year, date.month, date.day) == (day.year, day.month, day.day)


@given(
    year=st.integers(1990, 2060),
    form=st.sampled_from(["FY{}", "fiscal {}", "fiscal year {}", "Geschäftsjahr {}", "in {}", "exercice {}"]),
)
def test_a_year_in_any_form_is_read_back(year: int, form: str) -> None:
    assert only(form.format(year)).year == year


@given(st.text(alphabet="0123456789 /-'.,FYQHfiscalyeruot$€", max_size=60))
def test_periods_of_any_text_lie_in_it_and_do_not_overlap(text: str) -> None:
    at = 0
    for period in periods_in(text):
        assert at <= period.start < period.end <= len(text)
        assert period.phrase_start <= period.start
        at = period.end


@pytest.mark.parametrize(
    "text",
    each(
        "the year prior to FY2022;the year before 2022;in the prior year to 2022;the year preceding fiscal 2022"
        ";im Jahr vor 2022;the year prior to FY22;the year before FY 2021/22"
    ),
)
def test_the_year_prior_to_another_is_the_one_before_it(text: str) -> None:
    period = only(text)
    assert (period.kind, period.year, period.first_year) == ("year", 2021, None)

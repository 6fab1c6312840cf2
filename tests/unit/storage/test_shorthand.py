"""Years and days as people say and shorten them."""

import pytest

from storage.lexicon.periods import periods_in
from storage.lexicon.shorthand import in_figures, written_out


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("revenue in twenty twenty two", 2022),
        ("for the year that ended in march twenty twenty two", 2022),
        ("net loss for financial year twenty two", 2022),
        ("in two thousand and twenty-one please", 2021),
        ("assets in two thousand nine", 2009),
        ("balance sheet total 12/31/22", 2022),
        ("total return for FY to 31/03/22", 2022),
        ("FTEs YE22?", 2022),
        ("total assets eoy22", 2022),
        ("total assets FYE 12-22", 2022),
        ("debt, balance sheet 12/22", 2022),
        ("capex FY22A", 2022),
        ("equity at the turn of the year 2022/23", 2022),
        ("net loss (YE 30 June 2022)", 2022),
        ("net sales, y/e 31 Dec 2022", 2022),
        ("at december thirty first twenty twenty three", 2023),
    ],
)
def test_a_spoken_or_shortened_year_is_that_year(text: str, year: int) -> None:
    assert [p.year for p in periods_in(in_figures(text))] == [year]


@pytest.mark.parametrize(
    "text",
    [
        "twenty stores",
        "twenty two shops",
        "1.2.3 released",
        "in 45/67/22",
        "two thousand people",
        "the first ten pages",
        "may the third party",
    ],
)
def test_what_is_no_year_stays_as_it_is(text: str) -> None:
    assert in_figures(text) == text or not periods_in(in_figures(text))


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("Acme TA", "Acme total assets"),
        ("TOT ASSTS of Acme", "total assets of Acme"),
        ("tot stkhldrs eq ex NCI", "total shareholders' equity ex non-controlling interests"),
        ("Acme - Net Inc. - FY22", "Acme - Net income - FY22"),
        ("LT debt (net of curr. port.)", "long-term debt (net of current portion)"),
        ("Acme Inc. revs", "Acme Inc. revenue"),
        ("ACME NI FY2022", "ACME net income FY2022"),
        ("operating cashflow of Acme", "operating cash flow of Acme"),
        ("ta for the answer, she said", "ta for the answer, she said"),
        ("NYSE:TA revenue", "NYSE:TA revenue"),
    ],
)
def test_what_book_keepers_shorten_is_written_out(text: str, full: str) -> None:
    assert written_out(text) == full

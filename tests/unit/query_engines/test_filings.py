"""Which of a company's filings answers a question: by its period, its topic and the company's calendar."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from indexes.facts.fact_table import FactTable
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.filings import missing_filings, trailing_parts
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import QuestionParser
from storage.records.facts import Fact, Period, ReportFacts
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company, Filing, FiscalCalendar, Report, calendar_of
from storage.stores.pages import FactStore

Figures = Mapping[tuple[str, int | None], int]
PARSER = QuestionParser.trained(Ontology.load())


def report(name: str, end: str, type_: str, fiscal_year: int | None, **more: object) -> Report:
    filing = Filing.model_validate({"type": type_, **more})
    day = dt.date.fromisoformat(end)
    return Report(
        sha1=name, file=name, company="Acme", page_count=1, period_end=day, fiscal_year=fiscal_year, filing=filing
    )


RETAILER = (
    report("q4", "2024-02-03", "earnings release", 2023, months=3, quarter=4, year_end_month=1),
    report("8k", "2023-11-06", "8-K", None),
    report("q2", "2023-07-29", "10-Q", 2023, months=3, quarter=2, year_end_month=1),
    report("proxy", "2023-06-07", "proxy statement", None),
    report("k22", "2023-01-28", "10-K", 2022, months=12, year_end_month=1),
    report("k21", "2022-01-29", "10-K", 2021, months=12, year_end_month=1),
)
REVENUE: Mapping[str, Figures] = {
    "q4": {("2024-02-03", 3): 82, ("2023-01-28", 3): 78, ("2024-02-03", 12): 267, ("2023-01-28", 12): 249},
    "q2": {("2023-07-29", 3): 63, ("2022-07-30", 3): 58, ("2023-07-29", 6): 122, ("2022-07-30", 6): 113},
    "k22": {("2023-01-28", 12): 249, ("2022-01-29", 12): 231},
    "k21": {("2022-01-29", 12): 231},
}


NET: Mapping[str, Figures] = {
    "q2": {("2023-07-29", 3): 9, ("2022-07-30", 3): 8, ("2023-07-29", 6): 17, ("2022-07-30", 6): 15},
}


def fact(sha1: str, end: str, months: int | None, value: int, metric: str = "total_revenue") -> Fact:
    return Fact(
        metric=metric,
        value=Decimal(value),
        printed=str(value),
        period=Period(end=dt.date.fromisoformat(end), months=months),
        statement="income",
        report_sha1=sha1,
        page_number=1,
    )


def answered(
    folder: Path,
    text: str,
    reports: tuple[Report, ...] = RETAILER,
    revenue: Mapping[str, Figures] = REVENUE,
    net: Mapping[str, Figures] = {},
) -> tuple[str, FactMatch]:
    """The filing that answers, and the facts for the question."""
    store, company = FactStore(folder, "rules"), Company(name="Acme", reports=reports)
    for each in reports:
        known = [
            fact(each.sha1, end, months, value, metric)
            for metric, figures in (("total_revenue", revenue), ("net_income", net))
            for (end, months), value in figures.get(each.sha1, {}).items()
        ]
        own = [f for f in known if f.period and f.period.months == each.filing.span]
        others = [f for f in known if f not in own]
        found = ReportFacts(
            report_sha1=each.sha1, period_end=each.period_end, facts=tuple(own), other_spans=tuple(others)
        )
        store.write(each, found)
    lookup = FactLookup(FactTable(store), Ontology.load(), strict=False)
    parsed = PARSER.about(PARSER.parse(Question(text=text, kind="number")), company)
    chosen = lookup.choose(parsed, company)
    return chosen.report.sha1, lookup.look_up_in(parsed, chosen)


@pytest.mark.parametrize(
    ("when", "filing", "value"),
    [
        ("in fiscal 2022", "k22", 249),
        ("in FY2021", "k21", 231),
        ("in fiscal 2023", "q4", 267),  # no annual report of that year is there yet
        ("in the second quarter of fiscal 2023", "q2", 63),
        ("in Q2 2023", "q2", 63),
        ("in Q2 FY22", "q2", 58),
        ("in the first half of fiscal 2023", "q2", 122),
        ("in the first six months of fiscal 2023", "q2", 122),
        ("in Q4 2022", "q4", 78),
        ("in the latest quarter", "q4", 82),
        ("in the year ended January 28, 2023", "k22", 249),
        ("for the three months ended July 29, 2023", "q2", 63),
        ("in Q22023", "q2", 63),
        ("", "q4", 267),  # the newest that prints a whole year
        ("according to the annual report", "k22", None),
        ("as of August 30, 2023", "q2", None),  # new on that day
    ],
)
def test_the_period_of_a_question_chooses_the_filing_and_the_column(
    tmp_path: Path, when: str, filing: str, value: int | None
) -> None:
    sha1, match = answered(tmp_path, f"What was the total revenue {when}?")
    assert sha1 == filing
    assert value is None or (match.fact and match.fact.value) == value


def test_the_card_calls_a_period_as_the_company_does(tmp_path: Path) -> None:
    _, year = answered(tmp_path, "What was the total revenue in FY2022?")
    _, quarter = answered(tmp_path, "What was the total revenue in Q2 2023?")
    assert year.period_name == "fiscal 2022, ended 28 January 2023"
    assert quarter.period_name == "the second quarter of fiscal 2023, ended 29 July 2023"


@pytest.mark.parametrize(
    ("text", "filing"),
    [
        ("What was the compensation of the CEO?", "proxy"),
        ("How many directors stand for election?", "proxy"),
        ("What does the 10-Q say about total revenue?", "q2"),
        ("What did the 8-K announce?", "8k"),
        ("How many stores are there?", "k22"),
    ],
)
def test_the_topic_chooses_where_no_period_does(tmp_path: Path, text: str, filing: str) -> None:
    assert answered(tmp_path, text)[0] == filing


PLAIN = (
    report("r23", "2023-12-31", "annual report", 2023, months=12, year_end_month=12, is_restated=True),
    report("r22", "2022-12-31", "annual report", 2022, months=12, year_end_month=12),
)


def test_a_restated_figure_is_taken_from_the_later_filing_and_the_difference_is_told(tmp_path: Path) -> None:
    revenue = {"r23": {("2023-12-31", 12): 4500, ("2022-12-31", 12): 4087}, "r22": {("2022-12-31", 12): 4120}}
    sha1, match = answered(tmp_path, "What was the total revenue in 2022?", PLAIN, revenue)
    assert (sha1, match.fact and match.fact.value) == ("r23", 4087)
    assert match.remark == "restated: 4120 in the 2022 annual report, 4087 in the 2023 annual report"


def test_a_year_without_a_filing_of_its_own_is_read_where_it_is_printed_beside_another(tmp_path: Path) -> None:
    revenue = {"r23": {("2023-12-31", 12): 4500, ("2022-12-31", 12): 4087}}
    assert answered(tmp_path, "What was the total revenue in 2022?", PLAIN[:1], revenue)[0] == "r23"
    sha1, match = answered(tmp_path, "What was the total revenue in 2022?", PLAIN, revenue)
    assert (sha1, match.fact and match.fact.value) == ("r23", 4087)


def test_the_figure_of_a_quarter_is_not_that_of_its_year(tmp_path: Path) -> None:
    revenue = {"q2": {("2023-07-29", 3): 63}}
    _, match = answered(
        tmp_path, "What was the total revenue in fiscal 2023?", RETAILER[2:3] + RETAILER[4:], revenue
    )
    assert match.fact is None


@pytest.mark.parametrize(
    ("text", "value", "formula"),
    [
        ("What was the net margin in Q2 2023?", Decimal("14.2857"), "Net income / Total revenue"),
        (
            "What was the net margin in the first half of fiscal 2023?",
            Decimal("13.9344"),
            "Net income / Total revenue",
        ),
        (
            "How much did the revenue grow in Q2 2023?",
            Decimal(5),
            "Total revenue Jul 2023 - Total revenue Jul 2022",
        ),
    ],
)
def test_a_quarter_s_ratio_or_growth_is_calculated_from_figures_of_that_length(
    tmp_path: Path, text: str, value: Decimal, formula: str
) -> None:
    sha1, match = answered(tmp_path, text, net=NET)
    assert sha1 == "q2"
    assert match.calculated is not None
    assert (match.calculated.value, match.calculated.in_words) == (value, formula)


def test_a_quarter_s_income_is_not_divided_by_the_equity_of_a_day(tmp_path: Path) -> None:
    _, match = answered(tmp_path, "What was the return on equity in Q2 2023?", net=NET)
    assert match.calculated is not None
    assert match.calculated.value is None


def test_the_last_twelve_months_are_the_last_year_and_what_came_since() -> None:
    release, second, year = RETAILER[0], RETAILER[2], RETAILER[4]
    assert trailing_parts((second, year)) == (
        "fiscal 2022",
        "the first 6 months of fiscal 2023",
        "the first 6 months of fiscal 2022",
    )
    assert trailing_parts((release, second, year)) == ("fiscal 2023",)  # its fourth quarter is the newest
    assert trailing_parts(()) == ()


@pytest.mark.parametrize(
    ("reports", "calendar"),
    [
        (RETAILER, FiscalCalendar(month=1, shift=1)),
        (PLAIN, FiscalCalendar()),
        ((report("h", "2023-12-31", "10-Q", 2024, months=3, year_end_month=6),), FiscalCalendar(month=6)),
        ((), FiscalCalendar()),
    ],
)
def test_a_company_s_calendar_is_what_most_of_its_filings_say(
    reports: tuple[Report, ...], calendar: FiscalCalendar
) -> None:
    assert calendar_of(reports) == calendar


def test_a_year_of_weeks_that_ends_in_february_belongs_to_january() -> None:
    years = FiscalCalendar(month=1, shift=1)
    assert years.year_of(dt.date(2024, 2, 3)) == years.year_of(dt.date(2023, 7, 29)) == 2023
    assert years.end_of(2023, 6) == dt.date(2023, 7, 31)


def test_filings_that_lie_between_others_are_named_as_missing() -> None:
    older = report("k18", "2019-02-02", "10-K", 2018, months=12, year_end_month=1)
    newer = report("q3", "2023-10-28", "10-Q", 2023, months=3, quarter=3, year_end_month=1)
    assert missing_filings((newer, *RETAILER[2:], older)) == (
        "the annual report of fiscal 2019",
        "the annual report of fiscal 2020",
        "the report of the first quarter of fiscal 2023",
    )
    assert missing_filings(PLAIN) == ()


WEEKS = (
    report("k22", "2023-01-01", "10-K", 2022, months=12, year_end_month=12, weeks=52),
    report("k21", "2022-01-02", "10-K", 2021, months=12, year_end_month=12, weeks=52),
)


def test_a_year_that_ends_on_the_first_of_january_is_that_before() -> None:
    assert calendar_of(WEEKS) == FiscalCalendar()
    assert [r.year for r in WEEKS] == [2022, 2021]
    assert not any(r.is_called_by_first_year for r in WEEKS)
    assert WEEKS[0].model_copy(update={"fiscal_year": None}).title == "Acme 2022"


@pytest.mark.parametrize(
    ("end", "printed", "year"),
    [
        ("2023-01-01", "January 1, 2023", 2022),
        ("2023-01-28", "January 28, 2023", 2023),
        ("2022-12-31", "2022", 2022),
        ("2023-01-03", "", 2022),
    ],
)
def test_a_period_counts_to_the_year_of_its_last_weeks(end: str, printed: str, year: int) -> None:
    assert Period(end=dt.date.fromisoformat(end), printed=printed).year == year

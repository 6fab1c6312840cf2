"""Answers without a language model beyond the fact table, from pages that show just what is asked."""

from dataclasses import replace

import pytest

from prompts.kinds.names import NamesDraft
from query_engines.extraction.counts import counted_in
from query_engines.extraction.from_sentences import (
    draft_of_denial,
    draft_of_names,
    positions_changed,
    products_launched,
)
from query_engines.extraction.program import ExtractiveProgram
from query_engines.extraction.rows import Sought, found_row
from query_engines.question.classifier import Guess
from query_engines.question.functions import MovesAsked
from query_engines.question.parsed import FactMatch, Intent, ParsedQuestion
from query_engines.question.parser import read_text
from query_engines.question.search_text import without_company_and_time
from query_engines.question.told_events import told
from storage.records.answers import Dimension
from storage.records.facts import Confidence, Event, EventKind, ReportFacts
from storage.records.pages import Block, Column
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.printed_tables import REPORT, YEAR, page_of, paragraph, table_of, years

REVENUE = (("Middle East", "1,505", "900"), ("Europe", "4,210", "4,000"), ("Total", "5,715", "4,900"))


def number(question: str, *blocks: Block, year: int = 2022, dimension: Dimension | None = None) -> float | None:
    sought = Sought(question, year, is_reported=year == 2022, dimension=dimension)
    fact = found_row(sought, REPORT, [page_of(1, *blocks)])
    return None if fact is None else float(fact.value)


def test_a_part_of_a_metric_is_read_from_the_row_and_the_table_that_say_it() -> None:
    geography = table_of("Revenue by customers' location", REVENUE, years())
    assert number("revenue from customers in the Middle East", geography) == 1505000
    assert number("revenue from customers in the Middle East", geography, year=2021) == 900000


def test_a_year_without_a_column_is_no_answer() -> None:
    assert number("revenue in Europe", table_of("Revenue by location", REVENUE, years()), year=2019) is None


def test_a_name_that_no_table_says_is_no_answer() -> None:
    assert number("revenue in Asia", table_of("Revenue by location", REVENUE, years())) is None


def test_two_rows_that_fit_alike_leave_it_open() -> None:
    one = table_of("Revenue by location", REVENUE, years())
    other = table_of("Revenue by location", (("Europe", "4,999", "4,111"),), years())
    assert number("revenue in Europe", one) == 4210000
    assert number("revenue in Europe", one, other) is None


@pytest.mark.parametrize(
    "title", ["Adjusted revenue by location", "Revenue targets by location", "Change in revenue"]
)
def test_adjusted_planned_and_changed_figures_are_not_the_reported_ones(title: str) -> None:
    assert number("revenue in Europe", table_of(title, REVENUE, years())) is None


def test_a_percentage_is_no_amount() -> None:
    assert (
        number("revenue in Europe", table_of("Revenue by location", (("Europe", "42%", "40%"),), years())) is None
    )


def test_a_year_of_several_segments_is_no_answer_to_a_question_for_the_whole() -> None:
    columns = [Column(header=h, period=YEAR, scale=1) for h in ("Retail", "Wholesale")]
    depots = table_of("Operations", (("Number of depots", "12", "34"),), columns)
    assert number("number of depots", depots) is None
    assert number("number of depots in Retail", depots) == 12


def test_a_figure_that_may_be_in_thousands_is_left_out() -> None:
    unit = table_of("Assets", (("Land", "900"),), [Column(header="2022", period=YEAR, scale=1000)])
    bare = table_of("Warranty claims accrued", (("Accrued for warranty claims", "12,261"),), [Column()])
    assert number("accrued for warranty claims", unit, bare) is None


@pytest.mark.parametrize(
    ("asked", "row", "dimension", "value"),
    [
        ("tax rate differences", ("Tax rate differences", "(15)"), "percent", -15_000),
        ("clinical programs", ("Clinical programs", "5,100"), "count", 5_100_000),
        ("clinical sites", ("Clinical sites", "51"), "count", 51),
        ("awards that are antidilutive", ("Awards that are antidilutive", "523,768"), "money", 523_768),
    ],
)
def test_a_row_has_its_columns_unit_unless_it_says_what_it_counts(
    asked: str, row: tuple[str, ...], dimension: Dimension, value: float
) -> None:
    table = table_of("Notes", (row,), [Column(header="2022", period=YEAR, scale=1000)])
    assert number(asked, table, dimension=dimension) == value


def test_one_decimal_does_not_make_a_figure_one_in_full() -> None:
    unit = table_of("Assets", (("Land", "900"),), [Column(header="2022", period=YEAR, scale=1_000_000)])
    capital = table_of("Capital", (("Equity as shown", "30.9"),), [Column(header="2022", period=YEAR)])
    price = table_of("Prices", (("Price as shown", "1,030.95"),), [Column(header="2022", period=YEAR)])
    assert number("equity as shown", unit, capital) is None
    assert number("price as shown", unit, price) == 1030.95


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("As of December 31, 2022, we operated 1,204 retail stores in nine states.", 1204),
        ("We may operate 1,300 stores as of December 31, 2023 if demand allows it.", None),
        ("During 2022 we opened 31 new stores in the southern states of the country.", None),
        ("In 2022 our largest competitor in the industry had 4,000 restaurants open.", None),
    ],
)
def test_a_count_is_taken_from_a_sentence_that_states_it(sentence: str, value: float | None) -> None:
    fact = counted_in("Number of stores", "stores", 2022, [page_of(1, paragraph(sentence))])
    assert (None if fact is None else fact.value) == value


def test_a_count_and_a_part_of_it_in_one_sentence_leave_it_open() -> None:
    page = page_of(
        1, paragraph("In 2022 we had more than 160 issued patents across approximately 35 patent families.")
    )
    assert counted_in("Number of patents", "", 2022, [page]) is None


def test_two_counts_leave_it_open() -> None:
    page = page_of(
        1, paragraph("In 2022 we operated 1,204 stores in all.", "In 2022 our group ran 990 stores in all.")
    )
    assert counted_in("Number of stores", "", 2022, [page]) is None


def event(kind: EventKind, about: str, quote: str, confidence: Confidence = "high") -> Event:
    return Event(kind=kind, about=about, quote=quote, report_sha1="ab", page_number=1, confidence=confidence)


def test_positions_are_named_that_changed_within_the_year_or_before_the_report_came_out() -> None:
    events = [
        event("leadership_change", "Treasurer", "Ed Moe was appointed Treasurer in November 2023."),
        event("leadership_change", "CFO", "Ann Lee was appointed CFO on May 4, 2022."),
        event("leadership_change", "directors", "Bob Roe was elected to the board of directors in June 2022."),
        event("leadership_change", "President", "Cy Poe was appointed President in January 2023."),
        event("leadership_change", "CEO", "Di Fox was appointed CEO of Other Ltd in February 2022."),
    ]
    named = positions_changed(events, REPORT)
    assert list(named) == ["Chief Financial Officer", "Director", "President"]
    draft = draft_of_names(
        "positions", named, REPORT, [page_of(1, *(paragraph(e.quote) for e in events))], NamesDraft
    )
    assert draft is not None
    assert "President (later, page 1)" in draft.reasoning_summary


def test_products_are_named_and_programmes_are_not() -> None:
    events = [
        event("product_launch", "Clean Room", "In 2022 we launched Clean Room for large clients."),
        event("product_launch", "Diversity", "In 2022 we launched the Diversity training."),
        event("product_launch", "IDVision", "We launched IDVision with iovation.", "medium"),
    ]
    named = products_launched(events)
    assert list(named) == ["Clean Room"]
    draft = draft_of_names(
        "names of new products", named, REPORT, [page_of(1, paragraph(events[0].quote))], NamesDraft
    )
    assert draft is not None
    assert draft.final_answer == ["Clean Room"]
    assert [e.page for e in draft.evidence] == [1]


MARGIN = "Gross margin was 36.9% in 2022 compared to 38.6% in 2021."
FELL = "The decrease was primarily due to higher costs of payroll."


@pytest.mark.parametrize(
    ("sentence", "year", "is_denied"),
    [
        ("No dividend was paid in the previous year.", None, False),
        ("No dividend was paid in the previous year.", 2021, True),
        ("No dividend was paid in 2022.", None, True),
        ("We have not paid any dividends on our common stock.", 2022, True),
    ],
)
def test_a_sentence_denies_only_what_it_tells_of_the_year(
    sentence: str, year: int | None, *, is_denied: bool
) -> None:
    pages = [page_of(1, paragraph(sentence))]
    assert (draft_of_denial(_asked("pays_a_dividend"), year, REPORT, pages) is not None) is is_denied
    assert draft_of_denial(_asked("other"), year, REPORT, pages) is None


@pytest.mark.parametrize(
    ("sentence", "is_denied"),
    [
        ("We did not repurchase any shares of our common stock in 2022.", True),
        ("We have no obligation to repurchase any shares of our stock.", False),
        ("At the end of 2022, no shares had been repurchased under the new plan.", False),
    ],
)
def test_no_duty_to_buy_and_an_unused_plan_deny_no_buyback(sentence: str, *, is_denied: bool) -> None:
    pages = [page_of(1, paragraph(sentence))]
    assert (draft_of_denial(_asked("buyback"), None, REPORT, pages) is not None) is is_denied


def _asked(topic: str) -> ParsedQuestion:
    text = "Does Acme pay a dividend?"
    return replace(read_text(Question(text=text)), guess=Guess(topic=topic, probability=0.9, asked_in=text))


def test_what_cannot_be_answered_says_that_no_language_model_looked() -> None:
    questions = {
        "question": read_text(Question(text="Who audits Acme?")),
        "report": REPORT,
        "pages": [],
        "facts": FactMatch(),
    }
    for kind in ("number", "boolean", "name", "names", "text"):
        draft = ExtractiveProgram(kind)(**questions)
        assert draft.final_answer == "N/A"
        assert "without a language model" in draft.reasoning_summary


@pytest.mark.parametrize(
    ("asked", "label", "value"),
    [
        ("administrative expenses", "Selling, general and administrative expenses", None),
        ("impairment of goodwill", "Goodwill", None),
        ("goodwill", "Goodwill", 900_000),
        ("goodwill", "Goodwill acquired", None),
        ("trade receivables per employee", "Trade receivables", None),
    ],
)
def test_a_row_says_what_was_asked_no_more_and_no_less(asked: str, label: str, value: float | None) -> None:
    assert number(asked, table_of("Notes", ((label, "900", "800"),), years())) == value


def test_a_figure_without_a_period_is_of_no_year_but_the_reported_one() -> None:
    undated = table_of("Notes", (("Goodwill", "900"),), [Column(header="Amount", scale=1000)])
    assert number("goodwill", undated) == 900_000
    assert number("goodwill", undated, year=2016) is None
    components = table_of("Changes in equity", (("Issue of shares", "49", "1,247"),), [Column(), Column()])
    assert number("issue of shares", components) is None


_SUCCESSION = (
    "In June 2022 Ann Lee resigned as Chief Financial Officer, and Bob Roe was appointed Chief Financial Officer."
)
_NOMINEE = (
    "On May 7, 2022, Cy Poe, Managing Director of Mill Capital LLC, was appointed to the Board of Directors."
)


@pytest.mark.parametrize(
    ("asked", "about", "quote", "is_told"),
    [
        ("Did the CFO of Acme Inc. change in 2022?", "Chief Financial Officer", _SUCCESSION, True),
        ("Did the CEO of Acme Inc. change in 2022?", "Chief Financial Officer", _SUCCESSION, False),
        ("Did Ann Lee leave Acme Inc. in 2022?", "Chief Financial Officer", _SUCCESSION, True),
        ("Did Bob Roe leave Acme Inc. in 2022?", "Chief Financial Officer", _SUCCESSION, False),
        ("Was Bob Roe appointed by Acme Inc. in 2022?", "Chief Financial Officer", _SUCCESSION, True),
        ("Was Ann Lee appointed by Acme Inc. in 2022?", "Chief Financial Officer", _SUCCESSION, False),
        ("Did the CEO of Acme Inc. change in 2022?", "Directors", _NOMINEE, False),
        ("Did the managing director of Acme Inc. change in 2022?", "Directors", _NOMINEE, False),
        ("Did Cy Poe join the board of Acme Inc. in 2022?", "Directors", _NOMINEE, True),
        ("Did the board of Acme Inc. change in 2022?", "Directors", _NOMINEE, True),
        (
            "Did the CEO of Acme Inc. change in 2022?",
            "President",
            "In May 2022 Di Fox was appointed President and Chief Executive Officer of Other Corp.",
            False,
        ),
        (
            "Did the CEO of Acme Inc. change in 2022?",
            "President",
            "In May 2022 Di Fox was appointed President and Chief Executive Officer of Acme Inc.",
            True,
        ),
        (
            "Did Ed Moe leave the board of Acme Inc. in 2022?",
            "director",
            "In 2022 Flo Ray succeeded Ed Moe, who remains an adviser, as director after Gus Tay left.",
            False,
        ),
        (
            "Did Flo Ray join the board of Acme Inc. in 2022?",
            "director",
            "The retirement of Ed Moe as director in 2022 and the appointment of Flo Ray as director were announced.",
            True,
        ),
        (
            "Did Flo Ray leave the board of Acme Inc. in 2022?",
            "director",
            "The retirement of Ed Moe as director in 2022 and the appointment of Flo Ray as director were announced.",
            False,
        ),
        (
            "Did the executive committee of Acme Inc. change in 2022?",
            "director",
            "In 2022 Ed Moe was appointed a director.",
            False,
        ),
    ],
)
def test_a_change_of_leadership_is_that_of_the_person_the_office_and_the_body_asked_for(
    asked: str, about: str, quote: str, is_told: bool
) -> None:
    company = Company(name="Acme Inc.")
    moves = MovesAsked.in_text(without_company_and_time(asked, company))
    parsed = replace(read_text(Question(text=asked)), company=company, intent=Intent(text=asked, moves=moves))
    known = ReportFacts(report_sha1="ab", events=(event("leadership_change", about, quote),))
    assert bool(told("leadership_change", parsed, known, 2022, REPORT)) == is_told


EQUITY = "At December 31, 2022, the Company's stockholders' equity had decreased $0.7 million to $633.2 million."
LOSS = "The change in value of securities decreased stockholders' equity by $150.7 million."

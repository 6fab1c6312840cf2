"""Answers without a language model beyond the fact table, from pages that show just what is asked."""

import datetime as dt
from dataclasses import replace

import pytest

from prompts.kinds.names import NamesDraft
from query_engines.extraction.causes import draft_of_causes, is_denied_by
from query_engines.extraction.counts import draft_from_counts
from query_engines.extraction.from_rows import Sought, draft_from_fitting_cell
from query_engines.extraction.from_sentences import (
    draft_of_doubt,
    draft_of_names,
    draft_of_yes_or_no,
    positions_changed,
    products_launched,
)
from query_engines.extraction.program import ExtractiveProgram
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import read_text
from query_engines.question.told_events import told
from storage.records.answers import Dimension
from storage.records.facts import Confidence, Event, EventKind, ReportFacts
from storage.records.pages import Block, Column
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.printed_tables import REPORT, YEAR, page_of, paragraph, table_of, years

REVENUE = (("Middle East", "1,505", "900"), ("Europe", "4,210", "4,000"), ("Total", "5,715", "4,900"))


def number(
    question: str, *blocks: Block, year: int = 2022, dimension: Dimension | None = None
) -> float | str | None:
    sought = Sought(question, f"What was {question}?", year, is_reported=year == 2022, dimension=dimension)
    draft = draft_from_fitting_cell(sought, REPORT, [page_of(1, *blocks)])
    return None if draft is None else draft.final_answer


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


def test_the_analysis_says_how_the_value_was_found_and_how_sure_it_is() -> None:
    pages = [page_of(1, table_of("Revenue by location", REVENUE, years()))]
    draft = draft_from_fitting_cell(
        Sought("revenue in Europe", "What was revenue in Europe?", 2022), REPORT, pages
    )
    assert draft is not None
    assert "without a language model" in draft.step_by_step_analysis
    assert "It fits the question's words to" in draft.reasoning_summary


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
    draft = draft_from_counts("Number of stores", 2022, [page_of(1, paragraph(sentence))])
    assert (None if draft is None else draft.final_answer) == value


def test_a_count_and_a_part_of_it_in_one_sentence_leave_it_open() -> None:
    page = page_of(
        1, paragraph("In 2022 we had more than 160 issued patents across approximately 35 patent families.")
    )
    assert draft_from_counts("Number of patents", 2022, [page]) is None


def test_two_counts_leave_it_open() -> None:
    page = page_of(
        1, paragraph("In 2022 we operated 1,204 stores in all.", "In 2022 our group ran 990 stores in all.")
    )
    assert draft_from_counts("Number of stores", 2022, [page]) is None


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("In 2022 we implemented a reduction of our workforce by 120 employees.", 120),
        ("In 2019 we implemented a reduction of our workforce by 120 employees.", None),
        ("In 2022 we may implement a reduction of our workforce by 120 employees.", None),
    ],
)
def test_employees_let_go_are_counted_in_the_past_of_the_asked_year(sentence: str, value: float | None) -> None:
    draft = draft_from_counts("total number of employees let go", 2022, [page_of(1, paragraph(sentence))])
    assert (None if draft is None else draft.final_answer) == value


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("On March 3, 2022, the Company completed the acquisition of Firma for cash.", True),
        ("On March 3, 2021, the Company completed the acquisition of Firma for cash.", False),
        ("The Company expects to complete the acquisition of Firma in the first half of 2023.", False),
        ("The Company did not complete the acquisition of Firma in 2022 as it had planned.", False),
        ("The Company completed the acquisition of Nestor in 2022 and paid for it in cash.", None),
        ("The Company completed the acquisition of Firma and paid for it in cash.", None),
    ],
)
def test_yes_needs_a_sentence_of_the_asked_year(sentence: str, value: bool | None) -> None:
    draft = draft_of_yes_or_no(
        "Did complete the acquisition of Firma", 2022, REPORT, [page_of(1, paragraph(sentence))]
    )
    assert (None if draft is None else draft.final_answer) is value


def test_what_came_after_a_financial_year_did_not_happen_in_it() -> None:
    report = REPORT.model_copy(update={"period_end": dt.date(2022, 3, 31)})
    page = page_of(1, paragraph("On 2 May 2022 the Group completed the acquisition of Firma for cash."))
    draft = draft_of_yes_or_no("Did complete the acquisition of Firma", 2022, report, [page])
    assert draft is not None
    assert draft.final_answer is False


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
    ("sentences", "chosen"),
    [
        ((MARGIN, FELL, "We lease our plants."), [MARGIN, FELL]),
        (("Gross margin fell in 2022, mainly due to freight.", FELL), ["mainly due to freight", FELL]),
        (("Gross margin fell in 2021, mainly due to freight.",), None),
        (("Gross margin may fall in 2022 due to freight.",), None),
        (("Revenue fell in 2022, mainly due to fewer orders.",), None),
        (("Gross margin is recognized on delivery, primarily because the customer accepts it.",), None),
    ],
)
def test_the_reasons_of_a_change_are_the_sentences_of_cause_about_it_and_its_year(
    sentences: tuple[str, ...], chosen: list[str] | None
) -> None:
    page = page_of(4, paragraph(*sentences))
    draft = draft_of_causes("Why did gross margin decrease", (), 2022, "", [page])
    found = [s.text for s in draft.final_answer] if draft and isinstance(draft.final_answer, list) else None
    assert (found is None) == (chosen is None)
    assert all(part in text for part, text in zip(chosen or (), found or (), strict=True))


@pytest.mark.parametrize(
    ("sentence", "doubted"),
    [
        ("These factors raise substantial doubt about our ability to continue as a going concern.", True),
        (
            "Management's plans alleviate the substantial doubt about our ability to continue as a going concern.",
            False,
        ),
        ("Our auditor has expressed doubt about our ability to continue as a going concern.", True),
        ("We assess whether there is substantial doubt about our ability to continue as a going concern.", False),
        ("There is no substantial doubt about the ability of the Company to continue as a going concern.", False),
    ],
)
def test_a_doubt_about_the_going_concern_is_a_yes_only_where_it_is_stated(sentence: str, doubted: bool) -> None:
    for asked in (
        "Is there substantial doubt about its ability to continue as a going concern?",
        "Do the auditors question whether it can continue as a going concern?",
        "Is there a going concern doubt?",
    ):
        draft = draft_of_doubt(asked, None, [page_of(4, paragraph(sentence))])
        assert (draft is not None and draft.final_answer is True) == doubted


@pytest.mark.parametrize(
    "sentence",
    [
        "Cost of revenue increased in 2022 due to more instruments sold.",
        "Revenue should increase in 2022 due to more instruments sold.",
        "Revenue declined in 2022 due to fewer instruments sold.",
        "Net income changed in 2022 due to higher revenue from instruments.",
    ],
)
def test_a_cause_of_something_else_is_no_reason_for_a_rise_of_revenue(sentence: str) -> None:
    page = page_of(4, paragraph(sentence))
    assert draft_of_causes("Why did revenue increase", ("revenue", "sales"), 2022, "", [page]) is None


@pytest.mark.parametrize(
    ("query", "percent", "denied"),
    [
        ("Explain why administrative expenses surged", -35.6, True),
        ("What lay behind the slump of sales", 11.2, True),
        ("Why did sales rise", 11.2, False),
        ("Why did sales not rise", 11.2, True),
        ("What drove sales", -3.0, False),
        ("Why did the net loss widen", -100.0, False),
        ("Why did the tax rate improve", -2.0, False),
    ],
)
def test_figures_that_moved_the_other_way_deny_what_is_taken_for_granted(
    query: str, percent: float, *, denied: bool
) -> None:
    assert is_denied_by(query, percent) == denied


def test_net_interest_income_is_no_net_income() -> None:
    page = page_of(
        4, paragraph("The increase in net interest income in 2022 was primarily due to the acquisition.")
    )
    assert draft_of_causes("Why did net income increase", ("net income",), 2022, "", [page]) is None


def test_the_reasons_of_a_part_are_not_those_of_the_whole() -> None:
    page = page_of(4, paragraph("Revenue increased in 2022 due to more instruments."))
    assert draft_of_causes("What drove service revenue", ("revenue", "sales"), 2022, "", [page]) is None


def test_non_interest_expense_is_no_interest_expense() -> None:
    page = page_of(4, paragraph("Non-interest expense increased in 2022 due to severance."))
    assert draft_of_causes("Why did interest expense increase", (), 2022, "", [page]) is None


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
    parsed = replace(read_text(Question(text=asked)), company=company)
    known = ReportFacts(report_sha1="ab", events=(event("leadership_change", about, quote),))
    assert bool(told("leadership_change", parsed, known, 2022, REPORT)) == is_told


@pytest.mark.parametrize(
    ("query", "sentences", "value"),
    [
        (
            "Was Sabine Moe appointed to the Board of Managing Directors",
            (
                "The Board appointed Sabine Moe, subject to approval, to the Board of Managing Directors.",
                "On 6 July 2022 Sabine Moe was appointed to the Board of Managing Directors from 1 January 2023.",
            ),
            None,
        ),
        (
            "Did acquire Delta Bancshares",
            ("Agreement by which to acquire Delta Bancshares, dated July 28, 2021.",),
            None,
        ),
        (
            "Did acquire Delta Bancshares",
            ("On July 28, 2021 the Company completed its plan to acquire Delta Bancshares.",),
            False,
        ),
    ],
)
def test_a_contract_or_a_condition_of_another_time_is_no_denial(
    query: str, sentences: tuple[str, ...], value: bool | None
) -> None:
    draft = draft_of_yes_or_no(query, 2022, REPORT, [page_of(1, *map(paragraph, sentences))])
    assert (draft.final_answer if draft else None) == value


EQUITY = "At December 31, 2022, the Company's stockholders' equity had decreased $0.7 million to $633.2 million."
LOSS = "The change in value of securities decreased stockholders' equity by $150.7 million."


@pytest.mark.parametrize(
    ("query", "sentences", "begins"),
    [
        (
            "Metals were up, so why did NAV drop by almost a fifth",
            ("NAV fell 19.3% in 2022 due to a write-down.",),
            "NAV",
        ),
        ("earned a record $73 million, so why didn't its equity go up", (EQUITY, LOSS), "At December"),
        (
            "Why did spend so much more on promotion",
            ("Promotional expenses were up 29.3% in 2022.",),
            "Promotional",
        ),
        (
            "finance income rose. What happened",
            ("Total finance income of £4m arose primarily from loans.",),
            "Total",
        ),
        ("What pulled the gross margin below 40%", (MARGIN, FELL), "Gross margin"),
        (
            "What pulled the gross margin below 40%",
            (MARGIN, "This 1.7% decrease is primarily due to payroll."),
            "Gross margin",
        ),
        (
            "What lay behind the $169 million of extra sales",
            (
                "The gain on the sale of machinery of $20.2 million resulted from a disposal.",
                "The $169.4 million revenue increase is attributed mainly to higher selling prices.",
            ),
            "The $169.4",
        ),
        (
            "What went wrong with the margin on services",
            ("The decrease in service and other gross profit is primarily due to higher service costs.",),
            "The decrease in service",
        ),
        (
            "operating cash flow shrank from over $800 million to under $300 million. What happened",
            ("The decrease in cash provided by operations was due primarily to taxes.",),
            "The decrease in cash",
        ),
        (
            "Why did grow so fast in Continental Europe",
            ("In Continental Europe, revenue was up 28.9%, benefiting from a move of desks.",),
            "In Continental Europe",
        ),
        (
            "Please clarify the cause: depreciation has doubled",
            (
                "Depreciation expenses increased by 106% during 2022, from 2021.",
                "The increase in depreciation is primarily due to placing assets in service since 2021.",
            ),
            "Depreciation expenses",
        ),
        ("It did not hedge, so why did NAV drop", ("NAV fell 19.3% in 2022 due to a write-down.",), "NAV"),
        ("Why did spend so much more on promotion", ("Promotional expenses were down 29.3% in 2022.",), None),
        ("Why did net income increase", ("Net interest income increased by 5% in 2022.",), None),
    ],
)
def test_what_moved_is_explained_as_the_part_that_asks_says(
    query: str, sentences: tuple[str, ...], begins: str | None
) -> None:
    names = ("stockholders' equity",)
    draft = draft_of_causes(query, names, 2022, "", [page_of(4, *map(paragraph, sentences))])
    assert (draft is None) == (begins is None)
    if draft is not None and begins is not None:
        assert draft.evidence[0].quote.startswith(begins)


def test_a_sentence_with_another_percentage_is_about_a_part() -> None:
    part = "Selling expenses increased 48% to $73.7 million primarily due to an acquisition."
    whole = "Selling expenses increased due to higher wages."
    page = page_of(4, paragraph(part), paragraph(whole))
    draft = draft_of_causes("Why did selling expenses rise", (), 2022, "", [page], 18.4)
    assert draft is not None
    assert [e.quote for e in draft.evidence] == [whole]

"""Derived metrics from a report's facts: operands of one period and currency, and why a value is missing."""

import datetime as dt
from decimal import Decimal

import pytest

from query_engines.answering.synthesizer import contradiction
from query_engines.calculation.derivation import Derivation, decides, derive
from query_engines.extraction.from_facts import draft_from_facts
from query_engines.question.fact_lookup import of_line
from query_engines.question.intent import IntentReader
from query_engines.question.parsed import FactMatch
from query_engines.question.parser import QuestionParser
from query_engines.rerank.passages import in_words
from storage.records.derived_metrics import Change, DerivedMetrics, change_of, trend_of
from storage.records.facts import Confidence, Fact, Period, ReportFacts
from storage.records.metrics import Ontology
from storage.records.pages import Page
from storage.records.questions import Question
from storage.records.reports import Company

ONTOLOGY = Ontology.load()
DERIVED = DerivedMetrics.load(ONTOLOGY)
READER = IntentReader(ONTOLOGY)
LINES = {
    "income": ("Revenue", "Cost of sales", "Net income"),
    "balance": ("Cash", "Inventories", "Total current assets", "Total current liabilities", "Total equity"),
    "cash_flow": ("Net cash from operating activities",),
}


def fact(
    metric: str, value: int, year: int = 2022, confidence: Confidence = "high", currency: str = "USD"
) -> Fact:
    line = ONTOLOGY[metric]
    end = dt.date(year, 12, 31)
    return Fact(
        metric=metric,
        value=Decimal(value),
        printed=f"{value:,}",
        currency=currency,
        period=Period(end=end, months=None if line.statement == "balance" else 12),
        statement=line.statement,
        report_sha1="s",
        page_number={"income": 4, "balance": 5}.get(line.statement, 6),
        row_label=line.title,
        confidence=confidence,
    )


def derived(metric: str, *facts: Fact, year: int | None = None) -> Derivation:
    found = ReportFacts(report_sha1="s", period_end=dt.date(2022, 12, 31), facts=facts, lines=LINES)
    return derive(DERIVED[metric], found, ONTOLOGY, year)


@pytest.mark.parametrize(
    ("figures", "metric"),
    [
        ({"dividends_paid": 115}, "dividends_of_the_year"),
        ({"dividend_per_share": 2, "dividends_paid": 115}, "dividend_of_the_year"),
        ({"dividends_paid": 0}, "dividend_of_the_year"),  # none was paid; that says nothing of one proposed
    ],
)
def test_a_dividend_in_total_is_one_too(figures: dict[str, int], metric: str) -> None:
    judgement = next(one for one in DERIVED.judgements if one.id == "pays_a_dividend")
    facts = [fact(name, value) for name, value in figures.items()]
    told = [derived(name, *facts) for name in (judgement.metric, *judgement.beside)]
    assert decides(told, judgement).metric.id == metric


def test_a_ratio_names_its_formula_and_its_operands() -> None:
    found = derived("current_ratio", fact("current_assets", 630), fact("current_liabilities", 200))
    assert (found.value, found.shown) == (Decimal("3.15"), "3.15x")
    assert found.in_words == "Total current assets / Total current liabilities"
    assert found.in_figures == "630 / 200"
    assert [o.fact.printed for o in found.operands] == ["630", "200"]


def test_an_average_takes_both_ends_of_the_period_and_the_other_definition_is_given() -> None:
    found = derived(
        "return_on_equity",
        fact("net_income", 30),
        fact("shareholders_equity", 200),
        fact("shareholders_equity", 100, 2021),
    )
    assert found.value == 20
    assert found.in_words == "Net income 2022 / ((Shareholders' equity 2021 + Shareholders' equity 2022) / 2)"
    assert [shown for _, shown in found.other_results] == ["15.0%"]


@pytest.mark.parametrize(("printed", "says"), [(110, ", which agrees"), (150, "a definition of its own")])
def test_a_printed_figure_comes_first_and_the_calculated_one_stands_beside_it(printed: int, says: str) -> None:
    calculated = derived("ebitda", fact("operating_income", 80), fact("total_depreciation_amortization", 30))
    own = fact("ebitda", printed)
    page = Page(report_sha1="s", page_number=own.page_number, width=9, height=9)
    draft = draft_from_facts("EBITDA", FactMatch(fact=own, derivation=calculated), [page])
    assert draft is not None
    assert draft.final_answer == printed
    assert "it is 110.00 USD" in draft.reasoning_summary
    assert says in draft.reasoning_summary


def test_a_missing_operand_is_named_and_nothing_is_guessed() -> None:
    found = derived("current_ratio", fact("current_assets", 630), fact("current_liabilities", 200, 2021))
    assert found.value is None
    assert found.why_not == "no certain figure for 'Total current liabilities' of 2022"


def test_an_uncertain_figure_is_no_operand() -> None:
    found = derived(
        "current_ratio", fact("current_assets", 630), fact("current_liabilities", 200, confidence="low")
    )
    assert found.value is None


def test_an_optional_line_counts_as_zero_only_where_the_statement_has_no_such_line() -> None:
    known = fact("cash", 100), fact("current_liabilities", 200), fact("current_assets", 300)
    found = derived("quick_ratio", *known)
    assert found.formula.startswith("(cash")
    assert found.value == Decimal("0.5")  # neither receivables nor securities in the balance sheet
    assert found.others == ()  # the balance sheet has inventories that were not read


def test_figures_in_two_currencies_are_not_mixed() -> None:
    found = derived("current_ratio", fact("current_assets", 630), fact("current_liabilities", 200, currency="EUR"))
    assert found.value is None
    assert "different currencies" in found.why_not


@pytest.mark.parametrize(
    ("metric", "facts", "why"),
    [
        ("operating_margin", (("operating_income", 300), ("total_revenue", 200)), "150.0% is impossible"),
        ("return_on_equity", (("net_income", 5), ("shareholders_equity", -10)), "not above zero"),
    ],
)
def test_an_impossible_result_is_no_answer(metric: str, facts: tuple[tuple[str, int], ...], why: str) -> None:
    found = derived(metric, *(fact(name, value) for name, value in facts))
    assert found.value is None
    assert why in found.why_not


def test_a_metric_without_meaning_for_the_company_says_why() -> None:
    bank = [fact("net_interest_income", 9), fact("deposits", 90), fact("total_assets", 100)]
    found = ReportFacts(
        report_sha1="s",
        period_end=dt.date(2022, 12, 31),
        facts=tuple(bank),
        lines={"income": ("Net interest income",), "balance": ("Cash", "Total deposits", "Total assets")},
    )
    ratio = derive(DERIVED["current_ratio"], found, ONTOLOGY)
    assert ratio.reason == "not_disclosed"
    assert "a bank's balance sheet" in ratio.why_not
    assert (
        derive(DERIVED["inventory_turnover"], found, ONTOLOGY).why_not
        == "there is no inventory on the balance sheet"
    )


def test_a_line_that_only_a_summary_or_another_table_prints_is_not_called_undisclosed() -> None:
    research = fact("research_and_development", 40, confidence="low").model_copy(update={"statement": "notes"})
    ratio = derived("rd_to_revenue", fact("total_revenue", 100), research)
    assert (ratio.value, ratio.reason) == (None, "not_found")
    assert ratio.why_not == "no certain figure for 'Research and development expense' of 2022"
    lines = {**LINES, "balance": ("Cash", "Total equity")}
    found = ReportFacts(report_sha1="s", period_end=dt.date(2022, 12, 31), facts=(fact("cash", 5),), lines=lines)
    assert derive(DERIVED["inventory_turnover"], found, ONTOLOGY).reason == "not_disclosed"
    in_a_note = found.model_copy(update={"labels": ("Cash", "Inventories, net")})
    assert derive(DERIVED["inventory_turnover"], in_a_note, ONTOLOGY).reason == "not_found"


@pytest.mark.parametrize("metric", ["rd_to_revenue", "payables_turnover", "payable_days"])
def test_a_cost_that_may_be_part_of_another_line_is_not_called_undisclosed(metric: str) -> None:
    lines = {**LINES, "income": ("Revenue", "Operating expenses", "Net income")}
    found = ReportFacts(
        report_sha1="s", period_end=dt.date(2022, 12, 31), facts=(fact("total_revenue", 9),), lines=lines
    )
    assert derive(DERIVED[metric], found, ONTOLOGY).reason == "not_found"


def test_a_line_that_is_there_but_was_not_read_is_not_called_absent() -> None:
    found = derived("inventory_turnover", fact("cost_of_revenue", 90))
    assert found.reason == "not_found"
    assert "Inventories" in found.why_not


def test_the_year_that_is_asked_for_decides_the_figures() -> None:
    facts = [fact(m, v, y) for y, v in ((2022, 100), (2021, 80)) for m in ("net_income", "total_revenue")]
    assert derived("net_margin", *facts, year=2021).value == 100
    assert derived("net_margin", *facts, year=2020).value is None


def test_a_trend_is_the_difference_of_both_years_results() -> None:
    facts = [
        fact(m, v, y)
        for m, y, v in (
            ("net_income", 2022, 30),
            ("total_revenue", 2022, 200),
            ("net_income", 2021, 10),
            ("total_revenue", 2021, 100),
        )
    ]
    found = ReportFacts(report_sha1="s", period_end=dt.date(2022, 12, 31), facts=tuple(facts), lines=LINES)
    trend = trend_of(DERIVED["net_margin"])
    assert trend is not None
    derivation = derive(trend, found, ONTOLOGY)
    assert derivation.shown == "5.0 percentage points"
    assert derivation.in_words == (
        "(Net income 2022 / Total revenue 2022 - Net income 2021 / Total revenue 2021) × 100"
    )


def test_where_the_sign_changed_a_share_says_nothing() -> None:
    facts = (fact("net_income", 30), fact("net_income", -10, 2021))
    found = ReportFacts(report_sha1="s", period_end=dt.date(2022, 12, 31), facts=facts, lines=LINES)
    share = change_of(ONTOLOGY["net_income"], Change(what="net income", is_share=True))
    difference = change_of(ONTOLOGY["net_income"], Change(what="net income"))
    assert derive(share, found, ONTOLOGY).value is None
    assert derive(difference, found, ONTOLOGY).value == 40


@pytest.mark.parametrize(
    "text",
    [
        "What would Acme Tools' net margin have been before income taxes?",
        "What average interest rate did Acme Tools pay on its debt?",
        "How much did Acme Tools pay in interest for every dollar of operating cash flow?",
        "How many years would Acme Tools' cash last if its operating cash outflow halved?",
        "What was Acme Tools' adjusted EBITDA?",
    ],
)
def test_a_figure_with_another_definition_is_not_taken_for_the_stored_one(text: str) -> None:
    intent = READER.read(text, Company(name="Acme Tools Inc."))
    assert intent.derived is None
    assert intent.judgement is None
    assert intent.sole_metric is None


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("capital expenditures", 500),
        ("capex", 500),
        ("additions to property and equipment", 90),
        ("purchases of property, plant and equipment", 90),
    ],
)
def test_a_total_with_intangible_assets_does_not_answer_for_the_additions_to_property(
    label: str, value: int
) -> None:
    line = fact("capital_expenditures", 90).model_copy(update={"row_label": "Additions to property and equipment"})
    total = fact("capital_expenditures", 500).model_copy(update={"row_label": "CAPEX 1", "statement": "notes"})
    known = ReportFacts(report_sha1="s", period_end=dt.date(2022, 12, 31), facts=(total, line))
    found = of_line(known, ONTOLOGY["capital_expenditures"], label)
    assert found is not None
    spent = found.current("capital_expenditures")
    assert spent is not None
    assert spent.value == value


@pytest.mark.parametrize(("before", "verb"), [(90, "increase"), (120, "decrease")])
def test_passages_are_compared_with_a_question_that_says_which_way_the_figure_moved(
    before: int, verb: str
) -> None:
    growth = derived("revenue_growth", fact("total_revenue", 100), fact("total_revenue", before, 2021))
    parsed = QuestionParser(ONTOLOGY).parse(Question(text="Why did the total revenue change?"))
    assert in_words(parsed, FactMatch(derivation=growth)) == f"Why did the total revenue {verb}?"


@pytest.mark.parametrize(
    ("text", "now", "says"),
    [
        (
            "Why did Acme swing to a profit in 2022?",
            -9,
            "The figures say the opposite. Net income: -9 USD (page 4).",
        ),
        ("Why did Acme make a loss?", 9, "The figures say the opposite. Net income: 9 USD (page 4)."),
        ("Why did Acme make a loss?", -9, ""),
        ("Why is Acme unprofitable?", -9, ""),
        ("Why did Acme go from a profit to a loss?", -9, ""),
        ("Why did net income fall?", 9, "The figures say the opposite. Growth of net income: 125.0%"),
    ],
)
def test_a_reason_that_is_asked_for_what_did_not_happen_is_contradicted(text: str, now: int, says: str) -> None:
    change = Change(what="net income", is_share=True)
    income = change_of(ONTOLOGY["net_income"], change, is_negative=now < 0)
    lines = (fact("net_income", now), fact("net_income", -4 if now < 0 else 4, 2021))
    found = ReportFacts(report_sha1="s", period_end=dt.date(2022, 12, 31), facts=lines, lines=LINES)
    match = FactMatch(derivation=derive(income, found, ONTOLOGY, None))
    parsed = QuestionParser(ONTOLOGY).parse(Question(text=text))
    told = contradiction(parsed, match)
    assert told.startswith(says) if says else not told

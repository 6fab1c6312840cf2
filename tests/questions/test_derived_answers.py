"""Derived metrics asked in words: the value, its formula, and every operand with its page and place."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.chat.cards.answer import answer_card, bars, printed
from app.chat.cards.links import LinkedReports
from app.files.answer_json import answer_json
from indexes.facts.extract import extract_facts
from storage.amounts import parse_figure
from storage.records.derived_metrics import DerivedMetrics
from storage.records.metrics import Ontology
from storage.records.questions import Question
from tests.support.derived_figures import derived_figures, fault_of

OSTERMERE, TSUKIMINE, VELDHOORN = "Ostermere Instruments", "Tsukimine Seiki", "Veldhoorn Packaging"
ONTOLOGY = Ontology.load()
DERIVED = DerivedMetrics.load(ONTOLOGY)


@pytest.fixture(scope="module")
def analyst(sample_data: Path) -> Iterator[Pageproof]:
    """A client that may calculate."""
    with open_pageproof("offline", data=sample_data) as opened:
        yield opened


QUESTIONS = [
    (f"What was the current ratio of {OSTERMERE}?", "current_ratio"),
    (f"{OSTERMERE} net margin 2023?", "net_margin"),
    (f"What ROE did {OSTERMERE} make?", "return_on_equity"),
    (f"What was the free cash flow of {VELDHOORN}?", "free_cash_flow"),
    (f"What is {VELDHOORN}'s equity ratio?", "equity_ratio"),
    (f"How much of its sales did {TSUKIMINE} put into capex?", "capex_to_revenue"),
]


@pytest.mark.parametrize(("text", "metric"), QUESTIONS)
def test_a_derived_metric_is_answered_with_its_formula_and_cited_operands(
    analyst: Pageproof, text: str, metric: str
) -> None:
    answer = analyst.ask(text)
    assert answer.kind == "number"
    assert answer.is_available, answer.summary
    assert answer.understood is not None
    assert answer.understood.metrics == (DERIVED[metric].title,)
    assert answer.formula
    assert len(answer.operands) >= 2
    assert {c.verdict for c in answer.checks} <= {"passed", "not_applicable"}
    assert next(c for c in answer.checks if c.name == "figure").verdict == "passed"
    for operand in answer.operands:
        assert operand.citation.boxes
        assert operand.unit is not None
        assert operand.unit.printed in operand.citation.quote


@pytest.mark.parametrize(("text", "metric"), QUESTIONS)
def test_the_formula_over_the_cited_figures_gives_the_answer(analyst: Pageproof, text: str, metric: str) -> None:
    answer = analyst.ask(text)
    worths = []
    for operand in answer.operands:
        assert operand.unit is not None
        printed = parse_figure(operand.unit.printed)
        assert printed is not None
        assert abs(printed) * operand.unit.scale == abs(Decimal(str(operand.value)))
        worths.append(Decimal(str(operand.value)))
    values = iter(worths)
    result = DERIVED[metric].definitions[0].value(lambda *_: next(values))
    assert answer.value == float(DERIVED[metric].scaled(result))


def test_in_strict_mode_nothing_is_calculated_but_the_user_learns_what_it_would_be(client: Pageproof) -> None:
    answer = client.ask(f"What was the current ratio of {OSTERMERE}?")
    assert answer.value == "N/A"
    assert answer.formula is None
    assert "only where the strictness is analyst. Calculated, it is" in answer.summary


def test_a_derived_metric_without_its_lines_names_what_is_missing(analyst: Pageproof) -> None:
    answer = analyst.ask(f"What was the loan to deposit ratio of {OSTERMERE}?")
    assert answer.value == "N/A"
    assert answer.reason == "not_disclosed"
    assert "it takes no deposits" in answer.summary


def test_json_holds_formula_and_operands_only_where_something_was_calculated(analyst: Pageproof) -> None:
    calculated = answer_json(analyst.ask(f"What was the current ratio of {OSTERMERE}?"))
    plain = answer_json(analyst.ask(f"What was the total revenue of {OSTERMERE}?"))
    assert {"formula", "operands"} <= calculated.keys()
    assert not {"formula", "operands"} & plain.keys()
    assert calculated["unit"]["measure"] == "times"  # type: ignore[index, call-overload]  # a JSON object


@pytest.mark.parametrize(
    "text",
    [
        f"What was the adjusted EBITDA margin of {OSTERMERE}?",
        f"What is the target for the net margin of {OSTERMERE}?",
        f"What was the net margin of {OSTERMERE} in the third quarter of 2024?",
        f"What was the operating margin of {OSTERMERE} in Germany?",
    ],
)
def test_a_part_a_plan_or_another_measure_is_not_answered_by_the_whole_one(analyst: Pageproof, text: str) -> None:
    assert analyst.ask(text).formula is None


def test_two_companies_are_compared_by_a_derived_metric(analyst: Pageproof) -> None:
    answer = analyst.ask(f"Which has the higher net margin, {OSTERMERE} or {VELDHOORN}?")
    assert answer.value in (f"{OSTERMERE}", f"{VELDHOORN}")
    assert [part.formula for part in answer.parts] == ["Net income / Total revenue"] * 2


def test_several_years_of_a_derived_metric_are_a_series(analyst: Pageproof) -> None:
    row = answer_json(analyst.ask(f"What was the net margin of {OSTERMERE} in 2023 and 2024?"))
    series = row["series"]
    assert isinstance(series, list)
    assert [point["period"] for point in series] == ["2023-12-31", "2024-12-31"]  # type: ignore[index, call-overload]
    assert {point["metric"] for point in series} == {"Net margin"}  # type: ignore[index, call-overload]
    assert all(point["citation"] for point in series)  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (f"Which segment of {OSTERMERE} had the highest net sales?", "name", "Process Analytics"),
        (f"Which region of {OSTERMERE} fell most in 2024?", "name", "United States"),
        (f"Which of {OSTERMERE}'s segments sold less in 2024 than the year before?", "names", 2),
        (f"What share of {OSTERMERE}'s net sales came from Europe in 2024?", "number", "23.8%"),
        (f"How much of {VELDHOORN}'s revenue is Food Packaging?", "number", "54.9%"),
        (f"What were the net sales of {OSTERMERE} in Europe in 2024?", "number", "92,130,000 USD"),
        (f"By what percentage did {OSTERMERE}'s sales in Europe fall in 2024?", "number", "-3.4%"),
        (
            f"What percentage of its inventories could {OSTERMERE} pay for with its cash in 2024?",
            "number",
            "69.0%",
        ),
    ],
)
def test_parts_of_a_figure_are_answered_from_the_cells_of_the_table_that_splits_it(
    analyst: Pageproof, text: str, kind: str, value: str | int
) -> None:
    answer = analyst.ask(text)
    assert answer.kind == kind
    assert (len(answer.value) if isinstance(answer.value, tuple) else answer.value_text) == value
    assert all(citation.boxes for citation in answer.citations)
    assert {check.verdict for check in answer.checks} <= {"passed", "not_applicable"}


@pytest.mark.parametrize(
    "text",
    [
        f"Which region of {OSTERMERE} grew fastest in 2024?",
        f"What share of {OSTERMERE}'s net sales came from Africa in 2024?",
        f"How much of {VELDHOORN}'s revenue is aluminium?",
        f"Which segment of {OSTERMERE} employs the most people?",
    ],
)
def test_a_part_that_no_table_has_is_not_answered(analyst: Pageproof, text: str) -> None:
    assert not analyst.ask(text).is_available


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        (f"Show {OSTERMERE}'s revenue for all years the report gives.", "text", "2023 402,875,000 USD, 2024"),
        (f"What is the trend of {OSTERMERE}'s net margin over the last two years?", "text", " points)"),
        (
            f"What is the compound annual growth rate of {OSTERMERE}'s revenue?",
            "number",
            "-4.1% = (386,412,000 / ",
        ),
        (f"Which year was the best for {OSTERMERE}'s revenue?", "comparative", "2023: the higher of the two"),
        (f"Was there a drop in revenue in any of the last two years at {OSTERMERE}?", "boolean", "Yes. "),
    ],
)
def test_a_trend_gives_all_years_of_the_report_with_their_changes(
    analyst: Pageproof, text: str, kind: str, says: str
) -> None:
    answer = analyst.ask(text)
    assert answer.kind == kind
    assert says in answer.summary
    assert len({citation.quote for citation in answer.citations}) >= 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"By how much did {OSTERMERE}'s revenue fall in 2024, in percent?", "-4.1%"),
        (f"How much did revenue change at {OSTERMERE} in 2024?", "-16,463,000 USD"),
        (f"What was the growth in net income of {OSTERMERE} in 2024?", None),
        (f"By how many percent did revenue fall at {OSTERMERE} in 2024?", "-4.1%"),
        (f"What was the growth of the operating profit of {VELDHOORN}?", "16.4%"),
        (f"yoy growth revenue {VELDHOORN}", "4.4%"),
    ],
)
def test_a_change_of_a_metric_is_calculated_from_both_years(
    client: Pageproof, text: str, shown: str | None
) -> None:
    answer = client.ask(Question(text=text, kind="number"))
    assert answer.formula
    assert len(answer.operands) == 2
    assert {operand.period and operand.period.year for operand in answer.operands} == {2023, 2024}
    assert shown in (None, answer.value_text)


@pytest.mark.parametrize(("year", "value"), [("2024", 37.5), ("2023", 39.7), ("2022", "N/A")])
def test_a_percentage_that_a_sentence_prints_is_given_where_the_statements_confirm_it(
    client: Pageproof, year: str, value: float | str
) -> None:
    answer = client.ask(f"What was the gross margin of {OSTERMERE} in {year}?")
    assert answer.value == value
    assert [citation.page for citation in answer.citations] == ([7] if value != "N/A" else [])
    assert answer.formula is None


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        (f"Is the liquidity of {OSTERMERE} healthy?", "at least 1.50x (rule of thumb: "),
        (f"Was the net margin of {OSTERMERE} above 50%?", "at least 50.0% (as the question asks)"),
        (f"Did the operating margin of {OSTERMERE} improve in 2024?", "higher than the year before"),
        (f"Did {OSTERMERE} make a loss?", "a net income below zero"),
        (f"Is {VELDHOORN} profitable?", "a net income above zero"),
        (f"Does {VELDHOORN} pay a dividend?", "a dividend above zero"),
    ],
)
def test_a_judgement_says_its_figures_and_its_threshold(analyst: Pageproof, text: str, threshold: str) -> None:
    answer = analyst.ask(text)
    assert answer.kind == "boolean"
    assert isinstance(answer.value, bool)
    assert threshold in answer.summary
    assert answer.operands
    assert next(c for c in answer.checks if c.name == "figure").verdict == "passed"


def test_steady_growth_without_a_year_is_judged_over_all_years_that_the_report_prints(analyst: Pageproof) -> None:
    answer = analyst.ask(f"Has {OSTERMERE}'s revenue been steadily growing?")
    assert (answer.kind, answer.value) == ("boolean", False)
    assert "2023 402,875,000 USD, 2024 386,412,000 USD (-4.1%)" in answer.summary


def test_all_companies_are_ranked_by_a_calculated_figure(analyst: Pageproof) -> None:
    answer = analyst.ask("Rank the companies by current ratio.")
    assert isinstance(answer.value, tuple)
    assert len(answer.value) >= 2
    assert all(part.formula for part in answer.parts if part.is_available)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        (f"How many times over did {OSTERMERE}'s current assets cover its current liabilities?", "current_ratio"),
        (f"By how many percentage points did the net margin of {OSTERMERE} fall in 2024?", "trend_of_net_margin"),
    ],
)
def test_a_question_for_a_figure_is_not_answered_with_yes_or_no(
    analyst: Pageproof, text: str, metric: str
) -> None:
    answer = analyst.ask(text)
    assert answer.kind == "number"
    assert isinstance(answer.value, float), metric


def test_a_judgement_gives_a_second_figure_with_its_pages(analyst: Pageproof) -> None:
    answer = analyst.ask(f"Is {OSTERMERE} a capital-intensive business?")
    assert "Capital expenditure to revenue: " in answer.summary
    assert " Beside it: Fixed assets to total assets: " in answer.summary
    assert all(check.verdict != "failed" for check in answer.checks)


def test_why_a_figure_is_higher_is_no_question_of_yes_or_no(analyst: Pageproof) -> None:
    assert analyst.ask(f"Why was the effective tax rate of {OSTERMERE} higher in 2024?").kind == "text"


def test_revenue_from_a_part_of_the_world_is_not_the_whole_revenue(analyst: Pageproof) -> None:
    assert not analyst.ask(f"What was {OSTERMERE}'s revenue from the Middle East in 2024?").is_available


@pytest.mark.parametrize(
    "text",
    [
        f"Revenue CAGR of {OSTERMERE} from 2015 to 2024?",
        f"In which year from 2015 to 2024 was {OSTERMERE}'s revenue the highest?",
    ],
)
def test_a_span_of_years_is_not_answered_by_the_years_that_are_known(analyst: Pageproof, text: str) -> None:
    answer = analyst.ask(text)
    assert (answer.value, answer.reason) == ("N/A", "other_period")


def test_a_growth_rate_over_the_years_shows_the_years_and_is_not_said_to_be_printed(client: Pageproof) -> None:
    answer = client.ask(f"Revenue CAGR of {VELDHOORN}")
    assert answer.is_available
    assert printed(answer) == ""
    assert all(part.is_available for part in answer.parts)
    chart = bars(answer)
    assert chart is not None
    assert [bar.label for bar in chart.bars] == ["to 31 Dec 2023", "to 31 Dec 2024"]


def test_every_derived_figure_of_the_samples_is_its_formula_over_printed_figures(analyst: Pageproof) -> None:
    figures = []
    for report in (report for company in analyst.companies() for report in company.reports):
        pages = analyst.pages.read(report.sha1, range(1, report.page_count + 1))
        by_number = {page.page_number: page for page in pages}
        for derivation in derived_figures(extract_facts(pages, report, ONTOLOGY), ONTOLOGY, DERIVED):
            figures.append(derivation)
            assert fault_of(derivation, by_number) == ""
            assert derivation.metric.is_possible(derivation.value or Decimal(0))
    assert len(figures) > 100


def test_the_card_of_a_trend_has_its_years_for_columns_and_that_of_companies_a_row_for_each(
    analyst: Pageproof,
) -> None:
    def table(text: str) -> Any:
        card: Any = answer_card(analyst.ask(text), (), LinkedReports(analyst.report))
        return card["table"]

    trend = table(f"What is the trend of {OSTERMERE}'s net margin over the last two years?")
    assert (len(trend["rows"]), [column.split()[-1] for column in trend["columns"]]) == (1, ["2023", "2024"])
    compared = table(f"Which has the higher current ratio, {OSTERMERE} or {TSUKIMINE}?")
    names = [row["names"][0] for row in compared["rows"]]
    assert [name.startswith((OSTERMERE, TSUKIMINE)) for name in names] == [True, True]


@pytest.mark.parametrize(
    ("text", "value", "label"),
    [
        (f"By what percentage did {OSTERMERE}'s deferred revenue grow?", 13.15, "Deferred revenue"),
        (f"By how much did {TSUKIMINE}'s retained earnings rise?", 11_912_000_000, "Retained earnings"),
        (
            f"What was the growth of {VELDHOORN}'s trade and other payables in 2024?",
            10.75,
            "Trade and other payables",
        ),
    ],
)
def test_the_change_of_a_row_that_is_no_known_metric_is_calculated_from_its_two_figures(
    analyst: Pageproof, text: str, value: float, label: str
) -> None:
    answer = analyst.ask(text)
    assert answer.value == pytest.approx(value, rel=0.01), answer.summary
    assert [operand.citation.quote.startswith(label) for operand in answer.operands] == [True, True]
    assert next(c for c in answer.checks if c.name == "figure").verdict == "passed"


@pytest.mark.parametrize(
    "text",
    [
        f"By how much did {OSTERMERE}'s accrued liabilities rise?",  # only the statement of cash flows has such a row
        f"By how much did {VELDHOORN}'s provisions change?",  # printed as current and as non-current
        f"What was the growth of {OSTERMERE}'s marketing costs?",
    ],
)
def test_the_change_of_a_row_is_not_taken_from_another(analyst: Pageproof, text: str) -> None:
    assert not analyst.ask(text).is_available


def test_a_question_behind_yes_or_no_wants_its_figure(analyst: Pageproof) -> None:
    answer = analyst.ask(f"Did {VELDHOORN} make any free cash flow in 2024 - how much?")
    assert answer.kind == "number"
    assert answer.is_available, answer.summary


def test_what_was_put_into_property_is_not_its_balance(analyst: Pageproof) -> None:
    answer = analyst.ask(f"How much of its sales did {OSTERMERE} put into property, plant and equipment?")
    assert not answer.is_available


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Did Ostermere's revenue grow in 2024?", False),
        ("Has Veldhoorn's net income fallen?", False),
        ("Does Ostermere have goodwill on its balance sheet?", True),
        ("Is Ostermere's equity positive?", True),
        ("Was Ostermere's operating income negative in 2024?", True),
        ("Did Veldhoorn's revenue exceed 2 billion?", False),
        ("Does Tsukimine employ more than 5,000 people?", True),
        ("Is Tsukimine's net income below 20 billion yen?", True),
        ("Did Ostermere's revenue grow in Germany?", "N/A"),
        ("Will Ostermere's revenue grow next year?", "N/A"),
        ("Is Ostermere's revenue enough to pay its debt?", "N/A"),
    ],
)
def test_a_yes_or_no_about_a_figure_follows_from_the_figure(
    client: Pageproof, text: str, value: bool | str
) -> None:
    answer = client.ask(text)
    assert answer.value == value
    assert bool(answer.citations) is answer.is_available

"""The formulas of derived metrics, and the file that holds them."""

from decimal import Decimal

import pytest

from storage.records.derived_metrics import (
    Change,
    DerivedMetric,
    DerivedMetrics,
    Formula,
    MissingOperand,
    Moment,
    change_of,
)
from storage.records.metrics import Ontology

FIGURES = {("a", "closing"): 6, ("a", "opening"): 2, ("b", "closing"): -3}
ONTOLOGY = Ontology.load()
DERIVED = DerivedMetrics.load(ONTOLOGY)


def figure(metric: str, moment: Moment) -> Decimal:
    if (metric, moment) not in FIGURES:
        raise MissingOperand(metric, moment, is_absent=metric == "none")
    return Decimal(FIGURES[metric, moment])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b", 3),
        ("a - opening(a)", 4),
        ("a / average(a)", "1.5"),
        ("abs(b) * 2", 6),
        ("-b", 3),
        ("a + optional(none)", 6),
        ("(a - b) / (opening(a) + 1)", 3),
    ],
)
def test_a_formula_is_calculated_with_decimals(text: str, value: str) -> None:
    assert Formula(text).value(figure) == Decimal(value)


@pytest.mark.parametrize(
    "text", ["a ** 2", "open('x')", "a.b", "a if b else a", "[a]", "'a'", "a, b", "average(a, b)", "lambda: a"]
)
def test_a_formula_with_anything_but_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="may have metrics"):
        Formula(text)


def test_a_line_that_was_not_read_is_not_taken_for_zero() -> None:
    with pytest.raises(MissingOperand):
        Formula("a + optional(unread)").value(figure)


def test_brackets_stay_where_an_optional_line_is_absent() -> None:
    def name(metric: str, moment: Moment) -> str:
        return "" if metric == "none" else f"{moment} {metric}" if moment == "opening" else metric

    assert Formula("(a - b - optional(none)) / a").written(name) == "(a - b) / a"
    assert Formula("a / average(b + a)").written(name) == "a / ((opening b + opening a + b + a) / 2)"
    assert Formula("a - (b - a)").written(name) == "a - (b - a)"


def test_every_entry_of_the_file_uses_known_metrics_and_has_its_own_names() -> None:
    names = [name for metric in DERIVED.metrics for name in metric.question_names]
    assert len(names) == len(set(names))
    assert len({metric.id for metric in DERIVED.metrics}) == len(DERIVED.metrics)
    assert len(DERIVED.metrics) > 40


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("what was the current ratio", "current_ratio"),
        ("net debt to ebitda", "net_debt_to_ebitda"),  # and neither net debt nor EBITDA
        ("ebitda margin", "ebitda_margin"),
        ("days sales outstanding at year-end", "receivable_days"),
        ("dso", "receivable_days"),
        ("the debt-to-equity ratio", "debt_to_equity"),
        ("current ratio and quick ratio", None),  # two at once
        ("revenue", None),
        ("fcfs", "free_cash_flow"),
        ("erosion", None),  # "roe" within a word
    ],
)
def test_a_derived_metric_is_known_by_its_names(text: str, metric: str | None) -> None:
    found = DERIVED.named_in(text)
    assert (found and found[0].id) == metric


@pytest.mark.parametrize(
    ("unit", "value", "shown"),
    [
        ("percent", "12.34", "12.3%"),
        ("percent", "0.2948", "0.29%"),
        ("times", "0.656", "0.66x"),
        ("times", "16.72", "16.7x"),
        ("days", "41.25", "41.2 days"),
        ("amount", "-1204000", "-1,204,000 USD"),
    ],
)
def test_a_value_is_rounded_as_people_write_it(unit: str, value: str, shown: str) -> None:
    metric = DerivedMetric.model_validate({"id": "m", "title": "M", "unit": unit, "formulas": ["a"]})
    assert metric.shown(Decimal(value), "USD") == shown


REVENUE = ONTOLOGY["total_revenue"]


@pytest.mark.parametrize(
    ("change", "is_negative", "unit", "formula"),
    [
        ({}, False, "amount", "total_revenue - opening(total_revenue)"),
        (
            {"is_share": True},
            False,
            "percent",
            "(total_revenue - opening(total_revenue)) / opening(abs(total_revenue))",
        ),
        (
            {"is_share": True, "is_loss": True},
            True,
            "percent",
            "(abs(total_revenue) - opening(abs(total_revenue))) / opening(abs(total_revenue))",
        ),
        (
            {"is_share": True, "is_loss": True},  # "net loss" in the question, but there was a profit
            False,
            "percent",
            "(total_revenue - opening(total_revenue)) / opening(abs(total_revenue))",
        ),
    ],
)
def test_a_change_is_a_formula_over_two_periods(
    change: dict[str, bool], is_negative: bool, unit: str, formula: str
) -> None:
    made = change_of(REVENUE, Change.model_validate({"what": "revenue", **change}), is_negative=is_negative)
    assert (made.unit, made.formulas) == (unit, (formula,))


@pytest.mark.parametrize(
    ("text", "topic", "metric", "value", "holds"),
    [
        ("Is its liquidity healthy?", "healthy_liquidity", "current_ratio", "2.0", True),
        ("Is its liquidity healthy?", "healthy_liquidity", "current_ratio", "1.2", False),
        ("Is the current ratio above 3?", "", "current_ratio", "2.0", False),
        ("Was the net margin below 5%?", "", "net_margin", "4.2", True),
        ("Would the cash see it through another two years?", "cash_lasts", "cash_runway", "1.1", False),
        ("Reicht das Geld noch 18 Monate?", "cash_lasts", "cash_runway", "1.6", True),
        ("Reicht das Geld noch 18 Monate?", "cash_lasts", "cash_runway", "1.4", False),
        ("Is it a capital-intensive business?", "capital_intensive", "capex_to_revenue", "14", True),
        ("Does it put more than 20% of sales into plant?", "capital_intensive", "capex_to_revenue", "14", False),
        ("Has the gross margin improved?", "", "trend_of_gross_margin", "1.5", True),
        ("Did the gross margin fall?", "", "trend_of_gross_margin", "1.5", False),
        ("Did days sales outstanding get worse? Are they worse?", "", "trend_of_receivable_days", "3", True),
    ],
)
def test_a_judgement_rests_on_a_metric_and_a_threshold(
    text: str, topic: str, metric: str, value: str, holds: bool
) -> None:
    found = DERIVED.judgement_in(text, topic)
    assert found is not None
    judgement, judged = found
    assert judged.id == metric
    assert judgement.holds(Decimal(value)) is holds
    assert judgement.rule(judged)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Did it buy back shares?", "buyback"),
        ("What was the current ratio?", "current_ratio"),
        ("Did it make a profit of more than $5 million?", "made_a_profit"),  # an amount is no rule of thumb
        ("Is its debt more than 40% of its equity?", "high_leverage"),  # which is judged by a multiple
    ],
)
def test_what_is_no_judgement_or_names_another_threshold_is_not_judged(text: str, topic: str) -> None:
    assert DERIVED.judgement_in(text, topic) is None


def test_the_opposite_of_a_judgement_is_a_yes_where_it_does_not_hold() -> None:
    found = DERIVED.judgement_in("Is it short of cash?", "healthy_liquidity", is_opposite=True)
    assert found is not None
    judgement, metric = found
    assert (judgement.holds(Decimal("1.2")), judgement.holds(Decimal("2"))) == (True, False)
    assert judgement.rule(metric).startswith("less than 1.50x (rule of thumb: ")


def test_every_judgement_of_the_file_has_a_threshold_and_a_source() -> None:
    for judgement in DERIVED.judgements:
        assert judgement.source
        assert judgement.at_least is not None or judgement.at_most is not None

"""Figures that are calculated from printed rows of which the fact table knows nothing."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest

from query_engines.extraction.calculated_rows import with_calculated_rows
from query_engines.question.parsed import FactMatch, Intent, bundle_of
from query_engines.question.parser import read_text
from storage.records.facts import Fact, Period
from storage.records.pages import Block
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.printed_tables import COSTS, REPORT, page_of, table_of, years


@pytest.mark.parametrize(
    ("text", "value", "decision"),
    [
        ("Hops and malt as a percentage of total operating costs", "52.1739", None),
        ("What share of total operating costs were delivery vans", "26.087", None),
        ("By how much did delivery vans exceed bank charges", "25000", None),
        ("What is the difference between bank charges and delivery vans", "25000", None),
        ("bottles and delivery vans combined", "50000", None),
        ("What is the sum of hops and malt and delivery vans", "90000", None),
        ("Were delivery vans over a quarter of total operating costs", "26.087", True),
        ("Were delivery vans less than 20% of total operating costs", "26.087", False),
        ("Did bank charges exceed bottles", "25", False),
        ("Hops and malt less bottles - what is left?", "40000", None),
        ("How much of total operating costs went into delivery vans, in %", "26.087", None),
        ("Delivery vans made up what percentage of total operating costs", "26.087", None),
        ("Delivery costs as a share of total operating costs, percent", "6.087", None),
        ("Were bank charges over half of delivery vans, including those on lease", "16.6667", False),
    ],
)
def test_two_rows_that_a_question_names_are_calculated_with(text: str, value: str, decision: bool | None) -> None:
    facts = _related_in(text)
    assert facts.derivation is not None
    assert facts.derivation.value == Decimal(value)
    assert [operand.fact.page_number for operand in facts.derivation.operands] == [1, 1]
    assert (facts.judgement.holds(Decimal(value)) if facts.judgement else None) is decision


@pytest.mark.parametrize(
    ("text", "points", "decision"),
    [
        ("Did delivery vans grow faster than hops and malt", "180", True),
        ("Did hops and malt grow at a higher pace than delivery vans", "-180", False),
        ("Did bottles rise more slowly than bank charges", "-20", True),
        ("Did delivery grow faster than paper bags", None, None),
    ],
)
def test_which_of_two_rows_grew_faster_is_calculated_from_four_figures(
    text: str, points: str | None, *, decision: bool | None
) -> None:
    facts = _related_in(text)

    assert (facts.derivation.value if facts.derivation else None) == (Decimal(points) if points else None)
    assert facts.derivation is None or len(facts.derivation.operands) == 4
    assert (facts.judgement.holds(Decimal(points)) if facts.judgement and points else None) is decision


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Foreign bank charges as a percentage of total operating costs", 2022),
        ("bottles and labels combined", 2022),
        ("By how much did delivery vans exceed bank charges", 2015),
        ("By how much did bank charges exceed delivery vans", 2022),  # they do not
        ("Were bank charges over half of current operating costs", 2022),
        ("Excluding hops, do delivery vans cover bank charges", 2022),
        ("Setting bottles aside, were delivery vans more than bank charges", 2022),
        ("Bank charges including bottles as a percentage of total operating costs", 2022),
        ("Bottles, including bank charges, as a percentage of total operating costs", 2022),
        ("Leaving bottles aside, were delivery vans more than bank charges", 2022),
    ],
)
def test_a_phrase_that_is_no_row_s_name_leaves_it_open(text: str, year: int) -> None:
    assert _related_in(text, year=year).derivation is None


@pytest.mark.parametrize(
    ("side", "value"),
    [
        ({}, Decimal(50)),
        ({"page_number": 9}, None),  # a page that was not given cannot be cited
        ({"currency": None}, None),
        ({"period": Period(end=dt.date(2022, 12, 31))}, None),
    ],
)
def test_a_figure_that_no_given_row_names_is_that_of_the_metric(
    side: dict[str, object], value: Decimal | None
) -> None:
    period = Period(end=dt.date(2022, 12, 31), months=12)
    fact = Fact.model_validate(
        {
            "metric": "total_revenue",
            "value": Decimal(60_000),
            "printed": "60",
            "currency": REPORT.currency,
            "period": period,
            "statement": "income",
            "report_sha1": REPORT.sha1,
            "page_number": 1,
        }
        | side
    )
    derivation = _related_in("Delivery vans as a percentage of turnover", named=fact).derivation
    assert (derivation.value if derivation else None) == value


def test_a_name_of_two_different_rows_leaves_it_open() -> None:
    other = table_of("Costs of the pubs", (("Bank charges", "9", "8"),), years())
    assert _related_in("delivery vans and bank charges combined", other).derivation is None


def _related_in(text: str, *further: Block, year: int = 2022, named: Fact | None = None) -> FactMatch:
    parsed = replace(read_text(Question(text=text)), intent=Intent(text=text), company=Company(name="Acme"))
    known = {"turnover": (named,)} if named else {}
    return with_calculated_rows(
        bundle_of(parsed, FactMatch(year=year, named=known)), REPORT, [page_of(1, COSTS, *further)]
    ).facts

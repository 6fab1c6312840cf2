"""Figures that a question asks to be calculated from rows that it names."""

from dataclasses import replace
from decimal import Decimal

import pytest

from query_engines.extraction.calculated_rows import with_calculated_rows
from query_engines.question.parsed import FactMatch, Intent, QuestionBundle, bundle_of
from query_engines.question.parser import read_text
from storage.lexicon.periods import periods_in
from storage.records.pages import Block
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.printed_tables import COSTS, REPORT, page_of, table_of, years


def calculated(text: str, *further: Block, year: int | None = 2022) -> QuestionBundle:
    intent, periods = Intent(text=text), periods_in(text)
    parsed = replace(read_text(Question(text=text)), intent=intent, company=Company(name="Acme"), periods=periods)
    return with_calculated_rows(bundle_of(parsed, FactMatch(year=year)), REPORT, [page_of(1, COSTS, *further)])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Hops and malt as a percentage of total operating costs?", "52.1739"),
        (
            "At Acme, how big a part of total operating costs went into delivery vans in 2022, in per cent?",
            "26.087",
        ),
        ("Of Acme's total operating costs, what share was hops and malt?", "52.1739"),
        ("By how much did delivery vans exceed bank charges in 2022?", "25000"),
        ("What is the difference between delivery vans and bank charges?", "25000"),
        ("Bottles and delivery vans combined, 2022?", "50000"),
        ("What do bottles, delivery vans and bank charges add up to?", "55000"),
        ("How many times bank charges were delivery vans in 2022?", "6"),
        ("How much did they pay for delivery vans for every dollar of hops and malt?", "0.5"),
        ("Delivery vans were how many times the 2021 level at the end of 2022?", "3"),
        (
            "We look at the fleet. By how many percentage points did delivery vans as a share of total operating costs"
            " go up between 2021 and 2022?",
            "14.9758",
        ),
        ("Average yearly bill for delivery vans over 2021 and 2022?", "20000"),
        ("Bottles plus delivery vans: by what percentage did they rise from 2021 to 2022?", "42.8571"),
    ],
)
def test_rows_that_a_question_names_are_calculated_with(text: str, value: str) -> None:
    found = calculated(text)
    assert found.parsed.kind == "number"
    assert found.facts.derivation is not None
    assert found.facts.derivation.value == Decimal(value)
    assert all(
        operand.fact.page_number == 1 and operand.fact.printed for operand in found.facts.derivation.operands
    )


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("Did delivery vans make up more than a quarter of total operating costs?", True),
        ("Were bank charges less than 4% of total operating costs?", False),
        ("Did bank charges exceed bottles?", False),
        ("Did delivery vans outpace hops and malt in 2022?", True),
        ("Does bank charges cover bottles?", False),
    ],
)
def test_yes_or_no_is_decided_by_the_rows(text: str, *, decision: bool) -> None:
    facts = calculated(text).facts
    assert facts.derivation is not None
    assert facts.judgement is not None
    assert facts.derivation.value is not None
    assert facts.judgement.holds(facts.derivation.value) is decision


@pytest.mark.parametrize(
    "text",
    [
        "Paper bags as a percentage of total operating costs?",
        "Delivery vans in Japan as a percentage of total operating costs?",
        "Leased delivery vans as a percentage of total operating costs?",
        "Delivery vans as a percentage of total operating costs in 2019?",
        "Total operating costs as a percentage of delivery vans?",  # the question takes another for the larger one
        "Why did delivery vans rise as a share of total operating costs?",
        "Delivery vans as a percentage of total operating costs in the fourth quarter of 2022?",
        "What percentage of total operating costs will delivery vans be next year?",
        "Were delivery vans no more than half of total operating costs?",
        "By what percentage did delivery vans and bottles together rise as a share of total operating costs?",
        "Delivery vans without bank charges as a share of total operating costs?",
    ],
)
def test_what_the_rows_do_not_say_is_not_calculated(text: str) -> None:
    year = 2019 if "2019" in text else 2022
    leased = table_of("Fleet", (("Leased delivery vans of others", "7", "7"),), years())
    assert calculated(text, leased, year=year).facts.derivation is None


def test_a_name_of_two_different_rows_leaves_it_open() -> None:
    other = table_of("Costs of the pubs", (("Bank charges", "9", "8"),), years())
    assert calculated("What do delivery vans and bank charges add up to?", other).facts.derivation is None

"""Income tax has one sign, whichever the report prints."""

from decimal import Decimal

import pytest

from indexes.facts.consistency import with_tax_as_expense
from indexes.facts.extract import extract_facts
from query_engines.verification.printed_figures import values_meant
from storage.records.facts import Fact
from storage.records.metrics import Ontology
from tests.support.printed_tables import REPORT, page_of, table_of, years


def fact(metric: str, value: int, label: str = "") -> Fact:
    return Fact(
        metric=metric,
        value=Decimal(value),
        printed=f"{value}",
        statement="income",
        report_sha1="a" * 40,
        page_number=8,
        row_label=label,
    )


@pytest.mark.parametrize(
    ("before", "printed", "label", "after", "expense"),
    [
        (2086, -523, "Income tax expense", 1563, 523),
        (2086, 523, "Income tax expense", 1563, 523),
        (-228, 33, "Income tax benefit (expense)", -195, -33),
        (-228, -33, "Provision for (benefit from) income taxes", -195, -33),
        (None, 33, "Income tax benefit (expense)", None, -33),
        (None, 33, "Income tax (expense) benefit", None, -33),
        (None, 33, "Income tax expense (benefit)", None, 33),
        (None, -33, "Income tax expense", -195, -33),
        (100, 40, "Taxes", 90, 40),  # neither way: another line stands between them
        (0, 0, "Income tax expense", 0, 0),
    ],
)
def test_tax_is_positive_where_it_lessens_the_result(
    before: int | None, printed: int, label: str, after: int | None, expense: int
) -> None:
    around = {"pretax_income": before, "net_income": after}
    facts = [fact(metric, value) for metric, value in around.items() if value is not None]

    found = with_tax_as_expense([*facts, fact("income_tax", printed, label)], {})

    assert {f.metric: f.value for f in found} == {
        **{metric: value for metric, value in around.items() if value is not None},
        "income_tax": expense,
    }


@pytest.mark.parametrize(("tax", "result", "expense"), [("-20", "60", 20), ("20", "60", 20), ("8", "88", -8)])
def test_rows_without_a_pretax_result_say_whether_tax_was_taken_away(tax: str, result: str, expense: int) -> None:
    rows = [
        ("Sales revenues", "500", "480"),
        ("Cost of sales", "-413", "-400"),
        ("Operating result", "87", "80"),
        ("Financial result", "-7", "-6"),
        ("Income taxes", tax, "-18"),
        ("Result for the year", result, "56"),
    ]
    statement = page_of(4, table_of("Income statement", rows, years(1)))
    found = extract_facts([statement], REPORT, Ontology.load())
    assert next(f.value for f in found.facts if f.metric == "income_tax") == expense


def test_a_benefit_printed_without_brackets_may_be_a_negative_expense() -> None:
    question = "What was the income tax expense?"

    assert Decimal(-33) in values_meant(Decimal(33), question, "Income tax benefit (expense)", None)
    assert Decimal(-33) not in values_meant(Decimal(33), question, "Income tax expense", None)

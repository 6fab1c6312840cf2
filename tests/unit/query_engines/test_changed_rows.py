"""Figures that are calculated from printed rows of which the fact table knows nothing."""

from dataclasses import replace
from decimal import Decimal

import pytest

from query_engines.extraction.changed_rows import with_changed_row
from query_engines.question.parsed import FactMatch, Intent
from query_engines.question.parser import read_text
from storage.records.derived_metrics import Change
from storage.records.questions import Question
from tests.support.printed_tables import REPORT, page_of, table_of, years

RESULTS = table_of(
    "Statement of comprehensive income",
    (
        ("Fee and commission expense", "(11,391)", "(16,762)"),
        ("Loss of the brewing division", "(80)", "(100)"),
        ("Net interest income", "(30)", "(20)"),
        ("Rental revenue", "120", "100"),
    ),
    years(),
)


@pytest.mark.parametrize(
    ("what", "is_share", "is_loss", "value"),
    [
        ("fee and commission expense", True, False, "-32.0427"),
        ("fee and commission expense", False, False, "-5371000"),
        ("loss of the brewing division", True, True, "-20"),
        ("net interest income", True, False, "-50"),
        ("rental revenue", True, False, "20"),
    ],
)
def test_a_cost_in_brackets_changes_by_its_size_and_a_result_with_its_sign(
    what: str, is_share: bool, is_loss: bool, value: str
) -> None:
    question = f"By how much did the {what} change in 2022?"
    change = Change(what=what, is_share=is_share, is_loss=is_loss)
    parsed = replace(read_text(Question(text=question, kind="number")), intent=Intent(text=what, change=change))
    derivation = with_changed_row(FactMatch(year=2022), parsed, REPORT, [page_of(1, RESULTS)]).derivation
    assert derivation is not None
    assert derivation.value == Decimal(value)

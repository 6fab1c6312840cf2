"""What the auditor charges: which rows of which tables say it, and in which unit."""

import datetime as dt
from decimal import Decimal

import pytest

from indexes.facts.columns import ValueColumn
from indexes.facts.printed_rows import Figure, PrintedRow
from indexes.facts.prose import said_facts
from indexes.facts.rows import Match
from indexes.facts.scales import fee_facts
from indexes.facts.sentences import Sentence
from indexes.facts.statements import Part
from storage.records.facts import Period
from storage.records.metrics import Ontology
from storage.records.record import Box
from tests.support.example_pages import report

ONTOLOGY = Ontology.load()
NOW = ValueColumn(1, "2022", Period(end=dt.date(2022, 12, 31), printed="2022"))
Rows = list[tuple[str, str]]
FEES: Rows = [
    ("Audit Fees (1)", "819,000"),
    ("Audit-Related Fees", "58,000"),
    ("Tax Fees", "1,000"),
    ("Total Fees", "878,000"),
]


def part(rows: Rows, title: str = "", heading: str = "", scale: int | None = 1) -> Part:
    printed = tuple(
        PrintedRow(9, place, label, heading, (Figure(1, Decimal(figure.replace(",", "")), figure),))
        for place, (label, figure) in enumerate(rows)
    )
    return Part(9, title, printed, (NOW,), NOW, scale=scale)


def assets(value: int, scale: int) -> dict[str, Match]:
    balance = part([("Total assets", str(value))], scale=scale)
    row = balance.rows[0]
    return {"total_assets": Match(ONTOLOGY["total_assets"], balance, row, NOW, row.figures[0], 0, 1)}


def read(*parts: Part, known: dict[str, Match] | None = None) -> dict[str, int]:
    found = fee_facts(parts, report("ab"), ONTOLOGY, known or assets(9_000_000, 1))
    return {fact.metric: int(fact.value) for fact in found}


def test_a_table_of_the_accountants_fees_gives_each_and_the_total() -> None:
    assert read(part(FEES, "Item 14. Principal Accountant Fees and Services")) == {
        "audit_fees": 819_000,
        "audit_related_fees": 58_000,
        "auditor_tax_fees": 1_000,
        "auditor_fees_total": 878_000,
    }


def test_a_total_without_a_label_counts_where_it_is_the_sum() -> None:
    rows = [("Auditing or reviewing the accounts", "35,750"), ("Tax services", "7,700"), ("", "43,450")]
    heading = "Remuneration of the auditors, for:"
    assert read(part(rows, heading=heading))["auditor_fees_total"] == 43_450
    assert "auditor_fees_total" not in read(part([*rows[:2], ("", "359,000")], heading=heading))


def test_the_legal_words_for_the_audit_are_audit_fees_and_those_of_other_audits_are_not() -> None:
    fee = "Fees payable to the Company's auditor for the audit of "
    rows = [
        (f"{fee}the Company and consolidated accounts", "115,000"),
        (f"{fee}the accounts of subsidiaries", "46,000"),
        (f"{fee}the Company's pension scheme", "9,000"),
    ]
    assert read(part(rows, heading="Auditor's remuneration:")) == {"audit_fees": 115_000}


@pytest.mark.parametrize(
    ("label", "heading"),
    [
        ("Audit committee fees", "Directors' remuneration"),
        ("Audit fees", "Accruals"),
        ("Audit fees as a percentage of all fees", ""),
        ("Audit and review of financial statements", "Auditor remuneration to other accounting firms"),
        ("Audit of the financial report", "Hartwell LLP - Former auditor"),
        ("Internal audit fees", ""),
        ("Accrued audit fees", ""),
        ("Total fees", "Directors"),
        ("Tax fees", ""),
    ],
)
def test_what_looks_like_the_auditors_fees_and_is_not_is_left(label: str, heading: str) -> None:
    assert read(part([(label, "40,000")], heading=heading)) == {}


def test_a_table_with_the_total_comes_before_a_single_row_of_the_expenses() -> None:
    expenses = part([("Audit fees", "878,000")], "Administrative expenses")
    assert read(expenses, part(FEES, "Auditor's fees"))["audit_fees"] == 819_000
    assert read(expenses) == {"audit_fees": 878_000}
    assert read(expenses, part([("Audit fees", "900,000")], "Other expenses")) == {}


@pytest.mark.parametrize(
    ("figure", "assets_printed", "is_read"), [("189,612", 42_000, True), ("819", 42_000, False)]
)
def test_a_fee_without_a_unit_is_in_full_units_only_where_it_cannot_be_in_thousands(
    figure: str, assets_printed: int, is_read: bool
) -> None:
    table = part([("Audit Fees", figure), ("Total Fees", figure)], "Principal Accountant Fees", scale=None)
    assert ("audit_fees" in read(table, known=assets(assets_printed, 1000))) == is_read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Audit fees were $1.2 million in the year.", 1_200_000),
        ("The audit fee for the year was £44,000 (2021: £35,000).", 44_000),
        ("Audit fees for the former auditor were $90,000.", None),
        ("Audit fees and tax fees were $90,000.", None),
        ("The non-audit fees were $90,000.", None),
    ],
)
def test_a_sentence_tells_the_audit_fees(text: str, value: int | None) -> None:
    box = Box(left=0, top=0, right=9, bottom=9)
    found = said_facts([Sentence(text, 3, box)], report("ab"), frozenset())
    assert next((int(fact.value) for fact in found if fact.metric == "audit_fees"), None) == value

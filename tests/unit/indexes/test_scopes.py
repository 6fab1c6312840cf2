"""Figures that differ in scope alone."""

from decimal import Decimal

from indexes.facts.extract import extract_facts
from storage.records.metrics import Ontology
from storage.records.pages import Page
from tests.support.printed_tables import REPORT, page_of, table_of, years

SHARES = "Common stock, $0.01 par value, 90,000,000 shares authorized, 1,204,000 and 1,180,000 shares outstanding"
BALANCE = [
    ("Cash", "20", "10"),
    ("Accounts receivable", "30", "30"),
    ("Total assets", "500", "460"),
    ("Accounts payable", "40", "35"),
    ("Current portion of long-term debt", "12", "11"),
    ("Long-term debt, net of current portion", "180", "170"),
    ("Total liabilities", "300", "280"),
    (SHARES, "1", "1"),
    ("Retained earnings", "195", "176"),
]
INCOME = [
    ("Revenue", "400", "380"),
    ("Cost of revenue", "300", "290"),
    ("Income before income taxes", "60", "50"),
    ("Income taxes", "15", "12"),
    ("Net income", "45", "38"),
]


def found(equity: list[tuple[str, str, str]], debt: list[tuple[str, str, str]]) -> dict[str, list[Decimal]]:
    rows = [*BALANCE, *equity, ("Total liabilities and equity", "500", "460")]
    pages: list[Page] = [
        page_of(3, table_of("Income statement", INCOME, years())),
        page_of(4, table_of("Balance sheet", rows, years())),
        page_of(7, table_of("Long-term debt", debt, years())),
    ]
    facts = extract_facts(pages, REPORT, Ontology.load()).facts
    return {m: [f.value for f in facts if f.metric == m] for m in {f.metric for f in facts}}


def test_without_minorities_the_shareholders_have_all() -> None:
    facts = found(
        [("Total stockholders' equity", "200", "180")], [("Term loan", "192", "181"), ("", "192", "181")]
    )
    assert facts["total_equity"] == facts["shareholders_equity"] == [200_000, 180_000]
    assert facts["net_income_attributable"] == facts["net_income"]


def test_with_minorities_total_equity_is_the_row_that_is_the_sum() -> None:
    equity = [
        ("Total stockholders' equity", "193", "174"),
        ("Non-controlling interests", "7", "6"),
        ("Total equity", "200", "180"),
    ]
    facts = found(equity, [("Term loan", "192", "181"), ("Bonds", "9", "9")])
    assert facts["shareholders_equity"] == [193_000, 174_000]
    assert facts["total_equity"] == [200_000, 180_000]
    assert "net_income_attributable" not in facts


def test_debt_in_total_is_a_row_that_is_its_two_parts_whatever_it_is_called() -> None:
    facts = found([], [("Term loan", "150", "140"), ("Revolver", "42", "41"), ("", "192", "181")])
    assert facts["long_term_debt"] == [180_000, 170_000]
    assert facts["long_term_debt_current"] == [12_000, 11_000]
    assert facts["long_term_debt_in_total"] == [192_000, 181_000]
    assert "short_term_debt" not in facts


def test_shares_outstanding_stand_in_the_label_of_the_share_capital() -> None:
    facts = found([], [("Term loan", "150", "140"), ("Revolver", "42", "41")])
    assert facts["shares_outstanding"] == [1_204_000, 1_180_000]

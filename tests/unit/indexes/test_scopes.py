"""Figures that differ in scope alone."""

import datetime as dt
from decimal import Decimal

import pytest

from indexes.facts.extract import extract_facts
from indexes.facts.fact_table import neighbours_of
from storage.records.facts import Fact, Period, ReportFacts
from storage.records.metrics import Ontology
from storage.records.pages import Column, Page
from tests.support.printed_tables import REPORT, page_of, paragraph, table_of, years

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


def facts_of(*pages: Page) -> dict[str, list[Decimal]]:
    found = extract_facts(list(pages), REPORT, Ontology.load()).facts
    return {m: [f.value for f in found if f.metric == m] for m in {f.metric for f in found}}


def balance(*rows: tuple[str, str, str], instead: tuple[str, str, str] | None = None) -> Page:
    kept = [instead if instead and row[0].startswith("Current") else row for row in BALANCE if row[0] != SHARES]
    rows = (*kept, *rows, ("Total stockholders' equity", "200", "180"))
    return page_of(4, table_of("Balance sheet", [*rows, ("Total liabilities and equity", "500", "460")], years()))


PER_SHARE = [*INCOME, ("Basic earnings per share", "0.045", "0.038")]  # of a million shares
RESULT = page_of(3, table_of("Income statement", PER_SHARE, years()))


def test_shares_may_stand_behind_the_words_that_call_them_outstanding() -> None:
    label = "Common stock; issued and outstanding shares: 1,010,000 (December 31, 2021: 1,020,000)"
    assert facts_of(RESULT, balance((label, "1", "1")))["shares_outstanding"] == [1_010_000, 1_020_000]


@pytest.mark.parametrize(
    ("label", "both"),
    [
        ("1,010,000 shares issued and outstanding at December 31, 2022 and 2021", [1_010_000, 1_010_000]),
        (
            "Issued and outstanding 1,010,000 at December 31, 2022 and 1,020,000 at December 31, 2021",
            [1_010_000, 1_020_000],
        ),
        (
            "1,010,000 shares outstanding as of December 31, 2022 and 1,020,000 shares as of December 31, 2021",
            [1_010_000, 1_020_000],
        ),
        (
            "Issued shares - 1,100,000 and 1,090,000 at December 31, 2022 and 2021, respectively; Outstanding shares"
            " - 1,010,000 and 1,020,000 at December 31, 2022 and 2021, respectively",
            [1_010_000, 1_020_000],
        ),
        (
            "1,010,000 shares outstanding at December 31, 2022; 1,020,000 shares outstanding at December 31, 2021",
            [1_010_000, 1_020_000],
        ),
    ],
)
def test_a_label_gives_the_shares_of_both_years(label: str, both: list[int]) -> None:
    assert facts_of(RESULT, balance((label, "1", "1")))["shares_outstanding"] == both


def test_shares_are_the_balances_of_a_table_that_leads_from_one_to_the_next() -> None:
    rows = [
        ("Balance, December 31, 2020", "1,030,000", "7"),
        ("Shares repurchased", "(10,000)", "(1)"),
        ("Balance, December 31, 2021", "1,020,000", "6"),
        ("Shares repurchased", "(10,000)", "(1)"),
        ("Balance, December 31, 2022", "1,010,000", "5"),
    ]
    columns = [Column(header="Number of shares"), Column(header="Amount")]
    note = page_of(8, table_of("Share capital", rows, columns))
    assert facts_of(RESULT, balance(), note)["shares_outstanding"] == [1_010_000, 1_020_000]


def test_shares_of_the_cover_count_where_nothing_else_says_them() -> None:
    cover = page_of(1, paragraph("As of March 1, 2023, 1,005,000 shares of common stock were outstanding."))
    facts = extract_facts([cover, RESULT, balance()], REPORT, Ontology.load()).facts
    found = [(f.value, f.period and f.period.end) for f in facts if f.metric == "shares_outstanding"]
    assert found == [(1_005_000, dt.date(2023, 3, 1))]


def test_a_number_far_from_the_shares_of_the_earnings_is_not_theirs() -> None:
    cover = page_of(1, paragraph("As of March 1, 2023, 9,005,000 shares of common stock were outstanding."))
    assert "shares_outstanding" not in facts_of(cover, RESULT, balance())


def test_all_debt_is_long_term_where_the_current_liabilities_have_none() -> None:
    facts = facts_of(RESULT, balance(instead=("Total current liabilities", "90", "80")))
    assert facts["long_term_debt_in_total"] == facts["long_term_debt"] == [180_000, 170_000]


FLOWS = [
    ("Net cash provided by operating activities", "50", "40"),
    ("Net cash used in investing activities", "(30)", "(20)"),
    ("Net cash used in financing activities", "(10)", "(15)"),
]


def test_the_change_in_cash_is_what_the_flows_add_up_to_and_cash_ends_with_it() -> None:
    rows = [
        ("Net income", "45", "38"),
        ("Decrease in cash held for clients", "(7)", "(8)"),
        *FLOWS,
        ("Net increase in cash of its own", "10", "5"),
        ("Beginning of period", "10", "5"),
        ("End of period", "20", "10"),
    ]
    facts = facts_of(RESULT, balance(), page_of(5, table_of("Statement of cash flows", rows, years())))
    assert facts["net_change_in_cash"] == [10_000, 5_000]
    assert facts["cash_at_end"] == [20_000, 10_000]


def test_a_dash_says_that_no_dividend_was_paid() -> None:
    rows = [
        ("Net income", "45", "38"),
        ("Dividends paid", "-", "(5)"),
        *FLOWS,
        ("Net increase in cash", "10", "5"),
    ]
    facts = facts_of(RESULT, balance(), page_of(5, table_of("Statement of cash flows", rows, years())))
    assert facts["dividends_paid"] == [0, 5_000]


def test_a_part_of_the_costs_is_not_the_whole() -> None:
    rows = [
        ("Revenue", "400", "380"),
        ("Cost of services", "100", "90"),
        ("Cost of inventory sold", "200", "200"),
        ("Sales and marketing expense", "20", "20"),
        ("General and administrative expense", "20", "20"),
        *INCOME[2:],
    ]
    facts = facts_of(page_of(3, table_of("Income statement", rows, years())), balance())
    assert "cost_of_revenue" not in facts
    assert "selling_general_administrative" not in facts


def test_a_dash_in_the_balance_sheet_is_nothing_then() -> None:
    facts = facts_of(RESULT, balance(("Goodwill", "17", "-"), ("Inventories", "-", "-")))
    assert facts["goodwill"] == [17_000, 0]
    assert facts["inventories"] == [0, 0]


NOTE = page_of(
    8,
    table_of(
        "Financial result",
        [
            ("Interest on bonds and loans", "(8)", "(7)"),
            ("Interest on leases", "(2)", "(2)"),
            ("Exchange losses", "(7)", "(4)"),
            ("Total", "(17)", "(13)"),
        ],
        years(),
    ),
)


def test_interest_is_taken_out_of_financial_expense_where_a_note_takes_it_apart() -> None:
    result = page_of(
        3, table_of("Income statement", [*INCOME[:2], ("Financial expense", "(17)", "(13)"), *INCOME[2:]], years())
    )
    facts = extract_facts([result, balance(), NOTE], REPORT, Ontology.load()).facts
    assert [(f.value, f.page_number) for f in facts if f.metric == "interest_expense"] == [(8_000, 8), (7_000, 8)]
    alone = extract_facts([result, balance()], REPORT, Ontology.load()).facts
    assert {(f.value, f.confidence) for f in alone if f.metric == "interest_expense"} == {
        (17_000, "medium"),
        (13_000, "medium"),
    }


def test_interest_under_expenses_is_an_expense() -> None:
    rows = [
        ("Revenue", "400", "380"),
        ("EXPENSES:", "", ""),
        ("Salaries", "200", "190"),
        ("Interest", "9", "8"),
        *INCOME[2:],
    ]
    facts = facts_of(page_of(3, table_of("Income statement", rows, years())), balance())
    assert facts["interest_expense"] == [9_000, 8_000]


def test_total_equity_may_stand_in_the_statement_of_equity_alone() -> None:
    rows = [("Balance, December 31, 2021", "180", "3", "183"), ("Balance, December 31, 2022", "200", "4", "204")]
    headers = ("Stockholders' equity", "Non-controlling interests", "Total equity")
    statement = table_of("Statement of changes in equity", rows, [Column(header=h, scale=1000) for h in headers])
    sheet = balance(("Non-controlling interests", "4", "3"))
    facts = facts_of(RESULT, sheet, page_of(6, statement))
    assert facts["total_equity"] == [204_000, 183_000]


def test_a_figure_of_two_summaries_is_surer_than_one_of_a_single_one() -> None:
    rows = [("Total revenue", "400", "380"), ("Operating income", "70", "60")]
    first, second = (page_of(n, table_of("Key figures", rows, years())) for n in (2, 7))
    marks = [
        {
            f.confidence
            for f in extract_facts(pages, REPORT, Ontology.load()).facts
            if f.metric == "operating_income"
        }
        for pages in ([first, balance()], [first, second, balance()])
    ]
    assert marks == [{"low"}, {"medium"}]


ONE_LABEL = [
    *(row for row in BALANCE if "debt" not in row[0] and row[0] != SHARES and row[0] != "Total liabilities"),
    ("Financial debts", "30", "42"),
    ("Total current liabilities", "90", "95"),
    ("Financial debts", "180", "170"),
    ("Total non-current liabilities", "210", "185"),
    ("Total liabilities", "300", "280"),
    ("Total stockholders' equity", "200", "180"),
    ("Total liabilities and equity", "500", "460"),
]


def test_debt_of_one_label_is_taken_apart_by_the_note_that_adds_up_to_it() -> None:
    rows = [
        ("Bank overdrafts", "10", "12"),
        ("Bank borrowings", "20", "-"),
        ("Bonds", "-", "30"),
        ("Total", "30", "42"),
        ("Bonds", "180", "170"),
        ("Total", "180", "170"),
    ]
    facts = facts_of(
        RESULT,
        page_of(4, table_of("Balance sheet", ONE_LABEL, years())),
        page_of(9, table_of("Financial debts", rows, years())),
    )
    assert facts["long_term_debt"] == [180_000, 170_000]
    assert facts["short_term_debt"] == [30_000, 12_000]
    assert facts["long_term_debt_current"] == [0, 30_000]
    assert facts["long_term_debt_in_total"] == [180_000, 200_000]


def test_debt_in_total_is_added_up_where_no_row_prints_it() -> None:
    facts = extract_facts([RESULT, balance()], REPORT, Ontology.load()).facts
    total = [f for f in facts if f.metric == "long_term_debt_in_total"]
    assert [(f.value, f.is_sum) for f in total] == [(192_000, True), (181_000, True)]


def test_goodwill_within_a_line_of_the_balance_sheet_stands_in_a_column_of_its_note() -> None:
    rows = [("At 1 January 2022", "9", "12", "21"), ("At 31 December 2022", "10", "15", "25")]
    note = table_of(
        "Intangible assets", rows, [Column(header=h, scale=1000) for h in ("Goodwill", "Software", "Total")]
    )
    sheet = balance(("Intangible assets", "25", "21"))
    assert facts_of(RESULT, sheet, page_of(9, note))["goodwill"] == [10_000]
    assert "goodwill" not in facts_of(RESULT, balance(("Intangible assets", "26", "21")), page_of(9, note))


def test_gross_profit_of_the_discussion_is_sure_where_it_and_the_costs_add_up_to_the_revenue() -> None:
    result = page_of(
        3, table_of("Income statement", [INCOME[0], ("Salaries", "340", "330"), *PER_SHARE[2:]], years())
    )
    rows = [("Revenue", "400", "380"), ("Cost of sales", "300", "290"), ("Gross profit", "100", "90")]
    wrong = [*rows[:2], ("Gross profit", "110", "90")]
    marks = [
        {f.confidence for f in extract_facts(pages, REPORT, Ontology.load()).facts if f.metric == "gross_profit"}
        for pages in (
            [result, balance(), page_of(12, table_of("Key figures", found, years()))] for found in (rows, wrong)
        )
    ]
    assert marks == [{"medium"}, {"low"}]


def test_interest_of_a_row_that_is_either_is_an_expense_below_nothing() -> None:
    rows = [*INCOME[:2], ("Interest income (expense)", "3", "(7)"), *INCOME[2:]]
    facts = facts_of(page_of(3, table_of("Income statement", rows, years())), balance())
    assert (facts["interest_income"], facts["interest_expense"]) == ([3_000], [7_000])


def test_interest_and_other_income_is_more_than_interest() -> None:
    rows = [*INCOME[:2], ("Interest and other income", "3", "7"), *INCOME[2:]]
    assert "interest_income" not in facts_of(page_of(3, table_of("Income statement", rows, years())), balance())


@pytest.mark.parametrize(
    "said",
    [
        "The Company had 1,010,000 Ordinary shares of 10p in issue (2021 - 1,020,000) at the end of the year.",
        "It is based on 1,010,000 (2021 - 1,020,000) Ordinary shares, being the number of Ordinary shares in issue.",
    ],
)
def test_shares_in_issue_are_shares_outstanding(said: str) -> None:
    assert facts_of(RESULT, balance(), page_of(9, paragraph(said)))["shares_outstanding"] == [1_010_000, 1_020_000]


def test_a_weighted_number_of_shares_in_issue_is_not_that_of_the_end() -> None:
    said = (
        "It is based on 1,010,000 shares (2021: 1,020,000), being the weighted average number of shares in issue."
    )
    assert "shares_outstanding" not in facts_of(RESULT, balance(), page_of(9, paragraph(said)))


def test_shares_stand_in_a_column_of_numbers_beside_one_of_money() -> None:
    columns = [
        Column(header=f"{year} {unit}", period=column.period)
        for year, column in zip((2022, 2021), years(), strict=True)
        for unit in ("Number", "£")
    ]
    rows = [("Ordinary shares", "1,010,000", "10", "1,020,000", "10")]
    note = page_of(9, table_of("Share capital", rows, columns))
    assert facts_of(RESULT, balance(), note)["shares_outstanding"] == [1_010_000, 1_020_000]


def neighbours(*beside: tuple[str, int, str]) -> list[str]:
    """The metrics shown beside cash of 22,635 thousand."""
    at = Period(end=dt.date(2022, 12, 31))
    facts = [
        Fact(
            metric=metric,
            value=Decimal(value),
            printed="",
            scale=Decimal(1000),
            period=at,
            statement="balance",
            report_sha1="1",
            page_number=5,
            row_label=label,
        )
        for metric, value, label in (("cash", 22_635_000, "Cash"), *beside)
    ]
    metric = Ontology.load()["cash"].model_copy(update={"beside": tuple(m for m, _, _ in beside)})
    return [
        one.metric for one in neighbours_of(facts[0], metric, ReportFacts(report_sha1="1", facts=tuple(facts)))
    ]


def test_a_neighbour_says_something_else() -> None:
    assert neighbours(("cash_at_end", 22_700_000, "Cash at the end")) == ["cash_at_end"]
    assert neighbours(("cash_at_end", 22_636_000, "Cash at the end")) == []  # rounded
    assert neighbours(("noncontrolling_interests", 0, "Minorities")) == []
    assert neighbours(("interest_income", -22_635_000, "Cash")) == []  # the row itself, turned


def test_a_loan_of_one_name_in_both_halves_of_the_liabilities_has_a_current_part() -> None:
    balance = [
        ("Cash", "20", "10"),
        ("Total assets", "500", "460"),
        ("Current liabilities", "", ""),
        ("Borrowings", "12", "11"),
        ("Accounts payable", "40", "35"),
        ("Total current liabilities", "52", "46"),
        ("Non-current liabilities", "", ""),
        ("Borrowings", "180", "170"),
        ("Total liabilities", "300", "280"),
        ("Total equity", "200", "180"),
        ("Total liabilities and equity", "500", "460"),
    ]
    pages: list[Page] = [
        page_of(3, table_of("Income statement", INCOME, years())),
        page_of(4, table_of("Balance sheet", balance, years())),
    ]
    facts = extract_facts(pages, REPORT, Ontology.load()).facts
    known = {f.metric: f.value for f in facts if f.period and f.period.year == facts[0].period.year}
    assert known["long_term_debt"] == 180_000
    assert known["long_term_debt_current"] == 12_000
    assert "short_term_debt" not in known

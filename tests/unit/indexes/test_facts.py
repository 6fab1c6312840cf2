import datetime as dt
import json
import random
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from app.assembly.client import Pageproof
from app.evaluation.fact_scores import _short_name
from indexes.facts.columns import current_column, value_columns
from indexes.facts.consistency import checks_of, held_against
from indexes.facts.events import events_of
from indexes.facts.extract import extract_facts
from indexes.facts.printed_rows import figure_of, table_rows
from indexes.facts.sentences import Sentence, headcounts, sentences_of
from indexes.roles.officers import officers_of
from storage.errors import MissingIndex
from storage.records.facts import Fact, Period, ReportFacts
from storage.records.metrics import Ontology
from storage.records.pages import Block, Cell, CellRole, Column, Page, Table
from storage.records.record import Box
from storage.records.reports import Report
from storage.stores.pages import FactStore
from tests.support.known_facts import METRICS
from tests.support.samples import SAMPLES

ONTOLOGY = Ontology.load()

BOX = Box(left=1, top=2, right=3, bottom=4)
END = dt.date(2022, 12, 31)
REPORT = Report(
    sha1="ab", file="ab.pdf", company="Acme Inc.", page_count=9, currency="USD", period_end=dt.date(2022, 12, 31)
)
NOW, BEFORE = Period(end=END, months=12), Period(end=dt.date(2021, 12, 31), months=12)
INCOME = [
    ("Revenue", "Note 3", "1,200", "1,100"),
    ("Cost of sales", "", "(700)", "(650)"),
    ("Operating profit", "", "150", "140"),
    ("Profit before tax", "", "130", "120"),
    ("Income tax", "7", "(30)", "(20)"),
    ("Profit for the year", "", "100", "100"),
    ("Earnings per share (pence)", "", "", ""),
    ("Basic", "", "5.0", "5.1"),
]
BALANCE = [
    ("Current assets", "", "", ""),
    ("Cash and cash equivalents", "", "300", "200"),
    ("Total assets", "", "2,000", "1,900"),
    ("Current liabilities", "", "", ""),
    ("Borrowings", "", "50", "50"),
    ("Total current liabilities", "", "400", "400"),
    ("Non-current liabilities", "", "", ""),
    ("Borrowings", "12", "600", "650"),
    ("Total liabilities", "", "1,000", "1,050"),
    ("Total equity", "", "1,000", "850"),
    ("Total equity and liabilities", "", "2,000", "1,900"),
]


def table(
    rows: Sequence[Sequence[str]], columns: Sequence[Column] | None = None, title: str = "", unit: str = ""
) -> Table:
    """Labels in the first column, everything else values; a row of a lone label is a section."""
    cells = []
    for r, texts in enumerate(rows):
        for c, text in enumerate(texts):
            section = not any(texts[1:])
            role: CellRole = "value" if c else "section" if section else "row_label"
            if text:
                cells.append(Cell(row=r, column=c, text=text, role=role, box=BOX if c else None))
    width = max(len(r) for r in rows)
    return Table(
        row_count=len(rows),
        column_count=width,
        cells=tuple(cells),
        title=title,
        unit=unit,
        columns=tuple(columns or [Column()] * width),
    )


def page(number: int, *blocks: Table | str) -> Page:
    made = [
        Block(kind="table", text="", box=BOX, table=b)
        if isinstance(b, Table)
        else Block(kind="paragraph", text=b, box=BOX)
        for b in blocks
    ]
    return Page(report_sha1="ab", page_number=number, width=600, height=800, blocks=tuple(made))


def dated(scale: int | None = 1000, currency: str | None = "GBP") -> list[Column]:
    return [
        Column(),
        Column(header="Notes"),
        Column(header="2022", period=NOW, scale=scale, currency=currency),
        Column(header="2021", period=BEFORE, scale=scale, currency=currency),
    ]


def statements(scale: int | None = 1000) -> list[Page]:
    return [
        page(5, table(INCOME, dated(scale), "Consolidated income statement")),
        page(6, table(BALANCE, dated(scale), "Consolidated statement of financial position")),
    ]


def current(found: ReportFacts, metric: str) -> Fact:
    fact = found.current(metric)
    assert fact is not None
    return fact


def sentence(text: str, number: int = 3) -> Sentence:
    return Sentence(text, number, BOX)


def test_a_statements_figures_come_in_full_units_with_their_place() -> None:
    found = extract_facts(statements(), REPORT, ONTOLOGY)
    revenue = current(found, "total_revenue")
    assert (revenue.value, revenue.printed, revenue.scale) == (Decimal(1_200_000), "1,200", 1000)
    assert (revenue.page_number, revenue.currency, revenue.boxes) == (5, "GBP", (BOX,))
    assert revenue.row_label == "Revenue"


def test_every_period_is_kept_newest_first() -> None:
    found = extract_facts(statements(), REPORT, ONTOLOGY)
    assert [(f.period and f.period.year, f.value) for f in found.of("total_assets")] == [
        (2022, Decimal(2_000_000)),
        (2021, Decimal(1_900_000)),
    ]


def test_figures_per_share_are_never_scaled_and_pence_are_parts_of_a_pound() -> None:
    eps = current(extract_facts(statements(), REPORT, ONTOLOGY), "eps_basic")
    assert (eps.value, eps.printed, eps.scale) == (Decimal("0.050"), "5.0", Decimal("0.01"))


@pytest.mark.parametrize("header", ["cents", "(c)", "¢", "₵"])
def test_a_column_of_cents_has_parts_of_a_dollar_whatever_stands_for_them(header: str) -> None:
    columns = dated(scale=None, currency="AUD")
    columns[2:] = [column.model_copy(update={"header": f"{column.header} {header}"}) for column in columns[2:]]
    rows = [("Earnings per share:", "", "", ""), ("Basic loss per share", "20", "(0.654)", "(0.193)")]
    found = extract_facts([page(4, table(rows, columns, title="Income statement"))], REPORT, ONTOLOGY)
    assert current(found, "eps_basic").value == Decimal("-0.00654")


def test_debt_is_taken_from_below_the_current_liabilities_and_without_its_sign() -> None:
    assert current(extract_facts(statements(), REPORT, ONTOLOGY), "long_term_debt").value == 600_000


def test_a_note_column_is_not_a_column_of_figures() -> None:
    rows = [("Cash", "4", "1,000", "900"), ("Equity", "(59)", "2,000", "1,900"), ("Debt", "7", "3,000", "2,900")]
    grid = table(rows, [Column()] * 4)
    columns = value_columns(grid, table_rows(grid, 1), "", REPORT)
    assert [c.index for c in columns] == [2, 3]


def test_the_reported_year_is_found_where_it_does_not_stand_first() -> None:
    years = [Column(), Column(header="2021", period=BEFORE), Column(header="2022", period=NOW)]
    grid = table([("Revenue", "10", "20"), ("Tax", "1", "2")], years)
    column = current_column(value_columns(grid, table_rows(grid, 1), "", REPORT), REPORT)
    assert column is not None
    assert column.index == 2


def test_years_that_the_reader_took_for_figures_still_head_their_columns() -> None:
    rows = [("", "2022", "2021 1"), ("Revenue", "158,015", "134,232"), ("Tax", "1,000", "900")]
    grid = table(rows, [Column(), *[Column(period=NOW)] * 2])
    columns = value_columns(grid, table_rows(grid, 1)[1:], "", REPORT)
    assert [c.period and c.period.year for c in columns] == [2022, 2021]


def test_the_groups_total_in_the_reports_currency_is_the_column_meant() -> None:
    heads = ["2022 Revenue", "2022 Capital", "2022 Total", "2022 Total"]
    columns = [Column(), *(Column(header=h, period=NOW, currency="USD") for h in heads[:3])]
    columns.append(Column(header=heads[3], period=NOW, currency="JPY"))
    grid = table([("Income", "10", "20", "30", "4,000"), ("Costs", "1", "2", "3", "400")], columns)
    column = current_column(value_columns(grid, table_rows(grid, 1), "", REPORT), REPORT)
    assert column is not None
    assert column.index == 3


def test_a_parents_statement_after_the_groups_is_passed_over() -> None:
    parent = table(
        [(r[0], r[1], "9" + r[2], r[3]) if r[2] else r for r in BALANCE], dated(), "Company balance sheet"
    )
    found = extract_facts([*statements(), page(90, parent)], REPORT, ONTOLOGY)
    assert current(found, "total_assets").page_number == 6


def test_net_income_is_the_row_that_the_cash_flow_statement_begins_with() -> None:
    income = [("Net income", "", "900", "800"), *INCOME[2:5], ("Net profit after tax", "", "100", "90")]
    cash = [
        ("Net profit for the year", "", "100", "90"),
        ("Depreciation", "", "20", "20"),
        ("Net cash from operating activities", "", "120", "110"),
        ("Net cash used in investing activities", "", "(10)", "(10)"),
        ("Net cash used in financing activities", "", "(5)", "(5)"),
    ]
    pages = [
        page(5, table(income, dated(), "Income statement")),
        page(7, table(cash, dated(), "Statement of cash flows")),
    ]
    assert current(extract_facts(pages, REPORT, ONTOLOGY), "net_income").value == 100_000


def test_statements_that_print_no_unit_take_it_from_the_report() -> None:
    pages = [*statements(None), page(20, "The financial statements are presented in thousands of US dollars.")]
    assert current(extract_facts(pages, REPORT, ONTOLOGY), "total_assets").value == 2_000_000


def test_amounts_in_prose_overrule_a_scale_that_no_sentence_bears_out() -> None:
    prose = page(
        3, "Revenue was $12.34 million. Total assets reached $27.81 million and net income $5.172 million."
    )
    income = [("Revenue", "", "12,340,000", "1"), *INCOME[1:5], ("Profit for the year", "", "5,172,000", "1")]
    balance = [("Total assets", "", "27,810,000", "1") if r[0] == "Total assets" else r for r in BALANCE]
    pages = [
        prose,
        page(5, table(income, dated(), "Income statement")),
        page(6, table(balance, dated(), "Balance sheet")),
    ]
    assert current(extract_facts(pages, REPORT, ONTOLOGY), "total_assets").value == 27_810_000


def test_a_bank_without_total_revenue_gives_the_sum_and_says_so() -> None:
    income = [
        ("Total interest income", "", "300", "280"),
        ("Net interest income", "", "200", "190"),
        ("Provision for credit losses", "", "10", "9"),
        ("Total noninterest income", "", "50", "40"),
        ("Income before taxes", "", "90", "80"),
        ("Income tax expense", "", "20", "18"),
        ("Net income", "", "70", "62"),
    ]
    found = extract_facts([page(5, table(income, dated(), "Consolidated statements of income"))], REPORT, ONTOLOGY)
    revenue = current(found, "total_revenue")
    assert (revenue.value, revenue.printed, revenue.confidence) == (250_000, "200 + 50", "low")


SUMMARY = [
    Column(),
    Column(header="2022", period=NOW, scale=1000),
    Column(header="2021", period=BEFORE, scale=1000),
]


def _summary(number: int, *rows: tuple[str, str, str], title: str = "Financial summary") -> Page:
    return page(number, table(rows, SUMMARY, title))


def test_a_line_that_no_statement_has_is_read_from_the_summary() -> None:
    pages = [
        *statements(),
        _summary(2, ("Basic earnings per share", "0.99", "0.23"), ("Gross profit", "500", "450")),
    ]
    profit = current(extract_facts(pages, REPORT, ONTOLOGY), "gross_profit")
    assert (profit.value, profit.page_number, profit.confidence) == (500_000, 2, "medium")  # it adds up
    assert current(extract_facts(pages, REPORT, ONTOLOGY), "eps_basic").page_number == 5  # the statement has it


@pytest.mark.parametrize(("figure", "agrees"), [("730", False), ("501", True)])
def test_summaries_that_contradict_each_other_say_nothing(figure: str, agrees: bool) -> None:
    summaries = [_summary(2, ("Gross profit", "500", "450")), _summary(3, ("Gross profit", figure, "450"))]
    profit = extract_facts([*statements(), *summaries], REPORT, ONTOLOGY).current("gross_profit")
    assert (profit is not None) == agrees


CASH_FLOWS = [
    ("Net cash from operating activities", "", "900", "800"),
    ("Additions to intangible assets", "", "(410)", "(400)"),
    ("Additions to property and equipment", "", "(90)", "(110)"),
    ("Net cash used in investing activities", "", "(500)", "(510)"),
    ("Net cash used in financing activities", "", "(100)", "(100)"),
    ("Cash at end of the year", "", "300", "200"),
]


@pytest.mark.parametrize(
    ("label", "figures", "value", "number"),
    [
        ("CAPEX 1", ("500", "510"), 500_000, 2),
        ("Total capital expenditures", ("500", "510"), 500_000, 2),
        ("Capital expenditures", ("500", "520"), 90_000, 7),  # last year is another sum
        ("Capital expenditures", ("480", "510"), 90_000, 7),  # includes what is not paid yet
        ("EBITDA less CAPEX", ("500", "510"), 90_000, 7),
    ],
)
def test_a_printed_capex_with_intangible_assets_comes_before_the_additions_to_property(
    label: str, figures: tuple[str, str], value: int, number: int
) -> None:
    cash_flows = page(7, table(CASH_FLOWS, dated(), "Consolidated statements of cash flows"))
    pages = [_summary(2, (label, *figures)), *statements(), cash_flows]
    facts = extract_facts(pages, REPORT, ONTOLOGY)
    spent = current(facts, "capital_expenditures")
    assert (spent.value, spent.page_number) == (value, number)
    lines = [fact for fact in facts.of("capital_expenditures") if fact.page_number == 7]
    assert [fact.value for fact in lines] == [90_000, 110_000]


def test_a_segments_line_is_not_the_companys() -> None:
    pages = [*statements(), _summary(2, ("Gross profit", "500", "450"), title="Segment results")]
    assert extract_facts(pages, REPORT, ONTOLOGY).current("gross_profit") is None


def test_a_banks_printed_total_revenue_must_be_the_sum_of_its_lines() -> None:
    income = [
        ("Net interest income", "", "200", "190"),
        ("Provision for credit losses", "", "10", "9"),
        ("Total noninterest income", "", "50", "40"),
        ("Income tax expense", "", "20", "18"),
        ("Net income", "", "70", "62"),
    ]
    bank = page(5, table(income, dated(), "Consolidated statements of income"))
    for figure, printed in (("250", "250"), ("180", "200 + 50")):
        pages = [_summary(2, ("Total revenue", figure, "230")), bank]
        assert current(extract_facts(pages, REPORT, ONTOLOGY), "total_revenue").printed == printed


def test_a_balance_that_adds_up_makes_its_figures_sure() -> None:
    assets = current(extract_facts(statements(), REPORT, ONTOLOGY), "total_assets")
    assert assets.confidence == "high"
    assert {c.verdict for c in assets.checks} == {"passed"}


@pytest.mark.parametrize(
    ("values", "metric", "verdict"),
    [
        ({"total_assets": 10, "total_liabilities": 6, "shareholders_equity": 4}, "total_assets", "passed"),
        ({"total_assets": 10, "total_liabilities": 6, "shareholders_equity": 3}, "total_assets", "failed"),
        (
            {"total_assets": 10, "total_liabilities": 6, "shareholders_equity": 3, "noncontrolling_interests": 1},
            "total_assets",
            "passed",
        ),
        ({"net_income": -5, "net_income_in_cash_flow": -5}, "net_income", "passed"),
        ({"eps_basic": 2, "weighted_shares_basic": 50, "net_income": 100}, "eps_basic", "passed"),
        ({"eps_basic": 2, "weighted_shares_basic": 50, "net_income": 900}, "eps_basic", "failed"),
        ({"pretax_income": 130, "income_tax": -30, "net_income": 100}, "net_income", "passed"),
    ],
)
def test_figures_that_belong_together_are_compared(values: dict[str, int], metric: str, verdict: str) -> None:
    checks = checks_of({name: Decimal(value) for name, value in values.items()})
    assert [c.verdict for c in checks[metric]] == [verdict]


def test_what_cannot_be_compared_says_nothing() -> None:
    assert checks_of({"total_assets": Decimal(10)}) == {}


def test_the_prior_years_column_is_held_to_the_report_before() -> None:
    found = extract_facts(statements(), REPORT, ONTOLOGY)
    before = [f for f in found.facts if f.period and f.period.year == 2021]
    prior = ReportFacts(report_sha1="aa", period_end=dt.date(2021, 12, 31), facts=tuple(before))
    assert [c.verdict for c in current(held_against(found, prior), "total_assets").checks] == ["passed"] * 3


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("As of December 31, 2022, we had approximately 2,100 full-time equivalent employees.", 2100),
        ("As of December 31, 2022, Acme only has five employees.", 5),
        ("The Group employed an average of 108 (2021: 99) staff throughout the year.", 108),
        ("At year end our headcount was 651.", 651),
    ],
)
def test_a_sentence_tells_the_number_of_employees(text: str, number: int) -> None:
    assert headcounts([sentence(text)], 2022)[0].number == number


@pytest.mark.parametrize(
    "text",
    [
        "During 2022 we hired 212 employees.",
        "As of December 31, 2022, we had 640 employees located in Norway, 410 employees in Chile and 12 staff in Oman.",
        "The fee is waived if the applicant employs fewer than 500 employees.",
        "Our service centers grew, and we now employ nearly 4,000 associates in these centers.",
        "We had revenue of $1,200 in 2022 and value our people.",
    ],
)
def test_other_counts_of_people_are_not_the_number_of_employees(text: str) -> None:
    assert not [c for c in headcounts([sentence(text)], 2022) if c.score >= 7]


@pytest.mark.parametrize(
    ("text", "number", "confidence"),
    [
        (
            "As of December 31, 2022, we had 2,800 full-time employees and we employed 1,400 part-time employees.",
            2800,
            "low",
        ),
        (
            "As of December 31, 2022, we employed fifteen employees and Kirkmoor Limited employed seventy employees.",
            15,
            "low",
        ),
        (
            "At December 31, 2022, we had about 2,400 full-time employees (up 3.5%) and 1,100 part-time ones.",
            2400,
            "low",
        ),
        ("As of December 31, 2022, we had 2,800 full-time employees in forty countries.", 2800, "high"),
        ("As of December 31, 2022, we employed 640 people, 600 of them full-time and 40 part-time.", 640, "high"),
    ],
)
def test_a_part_of_the_employees_is_not_told_for_the_whole(text: str, number: int, confidence: str) -> None:
    fact = current(extract_facts([page(3, text)], REPORT, ONTOLOGY), "employees")
    assert (fact.value, fact.confidence) == (number, confidence)


def test_the_whole_is_taken_where_it_is_printed_beside_its_parts() -> None:
    texts = (
        "As of December 31, 2022, we had 2,800 full-time employees and we employed 1,400 part-time employees.",
        "At year end our headcount was 4,200.",
    )
    assert current(extract_facts([page(3, *texts)], REPORT, ONTOLOGY), "employees").value == 4200


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([("Operating income", "", "1,250", "1,140"), ("Operating profit", "", "150", "140")], 150_000),
        ([("Operating income", "", "150", "140"), ("Operating profit of associates", "", "15", "14")], 150_000),
        ([("Operating income", "", "1,250", "1,140")], 1_250_000),
    ],
)
def test_an_operating_income_above_the_revenue_gives_way_to_an_operating_profit_below(
    rows: list[tuple[str, ...]], value: int
) -> None:
    statement = [INCOME[0], *rows, *INCOME[3:]]
    pages = [page(5, table(statement, dated(), "Consolidated income statement")), statements()[1]]
    assert current(extract_facts(pages, REPORT, ONTOLOGY), "operating_income").value == value


@pytest.mark.parametrize(("label", "value"), [("Cash held for own use", None), ("Cash held", 300_000)])
def test_cash_that_is_held_for_something_is_a_part_of_the_cash(label: str, value: int | None) -> None:
    rows = [BALANCE[0], (label, *BALANCE[1][1:]), *BALANCE[2:]]
    pages = [statements()[0], page(6, table(rows, dated(), "Consolidated statement of financial position"))]
    fact = extract_facts(pages, REPORT, ONTOLOGY).current("cash")
    assert (fact and fact.value) == value


def test_a_company_without_employees_has_no_number_of_them() -> None:
    pages = [page(3, "The Company has no employees. The Manager employed 300 people as of 31 December 2022.")]
    assert extract_facts(pages, REPORT, ONTOLOGY).current("employees") is None


def test_the_chief_executive_is_the_one_who_signs_and_certifies() -> None:
    pages = [
        page(40, "I, Jane Q. Miller, certify that:", "Chief Executive Officer"),
        page(
            41,
            "/s/ Jane Q. Miller Jane Miller, President and Chief Executive Officer (Principal Executive Officer)",
        ),
        page(42, "John Brown, former Chief Executive Officer, left. Ann Lee, Chief Financial Officer, stays."),
    ]
    people = {p.role: p.name for p in officers_of(pages, "Acme Inc.")}
    assert _short_name(people["chief_executive"]) == ("jane", "miller")
    assert "John Brown" not in people.values()


FIRST = ("Ann", "Takahiro", "José", "Mary-Jane", "Søren", "Li", "Deirdre", "Olumide", "Karl-Heinz", "Priya")
LAST = (
    "Lee",
    "Ogasaki",
    "O'Brien",
    "McDonald",
    "van der Berg",
    "de Souza",
    "Whitcombe",
    "Nakamura-Hill",
    "Ng",
    "Patel",
)
OFFICE = (
    "Chief Executive Officer",
    "President and Chief Executive Officer",
    "Chairman, President and Chief Executive Officer (Principal Executive Officer)",
    "Interim Chief Executive Officer",
    "Chief Executive Officer and Director",
)


def signature_page(rng: random.Random, name: str) -> list[str]:
    """The lines of a page of signatures, in one of the ways in which reports set them."""
    office = rng.choice(OFFICE)
    own = rng.choice(
        [
            [f"/s/ {name}", name, office],
            [f"By: /s/ {name}", f"{name}, {office}"],
            [f"/s/ {name} {office} March 3, 2023", f"{name}"],
            [f"Name: {name}", f"Title: {office}", f"I, {name}, certify that:", office],
        ]
    )
    others = ["/s/ Tom Hill", "Tom Hill", "Chief Financial Officer", "/s/ Zoe Fox", "Zoe Fox", "Director"]
    return ["SIGNATURES", "Date: March 3, 2023", *own, *others, f"{name}, our {office}, signs this report."]


def test_names_on_a_hundred_pages_of_signatures_hold_no_title() -> None:
    rng = random.Random(24)
    strange, found = [], 0
    for _ in range(100):
        name = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        people = officers_of([page(40, *signature_page(rng, name))], "Acme Inc.")
        chief = next((p.name for p in people if p.role == "chief_executive"), None)
        found += chief == name
        titled = [
            p.name for p in people if re.search(r"(?i)officer|president|director|chief|interim|chair", p.name)
        ]
        strange += [(name, chief)] * (chief not in (None, name)) + titled
    assert strange == []
    assert found == 100


@pytest.mark.parametrize(
    ("kind", "text", "confidence"),
    [
        ("acquisition", "In 2016 the Company completed the acquisition of Inova Limited for cash.", "low"),
        ("acquisition", "On June 18, 2022, we completed the purchase of property in Leeds for $4 million.", None),
        ("restructuring", "In 2022 we continued the restructuring plan that we announced in 2020.", "high"),
        (
            "leadership_change",
            "In February 2023, Ann Lee was appointed as interim Chief Executive Officer.",
            "high",
        ),
    ],
)
def test_old_deals_purchases_of_property_and_earlier_plans_are_told_apart(
    kind: str, text: str, confidence: str | None
) -> None:
    told = {e.kind: e.confidence for e in events_of([sentence(text)], REPORT)}
    assert told.get(kind) == confidence  # type: ignore[call-overload]  # the kinds are those of events


def test_nobody_is_made_chief_executive_where_there_is_none() -> None:
    pages = [
        page(9, "The Company has no employees, Chief Executive or Executive Directors.", "Karen Brade, Chair")
    ]
    assert all(p.role != "chief_executive" for p in officers_of(pages, "Acme Trust"))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("acquisition", "On June 18, 2022, the Company completed the acquisition of Inova Limited for cash."),
        ("buyback", "In May 2022, the Board authorized a share repurchase program of up to $20 million."),
        ("leadership_change", "On 3 March 2022, Ann Lee was appointed as Chief Financial Officer of the Company."),
        ("leadership_change", "Ann Lee retired as a director at the annual meeting of Shareholders in May 2022."),
        ("leadership_change", "Ann Lee, who is a surveyor, resigned as director of Acme Inc. on 3 March 2022."),
        ("layoffs", "In October 2022 we announced a reduction in force affecting 40 employees."),
    ],
)
def test_a_sentence_that_tells_an_event_is_kept(kind: str, text: str) -> None:
    assert [e.kind for e in events_of([sentence(text)], REPORT)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "We may complete the acquisition of other businesses, which could harm our results.",
        "If we announced a share repurchase program, our stock price could be affected by it.",
        "Business combinations are accounted for using the acquisition method when we acquired control.",
        "The fair value of what is owed on the acquisition of its Nordlys Fund Management business in 2022 is a guess.",
        "In March 2022 the Company launched a Supplier Webpage to tell its stakeholders what is done.",
        "In May 2022 we launched the Safe Hands training for all who work with machines.",
        "Ms Lee was appointed as Group CEO of the paper maker Nordlys Board Ltd in February 2022 and lives in Leeds.",
    ],
)
def test_a_risk_or_a_policy_is_no_event(text: str) -> None:
    assert not list(events_of([sentence(text)], REPORT))


def test_a_changed_position_is_named() -> None:
    events = list(
        events_of(
            [
                sentence(
                    "In May 2022 our Chief Operating Officer changed: Tom Hill resigned as Chief"
                    " Operating Officer."
                )
            ],
            REPORT,
        )
    )
    assert [e.about for e in events] == ["Chief Operating Officer"]


def test_a_wrapped_sentence_is_one_sentence() -> None:
    broken = page(
        3,
        "As of December 31, 2022, we employed 106 full-time people, the majority in our headquarters in",
        "Virginia.",
    )
    assert [s.text[-9:] for s in sentences_of(broken)] == ["Virginia."]


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("$(28,457)", -28457),
        ("19.08p", "19.08"),
        ("(10.09 pence)", "-10.09"),
        ("1,234 (a)", 1234),
        ("2022 1", None),
    ],
)
def test_a_cell_is_worth_its_figure_without_footnote_and_unit(printed: str, value: object) -> None:
    assert figure_of(printed) == (None if value is None else Decimal(str(value)))


def test_facts_are_kept_by_report_and_fingerprint(tmp_path: Path) -> None:
    found = extract_facts(statements(), REPORT, ONTOLOGY)
    store = FactStore(tmp_path, "f1")
    store.write(REPORT, found)
    assert REPORT in store
    assert store.read(REPORT) == found
    with pytest.raises(MissingIndex, match="run `pageproof ingest`"):
        FactStore(tmp_path, "f2").read(REPORT)
    with pytest.raises(MissingIndex, match="run `pageproof ingest`"):
        store.read(REPORT.model_copy(update={"currency": "EUR"}))


def test_the_sample_reports_say_what_they_are_known_to_say(client: Pageproof) -> None:
    truth = json.loads((SAMPLES / "facts.json").read_text())
    wrong = []
    for known in truth:
        end = dt.date.fromisoformat(known["period_end"])
        report = Report(
            sha1=known["sha1"],
            file="x",
            company=known["company"],
            page_count=1,
            currency=known["currency"],
            period_end=end,
        )
        found = extract_facts(client.pages.read(known["sha1"]), report, ONTOLOGY)
        for fact in known["facts"]:
            got = found.current(METRICS[fact["metric"]]) if fact["metric"] in METRICS else None
            acceptable = [fact["value"], *fact.get("also", [])]
            if fact["metric"] not in METRICS or (got is None and "N/A" in acceptable):
                continue
            if got is None or not any(
                abs(float(got.value) - v) <= 0.01 * abs(v) for v in acceptable if v != "N/A"
            ):
                wrong.append((known["company"], fact["metric"], got and (got.value, got.row_label), acceptable))
    assert wrong == []


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["Dr. Maren Vogt", "Chairman of the Board of Managing Directors"], "Maren Vogt"),
        (["Ann B. Lee President and Chief Executive Officer"], "Ann B. Lee"),
        (["A.Bertha Lee President and Chief Executive Officer"], "A. Bertha Lee"),
        (
            ["Ann Lee", "Chief Executive Officer", "Ann Lee Bob Roe", "Chief Executive Officer Finance Director"],
            "Ann Lee",
        ),
        (
            ["Jonas Berg German Chief Executive Officer 2024", "/s/ Jonas Berg German, Chief Executive Officer"],
            "Jonas Berg",
        ),
    ],
    ids=[
        "under a letter",
        "on one line",
        "initial without a space",
        "neighbours run together",
        "nationality beside the name",
    ],
)
def test_a_chief_executive_is_found_as_reports_print_one(texts: list[str], name: str) -> None:
    found = officers_of([page(3, *texts)], "Acme Inc.")
    assert [p.name for p in found if p.role == "chief_executive"] == [name]


@pytest.mark.parametrize("word", ["Interim", "Acting"])
def test_an_office_held_for_a_time_is_called_so_whatever_certificates_say(word: str) -> None:
    signed = (
        f"/s/ Ann Lee, Director and {word} President and Chief Executive Officer (principal executive officer)"
    )
    certified = ("I, Ann Lee, certify that:", "Chief Executive Officer")
    (chief,) = [p for p in officers_of([page(3, signed), page(9, *certified)], "Acme") if p.role[:7] == "chief_e"]
    assert (chief.name, chief.title, chief.page_number) == ("Ann Lee", f"{word} Chief Executive Officer", 3)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Ann Lee, Chief Operating Officer and Chief Risk Officer",
            "Chief Operating Officer and Chief Risk Officer",
        ),
        ("Ann Lee, Chief Operating Officer and Chief Risk Officer Bob Roe", "Chief Operating Officer"),
        (
            "/s/ Ann Lee President and Chief Executive May 4, 2023 Ann Lee Officer and Director",
            "Chief Executive Officer",
        ),
        ("Ann Lee, Chief Executive May 4, 2023", "Chief Executive"),
    ],
)
def test_a_title_is_told_to_its_end(text: str, title: str) -> None:
    people = officers_of([page(3, text), page(4, text)], "Acme Inc.")
    assert title in [person.title for person in people]


@pytest.mark.parametrize(
    "text",
    [
        "Throughout the year, the Committee comprised Bob Roe as Chair, Eva Lind and Ida Holm.",
        "Bob Roe, Chair of the Audit and Risk Committee",
        "Audit Committee Chairman: Bob Roe",
    ],
)
def test_the_chair_of_a_committee_is_not_the_chair_of_the_board(text: str) -> None:
    pages = [page(number, text) for number in range(2, 6)]
    assert [p for p in officers_of(pages, "Acme plc") if p.role == "chair"] == []
    (chair,) = [
        p
        for p in officers_of([*pages, page(7, "Ann Lee", "Non-executive Chair")], "Acme plc")
        if p.role == "chair"
    ]
    assert (chair.name, chair.title, chair.page_number) == ("Ann Lee", "Non-executive Chair", 7)


def test_the_head_of_a_part_is_not_the_company_s() -> None:
    texts = ["Will Clark", "Managing Director, Regional Venture Funds", "Ann Lee", "Chief Executive Officer"]
    (chief,) = [p for p in officers_of([page(3, *texts)], "Acme Inc.") if p.role == "chief_executive"]
    assert chief.name == "Ann Lee"


@pytest.mark.parametrize(
    ("text", "is_event"),
    [
        ("On May 14, 2022 the board resolved to repurchase up to 1,200,000 shares for $30 million.", True),
        ("A share buyback of up to EUR 75 million was announced in July 2022.", True),
        ("On 25 July 2022 we announced a programme to buy back shares for up to EUR 75 million.", True),
        ("We have also requested a share buyback with a volume of 122 million.", True),
        ("Many companies did well and a large number have announced share buyback programmes.", False),
        ("The repurchase program that our board authorized in March 2020 expired in March 2022.", False),
        ("In August 2015 the Company introduced a programme and repurchased 700,000 shares.", False),
        ("The board may approve share repurchases from time to time.", False),
    ],
)
def test_a_buyback_of_the_company_s_own_and_of_the_time_is_one(text: str, is_event: bool) -> None:
    found = [e for e in events_of([sentence(text)], REPORT) if e.kind == "buyback" and e.confidence != "low"]
    assert bool(found) == is_event


def test_a_total_takes_its_meaning_from_the_head_of_the_label_column() -> None:
    rows = [
        ("Assets | EURm", "2022"),
        ("Cash", "300"),
        ("Loans", "1,600"),
        ("Other assets", "100"),
        ("Total", "2,000"),
    ]
    made = table(rows, [Column(header="Assets | EURm"), Column(header="2022", period=NOW, scale=1_000_000)])
    head = tuple(c.model_copy(update={"role": "column_header"}) if c.row == 0 else c for c in made.cells)
    total = table_rows(made.model_copy(update={"cells": head}), 6)[-1]
    assert (total.label, total.heading) == ("Total", "Assets")
    assert ONTOLOGY["total_assets"].place(total.label, total.heading) is not None


def test_a_proposed_dividend_counts_though_none_was_paid_before() -> None:
    texts = (
        "The company did not pay a dividend for the year before.",
        "The Board will be seeking shareholder approval to pay a cash dividend of CHF 5.50 per share.",
    )
    assert current(extract_facts([page(4, *texts)], REPORT, ONTOLOGY), "dividend_per_share").value == Decimal(
        "5.50"
    )


def test_exchange_effects_do_not_fail_the_cash_flows_but_another_figure_does() -> None:
    flows = {"operating_cash_flow": 31267, "investing_cash_flow": -67549, "financing_cash_flow": 33222}
    for change, verdict in ((-3698, "passed"), (-13698, "failed")):
        values = {name: Decimal(v) for name, v in {**flows, "net_change_in_cash": change}.items()}
        assert checks_of(values)["operating_cash_flow"][0].verdict == verdict


def test_a_vice_president_is_no_president() -> None:
    texts = ["/s/ Todd Cole", "Executive Vice President", "/s/ Todd Cole Executive Vice President"]
    assert [p for p in officers_of([page(3, *texts)], "Acme Inc.") if p.role == "president"] == []


@pytest.mark.parametrize(("unit", "found"), [(None, False), (1000, True)])
def test_a_table_without_a_unit_gives_no_amount_where_statements_are_in_thousands(
    unit: int | None, found: bool
) -> None:
    columns = [Column(), Column(header="2022", period=NOW, scale=unit)]
    ebitda = page(30, table([("EBITDA", "88,406"), ("Adjusted EBITDA", "91,000")], columns))
    fact = extract_facts([*statements(), ebitda], REPORT, ONTOLOGY).current("ebitda")
    assert (fact is not None) == found

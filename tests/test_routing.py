import datetime as dt

import pytest

from query_engines.company_names import CompanyNames
from query_engines.kinds import infer_kind
from query_engines.search_text import asked_currency, asked_year, search_text
from storage.reports import Company

HOLLEY = Company(name="Holley Inc.", aliases=("HLLY", "ALL"))
ARMADALE = Company(name="Armadale Capital Plc")
TOWER = Company(name="Tower Resources Plc")
TOWER_TRUST = Company(name="Tower Resources Trust Plc")
NAMES = CompanyNames([HOLLEY, ARMADALE, TOWER, TOWER_TRUST])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Who is the CEO in the company "Holley Inc."?', ["Holley Inc."]),
        ("What did HOLLEY INC earn?", ["Holley Inc."]),
        ("What was Holley's revenue?", ["Holley Inc."]),
        ("What was HLLY's revenue?", ["Holley Inc."]),
        ("Tower Resources Trust: total assets?", ["Tower Resources Trust Plc"]),
        ("Compare Tower Resources plc with Armadale Capital", ["Tower Resources Plc", "Armadale Capital Plc"]),
        ("What was the revenue of Acme Inc.?", []),
        ("Hollywood Inc. revenue", []),
        ("the holley berries", []),
        ("What was ALL's revenue?", ["Holley Inc."]),
        ("All companies: what did all of them earn?", []),
    ],
)
def test_companies_are_found_by_name_alias_and_name_without_legal_form(text: str, found: list[str]) -> None:
    assert [m.company.name for m in NAMES.mentions(text)] == found


def test_the_nearest_names_come_first() -> None:
    assert NAMES.nearest("What was the revenue of Holly Incorporated?", 1) == ("Holley Inc.",)
    assert NAMES.nearest("Armadele Capital", 1) == ("Armadale Capital Plc",)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What was the Total revenue (in USD) for Acme according to the annual report?", "number"),
        ("How many employees does Acme have?", "number"),
        ("For Acme, what was the value of Number of stores at the end of the period?", "number"),
        ("Did Acme announce a share buyback plan?", "boolean"),
        ("Who is the CEO in the company Acme?", "name"),
        ("What is the name of the last product launched by Acme?", "name"),
        ("Which leadership positions changed at Acme in the reporting period?", "names"),
        ("What are the names of new products launched by Acme?", "names"),
        ('Which of the companies had the lowest total assets in USD: "A", "B"?', "comparative"),
        ("Describe how Acme manages currency risk.", "text"),
        ("net income of Acme", "number"),
    ],
)
def test_a_question_without_a_kind_is_read_by_its_wording(text: str, kind: str) -> None:
    assert infer_kind(text) == kind


@pytest.mark.parametrize(
    ("question", "search"),
    [
        (
            "What was the Total revenue (in USD) for Holley Inc. according to the annual report (within the last "
            "period or at the end of the last period)? If data is not available, return 'N/A'.",
            "Total revenue",
        ),
        ('Who is the CEO in the company "Holley Inc."?', "CEO in the company"),
        ("What was Holley's revenue?", "revenue"),
        ("Holley", "Holley"),
    ],
)
def test_the_search_text_leaves_out_company_and_boilerplate(question: str, search: str) -> None:
    assert search_text(question, HOLLEY) == search


def test_the_asked_currency_and_year_are_read_from_the_question() -> None:
    assert asked_currency("Net income (in EUR) in 2021?") == "EUR"
    assert asked_currency("in total?") is None
    assert asked_year("Net income in 2021?") == dt.date(2021, 1, 1).year
    assert asked_year("from 2020 to 2021") is None

"""Questions for figures along more than one of companies, metrics and years."""

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from app.files.answer_json import answer_json
from query_engines.comparison.amounts import Part
from query_engines.comparison.decision import decide, series_of
from query_engines.comparison.plan import Entity, Plan
from query_engines.comparison.reader import Reading
from storage.records.answers import Answer, Unit
from storage.records.questions import Question
from storage.records.reports import Company
from tests.support.example_pages import report
from tests.support.known_comparisons import parser_over, reader

COMPANIES = [
    Company(name=name, reports=(report(sha1 * 40, name, year=2022),))
    for name, sha1 in (("Holley Inc.", "a"), ("Ocugen, Inc.", "b"), ("TransUnion", "c"))
]


@pytest.fixture(scope="module")
def analyst(sample_data: Path) -> Iterator[Pageproof]:
    """A client that may calculate."""
    with open_pageproof("offline", data=sample_data) as opened:
        yield opened


def reading(text: str, companies: Sequence[Company], folder: Path) -> Reading:
    trained = reader(folder, is_trained=True)
    return trained.read(parser_over(companies, is_trained=True).parse(Question(text=text)))


@pytest.mark.parametrize(
    ("text", "companies", "metrics", "periods"),
    [
        (
            "Compare Holley's, Ocugen's and TransUnion's gross margin and revenue over 2020 to 2022",
            3,
            ["Gross margin", "Total revenue"],
            ["2020", "2021", "2022"],
        ),
        (
            "show revenue, net income and equity of all three companies",
            3,
            ["Total revenue", "Net income", "Shareholders' equity"],
            [""],
        ),
        ("revenue and operating margin of Holley since 2020", 1, ["Total revenue", "Operating margin"], None),
        ("Compare the net margin of Holley, TransUnion and Ocugen 2021-2022", 3, ["Net margin"], ["2021", "2022"]),
        (
            "What were the net income and the property, plant and equipment of Holley in 2021?",
            1,
            ["Net income", "Property, plant and equipment"],
            ["2021"],
        ),
        (
            "How did TransUnion's revenue and net income develop over the last two years?",
            1,
            ["Total revenue", "Net income"],
            ["2021", "2022"],
        ),
        ("revenue growth of Holley and Ocugen, 2021 and 2022", 2, ["Revenue growth"], ["2021", "2022"]),
        ("Show the total assets of all companies", 3, ["Total assets"], [""]),
        ("Vergleiche Umsatz und Eigenkapital von Holley und Ocugen 2021 bis 2022", 2, None, ["2021", "2022"]),
    ],
)
def test_figures_of_several_companies_metrics_and_years_are_a_table(
    text: str, companies: int, metrics: list[str] | None, periods: list[str] | None, tmp_path: Path
) -> None:
    plan = reading(text, COMPANIES, tmp_path).plan
    assert plan is not None
    assert plan.relation == "table"
    assert len({entity.company for entity in plan.entities}) == companies
    assert list(dict.fromkeys(e.metric for e in plan.entities)) == (
        metrics or ["Total revenue", "Shareholders' equity"]
    )
    assert list(dict.fromkeys(e.period for e in plan.entities)) == (periods or ["2020", "2021", "2022"])


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Compare the revenue of Holley and Ocugen in 2022", "highest"),
        ("Which of Holley and Ocugen grew its revenue faster from 2021 to 2022?", "highest"),
        ("Compare Holley's revenue in 2021 and 2022", "change"),
        ("Show the revenue of Holley over time", "series"),
        ("What is the ratio of net income and revenue of Holley?", None),
        ("What drove revenue and net income of Holley?", None),
        ("Did revenue and net income of Holley grow?", None),
        ("Who are the CEO and the CFO of Holley?", "each"),
        ("What does Holley say about revenue and net income?", None),
    ],
)
def test_one_metric_of_one_time_or_more_than_figures_is_no_table(
    text: str, relation: str | None, tmp_path: Path
) -> None:
    plan = reading(text, COMPANIES, tmp_path).plan
    assert (plan.relation if plan else None) == relation


def test_a_wrong_number_of_companies_is_named(analyst: Pageproof) -> None:
    answer = analyst.ask("Show revenue and net income of all seven companies")
    assert not answer.is_available
    assert "It is about seven companies" in answer.summary


def test_a_table_that_is_too_large_says_how_large_one_may_be(tmp_path: Path) -> None:
    many = [COMPANIES[0].model_copy(update={"name": f"Maker {n} Inc."}) for n in range(40)]
    read = reading("revenue, net income and equity of all companies from 2018 to 2022", many, tmp_path)
    assert read.plan is None
    assert "600 figures" in read.note


def cell(company: str, metric: str, year: int, value: float | None, currency: str, end: dt.date) -> Part:
    entity = Entity(
        label=f"{company}, {metric}, {year}", company=company, year=year, metric=metric, period=str(year)
    )
    unit = Unit(currency=currency, period_end=end)
    known = Answer(question="?", kind="number", company=company, value=value, unit=unit) if value else None
    return Part(
        entity=entity, answer=known or Answer(question="?", kind="number", company=company, reason="other_period")
    )


def test_other_currencies_and_period_ends_are_named_and_nothing_is_filled_in() -> None:
    parts = [
        cell("Acme", "Total revenue", 2021, 10.0, "USD", dt.date(2021, 12, 31)),
        cell("Acme", "Total revenue", 2022, 12.0, "USD", dt.date(2022, 12, 31)),
        cell("Bern AG", "Total revenue", 2021, None, "CHF", dt.date(2021, 6, 30)),
        cell("Bern AG", "Total revenue", 2022, 7.0, "CHF", dt.date(2022, 6, 30)),
    ]
    plan = Plan(relation="table", subject="Total revenue", entities=tuple(part.entity for part in parts))
    found, series = decide(plan, parts, None), series_of(plan, parts)
    assert str(found.value).startswith(
        "Total revenue, Acme: 2021 10 USD; 2022 12 USD. Total revenue, Bern AG: 2021 N/A; 2022 7 CHF."
    )
    assert "In different currencies (CHF, USD); nothing is converted." in found.statements[0]
    assert "Acme on 31 December; Bern AG on 30 June" in found.statements[0]
    assert "3 of 4 figures were found." in found.statements[0]
    assert [(figure.column, figure.value, figure.reason) for figure in series] == [
        ("2021", 10.0, None),
        ("2022", 12.0, None),
        ("2021", "N/A", "other_period"),
        ("2022", 7.0, None),
    ]


def test_companies_whose_years_end_together_are_counted_where_they_are_many() -> None:
    ends = [("Acme", 12, 31), ("Bern AG", 6, 30), ("Chip Ltd", 12, 31), ("Dorn SE", 12, 31), ("Erle plc", 12, 31)]
    parts = [cell(name, "Total revenue", 2022, 1.0, "USD", dt.date(2022, month, day)) for name, month, day in ends]
    plan = Plan(relation="table", subject="Total revenue", entities=tuple(part.entity for part in parts))
    assert "4 companies on 31 December; Bern AG on 30 June." in decide(plan, parts, None).statements[0]


def test_years_that_end_within_a_week_of_each_other_end_together() -> None:
    parts = [
        cell("Acme", "Total revenue", 2022, 12.0, "USD", dt.date(2022, 12, 31)),
        cell("Chip Ltd", "Total revenue", 2022, 7.0, "USD", dt.date(2023, 1, 1)),
    ]
    plan = Plan(relation="table", subject="Total revenue", entities=tuple(part.entity for part in parts))
    assert "different days" not in decide(plan, parts, None).statements[0]


def test_a_technical_failure_of_one_cell_leaves_the_others() -> None:
    parts = [cell("Acme", "Total revenue", year, 12.0, "USD", dt.date(year, 12, 31)) for year in (2021, 2022)]
    failed = parts[0].answer.model_copy(update={"value": "N/A", "reason": "model_failed"})
    plan = Plan(relation="table", subject="Total revenue", entities=tuple(part.entity for part in parts))
    found = decide(plan, [Part(entity=parts[0].entity, answer=failed), parts[1]], None)
    assert found.reason is None
    assert "2021 N/A; 2022 12 USD" in str(found.value)


def test_each_cell_of_a_table_cites_its_page(analyst: Pageproof) -> None:
    text = "Compare the revenue and the operating margin of Ostermere, Veldhoorn and Tsukimine from 2023 to 2024"
    answer = analyst.ask(text)
    assert answer.kind == "text"
    assert len(answer.series) == len(answer.parts) == 12
    assert [figure.column for figure in answer.series[:4]] == ["2023", "2024", "2023", "2024"]
    assert all(figure.citation for figure in answer.series)
    by_cell = {(f.company, f.metric, f.column): f.value for f in answer.series}
    assert by_cell["Ostermere Instruments, Inc.", "Total revenue", "2024"] == 386_412_000
    assert by_cell["Veldhoorn Packaging N.V.", "Total revenue", "2023"] == 1_765_300_000
    assert "In different currencies (EUR, JPY, USD)" in answer.summary
    row = answer_json(answer)
    assert isinstance(row["series"], list)
    assert row["series"][0] == row["series"][0] | {  # type: ignore[operator]  # a JSON object
        "company": "Ostermere Instruments, Inc.",
        "metric": "Total revenue",
        "column": "2023",
        "period": "2023-12-31",
        "value": 402_875_000,
    }


def test_what_a_report_does_not_print_is_n_a_in_its_cell_with_a_reason(analyst: Pageproof) -> None:
    answer = analyst.ask("revenue and net income of Ostermere and Tsukimine from 2020 to 2024")
    missing = [figure for figure in answer.series if figure.value == "N/A"]
    assert missing
    assert {figure.company for figure in missing} == {"Ostermere Instruments, Inc.", "Tsukimine Seiki Co., Ltd."}
    assert all(figure.reason and not figure.citation for figure in missing)


def test_a_table_that_names_nobody_is_about_the_chosen_reports(analyst: Pageproof) -> None:
    chosen = [c for c in analyst.companies() if c.name.startswith(("Ostermere", "Tsukimine"))]
    reports = tuple(report.sha1 for company in chosen for report in company.reports)
    answer = analyst.ask(Question(text="Revenue and net income for 2023 and 2024?", reports=reports))
    assert {figure.company for figure in answer.series} == {company.name for company in chosen}
    assert len(answer.series) == 8


def test_a_preposition_before_the_company_is_no_part_of_what_was_understood(analyst: Pageproof) -> None:
    answer = analyst.ask("operating margin of Ostermere 2023 and 2024")
    assert answer.understood is not None
    assert [metric.lower() for metric in answer.understood.metrics] == ["operating margin"]


def test_companies_that_are_compared_in_one_year_get_no_column_of_another(analyst: Pageproof) -> None:
    answer = analyst.query("Compare the operating margin of Tsukimine and Veldhoorn in 2024").response
    assert {figure.column for figure in answer.series} <= {"2024", ""}
    years = {part.unit.period_end.year for part in answer.parts if part.unit and part.unit.period_end}
    assert years == {2024}

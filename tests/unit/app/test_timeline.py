"""A company's figures over all its filings as one series."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

from app.library.fact_sheet import fact_sheet
from storage.records.facts import Fact, Period, ReportFacts
from storage.records.metrics import Ontology
from storage.records.record import Box
from storage.records.reports import Filing, Report

ONTOLOGY = Ontology.load()


def filing(name: str, end: str, type_: str, figures: dict[tuple[str, int], int]) -> tuple[Report, ReportFacts]:
    """A filing with revenue figures by last day and months; those of its own length come first."""
    months = 12 if type_ == "10-K" else 3
    known = Filing.model_validate({"type": type_, "months": months, "year_end_month": 6})
    day = dt.date.fromisoformat(end)
    currency = "USD" if type_ != "earnings release" else None
    report = Report(
        sha1=name, file=name, company="Calder", page_count=1, period_end=day, filing=known, currency=currency
    )
    facts = tuple(
        Fact(
            metric="total_revenue",
            value=Decimal(value),
            printed=str(value),
            currency=currency,
            period=Period(end=dt.date.fromisoformat(last), months=length),
            statement="income",
            report_sha1=name,
            page_number=3,
        )
        for (last, length), value in figures.items()
    )
    own = tuple(f for f in facts if f.period and f.period.months == months)
    others = tuple(f for f in facts if f not in own)
    return report, ReportFacts(report_sha1=name, period_end=day, facts=own, other_spans=others)


def test_filings_of_all_kinds_make_one_series_with_the_last_twelve_months() -> None:
    found = [
        filing(
            "release",
            "2024-03-31",
            "earnings release",
            {("2024-03-31", 3): 38, ("2024-03-31", 9): 113, ("2023-03-31", 9): 105},
        ),
        filing("q2", "2023-12-31", "10-Q", {("2023-12-31", 3): 39, ("2022-12-31", 3): 36, ("2023-12-31", 6): 75}),
        filing("k", "2023-06-30", "10-K", {("2023-06-30", 12): 143, ("2022-06-30", 12): 133}),
    ]
    sheet = fact_sheet(found, [ONTOLOGY["total_revenue"]], Path, whole=False)
    (rows,) = sheet.by_metric()
    assert {row.label: row.value for row in rows} == {
        "TTM": 143 + 113 - 105,
        "9M 2024": 113,
        "Q3 2024": 38,
        "H1 2024": 75,
        "Q2 2024": 39,
        "2023": 143,
        "9M 2023": 105,
        "Q2 2023": 36,
        "2022": 133,
    }
    assert {row.unit for row in rows} == {"USD"}
    assert rows[0].row_label.startswith("2023 + 9M 2024 - 9M 2023")


def test_a_row_says_where_on_its_page_the_figure_stands() -> None:
    report, facts = filing("k", "2023-06-30", "10-K", {("2023-06-30", 12): 143})
    box = Box(left=1, top=2, right=3, bottom=4)
    marked = facts.model_copy(update={"facts": tuple(f.model_copy(update={"boxes": (box,)}) for f in facts.facts)})
    (row,) = fact_sheet([(report, marked)], [ONTOLOGY["total_revenue"]], Path, whole=False).facts
    assert (row.page, row.boxes) == (3, (box,))

"""Tables that split a figure into parts: which are taken, and what is known of them."""

import datetime as dt
from decimal import Decimal

import pytest

from indexes.facts.breakdowns import breakdowns_of
from storage.records.facts import Breakdown, Fact, Period
from storage.records.pages import Block, Cell, Column, Page, Table
from storage.records.record import Box
from tests.support.example_pages import report

Rows = list[tuple[str, ...]]
REVENUE = [
    Fact(
        metric="total_revenue",
        value=Decimal(value) * 1000,
        printed=value,
        scale=Decimal(1000),
        period=Period(end=dt.date(year, 12, 31), months=12),
        statement="income",
        report_sha1="ab",
        page_number=1,
    )
    for year, value in ((2024, "100"), (2023, "90"))
]
BY_REGION: Rows = [("Europe", "60", "50"), ("Asia", "40", "40"), ("Total", "100", "90")]


def box(row: int, column: int) -> Box:
    """A place of its own for each cell."""
    return Box(left=column, top=row, right=column + 1, bottom=row + 1)


def found_in(rows: Rows, headers: tuple[str, ...], title: str = "Revenue by region") -> list[Breakdown]:
    """The breakdowns of one table; a header that is a year gives its column a period."""
    cells = [
        Cell(row=r, column=c, text=text, role="value" if c else "row_label", box=box(r, c))
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if text
    ]
    periods = [Period(end=dt.date(int(h), 12, 31), months=12) if h.isdigit() else None for h in headers]
    columns = (Column(), *(Column(header=h, period=p) for h, p in zip(headers, periods, strict=True)))
    table = Table(row_count=len(rows), column_count=len(columns), cells=tuple(cells), columns=columns, title=title)
    block = Block(kind="table", text=title, box=box(0, 0), table=table)
    page = Page(report_sha1="ab", page_number=7, width=9, height=9, blocks=(block,))
    return list(breakdowns_of([page], report("ab"), REVENUE))


def test_parts_that_add_up_to_a_known_total_are_a_breakdown_of_its_metric() -> None:
    (found,) = found_in(BY_REGION, ("2024", "2023"))
    assert [part.name for part in found.parts] == ["Europe", "Asia"]
    assert found.metrics == ("total_revenue",)
    assert found.scale == 1000
    assert found.years == (2024, 2023)


@pytest.mark.parametrize(
    ("symptom", "rows"),
    [
        ("a figure was misread", [("Europe", "66", "50"), *BY_REGION[1:]]),
        ("the other year does not add up", [("Europe", "60", "55"), *BY_REGION[1:]]),
        ("there is one part only", BY_REGION[1:]),
    ],
)
def test_a_table_that_does_not_add_up_gives_nothing(symptom: str, rows: Rows) -> None:
    assert found_in(rows, ("2024", "2023")) == [], symptom


def test_subtotals_are_parts_of_the_total_above_them() -> None:
    rows: Rows = [
        ("Lids", "25", "20"),
        ("Trays", "35", "30"),
        ("Total packaging", "60", "50"),
        ("Films", "40", "40"),
        ("Total", "100", "90"),
    ]
    inner, outer = found_in(rows, ("2024", "2023"))
    assert [part.name for part in inner.parts] == ["Lids", "Trays"]
    assert [part.name for part in outer.parts] == ["Total packaging", "Films"]


def test_segments_as_columns_are_parts_of_each_row() -> None:
    rows: Rows = [("Revenue", "60", "40", "100"), ("Profit", "7", "3", "10")]
    found = found_in(rows, ("Packaging", "Films", "Group"), title="2024")
    assert [f.subject for f in found] == ["Revenue", "Profit"]
    assert [part.name for part in found[0].parts] == ["Packaging", "Films"]


def test_figures_of_a_quarter_are_not_those_of_the_year() -> None:
    assert found_in(BY_REGION, ("2024", "2023"), title="Quarterly revenue by region") == []

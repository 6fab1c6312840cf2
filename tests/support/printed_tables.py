"""Pages with tables as they are printed, for what reads their rows."""

import datetime as dt
from collections.abc import Sequence

from storage.records.facts import Period
from storage.records.pages import Block, Cell, Column, Page, Table
from storage.records.record import Box
from storage.records.reports import Report

BOX = Box(left=0, top=0, right=9, bottom=9)
REPORT = Report(
    sha1="ab", file="acme.pdf", company="Acme", page_count=9, currency="USD", period_end=dt.date(2022, 12, 31)
)
YEAR = Period(end=dt.date(2022, 12, 31), months=12)
BEFORE = Period(end=dt.date(2021, 12, 31), months=12)


def page_of(number: int, *blocks: Block) -> Page:
    return Page(report_sha1="ab", page_number=number, width=9, height=9, blocks=blocks)


def paragraph(*sentences: str) -> Block:
    return Block(kind="paragraph", text=" ".join(sentences), box=BOX)


def table_of(title: str, rows: Sequence[tuple[str, ...]], columns: Sequence[Column]) -> Block:
    cells = [
        Cell(row=r, column=c, text=text, role="value" if c else "row_label")
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    ]
    made = Table(
        row_count=len(rows),
        column_count=len(columns) + 1,
        cells=tuple(cells),
        title=title,
        columns=(Column(), *columns),
    )
    return Block(kind="table", text="", box=BOX, table=made)


def years(scale: int | None = 1000) -> list[Column]:
    return [Column(header=str(p.end.year), period=p, scale=scale) for p in (YEAR, BEFORE)]


COSTS = table_of(
    "Operating costs",
    (
        ("Hops and malt", "60", "50"),
        ("Bottles", "(20)", "(25)"),
        ("Delivery vans", "30", "10"),
        ("Bank charges", "5", "5"),
        ("Delivery", "7", "6"),
        ("Total operating costs", "115", "90"),
    ),
    years(),
)

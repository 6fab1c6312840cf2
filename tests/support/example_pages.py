"""Page records small enough to know by heart: one with a table, and plain ones."""

import datetime as dt
from collections.abc import Sequence

from storage.records.facts import Period
from storage.records.pages import Block, BlockKind, Cell, Column, Line, Page, Table
from storage.records.record import Box
from storage.records.reports import Report

BOX = Box(left=1, top=2, right=3, bottom=4)
TABLE = Table(
    row_count=3,
    column_count=3,
    cells=(
        Cell(row=0, column=1, text="Year ended", role="column_header", column_span=2),
        Cell(row=1, column=1, text="2024", role="column_header"),
        Cell(row=1, column=2, text="2023", role="column_header"),
        Cell(row=2, column=0, text="Revenue | net", role="row_label"),
        Cell(row=2, column=1, text="(1,249)", box=BOX),
        Cell(row=2, column=2, text="–"),
    ),
    columns=(Column(), Column(period=Period(end=dt.date(2024, 12, 31), months=12), scale=1000), Column()),
)
PAGE = Page(
    report_sha1="ab",
    page_number=7,
    width=612,
    height=792,
    blocks=(
        Block(kind="furniture", text="Annual report", box=BOX),
        Block(kind="heading", text="Results", box=BOX, level=2, lines=(Line(text="Results", box=BOX),)),
        Block(kind="table", text="Revenue net (1,249) –", box=BOX, table=TABLE),
    ),
)


def report(sha1: str, company: str = "Acme Inc.", year: int = 2024) -> Report:
    return Report(
        sha1=sha1,
        file=f"{sha1}.pdf",
        company=company,
        page_count=3,
        currency="USD",
        period_end=dt.date(year, 12, 31),
    )


def plain_pages(sha1: str, numbers: Sequence[int]) -> list[Page]:
    box = Box(left=0, top=0, right=1, bottom=1)
    return [
        Page(
            report_sha1=sha1,
            page_number=n,
            width=9,
            height=9,
            blocks=(Block(kind="paragraph", text=f"page {n}", box=box),),
        )
        for n in numbers
    ]


def block(*texts: str, kind: BlockKind = "paragraph", table: Table | None = None) -> Block:
    """A block of printed lines, one below the other."""
    lines = tuple(
        Line(text=text, box=Box(left=50, top=20 * n, right=400, bottom=20 * n + 10))
        for n, text in enumerate(texts)
    )
    box = Box(left=50, top=0, right=400, bottom=20 * len(texts))
    return Block(kind=kind, text=" ".join(texts), box=box, lines=lines, table=table)


def pages(*blocks: list[Block]) -> list[Page]:
    """Pages of these blocks, numbered from 1."""
    return [
        Page(report_sha1="ab", page_number=number, width=595, height=842, blocks=tuple(found))
        for number, found in enumerate(blocks, start=1)
    ]

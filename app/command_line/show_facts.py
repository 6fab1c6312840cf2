"""The fact table on the terminal."""

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.fact_files import checks_told
from app.fact_rows import FactRow, FactSheet

PIPED_WIDTH = 200
_STYLE = {"high": "", "medium": "yellow", "low": "red"}


def fact_table(sheet: FactSheet) -> None:
    """One table for each company: a metric in each row, a year in each column, then where and how sure."""
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console = Console(file=sys.stdout, width=PIPED_WIDTH)
    groups: dict[str, list[list[FactRow]]] = {}
    for rows in sheet.by_metric():
        groups.setdefault(rows[0].company, []).append(rows)
    for company, metrics in groups.items():
        console.print(_table(company, metrics))
        for officer in (o for o in sheet.officers if o.company == company):
            console.print(f"  {officer.role}: {officer.name} (page {officer.page}, {officer.confidence})")
        told = sum(e.company == company for e in sheet.events)
        if told:
            console.print(f"  {told} sentences that tell events: --out FILE or --json shows them")
        console.print()
    if not groups:
        console.print("The reports print nothing of it.")


def _table(company: str, metrics: list[list[FactRow]]) -> Table:
    years = sorted({row.year for rows in metrics for row in rows if row.year}, reverse=True)
    table = Table(title=company, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("metric")
    table.add_column("unit")
    for year in years:
        table.add_column(str(year), justify="right", no_wrap=True)
    table.add_column("page", justify="right")
    table.add_column("sure")
    table.add_column("checks")
    for rows in metrics:
        by_year = {row.year: row for row in rows}
        values = [_value(by_year.get(year)) for year in years]
        latest = rows[0]
        sure = Text(latest.confidence, _STYLE[latest.confidence])
        table.add_row(latest.title, latest.unit, *values, str(latest.page), sure, checks_told(latest.checks))
    return table


def _value(row: FactRow | None) -> str:
    if row is None:
        return ""
    return f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:,.10g}"

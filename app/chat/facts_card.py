"""A company's facts as the table on the screen. No Chainlit here."""

from pydantic import JsonValue

from app.fact_rows import FactRow, FactSheet, OfficerRow
from storage.record import Record

MOST_YEARS = 3


class FactCell(Record):
    """One figure and the page that prints it."""

    value: str
    printed: str
    page: int
    pdf: str
    sure: bool


class FactLine(Record):
    """One metric: a cell for each year, None where the report prints none."""

    metric: str
    unit: str
    cells: tuple[FactCell | None, ...]


class Officer(Record):
    """Who holds an office, and the page that says so."""

    role: str
    name: str
    page: int
    pdf: str


class FactsCard(Record):
    """A company's facts, latest year first."""

    company: str
    files: tuple[str, ...]
    years: tuple[int, ...]
    lines: tuple[FactLine, ...]
    officers: tuple[Officer, ...]
    copied: str


def facts_card(company: str, sheet: FactSheet) -> dict[str, JsonValue]:
    """The props of the table: JSON only."""
    years = sheet.years()[:MOST_YEARS]
    lines = tuple(_line(rows, years) for rows in sheet.by_metric() if any(row.year in years for row in rows))
    card = FactsCard(
        company=company,
        files=tuple(dict.fromkeys(row.file for row in sheet.facts)),
        years=years,
        lines=lines,
        officers=tuple(_officer(row) for row in sheet.officers),
        copied=_copied(years, lines),
    )
    return card.model_dump(mode="json")


def _line(rows: list[FactRow], years: tuple[int, ...]) -> FactLine:
    by_year = {row.year: row for row in rows}
    cells = tuple(_cell(by_year[year]) if year in by_year else None for year in years)
    return FactLine(metric=rows[0].title, unit=rows[0].unit, cells=cells)


def _cell(row: FactRow) -> FactCell:
    value = f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:,.10g}"
    return FactCell(
        value=value,
        printed=row.printed,
        page=row.page,
        pdf=_pdf(row.report_sha1, row.page),
        sure=row.confidence == "high",
    )


def _officer(row: OfficerRow) -> Officer:
    return Officer(role=row.role, name=row.name, page=row.page, pdf=_pdf(row.report_sha1, row.page))


def _pdf(sha1: str, page: int) -> str:
    return f"/report/{sha1}.pdf#page={page}"


def _copied(years: tuple[int, ...], lines: tuple[FactLine, ...]) -> str:
    """Tab-separated, as spreadsheets take it; full figures without separators."""
    head = "\t".join(["metric", "unit", *map(str, years), "page"])
    rows = [
        "\t".join(
            [
                line.metric,
                line.unit,
                *(cell.value.replace(",", "") if cell else "" for cell in line.cells),
                str(next(cell.page for cell in line.cells if cell)),
            ]
        )
        for line in lines
    ]
    return "\n".join([head, *rows])

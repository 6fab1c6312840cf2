"""Two lists on the screen: a company's facts, and the companies of the library. No Chainlit here."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from app.chat.cards.links import LinkedReports
from app.library.fact_sheet import FactRow, FactSheet, OfficerRow
from app.page_pictures import page_address
from storage.records.record import Record
from storage.records.reports import Company, Report
from storage.text import capital

MOST_YEARS = 3


class FactCell(Record):
    """One figure and the page that prints it; `page_printed` is the number that the page itself prints."""

    value: str
    printed: str
    page: int
    page_printed: str = ""
    link: str
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
    link: str


class FactsCard(Record):
    """A company's facts, latest year first."""

    company: str
    files: tuple[str, ...]
    years: tuple[str, ...]
    lines: tuple[FactLine, ...]
    officers: tuple[Officer, ...]


def facts_card(company: str, sheet: FactSheet, reports: LinkedReports) -> dict[str, JsonValue]:
    """The props of the table: JSON only."""
    years = sheet.columns()[:MOST_YEARS]
    lines = tuple(
        _line(rows, years, reports) for rows in sheet.by_metric() if any(row.label in years for row in rows)
    )
    card = FactsCard(
        company=company,
        files=tuple(dict.fromkeys(row.file for row in sheet.facts)),
        years=years,
        lines=lines,
        officers=tuple(_officer(row) for row in sheet.officers),
    )
    return card.model_dump(mode="json")


def _line(rows: list[FactRow], years: tuple[str, ...], reports: LinkedReports) -> FactLine:
    by_year = {row.label: row for row in rows}
    cells = tuple(_cell(by_year[year], reports) if year in by_year else None for year in years)
    return FactLine(metric=rows[0].title, unit=rows[0].unit, cells=cells)


def _cell(row: FactRow, reports: LinkedReports) -> FactCell:
    return FactCell(
        value=row.value_text,
        printed=row.printed,
        page=row.page,
        page_printed=reports.printed(reports.report(row.report_sha1), row.page),
        link=page_address(row.report_sha1, row.page, row.boxes),
        sure=row.confidence == "high",
    )


def _office(role: str) -> str:
    """An office as people call it: "Chief financial officer", "Chair"."""
    return f"{capital(role)}{' officer' if role.startswith('chief ') else ''}"


def _officer(row: OfficerRow) -> Officer:
    return Officer(
        role=_office(row.role),
        name=row.name,
        page=row.page,
        link=page_address(row.report_sha1, row.page, row.boxes),
    )


MOST_LISTED = 200  # companies; the browser draws them all at once


class ListedReport(Record):
    """One report of a company.

    Attributes:
        year: of the report, or "year unknown".
        whose: "yours" or "shared", where there is a difference.
        can_remove: the person who looks at it may.
    """

    sha1: str
    year: str
    file: str
    pages: int
    pdf: str
    whose: str
    can_remove: bool


class ListedCompany(Record):
    """One company and its reports, newest first."""

    name: str
    currency: str
    reports: tuple[ListedReport, ...]


class CompaniesCard(Record):
    """What the screen shows; `more` companies are left out."""

    companies: tuple[ListedCompany, ...]
    counts: str
    more: int
    takes_uploads: bool


def companies_card(
    companies: Sequence[Company],
    owns: Callable[[str], bool],
    may_change: Callable[[str], bool],
    *,
    is_personal: bool,
    takes_uploads: bool,
) -> dict[str, JsonValue]:
    """The props of the list: JSON only.

    Args:
        companies: everything that can be asked about.
        owns: whether a report, by SHA-1, is in the library of the person who looks.
        may_change: whether that person may remove it.
        is_personal: that library is theirs alone, beside the shared one.
        takes_uploads: whether PDFs can be sent in the chat.
    """
    listed = companies[:MOST_LISTED]
    reports = sum(len(company.reports) for company in companies)
    card = CompaniesCard(
        companies=tuple(_listed(company, owns, may_change, is_personal) for company in listed),
        counts=f"{_count(len(companies), 'company', 'companies')}, {_count(reports, 'report', 'reports')}",
        more=len(companies) - len(listed),
        takes_uploads=takes_uploads,
    )
    return card.model_dump(mode="json")


def _listed(
    company: Company, owns: Callable[[str], bool], may_change: Callable[[str], bool], is_personal: bool
) -> ListedCompany:
    currencies = dict.fromkeys(r.currency for r in company.reports if r.currency)
    return ListedCompany(
        name=company.name,
        currency=", ".join(currencies),
        reports=tuple(
            _report(report, _whose(owns(report.sha1), is_personal), may_change(report.sha1))
            for report in company.reports
        ),
    )


def _whose(is_own: bool, is_personal: bool) -> str:
    return ("yours" if is_own else "shared") if is_personal else ""


def _report(report: Report, whose: str, can_remove: bool) -> ListedReport:
    year = report.year_name
    return ListedReport(
        sha1=report.sha1,
        year=str(year) if year else "year unknown",
        file=report.file,
        pages=report.page_count,
        pdf=f"/report/{report.sha1}.pdf",
        whose=whose,
        can_remove=can_remove,
    )


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"

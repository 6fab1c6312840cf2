"""What is in the library, company by company, as the card on the screen. No Chainlit here."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from storage.record import Record
from storage.reports import Company, Report

MOST_LISTED = 200  # companies; the browser draws them all at once


class ListedReport(Record):
    """One report of a company.

    Attributes:
        year: of the report, or "year unknown".
        whose: "yours" or "shared", where there is a difference.
        can_remove: it is in the library of the person who looks at it.
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
    told: str
    more: int
    takes_uploads: bool


def companies_card(
    companies: Sequence[Company], keeps: Callable[[str], bool], *, is_personal: bool, takes_uploads: bool
) -> dict[str, JsonValue]:
    """The props of the list: JSON only.

    Args:
        companies: everything that can be asked about.
        keeps: whether a report, by SHA-1, is in the library of the person who looks.
        is_personal: that library is theirs alone, beside the shared one.
        takes_uploads: whether PDFs can be sent in the chat.
    """
    listed = companies[:MOST_LISTED]
    reports = sum(len(company.reports) for company in companies)
    card = CompaniesCard(
        companies=tuple(_listed(company, keeps, is_personal) for company in listed),
        told=f"{_count(len(companies), 'company', 'companies')}, {_count(reports, 'report', 'reports')}",
        more=len(companies) - len(listed),
        takes_uploads=takes_uploads,
    )
    return card.model_dump(mode="json")


def _listed(company: Company, keeps: Callable[[str], bool], is_personal: bool) -> ListedCompany:
    currencies = dict.fromkeys(r.currency for r in company.reports if r.currency)
    return ListedCompany(
        name=company.name,
        currency=", ".join(currencies),
        reports=tuple(_report(report, keeps(report.sha1), is_personal) for report in company.reports),
    )


def _report(report: Report, is_kept: bool, is_personal: bool) -> ListedReport:
    year = report.fiscal_year or (report.period_end.year if report.period_end else None)
    return ListedReport(
        sha1=report.sha1,
        year=str(year) if year else "year unknown",
        file=report.file,
        pages=report.page_count,
        pdf=f"/report/{report.sha1}.pdf",
        whose=("yours" if is_kept else "shared") if is_personal else "",
        can_remove=is_kept,
    )


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"

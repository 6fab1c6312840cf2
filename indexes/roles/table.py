"""The table of who holds which office, seat and shares, read once from a whole report."""

from collections.abc import Iterable, Sequence

from indexes.roles.auditors import auditor_of
from indexes.roles.boards import people_in_sections
from indexes.roles.committees import committees_of
from indexes.roles.holders import holders_in
from indexes.roles.officers import officers_of, successors_of
from indexes.roles.offices import CHIEFS, load_offices
from indexes.roles.shareholders import shareholders_of
from storage.records.facts import Seat
from storage.records.pages import Page
from storage.records.sections import Section


def seats_of(
    pages: Sequence[Page], sections: Sequence[Section], company: str, told: Iterable[tuple[int, str]] = ()
) -> tuple[Seat, ...]:
    """Who holds an office or has a seat, as a report says it.

    Args:
        pages: of the report, in order.
        sections: of the report.
        company: whose report it is.
        told: its sentences, each with the number of its page.

    Returns:
        The chief officers, the auditor, the holders of other offices, those who are to take an office, the members of
        committees with their chairs, and the people whom sections list, in the order of the page; the largest holders
        of shares.
    """
    officers = officers_of(pages, company)
    auditor = auditor_of(pages, sections, company)
    others = []
    for office in load_offices():
        if not office.is_chief and office.id != "auditor":
            labelled = holders_in(office, pages, company)
            others += labelled or [seat for seat in officers if seat.role == office.id]
    return (
        *(seat for seat in officers if seat.role in CHIEFS),
        *([auditor] if auditor else ()),
        *others,
        *successors_of(told, pages[0].report_sha1 if pages else ""),
        *committees_of(pages),
        *people_in_sections(pages, sections),
        *shareholders_of(pages, company),
    )

"""Read-only protocols for catalog, pages and facts: of one library, or of several that are read as one."""

from collections.abc import Iterable
from typing import Protocol

from storage.files import Stamp
from storage.records.facts import ReportFacts
from storage.records.pages import Page
from storage.records.reports import Company, Report


class KnownCompanies(Protocol):
    """A catalog."""

    def companies(self) -> tuple[Company, ...]:
        """Every company, by name, each with its reports, newest first; the same object until something changes."""
        ...

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None when it is not known."""
        ...


class StoredPages(Protocol):
    """Page records."""

    def stamp(self, sha1: str) -> Stamp:
        """A value that changes whenever the report's pages are written."""
        ...

    def read(self, sha1: str, page_numbers: Iterable[int] | None = None) -> list[Page]:
        """Pages in the requested order; without numbers, every page in order."""
        ...


class StoredFacts(Protocol):
    """Facts of reports."""

    def __contains__(self, report: Report) -> bool: ...

    def stamp(self, report: Report) -> Stamp:
        """A value that changes whenever the report's facts are written."""
        ...

    def read(self, report: Report) -> ReportFacts:
        """The facts of a report."""
        ...

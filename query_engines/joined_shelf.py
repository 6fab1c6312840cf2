"""The loaded indexes of two libraries read as one: each report's where the report is."""

from typing import Protocol

from indexes.joined_library import JoinedLibrary
from query_engines.index_shelf import IndexShelf, ReportSearch
from storage.reports import Report


class Searches(Protocol):
    """Gives what is searched in a report."""

    def get(self, company: str, report: Report) -> ReportSearch:
        """What is searched in one of the company's reports."""
        ...


class JoinedShelf:
    """The indexes of both."""

    def __init__(self, library: JoinedLibrary, shared: IndexShelf, own: IndexShelf) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def get(self, company: str, report: Report) -> ReportSearch:
        """What is searched in one of the company's reports.

        Raises:
            MissingIndex: there is no index under these settings.
        """
        name = self._library.own_name(report.sha1)
        return self._shared.get(company, report) if name is None else self._own.get(name, report)

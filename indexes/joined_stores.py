"""Pages, facts and indexes of two libraries read as one: each report's where the report is."""

from collections.abc import Iterable

from indexes.company_index import CompanyIndexes
from indexes.joined_library import JoinedLibrary
from storage.fact_store import FactStore
from storage.facts import ReportFacts
from storage.files import Stamp
from storage.page_store import PageStore
from storage.pages import Page
from storage.reports import Report


class JoinedPages:
    """The pages of both."""

    def __init__(self, library: JoinedLibrary, shared: PageStore, own: PageStore) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def stamp(self, sha1: str) -> Stamp:
        """What changes whenever the report's pages are written."""
        return self._of(sha1).stamp(sha1)

    def read(self, sha1: str, page_numbers: Iterable[int] | None = None) -> list[Page]:
        """Pages in the order asked for; every page in order when none are named.

        Raises:
            MissingIndex: the report was not read with this reader.
            KeyError: it has no such page.
        """
        return self._of(sha1).read(sha1, page_numbers)

    def _of(self, sha1: str) -> PageStore:
        return self._shared if self._library.own_name(sha1) is None else self._own


class JoinedFacts:
    """The facts of both."""

    def __init__(self, library: JoinedLibrary, shared: FactStore, own: FactStore) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def __contains__(self, report: Report) -> bool:
        store, known = self._of(report)
        return known in store

    def stamp(self, report: Report) -> Stamp:
        """What changes whenever the report's facts are written."""
        store, known = self._of(report)
        return store.stamp(known)

    def read(self, report: Report) -> ReportFacts:
        """The facts of a report.

        Raises:
            MissingIndex: none were kept under this fingerprint.
        """
        store, known = self._of(report)
        return store.read(known)

    def _of(self, report: Report) -> tuple[FactStore, Report]:
        """Where the report's facts are, and the report as it is known there: its company's name is in their key."""
        name = self._library.own_name(report.sha1)
        if name is None:
            return self._shared, report
        return self._own, report.model_copy(update={"company": name})


class JoinedGenerations:
    """Which indexes of a company are published."""

    def __init__(self, library: JoinedLibrary, shared: CompanyIndexes, own: CompanyIndexes) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def __call__(self, company: str) -> str | None:
        """Another text after each publishing, in either library; None before the first."""
        parts = [self._shared.generation(company), *map(self._own.generation, self._library.own_parts(company))]
        published = [part or "-" for part in parts]
        return " ".join(published) if any(parts) else None

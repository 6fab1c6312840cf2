"""Which reports a person may open, and where they are kept. No Chainlit here."""

from dataclasses import dataclass

from app.chat.client_view import ChatClient
from storage.library import Library
from storage.paths import DataPaths
from storage.reports import Report


@dataclass(frozen=True)
class FoundReport:
    """A report and the data root that keeps it; `own` where it is one person's."""

    report: Report
    paths: DataPaths
    own: bool


class ReportHomes:
    """Looks reports up in the shared library and in the asking person's own, never in another's."""

    def __init__(self, shared: ChatClient) -> None:
        self._shared = shared

    def find(self, sha1: str, owner: str | None) -> FoundReport | None:
        """The report, or None where this person has none with this SHA-1."""
        report = self._shared.report(sha1)
        if report is not None:
            return FoundReport(report=report, paths=self._shared.paths, own=False)
        if owner is None:
            return None
        paths = self._shared.paths.of_owner(owner)
        own = Library(paths.catalog).report(sha1) if paths.catalog.exists() else None  # looking makes no file
        return FoundReport(report=own, paths=paths, own=True) if own else None

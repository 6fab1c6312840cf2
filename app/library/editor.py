"""Changing one library: reports come in, are corrected, and leave."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app.library.company_edits import apply_edit
from app.library.fact_sheet import FactSheet, KnownFacts
from app.library.removal import discard_report, finish_removals, remove_report
from indexes.ingestion.ingestion import Ingestor
from indexes.ingestion.requests import Ingested, IngestRequest, OnProgress, Stopped
from indexes.search.index_edits import OpenStores
from storage.errors import UsageError
from storage.records.reports import Company, Report
from storage.stores.catalog_edits import CatalogEdit, ReportEdit, catalog_edit


class LibraryEditor:
    """Changes one library. Every client over the library sees a change at its next question.

    Attributes:
        paths: the library's data root.
    """

    def __init__(
        self,
        ingestor: Ingestor,
        stores: OpenStores,
        known_facts: KnownFacts,
        prune: Callable[[], None] = lambda: None,
    ) -> None:
        """Change the library that an ingestor fills.

        Args:
            ingestor: brings reports into it.
            stores: opens what holds the vectors of its indexes.
            known_facts: the facts of its reports, and of the shared library's where this is a person's own.
            prune: brings the library's caches within their limits; called after each ingestion.
        """
        self.paths = ingestor.stores.paths
        self._library = ingestor.stores.library
        self._shared = ingestor.stores.shared
        self._ingestor = ingestor
        self._stores = stores
        self._known_facts = known_facts
        self._prune = prune

    def owns(self, sha1: str) -> bool:
        """Whether the report is in this library, so that it can be corrected and removed."""
        return self._library.report(sha1) is not None

    def load_embedder(self) -> None:
        """Load the embedding model now rather than at the first need."""
        self._ingestor.load_embedder()

    def pdfs(self, paths: Sequence[Path]) -> list[Path]:
        """The PDFs that a request with these paths would take.

        Raises:
            UsageError: a path does not exist, or there is no PDF.
        """
        return self._ingestor.pdfs(paths)

    def ingest(
        self, request: IngestRequest, on_progress: OnProgress | None = None, stopped: Stopped | None = None
    ) -> Iterator[Ingested]:
        """Ingest PDFs; yields what became of each as it is done.

        In a person's own library, a report of the shared library counts as there, and is not read again.

        Raises:
            UsageError: a path does not exist, there is no PDF, or the catalog cannot be read.
            SetupError: what an earlier removal left cannot be removed, or a PDF cannot be read here at all.
            IngestionStopped: it was stopped.
        """
        finish_removals(self.paths, self._library, self._stores)
        return self._then_tidied(self._ingestor.ingest(request, on_progress, stopped))

    def _then_tidied(self, results: Iterator[Ingested]) -> Iterator[Ingested]:
        """Leave nothing of a report that was removed while it was ingested, and caches within their limits."""
        try:
            yield from results
        finally:
            finish_removals(self.paths, self._library, self._stores)
        self._prune()

    def fact_sheet(self, companies: Sequence[str] = (), metrics: Sequence[str] = ()) -> FactSheet:
        """The facts of the named companies, or of all; without metrics every one, and officers and events too.

        Raises:
            UsageError: a company or metric that is not known.
            MissingIndex: the library is empty, or no facts are stored for these settings.
        """
        return self._known_facts.sheet(companies, metrics)

    def correct(
        self,
        sha1: str,
        *,
        company: str | None = None,
        currency: str | None = None,
        period_end: dt.date | None = None,
    ) -> Report:
        """Correct what is known of a report; its index goes along, and its facts are read again.

        Args:
            sha1: the report's.
            company: its company's name; a known company's makes it one of that company's reports.
            currency: three letters.
            period_end: the last day of its period.

        Returns:
            The report as it is known now, beside the shared library where there is one. What is None stays as it was.

        Raises:
            UsageError: it is not in this library, or a value is wrong; nothing is changed then.
        """

        def work_out(known: Sequence[Company]) -> CatalogEdit:
            report = self._own_report(sha1)
            wanted = ReportEdit(
                sha1=sha1,
                company=report.company if company is None else company,
                currency=report.currency if currency is None else currency.strip().upper(),
                period_end=period_end or report.period_end,
            )
            edit = catalog_edit(known, [wanted], {})
            for changed in edit.reports:  # the facts first: a kill in between leaves them unused, not missing
                self._ingestor.read_facts(changed)
            return edit

        apply_edit(self.paths, self._library, work_out, self._stores)
        return self._known_facts.library.report(sha1) or self._own_report(sha1)

    def remove(self, sha1: str) -> None:
        """Remove a report and everything that was made of it; after a kill, removing it again goes on.

        Raises:
            UsageError: it is not in this library.
            SetupError: its files cannot be removed.
        """
        if not remove_report(self.paths, self._library, sha1, self._stores):
            self._own_report(sha1)

    def discard(self, sha1: str) -> None:
        """Remove what an ingestion that was stopped or failed left of a report that is not in this library.

        Raises:
            SetupError: something cannot be removed.
        """
        discard_report(self.paths, self._library, sha1)

    def _own_report(self, sha1: str) -> Report:
        report = self._library.report(sha1)
        if report is not None:
            return report
        if self._shared is not None and self._shared.report(sha1) is not None:
            raise UsageError(
                f"the report {sha1!r} is in the shared library; only reports that you added can be changed or removed"
            )
        raise UsageError(f"there is no report {sha1!r} in the library; see `pageproof companies`")

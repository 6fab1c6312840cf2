"""Changing one library: reports come in, are put right, and leave."""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from app.library.company_edits import apply_edit
from app.library.removal import discard_report, finish_removals, remove_report
from indexes.ingestion.ingestion import Ingested, Ingestor, OnProgress, Stopped, Until, find_pdfs
from indexes.report_identity.catalog import Catalog
from indexes.search.index_edits import OpenStores
from storage.errors import UsageError
from storage.paths import DataPaths
from storage.records.reports import Report
from storage.stores.catalog_edits import ReportEdit, catalog_edit
from storage.stores.library import Library


class LibraryEditor:
    """Keeps one library.

    Args:
        paths: its data root.
        library: its catalog.
        ingestor: brings reports into it.
        stores: opens what keeps the vectors of its indexes.
        shared: the catalog of the shared library, where this is a person's own: its reports cannot be changed here.
        prune: brings the library's caches within their limits; called after each ingestion.
    """

    def __init__(
        self,
        paths: DataPaths,
        library: Library,
        ingestor: Ingestor,
        stores: OpenStores,
        shared: Library | None = None,
        prune: Callable[[], None] = lambda: None,
    ) -> None:
        self._paths = paths
        self._library = library
        self._ingestor = ingestor
        self._stores = stores
        self._shared = shared
        self._prune = prune

    def owns(self, sha1: str) -> bool:
        """Whether the report is in this library, so that it can be put right and removed."""
        return self._library.report(sha1) is not None

    def load_embedder(self) -> None:
        """Load the embedding model now rather than at the first need."""
        self._ingestor.load_embedder()

    def ingest(
        self,
        paths: Sequence[Path],
        catalog: Path | None = None,
        workers: int | None = None,
        on_progress: OnProgress | None = None,
        until: Until = "index",
        names: Mapping[Path, str] | None = None,
        stopped: Stopped | None = None,
    ) -> Iterator[Ingested]:
        """Ingest PDFs and folders of PDFs, or without any the library's own reports; yields what became of each."""
        known = Catalog.read(catalog) if catalog else None
        finish_removals(self._paths, self._library, self._stores)
        results = self._ingestor.ingest(self.pdfs(paths), known, workers, on_progress, until, names, stopped)
        return self._then_pruned(results)

    def pdfs(self, paths: Sequence[Path]) -> list[Path]:
        """The PDFs that `ingest` would take.

        Raises:
            UsageError: a path does not exist, or there is no PDF.
        """
        stored = [] if paths else self._ingestor.stored_pdfs()
        if not paths and not stored:
            raise UsageError("the library has no reports yet; name a PDF or a folder")
        return find_pdfs(paths) if paths else stored

    def correct(
        self, sha1: str, *, company: str | None, currency: str | None, period_end: dt.date | None
    ) -> Report:
        """Put right what is known of a report; its index goes along, and its facts are read anew by it.

        Args:
            sha1: the report's.
            company: its company's name; a known company's makes it one of that company's reports.
            currency: three letters.
            period_end: the last day of its period.

        Returns:
            The report as it is known now. What is None stays as it was.

        Raises:
            UsageError: it is not in this library, or a value is wrong; nothing is changed then.
        """
        report = self._own_report(sha1)
        known = self._library.companies()
        wanted = ReportEdit(
            sha1=sha1,
            company=report.company if company is None else company,
            currency=report.currency if currency is None else currency.strip().upper(),
            period_end=period_end or report.period_end,
        )
        edit = catalog_edit(known, [wanted], {})
        for changed in edit.reports:  # the facts first: a kill in between leaves them unused, not missing
            self._ingestor.read_facts(changed)
        if not edit.changes_nothing:
            apply_edit(self._paths, self._library, edit, self._stores)
        return self._own_report(sha1)

    def remove(self, sha1: str) -> None:
        """Remove a report and everything that was made of it; after a kill, removing it again goes on.

        Raises:
            UsageError: it is not in this library.
            SetupError: its files cannot be removed.
        """
        if not remove_report(self._paths, self._library, sha1, self._stores):
            self._own_report(sha1)

    def discard(self, sha1: str) -> None:
        """Remove what an ingestion that was stopped or failed left of a report that is not in this library.

        Raises:
            SetupError: something cannot be removed.
        """
        discard_report(self._paths, self._library, sha1)

    def _then_pruned(self, results: Iterator[Ingested]) -> Iterator[Ingested]:
        yield from results
        self._prune()

    def _own_report(self, sha1: str) -> Report:
        report = self._library.report(sha1)
        if report is not None:
            return report
        if self._shared is not None and self._shared.report(sha1) is not None:
            raise UsageError(
                f"the report {sha1!r} is in the shared library; only reports that you added can be changed or removed"
            )
        raise UsageError(f"there is no report {sha1!r} in the library; see `pageproof companies`")

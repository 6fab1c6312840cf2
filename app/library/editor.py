"""Changes one library: adds, corrects and removes reports."""

import datetime as dt
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.library.fact_sheet import FactSheet, KnownFacts
from app.library.overview import Overview, Overviews
from app.library.removal import discard_report, finish_removals, remove_report
from indexes.ingestion.ingestion import Ingestor
from indexes.ingestion.requests import Ingested, IngestRequest, OnProgress, Stopped
from indexes.search.index_edits import OpenStores
from storage.components import wrong_fields
from storage.errors import UsageError, check_type
from storage.records.record import Record
from storage.records.reports import Company, Report
from storage.records.sections import SectionKinds
from storage.stores.catalog_edits import CatalogEdit, ReportEdit, catalog_edit
from storage.stores.database import full_disks_explained
from storage.stores.library import CatalogCopies
from storage.stores.protocols import StoredPages
from storage.text import plural

if TYPE_CHECKING:  # it loads openpyxl
    from app.library.company_edits import WorkOut

_SHA1 = "the SHA-1 of a report, as `pageproof companies` and citations have it"
# Roughly the processor seconds of a page, with its vectors and without; scanned pages take far longer.
_SECONDS_READ, _SECONDS_EXTRACTED = 0.25, 0.03


class Outdated(Record):
    """Reports that an older version, or other settings, made something of.

    Attributes:
        read: the PDFs are to be read again, and all that follows from their pages.
        extracted: the pages are there; their facts are to be made again.
    """

    read: tuple[Report, ...] = ()
    extracted: tuple[Report, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.read or self.extracted)

    @property
    def cost(self) -> str:
        """What is to be done, and about how many minutes of one core it takes."""
        pages = [sum(report.page_count for report in reports) for reports in (self.read, self.extracted)]
        minutes = math.ceil((pages[0] * _SECONDS_READ + pages[1] * _SECONDS_EXTRACTED) / 60)
        todo = [
            f"{plural(len(reports), 'report')} {what}"
            for reports, what in ((self.read, "to read"), (self.extracted, "with facts to make"))
            if reports
        ]
        return f"{' and '.join(todo)}, about {plural(minutes, 'minute')} of one core"


class LibraryEditor:
    """Changes one library. Every client of the library sees a change at its next question.

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
        """Make an editor of the library that an ingestor fills.

        Args:
            ingestor: brings reports into it.
            stores: opens the vector stores of its indexes.
            known_facts: the facts of its reports; in a person's own library, also those of the shared library.
            prune: reduces the library's caches to their limits; called after each ingestion.
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
        check_type("sha1", sha1, str, _SHA1)
        return self._library.report(sha1) is not None

    def warm_up(self, *, reading: bool = True) -> None:
        """Load the embedding model before its first use; with `reading`, begin to load what reads PDFs."""
        self._ingestor.warm_up(reading=reading)

    def pdfs(self, paths: Sequence[Path]) -> list[Path]:
        """The PDFs that a request with these paths would take.

        Raises:
            UsageError: a path does not exist, or there is no PDF.
        """
        paths = [paths] if isinstance(paths, str | Path) else paths
        check_type("paths", paths, (list, tuple), "a list of files and folders")
        for path in paths:
            check_type("a path", path, (str, Path), "a file or a folder")
        return self._ingestor.pdfs([Path(path) for path in paths])

    def ingest(
        self, request: IngestRequest, on_progress: OnProgress | None = None, stopped: Stopped | None = None
    ) -> Iterator[Ingested]:
        """Ingest PDFs; yields the result of each as soon as it is done.

        In a person's own library, a report of the shared library counts as present and is not read again.

        Raises:
            UsageError: a path does not exist, there is no PDF, the catalog cannot be read, the pages cannot be
                exported to that folder, or what is to be called is no function.
            SetupError: leftovers of an earlier removal cannot be removed, or PDFs cannot be read here at all.
            IngestionStopped: it was stopped.
        """
        check_type("request", request, IngestRequest, "an IngestRequest, such as IngestRequest(paths=['reports'])")
        with full_disks_explained():
            finish_removals(self.paths, self._library, self._stores)
        return self._then_tidied(self._ingestor.ingest(request, on_progress, stopped))

    def read_pictures(self, on_progress: OnProgress | None = None, stopped: Stopped | None = None) -> None:
        """Read the text in pictures that ingestions left for later, and publish the reports in which there is some.

        Raises:
            SetupError: PDFs cannot be read here at all, or the disk is full.
            IngestionStopped: it was stopped; another time goes on.
        """
        with full_disks_explained():
            try:
                self._ingestor.read_pictures(on_progress, stopped)
            finally:
                finish_removals(self.paths, self._library, self._stores)

    def with_unread_pictures(self) -> list[Report]:
        """The reports with pictures whose text is left for later."""
        return self._ingestor.with_unread_pictures()

    def _then_tidied(self, results: Iterator[Ingested]) -> Iterator[Ingested]:
        """Remove what is left of reports that were removed during the ingestion, and prune the caches."""
        with full_disks_explained():
            try:
                yield from results
            finally:
                finish_removals(self.paths, self._library, self._stores)
            self.copy_catalog()
            self._prune()

    def make_again(self) -> Iterator[Ingested]:
        """Make again what is damaged of what these settings made; yields what became of each report."""
        damaged = self._ingestor.stores.damaged()
        pdfs = [self.paths.report_pdf(report.sha1) for report in damaged]
        if pdfs:  # one whose PDF is gone, too, cannot be named: then every report is looked at
            paths = pdfs if all(path.is_file() for path in pdfs) else []
            yield from self.ingest(IngestRequest(paths=paths))

    def outdated(self) -> Outdated:
        """What an older version, or other settings, made of the reports and these settings make again."""
        stores = self._ingestor.stores
        reports = stores.outdated()
        return Outdated(
            read=tuple(report for report in reports if report.sha1 not in stores.pages),
            extracted=tuple(report for report in reports if report.sha1 in stores.pages),
        )

    def overview(self, company: str, pages: StoredPages, sha1: str | None = None) -> Overview:
        """What the newest report of a company holds, or the one with this SHA-1.

        Raises:
            UsageError: the name fits no company, or several.
            MissingIndex: the library is empty, or no facts are stored for these settings.
        """
        return Overviews(self._known_facts, pages, SectionKinds.load()).of(company, sha1)

    def fact_sheet(
        self, companies: Sequence[str] = (), metrics: Sequence[str] = (), *, calculated: bool = False
    ) -> FactSheet:
        """The facts of the named companies, or of all; without metrics, all metrics with officers and events.

        A derived metric comes with the figures that it is calculated from. `calculated` adds all derived metrics.

        Raises:
            UsageError: a company or metric is unknown.
            MissingIndex: the library is empty, or no facts are stored for these settings.
        """
        return self._known_facts.sheet(companies, metrics, calculated=calculated)

    def correct(
        self,
        sha1: str,
        *,
        company: str | None = None,
        currency: str | None = None,
        period_end: dt.date | None = None,
    ) -> Report:
        """Correct the data of a report. Its index entries move along, and its facts are read again.

        Args:
            sha1: of the report.
            company: the name of its company; with a known name it becomes a report of that company.
            currency: its code of three letters, its sign or its name.
            period_end: the last day of its period.

        Returns:
            The corrected report, as a client of the library sees it. Values that are None stay unchanged.

        Raises:
            UsageError: the report is not in this library, or a value is wrong; nothing is changed then.
        """
        check_type("sha1", sha1, str, _SHA1)
        check_type("company", company, (str, type(None)), "a name")

        def work_out(known: Sequence[Company]) -> CatalogEdit:
            report = self._own_report(sha1)
            try:
                wanted = ReportEdit(
                    sha1=sha1,
                    company=report.company if company is None else company,
                    currency=currency.strip() if isinstance(currency, str) else currency or report.currency,
                    period_end=period_end or report.period_end,
                )
            except ValidationError as error:
                raise UsageError(f"the report is not corrected: {wrong_fields(error)}") from error
            return catalog_edit(known, [wanted], {})

        self.edit(work_out)
        return self._known_facts.library.report(sha1) or self._own_report(sha1)

    def edit(self, work_out: "WorkOut") -> CatalogEdit:
        """Change the catalog, completely or not at all. Index entries move along, and facts are read again.

        Raises:
            UsageError: the edit is wrong; nothing is changed then.
        """
        from app.library.company_edits import apply_edit  # late: openpyxl

        def with_facts(known: Sequence[Company]) -> CatalogEdit:
            edit = work_out(known)
            for changed in edit.reports:  # the facts first, so that after a kill they are unused, but not missing
                self._ingestor.read_facts(changed)
            return edit

        with full_disks_explained():
            edit = apply_edit(self.paths, self._library, with_facts, self._stores)
        self.copy_catalog()
        return edit

    def remove(self, sha1: str) -> None:
        """Remove a report and everything that was made from it. After a kill, a repeated removal continues.

        Raises:
            UsageError: the report is not in this library.
            SetupError: its files cannot be removed.
        """
        check_type("sha1", sha1, str, _SHA1)
        with full_disks_explained():
            if not remove_report(self.paths, self._library, sha1, self._stores):
                self._own_report(sha1)
        self.copy_catalog()

    def discard(self, sha1: str) -> None:
        """Remove the leftovers of a stopped or failed ingestion of a report that is not in this library.

        Raises:
            UsageError: it is no SHA-1.
            SetupError: something cannot be removed.
        """
        check_type("sha1", sha1, str, _SHA1)
        discard_report(self.paths, self._library, sha1)

    def copy_catalog(self) -> None:
        """Copy the catalog as today's copy, to go back to."""
        CatalogCopies(self.paths.catalog, self.paths.copies).take()

    def _own_report(self, sha1: str) -> Report:
        report = self._library.report(sha1)
        if report is not None:
            return report
        if self._shared is not None and self._shared.report(sha1) is not None:
            raise UsageError(
                f"the report {sha1!r} is in the shared library; only reports that you added can be changed or removed"
            )
        raise UsageError(f"there is no report {sha1!r} in the library; see `pageproof companies`")

"""From PDFs to published company indexes."""

import logging
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from llama_index.core.node_parser import NodeParser

from indexes.fingerprints import reader_fingerprint
from indexes.ingestion.requests import (
    Behind,
    Ingested,
    IngestRequest,
    OnProgress,
    Stage,
    Stopped,
    Watch,
    check_export,
    find_pdfs,
)
from indexes.ingestion.stores import LibraryStores, export_pages
from indexes.options import ChunkingOptions, ReaderOptions
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import DocumentPool, MakePool, MakeReader, ReadingPool, reading_ahead, warm_up
from indexes.report_identity.catalog import Catalog, CatalogEntry
from indexes.report_identity.identity import CompanyData, company_data, reconciled_data
from indexes.report_identity.legal_names import KnownNames, identity_of
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.chunking import PageChunker, PageNodeParser
from indexes.search.table_texts import TableTexts
from storage.errors import DamagedFile, DocumentError, MissingIndex, StaleIndex, UsageError
from storage.files import write_atomically
from storage.records.answers import Usage
from storage.records.facts import ReportFacts
from storage.records.pages import Page
from storage.records.record import Record
from storage.records.reports import Company, Report

if TYPE_CHECKING:  # it loads PDFium
    from indexes.preflight import Look

logger = logging.getLogger(__name__)
ExtractFacts = Callable[[Sequence[Page], Report], ReportFacts]
_WITH_PAGES = 3  # reports whose parsed pages are held until their vectors are made
AllPages = Callable[[], Sequence[Page]]


def _looks_here() -> AbstractContextManager["Look"]:
    from indexes.preflight import preflight  # late: PDFium

    return nullcontext(preflight)


@dataclass(frozen=True)
class Reading:
    """What reads PDFs: the settings, the parser that they choose, and the processes that it runs in.

    Attributes:
        looks: opens what looks at PDFs first, for one ingestion.
    """

    options: ReaderOptions
    make_reader: MakeReader
    make_pool: MakePool = ReadingPool
    looks: Callable[[], AbstractContextManager["Look"]] = _looks_here

    def pool(self, workers: int | None, folder: Path) -> DocumentPool:
        """Reads PDFs with so many processes, into this folder."""
        return self.make_pool(workers, self.make_reader, self.options, folder, reader_fingerprint(self.options))


@dataclass(frozen=True)
class Indexing:
    """What makes an index out of pages.

    Attributes:
        tables: has tables written out by a model, where the settings want that.
        own: makes a class of the user's own that cuts pages; None for ours.
    """

    chunking: ChunkingOptions
    embedder: CachedEmbedder
    tables: TableTexts | None = None
    own: Callable[[CachedEmbedder], NodeParser | None] = lambda _: None

    @cached_property
    def parser(self) -> PageNodeParser:
        """Cuts pages into nodes, counted in the tokens of the embedding model."""
        embedder = self.embedder.embedder
        return PageNodeParser(
            chunker=PageChunker(self.chunking, embedder.tokenize, embedder.max_tokens),
            own=self.own(self.embedder),
            texts_of=self.tables.of if self.tables else None,
        )


class Ingestor:
    """Reads, indexes and publishes reports one after the other. A bad report never stops the others."""

    def __init__(self, stores: LibraryStores, reading: Reading, extract: ExtractFacts, indexing: Indexing) -> None:
        self.stores = stores
        self.reading = reading
        self.extract = extract
        self.indexing = indexing

    def warm_up(self, *, reading: bool = True) -> None:
        """Load the embedding model before its first use; with `reading`, begin to load what reads PDFs."""
        _ = self.indexing.embedder.embedder
        if reading and self.reading.make_pool is ReadingPool:
            warm_up(self.reading.make_reader)

    def ingest(
        self, request: IngestRequest, on_progress: OnProgress | None = None, stopped: Stopped | None = None
    ) -> Iterator[Ingested]:
        """Ingest PDFs; yields the result of each as soon as it is done.

        Results of an earlier ingestion are used again, so an interrupted ingestion continues where it stopped.

        Args:
            request: which PDFs, and how. A file that is not a readable PDF is reported as failed, with the reason.
            on_progress: called as each gets further.
            stopped: once it is true, the ingestion ends. Published reports stay.

        Raises:
            UsageError: a path does not exist, there is no PDF, or the request or what is to be called is wrong.
            IngestionStopped: it was stopped.
        """
        watch = Watch(on_progress, stopped)
        check_export(request.export, self.stores.paths)
        catalog = Catalog.read(request.catalog) if request.catalog else None
        self.stores.library.prepare()
        return _Run(self, request, catalog, watch).results(self.pdfs(request.paths))

    def read_pictures(self, on_progress: OnProgress | None = None, stopped: Stopped | None = None) -> None:
        """Read the text in pictures that was left for later, and publish the reports in which there is some.

        Args:
            on_progress: called as each report gets further.
            stopped: once it is true, this ends. What is not done then is done another time.

        Raises:
            IngestionStopped: it was stopped.
        """
        run = _Run(self, IngestRequest(), None, Watch(on_progress, stopped))
        run.read_pictures(
            [_PdfAtHand.of(r, self.stores.paths.report_pdf(r.sha1)) for r in self.with_unread_pictures()]
        )

    def with_unread_pictures(self) -> list[Report]:
        """The reports with pictures that are still to be read."""
        reports = (report for company in self.stores.library.companies() for report in company.reports)
        at_hand = (report for report in reports if self.stores.paths.report_pdf(report.sha1).is_file())
        return [report for report in at_hand if self.stores.pages.unread_pictures(report.sha1)]

    def pdfs(self, paths: Sequence[Path]) -> list[Path]:
        """The PDFs that are named, or without any name the library's own copies of its reports.

        Raises:
            UsageError: a path does not exist, or there is no PDF.
        """
        if paths:
            return find_pdfs(paths)
        reports = [report for company in self.stores.library.companies() for report in company.reports]
        if not reports:
            raise UsageError("the library has no reports yet; name a PDF or a folder")
        return [self.stores.paths.report_pdf(report.sha1) for report in reports]

    def read_facts(self, report: Report) -> None:
        """Extract the facts of a report again after its company, currency or period was changed."""
        stores = self.stores
        if report not in stores.facts and report.sha1 in stores.pages:
            store_facts(stores, report, partial(stores.pages.read, report.sha1), self.extract)


class _PdfAtHand(Record):
    """A PDF that can be read, and what a catalog says of it.

    Attributes:
        is_lost: the library's own copy is gone or damaged; what was read of it is still there.
    """

    path: Path
    name: str
    sha1: str
    page_count: int
    effort: float
    entry: CatalogEntry | None
    is_lost: bool = False

    @classmethod
    def of(cls, report: Report, path: Path) -> "_PdfAtHand":
        """The library's own copy of a report, at this path."""
        return cls(
            path=path, name=report.file, sha1=report.sha1, page_count=report.page_count, effort=0.0, entry=None
        )

    def failed(self, reason: str) -> Ingested:
        """Why nothing became of it."""
        return Ingested(file=self.name, sha1=self.sha1, status="failed", reason=reason)


class _Run:
    """One ingestion of one request."""

    def __init__(self, ingestor: Ingestor, request: IngestRequest, catalog: Catalog | None, watch: Watch) -> None:
        self._stores = ingestor.stores
        self._reading = ingestor.reading
        self._extract = ingestor.extract
        self._indexing = ingestor.indexing
        self._request = request
        self._catalog = catalog
        self._watch = watch
        self._companies: tuple[tuple[Company, ...], ...] = ()
        self._names = KnownNames()
        self._naming = threading.Lock()  # reports are described while those before them are embedded

    def results(self, pdfs: Sequence[Path]) -> Iterator[Ingested]:
        """The result of each PDF, as soon as it is done."""
        taken: dict[str, _PdfAtHand] = {}
        with self._reading.looks() as look:
            for path in pdfs:
                yield from self._take(path, look, taken)
        done: list[_PdfAtHand] = []
        with Behind(self._watch) as behind:
            for pdf, reason in self._read(taken.values()):
                yield from behind.done()
                if reason:
                    yield pdf.failed(reason)
                    continue
                pages = self._pages(pdf)
                if (failed := self._published_first(pdf, pages)) is not None:
                    yield failed
                    continue
                done.append(pdf)
                # What waits long holds no pages: those of many reports would not fit into the memory.
                behind.add(partial(self._ingested, pdf, pages if len(behind) < _WITH_PAGES else self._pages(pdf)))
            yield from behind.rest()
        if self._request.pictures:
            self.read_pictures(done)

    def read_pictures(self, pdfs: Sequence[_PdfAtHand]) -> None:
        """Read the pictures that were left, and do once more what follows from the pages in which they say something.

        Where that fails or ends early, the pages stay marked, and the next ingestion goes on.
        """
        left = {p.sha1: p for p in pdfs if self._stores.pages.unread_pictures(p.sha1) and p.path.is_file()}
        tasks = [ReadingTask(p.path, p.sha1, p.page_count, p.effort, pictures=True) for p in left.values()]
        with self._reading_ahead(tasks, "pictures") as reading:
            for task, failure in reading:
                try:
                    self._renewed(left[task.sha1], failure)
                except (DocumentError, DamagedFile, StaleIndex, MissingIndex) as error:
                    logger.warning("pictures were left unread: %s: %s", left[task.sha1].name, error)

    def _renewed(self, pdf: _PdfAtHand, failure: str) -> None:
        """Read the facts again and publish the report, unless it was removed, where pictures on its pages say more.

        Raises:
            DocumentError: they could not be read.
            DamagedFile: what was stored of it cannot be read any more; StaleIndex and MissingIndex alike.
        """
        if failure:
            raise DocumentError(failure)
        pages = self._pages(pdf)
        known = self._stores.library.report(pdf.sha1)
        if known is None and self._request.until != "read":  # removed before its pages were written again
            self._stores.pages.path(pdf.sha1).unlink(missing_ok=True)
            return
        says_more = any(page.unread_pictures and page.ocr_boxes for page in pages())
        if says_more and self._request.until != "read":
            self._indexed(pdf, pages, known, is_renewed=True)
        looked_at = [page.model_copy(update={"unread_pictures": False}) for page in pages()]
        self._stores.pages.write(pdf.sha1, looked_at)
        if says_more and self._request.export:
            export_pages(looked_at, pdf.sha1, self._request.export)

    def _take(self, path: Path, look: "Look", taken: dict[str, _PdfAtHand]) -> Iterator[Ingested]:
        """Add a PDF to those that are taken; yields its result where there is nothing to do."""
        shared = self._stores.shared
        try:
            pdf = self._look(path, look)
        except DocumentError as error:
            own = self._own_report(path)
            file, sha1 = (own.file, own.sha1) if own else (self._request.name(path), "")
            yield Ingested(file=file, sha1=sha1, status="failed", reason=str(error))
            return
        everyones = shared.report(pdf.sha1) if shared else None
        if everyones is not None:
            there = Ingested.of(everyones, "unchanged", "already in the shared library")
            yield there.model_copy(update={"file": pdf.name})
            return
        first = taken.setdefault(pdf.sha1, pdf)
        if first is not pdf:
            message = f"the same file as {first.name}"
            yield Ingested(file=pdf.name, sha1=pdf.sha1, status="unchanged", reason=message)

    def _look(self, path: Path, look: "Look") -> _PdfAtHand:
        own = self._own_report(path)
        try:
            seen = look(path)
            if own and seen.sha1 != own.sha1:
                raise DocumentError(f"{path}: the PDF is not the one that was stored")
        except DocumentError as error:
            if own is None:
                raise
            return self._without_pdf(own, path, error)
        entry = self._catalog.entry(seen.sha1, path) if self._catalog else None
        return _PdfAtHand(
            path=path,
            name=self._request.name(path),
            sha1=seen.sha1,
            page_count=seen.page_count,
            effort=seen.effort,
            entry=entry,
        )

    def _own_report(self, path: Path) -> Report | None:
        """The report whose PDF the library itself has at this path."""
        is_own = path == self._stores.paths.report_pdf(path.stem)
        return self._stores.library.report(path.stem) if is_own else None

    def _without_pdf(self, report: Report, path: Path, error: DocumentError) -> _PdfAtHand:
        """A report of the library whose PDF is gone or damaged: what was read of it is enough for the rest.

        Raises:
            DocumentError: that is not there either.
        """
        what = "damaged" if path.exists() else "gone"
        if path.exists():
            self._stores.set_aside(path, str(error))
        if not self._stores.pages.is_sound(report.sha1):
            raise DocumentError(
                f"the library's copy of {report.file} is {what}, and so are its pages; run `pageproof ingest` on your "
                "own copy of the PDF"
            ) from error
        return _PdfAtHand.of(report, path).model_copy(update={"is_lost": True})

    def _read(self, pdfs: Collection[_PdfAtHand]) -> Iterator[tuple[_PdfAtHand, str]]:
        """Each PDF with the reason why it failed, or "" when its pages are stored.

        New PDFs are read while the results of those that were read before are used.
        """
        new: dict[str, _PdfAtHand] = {}
        for pdf in pdfs:
            if not pdf.is_lost and not self._stores.are_pages_sound(pdf.sha1):
                new[pdf.sha1] = pdf
        tasks = [ReadingTask(p.path, p.sha1, p.page_count, p.effort) for p in new.values()]
        with self._reading_ahead(tasks, "reading") as reading:
            yield from ((pdf, "") for pdf in pdfs if pdf.sha1 not in new)
            for task, failure in reading:
                yield new[task.sha1], failure

    def _reading_ahead(
        self, tasks: Sequence[ReadingTask], stage: Stage
    ) -> AbstractContextManager[Iterator[tuple[ReadingTask, str]]]:
        """Read in the processes of the settings; each task when it is done, with the reason why it failed."""
        pool = self._reading.pool(self._request.workers, self._stores.paths.pages)
        on_progress, check = self._watch.on_progress, self._watch.check if self._watch.stopped else None
        on_page = (lambda path, done, of: on_progress(path, stage, done, of)) if on_progress else None
        return reading_ahead(pool, tasks, on_page, check)

    def _pages(self, pdf: _PdfAtHand) -> AllPages:
        """Parses its stored pages once, where they are wanted at all."""
        return cache(partial(self._stores.pages.read, pdf.sha1))

    def _published_first(self, pdf: _PdfAtHand, pages: AllPages) -> Ingested | None:
        """Publish a new report as soon as its facts are there, so that it answers; why that failed, where it did.

        It has no vectors then: those of a report are made behind those of the reports before it.
        """
        known = self._stores.library.report(pdf.sha1)
        if known is not None and self._is_published(known):
            return None
        try:
            if known is None and not any(block.text.strip() for page in pages() for block in page.blocks):
                return pdf.failed(
                    f"{pdf.path}: no page has text that could be read; set reader.ocr=always, or export it again"
                )
            if self._request.until != "index":
                return None
            report, aliases = self._described(pdf, pages, known)
            self._store_pdf(pdf, report)
            if not self._stores.are_facts_sound(report):
                store_facts(self._stores, report, pages, self._extract, self._watch.of(pdf.path, "facts"))
            self._watch.check()
            self._stores.indexes.announce(report)
            if self._stores.library.update(known, report, aliases) and (
                tell := self._watch.of(pdf.path, "answers")
            ):
                tell(1, 1)
        except (DamagedFile, StaleIndex, MissingIndex) as error:
            return pdf.failed(str(error))
        return None

    def _is_published(self, report: Report) -> bool:
        try:
            manifest = self._stores.indexes.manifest(report.company)
        except (DamagedFile, StaleIndex):
            return False
        return manifest is not None and report.sha1 in {other.sha1 for other in manifest.reports}

    def _ingested(self, pdf: _PdfAtHand, pages: AllPages) -> Ingested:
        """The result of a PDF whose pages are stored."""
        try:
            return self._finished(pdf, pages)
        except (DamagedFile, StaleIndex, MissingIndex) as error:
            return pdf.failed(str(error))

    def _finished(self, pdf: _PdfAtHand, pages: AllPages) -> Ingested:
        known = self._stores.library.report(pdf.sha1)
        result = self._read_only(pdf, known) if self._request.until == "read" else self._indexed(pdf, pages, known)
        if self._request.export and result.status != "failed":
            export_pages(pages(), pdf.sha1, self._request.export)
        left = () if self._request.pictures else self._stores.pages.unread_pictures(pdf.sha1)
        return result.model_copy(update={"unread_pictures": len(left)}) if left else result

    def _read_only(self, pdf: _PdfAtHand, known: Report | None) -> Ingested:
        return Ingested(
            file=self._file(pdf, known),
            status="read",
            sha1=pdf.sha1,
            company=known.company if known else "",
            page_count=pdf.page_count,
        )

    def _indexed(
        self, pdf: _PdfAtHand, pages: AllPages, known: Report | None, *, is_renewed: bool = False
    ) -> Ingested:
        """The result of a report. If somebody edits the report meanwhile, it is indexed again as it is known then."""
        spent, written = Usage(), 0
        while True:
            result, is_current = self._index(pdf, pages, known, is_renewed=is_renewed)
            spent, written = spent + result.usage, written + result.tables_written
            if is_current:
                return result.model_copy(update={"usage": spent, "tables_written": written})
            before, known = known, self._stores.library.report(pdf.sha1)
            if before is not None and known is None:
                return pdf.failed("it was removed from the library while it was being ingested")
            if known is not None and known.company != result.company:
                self._stores.indexes.withdraw(result.company, pdf.sha1)

    def _index(
        self, pdf: _PdfAtHand, pages: AllPages, known: Report | None, *, is_renewed: bool
    ) -> tuple[Ingested, bool]:
        """The result of a report that the catalog knows as `known`, and whether it still did in the end.

        With `is_renewed` its pages are others than those that its facts and its index are of.
        """
        stores = self._stores
        report, aliases = self._described(pdf, pages, known)
        is_new = is_renewed or not stores.are_facts_sound(report)
        warning = self._store_pdf(pdf, report)
        if is_new:
            factless = store_facts(stores, report, pages, self._extract, self._watch.of(pdf.path, "facts"))
            warning = "; ".join(filter(None, (warning, factless)))
        result = Ingested.of(report, "indexed").model_copy(update={"warning": warning})
        if self._request.until == "facts":
            result = result.model_copy(update={"status": "facts" if is_new else "unchanged"})
            return result, stores.library.update(known, report, aliases)
        published = stores.indexes.complete(report.company)
        indexed = report.indexed
        result = self._with_tables(result, indexed, pages, pdf.path)
        is_published = published is not None and indexed in _as_published(published.reports, report)
        if is_published and known == report and not (result.tables_written or is_renewed):
            stores.indexes.retract(report)
            message = "its facts were read anew" if is_new and not result.warning else ""
            result = result.model_copy(update={"status": "unchanged", "reason": message})
            return result, stores.library.update(known, report, aliases)
        advanced = self._watch.passages(pdf.path)
        others = [other.indexed for other in self._others(report)]
        indexing = self._indexing
        stores.indexes.publish(indexed, pages(), indexing.parser, indexing.embedder, advanced, others)
        return result, stores.library.update(known, report, aliases)

    def _described(self, pdf: _PdfAtHand, pages: AllPages, known: Report | None) -> tuple[Report, tuple[str, ...]]:
        """A report by its catalog, its first pages and what is known of it; and more names of its company."""
        name = Path(pdf.name)
        with self._naming:
            data = self._joined(reconciled_data(pdf.entry, known, lambda: company_data(pages(), name)))
        report = Report(
            sha1=pdf.sha1,
            file=self._file(pdf, known),
            company=data.company,
            page_count=pdf.page_count,
            currency=data.currency,
            period_end=data.period_end,
            fiscal_year=data.fiscal_year,
            filing=data.filing,
            evidence=data.evidence,
        )
        return report, data.aliases

    def _with_tables(self, result: Ingested, report: Report, pages: AllPages, path: Path) -> Ingested:
        """The result after the report's tables were written out. A table that fails only lacks its text."""
        tables = self._indexing.tables
        if tables is None:
            return result
        done = tables.write(pages(), report, self._watch.of(path, "tables"))
        warnings = [result.warning] if result.warning else []
        if done.failures:
            count = len(done.failures) + done.written + done.reused
            message = f"{len(done.failures)} of {count} tables were not written out"
            warnings.append(
                f"{report.file}: {message} ({done.failures[0]}); it is indexed, and the next ingest tries again"
            )
        return result.model_copy(
            update={"warning": "; ".join(warnings), "tables_written": done.written, "usage": done.usage}
        )

    def _joined(self, data: CompanyData) -> CompanyData:
        """The report under the known company that has this name or alias in any spelling; a catalog's name stays."""
        by_report = any(e.field == "company" and e.source == "report" for e in data.evidence)
        known = self._company_names().find(data.company) if by_report else None
        if known is None:
            return data
        # A known name without its form gets the read one as an alias, so that another form is known as another.
        is_fuller = identity_of(data.company).form and not identity_of(known).form
        aliases = dict.fromkeys((*data.aliases, data.company)) if is_fuller else data.aliases
        return data.model_copy(update={"company": known, "aliases": tuple(aliases)})

    def _company_names(self) -> KnownNames:
        """The names of the companies that the catalog has now."""
        shared = self._stores.shared
        companies = (self._stores.library.companies(), shared.companies() if shared else ())
        if any(now is not then for now, then in zip_longest(companies, self._companies)):
            self._companies = companies
            known = [company for catalog in companies for company in catalog]
            self._names = KnownNames(known)
        return self._names

    def _file(self, pdf: _PdfAtHand, known: Report | None) -> str:
        """The PDF's name for people; the library's own copy is named by its SHA-1."""
        is_copy = known is not None and pdf.path == self._stores.paths.report_pdf(pdf.sha1)
        return known.file if known and is_copy else pdf.name

    def _others(self, report: Report) -> Sequence[Report]:
        """The other reports of its company."""
        found = (company for company in self._stores.library.companies() if company.name == report.company)
        return [other for company in found for other in company.reports if other.sha1 != report.sha1]

    def _store_pdf(self, pdf: _PdfAtHand, report: Report) -> str:
        """Store the PDF in the library, in place of a damaged copy; a warning where there is no PDF to store."""
        if pdf.is_lost:
            advice = "run `pageproof ingest` on your own copy of the PDF"
            return f"{report.file}: the library's copy of it is lost, so no page can be shown; {advice}"
        if pdf.path != self._stores.paths.report_pdf(pdf.sha1) and not self._stores.is_pdf_sound(pdf.sha1):
            write_atomically(self._stores.paths.report_pdf(pdf.sha1), pdf.path.read_bytes())
        return ""


def _as_published(published: Sequence[Report], report: Report) -> list[Report]:
    """Published reports with the name of the year that is known now: an index does not rest on it."""
    return [other.model_copy(update={"fiscal_year": report.fiscal_year}) for other in published]


def store_facts(
    stores: LibraryStores,
    report: Report,
    pages: AllPages,
    extract: ExtractFacts,
    on_progress: Callable[[int, int], None] | None = None,
) -> str:
    """Extract and store a report's facts.

    Returns:
        A warning, or "". If a rule fails on a page, this report has no facts, but it is still indexed, and other
        reports are not affected. No facts are stored then, so the next ingestion tries again.
    """
    if on_progress:
        on_progress(0, 1)
    try:
        stores.facts.write(report, extract(pages(), report))
    except Exception as error:  # a rule may fail on an unforeseen page; that is a defect, and is reported as one
        logger.exception("no facts of %s", report.file)
        return f"{report.file}: no facts could be extracted ({type(error).__name__}: {error}); it is indexed"
    finally:
        if on_progress:
            on_progress(1, 1)
    return ""

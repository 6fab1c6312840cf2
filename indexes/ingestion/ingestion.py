"""From PDFs to published company indexes."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from indexes.fingerprints import reader_fingerprint
from indexes.options import ChunkingOptions, ReaderOptions
from indexes.preflight import preflight
from indexes.reading.pool import Check, MakePool, MakeReader, ReadingPool, ReadingTask
from indexes.report_identity.catalog import Catalog, CatalogEntry
from indexes.report_identity.identity import CompanyData, company_data, reconciled_data
from indexes.report_identity.legal_names import name_key
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.chunking import PageChunker, PageNodeParser
from indexes.search.company_index import CompanyIndexes
from indexes.search.table_texts import TableTexts
from storage.errors import DocumentError, IngestionStopped, UsageError
from storage.files import write_atomically
from storage.paths import DataPaths
from storage.records.answers import Usage
from storage.records.facts import ReportFacts
from storage.records.pages import Page
from storage.records.record import Record
from storage.records.reports import Report
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore

logger = logging.getLogger(__name__)
Stage = Literal["reading", "facts", "tables", "embedding"]
Until = Literal["read", "facts", "index"]
"""The last step of an ingestion: pages kept, their facts kept too, or all of it published as an index."""
OnProgress = Callable[[Path, Stage, int, int], None]
Stopped = Callable[[], bool]
"""Whether nobody wants the rest any more."""
ExtractFacts = Callable[[Sequence[Page], Report], ReportFacts]


class Ingested(Record):
    """The result of ingesting one PDF.

    Attributes:
        status: "read" and "facts" where the ingestion was told to stop after that step.
        reason: why it failed, or another remark.
        warning: what is missing although the report is indexed.
        tables_written: tables, or parts of long tables, that a model wrote out this time.
        usage: requests, tokens and cost of that.
    """

    file: str
    status: Literal["indexed", "unchanged", "failed", "read", "facts"]
    sha1: str = ""
    company: str = ""
    page_count: int = 0
    reason: str = ""
    warning: str = ""
    tables_written: int = 0
    usage: Usage = Usage()


class _Reading(Record):
    path: Path
    sha1: str
    page_count: int
    effort: float
    data: CatalogEntry | None


def find_pdfs(paths: Sequence[Path]) -> list[Path]:
    """The named files, and every PDF below the named folders, sorted, each once.

    Raises:
        UsageError: a path does not exist, or there is no PDF in any of them.
    """
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no file or folder {str(path)!r}")
        found += sorted(p for p in path.rglob("*") if p.suffix.lower() == ".pdf") if path.is_dir() else [path]
    if not found:
        raise UsageError(f"no PDF found in {', '.join(map(str, paths))}")
    return list(dict.fromkeys(found))


class Ingestor:
    """Reads, indexes and publishes reports one after the other. A bad report never stops the others."""

    def __init__(
        self,
        paths: DataPaths,
        library: Library,
        pages: PageStore,
        indexes: CompanyIndexes,
        embedder: CachedEmbedder,
        reader: ReaderOptions,
        chunking: ChunkingOptions,
        facts: FactStore,
        extract: ExtractFacts,
        make_reader: MakeReader,
        make_pool: MakePool = ReadingPool,
        tables: TableTexts | None = None,
        shared: Library | None = None,
    ) -> None:
        """Make an ingestor. If it fills one person's library, `shared` is the library that everybody reads."""
        self._paths = paths
        self._library = library
        self._pages = pages
        self._indexes = indexes
        self._embedder = embedder
        self._reader = reader
        self._chunking = chunking
        self._facts = facts
        self._extract = extract
        self._shared = shared
        self._make_reader = make_reader
        self._make_pool = make_pool
        self._tables = tables
        self._parser: PageNodeParser | None = None
        self._names: dict[str, str] = {}
        self._known_as: dict[Path, str] = {}

    def load_embedder(self) -> None:
        """Load the embedding model now instead of at its first use."""
        _ = self._embedder.embedder

    def ingest(
        self,
        pdfs: Sequence[Path],
        catalog: Catalog | None = None,
        workers: int | None = None,
        on_progress: OnProgress | None = None,
        until: Until = "index",
        names: Mapping[Path, str] | None = None,
        stopped: Stopped | None = None,
    ) -> Iterator[Ingested]:
        """Ingest PDFs; yields the result of each as soon as it is done.

        Results of an earlier ingestion are used again, so an interrupted ingestion continues where it stopped.

        Args:
            pdfs: files; a file that is not a readable PDF is reported as failed, with the reason.
            catalog: the company of each report; without an entry the company is read from the report's first pages.
            workers: number of reading processes; None means the default of the executor.
            on_progress: called with the file, the stage, the amount done and the total.
            until: the last step to do.
            names: names of the files for people, where these differ from the names on the disk.
            stopped: called between pages and twice a second while reading; published reports stay.

        Raises:
            IngestionStopped: it was stopped.
        """
        self._known_as = dict(names or {})
        check = _check(stopped) if stopped else None
        shared = self._shared.companies() if self._shared else ()
        known = (*self._library.companies(), *shared)
        self._names = {name_key(alias): c.name for c in known for alias in c.aliases}
        self._names |= {name_key(c.name): c.name for c in known}
        readings: dict[str, _Reading] = {}
        for path in pdfs:
            try:
                reading = self._look(path, catalog)
            except DocumentError as error:
                yield Ingested(file=self._name(path), status="failed", reason=str(error))
                continue
            everyones = self._shared.report(reading.sha1) if self._shared else None
            if everyones is not None:
                yield _shared_already(self._name(path), everyones)
                continue
            first = readings.setdefault(reading.sha1, reading)
            if first is not reading:
                message = f"the same file as {self._name(first.path)}"
                yield Ingested(file=self._name(path), sha1=reading.sha1, status="unchanged", reason=message)
        for reading, reason in self._read(readings.values(), workers, on_progress, check):
            if reason:
                yield Ingested(file=self._name(reading.path), sha1=reading.sha1, status="failed", reason=reason)
            elif not self._library.report(reading.sha1) and not self._has_words(reading):
                advice = "set reader.ocr=always, or export it again"
                reason = f"{reading.path}: no page has text that could be read; {advice}"
                yield Ingested(file=self._name(reading.path), sha1=reading.sha1, status="failed", reason=reason)
            elif until == "read":
                yield self._read_only(reading)
            else:
                yield self._index(reading, on_progress, until, check)

    def read_facts(self, report: Report) -> None:
        """Extract the facts of a report again after its company, currency or period was changed."""
        if report not in self._facts and report.sha1 in self._pages:
            self._store_facts(report, self._paths.report_pdf(report.sha1), None)

    def stored_pdfs(self) -> list[Path]:
        """The library's own copies of its reports."""
        reports = [report for company in self._library.companies() for report in company.reports]
        return [path for report in reports if (path := self._paths.report_pdf(report.sha1)).exists()]

    def _look(self, path: Path, catalog: Catalog | None) -> _Reading:
        seen = preflight(path)
        entry = catalog.entry(seen.sha1, path) if catalog else None
        return _Reading(path=path, sha1=seen.sha1, page_count=seen.page_count, effort=seen.effort, data=entry)

    def _read(
        self,
        readings: Collection[_Reading],
        workers: int | None,
        on_progress: OnProgress | None,
        check: Check | None,
    ) -> Iterator[tuple[_Reading, str]]:
        """Each reading with the reason why it failed, or "" when its pages are stored."""
        yield from ((r, "") for r in readings if r.sha1 in self._pages)
        new = {r.sha1: r for r in readings if r.sha1 not in self._pages}
        fingerprint = reader_fingerprint(self._reader)
        tasks = [ReadingTask(r.path, r.sha1) for r in sorted(new.values(), key=lambda r: r.effort, reverse=True)]
        pool = self._make_pool(workers, self._make_reader, self._reader, self._paths.pages, fingerprint)
        on_page = (lambda path, done, of: on_progress(path, "reading", done, of)) if on_progress else None
        for task, failure in pool.read(tasks, on_page, check):
            yield new[task.sha1], failure

    def _file(self, reading: _Reading, known: Report | None) -> str:
        """The PDF's name for people; the library's own copy is named by its SHA-1."""
        is_copy = known is not None and reading.path == self._paths.report_pdf(reading.sha1)
        return known.file if known and is_copy else self._name(reading.path)

    def _name(self, path: Path) -> str:
        return self._known_as.get(path, path.name)

    def _read_only(self, reading: _Reading) -> Ingested:
        known = self._library.report(reading.sha1)
        return Ingested(
            file=self._file(reading, known),
            status="read",
            sha1=reading.sha1,
            company=known.company if known else "",
            page_count=reading.page_count,
        )

    def _index(
        self, reading: _Reading, on_progress: OnProgress | None, until: Until, check: Check | None
    ) -> Ingested:
        known = self._library.report(reading.sha1)
        name = Path(self._name(reading.path))
        read = reconciled_data(reading.data, known, lambda: company_data(self._pages.read(reading.sha1), name))
        data = self._joined(read)
        report = Report(
            sha1=reading.sha1,
            file=self._file(reading, known),
            company=data.company,
            page_count=reading.page_count,
            currency=data.currency,
            period_end=data.period_end,
            fiscal_year=data.fiscal_year,
            evidence=data.evidence,
        )
        is_new = report not in self._facts
        result = Ingested(
            file=report.file,
            status="indexed",
            sha1=report.sha1,
            company=report.company,
            page_count=report.page_count,
            warning=self._store_facts(report, reading.path, on_progress) if is_new else "",
        )
        if until == "facts":
            self._store_pdf(reading)
            self._library.add(report, data.aliases)
            return result.model_copy(update={"status": "facts" if is_new else "unchanged"})
        published = self._indexes.complete(report.company)
        indexed = report.model_copy(update={"evidence": ()})
        result = self._with_tables(result, indexed, reading.path, on_progress)
        is_published = published is not None and indexed in published.reports
        if is_published and known == report and not result.tables_written:
            self._library.add(report, data.aliases)
            reason = "its facts were read anew" if is_new and not result.warning else ""
            return result.model_copy(update={"status": "unchanged", "reason": reason})
        self._store_pdf(reading)

        def progress(done: int, of: int) -> None:
            if check:
                check()
            if on_progress:
                on_progress(reading.path, "embedding", done, of)

        self._indexes.publish([indexed], self._node_parser(), self._embedder, progress)
        self._library.add(report, data.aliases)
        return result

    def _with_tables(
        self, result: Ingested, report: Report, path: Path, on_progress: OnProgress | None
    ) -> Ingested:
        """The result after the report's tables were written out. A table that fails only lacks its text."""
        if self._tables is None:
            return result
        progress = (lambda done, of: on_progress(path, "tables", done, of)) if on_progress else None
        done = self._tables.write(self._pages.read(report.sha1), report, progress)
        warnings = [result.warning] if result.warning else []
        if done.failures:
            count = len(done.failures) + done.written + done.reused
            warning = f"{len(done.failures)} of {count} tables were not written out"
            warnings.append(
                f"{report.file}: {warning} ({done.failures[0]}); it is indexed, and the next ingest tries again"
            )
        return result.model_copy(
            update={"warning": "; ".join(warnings), "tables_written": done.written, "usage": done.usage}
        )

    def _has_words(self, reading: _Reading) -> bool:
        return any(block.text.strip() for page in self._pages.read(reading.sha1) for block in page.blocks)

    def _joined(self, data: CompanyData) -> CompanyData:
        """The report under the known company that has this name or alias in any spelling; a catalog's name stays."""
        key = name_key(data.company)
        by_report = any(e.field == "company" and e.source == "report" for e in data.evidence)
        known = self._names.get(key)
        if by_report and known:
            return data.model_copy(update={"company": known})
        self._names.setdefault(key, data.company)
        return data

    def _store_facts(self, report: Report, path: Path, on_progress: OnProgress | None) -> str:
        """Extract and store a report's facts.

        Returns:
            A warning, or "". If a rule fails on a page, this report has no facts, but it is still indexed, and other
            reports are not affected. No facts are stored then, so the next ingestion tries again.
        """
        if on_progress:
            on_progress(path, "facts", 0, 1)
        try:
            self._facts.write(report, self._extract(self._pages.read(report.sha1), report))
        except (
            Exception
        ) as error:  # a rule may fail on an unforeseen page; that is a defect, and is reported as one
            logger.exception("no facts of %s", report.file)
            return f"{report.file}: no facts could be extracted ({type(error).__name__}: {error}); it is indexed"
        finally:
            if on_progress:
                on_progress(path, "facts", 1, 1)
        return ""

    def _store_pdf(self, reading: _Reading) -> None:
        stored = self._paths.report_pdf(reading.sha1)
        if not stored.exists():
            write_atomically(stored, reading.path.read_bytes())

    def _node_parser(self) -> PageNodeParser:
        if self._parser is None:
            embedder = self._embedder.embedder
            self._parser = PageNodeParser(
                chunker=PageChunker(self._chunking, embedder.tokenize, embedder.max_tokens),
                texts_of=self._tables.of if self._tables else None,
            )
        return self._parser


def _check(stopped: Stopped) -> Check:
    def check() -> None:
        if stopped():
            raise IngestionStopped("the ingestion was stopped; what was published by then stays")

    return check


def _shared_already(name: str, report: Report) -> Ingested:
    return Ingested(
        file=name,
        status="unchanged",
        sha1=report.sha1,
        company=report.company,
        page_count=report.page_count,
        reason="already in the shared library",
    )

"""A library of reports without content, with doubles for the parser and the embedding model."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from llama_index.core import MockEmbedding
from llama_index.core.schema import BaseNode

from app.library.editor import LibraryEditor
from app.library.fact_sheet import KnownFacts
from app.settings import load_settings
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import reader_fingerprint
from indexes.ingestion.ingestion import Indexing, Ingestor, Reading
from indexes.ingestion.requests import Ingested, IngestRequest
from indexes.ingestion.stores import LibraryStores
from indexes.options import ReaderOptions
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import PageReader
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.company_index import CompanyIndexes, stored_nodes
from indexes.search.embeddings import Embedder
from indexes.search.faiss_store import FaissStores
from storage.paths import DataPaths
from storage.records.facts import ReportFacts
from storage.records.metrics import Ontology
from storage.records.pages import Line, Page
from storage.records.reports import Report
from storage.stores.caches import EmbeddingCache
from storage.stores.generations import Manifest
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore
from tests.support.example_pages import BOX, plain_pages
from tests.support.samples import SAMPLES

SETTINGS = load_settings("offline", environment={})
ACME = "Acme Inc."
AUDIT = f"Independent auditor's report to the shareholders of {ACME}"
READER, DIMENSIONS = reader_fingerprint(SETTINGS.reader), 4
STORES = FaissStores()


class CountingPages(PageStore):
    """Counts how often the archive of each report is read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, READER)
        self.reads: Counter[str] = Counter()

    def read(self, sha1: str, page_numbers: Iterable[int] | None = None) -> list[Page]:
        self.reads[sha1] += 1
        return super().read(sha1, page_numbers)


class InstantPool:
    """Reads three short pages out of every PDF; the last names the company, the first may have a picture of text."""

    def __init__(
        self, *given: Any, gave: threading.Semaphore, drawn: list[str], meanwhile: list[Callable[[], object]]
    ) -> None:
        *_, folder, fingerprint = given
        self.gave, self.drawn, self.meanwhile = gave, drawn, meanwhile
        self._pages = PageStore(folder, fingerprint)

    def read(self, tasks: Sequence[ReadingTask], *_: Any) -> Iterator[tuple[ReadingTask, str]]:
        for task in tasks:
            if task.pictures:
                seen = [self._seen(page) for page in self._pages.read(task.sha1)]
                for happens in self.meanwhile:
                    happens()
                self._pages.write(task.sha1, seen)
                yield task, ""
                continue
            *pages, last = plain_pages(task.sha1, [1, 2, 3])
            audit = last.blocks[0].model_copy(update={"text": AUDIT, "lines": (Line(text=AUDIT, box=BOX),)})
            pages[0] = pages[0].model_copy(update={"unread_pictures": bool(self.drawn)})
            self._pages.write(task.sha1, [*pages, last.model_copy(update={"blocks": (audit,)})])
            self.gave.release()
            yield task, ""

    def _seen(self, page: Page) -> Page:
        """The page with what its picture says."""
        texts = [text for text in self.drawn if page.unread_pictures and text]
        blocks = [page.blocks[0].model_copy(update={"text": t, "lines": (Line(text=t, box=BOX),)}) for t in texts]
        return page.model_copy(
            update={"blocks": (*page.blocks, *blocks), "ocr_boxes": (BOX,) * len(texts)} if texts else {}
        )


class Meanwhile(MockEmbedding):
    """Embeds; before the first texts something happens elsewhere."""

    happens: Callable[[], object] | None = None

    def get_text_embedding_batch(self, texts: list[str], *_: Any, **__: Any) -> list[list[float]]:
        happens, self.happens = self.happens, None
        if happens:
            happens()
        return super().get_text_embedding_batch(texts)


class SmallLibrary:
    """A library of reports without content, and everything that an ingestion into it goes through."""

    def __init__(self, root: Path, model_id: str = "mock") -> None:
        root.mkdir(exist_ok=True)
        self.paths = DataPaths(root / "data")
        self.folder = root
        self.catalog = Library(self.paths.catalog)
        self.pages = CountingPages(self.paths.pages)
        self.facts = FactStore(self.paths.facts, "facts")
        self.indexes = CompanyIndexes(self.paths.indexes, model_id, READER, self.pages, STORES)
        self.model = Meanwhile(embed_dim=DIMENSIONS)
        self.extracted = 0  # times that facts were read
        self.given = threading.Semaphore(0)  # released by the pool for each PDF
        self.meanwhile: list[Callable[[], object]] = []  # what happens elsewhere while pictures are read
        self.drawn: list[str] = []  # what the picture on each first page says; an empty text for a photograph
        stores = LibraryStores(self.paths, self.catalog, self.pages, self.facts, self.indexes)
        loaded = Embedder(self.model, model_id, 256, lambda text: [0] * len(text.split()))
        self.embedder = CachedEmbedder(lambda: loaded, model_id, EmbeddingCache(self.paths.embedding_cache))
        pool = partial(InstantPool, gave=self.given, drawn=self.drawn, meanwhile=self.meanwhile)
        ingestor = Ingestor(
            stores,
            Reading(SETTINGS.reader, no_reader, pool),
            self._facts,
            Indexing(SETTINGS.chunking, self.embedder),
        )
        known = KnownFacts(
            self.catalog, FactTable(self.facts), Ontology.load(), self.paths.report_pdf, self.paths.root
        )
        self.editor = LibraryEditor(ingestor, lambda: nullcontext(lambda _: STORES), known)

    def _facts(self, _: Sequence[Page], report: Report) -> ReportFacts:
        self.extracted += 1
        return ReportFacts(report_sha1=report.sha1)

    def nodes(self) -> dict[str, list[BaseNode]]:
        """The published nodes of each report."""
        folder = self.indexes.current(ACME)
        manifest = Manifest.read(folder)
        return stored_nodes(folder, manifest, [report.sha1 for report in manifest.reports], STORES)

    def found(self, text: str) -> int:
        """How many published passages have a text."""
        return sum(text in node.get_content() for nodes in self.nodes().values() for node in nodes)

    def pdf(self, name: str) -> Path:
        """A PDF of its own."""
        path = self.folder / name
        path.write_bytes((SAMPLES / "ostermere_2024.pdf").read_bytes() + b"\n% " + os.fsencode(name) + b"\n")
        return path

    def ingest(self, *names: str) -> list[Ingested]:
        return list(self.editor.ingest(IngestRequest(paths=[self.pdf(name) for name in names])))

    def published(self, company: str) -> tuple[Report, ...]:
        manifest = self.indexes.manifest(company)
        return manifest.reports if manifest else ()


def no_reader(_: ReaderOptions) -> PageReader:
    raise AssertionError("the pool reads by itself")

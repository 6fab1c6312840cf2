"""A cache of company indexes in memory: the most recently used ones, each loaded once."""

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from cachetools import LRUCache
from llama_index.core.schema import BaseNode

from indexes.ingestion.overlay import JoinedLibrary
from indexes.search.bm25 import ChunkWords
from indexes.search.cached_embedding import CachedEmbedder, QueryVectors
from indexes.search.chunking import PageNodeParser
from indexes.search.company_index import CompanyIndex, CompanyIndexes, nodes_of
from query_engines.retrieval.page_scores import PageScores
from storage.errors import DamagedFile, MissingIndex, StaleIndex
from storage.records.pages import Page
from storage.records.reports import Report

HELD = 32  # companies; about 5 MB each with vectors and words
_HELD_WITHOUT_VECTORS = 4  # reports on their way


MakeParser = Callable[[], PageNodeParser]
AllPages = Callable[[str], list[Page]]  # the report's pages by its SHA-1, in order


class ReportSearch:
    """The search structures of one report: vectors, words and page scores, each made at its first use."""

    def __init__(
        self,
        index: CompanyIndex | None,
        report: Report,
        all_pages: AllPages,
        questions: QueryVectors,
        parser: MakeParser | None = None,
    ) -> None:
        """Search a report.

        Args:
            index: with its vectors; None while they are made.
            report: which.
            all_pages: reads its pages.
            questions: embeds questions.
            parser: cuts its pages into chunks where there is no index.
        """
        self.index = index
        self.report = report
        self.questions = questions
        self._all_pages = all_pages
        self._parser = parser
        self._words: ChunkWords | None = None
        self._scores: PageScores | None = None
        self._making = threading.Lock()

    @property
    def words(self) -> ChunkWords:
        """BM25 over the report's chunks."""
        with self._making:
            if self._words is None:
                self._words = ChunkWords(self._nodes())
            return self._words

    def _nodes(self) -> list[BaseNode]:
        if self.index is not None:
            return self.index.nodes(self.report.sha1)
        return nodes_of(self.report, self._pages(), self._parser()) if self._parser else []

    @property
    def scores(self) -> PageScores:
        """The page scores of the report."""
        with self._making:
            if self._scores is None:
                self._scores = PageScores(self._pages(), self.report, self._pages)
            return self._scores

    def _pages(self) -> Sequence[Page]:
        return self._all_pages(self.report.sha1)


class _LoadedIndex:
    """A loaded index and the search structures of its reports."""

    def __init__(self, folder: Path, index: CompanyIndex) -> None:
        self.folder = folder
        self.index = index
        self.searches: dict[str, ReportSearch] = {}


class IndexCache:
    """Gives the published index of a company. It reads the pointer every time, so new generations are noticed."""

    def __init__(
        self,
        indexes: CompanyIndexes,
        embedder: CachedEmbedder,
        all_pages: AllPages,
        parser: MakeParser | None = None,
        held: int = HELD,
    ) -> None:
        self._announced: LRUCache[str, ReportSearch] = LRUCache(_HELD_WITHOUT_VECTORS)
        self._parser = parser
        self._indexes = indexes
        self._embedder = embedder
        self._questions = QueryVectors(embedder)
        self._all_pages = all_pages
        self._loaded: LRUCache[str, _LoadedIndex] = LRUCache(held)
        self._lock = threading.Lock()
        self._loading: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def check(self, company: str, report: Report) -> None:
        """Look whether there is an index, without loading it.

        Raises:
            MissingIndex: there is no index under these settings.
        """
        if not self._indexes.is_announced(company, report.sha1):
            self._indexes.current(company)

    def get(self, company: str, report: Report) -> ReportSearch:
        """The search structures of one report; concurrent callers wait for one load.

        Raises:
            MissingIndex: there is no index under these settings, or the report is not in it.
        """
        with self._lock:
            loading = self._loading[company]
        with loading:
            if self._indexes.is_announced(company, report.sha1):
                return self._without_vectors(report)
            loaded = self._loaded_index(company)
            search = loaded.searches.get(report.sha1)
            if search is None or search.report != report:
                if report.sha1 not in {r.sha1 for r in loaded.index.manifest.reports}:
                    raise MissingIndex(
                        f"the report {report.file!r} of {company!r} is not indexed for these settings; "
                        "run `pageproof ingest` on it with the same --profile and --set"
                    )
                search = loaded.searches[report.sha1] = ReportSearch(
                    loaded.index, report, self._all_pages, self._questions
                )
            return search

    def _without_vectors(self, report: Report) -> ReportSearch:
        """The search by words of a report whose vectors are made meanwhile."""
        with self._lock:
            search = self._announced.get(report.sha1)
            if search is None or search.report != report:
                search = ReportSearch(None, report, self._all_pages, self._questions, self._parser)
                self._announced[report.sha1] = search
            return search

    def _loaded_index(self, company: str) -> _LoadedIndex:
        folder = self._indexes.current(company)
        with self._lock:
            known = self._loaded.get(company)
            if known is not None and known.folder == folder:
                return known
        fresh = self._opened(company, folder)
        with self._lock:
            self._loaded[company] = fresh
        return fresh

    def _opened(self, company: str, folder: Path) -> _LoadedIndex:
        try:
            return _LoadedIndex(folder, self._indexes.open(folder, self._embedder))
        except (StaleIndex, DamagedFile, OSError):
            latest = self._indexes.current(company)
            if latest == folder:
                raise
            # It was removed while it was loaded: removing a report removes all earlier generations.
            return _LoadedIndex(latest, self._indexes.open(latest, self._embedder))


class Searches(Protocol):
    """Gives the search structures of reports."""

    def check(self, company: str, report: Report) -> None:
        """Look whether there is an index of the company, without loading it.

        Raises:
            MissingIndex: there is no index under these settings.
        """
        ...

    def get(self, company: str, report: Report) -> ReportSearch:
        """The search structures of one report of a company."""
        ...


class IndexOverlay:
    """The indexes of the shared and a person's own library."""

    def __init__(self, library: JoinedLibrary, shared: IndexCache, own: IndexCache) -> None:
        self._library = library
        self._shared = shared
        self._own = own

    def check(self, company: str, report: Report) -> None:
        """Look whether there is an index of the company, without loading it.

        Raises:
            MissingIndex: there is no index under these settings.
        """
        name = self._library.own_name(report.sha1)
        (self._shared if name is None else self._own).check(company if name is None else name, report)

    def get(self, company: str, report: Report) -> ReportSearch:
        """The search structures of one report of a company.

        Raises:
            MissingIndex: there is no index under these settings.
        """
        name = self._library.own_name(report.sha1)
        return self._shared.get(company, report) if name is None else self._own.get(name, report)

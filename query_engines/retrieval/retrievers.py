"""Retrievers of the pages of one report; several rankings are combined by reciprocal rank fusion."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from indexes.search.bm25 import Bm25Retriever
from query_engines.events import step
from query_engines.question.parsed import QuestionBundle
from query_engines.retrieval.index_cache import ReportSearch
from query_engines.retrieval.page_nodes import ParentPagePostprocessor, ReadPages, page_node
from storage.records.reports import Report

SHOWN = 10  # pages in a step's summary
ChunkMode = Literal["vector", "bm25", "hybrid"]
MakeRetriever = Callable[[ReportSearch], BaseRetriever]


class PageRetriever(BaseRetriever):
    """Retrieves the best chunks and then their pages, best first, as candidates without page records.

    With `continued_tables`, the other page of a table that continues on the next page is added. `own` makes a
    retriever of chunks in the place of the mode's, as soon as there is an index.
    """

    def __init__(
        self,
        search: ReportSearch,
        mode: ChunkMode,
        chunks: int,
        continued_tables: bool = True,
        own: MakeRetriever | None = None,
    ) -> None:
        super().__init__()
        self._continued_tables = continued_tables
        self._mode: ChunkMode = "bm25" if search.index is None else mode
        self._chunks = own(search) if own and search.index else _chunk_retriever(search, mode, chunks)
        self._search = search

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with step("retrieval", "Searching the report") as running:
            pages, running.summary = self._pages(query_bundle, None)
        return pages

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with step("retrieval", "Searching the report") as running:
            by_words = self._mode == "bm25"
            vector = None if by_words else await self._search.questions.get(_searched(query_bundle))
            pages, running.summary = await asyncio.to_thread(self._pages, query_bundle, vector)
        return pages

    def _pages(self, query_bundle: QueryBundle, vector: list[float] | None) -> tuple[list[NodeWithScore], str]:
        """The pages and a summary; without a vector, the question is embedded if needed."""
        text = _searched(query_bundle)
        chunks = self._chunks.retrieve(QueryBundle(text, embedding=vector))
        goes_on = self._search.scores.goes_on if self._continued_tables else frozenset()
        pages = ParentPagePostprocessor(goes_on=goes_on).postprocess_nodes(chunks)
        found = f"Searched for “{_shown(query_bundle)}”: {len(chunks)} chunks on {len(pages)} pages."
        return pages, f"{found}\n\n{score_table('similarity', pages)}"


def _searched(query_bundle: QueryBundle) -> str:
    return (
        query_bundle.parsed.intent.search_words
        if isinstance(query_bundle, QuestionBundle)
        else query_bundle.query_str
    )


def _shown(query_bundle: QueryBundle) -> str:
    return query_bundle.parsed.intent.text if isinstance(query_bundle, QuestionBundle) else query_bundle.query_str


class FullReportRetriever(BaseRetriever):
    """Retrieves every page of the report, in order, for models that read the whole report."""

    def __init__(self, report: Report, read_pages: ReadPages) -> None:
        super().__init__()
        self._report = report
        self._read_pages = read_pages

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        del query_bundle
        with step("retrieval", "Reading the whole report") as running:
            numbers = range(1, self._report.page_count + 1)
            pages = [page_node(p, p.markdown, None) for p in self._read_pages(self._report.sha1, numbers)]
            running.summary = f"{len(pages)} pages"
        return pages

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class FactPagesRetriever(BaseRetriever):
    """Retrieves only the pages that state the facts of the question, the most certain first."""

    def __init__(self, report: Report, read_pages: ReadPages) -> None:
        super().__init__()
        self._report = report
        self._read_pages = read_pages

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        numbers = query_bundle.facts.all_pages if isinstance(query_bundle, QuestionBundle) else ()
        return [page_node(p, p.markdown, None) for p in self._read_pages(self._report.sha1, numbers)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def score_table(head: str, pages: Sequence[NodeWithScore]) -> str:
    """The first pages and their scores as a Markdown table."""
    rows = "\n".join(f"| {n.metadata['page']} | {n.score or 0:.3f} |" for n in pages[:SHOWN])
    return f"| page | {head} |\n| --- | --- |\n{rows}"


def _chunk_retriever(search: ReportSearch, mode: ChunkMode, chunks: int) -> BaseRetriever:
    if search.index is None or mode == "bm25":  # without an index, until its vectors are made
        return Bm25Retriever(search.words, chunks)
    nearest = search.index.retriever(search.report.sha1, chunks)
    return nearest if mode == "vector" else FusedRetriever([nearest, Bm25Retriever(search.words, chunks)], chunks)


FLATNESS = 60  # Cormack, Clarke and Büttcher 2009; a larger value makes the first ranks more alike


def fused(rankings: Sequence[Sequence[NodeWithScore]], count: int) -> list[NodeWithScore]:
    """The nodes of several rankings, best first: a node's score is the sum of 1 / (60 + its rank, from 1)."""
    scores: dict[str, float] = {}
    nodes: dict[str, NodeWithScore] = {}
    for ranking in rankings:
        for rank, found in enumerate(ranking, start=1):
            nodes.setdefault(found.node.node_id, found)
            scores[found.node.node_id] = scores.get(found.node.node_id, 0.0) + 1 / (FLATNESS + rank)
    best = sorted(scores, key=lambda node_id: -scores[node_id])[:count]
    return [NodeWithScore(node=nodes[node_id].node, score=scores[node_id]) for node_id in best]


class FusedRetriever(BaseRetriever):
    """Combines the rankings of several retrievers."""

    def __init__(self, retrievers: Sequence[BaseRetriever], chunks: int) -> None:
        super().__init__()
        self._retrievers = tuple(retrievers)
        self._chunks = chunks

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return fused([retriever.retrieve(query_bundle) for retriever in self._retrievers], self._chunks)

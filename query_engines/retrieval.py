"""The pages of one report that a question is answered from."""

import asyncio
from collections.abc import Sequence

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from indexes.company_index import CompanyIndex
from query_engines.events import step
from query_engines.options import RetrievalOptions
from query_engines.page_nodes import ParentPagePostprocessor, ReadPages, page_node
from query_engines.question_bundle import as_bundle
from storage.reports import Report


class VectorPageRetriever(BaseRetriever):
    """The chunks nearest to the question, then their pages, best first."""

    def __init__(
        self,
        index: CompanyIndex,
        report: Report,
        read_pages: ReadPages,
        options: RetrievalOptions,
    ) -> None:
        super().__init__()
        self._chunks = index.retriever(report.sha1, options.chunks)
        self._parents = ParentPagePostprocessor(
            read_pages=read_pages, page_count=options.pages, whole_pages=options.parent_pages
        )

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        text = as_bundle(query_bundle).search_text or query_bundle.query_str
        with step("retrieval", "Searching the report") as running:
            chunks = self._chunks.retrieve(text)
            pages = self._parents.postprocess_nodes(chunks)
            running.summary = _table(text, len(chunks), pages)
        return pages

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class FullReportRetriever(BaseRetriever):
    """Every page of the report, in order, for models that read it whole."""

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


def _table(text: str, chunks: int, pages: Sequence[NodeWithScore]) -> str:
    rows = "\n".join(f"| {n.metadata['page']} | {n.score or 0:.3f} |" for n in pages)
    found = f"Searched for “{text}”: {chunks} chunks on {len(pages)} pages."
    return f"{found}\n\n| page | similarity |\n| --- | --- |\n{rows}"

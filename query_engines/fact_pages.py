"""The page of a known fact as the first hit of a search."""

import asyncio

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from query_engines.events import step
from query_engines.fact_lookup import FactLookup
from query_engines.page_nodes import ReadPages, page_node
from query_engines.question_bundle import as_bundle
from storage.reports import Company, Report


class FactPageRetriever(BaseRetriever):
    """Another retriever's pages, led by the page whose fact the question asks for; their number stays the same."""

    def __init__(
        self, inner: BaseRetriever, lookup: FactLookup, company: Company, report: Report, read_pages: ReadPages
    ) -> None:
        super().__init__()
        self._inner = inner
        self._lookup = lookup
        self._company = company
        self._report = report
        self._read_pages = read_pages

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._led(self._inner.retrieve(query_bundle), query_bundle)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = await self._inner.aretrieve(query_bundle)
        return await asyncio.to_thread(self._led, nodes, query_bundle)

    def _led(self, nodes: list[NodeWithScore], query_bundle: QueryBundle) -> list[NodeWithScore]:
        with step("retrieval", "Looking up the fact table") as running:
            numbers = self._lookup.look_up(as_bundle(query_bundle), self._company, self._report).pages
            running.summary = f"Page {numbers[0]} states it." if numbers else "It holds nothing that is asked for."
        best = max((n.score for n in nodes if n.score is not None), default=None)
        found = {n.metadata["page"]: n for n in nodes}
        pages = self._read_pages(self._report.sha1, [n for n in numbers if n not in found])
        found |= {p.page_number: page_node(p, p.markdown, best) for p in pages}
        led = [found[n] for n in numbers]
        return [*led, *(n for n in nodes if n.metadata["page"] not in numbers)][: max(len(nodes), len(led))]

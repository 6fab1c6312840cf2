"""Pages put in order by their words, without a model; the page of a known fact comes first."""

import asyncio

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import ConfigDict, Field

from query_engines.events import step
from query_engines.question.bundle import as_bundle
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.intent import Asked
from query_engines.retrieval.index_cache import ReportSearch
from query_engines.retrieval.page_nodes import found_page, scaled
from query_engines.retrieval.retrievers import score_table
from storage.records.reports import Company, Report


class LexicalRerankPostprocessor(BaseNodePostprocessor):
    """Scores every page of the report, found by the first stage or not, and adds the first stage's scaled score.

    Attributes:
        page_count: pages that are given back.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    search: ReportSearch = Field(exclude=True)
    first_weight: float
    own_weight: float
    page_count: int

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "LexicalRerankPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = as_bundle(query_bundle or QueryBundle(""))
        asked = query.asked or Asked(text=query.question.text)
        with step("rerank", "Reading every page's words") as running:
            scores = self.search.scores
            own = scores.of(asked, self.search.words.page_shares(asked.search_words, scores.page_count))
            first, found = scaled(nodes), {node.metadata["page"]: node for node in nodes}
            combined = {
                number: self.own_weight * float(score) + self.first_weight * first.get(number, 0.0)
                for number, score in enumerate(own, start=1)
                if score > 0 or number in first
            }
            best = sorted(combined, key=lambda number: (-combined[number], number))[: self.page_count]
            pages = [self._scored(number, combined[number], float(own[number - 1]), found) for number in best]
            running.summary = score_table("score", pages)
        return pages

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._postprocess_nodes, nodes, query_bundle)

    def _scored(self, number: int, combined: float, own: float, found: dict[int, NodeWithScore]) -> NodeWithScore:
        candidate = found.get(number) or found_page(self.search.report.sha1, number, None)
        node = candidate.node.model_copy(update={"metadata": {**candidate.node.metadata, "rerank_score": own}})
        return NodeWithScore(node=node, score=combined)


class FactPagesPostprocessor(BaseNodePostprocessor):
    """Puts the page whose fact the question asks for before the others, whatever they scored."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    lookup: FactLookup = Field(exclude=True)
    company: Company
    report: Report

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "FactPagesPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = as_bundle(query_bundle or QueryBundle(""))
        with step("retrieval", "Looking up the fact table") as running:
            numbers = self.lookup.look_up(query, self.company, self.report).pages
            running.summary = f"Page {numbers[0]} states it." if numbers else "It holds nothing that is asked for."
        best = max((n.score for n in nodes if n.score is not None), default=None)
        found = {n.metadata["page"]: n for n in nodes}
        led = [found.get(number) or found_page(self.report.sha1, number, best) for number in numbers]
        return [*led, *(n for n in nodes if n.metadata["page"] not in numbers)]

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._postprocess_nodes, nodes, query_bundle)

"""Reranks pages by their words, without a model. The page of a known fact comes first."""

import asyncio

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import ConfigDict, Field

from query_engines.events import step
from query_engines.question.parser import as_bundle
from query_engines.retrieval.index_cache import ReportSearch
from query_engines.retrieval.page_nodes import found_page, scaled
from query_engines.retrieval.retrievers import score_table


class LexicalRerankPostprocessor(BaseNodePostprocessor):
    """Scores every page of the report, also those not retrieved, and adds the scaled first-stage score.

    Attributes:
        page_count: pages in the result.
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
        intent = as_bundle(query_bundle or QueryBundle("")).parsed.intent
        with step("rerank", "Reading every page's words") as running:
            scores = self.search.scores
            own = scores.of(intent, self.search.words.page_shares(intent.search_words, scores.page_count))
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

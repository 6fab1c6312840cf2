"""A reranker of the user's own: any LlamaIndex node postprocessor, which is given whole pages."""

import asyncio
from collections.abc import Sequence

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import ConfigDict, Field

from query_engines.events import step
from query_engines.question.parser import as_bundle
from query_engines.retrieval.page_nodes import ReadPages, page_node, with_pages
from query_engines.retrieval.retrievers import score_table
from storage.errors import PageproofError, UsageError


class OwnRerankPostprocessor(BaseNodePostprocessor):
    """Gives the found pages to the user's postprocessor and takes its order, and what it leaves out.

    Attributes:
        inner: gets nodes whose text is a whole page and whose score is the search's; `metadata` has `page` (1-based)
            and `report_sha1`. It must return some of these nodes, best first.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    inner: BaseNodePostprocessor = Field(exclude=True)
    read_pages: ReadPages = Field(exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "OwnRerankPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return self._checked(self.inner.postprocess_nodes(self._whole(nodes), _asked(query_bundle)), nodes)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        with step("rerank", f"Ranking the pages by {type(self.inner).__name__}") as running:
            whole = await asyncio.to_thread(self._whole, nodes)
            try:
                found = await self.inner.apostprocess_nodes(whole, _asked(query_bundle))
            except PageproofError:
                raise
            except Exception as error:
                name = type(self.inner).__name__
                raise UsageError(f"the reranker {name} failed with {type(error).__name__}: {error}") from error
            ranked = self._checked(found, nodes)
            running.summary = score_table("score", ranked)
        return ranked

    def _whole(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        return [
            page_node(page, page.markdown, node.score, node.metadata)
            for node, page in with_pages(nodes, self.read_pages)
        ]

    def _checked(self, found: Sequence[NodeWithScore], given: Sequence[NodeWithScore]) -> list[NodeWithScore]:
        """The found ones, each once, as they were given, with the scores that they have now."""
        known = {node.node.node_id: node for node in given}
        if strange := [node.node.node_id for node in found if node.node.node_id not in known]:
            name = type(self.inner).__name__
            raise UsageError(f"the reranker {name} returned a node that it was not given: {strange[0]!r}")
        ranked = {node.node.node_id: node.score for node in found}
        return [NodeWithScore(node=known[number].node, score=score) for number, score in ranked.items()]


def _asked(query: QueryBundle | None) -> QueryBundle:
    """The question in its own words."""
    return QueryBundle(as_bundle(query or QueryBundle("")).parsed.question.text)

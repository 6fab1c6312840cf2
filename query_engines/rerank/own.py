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
from storage.components import of_the_user
from storage.errors import ComponentError


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
        with of_the_user(self._what):
            found = self.inner.postprocess_nodes(self._whole(nodes), _asked(query_bundle))
        return self._checked(found, nodes)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        with step("rerank", f"Ranking the pages by {type(self.inner).__name__}") as running:
            whole = await asyncio.to_thread(self._whole, nodes)
            with of_the_user(self._what):
                found = await self.inner.apostprocess_nodes(whole, _asked(query_bundle))
            ranked = self._checked(found, nodes)
            running.summary = score_table("score", ranked)
        return ranked

    def _whole(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        return [
            page_node(page, page.markdown, node.score, node.metadata)
            for node, page in with_pages(nodes, self.read_pages)
        ]

    @property
    def _what(self) -> str:
        return f"the reranker {type(self.inner).__name__}"

    def _checked(self, found: object, given: Sequence[NodeWithScore]) -> list[NodeWithScore]:
        """The found ones, each once, as they were given, with the scores that they have now.

        Raises:
            ComponentError: it returned something else than nodes that it was given.
        """
        if not isinstance(found, list | tuple) or not all(isinstance(node, NodeWithScore) for node in found):
            raise ComponentError(f"{self._what} returned {_in_words(found)}, expected a list of NodeWithScore")
        known = {node.node.node_id: node for node in given}
        if strange := [node.node.node_id for node in found if node.node.node_id not in known]:
            raise ComponentError(f"{self._what} returned a node that it was not given: {strange[0]!r}")
        ranked = {node.node.node_id: node.score for node in found}
        return [NodeWithScore(node=known[number].node, score=score) for number, score in ranked.items()]


def _asked(query: QueryBundle | None) -> QueryBundle:
    """The question in its own words."""
    return QueryBundle(as_bundle(query or QueryBundle("")).parsed.question.text)


def _in_words(found: object) -> str:
    kinds = {type(one).__name__ for one in found} if isinstance(found, list | tuple) else set()
    return f"a list of {' and '.join(sorted(kinds))}" if kinds else repr(found)[:40]

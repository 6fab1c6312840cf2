"""From found chunks to the pages they stand on."""

from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import Field

from storage.pages import Page

HIDDEN_KEYS = ["report_sha1", "page", "chunk_ids", "vector_score"]
ReadPages = Callable[[str, Sequence[int]], list[Page]]


class PageNode(TextNode):
    """A page as context for an answer, with its record."""

    page: Page


class ParentPagePostprocessor(BaseNodePostprocessor):
    """Chunks point to their pages: each page once, with its best chunk's score, best first.

    Without `whole_pages` a page's text is its found chunks alone.
    """

    read_pages: ReadPages = Field(exclude=True)
    page_count: int
    whole_pages: bool = True

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "ParentPagePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        del query_bundle
        chunks: dict[tuple[str, int], list[NodeWithScore]] = {}
        for node in sorted(nodes, key=lambda n: -(n.score or 0.0)):
            chunks.setdefault((node.metadata["report_sha1"], node.metadata["page"]), []).append(node)
        best = list(chunks.items())[: self.page_count]
        return [self._page_node(sha1, number, found) for (sha1, number), found in best]

    def _page_node(self, sha1: str, number: int, found: Sequence[NodeWithScore]) -> NodeWithScore:
        (page,) = self.read_pages(sha1, [number])
        text = page.markdown if self.whole_pages else "\n\n".join(n.node.get_content() for n in found)
        extra = {"chunk_ids": [n.node.node_id for n in found], "vector_score": found[0].score}
        return page_node(page, text, found[0].score, extra)


def page_node(page: Page, text: str, score: float | None, extra: dict[str, Any] | None = None) -> NodeWithScore:
    """A page with its score, 0..1 or a cosine, higher is better."""
    return NodeWithScore(
        node=PageNode(
            id_=f"{page.report_sha1}:{page.page_number}",
            text=text,
            page=page,
            metadata={"report_sha1": page.report_sha1, "page": page.page_number, **(extra or {})},
            excluded_llm_metadata_keys=HIDDEN_KEYS,
            excluded_embed_metadata_keys=HIDDEN_KEYS,
        ),
        score=score,
    )

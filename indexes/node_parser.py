"""From pages to the nodes that LlamaIndex embeds and searches."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, NodeRelationship, RelatedNodeInfo, TextNode
from pydantic import ConfigDict, Field

from indexes.chunking import PageChunker
from storage.pages import Page
from storage.reports import Report

HIDDEN_KEYS = ["report_sha1", "page", "company"]


class PageDocument(Document):
    """A page of a report as LlamaIndex sees it."""

    page: Page
    report: Report

    @classmethod
    def from_page(cls, page: Page, report: Report) -> "PageDocument":
        """A document with the page's Markdown and where it comes from."""
        return cls(
            id_=f"{page.report_sha1}:{page.page_number}",
            text=page.markdown,
            page=page,
            report=report,
            metadata={"report_sha1": page.report_sha1, "page": page.page_number, "company": report.company},
            excluded_embed_metadata_keys=HIDDEN_KEYS,
            excluded_llm_metadata_keys=HIDDEN_KEYS,
        )


class PageNodeParser(NodeParser):
    """Cuts page documents into nodes that carry company, report and page; a node's id is its chunk's."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    chunker: PageChunker = Field(exclude=True)

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        del show_progress  # cutting takes milliseconds
        return [node for document in nodes for node in self._page_nodes(document)]

    def _page_nodes(self, document: BaseNode) -> list[TextNode]:
        if not isinstance(document, PageDocument):
            raise TypeError(f"expected PageDocument, got {type(document).__name__}")
        source = RelatedNodeInfo(node_id=document.node_id)
        return [
            TextNode(
                id_=chunk.chunk_id,
                text=f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text,
                metadata=dict(document.metadata),
                excluded_embed_metadata_keys=HIDDEN_KEYS,
                excluded_llm_metadata_keys=HIDDEN_KEYS,
                relationships={NodeRelationship.SOURCE: source},
            )
            for chunk in self.chunker.chunks(document.page, document.report)
        ]

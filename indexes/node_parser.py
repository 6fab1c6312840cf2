"""From pages to the nodes that LlamaIndex embeds and searches."""

from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, NodeRelationship, RelatedNodeInfo, TextNode
from pydantic import ConfigDict, Field

from indexes.chunking import PageChunker
from storage.pages import Page
from storage.reports import Report
from storage.table_texts import TableText

WRITTEN_KEY = "written_by_model"
HIDDEN_KEYS = ["report_sha1", "page", "company", WRITTEN_KEY]
TextsOf = Callable[[Page, Report], Sequence[TableText]]


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
    """Cuts page documents into nodes that carry company, report and page; a node's id is its chunk's.

    Attributes:
        chunker: cuts a page.
        texts_of: gives what a model wrote of a page's tables; its nodes are marked with `WRITTEN_KEY`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    chunker: PageChunker = Field(exclude=True)
    texts_of: TextsOf | None = Field(default=None, exclude=True)

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        del show_progress  # cutting takes milliseconds
        return [node for document in nodes for node in self._page_nodes(document)]

    def _page_nodes(self, document: BaseNode) -> list[TextNode]:
        if not isinstance(document, PageDocument):
            raise TypeError(f"expected PageDocument, got {type(document).__name__}")
        source = RelatedNodeInfo(node_id=document.node_id)
        page, report = document.page, document.report
        chunks = self.chunker.chunks(page, report)
        if self.texts_of is not None:
            chunks += self.chunker.written_chunks(self.texts_of(page, report), page, report)
        return [
            TextNode(
                id_=chunk.chunk_id,
                text=f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text,
                metadata={**document.metadata, **({WRITTEN_KEY: True} if chunk.written_by_model else {})},
                excluded_embed_metadata_keys=HIDDEN_KEYS,
                excluded_llm_metadata_keys=HIDDEN_KEYS,
                relationships={NodeRelationship.SOURCE: source},
            )
            for chunk in chunks
        ]

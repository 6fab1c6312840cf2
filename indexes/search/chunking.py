"""Cuts pages into chunks (text at sentences, tables at rows), as nodes that LlamaIndex embeds."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from llama_index.core.node_parser import NodeParser, SentenceSplitter
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship, RelatedNodeInfo, TextNode
from pydantic import ConfigDict, Field

from indexes.options import ChunkingOptions
from storage.components import of_the_user
from storage.records.pages import Block, Chunk, Page, TableText
from storage.records.reports import Report

Tokenize = Callable[[str], list[int]]


class PageChunker:
    """Cuts one page at a time; sizes are counted in the embedder's own tokens.

    A chunk has a header, which says what it is about, and a body. Together they stay within the smaller of
    `options.tokens` and `max_tokens`. Table rows are never cut: a row longer than a chunk becomes a chunk of its own.
    """

    def __init__(self, options: ChunkingOptions, tokenize: Tokenize, max_tokens: int) -> None:
        self._tokenize = tokenize
        self._header_tokens = options.header_tokens
        self._body_tokens = min(options.tokens, max_tokens) - options.header_tokens
        overlap = min(options.overlap, self._body_tokens // 3)
        self._splitter = SentenceSplitter(
            chunk_size=self._body_tokens, chunk_overlap=overlap, tokenizer=tokenize, paragraph_separator="\n\n"
        )

    def chunks(self, page: Page, report: Report) -> list[Chunk]:
        """The page's chunks in reading order; their ids are the same for the same page and options."""
        pieces = [
            (self._header(report, page, group), body) for group in _groups(page) for body in self._bodies(group)
        ]
        return [
            Chunk(
                chunk_id=f"{page.report_sha1}:{page.page_number}:{number}",
                report_sha1=page.report_sha1,
                page_number=page.page_number,
                header=header,
                text=body,
            )
            for number, (header, body) in enumerate(pieces)
        ]

    def written_chunks(self, texts: Sequence[TableText], page: Page, report: Report) -> list[Chunk]:
        """Additional chunks from what a model wrote about the page's tables, several texts in each."""
        header = self._header(report, page, ())
        bodies: list[str] = []
        for text in texts:
            for piece in self._splitter.split_text(text.text):
                joined = f"{bodies[-1]}\n\n{piece}" if bodies else piece
                if bodies and len(self._tokenize(joined)) <= self._body_tokens:
                    bodies[-1] = joined
                else:
                    bodies.append(piece)
        return [
            Chunk(
                chunk_id=f"{page.report_sha1}:{page.page_number}:t{number}",
                report_sha1=page.report_sha1,
                page_number=page.page_number,
                header=header,
                text=body,
                written_by_model=True,
            )
            for number, body in enumerate(bodies)
        ]

    def _bodies(self, group: Sequence[Block]) -> Iterator[str]:
        if group[0].table is None:
            yield from self._splitter.split_text("\n\n".join(block.markdown() for block in group))
        else:
            yield from self._table_bodies(group[0].markdown())

    def _table_bodies(self, markdown: str) -> Iterator[str]:
        head, rule, *rows = markdown.split("\n")
        top = f"{head}\n{rule}"
        room = max(self._body_tokens - len(self._tokenize(top)), 1)
        body: list[str] = []
        used = 0
        for row in rows:
            size = len(self._tokenize(row))
            if body and used + size > room:
                yield "\n".join([top, *body])
                body, used = [], 0
            body.append(row)
            used += size
        if body:
            yield "\n".join([top, *body])

    def _header(self, report: Report, page: Page, group: Sequence[Block]) -> str:
        table = group[0].table if group else None
        period = f"{report.company} {report.period_end.year}" if report.period_end else report.company
        parts = [period, *page.section, *((table.title, table.unit) if table else ())]
        words = " | ".join(dict.fromkeys(part for part in parts if part)).split()
        while words and len(self._tokenize(" ".join(words))) > self._header_tokens:
            words.pop()
        return " ".join(words)


def _groups(page: Page) -> Iterator[list[Block]]:
    """Runs of text blocks, and each table on its own without the text around it."""
    run: list[Block] = []
    for block in page.blocks:
        if block.kind == "furniture" or not block.text.strip():
            continue
        if block.table is None:
            run.append(block)
            continue
        if run:
            yield run
            run = []
        yield [block]
    if run:
        yield run


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
    """Cuts page documents into nodes with company, report and page; a node's id is that of its chunk.

    Attributes:
        chunker: cuts a page.
        own: cuts pages in the place of the chunker; a node of it stands for a chunk.
        texts_of: gives what a model wrote about a page's tables; nodes from it are marked with `WRITTEN_KEY`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    chunker: PageChunker = Field(exclude=True)
    own: NodeParser | None = Field(default=None, exclude=True)
    texts_of: TextsOf | None = Field(default=None, exclude=True)

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any) -> list[BaseNode]:
        del show_progress  # cutting takes milliseconds
        return [node for document in nodes for node in self._page_nodes(document)]

    def _page_nodes(self, document: BaseNode) -> list[TextNode]:
        if not isinstance(document, PageDocument):
            raise TypeError(f"expected PageDocument, got {type(document).__name__}")
        source = RelatedNodeInfo(node_id=document.node_id)
        page, report = document.page, document.report
        chunks = self.chunker.chunks(page, report) if self.own is None else self._own_chunks(self.own, document)
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

    def _own_chunks(self, own: NodeParser, document: PageDocument) -> list[Chunk]:
        """The texts of the nodes that a class of the user's own makes of a page, numbered."""
        page = document.page
        plain = Document(text=document.text, metadata=document.metadata, excluded_embed_metadata_keys=HIDDEN_KEYS)
        with of_the_user(f"the chunker {type(own).__name__}"):
            texts = [node.get_content(MetadataMode.NONE) for node in own.get_nodes_from_documents([plain])]
        return [
            Chunk(
                chunk_id=f"{page.report_sha1}:{page.page_number}:{number}",
                report_sha1=page.report_sha1,
                page_number=page.page_number,
                header="",
                text=text,
            )
            for number, text in enumerate(text for text in texts if text.strip())
        ]

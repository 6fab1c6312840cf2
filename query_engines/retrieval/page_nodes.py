"""Turns found chunks into pages, and selects the pages from which an answer is drawn."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import Field

from indexes.search.chunking import WRITTEN_KEY
from query_engines.question.parsed import QuestionBundle
from storage.records.pages import Page

HIDDEN_KEYS = ["report_sha1", "page", "chunk_ids", "vector_score", "rerank_score", "rerank_failed"]
ReadPages = Callable[[str, Sequence[int]], list[Page]]


class PageNode(TextNode):
    """A page as context for an answer, with its record."""

    page: Page


class ParentPagePostprocessor(BaseNodePostprocessor):
    """Replaces chunks by their pages: each page once, with its best chunk's score, best first.

    A table that goes on overleaf is not read from half of it: with the page on either side of the break comes the
    other one, with the same score and right behind it, where it was not found itself.

    Attributes:
        goes_on: the numbers of pages whose last table continues on the next page.
    """

    goes_on: frozenset[int] = frozenset()

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
        pages = []
        brought: set[tuple[str, int]] = set()
        for (sha1, number), found in chunks.items():
            pages.append(found_page(sha1, number, found[0].score, found))
            for neighbour in self._other_halves(number):
                if (sha1, neighbour) not in chunks and (sha1, neighbour) not in brought:
                    brought.add((sha1, neighbour))
                    pages.append(found_page(sha1, neighbour, found[0].score))
        return pages

    def _other_halves(self, number: int) -> list[int]:
        after = [number + 1] if number in self.goes_on else []
        return [number - 1, *after] if number - 1 in self.goes_on else after


class FactPagesPostprocessor(BaseNodePostprocessor):
    """Puts pages with the requested facts first, whatever their scores.

    Attributes:
        report_sha1: of the report that is searched.
    """

    report_sha1: str

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "FactPagesPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        numbers = query_bundle.facts.pages_with_named if isinstance(query_bundle, QuestionBundle) else ()
        best = max((n.score for n in nodes if n.score is not None), default=None)
        found = {n.metadata["page"]: n for n in nodes}
        led = [found.get(number) or found_page(self.report_sha1, number, best) for number in numbers]
        return [*led, *(n for n in nodes if n.metadata["page"] not in numbers)]


class TopPagesPostprocessor(BaseNodePostprocessor):
    """Keeps the best pages and adds their records and texts, for the program that answers.

    Without `whole_pages`, the text of a page is only its found chunks, if it was found by chunks.
    """

    read_pages: ReadPages = Field(exclude=True)
    page_count: int
    whole_pages: bool = True

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "TopPagesPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        del query_bundle
        return [
            self._with_page(node, page) for node, page in with_pages(nodes[: self.page_count], self.read_pages)
        ]

    def _with_page(self, found: NodeWithScore, page: Page) -> NodeWithScore:
        text = page.markdown if self.whole_pages else found.node.get_content() or page.markdown
        return page_node(page, text, found.score, found.metadata)


def found_page(sha1: str, number: int, score: float | None, chunks: Sequence[NodeWithScore] = ()) -> NodeWithScore:
    """A page that is a candidate, with the text of its found chunks and their best score.

    A model's text about a table only helps to find the page; it is not part of the text.
    """
    metadata = {"report_sha1": sha1, "page": number, "chunk_ids": [c.node.node_id for c in chunks]}
    own = (chunk for chunk in chunks if not chunk.node.metadata.get(WRITTEN_KEY))
    text = "\n\n".join(chunk.node.get_content() for chunk in own)
    return NodeWithScore(
        node=_node(TextNode, f"{sha1}:{number}", text, metadata | {"vector_score": score}), score=score
    )


def with_pages(nodes: Sequence[NodeWithScore], read_pages: ReadPages) -> list[tuple[NodeWithScore, Page]]:
    """Each candidate with the record of its page, read report by report."""
    records: dict[tuple[str, int], Page] = {}
    for sha1 in dict.fromkeys(node.metadata["report_sha1"] for node in nodes):
        numbers = [node.metadata["page"] for node in nodes if node.metadata["report_sha1"] == sha1]
        records |= {(sha1, page.page_number): page for page in read_pages(sha1, numbers)}
    return [(node, records[node.metadata["report_sha1"], node.metadata["page"]]) for node in nodes]


def scaled(nodes: Collection[NodeWithScore]) -> dict[int, float]:
    """Candidates' first-stage scores by page number, scaled to 0..1 within the candidates; 1 where all are equal."""
    scores = {node.metadata["page"]: node.score or 0.0 for node in nodes}
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {page: (score - low) / (high - low) if high > low else 1.0 for page, score in scores.items()}


def page_node(page: Page, text: str, score: float | None, extra: Mapping[str, Any] | None = None) -> NodeWithScore:
    """A page with its score, higher is better."""
    metadata = {**(extra or {}), "report_sha1": page.report_sha1, "page": page.page_number}
    node = _node(PageNode, f"{page.report_sha1}:{page.page_number}", text, metadata, page=page)
    return NodeWithScore(node=node, score=score)


def _node(cls: type[TextNode], node_id: str, text: str, metadata: dict[str, Any], **fields: Any) -> TextNode:
    return cls(
        id_=node_id,
        text=text,
        metadata=metadata,
        excluded_llm_metadata_keys=HIDDEN_KEYS,
        excluded_embed_metadata_keys=HIDDEN_KEYS,
        **fields,
    )

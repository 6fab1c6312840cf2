"""What a reranker's own scores make of the candidates, for every reranker that scores the found pages."""

from collections.abc import Mapping, Sequence

from llama_index.core.schema import NodeWithScore

from query_engines.page_nodes import scaled
from query_engines.retrieval import score_table


def weighed(
    nodes: Sequence[NodeWithScore],
    own: Mapping[int, float],
    first_weight: float,
    own_weight: float,
    shown: Mapping[int, float] | None = None,
) -> list[NodeWithScore]:
    """The candidates by both scores, best first; a page without one of the reranker's keeps its scaled first one.

    Args:
        nodes: candidates of one report with the first stage's scores.
        own: the reranker's scores by page number, 0..1.
        first_weight: the first stage's share.
        own_weight: the reranker's share.
        shown: the reranker's scores before they were scaled, if they were; they are kept with the pages.
    """
    first = scaled(nodes)
    ordered = []
    for found in nodes:
        number = found.metadata["page"]
        node, score = found.node.model_copy(deep=True), first[number]
        if number in own:
            node.metadata["rerank_score"] = (shown or own)[number]
            score = first_weight * score + own_weight * own[number]
        else:
            node.metadata["rerank_failed"] = True
        ordered.append(NodeWithScore(node=node, score=score))
    return sorted(ordered, key=lambda page: -(page.score or 0.0))


def told(pages: Sequence[NodeWithScore], requests: int, failed: int) -> str:
    """How many pages were judged, which were not and why, and the first ones' scores, as Markdown."""
    lost = [page.metadata["page"] for page in pages if page.metadata.get("rerank_failed")]
    said = f"{len(pages) - len(lost)} of {len(pages)} pages judged in {requests} requests."
    if lost:
        why = f"{failed} requests failed" if failed else "their judgement was left out"
        listed = ", ".join(map(str, sorted(lost)))
        said += f" Not judged, and ranked by the search alone: pages {listed} ({why})."
    return f"{said}\n\n{score_table('score', pages)}"

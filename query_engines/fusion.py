"""One ranking from several, by reciprocal rank."""

from collections.abc import Sequence

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

FLATNESS = 60  # Cormack, Clarke and Büttcher 2009: how little the first ranks differ


def fused(rankings: Sequence[Sequence[NodeWithScore]], count: int) -> list[NodeWithScore]:
    """The nodes of several rankings, best first: a node's score is the sum of 1 / (60 + its rank, from 1)."""
    scores: dict[str, float] = {}
    nodes: dict[str, NodeWithScore] = {}
    for ranking in rankings:
        for rank, found in enumerate(ranking, start=1):
            nodes.setdefault(found.node.node_id, found)
            scores[found.node.node_id] = scores.get(found.node.node_id, 0.0) + 1 / (FLATNESS + rank)
    best = sorted(scores, key=lambda node_id: -scores[node_id])[:count]
    return [NodeWithScore(node=nodes[node_id].node, score=scores[node_id]) for node_id in best]


class FusedRetriever(BaseRetriever):
    """Several retrievers asked the same, their rankings fused."""

    def __init__(self, retrievers: Sequence[BaseRetriever], chunks: int) -> None:
        super().__init__()
        self._retrievers = tuple(retrievers)
        self._chunks = chunks

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return fused([retriever.retrieve(query_bundle) for retriever in self._retrievers], self._chunks)

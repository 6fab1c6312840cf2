"""Keyword search in a report's chunks (BM25)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

from storage.text import terms

Floats = npt.NDArray[np.float64]


class ChunkWords:
    """BM25 over the chunks of one report, the same chunks that have vectors.

    A chunk's words are those of its header, which names table and section, and of its text with row labels and column
    headers. It is built whenever a company's index is opened, which is fast enough not to store it.
    """

    def __init__(self, nodes: Sequence[BaseNode]) -> None:
        self._nodes = tuple(nodes)
        self._pages = np.array([int(node.metadata["page"]) - 1 for node in nodes], dtype=np.int64)
        import bm25s  # late: it loads scipy, and an answer from the fact table needs neither

        documents = [terms(node.get_content()) for node in nodes]
        self._index = bm25s.BM25(method="lucene", k1=1.2, b=0.75) if any(documents) else None
        if self._index is not None:
            self._index.index(documents, show_progress=False)

    def has(self, text: str) -> bool:
        """Whether each word of a text stands in some chunk."""
        return self._index is not None and all(word in self._index.vocab_dict for word in terms(text))

    def scores(self, text: str) -> Floats:
        """The score of each chunk; 0 where it has none of the words."""
        if self._index is None:
            return np.zeros(len(self._nodes))
        known = [word for word in dict.fromkeys(terms(text)) if word in self._index.vocab_dict]
        scores = self._index.get_scores(known) if known else np.zeros(len(self._nodes))
        return np.asarray(scores, dtype=np.float64)

    def page_shares(self, text: str, page_count: int) -> Floats:
        """For each page, its best chunk's score divided by the best score of all, 0..1."""
        best = np.zeros(page_count)
        scores = self.scores(text)
        np.maximum.at(best, self._pages, scores)
        return best / best.max() if best.size and best.max() > 0 else best

    def best(self, text: str, count: int) -> list[NodeWithScore]:
        """The best chunks, best first, without those that have none of the words."""
        scores = self.scores(text)
        order = np.argsort(-scores, kind="stable")[:count]
        return [NodeWithScore(node=self._nodes[i], score=float(scores[i])) for i in order if scores[i] > 0]


class Bm25Retriever(BaseRetriever):
    """`ChunkWords` as a LlamaIndex retriever."""

    def __init__(self, words: ChunkWords, chunks: int) -> None:
        super().__init__()
        self._words = words
        self._chunks = chunks

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._words.best(query_bundle.query_str, self._chunks)

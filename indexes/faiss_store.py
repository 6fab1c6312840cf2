"""Vector search with FAISS, restricted to chosen reports."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import FilterOperator, VectorStoreQuery, VectorStoreQueryResult
from llama_index.vector_stores.faiss import FaissVectorStore
from pydantic import PrivateAttr

from indexes.faiss_kinds import Kind, Vectors, breadth, empty_index, kind_for, search, widened_until_enough
from indexes.vector_stores import REPORT_KEY, new_index, nodes_by_id, stored_index
from storage.manifests import Manifest, VectorIndex, WantedIndex

logger = logging.getLogger(__name__)


class ReportFaissStore(FaissVectorStore):
    """FAISS inner product over normalised vectors: similarities are cosines, -1..1, higher is better.

    The stock store refuses metadata filters. This one takes one filter, `report_sha1` equal to or in a list, and
    hands FAISS the positions of those reports' vectors. Say which vectors are whose with `assign`.
    """

    _positions: dict[str, list[int]] = PrivateAttr(default_factory=dict)

    @classmethod
    def empty(cls, kind: Kind, dimensions: int, coming: Vectors) -> "ReportFaissStore":
        """A store without vectors, ready for those that are coming."""
        return cls(faiss_index=empty_index(kind, dimensions, coming))

    @classmethod
    def load(cls, folder: Path) -> "ReportFaissStore":
        """The store that LlamaIndex persisted into the folder."""
        return cls(faiss_index=FaissVectorStore.from_persist_dir(str(folder)).client)

    @property
    def breadth(self) -> int:
        """How widely it searches; 0 is an exact search."""
        return breadth(self._faiss_index)

    def vectors(self) -> Vectors:
        """All vectors, by position."""
        kept: Vectors = self._faiss_index.reconstruct_n(0, self._faiss_index.ntotal)
        return kept

    def assign(self, positions: Mapping[str, Sequence[int]]) -> None:
        """Tell which vector positions belong to which report."""
        self._positions = {sha1: list(ids) for sha1, ids in positions.items()}

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """Add nodes at once, where the stock store goes one by one; ids are positions as strings."""
        first = self._faiss_index.ntotal
        if nodes:
            self._faiss_index.add(np.asarray([node.get_embedding() for node in nodes], dtype="float32"))
        return [str(position) for position in range(first, self._faiss_index.ntotal)]

    def widen(self) -> float:
        """Search as widely as it takes to miss next to nothing of a report; the share of recall@30 reached."""
        return widened_until_enough(self._faiss_index, list(self._positions.values()))

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """The most similar vectors, best first; ids are vector positions as strings."""
        vector = np.asarray([query.query_embedding], dtype="float32")
        ranked = search(self._faiss_index, vector, query.similarity_top_k, self._searched(query))
        found = [(s, p) for s, p in zip(*ranked, strict=True) if p >= 0]
        return VectorStoreQueryResult(similarities=[float(s) for s, _ in found], ids=[str(p) for _, p in found])

    def _searched(self, query: VectorStoreQuery) -> list[int] | None:
        if query.filters is None or not query.filters.filters:
            return None
        (only,) = query.filters.filters
        operator = getattr(only, "operator", None)
        if getattr(only, "key", None) != REPORT_KEY or operator not in (FilterOperator.EQ, FilterOperator.IN):
            raise ValueError(f"the only filter here is {REPORT_KEY!r} equal to or in a list, got {only!r}")
        value = getattr(only, "value", None)
        wanted = [value] if operator == FilterOperator.EQ else list(value or [])
        return [p for sha1 in wanted for p in self._positions.get(str(sha1), [])]


class FaissStores:
    """Each generation's vectors in its folder."""

    def __init__(self, wanted: WantedIndex = "auto") -> None:
        self._wanted = wanted

    def write(
        self, folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding
    ) -> VectorIndex:
        """Keep nodes that carry their vectors; how well they are found is measured."""
        kind = kind_for(self._wanted, len(nodes))
        coming = np.asarray([node.get_embedding() for node in nodes], dtype="float32")
        store = ReportFaissStore.empty(kind, manifest.dimensions, coming)
        index = new_index(nodes, store, model)
        store.assign(_positions(index))
        recall = store.widen()
        if kind != "flat":
            logger.info("%s: %s over %d vectors, recall@30 %.3f", manifest.company, kind, len(nodes), recall)
        index.storage_context.persist(persist_dir=str(folder))
        return VectorIndex(wanted=self._wanted, kind=kind, breadth=store.breadth, recall_at_30=recall)

    def open(self, folder: Path, manifest: Manifest, model: BaseEmbedding) -> VectorStoreIndex:
        """The index that was written."""
        del manifest
        store = ReportFaissStore.load(folder)
        index = stored_index(folder, store, model)
        store.assign(_positions(index))
        return index

    def vectors(self, folder: Path, manifest: Manifest, index: VectorStoreIndex) -> Mapping[str, Sequence[float]]:
        """All vectors of an index by position, as a string."""
        del manifest, index
        kept = ReportFaissStore.load(folder).vectors()
        return {str(position): vector.tolist() for position, vector in enumerate(kept)}

    def holds(self, folder: Path, manifest: Manifest) -> bool:
        """They were published with the folder."""
        del folder, manifest
        return True

    def clear(self, folder: Path) -> None:
        """There is nothing outside the folder."""

    def close(self) -> None:
        """There is nothing to let go of."""


def _positions(index: VectorStoreIndex) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for position, node in nodes_by_id(index).items():
        positions.setdefault(str(node.metadata[REPORT_KEY]), []).append(int(position))
    return positions

"""Exact vector search with FAISS, restricted to chosen reports."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt
from llama_index.core.vector_stores.types import FilterOperator, VectorStoreQuery, VectorStoreQueryResult
from llama_index.vector_stores.faiss import FaissVectorStore
from pydantic import PrivateAttr

REPORT_KEY = "report_sha1"


class ReportFaissStore(FaissVectorStore):
    """FAISS inner product over normalised vectors: similarities are cosines, -1..1, higher is better.

    The stock store refuses metadata filters. This one takes one filter, `report_sha1` equal to or in a list, and
    hands FAISS the positions of those reports' vectors. Say which vectors are whose with `assign`.
    """

    _positions: dict[str, list[int]] = PrivateAttr(default_factory=dict)

    @classmethod
    def empty(cls, dimensions: int) -> "ReportFaissStore":
        """A store without vectors."""
        return cls(faiss_index=faiss.IndexFlatIP(dimensions))

    @classmethod
    def load(cls, folder: Path) -> "ReportFaissStore":
        """The store that LlamaIndex persisted into the folder."""
        return cls(faiss_index=FaissVectorStore.from_persist_dir(str(folder)).client)

    def vectors(self) -> npt.NDArray[np.float32]:
        """All vectors, by position."""
        kept: npt.NDArray[np.float32] = self._faiss_index.reconstruct_n(0, self._faiss_index.ntotal)
        return kept

    def assign(self, positions: Mapping[str, Sequence[int]]) -> None:
        """Tell which vector positions belong to which report."""
        self._positions = {sha1: list(ids) for sha1, ids in positions.items()}

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """The most similar vectors, best first; ids are vector positions as strings."""
        vector = np.asarray([query.query_embedding], dtype="float32")
        parameters = self._parameters(query)
        similarities, positions = self._faiss_index.search(vector, query.similarity_top_k, params=parameters)
        found = [(s, p) for s, p in zip(similarities[0], positions[0], strict=True) if p >= 0]
        return VectorStoreQueryResult(similarities=[float(s) for s, _ in found], ids=[str(p) for _, p in found])

    def _parameters(self, query: VectorStoreQuery) -> Any:
        if query.filters is None or not query.filters.filters:
            return None
        (only,) = query.filters.filters
        operator = getattr(only, "operator", None)
        if getattr(only, "key", None) != REPORT_KEY or operator not in (FilterOperator.EQ, FilterOperator.IN):
            raise ValueError(f"the only filter here is {REPORT_KEY!r} equal to or in a list, got {only!r}")
        value = getattr(only, "value", None)
        wanted = [value] if operator == FilterOperator.EQ else list(value or [])
        ids = [p for sha1 in wanted for p in self._positions.get(str(sha1), [])]
        selector = faiss.IDSelectorBatch(np.asarray(ids, dtype="int64"))
        return faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]  # the stubs lack its fields

"""Vector search with FAISS, restricted to chosen reports: exact, by a graph (hnsw) or by cells (ivf)."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import faiss
import numpy as np
import numpy.typing as npt
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import FilterOperator, VectorStoreQuery, VectorStoreQueryResult
from llama_index.vector_stores.faiss import FaissVectorStore
from pydantic import PrivateAttr

from indexes.search.vector_store import REPORT_KEY, new_index, nodes_by_id, stored_index
from storage.stores.generations import Manifest, VectorIndex, WantedIndex

Vectors = npt.NDArray[np.float32]
Kind = Literal["flat", "hnsw", "ivf"]

MANY = 50_000  # vectors; up to here an exact search takes about 10 ms of one core, beyond it a graph is worthwhile
NEIGHBOURS = 32  # links of each vector in the graph
VECTORS_PER_CELL = 39  # FAISS needs so many vectors to compute a cell's centre
NARROW = 0.2  # of the vectors: smaller reports are compared one by one
RECALL_AT = 30  # chunks, as many as a question usually retrieves
ENOUGH = 0.99  # of the exact search's chunks; with less, the search is widened
SAMPLE = 100
_SAME = 1e-6  # similarities that differ by less count as equal


def kind_for(wanted: Literal["auto", "flat", "hnsw", "ivf"], vectors: int) -> Kind:
    """The kind of index for this number of vectors."""
    if vectors == 0:  # no vectors to compute cells from
        return "flat"
    if wanted == "auto":
        return "hnsw" if vectors >= MANY else "flat"
    return wanted


def empty_index(kind: Kind, dimensions: int, coming: Vectors) -> Any:
    """An empty index by inner product. Cells are computed from `coming`, the vectors that it will hold."""
    flat = faiss.IndexFlatIP(dimensions)
    if kind == "flat":
        return flat
    if kind == "hnsw":
        graph = faiss.IndexHNSWFlat(dimensions, NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efSearch = 2 * RECALL_AT
        return graph
    cells = max(1, min(int(4 * len(coming) ** 0.5), len(coming) // VECTORS_PER_CELL))
    inverted = faiss.IndexIVFFlat(flat, dimensions, cells, faiss.METRIC_INNER_PRODUCT)
    inverted.cp.min_points_per_centroid = 1  # a few vectors make one cell, and FAISS should not warn about that
    inverted.train(coming)
    inverted.nprobe = min(cells, 8)
    return inverted


def search(
    index: Any, query: Vectors, count: int, positions: Sequence[int] | None = None
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The most similar vectors among these positions, best first; -1 where there are no more.

    A small selection is compared one by one, since a graph search would visit many other vectors first.
    """
    if positions is None:
        similarities, found = index.search(query, count)
    else:
        among = index
        selector = faiss.IDSelectorBatch(np.asarray(positions, dtype="int64"))
        narrow = len(positions) < NARROW * index.ntotal
        chosen = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]  # the stubs lack its fields
        if isinstance(index, faiss.IndexHNSW) and narrow:
            among = index.storage
        elif isinstance(index, faiss.IndexHNSW):
            chosen = faiss.SearchParametersHNSW(  # type: ignore[attr-defined]  # missing in the stubs
                sel=selector, efSearch=index.hnsw.efSearch
            )
        elif isinstance(index, faiss.IndexIVF):
            cells = index.nlist if narrow else index.nprobe
            chosen = faiss.SearchParametersIVF(sel=selector, nprobe=cells)  # type: ignore[call-arg]
        similarities, found = among.search(query, count, params=chosen)
    return similarities[0], found[0]


def breadth(index: Any) -> int:
    """The breadth of the search: candidates in a graph, or cells that are searched; 0 for an exact search."""
    if isinstance(index, faiss.IndexHNSW):
        return int(index.hnsw.efSearch)
    return int(index.nprobe) if isinstance(index, faiss.IndexIVF) else 0


def widened_until_enough(index: Any, groups: Sequence[Sequence[int]]) -> float:
    """Widen the search step by step until it finds nearly as much as an exact search; returns the recall reached.

    Args:
        index: holds its vectors.
        groups: positions that are searched separately, such as those of a report.
    """
    recall = recall_of(index, groups)
    while recall < ENOUGH and breadth(index) < _widest(index):
        _widen(index)
        recall = recall_of(index, groups)
    return recall


def recall_of(index: Any, groups: Sequence[Sequence[int]]) -> float:
    """The recall against an exact search: the lowest of the values for all vectors and for each group.

    A sample of the index's own vectors is used as queries. Each is searched in other groups too, because a question
    is not a chunk of the searched report either.
    """
    if breadth(index) == 0 or index.ntotal == 0:
        return 1.0
    exact = faiss.IndexFlatIP(index.d)
    exact.add(index.reconstruct_n(0, index.ntotal))
    wide = [group for group in groups if NARROW * index.ntotal <= len(group) < index.ntotal]
    return min(_recall_within(index, exact, group) for group in (None, *wide))


def _recall_within(index: Any, exact: Any, group: Sequence[int] | None) -> float:
    shares = []
    count = min(RECALL_AT, index.ntotal if group is None else len(group))
    for position in np.unique(np.linspace(0, index.ntotal - 1, SAMPLE).astype(int)).tolist():
        query = exact.reconstruct(position)[np.newaxis, :]
        best, _ = search(exact, query, count, group)
        similarities, found = search(index, query, count, group)
        shares.append(float(np.mean((found >= 0) & (similarities >= best[-1] - _SAME))))
    return float(np.mean(shares))


def _widest(index: Any) -> int:
    return int(index.ntotal if isinstance(index, faiss.IndexHNSW) else index.nlist)


def _widen(index: Any) -> None:
    wider = min(2 * breadth(index), _widest(index))
    if isinstance(index, faiss.IndexHNSW):
        index.hnsw.efSearch = wider
    else:
        index.nprobe = wider


logger = logging.getLogger(__name__)


class ReportFaissStore(FaissVectorStore):
    """LlamaIndex's FAISS store over normalised vectors: similarities are cosines, -1..1, higher is better.

    The stock store refuses metadata filters. This one accepts one filter, `report_sha1` equal to or in a list, and
    passes the positions of those reports' vectors to FAISS. `assign` tells it which vectors belong to which report.
    """

    _positions: dict[str, list[int]] = PrivateAttr(default_factory=dict)

    @classmethod
    def empty(cls, kind: Kind, dimensions: int, coming: Vectors) -> "ReportFaissStore":
        """An empty store, prepared for the vectors to come."""
        return cls(faiss_index=empty_index(kind, dimensions, coming))

    @classmethod
    def load(cls, folder: Path) -> "ReportFaissStore":
        """The store that LlamaIndex persisted into the folder."""
        return cls(faiss_index=FaissVectorStore.from_persist_dir(str(folder)).client)

    @property
    def breadth(self) -> int:
        """The breadth of the search; 0 is an exact search."""
        return breadth(self._faiss_index)

    def vectors(self) -> Vectors:
        """All vectors, by position."""
        stored_vectors: Vectors = self._faiss_index.reconstruct_n(0, self._faiss_index.ntotal)
        return stored_vectors

    def assign(self, positions: Mapping[str, Sequence[int]]) -> None:
        """Tell which vector positions belong to which report."""
        self._positions = {sha1: list(ids) for sha1, ids in positions.items()}

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        """Add all nodes in one call (the stock store adds them one by one); ids are positions as strings."""
        first = self._faiss_index.ntotal
        if nodes:
            self._faiss_index.add(np.asarray([node.get_embedding() for node in nodes], dtype="float32"))
        return [str(position) for position in range(first, self._faiss_index.ntotal)]

    def widen(self) -> float:
        """Widen the search until nearly nothing of any report is missed; returns the recall@30 reached."""
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
        """Store nodes with their vectors, and measure the recall of the index."""
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
        """Open an index that was written."""
        del manifest
        store = ReportFaissStore.load(folder)
        index = stored_index(folder, store, model)
        store.assign(_positions(index))
        return index

    def vectors(self, folder: Path, manifest: Manifest, index: VectorStoreIndex) -> Mapping[str, Sequence[float]]:
        """All vectors of an index by position, as a string."""
        del manifest, index
        stored_vectors = ReportFaissStore.load(folder).vectors()
        return {str(position): vector.tolist() for position, vector in enumerate(stored_vectors)}

    def holds(self, folder: Path, manifest: Manifest) -> bool:
        """Always true: the vectors were published with the folder."""
        del folder, manifest
        return True

    def clear(self, folder: Path) -> None:
        """Does nothing: there are no data outside the folder."""

    def close(self) -> None:
        """Does nothing: there are no connections."""


def _positions(index: VectorStoreIndex) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for position, node in nodes_by_id(index).items():
        positions.setdefault(str(node.metadata[REPORT_KEY]), []).append(int(position))
    return positions

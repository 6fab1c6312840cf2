"""The kinds of FAISS index: exact, a graph, cells; how each is filtered, and what the last two miss."""

from collections.abc import Sequence
from typing import Any, Literal

import faiss
import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Kind = Literal["flat", "hnsw", "ivf"]

MANY = 50_000  # vectors; below it exact search takes about ten milliseconds of one core, above it a graph pays
NEIGHBOURS = 32  # of each vector in the graph
VECTORS_PER_CELL = 39  # FAISS wants as many to place a cell's centre
NARROW = 0.2  # of the vectors: fewer than that are compared one by one
RECALL_AT = 30  # as many chunks as a question usually asks for
ENOUGH = 0.99  # of the exact search's chunks; below it the search is widened
SAMPLE = 100
_SAME = 1e-6  # similarities that differ by less are those of equal chunks


def kind_for(wanted: Literal["auto", "flat", "hnsw", "ivf"], vectors: int) -> Kind:
    """The kind of index for so many vectors."""
    if vectors == 0:  # nothing to place cells by
        return "flat"
    if wanted == "auto":
        return "hnsw" if vectors >= MANY else "flat"
    return wanted


def empty_index(kind: Kind, dimensions: int, coming: Vectors) -> Any:
    """An index by inner product without vectors; `coming` are those that it will hold, by which cells are placed."""
    flat = faiss.IndexFlatIP(dimensions)
    if kind == "flat":
        return flat
    if kind == "hnsw":
        graph = faiss.IndexHNSWFlat(dimensions, NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efSearch = 2 * RECALL_AT
        return graph
    cells = max(1, min(int(4 * len(coming) ** 0.5), len(coming) // VECTORS_PER_CELL))
    inverted = faiss.IndexIVFFlat(flat, dimensions, cells, faiss.METRIC_INNER_PRODUCT)
    inverted.cp.min_points_per_centroid = 1  # a handful of vectors is one cell, and no reason to warn
    inverted.train(coming)
    inverted.nprobe = min(cells, 8)
    return inverted


def search(
    index: Any, query: Vectors, count: int, positions: Sequence[int] | None = None
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The most similar vectors, best first, of those at these positions; -1 where there are no more.

    A narrow choice is compared one by one: a graph would lead through the others to reach them, which takes longer.
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
    """How widely it searches: candidates held in a graph, cells looked into, 0 for an exact search."""
    if isinstance(index, faiss.IndexHNSW):
        return int(index.hnsw.efSearch)
    return int(index.nprobe) if isinstance(index, faiss.IndexIVF) else 0


def widened_until_enough(index: Any, groups: Sequence[Sequence[int]]) -> float:
    """Widen the search, step by step, until it finds nearly what an exact one does; the share that it then finds.

    Args:
        index: holds its vectors.
        groups: positions that are searched by themselves, such as a report's.
    """
    recall = recall_of(index, groups)
    while recall < ENOUGH and breadth(index) < _widest(index):
        _widen(index)
        recall = recall_of(index, groups)
    return recall


def recall_of(index: Any, groups: Sequence[Sequence[int]]) -> float:
    """The share of the exact search's first chunks that the index finds; of all and of each group, the lowest.

    A sample of its own vectors is looked for, not only in the group that a vector belongs to: a question, too, is no
    chunk of the report that is searched.
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

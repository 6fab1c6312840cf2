"""Vectors in a store of the user's own: any of LlamaIndex's vector stores, a new one for each generation."""

import contextlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)

from indexes.options import VectorStoreOptions
from indexes.search.vector_store import REPORT_KEY, new_index, nodes_by_id, stored_index
from storage.components import make_component, of_the_user, taken_by
from storage.errors import ComponentError, UsageError
from storage.files import digest
from storage.stores.generations import Manifest, VectorIndex

logger = logging.getLogger(__name__)
_PERSISTED = "default__vector_store.json"  # LlamaIndex's name of what a store in memory writes into the folder
_VECTORS, _IDS = "vectors.npy", "vector_ids.json"


class OwnStores:
    """The generations of a class that a setting names.

    The class is called with the setting's options, and with what it takes of `collection_name`, another one for each
    generation, `folder`, which is the generation's, and `dimensions`. It filters by metadata, as LlamaIndex's stores
    do. A store that is in memory is written into the folder by its `persist` and read by its `from_persist_path`.

    Args:
        options: name the class.
        make: the class itself, or a function that makes a store, where a program gives one.
    """

    def __init__(
        self, options: VectorStoreOptions, make: Callable[..., BasePydanticVectorStore] | None = None
    ) -> None:
        self._options = options
        self._make = make
        self._what = f"the vector store {options.kind.rpartition(':')[2]}"

    def write(
        self, folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding
    ) -> VectorIndex:
        """Store nodes with their vectors, which are also kept in the folder: not every store gives them back."""
        store = self._store(folder, manifest.dimensions)
        if not store.is_embedding_query:
            raise ComponentError(f"{self._what} is not searched by vectors; expected a store that is")
        with of_the_user(self._what):
            index = new_index(nodes, store, model)
            index.storage_context.persist(persist_dir=str(folder))
            if nodes:
                self._check_filters(store, manifest)
        by_node = {node.node_id: node.get_embedding() for node in nodes}
        ids = {vector: node.node_id for vector, node in nodes_by_id(index).items()}
        (folder / _IDS).write_text(json.dumps(list(ids)), encoding="utf-8")
        np.save(folder / _VECTORS, np.asarray([by_node[node] for node in ids.values()], dtype="float32"))
        return VectorIndex(store=self._options.kind)

    def open(self, folder: Path, manifest: Manifest, model: BaseEmbedding) -> VectorStoreIndex:
        """Open an index that was written."""
        store, written = self._store(folder, manifest.dimensions), folder / _PERSISTED
        read = getattr(type(store), "from_persist_path", None)
        return stored_index(folder, read(str(written)) if read and written.exists() else store, model)

    def vectors(self, folder: Path, manifest: Manifest, index: VectorStoreIndex) -> Mapping[str, Sequence[float]]:
        """All vectors of an index by the store's ids."""
        del manifest, index
        ids: list[str] = json.loads((folder / _IDS).read_text(encoding="utf-8"))
        kept = np.load(folder / _VECTORS, allow_pickle=False)
        return {vector: row.tolist() for vector, row in zip(ids, kept, strict=True)}

    def holds(self, folder: Path, manifest: Manifest) -> bool:
        """Always true: whether a store still has its vectors only its own search tells."""
        del folder, manifest
        return True

    def clear(self, folder: Path) -> None:
        """Empty the store of a generation, where the class can do that."""
        try:
            with of_the_user(self._what), contextlib.suppress(NotImplementedError):
                self._store(folder, 0).clear()
        except ComponentError as error:  # the class is not to be had here: what it keeps elsewhere stays there
            logger.warning("what the vector store keeps of %s outside this folder stays there: %s", folder, error)

    def close(self) -> None:
        """Does nothing: a store is made anew each time."""

    def _store(self, folder: Path, dimensions: int) -> BasePydanticVectorStore:
        name = f"pageproof_{digest([*folder.parts[-3:]])}"
        known = {"collection_name": name, "folder": folder, "dimensions": dimensions}
        if self._make is not None:
            with of_the_user(self._what):
                made = self._make(**taken_by(self._make, known))
            if not isinstance(made, BasePydanticVectorStore):
                raise ComponentError(
                    f"{self._what} is a {type(made).__name__}, expected a BasePydanticVectorStore of LlamaIndex"
                )
            return made
        try:
            return make_component(
                "vector_stores",
                self._options.kind,
                self._options.options,
                "vector_store.kind",
                BasePydanticVectorStore,  # type: ignore[type-abstract]  # only looked at
                **known,
            )
        except UsageError as error:
            raise ComponentError(str(error)) from error

    def _check_filters(self, store: BasePydanticVectorStore, manifest: Manifest) -> None:
        """See that a search can be kept to one report: an answer from another one would be wrong.

        Raises:
            ComponentError: the store does not look at filters.
        """
        nobody = MetadataFilters(filters=[MetadataFilter(key=REPORT_KEY, value="of no report")])
        vector = [1.0] + [0.0] * (manifest.dimensions - 1)
        try:
            found = store.query(VectorStoreQuery(query_embedding=vector, similarity_top_k=1, filters=nobody))
            if not (found.ids or found.nodes):
                return
            why = "it found passages of another report"
        except (NotImplementedError, ValueError) as error:
            why = f"it says: {' '.join(str(error).split())}"
        raise ComponentError(f"{self._what} cannot be used: it does not filter by metadata ({why})")


class GuardedRetriever(BaseRetriever):
    """Retrieves with a class of the user's own, whose errors are its own and whose nodes are looked at."""

    def __init__(self, inner: BaseRetriever, what: str, report_sha1: str) -> None:
        super().__init__()
        self._inner, self._what, self._report_sha1 = inner, what, report_sha1

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with of_the_user(self._what):
            found = self._inner.retrieve(query_bundle)
        if not isinstance(found, list) or not all(isinstance(node, NodeWithScore) for node in found):
            raise ComponentError(f"{self._what} returned no list of NodeWithScore")
        for node in found:
            place = node.metadata.get(REPORT_KEY), node.metadata.get("page")
            if place[0] != self._report_sha1 or not isinstance(place[1], int):
                raise ComponentError(
                    f"{self._what} returned the node {node.node.node_id!r}, which is no passage of this report; "
                    "expected nodes of `index` or `nodes`, which have `report_sha1` and `page` in their metadata"
                )
        return found

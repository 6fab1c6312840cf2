"""Vectors in a store of the user's own: any of LlamaIndex's vector stores, a new one for each generation."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from indexes.options import VectorStoreOptions
from indexes.search.vector_store import new_index, nodes_by_id, stored_index
from storage.components import make_component
from storage.files import digest
from storage.stores.generations import Manifest, VectorIndex

_PERSISTED = "default__vector_store.json"  # LlamaIndex's name of what a store in memory writes into the folder
_VECTORS, _IDS = "vectors.npy", "vector_ids.json"


class OwnStores:
    """The generations of a class that a setting names.

    The class is called with the setting's options, and with what it takes of `collection_name`, another one for each
    generation, `folder`, which is the generation's, and `dimensions`. It filters by metadata, as LlamaIndex's stores
    do. A store that is in memory is written into the folder by its `persist` and read by its `from_persist_path`.
    """

    def __init__(self, options: VectorStoreOptions) -> None:
        self._options = options

    def write(
        self, folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding
    ) -> VectorIndex:
        """Store nodes with their vectors, which are also kept in the folder: not every store gives them back."""
        index = new_index(nodes, self._store(folder, manifest.dimensions), model)
        index.storage_context.persist(persist_dir=str(folder))
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
        with contextlib.suppress(NotImplementedError):
            self._store(folder, 0).clear()

    def close(self) -> None:
        """Does nothing: a store is made anew each time."""

    def _store(self, folder: Path, dimensions: int) -> BasePydanticVectorStore:
        name = f"pageproof_{digest([*folder.parts[-3:]])}"
        return make_component(
            "vector_stores",
            self._options.kind,
            self._options.options,
            "vector_store.kind",
            BasePydanticVectorStore,  # type: ignore[type-abstract]  # only looked at
            collection_name=name,
            folder=folder,
            dimensions=dimensions,
        )

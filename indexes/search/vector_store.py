"""The interface of the stores that hold and search the vectors of company indexes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from storage.stores.generations import Manifest, VectorIndex

REPORT_KEY = "report_sha1"
"""The one thing that a search can be restricted to."""


class VectorStores(Protocol):
    """A store for each generation of each company's index.

    The nodes themselves are always in the generation's folder.
    """

    def write(
        self, folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding
    ) -> VectorIndex:
        """Store nodes with their vectors; returns how they will be searched."""
        ...

    def open(self, folder: Path, manifest: Manifest, model: BaseEmbedding) -> VectorStoreIndex:
        """Open an index that was written."""
        ...

    def vectors(self, folder: Path, manifest: Manifest, index: VectorStoreIndex) -> Mapping[str, Sequence[float]]:
        """All vectors of an opened index, by the store's ids."""
        ...

    def holds(self, folder: Path, manifest: Manifest) -> bool:
        """Whether the vectors described in the manifest exist."""
        ...

    def clear(self, folder: Path) -> None:
        """Remove a generation's data outside its folder, before the folder is removed."""
        ...

    def close(self) -> None:
        """Close connections and release locks; they are opened again when needed."""
        ...


def new_index(nodes: Sequence[BaseNode], store: BasePydanticVectorStore, model: BaseEmbedding) -> VectorStoreIndex:
    """An index over an empty store, filled with nodes and their vectors."""
    context = StorageContext.from_defaults(vector_store=store)
    return VectorStoreIndex(nodes, storage_context=context, embed_model=model, store_nodes_override=True)


def stored_index(folder: Path, store: BasePydanticVectorStore, model: BaseEmbedding) -> VectorStoreIndex:
    """The index over a store, with the nodes from the folder."""
    context = StorageContext.from_defaults(persist_dir=str(folder), vector_store=store)
    index = load_index_from_storage(context, embed_model=model)
    if not isinstance(index, VectorStoreIndex):
        raise TypeError(f"{folder} holds a {type(index).__name__}, expected VectorStoreIndex")
    return index


def nodes_by_id(index: VectorStoreIndex) -> dict[str, BaseNode]:
    """Every node by the store's id of its vector, in the order in which they were added."""
    return {vector: index.docstore.get_node(node) for vector, node in index.index_struct.nodes_dict.items()}

"""Where the vectors of company indexes are kept and searched: the seam between an index and its store."""

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

    The nodes themselves stay in the generation's folder, whatever the store.
    """

    def write(
        self, folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding
    ) -> VectorIndex:
        """Keep nodes that carry their vectors; what they will be searched with."""
        ...

    def open(self, folder: Path, manifest: Manifest, model: BaseEmbedding) -> VectorStoreIndex:
        """The index that was written."""
        ...

    def vectors(self, folder: Path, manifest: Manifest, index: VectorStoreIndex) -> Mapping[str, Sequence[float]]:
        """All vectors of an opened index, by the ids that the store gave them."""
        ...

    def holds(self, folder: Path, manifest: Manifest) -> bool:
        """Whether the vectors that the manifest tells of are there."""
        ...

    def clear(self, folder: Path) -> None:
        """Remove what is kept of a generation outside its folder, which is about to be removed."""
        ...

    def close(self) -> None:
        """Let go of connections and locks; they are taken again at need."""
        ...


def new_index(nodes: Sequence[BaseNode], store: BasePydanticVectorStore, model: BaseEmbedding) -> VectorStoreIndex:
    """An index over an empty store, filled with nodes that carry their vectors."""
    context = StorageContext.from_defaults(vector_store=store)
    return VectorStoreIndex(nodes, storage_context=context, embed_model=model)


def stored_index(folder: Path, store: BasePydanticVectorStore, model: BaseEmbedding) -> VectorStoreIndex:
    """The index over a store and what the folder knows of its vectors."""
    context = StorageContext.from_defaults(persist_dir=str(folder), vector_store=store)
    index = load_index_from_storage(context, embed_model=model)
    if not isinstance(index, VectorStoreIndex):
        raise TypeError(f"{folder} holds a {type(index).__name__}, expected VectorStoreIndex")
    return index


def nodes_by_id(index: VectorStoreIndex) -> dict[str, BaseNode]:
    """Every node under the id that the store gave its vector, in the order in which they were added."""
    return {vector: index.docstore.get_node(node) for vector, node in index.index_struct.nodes_dict.items()}

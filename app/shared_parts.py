"""What the desks of one process hold in common: embedding model, loaded indexes and vector store, each once."""

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from indexes.cached_embedding import CachedEmbedder
from indexes.options import EmbeddingOptions, HuggingFaceEmbeddingOptions, MiniLmOptions
from indexes.vector_stores import VectorStores
from query_engines.index_shelf import IndexShelf
from storage.paths import DataPaths

Part = TypeVar("Part")


class SharedParts:
    """Gives the part that was made first for the same settings and library.

    A hosted embedding model is not shared: its connections belong to one desk, and close with it.
    """

    def __init__(self) -> None:
        self._embedders: dict[Hashable, CachedEmbedder] = {}
        self._shelves: dict[Hashable, IndexShelf] = {}
        self._stores: dict[Hashable, VectorStores] = {}
        self._making = threading.Lock()

    def embedder(
        self, options: EmbeddingOptions, paths: DataPaths, make: Callable[[], CachedEmbedder]
    ) -> CachedEmbedder:
        """The embedder of these options."""
        return self._once(self._embedders, options, (options, paths), make)

    def shelf(
        self, options: EmbeddingOptions, paths: DataPaths, fingerprint: str, make: Callable[[], IndexShelf]
    ) -> IndexShelf:
        """The loaded indexes of one fingerprint."""
        return self._once(self._shelves, options, (options, paths, fingerprint), make)

    def stores(self, key: Hashable, make: Callable[[], VectorStores]) -> VectorStores:
        """A vector store that is opened."""
        with self._making:
            if key not in self._stores:
                self._stores[key] = make()
            return self._stores[key]

    def close(self) -> None:
        """Let go of what is open; it opens again at need."""
        with self._making:
            for stores in self._stores.values():
                stores.close()

    def _once(
        self, made: dict[Hashable, Part], options: EmbeddingOptions, key: Hashable, make: Callable[[], Part]
    ) -> Part:
        if not isinstance(options, MiniLmOptions | HuggingFaceEmbeddingOptions):
            return make()
        with self._making:
            if key not in made:
                made[key] = make()
            return made[key]

"""Embedding many texts, paying only for the new ones."""

import threading
from collections.abc import Callable, Sequence

from llama_index.core.base.embeddings.base import BaseEmbedding

from indexes.embeddings import Embedder
from indexes.heap import give_back
from storage.embedding_cache import EmbeddingCache

SAVED_AFTER = 256  # texts; a kill loses at most these


class CachedEmbedder:
    """An embedder whose vectors are kept by text and model. The model is loaded at first need."""

    def __init__(self, load: Callable[[], Embedder], model_id: str, cache: EmbeddingCache) -> None:
        self._load = load
        self.model_id = model_id
        self._cache = cache
        self._embedder: Embedder | None = None
        self._loading = threading.Lock()

    @property
    def embedder(self) -> Embedder:
        """The loaded embedder; concurrent callers wait for one load."""
        with self._loading:
            if self._embedder is None:
                self._embedder = self._load()
            return self._embedder

    @property
    def loaded(self) -> Embedder | None:
        """The embedder where it is loaded already."""
        return self._embedder

    @property
    def model(self) -> BaseEmbedding:
        """The model that embeds questions."""
        return self.embedder.model

    def dimensions(self) -> int:
        """Length of a vector."""
        return len(self.embed(["dimensions"])[0])

    def embed(
        self, texts: Sequence[str], on_progress: Callable[[int, int], None] | None = None
    ) -> list[list[float]]:
        """One vector for each text, in order."""
        vectors = self._cache.get(self.model_id, texts)
        # Texts of one length together: the model pads each batch to its longest.
        missing = sorted({t for t in texts if t not in vectors}, key=len)
        for start in range(0, len(missing), SAVED_AFTER):
            batch = missing[start : start + SAVED_AFTER]
            fresh = list(zip(batch, self.embedder.embed(batch), strict=True))
            self._cache.put(self.model_id, fresh)
            vectors.update(self._cache.get(self.model_id, batch))
            give_back()
            if on_progress:
                on_progress(len(texts) - len(missing) + start + len(batch), len(texts))
        return [vectors[text].tolist() for text in texts]

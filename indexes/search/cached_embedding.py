"""Vectors of texts and questions. Known texts come from a cache, and questions are embedded in batches."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache
from llama_index.core.base.embeddings.base import BaseEmbedding

from indexes.search.embeddings import Embedder
from storage.process_memory import give_back
from storage.stores.caches import EmbeddingCache

SAVED_AFTER = 256  # texts; a kill loses the vectors of at most so many


class CachedEmbedder:
    """An embedder with a cache of vectors by text and model. The model is loaded at its first use."""

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
        """The embedder if it is loaded already, else None."""
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
        # Texts of similar length together, since the model pads each batch to its longest text.
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


COMPARED_TEXTS = 8192  # sentences whose vectors are held in memory; 1.5 kB each with MiniLM


class SentenceLikeness:
    """Compares the meaning of questions and sentences; vectors of sentences are held in memory for later questions."""

    def __init__(self, embedder: CachedEmbedder, size: int = COMPARED_TEXTS) -> None:
        self._embedder = embedder
        self._vectors: LRUCache[str, npt.NDArray[np.float32]] = LRUCache(size)
        self._lock = threading.Lock()

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        """The cosine of the question and each text, in order.

        A model on a server is not asked, since each sentence would cost: then there are no likenesses.
        """
        embedder = self._embedder.embedder
        if embedder.embed_questions is None or not texts:
            return []
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = sorted({text for text in texts if text not in known}, key=len)
        if missing:
            fresh = np.array(embedder.embed(missing), dtype=np.float32)
            fresh /= np.maximum(np.linalg.norm(fresh, axis=1, keepdims=True), 1e-9)
            known.update(zip(missing, fresh, strict=True))
            with self._lock:
                self._vectors.update({text: known[text] for text in missing})
        asked = np.array(embedder.embed_questions([question])[0], dtype=np.float32)
        asked /= max(float(np.linalg.norm(asked)), 1e-9)
        return [float(known[text] @ asked) for text in texts]


Vector = list[float]
BATCH = 8  # larger batches are hardly faster, and their first texts wait for the last
CACHED_TEXTS = 512  # texts; 12 kB each with MiniLM


class QueryVectors:
    """Vectors of questions, shared by all questions under one embedder.

    A local model computes one batch at a time, in a thread of its own. Requests that arrive meanwhile form the next
    batches, in the order of arrival. A model on a server is called without blocking a thread.
    """

    def __init__(self, embedder: CachedEmbedder, size: int = CACHED_TEXTS) -> None:
        self._embedder = embedder
        self._cached: LRUCache[str, Vector] = LRUCache(size)
        self._waiting: list[tuple[str, Future[Vector]]] = []
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pageproof-embed")

    async def get(self, text: str) -> Vector:
        """The vector of a search text."""
        with self._lock:
            if (known := self._cached.get(text)) is not None:
                return known
        loaded = self._embedder.loaded
        if loaded is None:
            loaded = await asyncio.to_thread(lambda: self._embedder.embedder)
        if loaded.embed_questions is None:
            vector = await loaded.model.aget_query_embedding(text)
        else:
            vector = await asyncio.wrap_future(self._enqueue(text))
        with self._lock:
            self._cached[text] = vector
        return vector

    def _enqueue(self, text: str) -> "Future[Vector]":
        future: Future[Vector] = Future()
        with self._lock:
            self._waiting.append((text, future))
        self._thread.submit(self._work)
        return future

    def _work(self) -> None:
        """Compute the next batch, if an earlier one has not taken all texts."""
        with self._lock:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
        batch = [(text, future) for text, future in batch if future.set_running_or_notify_cancel()]
        if not batch:
            return
        try:
            embed = self._embedder.embedder.embed_questions
            if embed is None:
                raise TypeError("a model on a server makes no batches here")
            vectors = embed([text for text, _ in batch])
        except BaseException as error:  # noqa: BLE001  # raised in all callers that wait for it
            for _, future in batch:
                future.set_exception(error)
            return
        for (_, future), vector in zip(batch, vectors, strict=True):
            future.set_result(vector)

"""Vectors of questions asked for at once, again, and while a model is busy."""

import asyncio
import threading
from pathlib import Path
from typing import Any, cast

import pytest

from indexes.options import MiniLmOptions, model_id
from indexes.search.cached_embedding import BATCH, CachedEmbedder, QueryVectors
from indexes.search.embeddings import Embedder, build_embedder
from storage.stores.caches import EmbeddingCache


class Batches:
    """Counts letters; waits at the first batch until it may go on."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []
        self.may_go_on = threading.Event()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.seen.append(texts)
        self.may_go_on.wait(10)
        if "broken" in texts:
            raise ValueError("cannot embed")
        return [[float(len(text))] for text in texts]


def vectors(embed: Any, tmp_path: Path, size: int = 8) -> QueryVectors:
    loaded = Embedder(cast(Any, None), "letters", 10, lambda _: [], embed_questions=embed)
    return QueryVectors(CachedEmbedder(lambda: loaded, "letters", EmbeddingCache(tmp_path / "v.sqlite")), size)


async def test_what_is_asked_for_while_the_model_works_is_the_next_batch(tmp_path: Path) -> None:
    batches = Batches()
    query_vectors = vectors(batches, tmp_path)
    first = asyncio.create_task(query_vectors.get("a"))
    while not batches.seen:
        await asyncio.sleep(0.01)
    rest = [asyncio.create_task(query_vectors.get("b" * n)) for n in (2, 3, 4)]
    await asyncio.sleep(0.1)
    batches.may_go_on.set()
    assert await asyncio.gather(first, *rest) == [[1.0], [2.0], [3.0], [4.0]]
    assert [len(batch) for batch in batches.seen] == [1, 3]


async def test_many_are_computed_in_small_batches_the_first_to_come_first(tmp_path: Path) -> None:
    batches = Batches()
    query_vectors = vectors(batches, tmp_path, size=64)
    batches.may_go_on.set()
    await query_vectors.get("loads the model")
    batches.may_go_on.clear()
    batches.seen.clear()
    texts = ["b" * n for n in range(1, 2 * BATCH + 3)]
    waiting = [asyncio.create_task(query_vectors.get(text)) for text in texts]
    await asyncio.sleep(0.1)
    batches.may_go_on.set()
    await asyncio.gather(*waiting)
    assert [text for batch in batches.seen for text in batch] == texts
    assert max(map(len, batches.seen)) == BATCH


async def test_a_text_that_was_asked_for_is_kept_until_others_take_its_place(tmp_path: Path) -> None:
    batches = Batches()
    batches.may_go_on.set()
    query_vectors = vectors(batches, tmp_path, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await query_vectors.get(text)
    assert batches.seen == [["a"], ["b"], ["c"], ["b"]]


async def test_a_failed_batch_is_told_to_all_that_wait_and_the_next_one_works(tmp_path: Path) -> None:
    batches = Batches()
    batches.may_go_on.set()
    query_vectors = vectors(batches, tmp_path)
    with pytest.raises(ValueError, match="cannot embed"):
        await query_vectors.get("broken")
    assert await query_vectors.get("abc") == [3.0]


async def test_a_batch_gives_what_each_text_gives_alone(tmp_path: Path) -> None:
    options = MiniLmOptions()
    embedder = CachedEmbedder(
        lambda: build_embedder(options), model_id(options), EmbeddingCache(tmp_path / "v.sqlite")
    )
    texts = ["total revenue", "who is the chief executive officer of the company?", "cash"]
    together = await asyncio.gather(*(QueryVectors(embedder).get(text) for text in texts))
    query_vectors = QueryVectors(embedder)
    batch = await asyncio.gather(*(query_vectors.get(text) for text in texts))
    for text, one, other in zip(texts, together, batch, strict=True):
        alone = embedder.model.get_query_embedding(text)
        assert one == pytest.approx(alone, abs=1e-6)
        assert other == pytest.approx(alone, abs=1e-6)

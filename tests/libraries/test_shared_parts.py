"""What several clients of one process hold once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly.shared_parts import SharedParts
from indexes.options import EmbeddingOptions, MiniLmOptions, OpenAIEmbeddingOptions
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.embeddings import Embedder
from query_engines.retrieval.index_cache import IndexCache
from storage.errors import BudgetSpent
from storage.paths import DataPaths
from storage.stores.caches import EmbeddingCache
from tests.support.doubles.openai_server import OpenAIServer, Reply


def never_loaded() -> Embedder:
    raise AssertionError("nothing is embedded here")


def test_a_local_embedding_model_is_held_once_and_a_hosted_one_by_each_client(tmp_path: Path) -> None:
    shared, paths = SharedParts(), DataPaths(tmp_path)

    def make() -> CachedEmbedder:
        return CachedEmbedder(never_loaded, "model", EmbeddingCache(paths.embedding_cache))

    assert shared.embedder(MiniLmOptions(), paths, make) is shared.embedder(MiniLmOptions(), paths, make)
    other = DataPaths(tmp_path / "other")
    assert shared.embedder(MiniLmOptions(), paths, make) is not shared.embedder(MiniLmOptions(), other, make)
    hosted = OpenAIEmbeddingOptions()
    assert shared.embedder(hosted, paths, make) is not shared.embedder(hosted, paths, make)


class Counted(SharedParts):
    """Remembers each shelf that it gave."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[IndexCache] = []

    def index_cache(
        self, options: EmbeddingOptions, paths: DataPaths, fingerprint: str, make: Callable[[], IndexCache]
    ) -> IndexCache:
        self.given.append(super().index_cache(options, paths, fingerprint, make))
        return self.given[-1]


def test_clients_that_differ_in_pages_answer_from_the_same_loaded_indexes(sample_data: Path) -> None:
    shared = Counted()
    with (
        open_pageproof("offline", data=sample_data, shared=shared) as one,
        open_pageproof("offline", data=sample_data, shared=shared, overrides=["retrieval.pages=3"]) as other,
    ):
        question = "What was the gross profit of Ostermere Instruments, Inc.?"
        values = [client.query(question).response.value for client in (one, other)]
    assert values == [144_905_000.0, 144_905_000.0]
    first, second = shared.given
    assert first is second


def test_closing_an_idle_client_does_not_give_its_budget_back(sample_data: Path) -> None:
    shared, requests = SharedParts(), []
    prices = ("llm.prompt_usd_per_million=1", "llm.completion_usd_per_million=1000", "llm.budget_usd=1")
    with OpenAIServer(answer=lambda _: Reply("none", completion_tokens=1000)) as server:
        settings = ("llm.kind=openai_like", "llm.model=any", f"llm.api_base={server.api_base}", *prices)
        for owner in (None, None, "ann"):
            with (
                open_pageproof(
                    "offline",
                    overrides=(*settings, "answers.kind=llm", "answers.cache=false"),
                    data=sample_data,
                    shared=shared,
                    owner=owner,
                ) as client,
                pytest.raises(BudgetSpent),
            ):
                client.query("What was the gross profit of Ostermere Instruments, Inc.?", kind="number")
            requests.append(len(server.chats))
    assert requests == [1, 1, 2]  # a dollar each, and nothing more for who had spent it

"""Approximate search in a company's vectors: what is missed is measured, and a report stays by itself."""

from pathlib import Path

import numpy as np
import pytest
from llama_index.core import MockEmbedding
from llama_index.core.schema import QueryBundle, TextNode
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)

from app.assembly.client import Pageproof
from indexes.options import ChunkingOptions, MiniLmOptions, VectorStoreOptions, model_id
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.chunking import PageChunker, PageNodeParser
from indexes.search.company_index import CompanyIndexes, write_index
from indexes.search.embeddings import build_embedder
from indexes.search.faiss_store import (
    MANY,
    FaissStores,
    Kind,
    ReportFaissStore,
    Vectors,
    empty_index,
    kind_for,
    recall_of,
    search,
    widened_until_enough,
)
from indexes.search.vector_store import REPORT_KEY
from storage.stores.caches import EmbeddingCache
from storage.stores.generations import Manifest, VectorIndex
from storage.stores.pages import PageStore

APPROXIMATE: tuple[Kind, ...] = ("hnsw", "ivf")
KINDS: tuple[Kind, ...] = ("flat", *APPROXIMATE)


def unit_vectors(count: int, dimensions: int = 24) -> Vectors:
    """Twenty topics with a spread, as chunks have."""
    random = np.random.default_rng(7)
    topics = random.normal(size=(20, dimensions))
    vectors = topics[random.integers(0, 20, count)] + 0.8 * random.normal(size=(count, dimensions))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype="float32")


def only(sha1: str) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=REPORT_KEY, value=sha1, operator=FilterOperator.EQ)])


def filled(kind: Kind, vectors: Vectors) -> ReportFaissStore:
    """A store whose vectors belong to three reports in turn."""
    store = ReportFaissStore.empty(kind, vectors.shape[1], vectors)
    ids = store.add([TextNode(text=str(n), embedding=v.tolist()) for n, v in enumerate(vectors)])
    assert ids == [str(n) for n in range(len(vectors))]
    store.assign({sha1: list(range(n, len(vectors), 3)) for n, sha1 in enumerate("abc")})
    return store


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_finds_the_nearest_chunks_of_the_asked_report_alone(kind: Kind, tmp_path: Path) -> None:
    vectors = unit_vectors(3_000)
    store = filled(kind, vectors)
    assert store.widen() >= 0.99
    store.persist(str(tmp_path / "default__vector_store.json"))
    loaded = ReportFaissStore.load(tmp_path)
    loaded.assign({"b": list(range(1, 3_000, 3))})

    wanted = vectors[5::300]
    right = 0
    for vector in wanted:
        query = VectorStoreQuery(query_embedding=vector.tolist(), similarity_top_k=30, filters=only("b"))
        found = loaded.query(query)
        cosines = vectors @ vector
        assert all(int(p) % 3 == 1 for p in found.ids or [])
        assert found.similarities == pytest.approx([float(cosines[int(p)]) for p in found.ids or []], abs=1e-5)
        exact = sorted(range(1, 3_000, 3), key=lambda p: -cosines[p])[:30]
        right += len({int(p) for p in found.ids or []} & set(exact))
    assert right / (30 * len(wanted)) >= 0.97
    assert loaded.breadth == store.breadth


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_a_search_that_misses_chunks_is_widened_and_what_it_still_misses_told(kind: Kind) -> None:
    vectors = unit_vectors(3_000)
    index = empty_index(kind, 24, vectors)
    index.add(vectors)
    if kind == "hnsw":
        index.hnsw.efSearch = 1
    else:
        index.nprobe = 1
    groups = [list(range(n, 3_000, 3)) for n in range(3)]
    before = recall_of(index, groups)
    after = widened_until_enough(index, groups)
    assert before < 0.9 < 0.99 <= after == recall_of(index, groups)


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_a_report_that_is_a_small_part_of_its_company_is_searched_exactly(kind: Kind) -> None:
    vectors = unit_vectors(3_000)
    index = empty_index(kind, 24, vectors)
    index.add(vectors)
    small = list(range(0, 3_000, 10))
    _, found = search(index, vectors[1:2], 30, small)
    assert found.tolist() == sorted(small, key=lambda p: -float(vectors[p] @ vectors[1]))[:30]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 5, 45])
def test_a_handful_of_vectors_is_searched_whole(kind: Kind, count: int) -> None:
    vectors = unit_vectors(count)
    store = filled(kind, vectors)
    assert store.widen() == 1.0
    found = store.query(
        VectorStoreQuery(query_embedding=vectors[0].tolist(), similarity_top_k=30, filters=only("a"))
    )
    assert sorted(int(p) for p in found.ids or []) == list(range(0, count, 3))[:30]


@pytest.mark.parametrize(
    ("wanted", "vectors", "kind"),
    [
        ("auto", MANY - 1, "flat"),
        ("auto", MANY, "hnsw"),
        ("flat", MANY, "flat"),
        ("hnsw", 1, "hnsw"),
        ("ivf", 1, "ivf"),
        ("ivf", 0, "flat"),
    ],
)
def test_auto_is_exact_until_there_are_many_vectors(wanted: str, vectors: int, kind: Kind) -> None:
    assert kind_for(VectorStoreOptions.model_validate({"index": wanted}).index, vectors) == kind


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_of_a_real_company_says_how_it_is_searched(tmp_path: Path, client: Pageproof, kind: Kind) -> None:
    options = MiniLmOptions()
    embedder = CachedEmbedder(
        lambda: build_embedder(options), model_id(options), EmbeddingCache(client.paths.embedding_cache)
    )
    (report,) = client.companies()[0].reports
    pages = PageStore(tmp_path / "pages", "reader")
    pages.write(report.sha1, client.pages.read(report.sha1))
    indexes = CompanyIndexes(tmp_path, "print", "reader", pages, FaissStores(kind))
    chunker = PageChunker(ChunkingOptions(), embedder.embedder.tokenize, embedder.embedder.max_tokens)
    manifest = indexes.publish(report, pages.read(report.sha1), PageNodeParser(chunker=chunker), embedder)

    assert manifest == indexes.manifest(report.company)
    assert (manifest.vector_index.wanted, manifest.vector_index.kind) == (kind, kind)
    assert (manifest.vector_index.breadth > 0) == (kind != "flat")
    assert manifest.vector_index.recall_at_30 >= 0.99
    opened = indexes.open(indexes.current(report.company), embedder)
    found = opened.retriever(report.sha1, 3).retrieve(QueryBundle("total assets"))
    assert [n.metadata[REPORT_KEY] for n in found] == [report.sha1] * 3


def test_an_index_without_a_chunk_can_be_written(tmp_path: Path) -> None:
    manifest = Manifest(
        company="A",
        fingerprint="f",
        reader="r",
        embedding_model="m",
        dimensions=4,
        chunk_count=0,
        reports=(),
    )
    write_index(tmp_path, [], manifest, MockEmbedding(embed_dim=4), FaissStores("ivf"))
    assert Manifest.read(tmp_path).vector_index == VectorIndex(wanted="ivf", kind="flat")

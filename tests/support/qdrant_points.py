"""Chunks with vectors of known length, published as an ingestion publishes them.

`python -m tests.support.qdrant_points FOLDER COMPANY COUNT` publishes so many over and over into a Qdrant folder, for a
test that kills it meanwhile, and prints each generation's folder.
"""

import sys
from pathlib import Path

import numpy as np
from llama_index.core import MockEmbedding
from llama_index.core.schema import TextNode

from indexes.search.qdrant_store import QdrantAccess, QdrantStores
from indexes.search.vector_store import REPORT_KEY, VectorStores
from storage.stores.generations import Generations, Manifest

DIMENSIONS = 24
MODEL = MockEmbedding(embed_dim=DIMENSIONS)


def manifest(company: str, chunks: int) -> Manifest:
    return Manifest(
        company=company,
        fingerprint="print",
        reader="reader",
        embedding_model="mock",
        dimensions=DIMENSIONS,
        chunk_count=chunks,
        reports=(),
    )


def nodes(company: str, count: int, seed: int = 7) -> list[TextNode]:
    """Chunks of two reports in turn, with vectors of length one."""
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSIONS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [
        TextNode(
            id_=f"{company}:{n}", text=f"{company} {n}", metadata={REPORT_KEY: "ab"[n % 2]}, embedding=v.tolist()
        )
        for n, v in enumerate(vectors)
    ]


def publish(root: Path, stores: VectorStores, company: str, chunks: list[TextNode]) -> Path:
    written = manifest(company, len(chunks))
    generations = Generations(root / company / "print", stores.clear)

    def fill(folder: Path) -> None:
        found = stores.write(folder, chunks, written, MODEL)
        written.model_copy(update={"vector_index": found}).write(folder)

    with generations.locked():
        return generations.publish(fill)


if __name__ == "__main__":
    folder, company, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    access = QdrantAccess(None, folder / "qdrant")
    while True:
        print(publish(folder, QdrantStores(access), company, nodes(company, count)), flush=True)

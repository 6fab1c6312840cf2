"""Fingerprints by which stored pages, facts and indexes are recognised as still valid."""

from indexes.options import (
    CHUNKERS,
    VECTOR_STORES,
    ChunkingOptions,
    EmbeddingOptions,
    ReaderOptions,
    VectorStoreOptions,
    model_id,
)
from storage.files import digest
from storage.records.metrics import Ontology

READER_VERSION = 10  # raise it when the same PDF gives different page records
MINERU_VERSION = 1  # raise it when the same output of MinerU gives different page records
CHUNKER_VERSION = 1  # raise it when the same pages give different chunks
TABLES_VERSION = 1  # raise it when a model's text about the same table gives different chunks
EXTRACTOR_VERSION = 39
INDEX_VERSIONS = (READER_VERSION, MINERU_VERSION, CHUNKER_VERSION, TABLES_VERSION)
"""Of the program that writes an index. One of other versions has another fingerprint, so nothing reads it any more."""


def reader_fingerprint(options: ReaderOptions) -> str:
    """Identifies the page records that these options produce."""
    if options.kind == "mineru":
        where = str(options.mineru_folder or options.mineru_api_base)
        chosen = [options.mineru_backend, options.mineru_language, options.ocr]
        return digest([READER_VERSION, MINERU_VERSION, options.kind, where, *chosen])
    if options.kind != "docling":
        return digest([READER_VERSION, options.kind, options.options])
    weights = [str(options.weights)] if options.layout == "neural" else []
    hidden = ["hidden text"] if options.hidden_text == "read" else []
    return digest([READER_VERSION, options.kind, options.layout, options.ocr, *weights, *hidden])


def facts_fingerprint(reader: ReaderOptions, ontology: Ontology) -> str:
    """Identifies the facts that these options and metrics produce. Chunks and vectors do not matter for facts."""
    return facts_fingerprint_of(reader_fingerprint(reader), ontology)


def facts_fingerprint_of(reader: str, ontology: Ontology) -> str:
    """The same, from the fingerprint of the reader."""
    return digest([reader, EXTRACTOR_VERSION, ontology.digest])


def index_fingerprint(
    reader: ReaderOptions,
    chunking: ChunkingOptions,
    embedding: EmbeddingOptions,
    store: VectorStoreOptions,
    table_writer: str | None = None,
) -> str:
    """Identifies the company indexes that these options produce.

    `table_writer` is the identity of the model and prompt that write tables out, if any.
    """
    sliced = chunking.model_dump(exclude={"kind", "options"} if chunking.kind in CHUNKERS else set())
    parts = [reader_fingerprint(reader), CHUNKER_VERSION, sliced, model_id(embedding)]
    server = [store.options] if store.kind not in VECTOR_STORES else [store.url] if store.url else []
    written = [] if table_writer is None else [TABLES_VERSION, table_writer]
    return digest([*parts, store.model_dump(include={"kind", "index"}), *server, *written])

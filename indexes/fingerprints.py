"""What makes two readings or two indexes the same."""

from indexes.embeddings import model_id
from indexes.options import ChunkingOptions, EmbeddingOptions, ReaderOptions, VectorStoreOptions
from storage.files import digest
from storage.metrics import Ontology

READER_VERSION = 2  # raise it when the same PDF gives other page records
CHUNKER_VERSION = 1  # raise it when the same pages give other chunks
EXTRACTOR_VERSION = 8  # raise it when the same pages give other facts


def reader_fingerprint(options: ReaderOptions) -> str:
    """Names the page records that these options give."""
    weights = [str(options.weights)] if options.layout == "neural" else []
    return digest([READER_VERSION, options.kind, options.layout, options.ocr, *weights])


def facts_fingerprint(reader: ReaderOptions, ontology: Ontology) -> str:
    """Names the facts that these options and metrics give; other chunks or vectors give the same facts."""
    return digest([reader_fingerprint(reader), EXTRACTOR_VERSION, ontology.digest])


def index_fingerprint(
    reader: ReaderOptions, chunking: ChunkingOptions, embedding: EmbeddingOptions, store: VectorStoreOptions
) -> str:
    """Names the company indexes that these options give."""
    parts = [reader_fingerprint(reader), CHUNKER_VERSION, chunking.model_dump(), model_id(embedding)]
    server = [store.url] if store.url else []
    return digest([*parts, store.model_dump(include={"kind", "index"}), *server])

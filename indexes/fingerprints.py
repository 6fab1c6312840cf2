"""What makes two readings or two indexes the same."""

from indexes.options import ChunkingOptions, EmbeddingOptions, ReaderOptions, VectorStoreOptions, model_id
from storage.files import digest
from storage.records.metrics import Ontology

READER_VERSION = 2  # raise it when the same PDF gives other page records
MINERU_VERSION = 1  # raise it when the same output of MinerU gives other page records
CHUNKER_VERSION = 1  # raise it when the same pages give other chunks
TABLES_VERSION = 1  # raise it when the same table gives other chunks of what a model wrote
EXTRACTOR_VERSION = 8  # raise it when the same pages give other facts


def reader_fingerprint(options: ReaderOptions) -> str:
    """Names the page records that these options give."""
    if options.kind == "mineru":
        where = str(options.mineru_folder or options.mineru_api_base)
        chosen = [options.mineru_backend, options.mineru_language, options.ocr]
        return digest([READER_VERSION, MINERU_VERSION, options.kind, where, *chosen])
    weights = [str(options.weights)] if options.layout == "neural" else []
    return digest([READER_VERSION, options.kind, options.layout, options.ocr, *weights])


def facts_fingerprint(reader: ReaderOptions, ontology: Ontology) -> str:
    """Names the facts that these options and metrics give; other chunks or vectors give the same facts."""
    return digest([reader_fingerprint(reader), EXTRACTOR_VERSION, ontology.digest])


def index_fingerprint(
    reader: ReaderOptions,
    chunking: ChunkingOptions,
    embedding: EmbeddingOptions,
    store: VectorStoreOptions,
    table_writer: str | None = None,
) -> str:
    """Names the company indexes that these options give.

    `table_writer` is the identity of what writes tables out, where something does.
    """
    parts = [reader_fingerprint(reader), CHUNKER_VERSION, chunking.model_dump(), model_id(embedding)]
    server = [store.url] if store.url else []
    written = [] if table_writer is None else [TABLES_VERSION, table_writer]
    return digest([*parts, store.model_dump(include={"kind", "index"}), *server, *written])

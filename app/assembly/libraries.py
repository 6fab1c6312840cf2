"""The libraries that a client reads: the shared one, and a person's own over it."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from app.assembly.vectors import vector_stores
from app.settings import Settings
from app.shared_parts import SharedParts
from indexes.cached_embedding import CachedEmbedder
from indexes.company_index import CompanyIndexes
from indexes.embeddings import Embedder, model_id
from indexes.fingerprints import facts_fingerprint, index_fingerprint, reader_fingerprint
from indexes.joined_library import JoinedLibrary
from indexes.joined_stores import JoinedFacts, JoinedGenerations, JoinedPages
from query_engines.index_shelf import IndexShelf
from query_engines.joined_shelf import JoinedShelf, Searches
from storage.embedding_cache import EmbeddingCache
from storage.fact_store import FactStore
from storage.kept import KeptFacts, KeptPages, KnownCompanies
from storage.library import Library
from storage.metrics import Ontology
from storage.page_store import PageStore
from storage.paths import DataPaths


@dataclass(frozen=True)
class Root:
    """One data root, opened under some settings."""

    paths: DataPaths
    library: Library
    pages: PageStore
    facts: FactStore
    indexes: CompanyIndexes
    embedder: CachedEmbedder
    shelf: IndexShelf


@dataclass(frozen=True)
class Readable:
    """What answers are drawn from.

    Attributes:
        generation_of: the published indexes of a company by its name here; None before the first.
        paths_of: the data root that keeps a report.
    """

    library: KnownCompanies
    pages: KeptPages
    facts: KeptFacts
    shelf: Searches
    generation_of: Callable[[str], str | None]
    paths_of: Callable[[str], DataPaths]


def open_root(
    settings: Settings,
    paths: DataPaths,
    ontology: Ontology,
    shared: SharedParts,
    load: Callable[[], Embedder],
    tables: str | None = None,
) -> Root:
    """One data root.

    Args:
        settings: of the client.
        paths: the root.
        ontology: by which facts are kept.
        shared: what other clients have opened already.
        load: loads the embedding model, where no other client has.
        tables: what writes tables out, where something does.
    """
    reader = reader_fingerprint(settings.reader)
    fingerprint = index_fingerprint(
        settings.reader, settings.chunking, settings.embedding, settings.vector_store, tables
    )
    pages = shared.pages(paths, reader)
    stores = vector_stores(settings.vector_store, paths, os.environ, shared)
    indexes = CompanyIndexes(paths.indexes, fingerprint, reader, pages, stores)
    embedder = shared.embedder(
        settings.embedding,
        paths,
        lambda: CachedEmbedder(
            lambda: shared.model(settings.embedding, load),
            model_id(settings.embedding),
            EmbeddingCache(paths.embedding_cache),
        ),
    )
    return Root(
        paths=paths,
        library=shared.library(paths),
        pages=pages,
        facts=shared.facts(paths, facts_fingerprint(settings.reader, ontology)),
        indexes=indexes,
        embedder=embedder,
        shelf=shared.shelf(
            settings.embedding, paths, fingerprint, lambda: IndexShelf(indexes, embedder, pages.read)
        ),
    )


def one(root: Root) -> Readable:
    """One root, read alone."""
    return Readable(
        library=root.library,
        pages=root.pages,
        facts=root.facts,
        shelf=root.shelf,
        generation_of=root.indexes.generation,
        paths_of=lambda _: root.paths,
    )


def joined(shared: Root, own: Root) -> Readable:
    """The shared root and a person's own, read as one."""
    library = JoinedLibrary(shared.library, own.library)
    return Readable(
        library=library,
        pages=JoinedPages(library, shared.pages, own.pages),
        facts=JoinedFacts(library, shared.facts, own.facts),
        shelf=JoinedShelf(library, shared.shelf, own.shelf),
        generation_of=JoinedGenerations(library, shared.indexes, own.indexes),
        paths_of=lambda sha1: shared.paths if library.own_name(sha1) is None else own.paths,
    )

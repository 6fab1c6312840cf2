"""Opens the libraries that a client reads: the shared one, and a person's own library over it."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.assembly.components import OwnComponents
from app.assembly.shared_parts import SharedParts
from app.library.fact_sheet import KnownFacts
from app.library.maintenance import Leftovers, Maintenance
from app.settings import Settings
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import facts_fingerprint, index_fingerprint, reader_fingerprint
from indexes.ingestion.ingestion import Indexing
from indexes.ingestion.overlay import JoinedFacts, JoinedGenerations, JoinedLibrary, JoinedPages
from indexes.options import VectorStoreOptions, model_id
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.company_index import CompanyIndexes, StoresOf
from indexes.search.embeddings import Embedder
from indexes.search.faiss_store import FaissStores
from indexes.search.own_store import OwnStores
from indexes.search.vector_store import VectorStores
from prompts.tasks.prompt_files import PromptSet, load_prompts
from query_engines.retrieval.index_cache import IndexCache, IndexOverlay, Searches
from storage.errors import MissingExtra
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.stores.caches import EmbeddingCache
from storage.stores.generations import VectorIndex
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore
from storage.stores.protocols import KnownCompanies, StoredFacts, StoredPages


@dataclass(frozen=True)
class Root:
    """One data root, opened with some settings."""

    paths: DataPaths
    library: Library
    pages: PageStore
    facts: FactStore
    indexes: CompanyIndexes
    embedder: CachedEmbedder
    index_cache: IndexCache


@dataclass(frozen=True)
class Readable:
    """The sources of answers.

    Attributes:
        generation_of: identifies the published indexes of a company by its name here; None before the first.
        paths_of: gives the data root of a report.
        root: the data root that everybody reads.
    """

    library: KnownCompanies
    pages: StoredPages
    facts: StoredFacts
    index_cache: Searches
    generation_of: Callable[[str], str | None]
    paths_of: Callable[[str], DataPaths]
    root: Path


def open_root(
    settings: Settings,
    paths: DataPaths,
    ontology: Ontology,
    shared: SharedParts,
    load: Callable[[], Embedder],
    tables: str | None = None,
    own: OwnComponents | None = None,
) -> Root:
    """Open one data root.

    Args:
        settings: of the client.
        paths: of the root.
        ontology: part of the key of facts.
        shared: the parts that other clients have opened already.
        load: loads the embedding model, unless another client has loaded it.
        tables: writes tables out, if the settings say so.
        own: components of the user's own, of which some cut pages and keep vectors.
    """
    own = own or OwnComponents()
    chunker = partial(own.chunker, settings.chunking)
    reader = reader_fingerprint(settings.reader)
    fingerprint = index_fingerprint(
        settings.reader, settings.chunking, settings.embedding, settings.vector_store, tables
    )
    pages = shared.pages(paths, reader)
    stores = vector_stores(settings.vector_store, paths, os.environ, shared, own)
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
        index_cache=shared.index_cache(
            settings.embedding,
            paths,
            fingerprint,
            lambda: IndexCache(
                indexes, embedder, pages.read, lambda: Indexing(settings.chunking, embedder, own=chunker).parser
            ),
        ),
    )


def one(root: Root) -> Readable:
    """One data root alone."""
    return Readable(
        library=root.library,
        pages=root.pages,
        facts=root.facts,
        index_cache=root.index_cache,
        generation_of=root.indexes.generation,
        paths_of=lambda _: root.paths,
        root=root.paths.root,
    )


def joined(shared: Root, own: Root) -> Readable:
    """The shared root and a person's own root, read as one."""
    library = JoinedLibrary(shared.library, own.library)
    return Readable(
        library=library,
        pages=JoinedPages(library, shared.pages, own.pages),
        facts=JoinedFacts(library, shared.facts, own.facts),
        index_cache=IndexOverlay(library, shared.index_cache, own.index_cache),
        generation_of=JoinedGenerations(library, shared.indexes, own.indexes),
        paths_of=lambda sha1: shared.paths if library.own_name(sha1) is None else own.paths,
        root=shared.paths.root,
    )


QDRANT_KEY = "QDRANT_API_KEY"


def vector_stores(
    options: VectorStoreOptions,
    paths: DataPaths,
    environment: Mapping[str, str],
    shared: SharedParts,
    own: OwnComponents | None = None,
) -> VectorStores:
    """The vector stores of the settings; clients share one connection to Qdrant.

    Raises:
        MissingExtra: Qdrant is chosen, and its client is not installed.
    """
    if options.kind == "faiss":
        return FaissStores(options.index)
    if options.kind == "qdrant":
        return shared.stores((options, paths), lambda: _qdrant(options, paths, environment))
    return OwnStores(options, own.store_maker(options.kind) if own else None)


@contextmanager
def stores_of_indexes(
    paths: DataPaths,
    environment: Mapping[str, str],
    shared: SharedParts | None = None,
    own: VectorStoreOptions | None = None,
    given: OwnComponents | None = None,
) -> Iterator[StoresOf]:
    """A function that gives the stores of an index by its manifest; the settings only say how `own` stores are made.

    Of a class of the user's own, `given` has the class itself, where a program gave it. Stores of `shared` stay open;
    without it, those that were opened are closed at the end.
    """
    parts = shared or SharedParts()

    def stores_of(vector_index: VectorIndex) -> VectorStores:
        options = VectorStoreOptions.model_construct(  # its name may be of a package that is gone
            kind=vector_index.store,
            options=own.options if own and own.kind == vector_index.store else {},
            index=vector_index.wanted,
            url=vector_index.address or None,
        )
        return vector_stores(options, paths, environment, parts, given)

    try:
        yield stores_of
    finally:
        if shared is None:
            parts.close()


def _qdrant(options: VectorStoreOptions, paths: DataPaths, environment: Mapping[str, str]) -> VectorStores:
    try:
        # imported late: it is an optional package and takes two seconds
        from indexes.search.qdrant_store import QdrantAccess, QdrantStores
    except ImportError as error:
        raise MissingExtra(
            f"vector_store.kind=qdrant needs a package that is not installed ({error.name}); "
            "run `pip install 'pageproof[qdrant]'`"
        ) from error
    key = environment.get(QDRANT_KEY) if options.url else None
    return QdrantStores(QdrantAccess(options.url, paths.qdrant, key), options.index)


def build_prompts(settings: Settings) -> PromptSet:
    """The built-in prompts, with the texts that files in the folder `answers.prompts` replace.

    Raises:
        UsageError: a file of that folder is invalid.
    """
    folder = settings.answers.prompts
    return PromptSet() if folder is None else load_prompts(PromptSet(), folder.expanduser())


def build_fact_table(settings: Settings, paths: DataPaths) -> FactTable:
    """The facts stored at `paths` for these settings."""
    return FactTable(fact_store(settings, paths, Ontology.load()))


def build_known_facts(settings: Settings, paths: DataPaths, owner: str | None) -> KnownFacts:
    """The catalog and the facts that a person may see."""
    ontology = Ontology.load()
    if owner is None:
        table = FactTable(fact_store(settings, paths, ontology))
        return KnownFacts(Library(paths.catalog), table, ontology, paths.report_pdf, paths.root)
    own = paths.of_owner(owner)
    library = JoinedLibrary(Library(paths.catalog), Library(own.catalog))
    facts = JoinedFacts(library, fact_store(settings, paths, ontology), fact_store(settings, own, ontology))
    return KnownFacts(
        library,
        FactTable(facts),
        ontology,
        lambda sha1: (paths if library.own_name(sha1) is None else own).report_pdf(sha1),
        paths.root,
    )


def build_maintenance(settings: Settings, paths: DataPaths, shared: SharedParts | None = None) -> Maintenance:
    """The maintenance that keeps the caches at `paths` within the limits of these settings."""
    ontology, reader = Ontology.load(), reader_fingerprint(settings.reader)

    def leftovers(at: DataPaths) -> Leftovers:
        return Leftovers(
            at, Library(at.catalog), ontology, reader, partial(stores_of_indexes, at, os.environ, shared)
        )

    return Maintenance(paths, settings.caches, leftovers)


def fact_store(settings: Settings, paths: DataPaths, ontology: Ontology) -> FactStore:
    """The store of the facts for these settings and this ontology."""
    return FactStore(paths.facts, facts_fingerprint(settings.reader, ontology))

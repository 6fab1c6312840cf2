"""A desk and all its parts."""

import os
from functools import partial

from llama_index.core.query_engine import BaseQueryEngine

from app.answer_keys import AnswerKeys
from app.answer_memory import AnswerMemory
from app.assembly.engines import company_engines, company_router
from app.assembly.kept import build_prompts, fact_store
from app.assembly.reading import reading_pools
from app.assembly.rerankers import page_scorer
from app.assembly.vectors import vector_stores
from app.desk import Desk
from app.recorded_engine import RecordedQueryEngine, RunTrail
from app.settings import Settings, differences, without_credentials
from app.shared_parts import SharedParts
from indexes.cached_embedding import CachedEmbedder
from indexes.company_index import CompanyIndexes
from indexes.embeddings import build_embedder, model_id
from indexes.facts.extract import extract_facts
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import index_fingerprint, reader_fingerprint
from indexes.ingestion import Ingestor
from query_engines.background_loop import BackgroundLoop
from query_engines.connection import access
from query_engines.hosted_models import HostedModels
from query_engines.index_shelf import IndexShelf
from query_engines.kind_choice import KindChoosingEngine, kind_chooser
from storage.answer_cache import AnswerCache
from storage.embedding_cache import EmbeddingCache
from storage.errors import UsageError
from storage.library import Library
from storage.metrics import Ontology
from storage.page_store import PageStore
from storage.paths import DataPaths
from storage.run_log import Run, RunLog


def build_desk(
    settings: Settings, profile: str, paths: DataPaths, purpose: str, shared: SharedParts | None = None
) -> Desk:
    """A desk over the library at `paths`.

    `purpose` is what the run log says of it; what is in `shared` it has in common with other desks.

    Raises:
        UsageError: a setting names a component that this version does not have.
        SetupError: a key is missing.
    """
    if missing := unbuilt(settings):
        raise UsageError(
            f"not part of this version yet: {', '.join(missing)}; "
            "choose another with --set, or another profile (see `pageproof profiles`)"
        )
    library = Library(paths.catalog)
    pages = PageStore(paths.pages, reader_fingerprint(settings.reader))
    ontology = Ontology.load()
    facts = fact_store(settings, paths, ontology)
    loop = BackgroundLoop()
    hosted = HostedModels(access(settings.llm, loop))
    own = SharedParts()
    shared = shared or own
    embedder = shared.embedder(
        settings.embedding,
        paths,
        lambda: CachedEmbedder(
            lambda: build_embedder(settings.embedding, hosted.embedding),
            model_id(settings.embedding),
            EmbeddingCache(paths.embedding_cache),
        ),
    )
    fingerprint = index_fingerprint(settings.reader, settings.chunking, settings.embedding, settings.vector_store)
    reader = reader_fingerprint(settings.reader)
    stores = vector_stores(settings.vector_store, paths, os.environ, shared)
    indexes = CompanyIndexes(paths.indexes, fingerprint, reader, pages, stores)
    needs_llm = settings.answers.kind == "llm" or settings.rerank.kind == "llm"
    llm = hosted.llm(settings.llm) if needs_llm else None
    shelf = shared.shelf(settings.embedding, paths, fingerprint, lambda: IndexShelf(indexes, embedder, pages.read))
    prompts = build_prompts(settings)
    table = FactTable(facts)
    scorer = page_scorer(settings, hosted)
    engine_for = company_engines(settings, pages, shelf, table, ontology, llm, scorer, loop, prompts)
    router = company_router(settings, library, engine_for, table, ontology, llm, loop, prompts)
    engine: BaseQueryEngine = router
    if llm is not None:
        choose = kind_chooser(llm, loop, prompts.kind_choice, prompts.repair)
        engine = KindChoosingEngine(engine, choose, loop, router.names_several)
    model = f"{llm.model} at {llm.api_base}" if llm else None
    memory = None
    if model and settings.answers.cache:
        keys = AnswerKeys(settings, model, prompts.digest, router.companies_of, indexes.generation, pages, facts)
        memory = AnswerMemory(AnswerCache(paths.answer_cache), keys, pages.read)
    run = Run.begin(purpose, profile, differences(settings), without_credentials(model) if model else None)
    trail = RunTrail(RunLog(paths.runs), run) if settings.runs.log else None
    return Desk(
        profile=profile,
        settings=settings,
        paths=paths,
        library=library,
        pages=pages,
        engine_for=engine_for,
        query_engine=RecordedQueryEngine(engine, profile, memory, trail, loop),
        generation_of=indexes.generation,
        ingestor=Ingestor(
            paths,
            library,
            pages,
            indexes,
            embedder,
            settings.reader,
            settings.chunking,
            facts,
            partial(extract_facts, ontology=ontology),
            reading_pools(settings.ingest),
        ),
        loop=loop,
        run=run if trail else None,
        closing=partial(_close, hosted, own),
    )


async def _close(hosted: HostedModels, own: SharedParts) -> None:
    """What other desks share stays open."""
    await hosted.aclose()
    own.close()


def unbuilt(settings: Settings) -> tuple[str, ...]:
    """The chosen settings that this version has no component for yet."""
    chosen: dict[str, tuple[object, set[object]]] = {
        "reader.kind": (settings.reader.kind, {"docling"}),
        "tables.serialize": (settings.tables.serialize, {False}),
    }
    if settings.answers.kind == "llm":
        chosen["llm.kind"] = (settings.llm.kind, {"openai", "openai_like"})
    return tuple(f"{key}={value}" for key, (value, built) in chosen.items() if value not in built)

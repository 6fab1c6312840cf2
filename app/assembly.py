"""The only place that builds things from settings."""

from collections.abc import Callable
from functools import partial
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.types import BasePydanticProgram

from app.desk import Desk
from app.settings import Settings
from indexes.cached_embedding import CachedEmbedder
from indexes.company_index import CompanyIndexes
from indexes.embeddings import build_embedder, model_id
from indexes.facts.extract import extract_facts
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import facts_fingerprint, index_fingerprint, reader_fingerprint
from indexes.ingestion import Ingestor
from query_engines.background_loop import BackgroundLoop
from query_engines.company_engine import CompanyQueryEngine
from query_engines.fact_lookup import FactLookup
from query_engines.fact_pages import FactPageRetriever
from query_engines.index_shelf import IndexShelf
from query_engines.llm import CompatOpenAI, build_llm
from query_engines.programs.cascade import answer_program
from query_engines.programs.extractive import ExtractiveProgram
from query_engines.retrieval import FullReportRetriever, VectorPageRetriever
from query_engines.router import CompanyRouter
from query_engines.synthesizer import TypedAnswerSynthesizer
from storage.embedding_cache import EmbeddingCache
from storage.errors import UsageError
from storage.fact_store import FactStore
from storage.library import Library
from storage.metrics import Ontology
from storage.page_store import PageStore
from storage.paths import DataPaths
from storage.questions import AnswerKind
from storage.reports import Company, Report

ProgramFor = Callable[[AnswerKind], BasePydanticProgram[Any]]


def unbuilt(settings: Settings) -> tuple[str, ...]:
    """The chosen settings that this version has no component for yet."""
    chosen: dict[str, tuple[object, set[object]]] = {
        "reader.kind": (settings.reader.kind, {"docling"}),
        "tables.serialize": (settings.tables.serialize, {False}),
        "vector_store.kind": (settings.vector_store.kind, {"faiss"}),
        "vector_store.index": (settings.vector_store.index, {"auto", "flat"}),
        "retrieval.mode": (settings.retrieval.mode, {"vector", "full_report"}),
        "rerank.kind": (settings.rerank.kind, {"none"}),
    }
    if settings.answers.kind == "llm":
        chosen["llm.kind"] = (settings.llm.kind, {"openai", "openai_like"})
        chosen["llm.tokens_per_minute"] = (settings.llm.tokens_per_minute, {None})
        chosen["llm.budget_usd"] = (settings.llm.budget_usd, {None})
    return tuple(f"{key}={value}" for key, (value, built) in chosen.items() if value not in built)


def build_desk(settings: Settings, profile: str, paths: DataPaths) -> Desk:
    """A desk over the library at `paths`.

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
    facts = _fact_store(settings, paths, ontology)
    embedder = CachedEmbedder(
        lambda: build_embedder(settings.embedding),
        model_id(settings.embedding),
        EmbeddingCache(paths.embedding_cache),
    )
    fingerprint = index_fingerprint(settings.reader, settings.chunking, settings.embedding, settings.vector_store)
    indexes = CompanyIndexes(paths.indexes, fingerprint, reader_fingerprint(settings.reader), pages)
    loop = BackgroundLoop()
    llm = build_llm(settings.llm) if settings.answers.kind == "llm" else None
    shelf = IndexShelf(indexes, embedder)
    lookup = FactLookup(FactTable(facts), ontology)
    engine_for = _engines(settings, pages, shelf, lookup, _programs(settings, llm, loop), loop)
    return Desk(
        profile=profile,
        settings=settings,
        paths=paths,
        library=library,
        pages=pages,
        engine_for=engine_for,
        query_engine=CompanyRouter(library.companies, engine_for, loop),
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
        ),
        loop=loop,
        closing=llm.aclose if llm else None,
    )


def build_fact_table(settings: Settings, paths: DataPaths) -> FactTable:
    """The facts kept at `paths` for these settings."""
    return FactTable(_fact_store(settings, paths, Ontology.load()))


def _fact_store(settings: Settings, paths: DataPaths, ontology: Ontology) -> FactStore:
    return FactStore(paths.facts, facts_fingerprint(settings.reader, ontology))


def _programs(settings: Settings, llm: CompatOpenAI | None, loop: BackgroundLoop) -> ProgramFor:
    if llm is None:
        return ExtractiveProgram
    return lambda kind: answer_program(llm, kind, settings.answers.strictness, loop)


def _engines(
    settings: Settings,
    pages: PageStore,
    shelf: IndexShelf,
    lookup: FactLookup,
    program_for: ProgramFor,
    loop: BackgroundLoop,
) -> Callable[[Company], CompanyQueryEngine]:
    def retriever(company: Company, report: Report) -> BaseRetriever:
        if settings.retrieval.mode == "full_report":
            return FullReportRetriever(report, pages.read)
        found = VectorPageRetriever(shelf.get(company.name), report, pages.read, settings.retrieval)
        return FactPageRetriever(found, lookup, company, report, pages.read)

    def synthesizer(company: Company, report: Report) -> TypedAnswerSynthesizer:
        look_up = partial(lookup.look_up, company=company, report=report)
        return TypedAnswerSynthesizer(report, program_for, settings.answers, settings.verification, look_up, loop)

    return lambda company: CompanyQueryEngine(company, retriever, partial(synthesizer, company), loop)

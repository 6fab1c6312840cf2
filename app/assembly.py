"""The only place that builds things from settings."""

from collections.abc import Callable
from functools import partial
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor
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
from query_engines.asked import Understanding
from query_engines.background_loop import BackgroundLoop
from query_engines.company_engine import CompanyQueryEngine
from query_engines.fact_lookup import FactLookup
from query_engines.fact_pages import FactPagesPostprocessor
from query_engines.index_shelf import IndexShelf, ReportSearch
from query_engines.lexical_rerank import LexicalRerankPostprocessor
from query_engines.llm import CompatOpenAI, build_llm
from query_engines.llm_rerank import LLMRerankPostprocessor, page_judge
from query_engines.page_nodes import TopPagesPostprocessor
from query_engines.programs.cascade import answer_program
from query_engines.programs.extractive import ExtractiveProgram
from query_engines.retrieval import FullReportRetriever, PageRetriever
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
        "rerank.kind": (settings.rerank.kind, {"none", "lexical", "llm"}),
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
    needs_llm = settings.answers.kind == "llm" or settings.rerank.kind == "llm"
    llm = build_llm(settings.llm) if needs_llm else None
    shelf = IndexShelf(indexes, embedder, pages.read)
    engine_for = _engines(settings, pages, shelf, FactTable(facts), ontology, llm, loop)
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
    if llm is None or settings.answers.kind == "extractive":
        return ExtractiveProgram
    return lambda kind: answer_program(llm, kind, settings.answers.strictness, loop)


def _engines(
    settings: Settings,
    pages: PageStore,
    shelf: IndexShelf,
    facts: FactTable,
    ontology: Ontology,
    llm: CompatOpenAI | None,
    loop: BackgroundLoop,
) -> Callable[[Company], CompanyQueryEngine]:
    understanding = Understanding(ontology)
    lookup = FactLookup(facts, ontology, strict=settings.answers.strictness == "strict")
    program_for = _programs(settings, llm, loop)
    retrieval = settings.retrieval

    def retriever(company: Company, report: Report) -> BaseRetriever:
        if retrieval.mode == "full_report":
            return FullReportRetriever(report, pages.read)
        search = shelf.get(company.name, report)
        return PageRetriever(search, retrieval.mode, retrieval.chunks, overleaf=retrieval.parent_pages)

    def postprocessors(company: Company, report: Report) -> list[BaseNodePostprocessor]:
        if retrieval.mode == "full_report":  # every page is read, in order
            return []
        top = TopPagesPostprocessor(
            read_pages=pages.read, page_count=retrieval.pages, whole_pages=retrieval.parent_pages
        )
        known = FactPagesPostprocessor(lookup=lookup, company=company, report=report)
        return [*_rerankers(settings, shelf.get(company.name, report), pages, llm, loop), known, top]

    def synthesizer(company: Company, report: Report) -> TypedAnswerSynthesizer:
        look_up = partial(lookup.look_up, company=company, report=report)
        return TypedAnswerSynthesizer(report, program_for, settings.answers, settings.verification, look_up, loop)

    return lambda company: CompanyQueryEngine(company, understanding, retriever, postprocessors, synthesizer, loop)


def _rerankers(
    settings: Settings, search: ReportSearch, pages: PageStore, llm: CompatOpenAI | None, loop: BackgroundLoop
) -> list[BaseNodePostprocessor]:
    options = settings.rerank
    if options.kind == "lexical":
        return [
            LexicalRerankPostprocessor(
                search=search,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                page_count=settings.retrieval.pages,
            )
        ]
    if options.kind == "llm" and llm is not None:
        return [
            LLMRerankPostprocessor(
                judge=page_judge(llm, loop),
                report=search.report,
                read_pages=pages.read,
                loop=loop,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                pages_per_request=options.pages_per_request,
            )
        ]
    return []

"""The only place that builds things from settings."""

from collections.abc import Callable
from functools import cache, partial

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import BaseQueryEngine

from app.answer_keys import AnswerKeys
from app.answer_memory import AnswerMemory
from app.desk import Desk
from app.recorded_engine import RecordedQueryEngine, RunTrail
from app.settings import Settings, differences, without_credentials
from app.shared_parts import SharedParts
from indexes.cached_embedding import CachedEmbedder
from indexes.company_index import CompanyIndexes
from indexes.embeddings import build_embedder, model_id
from indexes.facts.extract import extract_facts
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import facts_fingerprint, index_fingerprint, reader_fingerprint
from indexes.ingestion import Ingestor
from prompts.prompt_files import load_prompts
from prompts.prompt_set import PromptSet
from query_engines.answering import Answering, SearchAgain
from query_engines.asked import Understanding
from query_engines.background_loop import BackgroundLoop
from query_engines.company_choice import company_chooser
from query_engines.company_engine import CompanyQueryEngine
from query_engines.comparison.all_companies import AllCompanies
from query_engines.comparison.planner import sub_question_planner
from query_engines.comparison.routing import ComparisonReader
from query_engines.connection import access
from query_engines.cross_encoder import MODEL as CROSS_ENCODER
from query_engines.cross_encoder import CrossEncoderScorer
from query_engines.drafting import Drafting, ProgramFor
from query_engines.fact_lookup import FactLookup
from query_engines.fact_pages import FactPagesPostprocessor
from query_engines.hosted_models import HostedModels
from query_engines.index_shelf import IndexShelf, ReportSearch
from query_engines.kind_choice import KindChoosingEngine, kind_chooser
from query_engines.lexical_rerank import LexicalRerankPostprocessor
from query_engines.llm import CompatOpenAI
from query_engines.llm_rerank import LLMRerankPostprocessor, page_judge
from query_engines.page_nodes import TopPagesPostprocessor
from query_engines.programs.cascade import answer_program
from query_engines.programs.extractive import ExtractiveProgram
from query_engines.prompt_guard import PromptGuard
from query_engines.retrieval import FullReportRetriever, PageRetriever
from query_engines.router import CompanyRouter
from query_engines.scorer_rerank import PageScorer, ScorerRerankPostprocessor
from query_engines.second_search import SecondSearch
from query_engines.synthesizer import TypedAnswerSynthesizer
from storage.answer_cache import AnswerCache
from storage.embedding_cache import EmbeddingCache
from storage.errors import UsageError
from storage.fact_store import FactStore
from storage.library import Library
from storage.metrics import Ontology
from storage.page_store import PageStore
from storage.paths import DataPaths
from storage.reports import Company, Report
from storage.run_log import Run, RunLog

BEST_KEPT = 3  # of the first pages, when other pages are read as well


def unbuilt(settings: Settings) -> tuple[str, ...]:
    """The chosen settings that this version has no component for yet."""
    chosen: dict[str, tuple[object, set[object]]] = {
        "reader.kind": (settings.reader.kind, {"docling"}),
        "tables.serialize": (settings.tables.serialize, {False}),
        "vector_store.kind": (settings.vector_store.kind, {"faiss"}),
    }
    if settings.answers.kind == "llm":
        chosen["llm.kind"] = (settings.llm.kind, {"openai", "openai_like"})
    return tuple(f"{key}={value}" for key, (value, built) in chosen.items() if value not in built)


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
    facts = _fact_store(settings, paths, ontology)
    loop = BackgroundLoop()
    hosted = HostedModels(access(settings.llm, loop))
    shared = shared or SharedParts()
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
    indexes = CompanyIndexes(paths.indexes, fingerprint, reader, pages, settings.vector_store)
    needs_llm = settings.answers.kind == "llm" or settings.rerank.kind == "llm"
    llm = hosted.llm(settings.llm) if needs_llm else None
    shelf = shared.shelf(settings.embedding, paths, fingerprint, lambda: IndexShelf(indexes, embedder, pages.read))
    prompts = build_prompts(settings)
    table = FactTable(facts)
    scorer = _page_scorer(settings, hosted)
    engine_for = _engines(settings, pages, shelf, table, ontology, llm, scorer, loop, prompts)
    router = _router(settings, library, engine_for, table, ontology, llm, loop, prompts)
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
        ),
        loop=loop,
        run=run if trail else None,
        closing=hosted.aclose,
    )


def build_prompts(settings: Settings) -> PromptSet:
    """The built-in prompts, with what the folder of `answers.prompts` replaces.

    Raises:
        UsageError: a file of that folder does not fit.
    """
    folder = settings.answers.prompts
    return PromptSet() if folder is None else load_prompts(PromptSet(), folder.expanduser())


def build_fact_table(settings: Settings, paths: DataPaths) -> FactTable:
    """The facts kept at `paths` for these settings."""
    return FactTable(_fact_store(settings, paths, Ontology.load()))


def _fact_store(settings: Settings, paths: DataPaths, ontology: Ontology) -> FactStore:
    return FactStore(paths.facts, facts_fingerprint(settings.reader, ontology))


def _programs(
    settings: Settings, llm: CompatOpenAI | None, loop: BackgroundLoop, prompts: PromptSet
) -> ProgramFor:
    if llm is None or settings.answers.kind == "extractive":
        return ExtractiveProgram
    strictness = settings.answers.strictness
    return cache(lambda kind: answer_program(llm, kind, strictness, loop, prompts.answers, prompts.repair))


def _engines(
    settings: Settings,
    pages: PageStore,
    shelf: IndexShelf,
    facts: FactTable,
    ontology: Ontology,
    llm: CompatOpenAI | None,
    scorer: PageScorer | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
) -> Callable[[Company], CompanyQueryEngine]:
    understanding = Understanding(ontology)
    lookup = FactLookup(facts, ontology, strict=settings.answers.strictness == "strict")
    program_for = _programs(settings, llm, loop, prompts)
    version_for = cache(partial(prompts.version, strictness=settings.answers.strictness))
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
        search = shelf.get(company.name, report)
        return [*_rerankers(settings, search, pages, llm, scorer, loop, prompts), known, top]

    guard = _prompt_guard(settings, prompts)

    def synthesizer(company: Company, report: Report) -> TypedAnswerSynthesizer:
        answering = Answering(
            report,
            Drafting(report, program_for, settings.answers.kind, guard),
            partial(lookup.look_up, company=company, report=report),
            pages.read,
            settings.answers.kind,
            search_again(company, report),
            retrieval.pages,
            second_look=settings.verification.second_look,
        )
        return TypedAnswerSynthesizer(
            report, answering, settings.answers, settings.verification, loop, version_for
        )

    def search_again(company: Company, report: Report) -> SearchAgain | None:
        if retrieval.mode == "full_report" or not retrieval.second_try:
            return None
        new = max(retrieval.pages - BEST_KEPT, -(-retrieval.pages // 2))
        return SecondSearch(shelf.get(company.name, report), ontology, pages.read, new).find

    return lambda company: CompanyQueryEngine(company, understanding, retriever, postprocessors, synthesizer, loop)


def _prompt_guard(settings: Settings, prompts: PromptSet) -> PromptGuard | None:
    if settings.answers.kind == "extractive":
        return None
    whole = settings.retrieval.mode == "full_report"
    return PromptGuard(
        settings.llm.context_window, settings.answers.strictness, prompts.answers, whole_report=whole
    )


def _router(
    settings: Settings,
    library: Library,
    engine_for: Callable[[Company], CompanyQueryEngine],
    facts: FactTable,
    ontology: Ontology,
    llm: CompatOpenAI | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
) -> CompanyRouter:
    strict = settings.answers.strictness == "strict"
    everyone = AllCompanies(FactLookup(facts, ontology, strict=strict), Understanding(ontology))
    asks = llm if settings.answers.kind == "llm" else None
    planner = sub_question_planner(asks, loop, prompts.sub_questions, prompts.repair) if asks else None
    chooser = company_chooser(asks, loop, prompts.company_choice, prompts.repair) if asks else None
    reader = ComparisonReader(everyone, planner)
    return CompanyRouter(library.companies, engine_for, reader, loop, chooser=chooser, strict=strict)


def _page_scorer(settings: Settings, hosted: HostedModels) -> PageScorer | None:
    options = settings.rerank
    if options.kind == "jina":
        return hosted.jina(options)
    return CrossEncoderScorer(options.model or CROSS_ENCODER) if options.kind == "cross_encoder" else None


def _rerankers(
    settings: Settings,
    search: ReportSearch,
    pages: PageStore,
    llm: CompatOpenAI | None,
    scorer: PageScorer | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
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
                judge=page_judge(llm, loop, prompts.rerank, prompts.repair),
                report=search.report,
                read_pages=pages.read,
                loop=loop,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                pages_per_request=options.pages_per_request,
            )
        ]
    if scorer is not None:
        return [
            ScorerRerankPostprocessor(
                scorer=scorer,
                read_pages=pages.read,
                loop=loop,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                pages_per_request=options.pages_per_request,
            )
        ]
    return []

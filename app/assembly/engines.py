"""From settings to the engines that answer: one for each company, and the router before them."""

from collections.abc import Callable
from functools import cache, partial

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor

from app.settings import Settings
from indexes.facts.fact_table import FactTable
from prompts.tasks.prompt_files import PromptSet
from query_engines.answering.company_engine import CompanyQueryEngine
from query_engines.answering.course import Answering, SearchAgain
from query_engines.answering.drafting import Drafting, ProgramFor
from query_engines.answering.prompt_window import PromptGuard
from query_engines.answering.synthesizer import TypedAnswerSynthesizer
from query_engines.comparison.open_question import AllCompanies
from query_engines.comparison.planner import sub_question_planner
from query_engines.comparison.reader import ComparisonReader
from query_engines.extraction.program import ExtractiveProgram
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.hosted import HostedModels
from query_engines.llm.structured import answer_program
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.intent import Understanding
from query_engines.rerank.cross_encoder import MODEL as CROSS_ENCODER
from query_engines.rerank.cross_encoder import CrossEncoderScorer, PageScorer, ScorerRerankPostprocessor
from query_engines.rerank.lexical import FactPagesPostprocessor, LexicalRerankPostprocessor
from query_engines.rerank.llm import LLMRerankPostprocessor, page_judge
from query_engines.retrieval.index_cache import ReportSearch, Searches
from query_engines.retrieval.page_nodes import TopPagesPostprocessor
from query_engines.retrieval.retrievers import FullReportRetriever, PageRetriever
from query_engines.retrieval.second_search import SecondSearch
from query_engines.routing.choosers import company_chooser
from query_engines.routing.router import CompanyRouter, NamesOf
from storage.records.metrics import Ontology
from storage.records.reports import Company, Report
from storage.stores.protocols import KeptPages, KnownCompanies

BEST_KEPT = 3  # of the first pages, when other pages are read as well


def company_engines(
    settings: Settings,
    pages: KeptPages,
    shelf: Searches,
    facts: FactTable,
    ontology: Ontology,
    llm: CompatOpenAI | None,
    scorer: PageScorer | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
) -> Callable[[Company], CompanyQueryEngine]:
    """What gives a company its engine."""
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
        return [*rerankers(settings, search, pages, llm, scorer, loop, prompts), known, top]

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


def company_router(
    settings: Settings,
    library: KnownCompanies,
    names_of: NamesOf,
    engine_for: Callable[[Company], CompanyQueryEngine],
    facts: FactTable,
    ontology: Ontology,
    llm: CompatOpenAI | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
) -> CompanyRouter:
    """The engine that every question goes to first."""
    strict = settings.answers.strictness == "strict"
    everyone = AllCompanies(FactLookup(facts, ontology, strict=strict), Understanding(ontology))
    asks = llm if settings.answers.kind == "llm" else None
    planner = sub_question_planner(asks, loop, prompts.sub_questions, prompts.repair) if asks else None
    chooser = company_chooser(asks, loop, prompts.company_choice, prompts.repair) if asks else None
    reader = ComparisonReader(everyone, planner)
    return CompanyRouter(
        library.companies, engine_for, reader, loop, chooser=chooser, strict=strict, names_of=names_of
    )


def _programs(
    settings: Settings, llm: CompatOpenAI | None, loop: BackgroundLoop, prompts: PromptSet
) -> ProgramFor:
    if llm is None or settings.answers.kind == "extractive":
        return ExtractiveProgram
    strictness = settings.answers.strictness
    return cache(lambda kind: answer_program(llm, kind, strictness, loop, prompts.answers, prompts.repair))


def _prompt_guard(settings: Settings, prompts: PromptSet) -> PromptGuard | None:
    if settings.answers.kind == "extractive":
        return None
    whole = settings.retrieval.mode == "full_report"
    return PromptGuard(
        settings.llm.context_window, settings.answers.strictness, prompts.answers, whole_report=whole
    )


def page_scorer(settings: Settings, hosted: HostedModels) -> PageScorer | None:
    """The model that scores pages, where the reranker has one; made once for all companies."""
    options = settings.rerank
    if options.kind == "jina":
        return hosted.jina(options)
    return CrossEncoderScorer(options.model or CROSS_ENCODER) if options.kind == "cross_encoder" else None


def rerankers(
    settings: Settings,
    search: ReportSearch,
    pages: KeptPages,
    llm: CompatOpenAI | None,
    scorer: PageScorer | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
) -> list[BaseNodePostprocessor]:
    """The reranker over one report, or none."""
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

"""From settings to the engines that answer: one for each company, and the router before them."""

from collections.abc import Callable
from functools import cache, partial

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor

from app.assembly.rerankers import rerankers
from app.settings import Settings
from indexes.facts.fact_table import FactTable
from prompts.prompt_set import PromptSet
from query_engines.answering import Answering, SearchAgain
from query_engines.asked import Understanding
from query_engines.background_loop import BackgroundLoop
from query_engines.company_choice import company_chooser
from query_engines.company_engine import CompanyQueryEngine
from query_engines.comparison.all_companies import AllCompanies
from query_engines.comparison.planner import sub_question_planner
from query_engines.comparison.routing import ComparisonReader
from query_engines.drafting import Drafting, ProgramFor
from query_engines.fact_lookup import FactLookup
from query_engines.fact_pages import FactPagesPostprocessor
from query_engines.joined_shelf import Searches
from query_engines.llm import CompatOpenAI
from query_engines.page_nodes import TopPagesPostprocessor
from query_engines.programs.cascade import answer_program
from query_engines.programs.extractive import ExtractiveProgram
from query_engines.prompt_guard import PromptGuard
from query_engines.retrieval import FullReportRetriever, PageRetriever
from query_engines.router import CompanyRouter, NamesOf
from query_engines.scorer_rerank import PageScorer
from query_engines.second_search import SecondSearch
from query_engines.synthesizer import TypedAnswerSynthesizer
from storage.kept import KeptPages, KnownCompanies
from storage.metrics import Ontology
from storage.reports import Company, Report

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

"""Builds the engines that answer: one for each company, and the router before them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine

from app.assembly.components import EmbedModel, OwnComponents
from app.settings import Settings
from indexes.facts.fact_table import FactTable
from prompts.tasks.prompt_files import PromptSet
from query_engines.answering.company_engine import CompanyQueryEngine
from query_engines.answering.course import AnswerCourse
from query_engines.answering.drafting import Drafting, ProgramFor
from query_engines.answering.prompt_window import PromptGuard
from query_engines.answering.synthesizer import TypedAnswerSynthesizer
from query_engines.comparison.open_question import AllCompanies
from query_engines.comparison.reader import ComparisonReader
from query_engines.extraction.program import ExtractiveProgram
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.parser import QuestionParser
from query_engines.rerank.base import LexicalRerankPostprocessor, LLMRerankPostprocessor, page_judge
from query_engines.rerank.cross_encoder import MODEL as CROSS_ENCODER
from query_engines.rerank.cross_encoder import CrossEncoderScorer, PageScorer, ScorerRerankPostprocessor
from query_engines.rerank.passages import Likeness, NearPassages
from query_engines.retrieval.index_cache import ReportSearch, Searches
from query_engines.retrieval.page_nodes import FactPagesPostprocessor, TopPagesPostprocessor
from query_engines.retrieval.retrievers import ChunkMode, FactPagesRetriever, FullReportRetriever, PageRetriever
from query_engines.retrieval.second_search import SecondSearch
from query_engines.routing.model_reader import ModelReader, reader_program
from query_engines.routing.router import CompanyRouter
from storage.records.metrics import Ontology
from storage.records.reports import Company, Report
from storage.stores.protocols import StoredPages

if TYPE_CHECKING:  # they load the package openai
    from query_engines.llm.client import CompatOpenAI
    from query_engines.llm.hosted import HostedModels


@dataclass(frozen=True)
class AnswerSources:
    """The sources of answers.

    Attributes:
        likeness: compares a question with sentences, for answers without a language model.
    """

    pages: StoredPages
    searches: Searches
    facts: FactTable
    ontology: Ontology
    likeness: Likeness | None = None


@dataclass(frozen=True)
class AnsweringModels:
    """The models that judge and answer, or None where the settings choose none, and their prompts.

    Attributes:
        scorer: scores pages.
        loop: on which their connections run.
        own: components of the user's own.
        embedder: gives the embedding model, for those of them that take it.
    """

    llm: "CompatOpenAI | None"
    scorer: PageScorer | None
    prompts: PromptSet
    loop: BackgroundLoop
    own: OwnComponents = field(default_factory=OwnComponents)
    embedder: EmbedModel | None = None


def company_engines(
    settings: Settings,
    parser: QuestionParser,
    sources: AnswerSources,
    models: AnsweringModels,
    *,
    facts_first: bool = False,
) -> Callable[[Company], CompanyQueryEngine]:
    """A function that gives a company's engine; with `facts_first`, the fact table answers before any model."""
    lookup = FactLookup(
        sources.facts,
        sources.ontology,
        strict=settings.answers.strictness != "analyst",
    )
    reports = _ReportEngines(settings, sources, models, facts_first=facts_first)
    return lambda company: CompanyQueryEngine(company, parser, lookup, reports, models.loop)


def company_router(
    settings: Settings,
    parser: QuestionParser,
    engine_for: Callable[[Company], CompanyQueryEngine],
    sources: AnswerSources,
    models: AnsweringModels,
) -> CompanyRouter:
    """The engine that finds the company, or the companies to compare."""
    strict = settings.answers.strictness != "analyst"
    prompts, loop = models.prompts, models.loop
    llm = models.llm if settings.answers.kind == "llm" else None
    lookup = FactLookup(sources.facts, sources.ontology, strict=strict)
    reader = ComparisonReader(AllCompanies(lookup, parser))
    if llm is None or settings.understanding.kind == "reader":
        return CompanyRouter(parser, engine_for, reader, loop, strict=strict)
    is_brief = strict or settings.answers.is_brief(llm.context_window)
    model = ModelReader(
        reader_program(llm, loop, prompts.understanding, prompts.repair, brief=is_brief),
        lookup,
        parser,
        always=settings.understanding.kind == "llm",
        calculates=not is_brief,
        keeps=settings.answers.cache,
    )
    figures_of = company_engines(settings, parser, sources, models, facts_first=True)
    return CompanyRouter(parser, engine_for, reader, loop, model=model, strict=strict, figures_of=figures_of)


class _ReportEngines:
    """Makes the engine of one report. Its index is looked up once for all searches."""

    def __init__(
        self, settings: Settings, sources: AnswerSources, models: AnsweringModels, *, facts_first: bool
    ) -> None:
        self._settings = settings
        self._reads_facts = facts_first or settings.answers.kind != "llm"
        self._sources = sources
        self._models = models
        self._program_for = _programs(settings, models)
        # One of each for all reports: making one may load a model.
        self._own_rerankers = cache(
            lambda: models.own.rerankers(settings, sources.pages.read, models.llm, models.embedder)
        )
        self._own_checks = cache(lambda: models.own.checks(settings))
        own = models.own
        self._facts_program = cache(
            lambda kind: own.program(settings, kind, models.llm) or ExtractiveProgram(kind)
        )
        self._guard = _prompt_guard(settings, models)
        self._version_for = cache(partial(models.prompts.version, strictness=settings.answers.strictness))

    def engine(self, company: Company, report: Report) -> RetrieverQueryEngine:
        if self._settings.retrieval.mode == "full_report":  # every page is read, in order
            pages = self._sources.pages.read
            return RetrieverQueryEngine(
                FullReportRetriever(report, pages), response_synthesizer=self._synthesizer(report, None)
            )
        search = self._sources.searches.get(company.name, report)
        near = NearPassages(search, self._sources.pages.read, self._sources.likeness)
        return RetrieverQueryEngine(
            self._retriever(search),
            response_synthesizer=self._synthesizer(report, search, near=near),
            node_postprocessors=self._postprocessors(near),
        )

    def from_facts(self, company: Company, report: Report) -> RetrieverQueryEngine | None:
        if not self._reads_facts:
            return None
        self._sources.searches.check(company.name, report)
        retriever = FactPagesRetriever(report, self._sources.pages.read)
        drafting = Drafting(
            report, self._facts_program, "extractive", None, ExtractiveProgram, checks=self._own_checks()
        )
        return RetrieverQueryEngine(retriever, response_synthesizer=self._synthesizer(report, None, drafting))

    def _retriever(self, search: ReportSearch) -> BaseRetriever:
        options = self._settings.retrieval
        if options.mode == "full_report":
            raise ValueError("a whole report is not searched")
        own = self._models.own.retriever_maker(self._settings, self._models.llm)
        mode = "vector" if own else cast(ChunkMode, options.mode)
        return PageRetriever(search, mode, options.chunks, continued_tables=options.parent_pages, own=own)

    def _postprocessors(self, near: NearPassages) -> list[BaseNodePostprocessor]:
        options, pages, models = self._settings.retrieval, self._sources.pages, self._models
        ranked = self._own_rerankers()
        if ranked is None:
            ranked = rerankers(self._settings, near, pages, models.llm, models.scorer, models.loop, models.prompts)
        known = FactPagesPostprocessor(report_sha1=near.search.report.sha1)
        top = TopPagesPostprocessor(
            read_pages=pages.read, page_count=options.pages, whole_pages=options.parent_pages
        )
        return [*ranked, known, top]

    def _synthesizer(
        self,
        report: Report,
        search: ReportSearch | None,
        drafting: Drafting | None = None,
        near: NearPassages | None = None,
    ) -> TypedAnswerSynthesizer:
        settings = self._settings
        again = self._second_search(search) if search is not None and settings.retrieval.second_try else None
        course = AnswerCourse(
            drafting
            or Drafting(
                report,
                self._program_for,
                settings.answers.kind,
                self._guard,
                ExtractiveProgram,
                settings.answers.strictness,
                self._own_checks(),
            ),
            self._sources.pages.read,
            again.find if again else None,
            second_look=settings.verification.second_look,
        )
        return TypedAnswerSynthesizer(
            report,
            course,
            settings.answers,
            settings.verification,
            self._models.loop,
            self._version_for,
            near=None if settings.answers.kind == "llm" else near,  # where nobody reads
        )

    def _second_search(self, search: ReportSearch) -> SecondSearch:
        count = self._settings.retrieval.pages
        return SecondSearch(search, self._sources.ontology, self._sources.pages.read, count)


def _programs(settings: Settings, models: AnsweringModels) -> ProgramFor:
    built_in = _built_in_programs(settings, models)
    return cache(lambda kind: models.own.program(settings, kind, models.llm) or built_in(kind))


def _built_in_programs(settings: Settings, models: AnsweringModels) -> ProgramFor:
    llm, prompts = models.llm, models.prompts
    if llm is None or settings.answers.kind == "extractive":
        return ExtractiveProgram
    from query_engines.answering.answer_program import (  # late: they load the package openai
        AnswerProgram,
        AnswerTexts,
    )

    texts = AnswerTexts(
        strictness=settings.answers.strictness,
        prompts=prompts.answers,
        repair=prompts.repair,
        brief=settings.answers.is_brief(llm.context_window),
    )
    return cache(lambda kind: AnswerProgram(llm, kind, texts, models.loop))


def _prompt_guard(settings: Settings, models: AnsweringModels) -> PromptGuard | None:
    if models.llm is None or settings.answers.kind == "extractive":
        return None
    whole, window = settings.retrieval.mode == "full_report", models.llm.context_window
    if settings.answers.is_brief(window) and not whole:
        return None  # of each page as many lines are shown as fit
    return PromptGuard(window, settings.answers.strictness, models.prompts.answers, whole_report=whole)


def page_scorer(settings: Settings, hosted: "Callable[[], HostedModels]") -> PageScorer | None:
    """The model that scores pages, if the reranker has one; made once for all companies."""
    options = settings.rerank
    if options.kind == "jina":
        return hosted().jina(options)
    return CrossEncoderScorer(options.model or CROSS_ENCODER) if options.kind == "cross_encoder" else None


def rerankers(
    settings: Settings,
    near: NearPassages,
    pages: StoredPages,
    llm: "CompatOpenAI | None",
    scorer: PageScorer | None,
    loop: BackgroundLoop,
    prompts: PromptSet,
) -> list[BaseNodePostprocessor]:
    """The reranker of one report, or none."""
    options = settings.rerank
    if options.kind == "lexical":
        return [
            LexicalRerankPostprocessor(
                search=near.search,
                near=near,
                first_weight=options.vector_weight,
                own_weight=options.llm_weight,
                page_count=settings.retrieval.pages,
            )
        ]
    if options.kind == "llm" and llm is not None:
        return [
            LLMRerankPostprocessor(
                judge=page_judge(llm, loop, prompts.rerank, prompts.repair),
                report=near.search.report,
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

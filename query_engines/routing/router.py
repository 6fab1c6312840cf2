"""From a question to the engine that answers it: one company's, the comparison's, or the one that explains."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine, RouterQueryEngine
from llama_index.core.schema import QueryBundle
from llama_index.core.tools import QueryEngineTool, ToolMetadata

from query_engines.company_names.matcher import CompanyNames
from query_engines.comparison.engine import ComparisonEngine
from query_engines.comparison.plan import Plan
from query_engines.comparison.reader import ComparisonReader, Reading
from query_engines.comparison.years import names_several_years
from query_engines.events import step
from query_engines.llamaindex_defaults import UNUSED_LLM, UNUSED_SUMMARIZER
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.usage import counting
from query_engines.question.bundle import QuestionBundle, as_bundle
from query_engines.routing.choosers import Chooser, choose_company
from storage.records.answers import Answer
from storage.records.reports import Company

CANDIDATES = 20
EngineFor = Callable[[Company], BaseQueryEngine]
NamesOf = Callable[[Sequence[Company]], CompanyNames]


class UnresolvedCompanyEngine(BaseQueryEngine):
    """Answers N/A with its reason where a question names no company, an unknown one, or several to no known end."""

    def __init__(self, names: CompanyNames, told: str = "") -> None:
        super().__init__(callback_manager=None)
        self._names = names
        self._told = told

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query = as_bundle(query_bundle)
        chosen = chosen_companies(query, self._names)
        nearest = self._names.nearest(query.question.company or query.question.text)
        told = (
            f"The question names, or its name fits, {len(chosen)} companies of the library; ask about one, or how they"
            " compare."
            if chosen
            else "The question names no company of the library."
        )
        told = f"{told} {self._told}".strip()
        answer = Answer(
            question=query.question.text,
            kind=query.kind,
            reason="company_ambiguous" if chosen else "company_unknown",
            candidates=tuple(c.name for c in chosen[:CANDIDATES]) or nearest,
            analysis=told,
            summary=told,
        )
        return PydanticResponse(response=answer)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)


class CompanyRouter(BaseQueryEngine):
    """LlamaIndex's RouterQueryEngine, made for each question over the few companies it may be about.

    So ten thousand companies cost nothing, and one ingested a moment ago is seen.
    """

    def __init__(
        self,
        companies: Callable[[], Sequence[Company]],
        engine_for: EngineFor,
        reader: ComparisonReader,
        loop: BackgroundLoop,
        *,
        chooser: Chooser | None = None,
        strict: bool = True,
        names_of: NamesOf = CompanyNames,
    ) -> None:
        """Make a router.

        Args:
            companies: gives the library's companies, the same object until they change.
            engine_for: makes a company's engine.
            reader: tells comparisons from questions about one company and one year.
            loop: for synchronous calls.
            chooser: asks a model which company is meant where names do not decide; None asks back.
            strict: leaves out of a comparison what is in another currency than the asked one.
            names_of: makes the names of companies findable.
        """
        super().__init__(callback_manager=None)
        self._companies = companies
        self._engine_for = engine_for
        self._reader = reader
        self._loop = loop
        self._chooser = chooser
        self._strict = strict
        self._names_of = names_of
        self._names: tuple[Sequence[Company], CompanyNames] | None = None

    @property
    def names(self) -> CompanyNames:
        """The companies of the library by their names."""
        return self._known()[1]

    def companies_of(self, query: QueryBundle) -> Sequence[Company]:
        """The companies that a question may be about; none where it names none of the library."""
        return chosen_companies(query, self._known()[1])

    def names_several(self, query: QueryBundle) -> bool:
        """Whether a question is put to the whole library and names two companies of it or more."""
        question = as_bundle(query).question
        said = self._known()[1].mentions(question.text) if question.company is None else []
        return len({mention.company.name for mention in said}) > 1

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        with counting() as count:
            response = await self._answered(as_bundle(query_bundle))
        if isinstance(response, PydanticResponse) and isinstance(response.response, Answer):
            response.response = response.response.model_copy(update={"usage": count.usage})
        return response

    async def _answered(self, query: QuestionBundle) -> RESPONSE_TYPE:
        with step("routing", "Choosing the company") as running:
            names, read = await asyncio.to_thread(self._read, query)
            if read.unplanned and (plan := await self._reader.ask(query.question, names)) is not None:
                read = Reading(plan=plan)
            router, running.summary = await asyncio.to_thread(self._router, query, names, read)
        return await router.aquery(query)

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    def _read(self, query: QuestionBundle) -> tuple[CompanyNames, Reading]:
        companies, names = self._known()
        return names, self._reader.read(query.question, names, companies)

    def _router(self, query: QuestionBundle, names: CompanyNames, read: Reading) -> tuple[RouterQueryEngine, str]:
        if read.plan is not None:
            engine = ComparisonEngine(read.plan, self._engines(read.plan, names), self._loop, strict=self._strict)
            tools = [_tool(engine, COMPARISON)]
            told = " · ".join(party.label for party in read.plan.parties)
        else:
            chosen = [] if read.unplanned else chosen_companies(query, names)[:CANDIDATES]
            told = " · ".join(c.name for c in chosen) or read.told or "no company of the library"
            tools = [
                _tool(self._engine_for(company), company.name) for company in chosen or self._offered(query, names)
            ]
        tools.append(_tool(UnresolvedCompanyEngine(names, read.told), UNRESOLVED))
        chooser = None if read.unplanned else self._chooser
        selector = CompanySelector(names, chooser)
        return RouterQueryEngine(selector, tools, llm=UNUSED_LLM, summarizer=UNUSED_SUMMARIZER), told

    def _offered(self, query: QuestionBundle, names: CompanyNames) -> list[Company]:
        """What a model may choose from where no name is known."""
        if self._chooser is None:
            return []
        nearest = names.nearest(query.question.company or query.question.text, CANDIDATES)
        return [company for name in nearest for company in names.named(name)[:1]]

    def _engines(self, plan: Plan, names: CompanyNames) -> dict[str, BaseQueryEngine]:
        """An engine for each company of the plan; this router itself where a sub-question is about several years."""
        engines: dict[str, BaseQueryEngine] = {}
        for party in plan.parties:
            company = (
                next((c for c in names.named(party.company) if c.name == party.company), None)
                if party.company
                else None
            )
            if company is not None:
                nested = names_several_years(party.question)
                engines[company.name] = self if nested else self._engine_for(company)
        return engines

    def _known(self) -> tuple[Sequence[Company], CompanyNames]:
        """The companies and their names, made anew only when the library gives other companies."""
        companies, known = self._companies(), self._names
        if known is None or known[0] is not companies:
            known = self._names = (companies, self._names_of(companies))
        return known


def _tool(engine: BaseQueryEngine, name: str) -> QueryEngineTool:
    return QueryEngineTool(engine, ToolMetadata(name=name, description=f"Annual reports of {name}"))


UNRESOLVED = "unresolved company"  # the engine that says why no company could be chosen
COMPARISON = "comparison"  # the engine for several companies or years, where the question is about such


def chosen_companies(query: QueryBundle, names: CompanyNames) -> list[Company]:
    """The companies that a question is about: the given one, else those that its text names or may mean.

    One company is sure. Several are named together, or share the name that was written.
    """
    question = as_bundle(query).question
    return names.read(question.text).companies if question.company is None else names.named(question.company)


class CompanySelector(BaseSelector):
    """Exactly one engine: the comparison's if there is one, the company's if names decide, else the one that explains.

    Where names do not decide, a model may be asked, over the few companies that are nearest; where it is not sure of
    one, the engine that explains answers.
    """

    def __init__(self, names: CompanyNames, chooser: Chooser | None = None) -> None:
        self._names = names
        self._chooser = chooser

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        del prompts_dict  # prompts are data in the prompts package

    def _select(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return _selected(self._by_names(choices, query), choices, "the question names")

    async def _aselect(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        wanted = self._by_names(choices, query)
        offered = [name for c in choices if (name := c.name or "") not in (UNRESOLVED, COMPARISON)]
        if wanted != UNRESOLVED or self._chooser is None or not offered:
            return _selected(wanted, choices, "the question names")
        question = as_bundle(query).question
        chosen = await choose_company(self._chooser, question.company or question.text, offered)
        return _selected(chosen or UNRESOLVED, choices, "a model takes the question to mean")

    def _by_names(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> str:
        if any(choice.name == COMPARISON for choice in choices):
            return COMPARISON
        companies = chosen_companies(query, self._names)
        return companies[0].name if len(companies) == 1 else UNRESOLVED


def _selected(wanted: str, choices: Sequence[ToolMetadata], because: str) -> SelectorResult:
    index = [choice.name for choice in choices].index(wanted)
    return SelectorResult(selections=[SingleSelection(index=index, reason=f"{because} {wanted}")])

"""Routes a question: to a company's engine, to a comparison, or to an engine that explains what is missing."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine, RouterQueryEngine
from llama_index.core.schema import QueryBundle
from llama_index.core.tools import QueryEngineTool, ToolMetadata

from query_engines.comparison.engine import ComparisonEngine
from query_engines.comparison.plan import Plan
from query_engines.comparison.reader import ComparisonReader, Reading
from query_engines.comparison.years import names_several_years
from query_engines.events import step
from query_engines.llamaindex_defaults import UNUSED_LLM, UNUSED_SUMMARIZER
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.parsed import ParsedQuestion, QuestionBundle
from query_engines.question.parser import QuestionParser, as_bundle
from query_engines.routing.dialogue import TALK, SmallTalkEngine, is_small_talk
from query_engines.routing.model_reader import CANDIDATES, ModelReader, Told
from storage.records.answers import NOT_AVAILABLE, Answer
from storage.records.reports import Company

UNRESOLVED = "unresolved company"  # the name of the engine that explains why no company was chosen
COMPARISON = "comparison"  # the name of the engine for several companies or years
EngineFor = Callable[[Company], BaseQueryEngine]


class CompanyRouter(BaseQueryEngine):
    """A LlamaIndex RouterQueryEngine for each question, over the few companies that it may be about.

    So a library with ten thousand companies is no slower, and a company that was just ingested is found.
    """

    def __init__(
        self,
        parser: QuestionParser,
        engine_for: EngineFor,
        reader: ComparisonReader,
        loop: BackgroundLoop,
        *,
        model: ModelReader | None = None,
        strict: bool = True,
        figures_of: EngineFor | None = None,
    ) -> None:
        """Make a router.

        Args:
            parser: for questions that are not parsed yet, and for the sub-questions of comparisons.
            engine_for: makes a company's engine.
            reader: recognises comparisons.
            loop: for synchronous calls.
            model: reads what is in doubt; with None the user is asked which company is meant.
            strict: leaves out of a comparison amounts in another currency than the requested one.
            figures_of: makes a company's engine for the figures of a calculation, which reads the fact table first.
        """
        super().__init__(callback_manager=None)
        self._parser = parser
        self._engine_for = engine_for
        self._reader = reader
        self._loop = loop
        self._model = model
        self._strict = strict
        self._figures_of = figures_of or engine_for

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        with step("routing", "Choosing the company") as running:
            query, read = await asyncio.to_thread(self._read, query_bundle)
            if (alone := await self._calculated_alone(query, read)) is not None:
                return alone
            query, read, told = await self._read_by_model(query, read)
            router, running.summary = await asyncio.to_thread(self._router, query.parsed, read)
        response = await router.aquery(query)
        if read.plan is not None or read.unplanned is not None:
            return response
        return await self._calculated_after(query, response, told) or response

    async def _calculated_alone(self, query: QuestionBundle, read: Reading) -> RESPONSE_TYPE | None:
        """The answer by one calculation over several years, where the question asks for more than a figure of each.

        None where it asks for no such thing, or the figures of all years that it names are not found. With a model, it
        would be asked for nothing.
        """
        parsed, plan = query.parsed, read.plan
        if self._model is not None:
            return None
        is_over_years = plan is not None and all(entity.year is not None for entity in plan.entities)
        if not is_over_years or len(parsed.companies) != 1 or not parsed.relates_figures:
            return None
        response = await self._engine_for(parsed.companies[0]).aquery(query)
        answer = response.response if isinstance(response, PydanticResponse) else None
        if not isinstance(answer, Answer) or answer.formula is None or answer.value == NOT_AVAILABLE:
            return None
        years = {operand.period.year for operand in answer.operands if operand.period}
        is_failed = any(check.verdict == "failed" for check in answer.checks)
        return None if is_failed or not years.issuperset(parsed.years) else response

    async def _calculated_after(
        self, query: QuestionBundle, response: RESPONSE_TYPE, told: Told | None
    ) -> RESPONSE_TYPE | None:
        """The answer by a calculation that a model plans, where the pages print none; None where there is none either.

        What a question wants may look like a printed figure, such as a dividend yield, until no page has it.
        """
        answer = response.response if isinstance(response, PydanticResponse) else None
        if not isinstance(answer, Answer) or answer.value != NOT_AVAILABLE or answer.reason != "not_found":
            return None
        known = query.parsed.names.named(answer.company) if answer.company else []
        company = next((company for company in known if company.name == answer.company), None)
        if self._model is None or company is None:
            return None
        report = await asyncio.to_thread(self._model.report_without, query.parsed, company)
        if report is None:
            return None
        told = told or await self._model.read(query.parsed)
        plan = self._model.calculation(told, query.parsed, report) if told else None
        if plan is None:
            return None
        router, _ = await asyncio.to_thread(self._router, query.parsed, Reading(plan=plan))
        found = await router.aquery(query)
        calculated = found.response if isinstance(found, PydanticResponse) else None
        return found if isinstance(calculated, Answer) and calculated.value != NOT_AVAILABLE else None

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    async def _read_by_model(
        self, query: QuestionBundle, read: Reading
    ) -> tuple[QuestionBundle, Reading, Told | None]:
        """The question and its plan as a model reads them, where something of it is in doubt; and what it said."""
        model = self._model
        if model is None or not await asyncio.to_thread(model.is_needed, query.parsed, read):
            return query, read, None
        told = await model.read(query.parsed, read.unplanned)
        if told is None:
            return query, read, Told(kind=query.parsed.kind)  # it is not asked again
        if told.plan is not None:
            return replace(query, parsed=model.in_full(told, query.parsed)), Reading(plan=told.plan), told
        parsed = await asyncio.to_thread(model.applied, told, query.parsed)
        if parsed.question != query.parsed.question:
            read = await asyncio.to_thread(self._reader.read, parsed)
        is_open = read.plan is None or read.plan.relation == "each"
        plan = await asyncio.to_thread(model.calculation, told, parsed) if is_open else None
        read = Reading(plan=plan) if plan is not None else read
        return replace(query, query_str=parsed.text, parsed=parsed), read, told

    def _read(self, query_bundle: QueryBundle) -> tuple[QuestionBundle, Reading]:
        query = self._parser.bundle(query_bundle)
        return query, self._reader.read(query.parsed)

    def _router(self, parsed: ParsedQuestion, read: Reading) -> tuple[RouterQueryEngine, str]:
        if is_small_talk(parsed):
            tools, summary = [_tool(SmallTalkEngine(parsed.names.companies), TALK)], "no question about a report"
        elif read.plan is not None:
            engines = self._engines(read.plan, parsed)
            engine = ComparisonEngine(read.plan, parsed, engines, self._parser, self._loop, strict=self._strict)
            tools = [_tool(engine, COMPARISON)]
            summary = " · ".join(entity.label for entity in read.plan.entities)
        else:
            chosen = () if read.unplanned else parsed.companies[:CANDIDATES]
            summary = " · ".join(c.name for c in chosen) or read.note or "no company of the library"
            tools = [_tool(self._engine_for(company), company.name) for company in chosen]
        tools.append(_tool(UnresolvedCompanyEngine(read.note), UNRESOLVED))
        return RouterQueryEngine(CompanySelector(), tools, llm=UNUSED_LLM, summarizer=UNUSED_SUMMARIZER), summary

    def _engines(self, plan: Plan, parsed: ParsedQuestion) -> dict[str, BaseQueryEngine]:
        """An engine for each company of the plan; this router itself for a sub-question about several years."""
        engines: dict[str, BaseQueryEngine] = {}
        for entity in plan.entities:
            known = parsed.names.named(entity.company) if entity.company else []
            company = next((c for c in known if c.name == entity.company), None)
            if company is not None:
                several = len(entity.query.periods) > 1 or names_several_years(entity.query.subject)
                several = several or plan.kind is None  # each is a question of its own
                nested = plan.calculation is None and several
                engine_for = self._figures_of if plan.calculation else self._engine_for
                engines[company.name] = self if nested else engine_for(company)
        return engines


class CompanySelector(BaseSelector):
    """Selects one engine: the comparison, if there is one; the company, if one is meant; else the explaining one."""

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        del prompts_dict  # prompts are data in the prompts package

    def _select(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        wanted = _wanted(choices, as_bundle(query).parsed)
        index = [choice.name for choice in choices].index(wanted)
        return SelectorResult(selections=[SingleSelection(index=index, reason=f"the question names {wanted}")])

    async def _aselect(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return self._select(choices, query)


class UnresolvedCompanyEngine(BaseQueryEngine):
    """Answers N/A with a reason where a question names no company, an unknown one, or several for no clear purpose."""

    def __init__(self, note: str = "") -> None:
        super().__init__(callback_manager=None)
        self._note = note

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        parsed = as_bundle(query_bundle).parsed
        given = parsed.question.company
        nearest = parsed.nearest()
        why = (
            f"The question names, or its name fits, {len(parsed.companies)} companies of the library; ask about one,"
            " or how they compare."
            if parsed.companies
            else "The question names no company of the library."
            if given is None
            else f"{given!r} is no company of the library."
        )
        why = f"{why} {self._note}".strip()
        answer = Answer(
            question=parsed.question.text,
            kind=parsed.kind,
            understood=parsed.understood,
            reason="company_ambiguous" if parsed.companies else "company_unknown",
            candidates=tuple(c.name for c in parsed.companies[:CANDIDATES]) or nearest,
            analysis=why,
            summary=why,
        )
        return PydanticResponse(response=answer)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)


def _wanted(choices: Sequence[ToolMetadata], parsed: ParsedQuestion) -> str:
    for whole in (TALK, COMPARISON):
        if any(choice.name == whole for choice in choices):
            return whole
    named = [company.name for company in parsed.companies]
    return named[0] if len(named) == 1 and any(choice.name == named[0] for choice in choices) else UNRESOLVED


def _tool(engine: BaseQueryEngine, name: str) -> QueryEngineTool:
    return QueryEngineTool(engine, ToolMetadata(name=name, description=f"Annual reports of {name}"))

"""Routes a question: to a company's engine, to a comparison, or to an engine that explains what is missing."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.base_selector import BaseSelector, SelectorResult, SingleSelection
from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine, RouterQueryEngine
from llama_index.core.schema import QueryBundle
from llama_index.core.tools import QueryEngineTool, ToolMetadata

from query_engines.calculation.row_questions import relates_figures
from query_engines.comparison.engine import ComparisonEngine
from query_engines.comparison.plan import Plan
from query_engines.comparison.reader import ComparisonReader, Reading
from query_engines.comparison.years import names_several_years
from query_engines.events import step
from query_engines.llamaindex_defaults import UNUSED_LLM, UNUSED_SUMMARIZER
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.parsed import ParsedQuestion, QuestionBundle
from query_engines.question.parser import QuestionParser, as_bundle
from query_engines.routing.choosers import CompanyChooser, choose_company
from query_engines.routing.dialogue import TALK, SmallTalkEngine, is_small_talk
from storage.records.answers import NOT_AVAILABLE, Answer
from storage.records.reports import Company

CANDIDATES = 20
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
        chooser: CompanyChooser | None = None,
        strict: bool = True,
        figures_of: EngineFor | None = None,
    ) -> None:
        """Make a router.

        Args:
            parser: for questions that are not parsed yet, and for the sub-questions of comparisons.
            engine_for: makes a company's engine.
            reader: recognises comparisons.
            loop: for synchronous calls.
            chooser: asks a model which company is meant if names do not decide; with None the user is asked.
            strict: leaves out of a comparison amounts in another currency than the requested one.
            figures_of: makes a company's engine for the figures of a calculation, which reads the fact table first.
        """
        super().__init__(callback_manager=None)
        self._parser = parser
        self._engine_for = engine_for
        self._reader = reader
        self._loop = loop
        self._chooser = chooser
        self._strict = strict
        self._figures_of = figures_of or engine_for

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        with step("routing", "Choosing the company") as running:
            query, read = await asyncio.to_thread(self._read, query_bundle)
            if (alone := await self._calculated_alone(query, read)) is not None:
                return alone
            if (plan := await self._planned(query.parsed, read)) is not None:
                read = Reading(plan=plan)
            router, running.summary = await asyncio.to_thread(self._router, query.parsed, read)
        response = await router.aquery(query)
        if read.plan is not None or read.unplanned is not None:
            return response
        return await self._calculated_after(query, response) or response

    async def _calculated_alone(self, query: QuestionBundle, read: Reading) -> RESPONSE_TYPE | None:
        """The answer by one calculation over several years, where the question asks for more than a figure of each.

        None where it asks for no such thing, or the figures of all years that it names are not found. With a model, it
        would be asked for nothing.
        """
        parsed, plan = query.parsed, read.plan
        if self._chooser is not None:
            return None
        is_over_years = plan is not None and all(entity.year is not None for entity in plan.entities)
        if not is_over_years or len(parsed.companies) != 1 or not relates_figures(parsed.text):
            return None
        response = await self._engine_for(parsed.companies[0]).aquery(query)
        answer = response.response if isinstance(response, PydanticResponse) else None
        if not isinstance(answer, Answer) or answer.formula is None or answer.value == NOT_AVAILABLE:
            return None
        years = {operand.period.year for operand in answer.operands if operand.period}
        is_failed = any(check.verdict == "failed" for check in answer.checks)
        return None if is_failed or not years.issuperset(parsed.years) else response

    async def _calculated_after(self, query: QuestionBundle, response: RESPONSE_TYPE) -> RESPONSE_TYPE | None:
        """The answer by a calculation that a model plans, where the pages print none; None where there is none either.

        What a question wants may look like a printed figure, such as a dividend yield, until no page has it.
        """
        answer = response.response if isinstance(response, PydanticResponse) else None
        if not isinstance(answer, Answer) or answer.value != NOT_AVAILABLE or answer.reason != "not_found":
            return None
        known = query.parsed.names.named(answer.company) if answer.company else []
        company = next((company for company in known if company.name == answer.company), None)
        plan = await self._reader.calculation_after(query.parsed, company) if company is not None else None
        if plan is None:
            return None
        router, _ = await asyncio.to_thread(self._router, query.parsed, Reading(plan=plan))
        found = await router.aquery(query)
        calculated = found.response if isinstance(found, PydanticResponse) else None
        return found if isinstance(calculated, Answer) and calculated.value != NOT_AVAILABLE else None

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    async def _planned(self, parsed: ParsedQuestion, read: Reading) -> Plan | None:
        """A model's plan of what no rule could plan: a comparison, or a calculation over one company's figures."""
        if read.unplanned is not None:
            return await self._reader.ask(parsed, read.unplanned)
        is_open = read == Reading() or (read.plan is not None and read.plan.relation == "each")
        return await self._reader.calculation(parsed) if is_open else None

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
            tools = [_tool(self._engine_for(company), company.name) for company in chosen or self._offered(parsed)]
        tools.append(_tool(UnresolvedCompanyEngine(read.note), UNRESOLVED))
        selector = CompanySelector(None if read.unplanned else self._chooser)
        return RouterQueryEngine(selector, tools, llm=UNUSED_LLM, summarizer=UNUSED_SUMMARIZER), summary

    def _offered(self, parsed: ParsedQuestion) -> list[Company]:
        """The companies from which a model may choose where no name is known."""
        if self._chooser is None:
            return []
        nearest = parsed.names.nearest(parsed.question.company or parsed.text, CANDIDATES)
        return [company for name in nearest for company in parsed.names.named(name)[:1]]

    def _engines(self, plan: Plan, parsed: ParsedQuestion) -> dict[str, BaseQueryEngine]:
        """An engine for each company of the plan; this router itself for a sub-question about several years."""
        engines: dict[str, BaseQueryEngine] = {}
        for entity in plan.entities:
            known = parsed.names.named(entity.company) if entity.company else []
            company = next((c for c in known if c.name == entity.company), None)
            if company is not None:
                several = len(entity.query.periods) > 1 or names_several_years(entity.query.subject)
                nested = plan.calculation is None and several
                engine_for = self._figures_of if plan.calculation else self._engine_for
                engines[company.name] = self if nested else engine_for(company)
        return engines


class CompanySelector(BaseSelector):
    """Selects one engine: the comparison, if there is one; the company, if names decide; else the explaining one.

    If names do not decide, a model may choose among the most similar companies. If it is not certain either, the
    explaining engine answers.
    """

    def __init__(self, chooser: CompanyChooser | None = None) -> None:
        self._chooser = chooser

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        del prompts_dict  # prompts are data in the prompts package

    def _select(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        return _selected(_by_names(choices, as_bundle(query).parsed), choices, "the question names")

    async def _aselect(self, choices: Sequence[ToolMetadata], query: QueryBundle) -> SelectorResult:
        parsed = as_bundle(query).parsed
        wanted = _by_names(choices, parsed)
        offered = [name for c in choices if (name := c.name or "") not in (UNRESOLVED, COMPARISON, TALK)]
        if wanted != UNRESOLVED or self._chooser is None or not offered:
            return _selected(wanted, choices, "the question names")
        companies = [company for name in offered for company in parsed.names.named(name)[:1]]
        chosen = await choose_company(self._chooser, parsed.question.company or parsed.for_model, companies)
        return _selected(chosen or UNRESOLVED, choices, "a model takes the question to mean")


class UnresolvedCompanyEngine(BaseQueryEngine):
    """Answers N/A with a reason where a question names no company, an unknown one, or several for no clear purpose."""

    def __init__(self, note: str = "") -> None:
        super().__init__(callback_manager=None)
        self._note = note

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        parsed = as_bundle(query_bundle).parsed
        nearest = parsed.names.nearest(parsed.question.company or parsed.text)
        why = (
            f"The question names, or its name fits, {len(parsed.companies)} companies of the library; ask about one,"
            " or how they compare."
            if parsed.companies
            else "The question names no company of the library."
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


def _by_names(choices: Sequence[ToolMetadata], parsed: ParsedQuestion) -> str:
    for whole in (TALK, COMPARISON):
        if any(choice.name == whole for choice in choices):
            return whole
    named = [company.name for company in parsed.companies]
    return named[0] if len(named) == 1 and any(choice.name == named[0] for choice in choices) else UNRESOLVED


def _selected(wanted: str, choices: Sequence[ToolMetadata], because: str) -> SelectorResult:
    index = [choice.name for choice in choices].index(wanted)
    return SelectorResult(selections=[SingleSelection(index=index, reason=f"{because} {wanted}")])


def _tool(engine: BaseQueryEngine, name: str) -> QueryEngineTool:
    return QueryEngineTool(engine, ToolMetadata(name=name, description=f"Annual reports of {name}"))

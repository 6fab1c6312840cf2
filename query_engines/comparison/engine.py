"""Answers that are combined from several: about companies, years, or the figures of a calculation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.query_engine import BaseQueryEngine, SubQuestionQueryEngine
from llama_index.core.query_engine.sub_question_query_engine import SubQuestionAnswerPair
from llama_index.core.question_gen.types import BaseQuestionGenerator, SubQuestion
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType, TextNode
from llama_index.core.tools import QueryEngineTool, ToolMetadata
from llama_index_instrumentation import get_dispatcher

from query_engines.comparison.amounts import ComparisonResult, Part
from query_engines.comparison.decision import decide, series_of
from query_engines.comparison.plan import Entity, Plan
from query_engines.events import step
from query_engines.llamaindex_defaults import OwnSynthesizer
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.usage import counted_answer
from query_engines.question.parsed import FactMatch, ParsedQuestion, bundle_of
from query_engines.question.parser import QuestionParser
from storage.errors import MissingIndex, PageproofError, ProviderError
from storage.records.answers import Answer, Check, CitedFigure, NearestPassage, Understood, Verdict
from storage.records.queries import FilledQuestion


class EntityQuestion(SubQuestion):
    """The sub-question about one company or year; `tool_name` is the company, empty where there is none."""

    entity: Entity


class AnsweredPart(SubQuestionAnswerPair):
    """A sub-question with its typed answer."""

    part: Part


class ComparisonEngine(SubQuestionQueryEngine):
    """LlamaIndex's sub-question engine, made for each question about the companies that it names.

    LlamaIndex's class drops failed sub-questions and passes on texts. Here each sub-question is a step of its own and
    gives a typed answer, with a reason if it has no value. All are asked at once; the rate limiter slows them down. If
    all of them fail, the first error is raised.
    """

    def __init__(
        self,
        plan: Plan,
        parsed: ParsedQuestion,
        engines: Mapping[str, BaseQueryEngine],
        parser: QuestionParser,
        loop: BackgroundLoop,
        *,
        strict: bool,
    ) -> None:
        """Make an engine for one question.

        Args:
            plan: the sub-questions and what is made of their answers.
            parsed: the question that was planned.
            engines: by company.
            parser: for the sub-questions.
            loop: for synchronous calls.
            strict: leaves out what is in another currency than the asked one.
        """
        tools = [
            QueryEngineTool(engine, ToolMetadata(name=name, description=f"Annual reports of {name}"))
            for name, engine in engines.items()
        ]
        synthesizer = ComparisonSynthesizer(plan, parsed, strict=strict)
        super().__init__(_PlannedQuestions(plan), synthesizer, tools, verbose=False)
        self._plan = plan
        self._whole = parsed.whole
        self._names = parsed.names
        self._parser = parser
        self._loop = loop
        self._strict = strict
        self._errors: list[PageproofError] = []

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        response = await super()._aquery(query_bundle)
        if self._errors and len(self._errors) == len(self._plan.entities):
            raise self._errors[0]
        return response

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    async def _aquery_subq(self, sub_q: SubQuestion, color: str | None = None) -> AnsweredPart:
        """Answer one sub-question.

        Raises:
            PageproofError: an error that would stop every other sub-question too, such as a missing key.
        """
        del color
        if not isinstance(sub_q, EntityQuestion):
            raise TypeError(f"expected a party's question, got {type(sub_q).__name__}")
        with step("sub_question", f"{sub_q.entity.label}: {sub_q.sub_question}") as running:
            engine, sources = self._query_engines.get(sub_q.tool_name), list[NodeWithScore]()
            if engine is None:
                answer = self._without_company(sub_q.entity)
            else:
                answer, sources = await self._sub_answer(sub_q.entity, engine)
            running.summary = answer.summary
        part = Part(entity=sub_q.entity, answer=answer)
        return AnsweredPart(sub_q=sub_q, answer=answer.summary, sources=sources, part=part)

    async def _sub_answer(self, entity: Entity, engine: BaseQueryEngine) -> tuple[Answer, list[NodeWithScore]]:
        question = FilledQuestion(
            text=entity.query.asked,
            query=entity.query,
            kind=self._plan.kind,
            company=entity.company,
            currency=self._plan.currency if self._strict else None,
        ).made_of(self._whole)
        try:
            parsed = self._parser.parse(question, self._names)
            query = bundle_of(parsed, entity.facts or FactMatch())
            response, answer = await counted_answer(engine, query)
        except (ProviderError, MissingIndex) as error:
            self._errors.append(error)
            return self._failed(entity, error), []
        return answer, response.source_nodes

    def _construct_node(self, qa_pair: SubQuestionAnswerPair) -> NodeWithScore:
        if not isinstance(qa_pair, AnsweredPart):
            raise TypeError(f"expected an answered part, got {type(qa_pair).__name__}")
        return NodeWithScore(node=PartNode(text=qa_pair.answer or "", part=qa_pair.part))

    def _without_company(self, entity: Entity) -> Answer:
        several = entity.is_ambiguous
        analysis = (
            f"{entity.label!r} fits {len(entity.candidates)} companies of the library."
            if several
            else f"{entity.label!r} is no company of the library."
        )
        return Answer(
            question=entity.query.in_words,
            kind=self._plan.kind or "text",
            company=entity.label,
            reason="company_ambiguous" if several else "company_unknown",
            candidates=entity.candidates,
            analysis=analysis,
            summary=analysis,
        )

    def _failed(self, entity: Entity, error: PageproofError) -> Answer:
        """The answer for a failed sub-question. A missing index means no data; a provider's failure does not."""
        return Answer(
            question=entity.query.in_words,
            kind=self._plan.kind or "text",
            company=entity.company,
            reason="not_found" if isinstance(error, MissingIndex) else "model_failed",
            analysis=str(error),
            summary=str(error),
        )


class _PlannedQuestions(BaseQuestionGenerator):
    """Gives the plan's sub-questions, one for each company or year, in the plan's order."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def generate(self, tools: Sequence[ToolMetadata], query: QueryBundle) -> list[SubQuestion]:
        """The sub-questions."""
        del query
        known = {tool.name for tool in tools}
        return [
            EntityQuestion(
                sub_question=entity.query.in_words,
                tool_name=entity.company if entity.company in known else "",
                entity=entity,
            )
            for entity in self._plan.entities
        ]

    async def agenerate(self, tools: Sequence[ToolMetadata], query: QueryBundle) -> list[SubQuestion]:
        """Like `generate`; it does not wait for anything."""
        return self.generate(tools, query)

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        del prompts_dict  # prompts are data in the prompts package


dispatcher = get_dispatcher(__name__)


class PartNode(TextNode):
    """Carries a sub-answer through LlamaIndex; it is not a page."""

    part: Part


_BEFORE_A_NAME = (" of", " for", " at", " by", " in")


def _before_a_name(subject: str) -> str:
    """A subject without the preposition that a company's name followed."""
    return next((subject.removesuffix(end) for end in _BEFORE_A_NAME if subject.endswith(end)), subject)


def _company_of(entity: Entity) -> str:
    """The library's name, or that of a stranger as the question writes it, without the metric and the period."""
    if entity.company is not None:
        return entity.company
    label = entity.label
    for added in (entity.period.removeprefix("in "), entity.metric):
        label = label.removesuffix(f", {added}")
    return label


class ComparisonSynthesizer(OwnSynthesizer):
    """Computes the result by code, from the typed answers in the nodes.

    The answer cites only the pages of those sub-answers on which the result is based.
    """

    def __init__(self, plan: Plan, parsed: ParsedQuestion, *, strict: bool) -> None:
        super().__init__()
        self._plan = plan
        self._question = parsed.question
        self._parsed = parsed
        self._strict = strict

    async def asynthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> PydanticResponse:
        """Like `synthesize`; it does not wait for anything."""
        return self.synthesize(query, nodes, additional_source_nodes)

    def synthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> PydanticResponse:
        """Answer from part nodes, in the plan's order."""
        dispatcher.event(SynthesizeStartEvent(query=query))
        with step("answer", "Comparing") as running:
            answer = self._answer([n.node.part for n in nodes if isinstance(n.node, PartNode)])
            running.write_analysis(answer.analysis)
            running.summary = answer.summary
        response = PydanticResponse(response=answer, source_nodes=list(additional_source_nodes or ()))
        dispatcher.event(SynthesizeEndEvent(query=query, response=response))
        return response

    def _understood(self) -> Understood:
        """The comparison with the companies of its plan and what the first of its questions asks of each."""
        companies = tuple(dict.fromkeys(_company_of(entity) for entity in self._plan.entities))
        metrics = tuple(dict.fromkeys(entity.metric for entity in self._plan.entities if entity.metric))
        metrics = metrics or tuple(filter(None, [_before_a_name(self._plan.subject)]))
        known = self._parsed.understood
        is_series = self._plan.relation == "table" and len(companies) == 1
        operation = known.operation if self._plan.calculation else "series" if is_series else "comparison"
        return known.model_copy(update={"companies": companies, "metrics": metrics, "operation": operation})

    def _answer(self, parts: Sequence[Part]) -> Answer:
        plan = self._plan
        may_be_alone = self._strict or self._parsed.may_leave_out
        found = decide(plan, parts, self._question.kind, strict=self._strict, needs_two=not may_be_alone)
        used_parts = [parts[i] for i in found.used]
        used = [part.answer for part in used_parts]
        companies = {entity.company for entity in plan.entities}
        shown = [part for part in parts if part.answer.is_available or not plan.is_open]
        if plan.relation == "table":
            filled = {part.entity.period for part in shown if part.answer.is_available}
            shown = [part for part in parts if part.entity.period in filled or not plan.is_open]
        return Answer(
            question=self._question.text,
            kind=found.kind,
            company=companies.pop() if len(companies) == 1 else None,
            understood=self._understood(),
            value=found.value,
            unit=found.unit,
            reason=found.reason,
            candidates=() if found.used else tuple(dict.fromkeys(c for p in parts for c in p.answer.candidates)),
            nearest_passages=_to_read(parts, plan) if found.reason == "needs_reading" or plan.kind is None else (),
            citations=tuple(dict.fromkeys(c for answer in used for c in answer.citations)),
            checks=_checks(found, used),
            formula=found.formula,
            operands=tuple(_operands(used_parts)) if found.formula else (),
            analysis="\n\n".join(found.statements),
            summary=" ".join(found.statements[:1]),
            parts=tuple(part.answer for part in shown),
            series=series_of(plan, shown),
            prompt_version=next((a.prompt_version for a in used if a.prompt_version), ""),
        )

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not supported: a comparison needs answers, not plain texts."""
        del query_str, text_chunks
        raise TypeError("call asynthesize with part nodes")

    def get_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not supported: a comparison needs answers, not plain texts."""
        del query_str, text_chunks
        raise TypeError("call synthesize with part nodes")

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        del prompts  # prompts are data in the prompts package


def _to_read(parts: Sequence[Part], plan: Plan) -> tuple[NearestPassage, ...]:
    """The nearest passage of each; all of the first question of several that has any."""
    near = [part.answer.nearest_passages for part in parts if part.answer.nearest_passages]
    return near[0] if near and plan.kind is None else tuple(passages[0] for passages in near)


def _operands(parts: Sequence[Part]) -> Iterator[CitedFigure]:
    """The figures of a calculation, each with the place that its own answer cites first."""
    for part in parts:
        answer = part.answer
        if answer.citations:
            yield CitedFigure(
                name=part.entity.label,
                value=float(part.amount.value),
                unit=answer.unit,
                period=answer.unit.period_end if answer.unit else None,
                row=answer.citations[0].quote,
                citation=answer.citations[0],
            )


def _checks(found: ComparisonResult, used: Sequence[Answer]) -> tuple[Check, ...]:
    """The checks of the sub-answers together; a calculated figure is as sound as each of its figures."""
    checks = _together(used)
    if found.formula is None:
        return checks
    gives = f"the formula over {len(used)} checked figures gives it: {found.in_figures}"
    uncited = [answer for answer in used if not answer.citations]
    figure = Check(name="figure", verdict="passed", detail=gives)
    if uncited:
        figure = Check(name="figure", verdict="failed", detail="a figure of the formula is not cited")
    return tuple(figure if c.name == "figure" and c.verdict != "failed" else c for c in checks)


def _together(answers: Sequence[Answer]) -> tuple[Check, ...]:
    """One check of each name: failed if it failed for any part, else passed if it passed for any."""
    names: dict[str, list[tuple[str, Check]]] = {}
    for answer in answers:
        for check in answer.checks:
            names.setdefault(check.name, []).append((answer.company or "", check))
    return tuple(_one_of(name, checks) for name, checks in names.items())


def _one_of(name: str, checks: Sequence[tuple[str, Check]]) -> Check:
    order: tuple[Verdict, ...] = ("failed", "passed", "not_applicable")
    verdict = next(v for v in order if any(c.verdict == v for _, c in checks))
    those = [(company, c) for company, c in checks if c.verdict == verdict]
    if verdict == "failed":
        return Check(name=name, verdict=verdict, detail="; ".join(f"{who}: {c.detail}" for who, c in those))
    return Check(name=name, verdict=verdict, detail=f"for {len(those)} of {len(checks)}")

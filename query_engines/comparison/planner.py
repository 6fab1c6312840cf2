"""Asks a language model to split a question: a comparison that no rule knows, or a calculation over one report."""

import ast
import asyncio
import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from llama_index.core.types import BasePydanticProgram

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.tasks.sub_questions import (
    CALCULATION_PROMPTS,
    SUB_QUESTION_PROMPTS,
    CalculationPrompts,
    Decomposition,
    FigureWanted,
    PlannedCalculation,
    SubQuestionPrompts,
    calculation_messages,
    sub_question_messages,
)
from query_engines.comparison.entities import Listed
from query_engines.comparison.plan import Calculation, Entity, Plan, Relation
from query_engines.events import step
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.question.parser import QuestionParser
from storage.errors import ProviderError
from storage.records.queries import AskedPeriod, Query
from storage.records.reports import Company, Report

if TYPE_CHECKING:
    from query_engines.llm.client import CompatOpenAI

Planner = BasePydanticProgram[Decomposition]
_NEED_TWO: set[Relation] = {"more", "less", "difference", "ratio"}


async def request_plan(planner: Planner, question: str, found: Listed) -> Plan | None:
    """The model's plan; None where it gives none, omits a known company, or its reply is unusable."""
    names = [entity.company or entity.label for entity in found.entities]
    with step("routing", "Taking the question apart") as running:
        try:
            reply = cast(Decomposition, await planner.acall(question=question, companies=names))
        except ProviderError as error:
            running.summary = f"Not done: {error}"
            return None
        running.summary = "\n".join(
            [f"{reply.relation}: {reply.subject}", *(f"- {q.question}" for q in reply.questions)]
        )
    return _plan(reply, found)


def _plan(reply: Decomposition, found: Listed) -> Plan | None:
    entities = {entity.company or entity.label: entity for entity in found.entities}
    questions = [q for q in reply.questions if q.company in entities]
    names = {q.company for q in questions}
    left_out = [name for name, entity in entities.items() if entity.company and name not in names]
    if reply.relation == "none" or left_out or len(names) < len(questions) or len(questions) < 2:
        return None
    if reply.relation in _NEED_TWO and len(questions) != 2:
        return None
    if reply.relation not in ("each", "which", "all", "any") and reply.sub_answers != "number":
        return None
    return Plan(
        relation=reply.relation,
        subject=reply.subject,
        entities=tuple(entities[q.company].with_query(Query(subject=q.question)) for q in questions),
        kind="boolean" if reply.relation in ("which", "all", "any") else reply.sub_answers,
        currency=reply.currency,
    )


def sub_question_planner(
    llm: "CompatOpenAI",
    loop: BackgroundLoop,
    prompts: SubQuestionPrompts = SUB_QUESTION_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> Planner:
    """The program that splits questions; it is called with `question` and `companies`."""
    from query_engines.llm.structured import CascadeProgram  # late: it loads the package openai

    def build_messages(*, with_schema: bool, question: str, companies: Sequence[str], **_: Any) -> Any:
        return sub_question_messages(question, companies, with_schema, prompts)

    return CascadeProgram(llm, Decomposition, build_messages, loop, repair)


CalculationProgram = BasePydanticProgram[PlannedCalculation]
_CALCULATED = ("number", "boolean")  # kinds of answer that may rest on a formula


class CalculationPlanner:
    """Asks a model how a figure follows from printed ones, where the fact table does not give it.

    The model names figures and a formula. Each figure is then asked of the ordinary engine, and code evaluates.
    """

    def __init__(self, program: CalculationProgram, lookup: FactLookup, parser: QuestionParser) -> None:
        """Prepare planning; `lookup` and `parser` find out what the fact table has."""
        self._program = program
        self._lookup = lookup
        self._parser = parser

    async def plan(self, parsed: ParsedQuestion) -> Plan | None:
        """The model's plan; None where nothing is to be calculated, or its reply is unusable."""
        report = await asyncio.to_thread(self._unanswered, parsed)
        return await self._asked(parsed, report) if report is not None else None

    async def plan_after(self, parsed: ParsedQuestion, company: Company) -> Plan | None:
        """The plan of a question that reading the pages has not answered; None also where it was planned before."""
        if parsed.kind not in _CALCULATED or not company.reports:
            return None
        if await asyncio.to_thread(self._unanswered, parsed) is not None:
            return None
        report = await asyncio.to_thread(self._without_fact, parsed, company)
        return await self._asked(parsed, report) if report is not None else None

    def _without_fact(self, parsed: ParsedQuestion, company: Company) -> Report | None:
        """The report that is asked about; None where the fact table has a figure of the dimension that is asked for."""
        about = self._parser.about(parsed, company)
        report, facts = self._known(about, company)
        is_share = about.intent.dimension in ("percent", "ratio")
        return report if facts.fact is None or is_share else None

    async def _asked(self, parsed: ParsedQuestion, report: Report) -> Plan | None:
        with step("routing", "Planning the calculation") as running:
            about = (report.company, report.period_end, report.currency)
            try:
                reply = cast(
                    PlannedCalculation, await self._program.acall(question=parsed.for_model, report=about)
                )
            except ProviderError as error:
                running.summary = f"Not done: {error}"
                return None
            plan = _calculation(reply, report, parsed)
            asked = [f"- {entity.query.in_words}" for entity in plan.entities] if plan else []
            title = f"{reply.title}: {reply.formula}" if plan else "Nothing is to be calculated."
            running.summary = "\n".join([title, *asked])
        return plan

    def _unanswered(self, parsed: ParsedQuestion) -> Report | None:
        """The report that is asked about; None where the question is for no figure, or the fact table has it."""
        if len(parsed.companies) != 1 or parsed.kind not in _CALCULATED or not parsed.companies[0].reports:
            return None
        (company,) = parsed.companies
        about = self._parser.about(parsed, company)
        if about.kind not in _CALCULATED:
            return None
        intent = about.intent
        is_one_line = intent.sole_metric is not None and intent.change is None and intent.derived is None
        if intent.role or intent.event or intent.dimension == "date" or (is_one_line and about.kind == "number"):
            return None
        report, facts = self._known(about, company)
        is_known = facts.fact is not None or (facts.calculated is not None and facts.calculated.value is not None)
        return None if is_known or facts.no_meaning else report

    def _known(self, about: ParsedQuestion, company: Company) -> tuple[Report, FactMatch]:
        """The filing that answers, and what the fact table has for the question in it."""
        chosen = self._lookup.choose(about, company)
        return chosen.report, self._lookup.look_up_in(about, chosen)


def _calculation(reply: PlannedCalculation, report: Report, parsed: ParsedQuestion) -> Plan | None:
    is_judged = parsed.kind == "boolean"
    if (
        reply.needs == "printed"
        or not reply.formula
        or reply.unit is None
        or is_judged != (reply.limit is not None)
    ):
        return None
    calculation = Calculation(
        title=reply.title or "",
        definition=(reply.definition or "").rstrip(". "),
        names=tuple(figure.name for figure in reply.figures),
        formula=_in_unit(reply.formula, reply.unit),
        unit=reply.unit,
        other_definition=(reply.other_definition or "").rstrip(". "),
        other_formula=_in_unit(reply.other_formula, reply.unit) if reply.other_formula else "",
        limit=reply.limit,
        threshold=Decimal(str(reply.threshold or 0)),
        basis=(reply.basis or "").rstrip(". "),
    )
    return Plan(
        relation="calculation",
        subject=calculation.title,
        entities=tuple(_figure_asked(figure, report) for figure in reply.figures),
        calculation=calculation,
    )


def _figure_asked(figure: FigureWanted, report: Report) -> Entity:
    called = "fiscal " if report.is_called_by_first_year else ""
    when = AskedPeriod.first_in(f"{called}{figure.year}") if figure.year else ()
    label = f"{figure.figure} {figure.year or ''}".rstrip()
    entity = Entity(label=label, company=report.company, year=figure.year)
    return entity.with_query(Query(subject=figure.figure, periods=when))


def _in_unit(formula: str, unit: str) -> str:
    """The formula, times 100 where a share is wanted in percent and the model left it a fraction."""
    nodes = list(ast.walk(ast.parse(formula, mode="eval")))
    has_hundred = any(isinstance(node, ast.Constant) and node.value == 100 for node in nodes)
    divides = any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div)
        and any(isinstance(below, ast.Name) and below.id != "abs" for below in ast.walk(node.right))
        for node in nodes
    )
    return f"({formula}) * 100" if unit in ("percent", "points") and divides and not has_hundred else formula


def calculation_program(
    llm: "CompatOpenAI",
    loop: BackgroundLoop,
    prompts: CalculationPrompts = CALCULATION_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> CalculationProgram:
    """The program that plans calculations; it is called with `question` and `report` (company, day, currency)."""
    from query_engines.llm.structured import CascadeProgram  # late: it loads the package openai

    def build_messages(
        *, with_schema: bool, question: str, report: tuple[str, dt.date | None, str | None], **_: Any
    ) -> Any:
        return calculation_messages(question, report, with_schema, prompts)

    return CascadeProgram(llm, PlannedCalculation, build_messages, loop, repair)

"""Reads a question by a language model: in one request its kind, its companies, and what is made of their figures.

What the model says is checked against the library before anything is done with it: a company that is not there, a
relation that does not fit, and a formula over anything else than its figures are left out. Numbers, periods and
currencies stay with the rules that read them exactly.
"""

import ast
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from llama_index.core.types import BasePydanticProgram

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.tasks.understanding import (
    UNDERSTANDING_PROMPTS,
    CalculationWanted,
    FigureWanted,
    Understanding,
    UnderstandingPrompts,
    understanding_messages,
)
from query_engines.comparison.entities import Listed
from query_engines.comparison.plan import Calculation, Entity, Plan, Relation
from query_engines.comparison.reader import Reading
from query_engines.events import step
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.question.parser import QuestionParser, plain_text
from query_engines.routing.dialogue import is_small_talk
from storage.errors import ProviderError
from storage.records.metric_names import MetricName
from storage.records.queries import AskedPeriod, Conditions, FilledQuestion, Query
from storage.records.questions import AnswerKind, Question
from storage.records.reports import Company, Report

if TYPE_CHECKING:
    from query_engines.llm.client import CompatOpenAI

ReaderProgram = BasePydanticProgram[Understanding]
CANDIDATES = 20  # companies that a model may choose from where no name is known
_MOST_NAMES = 3  # other names of a company in a list
_MOST_KEPT = 1_000  # replies
_CALCULATED = ("number", "boolean")  # kinds of answer that may rest on a formula
_OF_TWO: set[Relation] = {"more", "less", "difference", "ratio"}
_OF_FACTS: set[Relation] = {"which", "all", "any"}


@dataclass(frozen=True)
class Told:
    """What a model says that a question asks, as far as the library bears it out.

    Attributes:
        kind: of the answer.
        meaning: the whole question, as it stands by itself.
        companies: that are meant; several with one question if it may be one or another.
        plan: of a comparison; None for a question to one company.
        figure: the known one that is asked for, and nothing narrower.
        calculation: how the answer follows from printed figures.
    """

    kind: AnswerKind
    meaning: str = ""
    companies: tuple[str, ...] = ()
    plan: Plan | None = None
    figure: MetricName | None = None
    calculation: CalculationWanted | None = None


class ModelReader:
    """Asks a model what a question asks, where the trained reader and the rules are not sure of it."""

    def __init__(
        self,
        program: ReaderProgram,
        lookup: FactLookup,
        parser: QuestionParser,
        *,
        always: bool = False,
        calculates: bool = True,
        keeps: bool = True,
    ) -> None:
        """Make a reader.

        Args:
            program: fills in the form; it is called with `question`, `before`, `companies` and
                `figures`.
            lookup: finds out what the fact table has.
            parser: of the library.
            always: reads every question, not only what is in doubt.
            calculates: whether an answer may be calculated.
            keeps: whether replies are kept, so that the same question is read once.
        """
        self._program = program
        self._lookup = lookup
        self._parser = parser
        self._always = always
        self._calculates = calculates
        self._kept: dict[tuple[str, ...], Understanding] | None = {} if keeps else None

    def is_needed(self, parsed: ParsedQuestion, read: Reading) -> bool:
        """Whether something of a question is in doubt: its companies, its kind, or how its figure is come by."""
        if parsed.part is not None or is_small_talk(parsed):
            return False
        if self._always or read.unplanned is not None or parsed.question.before:
            return True
        if read.plan is not None and read.plan.relation != "each":
            return False
        if len(parsed.companies) != 1:
            return read.plan is None
        if not parsed.is_kind_known and read.plan is None:
            intent = self._parser.about(parsed, parsed.companies[0]).intent
            if intent.judgement is None and not (intent.parts and intent.parts.is_of_names):
                return True
        return self._calculates and self._unanswered(parsed) is not None

    async def read(self, parsed: ParsedQuestion, found: Listed | None = None) -> Told | None:
        """What the model says; None where its reply is unusable.

        Args:
            parsed: the question.
            found: the companies that are named in it, where it names several.
        """
        offered = self._offered(parsed, found)
        figures = await asyncio.to_thread(self._figures, parsed) if self._calculates else ()
        with step("routing", "Reading the question") as running:
            try:
                reply = await self._reply(parsed.for_model, parsed.question.before, tuple(offered), figures)
            except ProviderError as error:
                running.summary = f"Not done: {error}"
                return None
            running.summary = reply.in_words
        return self._checked(reply, parsed, offered)

    def applied(self, told: Told, parsed: ParsedQuestion) -> ParsedQuestion:
        """The question with what the model says of it; what the user gave stays."""
        question = parsed.question
        changed: dict[str, object] = {}
        if question.before and told.meaning:
            changed["text"] = told.meaning
        is_kind_open = self._always or bool(question.before) or not parsed.is_kind_known
        if told.plan is None and question.kind is None and is_kind_open:
            changed["kind"] = told.kind
        if len(told.companies) == 1 and (question.company is None or question.before) and told.plan is None:
            changed["company"] = told.companies[0]
        read = self._parser.parse(question.model_copy(update=changed), parsed.names) if changed else parsed
        if len(told.companies) > 1 and told.plan is None and not parsed.companies:
            known = (company for name in told.companies for company in parsed.names.named(name)[:1])
            return replace(read, companies=tuple(known))
        return self._of_figure(told, read)

    def in_full(self, told: Told, parsed: ParsedQuestion) -> ParsedQuestion:
        """The question as the model writes it out, where it goes on with the one before; it is not read again."""
        if not (parsed.question.before and told.meaning):
            return parsed
        return replace(parsed, question=parsed.question.model_copy(update={"text": told.meaning}))

    def calculation(self, told: Told, parsed: ParsedQuestion, report: Report | None = None) -> Plan | None:
        """The plan of the calculation that the model gives; None where none is needed, or it gives none.

        Args:
            told: what the model said.
            parsed: the question.
            report: whose figures are wanted although the question was put to its pages, which have no answer.
        """
        asked = told.calculation
        if asked is None or not self._calculates or parsed.kind not in _CALCULATED:
            return None
        if (parsed.kind == "boolean") != (asked.limit is not None):
            return None
        report = report or self._unanswered(parsed)
        return _calculation(asked, report) if report is not None else None

    def report_without(self, parsed: ParsedQuestion, company: Company) -> Report | None:
        """The report whose pages have no answer to a question that may be calculated; None where that is no way out."""
        if not self._calculates or parsed.kind not in _CALCULATED or not company.reports:
            return None
        about = self._parser.about(parsed, company)
        report, facts = self._known(about, company)
        is_share = about.intent.dimension in ("percent", "ratio")
        return report if facts.fact is None or is_share else None

    async def _reply(
        self, question: str, before: str, companies: tuple[str, ...], figures: tuple[str, ...]
    ) -> Understanding:
        key = (question, before, *companies, *figures)
        if self._kept is not None and key in self._kept:
            return self._kept[key]
        reply = await self._program.acall(question=question, before=before, companies=companies, figures=figures)
        if not isinstance(reply, Understanding):
            raise TypeError(f"the program gave a {type(reply).__name__}, expected an Understanding")
        if self._kept is not None:
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = reply
        return reply

    def _offered(self, parsed: ParsedQuestion, found: Listed | None) -> dict[str, Entity]:
        """The companies to choose from, as they are shown: those that the question names, else the most similar."""
        if found is not None:
            return {entity.company or entity.label: entity for entity in found.entities}
        before = parsed.names.read(plain_text(parsed.question.before)).companies if parsed.question.before else ()
        companies: Sequence[Company] = tuple(dict.fromkeys((*parsed.companies, *before)))[:CANDIDATES]
        if not companies:
            nearest = parsed.nearest(CANDIDATES)
            companies = [company for name in nearest for company in parsed.names.named(name)[:1]]
        return {_with_other_names(c): Entity(label=c.name, company=c.name) for c in companies}

    def _figures(self, parsed: ParsedQuestion) -> tuple[str, ...]:
        """Some figures that the report of the only company prints: those of the fact table, and rows that are named."""
        if len(parsed.companies) != 1 or not parsed.companies[0].reports:
            return ()
        about = self._parser.about(parsed, parsed.companies[0])
        return self._lookup.printed_in(about, self._lookup.choose(about, parsed.companies[0]).report)

    def _checked(self, reply: Understanding, parsed: ParsedQuestion, offered: Mapping[str, Entity]) -> Told:
        by_name = {entity.company or entity.label: entity for entity in offered.values()} | dict(offered)
        meant = tuple(by_name[name] for name in dict.fromkeys(reply.companies) if name in by_name)
        figure = self._parser.metric_called(reply.figure) if reply.figure else None
        return Told(
            kind=reply.kind,
            meaning=reply.meaning.strip(),
            companies=tuple(entity.company for entity in meant if entity.company),
            plan=self._comparison(reply, figure, meant, parsed),
            figure=figure,
            calculation=reply.calculation,
        )

    def _comparison(
        self, reply: Understanding, figure: MetricName | None, meant: Sequence[Entity], parsed: ParsedQuestion
    ) -> Plan | None:
        """The plan of a comparison; None where the reply is about one company, or its relation does not fit."""
        relation = reply.relation
        if relation == "one" or len(meant) < 2 or (relation in _OF_TWO and len(meant) != 2):
            return None
        if not (parsed.names_several or parsed.companies or parsed.question.before):
            return None  # they are only like a name in the question, which means one of them at most
        named = {mention.company.name for mention in parsed.naming.mentions}
        if not named <= {entity.company for entity in meant}:
            return None  # it leaves out a company that the question names
        query = Query(
            terms=(figure.term,) if figure else (),
            subject=figure.title if figure else reply.asks,
            periods=parsed.query.periods[-1:],
            conditions=Conditions(currency=parsed.currency),
        )
        kind: AnswerKind = "boolean" if relation in _OF_FACTS else "number"
        if relation == "each" and figure is None:
            kind = self._parser.parse(Question(text=reply.asks), parsed.names).kind
        return Plan(
            relation=relation,
            subject=query.subject,
            entities=tuple(entity.with_query(query) for entity in meant),
            kind=kind,
            currency=parsed.currency,
        )

    def _of_figure(self, told: Told, parsed: ParsedQuestion) -> ParsedQuestion:
        """The question as one for a known figure, where nothing else is known of it."""
        figure, question = told.figure, parsed.question
        if (
            figure is None
            or told.plan
            or told.calculation
            or parsed.kind != "number"
            or len(parsed.companies) != 1
        ):
            return parsed
        (company,) = parsed.companies
        intent = self._parser.about(parsed, company).intent
        periods = parsed.query.periods
        is_of_parts = intent.parts is not None and intent.parts.operation != "value"
        is_known = intent.metric or intent.derived or intent.change or intent.role or intent.event or is_of_parts
        if is_known or any(period.said not in question.text for period in periods):
            return parsed
        query = Query(
            operation="value",
            terms=(figure.term,),
            subject=figure.title,
            companies=(company.name,),
            periods=periods,
            conditions=Conditions(currency=parsed.currency),
        )
        given = {name: getattr(question, name) for name in Question.model_fields}
        filled = FilledQuestion.model_validate({**given, "company": company.name, "query": query})
        return self._parser.parse(filled, parsed.names)

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


def _with_other_names(company: Company) -> str:
    others = [name for name in company.aliases[:_MOST_NAMES] if name != company.name]
    return f"{company.name} (also {', '.join(others)})" if others else company.name


def _calculation(asked: CalculationWanted, report: Report) -> Plan:
    calculation = Calculation(
        title=asked.title,
        definition=(asked.definition or "").rstrip(". "),
        names=tuple(figure.name for figure in asked.figures),
        formula=_in_unit(asked.formula, asked.unit),
        unit=asked.unit,
        other_definition=(asked.other_definition or "").rstrip(". "),
        other_formula=_in_unit(asked.other_formula, asked.unit) if asked.other_formula else "",
        limit=asked.limit,
        threshold=Decimal(str(asked.threshold or 0)),
        basis=(asked.basis or "").rstrip(". "),
    )
    return Plan(
        relation="calculation",
        subject=calculation.title,
        entities=tuple(_figure_asked(figure, report) for figure in asked.figures),
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


def reader_program(
    llm: "CompatOpenAI",
    loop: BackgroundLoop,
    prompts: UnderstandingPrompts = UNDERSTANDING_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
    *,
    brief: bool = False,
) -> ReaderProgram:
    """The program that reads questions, called as `ModelReader` says; a brief one calculates nothing."""
    from query_engines.llm.structured import CascadeProgram  # late: it loads the package openai

    def build_messages(
        *, with_schema: bool, question: str, before: str, companies: Sequence[str], figures: Sequence[str]
    ) -> Any:
        return understanding_messages(
            question, companies, with_schema, prompts, brief=brief, before=before, figures=figures
        )

    return CascadeProgram(llm, Understanding, build_messages, loop, repair, brief=brief)

"""Recognises questions about several companies, several years or all companies, and plans them."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from query_engines.company_names.matcher import CompanyNames
from query_engines.comparison.entities import Listed, listed
from query_engines.comparison.open_question import AllCompanies
from query_engines.comparison.patterns import read_open_plan, read_plan
from query_engines.comparison.plan import Entity, Plan
from query_engines.comparison.planner import CalculationPlanner, Planner, request_plan
from query_engines.comparison.years import (
    about,
    is_since_report,
    names_several_years,
    read_growth,
    read_trailing,
    read_years,
    trailing_in,
)
from query_engines.question.filings import trailing_parts
from query_engines.question.parsed import ParsedQuestion, reported_year
from query_engines.question.parser import MARK, plain_text
from query_engines.question.parts import is_asked_of_one_company
from storage.records.reports import Company


@dataclass(frozen=True)
class Reading:
    """How a question was understood.

    Attributes:
        plan: None where it is not a comparison, or not understood.
        note: why a comparison is not possible; else empty.
        unplanned: the companies of a question whose wording no rule knows.
    """

    plan: Plan | None = None
    note: str = ""
    unplanned: Listed | None = None


class ComparisonReader:
    """Plans questions by rules; questions that no rule knows go to a model, if there is one."""

    def __init__(
        self,
        everyone: AllCompanies,
        planner: Planner | None = None,
        calculations: CalculationPlanner | None = None,
    ) -> None:
        """Make a reader; `calculations` plans what is to be calculated from one company's figures."""
        self._everyone = everyone
        self._planner = planner
        self._calculations = calculations

    def read(self, parsed: ParsedQuestion) -> Reading:
        """Understand a question by rules."""
        if len(parsed.companies) == 1 and is_asked_of_one_company(parsed.wording):
            return Reading()
        if len(parsed.companies) == 1 and (plan := self._up_to_newest(parsed, parsed.companies[0])):
            return Reading(plan=plan)
        if parsed.question.company is not None:
            return _of_given_company(parsed)
        found = listed(parsed)
        if not found.entities:
            read = self._of_all(parsed)
            return _of_chosen(parsed) if parsed.question.reports and read == Reading() else read
        if len(found.entities) == 1:
            return Reading(plan=_over_years(found, parsed.names) or read_plan(found))
        return _of_several(found)

    async def ask(self, parsed: ParsedQuestion, found: Listed) -> Plan | None:
        """A model's plan for a question about the companies found in it; None without a model."""
        return await request_plan(self._planner, parsed.text, found) if self._planner else None

    def _up_to_newest(self, parsed: ParsedQuestion, company: Company) -> Plan | None:
        """The plan for the last twelve months, or since the last annual report, by the company's filings."""
        is_since = is_since_report(parsed.wording)
        if not is_since and trailing_in(parsed.wording) is None:
            return None
        parts = trailing_parts(company.reports)
        found = listed(parsed, _names_of(company))
        found = found if found.entities else about(parsed, company.name)
        if is_since:
            return self._since_report(found, parts, company) if len(parts) > 1 else None
        named, metric = trailing_in(found.text), self._everyone.metric_asked(parsed.text, company)
        if named is None or metric is None or not metric.is_flow or not parts:
            return None
        return read_trailing(found, named, parts, metric.title.lower())

    def _since_report(self, found: Listed, parts: Sequence[str], company: Company) -> Plan | None:
        """A position now and at the end of the last year, or a figure of this year's months and those of the last."""
        year, now, then = parts
        plan = read_years(found, None, (then, now))
        metric = self._everyone.metric_asked(plan.entities[0].question, company) if plan else None
        return read_years(found, None, (year, now)) if metric is not None and metric.is_of_day else plan

    async def calculation(self, parsed: ParsedQuestion) -> Plan | None:
        """A model's plan of a calculation over one company's figures; None without one, or where none is needed."""
        return await self._calculations.plan(parsed) if self._calculations else None

    def _of_all(self, parsed: ParsedQuestion) -> Reading:
        read = read_open_plan(parsed)
        if read is None:
            return Reading()
        shortlist = self._everyone.shortlist(*read, parsed.names)
        return Reading(plan=shortlist.plan, note=shortlist.note)


def _of_given_company(parsed: ParsedQuestion) -> Reading:
    if len(parsed.companies) != 1:
        return Reading()
    (company,) = parsed.companies
    found = listed(parsed, _names_of(company))
    return Reading(plan=_over_years(found if found.entities else about(parsed, company.name), parsed.names))


def _of_chosen(parsed: ParsedQuestion) -> Reading:
    """A question that names nobody, about the companies of the chosen reports: compared if it says so, else each."""
    if len(parsed.companies) < 2:
        return _of_given_company(parsed)
    entities = tuple(Entity(label=company.name, company=company.name) for company in parsed.companies)
    text = plain_text(parsed.wording)
    marks = [f"{MARK}{number}" for number in range(len(entities))]
    compared = f"{text.rstrip(' ?.!:')}: {', '.join(marks[:-1])} or {marks[-1]}?"
    plan = read_plan(Listed(compared, entities, currency=parsed.currency))
    if plan is None or plan.relation == "each":
        kind = "text" if parsed.kind == "comparative" else parsed.kind
        each = tuple(entity.model_copy(update={"question": text}) for entity in entities)
        plan = Plan(
            relation="each", subject=text.rstrip(" ?.!"), entities=each, kind=kind, currency=parsed.currency
        )
    return Reading(plan=plan)


def _of_several(found: Listed) -> Reading:
    if names_several_years(found.text):
        note = "It names several companies and several years: ask about one company, or one year."
        plan = read_growth(found)
        return Reading(plan=plan, unplanned=None if plan else found, note=note)
    plan = read_plan(found)
    guessed_only = len(found.entities) - found.strangers < 2
    return Reading(plan=plan, unplanned=None if plan or guessed_only else found)


@functools.lru_cache(maxsize=256)
def _names_of(company: Company) -> CompanyNames:
    return CompanyNames((company,))


def _over_years(found: Listed, names: CompanyNames) -> Plan | None:
    company = next(iter(names.named(found.entities[0].company or "")), None)
    if company is None:
        return None
    main = company.main_report
    return read_years(found, reported_year(main) if main else None)

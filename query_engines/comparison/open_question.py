"""Questions about all companies: the fact table decides which companies are asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from query_engines.company_names.matcher import CompanyNames
from query_engines.comparison.amounts import Amount
from query_engines.comparison.by_topic import FigureOf
from query_engines.comparison.entities import Biggest, Listed
from query_engines.comparison.plan import Entity, Plan
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.question.parser import QuestionParser
from storage.records.metric_names import MetricName
from storage.records.metrics import Metric
from storage.records.queries import FilledQuestion, Query
from storage.records.questions import Question
from storage.records.record import Record
from storage.records.reports import Company

MAX_COMPANIES = 40  # companies asked for one question; if there are more, the most promising ones
FRONT = 12  # of the companies with a figure in the fact table, those at the wanted end


class Shortlist(Record):
    """The plan with the companies to ask; no plan where there are too many of them."""

    plan: Plan | None
    note: str


class AllCompanies:
    """Selects companies by the fact table; the selected ones are then asked like any others."""

    def __init__(self, lookup: FactLookup, parser: QuestionParser) -> None:
        self._lookup = lookup
        self._parser = parser

    def shortlist(self, plan: Plan, query: Query, names: CompanyNames) -> Shortlist:
        """The companies to ask.

        Args:
            plan: without companies.
            query: what is asked of each.
            names: of the whole library.
        """
        known = [company for company in names.companies if company.reports]
        facts = {c.name: self._look_up(plan, query, c, names) for c in known}
        if plan.kind == "boolean" and any(s.event for s in facts.values()):
            return _fitting(plan, query, known, facts)
        if plan.kind == "number" and any(_amount(s) is not None for s in facts.values()):
            return _front(plan, query, known, facts)
        if len(known) > MAX_COMPANIES:
            return Shortlist(
                plan=None,
                note=(
                    "The question names no company, and the fact table does not hold what it asks for; it can be put"
                    f" to {MAX_COMPANIES} companies at once, and the library has {len(known)}. Name some."
                ),
            )
        return _shortlist(plan, query, known, facts, f"All {len(known)} companies of the library were asked.")

    def biggest(self, wanted: Biggest, names: CompanyNames) -> Listed | str:
        """The companies at one end of the library, numbered in the place of their words, or why there are too few."""
        plan, query = Plan(relation="ranking", subject=wanted.by, entities=()), Query(subject=wanted.by)
        known = [company for company in names.companies if company.reports]
        found = ((c.name, _amount(self._look_up(plan, query, c, names))) for c in known)
        amounts = {name: amount for name, amount in found if amount is not None}
        if len(amounts) < wanted.count:
            return f"The fact table holds {wanted.by} for {len(amounts)} of {len(known)} companies: name some."
        ordered = sorted(amounts, key=lambda name: amounts[name].about_in_dollars, reverse=wanted.is_high)
        return wanted.words.named(ordered[: wanted.count])

    def metric_asked(self, text: str, company: Company) -> Metric | None:
        """The metric that a question about a part of a year asks a company for."""
        question = Question(text=text, kind="number", company=company.name)
        return self._parser.about(self._parser.parse(question), company).intent.part_metric

    def metric_called(self, phrase: str) -> MetricName | None:
        """The metric that a phrase names and nothing else; None where it names none."""
        return self._parser.metric_called(phrase)

    @property
    def parser(self) -> QuestionParser:
        """Reads the questions of a plan."""
        return self._parser

    @property
    def figure_asked(self) -> FigureOf:
        """Finds the figure that words are about, in the question that they stand in."""
        return self._parser.figure_asked

    def is_one_row(self, parsed: ParsedQuestion, company: Company) -> bool:
        """Whether a company's report prints one row under all that a question lists: "intangibles and goodwill"."""
        about = self._parser.about(replace(parsed, kind="number"), company)
        return self._lookup.look_up_in(about, self._lookup.choose(about, company)).is_printed_label

    def _look_up(self, plan: Plan, query: Query, company: Company, names: CompanyNames) -> FactMatch:
        question = FilledQuestion(text=query.asked, query=query, kind=plan.kind, company=company.name)
        parsed = self._parser.about(self._parser.parse(question, names), company)
        return self._lookup.look_up_in(parsed, self._lookup.choose(parsed, company))


def _fitting(plan: Plan, query: Query, known: Sequence[Company], facts: Mapping[str, FactMatch]) -> Shortlist:
    """The companies with the event in the fact table, and those whose facts could not be read."""
    likely = [c for c in known if facts[c.name].events]
    unread = [c for c in known if not facts[c.name].is_read and c not in likely]
    chosen = [*likely, *unread][:MAX_COMPANIES]
    note = f"Of {len(known)} companies the fact table tells it of {len(likely)}; {len(chosen)} were asked."
    return _shortlist(plan, query, chosen, facts, note)


def _front(plan: Plan, query: Query, known: Sequence[Company], facts: Mapping[str, FactMatch]) -> Shortlist:
    """The companies at the wanted end by the fact table, and those for which it holds nothing."""
    amounts = {c.name: a for c in known if (a := _amount(facts[c.name])) is not None}
    wanted = {
        name: amount
        for name, amount in amounts.items()
        if not plan.currency or amount.currency in (None, plan.currency)
    }
    falling = plan.relation == "highest" or (plan.relation == "ranking" and not plan.rising)
    ordered = sorted(wanted, key=lambda name: wanted[name].about_in_dollars, reverse=falling)
    count = MAX_COMPANIES if plan.relation == "ranking" else FRONT
    front = set(ordered[:count])
    missing = [c for c in known if c.name not in amounts][: MAX_COMPANIES - len(front)]
    chosen = [c for c in known if c.name in front or c in missing]
    other = f", {len(amounts) - len(wanted)} of them in other currencies" if len(wanted) < len(amounts) else ""
    note = (
        f"The fact table holds it for {len(amounts)} of {len(known)} companies{other}; asked were the {len(front)}"
        f" at the wanted end and {len(missing)} for which it does not."
    )
    return _shortlist(plan, query, chosen, facts, note)


def _shortlist(
    plan: Plan, query: Query, companies: Sequence[Company], facts: Mapping[str, FactMatch], note: str
) -> Shortlist:
    entities = tuple(
        Entity(label=c.name, company=c.name, facts=facts[c.name]).with_query(query) for c in companies
    )
    return Shortlist(plan=plan.model_copy(update={"entities": entities, "note": note}), note=note)


def _amount(found: FactMatch) -> Amount | None:
    """The printed figure, else the calculated one."""
    if found.fact is not None:
        return Amount(value=Decimal(found.fact.value), currency=found.fact.currency) if found.metric else None
    if found.calculated is None or found.calculated.value is None:
        return None
    derivation = found.calculated
    currency = derivation.currency if derivation.metric.is_money else None
    return Amount(value=found.calculated.value, currency=currency)

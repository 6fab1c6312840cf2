"""Finds the facts that a question asks for; a question about something narrower asks for none."""

from dataclasses import replace

from indexes.facts.fact_table import FactTable
from query_engines.question.derivation import derive
from query_engines.question.parsed import NAMED_EVENTS, FactMatch, ParsedQuestion
from storage.lexicon.calendar import written_years
from storage.records.derived_metrics import DerivedMetric
from storage.records.facts import Event, EventKind, Fact, Person, ReportFacts, Role
from storage.records.metrics import Metric, Ontology
from storage.records.questions import AnswerKind
from storage.records.reports import LATE_YEAR_END, Report


class FactLookup:
    """Finds the facts that questions ask for."""

    def __init__(self, table: FactTable, ontology: Ontology | None = None, *, strict: bool = True) -> None:
        """Prepare a lookup.

        Args:
            table: the facts.
            ontology: the titles of what is calculated with; without one nothing is.
            strict: leaves out sums of printed figures, since nothing may be calculated.
        """
        self._table = table
        self._ontology = ontology
        self._strict = strict

    def look_up(self, parsed: ParsedQuestion, report: Report) -> FactMatch:
        """The facts of a report for a question about its company.

        Raises:
            ValueError: the question's company is not known.
        """
        if parsed.company is None:
            raise ValueError(f"the company of {parsed.text!r} is not known yet")
        facts = self._table.of(parsed.company, report)
        intent, year = parsed.intent, _requested_year(parsed, report)
        if parsed.kind == "number":
            return self._derived(self._of_metric(facts, intent.sole_metric, year), facts, intent.derived, year)
        known = facts or ReportFacts(report_sha1=report.sha1)
        role = intent.role if intent.is_plain and parsed.kind == "name" else None
        event = intent.event if intent.is_plain and _is_event_question(parsed.kind, intent.event) else None
        events = _of_year(known.events_of(event) if event else (), year, report)
        return FactMatch(
            is_stored=facts is not None,
            is_read=bool(known.facts),
            role=role,
            event=event,
            year=year,
            person=_officer(known, role, year, report),
            events=surest(events, of_any_time=intent.is_of_any_time),
        )

    def _of_metric(self, facts: ReportFacts | None, metric: Metric | None, year: int | None) -> FactMatch:
        found = _of_metric(facts, metric, year)
        if self._strict and found.fact is not None and found.fact.is_sum:
            return replace(found, fact=None, periods=(), parts=found.fact.printed)
        return found

    def _derived(
        self, match: FactMatch, facts: ReportFacts | None, metric: DerivedMetric | None, year: int | None
    ) -> FactMatch:
        """The match with what the question asks to calculate; in strict mode only to tell the user."""
        if metric is None or facts is None or self._ontology is None:
            return match
        derivation = derive(metric, facts, self._ontology, year)
        return replace(match, is_read=bool(facts.facts), derivation=derivation, may_calculate=not self._strict)


def surest(events: tuple[Event, ...], *, of_any_time: bool = False) -> tuple[Event, ...]:
    """Events by confidence, then by page; without `of_any_time`, only those near the report's period."""
    levels = ("high", "medium", "low") if of_any_time else ("high", "medium")
    return tuple(e for level in levels for e in events if e.confidence == level)


def _is_event_question(kind: AnswerKind, event: EventKind | None) -> bool:
    return kind == "boolean" or (kind in ("name", "names") and event in NAMED_EVENTS)


def _requested_year(parsed: ParsedQuestion, report: Report) -> int | None:
    """The year that a question names, or the prior year if it asks for that."""
    if parsed.year is None and parsed.is_of_year_before and report.period_end:
        return report.period_end.year - 1
    return parsed.year_in(report)


def _officer(known: ReportFacts, role: Role | None, year: int | None, report: Report) -> Person | None:
    """The holder of an office in the reported period, if certain; a report says too little about other years."""
    if role is None or (year is not None and report.period_end is not None and year != report.period_end.year):
        return None
    return next((p for p in known.people if p.role == role and p.confidence != "low"), None)


def _of_year(events: tuple[Event, ...], year: int | None, report: Report) -> tuple[Event, ...]:
    """Events of the requested year: all for the reported year or without a year, else those that name the year."""
    if year is None or report.period_end is None or year == report.period_end.year:
        return events
    return tuple(e for e in events if year in written_years(e.quote))


def _of_metric(facts: ReportFacts | None, metric: Metric | None, year: int | None) -> FactMatch:
    if facts is None or metric is None:
        return FactMatch(is_stored=facts is not None, metric=metric, year=year)
    periods = facts.of(metric.id)
    current = facts.current(metric.id)
    fact = current if year is None else next((f for f in periods if f.period and f.period.year == year), None)
    if fact is None and current is not None and year is not None and _may_be_called(year, current):
        fact = current
    return FactMatch(
        is_stored=True, is_read=bool(facts.facts), metric=metric, year=year, fact=fact, periods=periods
    )


def _may_be_called(year: int, fact: Fact) -> bool:
    """Whether people name a fact's period by this year: that of its end, or the one in which most of it lies."""
    end = fact.period.end if fact.period else None
    return end is None or (end.month <= LATE_YEAR_END and year == end.year - 1)

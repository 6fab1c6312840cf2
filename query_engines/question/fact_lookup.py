"""Which of a report's kept facts a question asks for, by its wording; a question about anything narrower is none."""

import re
from dataclasses import dataclass, replace

from indexes.facts.fact_table import FactTable
from query_engines.question.bundle import QuestionBundle
from query_engines.question.search_text import asked_year
from storage.records.facts import Event, EventKind, Fact, Person, ReportFacts, Role
from storage.records.metrics import Metric, Ontology
from storage.records.questions import AnswerKind
from storage.records.reports import Company, Report

NAMING: frozenset[EventKind | None] = frozenset({"leadership_change", "product_launch"})  # asked for by name
MOST_NAMED = 5  # pages of such events that are read
INDUSTRY_COUNTS = frozenset(
    {"employees_let_go", "stores", "subscribers", "patents", "hospital_beds", "vehicles_sold", "oil_gas_reserves"}
    | {"fleet_size", "rooms", "pipeline_candidates", "storage_capacity"}
)
LATE_YEAR_END = 6  # a year that ends by June may be called by the year before
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_WHEN = re.compile(
    r",?\s*\b(?:(?:in|for|during|at|as of|as at|on|of) )?(?:the )?(?:end of )?(?:the )?"
    r"(?:(?:fiscal|financial|full|calendar) )?(?:years? )?(?:(?:ended|ending|to) )?(?:on )?"
    rf"(?:\d{{1,2}} {_MONTH} |{_MONTH} \d{{1,2}},? )?\b(?:FY ?)?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:did|do|does|is|was|were|are|have|has|had|there|it|make|made|reported?|recorded?|earn(?:ed)?|generated?|employ(?:ed)?|"
    r"spen[dt] on|in total)\b",
    re.IGNORECASE,
)
_MENTIONED = re.compile(r"\bmention(?:s|ed)?\b", re.IGNORECASE)
_YEAR_BEFORE = re.compile(
    r"\b(?:previous|prior|preceding) (?:(?:fiscal|financial|reporting) )?(?:year|period)\b", re.I
)
_NEAR_BY_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True)
class FactsAsked:
    """What the fact table says to one question.

    Attributes:
        is_kept: False where the report's facts are not kept: then nothing is known of them.
        is_read: False where not one figure could be read, as in a report whose text is garbled: silence says nothing.
        metric, role, event: what is asked for; at most one is set.
        year: the year that the question names.
        fact: the metric's value for the asked year, else for the reported period.
        periods: the metric's facts of every period.
        parts: what would have to be added up to answer, where nothing is to be calculated.
        person: the officer, where the report leaves little doubt who it is.
        events: those of the kind, the surest first; old ones only where the question is whether any is mentioned.
    """

    is_kept: bool = False
    is_read: bool = False
    metric: Metric | None = None
    role: Role | None = None
    event: EventKind | None = None
    year: int | None = None
    fact: Fact | None = None
    periods: tuple[Fact, ...] = ()
    parts: str = ""
    person: Person | None = None
    events: tuple[Event, ...] = ()

    @property
    def is_counted(self) -> bool:
        """Whether the metric is a count of an industry, of which the fact table holds few: silence says little."""
        return self.metric is not None and self.metric.kind == "count" and self.metric.id in INDUSTRY_COUNTS

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages that say it, the surest first."""
        shown = MOST_NAMED if self.event in NAMING else 1
        found = [self.fact, self.person, *self.events[:shown]]
        return tuple(dict.fromkeys(f.page_number for f in found if f is not None))


class FactLookup:
    """Finds the facts that questions ask for."""

    def __init__(self, table: FactTable, ontology: Ontology, *, strict: bool = True) -> None:
        """When `strict`, sums of printed figures are left out: nothing is calculated."""
        self._table = table
        self._ontology = ontology
        self._strict = strict

    def look_up(self, query: QuestionBundle, company: Company, report: Report) -> FactsAsked:
        """What a report's facts say to a question whose search text is known."""
        facts = self._table.of(company, report)
        asked = query.search_text or query.question.text
        year = _year_asked(query.question.text, report)
        if query.kind == "number":
            return self._of_metric(facts, self._metric_asked(asked) or _understood(query), year)
        known = facts or ReportFacts(report_sha1=report.sha1)
        plain = query.asked if query.asked and query.asked.is_plain else None
        role = plain.role if plain and query.kind == "name" else None
        event = plain.event if plain and _is_event_asked(query.kind, plain.event) else None
        told = _told_of(known.events_of(event) if event else (), year, report)
        return FactsAsked(
            is_kept=facts is not None,
            is_read=bool(known.facts),
            role=role,
            event=event,
            year=year,
            person=_officer(known, role, year, report),
            events=surest(told, of_any_time=_MENTIONED.search(query.question.text) is not None),
        )

    def _of_metric(self, facts: ReportFacts | None, metric: Metric | None, year: int | None) -> FactsAsked:
        found = _of_metric(facts, metric, year)
        if self._strict and found.fact is not None and found.fact.is_sum:
            return replace(found, fact=None, periods=(), parts=found.fact.printed)
        return found

    def _metric_asked(self, text: str) -> Metric | None:
        """The metric whose name is all that a search text says, besides a time and the words of asking."""
        bare = _WHEN.sub(" ", text)
        tried = (text, bare, _ASKING.sub(" ", bare))
        return next((m for t in tried if (m := self._ontology.asked_for(t)) is not None), None)


def _understood(query: QuestionBundle) -> Metric | None:
    """The metric that everyday words ask for, and nothing narrower."""
    return query.asked.metric if query.asked and query.asked.is_plain else None


def _is_event_asked(kind: AnswerKind, event: EventKind | None) -> bool:
    return kind == "boolean" or (kind in ("name", "names") and event in NAMING)


def _year_asked(question: str, report: Report) -> int | None:
    """The year that a question names, or the one before the reported one where it says so."""
    if report.period_end and _YEAR_BEFORE.search(question) and asked_year(question) is None:
        return report.period_end.year - 1
    return asked_year(question)


def _officer(known: ReportFacts, role: Role | None, year: int | None, report: Report) -> Person | None:
    """Who holds an office in the report's own time, where it leaves little doubt; of other years it says too little."""
    if role is None or (year is not None and report.period_end is not None and year != report.period_end.year):
        return None
    return next((p for p in known.people if p.role == role and p.confidence != "low"), None)


def _told_of(events: tuple[Event, ...], year: int | None, report: Report) -> tuple[Event, ...]:
    """Events of the asked year: without one, and for the reported year, all; for another those that name it."""
    if year is None or report.period_end is None or year == report.period_end.year:
        return events
    return tuple(e for e in events if str(year) in _NEAR_BY_YEAR.findall(e.quote))


def surest(events: tuple[Event, ...], *, of_any_time: bool = False) -> tuple[Event, ...]:
    """Events by confidence, in the order of their pages; without `of_any_time` those near the report's period."""
    levels = ("high", "medium", "low") if of_any_time else ("high", "medium")
    return tuple(e for level in levels for e in events if e.confidence == level)


def _of_metric(facts: ReportFacts | None, metric: Metric | None, year: int | None) -> FactsAsked:
    if facts is None or metric is None:
        return FactsAsked(is_kept=facts is not None, metric=metric, year=year)
    periods = facts.of(metric.id)
    current = facts.current(metric.id)
    fact = current if year is None else next((f for f in periods if f.period and f.period.year == year), None)
    if fact is None and current is not None and year is not None and _may_be_called(year, current):
        fact = current
    return FactsAsked(
        is_kept=True, is_read=bool(facts.facts), metric=metric, year=year, fact=fact, periods=periods
    )


def _may_be_called(year: int, fact: Fact) -> bool:
    """Whether people call a fact's period by a year: the one after the year in which it mostly lies, or that one."""
    end = fact.period.end if fact.period else None
    return end is None or (end.month <= LATE_YEAR_END and year == end.year - 1)

"""Which of a report's kept facts a question asks for, by its wording; a question about anything narrower is none."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from indexes.facts.fact_table import FactTable
from query_engines.question_bundle import QuestionBundle
from query_engines.search_text import asked_year
from storage.facts import Event, EventKind, Fact, Person, ReportFacts, Role
from storage.metrics import Metric, Ontology
from storage.reports import Company, Report

Subject = Literal["metric", "officer", "event"]
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
_LEAD = r"(?:who (?:is|was) )?(?:the )?(?:full )?(?:name of )?(?:the )?(?:current )?(?:company's )?"
_TAIL = r"(?: (?:in|of|at|for) (?:the )?(?:company|group|firm))?"
_OFFICERS: dict[Role, str] = {
    "chief_executive": r"(?:ceo|chief executive(?: officer)?|managing director)(?: \(ceo\))?",
    "chief_financial": r"(?:cfo|chief financial officer|finance director)(?: \(cfo\))?",
    "chief_operating": r"(?:coo|chief operating officer)(?: \(coo\))?",
    "chair": r"chair(?:man|woman|person)?(?: of (?:the )?board(?: of directors)?)?",
}
_ANY = r"(?:any |a |an |new |its |the |ongoing |updates? (?:to|on) )*"
_SAID = r"^(?:did|does|do|has|have) (?:it )?(?:announced?|mention(?:ed)?|report(?:ed)?|outlined?|provided?|disclosed?) "
_MENTIONED = re.compile(r"did (?:it )?mention\b", re.IGNORECASE)
_EVENTS: dict[EventKind, str] = {
    "acquisition": r"(?:mergers?(?: (?:and|or|&) acquisitions?)?|acquisitions?(?: or mergers?)?|m&a)",
    "buyback": r"(?:share|stock)s? (?:buy-?backs?|buy backs?|repurchases?)(?: (?:plans?|program(?:me)?s?))?",
    "dividend_policy": r"changes? (?:to|in|of) (?:its |the )?dividend policy",
    "restructuring": r"restructuring(?: (?:plans?|program(?:me)?s?|activities))?",
    "litigation": r"(?:litigation|legal proceedings)(?: or regulatory inquiries)?",
    "esg": r"(?:esg|sustainability) initiatives?",
    "supply_chain": r"supply[- ]chain (?:disruptions?|issues?|problems?)",
    "guidance": r"(?:updated )?guidance",
}


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
    def pages(self) -> tuple[int, ...]:
        """The pages that say it, the surest first."""
        found = [self.fact, self.person, *self.events[:1]]
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
        year = asked_year(query.question.text)
        if query.kind == "number":
            return self._of_metric(facts, self._metric_asked(asked) or _understood(query), year)
        known = facts or ReportFacts(report_sha1=report.sha1)
        if query.kind == "name":
            role = officer_asked(asked)
            person = next((p for p in known.people if p.role == role and p.confidence != "low"), None)
            return FactsAsked(is_kept=facts is not None, role=role, year=year, person=person)
        event = event_asked(asked) if query.kind == "boolean" else None
        told = known.events_of(event) if event else ()
        return FactsAsked(
            is_kept=facts is not None,
            is_read=bool(known.facts),
            event=event,
            year=year,
            events=surest(told, of_any_time=_MENTIONED.match(asked) is not None),
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


def officer_asked(text: str) -> Role | None:
    """The officer whose name a search text asks for; None where it asks for anything else of them."""
    return next((r for r, title in _OFFICERS.items() if re.fullmatch(_LEAD + title + _TAIL, text, re.I)), None)


def event_asked(text: str) -> EventKind | None:
    """The kind of event that a search text asks about, whichever one it was."""
    return next((kind for kind, said in _EVENTS.items() if re.fullmatch(_SAID + _ANY + said, text, re.I)), None)


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

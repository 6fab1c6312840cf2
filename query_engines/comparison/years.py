"""Questions about several years of one company: one sub-question for each year."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from query_engines.company_names.vocabulary import is_question_word
from query_engines.comparison.asked import Asked, asked_over_years
from query_engines.comparison.by_topic import FigureOf, figure_named, quoted
from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import read_core
from query_engines.comparison.plan import Entity, Plan, Relation
from query_engines.comparison.times import (
    Times,
    all_named,
    named_years,
    since_report,
    times_in,
    with_the_year_before,
    without_period,
)
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.wording import infer_kind
from storage.lexicon.periods import NamedPeriod, periods_in
from storage.lexicon.words import expression
from storage.records.queries import AskedPeriod, Conditions, Query
from storage.records.questions import AnswerKind

# What is asked of the figures of two years, and of more years in a row where that is another thing.
_RELATIONS: dict[str, tuple[Relation, Relation]] = {
    "growth": ("growth", "growth"),
    "difference": ("difference", "difference"),
    "fall_difference": ("difference", "difference"),
    "change": ("change", "change"),
    "direction": ("direction", "direction"),
    "rose": ("more", "rising"),
    "fell": ("less", "falling"),
    "above": ("more", "more"),
    "below": ("less", "less"),
    "highest": ("highest", "highest"),
    "lowest": ("lowest", "lowest"),
    "average": ("average", "average"),
    "sum": ("sum", "sum"),
    "rising": ("more", "rising"),
    "falling": ("less", "falling"),
    "always_rising": ("rising", "rising"),
    "always_falling": ("falling", "falling"),
    "ever_rising": ("ever_rising", "ever_rising"),
    "ever_falling": ("ever_falling", "ever_falling"),
    "compound_growth": ("compound_growth", "compound_growth"),
    "series": ("series", "series"),
}
_COURSES = frozenset(
    {"series", "rising", "falling", "always_rising", "always_falling", "ever_rising", "ever_falling"}
    | {"compound_growth"}
)
_OF_NAMED_ORDER = ("above", "below")
_EVERY_YEAR = ("always_rising", "always_falling")
_LOWER_IS_BETTER = expression(
    r"\b(?:costs?|expenses?|debts?|borrowings|leverage|gearing|loss(?:es)?|days|cycle|cost of risk"
    r"|(?:efficiency|cost|combined|expense|loss|debt|payout)[ -](?:to[- ]\w+ )?ratio|tax(?:es)?)\b",
    re.IGNORECASE,
)
_JUDGING = expression(r"\b(?:improv|worse|deteriorat|better|best|strongest|weakest|poorest)", re.IGNORECASE)
_REVERSED: dict[Relation, Relation] = {
    "more": "less",
    "less": "more",
    "rising": "falling",
    "falling": "rising",
    "highest": "lowest",
    "lowest": "highest",
}
_ENDS: set[Relation] = {"difference", "growth", "change", "more", "less", "direction"}
_MOVES = ("rose", "fell", "direction")
_AND = expression(r"\band\b", re.I)
_LED_BY_NAME = expression(r"^@0 ?[:,–-] ")


@dataclass(frozen=True)
class _Read:
    """What is asked of a figure over years.

    Attributes:
        figure: as a question about one year names it.
    """

    relation: Relation
    figure: str
    asked: Asked


def read_years(
    found: Listed,
    latest: int | None,
    figure_of: FigureOf,
    since: Sequence[str] = (),
    is_judged: Callable[[str], bool] = lambda _: False,
) -> Plan | None:
    """The plan of a question about several years of its one company; None where it is about one.

    Args:
        found: with one company.
        latest: the year of the company's newest report; "the last three years" is counted from it.
        figure_of: finds the figure that words are about.
        since: for "since the last annual report" what is compared, by its periods, the earlier one first.
        is_judged: whether the move of a figure from the year before is a judgement of one report's figures.
    """
    entity = found.entities[0]
    times = since_report(found.text, since) if since else None
    asked = asked_over_years(found.text)
    times = times or times_in(found.text, latest)
    if times is None and asked.is_sure and asked.does in _RELATIONS:
        times = all_named(found.text, is_course=asked.does in _COURSES)
    times = times or with_the_year_before(found.text, latest)
    if times is None or entity.company is None:
        return None
    read = None if times.is_mixed else _read(asked, found, times, figure_of)
    if times.is_implied and (read is None or read.asked.does not in _MOVES):
        return None
    if since and (read is None or read.relation not in _ENDS):
        return None
    if read is None:
        return None if times.is_one_year or times.is_open else _each(times, found)
    if times.is_implied and (_AND.search(read.figure) or is_judged(read.figure)):
        return None
    is_as_named = read.asked.does in _OF_NAMED_ORDER and times.is_as_named
    years = years_in_order(times, read.relation, named_order=is_as_named)
    query = Query(subject=read.figure, conditions=Conditions(currency=found.currency))
    made = _plan(read.relation, read.figure, entity, named_years(times, years), query, "number").model_copy(
        update={
            "currency": found.currency,
            "is_open": times.is_open,
            "is_strict_trend": read.asked.does in _EVERY_YEAR,
        }
    )
    last = len(years) - 1
    is_turned = is_as_named or read.asked.does == "fall_difference"  # the one named first, or the earlier one
    ends = {"first": 0, "second": last} if is_turned else {"first": last, "second": 0}
    return made.model_copy(update=ends if read.relation in _ENDS else {})


def _read(asked: Asked, found: Listed, times: Times, figure_of: FigureOf) -> _Read | None:
    """What is asked of which figure; None where that is not certain, or the question is about something else."""
    if not asked.is_sure or asked.does not in _RELATIONS:
        return None
    is_span = times.is_open or (times.is_range and max(times.years) - min(times.years) > 1) or len(times.years) > 2
    relation = _RELATIONS[asked.does][is_span]
    is_alone = asked.is_named and not asked.beside
    known = None if is_alone else figure_named(asked, found.text, figure_of)
    figure = known.words if known else asked.figure if is_alone else ""
    if not figure:
        return None
    if _JUDGING.search(found.text) and _LOWER_IS_BETTER.search(figure):
        relation = _REVERSED.get(relation, relation)
    return _Read(relation, figure, asked)


def read_trailing(found: Listed, period: NamedPeriod, parts: Sequence[str], subject: str) -> Plan:
    """The plan of a question about the last twelve months: the last year, and what came in place of its first months.

    Args:
        found: with one company.
        period: as the text names it.
        parts: the year, and where a newer part of a year is known that part, and the same part of the year before.
        subject: what the metric is called.
    """
    text = " ".join(without_period(found.text, period).split()).strip(" ?.!,;:")
    query = Query(subject=_about_it(text, found.entities[0]))
    return _plan("trailing", subject, found.entities[0], dict.fromkeys(parts, 0), query, "number")


def growth_between(query: Query) -> Plan | None:
    """The plan of the growth between two periods; None for any other query."""
    if query.operation != "growth" or len(query.periods) != 2:
        return None
    (company,) = query.companies
    entities = (
        Entity(
            label=one.periods[0].said,
            company=company,
            year=one.periods[0].period.year,
            query=one.model_copy(update={"operation": "value"}),
        )
        for one in query.spread()
    )
    return Plan(relation="growth", subject=query.subject, entities=tuple(entities), first=1, second=0)


def about(parsed: ParsedQuestion, company: str) -> Listed:
    """A question about a given company, as if the question named it."""
    return Listed(parsed.wording, (Entity(label=company, company=company),), currency=parsed.currency)


def years_in_order(times: Times, relation: Relation, *, named_order: bool) -> tuple[int, ...]:
    """The years to ask about: both ends for a change, else all; rising, unless the order in the text matters."""
    years = times.years
    if relation in _ENDS:
        return years if named_order else (min(years), max(years))
    return tuple(range(min(years), max(years) + 1)) if times.is_range else years


_THAT_WERE = expression(
    r"\b\w{1,40}s (?:that|who|which) (?:was|were|is|are|has|have|had|stood|\w{1,40}ed)\b[^,?]{0,300}+$",
    re.IGNORECASE,
)


def _tells_of_things(text: str) -> bool:
    """Whether the years belong to what is said of some things: "of the holdings that were held in 2021 and 2022"."""
    first = next((period for period in periods_in(text) if period.year is not None), None)
    return first is not None and _THAT_WERE.search(text[: first.phrase_start]) is not None


def _each(times: Times, found: Listed) -> Plan | None:
    """The question itself as a sub-question for each year."""
    text = " ".join(times.text.split()).strip(" ?.!,;:")
    if _tells_of_things(found.text):
        return None
    if not any(is_question_word(word) for word in text.lower().split()):
        return None
    query = Query(subject=_about_it(text, found.entities[0]))
    years = years_in_order(times, "each", named_order=False)
    subject = " ".join(re.sub(r"@0(?:'s)?", "", read_core(times.text, found.currency).text).split())
    return _plan("each", subject, found.entities[0], named_years(times, years), query, None)


def _about_it(text: str, entity: Entity) -> str:
    """A question with its company by name, where that is not only set before it."""
    return re.sub(r"@0(?:'s)?", lambda _: quoted(entity.company or entity.label), _LED_BY_NAME.sub("", text))


def _plan(
    relation: Relation,
    subject: str,
    entity: Entity,
    periods: Mapping[str, int],
    query: Query,
    kind: AnswerKind | None,
) -> Plan:
    """The query of one company, for each period."""
    entities = tuple(
        Entity(label=label, company=entity.company, year=year).with_query(
            query.model_copy(update={"periods": AskedPeriod.first_in(label)})
        )
        for label, year in periods.items()
    )
    return Plan(
        relation=relation, subject=subject, entities=entities, kind=kind or infer_kind(entities[0].query.asked)
    )

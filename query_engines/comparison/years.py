"""Questions about several years of one company: which years they name, and one sub-question for each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from query_engines.calculation.part_questions import read_parts
from query_engines.company_names.vocabulary import is_question_word
from query_engines.comparison.asked import Asked, asked_over_years
from query_engines.comparison.by_topic import OF_LOSSES, FigureOf, figure_named, quoted, read_core
from query_engines.comparison.entities import Listed
from query_engines.comparison.plan import Entity, Plan, Relation
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.wording import kind_in
from storage.lexicon.periods import SMALL_NUMBERS, NamedPeriod, periods_in
from storage.lexicon.words import any_of, expression
from storage.records.metric_names import MetricName
from storage.records.queries import AskedPeriod, Conditions, Query
from storage.records.questions import AnswerKind
from storage.records.reports import MONTHS_OF_YEAR
from storage.text import in_a_sentence

_MOST_YEARS = 10

_OPEN_YEARS = 5

_PARTS = 100

_BETWEEN = expression(
    r"(?:[\s,&-]|\b(?:and|or|to|until|through|vs\.?|versus|against|with|than(?: it was)?|compared|its|the|both)\b)*",
    re.IGNORECASE,
)

_ADDED = expression(
    r"[\s,;&]{0,5}+(?:\b(?:and|as well as|plus)\b)?\s{0,3}+(?:(?:in|for|of)\b\s?)?(?:the\b)?\s{0,3}+",
    re.IGNORECASE,
)

_AGAINST = expression(
    r",? (?:compared(?: (?:to|with))?|(?<=compare )(?:to|with|against)|versus|vs\.?|against) ?$|(?<=compare) ?$",
    re.IGNORECASE,
)

_THAN = expression(r" than(?: in)? ?$", re.IGNORECASE)  # another year is named, and the newest meant

_COMPARE = expression(r"compare\b", re.IGNORECASE)

_WITH = expression(r"(?: (?:to|with|against))? ?$", re.IGNORECASE)

_DASHED = expression(r"\d{4}[-–—]\d{4}")

_PRIOR = expression(
    r",? (?:(?:(?:compared (?:to|with)|with|(?<=compare )to)(?: that (?:of|in))?"
    r"|over|than|versus|vs\.?|against|from|relative to)(?: in)? (?:the |its )?"
    r"(?:(?:same|corresponding|comparable) (?:quarter|half|period|months?|time)(?: (?:of|in)(?: the)?)? )?"
    r"(?:(?:prior|previous|preceding)(?: (?:fiscal|financial))?[ -](?:year|period)(?:'s)?"
    r"(?: (?:(?:same|corresponding) )?(?:quarter|half|period))?"
    r"|(?:a|one|the) year (?:ago|earlier|before)"
    r"|(?:(?<= of )|(?<=than )|(?<=quarter )|(?<=half )|(?<=period ))last year)"
    r"|year[- ](?:over|on)[- ]year|\byoy\b)",
    re.I,
)

_OPEN_TIME = expression(
    r",?(?: over time| over the years| through(?:out)? the years"
    r"| (?:for|in|over|across|through) (?:all|each|every)(?: of)?(?: the)?(?: available| reported)? years?"
    r"(?:,? (?:that )?(?:the |its )?(?:annual )?(?:report|filing|it|they)"
    r" (?:gives?|shows?|prints?|covers?|has|have))?)",
    re.IGNORECASE,
)

_COURSES = frozenset(
    {"series", "rising", "falling", "always_rising", "always_falling", "ever_rising", "ever_falling"}
    | {"compound_growth"}
)
_OF_OPEN_YEARS = _COURSES | {"highest", "lowest"}
_SURE_OF_TREND = 0.8  # probability from which the report's own years are meant, where none is named

_COUNT = rf"(?P<count>{any_of(SMALL_NUMBERS)}|\d{{1,2}})"
_COUNTED_SPAN = expression(
    rf"\b(?:over|across|during|in|for) (?:the |these )?{_COUNT} years,? "
    r"(?=(?:from |between |of )?(?:fy ?)?(?:19|20)\d\d)",
    re.IGNORECASE,
)  # the years themselves stand behind it
_LOOKING_BACK = expression(
    rf"\b(?:looking (?:back )?(?:at|over)|taking|across|over|through|in) (?:the |all |these )?{_COUNT} years"
    r"(?: (?:shown|reported|presented|together|in the (?:annual )?report))?(?:,|(?=\W*$)|(?= at\b)| )",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Times:
    """The years that a text names together.

    Attributes:
        text: what is left of it.
        years: in the text's order; for parts of years the numbers of `_number`.
        parts: what parts of years are called, by their numbers.
        is_range: whether only both ends are named, so that the years between may be meant too.
        is_one_year: whether both years may name one fiscal year, such as "2021-2022".
        is_open: whether no year is named, so that all of the report's own are meant.
        is_as_named: whether the years stand in the text's order, not the earlier one first.
        is_implied: whether one year alone is named, or none, and the year before it is meant.
        is_mixed: whether they are of several lengths, such as a year and a quarter.
    """

    text: str
    years: tuple[int, ...]
    is_range: bool = False
    is_one_year: bool = False
    is_open: bool = False
    is_as_named: bool = False
    is_implied: bool = False
    is_mixed: bool = False
    parts: Mapping[int, str] = field(default_factory=dict)


def times_in(text: str, latest: int | None) -> Times | None:
    """The years, or parts of years, that a text names together; None where it is about one period.

    Args:
        text: of a question.
        latest: the newest year of its companies; "the last three years" is counted from it.
    """
    text = _COUNTED_SPAN.sub("", text)
    periods = periods_in(text)
    if latest is not None and not periods and (told := _LOOKING_BACK.search(text)):
        count = _counted(told)
        if 1 < count <= _MOST_YEARS:
            left = f"{text[: told.start()]} {text[told.end() :]}"
            return Times(left, tuple(range(latest - count + 1, latest + 1)), is_range=True)
    for period in periods:
        if period.kind == "range" and period.first_year is not None and period.year is not None:
            if 0 < period.year - period.first_year <= _MOST_YEARS:
                return Times(without_period(text, period), (period.first_year, period.year), is_range=True)
        elif period.first_year is not None and period.year and _DASHED.fullmatch(text[period.start : period.end]):
            return Times(
                without_period(text, period), (period.first_year, period.year), is_range=True, is_one_year=True
            )
    if several := _together(text, periods):
        left = f"{text[: several[0].phrase_start]} {text[several[-1].end :]}"
        if any(p.is_part_of_year for p in several):
            parts = _of_parts(left, several)
            return replace(parts, is_as_named=True) if parts else _mixed(text, left, several)
        years = tuple(dict.fromkeys(p.year for p in several if p.year is not None))
        if len(years) > 1:
            return Times(left, years, is_as_named=True)
    return None if latest is None else _up_to(text, periods, latest) or _open(text, periods, latest)


def looking_back(text: str) -> str:
    """The last years, in words, where a text says over how many something went; "" where it does not."""
    told = _LOOKING_BACK.search(text)
    return f" over the last {_counted(told)} years" if told else ""


def _counted(told: re.Match[str]) -> int:
    said = told["count"].lower()
    return int(said) if said.isdigit() else SMALL_NUMBERS[said]


def all_named(text: str, *, is_course: bool) -> Times | None:
    """All years that a text names, wherever they stand; None where it names one, or something else than years.

    Args:
        text: of a question that is surely about several years.
        is_course: whether two years are the ends of the course of a figure.
    """
    periods = periods_in(text)
    years = tuple(dict.fromkeys(period.year for period in periods if period.year is not None))
    if len(years) < 2 or len(years) > _MOST_YEARS or any(p.kind not in ("year", "fiscal_year") for p in periods):
        return None
    left = text
    for period in reversed(periods):
        left = without_period(left, period)
    is_range = is_course and len(years) == 2 and abs(years[1] - years[0]) <= _MOST_YEARS
    return Times(left, years, is_range=is_range, is_as_named=not is_range)


def names_several_years(text: str, latest: int | None = None) -> bool:
    """Whether the text is about several years together, or about one against another."""
    times = times_in(text, latest)
    return times is not None and not times.is_one_year


def with_the_year_before(text: str, latest: int | None) -> Times | None:
    """The year before as well, where a text asks how something moved and names the year alone, or none."""
    periods = periods_in(text)
    if len(periods) > 1 or any(p.kind not in ("year", "fiscal_year") or p.year is None for p in periods):
        return None
    year = periods[0].year if periods else latest
    left = without_period(text, periods[0]) if periods else text
    return Times(left, (year - 1, year), is_implied=True) if year is not None else None


def trailing_in(text: str) -> NamedPeriod | None:
    """The twelve months up to the newest quarter, where a text names them."""
    return next((period for period in periods_in(text) if period.kind == "trailing"), None)


def is_since_report(text: str) -> bool:
    """Whether a text names the time since the last annual report."""
    return any(p.kind == "latest" and text[p.start : p.end].lower().startswith("since") for p in periods_in(text))


def since_report(text: str, since: Sequence[str]) -> Times | None:
    """The two periods of a text that names the time since the last annual report; None for others."""
    period = next((p for p in periods_in(text) if p.kind == "latest"), None)
    return Times(without_period(text, period), (1, 2), parts=dict(enumerate(since, 1))) if period else None


def named_years(times: Times, years: Sequence[int]) -> dict[str, int]:
    """What years, or parts of them, are called, and the year of each."""
    return {times.parts.get(year, str(year)): year // _PARTS if times.parts else year for year in years}


def without_period(text: str, period: NamedPeriod) -> str:
    """The text without a period's words."""
    return f"{text[: period.phrase_start].rstrip(' ,')} {text[period.end :]}"


def _open(text: str, periods: Sequence[NamedPeriod], latest: int) -> Times | None:
    """The report's own years, where a trend is asked for and no period is named."""
    if periods:
        return None
    left = _OPEN_TIME.sub(" ", text)
    if left == text and not _is_of_trend(text):
        return None
    years = tuple(range(latest - _OPEN_YEARS + 1, latest + 1))
    return Times(left, years, is_range=True, is_open=True)


def _is_of_trend(text: str) -> bool:
    """Whether a text that names no period asks for the course of a figure."""
    asked = asked_over_years(text)
    is_known = asked.figure and not asked.beside
    return bool(is_known) and asked.does in _OF_OPEN_YEARS and asked.probability >= _SURE_OF_TREND


def _of_parts(left: str, periods: Sequence[NamedPeriod]) -> Times | None:
    """Parts of years side by side; None where they are not of one length."""
    parts = {_number(p): _called(p) for p in periods if p.year is not None}
    is_alike = len({p.months for p in periods}) == 1 and all(p.part for p in periods)
    return Times(left, tuple(parts), parts=parts) if is_alike and len(parts) > 1 else None


def _mixed(text: str, left: str, periods: Sequence[NamedPeriod]) -> Times | None:
    """Periods of several lengths in a row, each as the text calls it; None where they are held against each other."""
    if not all(_ADDED.fullmatch(text[one.end : two.phrase_start]) for one, two in pairwise(periods)):
        return None
    parts = {_number(period): text[period.start : period.end] for period in periods}
    return Times(left, tuple(parts), parts=parts, is_mixed=True) if len(parts) == len(periods) else None


def _number(period: NamedPeriod) -> int:
    """A number for a part of a year by which parts come in their order: its year, and its months that are over."""
    return (period.year or 0) * _PARTS + (period.part or 1) * (period.months or MONTHS_OF_YEAR)


def _called(period: NamedPeriod) -> str:
    year = f"fiscal {period.year}" if period.is_fiscal else str(period.year)
    kind = {"quarter": "Q", "half": "H"}.get(period.kind)
    return f"{kind}{period.part} {year}" if kind else f"the first {period.months} months of {year}"


def _with_years(periods: Sequence[NamedPeriod]) -> list[NamedPeriod]:
    """The periods, where a part has the year of the part behind it: "Q1, Q2 and Q3 of 2024"."""
    found: list[NamedPeriod] = []
    for period in reversed(periods):
        behind = found[0] if found else None
        if behind is not None and period.part and period.year is None and behind.part:
            period = replace(period, year=behind.year, is_fiscal=behind.is_fiscal)
        found.insert(0, period)
    return found


def _together(text: str, periods: Sequence[NamedPeriod]) -> list[NamedPeriod]:
    """The first periods that are named one after the other, each with its year."""
    found: list[NamedPeriod] = []
    for period in _with_years(periods):
        is_next = found and _BETWEEN.fullmatch(text[found[-1].end : period.phrase_start])
        if found and not is_next and len(found) > 1:
            break
        found = [*(found if is_next else []), *([period] if period.year and period.kind != "range" else [])]
    return found if len(found) > 1 else []


def _compared_with(text: str, before: str) -> re.Match[str] | None:
    """Where a comparison goes on with its second side: several companies are compared with each other, not with now."""
    found = _WITH.search(before)
    is_told = found is not None and found[0].strip() != ""
    return found if is_told or "@1" not in text else None


def _up_to(text: str, periods: Sequence[NamedPeriod], latest: int) -> Times | None:
    """Times that end with the newest year."""
    for period in periods:
        before = text[: period.phrase_start]
        against = _AGAINST.search(before) or (_compared_with(text, before) if _COMPARE.match(text) else None)
        against = against or (_THAN.search(before) if len(periods) == 1 else None)
        since = period.first_year if period.kind == "since" else period.year if against else None
        others = [other for other in periods if other is not period and other.year is not None]
        if others and against and (period.is_part_of_year or others[0].is_part_of_year):
            left = f"{text[: others[0].phrase_start]} {text[others[0].end : against.start()]} {text[period.end :]}"
            sides = _of_parts(left, (others[0], period)) if others[0].end <= against.start() else None
            return replace(sides, is_as_named=True) if sides else None
        if since is None or len(others) > (against is not None):
            continue
        if others and since != others[0].year and others[0].end <= period.phrase_start:  # "FY24 revenue vs FY23"
            left = f"{text[: others[0].phrase_start]} {text[others[0].end : against.start() if against else 0]}"
            return Times(f"{left} {text[period.end :]}", (since, others[0].year or latest))
        if not others and latest - _MOST_YEARS <= since < latest:
            start = against.start() if against else period.phrase_start
            return Times(f"{text[:start]} {text[period.end :]}", (since, latest), is_range=against is None)
    if match := _PRIOR.search(text):
        parts = [period for period in periods if period.is_part_of_year]
        if parts:
            return _of_year_before(f"{text[: match.start()]} {text[match.end() :]}", parts[0])
        named = [period.year for period in periods if period.year is not None]
        now = named[0] if len(named) == 1 else latest
        return Times(f"{text[: match.start()]} {text[match.end() :]}", (now - 1, now))
    for period in periods:
        if period.kind == "last_years" and (period.count or 0) <= _MOST_YEARS:
            return Times(without_period(text, period), period.years(latest))
    return None


def _of_year_before(text: str, period: NamedPeriod) -> Times | None:
    """A part of a year against the same part of the year before; None where its year is not named."""
    if period.year is None or period.part is None:
        return None
    again = next((p for p in periods_in(text) if p.is_part_of_year), period)
    return _of_parts(without_period(text, again), (replace(period, year=period.year - 1), period))


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
_SURE_OF_MOVE = 0.9  # probability from which a year alone is set against the one before
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
_AND = expression(r"\band\b", re.I)
_LED_BY_NAME = expression(r"^@0 ?[:,–-] ")


@dataclass(frozen=True)
class _Read:
    """What is asked of a figure over years.

    Attributes:
        figure: as it is called.
        known: the metric that it is, where it is a known one.
    """

    relation: Relation
    figure: str
    known: MetricName | None
    asked: Asked


def read_years(
    found: Listed,
    latest: int | None,
    figure_of: FigureOf,
    since: Sequence[str] = (),
) -> Plan | None:
    """The plan of a question about several years of its one company; None where it is about one.

    Args:
        found: with one company.
        latest: the year of the company's newest report; "the last three years" is counted from it.
        figure_of: finds the figure that words are about.
        since: for "since the last annual report" what is compared, by its periods, the earlier one first.
    """
    entity = found.entities[0]
    times = since_report(found.text, since) if since else None
    asked = asked_over_years(found.text)
    times = times or times_in(found.text, latest)
    if times is None and asked.is_sure and asked.does in _RELATIONS:
        times = all_named(found.text, is_course=asked.does in _COURSES)
    times = times or with_the_year_before(found.text, latest)
    parts = read_parts(found.text)
    is_split = times is not None and times.is_open and parts is not None and parts.is_of_each  # "sales by segment"
    if times is None or is_split or entity.company is None or (asked.is_sure and asked.does == "why"):
        return None
    read = None if times.is_mixed else _read(asked, found, times, figure_of)
    if times.is_implied and (read is None or not _is_of_move(read.asked, found.text)):
        return None
    if since and (read is None or read.relation not in _ENDS):
        return None
    if read is None:
        return None if times.is_one_year or times.is_open else _each(times, found)
    is_of_one_report = read.known is not None and read.known.is_derived  # whose move is a judgement of its figures
    if times.is_implied and (_AND.search(read.figure) or is_of_one_report):
        return None
    is_as_named = read.asked.does in _OF_NAMED_ORDER and times.is_as_named
    years = years_in_order(times, read.relation, named_order=is_as_named)
    terms, title = ((read.known.term,), read.known.title) if read.known else ((), read.figure)
    query = Query(terms=terms, subject=title, conditions=Conditions(currency=found.currency))
    made = plan_over(read.relation, read.figure, entity, named_years(times, years), query, "number").model_copy(
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


def _is_of_move(asked: Asked, text: str) -> bool:
    """Whether it is surely asked which way a figure went, or whether it rose or fell in the one year that is named."""
    if asked.probability < _SURE_OF_MOVE:
        return False
    is_of_year = not asked.beside and any(p.year for p in periods_in(text))
    return asked.does == "direction" or (asked.does in ("rose", "fell") and is_of_year)


def _read(asked: Asked, found: Listed, times: Times, figure_of: FigureOf) -> _Read | None:
    """What is asked of which figure; None where that is not certain, or the question is about something else."""
    if not asked.is_sure or asked.does not in _RELATIONS:
        return None
    is_span = times.is_open or (times.is_range and max(times.years) - min(times.years) > 1) or len(times.years) > 2
    relation = _RELATIONS[asked.does][is_span]
    is_alone = asked.is_named and not asked.beside
    known = figure_named(asked, found.text, figure_of)
    is_as_said = is_alone and (known is None or OF_LOSSES.search(asked.figure))
    figure = asked.figure if is_as_said else in_a_sentence(known.title) if known else ""
    if not figure:
        return None
    if _JUDGING.search(found.text) and _LOWER_IS_BETTER.search(figure):
        relation = _REVERSED.get(relation, relation)
    return _Read(relation, figure, known, asked)


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
    return plan_over("trailing", subject, found.entities[0], dict.fromkeys(parts, 0), query, "number")


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
    return plan_over("each", subject, found.entities[0], named_years(times, years), query, None)


def _about_it(text: str, entity: Entity) -> str:
    """A question with its company by name, where that is not only set before it."""
    return re.sub(r"@0(?:'s)?", lambda _: quoted(entity.company or entity.label), _LED_BY_NAME.sub("", text))


def plan_over(
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
        relation=relation, subject=subject, entities=entities, kind=kind or kind_in(entities[0].query.asked)
    )

"""Questions about several years of one company: one sub-question for each year."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from query_engines.company_names.vocabulary import is_question_word
from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import (
    SUP,
    THAN,
    bare_subject,
    is_high,
    only_introduces,
    read_core,
)
from query_engines.comparison.patterns import quoted
from query_engines.comparison.plan import Entity, Plan, Relation
from query_engines.comparison.times import (
    ALWAYS,
    Times,
    named_years,
    since_report,
    times_in,
    with_the_year_before,
    without_period,
)
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.wording import infer_kind
from storage.lexicon.periods import NamedPeriod, periods_in
from storage.lexicon.question_words import CHANGE_NOUN, FALLS, IMPROVES, MOVES, RISES, WORSENS, YEAR_ON_YEAR
from storage.lexicon.words import expression
from storage.records.queries import AskedPeriod, Conditions, Query
from storage.records.questions import AnswerKind

_VERSUS = expression(r"\b(?:vs|versus|against|compared)\b", re.IGNORECASE)
_BEST = r"best|strongest|worst|weakest|poorest"
_DOWN = rf"(?:{FALLS}|{WORSENS}|narrow(?:ed|s)?)"
_UP_OR_DOWN = rf"(?:{RISES}|{IMPROVES}|widen(?:ed|s)?|gain(?:ed)?|{_DOWN})"
_WAY = r"(?:up|down)"
_MOVE = rf"(?P<move>{MOVES}|gain(?:ed)?|var(?:y|ied)|differ)"
_WHAT = r"(?:@0's (?P<subject>[^@]+?)|(?:the )?(?P<of>[^@]+?) (?:of|for|at|by) @0)"
_DO = r"(?:did|does|do|has|have|is|was|were)"
Match = re.Match[str]


@dataclass(frozen=True)
class _Form:
    pattern: re.Pattern[str]
    relation: Callable[[Match], Relation]


def _form(pattern: str, relation: Relation | Callable[[Match], Relation]) -> _Form:
    return _Form(re.compile(rf"^{pattern}$", re.I), relation if callable(relation) else lambda _: relation)


def _more_or_less(match: Match) -> Relation:
    return "less" if re.fullmatch(rf"{_DOWN}|down", match["move"], re.I) else "more"


def _by_extreme(match: Match) -> Relation:
    return "more" if is_high(match) else "less"


def _highest_or_lowest(match: Match) -> Relation:
    return "highest" if is_high(match) else "lowest"


_RATE = r"(?:growth rate|percentage (?:growth|change|increase|decrease)|rate of growth)"
_MOVEMENT = rf"{CHANGE_NOUN} (?:in|of|between)"
_SEEK = r"(?:what (?:is|was|were) )?(?:the )?"
_PERCENT = r"(?:,? (?:in|as a) (?:percent(?:age)?|%|per cent))"
_POINTS = r"(?:percentage )?points"
_LOST = r"(?:lost|lose|gained?|added?|shed)"
_FORMS = (
    _form(rf"(?:by )?(?:what|how many) (?:percentage|percent|per cent|%) {_DO} {_WHAT} {_MOVE}(?: by)?", "growth"),
    _form(rf"(?:by )?how (?:much|fast|far|strongly) {_DO} {_WHAT} {_MOVE}{_PERCENT}", "growth"),
    _form(rf"(?:by )?how (?:much|far|strongly|many {_POINTS}) {_DO} {_WHAT} {_MOVE}(?: by)?", "difference"),
    _form(rf"how many {_POINTS} (?:of )?(?P<subject>[^@]+?) {_DO} @0 {_LOST}", "difference"),
    _form(rf"how much (?P<subject>[^@]+?) {_DO} @0 {_LOST}{_PERCENT}", "growth"),
    _form(rf"how much (?P<subject>[^@]+?) {_DO} @0 {_LOST}", "difference"),
    _form(rf"how {_DO} {_WHAT} {_MOVE}", "change"),
    _form(rf"{_SEEK}{_RATE} (?:in|of) {_WHAT}", "growth"),
    _form(rf"{_SEEK}{_MOVEMENT} {_WHAT}{_PERCENT}", "growth"),
    _form(rf"{_SEEK}(?:{YEAR_ON_YEAR} )?growth (?:(?:in|of) )?{_WHAT}", "growth"),
    _form(rf"{_SEEK}{_MOVEMENT} {_WHAT}", "difference"),
    _form(r"(?:what (?:is|was) )?@0's (?P<subject>[^@]+?) growth(?: rate)?", "growth"),
    _form(r"(?:what (?:is|was) )?(?:the )?(?P<subject>[^@]+?) growth(?: rate)? (?:of|at|for) @0", "growth"),
    _form(rf"{_DO} {_WHAT} {_UP_OR_DOWN},? or (?:(?:did|has|have) (?:it|they) )?(?:{_UP_OR_DOWN}|{_WAY})", "direction"),
    _form(rf"(?:is|was|were|are) {_WHAT} (?:up or down|down or up|higher or lower|lower or higher)", "direction"),
    _form(rf"{_DO} {_WHAT} (?P<move>{_UP_OR_DOWN})", _more_or_less),
    _form(rf"(?:is|was|were|are) {_WHAT} (?P<move>up|down)", _more_or_less),
    _form(rf"{_DO} {_WHAT} {_MOVE}", "change"),
    _form(rf"(?:is|was|were) {_WHAT} {SUP}(?: {THAN})?(?: in)?", _by_extreme),
    _form(rf"{_DO} @0 (?P<verb>\w+) (?:a |the )?{SUP}(?: (?P<subject>[^@]+?))?(?: {THAN})?", _by_extreme),
    _form(rf"(?:in )?which (?:fiscal |financial )?year,? (?:is|was|were) {_WHAT} (?:the )?{SUP}", _highest_or_lowest),
    _form(
        rf"(?:in )?which (?:fiscal |financial )?year,? {_DO} @0 (?P<verb>\w+) (?:a |the )?{SUP}"
        r"(?: (?P<subject>[^@]+?))?",
        _highest_or_lowest,
    ),
    _form(rf"(?:in )?which(?: of)?,? (?:is|was|were) {_WHAT} (?:the )?{SUP}", _highest_or_lowest),
    _form(
        rf"(?:in )?which(?: of)?,? {_DO} @0 (?P<verb>\w+) (?:a |the )?{SUP}(?: (?P<subject>[^@]+?))?",
        _highest_or_lowest,
    ),
    _form(rf"compare {_WHAT}", "change"),
    _form(rf"how {_DO} {_WHAT} compare", "change"),
    _form(rf"how {_DO} compare (?:for|in|by) {_WHAT}", "change"),
    _form(rf"{_SEEK}average (?:annual |yearly )?{_WHAT}", "average"),
    _form(r"(?:what (?:is|was|were) )?@0's average (?:annual |yearly )?(?P<subject>[^@]+?)", "average"),
    _form(rf"{_SEEK}(?:combined|sum of(?: the)?) {_WHAT}", "sum"),
)  # fmt: skip
_STEADY = rf"(?:(?:{ALWAYS}) )?"
_RISING = rf"(?:{RISES}|{IMPROVES}|gain(?:ed)?|widening|getting (?:higher|larger))"
_FALLING = rf"(?:{_DOWN}|narrowing|getting (?:worse|lower|smaller))"
_GOING = rf"(?P<going>{_RISING}|{_FALLING})"
_STEP = rf"(?P<step> (?:in )?(?:every|each)(?: single)?(?: year)?| year (?:after|on|by) year| (?:{ALWAYS}))?"
_FALL = r"(?:drop|fall|decline|decrease|dip|reduction|slump)"
_RISE = r"(?:rise|increase|gain|improvement|growth)"
_ANY_WHAT = rf"(?:{_WHAT}|(?P<bare>[^@]+?))"
_CAGR = (
    r"(?:(?:cagr|compound(?:ed)?(?: annual)?(?: growth)?(?: rate)?|(?:average )?annual growth(?: rate)?"
    r"|annuali[sz]ed growth(?: rate)?)(?:,? (?:p\.? ?a\.?|per (?:annum|year)|a year|compounded))?)"
)
_ABOUT = r"(?: (?:of|in|for|at|over))"
_LIST = r"(?:show|give|list|display|plot|chart|tabulate)(?: me)?"
_SHOW = rf"(?:(?:what (?:is|was|are|were|has been)|how (?:is|was)|{_LIST}) )?"


def _direction(match: Match) -> Relation:
    return "falling" if re.fullmatch(_FALLING, match["going"], re.I) else "rising"


def _ever(match: Match) -> Relation:
    return "ever_falling" if re.fullmatch(_FALL, match["fall"], re.I) else "ever_rising"


def _best_or_worst(match: Match) -> Relation:
    return "highest" if match["best"].lower() in ("best", "strongest", "peak") else "lowest"


_MOVING = r"(?:develop(?:ed|ing)?|evolv(?:e|ed|ing)|trend(?:ed|ing)?|var(?:y|ied))"
_IN_ANY = r"(?: (?:in|during) any(?: of)?| at any time)?"
_TREND = r"(?:the )?(?:trend|trajectory|development|evolution|history|course)"
_YEAR_WAS = r"(?:in )?which (?:fiscal |financial )?year,? (?:is|was|were)"
_THE_BEST = rf"(?:the |at (?:its|their) )?(?P<best>{_BEST})"
_TRENDS = (
    _form(rf"{_DO} {_WHAT} (?:been |be )?{_STEADY}{_GOING}{_STEP}", _direction),
    _form(
        rf"(?:is|was|has) there (?:been )?(?:a |an |any )?(?P<fall>{_FALL}|{_RISE}) (?:in|of) {_ANY_WHAT}{_IN_ANY}",
        _ever,
    ),
    _form(rf"(?:did|has|have) {_WHAT} ever (?P<fall>{_FALL}|{_RISE})", _ever),
    _form(rf"{_SEEK}{_CAGR}{_ABOUT} {_WHAT}", "compound_growth"),
    _form(rf"(?:what (?:is|was) )?@0(?:'s)? (?P<subject>[^@]+?) {_CAGR}", "compound_growth"),
    _form(rf"{_SEEK}(?P<subject>[^@]+?) {_CAGR}{_ABOUT} @0", "compound_growth"),
    _form(rf"(?:at )?what {_CAGR} {_DO} {_WHAT} (?:grow|grown|grew)", "compound_growth"),
    _form(rf"{_SHOW}{_TREND}(?: (?:of|in|for))? {_WHAT}", "series"),
    _form(
        rf"{_SHOW}(?:the )?(?P<of>[^@]+?) (?:trend|trajectory|development|evolution|history) (?:of|for|at) @0",
        "series",
    ),
    _form(rf"{_SHOW}{_WHAT} (?:trend|trajectory|development|evolution|history|over time)", "series"),
    _form(rf"how (?:has|have|had|did) {_WHAT} (?:been )?{_MOVING}", "series"),
    _form(rf"{_LIST} {_WHAT}", "series"),
    _form(rf"{_YEAR_WAS} {_THE_BEST}(?: one| year)?(?: for| in terms of| by) {_ANY_WHAT}", _best_or_worst),
    _form(rf"{_YEAR_WAS} {_WHAT} {_THE_BEST}", _best_or_worst),
    _form(rf"(?:(?:in )?which year|when) {_DO} {_WHAT} (?P<best>peak|bottom)(?: out)?", _best_or_worst),
)
# What stands beside a figure in a note: "@0 inventories, % change", "growth of @0 goodwill".
_PERCENT_SIGN = r"(?:%|per ?cent(?:age)?|pct)"
_MOVED_BY = r"(?:change|increase|decrease|growth|rise|fall|drop|decline|difference|delta|movement)"
_RATE_NOTED = (
    rf"(?:{_PERCENT_SIGN}[ -]?{_MOVED_BY}|{_MOVED_BY}(?: rate)?,? (?:in|as a?) ?{_PERCENT_SIGN}|growth(?: rate)?"
    rf"|{_RATE}|{_MOVED_BY} {_PERCENT_SIGN}|yoy(?: growth)?|in {_PERCENT_SIGN})"
)
_FIGURE = r"(?:@0(?:'s)? (?P<subject>[^@,;:.?]+?)|(?:the )?(?P<of>[^@,;:.?]+?) (?:of|for|at|by) @0)"
_TOLD = r"(?:the )?(?P<of>[^@,;:.?]{2,60}?) (?:of|for|at|by) @0 [^?]{3,160}[.;:–-]"


def _noted(rate: str, relation: Relation) -> tuple[_Form, ...]:
    return (
        _form(rf"{_FIGURE},? ?(?:what (?:is|was) )?(?:the )?{rate}", relation),
        _form(rf"{_SEEK}{rate} (?:of|in|for) {_FIGURE}", relation),
        _form(rf"{_TOLD} (?:what (?:is|was) )?(?:the )?{rate}", relation),
    )


_NOTES = (
    _form(
        rf"{_SEEK}(?:annuali[sz]ed|compound(?:ed)?(?: annual)?|average annual|annual average) (?P<subject>[^@,;:.?]+?)"
        r" growth(?: rate)? (?:of|at|for|by) @0(?: over (?:the |these )?[\w-]{1,8} years)?(?:,? in %)?",
        "compound_growth",
    ),
    *_noted("(?:trend|trajectory|development|evolution|history)", "series"),
    *_noted(_CAGR, "compound_growth"),
    *_noted(_RATE_NOTED, "growth"),
    *_noted(_MOVED_BY, "difference"),
)
_IN_MONEY = expression(
    r",? in (?:dollars|euros?|pounds|francs|money|absolute (?:terms|figures|numbers)|amounts?)$", re.I
)
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
_SECOND = expression(
    r"(?:,? and (?:by )?how (?:far|much|many)\b|[.?!] (?:please )?(?:show|give|state|list|say|explain)\b).*", re.I
)  # a question behind the question
_FORMED = expression(
    rf"^(?:(?:by )?how|did|does|has|(?:by )?what percentage|(?:is|was|were)\b.*\b{SUP})\b.*", re.I
)
_ENDS: set[Relation] = {"difference", "growth", "change", "more", "less", "direction"}
_MOVED: set[Relation] = {"more", "less", "direction"}


def read_years(
    found: Listed,
    latest: int | None,
    since: Sequence[str] = (),
    is_judged: Callable[[str], bool] = lambda _: False,
) -> Plan | None:
    """The plan of a question about several years of its one company; None where it is about one.

    Args:
        found: with one company.
        latest: the year of the company's newest report; "the last three years" is counted from it.
        since: for "since the last annual report" what is compared, by its periods, the earlier one first.
        is_judged: whether the move of a figure from the year before is a judgement of one report's figures.
    """
    entity = found.entities[0]
    text = _owned(_OWNER.sub(r"\1's", found.text))
    times = since_report(text, since) if since else None
    times = times or times_in(text, latest) or with_the_year_before(text, latest)
    if times is None or entity.company is None:
        return None
    if times.is_mixed:
        return _each(times, found)
    asked = _EARNED.sub(_as_figure, _SECOND.sub("", _LED_BY_NAME.sub("", _NOTED_BY_NAME.sub("@0's ", times.text))))
    core = read_core(asked, found.currency)
    read = _read_form(core.text, times)
    if read is None and _VERSUS.search(found.text):  # "@0 revenue 2024 vs 2023"
        read = _read_form("compare " + re.sub(r"@0 (?=\w)", "@0's ", core.text), times)
    if times.is_implied and (read is None or read[1] not in _MOVED):
        return None
    if read is None:
        return None if times.is_one_year or times.is_open or since else _each(times, found)
    match, relation = read
    named = match.groupdict()
    is_as_named = "sup" in named and times.is_as_named
    subject = bare_subject(named.get("subject") or named.get("of") or named.get("bare") or "")
    verb = match.groupdict().get("verb") or ""
    years = years_in_order(times, relation, named_order=is_as_named)
    is_of_one = not times.is_implied or not (_AND.search(subject) or is_judged(subject))
    if not is_of_one or not (subject or verb) or _OTHER_THAN.search(subject):
        return None
    if verb and not (subject and only_introduces(verb)):
        subject = f"{verb} {subject}".strip()
    falls = relation == "difference" and re.fullmatch(_DOWN, match.groupdict().get("move") or "", re.I) is not None
    query = Query(subject=subject, conditions=Conditions(currency=core.currency))
    made = _plan(relation, subject, entity, named_years(times, years), query, "number").model_copy(
        update={
            "currency": core.currency,
            "is_open": times.is_open,
            "is_strict_trend": bool(named.get("step")) or _STEADILY.search(core.text) is not None,
        }
    )
    last = len(years) - 1
    first, second = (0, last) if relation in ("more", "less") and is_as_named else (last, 0)
    first, second = (second, first) if falls else (first, second)
    return made.model_copy(update={"first": first, "second": second} if relation in _ENDS else {})


_EARNED = expression(
    r"\b(?:earn(?:ed)?|make|made) the (?P<end>most|least)(?: (?:money|profit))?(?P<share> per share)?", re.I
)


def _as_figure(match: Match) -> str:
    """The figure that is meant by "earn the most per share"."""
    end = "highest" if match["end"].lower() == "most" else "lowest"
    return f"have the {end} {'earnings per share' if match['share'] else 'net income'}"


def _owned(text: str) -> str:
    """The text with its company before what it is asked about, and its years behind the comparison.

    "Was revenue in 2024 lower than in 2023 at @0?" is "Was @0's revenue lower in 2024 than in 2023?".
    """
    text = _SPREAD.sub(r" \g<sup> \g<first> than \g<than>", text)
    return _AT_ITS_END.sub(r"\g<do> @0's \g<rest>\g<time>", text)


_YEAR_OF = r"(?:in )?(?:(?:fiscal|financial)(?: year)? |fy ?)?\d{4}"
_SPREAD = expression(
    rf" (?P<first>{_YEAR_OF}) (?P<sup>{SUP.replace('?P<sup>', '?:')}) than (?P<than>(?:it was )?{_YEAR_OF})", re.I
)
_AT_ITS_END = expression(
    rf"^(?P<do>{_DO}) (?!there\b)(?:the )?(?P<rest>[^@]+?) (?:of|for|at|by) @0"
    r"(?P<time>(?: (?:in|for|during) [^@]{1,40})?\W*)$",
    re.I,
)


_AND = expression(r"\band\b", re.I)
_OTHER_THAN = expression(r"\b(?:than|compared (?:to|with))\b", re.I)  # "more cash than debt" compares no years
_OWNER = expression(r"(@\d+)\.?'(?= )")  # "the Bros.' revenue"
_LED_BY_NAME = expression(r"^@0 ?[:,–-] ")
_NOTED_BY_NAME = expression(  # "@0 - net income, growth"
    r"^@0 ?[:,–-] (?=[a-z])(?!(?:what|how|did|do|does|is|are|was|were|has|have|had|which|by|in|at|on|show|give|list"
    r"|plot|compare|the|its|their|tell|please|when|why|who)\b)(?=[^@]*$)",
    re.I,
)
_STEADILY = expression(rf"\b(?:{ALWAYS})\b", re.I)


def _read_form(text: str, times: Times) -> tuple[Match, Relation] | None:
    """The form that a text has: a trend over several years first, else a comparison of them."""
    is_span = times.is_open or (times.is_range and max(times.years) - min(times.years) > 1) or len(times.years) > 2
    forms = (*_TRENDS, *_FORMS, *_NOTES) if is_span else (*_FORMS, *_NOTES, *_TRENDS)
    text = _IN_MONEY.sub("", text)
    read = next(((m, f.relation(m)) for f in forms if (m := f.pattern.match(text))), None)
    if read is None:
        return None
    match, relation = read
    named = match.groupdict()
    subject = named.get("subject") or named.get("of") or named.get("bare") or ""
    words = " ".join(named.get(word) or "" for word in ("going", "best", "move"))
    if _JUDGING.search(words) and _LOWER_IS_BETTER.search(subject):
        relation = _REVERSED.get(relation, relation)
    return match, relation


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
    text = parsed.wording
    moved = re.sub(rf"^(.*?\b{_DO}) (?:its |their |the )?", r"\1 @0's ", text, count=1, flags=re.I)
    own = re.sub(r"\b(?:its|their)\b", "@0's", text, count=1, flags=re.I)
    shown = (
        own if own != text else moved if _FORMED.match(text) and moved != text else f"{text.rstrip(' ?.!')} of @0?"
    )
    return Listed(shown, (Entity(label=company, company=company),), currency=parsed.currency)


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

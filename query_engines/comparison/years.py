"""Questions about several years of one company: one sub-question for each year."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from query_engines.company_names.vocabulary import is_question_word
from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import (
    HEAD,
    SUP,
    THAN,
    bare_subject,
    base_form,
    extreme,
    noun_question,
    read_core,
)
from query_engines.comparison.patterns import quoted, with_question
from query_engines.comparison.plan import Entity, Plan, Relation
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.wording import infer_kind
from storage.lexicon.periods import NamedPeriod, periods_in
from storage.lexicon.question_words import CHANGE_NOUN, FALLS, IMPROVES, MOVES, RISES, WORSENS
from storage.records.questions import AnswerKind

_MOST_YEARS = 10
_BETWEEN = re.compile(
    r"(?:[\s,&-]|\b(?:and|or|to|until|through|vs\.?|versus|against|with|than(?: it was)?|compared|its|the|both)\b)*",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r",? (?:compared(?: (?:to|with))?|(?<=compare )(?:to|with|against)|versus|vs\.?|against) ?$|(?<=compare) ?$",
    re.IGNORECASE,
)
_COMPARE = re.compile(r"compare\b", re.IGNORECASE)
_WITH = re.compile(r"(?: (?:to|with|against))? ?$", re.IGNORECASE)
_VERSUS = re.compile(r"\b(?:vs|versus|against|compared)\b", re.IGNORECASE)
_DASHED = re.compile(r"\d{4}[-–—]\d{4}")
_PRIOR = re.compile(
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
_BEST = r"best|strongest|worst|weakest|poorest"
_DOWN = rf"(?:{FALLS}|{WORSENS}|narrow(?:ed|s)?)"
_UP_OR_DOWN = rf"(?:{RISES}|{IMPROVES}|widen(?:ed|s)?|gain(?:ed)?|{_DOWN})"
_MOVE = rf"(?P<move>{MOVES}|gain(?:ed)?|var(?:y|ied)|differ)"
_WHAT = r"(?:@0's (?P<subject>[^@]+?)|(?:the )?(?P<of>[^@]+?) (?:of|for|at|by) @0)"
_DO = r"(?:did|does|do|has|have|is|was|were)"
Match = re.Match[str]


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
    """

    text: str
    years: tuple[int, ...]
    is_range: bool = False
    is_one_year: bool = False
    is_open: bool = False
    is_as_named: bool = False
    is_implied: bool = False
    parts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Form:
    pattern: re.Pattern[str]
    relation: Callable[[Match], Relation]


def _form(pattern: str, relation: Relation | Callable[[Match], Relation]) -> _Form:
    return _Form(re.compile(rf"^{pattern}$", re.I), relation if callable(relation) else lambda _: relation)


def _more_or_less(match: Match) -> Relation:
    return "less" if re.fullmatch(rf"{_DOWN}|down", match["move"], re.I) else "more"


def _by_extreme(match: Match) -> Relation:
    return "more" if extreme(match).is_high else "less"


def _highest_or_lowest(match: Match) -> Relation:
    return "highest" if match["sup"].lower().startswith("fast") or extreme(match).is_high else "lowest"


_RATE = r"(?:growth rate|percentage (?:growth|change|increase|decrease)|rate of growth)"
_MOVEMENT = rf"{CHANGE_NOUN} (?:in|of|between)"
_SEEK = r"(?:what (?:is|was|were) )?(?:the )?"
_PERCENT = r"(?:,? (?:in|as a) (?:percent(?:age)?|%|per cent))"
_LOST = r"(?:lost|lose|gained?|added?|shed)"
_FORMS = (
    _form(rf"(?:by )?(?:what|how many) (?:percentage|percent|per cent|%) {_DO} {_WHAT} {_MOVE}(?: by)?", "growth"),
    _form(rf"(?:by )?how (?:much|fast|far|strongly) {_DO} {_WHAT} {_MOVE}{_PERCENT}", "growth"),
    _form(rf"(?:by )?how (?:much|far|strongly) {_DO} {_WHAT} {_MOVE}(?: by)?", "difference"),
    _form(rf"how much (?P<subject>[^@]+?) {_DO} @0 {_LOST}{_PERCENT}", "growth"),
    _form(rf"how much (?P<subject>[^@]+?) {_DO} @0 {_LOST}", "difference"),
    _form(rf"how {_DO} {_WHAT} {_MOVE}", "change"),
    _form(rf"{_SEEK}{_RATE} (?:in|of) {_WHAT}", "growth"),
    _form(rf"{_SEEK}{_MOVEMENT} {_WHAT}{_PERCENT}", "growth"),
    _form(rf"{_SEEK}{_MOVEMENT} {_WHAT}", "difference"),
    _form(r"(?:what (?:is|was) )?@0's (?P<subject>[^@]+?) growth(?: rate)?", "growth"),
    _form(r"(?:what (?:is|was) )?(?:the )?(?P<subject>[^@]+?) growth(?: rate)? (?:of|at|for) @0", "growth"),
    _form(rf"{_DO} {_WHAT} {_UP_OR_DOWN},? or (?:(?:did|has|have) (?:it|they) )?{_UP_OR_DOWN}", "direction"),
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
_ALWAYS = "steadily|consistently|continuously|continually|constantly|always"
_STEADY = rf"(?:(?:{_ALWAYS}) )?"
_RISING = rf"(?:{RISES}|{IMPROVES}|gain(?:ed)?|widening|getting (?:higher|larger))"
_FALLING = rf"(?:{_DOWN}|narrowing|getting (?:worse|lower|smaller))"
_GOING = rf"(?P<going>{_RISING}|{_FALLING})"
_STEP = rf"(?P<step> (?:in )?(?:every|each)(?: single)?(?: year)?| year (?:after|on|by) year| (?:{_ALWAYS}))?"
_FALL = r"(?:drop|fall|decline|decrease|dip|reduction|slump)"
_RISE = r"(?:rise|increase|gain|improvement|growth)"
_ANY_WHAT = rf"(?:{_WHAT}|(?P<bare>[^@]+?))"
_CAGR = (
    r"(?:cagr|compound(?:ed)?(?: annual)?(?: growth)?(?: rate)?|average annual growth(?: rate)?"
    r"|annuali[sz]ed growth(?: rate)?)"
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
_OPEN_TIME = re.compile(
    r",?(?: over time| over the years| through(?:out)? the years"
    r"| (?:for|in|over|across|through) (?:all|each|every)(?: of)?(?: the)?(?: available| reported)? years?"
    r"(?:,? (?:that )?(?:the |its )?(?:annual )?(?:report|filing|it|they)"
    r" (?:gives?|shows?|prints?|covers?|has|have))?)",
    re.IGNORECASE,
)
_TREND_ASKED = re.compile(
    r"\b(?:trend|trajectory|evolution|cagr|compound annual growth)\b"
    r"|\b(?:which|what) (?:fiscal |financial )?year (?:is|was|were|did|had|has)\b|\bwhen did\b.*\b(?:peak|bottom)"
    rf"|^(?:has|have|is|are|was|were|did|does)\b.*\b(?:{_ALWAYS}|year (?:after|on) year|(?:every|each) year)\b",
    re.IGNORECASE,
)
_OPEN_YEARS = 5
_LOWER_IS_BETTER = re.compile(
    r"\b(?:costs?|expenses?|debts?|borrowings|leverage|gearing|loss(?:es)?|days|cycle|cost of risk"
    r"|(?:efficiency|cost|combined|expense|loss|debt|payout)[ -](?:to[- ]\w+ )?ratio|tax(?:es)?)\b",
    re.IGNORECASE,
)
_JUDGING = re.compile(r"\b(?:improv|worse|deteriorat|better|best|strongest|weakest|poorest)", re.IGNORECASE)
_REVERSED: dict[Relation, Relation] = {
    "more": "less",
    "less": "more",
    "rising": "falling",
    "falling": "rising",
    "highest": "lowest",
    "lowest": "highest",
}
_SECOND = re.compile(
    r"(?:,? and (?:by )?how (?:far|much|many)\b|[.?!] (?:please )?(?:show|give|state|list|say|explain)\b).*", re.I
)  # a question behind the question
_FASTER = SUP.replace("(?P<sup>", "(?P<sup>fastest|faster|")
_HAD = r"(?:had|has|saw|shows?|showed|reported|achieved)"
_GROWTH = tuple(
    re.compile(rf"^{pattern}$", re.I)
    for pattern in (
        rf"{HEAD} {_HAD} (?:the |a )?{_FASTER} growth (?:in|of) (?P<subject>[^@]+?)",
        rf"{HEAD} {_HAD} (?:the |a )?{_FASTER} (?P<subject>[^@]+?) growth",
        rf"{HEAD} (?:grew|increased|raised|expanded) (?:its |their )?(?P<subject>[^@]+?) (?:by )?(?:the )?{_FASTER}",
        rf"whose (?P<subject>[^@]+?) (?:grew|increased|rose) (?:by )?(?:the )?{_FASTER}",
        rf"(?:did|has|have) @L (?:grow|increase|raise) (?:its |their )?(?P<subject>[^@]+?) (?:by )?{_FASTER}",
        rf"(?:did|has|have) @L (?P<subject>[^@]+?) (?:grow|increase|rise) (?:by )?{_FASTER}",
    )
)
_FORMED = re.compile(
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
    times = _since_report(text, since) if since else None
    times = times or times_in(text, latest) or _before_it(text, latest)
    if times is None or entity.company is None:
        return None
    asked = _EARNED.sub(_as_figure, _SECOND.sub("", _LED_BY_NAME.sub("", times.text)))
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
    if not is_of_one or not (subject or verb):
        return None
    if subject and (
        not verb or base_form(verb) in ("have", "report", "show", "make", "generate", "record", "earn")
    ):
        template = noun_question(subject, match.groupdict().get("sup") or "", core.currency, " in {year}")
    else:
        template = f"How much did {{}} {base_form(verb)} {subject}".rstrip() + " in {year}?"
        subject = f"how much it did {base_form(verb)} {subject}".strip()
    falls = relation == "difference" and re.fullmatch(_DOWN, match.groupdict().get("move") or "", re.I) is not None
    made = _plan(relation, subject, entity, named_years(times, years), template, "number").model_copy(
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


_EARNED = re.compile(
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
_SPREAD = re.compile(
    rf" (?P<first>{_YEAR_OF}) (?P<sup>{SUP.replace('?P<sup>', '?:')}) than (?P<than>(?:it was )?{_YEAR_OF})", re.I
)
_AT_ITS_END = re.compile(
    rf"^(?P<do>{_DO}) (?!there\b)(?:the )?(?P<rest>[^@]+?) (?:of|for|at|by) @0"
    r"(?P<time>(?: (?:in|for|during) [^@]{1,40})?\W*)$",
    re.I,
)


def _before_it(text: str, latest: int | None) -> Times | None:
    """The year before as well, where a text asks how something moved and names the year alone, or none."""
    periods = periods_in(text)
    if len(periods) > 1 or any(p.kind not in ("year", "fiscal_year") or p.year is None for p in periods):
        return None
    year = periods[0].year if periods else latest
    left = _out(text, periods[0]) if periods else text
    return Times(left, (year - 1, year), is_implied=True) if year is not None else None


_AND = re.compile(r"\band\b", re.I)
_OWNER = re.compile(r"(@\d+)\.?'(?= )")  # "the Bros.' revenue"
_LED_BY_NAME = re.compile(r"^@0 ?[:,–-] ")
_STEADILY = re.compile(rf"\b(?:{_ALWAYS})\b", re.I)


def _read_form(text: str, times: Times) -> tuple[Match, Relation] | None:
    """The form that a text has: a trend over several years first, else a comparison of them."""
    is_span = times.is_open or (times.is_range and max(times.years) - min(times.years) > 1) or len(times.years) > 2
    forms = (*_TRENDS, *_FORMS) if is_span else (*_FORMS, *_TRENDS)
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


def trailing_in(text: str) -> NamedPeriod | None:
    """The twelve months up to the newest quarter, where a text names them."""
    return next((period for period in periods_in(text) if period.kind == "trailing"), None)


def read_trailing(found: Listed, period: NamedPeriod, parts: Sequence[str], subject: str) -> Plan:
    """The plan of a question about the last twelve months: the last year, and what came in place of its first months.

    Args:
        found: with one company.
        period: as the text names it.
        parts: the year, and where a newer part of a year is known that part, and the same part of the year before.
        subject: what the metric is called.
    """
    text = " ".join(_out(found.text, period).split()).strip(" ?.!,;:")
    template = re.sub(r"@0(?:'s)?", "{}", text) + " in {year}?"
    return _plan("trailing", subject, found.entities[0], dict.fromkeys(parts, 0), template, "number")


def read_growth(found: Listed) -> Plan | None:
    """The plan of a question which company's revenue, or another quantity, grew more between two years."""
    times = times_in(found.text, None)
    if times is None:
        return None
    core = read_core(times.text, found.currency)
    match = next((m for form in _GROWTH if (m := form.match(core.bare) or form.match(core.text))), None)
    if match is None:
        return None
    subject, relation = bare_subject(match["subject"]), _highest_or_lowest(match)
    template = (
        f"By what percentage did the {subject} of {{}} change from {min(times.years)} to {max(times.years)}?"
    )
    entities = tuple(with_question(entity, template) for entity in found.entities)
    return Plan(relation=relation, subject=f"{subject} growth", entities=entities)


def names_several_years(text: str, latest: int | None = None) -> bool:
    """Whether the text is about several years together, or about one against another."""
    times = times_in(text, latest)
    return times is not None and not times.is_one_year


def about(parsed: ParsedQuestion, company: str) -> Listed:
    """A question about a given company, as if the question named it."""
    text = parsed.wording
    moved = re.sub(rf"^(.*?\b{_DO}) (?:its |their |the )?", r"\1 @0's ", text, count=1, flags=re.I)
    own = re.sub(r"\b(?:its|their)\b", "@0's", text, count=1, flags=re.I)
    shown = (
        own if own != text else moved if _FORMED.match(text) and moved != text else f"{text.rstrip(' ?.!')} of @0?"
    )
    return Listed(shown, (Entity(label=company, company=company),), currency=parsed.currency)


def is_since_report(text: str) -> bool:
    """Whether a text names the time since the last annual report."""
    return any(p.kind == "latest" and text[p.start : p.end].lower().startswith("since") for p in periods_in(text))


def _since_report(text: str, since: Sequence[str]) -> Times | None:
    period = next((p for p in periods_in(text) if p.kind == "latest"), None)
    return Times(_out(text, period), (1, 2), parts=dict(enumerate(since, 1))) if period else None


def times_in(text: str, latest: int | None) -> Times | None:
    """The years, or parts of years, that a text names together; None where it is about one period.

    Args:
        text: of a question.
        latest: the newest year of its companies; "the last three years" is counted from it.
    """
    periods = periods_in(text)
    for period in periods:
        if period.kind == "range" and period.first_year is not None and period.year is not None:
            if 0 < period.year - period.first_year <= _MOST_YEARS:
                return Times(_out(text, period), (period.first_year, period.year), is_range=True)
        elif period.first_year is not None and period.year and _DASHED.fullmatch(text[period.start : period.end]):
            return Times(_out(text, period), (period.first_year, period.year), is_range=True, is_one_year=True)
    if several := _together(text, periods):
        left = f"{text[: several[0].phrase_start]} {text[several[-1].end :]}"
        if any(p.is_part_of_year for p in several):
            parts = _of_parts(left, several)
            return replace(parts, is_as_named=True) if parts else None
        years = tuple(dict.fromkeys(p.year for p in several if p.year is not None))
        if len(years) > 1:
            return Times(left, years, is_as_named=True)
    return None if latest is None else _up_to(text, periods, latest) or _open(text, periods, latest)


def _open(text: str, periods: Sequence[NamedPeriod], latest: int) -> Times | None:
    """The report's own years, where a trend is asked for and no period is named."""
    if periods:
        return None
    left = _OPEN_TIME.sub(" ", text)
    if left == text and not _TREND_ASKED.search(text):
        return None
    years = tuple(range(latest - _OPEN_YEARS + 1, latest + 1))
    return Times(left, years, is_range=True, is_open=True)


def _of_parts(left: str, periods: Sequence[NamedPeriod]) -> Times | None:
    """Parts of years side by side; None where they are not of one length."""
    parts = {_number(p): _called(p) for p in periods if p.year is not None}
    is_alike = len({p.months for p in periods}) == 1 and all(p.part for p in periods)
    return Times(left, tuple(parts), parts=parts) if is_alike and len(parts) > 1 else None


def _number(period: NamedPeriod) -> int:
    """A number for a part of a year by which parts come in their order: its year, and its months that are over."""
    return (period.year or 0) * _PARTS + (period.part or 1) * (period.months or 0)


_PARTS = 100


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


def _up_to(text: str, periods: Sequence[NamedPeriod], latest: int) -> Times | None:
    """Times that end with the newest year."""
    for period in periods:
        before = text[: period.phrase_start]
        against = _AGAINST.search(before) or (_WITH.search(before) if _COMPARE.match(text) else None)
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
            return Times(_out(text, period), period.years(latest))
    return None


def _of_year_before(text: str, period: NamedPeriod) -> Times | None:
    """A part of a year against the same part of the year before; None where its year is not named."""
    if period.year is None or period.part is None:
        return None
    again = next((p for p in periods_in(text) if p.is_part_of_year), period)
    return _of_parts(_out(text, again), (replace(period, year=period.year - 1), period))


def _out(text: str, period: NamedPeriod) -> str:
    return f"{text[: period.phrase_start].rstrip(' ,')} {text[period.end :]}"


def years_in_order(times: Times, relation: Relation, *, named_order: bool) -> tuple[int, ...]:
    """The years to ask about: both ends for a change, else all; rising, unless the order in the text matters."""
    years = times.years
    if relation in _ENDS:
        return years if named_order else (min(years), max(years))
    return tuple(range(min(years), max(years) + 1)) if times.is_range else years


def _each(times: Times, found: Listed) -> Plan | None:
    """The question itself as a sub-question for each year."""
    text = " ".join(times.text.split()).strip(" ?.!,;:")
    if not any(is_question_word(word) for word in text.lower().split()):
        return None
    template = re.sub(r"@0(?:'s)?", "{}", text) + " in {year}?"
    years = years_in_order(times, "each", named_order=False)
    subject = " ".join(re.sub(r"@0(?:'s)?", "", read_core(times.text, found.currency).text).split())
    return _plan("each", subject, found.entities[0], named_years(times, years), template, None)


def named_years(times: Times, years: Sequence[int]) -> dict[str, int]:
    """What years, or parts of them, are called, and the year of each."""
    return {times.parts.get(year, str(year)): year // _PARTS if times.parts else year for year in years}


def _plan(
    relation: Relation,
    subject: str,
    entity: Entity,
    periods: Mapping[str, int],
    template: str,
    kind: AnswerKind | None,
) -> Plan:
    name = quoted(entity.company or entity.label)
    question = template.replace("{}", name)
    entities = tuple(
        Entity(label=label, company=entity.company, year=year, question=question.replace("{year}", label))
        for label, year in periods.items()
    )
    return Plan(
        relation=relation, subject=subject, entities=entities, kind=kind or infer_kind(entities[0].question)
    )

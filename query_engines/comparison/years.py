"""Questions about several years of one company: one sub-question for each year."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from storage.records.questions import AnswerKind

_MOST_YEARS = 10
_BETWEEN = re.compile(
    r"(?:[\s,&-]|\b(?:and|or|to|until|through|vs\.?|versus|against|with|than(?: it was)?|compared|its|the|both)\b)*",
    re.IGNORECASE,
)
_AGAINST = re.compile(r",? (?:compared(?: (?:to|with))?|versus|vs\.?|against) ?$", re.IGNORECASE)
_DASHED = re.compile(r"\d{4}[-–—]\d{4}")
_PRIOR = re.compile(
    r",? (?:(?:compared (?:to|with)|over|than|versus|vs\.?|against|from|relative to)(?: in)? (?:the |its )?"
    r"(?:prior|previous|preceding)(?: (?:fiscal|financial))?[ -](?:year|period)(?:'s)?"
    r"|year[- ](?:over|on)[- ]year|\byoy\b)",
    re.I,
)
_UP = r"(?:grow|grew|grown|increased?|rise|rose|risen|improved?|gain(?:ed)?|expand(?:ed)?|go up|gone up|went up)"
_DOWN = (
    r"(?:decreased?|decline[ds]?|fall|fell|fallen|drop(?:ped)?|shrink|shrank|shrunk|worsen(?:ed)?|go down|gone down"
    r"|went down)"
)
_MOVE = rf"(?P<move>{_UP}|{_DOWN}|changed?|develop(?:ed)?|evolved?|moved?|var(?:y|ied)|differ)"
_WHAT = r"(?:@0's (?P<subject>[^@]+?)|(?:the )?(?P<of>[^@]+?) (?:of|for|at|by) @0)"
_DO = r"(?:did|does|do|has|have|is|was|were)"
Match = re.Match[str]


@dataclass(frozen=True)
class _Times:
    """The years that a text names together.

    Attributes:
        text: what is left of it.
        years: in the text's order.
        is_range: whether only both ends are named, so that the years between may be meant too.
        is_one_year: whether both years may name one fiscal year, such as "2021-2022".
    """

    text: str
    years: tuple[int, ...]
    is_range: bool = False
    is_one_year: bool = False


@dataclass(frozen=True)
class _Form:
    pattern: re.Pattern[str]
    relation: Callable[[Match], Relation]


def _form(pattern: str, relation: Relation | Callable[[Match], Relation]) -> _Form:
    return _Form(re.compile(rf"^{pattern}$", re.I), relation if callable(relation) else lambda _: relation)


def _more_or_less(match: Match) -> Relation:
    return "less" if re.fullmatch(_DOWN, match["move"], re.I) else "more"


def _by_extreme(match: Match) -> Relation:
    return "more" if extreme(match).is_high else "less"


def _highest_or_lowest(match: Match) -> Relation:
    return "highest" if match["sup"].lower().startswith("fast") or extreme(match).is_high else "lowest"


_RATE = r"(?:growth rate|percentage (?:growth|change|increase|decrease)|rate of growth)"
_MOVEMENT = r"(?:growth|change|increase|decrease|difference|decline) (?:in|of|between)"
_SEEK = r"(?:what (?:is|was|were) )?(?:the )?"
_PERCENT = r"(?: (?:in|as a) (?:percent(?:age)?|%|per cent))"
_FORMS = (
    _form(rf"(?:by )?(?:what|how many) (?:percentage|percent|per cent|%) {_DO} {_WHAT} {_MOVE}(?: by)?", "growth"),
    _form(rf"how (?:much|fast|far|strongly) {_DO} {_WHAT} {_MOVE}{_PERCENT}", "growth"),
    _form(rf"(?:by )?how (?:much|far|strongly) {_DO} {_WHAT} {_MOVE}(?: by)?", "difference"),
    _form(rf"how {_DO} {_WHAT} {_MOVE}", "change"),
    _form(rf"{_SEEK}{_RATE} (?:in|of) {_WHAT}", "growth"),
    _form(rf"{_SEEK}{_MOVEMENT} {_WHAT}{_PERCENT}", "growth"),
    _form(rf"{_SEEK}{_MOVEMENT} {_WHAT}", "difference"),
    _form(r"(?:what (?:is|was) )?@0's (?P<subject>[^@]+?) growth(?: rate)?", "growth"),
    _form(r"(?:what (?:is|was) )?(?:the )?(?P<subject>[^@]+?) growth(?: rate)? (?:of|at|for) @0", "growth"),
    _form(rf"{_DO} {_WHAT} {_MOVE}", _more_or_less),
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
    _form(rf"{_SEEK}average {_WHAT}", "average"),
    _form(r"(?:what (?:is|was|were) )?@0's average (?P<subject>[^@]+?)", "average"),
    _form(rf"{_SEEK}(?:combined|sum of(?: the)?) {_WHAT}", "sum"),
)  # fmt: skip
_SECOND = re.compile(r",? and (?:by )?how (?:far|much|many)\b.*", re.I)  # a question behind the question
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
_ENDS: set[Relation] = {"difference", "growth", "change", "more", "less"}


def read_years(found: Listed, latest: int | None) -> Plan | None:
    """The plan of a question about several years of its one company; None where it is about one.

    Args:
        found: with one company.
        latest: the year of the company's newest report; "the last three years" is counted from it.
    """
    entity = found.entities[0]
    times = _times(found.text, latest)
    if times is None or entity.company is None:
        return None
    core = read_core(_SECOND.sub("", times.text), found.currency)
    read = next(((m, f.relation(m)) for f in _FORMS if (m := f.pattern.match(core.text))), None)
    if read is None:
        return None if times.is_one_year else _each(times, found)
    match, relation = read
    subject = bare_subject(match.groupdict().get("subject") or match.groupdict().get("of") or "")
    verb = match.groupdict().get("verb") or ""
    years = _in_order(times, relation, named_order="sup" in match.groupdict())
    if not subject and not verb:
        return None
    if subject and (
        not verb or base_form(verb) in ("have", "report", "show", "make", "generate", "record", "earn")
    ):
        template = noun_question(subject, match.groupdict().get("sup") or "", core.currency, " in {year}")
    else:
        template = f"How much did {{}} {base_form(verb)} {subject}".rstrip() + " in {year}?"
        subject = f"how much it did {base_form(verb)} {subject}".strip()
    falls = relation == "difference" and re.fullmatch(_DOWN, match.groupdict().get("move") or "", re.I) is not None
    made = _plan(relation, subject, entity, years, template, "number").model_copy(
        update={"currency": core.currency}
    )
    last = len(years) - 1
    first, second = (0, last) if relation in ("more", "less") and "sup" in match.groupdict() else (last, 0)
    first, second = (second, first) if falls else (first, second)
    return made.model_copy(update={"first": first, "second": second} if relation in _ENDS else {})


def read_growth(found: Listed) -> Plan | None:
    """The plan of a question which company's revenue, or another quantity, grew more between two years."""
    times = _times(found.text, None)
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
    times = _times(text, latest)
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


def _times(text: str, latest: int | None) -> _Times | None:
    periods = periods_in(text)
    for period in periods:
        if period.kind == "range" and period.first_year is not None and period.year is not None:
            if 0 < period.year - period.first_year <= _MOST_YEARS:
                return _Times(_out(text, period), (period.first_year, period.year), is_range=True)
        elif period.first_year is not None and period.year and _DASHED.fullmatch(text[period.start : period.end]):
            return _Times(_out(text, period), (period.first_year, period.year), is_range=True, is_one_year=True)
    if several := _together(text, periods):
        years = tuple(dict.fromkeys(p.year for p in several if p.year is not None))
        if len(years) > 1:
            return _Times(f"{text[: several[0].phrase_start]} {text[several[-1].end :]}", years)
    return None if latest is None else _up_to(text, periods, latest)


def _together(text: str, periods: Sequence[NamedPeriod]) -> list[NamedPeriod]:
    """The first periods that are named one after the other, each with its year."""
    found: list[NamedPeriod] = []
    for period in periods:
        is_next = found and _BETWEEN.fullmatch(text[found[-1].end : period.phrase_start])
        if found and not is_next and len(found) > 1:
            break
        found = [*(found if is_next else []), *([period] if period.year and period.kind != "range" else [])]
    return found if len(found) > 1 else []


def _up_to(text: str, periods: Sequence[NamedPeriod], latest: int) -> _Times | None:
    """Times that end with the newest year."""
    for period in periods:
        before = text[: period.phrase_start]
        against = _AGAINST.search(before)
        since = period.first_year if period.kind == "since" else period.year if against else None
        if since is not None and latest - _MOST_YEARS <= since < latest:
            start = against.start() if against else period.phrase_start
            return _Times(f"{text[:start]} {text[period.end :]}", (since, latest), is_range=against is None)
    if match := _PRIOR.search(text):
        named = [period.year for period in periods if period.year is not None]
        now = named[0] if len(named) == 1 else latest
        return _Times(f"{text[: match.start()]} {text[match.end() :]}", (now - 1, now))
    for period in periods:
        if period.kind == "last_years" and (period.count or 0) <= _MOST_YEARS:
            return _Times(_out(text, period), period.years(latest))
    return None


def _out(text: str, period: NamedPeriod) -> str:
    return f"{text[: period.phrase_start].rstrip(' ,')} {text[period.end :]}"


def _in_order(times: _Times, relation: Relation, *, named_order: bool) -> tuple[int, ...]:
    """The years to ask about: both ends for a change, else all; rising, unless the order in the text matters."""
    years = times.years
    if relation in _ENDS:
        return years if named_order else (min(years), max(years))
    return tuple(range(min(years), max(years) + 1)) if times.is_range else years


def _each(times: _Times, found: Listed) -> Plan | None:
    """The question itself as a sub-question for each year."""
    text = " ".join(times.text.split()).strip(" ?.!,;:")
    if not any(is_question_word(word) for word in text.lower().split()):
        return None
    template = re.sub(r"@0(?:'s)?", "{}", text) + " in {year}?"
    years = _in_order(times, "each", named_order=False)
    subject = " ".join(re.sub(r"@0(?:'s)?", "", read_core(times.text, found.currency).text).split())
    return _plan("each", subject, found.entities[0], years, template, None)


def _plan(
    relation: Relation, subject: str, entity: Entity, years: Sequence[int], template: str, kind: AnswerKind | None
) -> Plan:
    name = quoted(entity.company or entity.label)
    question = template.replace("{}", name)
    entities = tuple(
        Entity(label=str(year), company=entity.company, year=year, question=question.replace("{year}", str(year)))
        for year in years
    )
    return Plan(
        relation=relation, subject=subject, entities=entities, kind=kind or infer_kind(entities[0].question)
    )

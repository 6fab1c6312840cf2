"""The wordings by which comparisons are recognised; the first that fits is used."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import (
    HAVE,
    HEAD,
    HIGH,
    LIST,
    LOW,
    NTH,
    ONE,
    OTHER,
    SUBJECT,
    SUP,
    THAN,
    Core,
    read_core,
    tidy,
)
from query_engines.comparison.plan import Entity, Plan, Relation
from query_engines.comparison.readings import (
    Match,
    Read,
    compare,
    difference,
    does_more,
    exceeds,
    extreme_of_move,
    extreme_of_noun,
    extreme_of_verb,
    how_much_more,
    how_much_more_done,
    is_more,
    is_more_profitable,
    profitable,
    ranking,
    ratio,
    share,
    total,
    whether,
    which,
)
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.wording import infer_kind
from storage.lexicon.question_words import FALLS, RISES
from storage.lexicon.words import expression
from storage.records.queries import Query
from storage.text import plain


@dataclass(frozen=True)
class Form:
    """A wording and its reading; `make` returns None where the words do not fit after all."""

    pattern: re.Pattern[str]
    make: Callable[[Match, Core], Read | None]


def _form(pattern: str, make: Callable[[Match, Core], Read | None]) -> Form:
    return Form(re.compile(rf"^{pattern}$", re.IGNORECASE), make)


_OF = r"(?:of|between|for|by)"
_BE, _DO = r"(?:is|was|were|are)", r"(?:did|does|do)"
_SEEK = rf"(?:what {_BE} )?(?:the )?"
_MOVED = f"(?:{RISES}|{FALLS})"
_EXTREMES = (
    _form(rf"{HEAD} {HAVE}? ?(?:the |a |an )?{NTH}{SUP}(?: {SUBJECT})", extreme_of_noun),
    _form(rf"{HEAD} {_BE} (?:the )?(?P<sup>most|more|least|less) profitable(?: company| one)?", profitable),
    _form(
        rf"{HEAD} {_BE} (?:the )?{SUP} (?:company |one |firm )?(?:by|in terms of|measured by|in) {SUBJECT}",
        extreme_of_noun,
    ),
    _form(rf"{HEAD} (?:has |have )?(?P<verb>{_MOVED})(?: {SUBJECT})? (?:the )?{SUP}", extreme_of_move),
    _form(rf"(?:whose|which (?:company|one|firm)'s) {SUBJECT} (?P<verb>{_MOVED}) (?:the )?{SUP}", extreme_of_move),
    _form(
        rf"{HEAD} (?:has |have )?(?P<verb>\w+) (?:the )?(?P<sup>more|most|less|least)(?: (?P<subject>.+))?",
        extreme_of_verb,
    ),
    _form(rf"(?:whose|which (?:company|one|firm)'s) {SUBJECT} {_BE} (?:the )?{SUP}", extreme_of_noun),
)
_RANK = r"(?:please )?(?:rank|order|sort|list)"
_BY_OR_IN = r"(?:by|in terms of|in|on)"
_BY = r"(?:by|in order of|according to|in terms of|on|regarding)"
_ORDER = r"(?:,? (?:from|in (?:ascending|descending)|(?:highest|lowest|largest|smallest) first|starting).*)?"
FORMS: tuple[Form, ...] = (
    # one of them, with a yes or a no
    _form(rf"{_BE} @(?P<one>\d+)'s {SUBJECT} {SUP} {THAN} {OTHER}", is_more),
    _form(rf"{_BE} the {SUBJECT} {_OF} {ONE} {SUP} {THAN} {OTHER}", is_more),
    _form(rf"(?:has|had|have) {ONE} (?:a |the )?{SUP} {SUBJECT} {THAN} {OTHER}(?: (?:has|had|does))?", is_more),
    _form(
        rf"{_DO} {ONE} (?P<verb>\w+) (?:a |the )?{SUP}(?: {SUBJECT})? {THAN} {OTHER}(?: (?:did|does))?", does_more
    ),
    _form(rf"{_BE} {ONE} (?P<sup>more|less) profitable {THAN} {OTHER}", is_more_profitable),
    _form(rf"{_BE} {ONE} {SUP} {THAN} {OTHER},? {_BY_OR_IN} (?:its |their )?{SUBJECT}", is_more),
    _form(rf"{_DO} @(?P<one>\d+)'s {SUBJECT} (?:exceed|surpass|top) {OTHER}", exceeds),
    _form(rf"{_DO} {ONE} (?:outperform|beat|exceed|surpass) @(?P<other>\d+) {_BY_OR_IN} {SUBJECT}", exceeds),
    # differences
    _form(rf"(?:by )?how much {SUP} {_BE} @(?P<one>\d+)'s {SUBJECT} {THAN} {OTHER}", how_much_more),
    _form(rf"(?:by )?how much {SUP} {_BE} the {SUBJECT} {_OF} {ONE} {THAN} {OTHER}", how_much_more),
    _form(rf"(?:by )?how much {SUP} {SUBJECT} (?:has|had) {ONE} {THAN} {OTHER}", how_much_more),
    _form(
        rf"(?:by )?how (?:much|many) {SUP}(?: {SUBJECT})? {_DO} {ONE} (?P<verb>\w+)(?: (?P<rest>[^@]+?))?"
        rf" {THAN} {OTHER}(?: (?:did|does))?",
        how_much_more_done,
    ),
    _form(rf"by how much {_DO} @(?P<one>\d+)'s {SUBJECT} exceed {OTHER}", how_much_more),
    _form(rf"by how much {_BE} @(?P<one>\d+)'s {SUBJECT} {SUP} {THAN} {OTHER}", how_much_more),
    _form(rf"{_SEEK}differences? (?:in|of|between) (?:the )?{SUBJECT} {_OF} @L", difference),
    _form(rf"{_SEEK}differences? between @L {SUBJECT}", difference),
    _form(rf"{_SEEK}difference between @(?P<one>\d+)'s {SUBJECT} and {OTHER}", difference),
    _form(rf"{_SEEK}difference between the {SUBJECT} {_OF} {ONE} and {OTHER}", difference),
    # ratios and shares
    _form(rf"{_SEEK}ratio of @(?P<one>\d+)'s {SUBJECT} to {OTHER}", ratio),
    _form(rf"{_SEEK}ratio of the {SUBJECT} {_OF} {ONE} to {OTHER}", ratio),
    _form(rf"{_SEEK}ratio of {SUBJECT} {_OF} @L", ratio),
    _form(
        rf"how many times (?:(?:as )?\w+ )?{_BE} @(?P<one>\d+)'s {SUBJECT} (?:than|as|that of)?(?: that of)? ?{OTHER}",
        ratio,
    ),
    _form(rf"what percentage of @(?P<other>\d+)'s [^@]+ {_BE} @(?P<one>\d+)'s {SUBJECT}", ratio),
    _form(rf"{_SEEK}@(?P<one>\d+)'s {SUBJECT} as a (?:percentage|share|percent|proportion) of {OTHER}", ratio),
    _form(
        rf"what (?:share|percentage|part|fraction|proportion) of the (?:combined|total|joint|aggregate|sum of the) "
        rf"{SUBJECT} of @L,? (?:.* )?@(?P<one>\d+)(?:'s)?(?: .*)?",
        share,
    ),
    # all of them
    _form(rf"{_RANK} (?:the companies )?@L,? {_BY} (?:their )?{SUBJECT}{_ORDER}", ranking),
    _form(
        rf"{_RANK} (?:the (?:following )?companies|these companies|them) {_BY} (?:their )?{SUBJECT}{_ORDER}",
        ranking,
    ),
    _form(
        rf"{_SEEK}(?P<total>combined|joint|aggregate|average|mean)(?: total)? {SUBJECT} {_OF} @L(?: together)?",
        total,
    ),
    _form(rf"{_SEEK}(?P<total>sum|average|mean) of (?:the )?{SUBJECT} {_OF} @L", total),
    # the highest or lowest
    *_EXTREMES,
    _form(rf"{_DO} @L (?P<verb>\w+) (?:the |a )?{SUP}(?: {SUBJECT})?", extreme_of_verb),
    _form(rf"(?:is|was|were|are|has|had|have) @L (?:a |the )?{SUP} {SUBJECT}", extreme_of_noun),
    _form(rf"{_BE} @L {SUBJECT} {SUP}", extreme_of_noun),
    _form(rf"{_BE} the {SUBJECT} of @L {SUP}", extreme_of_noun),
    _form(rf"(?:the )?{NTH}{SUP} {SUBJECT}", extreme_of_noun),
    _form(rf"compare (?:the )?{SUBJECT}(?: {_OF} @L)?", compare),
    _form(rf"compare @L {_BY} (?:their )?{SUBJECT}", compare),
    _form(rf"compare @L {SUBJECT}", compare),
    _form(rf"compare @(?P<one>\d+)'s {SUBJECT} (?:to|with|and|against) {OTHER}", compare),
    _form(rf"compare (?:the )?{SUBJECT} {_OF} {ONE} (?:to|with|and|against) {OTHER}", compare),
    _form(rf"@L:? {SUBJECT}", compare),
    _form(rf"compare @\d+ (?:to|with|and|against) @\d+ {_BY} (?:their )?{SUBJECT}", compare),
    _form(rf"what {_BE} @(?P<one>\d+)'s {SUBJECT},? compared (?:to|with) {OTHER}", compare),
    _form(rf"how (?:does|did|do) @(?P<one>\d+)'s {SUBJECT} compare (?:to|with|against) {OTHER}", compare),
    _form(rf"how (?:does|did|do) the {SUBJECT} {_OF} {ONE} compare (?:to|with|against) {OTHER}", compare),
    _form(rf"how (?:does|did|do) @L compare (?:in terms of|on|by|in) (?:their )?{SUBJECT}", compare),
    # the companies of which something is true
    _form(rf"(?!what\b){HEAD} (?P<predicate>[a-z][^@]+)", which),
    _form(r"(?P<aux>did|does|do|has|have|had|is|are|was|were) @L (?:both |all )?(?P<predicate>[^@]+)", whether),
)
_ANY_COMPANY = r"(?=.*\b(?:compan(?:y|ies)|firms?)\b)"
OPEN_FORMS: tuple[Form, ...] = (
    *(Form(expression(f"^{_ANY_COMPANY}{form.pattern.pattern}", re.I), form.make) for form in _EXTREMES),
    _form(
        rf"{_RANK} (?:all )?(?:the |our )?companies (?:in the library )?{_BY} (?:their )?{SUBJECT}{_ORDER}",
        ranking,
    ),
    _form(
        r"compare (?:the )?(?P<subject>[^@]+?) (?:of|for|across|between|among) (?:all )?(?:of )?"
        r"(?:the |these |those |our )?(?:\w+ )?(?:companies|firms)(?: in the library)?",
        compare,
    ),
    _form(r"which (?:of the )?(?:companies|firms) (?P<predicate>[a-z][^@]+)", which),
)


_OF_ONE: set[Relation] = {"highest", "lowest"}  # what may be asked about a list of one company
_COMPARING = expression(
    rf"\b(?:{HIGH}|{LOW}|better|best|worse|worst|compar\w+|differ\w*|ratio|rank|than|whose|which)\b"
    r"|^(?:between|among|of)\b",
    re.I,
)
_AGAINST = expression(r"\b(?:vs|versus)\b", re.I)


def read_plan(found: Listed) -> Plan | None:
    """The plan of a comparison; None where no rule knows the wording, or a company is named outside the list."""
    core = read_core(found.text, found.currency)
    if len(found.entities) < 2 and not core.listed:
        return None
    is_compared = _COMPARING.search(core.text) is not None
    is_set_against = is_compared or _AGAINST.search(found.text) is not None
    if len(found.entities) - found.strangers < 2 and len(found.entities) > 1 and not is_set_against:
        return None  # "Acme, Minnesota: how many employees?"
    read = _by_forms(core, FORMS)
    if read is None and len(core.listed) > 1 and not found.strangers and not is_compared:
        read = _each(found, core)
    if read is None or (len(found.entities) < 2 and read.relation not in _OF_ONE):
        return None
    if read.relation == "each":
        return _plan(
            read, tuple(entity.with_query(_of_one(read.query, entity)) for entity in found.entities), core
        )
    return _plan(read, tuple(entity.with_query(read.query) for entity in found.entities), core)


def read_open_plan(parsed: ParsedQuestion) -> tuple[Plan, Query] | None:
    """The plan of a question about all companies, without companies, and what is asked of each."""
    core = read_core(plain(parsed.wording), parsed.currency)
    read = _by_forms(core, OPEN_FORMS)
    return (_plan(read, (), core), read.query) if read else None


def quoted(name: str) -> str:
    """A name in quotation marks for a sub-question, so that its words are not read as anything else."""
    return f'"{name}"'


def _plan(read: Read, entities: tuple[Entity, ...], core: Core) -> Plan:
    kind = read.kind or infer_kind(read.query.subject.replace(_ITSELF, "it"))
    made = Plan(relation=read.relation, subject=read.subject, entities=entities, kind=kind, currency=core.currency)
    return made.model_copy(update=read.more)


def _by_forms(core: Core, forms: Sequence[Form]) -> Read | None:
    for form in forms:
        for text in dict.fromkeys((core.text, core.bare)):
            if (match := form.pattern.match(text)) is not None and (read := form.make(match, core)) is not None:
                return None if "?" in read.subject else read  # a second question says what is meant
    return None


def _each(found: Listed, core: Core) -> Read:
    """The question itself, with one company in place of the list."""
    text = re.sub(rf"{_ITSELF}(?:'s)?", _ITSELF, LIST.sub(_ITSELF, found.text, count=1).strip())
    return Read("each", tidy(core.text.replace("@L", "")), Query(subject=text), None, {})


_ITSELF = "@L"  # the place of the list


def _of_one(query: Query, entity: Entity) -> Query:
    """A question about a list, about one company of it."""
    return query.model_copy(
        update={"subject": query.subject.replace(_ITSELF, quoted(entity.company or entity.label))}
    )

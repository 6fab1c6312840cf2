"""Which sentences about an event tell what a question asks: of its year, and of the person or body that it names."""

import re
from collections.abc import Sequence

from indexes.roles.people import NAME, is_person
from query_engines.company_names.vocabulary import is_common
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.search_text import without_company_and_time
from storage.lexicon.calendar import ENGLISH_MONTHS, written_years
from storage.lexicon.names import LEAVES_OFFICE, TAKES_OFFICE
from storage.lexicon.words import NOT, expression
from storage.records.facts import Event, EventKind, ReportFacts
from storage.records.reports import Report, ending_year
from storage.text import stems

# How grave it must be, as a word or as what it may do: "material litigation", "lawsuits that could hurt it".
_GRAVE = expression(
    r"(?i)\b(?:(?:material|serious|significant|substantial|major|severe|critical|important|meaningful|huge|grave|big"
    r"|large|sizeable|adverse)(?:ly)?|(?:threaten(?!ed)|endanger|jeopardi[sz]|crippl|hurt|harm|damag|bankrupt)\w*|sink)\b"
)
_THAT_MAY = expression(
    r"(?i)(?<!say )(?<!true )(?<!said )(?<!mention )(?<!announce )(?<!report )(?<!state )(?<!know )\b(?:that|which) "
    r"(?:(?:could|might|may|would|will|can|should|must|is|are|was|were|has|have|had)\b|(?:\w+ ){0,2}\w+holders?\b"
    r"|(?:we|i|you|one|investors?|people)\b)"
)
_NAME = expression(r"(?<!^)(?<![.:?!] )\b[A-Z][\w&'’.-]*\w")
_BODY = expression(
    r"(?i)\b(?:supervisory|advisory|audit|remuneration|compensation|nomination|nominating|governance|risk|executive"
    r"|management) (?:board|committee|council)\b"
)
_DENIED = expression(rf"(?i)\b(?:{NOT}|if|whether|could|may|might)\b")
_ANNOUNCED = expression(r"(?i)\b(?:announc|authori[sz]|approv|plan|program|launch|intend)")
_BOARD = expression(r"(?i)\b(?:board|directors?)\b")
_MANAGEMENT = expression(r"(?i)\b(?:management|executives?|officers?)\b")
_PERSON = expression(NAME)
_LEAVES, _JOINS = expression(LEAVES_OFFICE), expression(TAKES_OFFICE)
# Who joins or leaves stands before these words, or behind them where somebody appoints or dismisses somebody.
_OF_SOMEBODY = expression(
    r"(?i)^(?:appoint|elect|hir|recruit|nominat|promot|bring|brought|dismiss|terminat|remov|replac|fire|sack|oust)"
)
_PASSIVE = expression(r"(?i)\b(?:was|were|been|be|is|are|being)(?: \w+ly| also| then| first)? $")
_CALLED = expression(r"\b[A-Z][\w'’-]{0,40}[a-z]\w{0,40}")
_NO_NAME = expression(
    r"(?i)^(?:mr|mrs|ms|dr|prof|sir|chief|executive|officer|financial|operat\w+|finance|human|resources|risk|board"
    r"|directors?|chair\w*|presidents?|vice|senior|company|corporation|bank|group|committee|audit|supervisory|managing"
    r"|interim|acting|lead|independent|non-executive|general|counsel|secretary|treasurer|on|in|at|effective|the"
    rf"|{'|'.join(ENGLISH_MONTHS)})$"
)
_GOES_ON = expression(r"^(?: [A-Z][\w.'’-]*){1,3}")  # the same name
_BEGAN = expression(r"(?: [A-Z][\w.'’-]*){1,3} $")
_ASIDE = expression(r"^\s*,[^;.]{1,160},\s*(?:who\s+)?(?:(?:was|were|has|had|have|been|also)\s*){0,2}$")
_OFFICES = tuple(
    expression(rf"(?i)\b(?:{office})\b")
    for office in (
        "ceo|chief executive",
        "cfo|chief financial|finance director",
        r"coo|chief operat\w+",
        "chair(?:man|woman|person)?",
        "(?<!vice[ -])president",
        "general counsel",
        "(?:company|corporate) secretary",
        "treasurer",
        "managing director",
        "chief risk",
        "chief (?:information|technology|technical)|cto|cio",
        "chief (?:human|people|marketing|commercial|legal|medical|scientific|data|strategy|accounting|administrative)",
    )
)
_TOO = expression(r"^(?:,? (?:and|&) (?:the |[A-Z]\w+['’]s )?[A-Z][\w ]{0,40})?")
_OF_ANOTHER = expression(
    r"^(?:,| and [A-Z][\w ]{0,40}?)? (?:of|at|for) (?!(?:the|our|its|this) (?:Company|Group|Bank|Board|Trust)\b"
    r"|(?:the|our|its|this|that|last|an) (?:\w+ ){0,2}(?:meeting|AGM|end|close|conclusion|time|year|date)\b"
    r"|the Corporation\b|(?:our|its|us)\b|\d"
    rf"|{'|'.join(ENGLISH_MONTHS)})"
)
_AT_NAME = expression(
    r"^(?:,? (?:and|&) [A-Z][\w ]{0,40}?)?,? (?:of|at|for) (?P<name>[A-Z][\w&'’-]*(?: [A-Z][\w&'’-]*)?)"
)
# What is acquired stands behind these words.
_DEALT = expression(
    r"(?i)\b(?:acqui(?:re[sd]?|ring|sitions?)|merge[rd]?s?|bought|buys?|takeovers?|purchase[sd]?)\b"
)


def told(
    event: EventKind, parsed: ParsedQuestion, known: ReportFacts, year: int | None, report: Report
) -> tuple[Event, ...]:
    """The sentences that tell the event of the year, and of everybody whom the question names."""
    asked = parsed.text
    if event == "buyback" and not known.events_of(event) and not _ANNOUNCED.search(asked):
        return _bought_back(known, year)
    about, bodies = _names(parsed), [_is_of(body) for body in _BODY.findall(asked)]
    ways = [way for way in (_LEAVES, _JOINS) if event == "leadership_change" and way.search(asked)]
    is_of_board = event == "leadership_change" and _BOARD.search(asked) is not None
    is_grave = _asks_how_grave(parsed)
    offices = offices_named(_without_names(parsed)) if event == "leadership_change" else []
    return tuple(
        e
        for e in _of_year(known.events_of(event), year, report)
        if (not about or _is_of_names(e, about, year))
        and all(body.search(e.quote) for body in bodies)
        and (not ways or any(_moves(about, way, e.quote) for way in ways))
        and (not offices or all(office.search(_office_of(e)) for office in offices))
        and not (event == "leadership_change" and _is_elsewhere(e, parsed))
        and (not is_of_board or _BOARD.search(e.quote))
        and (not is_grave or (_GRAVE.search(e.quote) and not _DENIED.search(e.quote)))
    )


def _bought_back(known: ReportFacts, year: int | None) -> tuple[Event, ...]:
    """The row of the cash flow statement with what own shares cost, where no sentence tells that they were bought."""
    end = ending_year(known.period_end) if known.period_end else None
    paid = (f for f in known.of("share_repurchases") if f.value and f.period and f.period.year == (year or end))
    return tuple(
        Event(
            kind="buyback",
            quote=f"{fact.row_label} {fact.printed}",
            report_sha1=fact.report_sha1,
            page_number=fact.page_number,
            boxes=fact.boxes,
        )
        for fact in paid
    )[:1]


def offices_named(text: str) -> list[re.Pattern[str]]:
    """A pattern of each office that a text names."""
    return [office for office in _OFFICES if office.search(text)]


def asks_for_more(parsed: ParsedQuestion) -> bool:
    """Whether a question about an event names a person, another company or a body, or says how grave it must be."""
    return bool(_names(parsed)) or _BODY.search(parsed.text) is not None or _asks_how_grave(parsed)


def _asks_how_grave(parsed: ParsedQuestion) -> bool:
    asked = _without_names(parsed)
    return parsed.kind == "boolean" and bool(_GRAVE.search(asked) or _THAT_MAY.search(asked))


def surest(events: tuple[Event, ...], *, of_any_time: bool = False) -> tuple[Event, ...]:
    """Events by confidence, then by page; without `of_any_time`, only those near the report's period."""
    levels = ("high", "medium", "low") if of_any_time else ("high", "medium")
    return tuple(e for level in levels for e in events if e.confidence == level)


def _without_names(parsed: ParsedQuestion) -> str:
    return without_company_and_time(parsed.text, parsed.company) if parsed.company else parsed.text


def _names(parsed: ParsedQuestion) -> frozenset[str]:
    """The stems of the names in an English question, apart from the company's; German nouns are capitalised too."""
    if parsed.company is None or parsed.language != "en":
        return frozenset()
    text = without_company_and_time(parsed.text, parsed.company)
    found = (name for name in _NAME.findall(text) if not (name.isupper() and "&" in name))  # "M&A"
    return stems(" ".join(name for name in found if not is_common(name.removesuffix("'s").lower())))


def _is_of_names(event: Event, about: frozenset[str], year: int | None) -> bool:
    """Whether a sentence tells the event of these names; one that tells another year of it does not."""
    years = written_years(event.quote)
    if year is not None and years and year not in years:
        return False
    dealt = _DEALT.search(event.quote) if event.kind == "acquisition" else None
    return about <= stems(event.quote[dealt.end() :] if dealt else event.quote)


def movers(events: Sequence[Event], asked: str) -> dict[str, Event]:
    """The people who join or leave according to sentences, each with the first of them; as the question says, or both.

    Args:
        events: changes of leadership.
        asked: the question; where it says management or board, only those whose office is of that sort.
    """
    ways = [way for way in (_LEAVES, _JOINS) if way.search(asked)] or [_LEAVES, _JOINS]
    found: dict[str, Event] = {}
    for event in events:
        is_of_board = _BOARD.search(_office_of(event)) is not None
        if _MANAGEMENT.search(asked) and not _BOARD.search(asked) and is_of_board:
            continue
        for name in _PERSON.finditer(event.quote):
            last = stems(name["name"].split()[-1])
            if is_person(name["name"]) and any(_moves(last, way, event.quote) for way in ways):
                found.setdefault(name["name"], event)
    return found


def is_at_another(event: Event) -> bool:
    """Whether the office of a leadership change is one at another company or body."""
    place = event.quote.find(event.about)
    return place >= 0 and _OF_ANOTHER.match(event.quote[place + len(event.about) :]) is not None


def _is_elsewhere(event: Event, parsed: ParsedQuestion) -> bool:
    """Whether the office is one at a company that is named and is not the one asked about."""
    named = _AT_NAME.match(event.quote.partition(event.about)[2]) if event.about else None
    own = stems(parsed.company.name) if parsed.company else frozenset()
    return named is not None and is_at_another(event) and not stems(named["name"]) & own


def _office_of(event: Event) -> str:
    """The office that an event is about, with the one that the same person takes or leaves too."""
    behind = event.quote.partition(event.about)[2] if event.about else ""
    too = _TOO.match(behind)
    return event.about + (too[0] if too else "")


def _moves(about: frozenset[str], way: re.Pattern[str], quote: str) -> bool:
    """Whether a sentence says that somebody joins or leaves, and where it must be of a name, that this one does."""
    return any(not about or _is_who(about, found, quote) for found in way.finditer(quote))


def _is_who(about: frozenset[str], move: re.Match[str], quote: str) -> bool:
    """Whether the name stands where the one who moves stands, and no other name in between."""
    before, after = quote[: move.start()], quote[move.end() :]
    is_behind = _OF_SOMEBODY.match(move[0]) is not None and not _PASSIVE.search(before)
    if after.startswith(" of ") or (is_behind and not move[0].lower().endswith(("ion", "ment", "al"))):
        name = next((m for m in re.finditer(r"[^\W\d]+", after) if stems(m[0]) & about), None)
        between = _BEGAN.sub(" ", after[: name.start()]) if name else None
    else:
        name = next((m for m in reversed(list(re.finditer(r"[^\W\d]+", before))) if stems(m[0]) & about), None)
        between = _GOES_ON.sub("", before[name.end() :]) if name else None
    if between is None or ";" in between:
        return False
    others = (word for word in _CALLED.findall(between) if not _NO_NAME.match(word) and not stems(word) & about)
    return not any(others) or _ASIDE.match(between) is not None


def _is_of(body: str) -> re.Pattern[str]:
    """A pattern of sentences in which somebody joins, leaves or is of a body, which does not only decide it."""
    joined = r"(?:(?<!meeting )of|to|from|on|in|join\w*|left|leav\w*)"
    return re.compile(rf"(?i)\b{joined} (?:(?:the|our|its|\w+['’]s) )?{re.escape(body)}\b")


def _of_year(events: tuple[Event, ...], year: int | None, report: Report) -> tuple[Event, ...]:
    """Events of the requested year: all for the reported year or without a year, else those that name the year."""
    if year is None or report.period_end is None or year == report.year:
        return events
    return tuple(e for e in events if year in written_years(e.quote))

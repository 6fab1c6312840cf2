"""Which sentences about an event tell what a question asks: of its year, and with the names in the question."""

import re
from collections.abc import Sequence

from indexes.roles.names import NAME, is_name
from query_engines.company_names.vocabulary import is_common, is_spoken
from query_engines.question.functions import BOARD, MovesAsked, offices_in, without_moves
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.search_text import without_company_and_time
from storage.lexicon.calendar import ENGLISH_MONTHS, written_years
from storage.lexicon.names import NAME_IN_QUESTION
from storage.lexicon.words import expression
from storage.records.facts import Event, EventKind, ReportFacts
from storage.records.reports import Report, ending_year
from storage.text import SAME, stems

_PLANNED = stems("announce authorize authorise approve plan program programme launch intend")
_GRAVE = stems(
    """
    material serious significant substantial major severe critical threaten hurt harm damage bankrupt sink worry
    huge adverse
    """
)
_PERSON = expression(NAME)
# Who joins or leaves stands before the verb, or behind it where somebody appoints or dismisses somebody.
_OF_SOMEBODY = expression(
    r"(?i)(?:appoint|elect|hir|recruit|nominat|promot|bring|brought|dismiss|terminat|remov|replac|fire|sack|oust)"
)
_PASSIVE = expression(r"(?i)\b(?:was|were|been|be|is|are|being)(?: \w+ly| also| then| first)? $")
_OF_ANOTHER = expression(
    r"^(?:,| and [A-Z][\w ]{0,40}?)? (?:of|at|for) (?!(?:the|our|its|this) (?:Company|Group|Bank|Board|Trust)\b"
    r"|(?:the|our|its|this|that|last|an) (?:\w+ ){0,2}(?:meeting|AGM|end|close|conclusion|time|year|date)\b"
    r"|the Corporation\b|(?:our|its|us)\b|\d"
    rf"|{'|'.join(ENGLISH_MONTHS)})"
)


def told(
    event: EventKind, parsed: ParsedQuestion, known: ReportFacts, year: int | None, report: Report
) -> tuple[Event, ...]:
    """The sentences that tell the event of the year, and of everybody whom the question names."""
    if event == "buyback" and not known.events_of(event) and not stems(parsed.query.subject) & _PLANNED:
        return _bought_back(known, year)
    beside = said_of_event(parsed)
    found = (e for e in _of_year(known.events_of(event), year, report) if _says(e.quote, beside))
    return tuple(e for e in found if event != "leadership_change" or _is_of_move(e, parsed))


def surest(events: tuple[Event, ...], *, of_any_time: bool = False) -> tuple[Event, ...]:
    """Events by confidence, then by page; without `of_any_time`, only those near the report's period."""
    levels = ("high", "medium", "low") if of_any_time else ("high", "medium")
    return tuple(e for level in levels for e in events if e.confidence == level)


def movers(events: Sequence[Event], asked: MovesAsked) -> dict[str, Event]:
    """The people who join or leave according to sentences, each with the first of them; as is asked, or both.

    Where the management or the board is asked for, only those whose office is of that sort.
    """
    found = dict[str, Event]()
    for event in events:
        if asked.is_of_management and not asked.is_of_board and stems(event.about) & BOARD:
            continue
        for name in _moving(event.quote, asked):
            found.setdefault(name, event)
    return found


def is_at_another(event: Event) -> bool:
    """Whether the office of a leadership change is one at another company or body."""
    place = event.quote.find(event.about)
    return place >= 0 and _OF_ANOTHER.match(event.quote[place + len(event.about) :]) is not None


def said_of_event(parsed: ParsedQuestion) -> frozenset[str]:
    """The stems of an English question's names, and of words for how grave an event must be."""
    if parsed.company is None or parsed.language != "en":
        return frozenset()
    asked = parsed.guess.asked_in or parsed.text  # what is said beside it, such as why one asks, narrows nothing
    text = without_moves(without_company_and_time(asked, parsed.company))
    names = (name.removesuffix("'s") for name in NAME_IN_QUESTION.findall(text) if "&" not in name)
    named = stems(" ".join(name for name in names if not is_common(name.lower()) and not is_spoken(name.lower())))
    return named | (stems(text) & _GRAVE if parsed.kind == "boolean" else frozenset())


def _says(quote: str, words: frozenset[str]) -> bool:
    """Whether a sentence has all of some words, or others of their meaning."""
    said = stems(quote)
    return all(word in said or not said.isdisjoint(SAME.get(word, frozenset())) for word in words)


def _is_of_move(event: Event, parsed: ParsedQuestion) -> bool:
    """Whether a change of leadership is of the office, the body and the people that a question names."""
    asked = parsed.intent.moves or MovesAsked()
    is_elsewhere = is_at_another(event) and parsed.company is not None
    if is_elsewhere and parsed.company and not stems(parsed.company.name) & stems(event.quote):
        return False
    if asked.is_of_board and not stems(event.quote) & BOARD:
        return False
    behind = offices_in(event.quote[max(event.quote.find(event.about), 0) :])
    if not set(asked.offices) <= set(behind) or not asked.bodies <= stems(event.about):
        return False
    people = (person["name"] for person in _people(event.quote))
    named = [name for name in people if stems(name.split()[-1]) & asked.said]
    if (asked.leaves or asked.joins) and not any(way.search(event.quote) for way in asked.ways):
        return False
    return not named or not set(named).isdisjoint(_moving(event.quote, asked))


def _people(quote: str) -> list[re.Match[str]]:
    """The people whom a sentence names; what it calls somebody in quotation marks is a short name of a company."""
    found = (match for match in _PERSON.finditer(quote) if quote[: match.start()][-1:] not in ('"', "“"))
    return [match for match in found if is_name(match["name"])]


def _moving(quote: str, asked: MovesAsked) -> list[str]:
    """Who joins or leaves according to a sentence, as is asked, or both."""
    names = _people(quote)
    moving = []
    for move in (move for way in asked.ways for move in way.finditer(quote)):
        is_behind = quote[move.end() :].startswith(" of ") or (
            _OF_SOMEBODY.match(move[0]) is not None and not _PASSIVE.search(quote[: move.start()])
        )
        near = [n for n in names if (n.start() >= move.end() if is_behind else n.end() <= move.start())]
        moving += [near[0 if is_behind else -1]["name"]] if near else []
    return moving


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


def _of_year(events: tuple[Event, ...], year: int | None, report: Report) -> tuple[Event, ...]:
    """Events of the requested year: all for the reported year or without a year, else those that name the year."""
    if year is None or report.period_end is None or year == report.year:
        return events
    return tuple(e for e in events if year in written_years(e.quote))

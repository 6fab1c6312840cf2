"""Which sentences about an event tell what a question asks: of its year, and of the person or body that it names."""

import re

from query_engines.company_names.vocabulary import is_common
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.search_text import without_company_and_time
from storage.lexicon.calendar import written_years
from storage.records.facts import Event, EventKind, ReportFacts
from storage.records.reports import Report
from storage.text import stems

_NAME = re.compile(r"(?<!^)(?<![.:?!] )\b[A-Z][\w&'’.-]*\w")
_BODY = re.compile(
    r"(?i)\b(?:supervisory|advisory|audit|remuneration|nomination|risk) (?:board|committee|council)\b"
)
_BOARD = re.compile(r"(?i)\b(?:board|directors?)\b")
_LEAVES = re.compile(
    r"(?i)\b(?:left|leav(?:e[sd]?|ing)|resign\w*|retir\w+|step(?:s|ped|ping)? down|depart\w*|ceas\w+|dismiss\w*"
    r"|terminat\w+|removed?)\b"
)
_JOINS = re.compile(
    r"(?i)\b(?:join(?:s|ed|ing)?|appoint\w*|elect(?:s|ed|ion)?|hir(?:e[sd]?|ing)|nominated?|promot\w+|succeed\w*)\b"
)
# What is acquired stands behind these words.
_DEALT = re.compile(
    r"(?i)\b(?:acqui(?:re[sd]?|ring|sitions?)|merge[rd]?s?|bought|buys?|takeovers?|purchase[sd]?)\b"
)


def told(
    event: EventKind, parsed: ParsedQuestion, known: ReportFacts, year: int | None, report: Report
) -> tuple[Event, ...]:
    """The sentences that tell the event of the year, and of everybody whom the question names."""
    asked = parsed.text
    about, bodies = _names(parsed), [_is_of(body) for body in _BODY.findall(asked)]
    ways = [way for way in (_LEAVES, _JOINS) if event == "leadership_change" and way.search(asked)]
    is_of_board = event == "leadership_change" and _BOARD.search(asked) is not None
    return tuple(
        e
        for e in _of_year(known.events_of(event), year, report)
        if (not about or _is_of_names(e, about, year))
        and all(body.search(e.quote) for body in bodies)
        and (not ways or any(way.search(e.quote) for way in ways))
        and (not is_of_board or _BOARD.search(e.quote))
    )


def names_somebody(parsed: ParsedQuestion) -> bool:
    """Whether a question about an event names a person, another company or a body of its own."""
    return bool(_names(parsed)) or _BODY.search(parsed.text) is not None


def surest(events: tuple[Event, ...], *, of_any_time: bool = False) -> tuple[Event, ...]:
    """Events by confidence, then by page; without `of_any_time`, only those near the report's period."""
    levels = ("high", "medium", "low") if of_any_time else ("high", "medium")
    return tuple(e for level in levels for e in events if e.confidence == level)


def _names(parsed: ParsedQuestion) -> frozenset[str]:
    """The stems of the names in an English question, apart from the company's; German nouns are capitalised too."""
    if parsed.company is None or parsed.language != "en":
        return frozenset()
    text = without_company_and_time(parsed.sentence or parsed.text, parsed.company)
    found = (name for name in _NAME.findall(text) if not name.isupper())
    return stems(" ".join(name for name in found if not is_common(name.removesuffix("'s").lower())))


def _is_of_names(event: Event, about: frozenset[str], year: int | None) -> bool:
    """Whether a sentence tells the event of these names; one that tells another year of it does not."""
    years = written_years(event.quote)
    if year is not None and years and year not in years:
        return False
    dealt = _DEALT.search(event.quote) if event.kind == "acquisition" else None
    return about <= stems(event.quote[dealt.end() :] if dealt else event.quote)


def _is_of(body: str) -> re.Pattern[str]:
    """A pattern of sentences in which somebody joins, leaves or is of a body, which does not only decide it."""
    joined = r"(?:(?<!meeting )of|to|from|on|in|join\w*|left|leav\w*)"
    return re.compile(rf"(?i)\b{joined} (?:(?:the|our|its|\w+['’]s) )?{re.escape(body)}\b")


def _of_year(events: tuple[Event, ...], year: int | None, report: Report) -> tuple[Event, ...]:
    """Events of the requested year: all for the reported year or without a year, else those that name the year."""
    if year is None or report.period_end is None or year == report.period_end.year:
        return events
    return tuple(e for e in events if year in written_years(e.quote))

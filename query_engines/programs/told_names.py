"""Positions that changed hands and products that were launched, from the events of the fact table."""

import re
from collections.abc import Sequence

from prompts.drafts import NameDraft, NamesDraft
from query_engines.programs.passages import passage
from query_engines.programs.telling_sentences import dates_in, is_in_year_to
from storage.facts import Event
from storage.pages import Page
from storage.reports import Report

_THIS_YEAR = re.compile(
    r"(?i)\b(?:during|in|throughout) (?:the|this) (?:(?:financial|fiscal|reporting) )?(?:year|period)\b"
)
_LISTED = re.compile(
    r"(?i)\bthe following table\b|\bbeneficial(?:ly)?\b|\bannual (?:general )?meeting\b|\bprior to\b"
)
_IN_FULL = {"CEO": "Chief Executive Officer", "CFO": "Chief Financial Officer", "COO": "Chief Operating Officer"}
_DIRECTORS = {"Director", "Directors"}
_SMALL = {"of", "and", "the", "for"}
_OF_ANOTHER = re.compile(
    r"^(?:,| and [A-Z][\w ]{0,40}?)? (?:of|at|for) (?!(?:the|our|its|this) (?:Company|Group|Bank|Board|Trust)\b"
    r"|the Corporation\b|(?:our|its|us)\b|\d|January|February|March|April|May|June|July|August|September"
    r"|October|November|December)"
)
_NO_PRODUCT = re.compile(
    r"(?i)\b(?:diversity|equity|esg|program(?:me)?s?|plans?|organi[sz]ation|committee|policy|initiative|strategy|report"
    r"|training|webpage|website|act|council|fund|foundation)\b|^[A-Z]{2,5}$"
)
_AFTER_PRODUCT = re.compile(
    r"(?i)^\W*(?:webpage|website|training|program(?:me)?|plan|policy|committee|initiative|team|fund|act)\b"
)


def positions_changed(events: Sequence[Event], report: Report) -> dict[str, Event]:
    """The positions that changed hands within the reported year, each with the first sentence that says so."""
    found: dict[str, Event] = {}
    for event in events:
        place = event.quote.find(event.about)
        tail = event.quote[place + len(event.about) :] if place >= 0 else ""
        if not _is_within(event.quote, report) or _LISTED.search(event.quote) or _OF_ANOTHER.match(tail):
            continue
        found.setdefault(_position(event.about, event.quote), event)
    return found


def products_launched(events: Sequence[Event]) -> dict[str, Event]:
    """The products that sentences of the reported time say were launched."""
    found: dict[str, Event] = {}
    for event in events:
        tail = event.quote.partition(event.about)[2]
        is_product = event.about and not _NO_PRODUCT.search(event.about) and not _AFTER_PRODUCT.match(tail)
        if event.confidence == "high" and is_product:
            found.setdefault(event.about, event)
    return found


def draft_of_names(
    asked: str, named: dict[str, Event], pages: Sequence[Page], form: type[NameDraft] | type[NamesDraft]
) -> NameDraft | NamesDraft | None:
    """The names whose sentences stand on the pages that were read; None without any, or with several for one name."""
    given = {page.page_number: page for page in pages}
    shown = {name: event for name, event in named.items() if event.page_number in given}
    if not shown or (form is NameDraft and len(shown) > 1):
        return None
    told = "; ".join(f"{name} (page {event.page_number})" for name, event in shown.items())
    analysis = (
        f"Found without a language model, in sentences of the report's fact table. Asked: {asked!r}. "
        f"Sentences of the reported time tell of: {told}. Others may be told of in other words. Confidence: medium."
    )
    names = list(shown)
    return form(
        step_by_step_analysis=analysis,
        reasoning_summary=f"Found without a language model: sentences tell of {told}. Confidence: medium.",
        evidence=[passage(given[event.page_number], event.quote) for event in shown.values()],
        relevant_pages=list(dict.fromkeys(event.page_number for event in shown.values())),
        unavailable_because=None,
        final_answer=names[0] if form is NameDraft else names,
    )


def _is_within(quote: str, report: Report) -> bool:
    """Whether a date of the sentence lies in the twelve months to the period's end, or it says "during the year"."""
    if report.period_end is None:
        return False
    return bool(_THIS_YEAR.search(quote)) or any(is_in_year_to(d, report.period_end) for d in dates_in(quote))


def _position(about: str, quote: str) -> str:
    """A title in the singular, spelled out, each word with a capital; a body that is joined gives a membership."""
    if (
        re.search(rf"\bBoard of {re.escape(about.removesuffix('s'))}s\b", quote)
        and about.title() not in _DIRECTORS
    ):
        return f"Member of the Board of {about.removesuffix('s')}s"
    if about.title() in _DIRECTORS:
        return "Director"
    words = [_IN_FULL.get(word, word) for word in about.split()]
    return " ".join(w if w in _SMALL or w[:1].isupper() else w.capitalize() for w in words)

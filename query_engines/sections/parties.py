"""Drafts the names of those who hold a function, sit on a committee, or are to take an office, as the report says."""

import re
from collections.abc import Sequence

from indexes.facts.sentences import sentences_of
from indexes.roles.holders import Office, holders_in
from indexes.roles.people import NAME, is_person
from prompts.drafts import Draft, drafted, passage
from prompts.kinds.name import NameDraft
from prompts.kinds.names import NamesDraft
from query_engines.question.functions import Function, PartyAsked, load_functions
from query_engines.question.told_events import offices_named
from query_engines.sections.committees import members_in
from query_engines.sections.people import is_name
from query_engines.verification.quotes import locate
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.records.reports import Report

_NEXT = expression(
    r"\b(?:next|future|incoming|upcoming|designate)\b|\bsuccessors?\b"
    r"|\bwho (?:will|is going to|is to|shall)\b|\bwho (?:becomes?|succeeds|takes over|replaces)\b",
    re.IGNORECASE,
)
_TAKES = expression(
    rf"{NAME}"
    r"(?:,[^,.;]{1,60},)? (?:(?:is|are) (?:expected |planned |due )?to|will|shall) "
    r"(?:become|be (?:appointed|named|elected|the)|succeed|take over|assume|join|replace|serve as)\b"
    r"(?P<office>[^.;]{0,120})"
)


def draft_of_party(
    query: str, asked: PartyAsked, pages: Sequence[Page], report: Report, form: type[Draft]
) -> Draft | None:
    """The names that a question asks for; None where no page that was read names them, or pages disagree.

    Args:
        query: the question without company and period.
        asked: the function or the committees.
        pages: of the report, in any order.
        report: of the pages.
        form: of the draft: one name, or several; any other gets none.
    """
    if asked.function is not None:
        found = holders_in(office_of(asked.function), pages, report.company)
    else:
        found = members_in(asked, pages)
    found = [holder for holder in found if locate(holder.quote, holder.page) is not None]
    if not found or (form is NameDraft and len(found) > 1 and not asked.is_plural):
        return None
    names = [holder.name for holder in found]
    listed = "; ".join(f"{holder.name} (page {holder.page.page_number})" for holder in found)
    note = f"The report names as {asked.called}: {listed}. No language model read or worded it."
    if form not in (NameDraft, NamesDraft):
        return None
    evidence = [passage(holder.page.page_number, holder.quote) for holder in found]
    return drafted(form, query, " and ".join(names) if form is NameDraft else names, note, evidence)


def office_of(function: Function) -> Office:
    """A function as reports print it."""
    others = "|".join(each.in_print for each in load_functions())
    return Office(
        function.in_print, others, function.in_sentences, is_name if function.holder == "person" else None
    )


def asks_who_is_next(text: str) -> bool:
    """Whether a question asks who will hold an office: its holder of today is no answer."""
    return _NEXT.search(text) is not None and bool(offices_named(text))


def draft_of_successor(text: str, pages: Sequence[Page]) -> NameDraft | None:
    """The one person who is to take the office that a question names; None where pages name nobody, or several."""
    offices = offices_named(text)
    found: dict[str, tuple[str, Page]] = {}
    for page in pages:
        for sentence in sentences_of(page):
            match = _TAKES.search(sentence.text)
            is_of_it = match is not None and any(office.search(match["office"]) for office in offices)
            if match and is_of_it and is_person(match["name"]) and locate(sentence.text, page) is not None:
                found.setdefault(match["name"], (sentence.text, page))
    if len(found) != 1:
        return None
    ((name, (quote, page)),) = found.items()
    summary = f"A sentence on page {page.page_number} says who is to take the office: {name}."
    return drafted(NameDraft, text, name, summary, [passage(page.page_number, quote)])

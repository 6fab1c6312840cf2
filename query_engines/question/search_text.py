"""The search text of a question: without the words that every question has; and its currency and scale."""

import functools
import re
from collections.abc import Iterator

from query_engines.company_names.matcher import CompanyNames
from query_engines.company_names.vocabulary import without_name
from storage.lexicon.money import (
    BARE_NAMES,
    CODE,
    ISO_CODES,
    SCALE,
    asked_names,
    meant_by,
    printed_scales,
    scale_of,
)
from storage.lexicon.periods import without_periods
from storage.lexicon.question_words import ASKED_OPENLY, ASKING_WORDS
from storage.lexicon.words import ARTICLES, FUNCTION_WORDS, PREPOSITIONS, expression
from storage.records.reports import Company
from storage.text import plain, stems, words

_INSTRUCTED = r"""
      if\ (?:the\ )?data\ (?:is|are)\ not\ available.*$
    | if\ there\ is\ no\ mention.*$
    | give\ me\ the\ title.*$
    | \(?\b(?:with)?in\ the\ last\ period\ or\ at\ the\ end\ of\ the\ last\ period\)?
    | \bat\ the\ end\ of\ the\ period\ listed\ in\ (?:the\ )?annual\ report
    | \b(?:according\ to|(?:going|judging)\ by|based\ on|as\ mentioned\ in|listed\ in|in)\ (?:the|its|their)
      \ (?:\d{4}\ )?annual\ report
    | \b(?:(?:according\ to|as\ per|by|from|in|per|of)\ )?(?:the|its|their)\ (?:(?:latest|last|most\ recent)\ )?
      (?:10-?[kq]|20-?f|40-?f|8-?k|(?:quarterly|interim|half[- ]year(?:ly)?)\ (?:financial\ )?report
      |(?:earnings|press|results)\ release|proxy\ statement)\b
    | \(in\ [A-Z]{3}\)
"""
_BOILERPLATE = expression(
    _INSTRUCTED
    + r"""
    | ^for\ *,\ *
    | ^(?:what|which|who|how)(?:['’]?s|\ (?:is|was|were|are|did|much|many))\ (?:the\ )?(?:value\ of\ )?
    | \b(?:(?:for|of|in|over|during)\ )?(?:(?:the|its)\ )?full[ -](?:(?:fiscal|financial)\ )?year\b
    | \b(?:for|of|at|by|in)\b\s*(?=[?.,]|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SCALED = expression(rf"\b(?:in|en) (?:(?:{CODE}|\$|€|£|US\$)\s?)?(?P<scale>{SCALE})\b", re.IGNORECASE)
_UNIT = expression(r"\b(?:in|en) ((?:[A-Z]{3} )?\S{1,6})(?=[\s?.,)]|$)")  # "in $m", "in TEUR", "in USD bn"
# After these words the phrase is about something in the report, not about the answer.
_HELD = frozenset(
    words(
        "is are be denominated invoiced issued held hedged priced trade traded trades report reports reporting present"
        " presents prepare prepares accounts statements bonds notes weigh weighs weighed"
    )
)


def search_text(question: str, company: Company) -> str:
    """The question without company, period, currency and boilerplate; the whole question if nothing is left."""
    return _without(_BOILERPLATE, without_currency(without_company_and_time(question, company))) or question


_KEPT = PREPOSITIONS | ARTICLES | {"and", "or", "with", "as"}
_ASKING = (FUNCTION_WORDS | ASKING_WORDS) - _KEPT
_LEADING = PREPOSITIONS | ARTICLES


def label_in(text: str) -> str:
    """A search text without the words that ask: "total assets" of "figure did report for total assets"."""
    kept = [word for word in text.split() if word.strip("?.,").lower() not in _ASKING]
    while kept and kept[0].lower() in _LEADING:
        kept.pop(0)
    if len(kept) > 1 and kept[0].lower() in ("value", "amount") and kept[1].lower() in PREPOSITIONS:
        del kept[:2]
    while kept and kept[0].lower() in _LEADING:
        kept.pop(0)
    while kept and kept[-1].lower() in _LEADING:
        kept.pop()
    return " ".join(kept)


def _without(pattern: re.Pattern[str], text: str) -> str:
    for _ in range(2):  # removing a phrase may move another one to an end of the text
        text = " ".join(pattern.sub(" ", text).replace("|", " ").split()).strip(" ?.,")
    return text


@functools.lru_cache(maxsize=1024)
def without_company_and_time(question: str, company: Company) -> str:
    """The question without the company's name and without the years and dates that it names."""
    return " ".join(without_periods(nameless(question, company), with_parts=True).split())


def nameless(question: str, company: Company) -> str:
    """The question without the company's name."""
    text = plain(question)
    for mention in _names_of(company).mentions(text):
        text = without_name(text, mention.words)
    return " ".join(text.split())


@functools.lru_cache(maxsize=256)
def _names_of(company: Company) -> CompanyNames:
    return CompanyNames([company])


def requested_currency(question: str, own: str | None = None) -> str | None:
    """The ISO code of the currency that the question wants for its answer; None for no or several currencies.

    Args:
        question: in the user's words.
        own: the report's currency, which "dollars" means where they are its own.
    """
    return next((_code(found, own) for found in _named(question)), None)


def requested_scale(question: str) -> int | None:
    """The scale that the question wants for its answer: 1,000,000 for "in USD million" and "in €m"; else None."""
    if found := _SCALED.search(question):
        return scale_of(found["scale"])
    units = " ".join(_UNIT.findall(question))
    return next((scale for scale, pattern in printed_scales().items() if pattern.search(units)), None)


def without_currency(text: str) -> str:
    """The text without the phrase that names the currency."""
    for found in reversed(list(_named(text))):
        text = f"{text[: found.start('phrase')]} {text[found.end('phrase') :]}"
    return text


@functools.cache
def _asked() -> re.Pattern[str]:
    names = asked_names()
    name = "|".join(f"(?P<{code.lower()}>{words})" for code, words in names.items())
    name = f"{name}|(?P<bare>{BARE_NAMES})"
    anything = f"{CODE}|{BARE_NAMES}|{'|'.join(names.values())}"
    return re.compile(
        rf"(?:\b(?P<before>\w+)\s+)?(?P<phrase>\(?\b(?i:in|en) (?i:{SCALE}\.? (?:(?:of|de|di) |d['’])?)?"
        rf"(?:(?P<code>{CODE})\b|(?i:(?:{name})(?![\w-])))(?i: {SCALE}\b)?\)?)"
        r"(?! (?i:area|zone|region|countr\w+|bonds?|notes?|swaps?|loans?|denominated)\b)"
        rf"(?!,? (?:and|or) (?i:in )?(?i:{anything})(?!\w))"
    )


def _named(text: str) -> Iterator[re.Match[str]]:
    for found in _asked().finditer(text):
        if (found["before"] or "").lower() not in _HELD:
            yield found


def _code(found: re.Match[str], own: str | None) -> str:
    if code := found["code"]:
        return ISO_CODES[code]
    if bare := found["bare"]:
        meant = meant_by(bare)
        return own if own is not None and own in meant else meant[0]
    return next(code for code in asked_names() if found[code.lower()])


ROSE = stems(
    "increase up more greater larger improved widened doubled tripled strengthened boosted lifted accelerated fivefold"
    " recovered rebounded advanced extra additional threefold fourfold tenfold twofold skyrocketed roof forwards"
)
FELL = stems(
    "decrease down less fewer smaller reduced reduction halved narrowed cut worsened weakened softened eased slid slide"
    " contracted eroded deteriorated lagged lag underperformed underperform trailed squeezed dented dragged hurt"
    " collapsed collapse vanished vanish evaporated disappeared crashed crash cratered dived nosedived faded tanked"
    " backwards shed"
)
MOVES_SAID = (
    ROSE
    | FELL
    | stems(
        "change changed growth grow move moved movement difference develop developed evolve percent percentage per cent"
        " rate fast far than versus vs compared against point points pence cents amount year-on-year yoy"
    )
)
"""Words that say that something moved, how, and by how much."""
ANY_AMOUNT = stems("total amount level expense expenses business bill figure line spend")
"""What may stand with the name of a line and narrows nothing."""
_ASKING_WHY = (
    MOVES_SAID
    | stems(ASKED_OPENLY)
    | stems(
        """
        squeeze weigh pressure boost dent drag led help push almost nearly half about fully just really nothing go come
        next sharply strongly significantly massively big strong worsen swing result million billion quarter third reach
        while then yet spend make earn lose see turn record all below above under beyond good badly poor shoot pull keep
        take send bring one two three four five ten story background whole end small earth twice arm top need blame give
        """
    )
)


def explained_in(text: str) -> frozenset[str]:
    """The stems of what a question wants explained, without the words that say how it moved."""
    return frozenset(word for word in stems(text) - _ASKING_WHY if word[0].isalpha())


def movement_asked(text: str) -> frozenset[str]:
    """The stems of a rise or of a fall, where a question wants one of them explained."""
    found = [words for words in (ROSE, FELL) if words & stems(text)]
    return found[0] if len(found) == 1 else frozenset()

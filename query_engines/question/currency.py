"""The currency in which a question wants its answer: "in USD", "(in euros)", "in millions of Swiss francs"."""

import functools
import re
from collections.abc import Iterator

from storage.lexicon.money import CODE, ISO_CODES, SCALE, asked_names, scale_of

_SCALED = re.compile(rf"\b(?:in|en) (?:(?:{CODE}|\$|€|£|US\$)\s?)?(?P<scale>{SCALE})\b", re.IGNORECASE)
# After these words the phrase is about something in the report, not about the answer.
_HELD = re.compile(
    r"is|are|be|denominated|invoiced|issued|held|hedged|priced|traded?|trades|reports?|reporting|presents?|prepares?|"
    r"accounts|statements|bonds|notes",
    re.IGNORECASE,
)
_WEIGHED = re.compile(
    r"\b(?:weigh\w*|produc(?:e|ed|es|tion)|output|mined|shipped|harvest\w*|tons?|tonn?es?|ore|"
    r"in pounds (?:per|of [a-z]\w*))\b"
)


def requested_currency(question: str) -> str | None:
    """The ISO code of the currency that the question wants for its answer; None for no or several currencies."""
    return next((_code(found) for found in _named(question)), None)


def requested_scale(question: str) -> int | None:
    """The scale that the question wants for its answer: 1,000,000 for "in USD million"; None without a wish."""
    found = _SCALED.search(question)
    return scale_of(found["scale"]) if found else None


def without_currency(text: str) -> str:
    """The text without the phrase that names the currency."""
    for found in reversed(list(_named(text))):
        text = f"{text[: found.start('phrase')]} {text[found.end('phrase') :]}"
    return text


@functools.cache
def _asked() -> re.Pattern[str]:
    names = asked_names()
    name = "|".join(f"(?P<{code.lower()}>{words})" for code, words in names.items())
    anything = f"{CODE}|dollars|{'|'.join(names.values())}"
    return re.compile(
        rf"(?:\b(?P<before>\w+)\s+)?(?P<phrase>\(?\b(?i:in|en) (?i:{SCALE}\.? (?:(?:of|de|di) |d['’])?)?"
        rf"(?:(?P<code>{CODE})\b|(?i:(?:{name})(?![\w-])))(?i: {SCALE}\b)?\)?)"
        r"(?! (?i:area|zone|region|countr\w+|bonds?|notes?|swaps?|loans?|denominated)\b)"
        rf"(?!,? (?:and|or) (?i:in )?(?i:{anything})(?!\w))"
    )


def _named(text: str) -> Iterator[re.Match[str]]:
    for found in _asked().finditer(text):
        is_weight = found["gbp"] is not None and found["gbp"].lower() == "pounds" and _WEIGHED.search(text)
        is_held = _HELD.fullmatch(found["before"] or "") is not None
        if not is_held and not is_weight:
            yield found


def _code(found: re.Match[str]) -> str:
    if code := found["code"]:
        return ISO_CODES[code]
    return next(code for code in asked_names() if found[code.lower()])

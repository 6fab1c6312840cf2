"""Words that stand for several companies at once: "all three", "any of them", "who has the most employees?"."""

import re
from collections.abc import Sequence

from query_engines.company_names.vocabulary import is_question_word
from query_engines.comparison.grammar import SUP
from query_engines.question.parsed import ParsedQuestion
from storage.text import plain

MOST = 10  # companies that such words may stand for
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_COUNT = rf"(?:{'|'.join(_COUNTS)})"
_FIRMS = r"(?:companies|firms|issuers)"
_THEM = (
    rf"(?:(?:the|these|those|our|my) {_COUNT}(?: {_FIRMS})?|(?:these|those) {_FIRMS}|{_COUNT} {_FIRMS}"
    r"|them(?: all)?|these|those)"
)
_SET = re.compile(
    rf"\b(?:(?:all|any|each|every ?one|either|both|one|none|neither) (?:one )?of {_THEM}"
    rf"|(?:all|the|these|those|our|my) {_COUNT}(?: {_FIRMS}| of them)?|(?:all|both|these|those) {_FIRMS}"
    rf"|(?:each|every) (?:company|firm|issuer|one(?=\W*$| please\W*$))"
    r"|(?<=which of )(?:them|these|those)|both(?=\W*$))\b",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"^(?:\w+ ){0,3}?(?:rank|sort|order|list|put|line up)(?: me)? (?P<them>them|everything)\b", re.IGNORECASE
)
_COUNTED = re.compile(rf"\b{_COUNT}\b", re.IGNORECASE)
# "The three" are companies where the sentence ends or goes on with what somebody does, not with what is counted.
_GOES_ON = re.compile(rf"\W*$|[,;:.?!)]| (?:of them|{_FIRMS})\b| \w+(?:s|ed) (?:the )?{SUP}\b", re.IGNORECASE)
_ANY = re.compile(r"(?:any|one|either|none|neither)\b", re.IGNORECASE)
_ENDS_IN_MOST = re.compile(
    rf"^(?:\w+ )?(?:which|who)\b.* \w+ (?:the )?{SUP}(?: of (?:all|them))?\W*$", re.IGNORECASE
)
_NEXT = re.compile(r" (\w+)")
_JOINED = re.compile(
    r"(?:\b(?:of|for|in|at|by|from|with|to|between|across|among|rank|sort|order|list|put|compare|did|do|does|is|are|was"
    r"|were|has|have|had|can|could|will|and)|[,;:])$",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^(?:(?:and|so|but|then|ok(?:ay)?)\b[, ]*)*(?:who|which(?: one)?)(?P<rest> (?:has|had|earn\w*|ma[dk]e\w*|employ\w*"
    rf"|pa(?:ys|id)|spen[dt]\w*|grew|grows|sold|sells)(?: \w+)?? (?:the )?{SUP}\b.*)",
    re.IGNORECASE,
)


def spelled_out(text: str, parsed: ParsedQuestion, companies: Sequence[str]) -> str:
    """The text with the names of the companies in place of the words that stand for all of them.

    A text that names a company itself stays as it is, and so does one whose words count more or fewer companies than
    there are.

    Args:
        text: what is asked now.
        parsed: the same, read.
        companies: of the conversation so far; those of a small library stand for them where they are fewer than two.
    """
    wording = plain(text)
    if parsed.naming.companies:
        return text
    if (who := _WHO.match(wording)) is not None:
        names = () if is_the_most(wording) else meant_by(None, parsed, companies)
        return f"Which company{who['rest'].rstrip(' ?.!')}: {listed_names(names)}?" if names else text
    if (found := _LISTED.search(wording)) is not None:
        start, end = found.span("them")
    elif (found := _SET.search(wording)) is not None and _is_of_companies(found, wording[found.end() :]):
        start, end = found.span()
    else:
        return text
    counted = _COUNTED.search(wording[start:end])
    names = meant_by(_COUNTS[counted[0].lower()] if counted else None, parsed, companies)
    if not names:
        return text
    link = "or" if _ANY.match(wording[start:end]) else "and"
    before = wording[:start].rstrip()
    joint = "" if not before or _JOINED.search(before) else " of"
    return f"{before}{joint} {listed_names(names, link)}{wording[end:]}".strip()


def _is_of_companies(found: re.Match[str], after: str) -> bool:
    """Whether it is companies that are counted: "the three", and not "the three months" or "all three segments"."""
    if re.search(rf"{_FIRMS}$|(?:them|company|firm|issuer|one|both)$", found[0], re.IGNORECASE):
        return True
    following = _NEXT.match(after)
    return _GOES_ON.match(after) is not None or (following is not None and is_question_word(following[1].lower()))


def meant_by(count: int | None, parsed: ParsedQuestion, companies: Sequence[str]) -> tuple[str, ...]:
    """The companies of the conversation, else those of a small library, if there are as many as counted."""
    library = tuple(c.name for c in parsed.names.companies[: MOST + 1])
    for names in (tuple(companies), library if len(library) <= MOST else ()):
        if len(names) > 1 and len(names) == (count or len(names)):
            return names
    return ()


def listed_names(names: Sequence[str], link: str = "and") -> str:
    """The names as one writes them: "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {link} {names[-1]}"


def is_the_most(wording: str) -> re.Match[str] | None:
    """The word of "which of the three pays the most?", which does not say of what."""
    return _ENDS_IN_MOST.search(wording)

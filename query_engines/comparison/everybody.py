"""Words that stand for several companies at once: "all three", "any of them", "who has the most employees?"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from query_engines.company_names.vocabulary import is_question_word
from query_engines.comparison.entities import Listed
from query_engines.comparison.grammar import SUP
from query_engines.comparison.plan import Entity
from query_engines.question.parser import MARK

_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = {word: count for count, word in enumerate(_WORDS, 2)}
_COUNT = rf"(?:{'|'.join(_COUNTS)}|\d{{1,3}})"
_FIRMS = r"(?:companies|firms|issuers)"
_FIRM = rf"(?:{_FIRMS}|company|firm|issuer)"
_THEM = (
    rf"(?:(?:the|these|those|our|my) {_COUNT}(?: {_FIRMS})?|(?:these|those) {_FIRMS}|{_COUNT} {_FIRMS}"
    r"|them(?: all)?|these|those)"
)
_OF_LIBRARY = (
    rf"(?:all|each|every|any|our|both)(?: of)?(?: (?:the|our))?(?: {_COUNT})? (?:{_FIRMS}|reports)"
    r"(?: (?:in|of) (?:the|our|this|my) library)?|the (?:companies|firms) (?:in|of) (?:the|our|this|my) library"
)
_SET = re.compile(
    rf"\b(?:(?:all|any|each|every ?one|either|both|one|none|neither) (?:one )?of {_THEM}"
    rf"|(?:all|the|these|those|our|my) {_COUNT}(?: {_FIRMS}| of them)?|(?:these|those) {_FIRMS}|{_OF_LIBRARY}"
    rf"|(?:each|every) (?:{_FIRM}|one(?=\W*$| please\W*$))"
    r"|(?<=which of )(?:them|these|those)|both(?=\W*$))\b",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"^(?:\w+ ){0,3}?(?:rank|sort|order|list|put|line up)(?: me)? (?P<them>them|everything)\b", re.IGNORECASE
)
_COUNTED = re.compile(rf"\b{_COUNT}\b", re.IGNORECASE)
# "The three" are companies where the sentence ends or goes on with what somebody does, not with what is counted.
_GOES_ON = re.compile(rf"\W*$|[,;:.?!)]| (?:of them|{_FIRMS})\b| \w+(?:s|ed) (?:the )?{SUP}\b", re.IGNORECASE)
_IS_OF_FIRMS = re.compile(rf"(?:{_FIRM}|them|one|both|reports|library)$", re.IGNORECASE)
_ANY = re.compile(r"(?:any|one|either|none|neither)\b", re.IGNORECASE)
_ANY_FIRMS = re.compile(rf"any {_FIRMS}$", re.IGNORECASE)  # those that were bought, and not those of the library
_LIBRARY = re.compile(rf"(?:{_OF_LIBRARY})$", re.IGNORECASE)
_NEXT = re.compile(r" (\w+)")
_JOINED = re.compile(
    r"(?:\b(?:of|for|in|at|by|from|with|to|between|across|among|rank|sort|order|list|put|compare|did|do|does|is|are|was"
    r"|were|has|have|had|can|could|will|and)|[,;:])$",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^(?:(?:and|so|but|then|ok(?:ay)?)\b[, ]*)*(?:who|which(?: one)?)(?P<rest> (?:has|had|earn\w*|ma[dk]e\w*|employ\w*"
    rf"|pa(?:ys|id)|spen[dt]\w*|grew|grows|sold|sells)(?: \w+)?? (?:the )?{SUP} (?!of\b)\w.*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Everyone:
    """Words in a text that stand for several companies.

    Attributes:
        before, after: the text around them.
        counted: how many they are, as it is written; "" where it is not said.
        link: "or" for any of them, else "and".
        is_of_library: whether they say that all companies of the library are meant, whoever was asked about before.
    """

    before: str
    after: str
    counted: str = ""
    link: str = "and"
    is_of_library: bool = False

    @property
    def count(self) -> int | None:
        """How many companies they are, where it is said."""
        return _COUNTS.get(self.counted.lower()) or int(self.counted) if self.counted else None

    def named(self, names: Sequence[str]) -> Listed:
        """The text with these companies, numbered, in the place of the words."""
        marks = listed_names([f"{MARK}{number}" for number in range(len(names))], self.link)
        entities = tuple(Entity(label=name, company=name) for name in names)
        joint = "" if not self.before or _JOINED.search(self.before) else " of"
        return Listed(f"{self.before}{joint} {marks}{self.after}".strip(), entities)


def everyone_in(wording: str) -> Everyone | None:
    """The words of a text that name no company and stand for several; None without such words."""
    if (who := _WHO.match(wording)) is not None:
        return Everyone(f"Which company{who['rest'].rstrip(' ?.!')}:", "?")
    if (found := _LISTED.search(wording)) is not None:
        start, end = found.span("them")
    elif (found := _SET.search(wording)) is not None and _is_of_companies(found, wording[found.end() :]):
        start, end = found.span()
    else:
        return None
    words = wording[start:end]
    counted = _COUNTED.search(words)
    return Everyone(
        before=wording[:start].rstrip(),
        after=wording[end:],
        counted=counted[0] if counted else "",
        link="or" if _ANY.match(words) else "and",
        is_of_library=_LIBRARY.match(words) is not None and not words.lower().startswith("both"),
    )


def _is_of_companies(found: re.Match[str], after: str) -> bool:
    """Whether it is companies that are counted: "the three", and not "the three months" or "all three segments"."""
    if _ANY_FIRMS.match(found[0]):
        return False
    if _IS_OF_FIRMS.search(found[0]):
        return True
    following = _NEXT.match(after)
    return _GOES_ON.match(after) is not None or (following is not None and is_question_word(following[1].lower()))


def listed_names(names: Sequence[str], link: str = "and") -> str:
    """The names as one writes them: "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {link} {names[-1]}"

"""Which function a question asks the holder of: company secretary, transfer agent, the members of a committee."""

import functools
import re
import tomllib
from pathlib import Path
from typing import Literal

from storage.lexicon.words import expression
from storage.records.record import Record
from storage.text import plain

_FILE = Path(__file__).with_suffix(".toml")
_ASKS = expression(
    r"\b(?:who\w*|which|what|name[sd]?|list|tell|give|composition|wer|qui|chi)\b"
    r"|\b(?:welche\w*|wie hei(?:ß|ss)\w*|quel\w*|quien|quién)\b"
    r"|\?"
)
_CLAUSE = expression(r"(?<=[.?!;:,])\s+|\s[-–—]\s")
_SHORT = 8  # words of a note: "solicitors?"
_COMMITTEE = expression(r"\bcommi\w{1,2}ees?\b")
_NAMED_WITHIN = 70  # letters before the word
_AREAS = expression(
    r"\b(?:audit|compensation|remuneration|nominati(?:on|ng)s?|nominations|governance|risk|compliance|investment"
    r"|management engagement|valuation|disclosure|sustainability|technology|science|finance|credit|asset|esg|hr"
    r"|human (?:resources|capital)|safety)\b"
)
_SAME_AREA = dict.fromkeys(("nominating", "nominations", "nominatings"), "nomination") | {
    "remuneration": "compensation"
}
_CHAIRS = expression(r"\b(?:chairs?|chaired|heads?|chair(?:man|woman|person)|leads?)\b")
_MEMBERS = expression(
    r"\b(?:members?|sits?|serves?|serving|people|persons|make up|composition|made up|consists?)\b"
)
_OTHER = expression(
    r"\b(?:how (?:many|much|often)|fees?|paid|cost|why|when|charter|committee report|duties|responsib\w+)\b"
)


class Function(Record):
    """What a person or a firm is to a company, and how questions and reports call it.

    Attributes:
        in_sentences: whether sentences name its holder; the lawyers of a sentence may be anybody's.
    """

    id: str
    holder: Literal["person", "firm"]
    asked: tuple[str, ...]
    printed: tuple[str, ...]
    in_sentences: bool = True

    @functools.cached_property
    def in_questions(self) -> re.Pattern[str]:
        """The function as questions in small letters name it."""
        return re.compile(rf"\b(?:{'|'.join(self.asked)})(?!\w)")

    @property
    def in_print(self) -> str:
        """The source of a pattern of the function as reports name it, for letters of any size."""
        return f"(?:{'|'.join(self.printed)})"


class PartyAsked(Record):
    """Whose name a question asks for.

    Attributes:
        function: that the person or firm has; None for a committee.
        areas: the words that name the committees, such as audit; one entry for each committee.
        is_chair: whether only the one who chairs the committee is meant.
        is_plural: whether several names are asked for.
    """

    function: Function | None = None
    areas: tuple[frozenset[str], ...] = ()
    is_chair: bool = False
    is_plural: bool = False

    @property
    def called(self) -> str:
        """What is asked for, in words."""
        if self.function is not None:
            return self.function.id
        committees = ", ".join(" and ".join(sorted(words)) for words in self.areas)
        return f"{'chair' if self.is_chair else 'members'} of the {committees} committee"


@functools.cache
def load_functions() -> tuple[Function, ...]:
    """The functions that are known."""
    content = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(Function.model_validate(entry) for entry in content["function"])


def party_asked(text: str) -> PartyAsked | None:
    """Whose name a question without the company's name asks for; None where it asks for none of a known function."""
    lower = plain(text).lower()
    if _OTHER.search(lower):
        return None
    asking = [part for part in _CLAUSE.split(lower) if _ASKS.search(part)]
    is_note = len(lower.split()) <= _SHORT
    if not asking and not is_note:
        return None
    if committee := _committee(lower):
        return committee
    for part in (*reversed(asking), *([lower] if is_note else [])):
        found = [(match, f) for f in load_functions() if (match := f.in_questions.search(part))]
        if not found:
            continue
        match, function = max(found, key=lambda pair: (len(pair[0][0]), -pair[0].start()))
        is_plural = re.search(r"(?:s|ies|with)\b", match[0]) is not None
        return PartyAsked(function=function, is_plural=is_plural)
    return None


def committee_areas(text: str) -> frozenset[str]:
    """The areas that the name of a committee says: audit and risk of "Audit & Risk Committee"."""
    return frozenset(_SAME_AREA.get(word, word) for word in _AREAS.findall(text.lower()))


def _committee(lower: str) -> PartyAsked | None:
    """The committee whose members, or whose chair, a question asks for."""
    found = next((match for part in _CLAUSE.split(lower) if (match := _COMMITTEE.search(part))), None)
    if found is None:
        return None
    listed = re.split(r",|\band the\b", found.string[max(0, found.start() - _NAMED_WITHIN) : found.start()])
    areas = tuple(words for part in listed if (words := committee_areas(part)))
    if not areas:
        return None
    is_chair = _CHAIRS.search(lower) is not None and _MEMBERS.search(lower) is None
    return PartyAsked(areas=areas, is_chair=is_chair, is_plural=not is_chair or len(areas) > 1)

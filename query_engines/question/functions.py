"""Whom a question asks for: a company secretary, a transfer agent, a committee's members, the next in an office."""

import re

from indexes.roles.committees import body_of, committee_areas
from indexes.roles.offices import IN_ANY_CASE, Office, load_offices
from storage.lexicon.words import expression
from storage.records.facts import ReportFacts, Seat
from storage.records.record import Record
from storage.text import plain

_ASKS = expression(
    r"\b(?:who\w*|which|what|name[sd]?|list|tell|give|composition|wer|qui|chi)\b"
    r"|\b(?:welche\w*|wie hei(?:ß|ss)\w*|quel\w*|quien|quién)\b"
    r"|\?"
)
_CLAUSE = expression(r"(?<=[.?!;:,])\s+|\s[-–—]\s")
_SHORT = 8  # words of a note: "solicitors?"
_COMMITTEE = expression(r"\bcommi\w{1,2}ees?\b")
_NAMED_WITHIN = 70  # letters before the word
_NEXT = expression(
    r"\b(?:next|future|incoming|upcoming|designate)\b|\bsuccessors?\b"
    r"|\bwho (?:will|is going to|is to|shall)\b|\bwho (?:becomes?|succeeds|takes over|replaces)\b",
    re.IGNORECASE,
)
_CHAIRS = expression(r"\b(?:chairs?|chaired|heads?|chair(?:man|woman|person)|leads?)\b")
_MEMBERS = expression(
    r"\b(?:members?|sits?|serves?|serving|people|persons|make up|composition|made up|consists?)\b"
)
_OTHER = expression(
    r"\b(?:how (?:many|much|often)|fees?|paid|cost|why|when|charter|committee report|duties|responsib\w+)\b"
)


class PartyAsked(Record):
    """Whose name a question asks for.

    Attributes:
        office: that the person or firm has; None for a committee.
        areas: the words that name the committees, such as audit; one entry for each committee.
        is_chair: whether only the one who chairs the committee is meant.
        is_plural: whether several names are asked for.
    """

    office: Office | None = None
    areas: tuple[frozenset[str], ...] = ()
    is_chair: bool = False
    is_plural: bool = False

    @property
    def called(self) -> str:
        """What is asked for, in words."""
        if self.office is not None:
            return self.office.id
        committees = ", ".join(" and ".join(sorted(words)) for words in self.areas)
        return f"{'chair' if self.is_chair else 'members'} of the {committees} committee"

    def seats_in(self, known: ReportFacts) -> tuple[Seat, ...]:
        """Those who are asked for, each once; none where the report does not name those of one of the committees."""
        if self.office is not None:
            return tuple(seat for seat in known.holders(self.office.id) if seat.confidence != "low")
        role = "chair" if self.is_chair else "member"
        found = [known.holders(role, body_of(areas)) for areas in self.areas]
        return tuple({seat.name: seat for seats in found for seat in seats}.values()) if all(found) else ()


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
        found = [(match, o) for o in load_offices() if o.asked and (match := o.in_questions.search(part))]
        if not found:
            continue
        match, office = max(found, key=lambda pair: (len(pair[0][0]), -pair[0].start()))
        is_plural = re.search(r"(?:s|ies|with)\b", match[0]) is not None
        return PartyAsked(office=office, is_plural=is_plural)
    return None


def successors_asked(text: str, known: ReportFacts) -> tuple[Seat, ...]:
    """Those who are to take an office that a question names, where it asks for them: who holds it is no answer."""
    roles = {role for role, office in IN_ANY_CASE.items() if office.search(text)} if _NEXT.search(text) else set()
    return tuple(seat for seat in known.seats if seat.is_next and seat.role in roles)


def asks_who_is_next(text: str) -> bool:
    """Whether a question asks who will hold an office."""
    return _NEXT.search(text) is not None and any(office.search(text) for office in IN_ANY_CASE.values())


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

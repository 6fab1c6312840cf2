"""Whom a question asks for: a company secretary, a committee's members, the next in an office, the largest holders."""

import re
from decimal import Decimal

from indexes.roles.committees import body_of, committee_areas
from indexes.roles.holders import NETWORK
from indexes.roles.offices import IN_ANY_CASE, Office, load_offices
from storage.lexicon.money import PERCENT_SAID
from storage.lexicon.names import LEAVES_OFFICE, NAME_IN_QUESTION, TAKES_OFFICE
from storage.lexicon.periods import SMALL_NUMBERS, without_periods
from storage.lexicon.words import any_of, expression
from storage.records.facts import SHAREHOLDER, HolderList, ReportFacts, Role, Seat
from storage.records.record import Record
from storage.text import plain, stems

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
_PRICE_ASKED = expression(
    r"(?i)\b(?:pa(?:y|id)|price|consideration|spen[dt]|cost)\b(?!.{0,40}\b(?:costs|fees|expenses|amortis|amortiz)\b)"
)
LEAVES, JOINS = expression(LEAVES_OFFICE), expression(TAKES_OFFICE)
_BODIES = stems("supervisory advisory committee council")
BOARD, _MANAGEMENT = stems("board director"), stems("management executive officer")
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


def offices_next(text: str) -> tuple[Role, ...]:
    """The offices of which a question asks who will hold them; none where it asks for no such thing."""
    return offices_in(text) if _NEXT.search(text) else ()


def offices_in(text: str) -> tuple[Role, ...]:
    """The chief offices that a text names."""
    return tuple(role for role, office in IN_ANY_CASE.items() if office.search(text))


class MovesAsked(Record):
    """Which changes of leadership a question asks for; empty where any.

    Attributes:
        offices: that somebody takes or leaves.
        is_of_board, is_of_management: whether it says so.
        bodies: the stems of the words that tell a body from others, such as the supervisory board.
        leaves, joins: whether it asks who goes, or who comes; where neither, both count.
        said: the stems of its other words, the names of people among them.
    """

    offices: tuple[Role, ...] = ()
    is_of_board: bool = False
    is_of_management: bool = False
    bodies: frozenset[str] = frozenset()
    leaves: bool = False
    joins: bool = False
    said: frozenset[str] = frozenset()

    @classmethod
    def in_text(cls, text: str) -> "MovesAsked":
        """What a question, without its company and its time, asks for."""
        said = stems(text)
        return cls(
            offices=offices_in(text),
            is_of_board=bool(said & BOARD),
            is_of_management=bool(said & _MANAGEMENT),
            bodies=said & _BODIES,
            leaves=LEAVES.search(text) is not None,
            joins=JOINS.search(text) is not None,
            said=stems(without_moves(text)),
        )

    @property
    def ways(self) -> tuple[re.Pattern[str], ...]:
        """How sentences say what is asked for."""
        asked = tuple(way for way, is_asked in ((LEAVES, self.leaves), (JOINS, self.joins)) if is_asked)
        return asked or (LEAVES, JOINS)


def bought_in(text: str) -> frozenset[str]:
    """The stems of what is named in a question for its price; none where it asks for no price.

    Args:
        text: of the question, without its company and its periods.
    """
    return stems(" ".join(NAME_IN_QUESTION.findall(text))) if _PRICE_ASKED.search(text) else frozenset()


def without_moves(text: str) -> str:
    """A text without offices, and without the words for who takes and leaves them."""
    for office in IN_ANY_CASE.values():
        text = office.sub(" ", text)
    return LEAVES.sub(" ", JOINS.sub(" ", text))


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


_FROM = expression(
    r"(?P<than>more than|over|above|exceed(?:s|ing|ed)?|greater than|mehr als|über|plus d[e']|más del?|più de?l?|>)? ?"
    rf"(?P<share>\d{{1,2}}(?:[.,]\d+)?|{any_of(SMALL_NUMBERS)}) ?{PERCENT_SAID}"
)
_COUNTED = expression(rf"\b(?:(?P<digits>\d{{1,2}})|(?P<word>{any_of(SMALL_NUMBERS.keys() - {'one'})}))\b")
_IN_CONTROL = expression(r"\b(?:control(?:s|led|ling)?|majority)\b")
_HALF, _OF_LAW, _LOWER_LAW = Decimal(50), Decimal(5), Decimal(3)


_FIRM = expression(rf"\b{NETWORK}\b", re.IGNORECASE)
_OF_AUDIT = expression(r"\baudit", re.IGNORECASE)


def firm_named(text: str) -> str:
    """The firm of a network that a question about an audit names; empty where it names none."""
    found = _FIRM.search(text) if _OF_AUDIT.search(text) else None
    return found[0] if found else ""


def with_auditor(text: str) -> str:
    """A question about an audit with "the auditor" for the firm that it names."""
    firm = firm_named(text)
    return text.replace(firm, "the auditor") if firm else text


class HoldersAsked(Record):
    """Which holders of a company's shares a question asks for.

    Attributes:
        count: how many of the largest; None for all that the report lists.
        is_one: whether the largest alone is asked for.
        least: the share from which on, in percent; None for any.
        is_above: whether a holder of just that share is none of them.
    """

    count: int | None = None
    is_one: bool = False
    least: Decimal | None = None
    is_above: bool = False

    @classmethod
    def in_text(cls, text: str, *, is_one: bool) -> "HoldersAsked":
        """What a question about the holders of shares asks for.

        Args:
            text: of the question, without the company's name.
            is_one: whether it wants one name.
        """
        lower = without_periods(plain(text)).lower()
        limit = _FROM.search(lower)
        counted = _COUNTED.search(lower) if limit is None else None
        count = (int(counted["digits"] or SMALL_NUMBERS[counted["word"]])) if counted else None
        is_in_control = limit is None and _IN_CONTROL.search(lower) is not None
        return cls(
            count=count,
            is_one=is_one and count is None and limit is None,
            least=_HALF if is_in_control else _number(limit["share"]) if limit else None,
            is_above=is_in_control or (limit is not None and bool(limit["than"])),
        )

    def seats_in(self, known: ReportFacts) -> tuple[Seat, ...]:
        """Those who are asked for, the largest first; none where the report's lists do not go so far."""
        for kind in _LISTS:
            held = sorted(known.holders(SHAREHOLDER, kind), key=lambda seat: -(seat.share or 0))
            if not held or not self._is_within(held):
                continue
            wanted = [seat for seat in held if self.least is None or self._is_large(seat.share or Decimal(0))]
            return tuple(_of_the_largest(wanted) if self.is_one and wanted else wanted[: self.count])
        return ()

    def _is_within(self, held: list[Seat]) -> bool:
        """Whether a list has all who are asked for."""
        smallest = held[-1].share or Decimal(0)
        if self.count is not None:
            return self.count <= len(held)
        if self.least is None or smallest <= self.least:
            return True
        return self.least >= (_LOWER_LAW if smallest < _OF_LAW else _OF_LAW)

    def _is_large(self, share: Decimal) -> bool:
        least = self.least or Decimal(0)
        return share > least if self.is_above else share >= least


_LISTS: tuple[HolderList, ...] = ("substantial", "largest")


def _of_the_largest(held: list[Seat]) -> list[Seat]:
    """The largest; of two with one share, who stands under a heading of large holders: one holds for the other."""
    first = [seat for seat in held if seat.share is not None and seat.share == held[0].share]
    large = [seat for seat in first if any(sign in seat.title for sign in ("5%", "5 %", "holders"))]
    return large if len(large) == 1 else first


def _number(text: str) -> Decimal:
    return Decimal(SMALL_NUMBERS.get(text, 0) or text.replace(",", "."))

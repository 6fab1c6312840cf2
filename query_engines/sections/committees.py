"""Who sits on a committee, and who chairs it, as sentences of a report say."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexes.roles.holders import Holder
from indexes.roles.people import NAME
from query_engines.question.functions import PartyAsked, committee_areas
from query_engines.sections.people import is_name
from storage.lexicon.names import DEGREE
from storage.lexicon.periods import SMALL_NUMBERS
from storage.lexicon.words import any_of, expression
from storage.records.pages import Page
from storage.text import plain

_COMMITTEE = r"(?P<committee>(?:[A-Za-z&]{1,20}+,? (?:and |& )?){1,5})[Cc]ommittee"
_NOW = r"(?:(?:currently|now|presently|is|was|are|were|has been|shall|will|at present|throughout the year|also) ){0,3}"
_CONSISTS = (
    rf"{_NOW}(?:consist(?:s|ed|ing)?|compos(?:ed|es)|compris(?:ed|es|ing)|made up)(?: solely| entirely)?(?: of)?"
)
_MEMBERS = r"(?P<members>[^;]{5,400}?)(?<!Mr)(?<!Ms)(?<!Mrs)(?<!Dr)(?<! [A-Z])(?:\.(?= |$)|;|$)"
_FORMS = (
    expression(
        rf"\b{_COMMITTEE}(?: of (?:the|our) [Bb]oard(?: of [Dd]irectors)?)?,? (?:which )?{_CONSISTS} {_MEMBERS}"
    ),
    expression(rf"\b[Mm]embers of (?:the|our|its) {_COMMITTEE} {_NOW}(?:are|were|include)?:? ?{_MEMBERS}"),
)
_PERSON = expression(
    rf"(?:(?P<honour>Mr|Ms|Mrs|Miss|Dr|Prof|Sir|Dame)\.? (?P<last>[A-Z][\w'’-]++)(?! [A-Z])|{NAME})"
)
_CHAIR = expression(r"\b[Cc]hair(?:man|woman|person)?\b")
_IN_BRACKETS = expression(r" ?\((?:the )?(?:Committee )?[Cc]hair(?:man|woman|person)?\)")
_BETWEEN = expression(r",? and (?=[A-Z])|[,;] ?|\s\u2022\s?| \u2013 ")
_DEGREE = expression(rf"(?:{DEGREE}|Jr|Sr|II|III)\b")
_COUNTED = expression(rf"\b(?:{any_of(SMALL_NUMBERS.keys() - {'one'})})\b", re.IGNORECASE)
_ONE = r"(?P<who>[A-Z][^.;,]{3,40}(?:\. [A-Z][\w]+)?)"
_OFFICE = r"[Cc]hair(?:man|woman|person)?"
_CHAIRED = (
    expression(rf"\b{_COMMITTEE},? (?:which )?(?:is|was) chaired by (?P<who>[^.;]{{4,80}})"),
    expression(rf"{_ONE},? (?:is|serves as|acts as)(?: also)? (?:the )?{_OFFICE} of (?:the|our|its) {_COMMITTEE}"),
    expression(rf"{_ONE},? chairs (?:the|our|its) {_COMMITTEE}"),
    expression(rf"\b{_OFFICE} of (?:the|our|its) {_COMMITTEE}(?:,| is| was|:) (?P<who>[^.;]{{4,60}})"),
)
_MOST = 12  # members


@dataclass(frozen=True)
class _Seat:
    name: str
    is_chair: bool


def members_in(asked: PartyAsked, pages: Sequence[Page]) -> list[Holder]:
    """The members, or the chairs, of the committees that a question names, in the order of the page.

    The first sentence about a committee that names two people or more counts. None where one of several
    committees is not found.
    """
    ordered = sorted(pages, key=lambda page: page.page_number)
    full = _full_names(ordered)
    found: list[Holder] = []
    for areas in asked.areas:
        own = _chair(areas, ordered, full) if asked.is_chair else _members(areas, ordered, full)
        if not own:
            return []
        found += own
    return list({holder.name: holder for holder in found}.values())


def _members(areas: frozenset[str], pages: Sequence[Page], full: dict[str, str]) -> list[Holder]:
    for page, match in _found(_FORMS, areas, pages):
        seats = _seats(match["members"], full)
        if 1 < len(seats) <= _MOST:
            return [Holder(seat.name, match[0][:300], page, 1) for seat in seats]
    return []


def _chair(areas: frozenset[str], pages: Sequence[Page], full: dict[str, str]) -> list[Holder]:
    for page, match in _found((*_CHAIRED, *_FORMS), areas, pages):
        said = match.groupdict()
        is_list = "members" in said
        seats = _seats(said["members" if is_list else "who"], full)
        chairs = [seat for seat in seats if seat.is_chair] if is_list else seats[:1]
        if len(chairs) == 1:
            return [Holder(chairs[0].name, match[0][:300], page, 1)]
    return []


def _found(
    forms: Sequence[re.Pattern[str]], areas: frozenset[str], pages: Sequence[Page]
) -> Iterator[tuple[Page, re.Match[str]]]:
    """The sentences of the pages that say it of the committee of these areas."""
    for page in pages:
        for block in page.blocks:
            text = plain(block.text) if block.table is None and "ommittee" in block.text else ""
            matches = (match for form in forms for match in form.finditer(text))
            yield from ((page, match) for match in matches if committee_areas(match["committee"]) == areas)


def _seats(who: str, full: dict[str, str]) -> list[_Seat]:
    """The people that a text lists, with full names where only the last ones stand; none where one is not read."""
    lead, colon, listed = who.partition(": ")
    said = _COUNTED.search(lead if colon else who)
    text = _IN_BRACKETS.sub(", chair, ", listed if colon else who)
    seats: list[_Seat] = []
    for item in filter(None, (part.strip() for part in _BETWEEN.split(text))):
        match = _PERSON.match(item)
        if match is not None:
            name = match["name"] or full.get(match["last"], f"{match['honour']}. {match['last']}")
            if match["name"] and not is_name(name):
                return []
            seats.append(_Seat(name, _CHAIR.search(item[match.end() :]) is not None))
        elif (seats and _CHAIR.search(item) and not item[0].isupper()) or (_CHAIR.fullmatch(item) and seats):
            seats[-1] = _Seat(seats[-1].name, True)
        elif (item[0].isupper() and not _DEGREE.match(item)) or _PERSON.search(item):
            return []
    is_whole = said is None or SMALL_NUMBERS[said[0].lower()] == len(seats)
    return seats if is_whole else []


def _full_names(pages: Sequence[Page]) -> dict[str, str]:
    """The full name of each last name, where the pages have only one such person."""
    counts: dict[str, Counter[str]] = {}
    for page in pages:
        for block in page.blocks:
            for match in re.finditer(NAME, plain(block.text)):
                if is_name(match["name"]):
                    counts.setdefault(match["name"].split()[-1], Counter())[match["name"]] += 1
    return {
        last: names.most_common(1)[0][0]
        for last, names in counts.items()
        if len({name.split()[0] for name in names}) == 1 or names.most_common(1)[0][1] > 2
    }

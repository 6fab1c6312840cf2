"""Who sits on the committees of a board, and who chairs them, as sentences of a report say."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexes.roles.names import NAME, full_names, is_name
from storage.lexicon.names import DEGREE
from storage.lexicon.periods import SMALL_NUMBERS
from storage.lexicon.words import any_of, expression
from storage.records.facts import Seat
from storage.records.pages import Page
from storage.text import plain

_AREAS = expression(
    r"\b(?:audit|compensation|remuneration|nominati(?:on|ng)s?|nominations|governance|risk|compliance|investment"
    r"|management engagement|valuation|disclosure|sustainability|technology|science|finance|credit|asset|esg|hr"
    r"|human (?:resources|capital)|safety)\b"
)
_SAME_AREA = dict.fromkeys(("nominating", "nominations", "nominatings"), "nomination") | {
    "remuneration": "compensation"
}
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
_LONGEST = 300  # letters of a quote


@dataclass(frozen=True)
class _Member:
    name: str
    is_chair: bool


def committee_areas(text: str) -> frozenset[str]:
    """The areas that the name of a committee says: audit and risk of "Audit & Risk Committee"."""
    return frozenset(_SAME_AREA.get(word, word) for word in _AREAS.findall(text.lower()))


def body_of(areas: frozenset[str]) -> str:
    """What a seat of a committee has as its body."""
    return " ".join(sorted(areas))


def committees_of(pages: Sequence[Page]) -> list[Seat]:
    """The members of each committee, as the first sentence lists them that names two people or more; and its chair."""
    full = full_names(pages)
    members, chairs = dict[str, list[Seat]](), dict[str, list[Seat]]()
    for page, match in _said(pages):
        body = body_of(committee_areas(match["committee"]))
        said = match.groupdict()
        is_list = "members" in said
        found = _members(said["members" if is_list else "who"], full)
        chair = [member for member in found if member.is_chair] if is_list else found[:1]
        if body and is_list and 1 < len(found) <= _MOST:
            members.setdefault(body, [_seat("member", member, body, page, match[0]) for member in found])
        if body and len(chair) == 1:
            chairs.setdefault(body, [_seat("chair", chair[0], body, page, match[0])])
    return [seat for seats in (*members.values(), *chairs.values()) for seat in seats]


def _seat(role: str, member: _Member, body: str, page: Page, quote: str) -> Seat:
    return Seat(
        name=member.name,
        role=role,
        body=body,
        report_sha1=page.report_sha1,
        page_number=page.page_number,
        quote=quote[:_LONGEST],
    )


def _said(pages: Sequence[Page]) -> Iterator[tuple[Page, re.Match[str]]]:
    """The sentences of the pages that say of a committee who chairs it, or of whom it consists."""
    for page in sorted(pages, key=lambda page: page.page_number):
        for block in page.blocks:
            text = plain(block.text) if block.table is None and "ommittee" in block.text else ""
            yield from ((page, match) for form in (*_CHAIRED, *_FORMS) for match in form.finditer(text) if text)


def _members(who: str, full: dict[str, str]) -> list[_Member]:
    """The people that a text lists, with full names where only the last ones stand; none where one is not read."""
    lead, colon, listed = who.partition(": ")
    said = _COUNTED.search(lead if colon else who)
    text = _IN_BRACKETS.sub(", chair, ", listed if colon else who)
    found: list[_Member] = []
    for item in filter(None, (part.strip() for part in _BETWEEN.split(text))):
        match = _PERSON.match(item)
        if match is not None:
            name = match["name"] or full.get(match["last"], f"{match['honour']}. {match['last']}")
            if match["name"] and not is_name(name):
                return []
            found.append(_Member(name, _CHAIR.search(item[match.end() :]) is not None))
        elif (found and _CHAIR.search(item) and not item[0].isupper()) or (_CHAIR.fullmatch(item) and found):
            found[-1] = replace(found[-1], is_chair=True)
        elif (item[0].isupper() and not _DEGREE.match(item)) or _PERSON.search(item):
            return []
    is_whole = said is None or SMALL_NUMBERS[said[0].lower()] == len(found)
    return found if is_whole else []

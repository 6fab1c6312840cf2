"""Finds the people who hold offices: names beside titles in signatures, certificates, tables, lists and sentences."""

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from indexes.roles.names import (
    HONOURS,
    NAME,
    NAME_PART,
    bare_name,
    fullest,
    in_mixed_case,
    is_name,
    may_be_name,
    short_name,
)
from indexes.roles.offices import CHIEFS, HAS_POSITION, IN_ANY_CASE, POSITION, Office, load_offices
from storage.lexicon.calendar import ENGLISH_DATE
from storage.lexicon.names import FORM_IN_SENTENCES, names_a_place
from storage.lexicon.words import ITSELF, expression
from storage.records.facts import Confidence, Seat
from storage.records.pages import Block, Page
from storage.records.record import Box
from storage.text import plain

_BESIDE = (  # what stands between a name and its title, and between two titles of one name
    r"(?:[,;:(|/\u2013-]| |\n|age \d\d|\d\d|and|&|our|the|its|as|is|was|Company(?:'s|’s)?|Co-?[Ff]ounder|Founder"
    r"|Vice|Board|of|Executive|Representative|Outside|External|Deputy|Corporate|Principal|Officer|Group|PhD|Ph\.D\.?"
    rf"|M\.?D\.?|MBA|CPA|FCA|[JS]r\.?|appointed|Global|Lead|Independent|member|{POSITION})"
)
_TOO = r"(?:President|Director|Managing Director|Executive Director|Board Member|Founder|Co-Founder)"
_OWN = r"(?:(?:the|our|its|their|a) )?(?:(?:group|company|firm|bank|trust)(?:['’]s)? )?"
_NAME = expression(NAME)
_LONGEST_ENTRY, _FEWEST_ENTRIES, _SHORTEST = 90, 3, 6  # letters; lines; letters
_ALONE = expression(r"[\s|,.:;/s-]*")
_DIVISION = expression(
    r"^,? (?!Director|Chair|President|Principal|Board|Member|Executive|Chief|Managing|Secretary|Treasurer|Founder|Co-)"
    r"(?!C[EFO]O\b)(?:of )?[A-Z][A-Za-z]+"
)
_NEXT_WORD = expression(r" [A-Z]\w+(?![\w,])")
_FORMER = expression(
    r"(?i)\b(?:former(?:ly)?|previous(?:ly)?|until|resigned|retired|prior to|ex-"
    r"|stepped down|predecessor|succeed(?:ed)?|deputy|assistant to|deceased|ceased"
    r"|served as|worked as|was (?:the )?|past)\s?\W*$"
)
_NOT_IT = expression(r"(?i)\bformer|\bwas\b|\b(?:deputy|assistant|vice)\s*$")  # between a name and its title
_ELSEWHERE = expression(
    rf"^,? ?(?:of|at|for) (?!the {ITSELF}|our |Directors\b|[^.;]{{0,20}}\bsince\b)(?:the )?[A-Z]"
)
_FIRM_ABOVE = expression(rf"(?:{FORM_IN_SENTENCES}|GmbH)\.? (?:{HONOURS})?$")
_OF_COMMITTEE = expression(
    r"(?i)^(?: (?:of|to)|,) (?:the |our |its )?[^.;,|()]{0,50}\bcommittee\b"
)  # behind "chair"
_IN_COMMITTEE = expression(r"(?i)\bcommittee\b[^.;|()]{0,30}$")  # before it, or before its holder's name
_SECOND_OFFICE = expression(r"^,? (?:and|&) Chief (?:[A-Z][a-z]+ ){1,2}Officer(?=$|[.,;|()])")
_GOES_ON = expression(r"^\W*Officer\b")
_DATE = expression(ENGLISH_DATE, re.IGNORECASE)
_NO_EXECUTIVE = expression(
    r"(?i)\bno (?:employees[^.]{0,40}|(?:requirement|need) for an? )?(?:chief executive"
    r"|executive directors)|does not have (?:a|any) (?:chief executive|executive)"
    r"|no chief executive|is required for the company\b|employees, chief executive"
    r" or executive"
)
_CERTIFIES = expression(rf"\bI, {NAME}, (?:hereby )?certify")
_EXECUTIVE = expression(r"(?i)chief executive|principal executive")
_FINANCIAL = expression(r"(?i)(?:chief|principal) financial officer(?! or)")
_OTHERS = expression(r"(?i)other certifying officers?")
_TAKES = expression(
    rf"{NAME}"
    r"(?:,[^,.;]{1,60},)? (?:(?:is|are) (?:expected |planned |due )?to|will|shall) "
    r"(?:become|be (?:appointed|named|elected|the)|succeed|take over|assume|join|replace|serve as)\b"
    r"(?P<office>[^.;]{0,120})"
)
_HEADS_OF_PARTS = {"Managing Director", "President", "Finance Director"}  # divisions have such officers, too
_LEAST_VOTES, _CERTAIN, _HIGH = 3.0, 12.0, 8.0
_SHORT_REPORT, _LEAST_IN_SHORT = 20, 1.5  # pages; in so short a report each officer may be named once
_MEANWHILE = expression(r"\b(?:Interim|Acting)\b")
_MEANWHILE_SHARE = 0.3  # of the votes that call an officer so
_ALONE_WEIGHT = 3.0  # a name and a title alone on one or two lines, as under a letter
_QUOTED = 240  # letters
_MOST_ALONE = 3  # words of a name that is printed alone


@dataclass(frozen=True)
class _Vote:
    name: str
    title: str
    weight: float
    of: "_Text"
    is_certificate: bool = False


class _Text(NamedTuple):
    """A text that is read alone: a block, a line, a row, or two of them that stand together."""

    text: str
    box: Box | None
    page: Page


class _Forms:
    """The forms in which a text names the holders of offices."""

    def __init__(self, offices: Sequence[Office]) -> None:
        title = "|".join(office.in_print for office in offices)
        self._roles = {office.id: re.compile(office.in_print, re.IGNORECASE) for office in offices}
        self.title = re.compile(rf"\b(?:{title})\b(?!')")
        self.first = re.compile(
            rf"{NAME}{_BESIDE}{{0,12}}?(?P<title>{title})\b(?!')(?P<more>(?:{_BESIDE}|{title}){{0,12}})"
        )
        self.last = re.compile(
            rf"(?P<title>(?:{title})(?:,? (?:and|&) (?:{_TOO}|{title})){{0,4}})[,:|]? (?:\| )?(?:/s/ )?{NAME}"
        )
        self.said = (
            re.compile(
                rf"{NAME} (?:is|serves as|remains|became|acts as|was appointed(?: as)?|has (?:been|served as)) {_OWN}"
                rf"(?P<title>(?i:{title}))"
                r"(?=[.,;]| of the | and |$)"
            ),
            re.compile(
                rf"\b(?:The|Our|Its|the|our|its) (?:(?:group|company)(?:['’]s)? )?(?P<title>(?i:{title}))"
                rf"(?: of (?:the (?:group|company)|{NAME_PART}(?: {NAME_PART}){{0,4}}))? is {NAME}"
            ),
        )

    def roles(self, title: str) -> list[str]:
        """The offices that a title is."""
        return [role for role, pattern in self._roles.items() if pattern.fullmatch(title.strip())]


@functools.cache
def _forms() -> _Forms:
    return _Forms([office for office in load_offices() if office.holder == "person"])


def officers_of(pages: Sequence[Page], company: str) -> list[Seat]:
    """The officers of the reported period, at most one for each office, with the best page as evidence."""
    texts = [text for page in pages for text in _texts(page)]
    votes = defaultdict[str, list[_Vote]](list)
    for role, vote in _without_joined([*_votes(texts, company)]):
        votes[role].append(vote)
    found: list[Seat] = []
    for office in load_offices():
        own = votes[office.id]
        says_none = office.id == "chief_executive" and any(_NO_EXECUTIVE.search(text.text) for text in texts)
        if own and not (says_none and sum(vote.weight for vote in own) < _CERTAIN):
            is_seldom_named = len(pages) <= _SHORT_REPORT or not office.is_chief
            least = _LEAST_IN_SHORT if is_seldom_named else _LEAST_VOTES
            found += _elected(own, office.id, least)
    return found


def successors_of(told: Iterable[tuple[int, str]], report_sha1: str) -> Iterator[Seat]:
    """Who is to take an office, as sentences say; each comes with the number of its page."""
    for number, text in told:
        match = _TAKES.search(text)
        if match is None or not may_be_name(match["name"]):
            continue
        for role in (role for role, office in IN_ANY_CASE.items() if office.search(match["office"])):
            yield Seat(
                name=match["name"],
                role=role,
                is_next=True,
                report_sha1=report_sha1,
                page_number=number,
                quote=text,
            )


def _texts(page: Page) -> list[_Text]:
    """Blocks as running text; tables row by row; small neighbouring blocks also joined, as in signatures."""
    found: list[tuple[str, Box | None]] = []
    for block in page.blocks:
        if block.table is not None:
            grid = block.table.grid()
            found += [(" | ".join(c for c in row if c.strip()), block.box) for row in grid]
            found += [(f"{' '.join(a)} | {' '.join(b)}", block.box) for a, b in itertools.pairwise(grid)]
        elif _is_list(block):
            found += [(line.text, block.box) for line in block.lines]
        else:
            found.append((block.text, block.box))
            lines = [plain(line) for line in block.text.splitlines()]
            found += [
                (f"{a} | {b}", block.box) for a, b in itertools.pairwise(lines) if len(a) < 60 and len(b) < 120
            ]
    small = [b for b in page.blocks if b.table is None and len(b.text) < 120]
    found += [(f"{plain(a.text)} | {plain(b.text)}", a.box) for a, b in itertools.pairwise(small)]
    return [_Text(plain(text), box, page) for text, box in found if len(text) >= _SHORTEST]


def _is_list(block: Block) -> bool:
    """Whether most lines have each another person's name and an office: such lines stand for themselves."""
    lines = [plain(line.text) for line in block.lines]
    entries = [line for line in lines if len(line) < _LONGEST_ENTRY and HAS_POSITION.search(line)]
    names = {found["name"] for line in entries if (found := _NAME.search(line))}
    return len(names) >= _FEWEST_ENTRIES and 2 * len(names) > len(lines)


def _votes(texts: Sequence[_Text], company: str) -> Iterator[tuple[str, _Vote]]:
    """What each text says of who holds which office."""
    forms = _forms()
    for text in texts:
        for match in (match for form in forms.said for match in form.finditer(text.text)):
            if may_be_name(match["name"]) and _is_of_itself(match[0], company):
                for role in forms.roles(match["title"]):
                    yield role, _Vote(match["name"], match["title"], _ALONE_WEIGHT, text)
        mixed = in_mixed_case(text.text)
        if not forms.title.search(mixed):
            continue
        yield from _of_titles(mixed, text, company)
    yield from _certified(texts)


def _is_of_itself(said: str, company: str) -> bool:
    """Whether a sentence about an officer names no other company: "the chief executive of Acme Bank is ..."."""
    whose = said.partition(" of ")[2].partition(" is ")[0]
    return not whose[:1].isupper() or whose.lower() in company.lower()


def _certified(texts: Sequence[_Text]) -> Iterator[tuple[str, _Vote]]:
    """Who certifies a report, on a page that has the title of a chief executive and of no financial officer."""
    for _, group in itertools.groupby(texts, key=lambda text: text.page.page_number):
        own = list(group)
        whole = " ".join(text.text for text in own)
        if _EXECUTIVE.search(whole) and not _FINANCIAL.search(_OTHERS.sub("", whole)):
            for text in own:
                match = _CERTIFIES.search(in_mixed_case(text.text))
                if match is not None and may_be_name(match["name"]):
                    yield "chief_executive", _Vote(match["name"], "Chief Executive Officer", 6.0, text, True)


def _of_titles(mixed: str, text: _Text, company: str) -> Iterator[tuple[str, _Vote]]:
    """What the names beside titles say: a title belongs to the name before it, else to the one behind it."""
    forms, taken = _forms(), 0
    following, leading = [*forms.first.finditer(mixed)], forms.last.search(mixed)
    is_led = leading is not None and (not following or leading.start() < following[0].start())
    for match in following:
        titles = [*forms.title.finditer(mixed, match.end("name"), match.end())]
        if _NAME.match(mixed, match.end()) is not None:
            if is_led:
                continue  # "our CEO, Ann Lee, our CFO, Bob Roe": each title is that of the name behind it
            if forms.first.match(mixed, match.end()) is None:
                titles = titles[: max(1, len(titles) - 1)]
        taken = titles[-1].end()
        yield from _vote_each(match, titles, text, company, 4.0 if _is_formal(text.text) else 2.0)
    for match in forms.last.finditer(mixed, 0 if is_led else taken):
        titles = [*forms.title.finditer(mixed, match.start(), match.end("title"))]
        if is_name(bare_name(match["name"])):
            yield from _vote_each(match, titles, text, company, 1.5)


def _vote_each(
    match: re.Match[str], titles: Sequence[re.Match[str]], of: _Text, company: str, weight: float
) -> Iterator[tuple[str, _Vote]]:
    """The votes of a name for each office that its titles are, once for each."""
    text, ends = of.text, max(titles[-1].end(), match.end("name"))
    if _ALONE.fullmatch(text[: match.start()] + text[ends:]):
        weight = max(weight, _ALONE_WEIGHT)
    said = {role: vote for title in reversed(titles) for role, vote in _vote(match, title, of, company, weight)}
    yield from said.items()


def _vote(
    match: re.Match[str], title: re.Match[str], of: _Text, company: str, weight: float
) -> Iterator[tuple[str, _Vote]]:
    """What a name and a title beside it say, unless it is another time's, another company's or a committee's."""
    text, name = of.text, bare_name(match["name"])
    if not may_be_name(name) or name.lower() in company.lower():
        return
    ends = max(title.end(), match.end("name"))
    lead, tail = text[max(0, match.start() - 30) : match.start()], text[ends : ends + 60]
    between = text[match.end("name") : title.start()]
    if _FORMER.search(lead) or _NOT_IT.search(between) or _is_of_committee(match, title, text):
        return
    place = _NEXT_WORD.match(tail)
    of_a_part = (title[0] in _HEADS_OF_PARTS and _DIVISION.match(tail)) or (place and names_a_place(place[0]))
    is_elsewhere = _ELSEWHERE.match(tail) or _FIRM_ABOVE.search(lead)
    if of_a_part or (is_elsewhere and company.split()[0].lower() not in f"{lead} {tail}".lower()):
        weight *= 0.15
    called = _to_its_end(title[0], name, text[title.end() :])
    if (meanwhile := _MEANWHILE.search(between)) and not _MEANWHILE.match(called):
        called = f"{meanwhile[0]} {called}"
    for role in _forms().roles(title[0]):
        if role in CHIEFS or is_name(name):
            yield role, _Vote(name, called, weight, of)


def _is_of_committee(match: re.Match[str], title: re.Match[str], text: str) -> bool:
    """Whether the chair is that of a committee."""
    if not title[0].lower().startswith(("chair", "independent chair")):
        return False
    lead, behind = text[max(0, match.start() - 60) : match.start()], text[title.end() : title.end() + 80]
    return _IN_COMMITTEE.search(lead) is not None or _OF_COMMITTEE.match(behind) is not None


def _to_its_end(title: str, name: str, rest: str) -> str:
    """A title with a second office of a chief, and with the word that its line has no room for.

    Args:
        title: as it was found.
        name: of who holds it, which is printed again below a signature.
        rest: the text behind the title; the day of a signature stands between the lines of a title.
    """
    if second := _SECOND_OFFICE.match(rest):
        return title + second[0].rstrip()
    below = _DATE.sub(" ", rest, count=1).strip().removeprefix(name)
    return f"{title} Officer" if title.endswith("Chief Executive") and _GOES_ON.match(below) else title


def _is_formal(text: str) -> bool:
    return "/s/" in text or "principal executive officer" in text.lower()


def _without_joined(votes: Sequence[tuple[str, _Vote]]) -> list[tuple[str, _Vote]]:
    """Without votes of names that ran together ("Ann Lee Bob Roe"): one of them is also printed alone."""
    alone = {vote.name for _, vote in votes if len(vote.name.split()) <= _MOST_ALONE}
    return [(role, vote) for role, vote in votes if not _is_joined(vote.name, alone)]


def _is_joined(name: str, alone: Collection[str]) -> bool:
    parts = name.split()
    ends = (" ".join(cut) for at in range(2, _MOST_ALONE + 1) for cut in (parts[:at], parts[-at:]))
    return len(parts) > _MOST_ALONE and any(end in alone for end in ends)


def _elected(votes: Sequence[_Vote], role: str, least: float) -> Iterator[Seat]:
    """The name with most votes; forms that differ in initials or titles of honour count as one person."""
    totals = defaultdict[tuple[str, str], float](float)
    for vote in votes:
        totals[short_name(vote.name)] += vote.weight
    ranked = sorted(totals.items(), key=lambda item: -item[1])
    (best, most), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    if most < least:
        return
    own = [v for v in votes if short_name(v.name) == best]
    first = max(own, key=lambda v: v.weight)
    named = [v for v in own if not v.is_certificate]  # a certificate has no words for how long
    meanwhile = [v for v in named if _MEANWHILE.match(v.title)]
    if meanwhile and sum(v.weight for v in meanwhile) >= _MEANWHILE_SHARE * sum(v.weight for v in named):
        first = max(meanwhile, key=lambda v: v.weight)
    confidence: Confidence = (
        "high" if most >= _HIGH and most >= 2 * second else "medium" if most >= 1.3 * second else "low"
    )
    yield Seat(
        name=fullest([v.name for v in own]),
        role=role,
        title=first.title,
        report_sha1=first.of.page.report_sha1,
        page_number=first.of.page.page_number,
        quote=first.of.text[:_QUOTED],
        boxes=(first.of.box,) if first.of.box else (),
        confidence=confidence,
    )

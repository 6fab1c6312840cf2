"""Finds a report's officers: names beside titles in signatures, certifications, tables and sentences."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from storage.lexicon.calendar import ENGLISH_DATE, ENGLISH_MONTHS
from storage.lexicon.words import ITSELF, expression
from storage.records.facts import Confidence, Person, Role
from storage.records.pages import Block, Page
from storage.records.record import Box
from storage.text import plain

HONOURS = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Professor|Sir|Dame|Lord)\.? )"
_UP, _LOW = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"
_TITLE_WORD = (
    r"(?:President|Chief|Chair\w*|Directors?|Executive|Managing|Vice|Senior|Group|Interim|Acting|Founder|Co-"
    r"|Representative|Independent|Outside|External|Lead|Deputy|Corporate|Principal|Member|Officer|Partner"
    r"|Secretary|Treasurer|Head|Global|General|Counsel|Non-)"
)
_PART = (
    rf"(?:[{_UP}]\.|[{_UP}][{_LOW}'’]+(?:-[{_UP}][{_LOW}]+)?|[A-Z]['’][{_UP}][{_LOW}]+|Mc[{_UP}][{_LOW}]+"
    rf"|Mac[{_UP}][{_LOW}]+|De[{_UP}][{_LOW}]+|Van[{_UP}][{_LOW}]+|[{_UP}][{_LOW}]+[{_UP}][{_LOW}]+"
    rf"|['‘\"(](?!{_TITLE_WORD}\b)[{_UP}][{_LOW}]+['’\")]|d[aeio]|del|della|dos|das|van|von|zu|ten|ter|der|den|la|le|du|bin|Jr\.?|III?)(?![{_UP}{_LOW}])"
)
NAME = (
    rf"{HONOURS}?(?P<name>(?:[A-Z]\. ?){{0,4}}[{_UP}][{_UP}{_LOW}'’-]{{0,30}}[{_LOW}]"
    rf"(?: (?!{_TITLE_WORD}\b){_PART}){{1,4}})"
)
_TITLES: dict[Role, str] = {
    "chief_executive": (
        r"(?:Group |Interim |Acting )?(?:Chief Executive(?: Officer)?|CEO|Managing"
        r" Director|Principal Executive Officer|Chair(?:man|woman|person)? of the (?:Board"
        r" of Managing Directors|Executive Board|Management Board|Group Executive))"
    ),
    "chief_financial": (
        r"(?:Group |Interim |Acting )?(?:Chief Financial Officer|CFO|Finance Director"
        r"|Principal Financial Officer)"
    ),
    "chief_operating": r"(?:Group |Interim )?(?:Chief Operating Officer|COO)",
    "chair": (
        r"(?:Independent )?(?:Executive |Non-[Ee]xecutive )?Chair(?:man|woman|person)?(?:"
        r" of the (?:Supervisory )?Board)?"
    ),
    "president": r"(?<!Vice )(?<!Vice-)President",
}
_BETWEEN = (
    r"(?:[,;:(|/\u2013-]| |\n|age \d\d|\d\d|and|&|our|the|its|as|is|was|Company(?:'s|’s)?|Co-?[Ff]ounder|Founder"
    r"|President|Chair(?:man|woman|person)?|Vice|Board|of|Directors?|Executive|Representative|Outside|External"
    r"|Deputy|Corporate|Principal|Officer|Group|Interim|Acting|Secretary|Treasurer|PhD|Ph\.D\.?|M\.?D\.?|MBA|CPA|FCA"
    r"|appointed|Global|Chief Medical Officer|Chief Scientific Officer|Principal Financial Officer|Lead"
    r"|Independent|member){0,12}?"
)
OFFICES: dict[Role, re.Pattern[str]] = {role: expression(title) for role, title in _TITLES.items()}
_NAME_FIRST: dict[Role, re.Pattern[str]] = {
    role: expression(rf"{NAME}(?P<between>{_BETWEEN})(?P<title>{title})\b(?!')") for role, title in _TITLES.items()
}
_NAME_LAST: dict[Role, re.Pattern[str]] = {
    role: expression(
        rf"(?P<title>{title})(?:,? (?:and|&) (?:President|Director|Managing Director"
        r"|Executive Director|Board Member|Founder|Co-Founder)){0,4}[,:|]? (?:\| )?(?:/s/"
        rf" )?{NAME}"
    )
    for role, title in _TITLES.items()
}
_OWN = r"(?:(?:the|our|its|their|a) )?(?:(?:group|company|firm|bank|trust)(?:['’]s)? )?"
_SAID_FIRST: dict[Role, re.Pattern[str]] = {
    role: expression(
        rf"{NAME} (?:is|serves as|remains|became|acts as) {_OWN}(?P<title>(?i:{title}))(?=[.,;]| of the | and |$)"
    )
    for role, title in _TITLES.items()
}
_SAID_LAST: dict[Role, re.Pattern[str]] = {
    role: expression(
        rf"\b(?:The|Our|Its|the|our|its) (?:(?:group|company)(?:['’]s)? )?(?P<title>(?i:{title}))"
        rf"(?: of (?:the (?:group|company)|{_PART}(?: {_PART}){{0,4}}))? is {NAME}"
    )
    for role, title in _TITLES.items()
}
_NOT_NAMES = expression(
    r"\b(?:Chief|Executive|Officer|Board|Director|Directors|Company|Group|Annual"
    r"|Report|President|Chairman|Chair|Committee|Financial|Limited|Inc|Corp|Bank"
    r"|Corporation|Principal|Date|By|Name|Title"
    rf"|The|Our|Former|{'|'.join(ENGLISH_MONTHS)}"
    r"|Senior|Vice|Independent|Non|Trust|Capital|Management|Partners|Act|Section|Table|Contents|Statement"
    r"|Statements|Remuneration|Governance|Review|Strategic|Corporate|University|Exchange|Commission|Form|United"
    r"|States|New|Incorporated|Holdings|Plc|PLC|Pursuant|Certification|Letter|Message|Secretary|Managing|Interim"
    r"|Accounting|Operating|Legal|Shareholders?|Stockholders?|Dear|Sincerely|Agreement|Employment|Award|Plan|Code"
    r"|Ethics|This|In|As|On|For|With|When|If|Each|Under|Notes?|Age|Position|Key|Personnel|Mr|Ms|Signature"
    r"|Signatures|Registrant|LLP|International|Global|Total|Investor|Relations|Services|Technologies|Class|Dated?"
    r"|Media|Deputy|Head|Advisor|Manager|Non-Executive|Other|Member|Members|Business|Performance|Compensation"
    r"|Audit|Risk|Nomination|Fees?|Salary|Base|Bonus|Share|Options?|Executives|Current|Chief's|Founder|And|Funds?"
    r"|Equity|Debt|Ventures?|Regional|Investments?|Assets?|Propert(?:y|ies)|Telephone|Email|Website|Effectiveness"
    r"|Development|Sales|Marketing|Operations|Strategy|Technology|Resources|Region|Division)\b"
)
_NATIONALITY = expression(
    r" (?:American|Australian|Austrian|Belgian|British|Canadian|Chinese|Danish|Dutch|English|Finnish|French|German"
    r"|Indian|Irish|Israeli|Italian|Japanese|Korean|Mexican|Norwegian|Polish|Portuguese|Scottish|Spanish|Swedish"
    r"|Swiss|Turkish)$"
)
_NAME = expression(NAME)
_OFFICE = expression("|".join([*_TITLES.values(), r"\bDirector\b"]))
_LONGEST_ENTRY, _FEWEST_ENTRIES = 90, 3  # letters; lines
_ALONE = expression(r"[\s|,.:;/s-]*")
_DIVISION = expression(
    r"^,? (?!Director|Chair|President|Principal|Board|Member|Executive|Chief|Managing|Secretary|Treasurer|Founder|Co-)"
    r"(?:of )?[A-Z][a-z]+"
)
_FORMER = expression(
    r"(?i)\b(?:former(?:ly)?|previous(?:ly)?|until|resigned|retired|prior to|ex-"
    r"|stepped down|predecessor|succeed(?:ed)?|deputy|assistant to|deceased|ceased"
    r"|served as|worked as|was (?:the )?|past)\s?\W*$"
)
_ELSEWHERE = expression(rf"^,? ?(?:of|at|for) (?!the {ITSELF}|our |[^.;]{{0,20}}\bsince\b)(?:the )?[A-Z]")
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
_HEADS_OF_PARTS = {"Managing Director", "President", "Finance Director"}  # divisions have such officers, too
LEAST_VOTES = 3.0
_SHORT_REPORT, _LEAST_IN_SHORT = 20, 1.5  # pages; in so short a report each officer may be named once
_MEANWHILE = expression(r"\b(?:Interim|Acting)\b")
_MEANWHILE_SHARE = 0.3  # of the votes that call an officer so
_TIGHT_INITIAL = expression(r"(?<=\b[A-Z]\.)(?=[A-Z])")
_APART, _LEAST_GAP = 2.0, 4.0  # times as far as its other neighbour; points
ALONE = 3.0  # a name and a title alone on one or two lines, as under a letter


@dataclass(frozen=True)
class _Vote:
    name: str
    title: str
    weight: float
    page_number: int
    quote: str
    box: Box | None
    is_certificate: bool = False


def people_of(pages: Sequence[Page], company: str, report_sha1: str) -> list[Person]:
    """The officers of the reported period, at most one for each role, with the best page as evidence."""
    texts = [(page, _texts(page)) for page in pages]
    found = []
    for role in OFFICES:
        votes = [v for page, blocks in texts for v in _page_votes(page, blocks, role, company)]
        if role == "chief_executive" and _says_none(texts) and sum(v.weight for v in votes) < 12:
            continue
        least = _LEAST_IN_SHORT if len(pages) <= _SHORT_REPORT else LEAST_VOTES
        person = _elected(votes, role, report_sha1, least)
        if person is not None:
            found.append(person)
    return found


def short_name(name: str) -> tuple[str, str]:
    """First and last name in lower case, without initials and titles of honour."""
    parts = [p.lower().strip(".,'’‘\"()") for p in re.sub(HONOURS, "", name).split()]
    long = [p for p in parts if len(p) > 1 and p not in ("jr", "sr", "ii", "iii")] or parts
    return long[0], long[-1]


def _texts(page: Page) -> list[tuple[str, Box | None]]:
    """Blocks as running text; tables row by row; small neighbouring blocks also joined, as in signatures."""
    found: list[tuple[str, Box | None]] = []
    for block in page.blocks:
        if block.table is not None:
            grid = block.table.grid()
            found += [(plain(" | ".join(c for c in row if c.strip())), block.box) for row in grid]
            found += [(plain(f"{' '.join(a)} | {' '.join(b)}"), block.box) for a, b in itertools.pairwise(grid)]
            continue
        if _is_list(block):
            found += [(plain(line.text), block.box) for line in block.lines]
        else:
            found.append((plain(block.text), block.box))
            lines = [plain(line) for line in block.text.splitlines()]
            found += [
                (f"{a} | {b}", block.box) for a, b in itertools.pairwise(lines) if len(a) < 60 and len(b) < 120
            ]
    small = [b for b in page.blocks if b.table is None and len(b.text) < 120]
    found += [(plain(f"{a.text} | {b.text}"), a.box) for a, b in _neighbours(small)]
    return found


def _is_list(block: Block) -> bool:
    """Whether most lines have each another person's name and an office: such lines stand for themselves."""
    lines = [plain(line.text) for line in block.lines]
    entries = [line for line in lines if len(line) < _LONGEST_ENTRY and _OFFICE.search(line)]
    names = {found["name"] for line in entries if (found := _NAME.search(line))}
    return len(names) >= _FEWEST_ENTRIES and 2 * len(names) > len(lines)


def _neighbours(blocks: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Blocks that follow each other, except where one of them belongs to another: a title to the name close above."""
    named = [_NAME.fullmatch(plain(block.text)) is not None for block in blocks]
    gaps = [
        _gap(a.box, b.box) if one != other else float("inf")
        for (a, b), (one, other) in zip(itertools.pairwise(blocks), itertools.pairwise(named), strict=True)
    ]
    for i, (a, b) in enumerate(itertools.pairwise(blocks)):
        nearest = min([*gaps[max(0, i - 1) : i], *gaps[i + 1 : i + 2]], default=gaps[i])
        if named[i] == named[i + 1] or gaps[i] <= _APART * max(nearest, _LEAST_GAP):
            yield a, b


def _gap(one: Box, other: Box) -> float:
    """Points between two boxes, along the longer way."""
    across = max(one.left, other.left) - min(one.right, other.right)
    down = max(one.top, other.top) - min(one.bottom, other.bottom)
    return max(across, down, 0.0)


def _says_none(texts: Sequence[tuple[Page, list[tuple[str, Box | None]]]]) -> bool:
    return any(_NO_EXECUTIVE.search(text) for _, blocks in texts for text, _ in blocks)


def _page_votes(page: Page, blocks: Sequence[tuple[str, Box | None]], role: Role, company: str) -> Iterator[_Vote]:
    whole = " ".join(text for text, _ in blocks)
    title, after, before = OFFICES[role], _NAME_FIRST[role], _NAME_LAST[role]
    for text, box in blocks:
        for pattern in (_SAID_FIRST[role], _SAID_LAST[role]):
            for match in pattern.finditer(text):
                if is_person(match["name"]) and _is_of_itself(match[0], company):
                    yield _Vote(match["name"], match["title"], ALONE, page.page_number, text[:240], box)
    if not title.search(whole):
        return
    yield from _certified(page, blocks, role, whole)
    for text, box in blocks:
        if len(text) < 6 or not title.search(text):
            continue
        for match in after.finditer(_decapitalised(text)):
            yield from _vote(match, text, page.page_number, box, company, 2.0 + 2.0 * _formal(text))
        for match in before.finditer(_decapitalised(text)):
            yield from _vote(match, text, page.page_number, box, company, 1.5)


def _is_of_itself(said: str, company: str) -> bool:
    """Whether a sentence about an officer names no other company: "the chief executive of Acme Bank is ..."."""
    whose = said.partition(" of ")[2].partition(" is ")[0]
    return not whose[:1].isupper() or whose.lower() in company.lower()


def _certified(page: Page, blocks: Sequence[tuple[str, Box | None]], role: Role, whole: str) -> Iterator[_Vote]:
    executive = re.search(r"(?i)chief executive|principal executive", whole)
    financial = re.search(
        r"(?i)chief financial officer|principal financial officer(?! or)",
        re.sub(r"(?i)other certifying officers?", "", whole),
    )
    if role == "chief_executive" and executive and not financial:
        for text, box in blocks:
            match = re.search(rf"\bI, {NAME}, (?:hereby )?certify", _decapitalised(text))
            if match is not None and is_person(match["name"]):
                yield _Vote(match["name"], "Chief Executive Officer", 6.0, page.page_number, text[:200], box, True)


def _vote(
    match: re.Match[str], text: str, page_number: int, box: Box | None, company: str, weight: float
) -> Iterator[_Vote]:
    name = _TIGHT_INITIAL.sub(" ", match["name"].strip())
    if len(name.split()) > 2:
        name = _NATIONALITY.sub("", name)
    first, second = name[: len(name) // 2], name[len(name) // 2 + 1 :]
    name = first if first == second else name  # below a signature it is printed again
    if not is_person(name) or name.lower() in company.lower():
        return
    lead, tail = text[max(0, match.start() - 30) : match.start()], text[match.end() : match.end() + 60]
    between = match.groupdict().get("between") or ""
    if _FORMER.search(lead) or re.search(r"(?i)\bformer|\bwas\b", between) or _is_of_committee(match, text):
        return
    if _ALONE.fullmatch(text[: match.start()] + text[match.end() :]):
        weight = max(weight, ALONE)
    of_a_part = match["title"] in _HEADS_OF_PARTS and _DIVISION.match(tail)
    if of_a_part or (_ELSEWHERE.match(tail) and company.split()[0].lower() not in tail.lower()):
        weight *= 0.15
    title = _to_its_end(match["title"], name, text[match.end("title") :])
    if (meanwhile := _MEANWHILE.search(between)) and not _MEANWHILE.match(title):
        title = f"{meanwhile[0]} {title}"
    yield _Vote(name, title, weight, page_number, text[:240], box)


def _is_of_committee(match: re.Match[str], text: str) -> bool:
    """Whether the chair is that of a committee."""
    if not match["title"].lower().startswith(("chair", "independent chair")):
        return False
    lead = text[max(0, match.start() - 60) : match.start()]
    behind = text[match.end("title") : match.end("title") + 80]
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


def _formal(text: str) -> bool:
    return "/s/" in text or re.search(r"(?i)principal executive officer", text) is not None


def is_person(name: str) -> bool:
    """Whether it can be the name of a person, by its words and their letters."""
    parts = name.split()
    whole = name.replace("-", "")  # "Cormier-May" is no month
    return len(set(parts)) == len(parts) and not _NOT_NAMES.search(whole) and len(name) < 45 and not name.isupper()


def _decapitalised(text: str) -> str:
    """The text with names in capitals rewritten in mixed case, so that one rule reads both."""
    return re.sub(
        r"\b[A-Z]{3,}\b",
        lambda m: m[0] if m[0] in ("CEO", "CFO", "COO", "PhD", "MBA", "CPA", "FCA") else m[0].title(),
        text,
    )


def _fullest(names: Sequence[str]) -> str:
    """The most frequent form of a name, among those with at most three parts and no repeated part."""
    counts = Counter(re.sub(rf"^{HONOURS}", "", name) for name in names)
    plain_forms = [n for n in counts if len(set(n.split())) == len(n.split()) <= 4] or list(counts)
    return max(plain_forms, key=lambda n: (counts[n], len(n)))


def _single_names(votes: Sequence[_Vote]) -> list[_Vote]:
    """Names that ran together ("Ann Lee Bob Roe"), cut to the one that is also printed alone."""
    alone = {v.name for v in votes if len(v.name.split()) <= 3}
    cut = []
    for vote in votes:
        begins = [name for name in alone if vote.name.startswith(f"{name} ") and len(vote.name.split()) > 3]
        cut.append(replace(vote, name=max(begins, key=len)) if begins else vote)
    return cut


def _elected(votes: Sequence[_Vote], role: Role, report_sha1: str, least: float) -> Person | None:
    """The name with most votes; forms that differ in initials or titles of honour count as one person."""
    votes = _single_names(votes)
    totals: dict[tuple[str, str], float] = {}
    for vote in votes:
        key = short_name(vote.name)
        totals[key] = totals.get(key, 0.0) + vote.weight
    if not totals:
        return None
    ranked = sorted(totals.items(), key=lambda item: -item[1])
    (best, most), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    if most < least:
        return None
    own = [v for v in votes if short_name(v.name) == best]
    first = max(own, key=lambda v: v.weight)
    named = [v for v in own if not v.is_certificate]  # a certificate has no words for how long
    meanwhile = [v for v in named if _MEANWHILE.match(v.title)]
    if meanwhile and sum(v.weight for v in meanwhile) >= _MEANWHILE_SHARE * sum(v.weight for v in named):
        first = max(meanwhile, key=lambda v: v.weight)
    confidence: Confidence = (
        "high" if most >= 8 and most >= 2 * second else "medium" if most >= 1.3 * second else "low"
    )
    return Person(
        name=_fullest([v.name for v in own]),
        role=role,
        title=first.title,
        report_sha1=report_sha1,
        page_number=first.page_number,
        quote=first.quote,
        boxes=(first.box,) if first.box else (),
        confidence=confidence,
    )

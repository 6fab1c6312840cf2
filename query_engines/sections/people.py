"""The directors and officers that a section names, with their positions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from indexes.facts.people import NAME, is_person
from query_engines.company_names.vocabulary import is_common
from query_engines.sections.passages import blocks_of
from storage.records.pages import Block, Page, Table
from storage.records.sections import Section
from storage.text import plain

_POSITION = (
    r"(?:Non-?\s?[Ee]xecutive |Independent |Executive |Senior |Group |Lead |Deputy |Vice[ -]|Managing "
    r"|Interim |Acting "
    r"|Co-){0,4}(?:Chair(?:man|woman|person)?|Directors?|President|Chief [A-Z][\w&]+(?:(?: and| &"
    r"| of)? [A-Z][\w&]+){0,3}"
    r" ?Officer|Chief Executive|Company Secretary|Secretary|General Counsel|Treasurer|Member of the [A-Z]\w+"
    r"|Vice President|C[EFOT]O)"
)
_HAS_POSITION = re.compile(rf"\b{_POSITION}\b")
_ALONE = re.compile(
    rf"^(?:•\s?)?{NAME}(?:,? (?:[A-Z]{{2,5}}|Ph\.?D\.?|M\.?D\.?|Jr\.?|B\w{{1,5}})){{0,4}}(?: \(\d{{1,2}}\)){{0,3}}$"
)
_WITH_POSITION = re.compile(
    rf"^(?:•\s?)?{NAME}(?:,? (?:[A-Z]{{2,5}}|Ph\.?D\.?|M\.?D\.?)){{0,4}}\s?[,:|(\u2013-]?\s?(?:aged? \d\d[,;]? ?)?"
    rf"\(?(?P<position>{_POSITION}[^.;]{{0,60}})\)?$"
)
_BIOGRAPHY = re.compile(
    rf"^(?:•\s?)?{NAME},?[^.]{{0,40}}? (?:has (?:served|been)|was (?:appointed|elected)|is (?:the |our |a |an )"
    r"|joined|serves)\b"
)
_NAMED_FIRST = re.compile(rf"^(?:•\s?)?{NAME}(?: \([^)]{{3,40}}\))?: (?=[A-Z])")
_PAGES = 12  # of a section that are read
_MOST = 40
_NEXT = 3  # blocks below a name in which its position stands


@dataclass(frozen=True)
class Member:
    """A person whom a section names.

    Attributes:
        quote: the words of the page with the name.
    """

    name: str
    position: str
    page: Page
    quote: str


def people_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[Member]:
    """The people of a section, each once, in the order of the page."""
    blocks = [
        (page, b) for page, b in blocks_of(section, pages, after) if page.page_number - section.first_page < _PAGES
    ]
    found: list[Member] = []
    for i, (page, block) in enumerate(blocks):
        if block.table is not None:
            found += _of_table(block.table, page)
        else:
            below = [other for _, other in blocks[i + 1 : i + 1 + _NEXT]]
            found += _of_block(block, below, page)
    return _once(found)


def _of_table(table: Table, page: Page) -> Iterator[Member]:
    """The rows that have a name in one cell and a position in another; a table of pay or shares has none."""
    for row in table.grid():
        cells = [plain(cell) for cell in row if cell.strip()]
        name = next((m for cell in cells[:2] if (m := _ALONE.match(_in_mixed_case(cell)))), None)
        positions = [cell for cell in cells if _HAS_POSITION.search(cell) and len(cell) < 160]
        if name and positions and _is_person(name["name"]) and positions[0] != name.string:
            yield Member(name["name"], positions[0], page, _printed(name["name"], row))


def _printed(name: str, row: Sequence[str]) -> str:
    """The name as the row prints it."""
    return next((plain(cell) for cell in row if name.lower() in _in_mixed_case(plain(cell)).lower()), name)


def _of_block(block: Block, below: Sequence[Block], page: Page) -> Iterator[Member]:
    texts = [plain(line.text) for line in block.lines] if len(block.lines) <= 4 else []
    for i, text in enumerate([plain(block.text), *texts][: 1 if len(texts) < 2 else None]):
        mixed = _in_mixed_case(text)
        if (match := _WITH_POSITION.match(mixed)) and _is_person(match["name"]) and len(mixed) < 150:
            yield Member(match["name"], match["position"].strip(" )"), page, text)
            return
        if i and (match := _ALONE.match(mixed)) and _is_person(match["name"]):
            after = texts[i] if i < len(texts) else ""
            if after and (position := _HAS_POSITION.search(after)) and position.start() < 40:
                yield Member(match["name"], after[:90], page, text)
    first = _in_mixed_case(plain(block.text))
    if (match := _ALONE.match(first)) and _is_person(match["name"]):
        stated = next((p for b in below if (p := _position_in(b))), "")
        if stated:
            yield Member(match["name"], stated, page, plain(block.text))
    elif (match := _NAMED_FIRST.match(plain(block.text))) and _is_person(match["name"]) and len(block.text) > 120:
        yield Member(match["name"], "", page, match["name"])
    elif (match := _BIOGRAPHY.match(plain(block.text))) and _is_person(match["name"]):
        sentence = plain(block.text)[:300]
        if position_ := _HAS_POSITION.search(sentence):
            yield Member(match["name"], position_[0], page, match[0])


def _position_in(block: Block) -> str:
    text = plain(block.text)
    found = _HAS_POSITION.search(text[:120])
    return text if found and len(text) <= 90 else found[0] if found and found.start() < 50 else ""


def _in_mixed_case(text: str) -> str:
    return (
        re.sub(r"\b[A-Z]{3,}(?:-[A-Z]+)?\b", lambda m: m[0].title(), text)
        if text.isupper() or _SHOUTED.match(text)
        else text
    )


_DEGREE = re.compile(r"\b(?:[MB](?:Com|Sc|Ec|Bus|Eng)|Hons|Pty|Ltd|LLC|Bank|Group|Company)\b")
_SHOUTED = re.compile(r"^(?:[A-Z][A-Z.'-]+ ){1,3}[A-Z][A-Z'-]+\b")


def _is_person(name: str) -> bool:
    """Whether it is a person's name, and not a heading of two ordinary words such as "Going Concern"."""
    words = [word.lower() for word in name.split()]
    return is_person(name) and not (is_common(words[0]) and is_common(words[-1])) and not _DEGREE.search(name)


def _once(found: Iterable[Member]) -> list[Member]:
    by_name: dict[tuple[str, str], Member] = {}
    for member in found:
        parts = member.name.split()
        by_name.setdefault((parts[0].lower(), parts[-1].lower()), member)
    return list(by_name.values())[:_MOST]

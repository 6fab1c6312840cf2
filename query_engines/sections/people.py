"""The people whom a section names with their positions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from indexes.facts.people import HONOURS, NAME, is_person
from query_engines.company_names.vocabulary import is_common
from query_engines.sections.passages import blocks_of
from storage.lexicon.calendar import ENGLISH_MONTH
from storage.lexicon.names import DEMONYMS
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
_NOTED = r"(?:[ ,&]{1,3}\(?\d{1,2}\)?){0,5}"  # numbers of footnotes
_ALONE = re.compile(
    rf"^(?:•\s?)?{NAME}(?:,? (?:[A-Z]{{2,5}}|Ph\.?D\.?|M\.?D\.?|Jr\.?|B\w{{1,5}})){{0,4}}{_NOTED}$"
)
_WITH_POSITION = re.compile(
    rf"^(?:•\s?)?{NAME}(?:,? (?:[A-Z]{{2,5}}|Ph\.?D\.?|M\.?D\.?)){{0,4}}{_NOTED}\s?[,:|(\u2013-]?\s?"
    rf"(?:(?:aged? )?\d\d[,;]? ?)?\(?(?P<position>{_POSITION}[^.;]{{0,60}})\)?(?: \([^)]{{0,120}}\))?$"
)
_BIOGRAPHY = re.compile(
    rf"^(?:•\s?)?{NAME},?[^.]{{0,40}}? (?:has (?:served|been)|was (?:appointed|elected)|is (?:the |our |a |an )"
    r"|joined|serves)\b"
)
_ENDS_WITH_ITS_NAME = re.compile(  # and not with a nationality or the like
    rf"(?:•\s?)?(?:{HONOURS}|[^,:|(\u2013-]{{4,60}}[,:|(\u2013])"
)
_SENTENCE_END = re.compile(r"(?<=[a-z\d)]\.) (?=[A-Z])")
_OF_DIRECTOR = re.compile(
    r"(?:(?<= as )|(?<= a )|(?<= an ))(?:non-executive |independent |managing )?director"
    r"(?= since| of the (?:Company|Bank|Corporation))"
)
_SIGNED = re.compile(rf"^(?:By: ?)?/[sS]/ ?{NAME}(?P<rest>.*)$")
_SIGNED_TWICE = re.compile(r"^(?:By: ?)?/[sS]/ ?(?P<name>[A-Z][^/,]{3,40}?),? (?P=name)(?P<rest>.*)$")
_DATE_SIGNED = re.compile(
    rf"\b{ENGLISH_MONTH}\.? \d{{1,2}},? \d{{4}}|\b\d{{1,2}} {ENGLISH_MONTH} \d{{4}}", re.IGNORECASE
)
_NAMED_IN_ROW = re.compile(rf"(?:•\s?)?{NAME}")
_NAMED = re.compile(rf"^{NAME} (?={_POSITION})")
_LONGEST_POSITION = 90  # letters
_SHORT_BLOCK = 200  # letters; a longer one is a life, in which other offices ended
_LEFT = re.compile(r"(?i)\b(?:resigned|retired|former(?:ly)?|until|deceased)\b.{0,60}$")
_NAMED_FIRST = re.compile(rf"^(?:•\s?)?{NAME}(?: \([^)]{{3,40}}\))?: (?=[A-Z])")
_HEADER = re.compile(
    r"(?i)^(?:full )?(?:name|director|member|officer)s?\b.{0,40}\b(?:position|title|office|role|function|capacity"
    r"|responsibilit(?:y|ies))\b.{0,60}$"
)  # of a list of people
_LONGEST_HEADER = 80  # letters
_NATIONALITY = re.compile(rf" (?:{'|'.join(DEMONYMS.values())}|\w+(?:ish|ese|ian))$")
_SINCE = re.compile(
    rf"\W{{0,3}}\b(?:since |until |from )?(?:\d{{1,2}} )?(?:{ENGLISH_MONTH} )?(?:19|20)\d\d$", re.IGNORECASE
)
_PEOPLE_PAGES = 12  # of a section that are read
_MOST_PEOPLE = 40
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
        (page, b)
        for page, b in blocks_of(section, pages, after)
        if page.page_number - section.first_page < _PEOPLE_PAGES
    ]
    heads = ["", *(plain(block.text) for _, block in blocks)]
    if rows := [
        m for head, (page, block) in zip(heads, blocks, strict=False) for m in _of_rows(block, head, page)
    ]:
        return _once(rows)
    found: list[Member] = []
    for i, (page, block) in enumerate(blocks):
        if block.table is not None:
            found += _of_table(block.table, page)
        elif len(block.text) > _SHORT_BLOCK or not _LEFT.search(plain(block.text)):
            below = [other for _, other in blocks[i + 1 : i + 1 + _NEXT]]
            found += _listed(block, page) or _of_block(block, below, page)
    return _once(found)


def _of_rows(block: Block, head: str, page: Page) -> Iterator[Member]:
    """The people of lines below a header with "name" and "position": a name, perhaps a nationality, and an office.

    Args:
        block: of the lines; the first of them may be the header.
        head: the text above it.
        page: of the block.
    """
    lines = [plain(line.text) for line in block.lines]
    if block.table is None and lines and _HEADER.match(lines[0]):
        head, lines = lines[0], lines[1:]
    if block.table is not None or len(head) > _LONGEST_HEADER or not _HEADER.match(head):
        return
    for line in lines:
        match = _NAMED_IN_ROW.match(_in_mixed_case(line))
        name = _NATIONALITY.sub("", match["name"]) if match else ""
        if match and is_name(name) and (position := _SINCE.sub("", line[match.end() :]).strip(" ,|–-")):
            yield Member(name, position, page, name)


def _of_table(table: Table, page: Page) -> Iterator[Member]:
    """The rows that have a name in one cell and a position in another; a table of pay or shares has none."""
    for row in table.grid():
        cells = [plain(cell) for cell in row if cell.strip()]
        name = next((m for cell in cells[:2] if (m := _ALONE.match(_in_mixed_case(cell)))), None)
        positions = [cell for cell in cells if _HAS_POSITION.search(cell) and len(cell) < 160]
        if name and positions and is_name(name["name"]) and positions[0] != name.string:
            yield Member(name["name"], positions[0], page, _printed(name["name"], row))


def _printed(name: str, row: Sequence[str]) -> str:
    """The name as the row prints it."""
    return next((plain(cell) for cell in row if name.lower() in _in_mixed_case(plain(cell)).lower()), name)


def _of_block(block: Block, below: Sequence[Block], page: Page) -> Iterator[Member]:
    signed = _signature(block)
    if signed is not None:
        if beside := _position_signed(signed["name"], signed["rest"], below):
            yield Member(signed["name"], beside, page, signed["name"])
        return
    texts = [plain(line.text) for line in block.lines] if len(block.lines) <= 4 else []
    for i, text in enumerate([plain(block.text), *texts][: 1 if len(texts) < 2 else None]):
        mixed = _in_mixed_case(text)
        if (match := _WITH_POSITION.match(mixed)) and is_name(match["name"]) and len(mixed) < 150:
            yield Member(match["name"], match["position"].strip(" )"), page, text)
            return
        if i and (match := _ALONE.match(mixed)) and is_name(match["name"]):
            after = texts[i] if i < len(texts) else ""
            if after and (position := _HAS_POSITION.search(after)) and position.start() < 40:
                yield Member(match["name"], after[:90], page, text)
    first = _in_mixed_case(plain(block.text))
    if (match := _ALONE.match(first)) and is_name(match["name"]):
        stated = next((p for b in below if (p := _position_in(b))), "")
        if stated:
            yield Member(match["name"], stated, page, plain(block.text))
    elif (match := _NAMED_FIRST.match(plain(block.text))) and is_name(match["name"]) and len(block.text) > 120:
        yield Member(match["name"], "", page, match["name"])
    else:
        yield from _of_life(block, page)


def _listed(block: Block, page: Page) -> list[Member]:
    """The people of a block that has a name with a position on most of its lines; none of another block."""
    found = []
    for line in block.lines:
        match = _WITH_POSITION.match(_in_mixed_case(plain(line.text)))
        if match is not None and is_name(match["name"]) and _ENDS_WITH_ITS_NAME.match(match[0]):
            found.append(Member(match["name"], match["position"].strip(" )"), page, plain(line.text)))
    return found if len(found) > max(1, len(block.lines) / 2) else []


def _of_life(block: Block, page: Page) -> Iterator[Member]:
    """The person whose life a paragraph tells, with the position of its first sentence."""
    text = plain(block.text)
    match = _BIOGRAPHY.match(text)
    if match is None or not is_name(match["name"]):
        return
    first = _SENTENCE_END.split(text[:300])[0]
    if position := _OF_DIRECTOR.search(first) or _HAS_POSITION.search(first):
        yield Member(match["name"], position[0].capitalize(), page, match[0])


def _signature(block: Block) -> re.Match[str] | None:
    """The line by which a person signs, with the groups `name` and `rest`."""
    text = _in_mixed_case(plain(block.text))
    signed = _SIGNED_TWICE.match(text) or _SIGNED.match(text)
    return signed if signed and is_name(signed["name"]) else None


def _position_signed(name: str, beside: str, below: Sequence[Block]) -> str:
    """The position that a signature has beside it, between dates and the name in print, or else below it."""
    text = _DATE_SIGNED.sub(" ", beside).replace(name, " ")
    found = _HAS_POSITION.search(text)
    if found is None:
        return next((p for b in below if not b.text.lower().startswith("/s/") and (p := _position_in(b))), "")
    return " ".join(text[found.start() :].split())[:_LONGEST_POSITION].strip(" ,;")


def _position_in(block: Block) -> str:
    text = " ".join(_DATE_SIGNED.sub(" ", plain(block.text)).split())
    text = _NAMED.sub("", text) or text  # a name is printed again below its signature
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


def is_name(name: str) -> bool:
    """Whether it is a person's name, and not a heading of two ordinary words such as "Going Concern"."""
    words = [word.lower() for word in name.split()]
    return is_person(name) and not (is_common(words[0]) and is_common(words[-1])) and not _DEGREE.search(name)


def _once(found: Iterable[Member]) -> list[Member]:
    by_name: dict[tuple[str, str], Member] = {}
    for member in found:
        parts = member.name.split()
        by_name.setdefault((parts[0].lower(), parts[-1].lower()), member)
    return list(by_name.values())[:_MOST_PEOPLE]

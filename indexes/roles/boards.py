"""The people whom the sections of directors, officers and signatures list, each with a position."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile, zip_longest

from indexes.roles.names import HONOURS, NAME, NATIONALITY, bare_name, in_mixed_case, is_name, may_be_name
from indexes.roles.offices import HAS_POSITION, POSITION
from indexes.sections.section_map import blocks_of
from storage.lexicon.calendar import ENGLISH_DATE, ENGLISH_MONTH
from storage.lexicon.names import DEGREE
from storage.lexicon.words import expression
from storage.records.facts import Seat
from storage.records.pages import Block, Page, Table
from storage.records.sections import Section, following
from storage.text import plain, without_bullet

_NOTED = r"(?:[ ,&]{1,3}\(?\d{1,2}\)?){0,5}"  # numbers of footnotes
_ENTRY = expression(  # of a list: a name with what belongs to it, and perhaps a position
    rf"^{NAME}(?:,? (?:[A-Z]{{2,5}}|Ph\.?D\.?|M\.?D\.?|Jr\.?|B\w{{1,5}})){{0,4}}{_NOTED}"
    rf"(?:\s?[,:|(\u2013-]?\s?(?:(?:aged? )?\d\d[,;]? ?)?(?:{NATIONALITY} )?"
    rf"\(?(?P<position>{POSITION}[^.;(]{{0,60}})\)?"
    r"(?: ?\([^()]{0,200}\)?)?)?$"
)
_BIOGRAPHY = expression(
    rf"^{NAME},?[^.]{{0,40}}? (?:has (?:served|been)|was (?:appointed|elected)|is (?:the |our |a |an )"
    r"|joined|serves)\b"
)
_SENTENCE_END = expression(r"(?<=[a-z\d)]\.) (?=[A-Z])")
_OF_DIRECTOR = expression(
    r"(?:(?<= as )|(?<= a )|(?<= an ))(?:non-executive |independent |managing )?[Dd]irector"
    r"(?= since| of the (?:Company|Bank|Corporation))"
    r"|\b(?:member of|on|joined) (?:the|our) [Bb]oard(?: of [Dd]irectors)?\b"
)
_SIGNED = expression(rf"^(?:By: ?)?/[sS]/ ?{NAME}(?P<rest>.*)$")
_SIGNED_TWICE = expression(r"^(?:By: ?)?/[sS]/ ?(?P<name>[A-Z][^/,]{3,40}?),? (?P=name)(?P<rest>.*)$")
_SIGNS = expression(r"(?:By: ?)?/[sS]/ ?")
_DATE_SIGNED = expression(ENGLISH_DATE, re.IGNORECASE)
_NAMED = expression(rf"^{NAME} (?={POSITION})")
_LONGEST_POSITION = 90  # letters
_NAMED_FIRST = expression(rf"^{NAME}(?: \([^)]{{3,40}}\))?: (?=[A-Z])")
_OVER_DIRECTORS = expression(
    r"(?i)^(?:(?:the|our) )?(?:current )?(?:board of )?directors$|^[^.;]{0,60}\bdirectors\b[^.;]{0,80}:$"
)  # a heading, or words that lead to a list
_DATED = expression(
    rf"\b(?:since|appointed|from)\b[^()\d]{{0,40}}(?P<since>(?:{ENGLISH_DATE}|(?:{ENGLISH_MONTH} )?(?:19|20)\d\d))",
    re.IGNORECASE,
)
_AGE = expression(r"\b[Aa]ged?:? \d\d\b")
_DEGREES = expression(rf" ?, ?{DEGREE}\b\.?")
_BEHIND_OFFICE = expression(
    rf"(?i:\b(?:since|{ENGLISH_MONTH} \d|p\. ?o\. box)\b)|\b\d{{3,}}|(?<=[a-z]) (?=[A-Z]{{4,}}(?: [A-Z]{{4,}})+$)"
)
_GOES_ON = expression(
    r"(?:[,&]|\b(?:and|of|the|[Mm]anaging|[Ee]xecutive|[Ii]ndependent|[Ss]enior|[Vv]ice|[Cc]hief|[Dd]eputy|[Bb]oard)"
    r"|\b(?:[Cc]hair\w*|[Mm]ember) of the (?!Board\b|Company\b|Group\b|Bank\b)[A-Z]\w+)$"
)
KIND = "directors"  # of the sections
_PEOPLE_PAGES = 12  # of a section that are read
_FEWEST_LISTED, _MOSTLY = 2, 0.6
_WORDS_OF_AN_OFFICE = 3
_SEVERAL_SIGN = 3  # on a page, each with an office
_ASKEW = 3  # points by which the lines of a row differ
_MOST_UNREAD = 0.25  # of the members
_MOST_PEOPLE = 40
_LONGEST_ENTRY = 150  # letters
_NEXT = 3  # blocks below a name in which its position stands


_LISTS_PEOPLE = expression(r"(?i)\b(?:directors?|boards?|officers?|executives?|management)\b")


def people_in_sections(pages: Sequence[Page], sections: Sequence[Section]) -> Iterator[Seat]:
    """The people whom each section of directors and officers lists; where no section is of that kind, by the title."""
    is_mapped = any(section.kind == KIND for section in sections)
    for number, section in enumerate(sections):
        if section.kind == KIND or (not is_mapped and _LISTS_PEOPLE.search(section.title)):
            for seat in people_in(section, pages, following(section, sections)):
                yield seat.model_copy(update={"section": number})


def _entry(text: str) -> tuple[str, str]:
    """The name that fills a line, a cell or a block, and the position behind it; empty where there is none."""
    mixed = in_mixed_case(without_bullet(text))
    match = _ENTRY.match(mixed) if len(mixed) < _LONGEST_ENTRY else None
    if match is None or not is_name(match["name"]):
        return "", ""
    return bare_name(match["name"]), (match["position"] or "").strip(" )")


def _seat(name: str, title: str, page: Page, quote: str, is_part: bool = False) -> Seat:
    since = _DATED.search(f"{title} {quote}")
    return Seat(
        name=name,
        role="member",
        title=title,
        is_part=is_part,
        since=since["since"] if since else "",
        report_sha1=page.report_sha1,
        page_number=page.page_number,
        quote=quote,
    )


def _named_alone(text: str) -> str:
    name, position = _entry(text)
    return "" if position else name


def people_in(section: Section, pages: Sequence[Page], after: Section | None = None) -> list[Seat]:
    """The people of a section, each once, in the order of the page."""
    blocks = [
        (page, b)
        for page, b in blocks_of(section, pages, after)
        if page.page_number - section.first_page < _PEOPLE_PAGES
    ]
    heads = [section.title, *(without_bullet(block.text) for _, block in blocks)]
    listed = [_of_lines(head, *block) for head, block in zip(heads, blocks, strict=False)]
    found = [(at, seat) for at in range(len(blocks)) for seat in listed[at] or _named_at(at, blocks)]
    if any(listed):  # who is only told of is not one of those who are listed
        found = [(at, seat) for at, seat in found if listed[at] or not seat.is_part]
    found += _without_office(blocks, [seat for _, seat in found])
    members = [m for m in _once(seat for _, seat in sorted(found, key=_place)) if not _has_left(m, blocks)]
    return members if any(listed) or len(_unread(blocks, members)) <= _MOST_UNREAD * len(members) else []


def _place(found: tuple[int, Seat]) -> int:
    return found[0]


def _named_at(at: int, blocks: Sequence[tuple[Page, Block]]) -> Iterator[Seat]:
    """The people whom a table or a block names, with what stands below it."""
    page, block = blocks[at]
    below = [other for _, other in blocks[at + 1 : at + 1 + _NEXT]]
    yield from _of_table(block, block.table, page) if block.table is not None else _of_block(block, below, page)


def _has_left(member: Seat, blocks: Sequence[tuple[Page, Block]]) -> bool:
    """Whether the section says that somebody is no longer there."""
    name, gone = re.escape(member.name), r"(?:resigned|retired|ceased|stepped down)"
    left = re.compile(
        rf"(?:retirement|resignation|departure) of (?:{HONOURS})?{name}|{name},? (?:who )?(?:has )?{gone}\b",
        re.IGNORECASE,
    )
    on_line = re.compile(rf"{name}[^.;]{{0,80}}\([^()]{{0,80}}\b{gone}\b", re.IGNORECASE)
    return any(
        left.search(plain(block.text)) or any(on_line.search(plain(line.text)) for line in block.lines)
        for _, block in blocks
    )


def _unread(blocks: Sequence[tuple[Page, Block]], members: Sequence[Seat]) -> set[str]:
    """The names that stand alone on lines beside the members: many of them, and the list is one that was not read."""
    known = {member.name.split()[-1].lower() for member in members}
    lines = (line for _, block in blocks if block.table is None for line in block.lines)
    names = {name for line in lines if (name := _named_alone(line.text))}
    return {name for name in names if name.split()[-1].lower() not in known}


def _of_lines(head: str, page: Page, block: Block) -> list[Seat]:
    """The people whose names begin the lines of a list: most have a position, or it stands under "Directors"."""
    entries = [(plain(line.text), *_entry(line.text)) for line in block.lines if block.table is None]
    named = [entry for entry in entries if entry[1]]
    are_directors = _OVER_DIRECTORS.match(head) is not None and len(named) == len(entries)
    listed = named if are_directors else [entry for entry in named if entry[2]]
    if len(listed) < max(_FEWEST_LISTED, _MOSTLY * len(entries)):
        return []
    return [_seat(name, held or "Director", page, text, is_part=not held) for text, name, held in listed]


def _of_table(block: Block, table: Table, page: Page) -> Iterator[Seat]:
    """The rows that have a name in one cell and a position in another; a table of pay or shares has none."""
    rows = _unbroken(table.grid())
    for row in rows:
        cells = [without_bullet(cell) for cell in row if cell.strip()]
        name = next(filter(None, map(_named_alone, cells[:2])), "")
        positions = [cell for cell in cells if HAS_POSITION.search(cell) and len(cell) < 160]
        if name and positions:
            yield _seat(name, _to_its_end(positions[0], block, table), page, _printed(name, row))


def _to_its_end(position: str, block: Block, table: Table) -> str:
    """A position with the lines that stand alone below its cell, whatever cell they were read into."""
    cell = next((c for c in table.cells if c.box is not None and without_bullet(c.text) == position), None)
    if cell is None or cell.box is None or not cell.column:
        return position
    tops = [line.box.top for line in block.lines]
    bottom = cell.box.bottom
    for line in sorted(block.lines, key=lambda line: line.box.top):
        gap, height = line.box.top - bottom, line.box.bottom - line.box.top
        is_alone = sum(abs(top - line.box.top) < _ASKEW for top in tops) == 1
        if is_alone and 0 <= gap < height and abs(line.box.left - cell.box.left) < _ASKEW:
            position, bottom = f"{position} {plain(line.text)}", line.box.bottom
    return position


def _unbroken(grid: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows; one that fills a single cell goes on with what stands above it in a row that fills others too.

    One whose words do not end there begins the cell below it.
    """
    rows: list[list[str]] = []
    begun: tuple[int, str] | None = None
    for row, below in zip_longest(grid, grid[1:], fillvalue=()):
        cells = list(row)
        if begun is not None:
            cells[begun[0]] = f"{begun[1]} {cells[begun[0]]}"
        filled = [column for column, cell in enumerate(cells) if cell.strip()]
        alone = filled[0] if len(filled) == 1 else None
        above = rows[-1] if rows else []
        begun = None
        if alone is not None and _is_begun(cells[alone], below[alone] if alone < len(below) else ""):
            begun = alone, cells[alone]
        elif (
            alone and alone < len(above) and above[alone].strip() and sum(bool(cell.strip()) for cell in above) > 1
        ):
            above[alone] += f" {cells[alone]}"
        else:
            rows.append(cells)
    return rows


def _is_begun(words: str, below: str) -> bool:
    """Whether the words of a cell go on in the cell below it, with a position."""
    words, below = plain(words), plain(below)
    return bool(below and _GOES_ON.search(words) and HAS_POSITION.search(f"{words} {below}"))


def _printed(name: str, row: Sequence[str]) -> str:
    """The name as the row prints it."""
    return next((plain(cell) for cell in row if name.lower() in in_mixed_case(plain(cell)).lower()), name)


def _of_block(block: Block, below: Sequence[Block], page: Page) -> Iterator[Seat]:
    """Who signs in a block, or whom it names."""
    signatures = _signatures(plain(block.text))
    if not signatures:
        yield from _told_in(block, below, page)
        return
    right = _right_of(block, page) if len(signatures) == 1 else ""
    for signed in signatures:
        if beside := _position_signed(signed["name"], f"{signed['rest']} {right}", below):
            yield _seat(signed["name"], beside, page, signed["name"])


def _told_in(block: Block, below: Sequence[Block], page: Page) -> Iterator[Seat]:
    whole = without_bullet(block.text)
    texts = [without_bullet(line.text) for line in block.lines] if 1 < len(block.lines) <= 4 else []
    for i, text in enumerate([whole, *texts]):
        (name, position), after = _entry(text), texts[i] if i < len(texts) else ""
        if position:
            yield _seat(name, position, page, text)
            return
        if i and name and (office := HAS_POSITION.search(after)) and office.start() < 40:
            yield _seat(name, after[:90], page, text)
    if name := _named_alone(whole):
        own = takewhile(lambda other: not _named_alone(other.text), below)
        stated, is_part = next((p for b in own if (p := _position_in(b))[0]), ("", False))
        if stated:
            yield _seat(name, stated, page, whole, is_part)
    elif (match := _NAMED_FIRST.match(whole)) and is_name(match["name"]) and len(block.text) > 120:
        yield _seat(match["name"], "", page, match["name"])
    else:
        yield from _of_life(block, page)


def _of_life(block: Block, page: Page) -> Iterator[Seat]:
    """The person whose life a paragraph tells, with the position of its first sentence."""
    text = without_bullet(block.text)
    match = _BIOGRAPHY.match(text)
    if match is None or not is_name(match["name"]):
        return
    first = _SENTENCE_END.split(text[:300])[0]
    office, director = HAS_POSITION.search(first), _OF_DIRECTOR.search(first)
    offices = [found[0].capitalize() for found in (office,) if found]
    offices += ["Director"] if director and (office is None or office[0] != director[0]) else []
    if offices:
        yield _seat(match["name"], "; ".join(offices), page, match[0], is_part=True)


def _signatures(text: str) -> list[re.Match[str]]:
    """The signatures of a text that begins with one, with the groups `name` and `rest`."""
    text = " ".join(_DATE_SIGNED.sub(" ", in_mixed_case(text)).split())
    if not _SIGNS.match(text):
        return []
    found = (
        _SIGNED_TWICE.match(part) or _SIGNED.match(part) for part in _SIGNS.sub("\n/s/ ", text).split("\n")[1:]
    )
    return [signed for signed in found if signed and may_be_name(signed["name"])]  # whatever the name's words mean


def _without_office(blocks: Sequence[tuple[Page, Block]], found: Sequence[Seat]) -> Iterator[tuple[int, Seat]]:
    """Whose name stands in print below a signature, or as a heading, where several stand so with an office."""
    offices = Counter(member.page_number for member in found if member.title)
    known = {(member.page_number, member.name.split()[-1]) for member in found}
    for at, (page, block) in enumerate(blocks):
        name = _named_alone(block.text) if offices[page.page_number] >= _SEVERAL_SIGN else ""
        last = name.split()[-1] if name else ""
        above = _signatures(plain(blocks[at - 1][1].text)) if at else []
        is_signed = [signed["name"].split()[-1] for signed in above] == [last]
        is_headed = block.kind == "heading" and 2 * offices[page.page_number] > _headings_of(page)
        if name and (is_signed or is_headed) and (page.page_number, last) not in known:
            yield at, _seat(name, "", page, name)


def _headings_of(page: Page) -> int:
    return sum(block.kind == "heading" for block in page.blocks)


def _right_of(block: Block, page: Page) -> str:
    """The lines that stand to the right of a block, at its height: the offices of signatures are often a column."""
    lines = (line for other in page.blocks if other is not block for line in other.lines)
    beside = [
        line
        for line in lines
        if line.box.left > block.box.right and block.box.top - _ASKEW < line.box.top < block.box.bottom
    ]
    return " ".join(line.text for line in sorted(beside, key=lambda line: line.box.top))


def _position_signed(name: str, beside: str, below: Sequence[Block]) -> str:
    """The position that a signature has beside it, between dates and the name in print, or else below it."""
    text = _without_name(_DATE_SIGNED.sub(" ", beside), name)
    found = HAS_POSITION.search(text)
    if found is None:
        unsigned = (b for b in below if not b.text.lower().startswith("/s/"))
        return next((office for b in unsigned if (office := _position_in(b)[0])), "")
    return " ".join(text[found.start() :].split())[:_LONGEST_POSITION].strip(" ,;")


def _position_in(block: Block) -> tuple[str, bool]:
    """The position that a block states, empty where it states none; and whether it is a part of a longer text."""
    whole = " ".join(_DATE_SIGNED.sub(" ", plain(block.text)).split())
    named = _NAMED.match(whole)  # a name is printed again below its signature
    text = whole[named.end() :] if named is not None and is_name(named["name"]) else whole
    found = HAS_POSITION.search(text[:120])
    if found is None:
        return "", False
    if len(text) <= _LONGEST_POSITION:
        return (_first_office(block) if text == whole else text), False
    return found[0], True


def _first_office(block: Block) -> str:
    """The first line of a block that has a position, with those that it goes on in; the next may be another's firm."""
    taken: list[str] = []
    for line in block.lines:
        text = plain(_DATE_SIGNED.sub(" ", line.text))
        if taken and not _GOES_ON.search(taken[-1]):
            break
        if taken or HAS_POSITION.search(text):
            taken.append(text)
    return " ".join(taken) or plain(block.text)


def _once(found: Iterable[Seat]) -> list[Seat]:
    """Each person once, with all that the first page which states a position says of it.

    What a longer text has of a position counts only where no page states one.
    """
    by_name = defaultdict[tuple[str, str], list[Seat]](list)
    for member in found:
        by_name[member.name.split()[0].lower(), member.name.split()[-1].lower()].append(member)
    kept = []
    for places in by_name.values():
        stated = [m for m in places if m.title]
        whole = [m for m in stated if not m.is_part] or stated or places
        offices = [
            _offices(m for m in whole if (m.page_number == whole[0].page_number) is here) for here in (True, False)
        ]
        kept.append(whole[0].model_copy(update={"title": offices[0], "elsewhere": offices[1]}))
    return kept[:_MOST_PEOPLE]


def _offices(places: Iterable[Seat]) -> str:
    """The offices that places name of a person, each once; one that another says more exactly is left out."""
    stated = (office for member in places for office in _tidy(member).split("; ") if office)
    offices = {_office_key(office): office for office in reversed(list(stated))}
    shown = (office for key, office in offices.items() if not any(_has_it(other, key) for other in offices))
    return "; ".join([*shown][::-1])


def _has_it(fuller: str, key: str) -> bool:
    """Whether other offices have this one too; a single office in the same order, several ones in any order."""
    own = set(key.split())
    is_in_any_order = len(own) > _WORDS_OF_AN_OFFICE and own < set(fuller.split())
    return fuller != key and (f" {key} " in f" {fuller} " or is_in_any_order)


def _office_key(office: str) -> str:
    """What two ways to print an office have in common."""
    words = (word for word in re.findall(r"[a-z\d]+", office.lower()) if word != "and")
    return re.sub(r"(?<=director)s\b", "", " ".join(words))


def _tidy(member: Seat) -> str:
    """The offices as a place prints them, without what stands around: names, ages, degrees, dates and addresses."""
    text = _without_name(_SIGNS.split(member.title)[0], member.name)
    text = _BEHIND_OFFICE.split(_DEGREES.sub(" ", _AGE.sub(" ", text)))[0]
    if text.count("(") > text.count(")"):
        text = text[: text.rindex("(")]
    text = " ".join(text.split()).replace(" ,", ",")
    return text.strip(" ,;|–-&")


def _without_name(text: str, name: str) -> str:
    return re.sub(rf"(?:{HONOURS})?{re.escape(name)}(?:,? (?:Jr|Sr)\b\.?)?", " ", text)

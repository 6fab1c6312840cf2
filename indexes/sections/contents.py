"""A report's own table of contents: printed on a page, or as the PDF's bookmarks."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexes.sections.headings import Candidate, is_item, numbered
from storage.lexicon.words import expression
from storage.records.pages import Page
from storage.records.sections import bare_title
from storage.text import plain

_FEWEST = 5  # entries of a page of contents
_IN_ORDER = 0.75  # of its page numbers that must not fall
_SHARE = 0.4  # of the lines of a page without the word "contents" that must be entries
_TITLED = expression(
    r"(?i)^(?:table of )?contents\b|^index\b|^page$|^inhalt|^sommaire|^table des mati|^indice\b|^[íi]ndice\b|^contenido"
)
_LAST = expression(
    r"^(?P<title>.{3,120}?)(?:\s?\.){0,200}\s+(?:F-)?(?P<page>\d{1,3})(?:\s?[-–]\s?(?:F-)?\d{1,3})?$"
)
_DATED = expression(
    r"(?i),? (?:as (?:of|at)|at|for the (?:\w+ )?(?:fiscal )?years? ended|years? ended) .{0,60}\d{4}$"
)
_FIRST = expression(r"^(?P<page>\d{1,3})\s+(?P<title>[^\d\s].{2,120})$")
_SEVERAL_FIRST = expression(r"(?<!\S)(\d{1,3})\s+([A-ZÀ-Þ][^\d]{3,80}?)(?=\s+\d{1,3}\s+[A-ZÀ-Þ]|$)")
_SHORT = 4
_FEWEST_TITLES, _LONGEST_TITLE = 6, 20  # numbered titles of a page that has nothing else; words of each
_EXHIBIT = expression(r"^\W{0,3}(?P<number>\d{1,3})\.(?:\d{1,2}|[A-Z]{3})\b[\W_]{0,6}[A-Za-z]{3}")
_OF_AN_EXHIBIT = expression(r"(?i)^\(?(?:exhibit|ex)[\s-]{1,3}(?:no\.?\s)?(?P<number>\d{1,2})\.\d{1,2}\W{0,3}$")
_FIRST_OF_CERTIFICATES, _CERTIFICATE = 21, 3  # number of a list of subsidiaries or a certificate, and pages of one
_FEWEST_EXHIBITS, _EXHIBITS_SPAN = 3, 8  # different numbers before the stop, and from the lowest to the highest
_FIRST_BLOCKS = 4  # of a page, one of which says that an exhibit begins
_GROUPS = expression(r"(?i)^(?:(?:.{0,80}\W)?table of contents|contents|index|part [ivx\d]{1,4})$")
_TABLE = expression(r"\b(?:19|20)\d\d\b|[$€£%]|\d,\d{3}")


@dataclass(frozen=True)
class Entry:
    """A line of a table of contents.

    Attributes:
        page_number: physical page where its section begins.
        on_page: the page with the table of contents.
    """

    title: str
    page_number: int
    on_page: int


@dataclass(frozen=True)
class _Printed:
    title: str
    number: int
    on_page: int


def contents_pages(pages: Sequence[Page]) -> dict[int, list[tuple[str, int]]]:
    """The pages that are tables of contents, each with its titles and the page numbers printed beside them."""
    found: dict[int, list[tuple[str, int]]] = {}
    for page in pages:
        lines = [
            plain(line.text) for block in page.blocks if block.kind != "furniture" for line in (block.lines or ())
        ]
        entries = _in_order([entry for line in lines for entry in _entries(line)])
        is_titled = any(_TITLED.match(line) for line in lines[:12]) or any(
            block.kind == "heading" and _TITLED.match(plain(block.text)) for block in page.blocks
        )
        if len(entries) >= _FEWEST and (is_titled or len(entries) >= max(2 * _FEWEST, _SHARE * len(lines))):
            found[page.page_number] = entries
        elif _is_list_of_titles(page, lines):
            found[page.page_number] = []
    return found


def _is_list_of_titles(page: Page, lines: Sequence[str]) -> bool:
    """Whether a page has titles with rising numbers and no text: contents whose page numbers stand elsewhere."""
    texts = [block.text for block in page.blocks if block.kind != "furniture"]
    if any(len(text.split()) > _LONGEST_TITLE for text in texts):
        return False
    numbers = [int(match["number"]) for line in lines if (match := numbered(line))]
    return len(numbers) >= _FEWEST_TITLES and numbers == sorted(set(numbers))


def is_of_exhibits(page: Page) -> bool:
    """Whether a page is of an index of exhibits: its lines have numbers such as 10.16, 21.1 and 31.1."""
    texts = (line.text for block in page.blocks for line in block.lines)
    numbers = {int(match["number"]) for text in texts if (match := _EXHIBIT.match(plain(text)))}
    return len(numbers) >= _FEWEST_EXHIBITS and max(numbers) - min(numbers) >= _EXHIBITS_SPAN


def names_exhibit(candidate: Candidate) -> bool:
    """Whether a line begins with the number of an exhibit."""
    return _EXHIBIT.match(candidate.text) is not None


def pages_of_exhibits(pages: Sequence[Page]) -> range:
    """The pages of the exhibits that are printed behind a filing; the last may be a contract, or a certificate."""
    found = [
        (page.page_number, int(match["number"]))
        for page in pages
        for block in page.blocks[:_FIRST_BLOCKS]
        if (match := _OF_AN_EXHIBIT.match(plain(block.text)))
    ]
    if not found:
        return range(0)
    (first, _), (last, number) = found[0], found[-1]
    return range(first, last + _CERTIFICATE if number >= _FIRST_OF_CERTIFICATES else pages[-1].page_number + 1)


def entries_of(
    contents: dict[int, list[tuple[str, int]]], candidates: Sequence[Candidate], page_count: int
) -> list[Entry]:
    """The entries of a report's contents with the physical pages that they lead to.

    The printed numbers are counted from another page than the first; by how much they differ is what most titles say
    that are found again as a heading. An entry is used only if its own title stands on that page or beside it.
    """
    by_title: dict[str, list[int]] = defaultdict(list)
    for candidate in candidates:
        if candidate.page_number not in contents:
            by_title[_key(candidate.text)].append(candidate.page_number)
    printed = [_Printed(title, number, on_page) for on_page, found in contents.items() for title, number in found]
    entries: list[Entry] = []
    for on_page in contents:
        here = [p for p in printed if p.on_page == on_page]
        offset = _offset(here, by_title, page_count)
        if offset is None:
            continue
        for entry in here:
            near = [p for p in by_title.get(_key(entry.title), ()) if abs(p - entry.number - offset) <= 1]
            if near:
                entries.append(
                    Entry(entry.title, min(near, key=lambda p: abs(p - entry.number - offset)), on_page)
                )
    return entries


def _key(title: str) -> str:
    return bare_title(title).replace(" ", "")


def _offset(printed: Sequence[_Printed], by_title: dict[str, list[int]], page_count: int) -> int | None:
    votes = Counter[int]()
    for entry in printed:
        for page in set(by_title.get(_key(entry.title), ())):
            if -2 <= page - entry.number <= page_count // 3:
                votes[page - entry.number] += 1
    if not votes:
        return None
    offset, count = votes.most_common(1)[0]
    return offset if count >= 2 else None


def is_entry(candidate: Candidate) -> bool:
    """Whether a heading or line is one of an index, with the page that it leads to."""
    return bool(_entries(plain(candidate.text)))


def _entries(line: str) -> list[tuple[str, int]]:
    several = _SEVERAL_FIRST.findall(line)
    if len(several) > 1:
        return [(title.strip(), int(number)) for number, title in several]
    match = _LAST.match(line) or _FIRST.match(line)
    if match is None:
        return []
    title = _DATED.sub("", match["title"])
    if _TABLE.search(title) or sum(map(str.isalpha, title)) < _SHORT:
        return []
    return [(title.strip(" ."), int(match["page"]))]


def _in_order(entries: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The entries, if their numbers rise; several columns may begin again once or twice."""
    if len({number for _, number in entries}) < _FEWEST:
        return []
    falls = sum(after < before for (_, before), (_, after) in pairwise(entries))
    return list(entries) if falls <= (1 - _IN_ORDER) * len(entries) else []


def bookmark_starts(marks: Iterable[tuple[int, int, str]]) -> list[tuple[str, int, int]]:
    """The bookmarks with physical page and level from 0; those of standard items are of the first level.

    A single bookmark of a PDF names no section.
    """
    found = [(title, page, level) for page, level, title in marks if any(c.isalpha() for c in title)]
    if len(found) < _FEWEST:
        return []
    return [(title, page, 0 if is_item(title) or only_holds(title) else level) for title, page, level in found]


def only_holds(title: str) -> bool:
    """Whether a bookmark only holds those of sections, and names none: "Table of contents", "Part I"."""
    return _GROUPS.match(title) is not None

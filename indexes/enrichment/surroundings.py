"""The lines around a table that may give its title, its unit and its period."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from indexes.enrichment.periods import printed_time
from indexes.enrichment.units import unit_of_line
from storage.lexicon.words import KNOWN_TEXTS, expression
from storage.records.metrics import OTHER_TITLES
from storage.records.pages import Block, Page

_STATEMENT = expression(
    r"(?i)\b(?:balance sheets?|(?:income|profit and loss|cash ?flows?) (?:statements?|accounts?)"
    r"|statements? of (?:consolidated )?(?:\w+ )?(?:operations|income|earnings|cash ?flows?|(?:financial )?condition"
    r"|financial position|profit|comprehensive|changes in|equity|stockholders|shareholders|loss|activities|net assets))"
    rf"|{'|'.join(OTHER_TITLES.values())}"
)
_SENTENCE = expression(r"(?i)[.;:,]\s*$|\b(?:is|are|was|were|has|have|see|related to|refer)\b|^\(\w{1,2}\)")
_NOTES = expression(r"(?i)\bnotes? (?:to|on|forming)\b")
_NOTE = expression(r"(?i)^(?:notes?\b|\(?\d{1,2}(?:\.\d{1,2})*[.)]?\s)")
_NUMBER = expression(r"^\(?(?:\d{1,2}(?:\.\d{1,2})*|[a-z]|[ivx]{1,4})[.)]?\s+")
_BARE_NOTES = expression(r"(?i)^notes?:?$")
_LEADS = expression(r"(?i):$|\b(?:following|below)\b")
_SENTENCE_END = expression(r"(?<=[.;])\s+(?=[A-Z(])")
_IDEOGRAPH = expression(r"[\u3040-\u30ff\u4e00-\u9fff]")
_ABOVE_LINES = 8
_TOP_LINES = 8
_TITLE_WORDS = 16
_LONG_BLOCK_WORDS = 28
_LEADING_WORDS = 45


@dataclass(frozen=True)
class Surroundings:
    """Lines in reading order.

    Attributes:
        above: between the table and the table before it.
        top: lines at the top of the page, as far as they still apply to the table.
        page: the first lines of the page with its headers, which may give the day on which the year ends.
        heading: the nearest title above, for a table without a title of its own.
    """

    above: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    heading: str = ""

    @property
    def title(self) -> str:
        """The nearest line that names a statement; else the line that introduces the table; else its heading."""
        for line in [*reversed(self.above), *self.top]:
            if names_statement(line):
                return line
        return next((line for line in reversed(self.above) if _may_be_title(line)), self.heading)


@lru_cache(KNOWN_TEXTS)
def names_statement(line: str) -> bool:
    """Whether it is a title such as "Consolidated balance sheets", and not a sentence about one."""
    return bool(_STATEMENT.search(line)) and _is_short(line) and not _SENTENCE.search(line)


def first_lines(page: Page) -> tuple[str, ...]:
    """The first lines of the page outside tables and prose, with its headers."""
    lines = (line for b in page.blocks if b.table is None for line in _lines(b)[:_TOP_LINES])
    return tuple(line for line in islice(lines, _TOP_LINES) if _is_short(line))


def around_tables(page: Page) -> Iterator[tuple[Block, Surroundings | None]]:
    """The page's blocks in order, each table with its surroundings.

    Lines above a table also apply to a second table directly below it. The head of a page applies to all of its
    tables: headers, a statement's title, and the lines before the first note. The other lines above the first table
    apply to later tables until the next heading; on a statement's page, until the next note.
    """
    head, before = _top_lines(page)
    on_statement = any(map(names_statement, (*head, *before)))
    last: list[str] = []
    above: list[str] = []
    heading, seen, first = "", False, first_lines(page)
    for block in page.blocks:
        if block.table is not None:
            stacked = all(map(_says_time_or_unit, above)) if seen else False
            above = last + above if stacked else above
            around = Surroundings(tuple(above[-_ABOVE_LINES:]), (*head, *before), first, heading)
            yield block, around
            last, above, seen = above, [], True
            continue
        if block.kind == "heading":
            text = " ".join(block.text.split())
            heading = text if _may_be_title(text) else heading
            if seen and (not on_statement or _NOTE.match(text)):
                before = ()
        if block.kind != "furniture":
            above += _lines(block)
        yield block, None


def _top_lines(page: Page) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The page's head, and the other lines above its first table, without the lines that introduce that table."""
    head: list[str] = []
    before: list[str] = []
    in_head = True
    for block in page.blocks:
        if block.table is not None:
            break
        lines = [line for line in _lines(block) if not _LEADS.search(line.rstrip())]
        titled = any(names_statement(line) or _NOTES.search(line) for line in lines)
        if block.kind == "heading" and not titled:
            in_head = in_head and not head
        (head if in_head or block.kind == "furniture" else before).extend(lines)
    return tuple(head[:_TOP_LINES]), tuple(before[:_TOP_LINES])


def _lines(block: Block) -> list[str]:
    """A short block's lines, with sentences joined; of a long paragraph, its last and its introducing sentence."""
    words = block.text.split()
    lines = [line.text for line in block.lines] or block.text.splitlines()
    if len(words) <= _LONG_BLOCK_WORDS:
        wrapped = len(lines) > 1 and block.kind != "heading" and lines[-1].rstrip().endswith((":", "."))
        return [" ".join(words)] if wrapped else lines
    *others, last = _SENTENCE_END.split(" ".join(words))
    leading = [s for s in others if _LEADS.search(s) and len(s.split()) <= _LEADING_WORDS]
    if last.endswith(":") and len(last.split()) <= _LEADING_WORDS:
        return [*leading, last]
    return [*leading, " ".join(words[-_LONG_BLOCK_WORDS:])]


def _may_be_title(line: str) -> bool:
    """Whether it may be a title: a short line that is no unit or period, or a sentence that introduces the table."""
    words = _NUMBER.sub("", line)
    if not (words[:1].isupper() or _IDEOGRAPH.match(words)) or _NOTES.match(words) or _BARE_NOTES.match(words):
        return False
    if line.endswith(":"):
        return len(line.split()) <= _LEADING_WORDS
    return _is_short(line) and not _says_time_or_unit(line)


def _says_time_or_unit(line: str) -> bool:
    """Whether the line has nothing but a period or a unit."""
    return unit_of_line(line) is not None or (len(line.split()) < 8 and printed_time(line).says_something)


def _is_short(line: str) -> bool:
    return 0 < len(line.split()) <= _TITLE_WORDS and not line.rstrip().endswith((".", ";", ","))

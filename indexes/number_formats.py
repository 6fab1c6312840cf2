"""Whether a report prints "1,234.5" or "1.234,5": decided for the whole report, and for a table that says otherwise.

A figure such as "1.234" says nothing of itself. Figures that only one of the formats allows do; where there are too
few of these, the language of the report's words does.
"""

import re
from collections.abc import Iterable, Sequence

from indexes.languages import COMMA_LANGUAGES, language_of
from storage.amounts import DecimalMark
from storage.pages import Block, Page, Table
from storage.text import plain

_BEFORE, _AFTER = r"(?<![\d.,'/:-])", r"(?![\d'/:-]|[.,]\d)"
_GROUPS = {".": r"(?:[,']\d{3})", ",": r"(?:[. ]\d{3})"}
# With groups and decimals, with several groups, or with decimals that are no group. "3.1" alone may count a note.
_ONLY: dict[DecimalMark, re.Pattern[str]] = {
    mark: re.compile(
        rf"{_BEFORE}(?:\d{{1,3}}{_GROUPS[mark]}+{re.escape(mark)}\d+|\d{{1,3}}{_GROUPS[mark].replace(' ', '')}{{2,}}"
        rf"|\d{{3,}}{re.escape(mark)}\d{{1,2}}|\d{{1,3}}{re.escape(mark)}\d{{1,2}}(?=\s?%)){_AFTER}"
    )
    for mark in (".", ",")
}
_ENOUGH = 3  # figures of one format only, to overrule the language
_ENOUGH_IN_TABLE = 2
_MARKS: tuple[DecimalMark, DecimalMark] = (".", ",")


def with_number_formats(pages: Sequence[Page]) -> list[Page]:
    """A report's pages with the decimal mark of each page and table."""
    values = [c.text for page in pages for table in page.tables for c in table.cells if c.role == "value"]
    mark = _report_mark(values, " ".join(b.text for page in pages for b in page.blocks if b.table is None))
    return [_marked(page, mark) for page in pages]


def _report_mark(values: Iterable[str], prose: str) -> DecimalMark:
    text = " | ".join(map(plain, values))
    by_language: DecimalMark = "," if language_of(prose) in COMMA_LANGUAGES else "."
    counts = {mark: len(_ONLY[mark].findall(text)) for mark in _MARKS}
    most = max(_MARKS, key=lambda mark: counts[mark])
    is_clear = counts[most] >= _ENOUGH and counts[most] > 2 * (sum(counts.values()) - counts[most])
    return most if is_clear else by_language


def _marked(page: Page, mark: DecimalMark) -> Page:
    blocks = tuple(_marked_block(block, mark) for block in page.blocks)
    return page.model_copy(update={"blocks": blocks, "decimal_mark": mark})


def _marked_block(block: Block, mark: DecimalMark) -> Block:
    if block.table is None:
        return block
    table = block.table.model_copy(update={"decimal_mark": _table_mark(block.table, mark)})
    return block.model_copy(update={"table": table})


def _table_mark(table: Table, usual: DecimalMark) -> DecimalMark:
    """The other mark where figures of the table are possible with it alone, and none with the report's alone."""
    text = " | ".join(plain(c.text) for c in table.cells if c.role == "value")
    other: DecimalMark = "." if usual == "," else ","
    says_other, says_usual = len(_ONLY[other].findall(text)), len(_ONLY[usual].findall(text))
    return other if says_other >= _ENOUGH_IN_TABLE and not says_usual else usual

"""A report's language, and whether it prints "1,234.5" or "1.234,5".

A figure such as "1.234" is possible in both formats. Figures that are possible in only one of them decide. Where there
are too few of these, the language of the report decides.
"""

import re
from collections import Counter
from collections.abc import Sequence

from storage.amounts import DecimalMark
from storage.lexicon.words import COMMA_LANGUAGES, SMALL_WORDS, Language, expression
from storage.records.pages import Block, Page, Table
from storage.text import plain

_BEFORE, _AFTER = r"(?<![\d.,'/:-])", r"(?![\d'/:-]|[.,]\d)"
_GROUPS = {".": r"(?:[,']\d{3})", ",": r"(?:[. ]\d{3})"}
# With groups and decimals, with several groups, or with decimals that are no group. "3.1" alone may count a note.
_ONLY: dict[DecimalMark, re.Pattern[str]] = {
    mark: expression(
        rf"{_BEFORE}(?:\d{{1,3}}{_GROUPS[mark]}{{1,9}}{re.escape(mark)}\d+"
        rf"|\d{{1,3}}{_GROUPS[mark].replace(' ', '')}{{2,9}}"
        rf"|\d{{3,}}{re.escape(mark)}\d{{1,2}}|\d{{1,3}}{re.escape(mark)}\d{{1,2}}(?=\s?%)){_AFTER}"
    )
    for mark in (".", ",")
}
_BEHIND_POINT = expression(rf"{_BEFORE}\d{{1,3}}\.(\d+){_AFTER}")
_GROUP = 3  # digits
_ENOUGH = 3  # figures that are possible in one format only, needed to overrule the language
_ENOUGH_IN_TABLE = 2
_MARKS: tuple[DecimalMark, DecimalMark] = (".", ",")


def with_number_formats(pages: Sequence[Page]) -> list[Page]:
    """A report's pages with the decimal mark of each page and table."""
    mark = _report_mark(pages)
    return [_marked(page, mark) for page in pages]


def _report_mark(pages: Sequence[Page]) -> DecimalMark:
    values = [c.text for page in pages for table in page.tables for c in table.cells if c.role == "value"]
    text = " | ".join(map(plain, values))
    counts = {mark: len(_ONLY[mark].findall(text)) for mark in _MARKS}
    most = max(_MARKS, key=lambda mark: counts[mark])
    if counts[most] >= _ENOUGH and counts[most] > 2 * (sum(counts.values()) - counts[most]):
        return most
    language = language_of(" ".join(b.text for page in pages for b in page.blocks if b.table is None))
    return "," if language in COMMA_LANGUAGES or (not language and _are_groups(text)) else "."


def _are_groups(text: str) -> bool:
    """Whether every figure with a point has three digits behind it: hardly anybody prints three decimals."""
    behind = _BEHIND_POINT.findall(text)
    return len(behind) >= _ENOUGH and all(len(digits) == _GROUP for digits in behind) and "," not in text


def _marked(page: Page, mark: DecimalMark) -> Page:
    blocks = tuple(_marked_block(block, mark) for block in page.blocks)
    return page.model_copy(update={"blocks": blocks, "decimal_mark": mark})


def _marked_block(block: Block, mark: DecimalMark) -> Block:
    if block.table is None:
        return block
    table = block.table.model_copy(update={"decimal_mark": _table_mark(block.table, mark)})
    return block.model_copy(update={"table": table})


def _table_mark(table: Table, usual: DecimalMark) -> DecimalMark:
    """The other mark where some figures of the table need it and none need the report's mark."""
    text = " | ".join(plain(c.text) for c in table.cells if c.role == "value")
    other: DecimalMark = "." if usual == "," else ","
    says_other, says_usual = len(_ONLY[other].findall(text)), len(_ONLY[usual].findall(text))
    return other if says_other >= _ENOUGH_IN_TABLE and not says_usual else usual


_LANGUAGES_OF: dict[str, list[Language]] = {}
for _language, _words in SMALL_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
_WORD = expression(r"[^\W\d_]+")
_KANA = expression(r"[\u3040-\u30ff]")
_HAN = expression(r"[\u4e00-\u9fff]")
_HAN_SHARE = 0.2  # of the letters
_FEWEST = 5  # short words; fewer are not enough to decide


def language_of(text: str) -> Language | None:
    """The language of a text, by its common short words or its script; None where there is too little text."""
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    if kana + han > _HAN_SHARE * sum(map(len, _WORD.findall(text) if kana + han else ())):
        return "japanese" if kana > han / 20 else "chinese"
    votes: Counter[Language] = Counter()
    for word, count in Counter(_WORD.findall(text.lower())).items():
        for language in _LANGUAGES_OF.get(word, ()):
            votes[language] += count
    language, count = max(votes.items(), key=lambda item: item[1], default=("english", 0))
    return language if count >= _FEWEST else None

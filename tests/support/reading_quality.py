"""How well page records hold what a report prints: its words, its figures in their rows, its columns' periods.

Pure: page records, the raw texts of pypdfium2 by page, and known facts go in; measures come out.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Literal

from storage.records.pages import Block, Cell, Page, Table
from storage.records.record import Record
from storage.text import plain, words

RowVerdict = Literal["found", "no_label", "no_row", "lost", "not_in_text"]
Statement = Literal["income", "balance", "cash_flow"]
PeriodVerdict = Literal["right", "wrong", "none"]
NONSENSE_SHARE = 0.30  # of a report's pages
_FUNCTION_SHARE = 0.05  # of a page's words; plain English has 30 % and more, statements about 10 %
_FEWEST_WORDS = 30  # on a page that is judged for sense
_FUNCTION_WORDS = frozenset(
    words("the of and to in for a on is that by with as or our are we at from be not this which its an were")
)
_LEADER = re.compile(r"([.…_])(?:\s*\1)+")  # the reader leaves out what leads the eye from a label to its figure
_UNPRINTED = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2060\ufffe\uffff\ue000-\uf8ff-]")
_LINE_END_HYPHEN = re.compile(r"[-‐\u00ad\x02\ufffe]\r?\n")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_CONTINUATION_WORDS = 3
_OPEN = re.compile(r"(?i)\b(?:of|from|for|to|in|by|on)\W*$")
# Words that stand in labels of too many metrics to tell one.
_COMMON = frozenset(
    words(
        "the a an of in on at for to from by its end total net year period per and or used provided after number"
    )
)
_HOMES = {
    "income": re.compile(
        r"(?i)statements? of .*(?:operations|income|earnings|profit)|income statement|profit and loss"
    ),
    "balance": re.compile(r"(?i)balance sheet|statements? of .*(?:financial position|condition)"),
    "cash_flow": re.compile(r"(?i)cash ?flow"),
}


class Fact(Record):
    """A checked figure.

    Attributes:
        metric: what it is a figure of.
        labels: names under which reports print the metric.
        printed: the figure as it stands on the page, such as "(28,641)".
        page_numbers: 1-based; the pages that print it.
        statement: where an amount is at home; None for what has no column's period to judge.
    """

    metric: str
    labels: tuple[str, ...]
    printed: str
    page_numbers: tuple[int, ...]
    statement: Statement | None = None

    @cached_property
    def label_words(self) -> frozenset[str]:
        """Words of which the figure's row has at least one in its label; none that many metrics' labels share."""
        return frozenset().union(*map(stems, self.labels)) - _COMMON


class KnownReport(Record):
    """What is known of a report before it is read."""

    sha1: str
    company: str = ""
    period_end: dt.date | None = None
    facts: tuple[Fact, ...] = ()


class FactRow(Record):
    """Where a fact's figure stands in the page records, on the best of its pages.

    Attributes:
        verdict: in one row or line with a word of its label; in one without; in none; only in the raw text; nowhere.
        row: the row or line that holds the figure.
    """

    fact: Fact
    verdict: RowVerdict
    page_number: int | None = None
    row: str = ""


class FactPeriod(Record):
    """The period of the column that an amount of a statement stands in.

    Attributes:
        year: of the column's period.
        header: of the column.
    """

    fact: Fact
    verdict: PeriodVerdict
    page_number: int
    year: int | None = None
    header: str = ""
    title: str = ""


class PageWords(Record):
    """How many printed characters of a page stand in its record, and what is missing."""

    page_number: int
    printed: int
    found: int
    missing_characters: str = ""
    missing_words: tuple[str, ...] = ()


class ReportMeasures(Record):
    """All measures of one report. `seconds` is None when its pages were kept from an earlier run."""

    sha1: str
    company: str
    nonsense_share: float
    page_count: int
    seconds: float | None = None
    rows: tuple[FactRow, ...] = ()
    lost: tuple[FactRow, ...] = ()
    periods: tuple[FactPeriod, ...] = ()
    words: tuple[PageWords, ...] = ()
    tables: int = 0
    tables_with_unit: int = 0
    columns: int = 0
    columns_with_period: int = 0
    headings: int = 0

    @property
    def is_nonsense(self) -> bool:
        """Its text layer does not say what is printed."""
        return self.nonsense_share > NONSENSE_SHARE

    @cached_property
    def printed(self) -> int:
        """Characters that are printed."""
        return sum(page.printed for page in self.words)

    @cached_property
    def found(self) -> int:
        """Printed characters that stand in the page records."""
        return sum(page.found for page in self.words)


def measure(
    known: KnownReport, pages: Sequence[Page], raw_texts: Sequence[str], seconds: float | None = None
) -> ReportMeasures:
    """Everything about one report; `pages` and `raw_texts` are all its pages in order."""
    tables = [table for page in pages for table in page.tables]
    columns = [column for table in tables for column in table.columns[1:]]
    by_number = {page.page_number: page for page in pages}
    raw = {page.page_number: text for page, text in zip(pages, raw_texts, strict=True)}
    periods = (fact_period(fact, by_number, known.period_end) for fact in known.facts)
    return ReportMeasures(
        sha1=known.sha1,
        company=known.company,
        nonsense_share=nonsense_share(raw_texts),
        page_count=len(pages),
        seconds=seconds,
        rows=tuple(fact_row(fact, by_number, raw) for fact in known.facts),
        lost=tuple(lost for fact in known.facts for lost in lost_figures(fact, by_number, raw)),
        periods=tuple(period for period in periods if period),
        words=tuple(page_words(page, raw[page.page_number]) for page in pages),
        tables=len(tables),
        tables_with_unit=sum(bool(table.unit) for table in tables),
        columns=len(columns),
        columns_with_period=sum(column.period is not None for column in columns),
        headings=sum(block.kind == "heading" for page in pages for block in page.blocks),
    )


def nonsense_share(raw_texts: Iterable[str]) -> float:
    """The share of pages with hardly an English function word, among pages with enough words to tell."""
    judged = [
        found for text in raw_texts if len(found := [w for w in words(text) if w.isalpha()]) >= _FEWEST_WORDS
    ]
    senseless = [f for f in judged if sum(w in _FUNCTION_WORDS for w in f) < _FUNCTION_SHARE * len(f)]
    return len(senseless) / len(judged) if judged else 0.0


# Figures in their rows


def holds(text: str, printed: str) -> bool:
    """Whether the text has the figure as printed: brackets and all, not a part of a longer figure."""
    return _figure_pattern(printed).search(plain(text)) is not None


def stems(text: str) -> frozenset[str]:
    """A text's words without possessive and plural endings."""
    return frozenset(w.removesuffix("'s").removesuffix("s") for w in words(text))


def fact_row(fact: Fact, pages: Mapping[int, Page], raw_texts: Mapping[int, str]) -> FactRow:
    """The fact's figure at its best place: with its label, else in any row, else in the text of any page."""
    label = fact.label_words
    best: FactRow | None = None
    for number in _pages_of(fact, pages):
        for name, row in rows_holding(pages[number], fact.printed):
            if stems(name) & label:
                return FactRow(fact=fact, verdict="found", page_number=number, row=row)
            best = best or FactRow(fact=fact, verdict="no_label", page_number=number, row=row)
    return best or _rowless(fact, pages, raw_texts)


def _rowless(fact: Fact, pages: Mapping[int, Page], raw_texts: Mapping[int, str]) -> FactRow:
    numbers = _pages_of(fact, pages)
    read = next((n for n in numbers if holds(_text(pages[n]), fact.printed)), None)
    printed = next((n for n in numbers if holds(raw_texts[n], fact.printed)), None)
    verdict: RowVerdict = "no_row" if read else "lost" if printed else "not_in_text"
    return FactRow(fact=fact, verdict=verdict, page_number=read or printed)


def lost_figures(fact: Fact, pages: Mapping[int, Page], raw_texts: Mapping[int, str]) -> Iterator[FactRow]:
    """The fact's pages whose raw text has its figure and whose record has not."""
    for number in _pages_of(fact, pages):
        if holds(raw_texts[number], fact.printed) and not holds(_text(pages[number]), fact.printed):
            yield FactRow(fact=fact, verdict="lost", page_number=number)


def rows_holding(page: Page, printed: str) -> Iterator[tuple[str, str]]:
    """Each table row, line and sentence of the page that holds the figure: what names it, and the whole of it."""
    for block in page.blocks:
        if block.table is None:
            lines = [line.text for line in block.lines] or block.text.splitlines()
            sentences = _SENTENCE_END.split(" ".join(block.text.split()))
            yield from ((text, text) for text in [*lines, *sentences] if holds(text, printed))
        else:
            for cells, section, text in _table_rows(block.table):
                if holds(text, printed):
                    yield _name(block.table, cells, section, printed), text


def _name(table: Table, row: Sequence[Cell], section: str, printed: str) -> str:
    """The row's label and the header over its figure.

    A label of a few words or the rest of a phrase ("Basic", "operating activities"; whatever follows "Acquisition
    of:") goes on from the section or the broken label before it; a row without any, or with a year alone, is named
    by its table.
    """
    label = " ".join(cell.text for cell in row if not _is_figure(cell))
    columns = [cell.column for cell in row if holds(cell.text, printed)]
    heads = [table.columns[i].header for i in columns if i < len(table.columns)]
    continues = len(label.split()) <= _CONTINUATION_WORDS or label[:1].islower() or _OPEN.search(section)
    bare = not any(map(str.isalpha, label))
    return " ".join([*heads, section if continues else "", table.title if bare else "", label])


def _table_rows(table: Table) -> Iterator[tuple[list[Cell], str, str]]:
    """Each row's cells, the texts of the figureless rows last before it, and its own text."""
    section: list[str] = []
    after_figures = False
    for index in range(table.row_count):
        row = [cell for cell in table.cells if cell.row <= index < cell.row + cell.row_span]
        text = " ".join(cell.text for cell in row)
        yield row, " ".join(section), text
        if any(_is_figure(cell) for cell in row):
            after_figures = True
        else:
            section = [text] if after_figures else [*section, text]
            after_figures = False


def _is_figure(cell: Cell) -> bool:
    return cell.role in ("value", "note") and re.search(r"\d", cell.text) is not None


def _pages_of(fact: Fact, pages: Mapping[int, Page]) -> list[int]:
    return [number for number in fact.page_numbers if number in pages]


def _text(page: Page) -> str:
    return "\n".join(text for block in page.blocks for text in (block.text, *_cell_texts(block)))


def _cell_texts(block: Block) -> list[str]:
    return [cell.text for cell in block.table.cells] if block.table else []


@cache
def _figure_pattern(printed: str) -> re.Pattern[str]:
    """Spaces may stand inside brackets and around signs, as text layers put them there."""
    figure = r"\s*".join(map(re.escape, re.findall(r"[\w.,]+|[^\w\s]", plain(printed))))
    edge = r"\b" if printed.isalpha() else ""
    return re.compile(rf"(?<!\d)(?<!\d[.,]){edge}{figure}{edge}(?!\d)(?![.,]\d)", re.IGNORECASE)


# Periods of columns


def fact_period(fact: Fact, pages: Mapping[int, Page], period_end: dt.date | None) -> FactPeriod | None:
    """The period of the fact's column; None for what is no amount of a statement or stands in no table.

    Rows with the metric's label count before others, and its own statement before other tables; of several places
    of the same rank one right column is enough.
    """
    if period_end is None or fact.statement is None:
        return None
    places = _best_places(fact, _HOMES[fact.statement], pages)
    verdicts = [_column_period(fact, number, table, cell, period_end.year) for number, table, cell in places]
    ranked = sorted(verdicts, key=lambda v: ("right", "wrong", "none").index(v.verdict))
    return ranked[0] if ranked else None


def _best_places(fact: Fact, home: re.Pattern[str], pages: Mapping[int, Page]) -> list[tuple[int, Table, Cell]]:
    label = fact.label_words
    places: dict[tuple[bool, bool], list[tuple[int, Table, Cell]]] = {}
    for number in _pages_of(fact, pages):
        for table in pages[number].tables:
            for row, section, _ in _table_rows(table):
                name = _name(table, row, section, fact.printed)
                rank = (not stems(name) & label, not home.search(table.title))
                found = [(number, table, cell) for cell in row if holds(cell.text, fact.printed)]
                places.setdefault(rank, []).extend(found)
    return next((found for _, found in sorted(places.items(), key=lambda item: item[0]) if found), [])


def _column_period(fact: Fact, number: int, table: Table, cell: Cell, year: int) -> FactPeriod:
    column = table.columns[cell.column] if cell.column < len(table.columns) else None
    period = column.period if column else None
    return FactPeriod(
        fact=fact,
        verdict="none" if period is None else "right" if period.year == year else "wrong",
        page_number=number,
        year=period.year if period else None,
        header=column.header if column else "",
        title=table.title,
    )


# Words kept


def page_words(page: Page, raw_text: str) -> PageWords:
    """The page's printed characters against its record's, each as often as it stands there."""
    printed, read = characters(raw_text), record_characters(page)
    missing = printed - read
    return PageWords(
        page_number=page.page_number,
        printed=printed.total(),
        found=printed.total() - missing.total(),
        missing_characters="".join(sorted(missing.elements())),
        missing_words=tuple(_missing_words(page, raw_text)) if missing else (),
    )


def characters(text: str) -> Counter[str]:
    """Characters by count, folded by `plain`, without spaces, dashes, dot leaders and what is not printed."""
    return Counter(_UNPRINTED.sub("", _LEADER.sub("", plain(text))))


def record_characters(page: Page) -> Counter[str]:
    """Those of all blocks; of a table's printed lines and its cells, which say the same, the more."""
    total: Counter[str] = Counter()
    for block in page.blocks:
        total.update(characters(block.text) | characters(" ".join(_cell_texts(block))))
    return total


def _missing_words(page: Page, raw_text: str) -> list[str]:
    """Words of the raw text beyond those of the record, in the text's order."""
    read: Counter[str] = Counter()
    for block in page.blocks:
        read.update(Counter(words(block.text)) | Counter(words(" ".join(_cell_texts(block)))))
    missing: list[str] = []
    for word in words(_LINE_END_HYPHEN.sub("", raw_text)):
        if read[word] > 0:
            read[word] -= 1
        else:
            missing.append(word)
    return missing

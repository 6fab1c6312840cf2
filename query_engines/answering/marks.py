"""Marks each row and sentence of a page, so that a model can point at it instead of copying it.

A mark is the page's number, a dot and the place on the page: "61.5". Headings of columns have none.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from indexes.facts.printed_rows import PrintedRow, table_rows
from indexes.facts.sentences import split_sentences
from query_engines.llm.usage import estimated_tokens
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.verification.quotes import locate
from storage.records.metrics import Metric
from storage.records.pages import Cell, Page, Table
from storage.text import fingerprint, stems

_RULED = "| ---"
_HEADING = "#"
_LEFT_OUT = "…"
_NOWHERE = -1  # the place of a line that is none of the page's
_NEAR = 0.4  # of the weight of a line, for the one before and the one after it
_OF_METRIC, _FOUND = 2.0, 10.0  # weight of a row under one of a metric's names, and of one that a program found
_LEAST = 0.25  # of the best weight, below which a line says too little to be read
_FIGURE = 0.3  # weight of a figure, where a figure is asked for and a word fits


@dataclass(frozen=True)
class MarkedLine:
    """One row or sentence of a page.

    Attributes:
        mark: empty for what cannot be pointed at: headings of columns, lines without a word.
        text: without the mark.
        place: the line of the page's text that it stands in; a paragraph's sentences share one.
        table, row: of a table's row that the page record holds.
    """

    mark: str
    text: str
    place: int
    table: Table | None = None
    row: int = 0

    @property
    def is_of_table(self) -> bool:
        """Whether it is a line of a table."""
        return self.text.startswith("|")

    @property
    def shown(self) -> str:
        """The line as a model reads it."""
        return f"[{self.mark}] {self.text}" if self.mark else self.text

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of its row that hold values, from left to right."""
        if self.table is None:
            return ()
        found = (c for c in self.table.cells if c.row == self.row and c.role == "value" and c.text.strip())
        return tuple(sorted(found, key=lambda c: c.column))

    @cached_property
    def printed(self) -> PrintedRow | None:
        """Its row with label and heading."""
        rows = table_rows(self.table, 0) if self.table is not None else ()
        return next((row for row in rows if row.row == self.row), None)


@dataclass(frozen=True)
class MarkedPage:
    """A page and its lines in reading order."""

    page: Page
    lines: tuple[MarkedLine, ...]

    @cached_property
    def text(self) -> str:
        """The whole page with its marks."""
        return _joined(self.lines)

    def shown(self, kept: frozenset[str] | None) -> str:
        """The page with its marks; with `kept`, only these and what they stand under."""
        return self.text if kept is None else _joined(list(self._kept(kept)))

    def _kept(self, kept: frozenset[str]) -> Iterator[MarkedLine]:
        """The kept lines, with the column headings of their table and the row above that names them."""
        heading: list[MarkedLine] = []
        naming: list[MarkedLine] = []
        is_gap = False
        for line in self.lines:
            if line.mark in kept:
                if is_gap and not (heading or naming):
                    yield MarkedLine("", _LEFT_OUT, _NOWHERE)
                yield from (*heading, *naming, line)
                heading, naming, is_gap = [], [], False
            elif line.mark:
                is_gap = True
            elif line.text.startswith(_RULED):
                heading, naming = [*naming[-1:], line], []
            elif line.is_of_table:
                naming = [line]


@lru_cache(maxsize=512)
def mark_page(page: Page, text: str) -> MarkedPage:
    """A page with its marks.

    Args:
        page: the record, whose tables tell the row of a line.
        text: Markdown of the whole page, or of the parts of it that a model may read.
    """
    rows = _rows_of(page)
    lines: list[MarkedLine] = []
    raw = text.splitlines()
    for place, line in enumerate(raw):
        if not line.strip():
            continue
        if line.startswith("|"):
            is_heading = line.startswith(_RULED) or (place + 1 < len(raw) and raw[place + 1].startswith(_RULED))
            table, row = (None, 0) if is_heading else _taken(rows, line)
            can_answer = not is_heading and _says_something(line)
            lines.append(MarkedLine(_next(page, lines) if can_answer else "", line, place, table, row))
            continue
        for sentence in split_sentences(line):
            can_answer = any(map(str.isalnum, sentence))
            lines.append(MarkedLine(_next(page, lines) if can_answer else "", sentence, place))
    return MarkedPage(page, tuple(lines))


def _next(page: Page, lines: Sequence[MarkedLine]) -> str:
    return f"{page.page_number}.{sum(1 for line in lines if line.mark) + 1}"


def _says_something(line: str) -> bool:
    """Whether a row holds a figure, or more than one text."""
    cells = [cell for cell in line.strip("|").split("|") if cell.strip()]
    return len(cells) > 1 or any(map(str.isdigit, line))


def _rows_of(page: Page) -> dict[str, list[tuple[Table, int]]]:
    """The page's rows by their line of Markdown; equal lines in reading order."""
    rows: dict[str, list[tuple[Table, int]]] = {}
    for table in page.tables:
        lines = table.markdown().splitlines()[2:]
        for row, line in enumerate(lines, start=table.header_row_count):
            rows.setdefault(line, []).append((table, row))
    return rows


def _taken(rows: Mapping[str, list[tuple[Table, int]]], line: str) -> tuple[Table | None, int]:
    places = rows.get(line)
    if not places:
        return None, 0
    return places.pop(0) if len(places) > 1 else places[0]


def _joined(lines: Sequence[MarkedLine]) -> str:
    texts: list[str] = []
    for before, line in zip([None, *lines], lines, strict=False):
        if before is None:
            texts.append(line.shown)
        elif line.place == before.place:
            texts.append(f" {line.shown}")
        else:
            texts.append(f"\n{'' if line.is_of_table and before.is_of_table else chr(10)}{line.shown}")
    return "".join(texts)


def marks_of_facts(pages: Sequence[MarkedPage], facts: FactMatch) -> tuple[str, ...]:
    """The marks of the rows and sentences that the fact table has for the question, the most certain first."""
    by_number = {marked.page.page_number: marked for marked in pages}
    found: list[str] = []
    fact = facts.fact
    if fact is not None and (marked := by_number.get(fact.page_number)) is not None:
        own = [
            line.mark for line in marked.lines if any(cell.box in fact.boxes for cell in line.cells if cell.box)
        ]
        found += own or [line.mark for line in marked.lines if fact.printed in line.text and not line.is_of_table]
    for told in (facts.person, *facts.events[:3]):
        if told is not None and told.quote and (marked := by_number.get(told.page_number)) is not None:
            wanted = fingerprint(told.quote)
            found += [line.mark for line in marked.lines if _shares(fingerprint(line.text), wanted)]
    return tuple(dict.fromkeys(filter(None, found)))


_SHORTEST = 12  # letters of a fingerprint that can stand for a passage


def _shares(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= _SHORTEST and (one in other or other in one)


def nearest_lines(
    pages: Sequence[MarkedPage], question: ParsedQuestion, facts: FactMatch, room: int
) -> frozenset[str]:
    """The marks of the lines that come nearest to a question and fit together into so many tokens.

    A line counts for the words of the question that it has but those of the company's name, each by its rarity, and
    more where it stands under a name of the metric that is asked for or under a heading with words of the question.
    Lines beside a good one come with it; what says far less than the best is left out.
    """
    lines = [line for marked in pages for line in marked.lines if line.mark]
    words = [stems(_in_context(line)) for line in lines]
    counts = Counter(word for own in words for word in own)
    intent = question.intent
    metric = facts.metric or intent.metric or intent.explained
    wanted = stems(intent.search_words)
    found = frozenset(marks_of_facts(pages, facts))
    wants_figure = question.kind == "number"
    own = [_weight(line, said & wanted, counts, len(lines)) for line, said in zip(lines, words, strict=True)]
    under = 0.0
    for i, line in enumerate(lines):
        if line.text.startswith(_HEADING):
            under = own[i] * _NEAR
        elif not line.is_of_table:
            own[i] += under
        if metric is not None and _is_of(metric, line):
            own[i] += _OF_METRIC
        if line.mark in found:
            own[i] += _FOUND
        if wants_figure and own[i] and any(map(str.isdigit, line.text)):
            own[i] += _FIGURE
    least = _LEAST * max(
        (w - _FOUND * (line.mark in found) for w, line in zip(own, lines, strict=True)), default=0.0
    )
    beside = [max(own[max(i - 1, 0) : i + 2], default=0.0) * _NEAR for i in range(len(own))]
    weights = [max(mine, near) for mine, near in zip(own, beside, strict=True)]
    kept: set[str] = set()
    for i in sorted(range(len(lines)), key=lambda i: (-weights[i], i)):
        cost = estimated_tokens(lines[i].shown) + _AROUND_LINE
        if weights[i] > 0 and weights[i] >= least and cost <= room:
            kept.add(lines[i].mark)
            room -= cost
    return frozenset(kept)


_AROUND_LINE = 3  # tokens, for the headings of columns that a kept row brings with it


def _in_context(line: MarkedLine) -> str:
    row = line.printed
    title = line.table.title if line.table is not None else ""
    return f"{line.text} {row.heading if row else ''} {title}"


def _weight(line: MarkedLine, shared: frozenset[str], counts: Mapping[str, int], total: int) -> float:
    """How much of the question a line says, the rarer the words the more; a long line counts less for the same."""
    said = sum(math.log(1 + total / counts[word]) for word in shared)
    return said / (1 + math.log(1 + len(line.text) / 200)) if said else 0.0


def _is_of(metric: Metric, line: MarkedLine) -> bool:
    row = line.printed
    return row is not None and bool(row.label) and metric.place(row.label, row.heading) is not None


def line_with(quote: str, figure: str, marked: MarkedPage) -> MarkedLine | None:
    """The line of a page that a quote is from, if there is just one; for a model that copied instead of pointing."""
    wanted = fingerprint(quote)
    if len(wanted) < _SHORTEST or locate(quote, marked.page) is None:
        return None
    fitting = [line for line in marked.lines if line.mark and wanted in fingerprint(line.text)]
    fitting = [line for line in fitting if figure in line.text] or fitting
    return fitting[0] if len(fitting) == 1 else None

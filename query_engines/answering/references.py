"""Reads what a model points at: figure, sign, scale, currency, period and place come from the page, not from the model.

A model that copies digits can slip, and one that copies scale, currency and period slips often. So it gives the mark of
a row or sentence, for a row the heading of a column, and the figure as it read it, which only decides between several.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from indexes.facts.printed_rows import figure_of
from prompts.drafts import AS_PRINTED, Draft, Evidence
from prompts.kinds.name import NameDraft
from prompts.kinds.number import NumberDraft
from query_engines.answering.marks import MarkedLine, MarkedPage, line_with
from query_engines.extraction.from_facts import row_quote
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.verification.meaning import same_person
from query_engines.verification.printed_figures import (
    column_of,
    figure_on,
    figures_in,
    has_money_sign,
    is_unscaled,
    number_meant,
    row_label,
)
from query_engines.verification.units import (
    Wanted,
    before_figure,
    is_in_minor_unit,
    places_of,
    possible_scales,
    without_scale_word,
)
from storage.amounts import number_word
from storage.lexicon.money import printed_names
from storage.lexicon.periods import periods_in
from storage.lexicon.words import expression
from storage.records.answers import NOT_AVAILABLE, Dimension
from storage.records.facts import Period, is_as_long
from storage.records.pages import Cell, Column, Page
from storage.records.record import Record
from storage.records.reports import MONTHS_OF_YEAR, Report
from storage.text import fingerprint, plain

_CENT = Decimal("0.01")
_NO_MONEY: frozenset[Dimension] = frozenset({"count", "percent", "ratio", "days", "date"})
# A figure with what belongs to it, as it stands in a sentence.
_IN_SENTENCE = expression(r"[(\[]?[-−–]?\s?[$€£¥]?\s?\d[\d,.'’\u00a0\u202f]*(?:\s?%)?\)?")


class AskedPeriod(Record):
    """The period that a question is about: its year, its last day and its length, as far as they are known."""

    year: int | None = None
    end: dt.date | None = None
    months: int | None = None

    def is_of(self, period: Period) -> bool:
        """Whether a column's period is it; the last day decides where it is known."""
        if self.end is not None:
            return period.end == self.end and is_as_long(period.months, self.months)
        return period.year == self.year and is_as_long(period.months, self.months)


@dataclass(frozen=True)
class References:
    """The marked pages of one question, and what its drafts are read by."""

    pages: Sequence[MarkedPage]
    question: ParsedQuestion
    report: Report
    facts: FactMatch

    def read(self, draft: Draft) -> Draft:
        """The draft with what its marks say, and its number as the page prints it.

        A passage whose mark is not on the pages is left out. A draft that rests on such passages alone is N/A.
        """
        found = [read for each in draft.evidence if (read := self._passage(each)) is not None]
        if isinstance(draft, NameDraft) and draft.final_answer != NOT_AVAILABLE:
            found = self._naming(draft.final_answer, found)
        changed: dict[str, object] = {"evidence": found, "relevant_pages": _pages_of(found)}
        answer = draft.final_answer
        is_lost = bool(draft.evidence) and not found and answer != NOT_AVAILABLE
        if isinstance(draft, NumberDraft) and answer != NOT_AVAILABLE and not is_lost:
            value = self._value(found, answer)
            changed["final_answer"] = NOT_AVAILABLE if value is None else value
            is_lost = value is None
        if is_lost:
            changed |= {"final_answer": NOT_AVAILABLE, "unavailable_because": "not_found"}
        return draft.model_copy(update=changed)

    def _naming(self, name: str, found: list[Evidence]) -> list[Evidence]:
        """The passages of a name; where none has it, the nearest line to the first of them that does."""
        if not found or any(same_person(name, each.quote) for each in found):
            return found
        places = list(self._by_mark.values())
        marks = [line.mark for _, line in places]
        start = marks.index(found[0].mark) if found[0].mark in marks else 0
        by_distance = sorted(
            range(len(places)), key=lambda i: (places[i][0].page.page_number != found[0].page, abs(i - start))
        )
        nearest = next((places[i] for i in by_distance if same_person(name, places[i][1].text)), None)
        if nearest is None:
            return found
        marked, line = nearest
        return [self._of_sentence(Evidence(mark=line.mark, page=marked.page.page_number), line, marked.page)]

    @cached_property
    def _by_mark(self) -> Mapping[str, tuple[MarkedPage, MarkedLine]]:
        return {line.mark: (marked, line) for marked in self.pages for line in marked.lines if line.mark}

    def _passage(self, given: Evidence) -> Evidence | None:
        """The passage with all that the page says of it; None where it stands nowhere on the pages."""
        known = self._place(given)
        if known is None:
            return given if given.page and given.quote else None
        marked, line = known
        given = given.model_copy(update={"mark": line.mark, "page": marked.page.page_number})
        is_cell = line.cells and not _is_of_label(given.printed_figure, line)
        return self._of_row(given, line, marked.page) if is_cell else self._of_sentence(given, line, marked.page)

    def _place(self, given: Evidence) -> tuple[MarkedPage, MarkedLine] | None:
        """The line that is meant: that of the mark, unless the figure which was copied stands in another one.

        A model that reads the right row may give the mark of the row below, or of another page. Where the mark's own
        row is one of the metric that is asked for, the figure is the slip.
        """
        known = self._by_mark.get(given.mark)
        if known is None:
            return self._meant(given)
        _, line = known
        figure = given.printed_figure or ""
        if not _is_long(figure) or _has(line, figure) or self._is_of_metric(line):
            return known
        printing = [(m, other) for m in self.pages for other in m.lines if _has(other, figure)]
        beside = [place for place in printing if place[0] is known[0]]
        of_metric = [place for place in (*beside, *printing) if self._is_of_metric(place[1])]
        return next(iter((*of_metric, *beside)), known)

    def _meant(self, given: Evidence) -> tuple[MarkedPage, MarkedLine] | None:
        """The only line with what was copied, where its mark is missing or unknown."""
        if not given.mark:
            return None
        figure = given.printed_figure or ""
        quoted = [(m, found) for m in self.pages if (found := line_with(given.quote, figure, m)) is not None]
        with_figure = [
            (m, line) for m in self.pages for line in m.lines if _is_long(figure) and _has(line, figure)
        ]
        return next((places[0] for places in (quoted, with_figure) if len(places) == 1), None)

    def _is_of_metric(self, line: MarkedLine) -> bool:
        """Whether a line is a row of the metric that is asked for."""
        metric = self.facts.metric or self.question.intent.sole_metric
        row = line.printed
        return metric is not None and row is not None and metric.place(row.label, row.heading) is not None

    def _of_row(self, given: Evidence, line: MarkedLine, page: Page) -> Evidence:
        """A passage that is a row of a table; without a figure, the whole row."""
        assert line.table is not None
        figures = [c for c in line.cells if figure_of(c.text, line.table.decimal_mark) is not None]
        cell = self._cell(given, line, figures)
        if cell is None:
            text = " ".join(c.text for c in _row(line) if c.text.strip())
            return given.model_copy(update={"quote": text, "printed_figure": None, "scale": None})
        column = column_of(line.table, cell)
        read = given.model_copy(
            update={
                "quote": row_quote(line.table, cell),
                "printed_figure": cell.text,
                "period": (column.period.printed or column.period.end.isoformat()) if column.period else None,
            }
        )
        return read.model_copy(update=self._unit(read, page, column))

    def _cell(self, given: Evidence, line: MarkedLine, figures: Sequence[Cell]) -> Cell | None:
        """The cell of a row that is meant.

        The column of the period that is asked comes first where there is just one, since a model that takes the right
        row may take the column beside it. Then the figure that it copied counts, then the column that it named.
        """
        table = line.table
        if not figures or table is None or (self.question.kind != "number" and not given.printed_figure):
            return None
        asked = self._asked
        of_period = [c for c in figures if (p := column_of(table, c).period) is not None and asked.is_of(p)]
        named = [c for c in figures if _is_named(given.column, column_of(table, c))]
        copied = [c for c in figures if _is_copied(given.printed_figure, c)]
        both = [c for c in named if c in copied]
        if self.question.periods and len(of_period) == 1 and given.relation != "other_period":
            return of_period[0]
        for choice in (both, copied, named, of_period, list(figures)):
            fitting = [c for c in choice if c in of_period] or choice
            if len(fitting) == 1 or (fitting and len({c.text for c in fitting}) == 1):
                return fitting[0]
        return both[0] if both else copied[0] if copied else None

    @property
    def _asked(self) -> AskedPeriod:
        facts, report = self.facts, self.report
        named = [period for period in self.question.periods if period.months]
        months = named[0].months if len(named) == 1 else report.filing.months or MONTHS_OF_YEAR
        if facts.period_end is not None:
            return AskedPeriod(end=facts.period_end, months=months)
        year = self.question.year_in(report)
        if year is not None:
            return AskedPeriod(year=year, months=months)
        return AskedPeriod(end=report.period_end, months=months)

    def _of_sentence(self, given: Evidence, line: MarkedLine, page: Page) -> Evidence:
        """A passage that is a sentence, or a row that is not in a grid; its figure is the one that was copied."""
        text = plain(line.text.replace("|", " ")) if line.is_of_table else line.text.lstrip("#- ").strip()
        read = given.model_copy(update={"quote": text, "printed_figure": None, "scale": None})
        figure = _figure_in(text, given.printed_figure, page)
        if figure is None and self.question.kind == "number":
            own = [each for each in _figures(text) if _may_be_meant(each, self.question.dimension)]
            figure = own[0] if len(own) == 1 else None
        if figure is None:
            return read.model_copy(update={"period": None})
        read = read.model_copy(update={"printed_figure": figure, "period": _period_beside(text, figure)})
        return read.model_copy(update=self._unit(read, page, None))

    def _unit(self, read: Evidence, page: Page, column: Column | None) -> dict[str, object]:
        """The scale and the currency of a figure, as the page prints them."""
        is_money = self.question.dimension not in _NO_MONEY and "%" not in (read.printed_figure or "")
        is_amount = (
            column is not None
            or self.question.intent.metric is not None
            or has_money_sign(read.printed_figure or "", read.quote)
        )
        usual = self.report.currency if is_amount else None  # "450 megawatts" are no dollars
        currency = ((column.currency if column else None) or _currency_of(read) or usual) if is_money else None
        return {"scale": self._scale(read, page), "currency": currency}

    def _scale(self, read: Evidence, page: Page) -> int | None:
        """What one printed unit stands for; None for cents and pence."""
        words, said = without_scale_word(read.printed_figure or "")
        printed = figure_on(words, page)
        if said is not None or printed is None:
            return said or 1
        bare = read.model_copy(update={"scale": None})
        wanted = self._wanted
        if "%" in (read.printed_figure or ""):
            return 1
        if is_in_minor_unit(printed, bare, wanted, page):
            return None
        scales = possible_scales(printed, bare, wanted, page, self._records)
        places = places_of(printed, read.quote, page)
        if len(scales) == 1:
            return min(scales)
        if places and is_unscaled(row_label(places[0][0], places[0][1].row)):
            return 1
        if not places and {1} < scales:
            return 1  # prose says its unit behind the figure
        return max(scales)

    @cached_property
    def _records(self) -> dict[int, Page]:
        return {marked.page.page_number: marked.page for marked in self.pages}

    @property
    def _wanted(self) -> Wanted:
        return Wanted(self.question.query.search, self.question.dimension, self.facts.usual_scale)

    def _value(self, found: Sequence[Evidence], answer: object) -> float | None:
        """The number that the first passage with a figure prints; the draft's own where it has no mark to go by."""
        first = next((e for e in found if e.printed_figure), None)
        if first is None or not first.mark:
            return None if answer == AS_PRINTED or not isinstance(answer, int | float) else answer
        page = self._records[first.page]
        words = without_scale_word(first.printed_figure or "")[0]
        printed = figure_on(words, page)
        if printed is None:
            in_words = number_word(words)
            return float(in_words) if in_words is not None else None
        worth = printed * (Decimal(first.scale) if first.scale else _CENT)
        return float(self._signed(worth, first, page))

    def _signed(self, worth: Decimal, read: Evidence, page: Page) -> Decimal:
        """A figure with the sign that its number must have: what is spent is a size, a loss is below zero."""
        fact = self.facts.fact
        if fact is not None and fact.page_number == page.page_number and abs(fact.value) == abs(worth):
            return fact.value
        printed = figure_on(without_scale_word(read.printed_figure or "")[0], page)
        places = places_of(printed, read.quote, page) if printed is not None else []
        label = before_figure(read)
        return number_meant(worth, self._wanted.text, label, places[0] if places else None)


def _is_of_label(figure: str | None, line: MarkedLine) -> bool:
    """Whether a figure stands in a row's words, such as "Dividends ($0.34 per share)", and in none of its cells."""
    if not figure or any(_is_copied(figure, cell) for cell in line.cells):
        return False
    return line.table is not None and plain(figure) in plain(row_label(line.table, line.row))


def _has(line: MarkedLine, figure: str) -> bool:
    """Whether a line that can be pointed at prints a figure."""
    if not line.mark:
        return False
    return any(_is_copied(figure, cell) for cell in line.cells) or fingerprint(figure) in fingerprint(line.text)


def _row(line: MarkedLine) -> list[Cell]:
    cells = line.table.cells if line.table is not None else ()
    return sorted((c for c in cells if c.row == line.row), key=lambda c: c.column)


def _pages_of(evidence: Sequence[Evidence]) -> list[int]:
    return list(dict.fromkeys(each.page for each in evidence))


_LONG = 4  # digits of a figure that is hardly printed by chance


def _is_long(figure: str) -> bool:
    return sum(map(str.isdigit, figure)) >= _LONG


def _is_named(heading: str | None, column: Column) -> bool:
    """Whether a heading, as a model gives it, is a column's: the same, a part of it, or its year."""
    if not heading:
        return False
    given, own = fingerprint(heading), fingerprint(column.header)
    return bool(own) and (given == own or given in own or own in given)


def _is_copied(figure: str | None, cell: Cell) -> bool:
    digits = "".join(filter(str.isdigit, figure or ""))
    return bool(digits) and digits == "".join(filter(str.isdigit, cell.text))


def _figures(text: str) -> list[str]:
    return [found.strip().rstrip(".,") for found in _IN_SENTENCE.findall(text)]


def _figure_in(text: str, copied: str | None, page: Page) -> str | None:
    """The figure of a sentence that was copied, with the scale word behind it; also one that is written in words."""
    if not copied:
        return None
    if plain(copied) in plain(text):
        return copied.strip()
    wanted = figure_on(without_scale_word(copied)[0], page)
    sizes = set() if wanted is None else {abs(wanted)}  # words may say the sign: "a net loss of $9,538,268"
    same = [each for each in _figures(text) if sizes & {abs(f) for f in figures_in(each, page.decimal_mark)}]
    return same[0] if same else None


def _period_beside(text: str, figure: str) -> str:
    """What a sentence says of the time of one of its figures; the whole sentence where that is not to be told.

    "120 stores in 2024 and 150 in 2023": the year behind a figure is its own, and one that is none's is that of the
    figures behind it. "For 2024 and 2023, 120 and 150, respectively" names them in the same order.
    """
    periods = [period for period in periods_in(text) if period.year is not None]
    if len(periods) < 2:
        return text
    spans = [found.span() for found in _IN_SENTENCE.finditer(text)]
    figures = [(start, end) for start, end in spans if not any(p.start < end and start < p.end for p in periods)]
    at = text.find(figure)
    mine = next((i for i, (start, end) in enumerate(figures) if start <= at < end), None)
    if mine is None:
        return text
    if _IN_ORDER in text.lower():
        return text[periods[mine].start : periods[mine].end] if len(periods) == len(figures) else text
    ends = [start for start, _ in figures[1:]] + [len(text)]
    behind = [
        next((p for p in periods if end <= p.start < until), None)
        for (_, end), until in zip(figures, ends, strict=True)
    ]
    before = [p for p in periods if p not in behind and p.end <= figures[mine][0]]
    own = behind[mine] or (before[-1] if before else None)
    return text if own is None else text[own.start : own.end]


_IN_ORDER = "respectively"


def _may_be_meant(figure: str, dimension: Dimension) -> bool:
    """Whether a figure of a sentence can be what is asked: no year, and a percentage only where one is asked."""
    digits = "".join(filter(str.isdigit, figure))
    is_year = figure == digits and len(digits) == 4 and digits[:2] in ("19", "20")
    return not is_year and ("%" in figure) == (dimension == "percent")


def _currency_of(read: Evidence) -> str | None:
    """The currency that is named beside a figure; a bare dollar sign is that of the report."""
    figure, quote = plain(read.printed_figure or ""), plain(read.quote)
    before, _, after = quote.partition(figure)
    near = f"{before[-6:]}{figure}{after[:14]}"
    if _BARE_DOLLAR.search(near):
        return None
    found = [code for code, pattern in printed_names().items() if pattern.search(near)]
    return found[0] if len(found) == 1 else None


_BARE_DOLLAR = expression(r"(?<![A-Z])\$")

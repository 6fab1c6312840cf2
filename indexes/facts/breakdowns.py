"""Finds the tables that split a figure into parts: revenue by segment, region or product, payments by year due."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from indexes.facts.columns import ValueColumn, value_columns
from indexes.facts.printed_rows import Figure, PrintedRow, is_nil, table_rows
from storage.lexicon.calendar import YEAR_IN_HEADING
from storage.lexicon.words import expression
from storage.records.facts import Breakdown, Fact, Period, PrintedPart, PrintedValue
from storage.records.metrics import Statement
from storage.records.pages import Page, Table
from storage.records.reports import Report
from storage.text import plain

MOST = 400  # of one report
_MOST_PARTS = 24
_ABOVE = 3  # blocks above a table that say what it is about
_NEAREST = 400  # letters of them
_RIGHT_ABOVE = 120  # letters right above a table that say what its columns are
_MOST_NAME = 120  # letters of a part's name
_WHOLE = Decimal(100)
_TOTALS = ("total", "group", "consolidated", "combined", "sum", "konzern", "summe", "gesamt")
_SCALES = (Decimal(1), Decimal(1000), Decimal(1_000_000))
_NO_BREAKDOWN: frozenset[Statement] = frozenset({"balance", "cash_flow"})  # statements whose lines are no parts


_PART_OF_YEAR = expression(r"\b(?:quarter\w*|half[- ]year\w*|interim|q[1-4])\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Place:
    """A table with what is printed around it."""

    page: Page
    table: Table
    title: str
    around: str


@dataclass(frozen=True)
class _Line:
    """A row or column of a table as a possible part: its name and its figure in each series."""

    name: str
    heading: str
    figures: tuple[Figure | None, ...]

    def value(self, at: int) -> Decimal:
        """Its figure in a series; a dash is nothing."""
        figure = self.figures[at]
        return (figure.value if figure is not None else None) or Decimal(0)


def breakdowns_of(pages: Sequence[Page], report: Report, facts: Sequence[Fact]) -> Iterator[Breakdown]:
    """The tables, or runs of rows, whose parts add up to a printed total, in the order of the pages.

    Only figures that add up are taken, so that a misread table gives nothing.

    Args:
        pages: the report's page records.
        report: gives currency and period end.
        facts: the report's figures; a total that is one of them says which metric is split.
    """
    statement_pages = {f.page_number for f in facts if f.statement in _NO_BREAKDOWN and f.confidence != "low"}
    usual = Counter(f.scale for f in facts if f.statement not in ("notes", "text")).most_common(1)
    scale = usual[0][0] if usual else None
    count = 0
    for place in _places(pages):
        if place.page.page_number in statement_pages or _is_of_part_of_year(place):
            continue
        rows = [row for row in table_rows(place.table, place.page.page_number) if row.figures]
        columns = value_columns(place.table, rows, place.around, report)
        columns = [column for column in columns if column.period] or columns  # changes beside the years have none
        for found in (*_by_rows(place, rows, columns), *_by_columns(place, rows, report)):
            yield _completed(found, facts, report, scale)
            count += 1
            if count == MOST:
                return


def _is_of_part_of_year(place: _Place) -> bool:
    """Whether a table is about quarters or halves of a year, by its title, its columns or the words right above it."""
    heads = " ".join([place.title, place.around[-_RIGHT_ABOVE:], *(c.header for c in place.table.columns)])
    months = {c.period.months for c in place.table.columns if c.period}
    return _PART_OF_YEAR.search(heads) is not None or not months <= {None, 12}


def _places(pages: Sequence[Page]) -> Iterator[_Place]:
    for page in pages:
        above: list[str] = []
        for block in page.blocks:
            if block.kind == "furniture":
                continue
            if block.table is None:
                above.append(plain(block.text))
                continue
            words = " ".join(above[-_ABOVE:])[-_NEAREST:]
            section = " ".join(page.section[-2:])
            yield _Place(page, block.table, plain(block.table.title), f"{section} {words}".strip())
            above = above[-1:] if not words else []


def _by_rows(place: _Place, rows: Sequence[PrintedRow], columns: Sequence[ValueColumn]) -> Iterator[Breakdown]:
    """Runs of rows that add up to the row below them: one breakdown over all dated columns, else one for each."""
    ends = [column.period.end if column.period else None for column in columns]
    if len(set(ends)) == len(ends) and None not in ends:
        yield from _runs(place, rows, columns, "")
        return
    for column in columns:
        words = (word for word in column.header.split() if not any(c.isdigit() for c in word))
        yield from _runs(place, rows, [column], " ".join(words))


def _runs(
    place: _Place, rows: Sequence[PrintedRow], columns: Sequence[ValueColumn], header: str
) -> Iterator[Breakdown]:
    lines = [_Line(row.label, row.heading, tuple(row.at(c.index) for c in columns)) for row in rows]
    free = list[_Line]()  # lines that belong to no total yet
    for line in lines:
        count = _adding_up(line, free, range(len(columns)))
        if count:
            parts = free[-count:]
            del free[-count:]
            periods = [column.period for column in columns]
            heading = " ".join(dict.fromkeys(part.heading for part in parts if part.heading))
            subject = " ".join(filter(None, (line.name, line.heading, heading, header)))
            yield _breakdown(place, subject, line, parts, periods, columns[0])
        free.append(line)


def _adding_up(total: _Line, above: Sequence[_Line], series: Sequence[int]) -> int:
    """How many of the nearest lines above add up to the total in each series; 0 where none do."""
    known = [at for at in series if (figure := total.figures[at]) is not None and figure.value is not None]
    if not known or not any(total.value(at) for at in known):
        return 0
    sums = dict.fromkeys(known, Decimal(0))
    for count, line in enumerate(reversed(above[-_MOST_PARTS:]), 1):
        if not any(line.figures):
            return 0
        for at in known:
            sums[at] += line.value(at)
        fits = all(abs(sums[at] - total.value(at)) <= _tolerance(total.figures[at], count) for at in known)
        if count > 1 and fits and sum(any(x.value(at) for at in known) for x in above[-count:]) > 1:
            return count
    return 0


def _tolerance(figure: Figure | None, count: int) -> Decimal:
    """What rounding of the parts may make up, by the decimals of the printed total."""
    exponent = figure.value.as_tuple().exponent if figure is not None and figure.value is not None else 0
    last_digit = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    return last_digit * min(2, count // 2)


def _by_columns(place: _Place, rows: Sequence[PrintedRow], report: Report) -> Iterator[Breakdown]:
    """Rows whose figures add up to the one in a column of totals: a line of a table with segments as columns."""
    headers = {i: plain(column.header) for i, column in enumerate(place.table.columns) if column.header}
    by_end: dict[dt.date | None, list[int]] = {}
    for index in headers:
        period = place.table.columns[index].period
        by_end.setdefault(period.end if period else None, []).append(index)
    for indexes in by_end.values():
        total = next((i for i in reversed(indexes) if _is_total(headers[i])), None)
        parts = [i for i in indexes if i != total and any(row.at(i) for row in rows)]
        names = {headers[i].lower() for i in parts}
        if total is None or len(parts) < 2 or len(names) < len(parts):
            continue
        column = place.table.columns[total]
        period = column.period or _only_year(place, report)
        added = [row for row in rows if _adds_up(row, parts, total)]
        if len(added) < 2 or len(added) < len([r for r in rows if r.at(total) is not None]) / 3:
            continue
        value_column = ValueColumn(total, column.header, period, column.scale, column.currency)
        for row in added:
            if YEAR_IN_HEADING.fullmatch(row.label.strip()) or _is_total(row.label):
                continue  # of a table of payments by year, the rows are the parts
            whole = _Line(headers[total], row.heading, (row.at(total),))
            split = [_Line(headers[i], "", (row.at(i),)) for i in parts]
            yield _breakdown(place, row.words, whole, split, [period], value_column, is_row=True)


def _adds_up(row: PrintedRow, parts: Sequence[int], total: int) -> bool:
    whole = row.at(total)
    figures = [row.at(i) for i in parts]
    if whole is None or not whole.value or sum(bool(f and f.value) for f in figures) < 2:
        return False
    added = sum(((f.value or Decimal(0)) for f in figures if f is not None), Decimal(0))
    return abs(added - whole.value) <= _tolerance(whole, len(parts))


def _is_total(header: str) -> bool:
    return any(word in header.lower().split() for word in _TOTALS)


def _only_year(place: _Place, report: Report) -> Period | None:
    """The period of a table that names one year."""
    heads = " ".join([place.title, *(column.header for column in place.table.columns)])
    years = {int(year[:4]) for year in YEAR_IN_HEADING.findall(heads)}
    end = report.period_end
    if len(years) != 1 or end is None:
        return None
    year = years.pop()
    return Period(end=dt.date(year, end.month, min(end.day, 28) if end.month == 2 else end.day), printed=str(year))


def _breakdown(
    place: _Place,
    subject: str,
    total: _Line,
    parts: Sequence[_Line],
    periods: Sequence[Period | None],
    column: ValueColumn,
    *,
    is_row: bool = False,
) -> Breakdown:
    figures = [f for line in (total, *parts) for f in line.figures if f is not None]
    is_percent = any("%" in f.printed for f in figures) or "%" in column.header or "%" in subject
    is_percent = is_percent or all(total.value(at) == _WHOLE for at in range(len(periods)))
    return Breakdown(
        subject=" ".join(subject.split()),
        title=place.title,
        around=place.around,
        is_row=is_row,
        is_percent=is_percent,
        total=_part(total, periods),
        parts=tuple(_part(part, periods) for part in parts),
        scale=Decimal(column.scale) if column.scale else None,
        currency=column.currency,
        report_sha1=place.page.report_sha1,
        page_number=place.page.page_number,
    )


def _part(line: _Line, periods: Sequence[Period | None]) -> PrintedPart:
    values = tuple(
        PrintedValue(value=figure.value or Decimal(0), printed=figure.printed, period=period, box=figure.box)
        for figure, period in zip(line.figures, periods, strict=True)
        if figure is not None and (figure.value is not None or is_nil(figure.printed))
    )
    return PrintedPart(name=plain(line.name)[:_MOST_NAME], heading=line.heading[:_MOST_NAME], values=values)


def _completed(found: Breakdown, facts: Sequence[Fact], report: Report, usual: Decimal | None) -> Breakdown:
    """With the metrics that its total is, and a scale: as printed, by those metrics, or the usual one."""
    if found.is_percent:
        return found.model_copy(update={"scale": Decimal(1)})
    scales = (found.scale,) if found.scale else _SCALES
    fits = {scale: _metrics_of(found, facts, scale) for scale in scales}
    scale = next((scale for scale, metrics in fits.items() if metrics), found.scale)
    has_sign = any(sign in value.printed for value in found.total.values for sign in "$€£¥")
    if scale is None and has_sign:
        scale = usual
    return found.model_copy(
        update={
            "metrics": fits.get(scale, ()) if scale else (),
            "scale": scale,
            "currency": found.currency or report.currency,
        }
    )


def _metrics_of(found: Breakdown, facts: Sequence[Fact], scale: Decimal) -> tuple[str, ...]:
    """The metrics that have the total as their figure, in every period that both have, and in one at least."""
    totals = {value.period.year: value.value * scale for value in found.total.values if value.period}
    metrics: dict[str, list[bool]] = {}
    for fact in facts:
        year = fact.period.year if fact.period else None
        if year in totals and fact.value:
            fits = abs(abs(fact.value) - abs(totals[year])) <= max(scale, fact.scale)
            metrics.setdefault(fact.metric, []).append(fits)
    return tuple(metric for metric, fits in metrics.items() if all(fits))

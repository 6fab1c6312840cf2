"""Finds the row of a statement for a metric, and the values of its figures."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from indexes.facts.columns import ValueColumn, comparable_columns
from indexes.facts.printed_rows import Figure, PrintedRow
from indexes.facts.statements import Part, StatementFound
from storage.lexicon.calendar import dates_in
from storage.lexicon.money import MINOR_SIGN, MINOR_UNIT, SCALE_BEHIND_FIGURE, SCALE_WORD
from storage.lexicon.money import scale_of as scale_in_words
from storage.lexicon.words import expression
from storage.records.facts import Fact, Period
from storage.records.metrics import Metric, Statement, folded
from storage.records.reports import Report
from storage.text import plain

_CENTS_HEADER = expression(rf"\b{MINOR_UNIT}\b|\(p\)|\(c\)|{MINOR_SIGN}", re.IGNORECASE)
_LABEL_SCALE = expression(
    rf"['’]000s?\b|\(000s?\)|\b(?:in |(?<=\())(?P<word>{SCALE_WORD})s\b"
    rf"|\((?:[A-Z]{{0,3}}[$€£] ?|[A-Z]{{3}} ?)(?P<letters>{SCALE_BEHIND_FIGURE})\.?\)",
    re.IGNORECASE,
)
_EXCEPT_SHARES = expression(r"except (?:for )?(?!per )(?:\w+ )?(?:number of )?shares?\b(?! prices)", re.IGNORECASE)
_THINGS = expression(
    r"\b(?:number|no\.) of (?!.*\b(?:shares?|units?|options?|subscribers?|customers?)\b)", re.IGNORECASE
)
_LOSS = expression(
    r"^(?:(?:net|operating|pre-?tax|total|comprehensive|basic|diluted|consolidated|and) )*(?:loss|losses|deficit)\b"
    r"(?! (?:on|allowance|provision)\b)(?!.*(?:\(?\b(?:profit|gain|surplus|earnings|benefit)|\bincome\b(?! tax)))"
    r"|^(?:jahres|konzern)?(?:fehlbetrag|verlust)\b|^perte\b|^pérdida\b|^perdita\b",
    re.IGNORECASE,
)
_LARGE = 1_000  # no share earns or pays so much, and numbers of shares are larger
_LARGE_IN_YEN = 100_000
_CENT_DIGITS = 2
CENT = Decimal("0.01")


@dataclass(frozen=True)
class Match:
    """A row that fits a metric, with its figure for the reported period.

    Attributes:
        place: how exactly it fits, from `Metric.place`.
        order: its position in the statement.
    """

    metric: Metric
    part: Part
    row: PrintedRow
    column: ValueColumn
    figure: Figure
    place: int
    order: int

    @property
    def value(self) -> Decimal:
        """The value in full units."""
        return worth(self.metric, self.figure, self.row, self.part, self.column)

    @property
    def scale_is_printed(self) -> bool:
        """Whether the column, the table or the label gives the scale."""
        return (self.column.scale or self.part.scale or label_scale(self.row.label)) is not None


def matches(metric: Metric, statement: StatementFound) -> list[Match]:
    """The rows that fit a metric and have a figure for the reported period, best first."""
    rows = list(_rows(statement))
    found = list(_matches(metric, rows)) or list(_nil(metric, rows))
    start = _start(metric, [row for _, row, _ in rows])
    below = [m for m in found if m.order > start]
    return sorted(below or found, key=lambda m: (m.place, m.order))


def sum_of_lines(metric: Metric, statement: StatementFound, report: Report) -> Iterator[Fact]:
    """A metric that is the sum of all rows that fit, one fact for each period; a printed total stands alone.

    A period is left out where one of the rows has an empty cell, since it may not have been read.
    """
    lines = _lines(metric, statement)
    columns = comparable_columns(lines[0][0].columns, lines[0][0].current) if lines and lines[0][0].current else []
    for column in columns:
        cells = [_cell_of(part, row, column.period) for part, row in lines]
        if column.period is None or any(cell is None for cell in cells):
            continue
        figures = [(p, r, *c) for (p, r), c in zip(lines, cells, strict=True) if c and c[1].value is not None]
        if not figures or {scale_of(metric, r, p, c) for p, r, c, _ in figures} != {
            scale := scale_of(metric, figures[0][1], figures[0][0], figures[0][2])
        }:
            continue
        total = sum((f.value or Decimal(0) for *_, f in figures), Decimal(0)) * scale
        part, first, own, _ = figures[0]
        yield Fact(
            metric=metric.id,
            value=abs(total) if metric.sign == "size" else total,
            printed=" + ".join(f.printed for *_, f in figures),
            scale=scale,
            currency=_currency(metric, part, own, report),
            period=column.period,
            statement=metric.statement,
            report_sha1=report.sha1,
            page_number=first.page_number,
            boxes=tuple(f.box for *_, f in figures if f.box),
            row_label=" + ".join(plain(row.words) for _, row, *_ in figures)[:300],
        )


def _lines(metric: Metric, statement: StatementFound) -> list[tuple[Part, PrintedRow]]:
    """The rows that are added up: all that fit on one page, or the printed total alone; none in doubt."""
    rows = list(_rows(statement))
    start = _start(metric, [row for _, row, _ in rows])
    found = [
        (metric.place(row.label, row.heading), part, row)
        for part, row, order in rows
        if order > start and part.current is not None and not part.from_lines and row.figures
    ]
    if any(metric.leaves_in_doubt(row.label, row.heading) for _, _, row in found):
        return []
    lines = [(part, row) for place, part, row in found if place is not None]
    totals = [(part, row) for part, row in lines if folded(row.label).startswith("total")]
    chosen = totals[:1] or lines
    return chosen if len({row.page_number for _, row in chosen}) == 1 else []


def _cell_of(part: Part, row: PrintedRow, period: Period | None) -> tuple[ValueColumn, Figure] | None:
    """A row's cell of a period, among the columns that compare with its table's current one."""
    columns = comparable_columns(part.columns, part.current) if part.current else []
    column = next((c for c in columns if c.period == period), None)
    figure = row.at(column.index) if column else None
    return (column, figure) if column and figure else None


def worth(metric: Metric, figure: Figure, row: PrintedRow, part: Part, column: ValueColumn) -> Decimal:
    """A figure in full units; without its sign for metrics with the sign "size".

    A loss may be printed without a minus where its row says that it is one: then one in brackets is a profit.
    """
    value = (figure.value or Decimal(0)) * scale_of(metric, row, part, column)
    if metric.sign == "size":
        return abs(value)
    now = row.at(part.current.index) if part.current else figure
    is_positive_loss = _LOSS.search(row.label) and now is not None and now.value is not None and now.value > 0
    return -value if is_positive_loss else value


def scale_of(metric: Metric, row: PrintedRow, part: Part, column: ValueColumn) -> Decimal:
    """The scale of a row. Figures per share are never scaled, but may be in pence."""
    if metric.kind == "per_share":
        return CENT if row.in_cents or _CENTS_HEADER.search(column.header) else Decimal(1)
    if metric.kind == "percent":
        return Decimal(1)
    words = plain(f"{row.heading} {row.label}")
    if metric.kind == "count":
        return _count_scale(words, row, part, column)
    return Decimal(label_scale(row.label) or column.scale or part.scale or 1)


def figure_is_plausible(metric: Metric, figure: Figure) -> bool:
    """Whether a figure is plausible for the metric's kind."""
    if figure.value is None:
        return False
    value = abs(figure.value)
    if metric.kind == "per_share":
        in_small_money = (
            value % 1 != 0 and -int(value.as_tuple().exponent) == _CENT_DIGITS
        )  # yen per share, such as "1,234.56"
        return value < (_LARGE_IN_YEN if in_small_money else _LARGE) and "%" not in figure.printed
    if metric.kind == "percent":
        return value <= _LARGE
    return "%" not in figure.printed and not (
        metric.kind == "count" and metric.statement == "income" and value < 10
    )


def facts_of(match: Match, statement: Statement, report: Report) -> Iterator[Fact]:
    """The row's figures as facts, one for each period, the reported period first."""
    yield from _facts_in(comparable_columns(match.part.columns, match.column), match, statement, report)


def facts_on_other_bases(match: Match, statement: Statement, report: Report) -> Iterator[Fact]:
    """The row's figures in columns that are not the ones meant: before exceptional items, in another currency."""
    yield from _facts_in([c for c in match.part.columns if c.basis and c.period], match, statement, report)


def _facts_in(
    columns: Iterable[ValueColumn], match: Match, statement: Statement, report: Report
) -> Iterator[Fact]:
    for column in columns:
        figure = match.figure if column.index == match.column.index else match.row.at(column.index)
        if figure is None or (figure.value is None and not _may_be_nil(match.metric)):
            continue
        yield Fact(
            metric=match.metric.id,
            value=worth(match.metric, figure, match.row, match.part, column),
            printed=figure.printed,
            scale=scale_of(match.metric, match.row, match.part, column),
            currency=_currency(match.metric, match.part, column, report),
            period=column.period,
            statement=statement,
            report_sha1=report.sha1,
            page_number=match.row.page_number,
            boxes=(figure.box,) if figure.box else (),
            row_label=plain(match.row.words)[:200],
            basis=column.basis,
        )


def _rows(statement: StatementFound) -> Iterator[tuple[Part, PrintedRow, int]]:
    order = 0
    for part in statement.parts:
        for row in part.rows:
            order += 1
            yield part, row, order


def _matches(metric: Metric, rows: Sequence[tuple[Part, PrintedRow, int]]) -> Iterator[Match]:
    for part, row, order in rows:
        if part.current is None:
            continue
        figure = row.at(part.current.index)
        if figure is None or not figure_is_plausible(metric, figure):
            continue
        place = metric.place(row.label, row.heading)
        if place is not None and not is_opening(row.label, part.current.period):
            yield Match(metric, part, row, part.current, figure, place, order)


def _nil(metric: Metric, rows: Sequence[tuple[Part, PrintedRow, int]]) -> Iterator[Match]:
    """Rows of a statement with a dash for the reported period: there was nothing, as in other years or none of them."""
    for part, row, order in rows if _may_be_nil(metric) else ():
        figure = row.at(part.current.index) if part.current else None
        place = metric.place(row.label, row.heading) if figure is not None and figure.value is None else None
        has_others = len(row.figures) > 1 and all(
            other.value is None or figure_is_plausible(metric, other) for other in row.figures
        )
        if part.current is not None and figure is not None and place is not None and has_others:
            yield Match(metric, part, row, part.current, replace(figure, value=Decimal(0)), place, order)


def _may_be_nil(metric: Metric) -> bool:
    """Whether a dash in a row of the metric says that there is nothing: of amounts in the three statements."""
    return metric.kind == "amount" and metric.statement in ("income", "balance", "cash_flow")


def is_opening(label: str, period: Period | None) -> bool:
    """Whether a label says the day on which the period of its column begins, or the last day before."""
    if period is None or not any(map(str.isdigit, label)):
        return False
    first = period.end + dt.timedelta(days=1)
    days = [date for date in dates_in(label) if date.day is not None]
    closing = any(
        (d.month, d.day) == (period.end.month, period.end.day) and d.year in (None, period.end.year) for d in days
    )
    opening = (
        (d.month, d.day) == (first.month, first.day)
        or ((d.month, d.day) == (period.end.month, period.end.day) and d.year == period.end.year - 1)
        for d in days
    )
    return not closing and any(opening)


def _start(metric: Metric, rows: Sequence[PrintedRow]) -> int:
    """The position of the first row that must be above the metric's row; 0 where there is no such rule."""
    after = metric.start
    if after is None:
        return 0
    return next((i for i, row in enumerate(rows, 1) if row.label and after.search(folded(row.label))), 0)


def label_scale(label: str) -> int | None:
    """The scale that a row's own label gives: "Store sales (EUR thousand)"."""
    found = _LABEL_SCALE.search(label)
    return None if found is None else scale_in_words(found["word"] or found["letters"] or "thousand")


def _count_scale(words: str, row: PrintedRow, part: Part, column: ValueColumn) -> Decimal:
    if (scale := label_scale(words)) is not None:
        return Decimal(scale)
    if column.currency and _THINGS.search(words):
        return Decimal(1)  # the table's unit is one of money
    figures = [abs(f.value) for f in row.figures if f.value is not None]
    whole = max(figures, default=Decimal(0)) >= 2_000_000 or _EXCEPT_SHARES.search(plain(part.unit))
    return Decimal(1 if whole else column.scale or part.scale or 1)


def _currency(metric: Metric, part: Part, column: ValueColumn, report: Report) -> str | None:
    if metric.kind in ("count", "percent"):
        return None
    return column.currency or part.currency or report.currency

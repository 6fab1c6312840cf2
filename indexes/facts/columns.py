"""Finds the columns of figures in a table, and the period, scale, currency and entity of each."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import median

from indexes.facts.printed_rows import PrintedRow
from storage.lexicon.calendar import YEAR, YEAR_IN_HEADING
from storage.lexicon.words import expression
from storage.records.facts import NEAR_DAYS, Period
from storage.records.pages import Column, Table
from storage.records.reports import Report
from storage.text import plain

_NOTE = expression(
    rf"^(?:notes?|nota|anhang|tz|ref\.?|note ref\.?|注記(?:番号)?|附注)\b(?!.*\b{YEAR})", re.IGNORECASE
)
_NOTE_CELL = expression(
    r"^\(?\d{1,2}(?:\.\d{1,2})?(?:\s?\(?[a-z]{1,2}\)?){0,9}\)?(?:\s?[,;&-]\s?\(?\d{1,2}.*)?$", re.IGNORECASE
)
_OTHER_COLUMN = expression(
    r"\b(?:change|variance|increase|decrease|percent|% of|as restated effect)\b|%|\bseries\b", re.IGNORECASE
)
_SHARE_OF_YEAR = expression(rf"^% of {YEAR}$", re.IGNORECASE)
_NEVER_WHOLE = expression(r"\b(?:convenience|adjust(?:ed|ments?)?|pro forma)\b", re.IGNORECASE)
_NOTE_OF = expression(r"\(?\bnotes? \d+(?:\([a-z]\))?\)?", re.IGNORECASE)
_PARENT = expression(r"\b(?:company|parent)\b", re.IGNORECASE)
_GROUP = expression(r"\b(?:group|consolidated)\b", re.IGNORECASE)
_WHOLE = expression(
    r"\b(?:total|statutory|reported|IFRS|GAAP|restated)\b(?<!non-GAAP)(?<!previously reported)", re.IGNORECASE
)
_LEAST_SUMS = 2  # rows in which two of the addends are no dashes
_SUMS_RIGHT = 0.9  # of the rows, since a figure may be misread, and figures per share of parts are left out
_ROUNDED = 2  # units of the last digit by which a sum of rounded figures may differ


@dataclass(frozen=True)
class ValueColumn:
    """A column of figures.

    Attributes:
        index: its place in the grid.
        period: the period of its figures; None where it is not printed.
        scale: what one unit stands for; None where it is not printed.
        rank: orders columns of the same period; the smallest is the one that is meant.
        basis: what its heading says that tells it from the one that is meant: "before exceptional items", "US$"; empty
            for that one.
    """

    index: int
    header: str
    period: Period | None = None
    scale: int | None = None
    currency: str | None = None
    rank: int = 0
    basis: str = ""

    @property
    def is_part(self) -> bool:
        """Whether it stands for less than the whole, or for something else."""
        return self.rank % 2 == 1


def value_columns(table: Table, rows: Sequence[PrintedRow], above: str, report: Report) -> list[ValueColumn]:
    """The columns of figures, left to right, without note references, percentages and changes."""
    indexes = _figure_columns(table, rows)
    printed = [_printed_column(table, i) for i in indexes]
    headers = [
        f"{column.header} {_top_words(table, i)}".strip() for i, column in zip(indexes, printed, strict=True)
    ]
    periods = _periods(headers, [column.period for column in printed], _top_years(table, indexes), above, report)
    found = [
        ValueColumn(i, header, period, column.scale, column.currency, _rank(header, column, headers, report))
        for i, header, period, column in zip(indexes, headers, periods, printed, strict=True)
    ]
    ranked = [replace(column, rank=2 * column.rank + (not _is_whole(column, found, rows))) for column in found]
    return [replace(column, basis=_basis(column, ranked)) for column in ranked]


def _basis(column: ValueColumn, columns: Sequence[ValueColumn]) -> str:
    """The words of a heading that the column meant of its period lacks."""
    best = min((c for c in columns if _is_same(c.period, column.period)), key=lambda c: c.rank)
    if best.rank == column.rank and not column.is_part:
        return ""
    own = {"parent", "company"} if _PARENT.search(column.header) and _GROUP.search(best.header) else set()
    known = set() if best is column else set(plain(best.header).lower().split()) - own
    said = _NOTE_OF.sub(" ", plain(column.header)).split()
    return " ".join(word for word in said if word.lower() not in known) or column.currency or column.header


def _is_whole(column: ValueColumn, columns: Sequence[ValueColumn], rows: Sequence[PrintedRow]) -> bool:
    """Whether no other column of its period stands for more than it: not "before exceptional items" beside the total.

    The whole is what the others add up to; where none does, the one that its heading calls so.
    """
    if _NEVER_WHOLE.search(plain(column.header)):
        return False
    beside = [c for c in columns if _is_same(c.period, column.period) and c.rank == column.rank]
    if len(beside) == 1:
        return True
    wholes = [c for c in beside if _adds_up(c, beside, rows)] or [c for c in beside if _WHOLE.search(c.header)]
    return column in wholes if wholes else True


def _adds_up(whole: ValueColumn, columns: Sequence[ValueColumn], rows: Sequence[PrintedRow]) -> bool:
    """Whether the figures of a column are the sums of those of the others, row by row."""
    others = [c.index for c in columns if c is not whole]
    sums: list[bool] = []
    for row in rows:
        total = row.at(whole.index)
        parts = [figure.value for i in others if (figure := row.at(i)) is not None]
        if total is None or total.value is None or len(parts) < len(others) or sum(map(bool, parts)) < 2:
            continue
        exact = Decimal(1).scaleb(int(total.value.as_tuple().exponent))
        added = sum((value for value in parts if value is not None), Decimal(0))
        sums.append(abs(added - total.value) <= _ROUNDED * exact)
    return len(sums) >= _LEAST_SUMS and sum(sums) >= _SUMS_RIGHT * len(sums)


def current_column(
    columns: Sequence[ValueColumn], report: Report, months: int | None = None
) -> ValueColumn | None:
    """The column of the reported period; the leftmost one where no period is printed; None where it is missing.

    Args:
        columns: of one table.
        report: gives the last day and the length of the period.
        months: another length, which the column must have.
    """
    columns = [c for c in columns if not c.is_part]
    dated = [c for c in columns if c.period is not None]
    if not columns:
        return None
    if months is not None:
        dated = [c for c in dated if c.period and c.period.months == months]
    elif not dated:
        return min(columns, key=lambda c: (c.rank, c.index))
    if not dated:
        return None
    year = reported_year([c.period for c in dated if c.period], report)
    now = [c for c in dated if c.period is not None and c.period.end.year == year]
    if not report.filing.is_annual:  # a part of a year and the year before it may end in one calendar year
        now = [c for c in now if c.period and _is_near(c.period.end, report)] or now
    span = months or report.filing.span
    return min(now, key=lambda c: (c.rank, _other_span(c.period, span), c.index)) if now else None


def comparable_columns(columns: Sequence[ValueColumn], current: ValueColumn) -> list[ValueColumn]:
    """The current column and the matching columns of other periods, newest first."""
    best: dict[dt.date, ValueColumn] = {}
    months = current.period.months if current.period else None
    for column in sorted(columns, key=lambda c: _other_span(c.period, months)):
        if column.period is None or column.rank != current.rank or _is_same(column.period, current.period):
            continue
        if current.period is None or column.period.end != current.period.end:
            best.setdefault(column.period.end, column)
    older = sorted(best.values(), key=lambda c: c.period.end if c.period else dt.date.min, reverse=True)
    return [current, *older]


def reported_year(periods: Sequence[Period], report: Report) -> int:
    """The year that a statement's current column is labelled with."""
    return report.period_end.year if report.period_end else max(p.end.year for p in periods)


def _printed_column(table: Table, index: int) -> Column:
    return table.columns[index] if index < len(table.columns) else Column()


def _figure_columns(table: Table, rows: Sequence[PrintedRow]) -> list[int]:
    counts = Counter(f.column for row in rows for f in row.figures)
    most = max(counts.values(), default=0)
    found = [i for i in sorted(counts) if counts[i] >= 1 and (counts[i] > 1 or most <= 2)]
    return [i for i in found if not _is_note_column(table, rows, i, found) and not _is_aside(table, rows, i)]


def _is_aside(table: Table, rows: Sequence[PrintedRow], index: int) -> bool:
    """Whether its heading says changes or shares; "% of" over a year whose figures are none is of the next column."""
    header = plain(_printed_column(table, index).header)
    if _OTHER_COLUMN.search(header) is None:
        return False
    figures, beside = ([f.printed for row in rows if (f := row.at(i))] for i in (index, index + 1))
    is_of_next = any("%" in printed for printed in beside) and not any("%" in printed for printed in figures)
    return not (is_of_next and _SHARE_OF_YEAR.match(header))


def _is_note_column(table: Table, rows: Sequence[PrintedRow], index: int, found: Sequence[int]) -> bool:
    """Whether it is a column of note numbers: by its name, or by small whole numbers left of larger figures."""
    header = plain(_printed_column(table, index).header)
    figures = [f for row in rows for f in row.figures if f.column == index]
    small = [f for f in figures if f.value is None or _NOTE_CELL.match(plain(f.printed))]
    others = [abs(f.value) for r in rows for f in r.figures if f.column > index and f.value is not None]
    if _NOTE.match(header) and len(small) >= 0.6 * len(figures):
        return True
    if YEAR_IN_HEADING.search(header) or not figures or not others or index != min(found) or len(found) < 2:
        return False
    values = [abs(f.value) for f in figures if f.value is not None]
    return len(small) >= 0.9 * len(figures) and max(values, default=0) < 100 < median(others)


def _top_words(table: Table, index: int) -> str:
    """Words above the first figures in cells that the reader did not mark as a header."""
    cells = [
        c for c in table.cells if c.column == index and c.role == "value" and c.row <= 4 and _says_header(c.text)
    ]
    return " ".join(c.text for c in cells)


def _says_header(text: str) -> bool:
    return (
        re.search(r"\d{3}", YEAR_IN_HEADING.sub("", text)) is None and re.search(r"[A-Za-z£€$]", text) is not None
    )


def _top_years(table: Table, indexes: Sequence[int]) -> list[int | None]:
    """The years of a row of years that the reader did not mark as a header."""
    for row in range(min(6, table.row_count)):
        cells = {c.column: plain(c.text) for c in table.cells if c.row == row and c.column in indexes}
        years = {i: m[0] for i, text in cells.items() if (m := re.match(rf"^({YEAR})(?:\s?\(?\w\)?)?\*?$", text))}
        if len(years) >= max(1, len(indexes) - 1) and len(set(years.values())) == len(years):
            return [int(years[i][:4]) if i in years else None for i in indexes]
    return [None] * len(indexes)


def _periods(
    headers: Sequence[str],
    read: Sequence[Period | None],
    top_years: Sequence[int | None],
    above: str,
    report: Report,
) -> list[Period | None]:
    """The period of each column: from the reader, else a row of years, else the years above in their order."""
    for years in (top_years, [_own_year(header) for header in headers]):
        if any(years):
            return [_year_period(y, p, report) if y else p for y, p in zip(years, read, strict=True)]
    if len({p for p in read if p}) > 1 or (len(read) == 1 and read[0]):
        return list(read)
    distinct = list(dict.fromkeys(int(y) for y in YEAR_IN_HEADING.findall(plain(above))))
    if len(distinct) >= len(headers) >= 1 and len(distinct) <= len(headers) + 1:
        pairs = zip(distinct[-len(headers) :], read, strict=True)
        return [_year_period(year, period, report) for year, period in pairs]
    return [None] * len(headers)


def _own_year(header: str) -> int | None:
    years = {int(y) for y in YEAR_IN_HEADING.findall(plain(header))}
    return years.pop() if len(years) == 1 else None


def _year_period(year: int, read: Period | None, report: Report) -> Period:
    """The period of a year: from the reader, else a period that ends on the report's usual day."""
    shift = report.shift_of_year
    if read is not None and read.end.year in (year, year + shift):
        return read
    end = report.period_end or dt.date(year, 12, 31)
    day = min(end.day, 28) if end.month == 2 else end.day
    ended = dt.date(year + shift, end.month, day)
    return Period(end=ended, months=read.months if read else None, printed=str(year))


def _rank(header: str, column: Column, headers: Sequence[str], report: Report) -> int:
    """The rank: 0 for the group's figures in the report's currency."""
    foreign = bool(column.currency and report.currency and column.currency != report.currency)
    parent = bool(_PARENT.search(header)) and not _GROUP.search(header) and any(map(_GROUP.search, headers))
    return 2 * foreign + parent


def _is_same(one: Period | None, other: Period | None) -> bool:
    """Whether two periods end on one day and are as long, whatever words print them."""
    return one == other or bool(one and other and (one.end, one.months) == (other.end, other.months))


def _other_span(period: Period | None, months: int | None) -> int:
    """Sorts periods of a length before those of another one."""
    return 0 if period is None or period.months in (None, months) else 1


def _is_near(end: dt.date, report: Report) -> bool:
    return report.period_end is not None and abs((end - report.period_end).days) <= NEAR_DAYS

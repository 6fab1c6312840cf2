"""Columns of a statement that is only lines of text: the last figures of each line, under the years above."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence

from indexes.facts.columns import ValueColumn
from indexes.facts.printed_rows import PrintedRow
from storage.periods import Period
from storage.reports import Report

_YEAR = re.compile(r"(?<![\d,.$])(?:19|20)\d\d(?![\d,]|\.\d)")


def line_columns(rows: Sequence[PrintedRow], above: str, report: Report) -> list[ValueColumn]:
    """The columns, counted from the right: -1 is the last figure of a line."""
    years = list(dict.fromkeys(int(y) for y in _YEAR.findall(above)))
    counts = Counter(len(row.figures) for row in rows if row.figures)
    if not counts:
        return []
    usual = counts.most_common(1)[0][0]
    width = len(years) if 1 <= len(years) <= usual else min(usual, 2)
    known = years[:width] if len(years) >= width else []
    return [
        ValueColumn(i - width, str(known[i]) if known else "", _period(known[i], report) if known else None)
        for i in range(width)
    ]


def _period(year: int, report: Report) -> Period:
    end = report.period_end or dt.date(year, 12, 31)
    day = min(end.day, 28) if end.month == 2 else end.day
    return Period(end=dt.date(year, end.month, day), printed=str(year))

"""The time that each column of a table is about."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from indexes.printed_periods import PrintedTime, printed_time
from indexes.surroundings import Surroundings, first_lines
from storage.pages import Page, Table

_YEAR_LINES = 3
_MOST_WORDS = 16
_NO_PERIOD = re.compile(r"(?i)\b(?:change|variance|var|increase|decrease|growth|vs\.?|versus)\b|△|Δ|\+/-")
_NOTES = re.compile(r"(?i)^notes? (?:to|on|forming)\b")
_YEAR_BEFORE = re.compile(
    r"(?i)^(?:\(?in )?(?:vorjahr|vj\.?)\b|\bvorjahr\b|\bexercice précédent|^n-1$|\bejercicio anterior"
    r"|\besercizio precedente"
    r"|前(?:連結)?(?:会計)?(?:年度|期)|上(?:期|年)|期初余额|年初余额"
)
_THIS_YEAR = re.compile(
    r"(?i)\b(?:geschäftsjahr|berichtsjahr)\b|\bexercice\b|^n$|当(?:連結)?(?:会計)?(?:年度|期)|本(?:期|年)|期末余额|年末余额"
)
_DATED_LABEL = re.compile(
    r"(?i)^(?:(?:19|20)\d\d$|(?:opening |closing )?balances?\b|(?:as )?at\b|as of\b|\d{1,2} \w+ \d)"
)


def year_end(pages: Sequence[Page]) -> PrintedTime:
    """Month and day on which the report's years end: those that its pages' first lines name most often."""
    days = Counter(
        (time.month, time.day)
        for page in pages
        for line in first_lines(page)
        if (time := printed_time(line)).month and time.months is not None
    )
    (month, day), count = max(days.items(), key=lambda d: d[1], default=((None, None), 0))
    return PrintedTime(None, month, day) if count > sum(days.values()) / 2 else PrintedTime()


def column_times(
    table: Table, headers: Sequence[str], around: Surroundings, usual: PrintedTime
) -> list[PrintedTime]:
    """The time of each column: its year from its own header, day and length also from its neighbours' and the lines.

    Where no header names a year, the nearest line above that names one speaks for all columns, unless the rows
    themselves are about several years. `usual` has the day on which the report's years end.
    """
    above = [line for line in reversed(around.above) if _is_brief(line)]
    near = [*above, *(line for line in reversed(around.top) if _is_brief(line))]
    own = [printed_time(h) if not _NO_PERIOD.search(h) else PrintedTime() for h in headers]
    context = _context([headers[0], *near], around.page).completed(usual)
    if not any(t.says_something for t in own[1:]):
        lines = [] if _has_dated_rows(table) else [headers[0], *above[:_YEAR_LINES]]
        shared = next((t for t in map(printed_time, lines) if t.year), PrintedTime())
        own = [PrintedTime() if _NO_PERIOD.search(h) else shared for h in headers]
    own = _with_years_before(headers, own, [*above[:_YEAR_LINES], *around.page])
    beside = _beside(own[1:])
    return [t.completed(beside).completed(context) for t in own]


def _with_years_before(
    headers: Sequence[str], times: Sequence[PrintedTime], lines: Sequence[str]
) -> list[PrintedTime]:
    """Columns that are named "Vorjahr" or "this year" with their years, by a column of the table or a line above."""
    now = {t.year for h, t in zip(headers, times, strict=True) if t.year and not _YEAR_BEFORE.search(h)}
    told = next((t.year for t in map(printed_time, lines) if t.year), None)
    year = now.pop() if len(now) == 1 else told if not now else None
    if year is None or not any(map(_YEAR_BEFORE.search, headers)):
        return list(times)
    named = [-1 if _YEAR_BEFORE.search(h) else 0 if _THIS_YEAR.search(h) else None for h in headers]
    return [
        replace(t, year=year + shift) if shift is not None and t.year is None else t
        for h, t, shift in zip(headers, times, named, strict=True)
    ]


def _context(lines: Sequence[str], page: Sequence[str]) -> PrintedTime:
    """Day and length as the nearest lines give them, the day also from the page's first lines.

    A length over notes is the year's, not that of each table.
    """
    said = [(line, printed_time(line)) for line in lines]
    notes = next((i for i, (line, _) in enumerate(said) if _NOTES.match(line)), len(said) + 1)
    length = next((t.months for _, t in said[: max(0, notes - 1)] if t.months is not None), None)
    times = [*(t for _, t in said), *map(printed_time, page)]
    dated = next((t for t in times if t.month and t.months is not None), PrintedTime())
    return PrintedTime(None, dated.month, dated.day, length)


def _beside(times: Sequence[PrintedTime]) -> PrintedTime:
    """The day and length that the columns which name one agree on."""
    days = {(t.month, t.day) for t in times if t.month}
    lengths = {t.months for t in times if t.months is not None}
    month, day = days.pop() if len(days) == 1 else (None, None)
    return PrintedTime(None, month, day, lengths.pop() if len(lengths) == 1 else None)


def _has_dated_rows(table: Table) -> bool:
    """Rows or sections for different years, as a statement of changes in equity has them."""
    labels = [c.text for c in table.cells if c.role in ("row_label", "section")]
    years = {printed_time(text).year for text in labels if _DATED_LABEL.search(text.strip())}
    return len(years - {None}) > 1


def _is_brief(line: str) -> bool:
    return len(line.split()) <= _MOST_WORDS

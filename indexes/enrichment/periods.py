"""What words such as "Year ended December 31, 2022" or "As at 30 June" say about the time of figures."""

import calendar
import datetime as dt
from dataclasses import dataclass
from functools import lru_cache

from storage.lexicon.calendar import MONTH, MONTHS, stated_months
from storage.lexicon.periods import heading_periods, periods_in, years_named
from storage.lexicon.words import KNOWN_TEXTS, expression
from storage.records.facts import Period
from storage.records.reports import MONTHS_OF_YEAR
from storage.text import plain

_FROM_TO = expression(rf"(?i)\b(?P<first>{MONTH})\.? ?(?:[-–—/]|to|bis|through) ?(?P<last>{MONTH})\b")
_WHOLE_YEAR = expression(r"(?i)\b(?:full|whole)[- ]year\b|\bgesamtjahr\b|\bhelår\b|\bannée entière\b")


@dataclass(frozen=True)
class PrintedTime:
    """What a text says about time; what it does not say is None.

    Attributes:
        year: the one year it names.
        month, day: of a period's end.
        months: the length of the period; 0 when the text says that it is a position at a day.
        over: for a part of a year by its name, such as "Q3": how many months of the year are over at its end.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    months: int | None = None
    over: int | None = None

    @property
    def says_something(self) -> bool:
        """Any part is known."""
        return any(part is not None for part in (self.year, self.month, self.months))

    def completed(self, context: "PrintedTime") -> "PrintedTime":
        """With the parts that it lacks taken from the words around it; the year never is."""
        month, day = (self.month, self.day) if self.month or self.over else (context.month, context.day)
        months = self.months if self.months is not None else context.months
        return PrintedTime(self.year, month, day, months, self.over)

    def within(self, last_month: int) -> "PrintedTime":
        """With the month in which a named part of a year ends, for a year that ends in `last_month`."""
        if self.over is None or self.month:
            return self
        months = last_month - (MONTHS_OF_YEAR - self.over)
        year = self.year - 1 if self.year and months < 1 else self.year
        return PrintedTime(year, (months - 1) % MONTHS_OF_YEAR + 1, None, self.months)


@dataclass(frozen=True)
class YearNames:
    """What the names of a report's years mean.

    Attributes:
        end: the day on which its years end, as far as known.
        shift: 1 where the company calls a year by the calendar year before its end.
        newest: its name for the reported year; 0 where the report gives none.
    """

    end: PrintedTime = PrintedTime()
    shift: int = 0
    newest: int = 0


@lru_cache(KNOWN_TEXTS)
def printed_time(text: str) -> PrintedTime:
    """The time that a text names. Two different years, or two different days, are no one time: both are None."""
    text = plain(text)
    named = heading_periods(text)
    years = set(years_named(named))
    year = years.pop() if len(years) == 1 else None
    if found := _FROM_TO.search(text):
        first, last = (MONTHS[found[name].lower()] for name in ("first", "last"))
        return PrintedTime(year, last, None, (last - first) % MONTHS_OF_YEAR + 1)
    parts = [period for period in periods_in(text) if period.part and period.months]
    if len(parts) == 1 and (part := parts[0]).part and part.months:
        return PrintedTime(year or part.year, None, None, part.months, part.part * part.months)
    ends = {(period.month, period.day) for period in named if period.month and period.kind != "range"}
    month, day = ends.pop() if len(ends) == 1 else (None, None)
    months = stated_months(text) or next((p.months for p in named if p.months), stated_months(text))
    is_whole = _WHOLE_YEAR.search(text) is not None
    over = MONTHS_OF_YEAR if is_whole and month is None else None
    return PrintedTime(year, month, day, MONTHS_OF_YEAR if is_whole else months, over)


def period_of(time: PrintedTime, printed: str) -> Period | None:
    """The period; None without a year. Without a day it ends on the last of the month, or of the year."""
    if time.year is None:
        return None
    month = time.month or 12
    last = calendar.monthrange(time.year, month)[1]
    day = min(time.day, last) if time.day and time.month else last
    return Period(end=dt.date(time.year, month, day), months=time.months or None, printed=printed)

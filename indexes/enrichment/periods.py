"""What words such as "Year ended December 31, 2022" or "As at 30 June" say about the time of figures."""

import calendar
import datetime as dt
from dataclasses import dataclass
from functools import lru_cache

from storage.lexicon.calendar import stated_months
from storage.lexicon.periods import heading_periods, years_named
from storage.lexicon.words import KNOWN_TEXTS
from storage.records.facts import Period


@dataclass(frozen=True)
class PrintedTime:
    """What a text says about time; what it does not say is None.

    Attributes:
        year: the one year it names.
        month, day: of a period's end.
        months: the length of the period; 0 when the text says that it is a position at a day.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    months: int | None = None

    @property
    def says_something(self) -> bool:
        """Any part is known."""
        return any(part is not None for part in (self.year, self.month, self.months))

    def completed(self, context: "PrintedTime") -> "PrintedTime":
        """With the parts that it lacks taken from the words around it; the year never is."""
        month, day = (self.month, self.day) if self.month else (context.month, context.day)
        return PrintedTime(self.year, month, day, self.months if self.months is not None else context.months)


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
    named = heading_periods(text)
    years = set(years_named(named))
    ends = {(period.month, period.day) for period in named if period.month and period.kind != "range"}
    month, day = ends.pop() if len(ends) == 1 else (None, None)
    months = stated_months(text) or next((p.months for p in named if p.months), stated_months(text))
    return PrintedTime(years.pop() if len(years) == 1 else None, month, day, months)


def period_of(time: PrintedTime, printed: str) -> Period | None:
    """The period; None without a year. Without a day it ends on the last of the month, or of the year."""
    if time.year is None:
        return None
    month = time.month or 12
    last = calendar.monthrange(time.year, month)[1]
    day = min(time.day, last) if time.day and time.month else last
    return Period(end=dt.date(time.year, month, day), months=time.months or None, printed=printed)

"""The time that a figure is about."""

import datetime as dt

from storage.record import Record


class Period(Record):
    """A span that ends on a day, or a day alone.

    `months` is the length of the span (12 for a year) or None for a position at a day, as on a balance
    sheet, and where the length is not printed. `end` may be the last day of a year of which only the number
    is printed; `printed` holds the words on the page.
    """

    end: dt.date
    months: int | None = None
    printed: str = ""

    @property
    def year(self) -> int:
        """The calendar year in which it ends."""
        return self.end.year

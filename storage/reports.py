"""Companies and their reports."""

import datetime as dt

from storage.record import Record


class Report(Record):
    """One PDF, known by the SHA-1 of its bytes.

    Attributes:
        file: its file name, for people; the bytes are found by the SHA-1.
        currency: ISO 4217 code of the reporting currency, or None when unknown.
        period_end: last day of the reported period, or None when unknown.
    """

    sha1: str
    file: str
    company: str
    page_count: int
    currency: str | None = None
    period_end: dt.date | None = None


class Company(Record):
    """A company by its full name, the other names people use for it, and its reports, newest first."""

    name: str
    aliases: tuple[str, ...] = ()
    reports: tuple[Report, ...] = ()

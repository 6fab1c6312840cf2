"""Companies and their reports."""

import calendar
import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from storage.records.record import Record

LATE_YEAR_END = 6  # a year that ends by June may be called by the year before
_DAYS_OF_WEEKS = 7  # a year counted in weeks may end so many days into the next month
ReportField = Literal[
    "company",
    "currency",
    "period_end",
    "fiscal_year",
    "alias",
    "type",
    "months",
    "quarter",
    "year_end_month",
    "weeks",
    "status",
    "is_amended",
    "is_restated",
]
FilingType = Literal[
    "annual report",
    "10-K",
    "20-F",
    "40-F",
    "10-Q",
    "interim report",
    "earnings release",
    "8-K",
    "proxy statement",
    "prospectus",
    "other",
]
FILING_TYPES: tuple[FilingType, ...] = get_args(FilingType)
ANNUAL: frozenset[FilingType] = frozenset({"annual report", "10-K", "20-F", "40-F"})
INTERIM: frozenset[FilingType] = frozenset({"10-Q", "interim report", "earnings release"})
FilingStatus = Literal["audited", "unaudited", "preliminary"]
MONTHS_OF_YEAR, MONTHS_OF_QUARTER = 12, 3
_PARTS: dict[tuple[int | None, int | None], str] = {
    (3, 1): "first quarter",
    (3, 2): "second quarter",
    (3, 3): "third quarter",
    (3, 4): "fourth quarter",
    (3, None): "a quarter",
    (6, None): "half year",
    (9, None): "nine months",
}
EvidenceSource = Literal["report", "catalog", "file_name", "edited"]


class Evidence(Record):
    """Where one piece of information about a report comes from.

    Attributes:
        source: the report itself, the catalog it was ingested with, its file's name, or a person's edit.
        page: 1-based, for what was read in the report; None where no page says it, as the currency of many filings.
        quote: the words there.
    """

    field: ReportField
    source: EvidenceSource
    page: int | None = None
    quote: str = ""


def in_order(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence by field, so that two equal sets are equal."""
    return tuple(sorted(evidence, key=lambda e: get_args(ReportField).index(e.field)))


class Filing(Record):
    """What kind of document a report is, and which part of which fiscal calendar it is about.

    Attributes:
        type: None where nobody has looked yet, as in a library of an earlier version; "8-K" stands for other
            announcements, too.
        months: the length of the period that it covers; None for a document about a day.
        quarter: which quarter of the fiscal year, as the company counts, where it covers one.
        year_end_month: in which the company's fiscal years end.
        weeks: the length in weeks, where the company counts its periods in weeks.
        status: of its figures.
        is_amended: it replaces or corrects an earlier filing.
        is_restated: it prints figures of earlier periods anew.
    """

    type: FilingType | None = None
    months: int | None = None
    quarter: int | None = None
    year_end_month: int | None = None
    weeks: int | None = None
    status: FilingStatus | None = None
    is_amended: bool = False
    is_restated: bool = False

    @property
    def span(self) -> int:
        """The months of the figures that the statements show first: a year, unless it is about a part of one."""
        return MONTHS_OF_YEAR if self.is_annual or self.months is None else self.months

    @property
    def is_annual(self) -> bool:
        """A report about a whole year; a filing of which nothing is known counts as one."""
        return self.type is None or self.type in ANNUAL

    @property
    def is_periodic(self) -> bool:
        """A report about a year or a part of one, with statements; also an announcement with results."""
        return self.is_annual or self.type in INTERIM or self.months is not None


class Report(Record):
    """One PDF, known by the SHA-1 of its bytes.

    Attributes:
        file: its file name, for people; the bytes are found by the SHA-1.
        currency: ISO 4217 code of the reporting currency, or None when unknown.
        period_end: last day of the reported period, or None when unknown.
        fiscal_year: the year by the report's own name for it, or None when it names none.
        filing: what kind of document it is.
        evidence: where company, currency, period, year and the parts of `filing` come from.
    """

    sha1: str
    file: str
    company: str
    page_count: int
    currency: str | None = None
    period_end: dt.date | None = None
    fiscal_year: int | None = None
    filing: Filing = Filing()
    evidence: tuple[Evidence, ...] = ()

    @property
    def indexed(self) -> "Report":
        """What an index says of the report: nothing that may be read anew while the index stays."""
        return self.model_copy(update={"filing": Filing(), "evidence": ()})

    @property
    def title(self) -> str:
        """Its name for people, since files are often named by numbers: the company and the year."""
        year = self.year_name
        return f"{self.company} {year}" if year else self.company

    @property
    def period_start(self) -> dt.date | None:
        """The first day of its period; None where the period's length or end is not known."""
        end, filing = self.period_end, self.filing
        months = filing.months or (MONTHS_OF_YEAR if filing.type in ANNUAL else None)
        if end is None or months is None:
            return None
        if filing.weeks:
            return end - dt.timedelta(weeks=filing.weeks) + dt.timedelta(days=1)
        return months_before(end, months) + dt.timedelta(days=1)

    @property
    def year(self) -> int | None:
        """The calendar year to which its period counts, else the year of its own name."""
        return ending_year(self.period_end) if self.period_end else self.fiscal_year

    @property
    def year_name(self) -> int | None:
        """The year by the company's own name, else the calendar year."""
        return self.fiscal_year or self.year

    @property
    def is_called_by_first_year(self) -> bool:
        """Whether the report names its year after the first calendar year: "fiscal 2021" ended on 29 January 2022."""
        end = self.period_end
        return end is not None and self.fiscal_year in names_of_year(end)[1:]

    @property
    def shift_of_year(self) -> int:
        """How many calendar years after its name the fiscal year ends: 1 where "fiscal 2024" ended in 2025."""
        end, names = self.period_end, names_of_year(self.period_end) if self.period_end else ()
        name = self.fiscal_year or (names[0] if len(names) == 1 else None)
        return end.year - name if end and name in names else 0

    @property
    def described(self) -> str:
        """The kind of filing and its period by the company's names: "10-Q, second quarter of fiscal 2023"."""
        filing, year = self.filing, f"fiscal {self.fiscal_year}" if self.fiscal_year else ""
        part = _PARTS.get((filing.months, filing.quarter)) or _PARTS.get((filing.months, None), "")
        period = f"{part} of {year}" if part and year else part or year
        remarks = [
            word
            for word, holds in (
                ("amended", filing.is_amended),
                ("earlier figures restated", filing.is_restated),
            )
            if holds
        ]
        return ", ".join(filter(None, (filing.type, period, *remarks)))

    def edited(self, values: dict[ReportField, Any]) -> "Report":
        """A copy with a person's values; those that differ from the old ones are marked as edited."""
        changed = {field: value for field, value in values.items() if self.value(field) != value}
        if not changed:
            return self
        retained = (e for e in self.evidence if e.field not in changed)
        evidence = in_order((*(Evidence(field=field, source="edited") for field in changed), *retained))
        of_filing = {str(f): v for f, v in changed.items() if f in Filing.model_fields}
        own: dict[str, Any] = {str(f): v for f, v in changed.items() if f not in Filing.model_fields}
        filing = self.filing.model_copy(update=of_filing)
        return self.model_copy(update={**own, "filing": filing, "evidence": evidence})

    def value(self, field: ReportField) -> Any:
        """The value of a field, of the report or of its filing."""
        return getattr(self.filing if field in Filing.model_fields else self, field)

    def source(self, field: ReportField) -> EvidenceSource | None:
        """Where the field's value comes from; None where there is no evidence for it."""
        return next((e.source for e in self.evidence if e.field == field), None)


class Company(Record):
    """A company: its full name, other names that people use for it, and its reports, newest first."""

    name: str
    aliases: tuple[str, ...] = ()
    reports: tuple[Report, ...] = ()

    @property
    def main_report(self) -> Report | None:
        """The newest annual report; without one the newest report about a period, or of any kind."""
        ranked = sorted(self.reports, key=lambda r: (not r.filing.is_annual, not r.filing.is_periodic))
        return ranked[0] if ranked else None


def months_before(end: dt.date, months: int) -> dt.date:
    """The day so many months before; from the last day of a month to the last day of another."""
    year, month = divmod(end.year * MONTHS_OF_YEAR + end.month - 1 - months, MONTHS_OF_YEAR)
    is_last = end.day == calendar.monthrange(end.year, end.month)[1]
    last = calendar.monthrange(year, month + 1)[1]
    return dt.date(year, month + 1, last if is_last else min(end.day, last))


def counted(end: dt.date) -> dt.date:
    """A day as it is counted: a year of weeks that ends on 3 February is one that ends in January."""
    return end - dt.timedelta(days=_DAYS_OF_WEEKS) if end.day <= _DAYS_OF_WEEKS else end


def ending_year(end: dt.date) -> int:
    """The calendar year to which a period counts that ends on a day: 2022 for one that ends on 1 January 2023."""
    return counted(end).year


def names_of_year(end: dt.date) -> tuple[int, ...]:
    """The years by which a company may call a fiscal year that ends on a day: the later one, then the earlier."""
    last = counted(end)
    return (last.year, last.year - 1) if last.month <= LATE_YEAR_END else (last.year,)


@dataclass(frozen=True)
class FiscalCalendar:
    """How a company counts its years.

    Attributes:
        month: in which its years end.
        shift: 1 where "fiscal 2022" ends in the calendar year 2023.
    """

    month: int = MONTHS_OF_YEAR
    shift: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether its years are calendar years."""
        return self.month == MONTHS_OF_YEAR and self.shift == 0

    def end_of(self, year: int, months: int = MONTHS_OF_YEAR) -> dt.date:
        """The last day of the month in which so many months of a fiscal year are over."""
        last = calendar.monthrange(year + self.shift, self.month)[1]
        return months_before(dt.date(year + self.shift, self.month, last), MONTHS_OF_YEAR - months)

    def months_over(self, end: dt.date) -> int:
        """How many months of the fiscal year are over on a day, 1 to 12."""
        return (counted(end).month - self.month - 1) % MONTHS_OF_YEAR + 1

    def year_of(self, end: dt.date) -> int:
        """The company's name for the fiscal year in which a day lies."""
        last = counted(end)
        return last.year - self.shift + (last.month > self.month)


def calendar_of(reports: Sequence[Report]) -> FiscalCalendar:
    """A company's calendar, from what most of its filings say."""
    months = Counter(
        r.filing.year_end_month or counted(r.period_end).month
        for r in reports
        if r.period_end and (r.filing.year_end_month or r.filing.is_annual)
    )
    month = months.most_common(1)[0][0] if months else MONTHS_OF_YEAR
    plain = FiscalCalendar(month)
    shifts = Counter(
        plain.year_of(r.period_end) - r.fiscal_year
        for r in reports
        if r.period_end and r.fiscal_year and r.filing.is_periodic
    )
    shift = shifts.most_common(1)[0][0] if shifts else 0
    return FiscalCalendar(month, shift if shift in (0, 1) else 0)

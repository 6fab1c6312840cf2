"""Companies and their reports."""

import datetime as dt
from collections.abc import Iterable
from typing import Literal, get_args

from storage.records.record import Record

LATE_YEAR_END = 6  # a year that ends by June may be called by the year before
ReportField = Literal["company", "currency", "period_end", "fiscal_year", "alias"]
EvidenceSource = Literal["report", "catalog", "file_name", "edited"]


class Evidence(Record):
    """Where one piece of information about a report comes from.

    Attributes:
        source: the report itself, the catalog it was ingested with, its file's name, or a person's edit.
        page: 1-based, for what was read in the report.
        quote: the words there.
    """

    field: ReportField
    source: EvidenceSource
    page: int | None = None
    quote: str = ""


def in_order(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The evidence by field, so that two equal sets are equal."""
    return tuple(sorted(evidence, key=lambda e: get_args(ReportField).index(e.field)))


class Report(Record):
    """One PDF, known by the SHA-1 of its bytes.

    Attributes:
        file: its file name, for people; the bytes are found by the SHA-1.
        currency: ISO 4217 code of the reporting currency, or None when unknown.
        period_end: last day of the reported period, or None when unknown.
        fiscal_year: the year by the report's own name for it, or None when it names none.
        evidence: where company, currency, period and year come from.
    """

    sha1: str
    file: str
    company: str
    page_count: int
    currency: str | None = None
    period_end: dt.date | None = None
    fiscal_year: int | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def is_called_by_first_year(self) -> bool:
        """Whether the report names its year after the first calendar year: "fiscal 2021" ended in January 2022."""
        end = self.period_end
        return end is not None and end.month <= LATE_YEAR_END and self.fiscal_year == end.year - 1

    def edited(self, company: str, currency: str | None, period_end: dt.date | None) -> "Report":
        """A copy with a person's values; those that differ from the old ones are marked as edited."""
        given: dict[ReportField, object] = {"company": company, "currency": currency, "period_end": period_end}
        changed = {field: value for field, value in given.items() if getattr(self, field) != value}
        if not changed:
            return self
        retained = (e for e in self.evidence if e.field not in changed)
        evidence = in_order((*(Evidence(field=field, source="edited") for field in changed), *retained))
        return self.model_copy(update={**{str(f): v for f, v in changed.items()}, "evidence": evidence})

    def source(self, field: ReportField) -> EvidenceSource | None:
        """Where the field's value comes from; None where there is no evidence for it."""
        return next((e.source for e in self.evidence if e.field == field), None)


class Company(Record):
    """A company: its full name, other names that people use for it, and its reports, newest first."""

    name: str
    aliases: tuple[str, ...] = ()
    reports: tuple[Report, ...] = ()

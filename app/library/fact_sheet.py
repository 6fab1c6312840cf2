"""The fact table as rows for people and programs: one for each company, metric and period."""

import datetime as dt
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from indexes.facts.fact_table import FactTable
from query_engines.company_names.matcher import CompanyNames
from storage.errors import MissingIndex, UsageError
from storage.records.answers import Verdict
from storage.records.facts import Confidence, Fact, FactCheckName, ReportFacts
from storage.records.metrics import Metric, Ontology
from storage.records.record import Record
from storage.records.reports import Company, Report
from storage.stores.protocols import KnownCompanies

PdfOf = Callable[[str], Path]


class Place(Record):
    """The origin of a row: the report, its page (1-based), and a link that opens the PDF there."""

    company: str
    report_sha1: str
    file: str
    page: int
    link: str
    confidence: Confidence


class FactRow(Place):
    """One value of one metric for one period.

    Attributes:
        value: in full units.
        unit: a currency, a currency per share, "%" or "number".
        is_current: whether it is about the reported period, not about one printed beside it.
        checks: the comparisons made, and their results.
    """

    metric: str
    title: str
    value: int | float
    unit: str
    period_end: dt.date | None
    period: str
    printed: str
    scale: float
    row_label: str
    is_current: bool
    checks: dict[FactCheckName, Verdict]

    @property
    def year(self) -> int | None:
        """The calendar year in which the period ends."""
        return self.period_end.year if self.period_end else None


class OfficerRow(Place):
    """An officer."""

    role: str
    name: str
    title: str


class EventRow(Place):
    """A sentence about an event."""

    kind: str
    about: str
    quote: str


class FactSheet(Record):
    """The facts of some companies, in the order of the companies and of the metrics.

    Attributes:
        missing: advice about each report without facts; not written to files.
    """

    facts: tuple[FactRow, ...] = ()
    officers: tuple[OfficerRow, ...] = ()
    events: tuple[EventRow, ...] = ()
    missing: tuple[str, ...] = Field(default=(), exclude=True)

    def years(self) -> tuple[int, ...]:
        """The years that have a value, latest first."""
        return tuple(sorted({row.year for row in self.facts if row.year}, reverse=True))

    def by_metric(self) -> Iterator[list[FactRow]]:
        """The rows grouped by company, metric and unit; for each year, that year's own report takes precedence."""
        groups: dict[tuple[str, str, str], list[FactRow]] = {}
        for row in self.facts:
            groups.setdefault((row.company, row.metric, row.unit), []).append(row)
        for rows in groups.values():
            ranked = sorted(rows, key=lambda r: not r.is_current)
            one_each = {row.year: row for row in reversed(ranked)}
            yield sorted(one_each.values(), key=lambda r: -(r.year or 0))


@dataclass(frozen=True)
class KnownFacts:
    """A catalog, the facts of its reports, and where their PDFs are."""

    library: KnownCompanies
    table: FactTable
    ontology: Ontology
    pdf_of: PdfOf

    def sheet(self, companies: Sequence[str] = (), metrics: Sequence[str] = ()) -> FactSheet:
        """The facts of the named companies, or of all; without metrics, all metrics with officers and events.

        Raises:
            UsageError: a company or metric is unknown.
            MissingIndex: the library is empty, or no facts are stored for these settings.
        """
        library = self.library.companies()
        if not library:
            raise MissingIndex("nothing is ingested yet; run `pageproof ingest PATH`, or `pageproof demo`")
        wanted = metrics_named(metrics, self.ontology)
        read = [(r, self.table.of(c, r)) for c in companies_named(companies, library) for r in c.reports]
        found = [(report, facts) for report, facts in read if facts is not None]
        if not found:
            raise MissingIndex(
                "no facts are stored for these settings; ingest the reports again with this profile"
            )
        missing = tuple(
            f"{report.company}: no facts of {report.file} are stored; ingest it again with this profile"
            for report, facts in read
            if facts is None
        )
        sheet = fact_sheet(found, wanted, self.pdf_of, whole=not metrics)
        return sheet.model_copy(update={"missing": missing})


def companies_named(names: Sequence[str], companies: Sequence[Company]) -> list[Company]:
    """The named companies in the given order; all companies without names.

    Raises:
        UsageError: a name fits no company, or several.
    """
    known = CompanyNames(companies)
    chosen = []
    for name in names:
        found = known.named(name)
        if len(found) != 1:
            nearest = "; ".join(c.name for c in found) or "; ".join(known.nearest(name)) or "none, it is empty"
            problem = "is the name of several companies" if found else "is no company in the library"
            raise UsageError(f"{name!r} {problem}; nearest names: {nearest}")
        chosen += found
    return list({c.name: c for c in chosen}.values()) or list(companies)


def metrics_named(names: Sequence[str], ontology: Ontology) -> tuple[Metric, ...]:
    """The named metrics, by id or by name; all metrics without names.

    Raises:
        UsageError: a name fits no metric.
    """
    by_id = {metric.id: metric for metric in ontology.metrics}
    chosen = []
    for name in names:
        metric = by_id.get(name) or ontology.metric_named(name)
        if metric is None:
            near = difflib.get_close_matches(name.lower().replace(" ", "_"), by_id, n=5, cutoff=0.3)
            raise UsageError(f"--metric {name!r} is no metric; nearest: {', '.join(near) or ', '.join(by_id)}")
        chosen.append(metric)
    return tuple(chosen) or ontology.metrics


def fact_sheet(
    found: Iterable[tuple[Report, ReportFacts]], metrics: Sequence[Metric], pdf_of: PdfOf, *, whole: bool
) -> FactSheet:
    """The rows of a sheet from reports' facts.

    Args:
        found: reports with their facts, grouped by company, newest report first.
        metrics: to include, in this order.
        pdf_of: gives the path of a report's PDF.
        whole: also include officers and events.
    """
    reports = list(found)
    return FactSheet(
        facts=tuple(
            _fact(fact, metric, report, facts, pdf_of)
            for report, facts in reports
            for metric in metrics
            for fact in facts.of(metric.id)
        ),
        officers=tuple(
            OfficerRow(
                **_place(report, p.page_number, p.confidence, pdf_of).model_dump(),
                role=p.role.replace("_", " "),
                name=p.name,
                title=p.title,
            )
            for report, facts in reports
            for p in (facts.people if whole else ())
        ),
        events=tuple(
            EventRow(
                **_place(report, e.page_number, e.confidence, pdf_of).model_dump(),
                kind=e.kind.replace("_", " "),
                about=e.about,
                quote=e.quote,
            )
            for report, facts in reports
            for e in (facts.events if whole else ())
        ),
    )


def _fact(fact: Fact, metric: Metric, report: Report, facts: ReportFacts, pdf_of: PdfOf) -> FactRow:
    end = fact.period.end if fact.period else report.period_end
    whole = fact.value == fact.value.to_integral_value()
    return FactRow(
        **_place(report, fact.page_number, fact.confidence, pdf_of).model_dump(),
        metric=metric.id,
        title=metric.title,
        value=int(fact.value) if whole else float(fact.value),
        unit=_unit(fact, metric),
        period_end=end,
        period=(fact.period.printed if fact.period else "") or (end.isoformat() if end else ""),
        printed=fact.printed,
        scale=float(fact.scale),
        row_label=fact.row_label,
        is_current=fact == facts.current(metric.id),
        checks={check.name: check.verdict for check in fact.checks},
    )


def _place(report: Report, page: int, confidence: Confidence, pdf_of: PdfOf) -> Place:
    return Place(
        company=report.company,
        report_sha1=report.sha1,
        file=report.file,
        page=page,
        link=f"{pdf_of(report.sha1).absolute().as_uri()}#page={page}",
        confidence=confidence,
    )


def _unit(fact: Fact, metric: Metric) -> str:
    if metric.kind in ("percent", "count"):
        return "%" if metric.kind == "percent" else "number"
    currency = fact.currency or "currency unknown"
    return f"{currency} per share" if metric.kind == "per_share" else currency

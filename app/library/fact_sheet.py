"""The fact table as rows for people and programs: one for each company, metric and period."""

import datetime as dt
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pydantic import Field

from app.settings import nothing_ingested
from indexes.facts.fact_table import FactTable, neighbours_of
from query_engines.calculation.derivation import Derivation, derive
from query_engines.company_names.matcher import CompanyNames
from storage.amounts import grouped, printed_decimals
from storage.errors import MissingIndex, UsageError, in_words
from storage.records.answers import Neighbour, Verdict
from storage.records.derived_metrics import DerivedMetric, DerivedMetrics, DerivedUnit, Moment
from storage.records.facts import Confidence, Event, Fact, FactCheckName, ReportFacts, Seat
from storage.records.metrics import Metric, Ontology
from storage.records.record import Box, Record
from storage.records.reports import (
    MONTHS_OF_QUARTER,
    MONTHS_OF_YEAR,
    Company,
    FiscalCalendar,
    Report,
    calendar_of,
    ending_year,
)
from storage.stores.protocols import KnownCompanies

MONTHS_OF_HALF = 6
_LEVELS: tuple[Confidence, ...] = ("high", "medium", "low")
PdfOf = Callable[[str], Path]


class Place(Record):
    """The origin of a row: the report, its page (1-based), and a link that opens the PDF there.

    Attributes:
        boxes: where it stands on the page, in points from the top left.
    """

    company: str
    report_sha1: str
    file: str
    page: int
    link: str
    confidence: Confidence
    boxes: tuple[Box, ...] = ()


class OperandRow(Place):
    """A figure from which another one is calculated.

    Attributes:
        moment: "opening" for the end of the period before.
    """

    metric: str
    title: str
    moment: Moment
    value: int | float
    unit: str
    period_end: dt.date | None


class FactRow(Place):
    """One value of one metric for one period.

    Attributes:
        value: in full units.
        unit: a currency, a currency per share, "%" or "number".
        is_current: whether it is about the reported period, not about one printed beside it.
        column: the period as the company calls it: "2022" for a fiscal year, "Q2 2023", "H1 2023", "9M 2023", or "TTM"
            for the twelve months up to the newest quarter.
        is_restating: a restated or amended filing prints a figure of an earlier period anew.
        checks: the comparisons made, and their results.
        neighbours: the figures of other scopes for the same period, where they are others.
        formula: of a calculated figure, over the ids of its operands; `row_label` has it in words.
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
    column: str = ""
    is_restating: bool = False
    neighbours: tuple[Neighbour, ...] = ()
    formula: str = ""
    operands: tuple[OperandRow, ...] = ()

    @property
    def value_text(self) -> str:
        """The value as people write it, with the decimals that the page prints."""
        decimals = printed_decimals(self.printed, self.value, self.scale)
        if decimals:
            return f"{self.value:,.{decimals}f}"
        return grouped(self.value)

    @property
    def label(self) -> str:
        """The heading of its column."""
        return self.column or str(self.year or "")

    @property
    def year(self) -> int | None:
        """The calendar year in which the period ends."""
        return ending_year(self.period_end) if self.period_end else None


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

    def columns(self) -> tuple[str, ...]:
        """The headings of the periods that have a value, latest first; a year comes before its parts."""
        return tuple(sorted({row.label for row in self.facts if row.label}, key=_newest_first))

    def of_last(self, years: int) -> "FactSheet":
        """The sheet without what is older than so many fiscal years, counted back from each company's newest."""
        newest: dict[str, int] = {}
        for row in self.facts:
            newest[row.company] = max(newest.get(row.company, 0), _year_of(row.label))
        recent = (r for r in self.facts if r.column == _TRAILING or _year_of(r.label) > newest[r.company] - years)
        return self.model_copy(update={"facts": tuple(recent)})

    def of_years(self, years: Sequence[int]) -> "FactSheet":
        """The sheet of these fiscal years alone."""
        return self.model_copy(update={"facts": tuple(r for r in self.facts if _year_of(r.label) in years)})

    def by_metric(self) -> Iterator[list[FactRow]]:
        """The rows grouped by company, metric and unit, one for each period: a company's timeline, latest first.

        Of several reports that print a figure, a restating one takes precedence, then that period's own. What is
        calculated is a timeline of its own, behind the printed ones of its company.
        """
        groups: dict[tuple[str, str, str, bool], list[FactRow]] = {}
        places = {company: at for at, company in enumerate(dict.fromkeys(row.company for row in self.facts))}
        for row in sorted(self.facts, key=lambda r: (places[r.company], bool(r.formula))):
            groups.setdefault((row.company, row.metric, row.unit, bool(row.formula)), []).append(row)
        for rows in groups.values():
            ranked = sorted(rows, key=lambda r: (not r.is_restating, not r.is_current))
            one_each = {row.label: row for row in reversed(ranked)}
            yield sorted(one_each.values(), key=lambda r: _newest_first(r.label))


_TRAILING = "TTM"
_PARTS = ("TTM", "", "Q4", "H2", "9M", "Q3", "H1", "Q2", "Q1")  # latest first


def _year_of(label: str) -> int:
    return int(label[-4:]) if label[-4:].isdigit() else 0


def _newest_first(label: str) -> tuple[int, int]:
    part = label[:2] if label[:1].isalpha() or label[1:2] == "M" else ""
    place = _PARTS.index(part) if part in _PARTS else 0
    return (-(_year_of(label) or 10**4), place) if label else (1, 0)


@dataclass(frozen=True)
class KnownFacts:
    """A catalog, the facts of its reports, where their PDFs are, and the data root for messages."""

    library: KnownCompanies
    table: FactTable
    ontology: Ontology
    pdf_of: PdfOf
    root: Path

    def companies(self) -> Sequence[Company]:
        """Every company.

        Raises:
            MissingIndex: the library is empty.
        """
        found = self.library.companies()
        if not found:
            raise nothing_ingested(self.root)
        return found

    def sheet(
        self, companies: Sequence[str] = (), metrics: Sequence[str] = (), *, calculated: bool = False
    ) -> FactSheet:
        """The facts of the named companies, or of all; without metrics, all metrics with officers and events.

        A derived metric comes with the figures that it is calculated from. `calculated` adds all derived metrics.

        Raises:
            UsageError: a company or metric is unknown.
            MissingIndex: the library is empty, or no facts are stored for these settings.
        """
        library = self.companies()
        known = DerivedMetrics.load(self.ontology)
        wanted, derived = metrics_named(metrics, self.ontology, known)
        derived = known.metrics if calculated else derived
        read = [(r, self.table.of(c, r)) for c in companies_named(companies, library) for r in c.reports]
        found = [(report, facts) for report, facts in read if facts is not None]
        if not found:
            raise MissingIndex("no facts are stored for these settings; run `pageproof upgrade` with this profile")
        missing = tuple(
            f"{report.company}: no facts of {report.file} are stored; ingest it again with this profile"
            for report, facts in read
            if facts is None
        )
        sheet = fact_sheet(
            found, wanted, self.pdf_of, whole=not metrics, calculated=Calculated(derived, self.ontology)
        )
        return sheet.model_copy(update={"missing": missing})


def companies_named(names: Sequence[str], companies: Sequence[Company]) -> list[Company]:
    """The named companies in the given order; all companies without names.

    Raises:
        UsageError: a name fits no company, or several.
    """
    known = CompanyNames(companies)
    chosen = []
    for name in texts(names, "a company's name"):
        found = known.named(name)
        if len(found) != 1:
            nearest = "; ".join(c.name for c in found) or "; ".join(known.nearest(name)) or "none, it is empty"
            problem = "is the name of several companies" if found else "is no company in the library"
            raise UsageError(f"{name!r} {problem}; nearest names: {nearest}")
        chosen += found
    return list({c.name: c for c in chosen}.values()) or list(companies)


def texts(names: object, what: str) -> Sequence[str]:
    """These names; one alone counts as a list of one.

    Raises:
        UsageError: one of them is no text.
    """
    found = []
    for name in names if isinstance(names, Sequence) and not isinstance(names, str) else (names,):
        if not isinstance(name, str):
            raise UsageError(f"{what} is {in_words(name)}, expected a text")
        found.append(name)
    return found


def metrics_named(
    names: Sequence[str], ontology: Ontology, known: DerivedMetrics
) -> tuple[tuple[Metric, ...], tuple[DerivedMetric, ...]]:
    """The named metrics, by id or by name, and the derived ones among them; all metrics without names.

    The metrics from which a derived one is calculated are among the metrics.

    Raises:
        UsageError: a name fits no metric.
    """
    by_id = {metric.id: metric for metric in ontology.metrics}
    chosen, derived = dict[str, Metric](), dict[str, DerivedMetric]()
    for name in texts(names, "a metric's name"):
        metric = by_id.get(name) or ontology.metric_named(name)
        calculated = known.get(name) or known.called(name)
        if metric is None and calculated is None:
            ids = (*by_id, *(d.id for d in known.metrics))
            near = difflib.get_close_matches(name.lower().replace(" ", "_"), ids, n=5, cutoff=0.3)
            nearest = ", ".join(dict.fromkeys(near)) or ", ".join(by_id)
            raise UsageError(f"{name!r} is no metric; nearest: {nearest}")
        chosen |= {metric.id: metric} if metric else {}
        derived |= {calculated.id: calculated} if calculated else {}
    chosen |= {used: ontology[used] for d in derived.values() for used in d.definitions[0].metrics}
    return tuple(chosen.values()) if names else ontology.metrics, tuple(derived.values())


@dataclass(frozen=True)
class Calculated:
    """The derived metrics of a sheet, and the ontology of their operands."""

    metrics: Sequence[DerivedMetric]
    ontology: Ontology

    def of(self, facts: ReportFacts) -> Iterator[Derivation]:
        """Each of them that has a value, for each year of a report."""
        years = sorted({fact.period.year for fact in facts.facts if fact.period}, reverse=True)
        made = (derive(metric, facts, self.ontology, year) for metric in self.metrics for year in years)
        return (derivation for derivation in made if derivation.value is not None)


def fact_sheet(
    found: Iterable[tuple[Report, ReportFacts]],
    metrics: Sequence[Metric],
    pdf_of: PdfOf,
    *,
    whole: bool,
    calculated: Calculated | None = None,
) -> FactSheet:
    """The rows of a sheet from reports' facts.

    Args:
        found: reports with their facts, grouped by company, newest report first.
        metrics: to include, in this order.
        pdf_of: gives the path of a report's PDF.
        whole: also include officers and events; a sum of one line only, which stands there already, is left out
            where nothing is calculated with it.
        calculated: the derived metrics to include.
    """
    reports = list(found)
    of_company: dict[str, list[Report]] = {}
    for report, _ in reports:
        of_company.setdefault(report.company, []).append(report)
    calendars = {company: calendar_of(its) for company, its in of_company.items()}
    usual = {company: _usual_currency(its) for company, its in of_company.items()}
    is_of_all = whole and not (calculated and calculated.metrics)
    rows = [
        _fact(fact, metric, report, facts, pdf_of, usual[report.company]).model_copy(
            update={
                "column": _column(fact, report, calendars[report.company], is_beside=fact in facts.other_spans),
                "neighbours": neighbours_of(fact, metric, facts),
            }
        )
        for report, facts in reports
        for metric in metrics
        if not (is_of_all and _repeats(metric, facts))
        for fact in (*facts.of(metric.id), *(f for f in facts.other_spans if f.metric == metric.id))
    ]
    worked_out = [
        _calculated_row(derivation, report, facts, pdf_of, calendars[report.company], usual[report.company])
        for report, facts in reports
        for derivation in (calculated.of(facts) if calculated else ())
    ]
    return FactSheet(
        facts=(*rows, *_trailing(rows, metrics), *worked_out),
        officers=tuple(
            OfficerRow(
                **_place(report, p, pdf_of).model_dump(),
                role=p.role.replace("_", " "),
                name=p.name,
                title=p.title,
            )
            for report, facts in reports
            for p in (facts.officers if whole else ())
        ),
        events=tuple(
            EventRow(
                **_place(report, e, pdf_of).model_dump(),
                kind=e.kind.replace("_", " "),
                about=e.about,
                quote=e.quote,
            )
            for report, facts in reports
            for e in (facts.events if whole else ())
        ),
    )


def _column(fact: Fact, report: Report, years: FiscalCalendar, *, is_beside: bool) -> str:
    """The heading of a fact's column, by the company's calendar; `is_beside` the report's own span."""
    end = fact.period.end if fact.period else report.period_end
    if end is None:
        return ""
    months = (fact.period.months if fact.period else None) or None
    if report.filing.is_annual and not is_beside:
        return str(end.year - years.shift)
    over, year = years.months_over(end), years.year_of(end)
    if months is None:  # a position, or a length that is not printed
        months = MONTHS_OF_YEAR if over == MONTHS_OF_YEAR else report.filing.months or MONTHS_OF_QUARTER
    return f"{_part_name(months, over)}{year}"


def _part_name(months: int, over: int) -> str:
    if months == MONTHS_OF_YEAR:
        return ""
    if months == MONTHS_OF_QUARTER:
        return f"Q{over // MONTHS_OF_QUARTER} "
    return f"H{over // months} " if months == MONTHS_OF_HALF else f"{months}M "


def _trailing(rows: Sequence[FactRow], metrics: Sequence[Metric]) -> Iterator[FactRow]:
    """The twelve months up to the newest quarter: the last year, and the months since in place of those before."""
    flows = {m.id for m in metrics if m.is_flow}
    for group in FactSheet(facts=tuple(r for r in rows if r.metric in flows)).by_metric():
        known = {row.label: row for row in group}
        years = [int(label) for label in known if label.isdigit()]
        year = max(years, default=0)
        parts = ((known.get(f"{part} {year + 1}"), known.get(f"{part} {year}")) for part in ("9M", "H1", "Q1"))
        now, before = next(((n, b) for n, b in parts if n and b), (None, None))
        if not years or now is None or before is None:
            continue
        whole = known[str(year)]
        used = (whole, now, before)
        yield now.model_copy(
            update={
                "value": whole.value + now.value - before.value,
                "column": _TRAILING,
                "printed": f"{whole.printed} + {now.printed} - {before.printed}",
                "row_label": f"{whole.label} + {now.label} - {before.label}: {now.row_label}",
                "confidence": max((row.confidence for row in used), key=_LEVELS.index),
                "checks": {},
                "is_current": False,
            }
        )


def _repeats(metric: Metric, facts: ReportFacts) -> bool:
    """Whether a sum over lines is of one line, which is a metric of its own."""
    if not metric.adds:
        return False
    others = {(fact.page_number, fact.boxes, fact.value) for fact in facts.facts if fact.metric != metric.id}
    own = facts.of(metric.id)
    return bool(own) and all((fact.page_number, fact.boxes, fact.value) in others for fact in own)


def _usual_currency(reports: Sequence[Report]) -> str | None:
    """The one currency of a company's reports, which a release may leave out; None where there are several."""
    known = {report.currency for report in reports if report.currency}
    return known.pop() if len(known) == 1 else None


def _fact(
    fact: Fact, metric: Metric, report: Report, facts: ReportFacts, pdf_of: PdfOf, usual: str | None
) -> FactRow:
    end = fact.period.end if fact.period else report.period_end
    return FactRow(
        **_place(report, fact, pdf_of).model_dump(),
        metric=metric.id,
        title=metric.title,
        value=_plain_number(fact.value),
        unit=_unit(fact, metric, usual),
        period_end=end,
        period=(fact.period.printed if fact.period else "") or (end.isoformat() if end else ""),
        printed=fact.printed,
        scale=float(fact.scale),
        row_label=fact.row_label,
        is_current=fact == facts.current(metric.id),
        is_restating=(report.filing.is_restated or report.filing.is_amended) and fact != facts.current(metric.id),
        checks={check.name: check.verdict for check in fact.checks},
    )


_UNITS: dict[DerivedUnit, str] = {"percent": "%", "times": "x", "count": "number"}


def _calculated_row(
    derivation: Derivation,
    report: Report,
    facts: ReportFacts,
    pdf_of: PdfOf,
    years: FiscalCalendar,
    usual: str | None,
) -> FactRow:
    metric, value = derivation.metric, derivation.value or Decimal(0)
    currency = derivation.currency or usual or "currency unknown"
    money = f"{currency} per share" if metric.unit == "per_share" else currency
    operands = tuple(
        OperandRow(
            **_place(report, o.fact, pdf_of).model_dump(),
            metric=o.metric,
            title=o.title,
            moment=o.moment,
            value=_plain_number(o.fact.value),
            unit=o.fact.currency or "",
            period_end=o.fact.period.end if o.fact.period else None,
        )
        for o in derivation.operands
    )
    closing = next((o.fact for o in derivation.operands if o.moment == "closing"), derivation.operands[0].fact)
    least = max((o.confidence for o in operands), key=_LEVELS.index)
    return FactRow(
        **_place(report, derivation.operands[0].fact, pdf_of).model_dump() | {"confidence": least},
        metric=metric.id,
        title=f"{metric.title}, calculated",
        value=_plain_number(value),
        unit=money if metric.is_money else _UNITS.get(metric.unit, metric.unit),
        period_end=closing.period.end if closing.period else None,
        period=str(derivation.year),
        printed="",
        scale=1,
        row_label=f"{derivation.in_words} = {derivation.in_figures}",
        is_current=facts.period_end is not None and ending_year(facts.period_end) == derivation.year,
        checks={},
        column=_column(closing, report, years, is_beside=False),
        formula=derivation.formula,
        operands=operands,
    )


def _plain_number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _place(report: Report, printed: Fact | Seat | Event, pdf_of: PdfOf) -> Place:
    return Place(
        company=report.company,
        report_sha1=report.sha1,
        file=report.file,
        page=printed.page_number,
        link=f"{pdf_of(report.sha1).absolute().as_uri()}#page={printed.page_number}",
        confidence=printed.confidence,
        boxes=printed.boxes,
    )


def _unit(fact: Fact, metric: Metric, usual: str | None) -> str:
    if metric.kind in ("percent", "count"):
        return "%" if metric.kind == "percent" else "number"
    currency = fact.currency or usual or "currency unknown"
    return f"{currency} per share" if metric.kind == "per_share" else currency

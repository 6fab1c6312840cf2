"""The stored facts of a company's reports, each compared with the report before."""

from indexes.facts.consistency import held_against
from storage.records.answers import Neighbour
from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Metric, Ontology
from storage.records.reports import Company, Report
from storage.stores.protocols import StoredFacts


class FactTable:
    """Reads stored facts. Reports are compared when facts are read, so the order of ingestion does not matter."""

    def __init__(self, store: StoredFacts) -> None:
        self._store = store

    def __contains__(self, report: Report) -> bool:
        return report in self._store

    def of(self, company: Company, report: Report) -> ReportFacts | None:
        """The facts of one of the company's reports; None where none are stored for these settings."""
        if report not in self._store:
            return None
        found = self._store.read(report)
        before = _before(company, report)
        if before is None or before not in self._store:
            return found
        return held_against(found, self._store.read(before), by_day=not report.filing.is_annual)


def _before(company: Company, report: Report) -> Report | None:
    """The company's latest report of an earlier period that is as long."""
    end, span = report.period_end, report.filing.span
    earlier = [
        r
        for r in company.reports
        if end and r.period_end and r.period_end < end and r.filing.is_periodic and r.filing.span == span
    ]
    return max(earlier, key=lambda r: r.period_end or end) if earlier and end else None


def neighbours_of(fact: Fact, metric: Metric, facts: ReportFacts) -> tuple[Neighbour, ...]:
    """The surest figures of other scopes for a fact's period that are another figure, as far as both are printed."""
    found = []
    for beside in metric.beside:
        own = (f for f in facts.of(beside) if f.period and fact.period and f.period.end == fact.period.end)
        sure = next((f for f in own if f.confidence != "low"), None)
        if sure is not None and sure.value and not _is_the_same(sure, fact):
            value = int(sure.value) if sure.value == int(sure.value) else float(sure.value)
            title, page = Ontology.load()[beside].title, sure.page_number
            found.append(Neighbour(metric=beside, title=title, value=value, page=page, row_label=sure.row_label))
    return tuple(found)


def _is_the_same(one: Fact, other: Fact) -> bool:
    """Whether two facts are one figure: of one row, whatever the sign, or apart by no more than the last digit."""
    if (one.page_number, one.row_label, abs(one.value)) == (other.page_number, other.row_label, abs(other.value)):
        return True
    return abs(one.value - other.value) <= max(one.last_digit, other.last_digit)

"""Metrics that may stand in any table: margins, EBITDA, net asset value per share, counts of an industry."""

from collections.abc import Iterator, Sequence

from indexes.facts.printed_rows import PrintedRow
from indexes.facts.rows import Match, facts_of
from indexes.facts.statements import Part
from storage.facts import Fact
from storage.metrics import NAMED, Metric, Ontology
from storage.reports import Report

ELSEWHERE = {"dividend_per_share"}  # has rules of its own


def note_facts(
    parts: Sequence[Part], report: Report, ontology: Ontology, *, in_full_units: bool
) -> Iterator[Fact]:
    """The best row of the report for each such metric, by name first, then by page; never sure.

    Args:
        parts: the report's tables.
        report: whose they are.
        ontology: the metrics.
        in_full_units: the report's statements are; else a table that prints no unit may be in thousands like them,
            and gives no amount.
    """
    for metric in ontology.metrics:
        if metric.statement != "notes" or metric.id in ELSEWHERE:
            continue
        matches = (m for m in _matches(metric, parts) if in_full_units or _has_unit(m))
        found = sorted(matches, key=lambda m: (m.place, m.part.page_number, m.order))
        for fact in facts_of(found[0], "notes", report) if found else ():
            yield fact.model_copy(update={"confidence": "low"})


def _matches(metric: Metric, parts: Sequence[Part]) -> Iterator[Match]:
    for part in parts:
        column = part.current
        if column is None or column.period is None or column.period.months not in (None, 12):
            continue
        for order, row in enumerate(part.rows):
            figure = row.at(column.index)
            if figure is None or figure.value is None or not _fits(metric, row, figure.printed):
                continue
            place = metric.place(row.label, row.heading)
            if place is not None and (place < NAMED or metric.patterns):
                yield Match(metric, part, row, column, figure, place, order)


def _has_unit(match: Match) -> bool:
    return match.metric.kind != "amount" or (match.column.scale or match.part.scale) is not None


def _fits(metric: Metric, row: PrintedRow, printed: str) -> bool:
    percent = "%" in printed or "%" in row.label
    return percent if metric.kind == "percent" else not percent

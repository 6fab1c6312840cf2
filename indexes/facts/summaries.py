"""Lines that a report's statements were not read to hold, from its summaries and notes where all of these agree."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

from indexes.facts.rows import Match, facts_of, figure_is_plausible
from indexes.facts.statements import Part
from storage.facts import Fact
from storage.metrics import NAMED, Metric, Ontology, folded, significant
from storage.reports import Report

_NOT_THE_WHOLE = re.compile(
    r"segment|non-?gaap|adjusted|pro ?forma|quarter|parent|company only|subsidiar|joint venture|associate|discontinued"
    r"|acqui(?:red|sition)|budget|forecast|target|unaudited|geograph|region|by (?:product|country|business)|peer"
    r"|half[- ]year|six months|underlying|constant currency|compensation|remuneration|pay ratio",
    re.IGNORECASE,
)
_ROUNDED = Decimal("0.005")  # a summary in millions beside one in thousands
LEAST_WORDS = 2  # "sales" or "income" alone may be anybody's


def summary_facts(
    parts: Sequence[Part],
    report: Report,
    ontology: Ontology,
    known: Collection[str],
    sums: Mapping[str, Decimal],
    *,
    in_full_units: bool,
) -> Iterator[Fact]:
    """Facts of metrics that no statement gave: rows of exactly such a name, which must not contradict each other.

    Args:
        parts: the report's tables.
        report: whose they are.
        ontology: the metrics.
        known: ids of metrics whose value the statements gave.
        sums: values that the statements gave as a sum of lines; a printed total must be it.
        in_full_units: the report's statements are; else an amount in a table without a unit gives nothing.
    """
    for metric in ontology.metrics:
        if metric.id in known or metric.statement in ("notes", "text"):
            continue
        found = [m for m in _matches(metric, parts) if in_full_units or _has_unit(m)]
        exact = [m for m in found if m.place == min(m.place for m in found)]
        wanted = sums.get(metric.id, exact[0].value) if exact else None
        if wanted is not None and all(_agree(m.value, wanted) for m in exact):
            best = min(exact, key=lambda m: (-len(m.part.rows), m.part.page_number))
            for fact in facts_of(best, "notes", report):
                yield fact.model_copy(update={"confidence": "low"})


def _matches(metric: Metric, parts: Sequence[Part]) -> Iterator[Match]:
    vague = {
        significant(name) for name in metric.wordings.get("fund", ())
    }  # "total income" of a fund, or of a parent
    for part in parts:
        column = part.current
        whole_year = column is not None and column.period is not None and column.period.months in (None, 12)
        alone = sum(c.period == column.period for c in part.columns) == 1 if column else False
        if (
            column is None
            or not whole_year
            or not alone
            or _NOT_THE_WHOLE.search(f"{part.title} {part.above} {column.header}")
        ):
            continue
        for order, row in enumerate(part.rows):
            figure = row.at(column.index)
            if figure is None or not figure_is_plausible(metric, figure) or _NOT_THE_WHOLE.search(row.heading):
                continue
            place = metric.place(row.label, row.heading)
            words = significant(folded(row.label))
            if place is not None and place < NAMED and len(words) >= LEAST_WORDS and words not in vague:
                yield Match(metric, part, row, column, figure, place, order)


def _has_unit(match: Match) -> bool:
    return match.metric.kind != "amount" or match.scale_is_printed


def _agree(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= _ROUNDED * max(abs(one), abs(other))

"""The figures of the fact table whose names a question writes."""

from collections.abc import Mapping

from query_engines.calculation.row_questions import asks_to_calculate, names_in
from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Ontology
from storage.records.reports import MONTHS_OF_YEAR

_KINDS = frozenset({"amount", "count"})


def named_figures(text: str, facts: ReportFacts, ontology: Ontology) -> Mapping[str, tuple[Fact, ...]]:
    """The certain figures of full years of each metric that a question names, the newest first, by its name there.

    There are none where the question asks for no calculation with them.

    Args:
        text: the question without its company's name.
        facts: of the report.
        ontology: the metrics' names.
    """
    if not asks_to_calculate(text):
        return {}

    def figures(name: str) -> tuple[Fact, ...]:
        metric = ontology.metric_named(name)
        is_known = metric is not None and metric.kind in _KINDS
        return tuple(filter(_is_certain, facts.of(metric.id))) if metric is not None and is_known else ()

    return {name.lower(): figures(name) for name in names_in(text, lambda name: bool(figures(name)))}


def _is_certain(fact: Fact) -> bool:
    is_of_year = fact.period is not None and fact.period.months in (None, MONTHS_OF_YEAR)
    return is_of_year and not fact.is_sum and fact.confidence != "low"

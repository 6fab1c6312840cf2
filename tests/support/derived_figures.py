"""Every derived figure of a report, and an independent calculation of it from the figures printed on the pages."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from query_engines.calculation.derivation import Derivation, derive
from query_engines.verification.printed_figures import figures_in
from storage.amounts import number_word, parse_figure
from storage.records.derived_metrics import DerivedMetrics
from storage.records.facts import ReportFacts
from storage.records.metrics import Ontology
from storage.records.pages import Page

_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")


def derived_figures(found: ReportFacts, ontology: Ontology, derived: DerivedMetrics) -> Iterator[Derivation]:
    """Every derived metric of every year, and every other definition of it, that has a value."""
    years = sorted({fact.period.year for fact in found.facts if fact.period})
    for metric in derived.metrics:
        for year in years:
            derivation = derive(metric, found, ontology, year)
            yield from (d for d in (derivation, *derivation.others) if d.value is not None)


def fault_of(derivation: Derivation, pages: Mapping[int, Page]) -> str:
    """Why a derived figure does not follow from the printed figures; empty where it does."""
    for operand in derivation.operands:
        fact, page = operand.fact, pages[operand.fact.page_number]
        total = Fraction(0)
        for printed in fact.printed.split(" + "):
            value = parse_figure(printed)
            value = value if value is not None else parse_figure(printed.replace("'", ",")) or number_word(printed)
            if value is None:
                return f"{printed!r} is no figure"
            if printed not in page.markdown and value not in figures_in(page.markdown, "."):
                return f"{printed!r} is not on page {page.page_number}"
            total += Fraction(value) * Fraction(fact.scale)
        if abs(total) != abs(Fraction(fact.value)):
            return f"{fact.printed!r} times {fact.scale} is not {fact.value}"
    result = _calculated(derivation.in_figures) * (100 if derivation.metric.unit == "percent" else 1)
    if derivation.value is None or abs(result - Fraction(derivation.value)) > Fraction(1, 10_000):
        return f"{derivation.in_figures} is {float(result)}, not {derivation.value}"
    return ""


def _calculated(figures: str) -> Fraction:
    """The value of a formula that is written in figures, by Python's own arithmetic."""
    bars = re.sub(r"\|([^|]*)\|", r"abs(\1)", figures).replace("×", "*")
    text = _FIGURE.sub(lambda m: f'Fraction("{m[0].replace(",", "")}")', bars)
    return Fraction(eval(text, {"Fraction": Fraction, "abs": abs}))

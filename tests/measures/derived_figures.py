"""`python -m tests.measures.derived_figures --data DIR`: derived figures of a library's reports, in Markdown.

Each derived metric is calculated for every report and year. It is calculated again, by Python's own arithmetic, from
the figures on the pages. Where a report prints a figure under the metric's name, both are compared.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from app import open_pageproof
from indexes.facts.extract import extract_facts
from query_engines.calculation.derivation import Derivation
from storage.records.derived_metrics import DerivedMetrics
from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Ontology
from tests.support.derived_figures import derived_figures, fault_of

ONTOLOGY = Ontology.load()
DERIVED = DerivedMetrics.load(ONTOLOGY)


def main() -> None:
    """Print the measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    values, faults, compared = Counter[str](), [], []
    with open_pageproof(data=data) as client:
        for report in (report for company in client.companies() for report in company.reports):
            pages = client.pages.read(report.sha1, range(1, report.page_count + 1))
            by_number = {page.page_number: page for page in pages}
            found = extract_facts(pages, report, ONTOLOGY)
            for derivation in derived_figures(found, ONTOLOGY, DERIVED):
                values[derivation.metric.id] += 1
                if fault := fault_of(derivation, by_number):
                    faults.append(f"{report.company}, {derivation.metric.title}: {fault}")
                compared += [(report.company, derivation, fact) for fact in _printed(derivation, found)]
    print(f"{sum(values.values())} derived figures, {len(faults)} not their formula over printed figures\n")
    for metric, count in values.most_common():
        print(f"- {DERIVED[metric].title}: {count}")
    print("\n".join(["", *faults]))
    _print_comparison(compared)


def _printed(derivation: Derivation, found: ReportFacts) -> Iterator[Fact]:
    """The figures that the report prints under the metric's name for the same year; for the usual definition alone."""
    if derivation.formula != derivation.metric.formulas[0]:
        return
    for fact in found.of(derivation.metric.printed or ""):
        if fact.period and fact.period.year == derivation.year:
            yield fact


def _print_comparison(compared: list[tuple[str, Derivation, Fact]]) -> None:
    agree = [_agrees(derivation, fact) for _, derivation, fact in compared]
    print(f"\n{sum(agree)} of {len(agree)} agree with the figure printed under the same name")
    for metric in {d.metric.id: d.metric for _, d, _ in compared}.values():
        own = [same for (_, d, _), same in zip(compared, agree, strict=True) if d.metric == metric]
        print(f"- {metric.title}: {sum(own)} of {len(own)}")
    for (company, derivation, fact), same in zip(compared, agree, strict=True):
        if not same:
            print(
                f"- {company} {derivation.year}, {derivation.metric.title}: {derivation.shown} = "
                f"{derivation.in_figures}; printed {fact.printed} ({fact.row_label!r}, page {fact.page_number})"
            )


def _agrees(derivation: Derivation, fact: Fact) -> bool:
    """Whether both are the same within the rounding of the printed figure."""
    exponent = Decimal(fact.printed.strip("()$%- ").replace(",", "") or 0).as_tuple().exponent
    rounding = fact.scale * Decimal(10) ** int(exponent) if isinstance(exponent, int) else Decimal(0)
    return derivation.value is not None and abs(abs(derivation.value) - abs(fact.value)) <= rounding * Decimal(
        "1.01"
    )


if __name__ == "__main__":
    main()

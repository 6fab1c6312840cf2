"""How many of the figures that everybody asks for are read: `python -m tests.measures.kpis ROOT --pages P`.

ROOT holds reports/catalog.csv; P page records. known_kpis has a file for each report, named by the beginning of its
SHA-1: a list of {kpi, value, prior, pages, also}, "N/A" where the report prints no such figure. They were written from
the PDFs alone. Those of ASIDE were only counted while the rules were written: --aside counts them, else the others are.
Recall is the share of the printed figures that are read right, precision the share of the given ones that are right. A
figure of low confidence counts as not given.
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Ontology
from tests.measures.facts import read_report

KNOWN = Path(__file__).parent / "known_kpis"
ASIDE = frozenset({"85fb23ba", "cbd8fb25", "d86be8a2", "f9736aa2", "e765cdd4"})
_METRICS = {  # of figures that the truth calls otherwise
    "depreciation_amortization": "total_depreciation_amortization",
    "long_term_debt": "long_term_debt_in_total",
    "long_term_debt_noncurrent": "long_term_debt",
    "cash_with_restricted": "cash_at_end",
}
_SAME = Decimal("0.0005")  # of the value: figures of other tables are rounded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--aside", action="store_true", help="count the reports set aside")
    parser.add_argument("--show", action="store_true", help="print each miss; never of those set aside")
    given = parser.parse_args()
    catalog = {row["sha1"]: row for row in csv.DictReader((given.root / "reports" / "catalog.csv").open())}
    counts: dict[str, Counter[str]] = {"value": Counter(), "prior": Counter()}
    by_kpi: Counter[tuple[str, str]] = Counter()
    for path in sorted(KNOWN.glob("*.json")):
        if given.aside != (path.stem in ASIDE):
            continue
        sha1 = next(known for known in catalog if known.startswith(path.stem))
        facts = read_report(given.pages, sha1, catalog[sha1], Ontology.load())
        if facts is None:
            raise SystemExit(f"no pages of {sha1} in {given.pages}")
        for year, kpi, mark, told in _marks(facts, json.loads(path.read_text(encoding="utf-8"))):
            counts[year][mark] += 1
            by_kpi[kpi, mark] += year == "value"
            if given.show and not given.aside and mark in ("wrong", "missing", "invented"):
                print(f"{path.stem} {year:5s} {mark:8s} {kpi}: {told}")
    for year, found in counts.items():
        right, printed = found["right"], found["right"] + found["missing"] + found["wrong"]
        given_ones = right + found["wrong"] + found["invented"]
        recall = f"{right}/{printed} = {right / printed:.1%}"
        precision = f"{right}/{given_ones} = {right / given_ones:.1%}"
        print(f"{year}: recall {recall}, precision {precision}")
    for kpi in dict.fromkeys(kpi for kpi, _ in by_kpi):
        print(f"{kpi:30s}", *(f"{mark} {by_kpi[kpi, mark]}" for mark in ("right", "missing", "wrong", "invented")))


def _marks(facts: ReportFacts, truth: list[dict[str, Any]]) -> Iterator[tuple[str, str, str, str]]:
    for known in truth:
        metric = _METRICS.get(known["kpi"], known["kpi"])
        of_metric = [f for f in facts.of(metric) if f.confidence != "low"]
        current = facts.current(metric)
        current = current if current in of_metric else None
        older = [
            f for f in of_metric if current and f.period and current.period and f.period.end < current.period.end
        ]
        right = [known["value"], *(known.get("also") or [])]
        mark = _mark(current, known["value"], right)
        yield "value", known["kpi"], mark, f"{current and current.value} for {right}"
        if mark != "right" or _mark(current, known["value"], right[:1]) == "right":  # else it is of another scope
            before = older[0] if older else None
            told = f"{before and before.value} for {known['prior']}"
            yield "prior", known["kpi"], _mark(before, known["prior"], [known["prior"]]), told


def _mark(fact: Fact | None, value: object, right: list[object]) -> str:
    if fact is None:
        return "absent" if value == "N/A" else "missing"
    amounts = [Decimal(str(amount)) for amount in right if isinstance(amount, int | float)]
    if any(abs(fact.value - amount) <= abs(amount) * _SAME for amount in amounts):
        return "right"
    return "invented" if value == "N/A" else "wrong"


if __name__ == "__main__":
    main()

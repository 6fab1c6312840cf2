"""`python -m tests.measures.facts ROOT --pages FOLDER`: facts read by rules against the known ones, as Markdown.

ROOT holds truth/facts.json and reports/catalog.csv; FOLDER holds page records. Reports are sorted by SHA-1: even
places are the half that rules were written on, odd ones are held out. Errors of the held-out half are listed only
with --held-out.

--leave-one-out reads each report anew without the labels that, among all the reports, only this one's facts stand
under: what is left when a report words a line as none of the others does. It is a lower bound for reports that
nobody has seen as far as labels go; it says nothing about the rules that find statements, columns and scales.
"""

import argparse
import csv
import datetime as dt
import json
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.evaluation.fact_scores import _short_name
from indexes.facts.extract import extract_facts
from query_engines.question.told_events import surest
from storage.records.facts import EventKind, ReportFacts
from storage.records.metrics import Metric, Ontology, folded, significant
from storage.records.reports import Report
from storage.stores.pages import PageStore
from tests.support.known_facts import METRICS

EVENTS: dict[str, EventKind] = {
    "mergers or acquisitions mentioned": "acquisition",
    "share buyback announced": "buyback",
}
OUTCOMES = ("right", "wrong", "missing", "na_right", "invented")


@dataclass(frozen=True)
class Judged:
    """One known fact and what was found for it."""

    sha1: str
    kind: str
    half: str
    metric: str
    outcome: str
    confidence: str
    page_right: bool | None
    unit_right: bool | None
    detail: str
    stated: bool


def main() -> None:
    """Print the measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--pages", type=Path, required=True)
    parser.add_argument("--held-out", action="store_true", help="list the held-out half's errors too")
    parser.add_argument("--leave-one-out", action="store_true", help="without labels that one report alone uses")
    options = parser.parse_args()
    truth = json.loads((options.root / "truth" / "facts.json").read_text())
    catalog = {r["sha1"]: r for r in csv.DictReader((options.root / "reports" / "catalog.csv").open())}
    halves = {sha1: "dev" if i % 2 == 0 else "held out" for i, sha1 in enumerate(sorted(t["sha1"] for t in truth))}
    ontology, judged, seconds, unread = Ontology.load(), [], [], []
    ontologies = leave_one_out(options.pages, catalog, ontology) if options.leave_one_out else {}
    for known in sorted(truth, key=lambda t: t["sha1"]):
        row = catalog[known["sha1"]]
        found = read_report(options.pages, known["sha1"], row, ontologies.get(known["sha1"], ontology))
        if found is None:
            unread.append(known["sha1"][:6])
            continue
        seconds.append(found.seconds)
        judged += judge(known, found, halves[known["sha1"]], report_kind(found, row["currency"]))
    print_measures(judged)
    print_events(judged)
    print(f"\nSeconds per report: median {statistics.median(seconds):.1f}, most {max(seconds):.1f}.")
    if unread:
        print(f"\nNot yet read: {', '.join(unread)}.")
    print_errors([j for j in judged if j.half == "dev" or options.held_out])


def read_report(folder: Path, sha1: str, row: dict[str, str], ontology: Ontology) -> ReportFacts | None:
    """The facts of a report whose pages are kept."""
    archives = sorted((folder / sha1).glob("*.zip"), key=lambda p: p.stat().st_mtime)
    if not archives:
        return None
    pages = PageStore(folder, archives[-1].stem).read(sha1)
    end = dt.date.fromisoformat(row["period_end"]) if row.get("period_end") else None
    report = Report(
        sha1=sha1,
        file=f"{sha1}.pdf",
        company=row["company_name"],
        page_count=len(pages),
        currency=row.get("currency") or None,
        period_end=end,
    )
    return extract_facts(pages, report, ontology)


def leave_one_out(folder: Path, catalog: dict[str, dict[str, str]], whole: Ontology) -> dict[str, Ontology]:
    """For each report the ontology without the labels and patterns that only its own facts stand under."""
    used: dict[str, set[tuple[str, str]]] = {}
    for sha1, row in catalog.items():
        found = read_report(folder, sha1, row, whole)
        used[sha1] = (
            {u for fact in found.facts for u in _wordings(whole[fact.metric], fact.row_label)} if found else set()
        )
    counts = Counter(u for wordings in used.values() for u in wordings)
    return {sha1: _without(whole, {u for u in used[sha1] if counts[u] == 1}) for sha1 in catalog}


def _wordings(metric: Metric, label: str) -> set[tuple[str, str]]:
    """The metric's names, else its patterns, that a printed label is one of."""
    names = {name for name in metric.names if significant(name) == significant(folded(label))}
    found = names or {pattern for pattern in metric.patterns if re.search(pattern, folded(label))}
    return {(metric.id, wording) for wording in found}


def _without(whole: Ontology, dropped: set[tuple[str, str]]) -> Ontology:
    return Ontology(
        [
            metric.model_copy(
                update={
                    "wordings": {
                        who: tuple(n for n in names if (metric.id, n) not in dropped)
                        for who, names in metric.wordings.items()
                    },
                    "patterns": tuple(p for p in metric.patterns if (metric.id, p) not in dropped),
                }
            )
            for metric in map(Metric.model_validate, (m.model_dump() for m in whole.metrics))
        ]
    )


def report_kind(found: ReportFacts, currency: str) -> str:
    """US, other, or bank or fund, by what the report itself prints."""
    metrics = {fact.metric for fact in found.facts}
    if {"credit_loss_provision", "net_interest_income"} <= metrics or {
        "deposits",
        "net_interest_income",
    } <= metrics:
        return "bank or fund"
    if "nav_per_share" in metrics or "management_fee" in metrics:
        return "bank or fund"
    return "US" if currency == "USD" else "other"


def judge(known: dict[str, Any], found: ReportFacts, half: str, kind: str) -> list[Judged]:
    """Every known fact of a report against what was found."""
    judged = []
    for fact in known["facts"]:
        acceptable = [fact["value"], *fact.get("also", [])]
        metric = fact["metric"]
        if metric in METRICS:
            outcome, confidence, page, unit, detail = _number(metric, fact, acceptable, found)
        elif metric == "CEO":
            outcome, confidence, page, unit, detail = _chief(fact, acceptable, found)
        else:
            outcome, confidence, page, unit, detail = _event(metric, fact, found)
        judged.append(
            Judged(
                known["sha1"][:6],
                kind,
                half,
                metric,
                outcome,
                confidence,
                page,
                unit,
                detail,
                confidence == "said",
            )
        )
    return judged


def print_measures(judged: Sequence[Judged]) -> None:
    """Tables by metric, kind and confidence."""
    numbers = [j for j in judged if j.metric in METRICS]
    print("## Numbers shown\n")
    _table(
        "half and kind",
        (
            (f"{h}, {k}", [j for j in numbers if j.half == h and k in (j.kind, "all")])
            for h in ("dev", "held out")
            for k in ("all", "US", "other", "bank or fund")
        ),
    )
    print("\n## By confidence (of what is shown)\n")
    _table(
        "half and confidence",
        (
            (f"{h}, {c}", [j for j in numbers if j.half == h and j.confidence == c])
            for h in ("dev", "held out")
            for c in ("high", "medium", "low")
        ),
    )
    print("\n## By metric\n")
    names = list(dict.fromkeys(j.metric for j in judged))
    _table(
        "half and metric",
        (
            (f"{h}, {m}", [j for j in judged if j.half == h and j.metric == m])
            for h in ("dev", "held out")
            for m in names
        ),
    )


def print_events(judged: Sequence[Judged]) -> None:
    """How often an event was said that did not happen, and how often one that did was not."""
    print("\n## Events\n\n| event | happened, said | happened, not said | did not, said | did not, not said |")
    print("|---|---|---|---|---|")
    for metric in EVENTS:
        counts = Counter((j.stated, j.outcome) for j in judged if j.metric == metric)
        cells = [(True, "right"), (False, "wrong"), (True, "wrong"), (False, "right")]
        print(f"| {metric} | {' | '.join(str(counts[cell]) for cell in cells)} |")


def print_errors(judged: Iterable[Judged]) -> None:
    """Wrong, missing and invented facts, and right ones with a wrong page or unit."""
    print("\n## Errors\n")
    for j in judged:
        if j.outcome not in ("right", "na_right") or j.page_right is False or j.unit_right is False:
            flags = " PAGE" * (j.page_right is False) + " UNIT" * (j.unit_right is False)
            print(f"- {j.half} {j.sha1} ({j.kind}) {j.metric}: {j.outcome}{flags} [{j.confidence}] {j.detail}")


def _number(
    metric: str, fact: dict[str, Any], acceptable: list[Any], found: ReportFacts
) -> tuple[str, str, bool | None, bool | None, str]:
    got = found.current(METRICS[metric])
    numbers = [a for a in acceptable if isinstance(a, int | float) and not isinstance(a, bool)]
    if got is None:
        return (
            ("na_right" if "N/A" in acceptable else "missing"),
            "none",
            None,
            None,
            f"truth {numbers} p{_pages(fact)}",
        )
    detail = f"said {got.value} ({got.row_label[:60]!r}, p{got.page_number}); truth {acceptable} p{_pages(fact)}"
    if not any(abs(float(got.value) - n) <= 0.01 * abs(n) for n in numbers):
        return ("invented" if fact["value"] == "N/A" else "wrong"), got.confidence, None, None, detail
    page = got.page_number in _pages(fact) if fact["pages"] else None
    unit = (
        None if fact["value"] == "N/A" else float(got.scale) == fact.get("scale", 1) or got.metric == "employees"
    )
    return "right", got.confidence, page, unit, detail


def _chief(
    fact: dict[str, Any], acceptable: list[Any], found: ReportFacts
) -> tuple[str, str, bool | None, bool | None, str]:
    got = next(iter(found.holders("chief_executive")), None)
    if got is None:
        return ("na_right" if "N/A" in acceptable else "missing"), "none", None, None, f"truth {acceptable}"
    detail = f"said {got.name!r} p{got.page_number} {got.quote[:80]!r}; truth {acceptable} p{_pages(fact)}"
    if any(_short_name(got.name) == _short_name(str(a)) for a in acceptable):
        return "right", got.confidence, got.page_number in _pages(fact), None, detail
    return ("invented" if fact["value"] == "N/A" else "wrong"), got.confidence, None, None, detail


def _event(
    metric: str, fact: dict[str, Any], found: ReportFacts
) -> tuple[str, str, bool | None, bool | None, str]:
    event = surest(found.events_of(EVENTS[metric]), of_any_time="mentioned" in metric)
    got = list(event)
    page = got[0].page_number in _pages(fact) if got and fact["value"] else None
    detail = (
        f"said {bool(got)} {got[0].quote[:160] if got else ''!r} p{got[0].page_number if got else ''}"
        f"; truth {fact['value']} p{_pages(fact)}"
    )
    return ("right" if bool(got) == fact["value"] else "wrong"), "said" if got else "none", page, None, detail


def _pages(fact: dict[str, Any]) -> list[int]:
    return [index + 1 for index in fact["pages"]]


def _table(head: str, groups: Iterable[tuple[str, Sequence[Judged]]]) -> None:
    print(
        f"| {head} | facts | right | wrong | missing | N/A right | invented | right"
        " % | wrong % of shown | page right % |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, group in groups:
        if not group:
            continue
        counts = Counter(j.outcome for j in group)
        shown = counts["right"] + counts["wrong"] + counts["invented"]
        good = counts["right"] + counts["na_right"]
        paged = [j.page_right for j in group if j.outcome == "right" and j.page_right is not None]
        cells = [
            len(group),
            *(counts[o] for o in OUTCOMES),
            _percent(good, len(group)),
            _percent(counts["wrong"] + counts["invented"], shown),
            _percent(sum(paged), len(paged)),
        ]
        print(f"| {name} | {' | '.join(map(str, cells))} |")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


if __name__ == "__main__":
    main()

"""Which of the rows that could say a metric does say it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from indexes.facts.rows import Match, matches
from indexes.facts.statements import PrimaryStatement, StatementFound
from storage.metrics import NAMED, Ontology

Statements = Mapping[PrimaryStatement, StatementFound]
Selected = dict[str, Match]
BANK_LINES = ("net_interest_income", "noninterest_income")
_CLOSE = Decimal("0.0005")


def select(statements: Statements, ontology: Ontology) -> Selected:
    """The best row for every metric that is at home in a statement found."""
    candidates: dict[str, list[Match]] = {}
    for metric in ontology.metrics:
        if metric.statement == "notes" or metric.statement == "text":
            continue
        statement = statements.get(metric.statement)
        candidates[metric.id] = matches(metric, statement) if statement else []
    selected = {metric: found[0] for metric, found in candidates.items() if found}
    _settle_net_income(selected, candidates)
    _settle_revenue(selected, candidates)
    _settle_equity(selected, candidates)
    return selected


def is_bank(selected: Selected) -> bool:
    """Whether the income statement begins with interest earned less interest paid."""
    return ("net_interest_income" in selected and "credit_loss_provision" in selected) or all(
        line in selected for line in BANK_LINES
    )


def _settle_net_income(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """Of several rows, the one that the cash flow statement begins with: "net income" may be net revenue."""
    rows = candidates.get("net_income", [])
    openings = {m.figure.value for m in candidates.get("net_income_in_cash_flow", [])[:3]}
    tied = [m for m in rows if m.figure.value in openings]
    if tied:
        selected["net_income"] = tied[0]
    opening = [
        m
        for m in candidates.get("net_income_in_cash_flow", [])
        if rows and m.value == selected["net_income"].value
    ]
    if opening:
        selected["net_income_in_cash_flow"] = opening[0]


def _settle_revenue(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """A bank's total has no row but an exact one; else a total row beats the parts above it."""
    rows = list(candidates.get("total_revenue", []))
    if is_bank(selected):
        rows = [
            m
            for m in rows
            if m.place < NAMED and "total" in m.row.label.lower() and "revenue" in m.row.label.lower()
        ]
        selected.pop("total_revenue", None)
        if rows:
            selected["total_revenue"] = rows[0]
        return
    if not rows:
        return
    best = rows[0]
    end = min(
        (m.order for key in ("pretax_income", "net_income", "operating_income") if (m := selected.get(key))),
        default=10**6,
    )
    above = [m for m in rows if m.order < end]
    selected["total_revenue"] = above[0] if above else best


def _settle_equity(selected: Selected, candidates: Mapping[str, Sequence[Match]]) -> None:
    """Of several equity rows, the one of the parent's shareholders where non-controlling interests have a row."""
    rows = candidates.get("shareholders_equity", [])
    minority = selected.get("noncontrolling_interests")
    if not rows or minority is None:
        return
    value = selected["shareholders_equity"].value
    for match in rows:
        if abs(match.value + minority.value - value) <= _CLOSE * abs(value) and match.value != value:
            selected["shareholders_equity"] = match
            return

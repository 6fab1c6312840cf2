"""Figures that differ in scope alone: with minorities or without, in total or the current part, in shares or in money.

Which row is which follows from the statement's arithmetic where it can, and from labels only where it cannot.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain

from indexes.facts.columns import comparable_columns
from indexes.facts.statements import Part, StatementFound
from storage.lexicon.question_words import MINORITY
from storage.lexicon.words import expression
from storage.records.answers import Neighbour
from storage.records.facts import Fact, Period, ReportFacts
from storage.records.metrics import Metric, Ontology, PrimaryStatement
from storage.records.reports import MONTHS_OF_YEAR, Report, months_before
from storage.text import plain

_MINORITIES = expression(rf"(?i)\b{MINORITY}(?!\w)")
_WITHOUT_MINORITIES = {"net_income": "net_income_attributable", "shareholders_equity": "total_equity"}
_COUNT = r"\d{1,3}+(?:,\d{3}){1,4}+"
_OUTSTANDING = expression(
    rf"(?i)(?P<now>{_COUNT})(?: and (?P<then>{_COUNT}))? (?:shares? )?(?:issued and )?outstanding"
)
_OF_DEBT = expression(r"(?i)\b(?:debt|borrowings?|loans?|notes|indebtedness)\b")
_FEWEST_SHARES = 1_000


def facts_by_scope(
    facts: Sequence[Fact],
    statements: Mapping[PrimaryStatement, StatementFound],
    parts: Sequence[Part],
    report: Report,
) -> Iterator[Fact]:
    """Facts of other scopes of the figures that were found.

    Args:
        facts: of the report so far.
        statements: that were found.
        parts: all tables of the report.
        report: gives the last day of its period.
    """
    known = {fact.metric for fact in facts}
    balance = statements.get("balance")
    if _has_minorities(facts, statements):
        equity = _equity_with_minorities(facts, balance.parts if balance else ())
    else:  # the shareholders have all
        equity = (
            _as(fact, _WITHOUT_MINORITIES[fact.metric]) for fact in facts if fact.metric in _WITHOUT_MINORITIES
        )
    found = chain(equity, _debt_in_total(facts, parts), _shares(balance, report))
    yield from (fact for fact in found if fact.metric not in known)


def _as(fact: Fact, metric: str) -> Fact:
    return fact.model_copy(update={"metric": metric})


def _has_minorities(facts: Sequence[Fact], statements: Mapping[PrimaryStatement, StatementFound]) -> bool:
    labels = (row.words for found in statements.values() for part in found.parts for row in part.rows)
    has_share = any(fact.metric == "noncontrolling_interests" and fact.value for fact in facts)
    return has_share or any(map(_MINORITIES.search, labels))


def _equity_with_minorities(facts: Sequence[Fact], balance: Sequence[Part]) -> Iterator[Fact]:
    """The equity with the minorities' share: the row of the balance sheet that is the sum of both."""
    shares = {fact.period: fact.value for fact in facts if fact.metric == "noncontrolling_interests"}
    for fact in facts:
        if fact.metric == "shareholders_equity" and fact.period in shares:
            yield from _row_of(fact.value + shares[fact.period], fact, balance, "total_equity")


def _debt_in_total(facts: Sequence[Fact], parts: Sequence[Part]) -> Iterator[Fact]:
    """Long-term debt with its current part: a row that is the sum of both, whatever it is called."""
    current = {f.period: f.value for f in facts if f.metric == "long_term_debt_current"}
    of_debt = [
        p
        for p in parts
        if _OF_DEBT.search(f"{p.title} {p.above}") or any(_OF_DEBT.search(row.label) for row in p.rows)
    ]
    for fact in facts:
        if fact.metric != "long_term_debt" or fact.confidence == "low":
            continue
        if fact.period in current:
            yield from _row_of(fact.value + current[fact.period], fact, of_debt, "long_term_debt_in_total")


def _row_of(total: Decimal, like: Fact, parts: Sequence[Part], metric: str) -> Iterator[Fact]:
    """The first row of tables that prints a total in the column of a fact's period."""
    for part in parts:
        columns = comparable_columns(part.columns, part.current) if part.current else []
        column = next((c for c in columns if c.period and like.period and c.period.end == like.period.end), None)
        if column is None:
            continue
        scale = Decimal(column.scale or part.scale or like.scale)
        for row in part.rows:
            figure = row.at(column.index)
            if figure is not None and figure.value is not None and figure.value * scale == total and total:
                yield like.model_copy(
                    update={
                        "metric": metric,
                        "value": total,
                        "printed": figure.printed,
                        "scale": scale,
                        "page_number": row.page_number,
                        "boxes": (figure.box,) if figure.box else (),
                        "row_label": plain(row.words)[:200],
                        "checks": (),
                        "confidence": "high",
                    }
                )
                return


def _shares(balance: StatementFound | None, report: Report) -> Iterator[Fact]:
    """The shares outstanding that the label of the share capital says, for this year and the one before."""
    if balance is None or report.period_end is None:
        return
    for part in balance.parts:
        for row in part.rows:
            label = plain(row.words)
            found = [m for m in _OUTSTANDING.finditer(label) if "treasury" not in label[: m.start()].lower()]
            if len(found) != 1 or "preferred" in label.lower():
                continue
            ends = {"now": report.period_end, "then": months_before(report.period_end, MONTHS_OF_YEAR)}
            for name, end in ends.items():
                printed = found[0][name]
                if printed and int(printed.replace(",", "")) >= _FEWEST_SHARES:
                    yield Fact(
                        metric="shares_outstanding",
                        value=Decimal(printed.replace(",", "")),
                        printed=printed,
                        period=Period(end=end),
                        statement="balance",
                        report_sha1=report.sha1,
                        page_number=row.page_number,
                        row_label=label[:300],
                        confidence="medium",
                    )
            return


def neighbours_of(fact: Fact, metric: Metric, facts: ReportFacts) -> tuple[Neighbour, ...]:
    """The surest figures of other scopes for a fact's period that are another figure."""
    found = []
    for beside in metric.beside:
        own = (f for f in facts.of(beside) if f.period and fact.period and f.period.end == fact.period.end)
        sure = next((f for f in own if f.confidence != "low"), None)
        if sure is not None and sure.value != fact.value:
            value = int(sure.value) if sure.value == int(sure.value) else float(sure.value)
            title, page = Ontology.load()[beside].title, sure.page_number
            found.append(Neighbour(metric=beside, title=title, value=value, page=page, row_label=sure.row_label))
    return tuple(found)

"""Calculates how much a printed row changed, where the fact table knows no metric of its name."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from indexes.facts.printed_rows import Figure
from query_engines.calculation.derivation import Derivation, Operand, in_sizes
from query_engines.extraction.from_rows import FoundCell, Sought, best_fitting, scale_of
from query_engines.question.fact_lookup import QUALIFIERS, same_label
from query_engines.question.parsed import FactMatch, ParsedQuestion
from storage.lexicon.words import expression
from storage.records.derived_metrics import Change, DerivedMetric, Formula, Moment, change_of
from storage.records.facts import Fact
from storage.records.metrics import Metric, significant
from storage.records.pages import Column, Page
from storage.records.reports import Report

_ROW = "printed_row"
CHANGES = expression(r"\bchanges?\b|\b(?:in|de)creases?\b|\bmovements?\b", re.IGNORECASE)


def with_changed_row(
    facts: FactMatch, question: ParsedQuestion, report: Report, pages: Sequence[Page]
) -> FactMatch:
    """The facts with the change of a row that the pages print, where the question asks for that and no fact is known.

    Both figures stand in one row: that of the year, and that of the year before.
    """
    change = question.intent.change
    is_known = facts.fact is not None or facts.derivation is not None or facts.metric is not None
    if question.kind != "number" or change is None or change.metric is not None or is_known:
        return facts
    year = facts.year or (report.year if report.period_end else None)
    if year is None or (significant(question.intent.text) & QUALIFIERS) - significant(change.what):
        return facts
    is_reported = report.period_end is None or year == report.year
    sought = Sought(query=change.what, question=question.text, year=year, is_reported=is_reported)
    found = best_fitting(sought, pages)
    before = before_of(found[0]) if found and _is_of_that_name(found[0], change.what) else None
    scale = scale_of(found[0], pages, None) if found else None
    if found is None or before is None or scale is None or "%" in found[0].figure.printed:
        return facts
    return replace(
        facts, is_read=True, derivation=_derived(change, (found[0], before), scale, report), may_calculate=True
    )


def _is_of_that_name(cell: FoundCell, what: str) -> bool:
    """Whether the row bears the very name, in a table that sets each year beside another once."""
    label = cell.row.words if same_label(cell.row.words, what) else cell.row.label
    years = [
        c.period.year for f in cell.row.figures if (c := _column(cell, f)) is not None and c.period is not None
    ]
    is_change = CHANGES.search(f"{cell.row.heading} {cell.row.label}") is not None  # already, of a balance
    return same_label(label, what) and not is_change and len(years) == len(set(years))


def _column(cell: FoundCell, figure: Figure) -> Column | None:
    return cell.table.columns[figure.column] if 0 <= figure.column < len(cell.table.columns) else None


def before_of(cell: FoundCell) -> FoundCell | None:
    """The figure of the year before in the same row; None where there is none, or where several are."""
    period = cell.column.period
    if period is None:
        return None
    found = []
    for figure in cell.row.figures:
        column = _column(cell, figure)
        other = column.period if column is not None else None
        if column is None or other is None or figure.value is None or other.months != period.months:
            continue
        if other.year == period.year - 1:
            found.append(replace(cell, figure=figure, column=column))
    return found[0] if len(found) == 1 else None


def _derived(change: Change, cells: tuple[FoundCell, FoundCell], scale: int, report: Report) -> Derivation:
    facts = [fact_of(cell, scale, report) for cell in cells]
    now, before = facts if change.is_loss else in_sizes(cells[0].row.words, facts)
    values = (now.value, before.value)
    if change.is_growth and min(values) * max(values) > 0:
        change = change.model_copy(update={"is_share": True})
    metric = change_of(_metric(cells[0].row.words), change, is_negative=max(values) < 0)
    worths: dict[tuple[str, Moment], Decimal] = {(_ROW, "closing"): now.value, (_ROW, "opening"): before.value}
    derivation = Derivation(
        metric=metric,
        year=now.period.year if now.period else None,
        formula=metric.formulas[0],
        operands=tuple(
            Operand(metric=_ROW, title=cells[0].row.words, moment=moment, fact=fact)
            for moment, fact in (("closing", now), ("opening", before))
        ),
    )
    problem = _problem(metric, values)
    if problem:
        return derivation.model_copy(update={"why_not": problem})
    value = metric.scaled(Formula(derivation.formula).value(lambda _, moment: worths[_ROW, moment]))
    return derivation.model_copy(update={"value": value})


def _problem(metric: DerivedMetric, values: tuple[Decimal, Decimal]) -> str:
    """Why a growth says nothing: a figure is zero, or the two have different signs."""
    if metric.unit == "percent" and min(values) * max(values) <= 0:
        return "its figures are zero or have different signs"
    return ""


def fact_of(cell: FoundCell, scale: int, report: Report) -> Fact:
    """The figure of a cell as a fact."""
    return Fact(
        metric=_ROW,
        value=cell.value * scale,
        printed=cell.figure.printed,
        scale=Decimal(scale),
        currency=cell.column.currency or report.currency,
        period=cell.column.period,
        statement="notes",
        report_sha1=report.sha1,
        page_number=cell.page.page_number,
        boxes=(cell.figure.box,) if cell.figure.box else (),
        row_label=cell.row.label,
    )


def _metric(label: str) -> Metric:
    return Metric.model_validate(
        {"id": _ROW, "title": label, "statement": "notes", "kind": "amount", "asked": (label,), "wordings": {}}
    )

"""Extracts the facts of one report: figures of statements, employees, dividends, officers, events."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from indexes.facts.breakdowns import breakdowns_of
from indexes.facts.columns import comparable_columns, current_column
from indexes.facts.consistency import (
    BANK_LINES,
    Beside,
    Selected,
    Statements,
    checks_of,
    confidence_of,
    is_bank,
    select,
    with_tax_as_expense,
    without_whole,
)
from indexes.facts.dividends import dividend
from indexes.facts.events import events_of
from indexes.facts.prose import (
    employees_fact,
    of_other_years,
    older_facts,
    said_facts,
    summary_facts,
    with_printed_totals,
)
from indexes.facts.rows import Match, facts_of, facts_on_other_bases, sum_of_lines
from indexes.facts.scales import (
    factor_by_prose,
    factor_by_shares,
    fee_facts,
    in_prose,
    note_facts,
    prose_amounts,
    rescaled,
    with_scales,
)
from indexes.facts.scopes import facts_by_scope
from indexes.facts.sentences import Sentence, sentences_of
from indexes.facts.statements import KINDS, Part, StatementFound, find_statements, parts_of
from indexes.roles.table import seats_of
from indexes.sections.section_map import Outlines
from storage.lexicon.words import expression
from storage.records.facts import Fact, FactCheck, Period, ReportFacts
from storage.records.metrics import Ontology, significant
from storage.records.pages import Page
from storage.records.reports import MONTHS_OF_YEAR, Report, months_before
from storage.text import plain

SCALE_TELLERS = {"total_revenue", "net_income", "total_assets", "operating_cash_flow", "operating_income", "cash"}
_PARTS_OF_YEAR = frozenset({3, 6, 9, 12})
_MOST_LABEL = 120  # letters
_RESULT = frozenset({"profit", "los", "loss", "income", "earning"})
_ALIKE = 0.7  # of a statement's rows that the same statement of another year has
_CAPITAL_WITHIN = expression(r"(?<=[a-z,;] )[A-Z][\w&'’-]{1,40}\w")
_IN_SMALL_LETTERS = expression(r"(?<![\w&'’-])[a-z][\w&'’-]{1,40}\w")
_TIMES_OF_A_NAME = 2  # within sentences; one that stands there once may be misprinted
HELPERS = {"net_income_in_cash_flow"}  # metrics that are used only to check others


def extract_facts(
    pages: Sequence[Page], report: Report, ontology: Ontology, outlines: Outlines | None = None
) -> ReportFacts:
    """Extract a report's facts by rules, from this report alone.

    Args:
        pages: the report's page records in order.
        report: gives the company, and the currency and period end where known.
        ontology: the metrics.
        outlines: the kinds of section, and what reads a PDF's bookmarks; without it, no sections are mapped.

    Returns:
        Facts of all printed periods, the reported period first for each metric; officers; events.
    """
    started = time.perf_counter()
    parts = parts_of(pages, report)
    sentences = [sentence for page in pages for sentence in sentences_of(page)]
    amounts = prose_amounts(sentences)
    statements = with_scales(find_statements(parts), pages, sentences)
    selected = select(statements, ontology)
    factor = factor_by_prose((m.value for key, m in selected.items() if key in SCALE_TELLERS), amounts)
    factor = factor if factor != 1 else factor_by_shares(selected)
    if factor != 1:
        statements = rescaled(statements, factor)
        selected = select(statements, ontology)
    values = {metric: match.value for metric, match in selected.items()}
    checks = checks_of(values, Beside.of(statements))
    for metric in SCALE_TELLERS & set(values):
        if in_prose(values[metric], amounts):
            checks.setdefault(metric, []).append(
                FactCheck(name="prose", verdict="passed", detail="said in a sentence")
            )
    in_full_units = all((m.column.scale or m.part.scale or 1) == 1 for m in selected.values())
    sums = list(_bank_revenue(selected, report))
    sum_values = {fact.metric: fact.value for fact in reversed(sums)}
    known_metrics = {*selected, *without_whole(statements, selected, ontology)}
    facts = [
        *_statement_facts(selected, checks, report),
        *_of_year_before(selected, parts, report, ontology),
        *summary_facts(parts, report, ontology, known_metrics, sum_values, in_full_units=in_full_units),
        *sums,
        *_added_facts(statements, checks, report, ontology),
        *_text_facts(parts, sentences, selected, report, ontology),
        *note_facts(parts, report, ontology, in_full_units=in_full_units),
        *fee_facts(parts, report, ontology, selected),
    ]
    if not any(fact.metric == "cash" for fact in facts):  # no balance sheet was found
        facts += [f.model_copy(update={"metric": "cash"}) for f in facts if f.metric == "cash_at_end"]
    facts = with_printed_totals(facts, parts, report, ontology)
    facts += older_facts(parts, report, ontology, facts)
    scoped = list(facts_by_scope(facts, statements, parts, sentences, report, ontology))
    surer = {fact.metric for fact in scoped}
    facts = [fact for fact in facts if fact.metric not in surer] + scoped
    facts += said_facts(sentences, report, frozenset(fact.metric for fact in facts))
    known = {(fact.metric, fact.period, fact.page_number) for fact in facts}
    spans = [
        fact
        for fact in _of_other_spans(parts, pages, sentences, report, ontology, factor)
        if (fact.metric, fact.period, fact.page_number) not in known
    ]
    sections = outlines.map(pages, report.sha1) if outlines is not None else ()
    return ReportFacts(
        report_sha1=report.sha1,
        period_end=report.period_end,
        facts=tuple(with_tax_as_expense(facts, statements)),
        other_spans=tuple(with_tax_as_expense(spans, statements)),
        other_bases=tuple(
            fact
            for metric, match in selected.items()
            if metric not in HELPERS
            for fact in facts_on_other_bases(match, match.metric.statement, report)
        ),
        seats=seats_of(pages, sections, report.company, ((s.page_number, s.text) for s in sentences)),
        events=tuple(events_of(sentences, report)),
        lines={kind: tuple(_labels(found)) for kind, found in statements.items()},
        breakdowns=tuple(breakdowns_of(pages, report, facts)),
        labels=tuple(sorted({plain(row.label)[:_MOST_LABEL] for part in parts for row in part.rows} - {""})),
        names=tuple(_names(sentences)),
        sections=sections,
        seconds=time.perf_counter() - started,
    )


def _names(sentences: Iterable[Sentence]) -> list[str]:
    """The words that stand within sentences at least twice, and always with a capital, in small letters."""
    names = Counter(word.lower() for sentence in sentences for word in _CAPITAL_WITHIN.findall(sentence.text))
    small = {word for sentence in sentences for word in _IN_SMALL_LETTERS.findall(sentence.text)}
    return sorted(word for word, count in names.items() if count >= _TIMES_OF_A_NAME and word not in small)


def _labels(statement: StatementFound) -> Iterator[str]:
    yield from (plain(row.words)[:_MOST_LABEL] for part in statement.parts for row in part.rows)


def _statement_facts(selected: Selected, checks: Mapping[str, list[FactCheck]], report: Report) -> Iterator[Fact]:
    passed = sum(c.verdict == "passed" for found in checks.values() for c in found)
    for metric, match in selected.items():
        if metric in HELPERS:
            continue
        own = tuple(checks.get(metric, ()))
        for i, fact in enumerate(facts_of(match, match.metric.statement, report)):
            verdicts = own if i == 0 else ()
            confidence = confidence_of(match, own, passed)
            yield fact.model_copy(update={"checks": verdicts, "confidence": confidence})


def _of_year_before(
    selected: Selected, parts: Sequence[Part], report: Report, ontology: Ontology
) -> Iterator[Fact]:
    """Figures of the year before from a statement of its own, with the same rows, beside one of the reported year."""
    if report.period_end is None:
        return
    before = report.model_copy(update={"period_end": months_before(report.period_end, MONTHS_OF_YEAR)})
    for kind in KINDS:
        own = [match for match in selected.values() if match.metric.statement == kind]
        if any(len(comparable_columns(match.part.columns, match.column)) > 1 for match in own):
            continue
        labels = {row.label for match in own for row in match.part.rows}
        alike = [
            replace(part, current=column)
            for part in parts
            if (column := current_column(part.columns, before)) is not None
            and column.period is not None
            and len(labels & {row.label for row in part.rows}) > _ALIKE * len(labels)
        ]
        found = find_statements(alike)
        if kind in found:
            then = select({kind: found[kind]}, ontology)
            same = {key: m for key, m in then.items() if key in selected and _are_alike(m, selected[key])}
            for fact in _statement_facts(same, {}, report):
                yield fact.model_copy(update={"confidence": "medium"})


def _are_alike(one: Match, other: Match) -> bool:
    """Whether two rows have one label, apart from whether it was a profit or a loss."""
    return significant(one.row.label) - _RESULT == significant(other.row.label) - _RESULT


def _of_other_spans(
    parts: Sequence[Part],
    pages: Sequence[Page],
    sentences: Sequence[Sentence],
    report: Report,
    ontology: Ontology,
    factor: Decimal,
) -> Iterator[Fact]:
    """Figures of lengths of time that stand beside the report's own: each length is read like a report about it."""
    lengths = {c.period.months for part in parts for c in part.columns if c.period and c.period.months}
    for months in sorted((lengths - {report.filing.span}) & _PARTS_OF_YEAR):
        of_span = [
            replace(part, current=column)
            for part in parts
            if (column := current_column(part.columns, report, months)) is not None
        ]
        found = with_scales(find_statements(of_span), pages, sentences)
        selected = select(rescaled(found, factor) if factor != 1 else found, ontology)
        checks = checks_of({metric: match.value for metric, match in selected.items()})
        for fact in _statement_facts(selected, checks, report):
            if fact.period and fact.period.months == months:
                yield fact


def _added_facts(
    statements: Statements,
    checks: Mapping[str, list[FactCheck]],
    report: Report,
    ontology: Ontology,
) -> Iterator[Fact]:
    """The metrics that are sums of a statement's lines; none where no check of the statements passed."""
    if not any(c.verdict == "passed" for found in checks.values() for c in found):
        return
    for metric in ontology.metrics:
        statement = next((found for kind, found in statements.items() if kind == metric.statement), None)
        if metric.adds and statement is not None:
            yield from sum_of_lines(metric, statement, report)


def _bank_revenue(selected: Selected, report: Report) -> Iterator[Fact]:
    """A bank's revenue, which is not printed: net interest income plus non-interest income, marked as a sum."""
    lines = [selected[line] for line in BANK_LINES if line in selected]
    if "total_revenue" in selected or not is_bank(selected) or len(lines) != len(BANK_LINES):
        return
    per_line = [list(facts_of(match, "income", report)) for match in lines]
    for interest, other in zip(*per_line, strict=False):
        if interest.period == other.period:
            yield interest.model_copy(
                update={
                    "metric": "total_revenue",
                    "value": interest.value + other.value,
                    "printed": f"{interest.printed} + {other.printed}",
                    "boxes": (*interest.boxes, *other.boxes),
                    "row_label": f"{interest.row_label} + {other.row_label}",
                    "confidence": "low",
                }
            )


def _text_facts(
    parts: Sequence[Part], sentences: Sequence[Sentence], selected: Selected, report: Report, ontology: Ontology
) -> Iterator[Fact]:
    if "dividend_per_share" not in selected:
        for found in _dividend_fact(parts, sentences, report, ontology):
            yield found
            yield from of_other_years(found, parts)
    staff = employees_fact(parts, sentences, report, ontology["employees"])
    if staff is not None:
        yield staff
        yield from of_other_years(staff, parts)


def _dividend_fact(
    parts: Sequence[Part], sentences: Sequence[Sentence], report: Report, ontology: Ontology
) -> Iterator[Fact]:
    found = dividend(ontology["dividend_per_share"], parts, sentences, report)
    if found is not None:
        yield Fact(
            metric="dividend_per_share",
            value=found.value,
            printed=found.printed,
            scale=found.scale,
            currency=report.currency,
            period=Period(end=report.period_end, months=12) if report.period_end else None,
            statement="notes" if found.from_row else "text",
            report_sha1=report.sha1,
            page_number=found.page_number,
            boxes=(found.box,) if found.box else (),
            row_label=found.row_label,
            confidence="medium" if found.from_row else "low",
        )

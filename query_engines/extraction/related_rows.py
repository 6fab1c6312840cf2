"""Calculates how two printed rows relate: a share, a difference, a sum, or whether one covers the other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from indexes.facts.printed_rows import table_rows
from indexes.facts.statements import TITLES
from query_engines.calculation.derivation import Derivation, Operand, in_sizes
from query_engines.calculation.relations import Relation, RelationKind
from query_engines.extraction.changed_rows import CHANGES, before_of, fact_of
from query_engines.extraction.from_rows import AVERAGE, NOT_REPORTED, PERCENT, FoundCell, counts, scale_of
from query_engines.question.fact_lookup import label_in, same_label
from query_engines.question.parsed import FactMatch, QuestionBundle
from storage.records.derived_metrics import DerivedMetric, DerivedUnit, Formula, Judgement
from storage.records.facts import Fact
from storage.records.metrics import folded, significant
from storage.records.pages import Column, Page, Table
from storage.records.reports import MONTHS_OF_YEAR, Report
from storage.text import plain

_NOTE = re.compile(r" ?\((?:\*|[a-z\d]{1,3})\)| \d{1,2}$", re.IGNORECASE)
_LABEL_ASIDE = re.compile(r"\([^()]{0,200}\)")
_WHOLE = 100
_HARDLY = Decimal("0.0001")
_REVENUE = re.compile(r"^(?!.*\b(?:costs?|expenses?)\b).*\b(?:revenues?|sales|turnover)\b", re.IGNORECASE)
_TOTAL = re.compile(r"\btotals?\b", re.IGNORECASE)
_TOO_LITTLE = significant("other net gross external internal total")
_TELLING = significant("current prior previous first last new old")


def with_related_rows(query: QuestionBundle, report: Report, pages: Sequence[Page]) -> QuestionBundle:
    """The question with what follows from the two rows that it relates; the same where it relates none."""
    parsed, facts = query.parsed, query.facts
    relation = parsed.intent.relation
    is_calculated = facts.calculated is not None and facts.calculated.value is not None
    is_asked_for = relation is not None and parsed.question.kind in (None, relation.answer_kind)
    if relation is None or not is_asked_for or parsed.kind not in ("number", "boolean", "text"):
        return query
    year = facts.year or (report.period_end.year if report.period_end else None)
    given = {page.page_number for page in pages}

    def known(name: str) -> Fact | None:
        figures = facts.named.get(name.lower(), ())
        return next((f for f in figures if f.period and f.period.year == year and f.page_number in given), None)

    readings = list(relation.readings())
    derived = (
        []
        if year is None
        else [
            _outgrown(each, year, report, pages)
            if each.kind == "outgrow"
            else _related(each, year, report, pages, [known(each.one), known(each.other)])
            for each in readings
        ]
    )
    certain = [found for found in derived if found is not None]
    if len(certain) != 1:
        return replace(query, facts=_without_half(facts, relation))
    is_whole = is_calculated or facts.fact is not None
    if is_whole and not _is_half(facts, relation):
        return query
    derivation = certain[0]
    judgement = _judgement(relation, derivation) if relation.answer_kind == "boolean" else None
    return replace(
        query,
        parsed=replace(parsed, kind=relation.answer_kind, is_kind_known=True),
        facts=FactMatch(
            is_stored=facts.is_stored,
            is_read=True,
            year=facts.year,
            derivation=derivation,
            may_calculate=True,
            judgement=judgement,
        ),
    )


def _without_half(facts: FactMatch, relation: Relation) -> FactMatch:
    """The facts, none where they are for one of the two phrases alone: one figure is no sum, difference or share."""
    is_amount = facts.derivation.metric.unit != "percent" if facts.derivation else "%" not in _printed(facts)
    if relation.answer_kind == "boolean" or not is_amount or not _is_half(facts, relation):
        return facts
    return replace(facts, metric=None, fact=None, periods=(), derivation=None)


def _printed(facts: FactMatch) -> str:
    return facts.fact.printed if facts.fact else ""


def _is_half(facts: FactMatch, relation: Relation) -> bool:
    """Whether the known figure is of one metric, and its label does not say all that both phrases say."""
    operands = [o.fact for o in facts.derivation.operands] if facts.derivation else []
    if len({fact.metric for fact in operands}) > 1:
        return False
    known = [fact for fact in (facts.fact, *operands) if fact is not None]
    said = frozenset[str]().union(*(significant(folded(fact.row_label)) for fact in known))
    return bool(known) and not all(
        significant(phrase) - significant(other) <= said
        for phrase, other in ((relation.one, relation.other), (relation.other, relation.one))
    )


def _related(
    relation: Relation, year: int, report: Report, pages: Sequence[Page], known: Sequence[Fact | None]
) -> Derivation | None:
    """The relation of the two figures of a year; None where a phrase is no row's name, or several fit.

    A phrase that is no row's name may be a metric's, whose figure is known.
    """
    found = [cells_named(phrase, year, pages) for phrase in (relation.one, relation.other)]
    if relation.kind == "share" and found[1] and not found[0]:
        found[0] = _parts_named(relation, year, pages, found[1])
    cells = _pair(found[0], found[1])
    if cells is None and all(found):
        return None
    single = cells or [side[0] if side and _is_one_figure(side) else None for side in found]
    read = [_fact_of(cell, report, pages) if cell else None for cell in single]
    if any(own and fact and abs(own.value) != abs(fact.value) for own, fact in zip(read, known, strict=True)):
        return None  # another figure of the same name
    sides = [own if cell else fact for cell, own, fact in zip(single, read, known, strict=True)]
    are_counts = {
        counts(cell) if cell else fact is not None and fact.currency is None
        for cell, fact in zip(single, known, strict=True)
    }
    one, other = sides
    if one is None or other is None or one.period is None or other.period is None:
        return None
    spans = {(fact.period.end, fact.period.months) for fact in (one, other) if fact.period}
    is_alike = one.currency == other.currency and len(spans) == 1
    is_same = cells is None and (one.page_number, one.printed) == (other.page_number, other.printed)
    if len(are_counts) > 1 or not is_alike or is_same or min(one.value, other.value) < 0 or not other.value:
        return None
    return _derived(relation, [one, other], year, is_count=True in are_counts)


def _outgrown(relation: Relation, year: int, report: Report, pages: Sequence[Page]) -> Derivation | None:
    """By how many points one row's growth is above another's; None where a figure of the two years is missing."""
    cells = _pair(*(_sold(cells_named(phrase, year, pages)) for phrase in (relation.one, relation.other)))
    before = [before_of(cell) for cell in cells] if cells else []
    if cells is None or not all(before):
        return None
    pairs = [[_fact_of(cell, report, pages) for cell in pair if cell] for pair in zip(cells, before, strict=True)]
    operands = [
        Operand(metric=f"row_{place}", title=fact.row_label, moment=moment, fact=fact)
        for place, pair in enumerate(pairs, 1)
        for moment, fact in zip(("closing", "opening"), pair, strict=True)
        if fact is not None and fact.value > 0
    ]
    if len(operands) < 2 * len(pairs) or len({o.fact.currency for o in operands}) > 1:
        return None
    names = [operand.title for operand in operands[::2]]
    metric = DerivedMetric.model_validate(
        {
            "id": "outgrowth_of_rows",
            "title": f"Growth of {names[0]} less growth of {names[1]}",
            "unit": "points",
            "formulas": ["100 * row_1 / opening(row_1) - 100 * row_2 / opening(row_2)"],
        }
    )
    values = {(operand.metric, operand.moment): operand.fact.value for operand in operands}
    formula = metric.formulas[0]
    result = metric.scaled(Formula(formula).value(lambda name, moment: values[name, moment]))
    return Derivation(metric=metric, year=year, formula=formula, operands=tuple(operands), value=result)


def _sold(cells: list[FoundCell]) -> list[FoundCell]:
    """The rows below a heading of revenue, where a name stands below one, as a kind of sales does beside its costs."""
    return [cell for cell in cells if _REVENUE.search(cell.row.heading)] or cells


def _parts_named(
    relation: Relation, year: int, pages: Sequence[Page], whole: Sequence[FoundCell]
) -> list[FoundCell]:
    """The rows of the whole's own table that have the part's name without the noun of both: "software" of revenue."""
    noun = significant(relation.other)
    bare = " ".join(word for word in relation.one.split() if not significant(word) & noun)
    says_what = bool(significant(bare) - _TOO_LITTLE) and bare != relation.one
    named = cells_named(bare, year, pages) if says_what else []
    return [cell for cell in named if any(_is_above(cell, other) for other in whole)]


def _is_above(part: FoundCell, whole: FoundCell) -> bool:
    """Whether a row stands above another one of its table: below total revenue, "advertising" is a cost."""
    labels = [row.label for row in table_rows(part.table, part.page.page_number)]
    return part.table is whole.table and labels.index(part.row.label) < labels.index(whole.row.label)


def _fact_of(cell: FoundCell, report: Report, pages: Sequence[Page]) -> Fact | None:
    scale = scale_of(cell, pages, None)
    return None if scale is None else _sized(cell, scale, report)


def cells_named(phrase: str, year: int, pages: Sequence[Page]) -> list[FoundCell]:
    """The figures of a full year, or of its end, in rows that bear the very name that a phrase is.

    Where the phrase is a total, a row that says so comes first.
    """
    found = [
        cell
        for page in pages
        for table in page.tables
        if not _is_of_other_figures(plain(table.title), phrase)
        for cell in _cells_in(table, page, phrase, year)
    ]
    whole = [cell for cell in found if _TOTAL.search(cell.row.label)] if _TOTAL.search(phrase) else []
    return whole or found


def _cells_in(table: Table, page: Page, phrase: str, year: int) -> Iterator[FoundCell]:
    rows = table_rows(table, page.page_number)
    percent = {f.column for row in rows for f in row.figures if "%" in f.printed}
    in_statement = any(pattern.search(plain(table.title)) for pattern in TITLES.values())
    for row in rows:
        if not row.figures or not is_named(row.label, row.heading, phrase):
            continue
        columns = [(f, table.columns[f.column]) for f in row.figures if 0 <= f.column < len(table.columns)]
        dated = [
            (f, c)
            for f, c in columns
            if f.column not in percent and _is_of(c, year) and not _is_of_other_figures(c.header, phrase)
        ]
        if len(dated) == 1 and dated[0][0].value is not None:
            yield FoundCell(page, table, row, dated[0][0], dated[0][1], 1.0, 1.0, in_statement)


def _is_of_other_figures(heading: str, phrase: str) -> bool:
    """Whether a heading is one of adjusted, average or relative figures, for which the phrase does not ask."""
    return any(form.search(heading) and not form.search(phrase) for form in (NOT_REPORTED, AVERAGE, PERCENT))


def _is_of(column: Column, year: int) -> bool:
    period = column.period
    return period is not None and period.year == year and period.months in (None, MONTHS_OF_YEAR)


def is_named(label: str, heading: str, phrase: str) -> bool:
    """Whether a phrase is the name of a row, with or without its heading; a row of changes has only its own name."""
    bare = _LABEL_ASIDE.sub(" ", _NOTE.sub("", plain(label)))
    if PERCENT.search(label) or (CHANGES.search(f"{heading} {label}") and not CHANGES.search(phrase)):
        return False
    asked = label_in(phrase)
    return any(_is_same(said, asked) for said in (label, bare, f"{heading} {bare}"))


def _is_same(label: str, asked: str) -> bool:
    """Whether two names are the same, as "current liabilities" is another one than "liabilities"."""
    differing = significant(folded(label)) ^ significant(asked)
    return same_label(label, asked) and not differing & _TELLING


def _pair(one: Sequence[FoundCell], other: Sequence[FoundCell]) -> tuple[FoundCell, FoundCell] | None:
    """The two rows; where a name stands for different figures, those of the one statement that has both."""
    if not one or not other:
        return None
    together = [(a, b) for a in one for b in other if a.table is b.table and a.row != b.row]
    if _is_one_figure(one) and _is_one_figure(other):
        pair = together[0] if together else (one[0], other[0])
        return pair if pair[0].row != pair[1].row else None
    in_statement = [pair for pair in together if pair[0].in_statement]
    is_sure = bool(in_statement) and all(_is_one_figure(side) for side in zip(*in_statement, strict=True))
    return in_statement[0] if is_sure else None


def _is_one_figure(cells: Sequence[FoundCell]) -> bool:
    """Whether all cells print the same figure of a unit."""
    return len({abs(cell.value) * (cell.column.scale or 1) for cell in cells}) == 1


def _sized(cell: FoundCell, scale: int, report: Report) -> Fact:
    fact = fact_of(cell, scale, report)
    return in_sizes(cell.row.words, [fact])[0] if fact.value else fact


def _derived(relation: Relation, facts: Sequence[Fact], year: int, *, is_count: bool) -> Derivation | None:
    one, other = (f"row_{place}" for place in (1, 2))
    names = [fact.row_label for fact in facts]
    amount: DerivedUnit = "count" if is_count else "amount"
    value = {"row_1": facts[0].value, "row_2": facts[1].value}
    forms: dict[RelationKind, tuple[str, str, DerivedUnit]] = {
        "share": (f"{names[0]} in percent of {names[1]}", f"{one} / {other}", "percent"),
        "cover": (f"{names[0]} in percent of {names[1]}", f"{one} / {other}", "percent"),
        "difference": (
            f"Difference between {names[0]} and {names[1]}",
            f"abs({one} - {other})" if relation.is_size else f"{one} - {other}",
            amount,
        ),
        "sum": (f"{names[0]} and {names[1]}", f"{one} + {other}", amount),
    }
    title, formula, unit = forms[relation.kind]
    metric = DerivedMetric.model_validate(
        {"id": f"{relation.kind}_of_rows", "title": title, "unit": unit, "formulas": [formula]}
    )
    result = metric.scaled(Formula(formula).value(lambda name, _: value[name]))
    if relation.kind in ("difference", "share") and (result < 0 or (unit == "percent" and result > _WHOLE)):
        return None  # the question takes another for the larger one
    operands = tuple(
        Operand(metric=name, title=fact.row_label, moment="closing", fact=fact)
        for name, fact in zip((one, other), facts, strict=True)
    )
    return Derivation(metric=metric, year=year, formula=formula, operands=operands, value=result)


def _judgement(relation: Relation, derivation: Derivation) -> Judgement:
    hardly = -_HARDLY if relation.is_below else _HARDLY  # what grew just as fast did not grow faster
    limit = hardly if relation.kind == "outgrow" else relation.limit
    return Judgement.model_validate(
        {
            "id": derivation.metric.id,
            "title": derivation.metric.title,
            "metric": derivation.metric.id,
            "at_most" if relation.is_below else "at_least": limit,
            "source": "the question",
        }
    )

"""Calculates derived metrics from a report's facts, with every figure that was used."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal

from storage.lexicon.words import expression
from storage.records.answers import Reason
from storage.records.derived_metrics import (
    DerivedMetric,
    Formula,
    Judgement,
    MissingOperand,
    Moment,
    NotFor,
)
from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Metric, Ontology
from storage.records.record import Record
from storage.records.reports import MONTHS_OF_YEAR, ending_year, months_before, names_of_year

_FULL_YEAR = (None, 12)
_ANYWHERE = frozenset({"notes", "text"})


class Operand(Record):
    """One figure of a formula.

    Attributes:
        title: of its metric.
        moment: "opening" for the end of the period before.
    """

    metric: str
    title: str
    moment: Moment
    fact: Fact

    @property
    def year(self) -> int | None:
        """The year in which its period ends."""
        return self.fact.period.year if self.fact.period else None


class Derivation(Record):
    """A derived metric of one report and period, or why it cannot be calculated.

    Attributes:
        year: in which the period ends.
        formula: that gave the value, with the metrics' ids.
        operands: in the formula's order.
        value: in the metric's unit.
        others: the results of other definitions.
        reason, why_not: why there is no value.
        looked_at: the pages of the statements where the missing figures would be.
    """

    metric: DerivedMetric
    year: int | None = None
    formula: str = ""
    operands: tuple[Operand, ...] = ()
    value: Decimal | None = None
    others: tuple["Derivation", ...] = ()
    reason: Reason = "not_found"
    why_not: str = ""
    looked_at: tuple[int, ...] = ()

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages of its operands, each once; those of their statements where there is no value."""
        return tuple(dict.fromkeys(operand.fact.page_number for operand in self.operands)) or self.looked_at

    @property
    def currency(self) -> str | None:
        """The currency of its operands."""
        return next((o.fact.currency for o in self.operands if o.fact.currency), None)

    @property
    def shown(self) -> str:
        """The value as people write it."""
        return "N/A" if self.value is None else self.metric.shown(self.value, self.currency)

    @property
    def other_results(self) -> tuple[tuple[str, str], ...]:
        """The other definitions in words, each with its result as people write it."""
        return tuple((other.in_words, other.shown) for other in self.others)

    @property
    def in_words(self) -> str:
        """The formula with the operands' titles."""
        titles = {(o.metric, o.moment): f"{o.title}{self._when(o)}" for o in self.operands}
        return Formula(self.formula).written(lambda metric, moment: titles.get((metric, moment), ""))

    @property
    def in_figures(self) -> str:
        """The formula with the operands' values."""
        values = {(o.metric, o.moment): _figure(o.fact.value) for o in self.operands}
        return Formula(self.formula).written(lambda metric, moment: values.get((metric, moment), ""))

    def _when(self, operand: Operand) -> str:
        """The operand's year, or month of a part of a year, where the formula has figures of several."""
        period = operand.fact.period
        if period is None or len({o.year for o in self.operands}) == 1:
            return ""
        return f" {period.year}" if period.months in _FULL_YEAR else f" {period.end:%b %Y}"


def result_of(metric: DerivedMetric, operands: Sequence[Operand], year: int | None) -> Derivation | None:
    """What a metric's formula gives for figures that are known; None where a divisor is zero."""
    values = {(operand.metric, operand.moment): operand.fact.value for operand in operands}
    formula = metric.formulas[0]
    try:
        value = metric.scaled(Formula(formula).value(lambda name, moment: values[name, moment]))
    except ZeroDivisionError:
        return None
    return Derivation(metric=metric, year=year, formula=formula, operands=tuple(operands), value=value)


@dataclass(frozen=True)
class Span:
    """A part of a year: its last day, and its length in months; None for a day alone."""

    end: dt.date
    months: int | None

    def day_of(self, metric: Metric, moment: Moment) -> dt.date:
        """The last day of what is compared: the same part of the year before, or a position when the part began."""
        if moment == "closing":
            return self.end
        return months_before(self.end, (self.months or MONTHS_OF_YEAR) if metric.is_of_day else MONTHS_OF_YEAR)


@dataclass(frozen=True)
class Facts:
    """A report's facts as operands: of one year or a part of it, and only where they are certain."""

    found: ReportFacts
    ontology: Ontology
    year: int
    span: Span | None = None

    def value(self, metric: str, moment: Moment) -> Decimal:
        """The figure of a metric.

        Raises:
            MissingOperand: the report has none that is certain.
        """
        return self.fact(metric, moment).value

    def fact(self, metric: str, moment: Moment) -> Fact:
        """The certain fact of a metric.

        Raises:
            MissingOperand: the report has none that is certain.
        """
        if self.span is not None:
            return self._in_span(self.ontology[metric], moment, self.span)
        year = self.year - (moment == "opening")
        fitting = [f for f in self.found.of(metric) if f.period and f.period.year == year and self._is_certain(f)]
        if not fitting:
            raise MissingOperand(metric, moment, is_absent=self.lacks(metric))
        return fitting[0]

    def _in_span(self, metric: Metric, moment: Moment, span: Span) -> Fact:
        months = None if metric.is_of_day else span.months
        fact = self.found.over(metric.id, span.day_of(metric, moment), months)
        if fact is None or fact.confidence == "low":
            raise MissingOperand(metric.id, moment, is_absent=self.lacks(metric.id))
        return fact

    def _is_certain(self, fact: Fact) -> bool:
        is_per_share = self.ontology[fact.metric].kind == "per_share" and fact.statement == "notes"
        pages = (f.page_number for f in self.found.facts if f.statement == "balance")
        return _is_certain(fact, frozenset(pages) if is_per_share else frozenset())

    def has(self, metric: str) -> bool:
        """Whether the report has the line in any year, certain or not."""
        return bool(self.found.of(metric))

    def pages_for(self, metric: DerivedMetric) -> Iterator[int]:
        """The pages of the statements in which the metric's figures stand."""
        yield from self._pages_of({self.ontology[used].statement for used in metric.metrics} - _ANYWHERE)

    def statement_pages(self) -> Iterator[int]:
        """The pages of all statements, which show what a company has and what it has not."""
        yield from self._pages_of({fact.statement for fact in self.found.facts} - _ANYWHERE)

    def _pages_of(self, statements: Set[str]) -> Iterator[int]:
        yield from dict.fromkeys(f.page_number for f in self.found.facts if f.statement in statements)

    def lacks(self, metric: str) -> bool:
        """Whether the metric's statement was read, and no label in it may be the line."""
        line = self.ontology[metric]
        labels = self.found.lines.get(line.statement, ())
        is_printed = any(fact.statement == line.statement for fact in self.found.of(metric))
        if is_printed or not labels or not line.words:
            return False
        return not any(re.search(line.words, label.lower()) for label in labels)

    def is_nowhere(self, metric: str) -> bool:
        """Whether the metric's statement lacks the line, and no summary, note or other table prints it either."""
        if self.has(metric) or not self.lacks(metric):
            return False
        line = self.ontology[metric]
        similar = (label for label in self.found.labels if re.search(line.words, label.lower()))
        return all(line.place(label) is None for label in similar)


def derive(
    metric: DerivedMetric,
    found: ReportFacts,
    ontology: Ontology,
    year: int | None = None,
    span: Span | None = None,
) -> Derivation:
    """Calculate a metric from the facts of one report.

    Args:
        metric: what to calculate.
        found: the report's facts.
        ontology: the titles of metrics.
        year: in which the period ends; None for the reported period.
        span: the part of a year that is meant; None for a whole year.
    """
    end = span.end.year if span else _year_of(found, year)
    if end is None:
        return Derivation(metric=metric, year=year, why_not="the report's period is not known")
    facts = Facts(found, ontology, end, span)
    looked_at = tuple(facts.pages_for(metric))
    if case := _has_no_meaning(metric, facts):
        looked_at = tuple(dict.fromkeys([*looked_at, *facts.statement_pages()]))
        reason: Reason = "not_found" if case.is_open else "not_disclosed"
        return Derivation(metric=metric, year=end, reason=reason, why_not=case.because, looked_at=looked_at)
    results, problems = list[Derivation](), list[str]()
    for formula in metric.definitions:
        try:
            results.append(_calculated(metric, formula, facts))
        except MissingOperand as missing:
            when = end - (missing.moment == "opening")
            problems.append(f"no certain figure for {ontology[missing.metric].title!r} of {when}")
        except (ZeroDivisionError, ValueError) as error:
            problems.append(str(error) or "a divisor is zero")
    if not results:
        why_not = "; ".join(dict.fromkeys(problems))
        return Derivation(metric=metric, year=end, why_not=why_not, looked_at=looked_at)
    first, *others = results
    different = tuple(o for o in others if o.shown != first.shown)
    return first.model_copy(update={"others": different})


def _calculated(metric: DerivedMetric, formula: Formula, facts: Facts) -> Derivation:
    """The result of one definition.

    Raises:
        MissingOperand: a figure is missing.
        ZeroDivisionError: a divisor is zero.
        ValueError: a figure has the wrong sign, the result is impossible, or the figures do not belong together.
    """
    used: dict[tuple[str, Moment], Fact] = {}

    def value_of(metric_id: str, moment: Moment) -> Decimal:
        used[metric_id, moment] = facts.fact(metric_id, moment)
        return used[metric_id, moment].value

    value = metric.scaled(formula.value(value_of))
    title = {metric_id: facts.ontology[metric_id].title for metric_id, _ in used}
    if facts.span is not None and len({facts.ontology[metric_id].is_of_day for metric_id, _ in used}) > 1:
        raise ValueError("figures of a part of a year do not belong to positions at a day")
    for metric_id, _ in used:
        wrong = _wrong_sign(metric, metric_id, [f.value for (m, _), f in used.items() if m == metric_id])
        if wrong:
            raise ValueError(f"{title[metric_id]!r} is {wrong}, so the result would mean nothing")
    if len({f.currency for f in used.values() if f.currency}) > 1:
        raise ValueError("its figures are in different currencies")
    if not metric.is_possible(value):
        raise ValueError(f"{metric.shown(value)} is impossible, so one of its figures must be another one")
    operands = (Operand(metric=m, title=title[m], moment=at, fact=fact) for (m, at), fact in used.items())
    return Derivation(metric=metric, year=facts.year, formula=formula.text, operands=tuple(operands), value=value)


def _wrong_sign(metric: DerivedMetric, metric_id: str, values: list[Decimal]) -> str:
    if metric_id in metric.positive and min(values) <= 0:
        return "not above zero"
    if metric_id in metric.negative and max(values) >= 0:
        return "not below zero"
    return ""


def _has_no_meaning(metric: DerivedMetric, facts: Facts) -> NotFor | None:
    """The case in which the metric has no meaning for this company; None where it has, or where nothing was read."""
    if not facts.found.facts:
        return None
    fitting = (
        case for case in metric.not_for if all(map(facts.has, case.has)) and all(map(facts.is_nowhere, case.lacks))
    )
    return next(fitting, None)


def _is_certain(fact: Fact, statement_pages: frozenset[int] = frozenset()) -> bool:
    """Whether a figure may be calculated with: of a full year or a day, and certain or on the page of a statement."""
    if fact.period is None or fact.period.months not in _FULL_YEAR:
        return False
    return fact.is_sum or fact.confidence != "low" or fact.page_number in statement_pages


def _year_of(found: ReportFacts, year: int | None) -> int | None:
    """The calendar year in which the requested period ends, by the report's own fiscal year."""
    end = found.period_end
    if year is None or end is None:
        return ending_year(end) if end else year
    years = {f.period.year for f in found.facts if f.period}
    is_late = year in names_of_year(end)[1:]
    return year if not is_late or year in years else ending_year(end)


def _figure(value: Decimal) -> str:
    text = f"{value:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"({text})" if value < 0 else text


_SIGNED = expression(  # below zero they are no costs, but results, flows and positions
    r"\b(?:loss(?:es)?|profits?|earnings|results?|returns?|gains?|deficits?|deficiency|flows?|provided|generated"
    r"|equity|reserves?|funds|surplus|capital|position|assets|movements?)\b",
    re.IGNORECASE,
)
_INCOME = expression(r"\b(?:income|revenues?|benefits?|margin|net)\b", re.IGNORECASE)
_SPENT_ON = expression(
    r"\b(?:expenses?|expenditures?|costs?|charges?|fees|paid|payments?|repayments?|purchases?|used|spen[dt]|spending"
    r"|income tax(?:es)?)\b",
    re.IGNORECASE,
)


def is_spent(label: str) -> bool:
    """Whether a row or a question is of what is spent, whose figures are sizes: no income, result or position."""
    bare = re.sub(r"(?i)\bnet\b|\bincome(?= tax)", "", label)
    return bool(_SPENT_ON.search(label)) and not (_SIGNED.search(bare) or _INCOME.search(bare))


def in_sizes(label: str, facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts of a row, in sizes where all are printed below zero because something is spent or taken off."""
    is_cost = not _SIGNED.search(label) and (_SPENT_ON.search(label) is not None or not _INCOME.search(label))
    if not is_cost or max(fact.value for fact in facts) >= 0:
        return facts
    return [fact.model_copy(update={"value": abs(fact.value)}) for fact in facts]


def decides(derived: Sequence[Derivation], judgement: Judgement | None) -> Derivation:
    """The derivation that decides a judgement: the first, or one behind it that says yes where one is enough."""
    if judgement is None or not judgement.any_of_them:
        return derived[0]
    return next((one for one in derived if one.value is not None and judgement.is_met(one.value)), derived[0])

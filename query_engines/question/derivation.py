"""Calculates derived metrics from a report's facts, with every figure that was used."""

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from storage.amounts import parse_figure
from storage.lexicon.question_words import LEFT_OUT
from storage.records.answers import Reason
from storage.records.derived_metrics import (
    DerivedMetric,
    DerivedMetrics,
    DerivedUnit,
    Formula,
    Judgement,
    MissingOperand,
    Moment,
    NotFor,
)
from storage.records.facts import Fact, ReportFacts
from storage.records.metrics import Metric, Ontology
from storage.records.questions import AnswerKind
from storage.records.record import Record
from storage.records.reports import LATE_YEAR_END, MONTHS_OF_YEAR, months_before
from storage.text import plain

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
        return end.year if end else year
    years = {f.period.year for f in found.facts if f.period}
    is_late = end.month <= LATE_YEAR_END and year == end.year - 1
    return year if not is_late or year in years else end.year


def _figure(value: Decimal) -> str:
    text = f"{value:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"({text})" if value < 0 else text


_SIGNED = re.compile(  # below zero they are no costs, but results, flows and positions
    r"\b(?:loss(?:es)?|profits?|earnings|results?|returns?|gains?|deficits?|deficiency|flows?|provided|generated"
    r"|equity|reserves?|funds|surplus|capital|position|assets|movements?)\b",
    re.IGNORECASE,
)
_INCOME = re.compile(r"\b(?:income|revenues?|benefits?|margin|net)\b", re.IGNORECASE)
_SPENT_ON = re.compile(
    r"\b(?:expenses?|expenditures?|costs?|charges?|fees|paid|payments?|repayments?|purchases?|used"
    r"|income tax(?:es)?)\b",
    re.IGNORECASE,
)


def in_sizes(label: str, facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts of a row, in sizes where all are printed below zero because something is spent or taken off."""
    is_cost = not _SIGNED.search(label) and (_SPENT_ON.search(label) is not None or not _INCOME.search(label))
    if not is_cost or max(fact.value for fact in facts) >= 0:
        return facts
    return [fact.model_copy(update={"value": abs(fact.value)}) for fact in facts]


_SHARE = r"(?:share|percentage|percent|per ?cent|portion|proportion|fraction|part|%)"
_COIN = r"(?:dollars?|euros?|pounds?|francs?|cents?)"
_WHAT = r"(?:what|which|how (?:much|large|big)(?: a)?)"
_EVERY = rf"(?:every|each)(?: single)?(?: {_COIN})?(?: of)?"
_NEXT = r"(?:is|are|was|were|went|goes|go|did|does|do|has|have|had)"
FRACTIONS: dict[str, int | Decimal] = {
    "half": 50, "a half": 50, "a third": Decimal(100) / 3, "one third": Decimal(100) / 3, "a quarter": 25,
    "one quarter": 25, "two thirds": Decimal(200) / 3, "three quarters": 75, "a fifth": 20, "a tenth": 10,
}  # fmt: skip
_RATIO_FORMS: tuple[tuple[str, DerivedUnit], ...] = (
    (rf"\b{_WHAT} {_SHARE}(?: of)? (?P<bottom>[^?]{{2,60}}?) {_NEXT}\b(?P<top>[^?]+)", "percent"),
    (rf"\bhow much of (?:{_EVERY} )?(?P<bottom>[^?]{{2,60}}?) {_NEXT}\b(?P<top>[^?]+)", "percent"),
    (rf"(?P<top>[^?]{{2,80}}?) (?:as|in) (?:an? )?{_SHARE} of (?P<bottom>[^?]+)", "percent"),
    (r"\bratio of (?P<top>[^?]{2,60}?) to (?P<bottom>[^?]+)", "times"),
    (rf"(?P<top>[^?]{{2,80}}?) (?:for|per|on) (?:every|each)(?: single)? {_COIN} of (?P<bottom>[^?]+)", "times"),
    (r"(?P<top>[^?]{2,80}?) per (?P<bottom>employee|head|person)\b", "amount"),
)
_RATIOS = tuple((re.compile(form), unit) for form, unit in _RATIO_FORMS)
# These words stand in other questions too ("over the years", "from 4 to 5"), so both sides must be metrics.
_SET_OVER = re.compile(r"(?P<top>[^?.:;]{2,60}?) (?:over|divided by) (?P<bottom>[^?.:;]+)")
_KNOWN_PAIR = re.compile(r"(?P<top>[^?.:;]{2,60}?)(?: ?/ ?| to )(?P<bottom>[^?.:;]+)")
# What people call one side of a ratio.
_CALLED = {
    **dict.fromkeys(("employee", "head", "person"), "number of employees"),
    **dict.fromkeys(("costs", "expenses", "total costs", "costs and expenses"), "total operating expenses"),
}
_RATIO_JUDGED = re.compile(
    rf"\b{_NEXT} (?P<top>[^?]{{2,60}}?) (?:make up |account for |amount to |come to )?"
    r"(?P<more>more|over|above|at least|exceed\w*|greater|higher|less|under|below|at most|lower)(?: than)? "
    rf"(?P<n>\d+(?:\.\d+)?(?=\s?(?:%|per ?cent))|{'|'.join(FRACTIONS)})(?:\s?(?:%|per ?cent))? of (?P<bottom>[^?]+)"
)
_AROUND_A_NAME = re.compile(
    rf"\b(?:how|much|what|which|did|does|do|has|have|had|was|were|is|are|it|they|its|their|his|the|an?|spen[dt]|pay|paid"
    rf"|make|made|put|goe?s?|went|into|in|on|to|by|out|earn(?:ed)?|generated?|finance[ds]?|funded|tied|up|used|taken|eaten"
    rf"|of|for|from|this|that|{_COIN}|end|at|per ?cent|percent|terms|figure|times)\b|[,%]"
)


class Ratio(Record):
    """A ratio of two metrics that a question asks for in its own words.

    Attributes:
        metric: None where a metric is not known.
        judgement: the threshold, for yes or no.
    """

    metric: DerivedMetric | None = None
    judgement: Judgement | None = None


_PROPERTY = "property_plant_equipment"
_SPENT = re.compile(
    r"\b(?:puts?|spen[dt]s?|spending|invest(?:s|ed|ing)?|pour(?:s|ed)?|plough(?:s|ed)?|sinks?|sank|went|goes|go)"
    r" (?:\w+ ){0,2}?(?:into|on|in)\b"
)


def read_ratio(bare: str, named: Callable[[str], Metric | None], stored: DerivedMetrics) -> Ratio | None:
    """The ratio that a question asks for, without company and time and in lower case; None where it asks for none.

    Args:
        bare: the question.
        named: the metric whose name a text is.
        stored: a ratio among these is taken as it is.
    """
    judged = _RATIO_JUDGED.search(bare)
    if judged is not None:
        metric = _ratio_of(judged, "percent", named, stored)
        limit = FRACTIONS.get(judged["n"]) or parse_figure(judged["n"])
        if metric is None or limit is None:
            return Ratio()
        key = "at_most" if judged["more"] in ("less", "under", "below", "at most", "lower") else "at_least"
        made = {"id": metric.id, "title": metric.title, "metric": metric.id, key: limit, "source": "the question"}
        return Ratio(metric=metric, judgement=Judgement.model_validate(made))
    for form, unit in _RATIOS:
        if match := form.search(bare):
            in_hundredths = re.search(r"%|\bper ?cent\b|\bhow many (?:cents|pence)\b", bare) is not None
            wanted = "percent" if unit == "times" and in_hundredths else unit
            return Ratio(metric=_ratio_of(match, wanted, named, stored))
    metric = next((m for part in re.split(r"[?.:;]", bare) if (m := _of_two(part, named, stored))), None)
    return Ratio(metric=metric) if metric is not None else None


def _of_two(part: str, named: Callable[[str], Metric | None], stored: DerivedMetrics) -> DerivedMetric | None:
    """The ratio of "debt over equity"; of "capex/sales" and "debt to assets" only where the ratio is a stored one."""
    if (match := _SET_OVER.search(part)) is not None:
        return _ratio_of(match, "times", named, stored)
    match = _KNOWN_PAIR.search(part)
    metric = _ratio_of(match, "times", named, stored) if match else None
    return next((m for m in stored.metrics if metric and m.formulas[0] == metric.formulas[0]), None)


def _ratio_of(
    match: re.Match[str], unit: DerivedUnit, named: Callable[[str], Metric | None], stored: DerivedMetrics
) -> DerivedMetric | None:
    texts = (" ".join(_AROUND_A_NAME.sub(" ", match[side]).split()) for side in ("top", "bottom"))
    top, bottom = (named(_CALLED.get(text, text)) for text in texts)
    if top is not None and top.is_of_day and _SPENT.search(match[0]):
        top = (
            named("capital expenditures") if top.id == _PROPERTY else None
        )  # what was put into it is not its balance
    if top is None or bottom is None or top == bottom:
        return None
    formula = f"{top.id} / {bottom.id}"
    if known := next((m for m in stored.metrics if m.formulas[0] == formula and m.unit == unit), None):
        return known
    between = "per" if unit == "amount" else "to"
    return DerivedMetric.model_validate(
        {
            "id": f"{top.id}_{between}_{bottom.id}",
            "title": f"{top.title} {between} {'employee' if unit == 'amount' else bottom.title.lower()}",
            "unit": unit,
            "formulas": [formula],
            "positive": [bottom.id],
        }
    )


RelationKind = Literal["share", "difference", "sum", "cover", "outgrow"]
_CONSISTS = (
    r"(?:is|are|was|were|come from|comes from|came from|consists? of|consisted of"
    r"|(?:goes|go|went|sits?|sat|lies?|lay) (?:in|into|on|to|with))"
)
_MAKES_UP = r"(?:makes? up|made up|represent(?:s|ed)?|account(?:s|ed) for|form(?:s|ed)?)"
_IN_SHARES = r"(?:in|as an?) (?:%|per ?cent(?:age)?)"
_MORE = r"(?:more|greater|larger|higher|bigger)"
_LESS = r"(?:less|smaller|lower)"
_PORTION = (
    rf"(?:(?P<n>\d{{1,3}}(?:\.\d{{1,2}})?) ?(?:%|per ?cent) of |(?P<fraction>{'|'.join(FRACTIONS)}) (?:of )?)?"
)
_ONE, _OTHER = r"(?P<one>[^?;:]{2,120}?)", r"(?P<other>[^?;:]{2,120})"
_OTHER_SIDE = r"(?P<other>[^?;:]{2,120}?)"
_HAS_ENOUGH = r"\b(?:did|does|do|is there|was there|has|have|had)\b[^?;:]{0,20} enough"
_RELATIONS: tuple[tuple[RelationKind, str], ...] = (
    (
        "outgrow",
        rf"\b(?:did|has|have|do|does) {_ONE} (?:gr[eo]wn?|ris(?:e|en)|increased?|expand(?:ed)?) (?:at an? )?"
        r"(?:faster|quicker|higher|stronger|more (?:quickly|strongly|rapidly)|(?P<less>slower|more slowly))"
        rf"(?: (?:pace|rate|clip))? than {_OTHER}",
    ),
    ("share", rf"{_ONE},? as an? {_SHARE} of {_OTHER}"),
    (
        "share",
        rf"\b(?:what|which) (?:{_SHARE} of|per ?cent(?:age)?|%) {_OTHER_SIDE} {_CONSISTS} (?P<one>[^?;:]{{2,120}})",
    ),
    ("share", rf"(?:\bhow much |^)of {_OTHER_SIDE} {_CONSISTS} (?P<one>[^?;:]{{2,120}}?),? {_IN_SHARES}"),
    ("share", rf"{_ONE} {_MAKES_UP} (?:what|which) {_SHARE} of {_OTHER}"),
    (
        "share",
        rf"\b(?:what|which) {_SHARE} of {_OTHER_SIDE} did (?P<one>[^?;:]{{2,120}}?)"
        r" (?:make up|represent|account for)\b",
    ),
    ("difference", rf"\bby how (?:much|many \w{{2,20}}) (?:did|does|do) {_ONE} exceed {_OTHER}"),
    ("difference", rf"\bhow much {_MORE} (?:is|are|was|were) {_ONE} than {_OTHER}"),
    ("difference", rf"\bdifference between {_ONE} and {_OTHER}"),
    ("difference", rf"{_ONE} minus {_OTHER}"),
    (
        "difference",
        r"^(?P<one>(?:(?!\b(?:is|are|was|were|did|do|does|has|have|had|much|many|any|no|or|for|with)\b)[^?;:,]){3,80})"
        r" less (?!than\b|so\b|or\b|[^?;:,]{0,40}?\b(?:allowance|provision|accumulated|depreciation"
        r"|amorti[sz]ation|impairment|current|maturit|treasury|unearned))(?P<other>[^?;:,]{3,80}?)(?=[?;:,]| [-–—] |$)",
    ),
    ("sum", rf"\bsum of {_ONE} and {_OTHER}"),
    ("sum", rf"{_ONE} plus {_OTHER}"),
    ("sum", rf"{_ONE},? (?:combined|together|taken together)\b"),
    (
        "cover",
        rf"\b(?:did|does|do|would|could|can) {_ONE} (?:fully )?"
        rf"(?:cover|exceed|outweigh|be enough (?:for|to cover)) {_OTHER}",
    ),
    (
        "cover",
        rf"\b(?:is|are|was|were) {_ONE} (?:(?P<less>under|below|{_LESS} than)|(?:over|above|{_MORE} than))"
        rf" {_PORTION}{_OTHER}",
    ),
    ("cover", rf"{_HAS_ENOUGH} {_ONE} to (?:cover|settle|pay|repay|meet)(?: off)? {_OTHER}"),
)
_RELATION_FORMS = tuple((kind, re.compile(form, re.IGNORECASE)) for kind, form in _RELATIONS)
_ASKED_BEFORE = re.compile(
    r"^(?:(?:what|how much|how many|which|by how much)\b ?)?(?:(?:is|are|was|were|did|does|do) )?"
    r"(?:(?:it |they )?(?:spend|spent|pay|paid|earn|earned|report|record)(?: on| for)? )?"
    r"(?:(?:the|its|their|all of|all|our|an?) ){0,3}",
    re.IGNORECASE,
)
_LEFT_ASIDE = re.compile(
    rf"\b(?:{LEFT_OUT}|ignoring|excluded|disregarding|apart from"
    r"|(?:leav(?:e|ing)|set(?:ting)?|put(?:ting)?|tak(?:e|ing)|strip(?:ping)?)\b"
    r"[^?.]{1,60}\b(?:aside|out|off|apart|away))(?!\w)",
    re.IGNORECASE,
)
_ALL_OF_IT = re.compile(r"^((?:all|total)\b[^?,]{2,60}), including [^?]{3,100}$", re.IGNORECASE)
_LEFT_BEHIND = re.compile(
    r"(?:, including (?:those|the ones|any|all)\b[^?]{0,100})?(?: ?,? ?(?:in |as an? )?(?:%|per ?cent(?:age)?))?"
    r"(?:,? (?:at|by|in|on|as at|as of|for|of|the|end|end-\d{4}|year|line|row|respectively)){0,4}$",
    re.IGNORECASE,
)


class Relation(Record):
    """How two figures that a question names relate.

    Attributes:
        one, other: what they are called.
        limit: for "cover", the percentage of the other that the one is compared with.
        is_below: whether the one is asked to be less, or for "outgrow" to grow less.
        is_size: whether the difference has no direction.
    """

    kind: RelationKind
    one: str
    other: str
    limit: Decimal = Decimal(100)
    is_below: bool = False
    is_size: bool = False

    @property
    def answer_kind(self) -> AnswerKind:
        """The kind of its answer."""
        return "boolean" if self.kind in ("cover", "outgrow") else "number"

    def readings(self) -> Iterator["Relation"]:
        """The relation for each "and" that may stand between the two phrases, since names of rows have it too."""
        if self.kind != "sum" and not self.is_size:
            yield self
            return
        words = re.split(r",? and ", f"{self.one} and {self.other}")
        for at in range(1, len(words)):
            one, other = (_phrase(" and ".join(part)) for part in (words[:at], words[at:]))
            if one and other:
                yield self.model_copy(update={"one": one, "other": other})


def read_relation(text: str) -> Relation | None:
    """The relation of two figures that a question asks for, without company and time; None where it asks for none."""
    bare = plain(text)
    for kind, form in _RELATION_FORMS:
        if (match := form.search(bare)) is None:
            continue
        groups = match.groupdict()
        named = FRACTIONS.get((groups.get("fraction") or "").lower())
        limit = Decimal(parse_figure(groups.get("n") or "") or named or 100)
        pair = (
            (match["one"], groups["other"])
            if "other" in groups
            else re.split(r",? and ", match["one"], maxsplit=1)
        )
        one, *rest = (_phrase(side) for side in pair)
        other = rest[0] if rest else ""
        around = f"{bare[: match.start('one')]} {bare[match.end() :]}"
        if not one or not other or _LEFT_ASIDE.search(around):
            return None
        is_size = "difference between" in match[0].lower()
        is_below = groups.get("less") is not None
        return Relation(kind=kind, one=one, other=other, limit=limit, is_below=is_below, is_size=is_size)
    return None


def _phrase(text: str) -> str:
    text = _ALL_OF_IT.sub(r"\1", text)
    bare = _LEFT_BEHIND.sub("", text.strip(" ,'?.-"))
    return _ASKED_BEFORE.sub("", bare).strip(" ,'?.-")

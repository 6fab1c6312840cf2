"""Derived metrics: figures that are calculated from the ontology's metrics, and the formulas that define them."""

import ast
import re
import tomllib
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, field_validator

from storage.amounts import number_word, parse_figure
from storage.lexicon.money import PERCENT_SAID, SCALE_BEHIND_FIGURE
from storage.lexicon.question_words import FALLS, IMPROVES, RISES, TIMES, WORSENS
from storage.lexicon.words import expression
from storage.records.metrics import Metric, Ontology
from storage.records.record import Record
from storage.text import in_a_sentence, plain

DerivedUnit = Literal["percent", "times", "days", "years", "amount", "per_share", "count", "points", "pence"]
Moment = Literal["closing", "opening"]
ValueOf = Callable[[str, Moment], Decimal]
"""The figure of a metric at one end of the period; raises `MissingOperand`."""
_MONEY: Final[frozenset[DerivedUnit]] = frozenset({"amount", "per_share"})
_HUNDRED = Decimal(100)
_WORDS = {ast.Add: " + ", ast.Sub: " - ", ast.Mult: " × ", ast.Div: " / "}
_WEIGHT = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 2}
_PARTS = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)
_CHANGED: Final[dict[str, DerivedUnit]] = {
    "percent": "points",
    "per_share": "per_share",
    "count": "count",
    "amount": "amount",
}
_LIMIT = expression(
    r"\b(?:(?P<above>above|over|more than|higher than|greater than|at least|exceed(?:s|ed)?)"
    r"|below|under|less than|lower than|at most) (?P<n>\d[\d,.]*|[a-z]+)"
)
_MOVED = expression(
    rf"\b(?:(?P<better>{IMPROVES})|(?P<worse>{WORSENS})|(?P<up>{RISES}|higher)|(?P<down>{FALLS}|lower))\b"
)
_QUALIFIED = expression(
    r"\b(?:gross|operating|pre-?tax|adjusted|underlying|core|segment|(?:long|short|medium)[- ]term|non-?current) $"
)  # another figure
_ANY = Decimal("0.0001")  # the least change that counts
_AN_AMOUNT = expression(rf"[$€£]\s?\d|\d\s?{SCALE_BEHIND_FIGURE}\b")  # which a rule of thumb knows nothing of
_SPAN = expression(
    r"\b(?P<n>\d+|[a-z]+)[ -](?:(?:more|full|another|further|whole|weitere|volle) )?"
    r"(?:years?|jahre?n?|ann?[eé]es|ans?|años?|anni|anno|(?P<months>months?|monate?n?|mois|mes(?:es|i|e)?))\b"
)
_A_SHARE = expression(rf"(?<![\d.])(?P<n>\d{{1,3}}(?:\.\d{{1,2}})?) ?{PERCENT_SAID}")
_MONTHS = 12
_FUNCTIONS = frozenset({"opening", "average", "optional", "abs", "positive"})


class MissingOperand(Exception):
    """A formula needs a figure that is not there; `is_absent` if the company has no such line at all."""

    def __init__(self, metric: str, moment: Moment, *, is_absent: bool = False) -> None:
        super().__init__(f"{moment} {metric}")
        self.metric = metric
        self.moment = moment
        self.is_absent = is_absent


class Formula:
    """An expression over metrics: + - * / and numbers, with opening(), average(), optional(), abs() and positive()."""

    def __init__(self, text: str) -> None:
        """Read a formula.

        Raises:
            ValueError: it has anything else in it.
        """
        self.text = text
        self._root = ast.parse(text.strip(), mode="eval").body
        for node in ast.walk(self._root):
            _check(node, text)

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The ids of its metrics, each once, in the order of reading."""
        called = {n.func for n in ast.walk(self._root) if isinstance(n, ast.Call)}
        names = [n for n in ast.walk(self._root) if isinstance(n, ast.Name) and n not in called]
        return tuple(dict.fromkeys(n.id for n in sorted(names, key=lambda n: n.col_offset)))

    def value(self, value_of: ValueOf) -> Decimal:
        """The result.

        Raises:
            MissingOperand: a figure is not there.
            ZeroDivisionError: a divisor is zero.
        """
        return _value(self._root, value_of, "closing")

    def written(self, name_of: Callable[[str, Moment], str]) -> str:
        """The formula with each operand as `name_of` writes it; an average is written out."""
        return _written(self._root, name_of, "closing", 0)


class NotFor(Record):
    """When a derived metric has no meaning: for companies that have all of some lines and lack all of others.

    `is_open` if a lacking line does not mean that there is none, as research may be a part of other costs.
    """

    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    because: str
    is_open: bool = False


class DerivedMetric(Record):
    """A figure that is calculated from others; the file says what the fields mean."""

    id: str
    title: str
    unit: DerivedUnit
    question_names: tuple[str, ...] = Field(default=(), alias="asked")
    printed: str | None = None
    formulas: tuple[str, ...] = Field(min_length=1)
    least: Decimal | None = None
    most: Decimal | None = None
    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    better: Literal["higher", "lower"] | None = None
    not_for: tuple[NotFor, ...] = ()

    @field_validator("formulas")
    @classmethod
    def _can_be_read(cls, formulas: tuple[str, ...]) -> tuple[str, ...]:
        for text in formulas:
            Formula(text)
        return formulas

    @cached_property
    def definitions(self) -> tuple[Formula, ...]:
        """The formulas, the usual one first."""
        return tuple(Formula(text) for text in self.formulas)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The ids of all metrics that its definitions use, each once."""
        return tuple(dict.fromkeys(metric for formula in self.definitions for metric in formula.metrics))

    @property
    def is_money(self) -> bool:
        """Whether the result is in a currency."""
        return self.unit in _MONEY

    def scaled(self, result: Decimal) -> Decimal:
        """A formula's result in the metric's unit, as precise as an answer gives it."""
        value = result * _HUNDRED if self.unit == "percent" else result
        return value if value == value.to_integral_value() else round(value, 4)

    def is_possible(self, value: Decimal) -> bool:
        """Whether a value, in the metric's unit, is within its bounds."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def shown(self, value: Decimal, currency: str | None = None) -> str:
        """A value as people write it: "12.5%", "3.15x", "41 days", "1,204,000 USD"."""
        if self.unit == "percent":
            return f"{value:,.2f}%" if 0 < abs(value) < 1 else f"{value:,.1f}%"
        if self.unit == "times":
            return f"{value:,.2f}x" if abs(value) < 10 else f"{value:,.1f}x"
        if self.unit in ("days", "years", "pence"):
            return f"{value:,.1f} {self.unit}"
        if self.unit == "points":
            return f"{value:,.1f} percentage points"
        digits = 0 if self.unit == "count" or (self.unit == "amount" and abs(value) >= 1000) else 2
        return f"{value:,.{digits}f} {currency or ''}".rstrip()

    @cached_property
    def _names(self) -> re.Pattern[str]:
        names = sorted(self.question_names, key=len, reverse=True)
        return re.compile("|".join(rf"(?<![\w&/]){_worded(name)}(?![\w&/])" for name in names) or "(?!)")

    @cached_property
    def _first_words(self) -> tuple[str, ...]:
        return tuple({re.split(r"[\s-]+", plain(name).lower())[0] for name in self.question_names})

    def place_in(self, text: str) -> tuple[int, int] | None:
        """Where a question in lower case names it: start and end; None where it does not."""
        may_name = any(word in text for word in self._first_words)  # saves nearly all of the search
        named = self._names.finditer(text) if may_name else ()
        found = max(named, key=lambda m: m.end() - m.start(), default=None)
        return found.span() if found else None


class Judgement(Record):
    """A yes or no that rests on a derived metric and a rule of thumb.

    Attributes:
        title: what is judged, such as "healthy liquidity".
        metric: the id of the derived metric.
        at_least, at_most: the threshold for yes; where the question names it, it takes the place of this one.
        source: where the rule of thumb comes from.
        limit: the threshold in words, where it is no figure.
        beside: the ids of derived metrics that are given beside it, as further figures to judge by.
        any_of_them: whether it is a yes, too, where the figure of one of those is on that side of the threshold.
        there_is: the ids of the ontology's metrics of which it says whether there is any: "did it pay a dividend?".
        is_opposite: whether the question asks for its opposite, so that a yes means that it does not hold.
    """

    id: str
    title: str
    metric: str
    at_least: Decimal | None = None
    at_most: Decimal | None = None
    source: str = ""
    limit: str = ""
    beside: tuple[str, ...] = ()
    any_of_them: bool = False
    there_is: tuple[str, ...] = ()
    is_opposite: bool = False

    def asked_in(self, text: str, unit: DerivedUnit, *, is_opposite: bool = False) -> "Judgement | None":
        """The judgement with the threshold that a question in lower case names; None where it names another figure.

        Args:
            text: of the question.
            unit: of the metric, in which it may name a threshold: years, or months of them, and percent.
            is_opposite: whether the question asks for the opposite: "is it short of cash?".
        """
        asked = self.model_copy(update={"is_opposite": is_opposite})
        named = _threshold(text, unit)
        if _AN_AMOUNT.search(text) or (named is None and _A_SHARE.search(text)):
            return None
        key = "at_most" if self.at_most is not None else "at_least"
        return asked if named is None else asked.model_copy(update={key: named, "source": "the question"})

    def is_met(self, value: Decimal) -> bool:
        """Whether a value is on the side of the threshold that is judged."""
        low = self.at_least is None or value >= self.at_least
        return low and (self.at_most is None or value <= self.at_most)

    def holds(self, value: Decimal) -> bool:
        """Whether the answer is yes."""
        return self.is_met(value) != self.is_opposite

    def rule(self, metric: DerivedMetric) -> str:
        """The threshold in words: "at least 1.50x (rule of thumb: …)"."""
        if self.limit:
            return f"anything but {self.limit}" if self.is_opposite else self.limit
        low, high = ("less than", "more than") if self.is_opposite else ("at least", "at most")
        limits = [(low, self.at_least), (high, self.at_most)]
        words = " and ".join(f"{word} {metric.shown(limit)}" for word, limit in limits if limit is not None)
        basis = "as the question asks" if self.source == "the question" else f"rule of thumb: {self.source}"
        return f"{words} ({basis})"


class DerivedMetrics:
    """All derived metrics, and the judgements that rest on them."""

    def __init__(self, metrics: Sequence[DerivedMetric], judgements: Sequence[Judgement] = ()) -> None:
        self.metrics = tuple(metrics)
        self.judgements = tuple(judgements)
        self._by_id = {metric.id: metric for metric in metrics}
        self._judgements = {judgement.id: judgement for judgement in judgements}
        self._by_printed = {metric.printed: metric for metric in metrics if metric.printed}

    def __getitem__(self, metric_id: str) -> DerivedMetric:
        return self._by_id[metric_id]

    def get(self, metric_id: str) -> DerivedMetric | None:
        """The metric with this id; None where there is none."""
        return self._by_id.get(metric_id)

    def called(self, name: str) -> DerivedMetric | None:
        """The metric with this title or name; None where there is none."""
        wanted = plain(name).strip().lower()
        return next((m for m in self.metrics if wanted in (m.title.lower(), *m.question_names)), None)

    def of_printed(self, metric: Metric | None) -> DerivedMetric | None:
        """The derived metric that calculates what the ontology's metric is where it is printed."""
        return self._by_printed.get(metric.id) if metric else None

    def named_in(self, text: str) -> tuple[DerivedMetric, str] | None:
        """The only derived metric that a question in lower case names, and the rest of its text.

        A name within a longer one does not count: "net debt to EBITDA" is not about EBITDA.
        """
        bare = plain(text).lower()
        places = [(place, metric) for metric in self.metrics if (place := metric.place_in(bare))]
        outer = [(p, m) for p, m in places if not any(_is_within(p, other) for other, _ in places)]
        if len(outer) != 1:
            return None
        (start, end), metric = outer[0]
        if _QUALIFIED.search(bare[:start]):
            return None
        return metric, f"{bare[:start]} {bare[end:]}"

    def whether_any(self, metric: str) -> tuple[Judgement, DerivedMetric] | None:
        """What decides whether there is any of a metric, where the file says more than the metric itself does."""
        found = next((judgement for judgement in self.judgements if metric in judgement.there_is), None)
        return (found, self[found.metric]) if found else None

    def judgement_called(self, topic: str) -> Judgement | None:
        """The judgement with this id; None for another topic."""
        return self._judgements.get(topic)

    def figure_judged(self, topic: str) -> str | None:
        """The id of the figure that a judgement rests on, be it a line or a formula; None for another topic."""
        rule = self._judgements.get(topic)
        if rule is None:
            return None
        formula = self[rule.metric].formulas[0]
        return formula if formula.isidentifier() else rule.metric

    def judgement_in(
        self, text: str, topic: str = "", *, is_opposite: bool = False
    ) -> tuple[Judgement, DerivedMetric] | None:
        """What a question wants judged, such as whether liquidity is healthy, and by which metric.

        Args:
            text: of the question, which may hold a metric that it names against a number or the year before.
            topic: the id of the judgement that it asks for in any other words.
            is_opposite: whether it asks for the opposite of that.
        """
        bare = plain(text).lower()
        if named := self.named_in(bare):
            metric, rest = named
            compared = _compared(metric, rest)
            if found := (compared, metric) if compared else _improved(metric, rest):
                return found
        rule = self._judgements.get(topic)
        judged = rule.asked_in(bare, self[rule.metric].unit, is_opposite=is_opposite) if rule else None
        return (judged, self[judged.metric]) if judged else None

    @classmethod
    @cache
    def load(cls, ontology: Ontology) -> "DerivedMetrics":
        """The derived metrics that come with Pageproof.

        Raises:
            KeyError: a formula uses a metric that the ontology does not have.
        """
        file = Path(__file__).parents[1] / "derived_metrics.toml"
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        metrics = [DerivedMetric.model_validate(entry) for entry in content["derived"]]
        for metric in metrics:
            lines = (line for case in metric.not_for for line in (*case.has, *case.lacks))
            for used in (*metric.metrics, *metric.positive, *metric.negative, *lines):
                ontology[used]
        judgements = [Judgement.model_validate(entry) for entry in content["judgement"]]
        made = cls(metrics, judgements)
        for judgement in judgements:
            for used in (judgement.metric, *judgement.beside):
                made[used]
        return made


class Change(Record):
    """What a question about a change asks for.

    Attributes:
        what: changed, in the question's words.
        metric: that is, where the ontology has its name.
        is_share: in percent of the period before; else the difference.
        is_growth: in percent, too, where both figures have one sign.
        is_loss: whether a loss changed.
        in_pence: the difference of a figure per share in hundredths.
    """

    what: str
    metric: Metric | None = None
    is_share: bool = False
    is_growth: bool = False
    is_loss: bool = False
    in_pence: bool = False


def change_of(metric: Metric, change: Change, *, is_negative: bool = False) -> DerivedMetric:
    """The change of a metric against the period before; `is_negative` where both figures are below zero.

    A share says nothing where the sign changed, so both figures must have one.
    """
    name, size, is_share, in_pence = metric.id, f"abs({metric.id})", change.is_share, change.in_pence
    is_loss = change.is_loss and is_negative
    moved = f"{size} - opening({size})" if is_loss else f"{name} - opening({name})"
    unit = "percent" if is_share else "pence" if in_pence else _CHANGED[metric.kind]
    formula = f"({moved}) / opening({size})" if is_share else f"({moved}) * 100" if in_pence else moved
    return DerivedMetric.model_validate(
        {
            "id": f"{'growth' if is_share else 'change'}_of_{name}",
            "title": f"{'Growth' if is_share else 'Change'} of {'the loss' if is_loss else metric.title.lower()}",
            "unit": unit,
            "formulas": [formula],
            "negative": [name] if is_loss or (is_share and is_negative) else [],
            "positive": [name] if is_share and not is_negative else [],
        }
    )


def trend_of(metric: DerivedMetric, *, is_share: bool = False) -> DerivedMetric | None:
    """The change of a derived metric against the period before; None where only averages define it.

    A share of what it was, which must be above zero, is in percent; what is in percent itself changes by points.
    """
    formula = next((text for text in metric.formulas if "average(" not in text), None)
    if formula is None:
        return None
    moved = f"({formula}) - opening({formula})"
    in_points, is_share = metric.unit == "percent", is_share and metric.unit != "percent"
    if is_share:
        moved = f"({moved}) / positive(opening({formula}))"
    return DerivedMetric.model_validate(
        {
            "id": f"{'growth' if is_share else 'trend'}_of_{metric.id}",
            "title": f"{'Growth' if is_share else 'Change'} of {in_a_sentence(metric.title)}",
            "unit": "points" if in_points else "percent" if is_share else metric.unit,
            "formulas": [f"({moved}) * 100" if in_points else moved],
            "positive": metric.positive,
            "negative": metric.negative,
            "better": metric.better,
            "not_for": metric.not_for,
        }
    )


_MULTIPLE = expression(rf"\W{{0,3}}{TIMES}\b")


def _compared(metric: DerivedMetric, rest: str) -> Judgement | None:
    """Whether a metric is above or below a figure that the question names."""
    match = _LIMIT.search(rest)
    limit = _number(match["n"]) if match else None
    if match is None or limit is None:
        return None
    if metric.unit != "times" and _MULTIPLE.match(rest[match.end() :]):
        return None  # of another figure
    key = "at_least" if match["above"] else "at_most"
    return Judgement.model_validate(
        {"id": metric.id, "title": metric.title, "metric": metric.id, key: limit, "source": "the question"}
    )


def _improved(metric: DerivedMetric, rest: str) -> tuple[Judgement, DerivedMetric] | None:
    """Whether a metric is better, worse, higher or lower than the period before."""
    match, trend = _MOVED.search(rest), trend_of(metric)
    if match is None or trend is None:
        return None
    is_up = match["up"] is not None or (match["better"] is not None) == (metric.better == "higher")
    if match["up"] is None and match["down"] is None and metric.better is None:
        return None
    is_up = is_up and match["down"] is None
    judged = Judgement.model_validate(
        {
            "id": trend.id,
            "title": f"{'rise' if is_up else 'fall'} of {metric.title}",
            "metric": metric.id,
            "at_least" if is_up else "at_most": _ANY if is_up else -_ANY,
            "limit": f"{'higher' if is_up else 'lower'} than the year before",
        }
    )
    return judged, trend


def _threshold(text: str, unit: DerivedUnit) -> Decimal | None:
    """The time, in years, or the percentage that a question names; None where it names none in this unit."""
    if unit == "percent":
        share = _A_SHARE.search(text)
        return Decimal(share["n"]) if share else None
    if unit != "years":
        return None
    spans = ((number, m["months"]) for m in _SPAN.finditer(text) if (number := _number(m["n"])) is not None)
    count, is_in_months = next(spans, (None, None))
    return count / _MONTHS if count is not None and is_in_months else count


def _number(text: str) -> Decimal | None:
    return parse_figure(text) if text[:1].isdigit() else number_word(text)


def _is_within(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one != other and other[0] <= one[0] and one[1] <= other[1]


def _worded(name: str) -> str:
    words = [re.escape(word) for word in re.split(r"[\s-]+", plain(name).lower())]
    return r"[\s-]+".join(words) + "s?"


def _check(node: ast.AST, text: str) -> None:
    if isinstance(node, _PARTS) or (isinstance(node, ast.Constant) and type(node.value) in (int, float)):
        return
    is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
    if isinstance(node, ast.Call) and is_named and len(node.args) == 1 and not node.keywords:
        return
    raise ValueError(f"the formula {text!r} may have metrics, numbers, + - * / and {', '.join(_FUNCTIONS)} only")


def _value(node: ast.AST, value_of: ValueOf, moment: Moment) -> Decimal:
    match node:
        case ast.Constant():
            return Decimal(str(node.value))
        case ast.Name():
            return value_of(node.id, moment)
        case ast.UnaryOp():
            return -_value(node.operand, value_of, moment)
        case ast.BinOp():
            left, right = (_value(side, value_of, moment) for side in (node.left, node.right))
            return _calculated(node.op, left, right)
        case ast.Call(func=ast.Name(id=name), args=[inner]):
            return _called(name, inner, value_of, moment)
    raise ValueError(f"no part of a formula: {ast.dump(node)}")


def _called(name: str, inner: ast.AST, value_of: ValueOf, moment: Moment) -> Decimal:
    if name == "opening":
        return _value(inner, value_of, "opening")
    if name == "average" and moment == "opening":
        raise MissingOperand("average", moment)
    if name == "average":
        return (_value(inner, value_of, "opening") + _value(inner, value_of, "closing")) / 2
    if name == "abs":
        return abs(_value(inner, value_of, moment))
    if name == "positive":
        if (value := _value(inner, value_of, moment)) <= 0:
            raise ValueError("it was not above zero")
        return value
    try:
        return _value(inner, value_of, moment)
    except MissingOperand as missing:
        if not missing.is_absent:
            raise
        return Decimal(0)


def _calculated(operator: ast.operator, left: Decimal, right: Decimal) -> Decimal:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
    if right == 0:
        raise ZeroDivisionError
    return left / right


def _written(node: ast.AST, name_of: Callable[[str, Moment], str], moment: Moment, outer: int) -> str:
    match node:
        case ast.Constant():
            return str(node.value)
        case ast.Name():
            return name_of(node.id, moment)
        case ast.UnaryOp():
            return f"-{_written(node.operand, name_of, moment, 3)}"
        case ast.BinOp():
            weight = _WEIGHT[type(node.op)]
            left = _written(node.left, name_of, moment, weight)
            right = _written(node.right, name_of, moment, weight + isinstance(node.op, ast.Sub | ast.Div))
            if not left or not right:  # an optional line that is not there
                return _written(node.left if left else node.right, name_of, moment, outer)
            text = f"{left}{_WORDS[type(node.op)]}{right}"
            return f"({text})" if weight < outer else text
        case ast.Call(func=ast.Name(id="average"), args=[inner]):
            both = (_written(inner, name_of, moment_, 1) for moment_ in ("opening", "closing"))
            return f"(({' + '.join(both)}) / 2)"
        case ast.Call(func=ast.Name(id="opening"), args=[inner]):
            return _written(inner, name_of, "opening", outer)
        case ast.Call(func=ast.Name(id="abs"), args=[inner]):
            return f"|{_written(inner, name_of, moment, 0)}|"
        case ast.Call(args=[inner]):
            return _written(inner, name_of, moment, outer)
    raise ValueError(f"no part of a formula: {ast.dump(node)}")

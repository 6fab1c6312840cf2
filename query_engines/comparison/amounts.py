"""Amounts in several currencies, and which of two is certainly larger."""

import functools
import tomllib
from decimal import Decimal
from importlib import resources

from query_engines.comparison.plan import Entity
from storage.records.answers import NOT_AVAILABLE, Answer, Reason, Unit, Value
from storage.records.questions import AnswerKind
from storage.records.record import Record


class Amount(Record):
    """A value in full units; `currency` is None for counts, percentages and values printed without a currency.

    Attributes:
        shown: a calculated percentage, ratio or time as people write it.
    """

    value: Decimal
    currency: str | None = None
    shown: str = ""

    def exceeds(self, other: "Amount") -> bool | None:
        """Whether it is larger; None where that depends on the exchange rate."""
        if self.is_comparable(other):
            return self.value > other.value
        mine, its = self._in_dollars(), other._in_dollars()
        if mine is None or its is None:
            return None
        return True if mine[0] > its[1] else False if mine[1] < its[0] else None

    def is_comparable(self, other: "Amount") -> bool:
        """Whether the two can be compared without an exchange rate."""
        return self.currency is None or other.currency is None or self.currency == other.currency

    @property
    def about_in_dollars(self) -> Decimal:
        """An approximate value for a rough order; an unknown currency counts as dollars."""
        ends = self._in_dollars() or (self.value, self.value)
        return sum(ends, Decimal(0)) / 2

    def _in_dollars(self) -> tuple[Decimal, Decimal] | None:
        """The lowest and the highest value in dollars, by exchange rates since 2015."""
        rates = _rough_rates().get(self.currency or "")
        if rates is None:
            return None
        ends = [self.value * rate for rate in rates]
        return min(ends), max(ends)

    def __str__(self) -> str:
        if self.shown:
            return self.shown
        figure = f"{self.value:,f}"
        figure = figure.rstrip("0").rstrip(".") if "." in figure else figure
        return f"{figure} {self.currency}" if self.currency else figure


@functools.cache
def _rough_rates() -> dict[str, tuple[Decimal, Decimal]]:
    text = (resources.files("query_engines") / "comparison" / "rough_rates.toml").read_text(encoding="utf-8")
    return {code: (low, high) for code, (low, high) in tomllib.loads(text, parse_float=Decimal).items()}


class Part(Record):
    """One of the compared companies or years, with its answer."""

    entity: Entity
    answer: Answer

    @property
    def amount(self) -> Amount:
        """The answer as an amount; an error if it is not a number."""
        value = self.answer.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{self.entity.label!r} was answered {value!r}, expected a number")
        unit = self.answer.unit
        shown = unit.printed if unit and unit.measure else f"{value:,.1f}%" if self.is_percentage else ""
        return Amount(value=Decimal(repr(value)), currency=unit.currency if unit else None, shown=shown)

    @property
    def is_percentage(self) -> bool:
        """Whether the answer is a figure in percent, printed or calculated."""
        unit, understood = self.answer.unit, self.answer.understood
        if unit is not None and unit.measure is not None:
            return unit.measure == "percent"
        is_money = unit is not None and unit.currency is not None
        return not is_money and understood is not None and understood.dimension == "percent"

    @property
    def is_number(self) -> bool:
        """Whether the answer is a number."""
        value = self.answer.value
        return isinstance(value, int | float) and not isinstance(value, bool)


class ComparisonResult(Record):
    """The result of a comparison.

    Attributes:
        statements: the result and what led to it, one sentence or line each, the result first.
        used: positions of the parts on which the result is based.
        formula: of a planned calculation, in words; `in_figures` is the same with the figures.
    """

    value: Value = NOT_AVAILABLE
    kind: AnswerKind
    reason: Reason | None = None
    unit: Unit | None = None
    statements: tuple[str, ...] = ()
    used: tuple[int, ...] = ()
    formula: str | None = None
    in_figures: str = ""


class Undecided(Exception):  # ends the calculation and is always caught, so it is not an error for users
    """Ends the calculation with the reason why there is no result."""

    def __init__(self, reason: Reason, statement: str) -> None:
        super().__init__(statement)
        self.reason = reason
        self.statement = statement


def value_text(value: Value) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)

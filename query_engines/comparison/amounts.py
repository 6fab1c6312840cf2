"""What the sub-questions of a comparison answer: amounts in several currencies, and which answers can be used."""

import datetime as dt
import functools
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from query_engines.comparison.plan import Entity, Plan
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
    text = (Path(__file__).parent / "rough_rates.toml").read_text(encoding="utf-8")
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


_LEFT_OUT: dict[Reason, str] = {
    "not_disclosed": "the report does not disclose it",
    "not_found": "no answer was found on its pages that were read",
    "needs_reading": "its passages have to be read",
    "other_currency": "the report is in another currency",
    "other_period": "the report does not print it for that period",
    "later_than_reports": "no report as late as this is in the library",
    "company_unknown": "no company of this name is in the library",
    "company_ambiguous": "several companies fit this name",
    "unverified": "what was found could not be verified",
    "model_failed": "the question could not be answered",
}
_NAMED = 3  # of those left out, in the summary


class SubAnswers:
    """The parts of a comparison, those of them that can be used, and a line about each for the analysis.

    Attributes:
        usable: positions of the parts that can be used.
        lines: of the analysis, about each part and about the comparison.
    """

    def __init__(
        self, plan: Plan, parts: Sequence[Part], kind: AnswerKind, *, strict: bool, is_open: bool, needs_two: bool
    ) -> None:
        """Decide which parts can be used.

        Args:
            plan: of the comparison.
            parts: in the plan's order.
            kind: of the result.
            strict: leaves out amounts in another currency than the requested one.
            is_open: whether the question asks for no particular kind.
            needs_two: whether the only company with data is no answer to which of the named ones it is.
        """
        self.plan = plan
        self.parts = parts
        self.kind = kind
        self.is_open = is_open
        self.needs_two = needs_two
        self.lines: list[str] = []
        self.usable = [at for at, part in enumerate(parts) if self._is_usable(part, strict)]

    def pair(self) -> tuple[int, int]:
        """The positions of the two parts to compare; undecided where one has no data."""
        pair = self.plan.first, self.plan.second
        missing = [i for i in pair if i not in self.usable]
        if missing:
            reason = self.parts[missing[0]].answer.reason or "other_currency"
            raise Undecided(reason, f"Both are needed, and there is no data for {self.label(missing[0])}.")
        return pair

    def first_missing(self) -> Reason:
        """Why the first part without data has none."""
        missing = next(i for i in range(len(self.parts)) if i not in self.usable)
        return self.parts[missing].answer.reason or "other_currency"

    def needs_one_currency(self, positions: Sequence[int]) -> str | None:
        """The common currency of these parts; undecided where there are several."""
        found = sorted({c for i in positions if (c := self.parts[i].amount.currency)})
        if len(found) > 1:
            raise Undecided(
                "other_currency", f"In different currencies: {', '.join(found)}; nothing is converted."
            )
        return found[0] if found else None

    def unit(self, currency: str | None) -> Unit:
        """A unit, with the period end if it is the same for all."""
        ends = {p.answer.unit.period_end if p.answer.unit else None for p in self.parts if p.answer.is_available}
        end: dt.date | None = ends.pop() if len(ends) == 1 else None
        return Unit(currency=currency, period_end=end)

    def label(self, at: int) -> str:
        """The part's name in the question."""
        return self.parts[at].entity.label

    def result(
        self, value: Value, statement: str, *, unit: Unit | None = None, used: Sequence[int] | None = None
    ) -> ComparisonResult:
        """The result, with the analysis and the parts that were left out."""
        notes = (self.plan.note,) if self.plan.note else ()
        missing = [self.label(i) for i in range(len(self.parts)) if i not in self.usable]
        if missing and not self.plan.is_open:
            others = f" and {len(missing) - _NAMED} others" if len(missing) > _NAMED else ""
            statement += f" Left out: {', '.join(missing[:_NAMED])}{others}."
        rests_on = tuple(self.usable if used is None else used)
        return ComparisonResult(
            value=value, kind=self.kind, unit=unit, statements=(statement, *self.lines, *notes), used=rests_on
        )

    def _is_usable(self, part: Part, strict: bool) -> bool:
        label, answer, plan = part.entity.label, part.answer, self.plan
        if not answer.is_available:
            self.lines.append(f"{label}: left out, {_LEFT_OUT[answer.reason or 'not_found']}.")
            return False
        if plan.kind != "number":
            fits = isinstance(answer.value, bool) if plan.kind == "boolean" else True
            self.lines.append(f"{label}: {value_text(answer.value)}{_place(answer)}.")
            return fits
        if not part.is_number:
            self.lines.append(f"{label}: left out, {answer.value!r} is no number.")
            return False
        other = plan.currency and part.amount.currency not in (None, plan.currency)
        if other and strict:
            self.lines.append(
                f"{label}: left out, its report is in {part.amount.currency}, not in {plan.currency}."
            )
            return False
        label = f"{label} (not in {plan.currency})" if other else label
        self.lines.append(f"{label}: {part.amount}{_place(answer)}.")
        return True


def _place(answer: Answer) -> str:
    end = answer.unit.period_end if answer.unit else None
    pages = ", ".join(dict.fromkeys(str(c.page) for c in answer.citations))
    places = [f"period ended {end}" if end else "", f"page {pages}" if pages else ""]
    return f" ({', '.join(filter(None, places))})" if any(places) else ""

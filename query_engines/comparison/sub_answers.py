"""The answers of a comparison: which of them can be used, and what every result needs from them."""

import datetime as dt
from collections.abc import Sequence

from query_engines.comparison.amounts import ComparisonResult, Part, Undecided, value_text
from query_engines.comparison.plan import Plan
from storage.records.answers import Answer, Reason, Unit, Value
from storage.records.questions import AnswerKind

_LEFT_OUT: dict[Reason, str] = {
    "not_disclosed": "the report does not disclose it",
    "not_found": "it was not found in the report",
    "other_currency": "the report is in another currency",
    "other_period": "the report does not print it for that period",
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
        self, plan: Plan, parts: Sequence[Part], kind: AnswerKind, *, strict: bool, is_open: bool
    ) -> None:
        """Decide which parts can be used.

        Args:
            plan: of the comparison.
            parts: in the plan's order.
            kind: of the result.
            strict: leaves out amounts in another currency than the requested one.
            is_open: whether the question asks for no particular kind.
        """
        self.plan = plan
        self.parts = parts
        self.kind = kind
        self.is_open = is_open
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

    def unit(self, currency: str | None) -> Unit | None:
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

"""What goes into a comparison's decision, and what comes out of it."""

from decimal import Decimal

from query_engines.comparison.amounts import Amount
from query_engines.comparison.plan import Party
from storage.answers import NOT_AVAILABLE, Answer, Reason, Unit, Value
from storage.questions import AnswerKind
from storage.record import Record


class Part(Record):
    """A party with the answer about it."""

    party: Party
    answer: Answer

    @property
    def amount(self) -> Amount:
        """The answer as a number; only where it is one."""
        value = self.answer.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{self.party.label!r} was answered {value!r}, expected a number")
        return Amount(value=Decimal(repr(value)), currency=self.answer.unit.currency if self.answer.unit else None)

    @property
    def is_number(self) -> bool:
        """Whether the answer is a number."""
        value = self.answer.value
        return isinstance(value, int | float) and not isinstance(value, bool)


class Outcome(Record):
    """What a comparison comes to.

    Attributes:
        told: the result and what led to it, one sentence or line each, the result first.
        used: positions of the parts that the result rests on.
    """

    value: Value = NOT_AVAILABLE
    kind: AnswerKind
    reason: Reason | None = None
    unit: Unit | None = None
    told: tuple[str, ...] = ()
    used: tuple[int, ...] = ()


class Undecided(Exception):  # a way out of the arithmetic, not an error for anybody
    """Ends the decision with the reason why there is none."""

    def __init__(self, reason: Reason, told: str) -> None:
        super().__init__(told)
        self.reason = reason
        self.told = told


def told_value(value: Value) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)

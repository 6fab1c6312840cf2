"""Income tax as an expense, whichever sign a report prints it with.

Some subtract the line, "(52.3)", some take it away from what is printed plain, and one that shows a benefit first,
"Income tax benefit (expense)", prints an income without brackets. The results before and after it tell.
"""

import re
from collections.abc import Sequence
from decimal import Decimal

from storage.facts import Fact
from storage.periods import Period

_CLOSE = Decimal("0.002")  # of the largest of the three: rounding
_BENEFIT_FIRST = re.compile(
    r"\b(?:benefit|credit|recovery)\W{1,3}(?:expense|provision|charge)|\(expense\)", re.IGNORECASE
)


def with_tax_as_expense(facts: Sequence[Fact]) -> list[Fact]:
    """The facts with income tax positive where it lessens the result and negative where it adds to it."""
    by_place = {(fact.metric, fact.period): fact for fact in reversed(facts)}
    return [
        fact.model_copy(update={"value": -fact.value})
        if fact.metric == "income_tax" and _is_turned(fact, by_place)
        else fact
        for fact in facts
    ]


def _is_turned(tax: Fact, by_place: dict[tuple[str, Period | None], Fact]) -> bool:
    before, after = (by_place.get((metric, tax.period)) for metric in ("pretax_income", "net_income"))
    if before is not None and after is not None:
        close = _CLOSE * max(abs(before.value), abs(after.value), abs(tax.value))
        added = abs(before.value + tax.value - after.value) <= close
        taken = abs(before.value - tax.value - after.value) <= close
        if added != taken:
            return added
    return _BENEFIT_FIRST.search(tax.row_label) is not None

"""The bar chart of a comparison: lengths, worded. No Chainlit here."""

from app.chat.card_words import values_of
from indexes.company_names import name_key
from storage.answers import Answer
from storage.record import Record

FEWEST = 2


class Bar(Record):
    """One company's bar. `share` is its length, 1 for the greatest amount, whatever its sign."""

    label: str
    value: str
    share: float
    negative: bool
    leads: bool


class Bars(Record):
    """The chart. With `note` and no bars, it says why there is none."""

    bars: tuple[Bar, ...] = ()
    note: str = ""


def bars(answer: Answer) -> Bars | None:
    """The chart of a comparison's amounts, greatest first; None where there are not two to compare.

    Amounts in different currencies are not drawn beside each other.
    """
    numbers = [(part, part.value) for part in answer.parts if isinstance(part.value, float)]
    if len(numbers) < FEWEST:
        return None
    currencies = {part.unit.currency if part.unit else None for part, _ in numbers}
    if len(currencies) > 1:
        named = ", ".join(sorted(currency or "no currency" for currency in currencies))
        return Bars(note=f"The amounts are in different units ({named}), so they are not drawn side by side.")
    greatest = max(abs(value) for _, value in numbers) or 1.0
    leaders = leading(answer)
    return Bars(
        bars=tuple(
            Bar(
                label=part.company or "",
                value=values_of(part)[0],
                share=abs(value) / greatest,
                negative=value < 0,
                leads=(part.company or "") in leaders,
            )
            for part, value in sorted(numbers, key=lambda pair: -pair[1])
        )
    )


def leading(answer: Answer) -> frozenset[str]:
    """The companies that a comparison names, which it may have written shorter than they are called."""
    named = [name_key(value) for value in values_of(answer)]
    companies = [part.company for part in answer.parts if part.company]
    exact = frozenset(company for company in companies if name_key(company) in named)
    begun = [company for company in companies if any(name_key(company).startswith(f"{name} ") for name in named)]
    return exact or frozenset(begun if len(begun) == len(named) else ())

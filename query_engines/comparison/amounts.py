"""Amounts in one or several currencies, and which of two is surely the larger."""

import functools
import tomllib
from decimal import Decimal
from importlib import resources

from storage.record import Record


class Amount(Record):
    """A value in full units; `currency` is None for counts, percentages and what is printed without one."""

    value: Decimal
    currency: str | None = None

    def exceeds(self, other: "Amount") -> bool | None:
        """Whether it is larger; None where only a rate of exchange could tell."""
        if self.is_comparable(other):
            return self.value > other.value
        mine, its = self._in_dollars(), other._in_dollars()
        if mine is None or its is None:
            return None
        return True if mine[0] > its[1] else False if mine[1] < its[0] else None

    def is_comparable(self, other: "Amount") -> bool:
        """Whether no rate is needed between the two."""
        return self.currency is None or other.currency is None or self.currency == other.currency

    @property
    def about_in_dollars(self) -> Decimal:
        """For putting many in a rough order; an unknown currency counts as dollars."""
        ends = self._in_dollars() or (self.value, self.value)
        return sum(ends, Decimal(0)) / 2

    def _in_dollars(self) -> tuple[Decimal, Decimal] | None:
        """The least and the most that it can have been worth."""
        rates = _rough_rates().get(self.currency or "")
        if rates is None:
            return None
        ends = [self.value * rate for rate in rates]
        return min(ends), max(ends)

    def __str__(self) -> str:
        figure = f"{self.value:,f}"
        figure = figure.rstrip("0").rstrip(".") if "." in figure else figure
        return f"{figure} {self.currency}" if self.currency else figure


@functools.cache
def _rough_rates() -> dict[str, tuple[Decimal, Decimal]]:
    text = (resources.files("query_engines") / "comparison" / "rough_rates.toml").read_text(encoding="utf-8")
    return {code: (low, high) for code, (low, high) in tomllib.loads(text, parse_float=Decimal).items()}

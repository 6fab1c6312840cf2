"""Results that are calculated: differences, ratios, shares, sums and averages."""

from collections.abc import Sequence
from decimal import Decimal

from query_engines.comparison.amounts import Amount
from query_engines.comparison.outcome import Outcome, Undecided
from query_engines.comparison.plan import Relation
from query_engines.comparison.tally import Tally
from storage.answers import Value

_PAIRED: set[Relation] = {"difference", "growth", "ratio"}
_WHOLE: set[Relation] = {"share", "sum", "average"}  # of which nothing may be missing
_RATIO_DIGITS = Decimal("1e-6")


def number(tally: Tally) -> Outcome:
    """The figure that the relation makes of those of the parts."""
    plan = tally.plan
    used = tally.pair() if plan.relation in _PAIRED else tuple(tally.kept)
    if plan.relation in _WHOLE and len(used) < len(tally.parts):
        raise Undecided(tally.first_missing(), "Not known of all of them, so there is no total.")
    currency = tally.needs_one_currency(used)
    values = [tally.parts[i].amount.value for i in used]
    money: str | None = currency
    if plan.relation == "difference":
        found = abs(values[0] - values[1]) if plan.is_unsigned else values[0] - values[1]
        shown = f"{_shown(values[0])} - {_shown(values[1])}"
    elif plan.relation == "sum":
        found, shown = sum(values, Decimal(0)), " + ".join(map(_shown, values))
    elif plan.relation == "average":
        found = sum(values, Decimal(0)) / len(values)
        shown = f"({' + '.join(map(_shown, values))}) / {len(values)}"
    else:
        found, shown, money = *_quotient(tally, values), None
    told = f"{_heading(tally)}: {Amount(value=_rounded(found), currency=money)} ({shown})."
    value: Value = told if tally.kind == "text" else float(_rounded(found))
    if tally.kind in ("name", "comparative") and plan.relation == "difference":
        value = tally.label(used[0] if values[0] >= values[1] else used[1])
    return tally.outcome(value, told, unit=tally.unit(money), used=used)


def _quotient(tally: Tally, values: Sequence[Decimal]) -> tuple[Decimal, str]:
    relation = tally.plan.relation
    if relation == "share":
        top, bottom = tally.parts[tally.plan.first].amount.value, sum(values, Decimal(0))
    else:
        top, bottom = values[0] - (values[1] if relation == "growth" else 0), values[1]
    if bottom == 0 or (relation in ("growth", "share") and min(*values, bottom) < 0):
        raise Undecided("not_disclosed", f"A {relation} of {bottom:,f} has no meaning.")
    percent = relation in ("growth", "share") or tally.plan.is_percentage
    return top / bottom * (
        100 if percent else 1
    ), f"{_shown(top)} / {_shown(bottom)}{', in percent' if percent else ''}"


def _heading(tally: Tally) -> str:
    relation, subject = tally.plan.relation, tally.plan.subject
    if relation in _PAIRED:
        one, other = tally.label(tally.plan.first), tally.label(tally.plan.second)
        return f"{relation.capitalize()} of {subject}, {one} and {other}"
    return f"{relation.capitalize()} of {subject}"


def _shown(value: Decimal) -> str:
    figure = str(Amount(value=value))
    return f"({figure})" if value < 0 else figure


def _rounded(value: Decimal) -> Decimal:
    """A quotient's endless digits cut; sums and differences have none."""
    return value if value == value.to_integral_value() else value.quantize(_RATIO_DIGITS).normalize()

"""Results that are names: the highest or lowest, all in order, those of which something is true."""

from collections.abc import Sequence
from decimal import Decimal

from query_engines.comparison.amounts import Amount, Outcome, Part, Undecided, told_value
from query_engines.comparison.plan import Relation
from query_engines.comparison.tally import Tally
from storage.records.answers import Value


def extreme(tally: Tally) -> Outcome:
    """The highest or lowest, or the second or third of them."""
    plan, falling = tally.plan, tally.plan.relation == "highest"
    if len(tally.kept) == 1 and plan.place == 1 and len(tally.parts) > 1:
        return _named(tally, tally.kept, f"{tally.label(tally.kept[0])} is the only one with data to compare.")
    order = [_leaders(tally, falling=falling)] if plan.place == 1 else _ordered(tally, falling=falling)
    at = 0
    for group in order:
        at += len(group)
        if at >= plan.place:
            place = {1: "", 2: "second ", 3: "third "}[plan.place]
            names = " and ".join(tally.label(i) for i in group)
            tied = ", a tie" if len(group) > 1 else ""
            told = f"{names}: the {place}{plan.relation} of {len(tally.kept)} compared by {plan.subject}{tied}."
            return _named(tally, group, told)
    raise Undecided("not_found", f"Only {at} of them have data.")


def _named(tally: Tally, positions: Sequence[int], told: str) -> Outcome:
    """One name, or the names of a tie; where one name is asked for, the first in the question's order."""
    labels = tuple(tally.label(i) for i in sorted(positions))
    if tally.kind == "number":
        first = tally.parts[positions[0]].amount
        return tally.outcome(float(first.value), told, unit=tally.unit(first.currency))
    if tally.kind == "text":
        return tally.outcome(told, told)
    if tally.kind == "names" or (len(labels) > 1 and tally.is_open):
        return tally.outcome(labels, told).model_copy(update={"kind": "names"})
    told += f" One name is asked for: {labels[0]}, the first in the question." if len(labels) > 1 else ""
    return tally.outcome(labels[0], told)


def ranking(tally: Tally) -> Outcome:
    """All with data, in order."""
    order = _ordered(tally, falling=not tally.plan.rising)
    labels = tuple(tally.label(i) for group in order for i in group)
    end = "lowest" if tally.plan.rising else "highest"
    told = f"By {tally.plan.subject}, the {end} first: {', '.join(labels)}."
    value: Value = labels if tally.kind == "names" else labels[0] if tally.kind != "text" else told
    return tally.outcome(value, told)


def which(tally: Tally) -> Outcome:
    """Those of which it is true."""
    chosen = [i for i in tally.kept if tally.parts[i].answer.value is True]
    labels = tuple(tally.label(i) for i in chosen)
    if not chosen:
        raise Undecided("not_found", f"None of them {tally.plan.subject}.")
    told = f"{', '.join(labels)} {tally.plan.subject}."
    if tally.kind == "names":
        return tally.outcome(labels, told)
    if tally.kind == "text":
        return tally.outcome(told, told)
    if len(labels) > 1:
        raise Undecided("company_ambiguous", f"One name is asked for, and several {tally.plan.subject}: {told}")
    return tally.outcome(labels[0], told)


def _leaders(tally: Tally, *, falling: bool) -> list[int]:
    """Those that no other one beats; fails where a rate of exchange would decide between two of them."""
    amounts = {i: tally.parts[i].amount for i in tally.kept}
    ahead = {(i, j): _is_ahead(amounts[i], amounts[j], falling) for i in amounts for j in amounts if i != j}
    leaders = [i for i in amounts if not any(ahead[j, i] for j in amounts if j != i)]
    if any(ahead[i, j] is None for i in leaders for j in leaders if i != j):
        raise _needs_a_rate([amounts[i] for i in leaders])
    _tell_of_currencies(tally, list(amounts.values()))
    return leaders


def _ordered(tally: Tally, *, falling: bool) -> list[list[int]]:
    """Groups of equals, the first wanted first; fails where a rate of exchange would decide."""
    amounts = {i: tally.parts[i].amount for i in tally.kept}
    beaten: dict[int, list[int]] = {}
    for i, own in amounts.items():
        told = [_is_ahead(other, own, falling) for j, other in amounts.items() if j != i]
        if None in told:
            raise _needs_a_rate(list(amounts.values()))
        beaten.setdefault(sum(bool(t) for t in told), []).append(i)
    _tell_of_currencies(tally, list(amounts.values()))
    return [beaten[count] for count in sorted(beaten)]


def _needs_a_rate(amounts: Sequence[Amount]) -> Undecided:
    currencies = sorted({a.currency for a in amounts if a.currency})
    told = f"In different currencies ({', '.join(currencies)}), too close to each other: only a rate could tell."
    return Undecided("other_currency", told)


def _tell_of_currencies(tally: Tally, amounts: Sequence[Amount]) -> None:
    if len({a.currency for a in amounts if a.currency}) > 1:
        tally.lines.append("In different currencies; no rate since 2015 would change the result.")


def _is_ahead(one: Amount, other: Amount, falling: bool) -> bool | None:
    return one.exceeds(other) if falling else other.exceeds(one)


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


def is_more(tally: Tally) -> Outcome:
    """Whether the first has more, or less, than the second."""
    one, other = tally.pair()
    wants_more = tally.plan.relation == "more"
    first, second = tally.parts[one].amount, tally.parts[other].amount
    exceeds = first.exceeds(second) if wants_more else second.exceeds(first)
    if exceeds is None:
        raise Undecided("other_currency", "They are in different currencies; only a rate could tell.")
    sign = "more" if first.exceeds(second) else "less" if second.exceeds(first) else "as much"
    told = f"{tally.plan.subject}: {tally.label(one)} has {sign}, {first} against {second}."
    if tally.kind in ("name", "comparative"):
        return tally.outcome(tally.label(one if exceeds else other), told, used=(one, other))
    return tally.outcome(told if tally.kind == "text" else exceeds, told, used=(one, other))


def whether(tally: Tally) -> Outcome:
    """Whether it is true of all, or of any."""
    said = [tally.parts[i].answer.value is True for i in tally.kept]
    if tally.plan.relation == "all" and len(tally.kept) < len(tally.parts) and all(said):
        raise Undecided(tally.first_missing(), "Not known of all of them.")
    value = all(said) if tally.plan.relation == "all" else any(said)
    yes = [tally.label(i) for i in tally.kept if tally.parts[i].answer.value is True]
    told = f"{'Yes' if value else 'No'}: {', '.join(yes) or 'none'} of {len(tally.parts)}."
    return tally.outcome(told if tally.kind == "text" else value, told)


def each(tally: Tally) -> Outcome:
    """Every answer by itself."""
    said = [f"{tally.label(i)}: {_said_of(tally.parts[i])}" for i in tally.kept]
    told = "; ".join(said) + "."
    if tally.is_open:
        return tally.outcome(told, told).model_copy(update={"kind": "text"})
    if tally.kind == "names":
        return tally.outcome(tuple(said), told)
    if tally.kind in ("text", "comparative"):
        return tally.outcome(told, told)
    raise Undecided("company_ambiguous", f"One answer is asked for, and there are several: {told}")


def change(tally: Tally) -> Outcome:
    """How a quantity moved between two years."""
    one, other = tally.pair()
    later, earlier = tally.parts[one].amount, tally.parts[other].amount
    tally.needs_one_currency((one, other))
    moved = later.value - earlier.value
    word = "rose" if moved > 0 else "fell" if moved < 0 else "did not change"
    size = Amount(value=abs(moved), currency=later.currency)
    percent = f" ({moved / earlier.value * 100:+.1f}%)" if earlier.value > 0 else ""
    by = f" by {size}{percent}" if moved else ""
    told = (
        f"{tally.plan.subject[:1].upper()}{tally.plan.subject[1:]} {word}{by}: {earlier} in {tally.label(other)}, "
        f"{later} in {tally.label(one)}."
    )
    if tally.kind == "number":
        return tally.outcome(float(moved), told, unit=tally.unit(later.currency), used=(one, other))
    return tally.outcome(told, told, used=(one, other))


def _said_of(part: Part) -> str:
    return str(part.amount) if part.is_number else told_value(part.answer.value)

"""Results that are names: the highest or lowest, all in order, those of which something is true."""

from collections.abc import Sequence

from query_engines.comparison.amounts import Amount
from query_engines.comparison.outcome import Outcome, Undecided
from query_engines.comparison.tally import Tally
from storage.answers import Value


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

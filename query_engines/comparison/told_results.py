"""Results that are a yes or a no, or that are told in words."""

from query_engines.comparison.amounts import Amount
from query_engines.comparison.outcome import Outcome, Part, Undecided, told_value
from query_engines.comparison.tally import Tally


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

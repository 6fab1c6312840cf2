"""What follows from the answers about each party: pure arithmetic and choice, in Decimal."""

from collections.abc import Callable, Sequence

from query_engines.comparison import results
from query_engines.comparison.amounts import Outcome, Part, Undecided
from query_engines.comparison.plan import Plan, Relation
from query_engines.comparison.tally import Tally
from storage.records.answers import Reason
from storage.records.questions import AnswerKind

_MAKERS: dict[Relation, Callable[[Tally], Outcome]] = {
    "highest": results.extreme,
    "lowest": results.extreme,
    "ranking": results.ranking,
    "which": results.which,
    "more": results.is_more,
    "less": results.is_more,
    "all": results.whether,
    "any": results.whether,
    "each": results.each,
    "change": results.change,
    "difference": results.number,
    "growth": results.number,
    "ratio": results.number,
    "share": results.number,
    "sum": results.number,
    "average": results.number,
}


def decide(plan: Plan, parts: Sequence[Part], asked_kind: AnswerKind | None, *, strict: bool = True) -> Outcome:
    """What the parts come to.

    A party without an answer is left out, and said so; of one that is left, that one is the answer. Where the
    answer of a party failed for a technical reason, nothing is decided: that is not the same as no data.

    Args:
        plan: what is wanted of them.
        parts: in the plan's order.
        asked_kind: the kind that was asked for; None takes the plan's own.
        strict: leaves out what is in another currency than the asked one.
    """
    tally = Tally(plan, parts, plan.shape(asked_kind), strict=strict, is_open=asked_kind is None)
    try:
        if not parts:
            raise _nobody(plan)
        if any(part.answer.reason == "model_failed" for part in parts):
            raise Undecided("model_failed", "Not decided: one of the questions could not be answered.")
        if not tally.kept:
            raise Undecided(_common_reason(parts), "There is no data for any of them.")
        return _MAKERS[plan.relation](tally)
    except Undecided as undecided:
        return Outcome(kind=tally.kind, reason=undecided.reason, told=(undecided.told, *tally.lines))


def _common_reason(parts: Sequence[Part]) -> Reason:
    reasons = [part.answer.reason or "other_currency" for part in parts]
    return max(dict.fromkeys(reasons), key=reasons.count)


def _nobody(plan: Plan) -> Undecided:
    """Why no company was worth asking: figures are known, all of them in other currencies, or no event is."""
    if plan.kind == "number" and plan.currency:
        return Undecided("other_currency", f"None of the companies has it in {plan.currency}. {plan.note}".strip())
    return Undecided("not_found", f"None of the companies {plan.subject}. {plan.note}".strip())

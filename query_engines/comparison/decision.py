"""Computes the result of a comparison from the sub-answers, in Decimal."""

from collections.abc import Callable, Sequence

from query_engines.comparison import results
from query_engines.comparison.amounts import ComparisonResult, Part, Undecided
from query_engines.comparison.plan import Plan, Relation
from query_engines.comparison.sub_answers import SubAnswers
from storage.records.answers import Reason
from storage.records.questions import AnswerKind

_MAKERS: dict[Relation, Callable[[SubAnswers], ComparisonResult]] = {
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
    "trailing": results.number,
    "series": results.series,
    "compound_growth": results.compound_growth,
    "rising": results.moves,
    "falling": results.moves,
    "ever_rising": results.ever_moves,
    "ever_falling": results.ever_moves,
    "calculation": results.calculation,
}


def decide(
    plan: Plan, parts: Sequence[Part], requested_kind: AnswerKind | None, *, strict: bool = True
) -> ComparisonResult:
    """The result of the comparison.

    A company or year without an answer is left out, and the result says so. If only one is left, it is the result. If
    a sub-answer failed for a technical reason, there is no result: a failure does not mean that there is no data.

    Args:
        plan: of the comparison.
        parts: in the plan's order.
        requested_kind: the kind in the question; None means the plan's own.
        strict: leaves out amounts in another currency than the requested one.
    """
    answers = SubAnswers(plan, parts, plan.shape(requested_kind), strict=strict, is_open=requested_kind is None)
    try:
        if not parts:
            raise _nobody(plan)
        if any(part.answer.reason == "model_failed" for part in parts):
            raise Undecided("model_failed", "Not decided: one of the questions could not be answered.")
        if not answers.usable:
            raise Undecided(_common_reason(parts), "There is no data for any of them.")
        return _MAKERS[plan.relation](answers)
    except Undecided as undecided:
        return ComparisonResult(
            kind=answers.kind, reason=undecided.reason, statements=(undecided.statement, *answers.lines)
        )


def _common_reason(parts: Sequence[Part]) -> Reason:
    reasons = [part.answer.reason or "other_currency" for part in parts]
    return max(dict.fromkeys(reasons), key=reasons.count)


def _nobody(plan: Plan) -> Undecided:
    """Why no company was asked: all known figures are in other currencies, or no event is known."""
    if plan.kind == "number" and plan.currency:
        return Undecided("other_currency", f"None of the companies has it in {plan.currency}. {plan.note}".strip())
    return Undecided("not_found", f"None of the companies {plan.subject}. {plan.note}".strip())

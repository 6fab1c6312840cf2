"""Computes the result of a comparison from the sub-answers, in Decimal."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence

from query_engines.comparison import results
from query_engines.comparison.amounts import ComparisonResult, Part, SubAnswers, Undecided
from query_engines.comparison.plan import Plan, Relation
from storage.records.answers import Reason, SeriesFigure
from storage.records.questions import AnswerKind


def table(answers: SubAnswers) -> ComparisonResult:
    """A line for each company and metric, its figures in the order of the years; nothing is converted or filled in."""
    rows: dict[tuple[str, str], list[Part]] = {}
    for part in answers.parts:
        rows.setdefault((part.answer.company or part.entity.label, part.entity.metric), []).append(part)
    periods = [part.entity.period for part in answers.parts]
    is_one_company = len({company for company, _ in rows}) == 1
    shown = [
        f"{metric}{'' if is_one_company else f', {company}'}: {'; '.join(_cells(parts, periods))}"
        for (company, metric), parts in rows.items()
    ]
    notes = [*_other_currencies(answers), *_other_ends(answers)]
    text = " ".join([f"{'. '.join(shown)}.", *notes])
    found = answers.result(text, text)
    missing = len(answers.parts) - len(answers.usable)
    count = f"{len(answers.usable)} of {len(answers.parts)} figures were found." if missing else ""
    summary = " ".join(filter(None, [f"{answers.plan.subject}.", count, *notes]))
    return found.model_copy(update={"value": text, "statements": (summary, *found.statements[1:])})


def _cells(parts: Sequence[Part], periods: Sequence[str]) -> Iterator[str]:
    has_periods = len(set(periods)) > 1
    for part in parts:
        period = f"{part.entity.period} " if has_periods else ""
        yield f"{period}{part.amount if part.is_number else 'N/A'}"


def _other_currencies(answers: SubAnswers) -> Iterator[str]:
    """That the companies report in different currencies."""
    currencies = {answers.parts[i].amount.currency: "" for i in answers.usable if answers.parts[i].amount.currency}
    if len(currencies) > 1:
        yield f"In different currencies ({', '.join(sorted(map(str, currencies)))}); nothing is converted."


def _other_ends(answers: SubAnswers) -> Iterator[str]:
    """That the companies' years end on different days; a week's difference is the same end."""
    ends: dict[str, dt.date] = {}
    for i in answers.usable:
        answer = answers.parts[i].answer
        if answer.unit and answer.unit.period_end and answer.company:
            ends.setdefault(answer.company, answer.unit.period_end)
    days = [end.timetuple().tm_yday for end in ends.values()]
    if days and max(days) - min(days) > _SAME_END and _DAYS_OF_YEAR - max(days) + min(days) > _SAME_END:
        of_days: dict[str, list[str]] = {}
        for company, end in ends.items():
            of_days.setdefault(f"{end.day} {end:%B}", []).append(company)
        years = "; ".join(f"{_several(companies)} on {day}" for day, companies in of_days.items())
        yield f"Their years end on different days: {years}."


def _several(companies: Sequence[str]) -> str:
    return ", ".join(companies) if len(companies) <= _NAMED else f"{len(companies)} companies"


_NAMED = 3


_SAME_END, _DAYS_OF_YEAR = 10, 365


def series_of(plan: Plan, parts: Sequence[Part]) -> tuple[SeriesFigure, ...]:
    """The figures of a comparison in its order, missing ones with their reason; empty where it is about no figures."""
    if plan.kind != "number" or plan.calculation is not None or len(parts) < 2:  # one is no series
        return ()
    return tuple(_figure(part) for part in parts)


def _figure(part: Part) -> SeriesFigure:
    answer, entity = part.answer, part.entity
    metrics = answer.understood.metrics if answer.understood else ()
    return SeriesFigure(
        company=answer.company or entity.label,
        metric=entity.metric or next(iter(metrics), ""),
        column=entity.period or (str(entity.year) if entity.year else ""),
        period=answer.unit.period_end if answer.unit else None,
        value=answer.value if isinstance(answer.value, int | float) else "N/A",
        unit=answer.unit if part.is_number else None,
        citation=answer.citations[0] if part.is_number and answer.citations else None,
        reason=answer.reason,
    )


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
    "direction": results.direction,
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
    "table": table,
}


def decide(
    plan: Plan,
    parts: Sequence[Part],
    requested_kind: AnswerKind | None,
    *,
    strict: bool = True,
    needs_two: bool = False,
) -> ComparisonResult:
    """The result of the comparison.

    A company or year without an answer is left out, and the result says so. If only one is left, it is the result. If
    a sub-answer failed for a technical reason, there is no result: a failure does not mean that there is no data.

    Args:
        plan: of the comparison.
        parts: in the plan's order.
        requested_kind: the kind in the question; None means the plan's own.
        strict: leaves out amounts in another currency than the requested one.
        needs_two: the only company with data is no answer to which of the named ones it is.
    """
    kind, is_open = plan.shape(requested_kind), requested_kind is None
    answers = SubAnswers(plan, parts, kind, strict=strict, is_open=is_open, needs_two=needs_two)
    try:
        if not parts:
            raise _nobody(plan)
        if plan.relation != "table" and any(part.answer.reason == "model_failed" for part in parts):
            raise Undecided("model_failed", "Not decided: one of the questions could not be answered.")
        if not answers.usable:
            reason = _common_reason(parts, is_of_each=plan.kind is None)
            has_passages = reason == "needs_reading"
            raise Undecided(
                reason,
                "Their passages have to be read." if has_passages else "No figure was found for any of them.",
            )
        return _MAKERS[plan.relation](answers)
    except Undecided as undecided:
        return ComparisonResult(
            kind=answers.kind, reason=undecided.reason, statements=(undecided.statement, *answers.lines)
        )


def _common_reason(parts: Sequence[Part], *, is_of_each: bool) -> Reason:
    """The commonest reason; of several questions in one, that there is something to read where there is."""
    reasons = [part.answer.reason or "other_currency" for part in parts]
    if is_of_each and "needs_reading" in reasons:
        return "needs_reading"
    return max(dict.fromkeys(reasons), key=reasons.count)


def _nobody(plan: Plan) -> Undecided:
    """Why no company was asked: all known figures are in other currencies, or no event is known."""
    if plan.kind == "number" and plan.currency:
        return Undecided("other_currency", f"None of the companies has it in {plan.currency}. {plan.note}".strip())
    return Undecided("not_found", f"None of the companies fits. {plan.note}".strip())

"""What is told of a file of answers: the score, the pages, what it took, what went wrong."""

from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from app.answer_files import WrittenAnswer
from app.answer_json import PageRef
from app.scoring import Mark, ScoreReport, mark_answers, score
from app.truth_files import Truth, TruthValue
from storage.record import Record

Outcome = Literal["right", "part", "wrong", "missing"]


class ReferenceFigures(Record):
    """How well pages are cited, over the questions that have pages to cite.

    Attributes:
        precision: share of the cited pages that are right ones; None where no page is cited.
        recall: share of the pools of which a page is cited.
        cited, pools: how many of each.
    """

    precision: float | None
    recall: float
    cited: int
    pools: int


class AnswerFault(Record):
    """A question whose answer did not earn all of its value.

    Attributes:
        expected: any of them is right.
        given: None where there is no answer.
        reason: why it is N/A, where the file says it.
        wanted, cited: pages as report and page number.
    """

    question: str
    kind: str
    outcome: Outcome
    expected: tuple[TruthValue, ...]
    given: JsonValue
    reason: str | None
    wanted: tuple[PageRef, ...]
    cited: tuple[PageRef, ...]


class Evaluation(ScoreReport):
    """The score and what stands beside it.

    Attributes:
        references: None where the truth has no pages to cite.
        seconds_per_question, cost_usd_per_question: means over the answers whose file says it; None where none does.
    """

    references: ReferenceFigures | None
    seconds_per_question: float | None
    cost_usd_per_question: float | None


def evaluate(truth: Sequence[Truth], answers: Sequence[WrittenAnswer]) -> Evaluation:
    """Score answers and look at their pages and their price.

    Raises:
        UsageError: there is nothing to score.
    """
    scored = score(truth, answers)
    asked = {t.question for t in truth}
    taken = [answer for answer in answers if answer.question in asked]
    return Evaluation(
        **{name: getattr(scored, name) for name in ScoreReport.model_fields},
        references=_references(mark_answers(truth, answers)),
        seconds_per_question=_mean([a.seconds for a in taken]),
        cost_usd_per_question=_mean([a.cost_usd for a in taken]),
    )


def faults(truth: Sequence[Truth], answers: Sequence[WrittenAnswer]) -> tuple[AnswerFault, ...]:
    """The questions that did not earn all of their value, in the truth's order."""
    return tuple(_fault(mark) for mark in mark_answers(truth, answers) if mark.value < 1)


def outcome(mark: Mark) -> Outcome:
    """What became of a question, in one word; "part" is for some of several names."""
    if mark.value == 1:
        return "right"
    if mark.value > 0:
        return "part"
    return "wrong" if mark.is_answered else "missing"


def _fault(mark: Mark) -> AnswerFault:
    wanted = frozenset[PageRef]().union(*(mark.truth.pools or ()))
    return AnswerFault(
        question=mark.truth.question,
        kind=mark.truth.kind,
        outcome=outcome(mark),
        expected=mark.truth.answers,
        given=mark.answer.value if mark.answer else None,
        reason=mark.answer.reason if mark.answer else None,
        wanted=tuple(sorted(wanted)),
        cited=tuple(sorted(mark.answer.references)) if mark.answer else (),
    )


def _references(marks: Sequence[Mark]) -> ReferenceFigures | None:
    pooled = [(mark, mark.truth.pools) for mark in marks if mark.truth.pools]
    if not pooled:
        return None
    cited = right = found = 0
    for mark, pools in pooled:
        pages = mark.answer.references if mark.answer else frozenset[PageRef]()
        cited += len(pages)
        right += len(pages & frozenset[PageRef]().union(*pools))
        found += sum(not pages.isdisjoint(pool) for pool in pools)
    count = sum(len(pools) for _, pools in pooled)
    return ReferenceFigures(
        precision=right / cited if cited else None, recall=found / count, cited=cited, pools=count
    )


def _mean(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known else None

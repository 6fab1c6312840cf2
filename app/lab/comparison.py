"""The lab's comparison: a line for each variant, and every question with each variant's answer."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from app.evaluation.scoring import Evaluation, Mark, Outcome, evaluate, mark_answers, outcome
from app.evaluation.truth import Truth, TruthValue
from app.files.answer_json import PageRef
from app.files.answers import StepSeconds
from app.files.sheets import FileQuestion
from app.lab.asking import VariantAnswers
from storage.records.record import Record

# Intervals are drawn by bootstrap over the questions. Both variants of a difference are drawn with the same questions,
# so that what is hard for both does not hide it.
DRAWS, SEED = 4000, 1
_BOUNDS = (2.5, 97.5)  # percentiles


class Estimate(Record):
    """A mean over the questions, in points, with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def holds_zero(self) -> bool:
        """Whether a difference may be chance."""
        return self.low <= 0 <= self.high


class VariantResult(Record):
    """The results of one variant.

    Attributes:
        lacks: what it needs to run; empty where it ran.
        failed: how many questions failed, and the first error.
        evaluation: None where it did not run.
        score: with its interval; None where it did not run.
        against_first: the score less that of the first variant that ran, question by question; None for that one.
        step_seconds: the mean of each part of the work; None where the answers do not have them.
        asked: how many questions were asked in this run.
        warnings: what was missing while it ran.
        file: its answers.
    """

    name: str
    profile: str
    overrides: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    failed: int = 0
    first_error: str = ""
    evaluation: Evaluation | None = None
    score: Estimate | None = None
    against_first: Estimate | None = None
    step_seconds: StepSeconds | None = None
    asked: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    file: Path | None = None


class GivenAnswer(Record):
    """One variant's answer to one question.

    Attributes:
        outcome: None where no answer is known.
        value: None where the question failed.
        pages: the cited ones, as report and page number; `right_pages` are those in a pool.
    """

    outcome: Outcome | None
    value: JsonValue
    reason: str | None = None
    pages: tuple[PageRef, ...] = ()
    right_pages: tuple[PageRef, ...] = ()
    seconds: float | None = None


class QuestionRow(Record):
    """One question with the answers of all variants that ran, in their order.

    Attributes:
        expected: None where no answer is known.
    """

    question: str
    kind: str
    company: str | None
    expected: tuple[TruthValue, ...] | None
    wanted: tuple[PageRef, ...]
    given: tuple[GivenAnswer, ...]

    @property
    def differs(self) -> bool:
        """Whether the variants' values or outcomes differ."""
        return len({repr((answer.outcome, answer.value)) for answer in self.given}) > 1


class Comparison(Record):
    """The whole comparison."""

    questions: str
    truth: str
    count: int
    variants: tuple[VariantResult, ...]
    rows: tuple[QuestionRow, ...]

    @property
    def done(self) -> tuple[VariantResult, ...]:
        """The variants that ran."""
        return tuple(variant for variant in self.variants if variant.evaluation is not None)


def compare(
    questions: Sequence[FileQuestion],
    truth: Sequence[Truth],
    runs: Sequence[VariantAnswers],
    named: tuple[str, str],
) -> Comparison:
    """Score every variant over the same questions and compare them.

    Args:
        questions: the questions, each once.
        truth: the known answers to all or some of them.
        runs: the answers of the variants.
        named: the files of questions and truth, for people.

    Raises:
        UsageError: no question has a known answer that can be scored.
    """
    texts = {question.question.text for question in questions}
    known = [t for t in truth if t.question in texts]
    done = [run for run in runs if not run.lacks]
    return Comparison(
        questions=named[0],
        truth=named[1],
        count=len(questions),
        variants=tuple(_result(run, known, next(iter(done), run)) for run in runs),
        rows=tuple(_rows(questions, known, done)),
    )


def _result(run: VariantAnswers, known: Sequence[Truth], first: VariantAnswers) -> VariantResult:
    own, others = (points(mark_answers(known, one.answers)) for one in (run, first))
    return VariantResult(
        name=run.variant.name,
        profile=run.variant.profile,
        overrides=run.variant.overrides,
        lacks=run.lacks,
        failed=len(run.failed),
        first_error=run.failed[0].error if run.failed else "",
        evaluation=None if run.lacks else evaluate(known, run.answers),
        score=None if run.lacks else mean_with_interval(own),
        against_first=None if run.lacks or run is first else mean_with_interval(own - others),
        step_seconds=_mean_steps(run),
        asked=run.asked,
        seconds=run.seconds,
        warnings=run.warnings,
        file=run.file,
    )


def _mean_steps(run: VariantAnswers) -> StepSeconds | None:
    timed = [answer.step_seconds for answer in run.answers if answer.step_seconds]
    if not timed:
        return None
    parts = StepSeconds.model_fields
    return StepSeconds(**{part: sum(getattr(one, part) for one in timed) / len(timed) for part in parts})


def _rows(
    questions: Sequence[FileQuestion], known: Sequence[Truth], done: Sequence[VariantAnswers]
) -> list[QuestionRow]:
    truths = {t.question: t for t in known}
    given = [_given_answers(run, known) for run in done]
    rows = []
    for question in questions:
        text = question.question.text
        truth = truths.get(text)
        pools = truth.pools if truth and truth.pools else ()
        nothing = GivenAnswer(outcome="missing" if truth and truth.kind != "text" else None, value=None)
        rows.append(
            QuestionRow(
                question=text,
                kind=truth.kind if truth else question.question.kind or "",
                company=truth.company if truth else question.question.company,
                expected=truth.answers if truth else None,
                wanted=tuple(sorted(frozenset[PageRef]().union(*pools))),
                given=tuple(answers.get(text, nothing) for answers in given),
            )
        )
    return rows


def _given_answers(run: VariantAnswers, known: Sequence[Truth]) -> Mapping[str, GivenAnswer]:
    marks = {mark.truth.question: mark for mark in mark_answers(known, run.answers)}
    found = {}
    for answer in run.answers:
        mark = marks.get(answer.question)
        pools = mark.truth.pools if mark and mark.truth.pools else ()
        found[answer.question] = GivenAnswer(
            outcome=outcome(mark) if mark else None,
            value=answer.value,
            reason=answer.reason,
            pages=tuple(sorted(answer.references)),
            right_pages=tuple(sorted(answer.references & frozenset[PageRef]().union(*pools))),
            seconds=answer.seconds,
        )
    return found


def points(marks: Sequence[Mark]) -> NDArray[np.float64]:
    """The points of each question as the score counts them: of 150, or of 100 where a truth names no pages."""
    values = np.array([100.0 * mark.value for mark in marks])
    cited = [mark.references for mark in marks if mark.references is not None]
    return values + 50.0 * np.array(cited) if len(cited) == len(marks) else values


def mean_with_interval(points_of_questions: NDArray[np.float64]) -> Estimate:
    """The mean and its interval; the same figures always give the same interval.

    Raises:
        ValueError: there are no questions.
    """
    count = len(points_of_questions)
    if not count:
        raise ValueError("no questions to draw from")
    drawn = np.random.default_rng(SEED).integers(0, count, (DRAWS, count))
    low, high = np.percentile(points_of_questions[drawn].mean(axis=1), _BOUNDS)
    return Estimate(value=float(points_of_questions.mean()), low=float(low), high=float(high))

"""What a lab found: a line for each variant, and every question with what each variant made of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from app.evaluation.scoring import Evaluation, Outcome, evaluate, mark_answers, outcome
from app.evaluation.truth import Truth, TruthValue
from app.files.answer_json import PageRef
from app.files.questions import FileQuestion
from app.lab.asking import VariantAnswers
from storage.records.record import Record


class VariantResult(Record):
    """One variant.

    Attributes:
        lacks: why it was not asked; empty where it was.
        failed: how many questions got no answer, and the first error.
        evaluation: None where it was not asked.
        asked: questions put to it in this run.
        warnings: what it had to do without.
        file: its answers.
    """

    name: str
    profile: str
    overrides: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    failed: int = 0
    first_error: str = ""
    evaluation: Evaluation | None = None
    asked: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    file: Path | None = None


class GivenAnswer(Record):
    """What one variant said to one question.

    Attributes:
        outcome: None where nobody knows the answer.
        value: None where it failed.
        pages: cited, as report and page number; `right_pages` are those of a pool.
    """

    outcome: Outcome | None
    value: JsonValue
    reason: str | None = None
    pages: tuple[PageRef, ...] = ()
    right_pages: tuple[PageRef, ...] = ()
    seconds: float | None = None


class QuestionRow(Record):
    """One question through all variants that were asked, in their order.

    Attributes:
        expected: None where nobody knows the answer.
    """

    question: str
    kind: str
    company: str | None
    expected: tuple[TruthValue, ...] | None
    wanted: tuple[PageRef, ...]
    given: tuple[GivenAnswer, ...]

    @property
    def differs(self) -> bool:
        """Whether the variants gave different values, or fared differently."""
        return len({repr((answer.outcome, answer.value)) for answer in self.given}) > 1


class Comparison(Record):
    """All of it."""

    questions: str
    truth: str
    count: int
    variants: tuple[VariantResult, ...]
    rows: tuple[QuestionRow, ...]

    @property
    def done(self) -> tuple[VariantResult, ...]:
        """The variants that were asked."""
        return tuple(variant for variant in self.variants if variant.evaluation is not None)


def compare(
    questions: Sequence[FileQuestion],
    truth: Sequence[Truth],
    runs: Sequence[VariantAnswers],
    named: tuple[str, str],
) -> Comparison:
    """Score every variant over the same questions and lay them side by side.

    Args:
        questions: the questions, each once.
        truth: the known answers to them or some of them.
        runs: what the variants said.
        named: the files of questions and truth, for people.

    Raises:
        UsageError: none of the questions has a known answer that can be scored.
    """
    texts = {question.question.text for question in questions}
    known = [t for t in truth if t.question in texts]
    done = [run for run in runs if not run.lacks]
    return Comparison(
        questions=named[0],
        truth=named[1],
        count=len(questions),
        variants=tuple(_result(run, known) for run in runs),
        rows=tuple(_rows(questions, known, done)),
    )


def _result(run: VariantAnswers, known: Sequence[Truth]) -> VariantResult:
    return VariantResult(
        name=run.variant.name,
        profile=run.variant.profile,
        overrides=run.variant.overrides,
        lacks=run.lacks,
        failed=len(run.failed),
        first_error=run.failed[0].error if run.failed else "",
        evaluation=None if run.lacks else evaluate(known, run.answers),
        asked=run.asked,
        seconds=run.seconds,
        warnings=run.warnings,
        file=run.file,
    )


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

"""Putting all questions to one variant; what fails is told and stops nothing else."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.answer_files import WrittenAnswer
from app.assembly import build_client, build_fact_table
from app.batch import Answering, AnswerRun, FailedQuestion, parallel_questions
from app.client import Pageproof
from app.lab.kept_answers import KeptAnswers, answers_key
from app.lab.variants import Variant
from app.question_files import FileQuestion
from app.readiness import needs
from app.settings import Settings
from storage.answers import Answer
from storage.errors import PageproofError, SetupError
from storage.library import Library
from storage.paths import DataPaths
from storage.record import Record

OnAnswer = Callable[[Variant, int, int], None]
"""Called with the variant, how many of its questions are done, and how many there are."""


class VariantAnswers(Record):
    """What came of one variant.

    Attributes:
        lacks: why it could not be asked at all; empty where it could.
        asked: questions put to it this time; the others were answered by an earlier run.
        seconds: how long that took.
        warnings: what it had to do without.
        file: where its answers are kept, None where it could not be asked.
    """

    variant: Variant
    lacks: tuple[str, ...] = ()
    answers: tuple[WrittenAnswer, ...] = ()
    failed: tuple[FailedQuestion, ...] = ()
    asked: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    file: Path | None = None


class Asker:
    """Puts one set of questions to variants, one after the other."""

    def __init__(
        self,
        questions: Sequence[FileQuestion],
        paths: DataPaths,
        folder: Path,
        environment: Mapping[str, str],
        *,
        fresh: bool = False,
        on_answer: OnAnswer | None = None,
    ) -> None:
        self._questions = tuple(dict.fromkeys(questions))
        self._paths = paths
        self._folder = folder
        self._environment = environment
        self._fresh = fresh
        self._on_answer = on_answer

    def ask(self, variant: Variant, settings: Settings) -> VariantAnswers:
        """Answers of one variant, of this run and of earlier ones; never raises for what one variant lacks."""
        if lacks := needs(settings, self._environment):
            return VariantAnswers(variant=variant, lacks=lacks)
        try:
            client = build_client(settings, variant.profile, self._paths, f"lab {variant.name}")
        except SetupError as error:
            return VariantAnswers(variant=variant, lacks=(str(error),))
        with client:
            kept = KeptAnswers(
                self._folder, variant.name, answers_key(settings, client.companies()), fresh=self._fresh
            )
            try:
                run = self._run(variant, client, kept)
            except PageproofError as error:  # every question would end with it
                return VariantAnswers(variant=variant, lacks=(str(error),))
        if run.failed and len(run.failed) == len(self._questions):  # nothing kept, nothing answered
            return VariantAnswers(variant=variant, lacks=(run.failed[0].error,), failed=run.failed)
        return VariantAnswers(
            variant=variant,
            answers=kept.of(self._questions),
            failed=run.failed,
            asked=run.asked,
            seconds=run.seconds,
            warnings=(*self._warnings(settings), *_unasked(run)),
            file=kept.path,
        )

    def _run(self, variant: Variant, client: Pageproof, kept: KeptAnswers) -> AnswerRun:
        new = _New(tuple(question for question in self._questions if question not in kept), kept)
        before = len(self._questions) - len(new.pending)

        def on_answer(run: AnswerRun, _: int) -> None:
            self._tell(variant, before + run.asked)

        self._tell(variant, before)
        return client.run(Answering(client, new, parallel_questions(client.settings), on_answer).run())

    def _warnings(self, settings: Settings) -> tuple[str, ...]:
        table = build_fact_table(settings, self._paths)
        reports = [r for company in Library(self._paths.catalog).companies() for r in company.reports]
        lacking = sum(report not in table for report in reports)
        told = f"no facts of {lacking} of {len(reports)} reports are kept; run `pageproof ingest --until facts`"
        return (told,) if lacking else ()

    def _tell(self, variant: Variant, done: int) -> None:
        if self._on_answer is not None:
            self._on_answer(variant, done, len(self._questions))


class _New:
    """Keeps what a run answers; what failed is asked again the next time."""

    def __init__(self, pending: tuple[FileQuestion, ...], kept: KeptAnswers) -> None:
        self.pending = pending
        self._kept = kept

    def add(self, question: FileQuestion, answer: Answer, error: str | None = None) -> None:
        """Keep an answer that is one."""
        if error is None:
            self._kept.add(question, answer)


def _unasked(run: AnswerRun) -> tuple[str, ...]:
    return (f"{run.left} questions were not asked: {run.stopped}",) if run.left else ()

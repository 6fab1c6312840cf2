"""Putting all questions to one variant; what fails is told and stops nothing else."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from app.answer_files import WrittenAnswer
from app.assembly import build_desk, build_fact_table
from app.desk import Desk
from app.lab.kept_answers import KeptAnswers, answers_key
from app.lab.variants import Variant
from app.question_files import FileQuestion
from app.readiness import needs
from app.settings import Settings
from storage.errors import PageproofError, SetupError
from storage.library import Library
from storage.paths import DataPaths
from storage.record import Record

logger = logging.getLogger(__name__)
PARALLEL_WITHOUT_MODEL = 2
OnAnswer = Callable[[Variant, int, int], None]
"""Called with the variant, how many of its questions are done, and how many there are."""


class FailedQuestion(Record):
    """A question that got no answer, and why."""

    question: str
    error: str


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
        started = time.perf_counter()
        try:
            with build_desk(settings, variant.profile, self._paths, f"lab {variant.name}") as desk:
                kept = KeptAnswers(
                    self._folder, variant.name, answers_key(settings, desk.companies()), fresh=self._fresh
                )
                new = [question for question in self._questions if question not in kept]
                failed = desk.run(self._ask_all(variant, desk, new, kept))
        except SetupError as error:
            return VariantAnswers(variant=variant, lacks=(str(error),))
        if failed and len(failed) == len(self._questions):  # nothing kept, nothing answered: all for one reason
            return VariantAnswers(variant=variant, lacks=(failed[0].error,), failed=tuple(failed))
        return VariantAnswers(
            variant=variant,
            answers=kept.of(self._questions),
            failed=tuple(failed),
            asked=len(new),
            seconds=time.perf_counter() - started,
            warnings=self._warnings(settings),
            file=kept.path,
        )

    def _warnings(self, settings: Settings) -> tuple[str, ...]:
        table = build_fact_table(settings, self._paths)
        reports = [r for company in Library(self._paths.catalog).companies() for r in company.reports]
        lacking = sum(report not in table for report in reports)
        told = f"no facts of {lacking} of {len(reports)} reports are kept; run `pageproof ingest --until facts`"
        return (told,) if lacking else ()

    async def _ask_all(
        self, variant: Variant, desk: Desk, new: Sequence[FileQuestion], kept: KeptAnswers
    ) -> list[FailedQuestion]:
        places = asyncio.Semaphore(_parallel(desk.settings))
        failures: dict[FileQuestion, str] = {}
        done = len(self._questions) - len(new)
        self._tell(variant, done)

        async def one(question: FileQuestion) -> None:
            nonlocal done
            async with places:
                try:
                    kept.add(question, await desk.answer(question.question))
                except PageproofError as error:
                    failures[question] = str(error)
                except Exception as error:  # a defect in one variant must not cost the others their answers
                    logger.exception("%s: %r", variant.name, question.question.text)
                    failures[question] = f"a defect of Pageproof: {type(error).__name__}: {error}"
                done += 1
                self._tell(variant, done)

        await asyncio.gather(*map(one, new))
        return [FailedQuestion(question=q.question.text, error=failures[q]) for q in new if q in failures]

    def _tell(self, variant: Variant, done: int) -> None:
        if self._on_answer is not None:
            self._on_answer(variant, done, len(self._questions))


def _parallel(settings: Settings) -> int:
    return settings.llm.parallel if settings.answers.kind == "llm" else PARALLEL_WITHOUT_MODEL

"""Answering a file of questions: every question for itself, so that one that fails stops no other."""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from app import open_pageproof
from app.files.answers import AnswerWriter, refuse_loss
from app.files.questions import FileQuestion, read_question_file
from app.settings import Settings
from query_engines.llm.client import replies_of_a_question
from query_engines.question.wording import infer_kind
from storage.errors import (
    BudgetSpent,
    DamagedFile,
    MissingIndex,
    PageproofError,
    PromptTooLong,
    ProviderError,
    QuestionTooLong,
    SetupError,
    StaleIndex,
    UsageError,
)
from storage.process_memory import freeze_loaded_objects
from storage.records.answers import Answer, Usage
from storage.records.questions import LONGEST_QUESTION, Question
from storage.records.record import Record
from storage.stores.reply_journal import ReplyJournal

logger = logging.getLogger(__name__)
PARALLEL_WITHOUT_MODEL = 2


class FailedQuestion(Record):
    """A question without an answer, and why."""

    question: str
    error: str


class AnswerRun(Record):
    """What came of a file of questions.

    Attributes:
        run: its name in the run log, None where nothing is logged.
        asked: questions asked this time, each once; what an earlier run had answered is not among them.
        answered: of those, with an answer, N/A included.
        cached: of those, answered before and given again.
        left: questions that were not asked because the budget was spent.
        stopped: why some were left.
    """

    run: str | None = None
    asked: int = 0
    answered: int = 0
    cached: int = 0
    failed: tuple[FailedQuestion, ...] = ()
    left: int = 0
    stopped: str | None = None
    usage: Usage = Usage()
    seconds: float = 0.0

    @property
    def is_whole(self) -> bool:
        """Whether every question has an answer."""
        return not self.failed and not self.left


OnAnswer = Callable[[AnswerRun, int], None]
"""Called after each question with what came of the run so far, and how many questions it has."""


class AnswerFiles(Record):
    """A file of questions, and where its answers go.

    Attributes:
        resume: keep the answers that are in `out`, or that a stopped run has left beside it.
        force: replace them.
    """

    questions: Path
    out: Path
    resume: bool = False
    force: bool = False


def run_answers(
    files: AnswerFiles,
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    on_answer: OnAnswer | None = None,
) -> AnswerRun:
    """Answer every question and write the file.

    A question that fails stands in the file as N/A with its error and is asked again with `resume`.

    Raises:
        UsageError: a file cannot be read or written, something would be lost, or a setting is wrong.
        SetupError: what would fail every question: no key, nothing ingested, or nothing under these settings.
    """
    refuse_loss(files.questions, files.out, resume=files.resume, force=files.force)
    out, resume = files.out, files.resume
    read = read_question_file(files.questions)
    purpose = f"answer {files.questions.name}"
    with open_pageproof(profile, overrides=overrides, data=data, purpose=purpose) as client:
        writer = AnswerWriter(out, read.questions, resume=resume, grid=read.grid, pdf_of=client.pdf)
        days = client.settings.caches.replies_days
        replies = ReplyJournal(out.with_name(out.name + ".replies"), resume=resume, days=days)
        parallel = parallel_questions(client.settings)
        try:
            if writer.pending:
                client.warm_up()
                freeze_loaded_objects()
            done = client.run(Answering(client, writer, parallel, on_answer, replies).run())
        except PageproofError:
            writer.give_up()
            raise
        writer.finish()
        if not writer.pending:
            replies.remove()
    return done


class AnswerSink(Protocol):
    """Where the answers of a run go."""

    @property
    def pending(self) -> Sequence[FileQuestion]:
        """The questions to ask, in order."""
        ...

    def add(self, question: FileQuestion, answer: Answer, error: str | None = None) -> None:
        """Keep an answer, and why it is none where the question failed; called from one thread at a time each."""
        ...


class AnsweringClient(Protocol):
    """What a run needs of a client."""

    profile: str
    run_id: str | None

    async def aask(self, question: Question) -> Answer:
        """The answer to a question."""
        ...

    def has_indexes(self) -> bool:
        """Whether anything is published under its settings."""
        ...


class Answering:
    """One run over what is pending, so many questions at once. Everything happens on one event loop."""

    def __init__(
        self,
        client: AnsweringClient,
        sink: AnswerSink,
        parallel: int,
        on_answer: OnAnswer | None = None,
        replies: ReplyJournal | None = None,
    ) -> None:
        """With `replies`, what a model says to a question is kept there until its answer is."""
        self._client = client
        self._sink = sink
        self._parallel = parallel
        self._on_answer = on_answer
        self._replies = replies
        self._pending = sink.pending
        self._next = iter(self._pending)
        self._started = time.perf_counter()
        self._failed: dict[FileQuestion, FailedQuestion] = {}
        self._answered = self._cached = 0
        self._usage = Usage()
        self._stopped: BudgetSpent | None = None

    async def run(self) -> AnswerRun:
        """Ask everything.

        Raises:
            PageproofError: one that every question would end with; what is answered by then is in the journal.
        """
        workers = [asyncio.create_task(self._work()) for _ in range(self._parallel)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)  # nobody writes once this has ended
        in_order = tuple(self._failed[question] for question in self._pending if question in self._failed)
        return self._run_so_far().model_copy(update={"failed": in_order})

    async def _work(self) -> None:
        while self._stopped is None and (question := next(self._next, None)) is not None:
            with replies_of_a_question(self._replies) as replies:
                try:
                    await self._ask(question)
                except BudgetSpent as error:
                    self._stopped = error
                    return
                if self._on_answer:
                    self._on_answer(self._run_so_far(), len(self._pending))
                await asyncio.to_thread(replies.close)

    async def _ask(self, question: FileQuestion) -> None:
        """Ask one question and keep what comes of it."""
        try:
            answer = await self._client.aask(question.question)
        except BudgetSpent:
            raise
        except PageproofError as error:
            if await asyncio.to_thread(self._fails_every_question, error):
                raise
            await self._fail(question, error, " ".join(str(error).split()))
        except Exception as error:  # a defect in one question must not cost the others their answers
            reference = uuid.uuid4().hex[:8]
            logger.exception("defect %s in the question %r", reference, question.question.text)
            await self._fail(question, error, f"a defect of Pageproof (reference {reference}); see the log")
        else:
            await self._store(question, answer)

    async def _store(self, question: FileQuestion, answer: Answer) -> None:
        failed = answer.reason == "model_failed"
        error = f"the model gave no usable answer: {answer.analysis}" if failed else None
        await asyncio.to_thread(self._sink.add, question, answer, error)
        self._usage += answer.usage
        if error:
            self._failed[question] = FailedQuestion(question=question.question.text, error=error)
        else:
            self._answered += 1
            self._cached += answer.cached

    async def _fail(self, question: FileQuestion, error: Exception, message: str) -> None:
        given = question.question
        answer = Answer(
            question=given.text,
            kind=given.kind or infer_kind(given.text[:LONGEST_QUESTION]),
            company=given.company,
            reason="model_failed" if isinstance(error, ProviderError) else None,
            analysis=message,
            profile=self._client.profile,
        )
        await asyncio.to_thread(self._sink.add, question, answer, message)
        self._failed[question] = FailedQuestion(question=given.text, error=message)

    def _fails_every_question(self, error: PageproofError) -> bool:
        """Whether the next question would fail for the same reason: a key, a package, a model's name or address."""
        if isinstance(error, MissingIndex | StaleIndex | DamagedFile):
            try:
                return not self._client.has_indexes()
            except DamagedFile:  # the catalog
                return True
        return isinstance(error, SetupError | UsageError) and not isinstance(
            error, PromptTooLong | QuestionTooLong
        )

    def _run_so_far(self) -> AnswerRun:
        done = self._answered + len(self._failed)
        return AnswerRun(
            run=self._client.run_id if done else None,
            asked=done,
            answered=self._answered,
            cached=self._cached,
            failed=tuple(self._failed.values()),
            left=len(self._pending) - done,
            stopped=str(self._stopped) if self._stopped else None,
            usage=self._usage,
            seconds=time.perf_counter() - self._started,
        )


def parallel_questions(settings: Settings) -> int:
    """Twice as many questions as requests in flight: while some wait for the model, others search."""
    return 2 * settings.llm.parallel if settings.answers.kind == "llm" else PARALLEL_WITHOUT_MODEL

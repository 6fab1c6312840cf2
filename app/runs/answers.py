"""Answering a file of questions: every question for itself, so that one that fails stops no other."""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from app.assembly.client import Pageproof
from app.files.answers import SUBMISSION, AnswerWriter, Overwriting, refuse_loss
from app.files.figure_tables import Source, SourceOf, cited_source
from app.files.filled_books import would_lose
from app.files.headings import meaning_of
from app.files.questions import QuestionFile, read_question_file
from app.files.sheets import FileQuestion, Place, cell_name, row_name
from app.page_pictures import PagePictures, SafeDrawing
from app.settings import Settings, load_settings, uses_model
from pageproof import open_pageproof
from query_engines.llm.client import replies_of_a_question
from query_engines.llm.providers import Tokens, price_of, provider_of
from query_engines.options import model_name
from query_engines.question.wording import kind_in
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
from storage.records.answers import Answer, Citation, Usage
from storage.records.questions import LONGEST_QUESTION, Question
from storage.records.record import Record
from storage.stores.reply_journal import ReplyJournal

logger = logging.getLogger(__name__)
PARALLEL_WITHOUT_MODEL = 2
NOTHING = Overwriting()


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
        model: that was asked; None where none was.
        copied_to: the copy of the file of questions that was made before answers were written into it.
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
    model: str | None = None
    copied_to: Path | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every question has an answer."""
        return not self.failed and not self.left


OnAnswer = Callable[[AnswerRun, int], None]
"""Called after each question with what came of the run so far, and how many questions it has."""


class AnswerFiles(Record):
    """A file of questions as it was read, and where its answers go.

    Attributes:
        resume: keep the answers that are there, or that a stopped run has left.
        notes: what people should know before it is asked.
    """

    source: QuestionFile
    out: Path
    resume: bool = False
    notes: tuple[str, ...] = ()


def prepare_answers(questions: Path, out: Path | None, allowed: Overwriting = NOTHING) -> AnswerFiles:
    """Read the questions, and see that nothing of anybody's would be lost.

    Raises:
        UsageError: a file cannot be read, a heading or value is not understood, or something would be lost.
    """
    if out is None and not allowed.in_place:
        raise UsageError("say where the answers go: --out FILE, or --in-place for a workbook of questions")
    source = read_question_file(questions)
    target = out or questions
    refuse_loss(source, target, allowed)
    notes = list(source.notes)
    if source.is_book and target.suffix.lower() == ".xlsx" and (lost := would_lose(questions)):
        notes.append(f"{target} will lack {', '.join(lost)}; {questions} stays as it is")
    return AnswerFiles(source=source, out=target, resume=allowed.resume, notes=tuple(notes))


def _of_form(out: Path, profile: str, overrides: Sequence[str], data: Path | None) -> Sequence[str]:
    """The settings for a file of answers: a submission keeps to the challenge's rule where nobody chose another."""
    if out.suffix.lower() != SUBMISSION:
        return overrides
    is_chosen = "strictness" in load_settings(profile, overrides, data=data).answers.model_fields_set
    return overrides if is_chosen else (*overrides, "answers.strictness=strict")


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
        UsageError: a file cannot be written, or a setting is wrong.
        SetupError: what would fail every question: no key, nothing ingested, or nothing under these settings.
    """
    source, out, resume = files.source, files.out, files.resume
    overrides = _of_form(out, profile, overrides, data)
    with open_pageproof(profile, overrides=overrides, data=data, purpose=f"answer {source.path.name}") as client:
        pictures = PagePictures(client.paths, SafeDrawing())
        writer = AnswerWriter(
            out,
            source.questions,
            resume=resume,
            source=source,
            source_of=_sources_of(client),
            picture_of=pictures.png,
        )
        days = client.settings.caches.replies_days
        replies = ReplyJournal(out.with_name(out.name + ".replies"), resume=resume, days=days)
        parallel = parallel_questions(client.settings)
        try:
            if writer.pending:
                client.warm_up(reading=False)
                freeze_loaded_objects()
            done = client.run(Answering(client, writer, parallel, on_answer, replies).run())
        except PageproofError:
            writer.give_up()
            raise
        copy = writer.finish()
        if not writer.pending:
            replies.remove()
    model = model_name(client.settings.llm) if done.usage.requests else None
    return done.model_copy(update={"copied_to": copy, "model": model})


def _sources_of(client: Pageproof) -> SourceOf:
    """Names of reports, with links to their PDFs on this machine."""

    def source_of(cited: Citation) -> Source:
        link = f"{client.pdf(cited.report_sha1).absolute().as_uri()}#page={cited.page}"
        return cited_source(cited, client.report(cited.report_sha1), link)

    return source_of


class PlannedQuestion(Record):
    """What is understood of one question of a file."""

    place: str
    question: Question
    scale: int | None = None


class Estimate(Record):
    """What is understood of a file of questions, and what asking it would take.

    Attributes:
        carried: headings of columns that only go on to the answers.
        model: that would be asked; None without a model, where nothing is paid.
        requests, tokens: about so many; a request reads the pages that were found.
        cost_usd: about; None where the model's price is not known.
    """

    questions: tuple[PlannedQuestion, ...]
    carried: tuple[str, ...]
    notes: tuple[str, ...] = ()
    model: str | None = None
    requests: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0


PAGE_TOKENS, INSTRUCTION_TOKENS, REPLY_TOKENS = 1_000, 3_000, 700  # of an ordinary report, and of an answer


def estimate(questions: Path, profile: str, overrides: Sequence[str], data: Path | None) -> Estimate:
    """What would be asked of whom, and what a model would cost; nothing is asked.

    Raises:
        UsageError: the file cannot be read, or a setting is wrong.
    """
    settings, source = load_settings(profile, overrides, data=data), read_question_file(questions)
    places = source.places or (None,) * len(source.questions)
    planned = tuple(
        PlannedQuestion(place=_place_name(place, number), question=one.question, scale=one.scale)
        for number, (one, place) in enumerate(zip(source.questions, places, strict=True), 1)
    )
    carried = tuple(
        dict.fromkeys(name for columns in source.columns for name in columns if meaning_of(name) in _CARRIED)
    )
    found = Estimate(questions=planned, carried=carried, notes=source.notes)
    if not uses_model(settings):
        return found
    reranked = settings.retrieval.chunks if settings.rerank.kind == "llm" else 0
    batches = -(-reranked // settings.rerank.pages_per_request) if reranked else 0
    is_answered = settings.answers.kind == "llm"
    read = reranked + (settings.retrieval.pages if is_answered else 0)
    count = len(set(source.questions))
    requests = batches + is_answered
    tokens = Tokens(
        prompt=count * (read * PAGE_TOKENS + requests * INSTRUCTION_TOKENS),
        completion=count * requests * REPLY_TOKENS,
    )
    llm = settings.llm
    price = price_of(provider_of(llm), str(llm.model), llm.prompt_usd_per_million, llm.completion_usd_per_million)
    return found.model_copy(
        update={
            "model": model_name(llm),
            "requests": count * requests,
            "tokens": tokens.prompt + tokens.completion,
            "cost_usd": price.of(tokens) if price else None,
        }
    )


_CARRIED = (None, "other", "value")


def _place_name(place: Place | None, number: int) -> str:
    if place is None:
        return f"question {number}"
    return cell_name(place.sheet, place.row, place.column) if place.column else row_name(place.sheet, place.row)


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
            kind=given.kind or kind_in(given.text[:LONGEST_QUESTION]),
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

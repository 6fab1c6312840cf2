"""The lab's variants: their settings, their stored answers, and running the unanswered questions."""

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from app.assembly import build_client, build_fact_table, build_prompts
from app.assembly.client import Pageproof
from app.files.answer_json import Row, answer_json
from app.files.answers import StepSeconds, WrittenAnswer, written_answers
from app.files.questions import read_text
from app.files.sheets import FileQuestion
from app.readiness import needs
from app.runs.answers import Answering, AnswerRun, FailedQuestion, parallel_questions
from app.settings import DEFAULT_PROFILE, Settings, load_settings, profiles
from query_engines.events import Event, StepFinished, StepKind, StepStarted, listening
from storage.errors import PageproofError, SetupError, UsageError
from storage.files import digest, write_atomically
from storage.paths import DataPaths
from storage.records.answers import Answer
from storage.records.questions import Question
from storage.records.record import Record
from storage.records.reports import Company
from storage.stores.library import Library

_AFRESH = "answers.cache=false"  # a cached answer would have no time and cost of its own


class Variant(Record):
    """A profile with settings on top of it; its name is the text that was typed."""

    name: str
    profile: str
    overrides: tuple[str, ...] = ()

    def settings(self, common: Sequence[str] = ()) -> Settings:
        """The variant's settings, on top of those that all variants share.

        Raises:
            UsageError: the profile or a setting is unknown; the message names the variant.
        """
        try:
            return load_settings(self.profile, [_AFRESH, *common, *self.overrides])
        except UsageError as error:
            raise UsageError(f"--variant {self.name!r}: {error}") from error


def parse_variant(text: str, profile: str = DEFAULT_PROFILE) -> Variant:
    """A variant from "profile", "profile,section.key=value,…" or settings alone, over `profile`.

    Raises:
        UsageError: a part after the profile is not a setting.
    """
    first, *rest = (part.strip() for part in text.split(","))
    chosen, overrides = (profile, [first, *rest]) if "=" in first else (first, rest)
    for part in overrides:
        if "=" not in part:
            raise UsageError(f"--variant {text!r}: {part!r} is no setting; expected section.key=value")
    return Variant(name=", ".join([chosen, *overrides]), profile=chosen, overrides=tuple(overrides))


def variants_named(
    texts: Sequence[str], all_profiles: bool, profile: str = DEFAULT_PROFILE
) -> tuple[Variant, ...]:
    """The given variants, each once; with `all_profiles`, followed by every profile.

    Raises:
        UsageError: there are none, or one is invalid.
    """
    named = [parse_variant(text, profile) for text in texts]
    named += [Variant(name=p.name, profile=p.name) for p in profiles()] if all_profiles else []
    if not named:
        raise UsageError("nothing to compare: give --variant, several times, or --all-profiles")
    return tuple({variant.name: variant for variant in reversed(named)}.values())[::-1]


_HOME = Path(__file__).parents[2]
_ROOMS = ("storage", "prompts", "indexes", "query_engines")  # on which an answer depends besides the settings
_DATA = (".py", ".toml", ".txt", ".md")
_ROW: TypeAdapter[Row] = TypeAdapter(Row)


def answers_key(settings: Settings, library: Sequence[Company]) -> str:
    """Twelve hex digits that change with everything that may change an answer: settings, prompts, library, program."""
    known = [company.model_dump(mode="json") for company in library]
    prompts = build_prompts(settings).model_dump(mode="json")
    return digest([settings.model_dump(mode="json"), prompts, known, metadata.version("pageproof"), _program()])


class StoredAnswers:
    """A `.jsonl` file to which answers are added as they come; `pageproof evaluate` can read it, too."""

    def __init__(self, folder: Path, name: str, key: str, *, fresh: bool = False) -> None:
        """Read the stored answers.

        Args:
            folder: of the files of all variants.
            name: of the variant, for people.
            key: of everything that the answers depend on; the file is found by it alone.
            fresh: delete the stored answers.

        Raises:
            UsageError: the folder cannot be written, or the file has another form.
        """
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
        self.path = next(iter(sorted(folder.glob(f"*-{key}.jsonl"))), folder / f"{slug}-{key}.jsonl")
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if fresh:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"{folder}: cannot be written: {error.strerror}") from error
        self._rows: dict[str, Row] = dict(self._read()) if self.path.exists() else {}

    def __contains__(self, question: FileQuestion) -> bool:
        return _question_key(question) in self._rows

    def add(self, question: FileQuestion, answer: Answer, step_seconds: StepSeconds | None) -> None:
        """Store an answer and what its parts took. Safe for several threads."""
        row = answer_json(answer) | {"question": question.question.text, "asked": _question_key(question)}
        row["step_seconds"] = step_seconds.model_dump() if step_seconds else None
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            self._rows[_question_key(question)] = row
            file.write(json.dumps(row) + "\n")  # ASCII: half a line is never half a letter

    def of(self, questions: Sequence[FileQuestion]) -> tuple[WrittenAnswer, ...]:
        """The answers to these questions for scoring; questions without an answer are left out."""
        rows = [self._rows[_question_key(question)] for question in questions if question in self]
        return written_answers(rows, self.path)

    def _read(self) -> list[tuple[str, Row]]:
        whole, newline, half = read_text(self.path).rpartition("\n")
        if half:  # a killed run left an incomplete line; the next line must not be joined to it
            write_atomically(self.path.absolute(), (whole + newline).encode())
        lines = whole.split("\n") if whole else []
        try:
            rows = [_ROW.validate_json(line) for line in lines]
            return [(str(row["asked"]), row) for row in rows]
        except (ValidationError, KeyError) as error:
            raise UsageError(f"{self.path}: is no file of kept answers; remove it, or give --fresh") from error


def _question_key(question: FileQuestion) -> str:
    """The key of a question: text, kind, company and currency."""
    return digest(question.question.model_dump())


def _program() -> str:
    files = (path for room in _ROOMS for path in sorted((_HOME / room).rglob("*")))
    return digest([digest(path.read_text(encoding="utf-8")) for path in files if path.suffix in _DATA])


OnAnswer = Callable[[Variant, int, int], None]
"""Called with the variant, how many of its questions are done, and how many there are."""


class VariantAnswers(Record):
    """The answers of one variant.

    Attributes:
        lacks: what it needs to run; empty where it could run.
        asked: how many questions were asked this time; the others were answered by an earlier run.
        seconds: how long that took.
        warnings: what was missing while it ran.
        file: of its answers; None where it could not run.
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
    """Asks variants one set of questions, one variant after the other."""

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
        """The answers of one variant, of this run and of earlier ones. A variant that cannot run raises no error."""
        if lacks := needs(settings, self._environment):
            return VariantAnswers(variant=variant, lacks=lacks)
        try:
            client = build_client(settings, variant.profile, self._paths, f"lab {variant.name}")
        except SetupError as error:
            return VariantAnswers(variant=variant, lacks=(str(error),))
        with client:
            stored = StoredAnswers(
                self._folder, variant.name, answers_key(settings, client.companies()), fresh=self._fresh
            )
            try:
                run = self._run(variant, client, stored)
            except PageproofError as error:  # every question would fail with it
                return VariantAnswers(variant=variant, lacks=(str(error),))
        if run.failed and len(run.failed) == len(self._questions):  # no stored answers, none answered
            return VariantAnswers(variant=variant, lacks=(run.failed[0].error,), failed=run.failed)
        return VariantAnswers(
            variant=variant,
            answers=stored.of(self._questions),
            failed=run.failed,
            asked=run.asked,
            seconds=run.seconds,
            warnings=(*self._warnings(settings), *_not_asked(run)),
            file=stored.path,
        )

    def _run(self, variant: Variant, client: Pageproof, stored: StoredAnswers) -> AnswerRun:
        new = _New(tuple(question for question in self._questions if question not in stored), stored)
        before = len(self._questions) - len(new.pending)

        def on_answer(run: AnswerRun, _: int) -> None:
            self._report_progress(variant, before + run.asked)

        self._report_progress(variant, before)
        return client.run(
            Answering(_Timed(client, new), new, parallel_questions(client.settings), on_answer).run()
        )

    def _warnings(self, settings: Settings) -> tuple[str, ...]:
        table = build_fact_table(settings, self._paths)
        reports = [r for company in Library(self._paths.catalog).companies() for r in company.reports]
        lacking = sum(report not in table for report in reports)
        warning = f"no facts of {lacking} of {len(reports)} reports are kept; run `pageproof ingest --until facts`"
        return (warning,) if lacking else ()

    def _report_progress(self, variant: Variant, done: int) -> None:
        if self._on_answer is not None:
            self._on_answer(variant, done, len(self._questions))


class _New:
    """Stores the answers of a run; failed questions are asked again the next time."""

    def __init__(self, pending: tuple[FileQuestion, ...], stored: StoredAnswers) -> None:
        self.pending = pending
        self.step_seconds: dict[Question, StepSeconds] = {}
        self._stored = stored

    def add(self, question: FileQuestion, answer: Answer, error: str | None = None) -> None:
        """Store an answer, unless the question failed."""
        if error is None:
            self._stored.add(question, answer, self.step_seconds.get(question.question))


_PART_OF: Mapping[StepKind, str] = {"answer": "answer", "verification": "checks"}  # all other steps search


class _StepTimes:
    """Adds up what the steps of one question took, each without the steps inside it."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(StepSeconds.model_fields, 0.0)
        self._running: dict[int, StepStarted] = {}
        self._inside: dict[int, float] = {}

    @property
    def seconds(self) -> StepSeconds:
        """What has been added up so far."""
        return StepSeconds(**self._seconds)

    def __call__(self, event: Event) -> None:
        if isinstance(event, StepStarted):
            self._running[event.step_id] = event
        elif isinstance(event, StepFinished):
            started = self._running.pop(event.step_id)
            own = event.seconds - self._inside.pop(event.step_id, 0.0)
            self._seconds[_PART_OF.get(started.kind, "search")] += max(0.0, own)
            if started.parent_id is not None:
                self._inside[started.parent_id] = self._inside.get(started.parent_id, 0.0) + event.seconds


class _Timed:
    """A client that notes what the parts of each answer took."""

    def __init__(self, client: Pageproof, new: _New) -> None:
        self.profile = client.profile
        self.run_id = client.run_id
        self._client = client
        self._new = new

    async def aask(self, question: Question) -> Answer:
        """The client's answer."""
        times = _StepTimes()
        with listening(times):
            answer = await self._client.aask(question)
        self._new.step_seconds[question] = times.seconds
        return answer

    def has_indexes(self) -> bool:
        """Whether anything is published under the client's settings."""
        return self._client.has_indexes()


def _not_asked(run: AnswerRun) -> tuple[str, ...]:
    return (f"{run.left} questions were not asked: {run.stopped}",) if run.left else ()

"""The run log: every question and its answer, by run."""

import datetime as dt
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self, TypeVar

from pydantic import ValidationError

from storage.errors import DamagedFile, UsageError
from storage.options import Limit
from storage.records.answers import Answer, Check, Reason, Unit, Usage, Value
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record
from storage.stores.database import Database
from storage.stores.pruning import ROOM, CacheState

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, started TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL REFERENCES run(id), content TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entry_run ON entry(run);
CREATE TABLE IF NOT EXISTS opinion (answer TEXT PRIMARY KEY, run TEXT NOT NULL, content TEXT NOT NULL);
"""
LATEST = "latest"
Entry = TypeVar("Entry", bound=Record)


class Run(Record):
    """The questions that one client was asked from opening to closing.

    Attributes:
        id: sorts by time; unique without any coordination between processes.
        purpose: what the client was opened for: ask, answer and its file, chat, or a program.
        settings: those that differ from the defaults, as typed after --set; never a provider's key.
        model: its name and address; None where no model is used.
    """

    id: str
    started: dt.datetime
    purpose: str
    profile: str
    settings: dict[str, str]
    model: str | None = None

    @classmethod
    def begin(cls, purpose: str, profile: str, settings: dict[str, str], model: str | None) -> Self:
        """A new run that starts now."""
        now = dt.datetime.now(dt.UTC).replace(microsecond=0)
        name = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        return cls(id=name, started=now, purpose=purpose, profile=profile, settings=settings, model=model)


class LoggedPage(Record):
    """A cited page, 1-based."""

    report_sha1: str
    file: str
    page: int


class LoggedAnswer(Record):
    """One question of a run, with its answer or its error.

    Attributes:
        question: with the kind and the company as given; None where they were left open.
        error: why there is no answer; a value of N/A without it is an answer.
        cached: the answer came from the cache, and no model was used this time.
    """

    at: dt.datetime
    question: Question
    kind: AnswerKind | None = None
    company: str | None = None
    value: Value | None = None
    unit: Unit | None = None
    reason: Reason | None = None
    pages: tuple[LoggedPage, ...] = ()
    checks: tuple[Check, ...] = ()
    summary: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt_version: str = ""
    cached: bool = False
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the question has no answer: an error, or a model that did not fill in the form."""
        return self.error is not None or self.reason == "model_failed"

    @classmethod
    def of(cls, question: Question, answer: Answer) -> Self:
        """The entry for an answer that was just given."""
        cited = dict.fromkeys((c.report_sha1, c.file, c.page) for c in answer.citations)
        return cls(
            at=dt.datetime.now(dt.UTC),
            question=question,
            kind=answer.kind,
            company=answer.company,
            value=answer.value,
            unit=answer.unit,
            reason=answer.reason,
            pages=tuple(LoggedPage(report_sha1=sha1, file=file, page=page) for sha1, file, page in cited),
            checks=answer.checks,
            summary=answer.summary,
            usage=answer.usage,
            seconds=answer.seconds,
            prompt_version=answer.prompt_version,
            cached=answer.cached,
        )

    @classmethod
    def failure(cls, question: Question, error: str, seconds: float) -> Self:
        """The entry for a question that has just failed."""
        now = dt.datetime.now(dt.UTC)
        return cls(at=now, question=question, kind=question.kind, error=error, seconds=seconds)


class LoggedOpinion(Record):
    """A person's latest feedback in the chat on one answer of a run."""

    at: dt.datetime
    question: Question
    helpful: bool
    comment: str = ""


class RunLog:
    """Runs and their questions in one SQLite file. Processes that write at once wait for each other."""

    def __init__(self, path: Path) -> None:
        self.database = Database(path, _SCHEMA, outlives_power_cuts=False)

    def append(self, run: Run, entry: LoggedAnswer) -> None:
        """Add a question to a run. A run appears in the log with its first question.

        A damaged log is set aside, and a new one begun.
        """
        self.database.renewed(lambda: self._append(run, entry))

    def _append(self, run: Run, entry: LoggedAnswer) -> None:
        with self.database.writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO run VALUES (?, ?, ?)",
                (run.id, run.started.isoformat(), run.model_dump_json()),
            )
            connection.execute("INSERT INTO entry (run, content) VALUES (?, ?)", (run.id, entry.model_dump_json()))

    def note(self, run_id: str, answer_id: str, opinion: LoggedOpinion | None) -> None:
        """Store a person's feedback on an answer, in place of earlier feedback; None removes it."""
        with self.database.writing() as connection:
            connection.execute("DELETE FROM opinion WHERE answer = ?", (answer_id,))
            if opinion is not None:
                values = (answer_id, run_id, opinion.model_dump_json())
                connection.execute("INSERT INTO opinion VALUES (?, ?, ?)", values)

    def opinions(self, run: Run) -> tuple[LoggedOpinion, ...]:
        """The feedback on a run's answers, earliest first."""
        rows = self._rows("SELECT content FROM opinion WHERE run = ? ORDER BY rowid", (run.id,))
        return tuple(self._read(LoggedOpinion, content) for (content,) in rows)

    def runs(self) -> tuple[Run, ...]:
        """Every run, the latest first."""
        return tuple(self._read(Run, content) for (content,) in self._rows(_RUNS))

    def run(self, name: str) -> Run:
        """The run whose id begins with this text; "latest" is the one that began last.

        Raises:
            UsageError: no run or several runs fit.
        """
        runs = self.runs()
        found = list(runs[:1]) if name == LATEST else [run for run in runs if run.id.startswith(name)]
        if len(found) != 1:
            what = f"{len(found)} runs begin with" if found else "there is no run"
            raise UsageError(f"{what} {name!r}; `pageproof runs` lists them")
        return found[0]

    def entries(self, run: Run) -> tuple[LoggedAnswer, ...]:
        """A run's questions in the order of their answers."""
        rows = self._rows("SELECT content FROM entry WHERE run = ? ORDER BY number", (run.id,))
        return tuple(self._read(LoggedAnswer, content) for (content,) in rows)

    def state(self) -> CacheState:
        """What the log takes; an entry is a question, and the oldest is the first."""
        if not self.database.exists():
            return CacheState(bytes=0, entries=0)
        with self.database.reading() as connection:
            count, oldest = connection.execute(f"SELECT COUNT(*), MIN({_AT}) FROM entry").fetchone()
        moment = dt.datetime.fromisoformat(oldest) if oldest else None
        return CacheState(bytes=self.database.bytes_on_disk(), entries=count, oldest=moment)

    def prune(self, limit: Limit, now: float) -> int:
        """Remove whole runs: those whose last question is too old, then the earliest until the rest is in its size.

        Returns:
            How many runs went.
        """
        if not self.database.exists():
            return 0
        gone = self._remove(lambda last, _: last.timestamp() < limit.oldest(now))
        if (used := self.database.used_bytes()) > limit.bytes:
            allowed = ROOM * limit.bytes / used
            gone += self._remove(lambda _, share: share > allowed)
        self.database.compact()
        return gone

    def _remove(self, is_surplus: Callable[[dt.datetime, float], bool]) -> int:
        """Remove runs, by the time of a run's last question and the share of the log that it and all later ones are."""
        with self.database.writing() as connection:
            runs = connection.execute(_BY_LAST_QUESTION).fetchall()
            total = sum(length for _, _, length in runs)
            gone, later = [], 0
            for run, last, length in runs:
                later += length
                if is_surplus(dt.datetime.fromisoformat(last), later / total):
                    gone.append((run,))
            for table, column in (("entry", "run"), ("opinion", "run"), ("run", "id")):
                connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", gone)
        return len(gone)

    def _read(self, form: type[Entry], content: str) -> Entry:
        try:
            return form.model_validate_json(content)
        except ValidationError as error:
            raise DamagedFile(
                f"the run log {self.database.path} has an entry that this version of Pageproof cannot read; "
                "use the version that wrote it, or move the file away, and a new one is begun"
            ) from error

    def _rows(self, query: str, values: Sequence[str] = ()) -> list[tuple[str]]:
        if not self.database.path.exists():  # reading does not create the file
            return []
        try:
            with self.database.reading() as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise DamagedFile(
                f"the run log {self.database.path} is damaged ({error}); run `pageproof repair`, a new one is begun"
            ) from error


_AT = "json_extract(content, '$.at')"
_BY_LAST_QUESTION = (
    f"SELECT run, MAX({_AT}) AS last, SUM(LENGTH(content)) FROM entry GROUP BY run ORDER BY last DESC"
)
_RUNS = "SELECT content FROM run ORDER BY started DESC, rowid DESC"

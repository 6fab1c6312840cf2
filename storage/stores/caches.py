"""Three caches in SQLite, so that only new work costs anything: vectors, answers, tables written by a model."""

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from storage.options import SECONDS_PER_DAY, Limit
from storage.records.answers import Answer
from storage.records.pages import TableText
from storage.records.record import Record
from storage.stores.database import Column, Database
from storage.stores.pruning import CacheState, Clock, TimedTable


class _Cache:
    """Rows that can be made again, each with the time of its last use, in one SQLite file of their own.

    Several processes may use it at once. A damaged file is set aside, and a new one begun.
    """

    def __init__(self, database: Database, rows: TimedTable, clock: Clock) -> None:
        self.database = database
        self._rows = rows
        self._clock = clock

    def state(self) -> CacheState:
        """What the cache takes."""
        return self._rows.state()

    def prune(self, limit: Limit, now: float) -> int:
        """Remove the rows that were not used for too long, and those used longest ago of too many; how many went."""
        return self.database.renewed(lambda: self._rows.prune(limit, now))


Cache = TypeVar("Cache", bound=_Cache)
Given = ParamSpec("Given")
Found = TypeVar("Found")


def _renewing(work: Callable[Concatenate[Cache, Given], Found]) -> Callable[Concatenate[Cache, Given], Found]:
    """A method that goes on with a new file where it finds a damaged one."""

    @wraps(work)
    def renewing(cache: Cache, /, *given: Given.args, **named: Given.kwargs) -> Found:
        return cache.database.renewed(lambda: work(cache, *given, **named))

    return renewing


_TABLE_TEXTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS table_text (
    key TEXT PRIMARY KEY, content TEXT NOT NULL, used_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS table_text_used ON table_text(used_at);
"""
_NOTED_AFTER = SECONDS_PER_DAY  # a use is written down once a day, not each time


_TEXTS = TypeAdapter(tuple[TableText, ...])


class TableTextCache(_Cache):
    """Texts in one SQLite file. Safe under several processes."""

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        database = Database(path, _TABLE_TEXTS_SCHEMA, added=[_used("table_text", clock)])
        super().__init__(database, TimedTable(database, "table_text", "key", "used_at"), clock)

    @_renewing
    def get(self, keys: Sequence[str]) -> dict[str, tuple[TableText, ...]]:
        """The texts that are known, by key."""
        found: dict[str, tuple[TableText, ...]] = {}
        late: list[str] = []
        now = self._clock()
        with self.database.reading() as connection:
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, content, used_at FROM table_text WHERE key IN ({marks})"
                for key, content, used_at in connection.execute(query, batch):
                    found[key] = _TEXTS.validate_json(content)
                    late += [key] if used_at < now - _NOTED_AFTER else []
        if late:
            with self.database.writing() as connection:
                query = "UPDATE table_text SET used_at = ? WHERE key = ?"
                connection.executemany(query, [(now, key) for key in late])
        return found

    @_renewing
    def put(self, key: str, texts: tuple[TableText, ...]) -> None:
        """Keep a table's texts."""
        with self.database.writing() as connection:
            query = "INSERT OR REPLACE INTO table_text (key, content, used_at) VALUES (?, ?, ?)"
            connection.execute(query, (key, _TEXTS.dump_json(texts), self._clock()))


_ANSWERS_SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, kept_at REAL NOT NULL, content TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answer_given ON answer(kept_at);
"""


class SourcePage(Record):
    """A page that an answer was drawn from, by report and number (1-based), and its score, higher is better."""

    report_sha1: str
    page: int
    score: float | None = None


class CachedAnswer(Record):
    """An answer as it was first given, with what it cost then, and the pages it was drawn from, best first."""

    answer: Answer
    sources: tuple[SourcePage, ...] = ()


class AnswerCache(_Cache):
    """Kept answers in one SQLite file of one data root. Safe under several processes."""

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        database = Database(path, _ANSWERS_SCHEMA, outlives_power_cuts=False)
        super().__init__(database, TimedTable(database, "answer", "key", "kept_at"), clock)

    @_renewing
    def get(self, key: str) -> CachedAnswer | None:
        """The answer kept under this key, or None; one that this version cannot read counts as none."""
        with self.database.reading() as connection:
            row = connection.execute("SELECT content FROM answer WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return CachedAnswer.model_validate_json(row[0])
        except ValidationError:
            return None

    @_renewing
    def put(self, key: str, answered: CachedAnswer) -> None:
        """Keep an answer, in place of any kept under this key."""
        with self.database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", (key, self._clock(), answered.model_dump_json())
            )

    @_renewing
    def forget(self, sha1: str) -> None:
        """Drop every answer that was drawn from this report or cites it."""
        with self.database.writing() as connection:
            connection.execute("DELETE FROM answer WHERE instr(content, ?)", (sha1,))


_SCHEMA = """
CREATE TABLE IF NOT EXISTS vector (
    model TEXT NOT NULL, text_sha256 BLOB NOT NULL, vector BLOB NOT NULL, used_at REAL NOT NULL,
    PRIMARY KEY (model, text_sha256)
);
CREATE INDEX IF NOT EXISTS vector_used ON vector(used_at);
"""
_BATCH = 500


class EmbeddingCache(_Cache):
    """float32 vectors in one SQLite file. Only ingestions use it."""

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        database = Database(path, _SCHEMA, added=[_used("vector", clock)])
        super().__init__(database, TimedTable(database, "vector", "model, text_sha256", "used_at"), clock)

    @_renewing
    def get(self, model: str, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """The vectors that are known, by text."""
        keys = {_key(text): text for text in texts}
        found: dict[str, npt.NDArray[np.float32]] = {}
        late: list[bytes] = []
        now = self._clock()
        with self.database.reading() as connection:
            for batch in _batches(list(keys)):
                marks = ",".join("?" * len(batch))
                rows = connection.execute(
                    f"SELECT text_sha256, vector, used_at FROM vector WHERE model = ? AND text_sha256 IN ({marks})",
                    (model, *batch),
                )
                for key, blob, used_at in rows:
                    found[keys[key]] = np.frombuffer(blob, dtype="<f4")
                    late += [key] if used_at < now - _NOTED_AFTER else []
        if late:
            with self.database.writing() as connection:
                query = "UPDATE vector SET used_at = ? WHERE model = ? AND text_sha256 = ?"
                connection.executemany(query, [(now, model, key) for key in late])
        return found

    @_renewing
    def put(self, model: str, vectors: Iterable[tuple[str, Sequence[float]]]) -> None:
        """Keep vectors by text."""
        now = self._clock()
        rows = [(model, _key(text), np.asarray(vector, dtype="<f4").tobytes(), now) for text, vector in vectors]
        with self.database.writing() as connection:
            query = "INSERT OR REPLACE INTO vector (model, text_sha256, vector, used_at) VALUES (?, ?, ?, ?)"
            connection.executemany(query, rows)


def _used(table: str, clock: Clock) -> Column:
    """Rows of a version that did not note their use count as used now."""
    return Column(table, "used_at", "REAL", repr(clock()))


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _batches(keys: list[bytes]) -> Iterable[list[bytes]]:
    return (keys[i : i + _BATCH] for i in range(0, len(keys), _BATCH))

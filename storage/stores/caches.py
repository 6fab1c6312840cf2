"""Three caches in SQLite, so that only new work costs anything: vectors, answers, tables written by a model."""

import hashlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from storage.options import SECONDS_PER_DAY, Limit
from storage.records.answers import Answer
from storage.records.pages import TableText
from storage.records.record import Record
from storage.stores.database import Column, Database
from storage.stores.pruning import CacheState, Clock, TimedTable

_TABLE_TEXTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS table_text (
    key TEXT PRIMARY KEY, content TEXT NOT NULL, used_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS table_text_used ON table_text(used_at);
"""
_NOTED_AFTER = SECONDS_PER_DAY  # a use is written down once a day, not each time


_TEXTS = TypeAdapter(tuple[TableText, ...])


class TableTextCache:
    """Texts in one SQLite file. Safe under several processes."""

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        self._database = Database(path, _TABLE_TEXTS_SCHEMA, added=[_used("table_text", clock)])
        self._rows = TimedTable(self._database, "table_text", "key", "used_at")
        self._clock = clock

    def state(self) -> CacheState:
        """What the texts take."""
        return self._rows.state()

    def prune(self, limit: Limit, now: float) -> int:
        """Remove those that no ingestion used for too long or that are too many; how many went."""
        return self._rows.prune(limit, now)

    def get(self, keys: Sequence[str]) -> dict[str, tuple[TableText, ...]]:
        """The texts that are known, by key."""
        found: dict[str, tuple[TableText, ...]] = {}
        late: list[str] = []
        now = self._clock()
        with self._database.reading() as connection:
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                query = f"SELECT key, content, used_at FROM table_text WHERE key IN ({marks})"
                for key, content, used_at in connection.execute(query, batch):
                    found[key] = _TEXTS.validate_json(content)
                    late += [key] if used_at < now - _NOTED_AFTER else []
        if late:
            with self._database.writing() as connection:
                query = "UPDATE table_text SET used_at = ? WHERE key = ?"
                connection.executemany(query, [(now, key) for key in late])
        return found

    def put(self, key: str, texts: tuple[TableText, ...]) -> None:
        """Keep a table's texts."""
        with self._database.writing() as connection:
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


class AnswerCache:
    """Kept answers in one SQLite file of one data root. Safe under several processes."""

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        self._database = Database(path, _ANSWERS_SCHEMA, outlives_power_cuts=False)
        self._rows = TimedTable(self._database, "answer", "key", "kept_at")
        self._clock = clock

    def state(self) -> CacheState:
        """What the answers take."""
        return self._rows.state()

    def prune(self, limit: Limit, now: float) -> int:
        """Remove those that were given too long ago or that are too many; how many went."""
        return self._rows.prune(limit, now)

    def get(self, key: str) -> CachedAnswer | None:
        """The answer kept under this key, or None; one that this version cannot read counts as none."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT content FROM answer WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return CachedAnswer.model_validate_json(row[0])
        except ValidationError:
            return None

    def put(self, key: str, answered: CachedAnswer) -> None:
        """Keep an answer, in place of any kept under this key."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", (key, self._clock(), answered.model_dump_json())
            )

    def forget(self, sha1: str) -> None:
        """Drop every answer that was drawn from this report or cites it."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM answer WHERE instr(content, ?)", (sha1,))


_SCHEMA = """
CREATE TABLE IF NOT EXISTS vector (
    model TEXT NOT NULL, text_sha256 BLOB NOT NULL, vector BLOB NOT NULL, used_at REAL NOT NULL,
    PRIMARY KEY (model, text_sha256)
);
CREATE INDEX IF NOT EXISTS vector_used ON vector(used_at);
"""
_BATCH = 500


class EmbeddingCache:
    """float32 vectors in one SQLite file. Only ingestions use it."""

    def __init__(self, path: Path, clock: Clock = time.time) -> None:
        self._database = Database(path, _SCHEMA, added=[_used("vector", clock)])
        self._rows = TimedTable(self._database, "vector", "model, text_sha256", "used_at")
        self._clock = clock

    def state(self) -> CacheState:
        """What the vectors take."""
        return self._rows.state()

    def prune(self, limit: Limit, now: float) -> int:
        """Remove those that no ingestion used for too long or that are too many; how many went."""
        return self._rows.prune(limit, now)

    def get(self, model: str, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """The vectors that are known, by text."""
        keys = {_key(text): text for text in texts}
        found: dict[str, npt.NDArray[np.float32]] = {}
        late: list[bytes] = []
        now = self._clock()
        with self._database.reading() as connection:
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
            with self._database.writing() as connection:
                query = "UPDATE vector SET used_at = ? WHERE model = ? AND text_sha256 = ?"
                connection.executemany(query, [(now, model, key) for key in late])
        return found

    def put(self, model: str, vectors: Iterable[tuple[str, Sequence[float]]]) -> None:
        """Keep vectors by text."""
        now = self._clock()
        rows = [(model, _key(text), np.asarray(vector, dtype="<f4").tobytes(), now) for text, vector in vectors]
        with self._database.writing() as connection:
            query = "INSERT OR REPLACE INTO vector (model, text_sha256, vector, used_at) VALUES (?, ?, ?, ?)"
            connection.executemany(query, rows)


def _used(table: str, clock: Clock) -> Column:
    """Rows of a version that did not note their use count as used now."""
    return Column(table, "used_at", "REAL", repr(clock()))


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _batches(keys: list[bytes]) -> Iterable[list[bytes]]:
    return (keys[i : i + _BATCH] for i in range(0, len(keys), _BATCH))

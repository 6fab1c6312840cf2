"""Three caches in SQLite, so that only new work costs anything: vectors, answers, tables written by a model."""

import hashlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from storage.records.answers import Answer
from storage.records.pages import TableText
from storage.records.record import Record
from storage.stores.database import Database

_TABLE_TEXTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS table_text (key TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
"""


_TEXTS = TypeAdapter(tuple[TableText, ...])


class TableTextCache:
    """Texts in one SQLite file. Safe under several processes."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _TABLE_TEXTS_SCHEMA)

    def get(self, keys: Sequence[str]) -> dict[str, tuple[TableText, ...]]:
        """The texts that are known, by key."""
        found: dict[str, tuple[TableText, ...]] = {}
        with self._database.reading() as connection:
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                rows = connection.execute(f"SELECT key, content FROM table_text WHERE key IN ({marks})", batch)
                found.update({key: _TEXTS.validate_json(content) for key, content in rows})
        return found

    def put(self, key: str, texts: tuple[TableText, ...]) -> None:
        """Keep a table's texts."""
        with self._database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO table_text VALUES (?, ?)", (key, _TEXTS.dump_json(texts)))


_ANSWERS_SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, kept_at REAL NOT NULL, content TEXT NOT NULL) WITHOUT ROWID;
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

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _ANSWERS_SCHEMA, outlives_power_cuts=False)

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
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", (key, time.time(), answered.model_dump_json())
            )

    def forget(self, sha1: str) -> None:
        """Drop every answer that was drawn from this report or cites it."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM answer WHERE instr(content, ?)", (sha1,))


_SCHEMA = """
CREATE TABLE IF NOT EXISTS vector (
    model TEXT NOT NULL, text_sha256 BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, text_sha256)
) WITHOUT ROWID;
"""
_BATCH = 500


class EmbeddingCache:
    """float32 vectors in one SQLite file."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA)

    def get(self, model: str, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
        """The vectors that are known, by text."""
        keys = {_key(text): text for text in texts}
        found: dict[str, npt.NDArray[np.float32]] = {}
        with self._database.reading() as connection:
            for batch in _batches(list(keys)):
                marks = ",".join("?" * len(batch))
                rows = connection.execute(
                    f"SELECT text_sha256, vector FROM vector WHERE model = ? AND text_sha256 IN ({marks})",
                    (model, *batch),
                )
                found.update({keys[key]: np.frombuffer(blob, dtype="<f4") for key, blob in rows})
        return found

    def put(self, model: str, vectors: Iterable[tuple[str, Sequence[float]]]) -> None:
        """Keep vectors by text."""
        rows = [(model, _key(text), np.asarray(vector, dtype="<f4").tobytes()) for text, vector in vectors]
        with self._database.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", rows)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _batches(keys: list[bytes]) -> Iterable[list[bytes]]:
    return (keys[i : i + _BATCH] for i in range(0, len(keys), _BATCH))

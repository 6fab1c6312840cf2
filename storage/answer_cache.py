"""Answers that were given before, by everything that they rest on."""

import time
from pathlib import Path

from pydantic import ValidationError

from storage.answers import Answer
from storage.database import Database
from storage.record import Record

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, kept_at REAL NOT NULL, content TEXT NOT NULL) WITHOUT ROWID;
"""


class SourcePage(Record):
    """A page that an answer was drawn from, by report and number (1-based), and its score, higher is better."""

    report_sha1: str
    page: int
    score: float | None = None


class KeptAnswer(Record):
    """An answer as it was first given, with what it cost then, and the pages it was drawn from, best first."""

    answer: Answer
    sources: tuple[SourcePage, ...] = ()


class AnswerCache:
    """Kept answers in one SQLite file of one data root. Safe under several processes."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA)

    def get(self, key: str) -> KeptAnswer | None:
        """The answer kept under this key, or None; one that this version cannot read counts as none."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT content FROM answer WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return KeptAnswer.model_validate_json(row[0])
        except ValidationError:
            return None

    def put(self, key: str, kept: KeptAnswer) -> None:
        """Keep an answer, in place of any kept under this key."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", (key, time.time(), kept.model_dump_json())
            )

    def forget(self, sha1: str) -> None:
        """Drop every answer that was drawn from this report or cites it."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM answer WHERE instr(content, ?)", (sha1,))

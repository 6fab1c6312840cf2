"""Vectors by text and model, so that only new text costs anything."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from storage.database import Database

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

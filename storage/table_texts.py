"""Tables written out by a model, kept by what the model was given."""

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from storage.database import Database
from storage.files import digest
from storage.record import Record

_SCHEMA = """
CREATE TABLE IF NOT EXISTS table_text (key TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
"""
_BATCH = 500


class TableInContext(Record):
    """A table as it is given to a model.

    Attributes:
        section: the titles of the report that its page stands under.
        title, unit: as read from the lines around it; empty where nothing says them.
        before, after: the text of the page around it.
        html: the table.
    """

    company: str
    period_end: dt.date | None = None
    currency: str | None = None
    section: str = ""
    title: str = ""
    unit: str = ""
    before: str = ""
    html: str
    after: str = ""

    def key(self, writer: str) -> str:
        """What its text is kept under, for one writer: a model and its prompt."""
        return digest([writer, self.model_dump(mode="json")], length=64)


class TableText(Record):
    """What a model wrote of one subject of a table. It serves to find the page; it is never quoted or answered from."""

    subject: str
    information: str

    @property
    def text(self) -> str:
        """The subject, unless the information begins with it, and the information."""
        begins = self.information.casefold().startswith(self.subject.casefold())
        return self.information if begins or not self.subject else f"{self.subject}: {self.information}"


_TEXTS = TypeAdapter(tuple[TableText, ...])


class TableTextCache:
    """Texts in one SQLite file. Safe under several processes."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SCHEMA)

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

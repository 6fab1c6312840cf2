"""SQLite files that several processes read and write at once."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from storage.files import Stamp, file_stamp

SECONDS_TO_WAIT = 60.0
FREE_BYTES = 1_000_000  # fewer are not worth writing the file anew
_MAKING = threading.Lock()  # SQLite may refuse the change to WAL at once, without waiting, while another makes it


@dataclass(frozen=True)
class Column:
    """A column that a table did not have in an earlier version.

    `value` is an SQL constant: what the rows have that are there already.
    """

    table: str
    name: str
    kind: str
    value: str

    def add(self, connection: sqlite3.Connection) -> None:
        """Add it to a table that is there and lacks it; several processes may do so at once."""
        if not self._is_lacking(connection):
            return
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            if self._is_lacking(connection):
                kind = f"{self.kind} NOT NULL DEFAULT {self.value}"
                connection.execute(f"ALTER TABLE {self.table} ADD COLUMN {self.name} {kind}")

    def _is_lacking(self, connection: sqlite3.Connection) -> bool:
        columns = {name for _, name, *_ in connection.execute(f"PRAGMA table_info({self.table})")}
        return bool(columns) and self.name not in columns


class Database:
    """One SQLite file in WAL mode. A connection lives for one transaction, so threads and processes may share.

    A commit survives the end of the process, even a kill. With `outlives_power_cuts` false, commits do not wait for
    the disk: a power cut may lose the last commits, but never the file.
    """

    def __init__(
        self, path: Path, schema: str, *, outlives_power_cuts: bool = True, added: Sequence[Column] = ()
    ) -> None:
        """Name a file; it is opened at the first use.

        Args:
            path: of the file.
            schema: statements that make what is not there yet.
            outlives_power_cuts: whether each commit waits for the disk.
            added: columns that files of earlier versions lack.
        """
        self._path = path
        self._schema = schema
        self._added = added
        self._synchronous = "FULL" if outlives_power_cuts else "NORMAL"
        self._made = False

    @property
    def _log(self) -> Path:
        return Path(f"{self._path}-wal")

    def stamp(self) -> tuple[Stamp, ...]:
        """Size and time of the file and of its log. It changes whenever any process commits, and costs little to read.

        An empty log counts as no log: every connection creates one, and the last to close removes it.
        """
        file, log = (file_stamp(path) for path in (self._path, self._log))
        return (file, log if log[0] else (0, 0))

    def exists(self) -> bool:
        """Whether there is a file; asking makes none."""
        return self._path.exists()

    def bytes_on_disk(self) -> int:
        """The size of the file and of its log."""
        return sum(file_stamp(path)[0] for path in (self._path, self._log))

    def used_bytes(self) -> int:
        """What the file holds, without the pages that are free for new rows."""
        with self.reading() as connection:
            return _pragma(connection, "page_size") * (
                _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
            )

    def compact(self, *, always: bool = False) -> None:
        """Write the file anew without its free space, where that is much; others keep reading meanwhile."""
        with self.reading() as connection:
            free, pages = _pragma(connection, "freelist_count"), _pragma(connection, "page_count")
            is_little = free * _pragma(connection, "page_size") < FREE_BYTES or free * 4 < pages
            if is_little and not always:
                return
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for queries. A missing file is created and is empty."""
        with closing(self._connect()) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed at the end of the block, rolled back on an error."""
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def _connect(self) -> sqlite3.Connection:
        if not self._made:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=SECONDS_TO_WAIT, isolation_level=None)
        try:
            if not self._made:
                with _MAKING:
                    connection.execute("PRAGMA journal_mode = WAL")
                    for column in self._added:
                        column.add(connection)
                    connection.executescript(self._schema)
                self._made = True
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        except BaseException:
            connection.close()
            raise
        return connection


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)

"""SQLite files that several processes read and write at once."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from storage.files import Stamp, file_stamp

SECONDS_TO_WAIT = 60.0
_MAKING = threading.Lock()  # SQLite may refuse the change to WAL at once, without waiting, while another makes it


class Database:
    """One SQLite file in WAL mode. A connection lives for one transaction, so threads and processes may share.

    A commit survives the end of the process, even a kill. With `outlives_power_cuts` false, commits do not wait for
    the disk: a power cut may lose the last commits, but never the file.
    """

    def __init__(self, path: Path, schema: str, *, outlives_power_cuts: bool = True) -> None:
        self._path = path
        self._schema = schema
        self._synchronous = "FULL" if outlives_power_cuts else "NORMAL"
        self._made = False

    def stamp(self) -> tuple[Stamp, ...]:
        """Size and time of the file and of its log. It changes whenever any process commits, and costs little to read.

        An empty log counts as no log: every connection creates one, and the last to close removes it.
        """
        file, log = (file_stamp(path) for path in (self._path, Path(f"{self._path}-wal")))
        return (file, log if log[0] else (0, 0))

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
                    connection.executescript(self._schema)
                self._made = True
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        except BaseException:
            connection.close()
            raise
        return connection

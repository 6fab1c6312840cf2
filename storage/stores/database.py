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

    What is committed survives the end of the process, however it comes. Unless `outlives_power_cuts`, the last
    commits before a power cut may be lost, never the file; then a commit does not wait for the disk.
    """

    def __init__(self, path: Path, schema: str, *, outlives_power_cuts: bool = True) -> None:
        self._path = path
        self._schema = schema
        self._synchronous = "FULL" if outlives_power_cuts else "NORMAL"
        self._made = False

    def stamp(self) -> tuple[Stamp, ...]:
        """What changes whenever any process commits: size and time of the file and of its log; cheap to look at.

        An empty log is none: every connection makes one, and the last to close takes it away.
        """
        file, log = (file_stamp(path) for path in (self._path, Path(f"{self._path}-wal")))
        return (file, log if log[0] else (0, 0))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for queries; an absent file reads as empty and is made."""
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

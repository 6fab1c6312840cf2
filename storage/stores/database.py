"""SQLite files that several processes read and write at once."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from storage.errors import NewerLibrary, NotWritable, PageproofError
from storage.files import Stamp, file_stamp, is_full_or_read_only, set_aside

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

FORMAT = 0
"""SQLite's `user_version` of the files; raise it when an earlier version would misread or harm what is written."""
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

    What cannot be written, on a full disk or in a folder that may only be read, can still be read. A file of a newer
    version is neither read nor written: whatever is asked of it raises NewerLibrary.
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
        self.path = path
        self._schema = schema
        self._added = added
        self._synchronous = "FULL" if outlives_power_cuts else "NORMAL"
        self._made = False

    @property
    def _log(self) -> Path:
        return Path(f"{self.path}-wal")

    def stamp(self) -> tuple[Stamp, ...]:
        """Size and time of the file and of its log. It changes whenever any process commits, and costs little to read.

        An empty log counts as no log: every connection creates one, and the last to close removes it.
        """
        file, log = (file_stamp(path) for path in (self.path, self._log))
        return (file, log if log[0] else (0, 0))

    def exists(self) -> bool:
        """Whether there is a file; asking makes none."""
        return self.path.exists()

    def bytes_on_disk(self) -> int:
        """The size of the file and of its log."""
        return sum(file_stamp(path)[0] for path in (self.path, self._log))

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
        """A connection for queries. A missing file, and one without a byte, read as an empty one; none is made."""
        with closing(self._connect_to_read()) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed at the end of the block, rolled back on an error."""
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    def check(self) -> None:
        """Read the whole file, where there is one.

        Raises:
            sqlite3.DatabaseError: something in it is not what SQLite wrote.
        """
        if not self.exists():
            return
        with self.reading() as connection:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError(" ".join(str(found).split()))

    def renewed(self, work: Callable[[], Result]) -> Result:
        """Do some work on a file whose content can be made again; if it is damaged, it is set aside and begun anew.

        Args:
            work: reads or writes; called a second time on the new file.
        """
        try:
            return work()
        except sqlite3.DatabaseError as error:
            if not is_damage(error) and not self.path.is_dir():
                raise
            self.set_aside(error)
        return work()

    def set_aside(self, reason: object) -> None:
        """Move the file out of the way, with its log; the next to use it begins a new one."""
        with _MAKING:
            aside = set_aside(self.path.parent, self.path)
            for rest in (self._log, Path(f"{self.path}-shm")):
                if rest.exists():
                    rest.replace(aside.with_name(rest.name))
            self._made = False
        logger.warning("%s is damaged (%s): it is at %s now, and a new one is begun", self.path, reason, aside)

    def _connect(self) -> sqlite3.Connection:
        is_new = not self._made or not self.path.exists()  # the whole folder may have been removed since
        if is_new:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=SECONDS_TO_WAIT, isolation_level=None)
        try:
            self._check_format(connection)
            if is_new:
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

    def _connect_to_read(self) -> sqlite3.Connection:
        if not self.path.is_dir() and not self.bytes_on_disk():
            connection = sqlite3.connect(":memory:", isolation_level=None)
            connection.executescript(self._schema)
            return connection
        try:
            return self._connect()
        except (sqlite3.OperationalError, OSError) as error:
            if self.path.is_dir() or not is_not_writable(error):
                raise
        try:
            return self._connect_read_only("mode=ro")
        except sqlite3.OperationalError:  # SQLite wants to make the log's index beside the file, even to read it
            return self._connect_read_only("immutable=1")

    def _connect_read_only(self, how: str) -> sqlite3.Connection:
        address = f"{self.path.absolute().as_uri()}?{how}"
        connection = sqlite3.connect(address, uri=True, timeout=SECONDS_TO_WAIT, isolation_level=None)
        try:
            self._check_format(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_format(self, connection: sqlite3.Connection) -> None:
        """Refuse a file of a newer version before anything is written to it."""
        if (found := _pragma(connection, "user_version")) > FORMAT:
            raise NewerLibrary(
                f"{self.path} was written by a newer version of Pageproof (form {found}, and this one knows forms up "
                f"to {FORMAT}); use that version, or another data root; nothing was changed"
            )


_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NOT_WRITABLE = (
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM),
)


def is_damage(error: BaseException) -> bool:
    """Whether a file holds something that SQLite did not write there."""
    if isinstance(error, sqlite3.OperationalError) and "decode" in str(error):
        return True
    return isinstance(error, sqlite3.DatabaseError) and _code(error) in _DAMAGED


def is_not_writable(error: BaseException) -> bool:
    """Whether the disk is full or a file may not be written."""
    if isinstance(error, OSError):
        return is_full_or_read_only(error)
    return isinstance(error, sqlite3.OperationalError) and _code(error) in _NOT_WRITABLE


def not_writable(error: BaseException) -> NotWritable | None:
    """What to say of an error that comes from a full disk, or from missing rights; None for any other error."""
    seen: BaseException | None = error
    while seen is not None:
        origin = getattr(seen, "orig", None) or seen  # SQLAlchemy wraps what SQLite raised
        if isinstance(origin, OSError) and is_full_or_read_only(origin):
            where = f"{origin.filename}: " if origin.filename else ""
            return NotWritable(f"{where}a file cannot be written ({origin.strerror}); {_MAKE_ROOM}")
        if isinstance(origin, OSError) and _NO_TEMPORARY_FILES in str(origin):
            return NotWritable(f"no temporary file can be written; {_MAKE_ROOM}")
        if is_not_writable(origin):
            return NotWritable(f"a database of the library cannot be written ({origin}); {_MAKE_ROOM}")
        seen = seen.__cause__ or seen.__context__
    return None


@contextmanager
def full_disks_explained() -> Iterator[None]:
    """Raise what comes from a full disk, or from missing rights, as an error that says so; let others through.

    Raises:
        NotWritable: something could not be written.
    """
    try:
        yield
    except PageproofError:
        raise
    except Exception as error:  # which library's error it is depends on who wrote
        if (explained := not_writable(error)) is None:
            raise
        raise explained from error


_MAKE_ROOM = "make room on the disk, or give yourself the right to write there"
_NO_TEMPORARY_FILES = "No usable temporary directory"  # Python's own words


def _code(error: sqlite3.Error) -> int | None:
    """SQLite's number of an error, without what it adds for some of them; the module's own errors have none."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)

"""Caches within their limits: what was used longest ago goes first."""

import datetime as dt
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from storage.options import Limit
from storage.records.record import Record
from storage.stores.database import Database

Clock = Callable[[], float]
"""Seconds since 1970."""
ROOM = (
    0.9  # of the limit is what is left of a cache that has outgrown it, so that not each new entry prunes it again
)


class CacheState(Record):
    """What a cache takes now."""

    bytes: int
    entries: int
    oldest: dt.datetime | None = None


class MeasuredCache(Record):
    """A cache beside its limits; why it cannot be read, where it cannot."""

    name: str
    limit: Limit
    state: CacheState | None = None
    error: str = ""


class Prunable(Protocol):
    """A cache that can be looked at and made smaller."""

    def state(self) -> CacheState:
        """What it takes; one that was never filled takes nothing, and looking makes no file."""
        ...

    def prune(self, limit: Limit, now: float) -> int:
        """Bring it within its limits; how many entries went."""
        ...


class TimedTable:
    """A table whose rows know when they were used last.

    Args:
        database: holds the table.
        name: of the table.
        key: its primary key, columns separated by commas.
        time: the column that holds the last use, in seconds since 1970.
    """

    def __init__(self, database: Database, name: str, key: str, time: str) -> None:
        self._database = database
        self._name = name
        self._key = key
        self._time = time

    def state(self) -> CacheState:
        """What the table's file takes."""
        if not self._database.exists():
            return CacheState(bytes=0, entries=0)
        with self._database.reading() as connection:
            query = f"SELECT COUNT(*), MIN({self._time}) FROM {self._name}"
            count, oldest = connection.execute(query).fetchone()
        return CacheState(bytes=self._database.bytes_on_disk(), entries=count, oldest=moment(oldest))

    def prune(self, limit: Limit, now: float) -> int:
        """Remove the rows that are too old, then those used longest ago until the rest is within the size."""
        if not self._database.exists():
            return 0
        with self._database.writing() as connection:
            query = f"DELETE FROM {self._name} WHERE {self._time} < ?"
            gone = connection.execute(query, (limit.oldest(now),)).rowcount
        self._database.compact()
        while (used := self._database.used_bytes()) > limit.bytes and (here := self._remove_oldest(limit, used)):
            gone += here
            self._database.compact(always=True)  # what went leaves holes all over the file
        return gone

    def _remove_oldest(self, limit: Limit, used: int) -> int:
        """Remove as many as are too many if all are of one size; the next look says whether that was enough."""
        with self._database.writing() as connection:
            (count,) = connection.execute(f"SELECT COUNT(*) FROM {self._name}").fetchone()
            surplus = math.ceil(count * (1 - ROOM * limit.bytes / used))
            oldest = f"SELECT {self._key} FROM {self._name} ORDER BY {self._time}, {self._key} LIMIT ?"
            query = f"DELETE FROM {self._name} WHERE ({self._key}) IN ({oldest})"
            return connection.execute(query, (surplus,)).rowcount


class CachedFiles:
    """Files below a folder, each of which can be made again; they know when they were read last.

    Args:
        folder: of all of them.
        pattern: of their names.
    """

    def __init__(self, folder: Path, pattern: str) -> None:
        self._folder = folder
        self._pattern = pattern

    def state(self) -> CacheState:
        """What the files take."""
        files = self._by_use()
        oldest = files[0].used if files else None
        return CacheState(bytes=sum(f.bytes for f in files), entries=len(files), oldest=moment(oldest))

    def prune(self, limit: Limit, now: float) -> int:
        """Remove the files that are too old, then those used longest ago until the rest is within the size."""
        files = self._by_use()
        left_bytes = sum(file.bytes for file in files)
        allowed = limit.bytes if left_bytes <= limit.bytes else ROOM * limit.bytes
        gone = 0
        for file in files:
            if file.used >= limit.oldest(now) and left_bytes <= allowed:
                break
            file.path.unlink(missing_ok=True)
            left_bytes -= file.bytes
            gone += 1
        remove_empty_folders({file.path.parent for file in files[:gone]})
        return gone

    def _by_use(self) -> list["_File"]:
        found = (_file(path) for path in self._folder.rglob(self._pattern))
        return sorted((file for file in found if file is not None), key=lambda file: file.used)


class _File(NamedTuple):
    path: Path
    bytes: int
    used: float


def _file(path: Path) -> _File | None:
    try:
        found = path.stat()
    except OSError:  # somebody removes it just now
        return None
    # Many disks note the time of reading once a day, some never; the time of writing is always there.
    return _File(path, found.st_size, max(found.st_atime, found.st_mtime))


def remove_empty_folders(folders: Iterable[Path]) -> None:
    """Remove those that nothing is left in."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def moment(seconds: float | None) -> dt.datetime | None:
    """A time of the clock as a moment, in UTC."""
    return None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC)

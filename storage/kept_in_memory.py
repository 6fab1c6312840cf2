"""What was read from files, cached in memory while the files stay as they were."""

import threading
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from cachetools import LRUCache

from storage.files import Stamp

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Entry(NamedTuple, Generic[Value]):
    stamp: Stamp
    value: Value
    weight: int


class StampedCache(Generic[Key, Value]):
    """Values by key, those used last, within a weight. Several threads may share one; values are never copied.

    Args:
        most: the weight of all values together, in whatever unit `put` is given.
    """

    def __init__(self, most: int) -> None:
        self._entries: LRUCache[Key, _Entry[Value]] = LRUCache(most, getsizeof=lambda entry: entry.weight)
        self._lock = threading.Lock()

    def get(self, key: Key, stamp: Stamp) -> Value | None:
        """The value that was read when its file had this stamp, or None."""
        with self._lock:
            found = self._entries.get(key)
            return found.value if found is not None and found.stamp == stamp else None

    def put(self, key: Key, stamp: Stamp, value: Value, weight: int) -> None:
        """Store a value, in place of any under this key; the ones used longest ago make room."""
        with self._lock:
            self._entries.pop(key, None)
            if weight <= self._entries.maxsize:
                self._entries[key] = _Entry(stamp, value, weight)

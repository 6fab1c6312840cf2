"""What was read from files, kept in memory while the files stay as they were."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from storage.files import Stamp

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class KeptInMemory(Generic[Key, Value]):
    """Values by key, those used last, within a weight. Several threads may share one; values are never copied.

    Args:
        most: the weight of all values together, in whatever unit `put` is told.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._weight = 0
        self._kept: OrderedDict[Key, tuple[Stamp, int, Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key, stamp: Stamp) -> Value | None:
        """The value that was read when its file had this stamp, or None."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found[0] != stamp:
                return None
            self._kept.move_to_end(key)
            return found[2]

    def put(self, key: Key, stamp: Stamp, value: Value, weight: int) -> None:
        """Keep a value, in place of any kept under this key; the ones used longest ago make room."""
        with self._lock:
            if key in self._kept:
                self._weight -= self._kept.pop(key)[1]
            if weight > self._most:
                return
            self._kept[key] = (stamp, weight, value)
            self._weight += weight
            while self._weight > self._most:
                _, (_, dropped, _) = self._kept.popitem(last=False)
                self._weight -= dropped

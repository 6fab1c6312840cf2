"""How often a password may be tried. No Chainlit here."""

import ipaddress
import threading
import time
from collections.abc import Callable

from cachetools import TTLCache

FREE = 5
"""Wrong passwords for one name from one address before the next has to wait."""
FREE_FOR_AN_ADDRESS = 25
FREE_FOR_A_NAME = 50
FIRST_WAIT, LONGEST_WAIT = 30.0, 900.0
_REMEMBERED = 20_000  # counters; the oldest are forgotten first
_FORGOTTEN_AFTER = 3600.0


class Attempts:
    """Counts failures by name with address, by address, and by name; each further one doubles the wait.

    The name alone is allowed most, so that a stranger cannot lock a person out by guessing from one place.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._failures: TTLCache[tuple[str, ...], tuple[int, float]] = TTLCache(
            _REMEMBERED, _FORGOTTEN_AFTER, timer=now
        )

    def seconds_to_wait(self, name: str, address: str) -> float:
        """How long no password is looked at; 0 where one may be tried."""
        with self._lock:
            return max(self._wait(key, free) for key, free in _counters(name, address))

    def failed(self, name: str, address: str) -> None:
        """A wrong password."""
        with self._lock:
            for key, _ in _counters(name, address):
                count, _ = self._failures.get(key, (0, 0.0))
                self._failures[key] = (count + 1, self._now())

    def succeeded(self, name: str, address: str) -> None:
        """The right one: what this person mistyped here is forgotten."""
        with self._lock:
            self._failures.pop(_counters(name, address)[0][0], None)

    def _wait(self, key: tuple[str, ...], free: int) -> float:
        count, last = self._failures.get(key, (0, 0.0))
        if count < free:
            return 0.0
        wait = min(FIRST_WAIT * 2.0 ** min(count - free, 10), LONGEST_WAIT)
        return max(0.0, last + wait - self._now())


def _counters(name: str, address: str) -> tuple[tuple[tuple[str, ...], int], ...]:
    name, place = name.strip().casefold()[:200], _place(address)
    return (
        (("both", name, place), FREE),
        (("address", place), FREE_FOR_AN_ADDRESS),
        (("name", name), FREE_FOR_A_NAME),
    )


def _place(address: str) -> str:
    """An address, of IPv6 the network: one household has 2^64 of them."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)

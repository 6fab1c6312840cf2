"""How many files one person may send. No Chainlit here."""

import time
from collections import deque
from collections.abc import Callable

HOUR = 3600.0


class HourlyRate:
    """Counts what each person sends within an hour; for the event loop's thread."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._sent: dict[str | None, deque[float]] = {}

    def minutes_to_wait(self, person: str | None) -> int:
        """Count one more and give 0, or give the minutes after which there is room again."""
        now = self._clock()
        sent = self._sent.setdefault(person, deque())
        while sent and sent[0] <= now - HOUR:
            sent.popleft()
        if len(sent) >= self._most:
            return 1 + int((sent[0] + HOUR - now) // 60)
        sent.append(now)
        return 0

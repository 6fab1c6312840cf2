"""What one question takes from the model, counted for whoever set a counter in its context."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from storage.records.answers import Usage


class UsageCounter:
    """Adds up; a counter within another one's block counts for both."""

    def __init__(self, outer: "UsageCounter | None" = None) -> None:
        self.usage = Usage()
        self._outer = outer
        self._lock = threading.Lock()

    def add(self, usage: Usage) -> None:
        """Count one more request."""
        with self._lock:
            self.usage += usage
        if self._outer is not None:
            self._outer.add(usage)


_counter: ContextVar[UsageCounter | None] = ContextVar("pageproof_usage", default=None)


@contextmanager
def counting() -> Iterator[UsageCounter]:
    """Count the requests of this context, and of tasks and threads started from it, in the yielded counter."""
    counter = UsageCounter(_counter.get())
    token = _counter.set(counter)
    try:
        yield counter
    finally:
        _counter.reset(token)


def count_request(prompt_tokens: int, completion_tokens: int, cost_usd: float | None) -> None:
    """Report an answered request; its cost is None where the price or the tokens are unknown."""
    if (counter := _counter.get()) is not None:
        counter.add(
            Usage(
                requests=1,
                prompt_tokens=prompt_tokens,
                completion_tokens=completion_tokens,
                cost_usd=cost_usd,
            )
        )

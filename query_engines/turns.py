"""Work beside an event loop, done in the questions' own order: what came first is finished first.

Many questions at once take many small steps each. Served in the order of the steps, all of them would be nearly done
for long before one is; so no request would reach the model until most of them do.
"""

import heapq
import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
_numbers = itertools.count(1)
_turn: ContextVar[int] = ContextVar("pageproof_turn", default=0)


@contextmanager
def turn() -> Iterator[None]:
    """The work of this context, and of tasks started from it, comes after that of every turn taken before.

    Inside another turn it belongs to that one. Work of no turn goes first.
    """
    if _turn.get():
        yield
        return
    token = _turn.set(next(_numbers))
    try:
        yield
    finally:
        _turn.reset(token)


class TurnPool(ThreadPoolExecutor):
    """A pool of threads that serves the earliest turn first; an event loop's default executor for `to_thread`."""

    def __init__(self, threads: int, name: str) -> None:
        super().__init__(threads, thread_name_prefix=name)
        self._waiting: list[tuple[int, int, Future[Any], Callable[[], Any]]] = []
        self._arrivals = itertools.count()
        self._lock = threading.Lock()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Do it when its turn comes."""
        future: Future[T] = Future()
        with self._lock:
            work = (_turn.get(), next(self._arrivals), future, lambda: fn(*args, **kwargs))
            heapq.heappush(self._waiting, work)
        super().submit(self._serve)
        return future

    def _serve(self) -> None:
        """The work whose turn it is; there is some for each time that this is called."""
        with self._lock:
            _, _, future, work = heapq.heappop(self._waiting)
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  # goes to whoever waits for it
            future.set_exception(error)

"""An event loop in its own thread for synchronous callers, and worker threads that respect the order of questions.

Connections belong to the loop that opened them. So all synchronous calls share one loop instead of starting one each.
"""

import asyncio
import heapq
import itertools
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from storage.errors import UsageError

T = TypeVar("T")
THREADS = 3  # for work beside the loop; only searches and file access run in parallel in Python

IS_CLOSED = "This client is closed: open another one."


class BackgroundLoop:
    """An event loop in a thread. It starts at the first `run`, and `close` ends it for good."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._closed = False

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop, in a copy of the caller's context, and wait for it.

        Raises:
            UsageError: called on the loop's own thread, where it would wait forever, or after `close`.
        """
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise UsageError(
                "A synchronous call from inside a running query: await its asynchronous form instead."
            )
        try:
            future = asyncio.run_coroutine_threadsafe(coroutine, self._running_loop())
        except UsageError:
            coroutine.close()
            raise
        try:
            return future.result()
        except BaseException:  # such as KeyboardInterrupt: do not leave the work running
            future.cancel()
            raise

    async def arun(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """`run` for callers in an event loop, this one or another. Cancelling the caller cancels the work.

        Raises:
            UsageError: called after `close`.
        """
        if threading.current_thread() is self._thread:
            return await coroutine
        try:
            future = asyncio.run_coroutine_threadsafe(coroutine, self._running_loop())
        except UsageError:
            coroutine.close()
            raise
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Cancel running work and end the thread. Connections must be closed on the loop before."""
        with self._lock:
            self._closed = True
            thread, loop = self._thread, self._loop
        if thread is not None and loop is not None and thread.is_alive():
            loop.call_soon_threadsafe(self._stop.set)
            thread.join()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise UsageError(IS_CLOSED)
            if self._loop is None:
                started = threading.Event()
                self._thread = threading.Thread(
                    target=lambda: asyncio.run(self._serve(started)), name="pageproof-loop", daemon=True
                )
                self._thread.start()
                started.wait()
            assert self._loop is not None
            return self._loop

    async def _serve(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_default_executor(TurnPool(THREADS, "pageproof-work"))
        started.set()
        await self._stop.wait()


P = ParamSpec("P")
_numbers = itertools.count(1)
_turn: ContextVar[int] = ContextVar("pageproof_turn", default=0)


@contextmanager
def turn() -> Iterator[None]:
    """Give the work of this context, and of tasks started from it, a place after all turns taken before.

    Inside another turn, the work belongs to that turn. Work without a turn goes first.
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
        """Queue a call until its turn comes."""
        future: Future[T] = Future()
        with self._lock:
            work = (_turn.get(), next(self._arrivals), future, lambda: fn(*args, **kwargs))
            heapq.heappush(self._waiting, work)
        super().submit(self._serve)
        return future

    def _serve(self) -> None:
        """Run the call whose turn it is. There is one for each time that this is called."""
        with self._lock:
            _, _, future, work = heapq.heappop(self._waiting)
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  # raised in the caller that waits for it
            future.set_exception(error)

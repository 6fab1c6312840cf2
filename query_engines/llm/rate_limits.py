"""The one gate that a client's requests to models go through, chat and embeddings, and the one layer that tries again.

Everything in here happens on one event loop, the one that the client's connections live on, so nothing is locked.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import uniform
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from query_engines.llm.errors import is_retryable, requested_wait
from storage.errors import BudgetSpent

logger = logging.getLogger(__name__)
T = TypeVar("T")

ATTEMPTS = 5
MINUTE = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0  # seconds before a second attempt, doubled for each further one
LONGEST_REQUESTED_WAIT = 60.0  # a server that asks for more is tried again after this
_NAP = 1.0  # a longer wait is looked at again: a corrected estimate may have made room


@dataclass(frozen=True)
class Limits:
    """What may be sent. None is no limit."""

    parallel: int = 25
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget_usd: float | None = None
    attempts: int = ATTEMPTS


@dataclass(frozen=True)
class Load:
    """What a request takes of the limits: tokens, read and written, and money."""

    tokens: int
    cost_usd: float


class Spending:
    """What requests have cost so far. Clients that share one spend the same money, also one after the other."""

    def __init__(self) -> None:
        self.usd = 0.0
        self.requests = 0
        self._lock = threading.Lock()  # each client has a loop, and so a thread, of its own

    def add(self, cost_usd: float) -> None:
        """Count a request that cost something."""
        with self._lock:
            self.usd += cost_usd
            self.requests += 1


class RateLimiter:
    """Places, minutes, budget, attempts.

    A request waits for a place, then for its turn in the minute. Each attempt does, and between attempts it holds
    neither. The order of first attempts is the order of arrival.

    Args:
        limits: may be shared by several models; the gate then is theirs together.
        clock: seconds, for the minute's window.
        sleep: waits for seconds.
        spending: what counts for the budget beside this gate's own requests.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        spending: Spending | None = None,
    ) -> None:
        self.limits = limits
        self.budget = Budget(limits.budget_usd, spending)
        self._places = asyncio.Semaphore(limits.parallel)
        self._minute = Minute(limits, clock, sleep)
        self._sleep = sleep

    async def send(self, attempt: Callable[[], Awaitable[tuple[T, Load]]], expected: Load) -> T:
        """What the attempt brings; it is made anew after an error that may be gone the next time.

        Args:
            attempt: sends the request once; comes back with the answer and what it took.
            expected: what it will take, as far as can be told before.

        Raises:
            BudgetSpent: there is no money left for it.
        """
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self.limits.attempts),
            retry=retry_if_exception(is_retryable),
            wait=_pause,
            sleep=self._sleep,
            reraise=True,
        )
        return await retrying(self._once, attempt, expected)

    async def _once(self, attempt: Callable[[], Awaitable[tuple[T, Load]]], expected: Load) -> T:
        async with self._places:
            await self.budget.hold(expected.cost_usd)
            cost = 0.0
            try:
                entry = await self._minute.turn(expected.tokens)
                answer, taken = await attempt()
                entry.tokens, cost = taken.tokens, taken.cost_usd
            finally:  # also when it is cancelled
                self.budget.charge(expected.cost_usd, cost)
        return answer


@dataclass
class _Sent:
    at: float
    tokens: int


class Minute:
    """No more requests and tokens than allowed within any sixty seconds; first come, first served."""

    def __init__(
        self, limits: Limits, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._requests, self._tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._clock, self._sleep = clock, sleep
        self._sent: deque[_Sent] = deque()
        self._queue = asyncio.Lock()

    async def turn(self, tokens: int) -> _Sent:
        """Wait until a request of so many tokens may go; the entry's tokens are corrected by whoever knows better."""
        async with self._queue:
            while (seconds := self._wait(tokens)) > 0:
                await self._sleep(min(seconds, _NAP))
            entry = _Sent(self._clock(), tokens)
            if self._requests or self._tokens:
                self._sent.append(entry)
            return entry

    def _wait(self, tokens: int) -> float:
        """Seconds until enough of the last minute's requests are past; more than a minute's tokens go alone."""
        now = self._clock()
        while self._sent and self._sent[0].at + MINUTE <= now:
            self._sent.popleft()
        requests, used = len(self._sent), sum(sent.tokens for sent in self._sent)
        until = now
        for sent in self._sent:
            fits = self._requests is None or requests < self._requests
            if fits and (self._tokens is None or used + tokens <= self._tokens):
                break
            requests, used, until = requests - 1, used - sent.tokens, sent.at + MINUTE
        return until - now


class Budget:
    """Money for all requests together.

    A request's expected cost is held while it runs, so that many at once do not overshoot; one that only fits once
    others have cost less than expected waits for them. After the first refusal nothing is sent any more. Attempts
    that failed are taken to be free.

    Args:
        limit_usd: None is no limit.
        spending: counts what is spent, also by others.
    """

    def __init__(self, limit_usd: float | None, spending: Spending | None = None) -> None:
        self.limit_usd = limit_usd
        self.spending = spending or Spending()
        self._held = 0.0
        self._over = False
        self._charged = asyncio.Event()

    async def hold(self, cost_usd: float) -> None:
        """Set an expected cost aside.

        Raises:
            BudgetSpent: it goes beyond what is left.
        """
        while self.limit_usd is not None:
            spent = self.spending.usd
            if self._over or spent + cost_usd > self.limit_usd:
                self._over = True
                raise BudgetSpent(
                    f"llm.budget_usd={self.limit_usd:g} is used up: ${spent:.4f} spent on {self.spending.requests} "
                    f"requests, and the next would take about ${cost_usd:.4f}. Raise it to go on."
                )
            if spent + self._held + cost_usd <= self.limit_usd:
                break
            self._charged.clear()
            await self._charged.wait()
        self._held += cost_usd

    def charge(self, held_usd: float, cost_usd: float) -> None:
        """Turn an expected cost into the real one, nothing for a failed attempt."""
        self._held -= held_usd
        if cost_usd > 0:
            self.spending.add(cost_usd)
        self._charged.set()


def _pause(state: RetryCallState) -> float:
    """As long as the server asks for, else longer each time; a little apart, not all at once."""
    error = state.outcome.exception() if state.outcome else None
    requested = requested_wait(error, time.time()) if error else None
    if requested is not None:
        seconds = min(requested, LONGEST_REQUESTED_WAIT) * uniform(1, 1.1)
    else:
        seconds = min(FIRST_PAUSE * 2 ** (state.attempt_number - 1), LONGEST_PAUSE) * uniform(0.5, 1)
    logger.info("Attempt %d failed (%s); next in %.1f s", state.attempt_number, error, seconds)
    return seconds

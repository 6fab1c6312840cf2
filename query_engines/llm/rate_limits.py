"""The rate limiter for all requests of a client to models, chat and embeddings, and the only layer that retries.

Everything here runs on one event loop, that of the client's connections, so no locks are needed.
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
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0  # seconds before the second attempt, doubled for each further one
LONGEST_REQUESTED_WAIT = 60.0  # the longest wait, even if a server asks for more
_NAP = 1.0  # a longer wait is checked again, since a corrected estimate may have made room


@dataclass(frozen=True)
class Limits:
    """The limits of requests. None means no limit."""

    parallel: int = 25
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget_usd: float | None = None
    attempts: int = ATTEMPTS


@dataclass(frozen=True)
class Load:
    """What a request uses of the limits: tokens, read and written, and money."""

    tokens: int
    cost_usd: float


class Spending:
    """The cost of requests so far. Clients that share one, also one after the other, share the budget."""

    def __init__(self) -> None:
        self.usd = 0.0
        self.requests = 0
        self._lock = threading.Lock()  # each client has its own loop, and so its own thread

    def add(self, cost_usd: float) -> None:
        """Count a request that cost something."""
        with self._lock:
            self.usd += cost_usd
            self.requests += 1


class RateLimiter:
    """Limits parallel requests, requests and tokens per minute, and costs; retries failed requests.

    Each attempt of a request waits for a free place, then for its turn in the minute. Between attempts a request
    holds neither. First attempts run in the order of arrival.

    Args:
        limits: for all models that share this limiter.
        clock: the time in seconds, for the window of a minute.
        sleep: waits for the given seconds.
        spending: counts for the budget in addition to this limiter's own requests.
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
        """Make an attempt, and repeat it after temporary errors.

        Args:
            attempt: sends the request once; returns the answer and its load.
            expected: the estimated load.

        Raises:
            BudgetSpent: the budget does not allow it.
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
    """Allows a number of requests and tokens within any sixty seconds; first come, first served."""

    def __init__(
        self, limits: Limits, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._requests, self._tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._clock, self._sleep = clock, sleep
        self._sent: deque[_Sent] = deque()
        self._queue = asyncio.Lock()

    async def turn(self, tokens: int) -> _Sent:
        """Wait until a request with so many tokens may go. The caller corrects the entry's tokens afterwards."""
        async with self._queue:
            while (seconds := self._wait(tokens)) > 0:
                await self._sleep(min(seconds, _NAP))
            entry = _Sent(self._clock(), tokens)
            if self._requests or self._tokens:
                self._sent.append(entry)
            return entry

    def _wait(self, tokens: int) -> float:
        """Seconds until the window has room. A request with more tokens than the limit goes alone."""
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
    """The budget for all requests together.

    The expected cost of a request is reserved while it runs, so that parallel requests do not exceed the budget. A
    request waits if it fits only when others turn out cheaper than expected. After the first refusal no request is
    sent any more. Failed attempts count as free.

    Args:
        limit_usd: None means no limit.
        spending: counts the money spent, also by others.
    """

    def __init__(self, limit_usd: float | None, spending: Spending | None = None) -> None:
        self.limit_usd = limit_usd
        self.spending = spending or Spending()
        self._held = 0.0
        self._over = False
        self._charged = asyncio.Event()

    async def hold(self, cost_usd: float) -> None:
        """Reserve an expected cost.

        Raises:
            BudgetSpent: it exceeds what is left.
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
        """Replace a reserved cost by the real one, 0 for a failed attempt."""
        self._held -= held_usd
        if cost_usd > 0:
            self.spending.add(cost_usd)
        self._charged.set()


def _pause(state: RetryCallState) -> float:
    """The pause before a retry: as the server asks, else doubled each time; with a random part to spread requests."""
    error = state.outcome.exception() if state.outcome else None
    requested = requested_wait(error, time.time()) if error else None
    if requested is not None:
        seconds = min(requested, LONGEST_REQUESTED_WAIT) * uniform(1, 1.1)
    else:
        seconds = min(FIRST_PAUSE * 2 ** (state.attempt_number - 1), LONGEST_PAUSE) * uniform(0.5, 1)
    logger.info("Attempt %d failed (%s); next in %.1f s", state.attempt_number, error, seconds)
    return seconds

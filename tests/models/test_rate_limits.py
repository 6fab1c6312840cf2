"""Places, minutes, money and attempts."""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage

from query_engines.llm.client import CompatOpenAI, build_llm
from query_engines.llm.connection import access
from query_engines.llm.errors import is_retryable, requested_wait
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.rate_limits import MINUTE, Budget, Limits, Load, RateLimiter
from query_engines.llm.usage import counting
from query_engines.options import OpenAILikeLlmOptions, OpenAILlmOptions
from storage.errors import BudgetSpent, ProviderError, UsageError
from tests.support.doubles.openai_server import Break, ErrorReply, OpenAIServer, Reply
from tests.support.faulty_server import measure_failures, pace
from tests.support.waiting import PATIENCE, until

QUESTION = [ChatMessage(role="user", content="How much?")]
NOTHING = Load(tokens=0, cost_usd=0.0)


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def rate_limiter(clock: Clock, **limits: Any) -> RateLimiter:
    return RateLimiter(Limits(**limits), clock=lambda: clock.now, sleep=clock.sleep)


def status_error(status: int, code: str | None = None, **headers: str) -> openai.APIStatusError:
    request = httpx.Request("POST", "http://127.0.0.1/v1")
    response = httpx.Response(
        status, headers={k.replace("_", "-"): v for k, v in headers.items()}, request=request
    )
    return openai.APIStatusError("scripted", response=response, body={"code": code})


def takes(load: Load) -> Callable[[], Awaitable[tuple[str, Load]]]:
    async def attempt() -> tuple[str, Load]:
        return "answer", load

    return attempt


@settings(max_examples=40)
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=40),
    requests=st.integers(1, 10),
    tokens=st.integers(60, 200),
)
def test_no_sixty_seconds_hold_more_requests_or_tokens_than_allowed(
    sizes: list[int], requests: int, tokens: int
) -> None:
    clock, sent = Clock(), []

    async def one(own: RateLimiter, size: int) -> None:
        async def attempt() -> tuple[None, Load]:
            sent.append((clock.now, size))
            return None, Load(size, 0.0)

        await own.send(attempt, Load(size, 0.0))

    async def run() -> None:
        own = rate_limiter(clock, requests_per_minute=requests, tokens_per_minute=tokens)
        await asyncio.gather(*(one(own, size) for size in sizes))

    asyncio.run(run())
    assert sorted(size for _, size in sent) == sorted(sizes)
    for start, _ in sent:
        window = [size for at, size in sent if start <= at < start + MINUTE]
        assert len(window) <= requests
        assert sum(window) <= tokens


async def test_the_tokens_that_a_request_really_took_count_once_they_are_known() -> None:
    clock = Clock()
    own = rate_limiter(clock, tokens_per_minute=1000)
    await own.send(takes(Load(100, 0.0)), Load(900, 0.0))  # 900 expected, 100 taken
    await own.send(takes(Load(900, 0.0)), Load(900, 0.0))
    assert clock.now == 0.0
    await own.send(takes(NOTHING), Load(1, 0.0))
    assert clock.now == pytest.approx(MINUTE)


async def test_a_request_larger_than_a_minute_s_tokens_goes_alone() -> None:
    clock = Clock()
    own = rate_limiter(clock, tokens_per_minute=100)
    await own.send(takes(Load(5000, 0.0)), Load(5000, 0.0))
    assert clock.now == 0.0
    await own.send(takes(Load(10, 0.0)), Load(10, 0.0))
    assert clock.now == pytest.approx(MINUTE)


async def test_every_attempt_counts_against_the_minute() -> None:
    clock, tried = Clock(), []
    own = rate_limiter(clock, requests_per_minute=2)

    async def attempt() -> tuple[None, Load]:
        tried.append(clock.now)
        raise status_error(503)

    with pytest.raises(openai.APIStatusError):
        await own.send(attempt, NOTHING)
    assert len(tried) == 5
    assert tried[2] >= MINUTE
    assert tried[4] >= 2 * MINUTE


async def test_pauses_grow_are_not_all_alike_and_have_an_end() -> None:
    pauses = []
    for seed in range(20):
        random.seed(seed)
        clock = Clock()

        async def attempt() -> tuple[None, Load]:
            raise status_error(500)

        with pytest.raises(openai.APIStatusError):
            await rate_limiter(clock, attempts=8).send(attempt, NOTHING)
        pauses.append(clock.slept)
    for number, longest in enumerate([0.5, 1, 2, 4, 8, 8, 8]):
        tried = [each[number] for each in pauses]
        assert all(longest / 2 <= pause <= longest for pause in tried)
        assert len(set(tried)) > 10


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry_after": "3"}, 3, 3.3),
        ({"retry_after": "0.5"}, 0.5, 0.55),
        ({"retry_after_ms": "1500"}, 1.5, 1.65),
        ({"retry_after": "86400"}, 60, 66),
        ({"retry_after": "soon"}, 0.25, 0.5),
    ],
)
async def test_a_server_is_given_the_time_that_it_asks_for(
    headers: dict[str, str], least: float, most: float
) -> None:
    clock, errors = Clock(), [status_error(429, **headers)]

    async def attempt() -> tuple[str, Load]:
        if errors:
            raise errors.pop()
        return "answer", NOTHING

    assert await rate_limiter(clock).send(attempt, NOTHING) == "answer"
    assert least <= clock.slept[0] <= most


@pytest.mark.parametrize(("now", "wait"), [(970.0, 30.0), (1000.0, 0.0), (1030.0, 0.0)])
def test_a_date_to_come_back_at_is_understood(now: float, wait: float) -> None:
    error = status_error(503, retry_after=formatdate(1000, usegmt=True))
    assert requested_wait(error, now) == wait


def test_only_what_may_be_gone_the_next_time_is_tried_again() -> None:
    request = httpx.Request("POST", "http://127.0.0.1/v1")
    retryable = [status_error(s) for s in (408, 409, 429, 500, 502, 503, 504, 529)]
    retryable += [openai.APITimeoutError(request), openai.APIConnectionError(request=request)]
    retryable += [openai.APIError("in the middle of a stream", request, body=None)]
    final = [status_error(s) for s in (400, 401, 402, 403, 404, 413, 422, 501)]
    final += [status_error(429, code="insufficient_quota"), BudgetSpent("x"), ValueError("x"), KeyboardInterrupt()]
    assert [is_retryable(error) for error in retryable] == [True] * len(retryable)
    assert [is_retryable(error) for error in final] == [False] * len(final)
    assert requested_wait(ValueError("x"), 0.0) is None


async def test_a_cancelled_request_frees_its_place_and_its_money() -> None:
    own = RateLimiter(Limits(parallel=1, budget_usd=1.0))

    async def forever() -> tuple[None, Load]:
        await asyncio.sleep(60)
        return None, NOTHING

    stuck = asyncio.create_task(own.send(forever, Load(1, 0.9)))
    waiting = asyncio.create_task(own.send(forever, Load(1, 0.9)))
    await asyncio.sleep(0.01)
    for task in (waiting, stuck):
        task.cancel()
    answer = await asyncio.wait_for(own.send(takes(NOTHING), Load(1, 0.9)), PATIENCE)
    assert answer == "answer"


async def test_a_request_that_waits_before_it_is_tried_again_holds_no_place() -> None:
    own = RateLimiter(Limits(parallel=1))
    errors = [status_error(429, retry_after="0.3")]
    order = []

    async def first() -> tuple[None, Load]:
        order.append("first")
        if errors:
            raise errors.pop()
        return None, NOTHING

    async def second() -> tuple[None, Load]:
        order.append("second")
        return None, NOTHING

    await asyncio.gather(own.send(first, NOTHING), own.send(second, NOTHING))
    assert order == ["first", "second", "first"]


@pytest.mark.parametrize(
    ("expected", "fitting", "spent"),
    [(0.30, 3, "0.9000"), (0.50, 2, "0.6000"), (0.25, 4, "1.2000")],
    ids=["as expected", "cheaper", "dearer"],
)
async def test_money_is_set_aside_while_requests_run_and_nothing_is_sent_after_the_first_refusal(
    expected: float, fitting: int, spent: str
) -> None:
    own = RateLimiter(Limits(parallel=10, budget_usd=1.0))
    sent, all_sent = [], asyncio.Event()

    async def attempt() -> tuple[None, Load]:
        sent.append(1)
        if len(sent) == fitting:
            all_sent.set()
        await all_sent.wait()  # so that all end together, however busy the machine is
        return None, Load(10, 0.3)

    tasks = [own.send(attempt, Load(10, expected)) for _ in range(10)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    refused = [o for o in results if isinstance(o, BudgetSpent)]
    assert (len(sent), len(refused)) == (fitting, 10 - fitting)
    assert f"${spent} spent on {fitting} requests" in str(refused[0])
    with pytest.raises(BudgetSpent):
        await own.send(attempt, NOTHING)


async def test_a_request_waits_for_money_that_others_turn_out_not_to_need() -> None:
    budget = Budget(1.0)
    await budget.hold(0.9)
    waiting = asyncio.create_task(budget.hold(0.5))
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.charge(0.9, 0.2)
    await asyncio.wait_for(waiting, PATIENCE)
    assert budget.spending.usd == pytest.approx(0.2)


def llm_at(server: OpenAIServer, **options: Any) -> CompatOpenAI:
    return build_llm(OpenAILlmOptions(api_base=server.api_base, **options), {})


async def test_a_client_s_budget_ends_its_requests_with_what_was_spent() -> None:
    # A reply costs 1,000 × 0.15 + 1,000 × 0.60 USD per million = 0.00075.
    reply = Reply("seven", prompt_tokens=1000, completion_tokens=1000)
    with OpenAIServer(answer=lambda _: reply) as server:
        llm = llm_at(server, budget_usd=0.003)
        costs = []
        for _ in range(3):
            with counting() as counter:
                await llm.achat(QUESTION)
            costs.append(counter.usage.cost_usd)
        replies = await asyncio.gather(*(llm.achat(QUESTION) for _ in range(5)), return_exceptions=True)
        await llm.aclose()
    assert costs == [pytest.approx(0.00075)] * 3
    assert sum(isinstance(each, BudgetSpent) for each in replies) == 4
    assert len(server.chats) == 4
    assert issubclass(BudgetSpent, ProviderError)


def test_a_budget_over_an_unknown_price_is_refused_at_once() -> None:
    options = {"model": "my-own", "api_base": "http://127.0.0.1:9/v1", "budget_usd": 1.0}
    with pytest.raises(UsageError, match=r"llm\.prompt_usd_per_million"):
        build_llm(OpenAILikeLlmOptions(**options), {})
    build_llm(OpenAILikeLlmOptions(**options, prompt_usd_per_million=1, completion_usd_per_million=2), {})


def test_one_rate_limiter_serves_callers_on_several_loops_and_threads() -> None:
    async def ask(llm: CompatOpenAI, times: int) -> list[str | None]:
        replies = await asyncio.gather(*(llm.achat(QUESTION) for _ in range(times)))
        return [reply.message.content for reply in replies]

    async def from_threads(llm: CompatOpenAI) -> list[list[str | None]]:
        threads = [asyncio.to_thread(asyncio.run, ask(llm, 10)) for _ in range(3)]
        return await asyncio.gather(ask(llm, 10), *threads)

    with OpenAIServer(answer=lambda _: Reply("seven", seconds=0.02)) as server:
        loop = BackgroundLoop()
        options = OpenAILikeLlmOptions(model="any", api_base=server.api_base, parallel=4)
        llm = build_llm(options, {}, shared=access(options, loop, {}))
        answers = asyncio.run(from_threads(llm))
        answers += [loop.run(ask(llm, 10))]
        loop.run(llm.aclose())
        loop.close()
    assert answers == [["seven"] * 10] * 5
    assert len(server.chats) == 50
    assert server.peak == 4


async def test_a_caller_who_leaves_ends_the_request_on_the_other_loop() -> None:
    with OpenAIServer(Break.HANG, "seven") as server:
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base, parallel=1), {})
        leaving = asyncio.create_task(llm.achat(QUESTION))
        await until(lambda: server.chats)
        leaving.cancel()
        reply = await asyncio.wait_for(llm.achat(QUESTION), PATIENCE)
        await llm.aclose()
    assert reply.message.content == "seven"


async def test_an_account_without_money_is_not_asked_again() -> None:
    failure = ErrorReply(429, "You exceeded your current quota.", code="insufficient_quota")
    with OpenAIServer(answer=lambda _: failure) as server:
        llm = build_llm(OpenAILikeLlmOptions(model="any", api_base=server.api_base), {})
        with pytest.raises(ProviderError, match="current quota"):
            await llm.achat(QUESTION)
        await llm.aclose()
    assert len(server.chats) == 1


def test_a_failing_server_loses_and_doubles_no_question(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The short form of `python -m tests.measures.costs.rate_limits`."""
    assert list(measure_failures(sample_data, count=40, share=0.3, seed=3, timeout=5)) == []
    assert re.match(r"40 questions, \d+ requests, [1-9]\d* faults", capsys.readouterr().out)


def test_requests_run_side_by_side_up_to_the_limit_and_no_further(sample_data: Path) -> None:
    taken = pace(sample_data, count=12, reply_seconds=1.0, parallel=4)
    assert taken.least == 3.0
    assert taken.least <= taken.seconds < 12  # one after the other would take as long

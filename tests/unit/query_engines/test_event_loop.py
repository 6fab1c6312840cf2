"""Work beside the loop, in the questions' order."""

import asyncio
import contextvars
import threading

import pytest

from query_engines.llm.event_loop import TurnPool, turn


async def test_an_event_loop_s_threads_serve_the_turns_of_its_tasks() -> None:
    pool, done, held = TurnPool(1, "work"), [], threading.Event()
    asyncio.get_running_loop().set_default_executor(pool)

    async def question(name: str) -> None:
        await asyncio.to_thread(done.append, name)

    with turn():
        first = asyncio.create_task(question("first"), context=contextvars.copy_context())
    with turn():
        blocking = asyncio.create_task(asyncio.to_thread(held.wait))
        second = asyncio.create_task(question("second"))
    await first
    held.set()
    await asyncio.gather(blocking, second)
    assert done == ["first", "second"]


def test_what_waits_is_served_by_turn_and_then_by_arrival() -> None:
    pool, done, held = TurnPool(1, "work"), [], threading.Event()
    blocking = pool.submit(held.wait)
    with turn():
        first_again = [pool.submit(done.append, "first")]
        with turn():  # a part of the first
            first_again.append(pool.submit(done.append, "its part"))
    with turn():
        later = pool.submit(done.append, "second")
    nobodys = pool.submit(done.append, "nobody's")
    held.set()
    for future in (blocking, *first_again, later, nobodys):
        future.result()
    pool.shutdown()
    assert done == ["nobody's", "first", "its part", "second"]


def test_an_error_goes_to_whoever_waits_and_a_cancelled_step_is_not_done() -> None:
    pool, done, held = TurnPool(1, "work"), [], threading.Event()
    blocking = pool.submit(held.wait)
    failing, cancelled = pool.submit(int, "x"), pool.submit(done.append, 1)
    assert cancelled.cancel()
    held.set()
    blocking.result()
    with pytest.raises(ValueError, match="invalid literal"):
        failing.result()
    pool.shutdown()
    assert done == []

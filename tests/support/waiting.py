"""Waiting for what another thread or process does: as long as a busy machine may take, and no longer than it takes."""

import asyncio
import time
from collections.abc import Awaitable, Callable

PATIENCE = 120.0  # seconds after which something is taken not to happen at all
LOOK = 0.02  # seconds between two looks


async def until(holds: Callable[[], object]) -> None:
    """Wait for a state.

    Raises:
        AssertionError: it does not come.
    """

    async def look() -> object:
        return holds()

    await until_found(look)


async def until_found(find: Callable[[], Awaitable[object]]) -> object:
    """Wait until something is found that is neither nothing nor empty, and give it.

    Raises:
        AssertionError: it does not come.
    """
    ends = time.monotonic() + PATIENCE
    while not (found := await find()):
        if time.monotonic() > ends:
            raise AssertionError(f"it did not come to that within {PATIENCE:g} s")
        await asyncio.sleep(LOOK)
    return found

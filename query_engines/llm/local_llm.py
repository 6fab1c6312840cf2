"""A model on this machine behind llama.cpp's server, which starts with the first question."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import openai

from query_engines.events import step
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.connection import Access, Connection
from query_engines.llm.errors import Place
from query_engines.llm.providers import OWN_MACHINE, Endpoint, price_of
from query_engines.local_model.model_server import ModelServer
from query_engines.options import LlamaCppLlmOptions
from storage.errors import ProviderError

T = TypeVar("T")
GRACE = 2.0  # seconds in which a process is gone whose connection broke


class LocalLlm(CompatOpenAI):
    """Asks the server over HTTP like any other; limits, tries, counts and repairs are those of all models."""

    def __init__(self, server: ModelServer, options: LlamaCppLlmOptions, shared: Access) -> None:
        super().__init__(
            LocalConnection(server, shared),
            temperature=options.temperature,
            context_window=server.model.context,
            longest_reply=options.max_tokens,
            stream=options.stream,
        )


class LocalConnection(Connection):
    """A connection to a server that is started when it is needed, each time at another address.

    What is stored about a request names the model's file in place of the address.
    """

    def __init__(self, server: ModelServer, shared: Access) -> None:
        model = server.model
        named = Endpoint(f"local:///{model.file.name}?bytes={model.file.stat().st_size}")
        place = Place("llm", model.name, named, shared.timeout_seconds, shared.rate_limiter.limits.attempts)
        super().__init__(model.name, OWN_MACHINE, place, price_of(OWN_MACHINE, model.name), shared)
        self._server = server

    async def _once(self, send: Callable[[openai.AsyncOpenAI], Awaitable[T]], seconds: float) -> T:
        await self._start()
        try:
            return await super()._once(send, seconds)
        except openai.APIConnectionError as error:
            if (how := await asyncio.to_thread(self._server.how_it_ended, GRACE)) is None:
                raise
            raise ProviderError(
                f"the process of {self.model!r} ended while it answered ({how}). It starts again with the next "
                "question. If that repeats, its memory does not suffice: lower llm.context_window, or choose a "
                "smaller model"
            ) from error

    async def _start(self) -> None:
        """Wait for the server, and connect to where it is now."""
        if self._server.is_running:
            running = self._server.running()
        else:
            with step("answer", "Starting the model") as shown:
                running = await asyncio.to_thread(self._server.running)
                shown.summary = f"{self.model}, {self._server.model.context:,} tokens at once"
        if running.address != self._reached.address:
            await self.aclose()
            self._reached = Endpoint(running.address, running.key)

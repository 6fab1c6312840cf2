"""The connection to one model: address, key or token, rate limits, prices, and translated errors.

All connections of a client use one event loop. A caller on another loop or thread waits for work on that loop. So one
rate limiter serves all callers, and no connection outlives the loop that opened it.
"""

import asyncio
import json
import os
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import openai

from query_engines.llm.errors import Place, ReplyTooLarge
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.providers import (
    OPENAI,
    Endpoint,
    HostedOptions,
    Price,
    Provider,
    Tokens,
    endpoint_of,
    is_loopback,
    price_of,
    provider_of,
    section_of,
)
from query_engines.llm.rate_limits import ATTEMPTS, Limits, Load, RateLimiter, Spending
from query_engines.llm.usage import count_request
from query_engines.options import LlmLimits
from storage.errors import UsageError

T = TypeVar("T")
CONNECT_SECONDS = 10.0
STREAM_TIMES = 5  # an endless stream is given up after this many times the timeout
_BYTES_PER_TOKEN = 4
_LIKELY_REPLY = 500  # tokens, until replies give a better estimate


@dataclass(frozen=True)
class Access:
    """What all models of a client share.

    Attributes:
        loop: on which all connections run.
        timeout_seconds: for each attempt.
    """

    rate_limiter: RateLimiter
    loop: BackgroundLoop
    timeout_seconds: float = 120.0
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def access(
    limits: LlmLimits,
    loop: BackgroundLoop,
    environment: Mapping[str, str] = os.environ,
    attempts: int = ATTEMPTS,
    spending: Spending | None = None,
) -> Access:
    """What all models of a client share, from the settings; `spending` already counts for their budget."""
    rate_limiter = RateLimiter(
        Limits(
            parallel=limits.parallel,
            requests_per_minute=limits.requests_per_minute,
            tokens_per_minute=limits.tokens_per_minute,
            budget_usd=limits.budget_usd,
            attempts=attempts,
        ),
        spending=spending,
    )
    return Access(rate_limiter, loop, limits.timeout_seconds, environment)


class Connection:
    """A connection to one model, opened at the first request.

    Attributes:
        endpoint: the address of the model and the form of its requests.
        provider: whose server it is.
    """

    def __init__(self, model: str, provider: Provider, place: Place, price: Price | None, shared: Access) -> None:
        self.model, self.provider, self.endpoint = model, provider, place.endpoint
        self.place = place
        self._reached = place.endpoint
        self._price = price
        self._shared = shared
        self._client: openai.AsyncOpenAI | None = None
        self._likely_reply = float(_LIKELY_REPLY)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine, outside any event loop."""
        return self._shared.loop.run(coroutine)

    async def ask(
        self,
        send: Callable[[openai.AsyncOpenAI], Awaitable[T]],
        usage_of: Callable[[T], Tokens | None],
        *,
        prompt: str,
        is_stream: bool = False,
        longest_reply: int | None = None,
    ) -> T:
        """Send a request, and send it again after temporary errors.

        Args:
            send: one attempt.
            usage_of: gives the tokens of an answer; None where the server reported none.
            prompt: everything the model reads, for an estimate.
            is_stream: whether the answer is streamed, so that it may take longer.
            longest_reply: in tokens; 0 for a model that writes no text.

        Raises:
            MissingKey, SetupError, UsageError, ProviderError: the request failed.
        """
        likely = self._likely_reply if longest_reply is None else min(longest_reply, self._likely_reply)
        expected = Tokens(len(prompt.encode()) // _BYTES_PER_TOKEN + 1, round(likely))
        seconds = self._shared.timeout_seconds * (STREAM_TIMES if is_stream else 1)

        async def attempt() -> tuple[T, Load]:
            answer = await self._once(send, seconds)
            tokens = usage_of(answer)
            self._count(tokens)
            return answer, self._load(tokens or expected)

        return await self._shared.loop.arun(self._limited(attempt, self._load(expected)))

    async def aclose(self) -> None:
        """Close the connections."""

        async def close() -> None:
            client, self._client = self._client, None
            if client is not None:
                await client.close()

        await self._shared.loop.arun(close())

    async def _limited(self, attempt: Callable[[], Awaitable[tuple[T, Load]]], expected: Load) -> T:
        with self.place.translated_errors():
            return await self._shared.rate_limiter.send(attempt, expected)

    async def _once(self, send: Callable[[openai.AsyncOpenAI], Awaitable[T]], seconds: float) -> T:
        """One attempt. In the middle of a stream the client raises the HTTP library's errors."""
        request = httpx.Request("POST", self.endpoint.shown)
        try:
            async with asyncio.timeout(seconds):
                return await send(self._open())
        except (TimeoutError, httpx.TimeoutException) as error:
            raise openai.APITimeoutError(request) from error
        except httpx.TransportError as error:
            raise openai.APIConnectionError(request=request) from error

    def _count(self, tokens: Tokens | None) -> None:
        if tokens is None:
            count_request(0, 0, 0.0 if self.provider.is_free else None)
            return
        self._likely_reply += (tokens.completion - self._likely_reply) / 8
        count_request(tokens.prompt, tokens.completion, self._price.of(tokens) if self._price else None)

    def _load(self, tokens: Tokens) -> Load:
        return Load(tokens.prompt + tokens.completion, self._price.of(tokens) if self._price else 0.0)

    def _open(self) -> openai.AsyncOpenAI:
        if self._client is None:
            endpoint, seconds = self._reached, self._shared.timeout_seconds
            self._client = openai.AsyncOpenAI(
                api_key=endpoint.key,
                base_url=endpoint.address,
                max_retries=0,  # the rate limiter retries
                timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
                default_query=dict(endpoint.query),
                default_headers={"Accept-Encoding": "identity"},
                http_client=openai.DefaultAsyncHttpxClient(
                    auth=IamAuth(endpoint.key, endpoint.tokens_from) if endpoint.tokens_from else None,
                    trust_env=not is_loopback(endpoint.address),
                    follow_redirects=False,  # pages of reports go to the address that somebody chose, and nowhere else
                    event_hooks={
                        "request": [self._move_key] if endpoint.key_header == "api-key" else [],
                        "response": [_bound],
                    },
                ),
            )
            # OpenAI's settings in the environment must not be sent to another host.
            if urlsplit(endpoint.address).hostname != urlsplit(OPENAI.address or "").hostname:
                self._client.organization = self._client.project = self._client.admin_api_key = None
                self._client._custom_headers = {}
        return self._client

    async def _move_key(self, request: httpx.Request) -> None:
        """Move the key to Azure's header; in Azure, a bearer is a token of another kind."""
        request.headers["api-key"] = request.headers.pop("authorization").removeprefix("Bearer ")


MOST_BYTES = 64_000_000  # of a reply; 2,000 vectors as decimal numbers have 40 million
MOST_BYTES_OF_TEXT = 4_000_000  # of one that a model wrote, not piece by piece
_UNPACKED = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


async def _bound(response: httpx.Response) -> None:
    """Let no reply become longer than any may be, unpacked: a few bytes can stand for any number."""
    is_long = response.headers.get("content-type", "").startswith("text/event-stream")
    is_long |= response.request.url.path.endswith("/embeddings")
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing != "identity":
        if packing not in _UNPACKED:
            raise ReplyTooLarge(f"more than can be told, packed as {packing[:20]!r} though that was not asked for")
        del response.headers["content-encoding"]  # it is unpacked here
    if isinstance(response.stream, httpx.AsyncByteStream):
        most = MOST_BYTES if is_long else MOST_BYTES_OF_TEXT
        response.stream = _BoundedStream(response.stream, most, _UNPACKED.get(packing))


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, most: int, packing: int | None) -> None:
        self._stream, self._most = stream, most
        self._unpacking = None if packing is None else zlib.decompressobj(packing)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for piece in self._stream:
            whole = piece if self._unpacking is None else self._unpacked(piece, self._most - count + 1)
            count += len(whole)
            if count > self._most:
                raise ReplyTooLarge(f"more than {self._most // 1_000_000} MB")
            yield whole

    def _unpacked(self, piece: bytes, most: int) -> bytes:
        """What a piece stands for, as far as it may; more than that is too much anyway."""
        if self._unpacking is None:
            return piece
        try:
            return self._unpacking.decompress(piece, most)
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error

    async def aclose(self) -> None:
        await self._stream.aclose()


def connect(options: HostedOptions, prices: tuple[float | None, float | None], shared: Access) -> Connection:
    """Connect to the model in the options.

    Args:
        options: from the settings.
        prices: USD per million tokens read and written, if the settings have them.
        shared: with the client's other models.

    Raises:
        UsageError: there is no address, or a budget for a model without a known price.
        MissingKey: the provider's key is not in the environment.
    """
    section = section_of(options)
    keys = "llm.prompt_usd_per_million and llm.completion_usd_per_million"
    keys = keys if section == "llm" else "embedding.usd_per_million"
    endpoint = endpoint_of(options, shared.environment)
    return join(section, options.model, provider_of(options), endpoint, prices, keys, shared)


def join(
    section: str,
    model: str,
    provider: Provider,
    endpoint: Endpoint,
    prices: tuple[float | None, float | None],
    price_keys: str,
    shared: Access,
) -> Connection:
    """Connect to a model with a known endpoint; `price_keys` are the settings of its price.

    Raises:
        UsageError: there is a budget for a model without a known price.
    """
    place = Place(section, model, endpoint, shared.timeout_seconds, shared.rate_limiter.limits.attempts)
    price = price_of(provider, model, *prices)
    if price is None and shared.rate_limiter.limits.budget_usd is not None:
        raise UsageError(f"llm.budget_usd cannot be kept: the price of {model!r} is not known. Set {price_keys}.")
    return Connection(model, provider, place, price, shared)


_GRANT = "urn:ibm:params:oauth:grant-type:apikey"
_SHARE = 0.8  # of a token's life, after which a new one is fetched, as in IBM's own SDKs
_LIFE = 3600.0  # seconds, where IAM gives no lifetime


class IamAuth(httpx.Auth):
    """Adds an IAM token to each request. All requests share it; it is renewed before it expires or when it is refused.

    If IAM gives no token, IAM's response is returned instead of the request's own. So the caller sees IAM's error
    and decides whether to try again.

    Args:
        key: of IBM Cloud.
        address: of IAM's token service.
        clock: seconds.
    """

    def __init__(self, key: str, address: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._key, self._address, self._clock = key, address, clock
        self._token = ""
        self._until = float("-inf")
        self._fetching = asyncio.Lock()

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Request a token if needed, then send the request; repeat it once after a refused token."""
        refused = ""
        for _ in range(2):
            async with self._fetching:
                if self._token == refused or self._clock() >= self._until:
                    given = yield self._token_request()
                    await given.aread()
                    if not self._store(given):
                        return
                token = self._token
            request.headers["Authorization"] = f"Bearer {token}"
            answer = yield request
            if answer.status_code != httpx.codes.UNAUTHORIZED:
                return
            refused = token

    def _token_request(self) -> httpx.Request:
        form = {"grant_type": _GRANT, "apikey": self._key}
        return httpx.Request("POST", self._address, data=form, headers={"Accept": "application/json"})

    def _store(self, given: httpx.Response) -> bool:
        """Store the token; returns whether the response had one."""
        try:
            body = json.loads(given.content) if given.is_success else {}
        except (ValueError, RecursionError):
            return False
        token = body.get("access_token") if isinstance(body, dict) else None
        if not isinstance(token, str) or not token:
            return False
        life = body.get("expires_in")
        self._token = token
        self._until = self._clock() + _SHARE * (life if isinstance(life, int | float) else _LIFE)
        return True

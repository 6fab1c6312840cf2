"""Errors of requests to models: whether to try again, and the message for the user."""

import email.utils
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
import openai

from query_engines.llm.providers import NO_KEY, Endpoint, how_to_set
from storage.errors import MissingKey, PageproofError, ProviderError, SetupError, UsageError
from storage.incoming import one_line as line_of

_BUSY = {408, 409, 429}
_NOT_IMPLEMENTED = 501
# 429, or watsonx's 403, also means an account without money; waiting does not help then.
_NO_MONEY = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "token_quota_reached"}


class ReplyTooLarge(httpx.TransportError):
    """A server sends more bytes than any reply may have."""


class ErrorInReply(openai.APIError):
    """A server says that it failed, with the status of a success: many gateways do so at a rate limit."""


class RequestRefused(ProviderError):
    """The server refused a request as wrong."""


class ResponseFormatRejected(RequestRefused):
    """The server refused a request with a `response_format` as wrong."""


def is_retryable(error: BaseException) -> bool:
    """Whether the same request may succeed later: the server was busy or failing, or the connection broke."""
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        failing = status in _BUSY or (status >= 500 and status != _NOT_IMPLEMENTED)
        return failing and _details(error).code not in _NO_MONEY
    if isinstance(error.__cause__, ReplyTooLarge):
        return False
    # A plain APIError is one that came in the middle of a stream.
    lost = isinstance(error, openai.APIConnectionError | json.JSONDecodeError)
    return lost or type(error) in (openai.APIError, ErrorInReply)


def requested_wait(error: BaseException, now: float) -> float | None:
    """The wait in seconds that the server requests, by `retry-after-ms` or `Retry-After` (seconds or a date)."""
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return max(0.0, email.utils.mktime_tz(date) - now) if date else None


@dataclass(frozen=True)
class _ErrorDetails:
    """The content of an error's body; `is_iam`: it comes from IBM's token service, not from the model's server."""

    message: str = ""
    code: str | None = None
    is_iam: bool = False


def _details(error: openai.APIStatusError) -> _ErrorDetails:
    """Read OpenAI's format, the first error of watsonx's list, or IAM's format."""
    body = error.body if isinstance(error.body, dict) else {}
    if "errorCode" in body:
        return _ErrorDetails(str(body.get("errorMessage") or ""), str(body["errorCode"]), is_iam=True)
    listed = body.get("errors")
    first = listed[0] if isinstance(listed, list) and listed else None
    if isinstance(first, dict):
        return _ErrorDetails(str(first.get("message") or ""), str(first.get("code") or "") or None)
    return _ErrorDetails(str(body.get("message") or ""), error.code)


@dataclass(frozen=True)
class Place:
    """The destination of a request, for messages.

    Attributes:
        section: of the settings, "llm" or "embedding".
    """

    section: str
    model: str
    endpoint: Endpoint
    seconds: float
    attempts: int

    def __str__(self) -> str:
        return f"{self.model!r} at {self.endpoint.shown}"

    @contextmanager
    def translated_errors(self) -> Iterator[None]:
        """Translate the client's errors into Pageproof's."""
        try:
            yield
        except openai.APIStatusError as error:
            raise self._for_status(error) from error
        except openai.APITimeoutError as error:
            seconds = f"{self.seconds:g} s, {self._tried}"
            raise ProviderError(f"{self} did not answer within {seconds}. Raise llm.timeout_seconds.") from error
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, ReplyTooLarge):
                raise ProviderError(f"{self} sent a reply without an end: {error.__cause__}") from error
            cause = one_line(str(error.__cause__ or error))
            raise ProviderError(
                f"{self} cannot be reached {self._tried}: {cause}. Is the server running?"
            ) from error
        except ErrorInReply as error:
            told = self._without_key(error.message)
            raise ProviderError(
                f"{self} sent an error in place of an answer {self._tried}: {told} Try again later."
            ) from error
        except (openai.OpenAIError, json.JSONDecodeError) as error:
            raise ProviderError(f"{self} sent a broken answer: {self._without_key(str(error))}") from error
        except (ValueError, RecursionError) as error:
            raise ProviderError(
                f"{self} sent a broken answer: numbers or lists without an end, or values in the wrong place"
            ) from error

    def _for_status(self, error: openai.APIStatusError) -> PageproofError:
        message, endpoint, details = self._server_message(error), self.endpoint, _details(error)
        no_money = details.code in _NO_MONEY
        match error.status_code:
            case 301 | 302 | 303 | 307 | 308:
                return UsageError(
                    f"{self} sends to another address, which nobody named: give the right one in "
                    f"{self.section}.api_base"
                )
            case 400 | 401 | 403 | 404 if details.is_iam:
                return MissingKey(
                    f"IBM's IAM gives no token for the key in {endpoint.key_variable}: {message} "
                    f"{how_to_set(endpoint.key_variable)}"
                )
            case 401:
                what = (
                    "asks for a key" if endpoint.key == NO_KEY else f"refused the key in {endpoint.key_variable}"
                )
                return MissingKey(f"{self} {what}: {how_to_set(endpoint.key_variable)}")
            case 403 | 429 if no_money:
                return ProviderError(f"{self} takes no more requests: {message}")
            case 403:
                return SetupError(f"{self} does not allow this: {message}")
            case 404:
                return UsageError(
                    f"{self} was not found: {message} Check {self.section}.model, {self.section}.api_base."
                )
            case 400 | 422 | 501:
                return RequestRefused(f"{self} refused the request: {message}")
            case 429:
                advice = "Try again later or lower llm.parallel."
                return ProviderError(f"{self} takes no more requests {self._tried}: {message} {advice}")
        return ProviderError(f"{self} failed with {error.status_code}: {message}")

    @property
    def _tried(self) -> str:
        return f"after {self.attempts} attempts"

    def _server_message(self, error: openai.APIStatusError) -> str:
        return self._without_key(_details(error).message or error.message)

    def _without_key(self, text: str) -> str:
        """The server's message, with the key removed if it repeats it."""
        key = self.endpoint.key
        return one_line(text if key == NO_KEY else text.replace(key, "***"))


def one_line(text: str) -> str:
    """A text on one line, at most 200 characters."""
    line = line_of(text)
    return line if len(line) <= 200 else line[:200] + "…"

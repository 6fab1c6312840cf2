"""HTTP to a MinerU server: its replies as records, retries, and errors in Pageproof's words."""

import ipaddress
import json
import time
from collections.abc import Callable
from pathlib import Path
from random import uniform
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter
from pydantic_core import from_json
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from storage.errors import DocumentError, MissingKey, PageproofError, ProviderError, SetupError
from storage.incoming import Unsound, read_json

KEY_VARIABLE = "MINERU_API_KEY"
ATTEMPTS = 4
CONNECT_SECONDS = 10.0
REPLY_SECONDS = 120.0  # without a byte
UPLOAD_SECONDS = 300.0  # for a piece of the file
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds before another attempt, and between two polls of a task
_BUSY = {408, 425, 429, 502, 503, 504}  # 500 is a failed parse, which would fail again
_WORDS = 200  # characters of a server's message


Corners = tuple[float, float, float, float]


class Wire(BaseModel):
    """Base of the records that are read from MinerU's JSON; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Work(Wire):
    """How far a server is with a PDF; fields are named as by a server of one's own and by the hosted service."""

    status: str = Field("pending", validation_alias=AliasChoices("status", "state"))
    failure: str | None = Field(None, validation_alias=AliasChoices("error", "err_msg"))


M = TypeVar("M", bound=Wire)
W = TypeVar("W", bound=Work)
_DONE, _FAILED = {"completed", "done"}, "failed"  # any other status goes on


class Transport:
    """Requests to one server. The key is sent to no other address.

    Args:
        address: of the API.
        key: empty where none is needed.
        sleep: waits for the given seconds.
        clock: the time in seconds.
    """

    def __init__(
        self,
        address: str,
        key: str,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.address = address.rstrip("/")
        self._key = key
        self._sleep, self._clock = sleep, clock
        seconds = httpx.Timeout(REPLY_SECONDS, connect=CONNECT_SECONDS, write=UPLOAD_SECONDS)
        self._client = httpx.Client(timeout=seconds, trust_env=not is_local(address), follow_redirects=True)

    def ask(self, method: str, path: str, *, passing: tuple[int, ...] = (), **request: Any) -> httpx.Response:
        """Send a request to the API, and send it again while the server is busy.

        Args:
            method: HTTP's.
            path: below the address.
            passing: error statuses that are returned instead of raised.
            request: further arguments for httpx.

        Raises:
            MissingKey, SetupError, ProviderError, DocumentError: depending on who must act.
        """
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        return self._sent(method, self.address + path, passing, headers=headers, **request)

    def fetch(self, method: str, url: str, **request: Any) -> httpx.Response:
        """Download from an address that the API gave, without sending the key.

        Raises:
            ProviderError: it is not a web address, or the download failed.
        """
        if urlsplit(url).scheme not in ("http", "https"):
            raise ProviderError(f"MinerU at {self.shown} named {url[:_WORDS]!r}, which is no web address")
        return self._sent(method, url, (), **request)

    def finished(self, look: Callable[[], W], path: Path, patience: float) -> W:
        """What the server says of its work on a PDF when it is done; it is asked less and less often.

        Raises:
            DocumentError: it failed, or was not done after so many seconds.
        """
        end, pause = self._clock() + patience, FIRST_PAUSE
        while (work := look()).status not in (*_DONE, _FAILED):
            left = end - self._clock()
            if left <= 0:
                raise DocumentError(
                    f"{path}: MinerU at {self.shown} was not done after {patience:.0f} s ({work.status}); "
                    "raise reader.seconds_per_document"
                )
            self._sleep(min(pause, left))
            pause = min(pause * 1.3, LONGEST_PAUSE)
        if work.status == _FAILED:
            words = self.without_key(work.failure or work.status)
            raise DocumentError(f"{path}: MinerU could not read it: {words}")
        return work

    def read(self, form: type[M], content: object) -> M:
        """A reply's JSON, or a part of it, as a record.

        Raises:
            ProviderError: it has another form.
        """
        try:
            return form.model_validate(from_json(content) if isinstance(content, bytes) else content)
        except ValueError as error:  # no JSON, or another record
            raise ProviderError(
                f"{self.shown} did not answer as MinerU does; check reader.mineru_api_base"
            ) from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def shown(self) -> str:
        """The address without a password."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def _sent(self, method: str, url: str, passing: tuple[int, ...], **request: Any) -> httpx.Response:
        retrying = Retrying(
            stop=stop_after_attempt(ATTEMPTS),
            retry=retry_if_exception(_is_retryable),
            wait=_pause,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return retrying(self._once, method, url, passing, **request)
        except httpx.HTTPStatusError as error:
            raise self._for_status(error.response) from error
        except httpx.TimeoutException as error:
            raise ProviderError(
                f"MinerU at {self.shown} did not answer in time, tried {ATTEMPTS} times; try again later"
            ) from error
        except httpx.HTTPError as error:
            raise ProviderError(
                f"MinerU at {self.shown} cannot be reached, tried {ATTEMPTS} times ({error}); is it running?"
            ) from error

    def _once(self, method: str, url: str, passing: tuple[int, ...], **request: Any) -> httpx.Response:
        response = self._client.request(method, url, **request)
        if response.status_code not in passing:
            response.raise_for_status()
        return response

    def _for_status(self, response: httpx.Response) -> PageproofError:
        words = self.without_key(server_message(response))
        match response.status_code:
            case 401 | 403:
                return MissingKey(
                    f"MinerU at {self.shown} does not take the key in {KEY_VARIABLE} ({words}); set another one"
                )
            case 404 | 405:
                return SetupError(f"there is no MinerU API at {self.shown}; check reader.mineru_api_base")
            case 400 | 413 | 415 | 422:
                return DocumentError(f"MinerU at {self.shown} refused it: {words}")
            case 500:
                return DocumentError(f"MinerU at {self.shown} could not read it: {words}")
        return ProviderError(
            f"MinerU at {self.shown} failed with {response.status_code}, tried {ATTEMPTS} times: {words}"
        )

    def without_key(self, text: str) -> str:
        """A server's message on one line, with the key removed if it repeats it."""
        line = " ".join((text.replace(self._key, "***") if self._key else text).split())
        return line[:_WORDS]


def is_local(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def server_message(response: httpx.Response) -> str:
    """The message of a refusal, whichever field it is in."""
    try:
        content = read_json(response.content)
    except Unsound:
        return response.text or response.reason_phrase
    fields = content if isinstance(content, dict) else {}
    words = next((fields[name] for name in ("detail", "error", "message", "msg") if fields.get(name)), content)
    return words if isinstance(words, str) else json.dumps(words, ensure_ascii=False)


def _is_retryable(error: BaseException) -> bool:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in _BUSY
    return isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol)


def _pause(state: RetryCallState) -> float:
    """The pause that the server asks for; else a longer one each time."""
    error = state.outcome.exception() if state.outcome else None
    requested = error.response.headers.get("retry-after", "") if isinstance(error, httpx.HTTPStatusError) else ""
    if requested.isdigit():
        return min(float(requested), LONGEST_PAUSE)
    longer: float = FIRST_PAUSE * 2 ** (state.attempt_number - 1)
    return min(longer, LONGEST_PAUSE) * uniform(0.5, 1)


class Entry(Wire):
    """One block of a content list. Its type decides which texts it has."""

    type: str
    page_idx: int = Field(ge=0)
    bbox: Corners | None = None
    text: str | None = None
    text_level: int | None = None
    img_path: str | None = None
    table_body: str | None = None
    table_caption: list[str] | None = None
    table_footnote: list[str] | None = None
    image_caption: list[str] | None = None
    image_footnote: list[str] | None = None
    chart_caption: list[str] | None = None
    chart_footnote: list[str] | None = None
    list_items: list[str] | None = None
    code_body: str | None = None
    code_caption: list[str] | None = None


class Span(Wire):
    """A part of one line: its text, or a table's HTML."""

    type: str = ""
    content: str | None = None
    html: str | None = None


class SpanLine(Wire):
    """One printed line."""

    bbox: Corners
    spans: tuple[Span, ...] = ()


class MiddleBlock(Wire):
    """A block; tables, pictures and lists contain further blocks. `lines_deleted`: it was joined to another block."""

    type: str
    bbox: Corners | None = None
    lines: tuple[SpanLine, ...] = ()
    lines_deleted: bool = False
    blocks: tuple["MiddleBlock", ...] = ()


class MiddlePage(Wire):
    """One page.

    Attributes:
        preproc_blocks: as MinerU found them on the page.
        para_blocks: after paragraphs and tables that continue on the next page were joined.
        discarded_blocks: headers, page numbers, footnotes.
    """

    page_idx: int = Field(ge=0)
    page_size: tuple[float, float]
    preproc_blocks: tuple[MiddleBlock, ...] = ()
    para_blocks: tuple[MiddleBlock, ...] = ()
    discarded_blocks: tuple[MiddleBlock, ...] = ()


class Middle(Wire):
    """A whole document."""

    pdf_info: tuple[MiddlePage, ...]


ENTRIES = TypeAdapter(list[Entry])

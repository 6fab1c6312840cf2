"""What our servers look at before anything is answered: origin, size, form and number of requests."""

import asyncio
import ipaddress
import logging
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from cachetools import LRUCache
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from storage.errors import note_defect
from storage.incoming import Unsound, check_characters, read_json
from storage.stores.database import not_writable

logger = logging.getLogger(__name__)
HOUR = 3600.0
WhoseOf = Callable[[Scope], str]
"""Whose a request or connection is: the name of a person, or a place."""
MostOf = Callable[[Scope], tuple[int, str]]
"""The most bytes of a request's body, and what is said of a larger one."""
_ONCE = ("host", "origin", "cookie", "authorization", "content-type", "content-length")
_TOO_SLOW = "the body of the request came too slowly; send it again"
_FOREIGN = "only this server's own addresses are answered; the setting chat.origins names further ones"


class OriginGuard:
    """Turns away pages of other sites and ambiguous requests, and adds the security headers.

    A foreign Origin is another site's page calling us; a foreign Host is one that took over a name (DNS
    rebinding). Chainlit's socket checks neither. Of a header that comes twice, one part of a server reads the
    first and another part the last: a token could be looked at here and another one be taken there.
    """

    def __init__(
        self,
        app: ASGIApp,
        origins: Iterable[str],
        policy: str,
        other_pages: Iterable[str] = (),
        opened_by_links: tuple[str, ...] = ("/",),
    ) -> None:
        """Guard an application.

        Args:
            app: what is behind it.
            origins: under which it is reached, such as "http://127.0.0.1:8000".
            policy: the content security policy of its pages; {socket} in it becomes the server's own sockets.
            other_pages: origins of other sites whose pages may call it all the same.
            opened_by_links: below which paths a link on another site may open a page.
        """
        self._opened_by_links = opened_by_links
        self._app, self._policy = app, policy
        self._origins = {*origins, *other_pages}
        self._schemes = {urlsplit(origin).netloc: urlsplit(origin).scheme for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or turn away."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if twice := next((name for name in _ONCE if len(headers.getlist(name)) > 1), None):
            await _refuse(scope, receive, send, f"the header {twice!r} came twice", 400)
            return
        if not (self._welcomes(headers) and (self._is_from_here(headers) or self._opens_page(scope, headers))):
            await _refuse(scope, receive, send, _FOREIGN, 403)
            return
        scheme = self._schemes[headers["host"]]
        if scope["type"] == "http":
            scope = {**scope, "scheme": scheme}
        socket = f"{'wss' if scheme == 'https' else 'ws'}://{headers['host']}"  # 'self' has none in older browsers
        policy = self._policy.replace("{socket}", socket)
        await self._app(scope, receive, _with_headers(send, policy, secure=scheme == "https"))

    def _welcomes(self, headers: Headers) -> bool:
        return (
            headers.get("host") in self._schemes
            and headers.get("origin", next(iter(self._origins))) in self._origins
        )

    def _is_from_here(self, headers: Headers) -> bool:
        """Whether no page of another site caused the request, or one that may."""
        if "origin" in headers:
            return True  # it is looked at by itself
        if (site := headers.get("sec-fetch-site")) is not None:
            return site in ("same-origin", "none")
        # Every browser calls itself so; one that does not say where a request comes from shows a token, or opens pages.
        return not headers.get("user-agent", "").startswith("Mozilla/") or "authorization" in headers

    def _opens_page(self, scope: Scope, headers: Headers) -> bool:
        """Whether a link was followed, to what it may open."""
        is_page = headers.get("sec-fetch-mode", "navigate"), headers.get("sec-fetch-dest", "document")
        return (
            scope["type"] == "http"
            and scope["method"] in ("GET", "HEAD")
            and is_page == ("navigate", "document")
            and scope["path"].startswith(self._opened_by_links)
        )


def _with_headers(send: Send, policy: str, *, secure: bool) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            _add_headers(message, policy, secure=secure)
        await send(message)

    return guarded


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str, status: int) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await PlainTextResponse(reason, status_code=status)(scope, receive, send)


def _add_headers(message: MutableMapping[str, Any], policy: str, *, secure: bool) -> None:
    if secure:  # Chainlit does not know that TLS ends before it
        message["headers"] = [
            (name, value + b"; Secure" if name == b"set-cookie" and b"; secure" not in value.lower() else value)
            for name, value in message["headers"]
        ]
    headers = MutableHeaders(scope=message)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if headers.get("content-type") != "application/pdf":  # the browser's own PDF viewer is an object
        headers["Content-Security-Policy"] = policy


def place_of(scope: Scope) -> str:
    """Where a request or connection comes from."""
    return network_of((scope.get("client") or ("",))[0])


def network_of(address: str) -> str:
    """An address, of IPv6 the network: one household has 2^64 of them."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)


class BodyLimit:
    """Refuses a body that is too large, by its announced length or else at once beyond, and one that never comes.

    Whoever sends a byte a second would hold a connection, and one of the places of an upload, for hours.
    """

    patience_seconds = 30.0
    least_pace = 1024.0
    """Bytes a second; the slowest telephone line is several times as fast."""

    def __init__(self, app: ASGIApp, most_of: MostOf) -> None:
        self._app, self._most_of = app, most_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request through, counting."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most, why = self._most_of(scope)
        refusal = JSONResponse({"detail": why, "error": "ContentTooLarge"}, status_code=413)
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdigit() or int(announced) > most:
            await refusal(scope, receive, send)
            return
        counter = _Counter(receive, send, most, self.patience_seconds, self.least_pace)
        with suppress(ClientDisconnect):
            await self._app(scope, counter.receive, counter.send)
        if counter.is_late:
            late = {"detail": _TOO_SLOW, "error": "RequestTimeout"}
            refusal = JSONResponse(late, status_code=408, headers={"Connection": "close"})
        if counter.is_cut_off and not counter.has_answered:
            await refusal(scope, receive, send)


class _Counter:
    """The two ends of one request. A body that goes on beyond a limit ends as if its sender had gone away."""

    def __init__(self, receive: Receive, send: Send, most: int, patience: float, pace: float) -> None:
        self._receive, self._send = receive, send
        self._most, self._patience, self._pace = most, patience, pace
        self._received, self._waited, self._is_whole = 0, 0.0, False
        self.is_beyond = self.is_late = self.has_answered = False

    @property
    def is_cut_off(self) -> bool:
        """Whether the application was told that the sender has gone."""
        return self.is_beyond or self.is_late

    async def receive(self) -> Message:
        if not self.is_cut_off:
            message = await (self._receive() if self._is_whole else self._in_time())
        return {"type": "http.disconnect"} if self.is_cut_off else message

    async def _in_time(self) -> Message:
        """The next piece of the body; only the waiting for its sender counts."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._patience + self._received / self._pace - self._waited):
                message = await self._receive()
        except TimeoutError:
            self.is_late = True
            return {"type": "http.disconnect"}
        self._waited += time.monotonic() - began
        self._received += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        self.is_beyond = self._received > self._most
        return message

    async def send(self, message: Message) -> None:
        if (
            not self.is_cut_off or self.has_answered
        ):  # what is said of half a body is not what its sender must know
            self.has_answered = True
            await self._send(message)


MOST_QUERY_BYTES = 16_000


class SoundRequests:
    """Refuses, in one line, what no route could read: before any route, by every door.

    That is a path or a query that is no text, and a body of JSON with a number that no computer has, half a character,
    or lists in lists without end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request or connection, or refuse it."""
        if scope["type"] == "http":
            try:
                _check_address(scope)
                if _may_be_json(scope):
                    body = await whole_body(receive)
                    receive = body_again(body, receive)
                    if body:
                        read_json(body) if len(body) < _LONG else await asyncio.to_thread(read_json, body)
            except Unsound as error:
                detail = {"detail": f"the request cannot be read: {error}", "error": "UsageError"}
                status = 404 if isinstance(error, NoSuchPath) else 400
                await JSONResponse(detail, status_code=status)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class NoSuchPath(Unsound):
    """Its path is longer than any that there is."""


MOST_PATH_BYTES, MOST_NAME_BYTES = 2_000, 255
"""Of a path, and of a name in it: no folder has a file with a longer one."""
_LONG = 100_000
FORMS = ("multipart/", "application/x-www-form-urlencoded")


def _check_address(scope: Scope) -> None:
    query = scope.get("query_string", b"")
    if len(query) > MOST_QUERY_BYTES:
        raise Unsound(f"its query is longer than {MOST_QUERY_BYTES:,} bytes")
    try:
        path, asked = scope["path"], unquote_to_bytes(query.replace(b"+", b" ")).decode("utf-8")
        unquote_to_bytes(scope.get("raw_path") or path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unsound("its address is no UTF-8") from error
    check_characters(asked)
    if (
        len(path.encode()) > MOST_PATH_BYTES
        or max(len(name.encode()) for name in path.split("/")) > MOST_NAME_BYTES
    ):
        raise NoSuchPath("nothing has an address as long as this one")
    if not all(c.isprintable() for c in path):
        raise Unsound("its path has a character that cannot be seen")


def _may_be_json(scope: Scope) -> bool:
    kind = Headers(scope=scope).get("content-type", "")
    return scope["method"] in ("POST", "PUT", "PATCH", "DELETE") and not kind.lower().startswith(FORMS)


async def whole_body(receive: Receive) -> bytes | None:
    """The body; None where its sender went away."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def body_again(body: bytes | None, receive: Receive) -> Receive:
    """Gives a body that was read once more."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if body is None:
            return {"type": "http.disconnect"}
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def problems_of(errors: Iterable[Mapping[str, Any]]) -> str:
    """What pydantic found wrong, in one line and without what was sent."""
    places = ((".".join(str(part)[:40] for part in e["loc"] if part not in _PLACES), e) for e in errors)
    found = [(place, _IN_WORDS.get(e["type"], str(e["msg"]))) for place, e in places]
    shown = "; ".join(f"{place}: {why}" if place else why for place, why in found[:_MOST_PROBLEMS])
    return " ".join(shown.split())


_PLACES, _MOST_PROBLEMS = ("body", "query", "path"), 3
_IN_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "model_attributes_type": "expected an object of JSON, with the header Content-Type: application/json",
}


def wrong_field(_: Request, error: Exception) -> Response:
    """What is said of a request with a field that is wrong: FastAPI would send it back, however long it is."""
    wrong = problems_of(error.errors()) if isinstance(error, RequestValidationError) else ""
    return JSONResponse({"detail": wrong, "error": "UsageError"}, status_code=422)


class Contained:
    """Answers an error that nobody foresaw with one line, and notes where it happened, without what was sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request or connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        held: list[Message] = []  # what a framework says of an error before it raises it
        has_begun = False

        async def holding(message: Message) -> None:
            nonlocal has_begun
            if held or (message["type"] == "http.response.start" and message["status"] == _DEFECT):
                held.append(message)
                return
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, holding)
        except ClientDisconnect:
            raise
        except Exception as error:  # noqa: BLE001  # the last place to tell the sender
            if has_begun:
                note_defect(logger, "a request failed while it was answered", error)
                raise ClientDisconnect from None
            await _told(error)(scope, receive, send)
            return
        for message in held:
            await send(message)


_DEFECT = 500


def _told(error: Exception) -> JSONResponse:
    if (explained := not_writable(error)) is not None:
        logger.warning("a request failed: %s", explained)
        return JSONResponse({"detail": str(explained), "error": "NotWritable"}, status_code=507)
    reference = note_defect(logger, "a request failed", error)
    detail = f"something went wrong in Pageproof itself; the log has the details under reference {reference}"
    return JSONResponse({"detail": detail, "error": "Defect"}, status_code=_DEFECT)


_REMEMBERED = 20_000  # senders; who sent nothing for longest is forgotten first


class Rate:
    """Counts what each sender sends within a time; for the event loop's thread."""

    def __init__(self, most: int, within: float = HOUR, clock: Callable[[], float] = time.monotonic) -> None:
        """So many within so many seconds."""
        self._most, self._within, self._clock = most, within, clock
        self._sent: LRUCache[Hashable, deque[float]] = LRUCache(_REMEMBERED)

    def seconds_to_wait(self, sender: Hashable) -> float:
        """Count one more and give 0, or give the seconds after which there is room again."""
        if left := self.seconds_left(sender):
            return left
        self._sent.setdefault(sender, deque()).append(self._clock())
        return 0.0

    def seconds_left(self, sender: Hashable) -> float:
        """The seconds after which there is room again, counting none; 0 where there is room."""
        now, sent = self._clock(), self._sent.get(sender, deque())
        while sent and sent[0] <= now - self._within:
            sent.popleft()
        return sent[0] + self._within - now if len(sent) >= self._most else 0.0


def behind_door(
    app: ASGIApp,
    most_of: MostOf,
    origins: Iterable[str],
    policy: str,
    other_pages: Iterable[str] = (),
    opened_by_links: tuple[str, ...] = ("/",),
) -> ASGIApp:
    """The application behind all that is looked at first; see `OriginGuard` and `BodyLimit`."""
    limited = BodyLimit(Contained(SoundRequests(app)), most_of)
    return OriginGuard(limited, origins, policy, other_pages, opened_by_links)

"""Runs a server that lasts: its connections are counted, and no error in a log, an import or an accept ends it.

A process may have so many descriptors, and whoever opens connections takes one for each. The system gives the lowest
free number, so a connection with the number n means that all below n are in use: nothing else must be counted.
"""

import asyncio
import heapq
import logging
import os
import resource
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import h11
import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected

from app.web_guards import Rate, WhoseOf, place_of
from storage.errors import note_defect

logger = logging.getLogger(__name__)
HEALTH = ("/v1/health", "/health")
LAST_CONNECTIONS = 16
_UNLIMITED = 1 << 20
_BUSY = "all connections of this server are in use: try again in a moment"


@dataclass(frozen=True)
class Room:
    """The numbers of descriptors that connections may have.

    Half of all is left: each connection may be sent a file, and databases and processes need some.

    Attributes:
        plenty: from this number on, a connection is one of the last.
        most: from this number on, no connection is taken.
    """

    plenty: int
    most: int

    @classmethod
    def of_process(cls) -> Self:
        """What this process may have."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = _UNLIMITED if limit == resource.RLIM_INFINITY else limit
        most = limit // 2
        return cls(max(most - LAST_CONNECTIONS, 1), most)

    @property
    def sockets(self) -> int:
        """How many connections may be sockets, which stay."""
        return self.plenty // 2


class Listener(socket.socket):
    """A port that takes no more connections than there is room for; the others wait a moment in the system's queue.

    Attributes:
        make_room: called when there is none; whether there will be some in the next turn of the event loop.
    """

    make_room: Callable[[], bool] = staticmethod(lambda: False)
    _was_full = False

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection.

        Raises:
            BlockingIOError: there is no room yet; the event loop asks again, when those taken last have been heard.
            ConnectionAbortedError: there is no room for it; the event loop goes on with the next.
        """
        is_full = self._next_number() >= Room.of_process().most
        waits = is_full and (self.make_room() or not self._was_full)
        self._was_full = is_full
        if waits:
            raise BlockingIOError(_BUSY)
        connection, address = super().accept()
        if is_full:
            connection.close()
            raise ConnectionAbortedError(_BUSY)
        return connection, address

    def _next_number(self) -> int:
        """The descriptor that the next connection would have."""
        number = os.dup(self.fileno())
        os.close(number)
        return number


class PromptConnection(H11Protocol):
    """A connection that is closed unless it says within some seconds what it asks for.

    Uvicorn waits for ever for the head of a request, so whoever opens many connections and says nothing, or a byte
    now and then, would take all that a process may have. A request once begun, and a socket, last as long as they
    like. Where connections are scarce, the one that has been waited for longest makes room for the next, and the last
    ones are for the question whether the server lives.
    """

    head_seconds = 30.0
    reading_seconds = 60.0
    """In which somebody must take some of an answer that waits for them; what is not taken holds memory, too."""
    rest_seconds = 2.0
    """In which a body must end that is answered already, such as one that is too large."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for the head of the first request."""
        super().connection_made(transport)
        self._untaken: asyncio.TimerHandle | None = None
        self._head: asyncio.TimerHandle | None = None
        self._before: object = None  # the request before the one whose head is waited for
        self._waiting_since = self.loop.time()
        if transport.get_extra_info("socket").fileno() >= Room.of_process().plenty:
            drop_longest_waited_for(self.connections, besides=self)  # the next finds room
            self.app = _only_health(self.app)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Take in what came; after an answer it may be the beginning of another head."""
        super().data_received(data)
        if self.cycle is not None and self.cycle.response_complete:
            self._waiting_since = self.loop.time()
            self._expect_head()

    def pause_writing(self) -> None:
        """Wait until its sender takes some of the answer, but not for ever."""
        super().pause_writing()
        self._untaken = self.loop.call_later(self.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: some of the answer was taken."""
        super().resume_writing()
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what was waited for; a timer would hold all that the connection had."""
        self._forget_timers()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Leave the connection to another protocol: it has become a socket."""
        self._forget_timers()
        super().handle_websocket_upgrade(event)

    @property
    def is_waited_for(self) -> bool:
        """Whether nothing is done for the connection before its sender has said more."""
        has_said_all = self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body
        return not has_said_all or self._untaken is not None

    @property
    def rank(self) -> tuple[bool, float]:
        """How soon it makes room for others: half a body is worth more than no request at all."""
        return bool(self.cycle and self.cycle.more_body), self._waiting_since

    def _expect_head(self) -> None:
        if self._head is not None:
            if self._before is self.cycle:  # a byte now and then wins no time
                return
            self._head.cancel()
        self._before = self.cycle
        is_answered = self.cycle is not None and self.conn.their_state is h11.SEND_BODY
        seconds = self.rest_seconds if is_answered else self.head_seconds
        self._head = self.loop.call_later(seconds, self._close_unless_asked)

    def _close_unless_asked(self) -> None:
        if self.cycle is self._before:
            self.transport.close()

    def _forget_timers(self) -> None:
        for timer in filter(None, (self._untaken, self._head)):
            timer.cancel()


def drop_longest_waited_for(connections: set[Any], besides: object = None, count: int = 1) -> bool:
    """Close the connections that have been waited for longest; whether there is one."""
    known = (one for one in connections if isinstance(one, PromptConnection) and one is not besides)
    longest = heapq.nsmallest(count, (one for one in known if one.is_waited_for), key=lambda one: one.rank)
    for one in longest:
        connections.discard(one)
        one.transport.abort()
    return bool(longest)


def _only_health(app: ASGIApp) -> ASGIApp:
    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1013})
        elif scope["type"] == "http" and scope["path"] not in HEALTH:
            after = {"Retry-After": "5", "Connection": "close"}
            await JSONResponse({"detail": _BUSY}, status_code=503, headers=after)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return answered


class Sockets:
    """Lets in so many sockets at once, of which one person has a quarter at most, and closes those that join nothing.

    A page joins within a second. A socket that is only open costs as much as one. Where all places are taken, or all
    of a person, the oldest that has not joined makes room; where all have joined, the newest is refused. Whoever opens
    many and joins with none is not heard for a while.
    """

    join_seconds = 10.0
    parts = 4
    most_lost = 120
    """Sockets of one person or address, in a minute, that were opened and joined nothing."""

    def __init__(self, app: ASGIApp, most: int | None = None, whose: WhoseOf = place_of) -> None:
        """Guard an application.

        Args:
            app: it.
            most: how many sockets; what the process has room for if nothing is said.
            whose: tells whose a socket is: a person, or an address where nobody signs in.
        """
        self._app, self._most, self._whose = app, most, whose
        self._open: Counter[str] = Counter()
        self._joining: dict[asyncio.Event, str] = {}  # set to close; the oldest first
        self._said, self._lost = Rate(1, _MINUTE), Rate(self.most_lost, _MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request, or one socket while there is room."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        whose = self._whose(scope)
        if self._lost.seconds_left(whose) or not self._has_room(whose):
            if not self._said.seconds_to_wait("refused"):
                logger.warning("a socket was refused: its sender, or all together, have as many as they may")
            await send({"type": "websocket.close", "code": 1013})
            return
        self._open[whose] += 1
        try:
            await self._pass(whose, scope, receive, send)
        finally:
            self._open[whose] -= 1
            self._open += Counter()  # forgets who has none

    def _has_room(self, whose: str) -> bool:
        """Whether there is room for one more, where need be after another was told to close."""
        most = self._most or Room.of_process().sockets
        is_full, has_share = self._open.total() >= most, self._open[whose] >= max(most // self.parts, 1)
        if not is_full and not has_share:
            return True
        waiting = (
            one for one, owner in self._joining.items() if not one.is_set() and (not has_share or owner == whose)
        )
        oldest = next(waiting, None)
        if oldest is not None:
            oldest.set()
        return oldest is not None

    async def _pass(self, whose: str, scope: Scope, receive: Receive, send: Send) -> None:
        """One socket, which may be closed until it has joined."""
        closing = asyncio.Event()
        self._joining[closing] = whose
        late = asyncio.get_running_loop().call_later(self.join_seconds, closing.set)
        told_to_close = asyncio.ensure_future(closing.wait())

        async def heard() -> Message:
            coming = asyncio.ensure_future(receive())
            await asyncio.wait({coming, told_to_close}, return_when=asyncio.FIRST_COMPLETED)
            if not closing.is_set():
                return coming.result()
            coming.cancel()
            with suppress(Exception):
                await send({"type": "websocket.close", "code": 1013})
            return {"type": "websocket.disconnect", "code": 1013}

        async def said(message: Message) -> None:
            if message["type"] == "websocket.send" and str(message.get("text") or "").startswith(_JOINED):
                late.cancel()
                self._joining.pop(closing, None)
            with suppress(ClientDisconnected):  # what it hears next is that nobody is there, and it cleans up
                await send(message)

        try:
            await self._app(scope, heard, said)
        except Exception as error:  # noqa: BLE001  # uvicorn would print a trace
            if not closing.is_set():
                note_defect(logger, "a socket failed", error)
        finally:
            late.cancel()
            told_to_close.cancel()
            if self._joining.pop(closing, None) is not None:
                self._lost.seconds_to_wait(whose)


_MINUTE = 60.0
_JOINED = "40"  # Socket.IO: connected


def run_server(app: ASGIApp, listener: socket.socket, *, behind_proxy: bool, whose: WhoseOf = place_of) -> None:
    """Serve an application until interrupted.

    Args:
        app: it.
        listener: the port, already taken.
        behind_proxy: whether a proxy stands before it; without one, whoever comes could name any address as theirs.
        whose: tells whose a socket is.
    """
    logging.raiseExceptions = False  # a line that cannot be written is no reason to fail
    config = uvicorn.Config(
        Sockets(app, whose=whose),
        loop="asyncio",
        http=PromptConnection,
        log_level="error",
        timeout_graceful_shutdown=3,
        proxy_headers=behind_proxy,
    )
    _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_note)
        for listener in sockets or ():
            if isinstance(listener, Listener):
                listener.make_room = partial(
                    drop_longest_waited_for, self.server_state.connections, count=LAST_CONNECTIONS
                )
        await super().serve(sockets)


def _note(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Write down what went wrong in the event loop; an error here would end it."""
    with suppress(Exception):
        error = context.get("exception")
        logger.error("%s (%s)", context.get("message", "the event loop"), type(error).__name__ if error else "-")

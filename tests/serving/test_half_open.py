"""Connections that say nothing, or never all of it, are closed; the others are answered meanwhile."""

import asyncio
import gc
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar
from weakref import WeakSet

import pytest
import socketio
import uvicorn
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from websockets.sync.client import connect

from app.chat.launcher import listen
from app.web_server import PromptConnection, Sockets


class Quick(PromptConnection):
    head_seconds = 0.3
    reading_seconds = 0.3
    rest_seconds = 0.3


class Patient(PromptConnection):
    head_seconds = 300.0
    rest_seconds = 0.3


LONG: list[str] = []
"""What became of the long answers."""


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Says "ok" to a request, below `/long` much more; a socket is told what it said."""
    if scope["type"] == "http" and scope["path"] == "/long":
        LONG.append("begun")
        try:
            await StreamingResponse(iter(["x" * 1_000_000] * 50))(scope, receive, send)
        finally:
            LONG.append("ended")
        return
    if scope["type"] == "http":
        await PlainTextResponse("ok")(scope, receive, send)
        return
    await send({"type": "websocket.accept"})
    while "text" in (message := await receive()) or message["type"] == "websocket.connect":
        if "text" in message:
            await send({"type": "websocket.send", "text": message["text"]})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(application) as port:
        yield port


@contextmanager
def serving(application: ASGIApp, protocol: type[PromptConnection] = Quick) -> Iterator[int]:
    with listen("127.0.0.1", 0) as listener:
        config = uvicorn.Config(application, http=protocol, log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


WHOLE = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.parametrize("said", [b"", b"G", WHOLE[:-2]], ids=["no", "one", "half"])
def test_a_connection_that_never_says_what_it_asks_for_is_closed(port: int, said: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(said)
        assert connection.recv(4096) == b""


def test_the_head_of_a_second_request_is_waited_for_no_longer(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(WHOLE)
        while not connection.recv(4096).endswith(b"ok"):  # the head may come before the body
            pass
        connection.sendall(WHOLE[:-2])
        assert connection.recv(4096) == b""


def test_a_socket_stays_open_when_the_time_for_its_head_is_over(port: int) -> None:
    with connect(f"ws://127.0.0.1:{port}/") as socket_, socket.create_connection(("127.0.0.1", port)) as later:
        assert later.recv(1) == b""  # closed, and opened after the socket
        socket_.send("still here")
        assert socket_.recv(timeout=10) == "still here"


def test_a_request_that_is_whole_is_answered_beside_many_that_are_not(port: int) -> None:
    half_open = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(WHOLE)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 OK")
    finally:
        for one in half_open:
            one.close()


def all_of(connection: socket.socket) -> int:
    """How many bytes come before the end, or before the connection breaks off."""
    count = 0
    with suppress(ConnectionError):
        while piece := connection.recv(1 << 20):
            count += len(piece)
    return count


def test_an_answer_that_nobody_takes_is_not_kept_for_ever(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(WHOLE.replace(b"GET / ", b"GET /long "))
        while LONG != ["begun", "ended"]:
            time.sleep(0.01)
        assert all_of(connection) < 50_000_000  # it was not simply sent


SOCKET = (
    b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Few(Sockets):
    most_lost = 5


def reset(port: int, said: bytes) -> None:
    """Say something and be gone at once."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(said)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_of_sockets_whose_sender_is_gone_at_once_nothing_is_kept_and_nothing_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    events = socketio.AsyncServer(async_mode="asgi")
    with serving(Few(socketio.ASGIApp(events))) as port:
        for _ in range(30):
            reset(port, SOCKET)
        said = b""
        while not said.startswith(b"HTTP/1.1 403"):  # who opens many in vain is heard no more
            with socket.create_connection(("127.0.0.1", port), timeout=10) as another:
                another.sendall(SOCKET)
                said = another.recv(4096)
        while events.eio.sockets or events.environ:
            time.sleep(0.01)
    assert [record.getMessage()[:20] for record in caplog.records] == ["a socket was refused"]


class Known(PromptConnection):
    alive: ClassVar[WeakSet[PromptConnection]] = WeakSet()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        self.alive.add(self)
        super().connection_made(transport)


@pytest.mark.parametrize("said", [b"", WHOLE[:-2], SOCKET], ids=["no", "half", "socket"])
def test_a_connection_that_is_gone_is_not_kept_until_its_head_is_late(said: bytes) -> None:
    with serving(application, Known) as port:
        for _ in range(5):
            reset(port, said)
        while len(Known.alive) > 1:  # the last may still stand in a frame of the event loop
            gc.collect()
            time.sleep(0.01)


def test_a_body_that_is_answered_already_is_not_read_for_as_long_as_it_is_sent() -> None:
    begin = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    with (
        serving(application, Patient) as port,
        socket.create_connection(("127.0.0.1", port), timeout=10) as sender,
    ):
        sender.sendall(begin)
        assert sender.recv(4096).startswith(b"HTTP/1.1 200 OK")
        began = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - began < 60:
                sender.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")
                time.sleep(0.01)
    assert time.monotonic() - began < 60

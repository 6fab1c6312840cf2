"""More connections than a process may have: a server goes on, and answers those who ask."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from app.web_server import LAST_CONNECTIONS, Room, Sockets
from tests.support.samples import ROOT

HALF = b"GET / HTTP/1.1\r\nHost: a\r\n"
WHOLE = b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
UPGRADE = (
    b"GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@contextmanager
def served(descriptors: int, join_seconds: float = 60.0) -> Iterator[int]:
    arguments = [sys.executable, "-m", "tests.support.doubles.crowded_server", str(descriptors), str(join_seconds)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(arguments, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        try:
            yield port
            assert process.poll() is None
        finally:
            process.kill()


def ask(port: int, path: str = "/") -> tuple[int, bytes]:
    """What is answered; somebody whose connection is closed at once tries again."""
    for _ in range(200):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        except (ConnectionError, http.client.HTTPException):
            time.sleep(0.05)
        finally:
            connection.close()
    pytest.fail("nothing is answered")


def crowd(stack: ExitStack, port: int, count: int, said: bytes) -> None:
    for _ in range(count):
        connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
        with suppress(ConnectionError):
            connection.sendall(said)


@pytest.fixture(scope="module", params=[256, 1024])
def crowded(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """A server's port and how many connections are more than it can have."""
    with served(request.param) as port:
        yield port, request.param + 100


@pytest.mark.parametrize("said", [b"", HALF, b"nonsense\r\n\r\n", UPGRADE], ids=["no", "half", "bad", "sockets"])
def test_more_connections_than_there_is_room_for_leave_a_server_that_answers(
    crowded: tuple[int, int], said: bytes
) -> None:
    port, count = crowded
    with ExitStack() as stack:
        crowd(stack, port, count, said)
        while ask(port) != (200, b"ok"):  # others are asked to come again in a moment
            time.sleep(0.05)


def test_the_last_connections_are_for_the_question_whether_the_server_lives(crowded: tuple[int, int]) -> None:
    port, count = crowded
    with ExitStack() as stack:
        status, said = 200, b""
        while status == 200:  # one that has not yet said what it asks for makes room for the next
            crowd(stack, port, count, WHOLE)
            status, said = ask(port)
        assert (status, sorted(json.loads(said))) == (503, ["detail"])
        assert ask(port, "/v1/health") == (200, b"ok")
    while ask(port) != (200, b"ok"):  # the crowd has gone, and leaves its places
        time.sleep(0.05)


def test_a_socket_that_joins_nothing_is_closed_and_one_that_has_joined_stays() -> None:
    with served(256, join_seconds=0.5) as port, connect(f"ws://127.0.0.1:{port}/") as joined:
        joined.send("40")  # the double says it back, as Socket.IO does to who may come
        assert joined.recv(timeout=60) == "40"
        with connect(f"ws://127.0.0.1:{port}/") as silent, pytest.raises(Exception, match="1013"):
            silent.recv(timeout=60)
        joined.send("still here")
        assert joined.recv(timeout=60) == "still here"


def test_sockets_that_join_nothing_make_room_for_one_that_does() -> None:
    with served(256) as port, ExitStack() as stack:
        crowd(stack, port, 80, UPGRADE)  # more than may be sockets, fewer than may be connections
        with connect(f"ws://127.0.0.1:{port}/", open_timeout=60) as page:
            page.send("40")
            assert page.recv(timeout=60) == "40"


def test_one_person_s_sockets_leave_room_for_another_s() -> None:
    with served(256) as port, ExitStack() as stack:
        most = Room(plenty=256 // 2 - LAST_CONNECTIONS, most=256 // 2).sockets
        joined = 0
        for _ in range(most):
            with suppress(InvalidStatus):  # the newest beyond the share
                page = stack.enter_context(connect(f"ws://127.0.0.1:{port}/?rob", open_timeout=60))
                page.send("40")
                joined += page.recv(timeout=60) == "40"
        assert joined == most // Sockets.parts
        with connect(f"ws://127.0.0.1:{port}/?bob", open_timeout=60) as page:
            page.send("40")
            assert page.recv(timeout=60) == "40"


def test_whether_the_server_lives_is_answered_at_once_after_a_burst() -> None:
    with served(256) as port, ExitStack() as stack:
        crowd(stack, port, 1, WHOLE.replace(b"/slow", b"/busy"))  # so that all come at once
        crowd(stack, port, 300, HALF)
        asking = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for _ in range(8)]
        for connection in asking:
            stack.callback(connection.close)
            connection.request("GET", "/v1/health")
        assert [connection.getresponse().read() for connection in asking] == [b"ok"] * 8

"""How soon the chat answers, and how long its event loop stands still: python -m tests.chat_measures DATA [CHATS].

Speaks to a chat of its own through Chainlit's socket, as a browser does, without the browser's share. Prints, for one
chat asking alone and for several at once, the time from sending a question to the first step on the screen and to the
answer, and for the latter the longest halts of the server's event loop, which a small request every few milliseconds
meets.
"""

import asyncio
import socket
import statistics
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import httpx
import socketio

from storage.library import Library
from storage.paths import DataPaths

CHATS = 5
QUESTIONS = 4  # for each chat
PROBE_SECONDS = 0.005
WORDINGS = (
    "What was the total revenue of {}?",
    "What was the net income of {}?",
    "Who is the CEO of {}?",
    "What were the total assets of {}?",
)


class Client:
    """One browser's socket: what it was sent, and when."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._socket = socketio.AsyncClient()
        self._first_step: float | None = None
        self._answered = asyncio.Event()
        self._sent = 0.0
        self._socket.on("new_message", self._on_message)
        self._socket.on("element", self._on_element)

    async def __aenter__(self) -> "Client":
        hello = {
            "sessionId": str(uuid.uuid4()),
            "clientType": "webapp",
            "userEnv": "{}",
            "chatProfile": "offline",
            "threadId": "",
        }
        await self._socket.connect(
            self._address, socketio_path="/ws/socket.io", transports=["websocket"], auth=hello
        )
        await self._socket.emit("connection_successful")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.emit("clear_session")
        await self._socket.disconnect()

    async def ask(self, text: str) -> tuple[float, float]:
        """Seconds until the first step and until the answer."""
        self._first_step, self._sent = None, time.perf_counter()
        self._answered.clear()
        message = {
            "id": str(uuid.uuid4()),
            "name": "User",
            "type": "user_message",
            "output": text,
            "createdAt": "2024-01-01T00:00:00Z",
        }
        await self._socket.emit("client_message", {"message": message, "fileReferences": []})
        await asyncio.wait_for(self._answered.wait(), 300)
        answered = time.perf_counter() - self._sent
        return (self._first_step or self._sent) - self._sent, answered

    def _on_message(self, step: dict[str, Any]) -> None:
        if self._first_step is None and step["type"] not in ("user_message", "run"):
            self._first_step = time.perf_counter()

    def _on_element(self, element: dict[str, Any]) -> None:
        if element["name"] == "AnswerCard":
            self._answered.set()


async def measure(address: str, names: list[str], chats: int) -> None:
    """Print everything."""
    async with Client(address) as alone:
        await alone.ask(WORDINGS[0].format(names[0]))  # loads the model and the first index
        one = [await alone.ask(WORDINGS[k % len(WORDINGS)].format(names[k % len(names)])) for k in range(12)]
    _print("one chat", one)
    halts: list[float] = []
    probing = asyncio.create_task(_probe(address, halts))
    several = await asyncio.gather(*(_chat(address, names, k) for k in range(chats)))
    probing.cancel()
    _print(f"{chats} chats at once", [times for chat in several for times in chat])
    told = statistics.quantiles(halts, n=100)
    sys.stdout.write(
        f"event loop, {len(halts)} probes: median {statistics.median(halts) * 1000:.0f} ms, "
        f"p99 {told[98] * 1000:.0f} ms, longest {max(halts) * 1000:.0f} ms\n"
    )


async def _chat(address: str, names: list[str], number: int) -> list[tuple[float, float]]:
    async with Client(address) as client:
        asked = range(number * QUESTIONS, (number + 1) * QUESTIONS)
        return [await client.ask(WORDINGS[k % len(WORDINGS)].format(names[k % len(names)])) for k in asked]


async def _probe(address: str, halts: list[float]) -> None:
    async with httpx.AsyncClient(base_url=address) as client:
        while True:
            started = time.perf_counter()
            await client.get("/health")
            halts.append(time.perf_counter() - started)
            await asyncio.sleep(PROBE_SECONDS)


def _print(title: str, times: list[tuple[float, float]]) -> None:
    for what, seconds in zip(("first step", "answer"), zip(*times, strict=True), strict=True):
        ordered = sorted(seconds)
        sys.stdout.write(
            f"{title}, {what}: median {statistics.median(ordered):.2f} s, "
            f"p90 {ordered[int(0.9 * (len(ordered) - 1))]:.2f} s, longest {ordered[-1]:.2f} s\n"
        )


def main(data: Path, chats: int) -> None:
    """Start a chat over the library, measure, end it."""
    names = [company.name for company in Library(DataPaths(data).catalog).companies()]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = "from app.command_line import main; main()"
    options = ["chat", "--headless", "--port", str(port), "--data", str(data)]
    server = subprocess.Popen([sys.executable, "-c", command, *options], stdout=subprocess.PIPE)
    address = f"http://127.0.0.1:{port}"
    try:
        assert server.stdout is not None
        server.stdout.readline()  # the line with its address: the port is open from then on
        sys.stdout.write(f"{len(names)} companies\n")
        asyncio.run(measure(address, names, chats))
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else CHATS)

"""How soon the chat answers, and how long its event loop halts: `DATA [CHATS [MINUTES [PDF]] | PDF]`.

Speaks to a chat of its own through Chainlit's socket, as a browser does, without the browser's share. Prints, for one
chat asking alone and for several at once, the time from sending a question to the first step on the screen and to the
answer, and for the latter the longest halts of the server's event loop, which a small request every few milliseconds
meets. With a PDF, the same while that report is read and indexed; it stays in the library. With minutes, so many people
ask, open the cited page and read for some seconds, for as long, while a PDF is read if one is named: answers that are
not those of their question are counted, and the server's memory is stated. `make bench-chat` does that.
"""

import asyncio
import random
import socket
import statistics
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import socketio

from storage.paths import DataPaths
from storage.stores.library import Library

CHATS = 5
QUESTIONS = 4  # for each chat
PROBE_SECONDS = 0.005
OPENED = 60  # seconds within which many chats have opened every report
READS = (5.0, 10.0)  # seconds between one of many people's answers and their next question
WORDINGS = (
    "What was the total revenue of {}?",
    "What was the net income of {}?",
    "Who is the CEO of {}?",
    "What were the total assets of {}?",
)


class Client:
    """One browser's socket: what it was sent, and when."""

    def __init__(self, address: str) -> None:
        self.session = str(uuid.uuid4())
        self._address = address
        self._socket = socketio.AsyncClient()
        self.report: dict[str, Any] = {}
        """The card of the report that was sent last."""
        self.card: dict[str, Any] = {}
        """The card of the last answer."""
        self._first_step: float | None = None
        self._answered = asyncio.Event()
        self._sent = 0.0
        self._socket.on("new_message", self._on_message)
        self._socket.on("element", self._on_element)

    async def __aenter__(self) -> "Client":
        hello = {
            "sessionId": self.session,
            "clientType": "webapp",
            "userEnv": "{}",
            "chatProfile": "offline",
            "threadId": "",
        }
        await self._socket.connect(
            self._address, socketio_path="/ws/socket.io", transports=["websocket"], auth=hello, wait_timeout=60
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
        await self._say(text, [])
        await asyncio.wait_for(self._answered.wait(), 300)
        answered = time.perf_counter() - self._sent
        return (self._first_step or self._sent) - self._sent, answered

    async def send(self, pdf: Path) -> None:
        """Send a report."""
        async with httpx.AsyncClient(base_url=self._address, timeout=120) as client:
            files = {"file": (pdf.name, pdf.read_bytes(), "application/pdf")}
            sent = await client.post("/project/file", params={"session_id": self.session}, files=files)
        await self._say("", [sent.raise_for_status().json()])

    async def _say(self, text: str, files: list[dict[str, str]]) -> None:
        message = {
            "id": str(uuid.uuid4()),
            "name": "User",
            "type": "user_message",
            "output": text,
            "createdAt": "2024-01-01T00:00:00Z",
        }
        await self._socket.emit("client_message", {"message": message, "fileReferences": files})

    def _on_message(self, step: dict[str, Any]) -> None:
        if self._first_step is None and step["type"] not in ("user_message", "run"):
            self._first_step = time.perf_counter()

    def _on_element(self, element: dict[str, Any]) -> None:
        if element["name"] == "AnswerCard":
            self.card = element["props"]
            self._answered.set()
        if element["name"] == "ReportCard":
            self.report = element["props"]


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
    _print_halts(f"{chats} chats at once", halts)


async def measure_upload(address: str, names: list[str], pdf: Path) -> None:
    """Print how soon questions are answered while a report is read in another conversation, stage by stage."""
    async with Client(address) as sender, Client(address) as asker:
        await asker.ask(WORDINGS[0].format(names[0]))
        halts: list[float] = []
        probing = asyncio.create_task(_probe(address, halts))
        before = [await asker.ask(WORDINGS[k % len(WORDINGS)].format(names[k % len(names)])) for k in range(8)]
        _print_halts("nothing is read", halts)
        _print("nothing is read", before)
        halts.clear()
        begun = time.perf_counter()
        await sender.send(pdf)
        during: dict[str, list[tuple[float, float]]] = {}
        k = 0
        while not sender.report.get("is_final"):
            stage = str(sender.report.get("headline", "Checking")).split(" ")[0]
            during.setdefault(stage, []).append(
                await asker.ask(WORDINGS[k % len(WORDINGS)].format(names[k % len(names)]))
            )
            k += 1
        sys.stdout.write(f"{pdf.name}: {sender.report['headline']}, {time.perf_counter() - begun:.0f} s\n")
        _print_halts("while it is read", halts)
        probing.cancel()
        for stage, times in during.items():
            _print(f"{stage} ({len(times)} questions)", times)


async def _chat(address: str, names: list[str], number: int) -> list[tuple[float, float]]:
    async with Client(address) as client:
        numbers = range(number * QUESTIONS, (number + 1) * QUESTIONS)
        return [await client.ask(WORDINGS[k % len(WORDINGS)].format(names[k % len(names)])) for k in numbers]


@dataclass
class _Crowd:
    """What many people got, in seconds and megabytes."""

    times: list[tuple[float, float]] = field(default_factory=list)
    later: list[tuple[float, float]] = field(default_factory=list)
    """Of the questions that were asked when every report was open."""
    pictures: list[float] = field(default_factory=list)
    lost: int = 0
    mixed: int = 0
    given: dict[str, set[str]] = field(default_factory=dict)
    halts: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)


async def measure_load(
    address: str, names: list[str], chats: int, minutes: float, process: int, pdf: Path | None
) -> None:
    """Print what people who ask for minutes got, perhaps beside a report that is read, and what the server took."""
    async with Client(address) as first:
        await first.ask(WORDINGS[0].format(names[0]))  # loads the model and the first index
        begun, crowd = time.perf_counter(), _Crowd()

        async def watch() -> None:
            while True:
                status = Path(f"/proc/{process}/status").read_text()
                crowd.memory.append(int(status.split("VmRSS:")[1].split()[0]) // 1024)
                await asyncio.sleep(15)

        beside = [asyncio.create_task(_probe(address, crowd.halts)), asyncio.create_task(watch())]
        if pdf is not None:
            await first.send(pdf)
        await asyncio.gather(*(_person(address, names, n, begun, 60 * minutes, crowd) for n in range(chats)))
        for task in beside:
            task.cancel()
        if pdf is not None:
            sys.stdout.write(f"{pdf.name}: {first.report.get('headline', 'not begun')}\n")
    _print(f"{chats} people for {minutes:g} minutes, {len(crowd.times)} answers", crowd.times)
    if crowd.later:
        _print(f"of those asked after the first {OPENED} s, {len(crowd.later)} answers", crowd.later)
    _print_halts(f"{chats} people", crowd.halts)
    if len(crowd.pictures) > 1:
        p90 = statistics.quantiles(crowd.pictures, n=10)[-1]
        median = statistics.median(crowd.pictures)
        sys.stdout.write(f"page picture drawn before: median {median:.2f} s, p90 {p90:.2f} s\n")
    differing = sum(len(values) > 1 for values in crowd.given.values())
    sys.stdout.write(
        f"lost: {crowd.lost}; of another question: {crowd.mixed}; questions with differing answers: {differing}\n"
        f"memory every 15 s, MB: {' '.join(map(str, crowd.memory))}\n"
    )


async def _person(
    address: str, names: list[str], number: int, begun: float, seconds: float, crowd: _Crowd
) -> None:
    """Ask, open the cited page and read, until so many seconds have passed."""
    chance = random.Random(number)
    await asyncio.sleep(chance.uniform(0, READS[1]))
    async with Client(address) as client, httpx.AsyncClient(base_url=address, timeout=60) as browser:
        while (asked := time.perf_counter()) < begun + seconds:
            name = chance.choice(names)
            text = chance.choice(WORDINGS).format(name)
            try:
                crowd.times.append(await client.ask(text))
            except TimeoutError:
                crowd.lost += 1
                continue
            if asked > begun + OPENED:
                crowd.later.append(crowd.times[-1])
            crowd.mixed += (client.card["question"], client.card["company"]) != (text, name)
            crowd.given.setdefault(text, set()).add(str(client.card["values"]))
            for link in client.card["citations"][:1]:
                page = f"/report/{link['sha1']}/{link['page']}.png"
                await browser.get(page)
                before = time.perf_counter()
                (await browser.get(page)).raise_for_status()
                crowd.pictures.append(time.perf_counter() - before)
            await asyncio.sleep(chance.uniform(*READS))


async def _probe(address: str, halts: list[float]) -> None:
    async with httpx.AsyncClient(base_url=address) as client:
        while True:
            started = time.perf_counter()
            await client.get("/health")
            halts.append(time.perf_counter() - started)
            await asyncio.sleep(PROBE_SECONDS)


def _print_halts(title: str, halts: list[float]) -> None:
    percentiles = statistics.quantiles(halts, n=100)
    sys.stdout.write(
        f"{title}, event loop, {len(halts)} probes: median {statistics.median(halts) * 1000:.0f} ms, "
        f"p99 {percentiles[98] * 1000:.0f} ms, longest {max(halts) * 1000:.0f} ms\n"
    )


def _print(title: str, times: list[tuple[float, float]]) -> None:
    for what, seconds in zip(("first step", "answer"), zip(*times, strict=True), strict=True):
        ordered = sorted(seconds)
        sys.stdout.write(
            f"{title}, {what}: median {statistics.median(ordered):.2f} s, "
            f"p90 {ordered[int(0.9 * (len(ordered) - 1))]:.2f} s, longest {ordered[-1]:.2f} s\n"
        )


def main(data: Path, what: str, minutes: float = 0, pdf: Path | None = None) -> None:
    """Start a chat over the library, measure, end it; `what` is a number of chats or a PDF to send."""
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
        if Path(what).suffix == ".pdf":
            asyncio.run(measure_upload(address, names, Path(what)))
        elif minutes:
            asyncio.run(measure_load(address, names, int(what), minutes, server.pid, pdf))
        else:
            asyncio.run(measure(address, names, int(what)))
    finally:
        server.terminate()
        server.wait(60)


if __name__ == "__main__":
    data, what, minutes, pdf = (*sys.argv[1:], *("", str(CHATS), "0", "")[len(sys.argv) - 1 :])
    main(Path(data), what, float(minutes), Path(pdf) if pdf else None)

"""PDFs, messages of the socket and files of questions that nobody honest would send, by the thousand.

`python -m tests.measures.hostile_inputs [PDFS] [MESSAGES] [FILES] [SEED]` tries so many of each, with a seed that it
prints. Each has to be taken or refused in one line. What is not is listed, and the program ends with 1.
"""

import asyncio
import logging
import os
import random
import re
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from app.files.questions import read_questions
from indexes.options import ReaderOptions
from indexes.preflight import PdfProcess, preflight
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import MEGABYTES_PER_PROCESS, ReadingPool, docling_reader
from storage.errors import PageproofError
from tests.support.annotated_pages import ANNOTATED, annotated_page, xfa_form
from tests.support.fuzzing import FRAGMENTS, random_text
from tests.support.hostile_files import encrypted, huge_picture, many_lines, nested_forms, one_page
from tests.support.samples import SAMPLES

PDFS, MESSAGES, FILES = 1000, 10_000, 2000
SECONDS_PER_PDF = 4.0
_WITH_OCR = 25  # one PDF of so many, since a page takes seconds
_OPERATORS = (
    b"q Q cm Do BT ET Tf Td Tj TJ Tm Tr re f S m l c h W n gs sh BI ID EI Tw Tz Ts rg cs scn d0 d1".split()
)
_NUMBERS = re.compile(rb"\d+")


class WatchedPool(ReadingPool):
    """A pool that notes the most memory that one of its processes reports."""

    megabytes = 0.0

    def _hear(self, worker: Any, *others: Any) -> Iterator[tuple[ReadingTask, str]]:
        connection = worker.connection
        worker.connection = SimpleNamespace(recv=lambda: self._noted(connection.recv()))
        try:
            yield from super()._hear(worker, *others)
        finally:
            worker.connection = connection

    def _noted(self, event: Any) -> Any:
        self.megabytes = max(self.megabytes, getattr(event, "megabytes", 0.0))
        return event


def write_pdfs(folder: Path, count: int, chance: random.Random) -> list[Path]:
    """Small PDFs, most of them good ones with something changed."""
    whole = [path.read_bytes() for path in _seeds(folder)]
    paths = []
    for number in range(count):
        path = folder / f"{number}.pdf"
        if number % 4 == 0:
            one_page(path, _random_content(chance), resources="/Font<</F 5 0 R>>", more=[_FONT])
        else:
            path.write_bytes(_changed(chance.choice(whole), chance))
        paths.append(path)
    return paths


def hostile_pdfs(folder: Path, count: int, chance: random.Random) -> Iterator[str]:
    """What is not read and not refused in one line."""
    paths, good, most = write_pdfs(folder, count, chance), [], 0.0
    ends: Counter[str] = Counter()
    with PdfProcess(seconds=SECONDS_PER_PDF) as process:
        for path in paths:
            try:
                good.append(ReadingTask(path, process.call(preflight, path).sha1))
            except PageproofError as error:
                ends["refused at the first look"] += 1
                yield from _not_one_line(path.name, str(error))
    for ocr, tasks in (("off", good[len(good) // _WITH_OCR :]), ("auto", good[: len(good) // _WITH_OCR])):
        seconds = SECONDS_PER_PDF if ocr == "off" else 6 * SECONDS_PER_PDF
        options = ReaderOptions.model_validate({"seconds_per_document": seconds, "ocr": ocr})
        pool = WatchedPool(1, docling_reader, options, folder / "pages", f"ocr {ocr}")
        for task, failure in pool.read(tasks):
            ends[_end(failure)] += 1
            if failure:
                yield from _not_one_line(task.path.name, failure)
                if "mistake in Pageproof" in failure:
                    yield failure
        most = max(most, pool.megabytes)
    _say(f"{count:,} PDFs: {dict(ends)}; most memory of a reading process {most:,.0f} MB")
    if most > MEGABYTES_PER_PROCESS:
        yield f"a reading process took {most:,.0f} MB"


def hostile_files(folder: Path, count: int, chance: random.Random) -> Iterator[str]:
    """What files of questions make of `read_questions` that is neither questions nor one line."""
    ends: Counter[str] = Counter()
    for number in range(count):
        ending = chance.choice((".json", ".jsonl", ".csv", ".txt", ".xlsx"))
        path = folder / f"{number}{ending}"
        random_bytes = random_text(chance).encode("utf-8", "surrogatepass")
        path.write_bytes(
            _changed(_GOOD_FILES[ending], chance) if number % 2 and ending in _GOOD_FILES else random_bytes
        )
        try:
            read_questions(path)
            ends["taken"] += 1
        except PageproofError as error:
            ends["refused"] += 1
            yield from _not_one_line(path.name, str(error))
        except Exception as error:  # noqa: BLE001  # what is looked for
            yield f"{path.name}: {type(error).__name__}: {error}"
        path.unlink()
    _say(f"{count:,} files of questions: {dict(ends)}")


async def hostile_messages(folder: Path, count: int, chance: random.Random) -> list[str]:
    """What the socket's events make of payloads that no browser sends: errors, traces, and a loop that stands still."""
    from tests.support.doubles.chat_client import ScriptedClient
    from tests.support.doubles.chat_visit import SECRET, enter_chainlit, use_history

    enter_chainlit(folder / "home")
    os.environ["CHAINLIT_AUTH_SECRET"] = SECRET
    from chainlit import server

    from app.chat.history.data_layer import History
    from app.chat.history.tables import history_address, prepare_history
    from tests.support.doubles.people_chat import Chat, people

    address = history_address(folder / "history.sqlite", None)
    await asyncio.to_thread(prepare_history, address)
    history = History(address)
    use_history(history)
    chat = Chat(ScriptedClient(folder), history, people())
    log, problems = _Log(), []
    for logger in (logging.getLogger(), logging.getLogger("chainlit")):  # Chainlit's hands nothing on
        logger.addHandler(log)
    server.sio.emit = server.sio.call = _nothing
    events = server.sio.handlers["/"]
    names = sorted(set(events) - {"connect", "disconnect", "clear_session"})
    async with chat.signed_in("bob") as bob:
        cookie = {"HTTP_COOKIE": f"access_token={bob.cookies['access_token']}"}
        await events["connect"]("bob", cookie, {"sessionId": str(uuid.uuid4()), "clientType": "webapp"})
        heart = asyncio.create_task(_longest_halt())
        for _ in range(count):
            event = chance.choice(names)
            sent = [_payload(chance, 3) for _ in range(chance.choice((0, 1, 1, 1, 2)))]
            try:
                await events[event]("bob", *sent)
            except Exception as error:  # noqa: BLE001  # what is looked for
                problems.append(f"{event}: {type(error).__name__}: {str(error)[:80]} from {str(sent)[:120]}")
            await asyncio.sleep(0)
        await asyncio.sleep(1)
        heart.cancel()
        (halt,) = await asyncio.gather(heart, return_exceptions=False)
        await events["disconnect"]("bob")
    await history.close()
    taken, traces = count - log.left_out, len(log.traces)
    _say(f"{count:,} messages: {taken:,} taken, {traces} traces; the loop stood still for {halt:.3f} s at most")
    return [*problems, *log.traces, *([f"the loop stood still for {halt:.2f} s"] if halt > 0.5 else [])]


async def _longest_halt() -> float:
    """How long, until it is cancelled, the event loop computed without a pause; by the processor's clock."""
    longest, last = 0.0, time.thread_time()
    try:
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            longest, last = max(longest, now - last), now
    except asyncio.CancelledError:
        return longest


async def _nothing(*_: Any, **__: Any) -> None:
    return None


class _Log(logging.Handler):
    """Collects records that carry a trace."""

    def __init__(self) -> None:
        super().__init__()
        self.traces: list[str] = []
        self.left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.left_out += "left out an event" in record.getMessage()
        if record.exc_info:
            self.traces.append(f"{record.name}: {record.getMessage()[:120]}")


def _text(chance: random.Random) -> str:
    return random_text(chance) if chance.random() < 0.9 else "a " * chance.choice((900, 30_000))


def _payload(chance: random.Random, depth: int) -> Any:
    """Anything that JSON can say, with the names that the socket knows."""
    kind = chance.randrange(6 if depth else 4)
    if kind == 0:
        return random_text(chance)
    if kind == 1:
        return chance.choice(
            (None, True, -1, 1e300, 10**30, "", [], {}, str(uuid.UUID(int=chance.getrandbits(128))))
        )
    if kind == 2:
        return "x" * chance.choice((10, 3000, 60_000))
    if kind == 3:
        return chance.choice(FRAGMENTS)
    if kind == 4:
        return [_payload(chance, depth - 1) for _ in range(chance.randrange(4))]
    names = (
        "message",
        "output",
        "id",
        "name",
        "type",
        "metadata",
        "fileReferences",
        "payload",
        "createdAt",
        "command",
    )
    known = {
        "message": {
            "id": str(uuid.uuid4()),
            "name": "bob",
            "type": "user_message",
            "output": "",
            "createdAt": None,
        }
    }
    found = known if chance.random() < 0.3 else {}
    return found | {name: _payload(chance, depth - 1) for name in chance.sample(names, chance.randrange(5))}


_GOOD_FILES = {
    ".json": b'[{"text": "What was the total revenue of Acme plc?", "kind": "number"}, {"text": "Who is the CEO?"}]',
    ".jsonl": b'{"text": "What was the total revenue of Acme plc in 2024?", "kind": "number"}\n{"text": "Why?"}\n',
    ".csv": b"text,kind,company\nWhat was the total revenue?,number,Acme plc\nWho is the CEO?,name,Acme plc\n",
    ".txt": b"What was the total revenue of Acme plc in 2024?\nWho is the CEO of Acme plc?\n",
}
_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def _seeds(folder: Path) -> list[Path]:
    seeds = [
        encrypted(folder / "secret.pdf"),
        huge_picture(folder / "picture.pdf", side=3000),
        many_lines(folder / "lines.pdf", lines=500),
        nested_forms(folder / "forms.pdf", depth=3, copies=8),
        one_page(folder / "words.pdf", b"BT /F 12 Tf 72 700 Td (Revenue 386,412) Tj ET", resources="/Font<</F 5 0 R>>",
                 more=[_FONT]),
    ]  # fmt: skip
    for name, (annotations, more) in ANNOTATED.items():
        seeds.append(annotated_page(folder / f"{name}.pdf", annotations, more=more))
    seeds.append(xfa_form(folder / "shell.pdf", ["Please wait"], ["Turnover of the society"]))
    return [*seeds, SAMPLES / "ostermere_2024.pdf", *(SAMPLES / "ostermere_2024.pdf",) * (len(seeds) // 2)]


def _random_content(chance: random.Random) -> bytes:
    """A page of operators in any order, with anything as their operands."""
    operands = (
        b"/F",
        b"/N",
        b"(Total assets 1,234)",
        b"<41>",
        b"[(a) -900 (b)]",
        b"0",
        b"1",
        b"-3.5",
        b"99999999",
        b"1e9",
    )
    lines = [b"BT /F 10 Tf 72 700 Td"]
    for _ in range(chance.randrange(200)):
        lines.append(b" ".join([*chance.choices(operands, k=chance.randrange(7)), chance.choice(_OPERATORS)]))
    return b"\n".join(lines)


def _changed(whole: bytes, chance: random.Random) -> bytes:
    """Another number, other bytes, a piece that is cut out, doubled or moved, or the end missing."""
    data = bytearray(whole)
    for _ in range(chance.choice((1, 2, 5, 20))):
        if not data:
            break
        at, length, how = chance.randrange(len(data)), chance.randrange(1, 40), chance.randrange(5)
        if how == 0 and (number := _NUMBERS.search(data, at)):
            data[number.start() : number.end()] = str(chance.choice((0, -1, 7, 65_536, 10**12))).encode()
        elif how == 1:
            data[at : at + length] = chance.randbytes(length)
        elif how == 2:
            del data[at : at + length]
        elif how == 3:
            data[at:at] = data[at : at + length]
        elif chance.random() < 0.2:
            del data[max(at, 100) :]
    return bytes(data)


def _end(failure: str) -> str:
    words = {"took longer": "stopped after its time", "died": "ended its process", "memory": "refused its memory"}
    found = (end for word, end in words.items() if word in failure)
    return next(found, "refused while it was read") if failure else "read"


def _not_one_line(name: str, message: str) -> Iterator[str]:
    if not message or "\n" in message or "Traceback" in message:
        yield f"{name}: not one line: {message!r}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Try as many as asked of each; 1 where something was neither taken nor refused in one line."""
    given = [int(number) for number in sys.argv[1:5]]
    usual = (PDFS, MESSAGES, FILES, random.SystemRandom().randrange(10**6))
    pdfs, messages, files, seed = [*given, *usual[len(given) :]]
    _say(f"seed {seed}")
    with tempfile.TemporaryDirectory() as place:
        folder, chance = Path(place), random.Random(seed)
        problems = [*hostile_pdfs(folder, pdfs, chance)] if pdfs else []
        problems += hostile_files(folder, files, chance)
        if messages:
            problems += asyncio.run(hostile_messages(folder, messages, chance))
    for problem in dict.fromkeys(problems):
        _say(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

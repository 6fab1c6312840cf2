"""Questions asked of a server that fails, and of one that is slow: what is lost, doubled, or waits in vain."""

import asyncio
import collections
import dataclasses
import itertools
import json
import multiprocessing
import random
import re
import threading
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from app import open_pageproof
from app.assembly.client import Pageproof
from query_engines.events import AnswerReady
from query_engines.llm.rate_limits import ATTEMPTS
from storage.errors import PageproofError
from storage.process_memory import freeze_loaded_objects
from storage.records.answers import Answer
from storage.records.questions import Question
from tests.support.doubles.openai_server import Break, ErrorReply, OpenAIServer, Reply, Scripted

TIMEOUT = 10  # seconds; less, and a busy machine's own slowness counts as a fault
RUNGS = 3  # native, in the prompt, restated
_NUMBER = re.compile(r"question no\. (\d+)")
# What a server may do, and whether the same request is worth another attempt.
SCRIPTS: dict[str, tuple[Scripted, bool]] = {
    "429, a time given": (ErrorReply(429, "slow down", retry_after=0.2), True),
    "429": (ErrorReply(429, "slow down"), True),
    "500": (ErrorReply(500), True),
    "timeout": (Break.HANG, True),
    "reset": (Break.RESET, True),
    "reset in mid-stream": (Reply("{" + '"step_by_step_analysis": "1. On page' * 3, cut_after=9), True),
    "body cut": (Break.CUT_JSON, True),
    "malformed": ("", False),
    "no choices": (Break.NO_CHOICES, False),
    "refusal": (Reply(refusal="I will not."), False),
}
METRICS = ("total revenue", "net income", "total assets", "operating income", "cash at year end")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of one question."""

    number: int
    answer: Answer | None
    error: PageproofError | None


class FaultyServer:
    """Answers question n with the value n; a share of its replies are faults, drawn by a seed, all kinds in turn."""

    def __init__(self, share: float, seed: int, seconds: float = 0.0) -> None:
        self.replies: dict[int, list[str]] = collections.defaultdict(list)
        self._share, self._seconds = share, seconds
        self._random = random.Random(seed)
        self._names = itertools.cycle(self._random.sample(list(SCRIPTS), len(SCRIPTS)))
        self._lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Scripted:
        number = int(_NUMBER.findall(json.dumps(body["messages"]))[-1])
        with self._lock:
            is_error = self._random.random() < self._share
            name = next(self._names) if is_error else "answer"
            if name == "reset in mid-stream" and not body.get("stream"):
                name = "reset"
            self.replies[number].append(name)
        if name == "malformed":
            return f"I looked, and it is hard to say (question no. {number})"
        return SCRIPTS[name][0] if is_error and name in SCRIPTS else self._answer(number)

    def _answer(self, number: int) -> Reply:
        draft: dict[str, Any] = {
            "step_by_step_analysis": f"1. It was question no. {number}.",
            "reasoning_summary": "…",
            "evidence": [],
            "relevant_pages": [],
            "unavailable_because": None,
            "final_answer": number,
        }
        return Reply(json.dumps(draft), seconds=self._seconds)


def allowed_requests(names: Sequence[str]) -> int:
    """Requests that one layer of attempts makes of these replies, in order, before a question is at its end."""
    attempts, rung = 0, 1
    for count, name in enumerate(names, 1):
        if name in SCRIPTS and SCRIPTS[name][1]:
            attempts += 1
            if attempts == ATTEMPTS:
                return count
        elif name == "malformed" and rung < RUNGS:
            attempts, rung = 0, rung + 1
        else:
            return count
    return len(names) + 1  # it should have gone on


def questions(client: Pageproof, count: int) -> list[Question]:
    """As many, over the companies in turn; each is told from the others by its number."""
    names = [company.name for company in client.companies()]
    return [
        Question(
            text=f"What was the {METRICS[n % len(METRICS)]} of {names[n % len(names)]} (question no. {n})?",
            kind="number",
            company=names[n % len(names)],
        )
        for n in range(count)
    ]


class DistantServer:
    """A `FaultyServer` without faults in a process of its own, so that its work does not count as the client's."""

    def __init__(self, talk: Connection) -> None:
        self._talk = talk
        self.api_base: str = talk.recv()

    def seen(self) -> tuple[int, int]:
        """Chat requests so far, and the most in flight at once."""
        self._talk.send("seen?")
        count, peak = self._talk.recv()
        return count, peak


@contextmanager
def distant_server(reply_seconds: float) -> Iterator[DistantServer]:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, reply_seconds))
    process.start()
    there.close()
    try:
        yield DistantServer(here)
    finally:
        here.close()
        process.join()


def _serve(talk: Connection, reply_seconds: float) -> None:
    with OpenAIServer(answer=FaultyServer(0.0, 0, reply_seconds)) as server:
        talk.send(server.api_base)
        try:
            while talk.recv():
                talk.send((len(server.chats), server.peak))
        except EOFError:  # nobody asks any more
            return


def open_at(api_base: str, data: Path, *overrides: str) -> Pageproof:
    """A client over the samples whose model is the double."""
    given = ["answers.kind=llm", "llm.kind=openai_like", "llm.model=any", f"llm.api_base={api_base}"]
    # The replies fit no page, and the same questions are asked twice.
    given += ["verification.second_look=false", "retrieval.second_try=false", "answers.cache=false"]
    return open_pageproof("offline", overrides=[*given, *overrides], data=data)


async def ask_all(client: Pageproof, requested: Sequence[Question], at_once: int, watched: bool) -> list[Outcome]:
    """Every question's outcome, so many at once; with `watched` every other one's events are listened to."""
    places = asyncio.Semaphore(at_once)

    async def one(number: int, question: Question) -> Outcome:
        async with places:
            try:
                return Outcome(number, await _answer(client, question, watched and number % 2 == 0), None)
            except PageproofError as error:
                return Outcome(number, None, error)

    return list(await asyncio.gather(*(one(n, q) for n, q in enumerate(requested))))


async def _answer(client: Pageproof, question: Question, watched: bool) -> Answer:
    if not watched:
        return await client.aask(question)
    last = [event async for event in client.stream(question)][-1]
    assert isinstance(last, AnswerReady)
    return last.answer


def measure_failures(
    client_data: Path, count: int, share: float, seed: int, parallel: int = 25, timeout: int = TIMEOUT
) -> Iterator[str]:
    """Measure against a failing server; yields what is wrong, then nothing."""
    failing = FaultyServer(share, seed)
    started = time.perf_counter()
    with OpenAIServer(answer=failing) as server:
        with open_at(
            server.api_base, client_data, f"llm.parallel={parallel}", f"llm.timeout_seconds={timeout}"
        ) as client:
            outcomes = client.run(ask_all(client, questions(client, count), parallel, watched=True))
        sent = len(server.chats)
    seconds = time.perf_counter() - started
    answers = [o for o in outcomes if o.answer is not None and o.answer.is_available]
    unavailable = [o for o in outcomes if o.answer is not None and not o.answer.is_available]
    errors = [o for o in outcomes if o.error is not None]
    drawn = collections.Counter(name for names in failing.replies.values() for name in names)
    print(f"{count} questions, {sent} requests, {sent - drawn['answer']} faults, {seconds:.1f} s")
    print(f"  answered {len(answers)}, model failed {len(unavailable)}, typed errors {len(errors)}")
    print(f"  {dict(sorted(drawn.items()))}")
    if [o.number for o in outcomes] != list(range(count)) or len(answers + unavailable + errors) != count:
        yield "questions were lost or doubled"
    for outcome in outcomes:
        names = failing.replies[outcome.number]
        if len(names) != allowed_requests(names):
            yield f"question {outcome.number}: {len(names)} requests, {allowed_requests(names)} allowed: {names}"
        should_answer = names[-1:] == ["answer"]
        if should_answer and (outcome.answer is None or outcome.answer.value != outcome.number):
            yield f"question {outcome.number}: answered {outcome.answer and outcome.answer.value}"
        if not should_answer and outcome in answers:
            yield f"question {outcome.number}: an answer although the server gave none: {names}"
    if sum(map(len, failing.replies.values())) != sent:
        yield "requests went to nobody's question"


class Pace(NamedTuple):
    """Seconds that questions took, those that the server's own slowness makes them take, and of a processor."""

    seconds: float
    least: float
    processor: float


def pace(client_data: Path, count: int, reply_seconds: float, parallel: int) -> Pace:
    """How long questions take against a server that is slow and nothing else."""
    with (
        distant_server(reply_seconds) as server,
        open_at(server.api_base, client_data, f"llm.parallel={parallel}") as client,
    ):
        client.warm_up()
        freeze_loaded_objects()  # as a file of questions does
        client.run(_warm(client))
        warm, _ = server.seen()
        started, worked = time.perf_counter(), time.process_time()
        outcomes = client.run(ask_all(client, questions(client, count), 2 * parallel, watched=False))
        seconds, processor = time.perf_counter() - started, time.process_time() - worked
        requests, peak = server.seen()
    assert peak <= parallel
    assert [o.answer and o.answer.value for o in outcomes] == list(range(count))
    return Pace(seconds, max((requests - warm) * reply_seconds / parallel, reply_seconds), processor)


def _warm(client: Pageproof) -> Coroutine[Any, Any, list[Outcome]]:
    """Indexes and the embedder are loaded at the first question of each company."""
    return ask_all(client, questions(client, len(client.companies())), 3, watched=False)

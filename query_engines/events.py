"""A stream of typed events about the work on a question.

A listener sets a sink in its own context. Work started from there (tasks, `asyncio.to_thread`) reports to that sink.
Without a sink nothing is recorded.
"""

import itertools
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from storage.records.answers import Answer
from storage.records.record import Record

logger = logging.getLogger(__name__)
StepKind = Literal["routing", "retrieval", "rerank", "sub_question", "answer", "verification"]


class StepStarted(Record):
    """A step began. `step_id` is unique in the process; `parent_id` names the step around it."""

    step_id: int
    kind: StepKind
    label: str
    parent_id: int | None = None


class StepFinished(Record):
    """A step ended; its summary is Markdown for people."""

    step_id: int
    summary: str
    seconds: float
    failed: bool = False


class AnalysisWritten(Record):
    """The analysis of an answer as far as it is written: the whole text, not only the new part."""

    step_id: int
    text: str


class PageRead(Record):
    """A page (1-based) that an answer was drawn from, cited or not; a higher score is better."""

    report_sha1: str
    page: int
    score: float | None = None


class AnswerReady(Record):
    """The answer, which ends the stream; `read` has the pages, best first."""

    answer: Answer
    read: tuple[PageRead, ...] = ()


Event = StepStarted | StepFinished | AnalysisWritten | AnswerReady
Sink = Callable[[Event], None]

_sink: ContextVar[Sink | None] = ContextVar("pageproof_event_sink", default=None)
_step: ContextVar["Step | None"] = ContextVar("pageproof_step", default=None)
_numbers = itertools.count(1)


class Step:
    """A running step; its `summary` is set before it ends."""

    def __init__(self, step_id: int) -> None:
        self.step_id = step_id
        self.summary = ""

    def write_analysis(self, text: str) -> None:
        """Report the analysis so far."""
        _emit(AnalysisWritten(step_id=self.step_id, text=text))


@contextmanager
def listening(sink: Sink) -> Iterator[None]:
    """Send the events of this context to `sink`; it must return at once."""
    token = _sink.set(sink)
    try:
        yield
    finally:
        _sink.reset(token)


@contextmanager
def step(kind: StepKind, label: str) -> Iterator[Step]:
    """Report a step around the work in the block."""
    running, around = Step(next(_numbers)), _step.get()
    parent_id = around.step_id if around else None
    _emit(StepStarted(step_id=running.step_id, kind=kind, label=label, parent_id=parent_id))
    token, started, failed = _step.set(running), time.perf_counter(), True
    try:
        yield running
        failed = False
    finally:
        _step.reset(token)
        _emit(
            StepFinished(
                step_id=running.step_id,
                summary=running.summary,
                seconds=time.perf_counter() - started,
                failed=failed,
            )
        )


def watched_step() -> Step | None:
    """The running step, if there is one and somebody listens."""
    return _step.get() if _sink.get() is not None else None


def _emit(event: Event) -> None:
    if (sink := _sink.get()) is not None:
        sink(event)

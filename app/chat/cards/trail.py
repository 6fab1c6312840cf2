"""The steps of one answer on the screen."""

# mypy: untyped-calls-exclude=chainlit

import time
from typing import Literal

import chainlit as cl
from chainlit.context import local_steps
from chainlit.utils import utc_now

from app.chat.cards.answer import escape_directives, literal, seconds_words, without_links
from query_engines.events import AnalysisWritten, StepFinished, StepKind, StepStarted

_TYPES: dict[StepKind, Literal["tool", "retrieval", "rerank", "llm"]] = {
    "routing": "tool",
    "retrieval": "retrieval",
    "rerank": "rerank",
    "sub_question": "tool",
    "answer": "llm",
    "verification": "tool",
}
_ICONS: dict[StepKind, str] = {
    "routing": "signpost",
    "retrieval": "search",
    "rerank": "arrow-down-wide-narrow",
    "sub_question": "git-branch",
    "answer": "pen-line",
    "verification": "badge-check",
}


class Trail:
    """The steps of one answer on the screen: one folded line that names what is going on."""

    def __init__(self) -> None:
        self._root = _step("Looking for the answer", "tool", "book-open-text", parent_id=answering_step())
        self._steps: dict[int, cl.Step] = {}
        self._analyses: dict[int, str] = {}
        self._started = time.perf_counter()
        self._is_shown = False

    async def start(self) -> None:
        """Show the line."""
        self._is_shown = True
        await self._root.send()

    async def follow(self, event: StepStarted | StepFinished | AnalysisWritten) -> None:
        """Show one event."""
        match event:
            case StepStarted():
                await self._begin(event)
            case AnalysisWritten():
                await self._write(event)
            case StepFinished():
                await self._end(event)

    async def finish(self, *, failed: bool) -> None:
        """Close the line and whatever is still open; once is enough, and a line that was never shown stays away."""
        if self._root.end or not self._is_shown:
            return
        for step in [step for step in self._steps.values() if not step.end]:
            step.end, step.is_error = utc_now(), failed
            await step.update()
        seconds = seconds_words(time.perf_counter() - self._started)
        self._root.name = f"Stopped after {seconds}" if failed else f"How this was answered, in {seconds}"
        self._root.end = utc_now()
        await self._root.update()

    async def _begin(self, event: StepStarted) -> None:
        parent = self._steps.get(event.parent_id or 0, self._root)
        step = _step(
            event.label, _TYPES.get(event.kind, "tool"), _ICONS.get(event.kind, "dot"), parent_id=parent.id
        )
        # One click on the line shows everything, except where companies are compared.
        step.default_open = parent is self._root and event.kind != "sub_question"
        self._steps[event.step_id] = step
        await step.send()
        self._root.name = event.label
        await self._root.update()

    async def _write(self, event: AnalysisWritten) -> None:
        known = self._analyses.get(event.step_id, "")
        self._analyses[event.step_id] = event.text
        step = self._steps[event.step_id]
        if event.text.startswith(known):
            await step.stream_token(literal(event.text[len(known) :]))
        else:
            await step.stream_token(literal(event.text), is_sequence=True)

    async def _end(self, event: StepFinished) -> None:
        step = self._steps[event.step_id]
        analysis = literal(self._analyses.get(event.step_id, ""))
        pieces = [analysis, without_links(escape_directives(event.summary)), f"*{seconds_words(event.seconds)}*"]
        step.output = "\n\n".join(filter(None, pieces))
        step.end, step.is_error = utc_now(), event.failed
        await step.update()


def _step(
    name: str, kind: Literal["tool", "retrieval", "rerank", "llm"], icon: str, parent_id: str | None
) -> cl.Step:
    step = cl.Step(name=name, type=kind, icon=icon, parent_id=parent_id, show_input=False)
    step.start = utc_now()
    return step


def answering_step() -> str | None:
    """The step that Chainlit opened around this message; feedback is about it."""
    steps = local_steps.get()
    return steps[-1].id if steps else None

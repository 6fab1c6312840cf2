"""What Chainlit calls: a question becomes steps while it is answered, then one message with the answer card."""

# mypy: untyped-calls-exclude=chainlit

import logging
import secrets
import time
from collections.abc import Sequence
from typing import Literal

import chainlit as cl
from chainlit.context import local_steps
from chainlit.utils import utc_now

from app.chat.cards import answer_card, escape_directives, literal, seconds_words
from app.chat.desk_view import ChatDesk
from query_engines.events import AnalysisWritten, AnswerReady, StepFinished, StepKind, StepStarted
from storage.answers import Answer
from storage.errors import PageproofError
from storage.questions import Question
from storage.reports import Company

logger = logging.getLogger(__name__)
EMPTY_LIBRARY = (
    "**There are no reports in this library yet.**\n\n"
    "Add some from a terminal, then ask here:\n\n"
    "```\npageproof ingest FOLDER_WITH_PDFS\n```"
)
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


class Chat:
    """The chat over one desk."""

    def __init__(self, desk: ChatDesk) -> None:
        self._desk = desk

    def register(self) -> None:
        """Tell Chainlit, which keeps one set of callbacks for the process, to call this chat."""
        cl.on_app_shutdown(self._desk.close)
        cl.on_chat_start(self.greet)
        cl.on_message(self.answer)
        cl.set_starters(self.starters)

    async def greet(self) -> None:
        """Say how to ingest where there is nothing to ask about; a greeting would hide the starters."""
        if not self._desk.companies():
            await cl.Message(content=EMPTY_LIBRARY).send()

    async def starters(self, user: cl.User | None = None) -> list[cl.Starter]:
        """First questions about companies that are in the library."""
        del user  # everybody sees the same library
        return [cl.Starter(label=text, message=text) for text in first_questions(self._desk.companies())]

    async def answer(self, message: cl.Message) -> None:
        """Answer one question; whatever goes wrong, the person is told."""
        trail = Trail(profile=self._desk.profile)
        await trail.start()
        try:
            async for event in self._desk.stream(Question(text=message.content.strip())):
                if isinstance(event, AnswerReady):
                    await trail.finish(failed=False)
                    await _show(event.answer)
                else:
                    await trail.follow(event)
        except PageproofError as error:
            await trail.finish(failed=True)
            await cl.ErrorMessage(content=literal(_sentence(str(error)))).send()
        except Exception:  # Chainlit swallows what a handler raises: the last place to tell the person
            reference = secrets.token_hex(4)
            logger.exception("the chat could not answer, reference %s", reference)
            await trail.finish(failed=True)
            await cl.ErrorMessage(content=_defect(reference)).send()
        finally:
            await trail.finish(failed=True)  # stopped by the person: nothing is left running on the screen


class Trail:
    """The steps of one answer on the screen: one folded line that names what is going on."""

    def __init__(self, profile: str) -> None:
        self._root = _step(f"Reading with profile {profile}", "tool", "book-open-text", parent_id=_run_id())
        self._steps: dict[int, cl.Step] = {}
        self._analyses: dict[int, str] = {}
        self._started = time.perf_counter()

    async def start(self) -> None:
        """Show the line."""
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
        """Close the line and whatever is still open; once is enough."""
        if self._root.end:
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
        step = _step(event.label, _TYPES[event.kind], _ICONS[event.kind], parent_id=parent.id)
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
        pieces = [analysis, escape_directives(event.summary), f"*{seconds_words(event.seconds)}*"]
        step.output = "\n\n".join(filter(None, pieces))
        step.end, step.is_error = utc_now(), event.failed
        await step.update()


def first_questions(companies: Sequence[Company]) -> list[str]:
    """Up to four questions, each about companies that are there."""
    names = [company.name for company in companies]
    wordings = ["What was the total revenue of {}?", "What was the net income of {}?", "Who is the CEO of {}?"]
    questions = [wording.format(names[i % len(names)]) for i, wording in enumerate(wordings) if names]
    if len(names) > 1:
        questions.append(f"Which company had the higher total assets, {names[0]} or {names[1]}?")
    return questions


async def _show(answer: Answer) -> None:
    card = cl.CustomElement(name="AnswerCard", props=answer_card(answer), display="inline")
    await cl.Message(content="", elements=[card]).send()


def _step(
    name: str, kind: Literal["tool", "retrieval", "rerank", "llm"], icon: str, parent_id: str | None
) -> cl.Step:
    step = cl.Step(name=name, type=kind, icon=icon, parent_id=parent_id, show_input=False)
    step.start = utc_now()
    return step


def _run_id() -> str | None:
    """The run that Chainlit opened around this message."""
    steps = local_steps.get()
    return steps[-1].id if steps else None


def _sentence(message: str) -> str:
    """A message worded for the end of a terminal's line, as a sentence of its own."""
    return message[:1].upper() + message[1:].rstrip(".") + "."


def _defect(reference: str) -> str:
    return f"Something went wrong in Pageproof itself. The log has the details under reference `{reference}`."

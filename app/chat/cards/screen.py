"""What is sent to the page that is open, in its language: the steps of an answer, cards, messages, what went wrong."""

# mypy: untyped-calls-exclude=chainlit

import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

import chainlit as cl
from chainlit.context import context, local_steps
from chainlit.session import WebsocketSession
from chainlit.utils import utc_now

from app.chat.cards.answer import escape_directives, literal, seconds_words, without_links
from app.chat.cards.words import Speech, speech_of
from app.chat.session.requests import read_place
from query_engines.events import AnalysisWritten, StepFinished, StepKind, StepStarted
from storage.errors import PageproofError, note_defect
from storage.files import is_full_or_read_only
from storage.stores.database import not_writable
from storage.text import capital

logger = logging.getLogger(__name__)
Reply = dict[str, Any]
NOT_STORED = (
    "The disk is full, or may only be read: what you see here is not stored, and is gone when the page is closed."
)
DEFECT = "Something went wrong in Pageproof itself. The log has the details under reference {reference}."


def speech() -> Speech:
    """The language of the page that speaks."""
    session = context.session
    return speech_of(session.language if isinstance(session, WebsocketSession) else "")


def say(english: str) -> str:
    """A text of ours in the language of the page that speaks."""
    return speech()(english)


def sentence(message: str) -> str:
    """A message worded for the end of a terminal's line, as a sentence of its own."""
    return capital(message).rstrip(".") + "."


async def tell(markdown: str) -> None:
    """Show a message."""
    await cl.Message(content=say(markdown)).send()


async def toast(english: str, kind: Literal["info", "warning"]) -> None:
    """Show a message that goes away by itself."""
    await context.emitter.send_toast(say(english), kind)


async def tell_error(error: PageproofError | str) -> None:
    """Show what went wrong."""
    text = error if isinstance(error, str) else sentence(str(error))
    await cl.ErrorMessage(content=literal(say(text))).send()


async def tell_defect(error: Exception, what: str) -> None:
    """Show an error that nobody foresaw, or that the disk is full."""
    await tell_error(_foreseen(error, what))


class Card(cl.CustomElement):
    """A card, which is shown also where Chainlit cannot write its copy: what it shows travels with it."""

    async def _create(self, persist: bool = True) -> bool:
        try:
            return await super()._create(persist)
        except OSError as error:
            if not is_full_or_read_only(error):
                raise
            logger.warning("a card cannot be stored: %s", error.strerror)
            self.chainlit_key, self.persisted = self.id, True
            await toast(NOT_STORED, "warning")
            return True


async def send_element(name: str, props: dict[str, Any], content: str = "") -> None:
    """Show a card in a message of its own."""
    element = Card(name=name, props=speech().card(props), display="inline")
    await cl.Message(content=content, elements=[element]).send()


async def send_lasting(name: str, props: dict[str, Any]) -> cl.CustomElement:
    """Show a card that knows its place, so that it can be drawn anew there."""
    element = Card(name=name, props=props, display="inline")
    message = cl.Message(content="", elements=[element])
    element.props = {**speech().card(props), "place": {"element": element.id, "message": message.id}}
    element.content = json.dumps(element.props)
    await message.send()
    return element


async def redraw(payload: Mapping[str, Any], name: str, props: dict[str, Any]) -> None:
    """Draw a card anew where the one stands that asked, for its own conversation; the history takes no other's."""
    place = read_place(payload)
    if place is not None:
        props = {**speech().card(props), "place": place.model_dump()}
        element: cl.CustomElement = Card(id=place.element, name=name, props=props, display="inline")
        element.for_id = place.message
        await element.update()


def replying(reply: Callable[[Mapping[str, Any]], Awaitable[Reply]]) -> Callable[[cl.Action], Awaitable[Reply]]:
    """What Chainlit calls for a card: the reply, or what went wrong in words."""

    async def answer(action: cl.Action) -> Reply:
        try:
            return await reply(action.payload)
        except PageproofError as error:
            return {"error": say(sentence(str(error)))}
        except Exception as error:  # noqa: BLE001  # the card is the last place to tell the person
            return {"error": say(_foreseen(error, "a card's request failed"))}

    return answer


def _foreseen(error: Exception, what: str) -> str:
    """What is said of an error that nobody foresaw, which is logged; a full disk is named."""
    explained = not_writable(error)
    if explained is not None:
        logger.warning("%s: %s", what, explained)
        return sentence(str(explained))
    return DEFECT.format(reference=note_defect(logger, what, error))


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

    def __init__(self, say: Speech) -> None:
        """Say what goes on in the language of the page."""
        self._say = say
        self._root = _step(say("Looking for the answer"), "tool", "book-open-text", parent_id=answering_step())
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
        how = f"Stopped after {seconds}" if failed else f"How this was answered, in {seconds}"
        self._root.name = self._say(how)
        self._root.end = utc_now()
        await self._root.update()

    async def _begin(self, event: StepStarted) -> None:
        parent = self._steps.get(event.parent_id or 0, self._root)
        label = self._say(event.label)
        step = _step(label, _TYPES.get(event.kind, "tool"), _ICONS.get(event.kind, "dot"), parent_id=parent.id)
        # One click on the line shows everything, except where companies are compared.
        step.default_open = parent is self._root and event.kind != "sub_question"
        self._steps[event.step_id] = step
        await step.send()
        self._root.name = label
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
        summary = without_links(escape_directives(self._say(event.summary)))
        pieces = [analysis, summary, f"*{self._say(seconds_words(event.seconds))}*"]
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

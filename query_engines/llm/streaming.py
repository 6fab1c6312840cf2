"""Streamed replies: joins the pieces, and shows the analysis while it is written."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import httpx
import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.completion_usage import CompletionUsage
from pydantic import BaseModel

from query_engines.events import watched_step
from query_engines.llm.errors import ErrorInReply, ReplyTooLarge
from storage.lexicon.words import expression
from storage.text import all_storable, storable

FIELD = "step_by_step_analysis"
PAUSE = 0.1  # seconds between two updates
_WRITTEN = expression(rf'"{FIELD}"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_HALF_ESCAPE = expression(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\u[0-9a-fA-F]{0,3})?\Z")

# The finish reasons of OpenAI; watsonx has other words.
_ENDS = {"stop", "length", "tool_calls", "content_filter", "function_call"}
_CUT_OFF = {"time_limit"}
_BROKEN_OFF = {"error", "cancelled"}

Watcher = Callable[[str], None]
_watcher: ContextVar[Watcher | None] = ContextVar("pageproof_reply_watcher", default=None)


class StreamCut(openai.APIConnectionError):
    """A stream ended before the reply was complete."""


class StreamedReply:
    """Collects the pieces of a chat completion."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.text = ""
        self._thoughts = ""
        self._refusal = ""
        self._finish_reason: str | None = None
        self._usage: CompletionUsage | None = None
        self._model = ""

    def add(self, chunk: ChatCompletionChunk) -> None:
        """Add the next piece.

        Raises:
            APIError: the piece says that the server broke off.
            ReplyTooLarge: no model writes that much.
        """
        if errors := (chunk.model_extra or {}).get("errors"):  # in watsonx's words
            raise openai.APIError(f"the reply broke off: {errors}", httpx.Request("POST", self._url), body=None)
        try:
            self._model = str(chunk.model or self._model)
            self._usage = readable_usage(chunk.usage) or self._usage
            for choice in chunk.choices or ():
                self.text += choice.delta.content or ""
                self._refusal += choice.delta.refusal or ""
                self._thoughts += thoughts_of(choice.delta)
                if choice.finish_reason:
                    self._finish_reason = known_end(choice.finish_reason, self._url)
        except (AttributeError, TypeError) as error:  # the client checks nothing of what it reads
            raise misshapen(self._url) from error
        check_reply_length(self.text)

    def completion(self) -> ChatCompletion:
        """The complete reply, as if it had not been streamed.

        Raises:
            StreamCut: the end is missing.
        """
        if self._finish_reason is None:
            raise StreamCut(message="The stream ended early.", request=httpx.Request("POST", self._url))
        message = {"role": "assistant", "content": self.text, "refusal": self._refusal or None}
        message |= {"reasoning_content": self._thoughts} if self._thoughts else {}
        choice = {"index": 0, "message": message, "finish_reason": self._finish_reason, "logprobs": None}
        whole: dict[str, Any] = {"id": "", "object": "chat.completion", "created": 0, "model": self._model}
        return ChatCompletion.model_validate(
            {**all_storable({**whole, "choices": [choice]}), "usage": self._usage}
        )


def thoughts_of(message: BaseModel) -> str:
    """What a model thought aloud beside its reply, under the names that servers have for it."""
    extra = message.model_extra or {}
    thoughts = (extra.get(name) for name in ("reasoning_content", "reasoning"))
    return next((text for text in thoughts if isinstance(text, str)), "")


def checked_completion(whole: ChatCompletion, url: str) -> ChatCompletion:
    """A reply with all that is read of it; the client checks nothing, and servers leave out what they like.

    Every text in it can be stored and sent on.

    Raises:
        ErrorInReply: the server sent an error in place of a reply.
        APIError: something has another form than OpenAI's.
        ReplyTooLarge: no model writes that much.
    """
    error = (whole.model_extra or {}).get("error")
    if error and not whole.choices:
        message = error.get("message") if isinstance(error, dict) else error
        raise ErrorInReply(str(message), httpx.Request("POST", url), body=error)
    whole.usage = readable_usage(whole.usage)
    try:
        for choice in whole.choices or ():
            texts = (choice.message.content, choice.message.refusal)
            if not all(isinstance(text, str | None) for text in texts):
                raise TypeError("a text is none")
            check_reply_length(choice.message.content or "")
            if choice.finish_reason:
                choice.finish_reason = cast(Any, known_end(choice.finish_reason, url))
    except (AttributeError, TypeError) as error:
        raise misshapen(url) from error
    return ChatCompletion.construct(**all_storable(whole.model_dump(warnings=False, exclude_unset=True)))


LONGEST_REPLY = 400_000  # characters, about 100,000 tokens
MOST_TOKENS = 10**9  # of a request, as a server counts them; more could not be paid


def check_reply_length(text: str) -> None:
    """Refuse a reply that is longer than any form.

    Raises:
        ReplyTooLarge: it is.
    """
    if len(text) > LONGEST_REPLY:
        raise ReplyTooLarge(f"more than {LONGEST_REPLY:,} characters")


def readable_usage(usage: object) -> CompletionUsage | None:
    """The token counts of a reply, or None where one is there that is no number."""
    details = getattr(usage, "prompt_tokens_details", None)
    counts = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens", "total_tokens")]
    counts.append(getattr(details, "cached_tokens", None if details is None else ""))
    are_numbers = all(count is None or (isinstance(count, int) and 0 <= count <= MOST_TOKENS) for count in counts)
    return usage if isinstance(usage, CompletionUsage) and are_numbers else None


def misshapen(url: str) -> openai.APIError:
    """The error for a reply in a form that is not OpenAI's."""
    return openai.APIError("its form is not that of OpenAI's API", httpx.Request("POST", url), body=None)


def known_end(finish_reason: str, url: str) -> str:
    """Why a reply ended, in OpenAI's words; unknown words of a server count as "stop".

    Raises:
        APIError: the server broke off in the middle; the next attempt may succeed.
    """
    if finish_reason in _BROKEN_OFF:
        raise openai.APIError(f"the reply broke off ({finish_reason})", httpx.Request("POST", url), body=None)
    return "length" if finish_reason in _CUT_OFF else finish_reason if finish_reason in _ENDS else "stop"


@contextmanager
def showing_analysis(form: type[BaseModel]) -> Iterator[None]:
    """Report the analysis of replies in this context to the running step, if somebody listens."""
    step = watched_step()
    if step is None or FIELD not in form.model_fields:
        yield
        return
    token = _watcher.set(AnalysisWatcher(step.write_analysis))
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Watcher | None:
    """The watcher of streamed replies, if there is one."""
    return _watcher.get()


class AnalysisWatcher:
    """Shows the analysis of a growing reply, at most ten times a second, and never a shorter text than before.

    A reply that starts again, after a lost connection or in another form, is shown once it is longer.
    """

    def __init__(self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._show, self._clock = show, clock
        self._next = float("-inf")
        self._shown = 0

    def __call__(self, reply: str) -> None:
        """Look at a reply so far."""
        now = self._clock()
        if now < self._next:
            return
        text = written_analysis(reply)
        if len(text) > self._shown:
            self._next, self._shown = now + PAUSE, len(text)
            self._show(text)


def written_analysis(reply: str) -> str:
    """The analysis in an unfinished JSON reply; empty where it has not begun."""
    found = _WRITTEN.search(reply)
    if found is None:
        return ""
    try:
        text: str = json.loads(f'"{_HALF_ESCAPE.sub("", found[1])}"', strict=False)
    except json.JSONDecodeError:  # an invalid escape
        return found[1]
    return storable(text)

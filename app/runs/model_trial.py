"""Asks a model what no list tells: whether it keeps to a form, how much it really reads, whether it thinks aloud."""

import json
import logging
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from app.assembly.shared_parts import SharedParts
from app.readiness import Finding, needs
from app.runs.answers import INSTRUCTION_TOKENS, PAGE_TOKENS
from app.settings import data_paths, load_settings, uses_model
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.providers import address_of, is_loopback
from query_engines.options import LlamaCppLlmOptions, LlmOptions, OwnLlmOptions, model_name
from storage.errors import PageproofError, UsageError
from storage.text import plural

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatResponse

    from query_engines.llm.client import CompatOpenAI
    from query_engines.local_model.model_server import ModelServer

logger = logging.getLogger(__name__)
SECONDS = 90.0  # for each request; one that takes longer would try anybody's patience
_MOST_WRITTEN = 1_500  # tokens; enough to think aloud and then to answer
_MOST_SENT = 14_000  # tokens of the long text: rules and ten pages
_KEPT = 0.8  # of the words that were sent, as tokens; a word is at least one token
_WORDS = (
    "the report of the company for the year shows that the total of all parts is the same as it was before and "
)
_FORM_ASKED = "Fill in the form. Write nothing else."
_CODE_ASKED = "The first line of this text has a code word. Answer with that word alone."
_NO_THINKING = {
    "ollama": "choose a model that does not think, such as qwen3:4b-instruct",
    "vllm": "start vLLM with --default-chat-template-kwargs '{\"enable_thinking\": false}'",
    "llama_cpp": "start llama-server with --reasoning-budget 0",
}
_LONGER = {
    "ollama": "start Ollama with OLLAMA_CONTEXT_LENGTH={wanted}, then set llm.context_window={wanted}",
    "vllm": "start vLLM with --max-model-len {wanted}, or set llm.context_window to what it reads",
    "llama_cpp": "start llama-server with --ctx-size {wanted}, or set llm.context_window to what it reads",
}
_LONGER_ELSEWHERE = "set llm.context_window to what the server reads, and lower retrieval.pages"
ServerOf = Callable[[LlamaCppLlmOptions], "ModelServer"]


def checked_model(
    profile: str,
    overrides: Sequence[str],
    data: Path | None,
    environment: Mapping[str, str] = os.environ,
    *,
    also_elsewhere: bool = False,
) -> list[Finding]:
    """What two requests say of the model in the settings; nothing where none is used, or it lacks something.

    Args:
        profile: its name.
        overrides: settings as `key=value`.
        data: the data root.
        environment: with the keys.
        also_elsewhere: ask a model on another machine too, which may cost money, and one that Pageproof itself runs,
            whose form and context are known.
    """
    settings = load_settings(profile, overrides, data=data)
    llm = settings.llm
    if not uses_model(settings) or isinstance(llm, OwnLlmOptions) or needs(settings, environment, data):
        return []
    needed = min(_MOST_SENT, INSTRUCTION_TOKENS + settings.retrieval.pages * PAGE_TOKENS)
    shared = SharedParts()
    server_of = partial(shared.model_server, paths=data_paths(data))
    here = _fit(llm, server_of) if isinstance(llm, LlamaCppLlmOptions) else []
    try:
        if also_elsewhere or (not here and _is_on_this_machine(llm, environment)):
            return [*here, *_Trial(llm, server_of, environment).findings(needed)]
    finally:
        shared.close()
    what, detail = (
        "answers of the model",
        f"{model_name(llm) or 'the model'} is not asked, since that takes tokens",
    )
    return here or [Finding(what=what, state="note", detail=detail, advice="`doctor --model` asks it")]


def _fit(options: LlamaCppLlmOptions, server_of: ServerOf) -> list[Finding]:
    """How a model runs on this machine."""
    what = "model on this machine"
    try:
        model = server_of(options).model
    except PageproofError as error:
        return [Finding(what=what, state="missing", detail=str(error))]
    detail = f"{model.name}, {model.context:,} tokens at once, {plural(model.threads, 'thread')}"
    return [Finding(what=what, state="ok", detail=detail)]


def _is_on_this_machine(options: LlmOptions, environment: Mapping[str, str]) -> bool:
    if isinstance(options, OwnLlmOptions | LlamaCppLlmOptions):
        return False
    try:
        return is_loopback(address_of(options, environment))
    except UsageError:
        return False


@dataclass(frozen=True)
class _Reply:
    """A reply, or the trouble in its place; `prompt_tokens` is what the server says that it read."""

    text: str = ""
    thoughts: str = ""
    prompt_tokens: int | None = None
    trouble: str = ""


class _Trial:
    """The requests to one model, on a connection of their own."""

    def __init__(self, options: LlmOptions, server_of: ServerOf, environment: Mapping[str, str]) -> None:
        limits: dict[str, Any] = {"timeout_seconds": SECONDS, "max_tokens": _MOST_WRITTEN, "stream": False}
        self._options = options.model_copy(update=limits)
        self._server_of, self._environment = server_of, environment
        self._preset = str(getattr(options, "preset", None) or "")

    def findings(self, needed: int) -> list[Finding]:
        """Ask; `needed` is about how many tokens an ordinary question has."""
        from query_engines.llm.connection import access  # late: they load the package openai
        from query_engines.llm.hosted import HostedModels

        loop = BackgroundLoop()
        try:
            shared = access(self._options, loop, self._environment, attempts=1)
            models = HostedModels(shared, self._server_of)
            try:
                llm = models.llm(self._options)
                return loop.run(self._asked(llm, needed))
            finally:
                loop.run(models.aclose())
        except PageproofError as error:
            return [Finding(what="answers of the model", state="missing", detail=str(error))]
        finally:
            loop.close()

    async def _asked(self, llm: "CompatOpenAI", needed: int) -> list[Finding]:
        word = f"ostrakon-{secrets.token_hex(3)}"
        schema = {
            "type": "object",
            "properties": {"word": {"type": "string", "const": word}},
            "required": ["word"],
            "additionalProperties": False,
        }
        wanted = {"type": "json_schema", "json_schema": {"name": "Form", "strict": True, "schema": schema}}
        form = await _ask(llm, _FORM_ASKED, response_format=wanted)
        code = f"quartz-{secrets.token_hex(3)}"
        long = f"The code word is {code}.\n{_WORDS * (needed // len(_WORDS.split()))}\n{_CODE_ASKED}"
        read = await _ask(llm, long)
        thinking = [reply for reply in (form, read) if reply.thoughts]
        return [_form(form, word), self._context(read, code, len(long.split())), *self._thinking(thinking)]

    def _context(self, reply: _Reply, code: str, words: int) -> Finding:
        what, wanted = "context of the model", -(-(words * 5 // 4) // 1024) * 1024
        longer = _LONGER.get(self._preset, _LONGER_ELSEWHERE).format(wanted=wanted)
        if reply.trouble:
            detail = (
                f"it could not read a text of about {words:,} tokens, as an ordinary question has: {reply.trouble}"
            )
            return Finding(what=what, state="note", detail=detail, advice=longer)
        if reply.prompt_tokens is not None and reply.prompt_tokens < words * _KEPT:
            is_claimed = (self._options.context_window or 0) > reply.prompt_tokens * 1.1
            detail = f"it reads {reply.prompt_tokens:,} tokens of {words:,} and leaves out the rest without a word"
            state: Literal["missing", "note"] = "missing" if is_claimed else "note"
            return Finding(what=what, state=state, detail=detail, advice=longer)
        if code not in reply.text:
            detail = (
                f"it does not find a word at the beginning of a text of {words:,} tokens: it is cut, or too hard"
            )
            return Finding(what=what, state="note", detail=detail, advice=longer)
        window = self._options.context_window
        if window is not None and window < words:
            advice = f"set llm.context_window={wanted}, so that more pages are read"
            return Finding(what=what, state="note", detail=f"it reads {words:,} tokens whole", advice=advice)
        return Finding(what=what, state="ok", detail=f"it reads {words:,} tokens whole")

    def _thinking(self, replies: Sequence[_Reply]) -> list[Finding]:
        if not replies:
            return []
        advice = _NO_THINKING.get(self._preset, "choose a model that does not think, or turn it off at its server")
        detail = "it thinks aloud before it answers, which takes time and tokens; the form has a field for that"
        return [Finding(what="thinking of the model", state="note", detail=detail, advice=advice)]


def _form(reply: _Reply, word: str) -> Finding:
    what = "form of the model"
    if reply.trouble:
        refuses = "response_format" in reply.trouble or "refused the request" in reply.trouble
        detail = "its server refuses a JSON schema" if refuses else reply.trouble
        advice = "the form then stands in the prompt, and replies are repaired" if refuses else ""
        return Finding(what=what, state="note", detail=detail, advice=advice)
    try:
        is_kept = json.loads(reply.text) == {"word": word}
    except (ValueError, RecursionError):
        is_kept = False
    if is_kept:
        return Finding(what=what, state="ok", detail="its server keeps it to a JSON schema")
    detail = "its server takes a JSON schema and does not keep the model to it"
    advice = "replies are repaired; a server that enforces schemas answers better, such as llama.cpp or vLLM"
    return Finding(what=what, state="note", detail=detail, advice=advice)


async def _ask(llm: "CompatOpenAI", text: str, **request: Any) -> _Reply:
    from llama_index.core.llms import ChatMessage  # late, as above

    try:
        reply: ChatResponse = await llm.achat([ChatMessage(role="user", content=text)], **request)
    except PageproofError as error:
        logger.debug("the model does not answer: %s", error)
        return _Reply(trouble=str(error))
    message = getattr(reply.raw, "choices", [None])[0]
    extra = getattr(getattr(message, "message", None), "model_extra", None) or {}
    thoughts = str(extra.get("reasoning_content") or extra.get("reasoning") or "")
    aloud, is_thought, text = str(reply.message.content or "").rpartition("</think>")
    count = reply.additional_kwargs.get("prompt_tokens")
    return _Reply(text, thoughts or aloud + is_thought, count if isinstance(count, int) and count else None)

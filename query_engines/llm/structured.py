"""Structured output: a model fills in a form, enforced by the server or, if it cannot, by prompt and repair."""

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.types import BasePydanticProgram
from llama_index_instrumentation import get_dispatcher
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ValidationError

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.answers.assemble import Message, reformat_prompt
from prompts.drafts import reasoning_fields, reply_limit, strict_schema, unasked_fields, without_fields
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.errors import ResponseFormatRejected
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.reply_repair import named_as_in, repair
from query_engines.llm.streaming import showing_analysis, thoughts_of
from storage.components import wrong_fields
from storage.errors import StructuredOutputError, UsageError
from storage.lexicon.words import expression

logger = logging.getLogger(__name__)
dispatcher = get_dispatcher(__name__)
D = TypeVar("D", bound=BaseModel)
_THOUGHTS = expression(r"\A\s*<think>.*?</think>", re.DOTALL)  # printed by some local reasoning models
_EXCERPT = 160


# Called with `with_schema` (adds the form to the prompt, for servers that do not enforce it) and the fields.
MessageBuilder = Callable[..., Sequence[Message]]


class CascadeProgram(BasePydanticProgram[D]):
    """Asks with the form enforced by the server, then with the form in the prompt, then for a restatement.

    A reply is read as it is, or else repaired, before the model is asked again. Each request has a limit of tokens that
    follows from the form. A reply that reaches it is read if the form was complete by then. Otherwise it is neither
    repaired nor restated, since half a figure would look like a whole one: the model is asked once more without the
    fields for its reasoning, in which small models go on for ever.

    Args:
        llm: its `native_schema` is set to False after the server refused an enforced form.
        output_cls: the form.
        build_messages: called with the fields of the program's call.
        loop: for synchronous calls; without it only `acall` works.
        repair: the prompts that ask for a restatement.
        brief: whether the model is told to reason in few words, and not asked for fields that repeat others.
    """

    def __init__(
        self,
        llm: CompatOpenAI,
        output_cls: type[D],
        build_messages: MessageBuilder,
        loop: BackgroundLoop | None = None,
        repair: RepairPrompts = REPAIR_PROMPTS,
        *,
        brief: bool = False,
    ) -> None:
        self.longest_reply = reply_limit(output_cls, brief=brief)
        self._repair = repair
        self._llm = llm
        self._output_cls = output_cls
        self._build_messages = build_messages
        self._loop = loop
        self._schema = strict_schema(output_cls, brief=brief)
        self._unasked = dict.fromkeys(unasked_fields(output_cls) if brief else (), "")

    @property
    def output_cls(self) -> type[D]:
        """The form."""
        return self._output_cls

    def __call__(self, *args: Any, **fields: Any) -> D:
        """Like `acall`, for callers without an event loop."""
        if self._loop is None:
            raise UsageError(f"{type(self).__name__} was built without a background loop: await acall(...).")
        return self._loop.run(self.acall(*args, **fields))

    @dispatcher.span
    async def acall(self, *args: Any, **fields: Any) -> D:
        """Fill in the form.

        Raises:
            StructuredOutputError: the model refused, or its replies could not be read as the form.
            ProviderError, SetupError, UsageError: the request failed; the cascade stops.
        """
        if args:
            raise TypeError(f"{type(self).__name__} takes its fields by keyword")
        with showing_analysis(self._output_cls):
            return await self._filled_in(fields)

    async def _filled_in(self, fields: dict[str, Any]) -> D:
        refused = False
        if self._llm.native_schema:
            messages = self._build_messages(with_schema=False, **fields)
            try:
                reply = await self._ask(messages, response_format=self._response_format(self._schema))
                if (draft := self._read(reply)) is not None:
                    return draft
                if _is_cut_off(reply) and (draft := await self._without_reasoning(messages)) is not None:
                    return draft
            except ResponseFormatRejected as error:
                logger.info("%s", error)
                refused = True
        reply = await self._ask(self._build_messages(with_schema=True, **fields))
        if refused:  # the same request without the form was accepted, so the form was the reason
            self._llm.native_schema = False
        if (draft := self._read(reply)) is not None:
            return draft
        return await self._restate(reply)

    async def _without_reasoning(self, messages: Sequence[Message]) -> D | None:
        """The form after a reply that did not end, without the fields for reasoning; None where it has none."""
        if not (left_out := reasoning_fields(self._output_cls)):
            return None
        reply = await self._ask(
            messages, response_format=self._response_format(without_fields(self._schema, left_out))
        )
        return self._read(reply, dict.fromkeys(left_out, ""))

    async def _restate(self, reply: ChatResponse) -> D:
        raw = reply.message.content or ""
        if raw.strip() and not _is_cut_off(reply):
            restated = await self._ask(reformat_prompt(self._schema, raw, self._repair))
            if (draft := self._read(restated)) is not None:
                return draft
        if _is_cut_off(reply):
            what, advice = "was cut off at its limit of tokens", "Ask again or choose another llm.model."
        elif raw.strip():
            what = f"was not in the form asked for ({misfit(raw, self._output_cls)})"
            advice = "Ask again or choose another llm.model."
        elif isinstance(reply.raw, ChatCompletion) and thoughts_of(reply.raw.choices[0].message):
            what, advice = (
                "is empty, for the model only thought aloud",
                "Turn its thinking off, where the server is.",
            )
        else:
            what, advice = "is empty", "Ask again or choose another llm.model."
        excerpt = " ".join(raw.split())
        excerpt = excerpt[:_EXCERPT] + "…" * (len(excerpt) > _EXCERPT)
        said = f" ({self._output_cls.__name__}): {excerpt!r}" if excerpt else ""
        raise StructuredOutputError(
            f"The reply of {self._llm.model!r} {what}{said}. {advice}", f"its reply {what}"
        )

    async def _ask(self, messages: Sequence[Message], **request: Any) -> ChatResponse:
        chat = [ChatMessage(role=MessageRole(message.role), content=message.content) for message in messages]
        request["longest_reply"] = self.longest_reply
        reply: ChatResponse = await self._llm.achat(chat, **request)  # the decorator hides its type
        return reply

    def _response_format(self, schema: dict[str, Any]) -> dict[str, Any]:
        form = {"name": self._output_cls.__name__, "strict": True, "schema": schema}
        return {"type": "json_schema", "json_schema": form}

    def _read(self, reply: ChatResponse, left_out: Mapping[str, Any] | None = None) -> D | None:
        """The form in a reply, or None; `left_out` are the values of fields that were not asked for."""
        text = reply.message.content or ""
        left_out = {**self._unasked, **(left_out or {})}
        return read_form(text, self._output_cls, is_whole=not _is_cut_off(reply), left_out=left_out)


def read_form(
    text: str, form: type[D], *, is_whole: bool = True, left_out: Mapping[str, Any] | None = None
) -> D | None:
    """The form in a reply, read as it is or repaired; None where neither is possible without guessing.

    Args:
        text: the reply.
        form: what it should hold.
        is_whole: whether it ended by itself; one that was cut counts if its object was complete before.
        left_out: values of fields that the model was not asked for.
    """
    text = _THOUGHTS.sub("", text)
    if not is_whole:
        text = _first_object(text)
        is_whole = bool(text)
    try:
        if isinstance(value := json.loads(text), dict):
            return form.model_validate({**(left_out or {}), **named_as_in(form, value)})
    except (ValueError, RecursionError) as error:  # invalid, or numbers and lists without end
        logger.debug("Not read as it is: %s", error)
    if not is_whole or (repaired := repair(text, form)) is None:
        return None
    try:
        return form.model_validate({**(left_out or {}), **repaired})
    except ValidationError as error:
        logger.debug("Not read after repair: %s", error)
        return None


def misfit(text: str, form: type[BaseModel]) -> str:
    """Why a reply is not a form: the field, what was found in it and what was expected."""
    text = _THOUGHTS.sub("", text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = repair(text, form)
    if not isinstance(value, dict):
        return "it holds no JSON object"
    try:
        form.model_validate(named_as_in(form, value))
    except ValidationError as error:
        return wrong_fields(error)[:_EXCERPT]
    return "it could be read as more than one thing"


def _first_object(text: str) -> str:
    """The complete JSON object with which a text begins, or ""; what follows it is white space without an end."""
    bare = text.lstrip()
    try:
        _, end = json.JSONDecoder().raw_decode(bare)
    except (ValueError, RecursionError):
        return ""
    return bare[:end] if bare.startswith("{") else ""


def _is_cut_off(reply: ChatResponse) -> bool:
    return reply.additional_kwargs.get("finish_reason") == "length"

"""Structured output: a model fills in a form, enforced by the server or, if it cannot, by prompt and repair."""

import functools
import json
import logging
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.types import BasePydanticProgram
from llama_index_instrumentation import get_dispatcher
from pydantic import BaseModel, ValidationError

from prompts.answers.answer_prompts import ANSWER_PROMPTS, REPAIR_PROMPTS, AnswerPrompts, RepairPrompts
from prompts.answers.assemble import Message, PageText, reformat_prompt, system_prompt, user_prompt
from prompts.answers.second_look import DraftInDoubt, second_look_prompt
from prompts.drafts import Draft, strict_schema
from prompts.kinds import draft_for
from query_engines.llm.client import CompatOpenAI
from query_engines.llm.errors import ResponseFormatRejected
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.reply_repair import named_as_in, repair
from query_engines.llm.streaming import showing_analysis
from query_engines.question.parsed import ParsedQuestion
from storage.errors import StructuredOutputError, UsageError
from storage.lexicon.words import expression
from storage.records.answers import Strictness
from storage.records.pages import Page
from storage.records.questions import AnswerKind
from storage.records.reports import Report

logger = logging.getLogger(__name__)
dispatcher = get_dispatcher(__name__)
D = TypeVar("D", bound=BaseModel)
_THOUGHTS = expression(r"\A\s*<think>.*?</think>", re.DOTALL)  # printed by some local reasoning models
_EXCERPT = 160


# Called with `with_schema` (adds the form to the prompt, for servers that do not enforce it) and the fields.
MessageBuilder = Callable[..., Sequence[Message]]


class CascadeProgram(BasePydanticProgram[D]):
    """Asks with the form enforced by the server, then with the form in the prompt, then for a restatement.

    A reply is read as it is, or else repaired, before the model is asked again. A reply that was cut off at the
    model's limit is neither repaired nor restated, since half a figure would look like a whole one.

    Args:
        llm: its `native_schema` is set to False after the server refused an enforced form.
        output_cls: the form.
        build_messages: called with the fields of the program's call.
        loop: for synchronous calls; without it only `acall` works.
        repair: the prompts that ask for a restatement.
    """

    def __init__(
        self,
        llm: CompatOpenAI,
        output_cls: type[D],
        build_messages: MessageBuilder,
        loop: BackgroundLoop | None = None,
        repair: RepairPrompts = REPAIR_PROMPTS,
    ) -> None:
        self._repair = repair
        self._llm = llm
        self._output_cls = output_cls
        self._build_messages = build_messages
        self._loop = loop
        self._schema = strict_schema(output_cls)

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
            try:
                reply = await self._ask(
                    self._build_messages(with_schema=False, **fields), response_format=self._response_format()
                )
            except ResponseFormatRejected as error:
                logger.info("%s", error)
                refused = True
            else:
                if (draft := self._read(reply)) is not None:
                    return draft
        reply = await self._ask(self._build_messages(with_schema=True, **fields))
        if refused:  # the same request without the form was accepted, so the form was the reason
            self._llm.native_schema = False
        if (draft := self._read(reply)) is not None:
            return draft
        return await self._restate(reply)

    async def _restate(self, reply: ChatResponse) -> D:
        raw = reply.message.content or ""
        if raw.strip() and not _is_cut_off(reply):
            restated = await self._ask(reformat_prompt(self._schema, raw, self._repair))
            if (draft := self._read(restated)) is not None:
                return draft
        what = "cut off at its limit of output tokens" if _is_cut_off(reply) else "not in the form asked for"
        excerpt = " ".join(raw.split())
        excerpt = excerpt[:_EXCERPT] + "…" * (len(excerpt) > _EXCERPT)
        raise StructuredOutputError(
            f"The reply of {self._llm.model!r} was {what} ({self._output_cls.__name__}): {excerpt!r}. "
            "Ask again or choose another llm.model."
        )

    async def _ask(self, messages: Sequence[Message], **request: Any) -> ChatResponse:
        chat = [ChatMessage(role=MessageRole(message.role), content=message.content) for message in messages]
        reply: ChatResponse = await self._llm.achat(chat, **request)  # the decorator hides its type
        return reply

    def _response_format(self) -> dict[str, Any]:
        form = {"name": self._output_cls.__name__, "strict": True, "schema": self._schema}
        return {"type": "json_schema", "json_schema": form}

    def _read(self, reply: ChatResponse) -> D | None:
        """The form in a reply, or None."""
        return read_form(reply.message.content or "", self._output_cls, is_whole=not _is_cut_off(reply))


def read_form(text: str, form: type[D], *, is_whole: bool = True) -> D | None:
    """The form in a reply, read as it is or repaired; None where neither is possible without guessing."""
    text = _THOUGHTS.sub("", text)
    try:
        draft = form.model_validate_json(text)
        value = json.loads(text)
        named = named_as_in(form, value)
        return draft if named == value else form.model_validate(named)
    except (ValueError, RecursionError) as error:  # invalid, or numbers and lists without end
        logger.debug("Not read as it is: %s", error)
    if not is_whole or (repaired := repair(text, form)) is None:
        return None
    try:
        return form.model_validate(repaired)
    except ValidationError as error:
        logger.debug("Not read after repair: %s", error)
        return None


def answer_program(
    llm: CompatOpenAI,
    kind: AnswerKind,
    strictness: Strictness = "strict",
    loop: BackgroundLoop | None = None,
    prompts: AnswerPrompts = ANSWER_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> CascadeProgram[Draft]:
    """The program for one kind of answer.

    It is called with `question` (ParsedQuestion), `report` (Report), `pages` (Page records, best first) and `texts`
    (each page as the model reads it); for a second look also with `doubt` (DraftInDoubt).

    Raises:
        ValueError: the kind has no form of its own, such as a comparison.
    """

    @functools.cache
    def rules(with_schema: bool) -> str:
        return system_prompt(kind, with_schema, strictness, prompts)

    def build_messages(
        *,
        with_schema: bool,
        question: ParsedQuestion,
        report: Report,
        pages: Sequence[Page],
        texts: Sequence[str],
        doubt: DraftInDoubt | None = None,
        **_: object,
    ) -> Sequence[Message]:
        prompt = user_prompt(
            question=question.text,
            company=report.company,
            currency=report.currency,
            period_end=report.period_end,
            pages=[PageText(page_number=p.page_number, markdown=t) for p, t in zip(pages, texts, strict=True)],
            template=prompts.user,
        )
        if doubt is not None:
            prompt = second_look_prompt(prompt, doubt, prompts.second_look)
        return (
            Message(role="system", content=rules(with_schema)),
            Message(role="user", content=prompt),
        )

    return CascadeProgram(llm, draft_for(kind), build_messages, loop, repair)


def _is_cut_off(reply: ChatResponse) -> bool:
    return reply.additional_kwargs.get("finish_reason") == "length"

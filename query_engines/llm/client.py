"""A language model behind OpenAI's chat API or watsonx's variant, with a journal of replies to unanswered questions."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Protocol

import openai
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    LLMMetadata,
)
from llama_index.llms.openai import OpenAI
from llama_index.llms.openai.utils import from_openai_message, to_openai_message_dicts
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import PrivateAttr

from query_engines.llm.connection import Access, Connection, access, connect
from query_engines.llm.errors import RequestRefused, ResponseFormatRejected, one_line
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.providers import NO_KEY, Endpoint, HostedLlmOptions, Tokens
from query_engines.llm.rate_limits import ATTEMPTS
from query_engines.llm.streaming import (
    StreamCut,
    StreamedReply,
    Watcher,
    checked_completion,
    thoughts_of,
    watcher,
)
from query_engines.llm.usage import estimated_tokens
from storage.errors import ProviderError, StructuredOutputError, UsageError
from storage.files import digest
from storage.lexicon.words import expression
from storage.stores.reply_journal import ReplyJournal
from storage.text import all_storable

Body = Mapping[str, Any]
Pieces = openai.AsyncStream[ChatCompletionChunk]


class ChatWire(Protocol):
    """Sends one request; the body is that of OpenAI's API without `stream`."""

    async def whole(self, client: openai.AsyncOpenAI, body: Body) -> object:
        """The complete reply, which should be a ChatCompletion."""
        ...

    async def pieces(self, client: openai.AsyncOpenAI, body: Body) -> Pieces:
        """The reply as a stream, with the usage at its end."""
        ...


def chat_wire(endpoint: Endpoint) -> ChatWire:
    """The wire format of an endpoint."""
    return WatsonxWire(endpoint.account) if endpoint.account else OpenAIWire()


class OpenAIWire:
    """`/chat/completions`. The body is posted directly; the client's own method would walk through its whole schema."""

    async def whole(self, client: openai.AsyncOpenAI, body: Body) -> object:
        """The complete reply."""
        return await client.post("/chat/completions", cast_to=ChatCompletion, body={**body, "stream": False})

    async def pieces(self, client: openai.AsyncOpenAI, body: Body) -> Pieces:
        """The reply as a stream."""
        return await client.post(
            "/chat/completions",
            cast_to=ChatCompletion,
            body={**body, "stream": True, "stream_options": {"include_usage": True}},
            stream=True,
            stream_cls=openai.AsyncStream[ChatCompletionChunk],
        )


class WatsonxWire:
    """`/ml/v1/text/chat` and `chat_stream` of watsonx.ai: OpenAI's fields, except those that are translated here.

    Requests name the model in `model_id` and contain the account that pays. The address decides whether the reply is
    streamed. The default limit is 1,024 tokens; 0 means the model's own limit. Replies are in OpenAI's format.

    Args:
        account: the project or space, by the name of its field.
    """

    def __init__(self, account: Mapping[str, str]) -> None:
        self._account = account

    async def whole(self, client: openai.AsyncOpenAI, body: Body) -> object:
        """The complete reply."""
        return await client.post("/ml/v1/text/chat", cast_to=ChatCompletion, body=self._translated(body))

    async def pieces(self, client: openai.AsyncOpenAI, body: Body) -> Pieces:
        """The reply as a stream; watsonx always ends with the usage."""
        return await client.post(
            "/ml/v1/text/chat_stream",
            cast_to=ChatCompletion,
            body=self._translated(body),
            stream=True,
            stream_cls=openai.AsyncStream[ChatCompletionChunk],
        )

    def _translated(self, body: Body) -> dict[str, Any]:
        rest = {name: value for name, value in body.items() if name != "model"}
        return {"model_id": body["model"], **self._account, "max_completion_tokens": 0, **rest}


RETRIES = ATTEMPTS - 1
# OpenAI's reasoning models accept no temperature, under any provider's prefix ("openai/o3-mini").
_REASONING = expression(r"(?:^|/)(?:o\d|gpt-[5-9])")
# Fields that are left out where a server refuses them.
_DISPENSABLE = ("temperature", "stream")
_THINKING = 8_000  # tokens, beside the reply, of a model that thinks aloud
_LEAST_COUNTED = 1_024  # tokens of a prompt; servers that count fewer for a long one do not count
_COUNTED_SHARE = 0.6  # of the estimate, which is at most half above the truth
_WINDOWS = tuple(2**power for power in range(10, 20))  # to which servers usually cut


class CompatOpenAI(OpenAI):
    """OpenAI's chat API with any model name at any address.

    LlamaIndex's own class knows only a fixed list of models, adds retries to those of its client, and uses one client
    for all event loops. Here every request goes through the connection's rate limiter, and errors are Pageproof's.

    If a watcher is set (`query_engines.llm.streaming`), the reply is streamed to it. LlamaIndex's own streaming
    methods yield the whole reply as one piece.

    Attributes:
        context_window: the most tokens that the model reads.
        native_schema: whether the server enforces a JSON schema; a cascade sets it to False after a refusal.
        longest_reply: in tokens; None means that each request has a limit of its own, by its form.
    """

    context_window: int = 128_000
    native_schema: bool = True
    longest_reply: int | None = None

    _connection: Connection = PrivateAttr()
    _left_out: set[str] = PrivateAttr(default_factory=set)
    _thinks: bool = PrivateAttr(default=False)
    _most_counted: int = PrivateAttr(default=0)  # tokens of a prompt that the server read

    def __init__(self, connection: Connection, *, stream: bool = True, **fields: Any) -> None:
        # The parent class writes its fields into traces, so it does not get the key.
        address = connection.endpoint.address
        super().__init__(model=connection.model, api_base=address, api_key=NO_KEY, max_retries=0, **fields)
        self._connection = connection
        if self._is_reasoning:
            self._left_out.add("temperature")
        if not stream:
            self._left_out.add("stream")

    @property
    def metadata(self) -> LLMMetadata:
        """The model's properties from the settings, without a lookup by its name."""
        return LLMMetadata(
            context_window=self.context_window,
            num_output=self.longest_reply or -1,
            is_chat_model=True,
            is_function_calling_model=True,
            model_name=self.model,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    @property
    def _tokenizer(self) -> None:
        """None, since tiktoken would download its tables or not know the model."""
        return None

    @property
    def _is_reasoning(self) -> bool:
        return _REASONING.search(self.model) is not None

    def _should_use_structure_outputs(self) -> bool:
        return self.native_schema

    async def _achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        of_form = kwargs.pop("longest_reply", None)
        limit = self._limit(of_form)
        reply = await self._accepted(self._request(messages, kwargs, limit))
        if limit is not None and limit == of_form and not self._may_think and _was_still_thinking(reply):
            self._thinks = True  # its thoughts took the room of its reply
            reply = await self._accepted(self._request(messages, kwargs, self._limit(of_form)))
        if of_form is not None:
            self._refuse_a_cut_prompt(messages, reply)
        return reply

    async def _accepted(self, request: dict[str, Any]) -> ChatResponse:
        """The reply to a request, which is sent again without a field that the server refuses."""
        spared: set[str] = set()
        while True:
            try:
                return self._response(await self._completion(request))
            except RequestRefused as error:
                named = (name for name in _DISPENSABLE if name not in spared and _names(error, name))
                refused = next(named, None)
                if refused is None:
                    if "response_format" in request:
                        raise ResponseFormatRejected(str(error)) from error
                    raise
                spared.add(refused)
                self._left_out.add(refused)

    @property
    def _may_think(self) -> bool:
        return self._is_reasoning or self._thinks

    def _limit(self, of_form: int | None) -> int | None:
        """The most tokens of a reply: as many as its form needs, with room for thoughts; never more than is set."""
        if of_form is None:
            return self.longest_reply
        needed = of_form + (_THINKING if self._may_think else 0)
        return needed if self.longest_reply is None else min(needed, self.longest_reply)

    def _refuse_a_cut_prompt(self, messages: Sequence[ChatMessage], reply: ChatResponse) -> None:
        """Some servers read only the part of a prompt that fits into their window, and say nothing.

        Raises:
            ProviderError: the server counted fewer tokens than the prompt has.
        """
        counted = reply.additional_kwargs.get("prompt_tokens")
        if not isinstance(counted, int) or counted < _LEAST_COUNTED:
            return
        sent = sum(estimated_tokens(message.content or "") for message in messages)
        self._most_counted = max(self._most_counted, counted)
        is_full_window = counted < sent and any(
            abs(counted - window) <= 1 and self._most_counted <= window + 1 for window in _WINDOWS
        )
        if counted < sent * _COUNTED_SHARE or is_full_window:
            raise ProviderError(
                f"{self._connection.place} read only {counted:,} of about {sent:,} tokens: its window is smaller than"
                f" llm.context_window={self.context_window:,}. Give the server a larger one (Ollama: num_ctx), or set"
                f" llm.context_window={counted}."
            )

    async def _completion(self, request: dict[str, Any]) -> object:
        """One request through the rate limiter, without the fields that this server refused before."""
        body = {name: value for name, value in request.items() if name not in self._left_out}
        watching = watcher() if "stream" not in self._left_out else None
        attempts = _Attempts(chat_wire(self._connection.endpoint), self._connection.endpoint.shown)
        send = partial(attempts.send, body=body, watching=watching)
        prompt = "".join(str(message.get("content") or "") for message in body["messages"])
        replies = question_replies()
        key = request_key(self._connection.endpoint.shown, body) if replies else ""
        if replies and (stored := replies.take(key)) is not None:
            return stored
        limits = [value for name, value in body.items() if name in _LIMITS]
        reply = await self._connection.ask(
            send, _tokens, prompt=prompt, is_stream=watching is not None, longest_reply=next(iter(limits), None)
        )
        if replies:
            replies.store(key, reply)
        return reply

    def _request(
        self, messages: Sequence[ChatMessage], kwargs: dict[str, Any], limit: int | None
    ) -> dict[str, Any]:
        chat = all_storable(to_openai_message_dicts(messages, model=self.model))
        request = {"messages": chat, **self._get_model_kwargs(**kwargs)}
        if limit is not None:
            name = "max_completion_tokens" if self._is_reasoning else self._connection.provider.completion_limit
            request[name] = limit
        return request

    def _response(self, completion: object) -> ChatResponse:
        """LlamaIndex's response to a completion has `finish_reason` beside the token counts."""
        place = self._connection.place
        if not isinstance(completion, ChatCompletion):
            raise ProviderError(f"{place} did not answer with a chat completion: is llm.api_base right?")
        if not completion.choices:
            raise StructuredOutputError(f"{place} gave an empty reply. Ask again.", "its reply is empty")
        choice = completion.choices[0]
        if choice.message.refusal:
            refusal = one_line(choice.message.refusal)
            raise StructuredOutputError(f"{place} refused: {refusal}", f"it refused: {refusal}")
        counts = self._get_response_token_counts(completion)
        return ChatResponse(
            message=from_openai_message(choice.message, modalities=["text"]),
            raw=completion,
            additional_kwargs={**counts, "finish_reason": choice.finish_reason},
        )

    def _chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._connection.run(self._achat(messages, **kwargs))

    async def _astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        async def pieces() -> ChatResponseAsyncGen:
            reply = await self._achat(messages, **kwargs)
            yield reply.model_copy(update={"delta": reply.message.content})

        return pieces()

    def _stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        reply = self._chat(messages, **kwargs)
        return (piece for piece in [reply.model_copy(update={"delta": reply.message.content})])


class _Attempts:
    """The attempts of one request. After a stream that broke off, the next attempt does not stream."""

    def __init__(self, wire: ChatWire, url: str) -> None:
        self._wire, self._url = wire, url
        self._was_cut = False

    async def send(self, client: openai.AsyncOpenAI, body: dict[str, Any], watching: Watcher | None) -> object:
        """One attempt; the result should be a ChatCompletion."""
        if watching is None or self._was_cut:
            return self._read(await self._wire.whole(client, body))
        reply = StreamedReply(self._url)
        async with await self._wire.pieces(client, body) as stream:
            if "event-stream" not in stream.response.headers.get("content-type", ""):
                return self._read(_sent_whole(await stream.response.aread()))
            async for chunk in stream:
                reply.add(chunk)
                watching(reply.text)
        try:
            return reply.completion()
        except StreamCut:
            self._was_cut = True
            raise

    def _read(self, whole: object) -> object:
        return checked_completion(whole, self._url) if isinstance(whole, ChatCompletion) else whole


def build_llm(
    options: HostedLlmOptions,
    environment: Mapping[str, str] = os.environ,
    retries: int = RETRIES,
    shared: Access | None = None,
) -> CompatOpenAI:
    """The model that the options name.

    Args:
        options: from the settings.
        environment: where keys are looked up; OPENAI_API_KEY only for `llm.kind = "openai"`.
        retries: further attempts for each request.
        shared: the rate limiter and the loop of a client; without it the model gets its own.

    Raises:
        UsageError: the options have no model or no address, a model that this API does not serve, or a budget for
            a model without a known price.
        MissingKey: the provider's key, or the account it belongs to, is not in the environment.
    """
    if not options.model:
        raise UsageError(f"llm.kind {options.kind!r} needs llm.model: the provider's name of the model.")
    if shared is None:
        shared = access(options, BackgroundLoop(), environment, retries + 1)
    prices = (options.prompt_usd_per_million, options.completion_usd_per_million)
    try:
        return CompatOpenAI(
            connect(options, prices, shared),
            temperature=options.temperature,
            context_window=options.context_window,
            longest_reply=options.max_tokens,
            stream=options.stream,
        )
    except ValueError as error:
        raise UsageError(f"llm.model {options.model!r}: {one_line(str(error))}") from error


def _sent_whole(body: bytes) -> object:
    """The completion of a server that did not stream as requested; its plain text if that is not a completion."""
    text = body.decode(errors="replace")
    if not text.lstrip().startswith("{"):
        return text
    try:
        return ChatCompletion.construct(**json.loads(text))
    except RecursionError:  # lists in lists without end
        return text


_LIMITS = ("max_tokens", "max_completion_tokens")


def _was_still_thinking(reply: ChatResponse) -> bool:
    """Whether a reply reached its limit while the model thought aloud, before or instead of the reply itself."""
    if reply.additional_kwargs.get("finish_reason") != "length" or not isinstance(reply.raw, ChatCompletion):
        return False
    message, usage = reply.raw.choices[0].message, reply.raw.usage
    text = message.content or ""
    details = usage.completion_tokens_details if usage else None
    is_inside = text.lstrip().startswith("<think>") and "</think>" not in text
    return bool(thoughts_of(message)) or is_inside or bool(details and details.reasoning_tokens)


def _names(error: RequestRefused, field: str) -> bool:
    return re.search(rf"\b{field}", str(error)) is not None


def _tokens(completion: object) -> Tokens | None:
    """The tokens of a completion. Some servers count reasoning only in the total."""
    usage = completion.usage if isinstance(completion, ChatCompletion) else None
    if usage is None:
        return None
    prompt, written = usage.prompt_tokens or 0, usage.completion_tokens or 0
    details = usage.prompt_tokens_details
    return Tokens(
        prompt,
        max(written, (usage.total_tokens or 0) - prompt),
        min(prompt, (details.cached_tokens if details else None) or 0),
    )


class QuestionReplies:
    """The replies to one question so far. Without a journal nothing is stored."""

    def __init__(self, journal: ReplyJournal | None) -> None:
        self._journal = journal
        self._keys: list[str] = []

    def take(self, key: str) -> ChatCompletion | None:
        """An earlier run's reply to this request, which costs nothing now; or None."""
        self._keys.append(key)
        stored = self._journal.take(key) if self._journal else None
        return None if stored is None else ChatCompletion.construct(**json.loads(stored))

    def store(self, key: str, reply: object) -> None:
        """Store a reply. Anything else, such as an error page of a proxy, is not stored."""
        if self._journal is not None and isinstance(reply, ChatCompletion):
            self._journal.store(key, reply.model_dump_json())

    def close(self) -> None:
        """Forget the question's replies, because its answer or error is written."""
        if self._journal is not None:
            self._journal.forget(self._keys)


_question: ContextVar[QuestionReplies | None] = ContextVar("pageproof_question_replies", default=None)


@contextmanager
def replies_of_a_question(journal: ReplyJournal | None) -> Iterator[QuestionReplies]:
    """Store the replies to requests of this context, and of tasks and threads started from it."""
    replies = QuestionReplies(journal)
    token = _question.set(replies if journal else None)
    try:
        yield replies
    finally:
        _question.reset(token)


def question_replies() -> QuestionReplies | None:
    """The stored replies of the running question, if any."""
    return _question.get()


def request_key(address: str, body: dict[str, Any]) -> str:
    """The key of a request, equal for equal requests to the same model."""
    return digest([address, body], length=32)

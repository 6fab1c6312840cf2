"""A LlamaIndex LLM of the user's own, in the place of a model behind OpenAI's API."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.callbacks.token_counting import get_tokens_from_response
from llama_index.core.llms import LLM
from openai import AsyncOpenAI
from pydantic import PrivateAttr

from query_engines.llm.client import CompatOpenAI
from query_engines.llm.connection import Access, join
from query_engines.llm.providers import UNKNOWN, Endpoint, Tokens
from query_engines.llm.usage import estimated_tokens
from query_engines.options import OwnLlmOptions
from storage.components import make_component
from storage.errors import ComponentError, PageproofError, ProviderError

_PLACE = "own:"  # stands for an address, which only the class knows


class OwnLlm(CompatOpenAI):
    """Sends every request through the user's LLM. Limits, tries and counts are those of all models.

    The form is asked for in the prompt, since what such a class can enforce is not known; replies are repaired and
    restated as those of any other model.
    """

    _inner: LLM = PrivateAttr()

    def __init__(self, inner: LLM, options: OwnLlmOptions, shared: Access) -> None:
        name = options.model or name_of(inner)
        prices = (options.prompt_usd_per_million, options.completion_usd_per_million)
        keys = "llm.prompt_usd_per_million and llm.completion_usd_per_million"
        connection = join("llm", name, UNKNOWN, Endpoint(f"{_PLACE}{type(inner).__name__}"), prices, keys, shared)
        window = options.context_window or inner.metadata.context_window
        super().__init__(connection, stream=False, context_window=window, longest_reply=options.max_tokens)
        self.native_schema = False
        self._inner = inner

    async def _achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        del kwargs  # the form is in the prompt

        async def send(_: AsyncOpenAI) -> ChatResponse:
            try:
                reply = await self._inner.achat(messages)
            except PageproofError:
                raise
            except Exception as error:
                kind = type(error).__name__
                raise ProviderError(f"{type(self._inner).__name__} failed with {kind}: {error}") from error
            if not isinstance(reply, ChatResponse):
                raise ComponentError(
                    f"the language model {type(self._inner).__name__} gave a {type(reply).__name__}, expected a "
                    "ChatResponse"
                )
            return reply

        prompt = "".join(message.content or "" for message in messages)
        return await self._connection.ask(
            send, lambda reply: _tokens(reply, prompt), prompt=prompt, longest_reply=self.longest_reply
        )


def name_of(llm: LLM) -> str:
    """What a model calls itself, or its class, where it says what LlamaIndex says for those that say nothing."""
    named = llm.metadata.model_name
    return type(llm).__name__ if named in ("", LLMMetadata().model_name) else named


def build_own_llm(options: OwnLlmOptions, shared: Access, inner: LLM | None = None) -> OwnLlm:
    """The LLM that `llm.kind` names, or the given one.

    Raises:
        UsageError: it cannot be made, or there is a budget and no price.
    """
    made = inner or make_component("llms", options.kind, options.options, "llm.kind", LLM)  # type: ignore[type-abstract]  # only looked at
    return OwnLlm(made, options, shared)


def _tokens(reply: ChatResponse, prompt: str) -> Tokens:
    """What the class reports, in the names that LlamaIndex's integrations use; else what a cautious estimate gives."""
    counts = reply.additional_kwargs
    read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
    if not isinstance(read, int) or not isinstance(written, int):
        try:
            read, written = get_tokens_from_response(reply)
        except (AttributeError, TypeError, ValueError):  # `raw` is in a form of the class's own
            read, written = 0, 0
    return Tokens(read or estimated_tokens(prompt), written or estimated_tokens(reply.message.content or ""))

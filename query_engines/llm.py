"""A language model behind OpenAI's chat API, at OpenAI or anywhere else."""

import asyncio
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import openai
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.llms.openai import OpenAI
from llama_index.llms.openai.utils import from_openai_message, to_openai_message_dicts
from openai.types.chat import ChatCompletion
from pydantic import PrivateAttr

from query_engines.options import LlmOptions, WatsonxLlmOptions
from query_engines.providers import (
    NO_KEY,
    OPENAI,
    SELF_HOSTED_KEY,
    address_of,
    how_to_set,
    is_loopback,
    key_of,
    provider_of,
)
from query_engines.usage import count_request
from storage.errors import MissingExtra, MissingKey, ProviderError, SetupError, StructuredOutputError, UsageError

RETRIES = 4
# OpenAI's reasoning models take no temperature, under any provider's prefix ("openai/o3-mini").
_NO_TEMPERATURE = re.compile(r"(?:^|/)(?:o\d|gpt-[5-9])")


class ResponseFormatRejected(ProviderError):
    """The server refused a request with a `response_format` as wrong."""


@dataclass(frozen=True)
class _Lane:
    """What belongs to one event loop: connections and the places in flight."""

    client: openai.AsyncOpenAI
    gate: asyncio.Semaphore


class CompatOpenAI(OpenAI):
    """OpenAI's chat API with any model name at any address.

    LlamaIndex's own class knows a fixed list of models, retries on top of its client's retries and keeps one
    client for all event loops. Here the client alone retries, each loop has its own, and errors are Pageproof's.

    Attributes:
        context_window: tokens that the model reads at most.
        native_schema: whether the server enforces a JSON schema; a cascade sets it to False when it was refused.
        send_temperature: False for models that refuse it.
        parallel: requests in flight on one event loop.
        retries: further attempts after rate limits, timeouts, lost connections and errors of the server.
    """

    context_window: int = 128_000
    native_schema: bool = True
    send_temperature: bool = True
    parallel: int = 25
    retries: int = RETRIES

    _key: str = PrivateAttr(default=NO_KEY)
    _key_variable: str = PrivateAttr(default=SELF_HOSTED_KEY)
    _lanes: dict[asyncio.AbstractEventLoop, _Lane] = PrivateAttr(default_factory=dict)

    def __init__(
        self,
        *,
        model: str,
        api_base: str,
        api_key: str = NO_KEY,
        key_variable: str = SELF_HOSTED_KEY,
        **fields: Any,
    ) -> None:
        fields.setdefault("send_temperature", _NO_TEMPERATURE.search(model) is None)
        # The parent writes its fields into traces, so it does not get the key.
        super().__init__(model=model, api_base=api_base, api_key=NO_KEY, max_retries=0, **fields)
        self._key, self._key_variable = api_key, key_variable

    @property
    def metadata(self) -> LLMMetadata:
        """Nothing is looked up by the model's name."""
        return LLMMetadata(
            context_window=self.context_window,
            num_output=self.max_tokens or -1,
            is_chat_model=True,
            is_function_calling_model=True,
            model_name=self.model,
        )

    async def aclose(self) -> None:
        """Close the connections of the running event loop and of synchronous calls."""
        if (lane := self._lanes.pop(asyncio.get_running_loop(), None)) is not None:
            await lane.client.close()
        if self._client is not None:
            self._client.close()
            self._client = None

    @property
    def _tokenizer(self) -> None:
        """None: tiktoken would download its tables, or not know the model."""
        return None

    def _should_use_structure_outputs(self) -> bool:
        return self.native_schema

    def _get_model_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        request = super()._get_model_kwargs(**kwargs)
        if not self.send_temperature:
            request.pop("temperature", None)
        return request

    async def _achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        lane = self._lane()
        async with lane.gate:
            request = self._request(messages, kwargs)
            with self._translated_errors("response_format" in kwargs):
                try:
                    completion = await lane.client.chat.completions.create(**request)
                except openai.BadRequestError as error:
                    if "temperature" not in request or "temperature" not in error.message:
                        raise
                    self.send_temperature = False
                    del request["temperature"]
                    completion = await lane.client.chat.completions.create(**request)
        return self._response(completion)

    def _chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        with self._translated_errors("response_format" in kwargs):
            completion = self._get_client().chat.completions.create(**self._request(messages, kwargs))
        return self._response(completion)

    def _request(self, messages: Sequence[ChatMessage], kwargs: dict[str, Any]) -> dict[str, Any]:
        chat = to_openai_message_dicts(messages, model=self.model)
        return {"messages": chat, "stream": False, **self._get_model_kwargs(**kwargs)}

    def _response(self, completion: object) -> ChatResponse:
        """Count a completion; LlamaIndex's response to it has `finish_reason` beside the token counts."""
        if not isinstance(completion, ChatCompletion):
            raise ProviderError(f"{self._place()} did not answer with a chat completion: is llm.api_base right?")
        usage = completion.usage
        tokens = (usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else (0, 0)
        count_request(*tokens)
        if not completion.choices:
            raise StructuredOutputError(f"{self._place()} gave an empty reply. Ask again.")
        choice = completion.choices[0]
        if choice.message.refusal:
            raise StructuredOutputError(f"{self._place()} refused: {_one_line(choice.message.refusal)}")
        counts = self._get_response_token_counts(completion)
        return ChatResponse(
            message=from_openai_message(choice.message, modalities=["text"]),
            raw=completion,
            additional_kwargs={**counts, "finish_reason": choice.finish_reason},
        )

    def _lane(self) -> _Lane:
        loop = asyncio.get_running_loop()
        if loop not in self._lanes:
            for closed in [other for other in list(self._lanes) if other.is_closed()]:
                self._lanes.pop(closed, None)
            http_client = openai.DefaultAsyncHttpxClient(trust_env=not is_loopback(self._address))
            client = openai.AsyncOpenAI(http_client=http_client, **self._client_arguments())
            self._withhold(client)
            self._lanes[loop] = _Lane(client, asyncio.Semaphore(self.parallel))
        return self._lanes[loop]

    def _get_aclient(self) -> openai.AsyncOpenAI:
        return self._lane().client

    def _get_client(self) -> openai.OpenAI:
        if self._client is None:
            http_client = openai.DefaultHttpxClient(trust_env=not is_loopback(self._address))
            self._client = openai.OpenAI(http_client=http_client, **self._client_arguments())
            self._withhold(self._client)
        return self._client

    def _client_arguments(self) -> dict[str, Any]:
        return {
            "api_key": self._key,
            "base_url": self._address,
            "max_retries": self.retries,
            "timeout": self.timeout,
            "default_headers": self.default_headers,
        }

    def _withhold(self, client: openai.AsyncOpenAI | openai.OpenAI) -> None:
        """Keep what the environment says for OpenAI from any other host."""
        if urlsplit(self._address).hostname != urlsplit(OPENAI.address).hostname:
            client.organization = client.project = client.admin_api_key = None
            client._custom_headers = self.default_headers or {}

    @property
    def _address(self) -> str:
        return str(self.api_base)

    def _place(self) -> str:
        parts = urlsplit(self._address)
        return f"{self.model!r} at {parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @contextmanager
    def _translated_errors(self, with_format: bool) -> Iterator[None]:
        place, attempts = self._place(), f"after {self.retries + 1} attempts"
        try:
            yield
        except openai.AuthenticationError as error:
            what = "asks for a key" if self._key == NO_KEY else f"refused the key in {self._key_variable}"
            raise MissingKey(f"{place} {what}: {how_to_set(self._key_variable)}") from error
        except openai.PermissionDeniedError as error:
            raise SetupError(f"{place} does not allow this: {self._said(error)}") from error
        except openai.NotFoundError as error:
            raise UsageError(
                f"{place} was not found: {self._said(error)} Check llm.model, llm.api_base."
            ) from error
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            kind = ResponseFormatRejected if with_format else ProviderError
            raise kind(f"{place} refused the request: {self._said(error)}") from error
        except openai.RateLimitError as error:
            advice = "Try again later or lower llm.parallel."
            raise ProviderError(
                f"{place} takes no more requests {attempts}: {self._said(error)} {advice}"
            ) from error
        except openai.APITimeoutError as error:
            seconds = f"{self.timeout:g} s, {attempts}"
            raise ProviderError(f"{place} did not answer within {seconds}. Raise llm.timeout_seconds.") from error
        except openai.APIConnectionError as error:
            cause = _one_line(str(error.__cause__ or error))
            raise ProviderError(
                f"{place} cannot be reached {attempts}: {cause}. Is the server running?"
            ) from error
        except openai.APIStatusError as error:
            raise ProviderError(f"{place} failed with {error.status_code}: {self._said(error)}") from error
        except (openai.OpenAIError, json.JSONDecodeError) as error:
            raise ProviderError(f"{place} sent a broken answer: {_one_line(str(error))}") from error

    def _said(self, error: openai.APIStatusError) -> str:
        """The server's message, without the key should it repeat it."""
        message = error.body.get("message") if isinstance(error.body, dict) else None
        line = _one_line(str(message or error.message))
        return line if self._key == NO_KEY else line.replace(self._key, "***")


def build_llm(
    options: LlmOptions, environment: Mapping[str, str] = os.environ, retries: int = RETRIES
) -> CompatOpenAI:
    """The model that the options name.

    Args:
        options: from the settings.
        environment: where keys are looked up; OPENAI_API_KEY only for `llm.kind = "openai"`.
        retries: further attempts for each request.

    Raises:
        UsageError: the options name no model or no address, or a model that this API does not serve.
        MissingKey: the provider's key is not in the environment.
        MissingExtra: watsonx, which is not in this version.
    """
    if isinstance(options, WatsonxLlmOptions):
        raise MissingExtra(
            "llm.kind 'watsonx' is not in this version yet: serve the model behind an OpenAI-compatible address "
            "and set llm.kind=openai_like and llm.api_base."
        )
    if not options.model:
        raise UsageError(f"llm.kind {options.kind!r} needs llm.model: the provider's name of the model.")
    provider = provider_of(options)
    address = address_of(options, provider, environment)
    try:
        return CompatOpenAI(
            model=options.model,
            api_base=address,
            api_key=key_of(provider, address, environment),
            key_variable=provider.key_variable,
            temperature=options.temperature,
            timeout=options.timeout_seconds,
            context_window=options.context_window,
            parallel=options.parallel,
            retries=retries,
        )
    except ValueError as error:
        raise UsageError(f"llm.model {options.model!r}: {_one_line(str(error))}") from error


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:200] + "…"

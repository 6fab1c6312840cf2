"""How a chat request goes over the wire: in OpenAI's own form, or in watsonx's variant of it."""

from collections.abc import Mapping
from typing import Any, Protocol

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from query_engines.providers import Endpoint

Body = Mapping[str, Any]
Pieces = openai.AsyncStream[ChatCompletionChunk]


class ChatWire(Protocol):
    """Sends one request; the body is OpenAI's without `stream`."""

    async def whole(self, client: openai.AsyncOpenAI, body: Body) -> object:
        """The reply at once; what comes back should be a ChatCompletion."""
        ...

    async def pieces(self, client: openai.AsyncOpenAI, body: Body) -> Pieces:
        """The reply as it is written, its usage at the end."""
        ...


def chat_wire(endpoint: Endpoint) -> ChatWire:
    """The form that an endpoint takes."""
    return WatsonxWire(endpoint.account) if endpoint.account else OpenAIWire()


class OpenAIWire:
    """`/chat/completions`. Posted as it is: the client's own method walks through every field of an answer's schema."""

    async def whole(self, client: openai.AsyncOpenAI, body: Body) -> object:
        """The reply at once."""
        return await client.post("/chat/completions", cast_to=ChatCompletion, body={**body, "stream": False})

    async def pieces(self, client: openai.AsyncOpenAI, body: Body) -> Pieces:
        """The reply as it is written."""
        return await client.post(
            "/chat/completions",
            cast_to=ChatCompletion,
            body={**body, "stream": True, "stream_options": {"include_usage": True}},
            stream=True,
            stream_cls=openai.AsyncStream[ChatCompletionChunk],
        )


class WatsonxWire:
    """`/ml/v1/text/chat` and `chat_stream` of watsonx.ai, whose fields are OpenAI's but for those translated here.

    Requests name the model `model_id` and bring the account that pays; whether to stream is said by the address.
    Without a limit it would write 1,024 tokens at most; 0 is the model's own. Replies read as OpenAI's.

    Args:
        account: the project or space, by the field's name.
    """

    def __init__(self, account: Mapping[str, str]) -> None:
        self._account = account

    async def whole(self, client: openai.AsyncOpenAI, body: Body) -> object:
        """The reply at once."""
        return await client.post("/ml/v1/text/chat", cast_to=ChatCompletion, body=self._translated(body))

    async def pieces(self, client: openai.AsyncOpenAI, body: Body) -> Pieces:
        """The reply as it is written; watsonx ends with the usage, unasked."""
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

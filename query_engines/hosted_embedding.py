"""Vectors from a server that speaks OpenAI's API, through the same gate as the language model."""

import asyncio
from collections.abc import Sequence

from llama_index.core.base.embeddings.base import BaseEmbedding
from openai import AsyncOpenAI
from openai.types import CreateEmbeddingResponse
from pydantic import PrivateAttr

from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
from query_engines.connection import Access, Connection, connect
from query_engines.prices import Tokens
from storage.errors import ProviderError

MOST_TEXTS = 2048  # LlamaIndex's own limit of a batch


class HostedEmbedding(BaseEmbedding):
    """Any number of texts, some to a request, the requests side by side as the gate allows."""

    _connection: Connection = PrivateAttr()
    _texts_per_request: int = PrivateAttr()

    def __init__(self, connection: Connection, texts_per_request: int) -> None:
        super().__init__(model_name=connection.model, embed_batch_size=MOST_TEXTS)
        self._connection = connection
        self._texts_per_request = min(texts_per_request, connection.provider.texts_per_request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        size = self._texts_per_request
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        tasks = [asyncio.create_task(self._batch(batch)) for batch in batches]
        try:
            return [vector for vectors in await asyncio.gather(*tasks) for vector in vectors]
        finally:  # where one failed, the others' vectors are of no use
            for task in tasks:
                task.cancel()

    async def _batch(self, texts: Sequence[str]) -> list[list[float]]:
        async def send(client: AsyncOpenAI) -> CreateEmbeddingResponse:
            # Not every server knows the client's own format, base64.
            return await client.embeddings.create(
                model=self._connection.model, input=list(texts), encoding_format="float"
            )

        answer = await self._connection.ask(send, _tokens, prompt="".join(texts), longest_reply=0)
        data = sorted(getattr(answer, "data", None) or [], key=lambda item: item.index)
        if len(data) != len(texts):
            raise ProviderError(
                f"{self._connection.place} gave {len(data)} vectors for {len(texts)} texts: "
                "is embedding.api_base right?"
            )
        return [item.embedding for item in data]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._connection.run(self._embed(texts))

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embeddings([query])[0]

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await self._embed(texts)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return (await self._embed([text]))[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return (await self._embed([query]))[0]


def build_hosted_embedding(
    options: OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions, shared: Access
) -> HostedEmbedding:
    """The embedding model that the options name.

    Raises:
        UsageError: no address, or a budget for a model whose price is not known.
        MissingKey: the provider's key is not in the environment.
    """
    connection = connect(options, (options.usd_per_million, 0.0), shared)
    return HostedEmbedding(connection, options.batch)


def _tokens(answer: CreateEmbeddingResponse) -> Tokens | None:
    usage = getattr(answer, "usage", None)
    return Tokens(usage.prompt_tokens or usage.total_tokens or 0) if usage else None

"""Models on servers: language model, embeddings and reranker, which share limits and event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import httpx
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from openai import AsyncOpenAI
from openai.types import CreateEmbeddingResponse
from pydantic import BaseModel, PrivateAttr, ValidationError

from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
from query_engines.llm.client import CompatOpenAI, build_llm
from query_engines.llm.connection import Access, Connection, connect, join
from query_engines.llm.local_llm import LocalLlm
from query_engines.llm.own_llm import build_own_llm
from query_engines.llm.providers import JINA, Tokens, jina_endpoint
from query_engines.local_model.model_server import ModelServer
from query_engines.options import LlamaCppLlmOptions, LlmOptions, OwnLlmOptions, RerankOptions
from storage.errors import ProviderError

MODEL = "jina-reranker-v2-base-multilingual"


class _Result(BaseModel):
    index: int
    relevance_score: float


class _Usage(BaseModel):
    total_tokens: int


class _Reply(BaseModel):
    results: list[_Result]
    usage: _Usage | None = None


class JinaScorer:
    """Sends the question and the texts to Jina; results come best first, with the positions of the texts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, in order."""
        body = {
            "model": self._connection.model,
            "query": question,
            "documents": list(texts),
            "top_n": len(texts),
            "return_documents": False,
        }

        async def send(client: AsyncOpenAI) -> _Reply:
            response = await client.post("/rerank", cast_to=httpx.Response, body=body)
            try:
                return _Reply.model_validate_json(response.content)
            except ValidationError as error:
                raise ProviderError(
                    f"{self._connection.place} gave no scores: is rerank.api_base right?"
                ) from error

        reply = await self._connection.ask(
            send, _rerank_tokens, prompt="".join((question, *texts)), longest_reply=0
        )
        scores = {result.index: result.relevance_score for result in reply.results}
        if set(scores) != set(range(len(texts))):
            raise ProviderError(f"{self._connection.place} scored the texts {sorted(scores)} of {len(texts)}")
        return [scores[position] for position in range(len(texts))]


def build_jina(options: RerankOptions, shared: Access) -> JinaScorer:
    """The reranker of `rerank.kind=jina`.

    Raises:
        UsageError: the address is invalid, or there is a budget for a model without a known price.
        MissingKey: JINA_API_KEY is not in the environment.
    """
    endpoint = jina_endpoint(options.api_base, shared.environment)
    prices = (options.usd_per_million, 0.0)
    model = options.model or MODEL
    return JinaScorer(join("rerank", model, JINA, endpoint, prices, "rerank.usd_per_million", shared))


def _rerank_tokens(reply: _Reply) -> Tokens | None:
    return Tokens(reply.usage.total_tokens) if reply.usage else None


MOST_TEXTS = 2048  # LlamaIndex's limit for a batch


class HostedEmbedding(BaseEmbedding):
    """Embeds any number of texts in parallel requests, as the rate limiter allows."""

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
        finally:  # if one request fails, the vectors of the others are not needed
            for task in tasks:
                task.cancel()

    async def _batch(self, texts: Sequence[str]) -> list[list[float]]:
        async def send(client: AsyncOpenAI) -> CreateEmbeddingResponse:
            # Not every server knows the client's default format, base64.
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
    """The embedding model in the options.

    Raises:
        UsageError: there is no address, or a budget for a model without a known price.
        MissingKey: the provider's key is not in the environment.
    """
    connection = connect(options, (options.usd_per_million, 0.0), shared)
    return HostedEmbedding(connection, options.batch)


def _tokens(answer: CreateEmbeddingResponse) -> Tokens | None:
    usage = getattr(answer, "usage", None)
    return Tokens(usage.prompt_tokens or usage.total_tokens or 0) if usage else None


class HostedModels:
    """Builds the models of a client when they are needed, and closes them.

    Args:
        shared: by all models of the client.
        server_of: gives the server of a model on this machine; None where no such model is asked.
    """

    def __init__(
        self, shared: Access, server_of: Callable[[LlamaCppLlmOptions], ModelServer] | None = None
    ) -> None:
        self._shared = shared
        self._server_of = server_of
        self._closing: list[Callable[[], Awaitable[None]]] = []

    def llm(self, options: LlmOptions, own: LLM | None = None) -> CompatOpenAI:
        """A language model; `own` is the object that the options of a class of one's own stand for."""
        model: CompatOpenAI
        if isinstance(options, OwnLlmOptions):
            model = build_own_llm(options, self._shared, own)
        elif isinstance(options, LlamaCppLlmOptions):
            assert self._server_of is not None
            model = LocalLlm(self._server_of(options), options, self._shared)
        else:
            model = build_llm(options, self._shared.environment, shared=self._shared)
        self._closing.append(model.aclose)
        return model

    def embedding(self, options: OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions) -> HostedEmbedding:
        """An embedding model."""
        model = build_hosted_embedding(options, self._shared)
        self._closing.append(model.aclose)
        return model

    def jina(self, options: RerankOptions) -> JinaScorer:
        """A reranker."""
        model = build_jina(options, self._shared)
        self._closing.append(model.aclose)
        return model

    async def aclose(self) -> None:
        """Close the connections of all models; they open again at the next use."""
        for close in self._closing:
            await close()

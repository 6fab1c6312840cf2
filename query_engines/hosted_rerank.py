"""Scores from a server that speaks Jina's rerank API, through the same gate as the language model."""

from collections.abc import Sequence

import httpx
from openai import AsyncOpenAI
from pydantic import BaseModel, ValidationError

from query_engines.connection import Access, Connection, join
from query_engines.options import RerankOptions
from query_engines.prices import Tokens
from query_engines.providers import JINA, jina_endpoint
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
    """Sends the question and the texts; results come best first and name their text by its position."""

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

        reply = await self._connection.ask(send, _tokens, prompt="".join((question, *texts)), longest_reply=0)
        scores = {result.index: result.relevance_score for result in reply.results}
        if set(scores) != set(range(len(texts))):
            raise ProviderError(f"{self._connection.place} scored the texts {sorted(scores)} of {len(texts)}")
        return [scores[position] for position in range(len(texts))]


def build_jina(options: RerankOptions, shared: Access) -> JinaScorer:
    """The reranker of `rerank.kind=jina`.

    Raises:
        UsageError: the address is none, or a budget for a model whose price is not known.
        MissingKey: JINA_API_KEY is not in the environment.
    """
    endpoint = jina_endpoint(options.api_base, shared.environment)
    prices = (options.usd_per_million, 0.0)
    model = options.model or MODEL
    return JinaScorer(join("rerank", model, JINA, endpoint, prices, "rerank.usd_per_million", shared))


def _tokens(reply: _Reply) -> Tokens | None:
    return Tokens(reply.usage.total_tokens) if reply.usage else None

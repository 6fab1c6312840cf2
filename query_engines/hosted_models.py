"""The models of a client that are asked over a connection: one gate and one event loop for all of them."""

from collections.abc import Awaitable, Callable

from indexes.options import OpenAIEmbeddingOptions, OpenAILikeEmbeddingOptions
from query_engines.connection import Access
from query_engines.hosted_embedding import HostedEmbedding, build_hosted_embedding
from query_engines.hosted_rerank import JinaScorer, build_jina
from query_engines.llm import CompatOpenAI, build_llm
from query_engines.options import LlmOptions, RerankOptions


class HostedModels:
    """Builds them when they are asked for and closes what was built."""

    def __init__(self, shared: Access) -> None:
        self._shared = shared
        self._closing: list[Callable[[], Awaitable[None]]] = []

    def llm(self, options: LlmOptions) -> CompatOpenAI:
        """A language model."""
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
        """Close their connections; they open again when they are asked."""
        for close in self._closing:
            await close()

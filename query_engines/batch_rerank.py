"""Putting found pages in order by what a model says of a few pages per request, all requests at once."""

import asyncio
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import ConfigDict, Field

from query_engines.background_loop import BackgroundLoop
from query_engines.events import step
from query_engines.page_nodes import ReadPages, with_pages
from query_engines.question_bundle import as_bundle
from query_engines.rerank_scores import told, weighed
from storage.errors import ProviderError
from storage.pages import Page


class BatchRerankPostprocessor(BaseNodePostprocessor):
    """Weighs a model's scores with the first stage's, which are scaled to 0..1 within the candidates.

    A page without a score, because its request failed or the model left it out, keeps its scaled first-stage score
    alone, and the step says so.

    Attributes:
        pages_per_request: pages that one request scores.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    label: ClassVar[str]
    read_pages: ReadPages = Field(exclude=True)
    loop: BackgroundLoop = Field(exclude=True)
    first_weight: float
    own_weight: float
    pages_per_request: int

    @abstractmethod
    async def scored(self, question: str, batch: Sequence[Page]) -> dict[int, float]:
        """The model's scores by page number; higher is better.

        Raises:
            ProviderError: nothing came of it this time.
        """

    def spread(self, raw: Mapping[int, float]) -> Mapping[int, float]:
        """The model's scores of all candidates on a scale of 0..1, where they are on another."""
        return raw

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return self.loop.run(self._apostprocess_nodes(nodes, query_bundle))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        question = as_bundle(query_bundle or QueryBundle("")).question.text
        with step("rerank", self.label) as running:
            found = [page for _, page in await asyncio.to_thread(with_pages, nodes, self.read_pages)]
            size = self.pages_per_request
            batches = [found[start : start + size] for start in range(0, len(found), size)]
            parts = await asyncio.gather(*(self._tried(question, batch) for batch in batches))
            raw = {page: score for part in parts if part is not None for page, score in part.items()}
            pages = weighed(nodes, self.spread(raw), self.first_weight, self.own_weight, shown=raw)
            running.summary = told(pages, len(batches), sum(part is None for part in parts))
        return pages

    async def _tried(self, question: str, batch: Sequence[Page]) -> dict[int, float] | None:
        try:
            return await self.scored(question, batch)
        except ProviderError:
            return None

"""Putting found pages in order by a model that only scores: how well does this text answer that question."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from pydantic import Field

from query_engines.batch_rerank import BatchRerankPostprocessor
from storage.pages import Page


@runtime_checkable
class PageScorer(Protocol):
    """A model that scores texts."""

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, in order; higher is better, on any scale of the model's own.

        Raises:
            ProviderError: nothing came of it this time.
        """


class ScorerRerankPostprocessor(BatchRerankPostprocessor):
    """Scores of a model that only scores; models differ in what they mean (logits, probabilities, cosines).

    So only their order and their distances count: they are scaled to 0..1 within the candidates.
    """

    label = "Scoring the pages"
    scorer: PageScorer = Field(exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "ScorerRerankPostprocessor"

    async def scored(self, question: str, batch: Sequence[Page]) -> dict[int, float]:
        """A score for each page."""
        scores = await self.scorer.score(question, [page.markdown for page in batch])
        return {page.page_number: score for page, score in zip(batch, scores, strict=True)}

    def spread(self, raw: Mapping[int, float]) -> Mapping[int, float]:
        """The least is 0 and the greatest 1; scores that are all the same are all 1."""
        low, high = min(raw.values(), default=0.0), max(raw.values(), default=0.0)
        return {page: (score - low) / (high - low) if high > low else 1.0 for page, score in raw.items()}

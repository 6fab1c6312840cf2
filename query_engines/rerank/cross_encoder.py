"""Reranks pages with a cross-encoder: a local model that reads question and page together."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pydantic import Field

from query_engines.question.parsed import ParsedQuestion
from query_engines.rerank.base import BatchRerankPostprocessor
from storage.errors import SetupError
from storage.records.pages import Page

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


@runtime_checkable
class PageScorer(Protocol):
    """A model that scores texts."""

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, in order; higher is better, on any scale of the model's own.

        Raises:
            ProviderError: the request failed.
        """


class ScorerRerankPostprocessor(BatchRerankPostprocessor):
    """Reranks by a model that gives only scores, whose meaning differs (logits, probabilities, cosines).

    So only order and distances count: scores are scaled to 0..1 within the candidates.
    """

    label = "Scoring the pages"
    scorer: PageScorer = Field(exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "ScorerRerankPostprocessor"

    async def scored(self, question: ParsedQuestion, batch: Sequence[Page]) -> dict[int, float]:
        """A score for each page."""
        scores = await self.scorer.score(question.question.text, [page.markdown for page in batch])
        return {page.page_number: score for page, score in zip(batch, scores, strict=True)}

    def spread(self, raw: Mapping[int, float]) -> Mapping[int, float]:
        """Scale scores: the lowest is 0 and the highest 1; equal scores are all 1."""
        low, high = min(raw.values(), default=0.0), max(raw.values(), default=0.0)
        return {page: (score - low) / (high - low) if high > low else 1.0 for page, score in raw.items()}


MODEL = "cross-encoder/ms-marco-MiniLM-L6-v2"
QUESTION_TOKENS = 64  # tokens reserved for the question and the special tokens
USUAL_TOKENS, MOST_TOKENS = 512, 32_768  # some tokenizers give a huge number for "not known"
OVERLAP = 0.2  # of a part's tokens


class CrossEncoderScorer:
    """A local cross-encoder. It loads its weights at the first question and scores one text at a time.

    A text that is too long for the model is scored in parts, and the best part counts.

    Args:
        model: a folder with weights, or a name on the Hugging Face hub.
    """

    def __init__(self, model: str) -> None:
        self._name = model
        self._model: CrossEncoder | None = None
        self._lock = threading.Lock()

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, in order, on the model's own scale.

        Raises:
            SetupError: there are no weights, or they do not belong to a cross-encoder.
        """
        return await asyncio.to_thread(self._score, question, texts)

    def _score(self, question: str, texts: Sequence[str]) -> list[float]:
        with self._lock:
            model = self._model = self._model or _load(self._name)
            pieces = [(n, piece) for n, text in enumerate(texts) for piece in _pieces(model, text)]
            scores = model.predict([(question, piece) for _, piece in pieces], show_progress_bar=False)
        best = [float("-inf")] * len(texts)
        for (n, _), score in zip(pieces, scores, strict=True):
            best[n] = max(best[n], float(score))
        return best


def _load(name: str) -> "CrossEncoder":
    from sentence_transformers import CrossEncoder  # imported late: torch takes seconds to import
    from transformers import AutoConfig

    remedy = "give rerank.model a folder with a cross-encoder's weights, or use rerank.kind=lexical"
    try:
        architectures = AutoConfig.from_pretrained(name).architectures or []
        if not any(kind.endswith("ForSequenceClassification") for kind in architectures):
            raise SetupError(f"the model {name!r} is no cross-encoder but {architectures}; {remedy}")
        model: CrossEncoder = CrossEncoder(name)
    except (OSError, ValueError) as error:
        raise SetupError(
            f"the cross-encoder {name!r} is no folder with weights nor to be had from the hub; {remedy}"
        ) from error
    if model.num_labels != 1:
        raise SetupError(f"the model {name!r} gives {model.num_labels} figures for a text, expected one; {remedy}")
    return model


def _pieces(model: "CrossEncoder", text: str) -> list[str]:
    """Parts of a text that fit the model, each overlapping with the one before."""
    reads = model.tokenizer.model_max_length
    longest = max(16, (reads if reads <= MOST_TOKENS else USUAL_TOKENS) - QUESTION_TOKENS)
    encoded = model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    offsets = encoded["offset_mapping"]
    if len(offsets) <= longest:
        return [text]
    stride = max(1, int(longest * (1 - OVERLAP)))
    starts = range(0, len(offsets) - longest + stride, stride)
    return [text[offsets[s][0] : offsets[min(s + longest, len(offsets)) - 1][1]] for s in starts]

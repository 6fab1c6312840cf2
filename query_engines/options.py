"""What can be chosen between a question and a checked answer."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from indexes.options import Preset, Price


class Options(BaseModel):
    """Frozen, closed to unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RetrievalOptions(Options):
    """Which pages an answer is drawn from."""

    mode: Literal["vector", "bm25", "hybrid", "full_report"] = Field(
        default="vector",
        description="How chunks are found: by meaning, words, or both; full_report gives every page.",
    )
    chunks: int = Field(default=30, ge=1, description="Chunks that point to pages.")
    pages: int = Field(default=10, ge=1, description="Pages that the answer may be drawn from, best first.")
    parent_pages: bool = Field(default=True, description="Whole pages as context, not the chunks alone.")
    second_try: bool = Field(
        default=True, description="Where nothing is found, search once more, with other words and for other pages."
    )


class RerankOptions(Options):
    """How the found pages are put in order."""

    kind: Literal["none", "lexical", "llm", "cross_encoder", "jina"] = Field(
        default="lexical",
        description="lexical: all pages' words, no model; llm: it judges; cross_encoder: a local model; jina: hosted.",
    )
    model: str | None = Field(
        default=None,
        description="Of cross_encoder, a folder or a hub name; of jina, its name there. None: the usual.",
    )
    api_base: str | None = Field(default=None, description="Another address of Jina's API.")
    usd_per_million: Price = None
    vector_weight: float = Field(
        default=0.3, ge=0, le=1, description="Share of the first stage in a page's score."
    )
    llm_weight: float = Field(
        default=0.7, ge=0, le=1, description="Share of the reranker, with or without a model."
    )
    pages_per_request: int = Field(default=3, ge=1, description="Pages that one request judges.")

    @field_validator("kind", mode="before")
    @classmethod
    def _none_is_a_kind(cls, value: object) -> object:
        """On the command line and in the environment "none" is read as no value, which here is a kind."""
        return "none" if value is None else value


class AnswerOptions(Options):
    """Who answers and how strictly."""

    kind: Literal["llm", "extractive"] = Field(default="extractive", description="extractive: no language model.")
    strictness: Literal["strict", "analyst"] = Field(
        default="strict", description="strict: nothing calculated, no other currency."
    )
    prompts: Path | None = Field(
        default=None, description="Folder of prompts that replace ours; `pageproof prompts` writes them."
    )
    cache: bool = Field(
        default=True, description="Give a model's answer again while nothing that it rests on changed."
    )


class VerificationOptions(Options):
    """What happens to an answer whose check fails."""

    on_failure: Literal["show", "withhold"] = Field(
        default="show", description="show: marked unverified; withhold: N/A with the reason."
    )
    second_look: bool = Field(
        default=True, description="A model whose draft fails a check is told what was found and asked once more."
    )


class LlmLimits(Options):
    """What every model has in common. The limits count embeddings from a server, too."""

    temperature: float = Field(default=0.0, ge=0, le=2, description="Left out for models that refuse it.")
    stream: bool = Field(default=True, description="Show the analysis as it is written, where somebody watches.")
    max_tokens: int | None = Field(
        default=None, ge=1, description="Longest reply; None: the provider's own limit."
    )
    parallel: int = Field(default=25, ge=1, description="Requests in flight.")
    requests_per_minute: int | None = Field(
        default=None, ge=1, description="The provider's limit; None: no limit."
    )
    tokens_per_minute: int | None = Field(default=None, ge=1, description="The provider's limit; None: no limit.")
    budget_usd: float | None = Field(
        default=None, gt=0, description="Send nothing more when a client's requests have cost this much."
    )
    prompt_usd_per_million: float | None = Field(
        default=None, ge=0, description="Price of a million tokens read; None: the list price, where known."
    )
    completion_usd_per_million: float | None = Field(
        default=None, ge=0, description="Price of a million tokens written, reasoning included."
    )
    timeout_seconds: float = Field(default=120.0, gt=0, description="For each attempt; of a stream, its silence.")
    context_window: int = Field(default=128_000, ge=1_000, description="Tokens that the model reads at most.")


class OpenAILlmOptions(LlmLimits):
    """OpenAI."""

    kind: Literal["openai"] = "openai"
    model: str = "gpt-4o-mini"
    api_base: str | None = Field(default=None, description="Another address of the same API.")


class OpenAILikeLlmOptions(LlmLimits):
    """A server that speaks OpenAI's chat API. Names of models and their abilities are not checked."""

    kind: Literal["openai_like"] = "openai_like"
    preset: Preset | None = Field(default=None, description="Address and key variable of a known provider.")
    model: str = Field(default="", description="The provider's name of the model.")
    api_base: str | None = Field(default=None, description="Address, such as http://127.0.0.1:8099/v1.")
    api_version: str | None = Field(
        default=None,
        description="Azure's dated API, such as 2024-10-21; None: its v1 API. Of watsonx, its API's date.",
    )


class WatsonxLlmOptions(LlmLimits):
    """IBM watsonx. Key, address and project come from WATSONX_APIKEY, WATSONX_URL and WATSONX_PROJECT_ID."""

    kind: Literal["watsonx"] = "watsonx"
    model: str = "meta-llama/llama-3-3-70b-instruct"
    api_base: str | None = Field(default=None, description="Another address than WATSONX_URL.")
    api_version: str = Field(default="2024-10-08", description="Date of the API, as YYYY-MM-DD.")


LlmOptions = Annotated[OpenAILlmOptions | OpenAILikeLlmOptions | WatsonxLlmOptions, Field(discriminator="kind")]

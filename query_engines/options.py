"""Options of retrieval, reranking, answering, verification and language models."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
)

from indexes.options import OWN, OWN_KIND, Preset, Price, kind_of
from storage.components import ComponentOptions, as_object, known_kind
from storage.records.answers import Strictness
from storage.records.questions import AnswerKind

SEARCHES = ("vector", "bm25", "hybrid", "full_report")
RERANKERS = ("none", "lexical", "llm", "cross_encoder", "jina")
LLMS = ("openai", "openai_like", "llamacpp", "watsonx")
_ProgramName = Annotated[str, AfterValidator(known_kind("programs"))]
_CheckName = Annotated[str, AfterValidator(known_kind("checks"))]


class Options(BaseModel):
    """Base of all options: frozen, and closed to unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __hash__(self) -> int:
        """Equal options have equal hashes, also with the options of a class of one's own, which are a dict."""
        return hash(self.model_dump_json())


class RetrievalOptions(Options):
    """Which pages an answer is drawn from."""

    mode: Annotated[
        Literal["vector", "bm25", "hybrid", "full_report"] | str,
        AfterValidator(known_kind("retrievers", *SEARCHES)),
    ] = Field(
        default="vector",
        description="How chunks are found. vector: by meaning. bm25: by words. hybrid: by both. full_report: "
        "every page is taken. Or a class of your own, one of LlamaIndex's retrievers.",
    )
    options: ComponentOptions = Field(default={}, description=OWN)
    chunks: int = Field(default=30, ge=1, description="Chunks that are found first. They point to pages.")
    pages: int = Field(default=10, ge=1, description="Pages that the answer may come from, best first.")
    parent_pages: bool = Field(default=True, description="Read the whole pages, not the found chunks alone.")
    second_try: bool = Field(
        default=True, description="If nothing is found, search once more, with other words and for other pages."
    )


class RerankOptions(Options):
    """How the found pages are put in order."""

    kind: Annotated[
        Literal["none", "lexical", "llm", "cross_encoder", "jina"] | str,
        AfterValidator(known_kind("rerankers", *RERANKERS)),
    ] = Field(
        default="lexical",
        description="Who puts pages in order. none. lexical: rules on the words of all pages, no model. llm: the "
        "language model. cross_encoder: a model on this machine. jina: Jina's hosted model. Or a class of your own, "
        "one of LlamaIndex's node postprocessors.",
    )
    options: ComponentOptions = Field(default={}, description=OWN)
    model: str | None = Field(
        default=None,
        description="For cross_encoder: a folder or a name on the hub. For jina: the model's name. None: the "
        "usual model.",
    )
    api_base: str | None = Field(default=None, description="Another address with Jina's API. None: Jina's own.")
    usd_per_million: Price = None
    vector_weight: float = Field(
        default=0.3, ge=0, le=1, description="Weight of the first search in a page's score."
    )
    llm_weight: float = Field(
        default=0.7, ge=0, le=1, description="Weight of the reranker in a page's score, also without a model."
    )
    pages_per_request: int = Field(
        default=3, ge=1, description="Pages that the language model judges in one request."
    )

    @field_validator("kind", mode="before")
    @classmethod
    def _none_is_a_kind(cls, value: object) -> object:
        """Read an empty value as "none": the command line and the environment turn the word into no value."""
        return "none" if value is None else value


_SMALL_WINDOW = 12_000  # tokens


class UnderstandingOptions(Options):
    """Who reads the question."""

    kind: Literal["auto", "reader", "llm"] = Field(
        default="auto",
        description="Who reads the question where a language model answers. reader: the small reader that comes with "
        "Pageproof. llm: the language model, in one short request. auto: the model where the small reader is in doubt.",
    )


class AnswerOptions(Options):
    """Who answers and how strictly."""

    kind: Literal["llm", "extractive"] = Field(
        default="extractive",
        description="Who answers. extractive: rules, no language model. llm: the language model.",
    )
    programs: Annotated[dict[AnswerKind, _ProgramName], BeforeValidator(as_object)] = Field(
        default={},
        description="Classes of your own that draft the answers of a kind, such as text = 'package.module:Class'.",
    )
    strictness: Strictness = Field(
        default="analyst",
        description='What may be the answer. strict: what is printed as asked, also with "about", as the challenge '
        'wants it. practical: also a rough figure ("over 1,300") and, marked, one that covers a little more. analyst: '
        "also what is calculated, with its formula. The nearest figure that may not be the answer is shown beside the "
        "N/A.",
    )
    prompts: Path | None = Field(
        default=None, description="Folder with prompts that replace ours. `pageproof prompts` writes them."
    )
    prompt: Literal["auto", "long", "brief"] = Field(
        default="auto",
        description="How much a model is told at once. long: all rules and examples, whole pages. brief: the rules "
        "that matter most, and of each page the lines near what is asked; for small models. auto: brief if "
        f"llm.context_window is below {_SMALL_WINDOW:,}.",
    )
    cache: bool = Field(
        default=True, description="Give a model's stored answer again while nothing has changed that it rests on."
    )

    def is_brief(self, context_window: int) -> bool:
        """Whether a model with this window, in tokens, is told little at once."""
        return self.prompt == "brief" or (self.prompt == "auto" and context_window < _SMALL_WINDOW)


class VerificationOptions(Options):
    """What happens to an answer whose check fails."""

    on_failure: Literal["show", "withhold"] = Field(
        default="show",
        description="What happens to an answer that fails a check. show: it is marked as not verified. withhold: "
        "it becomes N/A with the reason.",
    )
    checks: tuple[_CheckName, ...] = Field(
        default=(), description="Further checks: classes of your own, as 'package.module:Class'."
    )
    second_look: bool = Field(
        default=True,
        description="If a model's draft fails a check, tell the model what was found and ask once more.",
    )

    @field_validator("checks", mode="before")
    @classmethod
    def _in_one_text(cls, value: object) -> object:
        """Accept several in one text, separated by commas, from command line and environment."""
        return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


class LlmLimits(Options):
    """What every model has in common. The limits count embeddings from a server, too."""

    temperature: float = Field(
        default=0.0, ge=0, le=2, description="Temperature of the model. Not sent to models that refuse it."
    )
    stream: bool = Field(default=True, description="Show the analysis while it is written, if somebody watches.")
    max_tokens: int | None = Field(
        default=None, ge=1, description="Longest reply in tokens. None: as long as its form needs."
    )
    parallel: int = Field(default=25, ge=1, description="Requests that may be on their way at the same time.")
    requests_per_minute: int | None = Field(
        default=None, ge=1, description="Requests in any sixty seconds. None: no limit."
    )
    tokens_per_minute: int | None = Field(
        default=None, ge=1, description="Tokens in any sixty seconds. None: no limit."
    )
    budget_usd: float | None = Field(
        default=None,
        gt=0,
        description="Send no more requests when those of a client have cost this much, in US dollars.",
    )
    prompt_usd_per_million: float | None = Field(
        default=None,
        ge=0,
        description="Price of a million tokens that the model reads. None: the list price, if it is known.",
    )
    completion_usd_per_million: float | None = Field(
        default=None, ge=0, description="Price of a million tokens that the model writes, reasoning included."
    )
    timeout_seconds: float = Field(
        default=120.0, gt=0, description="Time limit of one attempt. For a streamed reply: the longest silence."
    )


class _HostedLlmOptions(LlmLimits):
    """A model on a server, which does not say how much it reads."""

    context_window: int = Field(
        default=128_000, ge=1_000, description="Most tokens that the model can read in one request."
    )


class OpenAILlmOptions(_HostedLlmOptions):
    """OpenAI."""

    kind: Literal["openai"] = "openai"
    model: str = Field(default="gpt-4o-mini", description="Name of the model at OpenAI.")
    api_base: str | None = Field(
        default=None, description="Another address of the same API. None: the provider's own."
    )


class OpenAILikeLlmOptions(_HostedLlmOptions):
    """A server that speaks OpenAI's chat API. Names of models and their abilities are not checked."""

    kind: Literal["openai_like"] = "openai_like"
    preset: Preset | None = Field(
        default=None, description="A known provider: sets its address and the name of its key's variable."
    )
    model: str = Field(default="", description="Name of the model at the provider.")
    api_base: str | None = Field(
        default=None, description="Address of the server, such as http://127.0.0.1:8099/v1."
    )
    api_version: str | None = Field(
        default=None,
        description="For Azure: the date of its API, such as 2024-10-21. None: its v1 API.",
    )


class LlamaCppLlmOptions(LlmLimits):
    """A model on this machine, run by llama.cpp beside Pageproof. `pageproof model` gets and chooses it."""

    kind: Literal["llamacpp"] = "llamacpp"
    model: str = Field(
        default="", description="Name of a model that is here, or a GGUF file. Empty: the one that was chosen."
    )
    threads: int | None = Field(
        default=None, ge=1, description="Threads that compute. None: a number that fits this machine."
    )
    context_window: int | None = Field(
        default=None,
        ge=1_000,
        description="Most tokens of one request, its reply included. None: as many as fit the memory, up to 16,384.",
    )
    parallel: int = Field(default=1, ge=1, description="Requests that it works on at the same time.")
    timeout_seconds: float = Field(
        default=1800.0, gt=0, description="Longest silence of the model, which reads a prompt before it writes."
    )
    max_tokens: int | None = Field(
        default=2_048, ge=1, description="Longest reply in tokens. None: as long as its form needs."
    )


class WatsonxLlmOptions(_HostedLlmOptions):
    """IBM watsonx. Key, address and project come from WATSONX_APIKEY, WATSONX_URL and WATSONX_PROJECT_ID."""

    kind: Literal["watsonx"] = "watsonx"
    model: str = Field(default="meta-llama/llama-3-3-70b-instruct", description="Name of the model on watsonx.")
    api_base: str | None = Field(default=None, description="Another address than the one in WATSONX_URL.")
    api_version: str = Field(default="2024-10-08", description="Date of watsonx's API, YYYY-MM-DD.")


class OwnLlmOptions(LlmLimits):
    """A class of your own, any of LlamaIndex's LLMs."""

    kind: Annotated[str, AfterValidator(known_kind("llms", *LLMS))] = Field(description="The class.")
    options: ComponentOptions = Field(default={}, description=OWN)
    model: str = Field(default="", description="Its name in answers and logs. None: what it calls itself.")
    context_window: int | None = Field(
        default=None,
        ge=1_000,
        description="Most tokens that the model can read in one request. None: what the class says of itself.",
    )


LlmOptions = Annotated[
    Annotated[OpenAILlmOptions, Tag("openai")]
    | Annotated[OpenAILikeLlmOptions, Tag("openai_like")]
    | Annotated[LlamaCppLlmOptions, Tag("llamacpp")]
    | Annotated[WatsonxLlmOptions, Tag("watsonx")]
    | Annotated[OwnLlmOptions, Tag(OWN_KIND)],
    Discriminator(kind_of(*LLMS)),
]


def model_name(options: LlmOptions) -> str:
    """What a model is called in answers and on the screen; one that is named by its file, by the file's name."""
    if isinstance(options, LlamaCppLlmOptions):
        return Path(options.model).name.removesuffix(".gguf")
    return options.model

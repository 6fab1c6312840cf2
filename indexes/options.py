"""What can be chosen between a PDF and a searchable company."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from storage.stores.generations import WantedIndex


class Options(BaseModel):
    """Frozen, closed to unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReaderOptions(Options):
    """How a PDF becomes page records."""

    kind: Literal["docling", "mineru"] = Field(default="docling", description="Which parser reads the PDF.")
    layout: Literal["geometric", "neural"] = Field(
        default="geometric",
        description="geometric: word positions, no weights, no network; neural: Docling's own models.",
    )
    ocr: Literal["auto", "off", "always"] = Field(
        default="auto",
        description="auto: pages without a text layer or with a nonsense one, and text in large pictures.",
    )
    device: str = Field(
        default="auto",
        pattern=r"^(auto|cpu|mps|xpu|cuda(:\d+)?)$",
        description="Where neural models run: auto, cpu, cuda, cuda:1, mps, xpu.",
    )
    batch_size: int = Field(default=4, ge=1, description="Pages per forward pass of the neural layout.")
    weights: Path | None = Field(
        default=None, description="Folder of Docling's weights for the neural layout; unset: where Docling looks."
    )
    parser_threads: int = Field(default=1, ge=1, description="Native parser and OCR threads per process.")
    seconds_per_document: float = Field(
        default=3600.0,
        gt=0,
        description="A document that takes longer fails. A page read by OCR takes about 8 s of one core.",
    )
    mineru_folder: Path | None = Field(
        default=None, description="Of kind mineru: a folder of its output, each report's named as its PDF."
    )
    mineru_api_base: str | None = Field(
        default=None,
        pattern=r"^https?://[^/]",
        description="Of kind mineru: a mineru-api, or https://mineru.net/api/v4, to which reports are then sent.",
    )
    mineru_backend: str | None = Field(
        default=None, description="Of a mineru-api its backend, of mineru.net its model version; None: the usual."
    )
    mineru_language: str = Field(default="en", description="Language of scanned pages, by MinerU's name for it.")

    @model_validator(mode="after")
    def _mineru_is_somewhere(self) -> Self:
        """Reports go nowhere that nobody named, so there is no address by default."""
        if self.kind == "mineru" and (self.mineru_folder is None) == (self.mineru_api_base is None):
            raise ValueError(
                "reader.kind=mineru needs reader.mineru_folder or reader.mineru_api_base, one of them"
            )
        return self


class ChunkingOptions(Options):
    """How pages are sliced."""

    tokens: int = Field(
        default=300, ge=50, description="Largest chunk, header included, in the embedder's tokens."
    )
    overlap: int = Field(default=50, ge=0, description="Tokens that neighbouring text chunks share.")
    header_tokens: int = Field(default=50, ge=0, description="Largest header in front of a chunk.")


Preset = Literal["qwen", "gemini", "azure", "vllm", "llama_cpp", "ollama"]
Price = Annotated[
    float | None, Field(ge=0, description="Price of a million tokens; None: the list price, where known.")
]
Precision = Literal["float32", "bfloat16"]
ChunkPrecision = Annotated[
    Precision, Field(description="Of reports' chunks; bfloat16 is twice as fast where the processor has it.")
]


class MiniLmOptions(Options):
    """all-MiniLM-L6-v2 from the installed package: 384 dimensions, at most 256 word pieces, no network."""

    kind: Literal["minilm"] = "minilm"
    batch: int = Field(default=32, ge=1, description="Texts per forward pass.")
    precision: ChunkPrecision = "float32"


class OpenAIEmbeddingOptions(Options):
    """OpenAI's embeddings."""

    kind: Literal["openai"] = "openai"
    model: str = "text-embedding-3-large"
    api_base: str | None = Field(default=None, description="Another address of the same API.")
    batch: int = Field(default=128, ge=1, le=2048, description="Texts per request.")
    usd_per_million: Price = None


class OpenAILikeEmbeddingOptions(Options):
    """Embeddings from a server that speaks OpenAI's API."""

    kind: Literal["openai_like"] = "openai_like"
    preset: Preset | None = Field(default=None, description="Address and key variable of a known provider.")
    model: str
    api_base: str | None = Field(default=None, description="Address, such as http://127.0.0.1:8099/v1.")
    api_version: str | None = Field(
        default=None, description="Azure's dated API, such as 2024-10-21; None: its v1 API."
    )
    batch: int = Field(
        default=32, ge=1, le=2048, description="Texts per request; at DashScope never more than 10."
    )
    usd_per_million: Price = None


class HuggingFaceEmbeddingOptions(Options):
    """Any sentence-transformers model, by hub name or folder."""

    kind: Literal["huggingface"] = "huggingface"
    model: str
    batch: int = Field(default=32, ge=1, description="Texts per forward pass.")
    precision: ChunkPrecision = "float32"


EmbeddingOptions = Annotated[
    MiniLmOptions | OpenAIEmbeddingOptions | OpenAILikeEmbeddingOptions | HuggingFaceEmbeddingOptions,
    Field(discriminator="kind"),
]


class VectorStoreOptions(Options):
    """Where vectors are searched."""

    kind: Literal["faiss", "qdrant"] = Field(
        default="faiss", description="faiss: in the library's folder; qdrant: a server, or a folder of its own."
    )
    index: WantedIndex = Field(
        default="auto",
        description="flat: exact; hnsw: a graph; ivf: cells. auto: flat below 50,000 chunks of a company, else hnsw. "
        "Qdrant's search is exact.",
    )
    url: str | None = Field(
        default=None,
        pattern=r"^https?://[^@]+$",  # credentials stay in the environment
        description="Of a Qdrant server; its key is `QDRANT_API_KEY`. None: a folder, for one process at a time.",
    )

    @model_validator(mode="after")
    def _each_kind_has_its_own(self) -> "VectorStoreOptions":
        if self.kind == "faiss" and self.url:
            raise ValueError("only Qdrant has an address; set vector_store.kind=qdrant")
        if self.kind == "qdrant" and self.index in ("hnsw", "ivf"):
            raise ValueError(f"{self.index} is FAISS's; Qdrant's search is exact, so set auto or flat")
        return self


class IngestOptions(Options):
    """Where reports are read."""

    executor: Literal["local", "ray"] = Field(
        default="local", description="local: processes of this machine; ray: those of a Ray cluster."
    )
    ray_address: str | None = Field(
        default=None, description="Of a running cluster, such as auto or 10.0.0.1:6379; None: one on this machine."
    )


class TableOptions(Options):
    """What is done with tables at ingestion."""

    serialize: bool = Field(
        default=False,
        description="A model writes each table out as sentences when it is ingested, to be found by.",
    )
    model: str | None = Field(
        default=None, description="Which model writes them, at llm's address; None: llm.model."
    )


def model_id(options: EmbeddingOptions) -> str:
    """The name of a model without loading it."""
    name = "minilm:all-MiniLM-L6-v2" if isinstance(options, MiniLmOptions) else f"{options.kind}:{options.model}"
    if isinstance(options, MiniLmOptions | HuggingFaceEmbeddingOptions) and options.precision != "float32":
        return f"{name}:{options.precision}"
    return name

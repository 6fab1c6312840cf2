"""Options of reading, chunking, embedding and indexing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from storage.components import ComponentOptions, known_kind
from storage.stores.generations import WantedIndex


class Options(BaseModel):
    """Base of all options: frozen, and closed to unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __hash__(self) -> int:
        """Equal options have equal hashes, also with the options of a class of one's own, which are a dict."""
        return hash(self.model_dump_json())


READERS = ("docling", "mineru")
CHUNKERS = ("pages",)
VECTOR_STORES = ("faiss", "qdrant")
EMBEDDINGS = ("minilm", "openai", "openai_like", "huggingface")
OWN = "For a class of your own: what it is made with."


class ReaderOptions(Options):
    """How a PDF becomes page records."""

    kind: Annotated[Literal["docling", "mineru"] | str, AfterValidator(known_kind("readers", *READERS))] = Field(
        default="docling", description="Which parser reads the PDFs: docling, mineru, or a class of your own."
    )
    options: ComponentOptions = Field(default={}, description=OWN)
    layout: Literal["geometric", "neural"] = Field(
        default="geometric",
        description="geometric: our rules on word positions, without model files or network. neural: Docling's "
        "own models.",
    )
    ocr: Literal["auto", "pictures", "off", "always"] = Field(
        default="auto",
        description="auto: pages without text, pages whose stored text is nonsense, and, when all reports are "
        "published, large pictures that look like text or a table. pictures: the words in maps and charts too, at "
        "once.",
    )
    hidden_text: Literal["apart", "read"] = Field(
        default="apart",
        description="Text that cannot be seen on the page: in the colour of the paper, of one point, outside the page, "
        "behind a picture. apart: nothing reads it. read: like other text.",
    )
    device: str = Field(
        default="auto",
        pattern=r"^(auto|cpu|mps|xpu|cuda(:\d+)?)$",
        description="Where neural models run, such as cpu, cuda, cuda:1, mps or xpu.",
    )
    batch_size: int = Field(default=4, ge=1, description="Pages that the neural layout reads at once.")
    weights: Path | None = Field(
        default=None,
        description="Folder with Docling's models for the neural layout. None: where Docling itself looks.",
    )
    parser_threads: int = Field(default=1, ge=1, description="Threads of the parser and of OCR in each process.")
    seconds_per_document: float = Field(
        default=3600.0,
        gt=0,
        description="A document that takes longer fails. OCR of one page takes about 8 seconds of one core.",
    )
    mineru_folder: Path | None = Field(
        default=None,
        description="For kind mineru: a folder with MinerU's output. Each output is named as its PDF.",
    )
    mineru_api_base: str | None = Field(
        default=None,
        pattern=r"^https?://[^/]",
        description="For kind mineru: the address of a mineru-api, or https://mineru.net/api/v4. Reports are then "
        "sent there.",
    )
    mineru_backend: str | None = Field(
        default=None,
        description="The backend of a mineru-api, or the model version at mineru.net. None: its default.",
    )
    mineru_language: str = Field(default="en", description="Language of scanned pages, as MinerU calls it.")

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

    kind: Annotated[Literal["pages"] | str, AfterValidator(known_kind("chunkers", *CHUNKERS))] = Field(
        default="pages",
        description="Who slices pages. pages: text at sentences, tables at rows. Or a class of your own, one of "
        "LlamaIndex's node parsers.",
    )
    options: ComponentOptions = Field(default={}, description=OWN)
    tokens: int = Field(
        default=300, ge=50, description="Largest chunk with its header, in tokens of the embedding model."
    )
    overlap: int = Field(default=50, ge=0, description="Tokens that two neighbouring text chunks share.")
    header_tokens: int = Field(default=50, ge=0, description="Largest header of a chunk, in tokens.")


Preset = Literal["qwen", "gemini", "azure", "vllm", "llama_cpp", "ollama"]
Price = Annotated[
    float | None, Field(ge=0, description="Price of a million tokens. None: the list price, if it is known.")
]
Precision = Literal["float32", "bfloat16"]
_WHICH = "Precision for the chunks of reports. bfloat16 is twice as fast if the processor supports it."
ChunkPrecision = Annotated[Precision, Field(description=_WHICH)]


class MiniLmOptions(Options):
    """all-MiniLM-L6-v2 from the installed package: 384 dimensions, at most 256 word pieces, no network."""

    kind: Literal["minilm"] = "minilm"
    batch: int = Field(default=8, ge=1, description="Texts that the model embeds at once.")
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto", description=f"{_WHICH} auto: bfloat16 if it does, else float32."
    )


class OpenAIEmbeddingOptions(Options):
    """OpenAI's embeddings."""

    kind: Literal["openai"] = "openai"
    model: str = Field(default="text-embedding-3-large", description="Name of the model at OpenAI.")
    api_base: str | None = Field(
        default=None, description="Another address of the same API. None: the provider's own."
    )
    batch: int = Field(default=128, ge=1, le=2048, description="Texts in one request.")
    usd_per_million: Price = None


class OpenAILikeEmbeddingOptions(Options):
    """Embeddings from a server that speaks OpenAI's API."""

    kind: Literal["openai_like"] = "openai_like"
    preset: Preset | None = Field(
        default=None, description="A known provider: sets its address and the name of its key's variable."
    )
    model: str = Field(description="Name of the model at the provider.")
    api_base: str | None = Field(
        default=None, description="Address of the server, such as http://127.0.0.1:8099/v1."
    )
    api_version: str | None = Field(
        default=None, description="For Azure: the date of its API, such as 2024-10-21. None: its v1 API."
    )
    batch: int = Field(
        default=32, ge=1, le=2048, description="Texts in one request. DashScope never gets more than 10."
    )
    usd_per_million: Price = None


class HuggingFaceEmbeddingOptions(Options):
    """Any sentence-transformers model, by hub name or folder."""

    kind: Literal["huggingface"] = "huggingface"
    model: str = Field(description="Name of the model on the hub, or its folder.")
    batch: int = Field(default=32, ge=1, description="Texts that the model embeds at once.")
    precision: ChunkPrecision = "float32"


class OwnEmbeddingOptions(Options):
    """A class of your own, one of LlamaIndex's embeddings."""

    kind: Annotated[str, AfterValidator(known_kind("embeddings", *EMBEDDINGS))] = Field(description="The class.")
    options: ComponentOptions = Field(default={}, description=OWN)
    model: str = Field(default="", description="Names its vectors. Indexes of another name are made anew.")
    max_tokens: int = Field(default=512, ge=16, description="The longest text that it reads, in tokens.")


OWN_KIND = "own"


def kind_of(*known: str) -> Callable[[Any], str]:
    """Tells a union's classes apart: by these words, and every other kind is a class of one's own."""

    def kind(value: Any) -> str:
        given = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
        return str(given) if given in known else OWN_KIND

    return kind


EmbeddingOptions = Annotated[
    Annotated[MiniLmOptions, Tag("minilm")]
    | Annotated[OpenAIEmbeddingOptions, Tag("openai")]
    | Annotated[OpenAILikeEmbeddingOptions, Tag("openai_like")]
    | Annotated[HuggingFaceEmbeddingOptions, Tag("huggingface")]
    | Annotated[OwnEmbeddingOptions, Tag(OWN_KIND)],
    Discriminator(kind_of(*EMBEDDINGS)),
]


class VectorStoreOptions(Options):
    """Where vectors are searched."""

    kind: Annotated[
        Literal["faiss", "qdrant"] | str, AfterValidator(known_kind("vector_stores", *VECTOR_STORES))
    ] = Field(
        default="faiss",
        description="faiss: files in the library's folder. qdrant: a Qdrant server, or a folder of Qdrant's own. Or a "
        "class of your own, one of LlamaIndex's vector stores.",
    )
    options: ComponentOptions = Field(default={}, description=OWN)
    index: WantedIndex = Field(
        default="auto",
        description="flat is exact, hnsw is a graph, ivf is cells. auto: flat for a company with fewer than "
        "50,000 chunks, else hnsw. Qdrant always searches exactly.",
    )
    url: str | None = Field(
        default=None,
        pattern=r"^https?://[^@]+$",  # credentials stay in the environment
        description="Address of the Qdrant server. Its key comes from `QDRANT_API_KEY`. None: a folder that one "
        "process can use at a time.",
    )

    @model_validator(mode="after")
    def _each_kind_has_its_own(self) -> "VectorStoreOptions":
        if self.kind != "qdrant" and self.url:
            raise ValueError("only Qdrant has an address; set vector_store.kind=qdrant")
        if self.kind == "qdrant" and self.index in ("hnsw", "ivf"):
            raise ValueError(f"{self.index} is FAISS's; Qdrant's search is exact, so set auto or flat")
        return self


class IngestOptions(Options):
    """Where reports are read."""

    executor: Literal["local", "ray"] = Field(
        default="local",
        description="Where reports are read. local: processes of this machine. ray: processes of a Ray cluster.",
    )
    ray_address: str | None = Field(
        default=None,
        description="Address of a running Ray cluster, such as auto or 10.0.0.1:6379. None: a new one on this "
        "machine.",
    )


class TableOptions(Options):
    """What is done with tables at ingestion."""

    serialize: bool = Field(
        default=False,
        description="A language model writes each table out as sentences at ingestion. The sentences help to find "
        "pages.",
    )
    model: str | None = Field(
        default=None, description="The model that writes them, at the address of llm. None: llm.model."
    )


def model_id(options: EmbeddingOptions) -> str:
    """The name of a model without loading it. Under MiniLM's plain name are vectors of either precision."""
    if isinstance(options, MiniLmOptions):
        name = "minilm:all-MiniLM-L6-v2"
        return name if options.precision == "auto" else f"{name}:{options.precision}"
    name = f"{options.kind}:{options.model}"
    if isinstance(options, OwnEmbeddingOptions):
        return f"{name}:{json.dumps(options.options, sort_keys=True, default=str)}"
    if isinstance(options, HuggingFaceEmbeddingOptions) and options.precision != "float32":
        return f"{name}:{options.precision}"
    return name

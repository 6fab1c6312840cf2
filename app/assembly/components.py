"""Components of the user's own: given to a program as objects, or named in the settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.node_parser import NodeParser
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.types import BasePydanticProgram
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from app.settings import Settings
from indexes.options import CHUNKERS, READERS, ChunkingOptions, OwnEmbeddingOptions, ReaderOptions
from indexes.reading.pool import MakeReader, PageReader, own_reader
from indexes.search.company_index import only_of
from indexes.search.embeddings import Embedder, own_embedder
from query_engines.options import RERANKERS, SEARCHES, OwnLlmOptions
from query_engines.rerank.own import OwnRerankPostprocessor
from query_engines.verification.own_checks import OwnCheck
from storage.components import make_component, taken_by
from storage.errors import UsageError
from storage.files import digest
from storage.records.questions import AnswerKind

if TYPE_CHECKING:
    from query_engines.retrieval.index_cache import ReportSearch
    from query_engines.retrieval.page_nodes import ReadPages
    from query_engines.retrieval.retrievers import MakeRetriever


class Components(TypedDict, total=False):
    """Objects in the place of what the settings name.

    Attributes:
        llm: any LlamaIndex LLM; it answers.
        chunker: a LlamaIndex node parser. It cuts one page at a time, given as Markdown.
        vector_store: a class, or a function of a module, that makes a LlamaIndex vector store; see
            `indexes.search.own_store.OwnStores` for its arguments.
        retriever: a class or function that makes a LlamaIndex retriever of chunks. It is called with what it takes of
            `index` (VectorStoreIndex), `filters` (of one report), `nodes` (the report's), `similarity_top_k` and
            `report`.
        embedding: any LlamaIndex embedding. Its `model_name` names the vectors, so give each model its own.
        rerankers: LlamaIndex node postprocessors, one after the other. Each node is a whole page.
        reader: has `read_pages(path, sha1, on_page)`. It is sent to reading processes, so it must be picklable.
        programs: LlamaIndex programs that draft the answers of a kind.
        checks: see `query_engines.verification.own_checks.OwnCheck`.
        keys: of providers, by the names of their environment variables; they count before the environment's.
    """

    llm: LLM
    chunker: NodeParser
    embedding: BaseEmbedding
    vector_store: Callable[..., BasePydanticVectorStore]
    retriever: Callable[..., BaseRetriever]
    rerankers: Sequence[BaseNodePostprocessor]
    reader: PageReader
    programs: Mapping[AnswerKind, BasePydanticProgram[Any]]
    checks: Sequence[OwnCheck]
    keys: Mapping[str, str]


_WANTED: dict[str, Any] = {
    "llm": LLM,
    "embedding": BaseEmbedding,
    "reader": PageReader,
    "chunker": NodeParser,
    "vector_store": Callable,
    "retriever": Callable,
}
_WANTED_EACH: dict[str, Any] = {"rerankers": BaseNodePostprocessor, "checks": OwnCheck}


@dataclass(frozen=True)
class OwnComponents:
    """The components of one client that are not Pageproof's."""

    given: Components = field(default_factory=Components)

    def __post_init__(self) -> None:
        """Refuse what is none.

        Raises:
            UsageError: an object is not what its name says.
        """
        for name, value in self.given.items():
            wanted = _WANTED.get(name) or _WANTED_EACH.get(name)
            if name not in Components.__annotations__:
                known = ", ".join(Components.__annotations__)
                raise UsageError(f"open_pageproof has no argument {name!r}; components are {known}")
            values: Any = value if name in _WANTED_EACH else (value,)
            for one in values:
                if wanted is not None and not isinstance(one, wanted):
                    raise UsageError(f"{name}= got a {type(one).__name__}, expected a {wanted.__name__}")

    def settings(self, settings: Settings) -> Settings:
        """The settings as they are with these objects: names of classes stand for them, so that indexes tell them."""
        changed: dict[str, Any] = {}
        if (embedding := self.given.get("embedding")) is not None:
            named = OwnEmbeddingOptions(kind=_path(embedding), model=embedding.model_name)
            changed["embedding"] = named
        if (llm := self.given.get("llm")) is not None:
            limits = settings.llm.model_dump(
                include=set(OwnLlmOptions.model_fields) - {"kind", "options", "model"}
            )
            limits |= {"context_window": llm.metadata.context_window}
            changed["llm"] = OwnLlmOptions(kind=_path(llm), model=llm.metadata.model_name, **limits)
            changed["answers"] = settings.answers.model_copy(update={"kind": "llm"})
        if (reader := self.given.get("reader")) is not None:
            changed["reader"] = settings.reader.model_copy(update={"kind": _path(reader)})
        if rerankers := self.given.get("rerankers"):
            changed["rerank"] = settings.rerank.model_copy(update={"kind": _path(rerankers[0])})
        if (chunker := self.given.get("chunker")) is not None:
            made = {"kind": _path(chunker), "options": {"as given": digest([chunker.to_json()])}}
            changed["chunking"] = settings.chunking.model_copy(update=made)
        if (stores := self.given.get("vector_store")) is not None:
            changed["vector_store"] = settings.vector_store.model_copy(update={"kind": _named(stores)})
        if (retriever := self.given.get("retriever")) is not None:
            changed["retrieval"] = settings.retrieval.model_copy(update={"mode": _named(retriever)})
        return settings.model_copy(update=changed) if changed else settings

    def embedder(self, settings: Settings, load: Callable[[], Embedder]) -> Embedder:
        """The embedding model: the given one, else what `load` makes by the settings."""
        given = self.given.get("embedding")
        if given is None or not isinstance(settings.embedding, OwnEmbeddingOptions):
            return load()
        return own_embedder(given, settings.embedding)

    def chunker(self, options: ChunkingOptions) -> NodeParser | None:
        """What cuts pages; None where the settings choose ours."""
        given = self.given.get("chunker")
        if given is not None or options.kind in CHUNKERS:
            return given
        return make_component("chunkers", options.kind, options.options, "chunking.kind", NodeParser)  # type: ignore[type-abstract]  # only looked at

    def retriever_maker(self, settings: Settings) -> "MakeRetriever | None":
        """What makes the retriever of a report's chunks; None where the settings name one of ours."""
        given, options = self.given.get("retriever"), settings.retrieval
        if given is None and options.mode in SEARCHES:
            return None

        def make(search: "ReportSearch") -> BaseRetriever:
            known = {
                "index": search.index.index if search.index else None,
                "nodes": search.index.nodes(search.report.sha1) if search.index else [],
                "filters": only_of(search.report.sha1),
                "similarity_top_k": options.chunks,
                "report": search.report,
            }
            if given is not None:
                return given(**taken_by(given, known))
            return make_component(
                "retrievers",
                options.mode,
                options.options,
                "retrieval.mode",
                BaseRetriever,  # type: ignore[type-abstract]  # only looked at
                **known,
            )

        return make

    def reader_maker(self, options: ReaderOptions) -> MakeReader | None:
        """What makes the reader in each reading process; None where it is one of Pageproof's."""
        given = self.given.get("reader")
        if given is not None:
            return partial(_given_reader, given)
        return own_reader if options.kind not in READERS else None

    def rerankers(self, settings: Settings, read_pages: "ReadPages") -> list[BaseNodePostprocessor] | None:
        """The rerankers; None where the settings name one of Pageproof's."""
        given = self.given.get("rerankers")
        kind, options = settings.rerank.kind, settings.rerank.options
        if given is None and kind in RERANKERS:
            return None
        if given is None:
            made = make_component("rerankers", kind, options, "rerank.kind", BaseNodePostprocessor)  # type: ignore[type-abstract]  # only looked at
            given = [made]
        return [OwnRerankPostprocessor(inner=inner, read_pages=read_pages) for inner in given]

    def program(self, settings: Settings, kind: AnswerKind, llm: LLM | None) -> BasePydanticProgram[Any] | None:
        """The program that drafts a kind's answers; None where it is one of Pageproof's."""
        given = self.given.get("programs", {}).get(kind)
        path = settings.answers.programs.get(kind)
        if given is not None or path is None:
            return given
        where = f"answers.programs.{kind}"
        return make_component("programs", path, {}, where, BasePydanticProgram, answer_kind=kind, llm=llm)  # type: ignore[type-abstract]  # only looked at

    def checks(self, settings: Settings) -> tuple[OwnCheck, ...]:
        """Further checks of every answer."""
        named = settings.verification.checks
        made = tuple(make_component("checks", path, {}, "verification.checks", OwnCheck) for path in named)  # type: ignore[type-abstract]  # a protocol
        return (*self.given.get("checks", ()), *made)


def _path(component: object) -> str:
    return _named(type(component))


def _named(made: Any) -> str:
    """The path of a class or function."""
    name = getattr(made, "__qualname__", type(made).__qualname__)
    return f"{made.__module__}:{name}".replace("<locals>.", "").replace("<lambda>", "lambda_")


def _given_reader(reader: PageReader, options: ReaderOptions) -> PageReader:
    del options  # it was made with its own
    return reader

"""Components of the user's own: given to a program as objects, or named in the settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, get_args

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.node_parser import NodeParser
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.types import BasePydanticProgram
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from app.settings import Settings
from indexes.options import CHUNKERS, READERS, ChunkingOptions, OwnEmbeddingOptions, ReaderOptions
from indexes.reading.own_reader import DocumentReader, guarded, own_reader
from indexes.reading.pool import MakeReader, PageReader
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.company_index import only_of
from indexes.search.embeddings import Embedder, own_embedder
from indexes.search.own_store import GuardedRetriever
from query_engines.answering.drafting import OwnProgram
from query_engines.options import RERANKERS, SEARCHES, OwnLlmOptions
from query_engines.rerank.base import OwnRerankPostprocessor
from query_engines.verification.own_checks import OwnCheck
from storage.components import (
    Group,
    code_of,
    lacking,
    make_component,
    of_the_user,
    source_of,
    state_of,
    taken_by,
    takes_of,
)
from storage.errors import ComponentError, UsageError, in_words
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
        reader: has `read_pages(path, sha1, on_page)`, or is a LlamaIndex reader that gives a document for each page. It
            is sent to reading processes, so it must be picklable.
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
    reader: PageReader | DocumentReader
    programs: Mapping[AnswerKind, BasePydanticProgram[Any]]
    checks: Sequence[OwnCheck]
    keys: Mapping[str, str]


EmbedModel = Callable[[], BaseEmbedding]
_WANTED: dict[str, Any] = {
    "llm": LLM,
    "embedding": BaseEmbedding,
    "reader": (PageReader, DocumentReader),
    "chunker": NodeParser,
    "vector_store": Callable,
    "retriever": Callable,
}
_WANTED_EACH: dict[str, Any] = {"rerankers": BaseNodePostprocessor, "checks": OwnCheck}
_MADE_HERE = ("vector_store", "retriever")  # classes and functions; all others are objects that were made already


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
            if name not in Components.__annotations__:
                known = ", ".join(Components.__annotations__)
                raise UsageError(f"open_pageproof has no argument {name!r}; components are {known}")
            if name in _WANTED:
                _check_kind(f"{name}=", value, _WANTED[name], is_made=name not in _MADE_HERE)
            elif name in _WANTED_EACH:
                for one in _as_list(f"{name}=", value):
                    _check_kind(f"{name}=", one, _WANTED_EACH[name])
            elif name == "programs":
                for kind, program in _as_mapping("programs=", value, get_args(AnswerKind)).items():
                    _check_kind(f"programs[{kind!r}]", program, BasePydanticProgram)
            else:
                for variable, key in _as_mapping("keys=", value).items():
                    if not isinstance(key, str):  # which is not repeated: it may be secret
                        raise UsageError(f"keys[{variable!r}] got a {type(key).__name__}, expected a text")

    def settings(self, settings: Settings) -> Settings:
        """The settings as they are with these objects: names of classes stand for them, so that indexes tell them."""
        changed: dict[str, Any] = {}
        if (embedding := self.given.get("embedding")) is not None:
            named = OwnEmbeddingOptions(kind=_path(embedding), model=embedding.model_name)
            changed["embedding"] = named
        if (llm := self.given.get("llm")) is not None:
            # What somebody set counts for the object, too; what nobody set, the object says of itself.
            limits = settings.llm.model_dump(
                include=(set(OwnLlmOptions.model_fields) & settings.llm.model_fields_set)
                - {"kind", "options", "model"}
            )
            changed["llm"] = OwnLlmOptions(kind=_path(llm), model=llm.metadata.model_name, **limits)
            changed["answers"] = settings.answers.model_copy(update={"kind": "llm"})
        if (reader := self.given.get("reader")) is not None:
            made = {"kind": _path(reader), "options": {"as given": state_of(reader)}}
            changed["reader"] = settings.reader.model_copy(update=made)
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

    def state(self, settings: Settings) -> str:
        """A digest that changes with these objects and with the code of the classes that the settings name.

        Stored answers of other objects, or of an earlier version of a class, are not given again.
        """
        named: tuple[tuple[Group, str], ...] = (
            ("llms", settings.llm.kind),
            ("rerankers", settings.rerank.kind),
            ("retrievers", settings.retrieval.mode),
            *(("programs", path) for path in settings.answers.programs.values()),
            *(("checks", path) for path in settings.verification.checks),
        )
        code = [source_of(group, kind) for group, kind in named]
        given = {name: value for name, value in self.given.items() if name != "keys"}
        objects = {name: [state_of(value), code_of(value)] for name, value in given.items()}
        return digest([objects, code]) if objects or any(code) else ""

    def wants_llm(self, settings: Settings) -> bool:
        """Whether a class that the settings name is to be given the language model, and one is named.

        Raises:
            UsageError: one of LlamaIndex's classes asks a language model, and none is named.
        """
        named: list[tuple[Group, str, str]] = [
            ("programs", path, f"answers.programs.{kind}") for kind, path in settings.answers.programs.items()
        ]
        if settings.rerank.kind not in RERANKERS and "rerankers" not in self.given:
            named.append(("rerankers", settings.rerank.kind, "rerank.kind"))
        if settings.retrieval.mode not in SEARCHES and "retriever" not in self.given:
            named.append(("retrievers", settings.retrieval.mode, "retrieval.mode"))
        asking = [(kind, where) for group, kind, where in named if _takes("llm", group, kind, where)]
        if not asking or self.given.get("llm") is not None or settings.llm.model_fields_set:
            return bool(asking)
        for kind, where in asking:
            if kind.startswith("llama_index."):  # without one it would take LlamaIndex's default, OpenAI
                raise UsageError(
                    f"{where}: {kind!r} asks a language model, and none is named; set llm.kind and llm.model, "
                    "or give llm="
                )
        return False

    def embedder(self, settings: Settings, load: Callable[[], Embedder]) -> Embedder:
        """The embedding model: the given one, else what `load` makes by the settings."""
        given = self.given.get("embedding")
        if given is None or not isinstance(settings.embedding, OwnEmbeddingOptions):
            return load()
        return own_embedder(given, settings.embedding)

    def chunker(self, options: ChunkingOptions, embedder: CachedEmbedder) -> NodeParser | None:
        """What cuts pages; None where the settings choose ours."""
        given = self.given.get("chunker")
        if given is not None or options.kind in CHUNKERS:
            return given
        where = "chunking.kind"
        known = {"embed_model": embedder.model} if _takes("embed_model", "chunkers", options.kind, where) else {}
        return make_component("chunkers", options.kind, options.options, where, NodeParser, **known)  # type: ignore[type-abstract]  # only looked at

    def store_maker(self, kind: str) -> Callable[..., BasePydanticVectorStore] | None:
        """The class or function that makes the stores of this name, where a program gave it."""
        given = self.given.get("vector_store")
        return given if given is not None and _named(given) == kind else None

    def retriever_maker(self, settings: Settings, llm: LLM | None = None) -> "MakeRetriever | None":
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
                **({"llm": llm} if llm else {}),
            }
            if given is None:
                made = make_component(
                    "retrievers",
                    options.mode,
                    options.options,
                    "retrieval.mode",
                    BaseRetriever,  # type: ignore[type-abstract]  # only looked at
                    **known,
                )
                return GuardedRetriever(made, f"the retriever {type(made).__name__}", search.report.sha1)
            what = f"the retriever {getattr(given, '__name__', type(given).__name__)}"
            with of_the_user(what):
                made = given(**taken_by(given, known))
            if not isinstance(made, BaseRetriever):
                raise ComponentError(f"{what} is a {type(made).__name__}, expected a BaseRetriever of LlamaIndex")
            return GuardedRetriever(made, what, search.report.sha1)

        return make

    def reader_maker(self, options: ReaderOptions) -> MakeReader | None:
        """What makes the reader in each reading process; None where it is one of Pageproof's."""
        given = self.given.get("reader")
        if given is not None:
            return partial(_given_reader, given)
        return own_reader if options.kind not in READERS else None

    def rerankers(
        self,
        settings: Settings,
        read_pages: "ReadPages",
        llm: LLM | None = None,
        embedder: EmbedModel | None = None,
    ) -> list[BaseNodePostprocessor] | None:
        """The rerankers; None where the settings name one of Pageproof's."""
        given = self.given.get("rerankers")
        kind, options, where = settings.rerank.kind, settings.rerank.options, "rerank.kind"
        if given is None and kind in RERANKERS:
            return None
        if given is None:
            known: dict[str, Any] = {"llm": llm} if llm else {}
            if embedder is not None and _takes("embed_model", "rerankers", kind, where):
                known["embed_model"] = embedder()
            given = [make_component("rerankers", kind, options, where, BaseNodePostprocessor, **known)]  # type: ignore[type-abstract]  # only looked at
        return [OwnRerankPostprocessor(inner=inner, read_pages=read_pages) for inner in given]

    def program(self, settings: Settings, kind: AnswerKind, llm: LLM | None) -> BasePydanticProgram[Any] | None:
        """The program that drafts a kind's answers; None where it is one of Pageproof's."""
        given = self.given.get("programs", {}).get(kind)
        path = settings.answers.programs.get(kind)
        if given is None and path is None:
            return None
        if given is None:
            where = f"answers.programs.{kind}"
            known = {"answer_kind": kind, "llm": llm}
            given = make_component("programs", str(path), {}, where, BasePydanticProgram, **known)  # type: ignore[type-abstract]  # only looked at
        return OwnProgram(given, kind)

    def checks(self, settings: Settings) -> tuple[OwnCheck, ...]:
        """Further checks of every answer."""
        named = settings.verification.checks
        made = tuple(make_component("checks", path, {}, "verification.checks", OwnCheck) for path in named)  # type: ignore[type-abstract]  # a protocol
        return (*self.given.get("checks", ()), *made)


def _takes(name: str, group: Group, kind: str, where: str) -> bool:
    return name in takes_of(group, kind, where)


def _check_kind(what: str, value: object, wanted: Any, *, is_made: bool = True) -> None:
    kinds = wanted if isinstance(wanted, tuple) else (wanted,)
    names = " or ".join(one.__name__ for one in kinds) if is_made else "a class, or a function that makes one"
    if is_made and isinstance(value, type):
        raise UsageError(
            f"{what} got the class {value.__name__}, expected an object; make one: {value.__name__}(…)"
        )
    if not isinstance(value, wanted):
        lacks = lacking(value, kinds[0]) if is_made and len(kinds) == 1 else ""
        raise UsageError(f"{what} got {in_words(value)}{lacks}, expected {names}")


def _as_list(what: str, value: object) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise UsageError(f"{what} got {in_words(value)}, expected a list, even for one")
    return value


def _as_mapping(what: str, value: object, known: Sequence[str] = ()) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{what} got {in_words(value)}, expected a dict")
    if strange := [key for key in value if not isinstance(key, str) or (known and key not in known)]:
        raise UsageError(
            f"{what} has the key {in_words(strange[0])}, expected {', '.join(map(repr, known)) or 'a text'}"
        )
    return value


def _path(component: object) -> str:
    return _named(type(component))


def _named(made: Any) -> str:
    """The path of a class or function."""
    name = getattr(made, "__qualname__", type(made).__qualname__)
    return f"{made.__module__}:{name}".replace("<locals>.", "").replace("<lambda>", "lambda_")


def _given_reader(reader: PageReader | DocumentReader, options: ReaderOptions) -> PageReader:
    del options  # it was made with its own
    return guarded(reader)

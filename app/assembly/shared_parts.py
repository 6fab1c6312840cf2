"""Parts that the clients of one process share: models, catalogs, names, pages, facts, indexes, stores."""

import threading
from collections.abc import Callable, Hashable, MutableMapping, Sequence
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from indexes.options import EmbeddingOptions, HuggingFaceEmbeddingOptions, MiniLmOptions
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.embeddings import Embedder
from indexes.search.vector_store import VectorStores
from query_engines.company_names.matcher import CompanyNames
from query_engines.retrieval.index_cache import IndexCache
from storage.paths import DataPaths
from storage.records.reports import Company
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore

if TYPE_CHECKING:
    from query_engines.llm.rate_limits import Spending
    from query_engines.local_model.model_server import ModelServer
    from query_engines.options import LlamaCppLlmOptions

Part = TypeVar("Part")


class SharedParts:
    """Makes each part once for the same settings and library, and gives it to all clients.

    A local embedding model and the count of spent money stay until the process ends. Everything else lives as long as
    a client uses it, so libraries of people who have left use no memory, and neither does a language model on this
    machine that nobody asks any more. A hosted embedding model is not shared, since
    its connections belong to one client and close with it.
    """

    def __init__(self) -> None:
        self._models: dict[Hashable, Embedder] = {}
        self._embedders: WeakValueDictionary[Hashable, CachedEmbedder] = WeakValueDictionary()
        self._index_caches: WeakValueDictionary[Hashable, IndexCache] = WeakValueDictionary()
        self._libraries: WeakValueDictionary[Hashable, Library] = WeakValueDictionary()
        self._pages: WeakValueDictionary[Hashable, PageStore] = WeakValueDictionary()
        self._facts: WeakValueDictionary[Hashable, FactStore] = WeakValueDictionary()
        self._names: WeakValueDictionary[Hashable, CompanyNames] = WeakValueDictionary()
        self._stores: dict[Hashable, VectorStores] = {}
        self._servers: WeakValueDictionary[Hashable, ModelServer] = WeakValueDictionary()
        self._spending: dict[Hashable, Spending] = {}
        self._making = threading.Lock()
        self._loading = threading.Lock()
        self._naming = threading.Lock()

    def model(self, options: EmbeddingOptions, load: Callable[[], Embedder]) -> Embedder:
        """The embedding model of these options; concurrent callers wait for one load."""
        return self._once(self._models, options, options, load, self._loading)

    def embedder(
        self, options: EmbeddingOptions, paths: DataPaths, make: Callable[[], CachedEmbedder]
    ) -> CachedEmbedder:
        """The embedder of these options with the vector cache of one data root."""
        return self._once(self._embedders, options, (options, paths), make, self._making)

    def index_cache(
        self, options: EmbeddingOptions, paths: DataPaths, fingerprint: str, make: Callable[[], IndexCache]
    ) -> IndexCache:
        """The index cache for one fingerprint at one data root."""
        return self._once(self._index_caches, options, (options, paths, fingerprint), make, self._making)

    def library(self, paths: DataPaths) -> Library:
        """The catalog of one data root."""
        return _shared(self._libraries, paths, lambda: Library(paths.catalog), self._making)

    def pages(self, paths: DataPaths, reader_fingerprint: str) -> PageStore:
        """The pages of one data root, with a cache in memory."""
        key = (paths, reader_fingerprint)
        return _shared(self._pages, key, lambda: PageStore(paths.pages, reader_fingerprint), self._making)

    def facts(self, paths: DataPaths, facts_fingerprint: str) -> FactStore:
        """The facts of one data root, with a cache in memory."""
        key = (paths, facts_fingerprint)
        return _shared(self._facts, key, lambda: FactStore(paths.facts, facts_fingerprint), self._making)

    def names(self, companies: Sequence[Company]) -> CompanyNames:
        """The name finder of these companies."""
        known = tuple(companies)  # the same object if it is a tuple already
        # The names refer to the companies, so their id cannot be used again while the names exist.
        return _shared(self._names, id(known), lambda: CompanyNames(known), self._naming)

    def stores(self, key: Hashable, make: Callable[[], VectorStores]) -> VectorStores:
        """An open vector store."""
        with self._making:
            if key not in self._stores:
                self._stores[key] = make()
            return self._stores[key]

    def spending(self, paths: DataPaths, profile: str, owner: str | None) -> "Spending":
        """The money that a person has spent with a profile, also in clients that are closed."""
        from query_engines.llm.rate_limits import Spending  # late: it loads the package openai

        return _shared(self._spending, (paths, profile, owner), Spending, self._making)

    def model_server(self, options: "LlamaCppLlmOptions", paths: DataPaths) -> "ModelServer":
        """The server of a language model on this machine; it starts with the first question.

        Raises:
            MissingExtra, MissingModel: the package or the model is not here.
            SetupError: the model does not fit the memory.
        """
        # late: most clients have no such model
        from query_engines.local_model.fitting import fitted
        from query_engines.local_model.model_files import ModelFolder
        from query_engines.local_model.model_server import ModelServer, check_installed

        check_installed()
        folder = ModelFolder(paths.models)
        file, name = folder.file_of(options.model), folder.name_of(options.model)
        key = (file, options.threads, options.context_window, options.parallel)

        def make() -> ModelServer:
            for other in list(self._servers.values()):
                other.close()  # two models rarely fit; whoever still asks the other starts it again
            return ModelServer(fitted(options, file, name))

        return _shared(self._servers, key, make, self._making)

    def close(self) -> None:
        """Close everything that is open; it opens again when needed."""
        with self._making:
            for stores in self._stores.values():
                stores.close()
            for server in self._servers.values():
                server.close()

    def _once(
        self,
        made: MutableMapping[Hashable, Part],
        options: EmbeddingOptions,
        key: Hashable,
        make: Callable[[], Part],
        lock: threading.Lock,
    ) -> Part:
        if not isinstance(options, MiniLmOptions | HuggingFaceEmbeddingOptions):
            return make()
        return _shared(made, key, make, lock)


def _shared(
    made: MutableMapping[Hashable, Part], key: Hashable, make: Callable[[], Part], lock: threading.Lock
) -> Part:
    with lock:
        part = made.get(key)
        if part is None:
            part = made[key] = make()
        return part

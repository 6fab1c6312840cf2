"""What keeps the vectors: by the settings, or as an index says that exists."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from app.shared_parts import SharedParts
from indexes.company_moves import StoresOf
from indexes.faiss_store import FaissStores
from indexes.options import VectorStoreOptions
from indexes.vector_stores import VectorStores
from storage.errors import MissingExtra
from storage.manifests import VectorIndex
from storage.paths import DataPaths

QDRANT_KEY = "QDRANT_API_KEY"


def vector_stores(
    options: VectorStoreOptions, paths: DataPaths, environment: Mapping[str, str], shared: SharedParts
) -> VectorStores:
    """The stores of the settings; Qdrant's client is opened once for all who share it.

    Raises:
        MissingExtra: Qdrant is chosen, and its client is not installed.
    """
    if options.kind == "faiss":
        return FaissStores(options.index)
    return shared.stores((options, paths), lambda: _qdrant(options, paths, environment))


@contextmanager
def stores_of_indexes(
    paths: DataPaths, environment: Mapping[str, str], shared: SharedParts | None = None
) -> Iterator[StoresOf]:
    """Gives the stores of an index by its manifest, whatever the settings are now.

    Those of `shared` stay open; without it, what is opened is closed in the end.
    """
    parts = shared or SharedParts()

    def stores_of(kept: VectorIndex) -> VectorStores:
        options = VectorStoreOptions(kind=kept.store, index=kept.wanted, url=kept.address or None)
        return vector_stores(options, paths, environment, parts)

    try:
        yield stores_of
    finally:
        if shared is None:
            parts.close()


def _qdrant(options: VectorStoreOptions, paths: DataPaths, environment: Mapping[str, str]) -> VectorStores:
    try:
        # late: an extra, and two seconds
        from indexes.qdrant_store import QdrantAccess, QdrantStores
    except ImportError as error:
        raise MissingExtra(
            f"vector_store.kind=qdrant needs a package that is not installed ({error.name}); "
            "run `pip install 'pageproof[qdrant]'`"
        ) from error
    key = environment.get(QDRANT_KEY) if options.url else None
    return QdrantStores(QdrantAccess(options.url, paths.qdrant, key), options.index)

"""Vector search with Qdrant: one collection for all companies of one fingerprint.

A collection for each company would be simplest, but Qdrant advises against more than some hundreds: each costs the
server memory and files, and a library may hold 10,000 companies. So all companies share one collection, and every
point names its company and generation. That field is the collection's tenant key: a server stores a tenant's points
together, and a search looks only at the few thousand points of one generation. So the search is exact and needs no
graph. New generations are written beside the old ones and become visible by the pointer in the library's folder. A
kill before that leaves unused points and the generation's folder, by whose name they are removed later.
"""

import logging
import threading
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import portalocker
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryResult
from llama_index.vector_stores.qdrant import QdrantVectorStore
from portalocker.exceptions import LockException
from pydantic import PrivateAttr
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from indexes.search.vector_store import REPORT_KEY, new_index, stored_index
from storage.errors import MissingKey, SetupError
from storage.stores.generations import Manifest, VectorIndex, WantedIndex

logger = logging.getLogger(__name__)
GENERATION_KEY = "generation"
KEY_VARIABLE = "QDRANT_API_KEY"
SECONDS = 60  # for one request; a batch of vectors on a busy server takes long
VECTOR_NAME = "text-dense"  # the name that LlamaIndex uses
_BATCH = 256
_CONFLICT = 409
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class QdrantAccess:
    """One shared client of a server or of a local folder, opened at its first use.

    A folder is used by Qdrant's local mode: the same calls on local files, for one process at a time.
    """

    def __init__(self, address: str | None, folder: Path, key: str | None = None) -> None:
        self.address = address
        self._folder = folder
        self._key = key
        self._client: QdrantClient | None = None
        self._opening = threading.Lock()
        # A server handles many requests at once; the local mode changes arrays while others read them.
        self._turn: AbstractContextManager[object] = nullcontext() if address else threading.RLock()

    @property
    def where(self) -> str:
        """Its name in messages."""
        return f"the Qdrant server at {self.address}" if self.address else f"the Qdrant folder {self._folder}"

    @property
    def client(self) -> QdrantClient:
        """The open client.

        Raises:
            SetupError: another process has locked the folder.
        """
        with self._opening:
            if self._client is None:
                self._client = self._remote() if self.address else self._local()
            return self._client

    @contextmanager
    def session(self) -> Iterator[QdrantClient]:
        """The client, with its errors turned into messages that say what to do.

        Raises:
            MissingKey: the server needs a key, or refuses this one.
            SetupError: the server cannot be reached, or refuses the request.
        """
        client = self.client
        try:
            with self._turn:
                yield client
        except ApiException as error:
            status = getattr(error, "status_code", None)
            if status in (401, 403):
                raise MissingKey(
                    f"{self.where} refuses the key; set {KEY_VARIABLE} to one that may write"
                ) from error
            lines = str(error).strip().splitlines()
            raise SetupError(
                f"{self.where} cannot be used ({lines[0] if lines else type(error).__name__}); "
                "start it, or set vector_store.url to where it runs"
            ) from error

    def close(self) -> None:
        """Close the client; the next use opens a new one."""
        with self._opening:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _remote(self) -> QdrantClient:
        host = urlsplit(self.address or "").hostname
        if self._key and (self.address or "").startswith("http:") and host not in _LOOPBACK:
            logger.warning("%s is sent to %s without encryption; use https", KEY_VARIABLE, self.address)
        with _unwarned("Api key is used with an insecure connection"):
            return QdrantClient(url=self.address, api_key=self._key, timeout=SECONDS, check_compatibility=False)

    def _local(self) -> QdrantClient:
        try:
            self._try_lock()
            with _unwarned("Local mode is not recommended"):  # docs/recipes.md says so
                return QdrantClient(path=str(self._folder))
        except (
            LockException,
            RuntimeError,
        ) as error:  # Qdrant raises RuntimeError for a locked folder
            raise SetupError(
                f"{self.where} is in use by another process (a chat or an ingestion), and takes one at a time; "
                "end that one, or run a Qdrant server and set vector_store.url, which serves many"
            ) from error

    def _try_lock(self) -> None:
        """Check whether the folder is free, because a client that finds it locked leaves its lock file open.

        Raises:
            LockException: another process has locked it.
        """
        lock = self._folder / ".lock"
        if lock.exists():
            with lock.open("r+") as held:
                portalocker.lock(held, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)


class ReportQdrantStore(QdrantVectorStore):
    """One generation of one company in the shared collection. Similarities are cosines, as with FAISS."""

    stores_text: bool = False  # the texts are in the generation's folder
    _generation: str = PrivateAttr()
    _access: QdrantAccess = PrivateAttr()

    def __init__(self, access: QdrantAccess, collection: str, generation: str) -> None:
        super().__init__(collection, client=access.client, batch_size=_BATCH, index_doc_id=False)
        self._generation = generation
        self._access = access

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "ReportQdrantStore"

    def add(self, nodes: Sequence[BaseNode], shard_identifier: Any | None = None, **add_kwargs: Any) -> list[str]:
        """Add nodes with their vectors; the ids are those of the points."""
        with self._access.session(), _unwarned("Local mode is not recommended"):
            return super().add(list(nodes), shard_identifier, **add_kwargs)

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        """The most similar vectors, best first; the ids are those of the points."""
        chosen = self._build_query_filter(query)
        only = [generation_is(self._generation), *([chosen] if chosen else [])]
        # Local mode has only exact search, and warns when it is requested.
        exact = models.SearchParams(exact=True) if self._access.address else None
        with self._access.session():
            return super().query(query, qdrant_filters=models.Filter(must=only), search_params=exact)

    def parse_to_query_result(self, response: list[Any]) -> VectorStoreQueryResult:
        """Ids and similarities without nodes, which the index has."""
        return VectorStoreQueryResult(
            similarities=[float(p.score) for p in response], ids=[str(p.id) for p in response]
        )

    def _build_points(self, nodes: list[BaseNode], sparse_vector_name: str) -> tuple[list[Any], list[str]]:
        """Points that carry only the fields used as filters."""
        del sparse_vector_name
        points = [
            models.PointStruct(
                id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._generation}/{node.node_id}")),
                vector={self.dense_vector_name: node.get_embedding()},
                payload={GENERATION_KEY: self._generation, REPORT_KEY: node.metadata[REPORT_KEY]},
            )
            for node in nodes
        ]
        return points, [str(point.id) for point in points]


class QdrantStores:
    """The generations of one server, or of one folder."""

    def __init__(self, access: QdrantAccess, wanted: WantedIndex = "auto") -> None:
        self._access = access
        self._wanted = wanted

    def write(
        self, folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding
    ) -> VectorIndex:
        """Store nodes with their vectors."""
        self._make_collection(folder, manifest.dimensions)
        index = new_index(nodes, self._store(folder), model)
        index.storage_context.persist(persist_dir=str(folder))
        return VectorIndex(store="qdrant", address=self._access.address or "", wanted=self._wanted)

    def open(self, folder: Path, manifest: Manifest, model: BaseEmbedding) -> VectorStoreIndex:
        """Open an index that was written."""
        del manifest
        with self._access.session():
            return stored_index(folder, self._store(folder), model)

    def vectors(self, folder: Path, manifest: Manifest, index: VectorStoreIndex) -> Mapping[str, Sequence[float]]:
        """All vectors of an opened index by point."""
        del manifest
        ids = list(index.index_struct.nodes_dict)
        retained: dict[str, Sequence[float]] = {}
        with self._access.session() as client:
            for start in range(0, len(ids), _BATCH):
                batch = client.retrieve(_collection(folder), ids[start : start + _BATCH], False, True)
                retained |= {str(point.id): _vector(point) for point in batch}
        return retained

    def holds(self, folder: Path, manifest: Manifest) -> bool:
        """Whether the number of points is the one in the manifest."""
        with self._access.session() as client:
            if not client.collection_exists(_collection(folder)):
                return manifest.chunk_count == 0
            only = models.Filter(must=[generation_is(generation(folder))])
            return client.count(_collection(folder), only, exact=True).count == manifest.chunk_count

    def clear(self, folder: Path) -> None:
        """Remove the points of a generation."""
        with self._access.session() as client:
            if client.collection_exists(_collection(folder)):
                only = models.Filter(must=[generation_is(generation(folder))])
                client.delete(_collection(folder), models.FilterSelector(filter=only), wait=True)

    def close(self) -> None:
        """Close the client."""
        self._access.close()

    def _store(self, folder: Path) -> ReportQdrantStore:
        return ReportQdrantStore(self._access, _collection(folder), generation(folder))

    def _make_collection(self, folder: Path, dimensions: int) -> None:
        name = _collection(folder)
        with self._access.session() as client:
            if client.collection_exists(name):
                return
            # The inner product of normalised vectors is their cosine; Qdrant's cosine would normalise them again.
            vectors = models.VectorParams(size=dimensions, distance=models.Distance.DOT, on_disk=True)
            try:
                client.create_collection(name, {VECTOR_NAME: vectors}, hnsw_config=models.HnswConfigDiff(m=0))
            except UnexpectedResponse as error:
                if error.status_code != _CONFLICT:  # another process was faster
                    raise
            keys = {GENERATION_KEY: True, REPORT_KEY: False}
            with _unwarned("Payload indexes have no effect in the local Qdrant"):
                for field, tenant in keys.items():
                    schema = models.KeywordIndexParams(
                        type=models.KeywordIndexType.KEYWORD, is_tenant=tenant or None
                    )
                    client.create_payload_index(name, field, schema, wait=True)


def _vector(point: models.Record) -> list[float]:
    named = point.vector
    vector = named.get(VECTOR_NAME) if isinstance(named, dict) else None
    if not isinstance(vector, list):
        raise TypeError(f"the point {point.id} has no vector {VECTOR_NAME!r}")
    return [float(number) for number in vector if isinstance(number, int | float)]


@contextmanager
def _unwarned(about: str) -> Iterator[None]:
    """Suppress a warning of the client library that does not apply here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=about)
        yield


def generation(folder: Path) -> str:
    """The tenant key of a generation's points: company and generation, unique on a shared server."""
    return f"{folder.parent.parent.name}/{folder.name}"


def generation_is(name: str) -> models.FieldCondition:
    """The filter for one generation."""
    return models.FieldCondition(key=GENERATION_KEY, match=models.MatchValue(value=name))


def _collection(folder: Path) -> str:
    """The collection of the generation's fingerprint."""
    return f"pageproof-{folder.parent.name}"

"""One company's searchable index: built, published and opened."""

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from indexes.cached_embedding import CachedEmbedder
from indexes.faiss_kinds import kind_for
from indexes.faiss_store import REPORT_KEY, ReportFaissStore
from indexes.node_parser import PageDocument, PageNodeParser
from indexes.options import VectorStoreOptions
from storage.errors import MissingIndex
from storage.files import digest
from storage.generations import Generations
from storage.manifests import Manifest, VectorIndex
from storage.page_store import PageStore
from storage.reports import Report

logger = logging.getLogger(__name__)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class CompanyIndex:
    """A company's chunks and vectors in memory, as one generation holds them."""

    manifest: Manifest
    index: VectorStoreIndex

    def retriever(self, report_sha1: str, chunks: int) -> BaseRetriever:
        """Finds the chunks of one report that are nearest to a question, best first; scores are cosines."""
        only = MetadataFilter(key=REPORT_KEY, value=report_sha1, operator=FilterOperator.EQ)
        return self.index.as_retriever(similarity_top_k=chunks, filters=MetadataFilters(filters=[only]))

    def nodes(self, report_sha1: str) -> list[BaseNode]:
        """The chunks of one report, in its order."""
        positions = sorted(self.index.index_struct.nodes_dict.items(), key=lambda item: int(item[0]))
        nodes = (self.index.docstore.get_node(node_id) for _, node_id in positions)
        return [node for node in nodes if node.metadata[REPORT_KEY] == report_sha1]


class CompanyIndexes:
    """The published indexes of one fingerprint, one folder for each company."""

    def __init__(
        self,
        folder: Path,
        fingerprint: str,
        reader: str,
        pages: PageStore,
        options: VectorStoreOptions | None = None,
    ) -> None:
        self._options = options or VectorStoreOptions()
        self._folder = folder
        self._fingerprint = fingerprint
        self._reader = reader
        self._pages = pages

    def current(self, company: str) -> Path:
        """The folder of the company's published index.

        Raises:
            MissingIndex: nothing of the company is ingested under these settings.
        """
        found = self._generations(company).current()
        if found is None:
            raise MissingIndex(
                f"there is no index of {company!r} for these settings (fingerprint {self._fingerprint}); "
                "run `pageproof ingest` on its reports with the same --profile and --set"
            )
        return found

    def generation(self, company: str) -> str | None:
        """The name of the company's published index, another one after each publishing; None before the first."""
        found = self._generations(company).current()
        return found.name if found else None

    def manifest(self, company: str) -> Manifest | None:
        """What the company's published index was built from, or None before the first."""
        found = self._generations(company).current()
        return Manifest.read(found) if found else None

    def open(self, folder: Path, embedder: CachedEmbedder) -> CompanyIndex:
        """Load one generation."""
        manifest = Manifest.read(folder)
        store = ReportFaissStore.load(folder)
        context = StorageContext.from_defaults(persist_dir=str(folder), vector_store=store)
        index = load_index_from_storage(context, embed_model=embedder.model)
        if not isinstance(index, VectorStoreIndex):
            raise TypeError(f"{folder} holds a {type(index).__name__}, expected VectorStoreIndex")
        _assign(store, index)
        return CompanyIndex(manifest, index)

    def publish(
        self,
        reports: Sequence[Report],
        parser: PageNodeParser,
        embedder: CachedEmbedder,
        on_progress: Progress | None = None,
    ) -> Manifest:
        """Index the company's kept pages and make the result current; reports published before stay in.

        Args:
            reports: of one company; their pages must be in the page store.
            parser: cuts pages into nodes.
            embedder: embeds them.
            on_progress: called with chunks embedded and chunks in all.
        """
        company = reports[0].company
        generations = self._generations(company)
        with generations.locked():
            before = self.manifest(company)
            merged = {r.sha1: r for r in (*(before.reports if before else ()), *reports)}
            kept = tuple(r for r in merged.values() if r.sha1 in self._pages)
            nodes = parser.get_nodes_from_documents(
                [PageDocument.from_page(page, r) for r in kept for page in self._pages.read(r.sha1)]
            )
            vectors = embedder.embed([node.get_content() for node in nodes], on_progress)
            for node, vector in zip(nodes, vectors, strict=True):
                node.embedding = vector
            manifest = Manifest(
                company=company,
                fingerprint=self._fingerprint,
                reader=self._reader,
                embedding_model=embedder.model_id,
                dimensions=len(vectors[0]) if vectors else embedder.dimensions(),
                chunk_count=len(nodes),
                reports=kept,
                vector_index=VectorIndex(wanted=self._options.index),
            )
            return Manifest.read(
                generations.publish(lambda folder: write_index(folder, nodes, manifest, embedder.model))
            )

    def _generations(self, company: str) -> Generations:
        return Generations(company_folder(self._folder, company) / self._fingerprint)


def company_folder(folder: Path, company: str) -> Path:
    """Where the indexes of one company are, a folder for each fingerprint."""
    slug = re.sub(r"[^a-z0-9]+", "-", company.lower()).strip("-")[:40]
    return folder / f"{slug}-{digest(company)}"


def write_index(folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding) -> None:
    """Fill a generation's folder with nodes that carry their vectors; its manifest tells how well they are found."""
    wanted = manifest.vector_index.wanted
    kind = kind_for(wanted, len(nodes))
    coming = np.asarray([node.get_embedding() for node in nodes], dtype="float32")
    store = ReportFaissStore.empty(kind, manifest.dimensions, coming)
    context = StorageContext.from_defaults(vector_store=store)
    index = VectorStoreIndex(nodes, storage_context=context, embed_model=model)
    _assign(store, index)
    recall = store.widen()
    if kind != "flat":
        logger.info("%s: %s over %d vectors, recall@30 %.3f", manifest.company, kind, len(nodes), recall)
    context.persist(persist_dir=str(folder))
    found = VectorIndex(wanted=wanted, kind=kind, breadth=store.breadth, recall_at_30=recall)
    manifest.model_copy(update={"vector_index": found}).write(folder)


def _assign(store: ReportFaissStore, index: VectorStoreIndex) -> None:
    positions: dict[str, list[int]] = {}
    for position, node_id in index.index_struct.nodes_dict.items():
        sha1 = str(index.docstore.get_node(node_id).metadata[REPORT_KEY])
        positions.setdefault(sha1, []).append(int(position))
    store.assign(positions)

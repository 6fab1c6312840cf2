"""Builds, publishes and opens the searchable index of one company."""

import logging
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from indexes.fingerprints import INDEX_VERSIONS
from indexes.options import VECTOR_STORES
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.chunking import PageDocument, PageNodeParser
from indexes.search.faiss_store import FaissStores
from indexes.search.own_store import GuardedRetriever
from indexes.search.vector_store import REPORT_KEY, VectorStores, nodes_by_id
from storage.errors import MAKE_AGAIN, ComponentError, DamagedFile, MissingIndex, StaleIndex
from storage.files import digest
from storage.records.pages import Page
from storage.records.reports import Report
from storage.stores.generations import Generations, Manifest, VectorIndex
from storage.stores.pages import PageStore

logger = logging.getLogger(__name__)
Progress = Callable[[int, int], None]
StoresOf = Callable[[VectorIndex], VectorStores]
"""What holds the vectors of an index that says so in its manifest."""


@dataclass(frozen=True)
class CompanyIndex:
    """A company's chunks and vectors in memory, loaded from one generation."""

    manifest: Manifest
    index: VectorStoreIndex

    def retriever(self, report_sha1: str, chunks: int) -> BaseRetriever:
        """A retriever of the chunks of one report that are nearest to a question, best first; scores are cosines."""
        nearest = self.index.as_retriever(similarity_top_k=chunks, filters=only_of(report_sha1))
        store = self.manifest.vector_index.store
        if store in VECTOR_STORES:
            return nearest
        return GuardedRetriever(nearest, f"the vector store {store.rpartition(':')[2]}", report_sha1)

    def nodes(self, report_sha1: str) -> list[BaseNode]:
        """The chunks of one report in their order."""
        return [n for n in nodes_by_id(self.index).values() if n.metadata[REPORT_KEY] == report_sha1]


def only_of(report_sha1: str) -> MetadataFilters:
    """The filter of a search in one report."""
    only = MetadataFilter(key=REPORT_KEY, value=report_sha1, operator=FilterOperator.EQ)
    return MetadataFilters(filters=[only])


class CompanyIndexes:
    """The published indexes of one fingerprint, one folder for each company."""

    def __init__(
        self,
        folder: Path,
        fingerprint: str,
        reader: str,
        pages: PageStore,
        stores: VectorStores | None = None,
    ) -> None:
        self._stores = stores or FaissStores()
        self._folder = folder
        self._fingerprint = fingerprint
        self._reader = reader
        self._pages = pages

    def current(self, company: str) -> Path:
        """The folder of the company's published index.

        Raises:
            MissingIndex: no report of the company was ingested under these settings.
            DamagedFile: one was, and what names the index cannot be read.
        """
        generations = self._generations(company)
        found = generations.current()
        if found is None and (pointer := generations.damaged_pointer()):
            raise DamagedFile(f"the index of {company!r} is damaged ({pointer} names no index); {MAKE_AGAIN}")
        if found is None:
            raise MissingIndex(
                f"there is no index of {company!r} for these settings (fingerprint {self._fingerprint}); "
                "run `pageproof ingest` on its reports with the same --profile and --set"
            )
        return found

    def generation(self, company: str) -> str | None:
        """A name for all that is published of a company. It changes with each publishing; None before the first."""
        generations = self._generations(company)
        found = generations.current()
        return "+".join([*([found.name] if found else []), *generations.announced()]) or None

    def announce(self, report: Report) -> None:
        """Publish a report that answers already, from its facts and words; its vectors follow in an index."""
        self._generations(report.company).announce(report.sha1)

    def retract(self, report: Report) -> None:
        """Take back what was announced of a report that the index has: its ingestion was killed in between."""
        if self.is_announced(report.company, report.sha1):
            generations = self._generations(report.company)
            with generations.locked():
                generations.retract([report.sha1])

    def is_announced(self, company: str, sha1: str) -> bool:
        """Whether a report of the company answers without vectors, which are on their way."""
        return self._generations(company).is_announced(sha1)

    def announced(self, company: str) -> tuple[str, ...]:
        """The SHA-1s of the company's reports whose vectors are missing yet."""
        return self._generations(company).announced()

    def manifest(self, company: str) -> Manifest | None:
        """The manifest of the company's published index; None before the first."""
        found = self._generations(company).current()
        return Manifest.read(found) if found else None

    def is_there(self, company: str) -> bool:
        """Whether an index of the company was published, whether it can be read or not."""
        generations = self._generations(company)
        return generations.current() is not None or _is_unreadable(generations)

    def complete(self, company: str) -> Manifest | None:
        """The manifest of the published index if all of it can be read; None where the index must be built."""
        found = self._generations(company).current()
        return self._readable(found) if found else None

    def open(self, folder: Path, embedder: CachedEmbedder) -> CompanyIndex:
        """Load one generation of the index.

        Raises:
            StaleIndex: its vectors do not exist any more.
            DamagedFile: one of its files is not what was written.
        """
        manifest = Manifest.read(folder)
        manifest.check(folder)
        if not self._stores.holds(folder, manifest):
            stored_at = manifest.vector_index.address or "the local store"
            raise StaleIndex(
                f"the vectors of {manifest.company!r} are not at {stored_at} any more; "
                "run `pageproof ingest` again, nothing is embedded anew"
            )
        return CompanyIndex(manifest, open_index(folder, manifest, embedder.model, self._stores))

    def publish(
        self,
        report: Report,
        pages: Sequence[Page],
        parser: PageNodeParser,
        embedder: CachedEmbedder,
        on_progress: Progress | None = None,
        others: Sequence[Report] = (),
    ) -> Manifest:
        """Index a report and publish the result. The company's other reports stay in as they were published.

        Where the published index cannot be read, they come in again by their pages.

        Args:
            report: its company says which index, and it is what its chunks say of it.
            pages: all of its pages.
            parser: cuts pages into nodes.
            embedder: embeds them.
            on_progress: called with the number of chunks embedded and of all chunks.
            others: the company's other reports; they count only where the published index cannot say which it has.
        """
        generations = self._generations(report.company)
        with generations.locked():
            before = generations.current()
            published = self._published(generations, others)
            reports = {r.sha1: r for r in published if r.sha1 in self._pages} | {report.sha1: report}
            stored = self._stored(before, [sha1 for sha1 in reports if sha1 != report.sha1])
            nodes: list[BaseNode] = []
            for sha1, known in reports.items():
                if sha1 not in stored:
                    read = pages if sha1 == report.sha1 else self._pages.read(sha1)
                    stored[sha1] = _embedded(known, read, parser, embedder, on_progress)
                nodes += stored[sha1]
            manifest = Manifest(
                company=report.company,
                fingerprint=self._fingerprint,
                reader=self._reader,
                embedding_model=embedder.model_id,
                dimensions=len(nodes[0].get_embedding()) if nodes else embedder.dimensions(),
                chunk_count=len(nodes),
                reports=tuple(reports.values()),
                versions=INDEX_VERSIONS,
            )
            folder = generations.publish(
                lambda folder: write_index(folder, nodes, manifest, embedder.model, self._stores)
            )
            generations.retract(reports)
            return Manifest.read(folder)

    def withdraw(self, company: str, sha1: str) -> None:
        """Publish the company's index without a report that is another company's by now."""
        with self._generations(company).locked():
            generations, is_left = publish_without(self._home(company), [sha1], lambda _: self._stores)
            generations.retract([sha1])
            if not is_left:
                generations.remove()
                generations.remove_empty()

    def _stored(self, folder: Path | None, reports: Sequence[str]) -> dict[str, list[BaseNode]]:
        """The nodes of reports that are published, with their vectors; nothing where the vectors are gone."""
        if folder is None or not reports:
            return {}
        manifest = self._readable(folder)
        if manifest is None:
            return {}
        return {sha1: [] for sha1 in reports} | stored_nodes(folder, manifest, reports, self._stores)

    def _published(self, generations: Generations, others: Sequence[Report]) -> Sequence[Report]:
        """The reports in the published index; all others of the company where it is damaged."""
        current = generations.current()
        if current is None:
            return others if _is_unreadable(generations) else ()
        try:
            return Manifest.read(current).reports
        except (DamagedFile, StaleIndex):
            return others

    def _readable(self, folder: Path) -> Manifest | None:
        """The manifest of an index that is there with all its files and vectors."""
        try:
            manifest = Manifest.read(folder)
            manifest.check(folder)
            if (
                not manifest.files
            ):  # of a version that did not note them: whether it opens is all that can be known
                open_index(folder, manifest, MockEmbedding(embed_dim=manifest.dimensions), self._stores)
        except (DamagedFile, StaleIndex) as error:
            logger.warning("%s", error)
            return None
        return manifest if self._stores.holds(folder, manifest) else None

    def _generations(self, company: str) -> Generations:
        return Generations(self._home(company), self._stores.clear)

    def _home(self, company: str) -> Path:
        return company_folder(self._folder, company) / self._fingerprint


def _is_unreadable(generations: Generations) -> bool:
    return generations.damaged_pointer() is not None or generations.has_lost_pointer()


def company_folder(folder: Path, company: str) -> Path:
    """The folder of one company's indexes, with a folder for each fingerprint."""
    slug = re.sub(r"[^a-z0-9]+", "-", company.lower()).strip("-")[:40]
    return folder / f"{slug}-{digest(company)}"


def nodes_of(report: Report, pages: Sequence[Page], parser: PageNodeParser) -> list[BaseNode]:
    """The chunks of a report in their order, without vectors."""
    return parser.get_nodes_from_documents([PageDocument.from_page(page, report) for page in pages])


def _embedded(
    report: Report,
    pages: Sequence[Page],
    parser: PageNodeParser,
    embedder: CachedEmbedder,
    on_progress: Progress | None,
) -> list[BaseNode]:
    nodes = nodes_of(report, pages, parser)
    vectors = embedder.embed([node.get_content() for node in nodes], on_progress)
    for node, vector in zip(nodes, vectors, strict=True):
        node.embedding = vector
    return nodes


def open_index(folder: Path, manifest: Manifest, model: BaseEmbedding, stores: VectorStores) -> VectorStoreIndex:
    """The chunks and vectors of an index.

    Raises:
        DamagedFile: they cannot be read.
    """
    try:
        return stores.open(folder, manifest, model)
    except (ValueError, LookupError, RuntimeError, TypeError, AttributeError, EOFError, OSError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise DamagedFile(
            f"the index in {folder} is damaged ({' '.join(reason.split())[:200]}); {MAKE_AGAIN}"
        ) from error


def write_index(
    folder: Path, nodes: Sequence[BaseNode], manifest: Manifest, model: BaseEmbedding, stores: VectorStores
) -> None:
    """Write nodes with their vectors into a generation's folder, and a manifest that has the measured recall."""
    found = stores.write(folder, nodes, manifest, model)
    manifest.model_copy(update={"vector_index": found}).write(folder)


def stored_nodes(
    folder: Path, manifest: Manifest, reports: Iterable[str], stores: VectorStores
) -> dict[str, list[BaseNode]]:
    """The nodes of an index with their vectors, by report."""
    wanted = set(reports)
    index = open_index(folder, manifest, MockEmbedding(embed_dim=manifest.dimensions), stores)
    vectors = stores.vectors(folder, manifest, index)
    found: dict[str, list[BaseNode]] = {}
    for vector, node in nodes_by_id(index).items():
        sha1 = str(node.metadata[REPORT_KEY])
        if sha1 in wanted:
            node.embedding = list(vectors[vector])
            found.setdefault(sha1, []).append(node)
    return found


def publish_without(home: Path, lost: Collection[str], stores_of: StoresOf) -> tuple[Generations, bool]:
    """Publish an index again without some reports, if it has any of them. Call it inside the generations' lock.

    Vectors of the other reports are reused.

    Args:
        home: the folder of the generations.
        lost: the reports' SHA-1s.
        stores_of: gives the vector stores of an index.

    Returns:
        The generations, and whether any report is left in them. An index that this version cannot read may contain
        the reports, and so may one whose vector store cannot be used here; it counts as empty, and nothing is
        published.
    """
    folder = Generations(home).current()
    manifest = _sound(folder) if folder else None
    if folder is None or manifest is None:
        return Generations(home), False
    stores = stores_of(manifest.vector_index)
    generations = Generations(home, stores.clear)
    left = tuple(r for r in manifest.reports if r.sha1 not in lost)
    if left and len(left) < len(manifest.reports):
        try:
            stored = stored_nodes(folder, manifest, [r.sha1 for r in left], stores)
            nodes = [node for report in left for node in stored.get(report.sha1, [])]
            updated = manifest.model_copy(update={"reports": left, "chunk_count": len(nodes)})
            model = MockEmbedding(embed_dim=manifest.dimensions)  # never called: the nodes have their vectors
            generations.publish(lambda target: write_index(target, nodes, updated, model, stores))
        except ComponentError as error:
            warn_of_store(manifest, error)
            return generations, False
    return generations, bool(left)


def warn_of_store(manifest: Manifest, error: ComponentError) -> None:
    """Say that an index is given up: its vector store is a class of the user's own that is not to be had here."""
    logger.warning(
        "the index of %r goes: its vector store %r cannot be used here (%s); where it can, run `pageproof ingest`, "
        "and nothing is embedded again",
        manifest.company,
        manifest.vector_index.store,
        error,
    )


def _sound(folder: Path) -> Manifest | None:
    try:
        manifest = Manifest.read(folder)
        manifest.check(folder)
    except (DamagedFile, StaleIndex):
        return None
    return manifest

"""Published indexes when reports change hands or leave: vectors are moved or removed, none is embedded again."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from llama_index.core import MockEmbedding
from llama_index.core.schema import BaseNode

from indexes.search.company_index import company_folder, write_index
from indexes.search.vector_store import REPORT_KEY, VectorStores, nodes_by_id
from storage.errors import StaleIndex
from storage.records.reports import Company, Report
from storage.stores.generations import Generations, Manifest, VectorIndex

StoresOf = Callable[[VectorIndex], VectorStores]
"""What keeps the vectors of an index that says so in its manifest."""
OpenStores = Callable[[], AbstractContextManager[StoresOf]]
"""Opens stores for as long as a change of the indexes takes."""


class CompanyMoves:
    """The indexes of every fingerprint, before and after an edit of the catalog.

    Call `gather` before the catalog changes and `release` after: whoever is killed in between leaves every
    report in an index of the company that the catalog names.
    """

    def __init__(
        self, folder: Path, before: Sequence[Company], after: Sequence[Company], stores_of: StoresOf
    ) -> None:
        self._folder = folder
        self._stores_of = stores_of
        self._before = {c.name: c for c in before}
        self._after = {c.name: c for c in after}

    def gather(self) -> None:
        """Publish, for each company that is to be, what it has and what comes to it."""
        for company in self._after.values():
            if company != self._before.get(company.name):
                for fingerprint in self._fingerprints():
                    self._publish(company, fingerprint)

    def release(self) -> None:
        """Take reports out of the indexes of companies that lost them; remove companies that are no more."""
        for company in self._before.values():
            left = self._after.get(company.name)
            lost = {r.sha1 for r in company.reports} - {r.sha1 for r in (left.reports if left else ())}
            if not lost:
                continue
            for home in _homes(self._folder, company.name):
                # What an ingestion publishes meanwhile is waited for and stays in, also where the company was to go.
                with Generations(home).locked():
                    generations, is_left = _publish_without(home, lost, self._stores_of)
                    if not is_left:
                        generations.remove()
                        generations.remove_empty()

    def _fingerprints(self) -> list[str]:
        names = {*self._before, *self._after}
        return sorted(
            {p.name for name in names for p in company_folder(self._folder, name).glob("*") if p.is_dir()}
        )

    def _publish(self, company: Company, fingerprint: str) -> None:
        names = (company.name, *(n for n in self._before if n != company.name))
        if not any(self._generations(name, fingerprint).current() for name in names):
            return
        # Read under the lock: what an ingestion publishes meanwhile is waited for and stays in.
        with self._generations(company.name, fingerprint).locked():
            self._publish_alone(company, fingerprint, names)

    def _publish_alone(self, company: Company, fingerprint: str, names: Sequence[str]) -> None:
        retained: dict[str, Report] = {}
        nodes: dict[str, list[BaseNode]] = {}
        manifest: Manifest | None = None
        wanted = {r.sha1: r for r in company.reports}
        for name in names:
            folder = self._generations(name, fingerprint).current()
            if folder is None:
                continue
            found = Manifest.read(folder)
            ours = {
                r.sha1: wanted.get(r.sha1, r)
                for r in found.reports
                if (r.sha1 in wanted or name == company.name) and r.sha1 not in retained
            }
            if ours:
                manifest = manifest or found
                retained |= ours
                nodes |= _stored_nodes(folder, found, ours, self._stores_of(found.vector_index))
        if manifest is None:
            return
        reports = tuple(r.model_copy(update={"company": company.name, "evidence": ()}) for r in retained.values())
        flat = [node for sha1 in retained for node in nodes.get(sha1, [])]
        for node in flat:
            node.metadata["company"] = company.name
        updated = manifest.model_copy(
            update={"company": company.name, "reports": reports, "chunk_count": len(flat)}
        )
        stores = self._stores_of(manifest.vector_index)
        model = MockEmbedding(embed_dim=manifest.dimensions)  # the nodes have their vectors; nobody asks it
        Generations(company_folder(self._folder, company.name) / fingerprint, stores.clear).publish(
            lambda folder: write_index(folder, flat, updated, model, stores)
        )

    def _generations(self, company: str, fingerprint: str) -> Generations:
        return Generations(company_folder(self._folder, company) / fingerprint)


def withdraw(folder: Path, company: str, sha1: str, stores_of: StoresOf) -> None:
    """Publish the company's indexes of every fingerprint without the report, and remove what was published before.

    Vectors of other reports are kept; an index that no report is left in goes. It can be done again.

    Args:
        folder: of all companies' indexes.
        company: as its index is called.
        sha1: the report's.
        stores_of: what keeps the vectors of an index.

    Raises:
        SetupError: vectors cannot be removed from where they are.
    """
    for home in _homes(folder, company):
        with Generations(home).locked():
            generations, is_left = _publish_without(home, [sha1], stores_of)
            if is_left:
                generations.drop_earlier()
            else:
                generations.drop_all()
                generations.remove_empty()


def _homes(folder: Path, company: str) -> list[Path]:
    """The folders of a company's generations, one for each fingerprint that has any."""
    return sorted(path for path in company_folder(folder, company).glob("*") if path.is_dir())


def _publish_without(home: Path, lost: Collection[str], stores_of: StoresOf) -> tuple[Generations, bool]:
    """Publish an index anew without some reports, where it has any of them. Call it inside the lock of its generations.

    Vectors of the other reports are kept.

    Args:
        home: the folder of the generations.
        lost: the reports' SHA-1s.
        stores_of: what keeps the vectors of an index.

    Returns:
        The generations, and whether any report is left in them. An index that this version cannot read answers
        nothing and may hold the reports: none is left then, and nothing is published.
    """
    folder = Generations(home).current()
    manifest = _readable(folder) if folder else None
    if folder is None or manifest is None:
        return Generations(home), False
    stores = stores_of(manifest.vector_index)
    generations = Generations(home, stores.clear)
    left = tuple(r for r in manifest.reports if r.sha1 not in lost)
    if left and len(left) < len(manifest.reports):
        stored = _stored_nodes(folder, manifest, [r.sha1 for r in left], stores)
        nodes = [node for report in left for node in stored.get(report.sha1, [])]
        updated = manifest.model_copy(update={"reports": left, "chunk_count": len(nodes)})
        model = MockEmbedding(embed_dim=manifest.dimensions)  # the nodes have their vectors; nobody asks it
        generations.publish(lambda target: write_index(target, nodes, updated, model, stores))
    return generations, bool(left)


def _readable(folder: Path) -> Manifest | None:
    try:
        return Manifest.read(folder)
    except StaleIndex:
        return None


def _stored_nodes(
    folder: Path, manifest: Manifest, reports: Iterable[str], stores: VectorStores
) -> dict[str, list[BaseNode]]:
    """The nodes of an index with their vectors, by report."""
    wanted = set(reports)
    index = stores.open(folder, manifest, MockEmbedding(embed_dim=manifest.dimensions))
    vectors = stores.vectors(folder, manifest, index)
    found: dict[str, list[BaseNode]] = {}
    for vector, node in nodes_by_id(index).items():
        sha1 = str(node.metadata[REPORT_KEY])
        if sha1 in wanted:
            node.embedding = list(vectors[vector])
            found.setdefault(sha1, []).append(node)
    return found

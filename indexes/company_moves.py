"""Carrying published indexes along when reports change hands: vectors are moved, nothing is embedded again."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.schema import BaseNode

from indexes.company_index import company_folder, write_index
from indexes.faiss_store import REPORT_KEY, ReportFaissStore
from storage.generations import Generations
from storage.manifests import Manifest
from storage.reports import Company, Report


class CompanyMoves:
    """The indexes of every fingerprint, before and after an edit of the catalog.

    Call `gather` before the catalog changes and `release` after: whoever is killed in between leaves every
    report in an index of the company that the catalog names.
    """

    def __init__(self, folder: Path, before: Sequence[Company], after: Sequence[Company]) -> None:
        self._folder = folder
        self._before = {c.name: c for c in before}
        self._after = {c.name: c for c in after}

    def gather(self) -> None:
        """Publish, for each company that is to be, what it has and what comes to it."""
        for company in self._after.values():
            if company != self._before.get(company.name):
                for fingerprint in self._fingerprints():
                    self._publish(company, fingerprint, leave=())

    def release(self) -> None:
        """Take reports out of the indexes of companies that lost them; remove companies that are no more."""
        for company in self._before.values():
            left = self._after.get(company.name)
            if left is None:
                shutil.rmtree(company_folder(self._folder, company.name), ignore_errors=True)
            elif lost := {r.sha1 for r in company.reports} - {r.sha1 for r in left.reports}:
                for fingerprint in self._fingerprints():
                    self._publish(left, fingerprint, leave=lost)

    def _fingerprints(self) -> list[str]:
        names = {*self._before, *self._after}
        return sorted(
            {p.name for name in names for p in company_folder(self._folder, name).glob("*") if p.is_dir()}
        )

    def _publish(self, company: Company, fingerprint: str, leave: Iterable[str]) -> None:
        names = (company.name, *(n for n in self._before if n != company.name))
        if not any(self._generations(name, fingerprint).current() for name in names):
            return
        # Read under the lock: what an ingestion publishes meanwhile is waited for and stays in.
        with self._generations(company.name, fingerprint).locked():
            self._publish_alone(company, fingerprint, names, leave)

    def _publish_alone(
        self, company: Company, fingerprint: str, names: Sequence[str], leave: Iterable[str]
    ) -> None:
        kept: dict[str, Report] = {}
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
                if (r.sha1 in wanted or name == company.name) and r.sha1 not in {*leave, *kept}
            }
            if ours:
                manifest = manifest or found
                kept |= ours
                nodes |= stored_nodes(folder, found, ours)
        if manifest is None:
            return
        reports = tuple(r.model_copy(update={"company": company.name, "evidence": ()}) for r in kept.values())
        flat = [node for sha1 in kept for node in nodes.get(sha1, [])]
        for node in flat:
            node.metadata["company"] = company.name
        updated = manifest.model_copy(
            update={"company": company.name, "reports": reports, "chunk_count": len(flat)}
        )
        model = MockEmbedding(embed_dim=manifest.dimensions)  # the nodes have their vectors; nobody asks it
        self._generations(company.name, fingerprint).publish(
            lambda folder: write_index(folder, flat, updated, model)
        )

    def _generations(self, company: str, fingerprint: str) -> Generations:
        return Generations(company_folder(self._folder, company) / fingerprint)


def stored_nodes(folder: Path, manifest: Manifest, reports: Iterable[str]) -> dict[str, list[BaseNode]]:
    """The nodes of an index with their vectors, by report."""
    wanted = set(reports)
    store = ReportFaissStore.load(folder)
    context = StorageContext.from_defaults(persist_dir=str(folder), vector_store=store)
    index = load_index_from_storage(context, embed_model=MockEmbedding(embed_dim=manifest.dimensions))
    if not isinstance(index, VectorStoreIndex):
        raise TypeError(f"{folder} holds a {type(index).__name__}, expected VectorStoreIndex")
    vectors = store.vectors()
    found: dict[str, list[BaseNode]] = {}
    for position, node_id in sorted(index.index_struct.nodes_dict.items(), key=lambda item: int(item[0])):
        node = index.docstore.get_node(node_id)
        sha1 = str(node.metadata[REPORT_KEY])
        if sha1 in wanted:
            node.embedding = vectors[int(position)].tolist()
            found.setdefault(sha1, []).append(node)
    return found

"""Moves reports between published indexes and removes them, without embedding anything again."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from llama_index.core import MockEmbedding
from llama_index.core.schema import BaseNode

from indexes.search.company_index import StoresOf, company_folder, publish_without, stored_nodes, write_index
from storage.errors import ComponentError
from storage.records.reports import Company, Report
from storage.stores.generations import Generations, Manifest

logger = logging.getLogger(__name__)
OpenStores = Callable[[], AbstractContextManager[StoresOf]]
"""Opens stores for as long as a change of the indexes takes."""


class CompanyMoves:
    """Moves reports between the indexes of all fingerprints, before and after an edit of the catalog.

    Call `gather` before the catalog changes and `release` after it. So after a kill in between, every report is
    still in an index of the company that the catalog names.
    """

    def __init__(
        self, folder: Path, before: Sequence[Company], after: Sequence[Company], stores_of: StoresOf
    ) -> None:
        self._folder = folder
        self._stores_of = stores_of
        self._before = {c.name: c for c in before}
        self._after = {c.name: c for c in after}

    def gather(self) -> None:
        """Publish an index for each company after the edit, with the reports that it has and that move to it."""
        for company in self._after.values():
            if company != self._before.get(company.name):
                for fingerprint in self._fingerprints():
                    self._publish(company, fingerprint)

    def release(self) -> None:
        """Remove reports from the indexes of companies that lost them, and indexes without any report left."""
        for company in self._before.values():
            left = self._after.get(company.name)
            lost = {r.sha1 for r in company.reports} - {r.sha1 for r in (left.reports if left else ())}
            if not lost:
                continue
            for home in _homes(self._folder, company.name):
                # Wait for an ingestion that publishes meanwhile. Its reports stay, even of a company to be removed.
                with Generations(home).locked():
                    generations, is_left = publish_without(home, lost, self._stores_of)
                    generations.retract(lost)
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
        # Read under the lock, so that reports which an ingestion publishes meanwhile stay in the index.
        with self._generations(company.name, fingerprint).locked():
            try:
                self._publish_alone(company, fingerprint, names)
            except ComponentError as error:
                logger.warning("an index of %r stays as it is: %s", company.name, error)

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
                nodes |= stored_nodes(folder, found, ours, self._stores_of(found.vector_index))
        if manifest is None:
            return
        stores = self._stores_of(manifest.vector_index)
        reports = tuple(r.indexed.model_copy(update={"company": company.name}) for r in retained.values())
        flat = [node for sha1 in retained for node in nodes.get(sha1, [])]
        for node in flat:
            node.metadata["company"] = company.name
        updated = manifest.model_copy(
            update={"company": company.name, "reports": reports, "chunk_count": len(flat)}
        )
        model = MockEmbedding(embed_dim=manifest.dimensions)  # never called, since the nodes have their vectors
        Generations(company_folder(self._folder, company.name) / fingerprint, stores.clear).publish(
            lambda folder: write_index(folder, flat, updated, model, stores)
        )

    def _generations(self, company: str, fingerprint: str) -> Generations:
        return Generations(company_folder(self._folder, company) / fingerprint)


def withdraw(folder: Path, company: str, sha1: str, stores_of: StoresOf) -> None:
    """Publish the company's indexes of all fingerprints without the report, and remove the earlier generations.

    Vectors of other reports are reused. An index without any report left is removed. It is safe to repeat.

    Args:
        folder: of all companies' indexes.
        company: the name of its index.
        sha1: of the report.
        stores_of: gives the vector stores of an index.

    Raises:
        SetupError: vectors cannot be removed from their store.
    """
    for home in _homes(folder, company):
        with Generations(home).locked():
            generations, is_left = publish_without(home, [sha1], stores_of)
            generations.retract([sha1])
            if is_left:
                generations.drop_earlier()
            else:
                generations.drop_all()
                generations.remove_empty()


def _homes(folder: Path, company: str) -> list[Path]:
    """The folders of a company's generations, one for each fingerprint that has any."""
    return sorted(path for path in company_folder(folder, company).glob("*") if path.is_dir())

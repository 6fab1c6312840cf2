"""Indexes that are edited while another process publishes: both take the lock of the company that they change."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from llama_index.core import MockEmbedding
from llama_index.core.schema import TextNode

from indexes.search.company_index import company_folder, write_index
from indexes.search.faiss_store import FaissStores
from indexes.search.index_edits import CompanyMoves, withdraw
from indexes.search.vector_store import REPORT_KEY
from storage.records.reports import Company, Report
from storage.stores.generations import Generations, Manifest
from tests.support.example_pages import report

FINGERPRINT = "print"
STORES = FaissStores("flat")
OLD, NEW = "Acme Inc.", "Borealis plc"


def home(root: Path, company: str) -> Path:
    return company_folder(root, company) / FINGERPRINT


def publish(root: Path, company: str, *reports: Report) -> None:
    """An index with one chunk of each report. Call it inside the lock."""
    vectors = np.eye(8)
    nodes = [
        TextNode(id_=r.sha1, text=r.file, metadata={REPORT_KEY: r.sha1}, embedding=vectors[n].tolist())
        for n, r in enumerate(reports)
    ]
    manifest = Manifest(
        company=company,
        fingerprint=FINGERPRINT,
        reader="reader",
        embedding_model="mock",
        dimensions=8,
        chunk_count=len(nodes),
        reports=reports,
    )
    model = MockEmbedding(embed_dim=8)
    Generations(home(root, company)).publish(lambda folder: write_index(folder, nodes, manifest, model, STORES))


def published(root: Path, company: str) -> set[str]:
    current = Generations(home(root, company)).current()
    return {r.sha1 for r in Manifest.read(current).reports} if current else set()


def renamed(root: Path, first: Report) -> CompanyMoves:
    before = Company(name=OLD, reports=(first,))
    after = Company(name=NEW, aliases=(OLD,), reports=(first,))
    return CompanyMoves(root, [before], [after], lambda _: STORES)


@pytest.fixture
def first(tmp_path: Path) -> Report:
    """The one report of a company, published."""
    only = report("a" * 40)
    with Generations(home(tmp_path, OLD)).locked():
        publish(tmp_path, OLD, only)
    return only


def take_out(root: Path, first: Report) -> None:
    withdraw(root, OLD, first.sha1, lambda _: STORES)


def give_away(root: Path, first: Report) -> None:
    moves = renamed(root, first)
    moves.gather()
    moves.release()


@pytest.mark.parametrize("edit", [give_away, take_out])
def test_an_index_is_not_removed_while_somebody_publishes_into_it(
    tmp_path: Path, first: Report, edit: Callable[[Path, Report], None]
) -> None:
    second = report("b" * 40)
    with ThreadPoolExecutor(1) as threads:
        with Generations(home(tmp_path, OLD)).locked():
            editing = threads.submit(edit, tmp_path, first)
            with pytest.raises(TimeoutError):  # it waits
                editing.result(0.3)
            publish(tmp_path, OLD, first, second)
        editing.result(30)
    assert published(tmp_path, OLD) == {second.sha1}


@pytest.mark.parametrize("edit", [give_away, take_out])
def test_a_company_without_a_report_leaves_no_folder(
    tmp_path: Path, first: Report, edit: Callable[[Path, Report], None]
) -> None:
    edit(tmp_path, first)
    assert published(tmp_path, OLD) == set()
    assert not company_folder(tmp_path, OLD).exists()


def test_reports_of_a_company_that_is_given_up_are_found_under_the_other(tmp_path: Path, first: Report) -> None:
    give_away(tmp_path, first)
    assert published(tmp_path, NEW) == {first.sha1}

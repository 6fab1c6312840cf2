import logging
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from app import open_pageproof
from app.settings import data_paths, load_settings
from indexes.facts.extract import extract_facts
from indexes.facts.fact_table import FactTable
from indexes.fingerprints import facts_fingerprint, index_fingerprint, reader_fingerprint
from indexes.ingestion.ingestion import ExtractFacts, Indexing, Ingestor, Reading
from indexes.ingestion.stores import LibraryStores
from indexes.reading.pool import docling_reader
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.company_index import CompanyIndexes
from indexes.search.embeddings import Embedder
from storage.records.facts import ReportFacts
from storage.records.metrics import Ontology
from storage.records.pages import Page
from storage.records.reports import Report
from storage.stores.caches import EmbeddingCache
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore
from tests.support.libraries import quick_reader
from tests.support.samples import samples_request

ONTOLOGY = Ontology.load()
SETTINGS = load_settings("offline", environment={})
READER = reader_fingerprint(SETTINGS.reader)


def no_embedder() -> Embedder:
    raise AssertionError("nothing was to be embedded")


def facts_in(data: Path) -> FactStore:
    return FactStore(data_paths(data).facts, facts_fingerprint(SETTINGS.reader, ONTOLOGY))


def ingestor(data: Path, extract: ExtractFacts) -> Ingestor:
    """One that cannot embed."""
    paths = data_paths(data)
    pages = PageStore(paths.pages, READER)
    fingerprint = index_fingerprint(SETTINGS.reader, SETTINGS.chunking, SETTINGS.embedding, SETTINGS.vector_store)
    return Ingestor(
        LibraryStores(
            paths,
            Library(paths.catalog),
            pages,
            facts_in(data),
            CompanyIndexes(paths.indexes, fingerprint, READER, pages),
        ),
        Reading(SETTINGS.reader, docling_reader),
        extract,
        Indexing(SETTINGS.chunking, CachedEmbedder(no_embedder, "none", EmbeddingCache(paths.embedding_cache))),
    )


@pytest.fixture
def factless(sample_data: Path, tmp_path: Path) -> Path:
    """The sample library as it was before facts were kept."""
    data = tmp_path / "library"
    shutil.copytree(sample_data, data)
    shutil.rmtree(data / "facts")
    return data


def test_every_ingested_report_has_its_facts(sample_data: Path) -> None:
    table = FactTable(facts_in(sample_data))
    for company in Library(data_paths(sample_data).catalog).companies():
        facts = table.of(company, company.reports[0])
        assert facts is not None
        assert facts.current("total_assets") is not None


def test_unchanged_reports_get_missing_facts_without_reading_or_embedding(factless: Path) -> None:
    extract = partial(extract_facts, ontology=ONTOLOGY)
    results = {(o.status, o.reason) for o in ingestor(factless, extract).ingest(samples_request())}
    assert results == {("unchanged", "its facts were read anew")}
    again = {(o.status, o.reason) for o in ingestor(factless, extract).ingest(samples_request())}
    assert again == {("unchanged", "")}


def test_a_rule_that_stumbles_over_one_report_is_told_and_stops_no_other(
    factless: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def extract(pages: Sequence[Page], report: Report) -> ReportFacts:
        if report.file == "veldhoorn_2024.pdf":
            raise ValueError("a row nobody thought of")
        return extract_facts(pages, report, ONTOLOGY)

    with caplog.at_level(logging.ERROR):
        results = {o.file: o for o in ingestor(factless, extract).ingest(samples_request())}
    assert {o.status for o in results.values()} == {"unchanged"}
    assert [o.file for o in results.values() if o.warning] == ["veldhoorn_2024.pdf"]
    assert "a row nobody thought of" in results["veldhoorn_2024.pdf"].warning
    assert "Traceback" in caplog.text
    repaired = ingestor(factless, partial(extract_facts, ontology=ONTOLOGY)).ingest(samples_request())
    assert {o.file: o.reason for o in repaired}["veldhoorn_2024.pdf"] == "its facts were read anew"


def test_facts_come_between_reading_and_embedding(sample_data: Path, tmp_path: Path) -> None:
    stages: list[str] = []
    reader = quick_reader(sample_data, tmp_path / "output")
    with open_pageproof("offline", overrides=reader, data=tmp_path / "data") as client:
        list(
            client.library.ingest(
                samples_request("ostermere_2024.pdf"),
                on_progress=lambda _path, stage, _done, _of: stages.append(stage),
            )
        )
    assert list(dict.fromkeys(stages)) == ["reading", "facts", "answers", "embedding"]


def test_other_metrics_make_other_facts_and_the_same_ones_the_same() -> None:
    fewer = Ontology(ONTOLOGY.metrics[1:])
    assert facts_fingerprint(SETTINGS.reader, Ontology.load()) == facts_fingerprint(SETTINGS.reader, ONTOLOGY)
    assert facts_fingerprint(SETTINGS.reader, fewer) != facts_fingerprint(SETTINGS.reader, ONTOLOGY)

"""Files that nothing uses any more go after a while; whatever a question may need stays."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly import build_maintenance
from app.library.maintenance import Leftovers
from app.settings import load_settings
from indexes.fingerprints import INDEX_VERSIONS, facts_fingerprint_of
from indexes.search.faiss_store import FaissStores
from indexes.search.index_edits import StoresOf
from storage.options import SECONDS_PER_DAY, Limit
from storage.paths import DataPaths
from storage.records.facts import ReportFacts
from storage.records.metrics import Ontology
from storage.records.reports import Report
from storage.stores.generations import Generations, Manifest
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore
from tests.support.example_pages import PAGE, report
from tests.support.samples import samples_request

NOW = 2_000_000_000.0
MONTH = Limit(days=30)
ONTOLOGY = Ontology.load()
HERE, GONE = report("a" * 40), report("b" * 40)


@contextmanager
def local_stores() -> Iterator[StoresOf]:
    yield lambda _: FaissStores("flat")


class SmallLibrary:
    """A data root whose files are made by hand; the settings read with the reader "now"."""

    def __init__(self, root: Path) -> None:
        self.paths = DataPaths(root)
        self.catalog = Library(self.paths.catalog)
        self.leftovers = Leftovers(self.paths, self.catalog, ONTOLOGY, "now", local_stores)

    def read(self, known: Report, reader: str) -> Path:
        PageStore(self.paths.pages, reader).write(known.sha1, [PAGE])
        return self.paths.pages / known.sha1 / f"{reader}.zip"

    def facts(self, known: Report, reader: str) -> Path:
        store = FactStore(self.paths.facts, facts_fingerprint_of(reader, ONTOLOGY))
        store.write(known, ReportFacts(report_sha1=known.sha1))
        return store.path(known)

    def pdf(self, known: Report) -> Path:
        path = self.paths.report_pdf(known.sha1)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"%PDF")
        return path

    def index(self, known: Report, reader: str, versions: tuple[int, ...] = INDEX_VERSIONS) -> Path:
        manifest = Manifest(
            company=known.company,
            fingerprint=f"index of {reader}",
            reader=reader,
            embedding_model="mock",
            dimensions=8,
            chunk_count=0,
            reports=(known,),
            versions=versions,
        )
        generations = Generations(self.paths.indexes / "acme" / f"index of {reader}")
        with generations.locked():
            return generations.publish(manifest.write)

    def prune(self, days_later: float = 31) -> list[str]:
        """The names of what is gone when all of it is so old."""
        before = {path for path in self.paths.root.rglob("*") if path.is_file()}
        for path in before:
            os.utime(path, (NOW, NOW))
        self.leftovers.prune(MONTH, NOW + days_later * SECONDS_PER_DAY)
        after = {path for path in self.paths.root.rglob("*") if path.is_file()}
        return sorted(str(path.relative_to(self.paths.root)) for path in before - after)


@pytest.fixture
def library(tmp_path: Path) -> SmallLibrary:
    small = SmallLibrary(tmp_path)
    small.catalog.add(HERE)
    return small


def test_what_is_left_of_a_report_that_is_in_no_catalog_and_no_index_goes(library: SmallLibrary) -> None:
    for known in (HERE, GONE):
        library.pdf(known)
        library.read(known, "now")
        library.facts(known, "now")
    assert library.leftovers.state().entries == 3
    gone = library.prune()
    assert len(gone) == 3
    assert all(GONE.sha1 in path for path in gone)
    assert not (library.paths.pages / GONE.sha1).exists()
    assert library.leftovers.state().entries == 0


def test_a_report_that_only_an_index_names_stays_when_the_catalog_lost_it(library: SmallLibrary) -> None:
    library.pdf(GONE)
    library.read(GONE, "now")
    library.index(GONE, "now")
    assert library.prune() == []


def test_nothing_goes_while_it_is_young_or_while_there_is_no_catalog(library: SmallLibrary) -> None:
    library.read(GONE, "now")
    assert library.prune(days_later=29) == []
    library.paths.catalog.unlink()
    assert library.prune() == []
    assert not library.paths.catalog.exists()


def test_pages_of_an_earlier_reader_go_once_no_index_rests_on_them(library: SmallLibrary) -> None:
    library.pdf(HERE)
    for reader in ("now", "of another profile", "earlier"):
        library.read(HERE, reader)
        library.facts(HERE, reader)
    library.index(HERE, "of another profile")
    gone = library.prune()
    assert f"pages/{HERE.sha1}/earlier.zip" in gone
    assert [Path(path).parts[0] for path in gone] == ["facts", "pages"]


def test_pages_that_could_not_be_read_again_stay(library: SmallLibrary) -> None:
    library.read(HERE, "earlier")  # its PDF is gone
    assert library.prune() == []


def test_facts_of_a_report_before_it_was_corrected_go(library: SmallLibrary) -> None:
    corrected = HERE.model_copy(update={"currency": "EUR"})
    before, after = library.facts(HERE, "now"), library.facts(corrected, "now")
    library.catalog.add(corrected)
    assert library.prune() == [str(before.relative_to(library.paths.root))]
    assert after.exists()


def test_earlier_generations_go_and_the_current_one_stays(library: SmallLibrary) -> None:
    first, second = library.index(HERE, "now"), library.index(HERE, "now")
    assert library.prune() == [str((first / "manifest.json").relative_to(library.paths.root))]
    assert second.exists()
    assert not first.exists()


def test_an_index_of_another_version_of_the_program_goes_with_its_pages(library: SmallLibrary) -> None:
    library.pdf(HERE)
    library.read(HERE, "of version 1")
    old = library.index(HERE, "of version 1", versions=(1,))
    unknown = library.index(HERE, "of unknown version", versions=())
    library.prune()
    assert not old.parent.exists()
    assert unknown.exists()
    assert library.prune() == [f"pages/{HERE.sha1}/of version 1.zip"]


def test_an_index_of_a_newer_version_of_the_program_stays_with_its_pages(library: SmallLibrary) -> None:
    library.pdf(HERE)
    library.read(HERE, "of a later version")
    later = library.index(HERE, "of a later version", versions=(INDEX_VERSIONS[0] + 1, *INDEX_VERSIONS[1:]))
    assert library.prune() == []
    assert later.exists()


def test_no_pages_go_while_an_index_cannot_say_what_it_rests_on(library: SmallLibrary) -> None:
    library.pdf(HERE)
    library.read(HERE, "earlier")
    (library.index(HERE, "now") / "manifest.json").write_text("garbage")
    assert library.prune() == []


def test_half_written_files_of_a_killed_process_go(library: SmallLibrary) -> None:
    draft = library.read(HERE, "now").with_name(".now.zip.1234abcd.draft")
    draft.write_bytes(b"half")
    assert library.prune() == [str(draft.relative_to(library.paths.root))]


def test_an_ingestion_ends_with_caches_within_their_limits(sample_data: Path, tmp_path: Path) -> None:
    data = tmp_path / "library"
    shutil.copytree(sample_data, data)
    left = data / "pages" / GONE.sha1 / "any.zip"
    left.parent.mkdir()
    left.write_bytes(b"x")
    os.utime(left, (0, 0))
    with open_pageproof("offline", data=data) as client:
        assert {o.status for o in client.library.ingest(samples_request())} == {"unchanged"}
    assert not left.exists()


def test_the_chat_s_start_prunes_the_shared_library_and_those_of_all_people(tmp_path: Path) -> None:
    shared = DataPaths(tmp_path)
    maintenance = build_maintenance(load_settings("offline", environment={}), shared)
    left = []
    for paths in (shared, shared.of_owner("ann"), shared.of_owner("bob")):
        Library(paths.catalog).add(HERE)
        picture = paths.pictures / HERE.sha1 / "0001.png"
        picture.parent.mkdir(parents=True)
        picture.write_bytes(b"x")
        os.utime(picture, (0, 0))
        left.append(picture)
    maintenance.prune_everywhere()
    assert [picture.exists() for picture in left] == [False, False, False]


def test_a_cache_that_is_damaged_stops_neither_the_others_nor_the_doctor(tmp_path: Path) -> None:
    paths = DataPaths(tmp_path)
    paths.answer_cache.write_bytes(b"garbage " * 1000)
    left = paths.pictures / HERE.sha1 / "0001.png"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"x")
    os.utime(left, (0, 0))
    maintenance = build_maintenance(load_settings("offline", environment={}), paths)
    errors = {cache.name: cache.error for cache in maintenance.measured()}
    assert [name for name, error in errors.items() if error] == ["answers"]
    assert "not a database" in errors["answers"]
    maintenance.prune()
    assert not left.exists()

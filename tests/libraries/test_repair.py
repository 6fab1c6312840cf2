"""`pageproof repair` and `doctor --deep`: what they see, what they do, and that all is as before."""

import json
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import open_pageproof
from app.assembly.shared_parts import SharedParts
from app.command_line import run
from app.library.repair import Damage, LibraryChecks, LibraryRepair
from indexes.ingestion.requests import IngestRequest
from storage.errors import DamagedFile, NotWritable
from storage.options import SECONDS_PER_DAY
from storage.paths import DataPaths
from storage.records.metrics import Ontology
from storage.stores.database import FORMAT
from storage.stores.library import COPIES, CatalogCopies, Library
from storage.stores.pages import PageStore
from tests.support.damage import WAYS, altered, cut, garbage, gone
from tests.support.example_pages import report
from tests.support.samples import OSTERMERE, SAMPLES

ONTOLOGY = Ontology.load()
NAME = "Ostermere Instruments Holding, Inc."


@pytest.fixture
def data(sample_data: Path, tmp_path: Path) -> Path:
    """A library with a correction by a person, and a copy of its catalog."""
    root = tmp_path / "library"
    shutil.copytree(sample_data, root)
    with open_pageproof(data=root) as client:
        (found,) = [c for c in client.companies() if c.name == OSTERMERE]
        client.library.correct(found.reports[0].sha1, company=NAME)
    return root


@pytest.fixture(scope="module")
def newer(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library whose catalog says that a version wrote it which is not yet made; one for all, as nobody writes it."""
    root = tmp_path_factory.mktemp("newer") / "library"
    shutil.copytree(sample_data, root)
    with closing(sqlite3.connect(root / "library.sqlite")) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    return root


def contents(root: Path) -> dict[Path, tuple[int, int]]:
    """Each file with its size and its time."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}


def damages(data: Path) -> list[Damage]:
    return list(LibraryChecks(DataPaths(data), ONTOLOGY).all())


def names(data: Path) -> list[str]:
    return [company.name for company in Library(DataPaths(data).catalog).companies()]


@pytest.mark.parametrize("damage", WAYS)
def test_a_damaged_catalog_is_named_and_goes_back_to_its_copy_with_its_corrections(
    data: Path, damage: Callable[[Path], None], capfd: pytest.CaptureFixture[str]
) -> None:
    before = Library(DataPaths(data).catalog).companies()
    damage(data / "library.sqlite")
    for command in (["ask", "What was the revenue of Ostermere?"], ["companies"], ["facts"], ["ingest"]):
        assert run([*command, "--data", str(data)]) == 3
        assert (
            capfd.readouterr()
            .err.splitlines()[-1]
            .endswith("run `pageproof repair`, which goes back to the last copy of it")
        )

    assert run(["repair", "--data", str(data)]) == 0

    assert "the catalog is that of the copy library-" in capfd.readouterr().out
    assert Library(DataPaths(data).catalog).companies() == before
    assert damages(data) == []


@pytest.mark.parametrize(
    "command",
    [
        *(["ask", "What was the revenue of Ostermere?"], ["companies"], ["facts"], ["ingest", str(SAMPLES)]),
        *(["doctor", "--deep"], ["repair"], ["upgrade"], ["chat", "--headless", "--port", "0"]),
        *(["serve", "--port", "0"], ["mcp"]),
    ],
    ids=lambda command: command[0],
)
def test_a_library_of_a_newer_version_is_refused_in_one_line_and_left_as_it_is(
    command: list[str], newer: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = contents(newer)
    assert run([*command, "--data", str(newer)]) == 3
    said = capfd.readouterr().err.splitlines()[-1]
    assert "library.sqlite was written by a newer version of Pageproof" in said
    assert contents(newer) == before


def test_reports_that_came_after_the_copy_are_in_the_catalog_again(data: Path) -> None:
    paths = DataPaths(data)
    before = names(data)
    with sqlite3.connect(CatalogCopies(paths.catalog, paths.copies).all()[0]) as copy:
        copy.execute("DELETE FROM report WHERE file = 'veldhoorn_2024.pdf'")
    copy.close()
    garbage(paths.catalog)
    steps = [step.what for step in LibraryRepair(paths, ONTOLOGY).repair()]
    assert "veldhoorn_2024.pdf is in the catalog again, as its index knows it" in steps
    assert names(data) == before


def test_a_report_that_left_after_the_copy_does_not_come_back(data: Path) -> None:
    paths = DataPaths(data)
    (copy,) = CatalogCopies(paths.catalog, paths.copies).all()
    content = copy.read_bytes()
    with open_pageproof(data=data) as client:
        (found,) = [c for c in client.companies() if c.name == NAME]
        client.library.remove(found.reports[0].sha1)
    copy.write_bytes(content)
    gone(paths.catalog)
    list(LibraryRepair(paths, ONTOLOGY).repair())
    assert NAME not in names(data)
    assert damages(data) == []


def test_without_a_copy_the_catalog_is_made_again_from_the_indexes(
    data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = names(data)
    shutil.rmtree(data / "copies")
    cut(data / "library.sqlite")
    assert run(["repair", "--data", str(data)]) == 1
    assert "other names of companies are lost" in capfd.readouterr().err
    assert names(data) == before


def test_a_damaged_copy_is_passed_over_for_the_one_before(data: Path) -> None:
    paths = DataPaths(data)
    (first,) = CatalogCopies(paths.catalog, paths.copies).all()
    older = first.with_name("library-2020-01-01.sqlite")
    shutil.copy(first, older)
    cut(first)
    assert CatalogCopies(paths.catalog, paths.copies).latest_sound() == older


def test_there_is_one_copy_for_each_of_the_last_days_and_it_is_the_latest_of_its_day(tmp_path: Path) -> None:
    library = Library(tmp_path / "library.sqlite")
    now = [0.0]
    copies = CatalogCopies(tmp_path / "library.sqlite", tmp_path / "copies", lambda: now[0])
    assert copies.take() is None
    for day in range(COPIES + 3):
        now[0] = day * SECONDS_PER_DAY
        for hour in range(2):
            library.add(report(f"{day} {hour}"))
            copies.take()
    found = copies.all()
    assert len(found) == COPIES
    assert found[0].name == "library-1970-01-10.sqlite"
    assert len(Library(found[0]).companies()[0].reports) == 2 * (COPIES + 3)
    assert len(Library(found[-1]).companies()[0].reports) == 2 * 4


def test_the_latest_copy_stays_the_latest_when_the_clock_is_set_back(tmp_path: Path) -> None:
    library = Library(tmp_path / "library.sqlite")
    now = [100 * SECONDS_PER_DAY]
    copies = CatalogCopies(tmp_path / "library.sqlite", tmp_path / "copies", lambda: now[0])
    for day, name in ((99, "a"), (100, "b"), (3, "c")):
        now[0] = day * SECONDS_PER_DAY
        library.add(report(name))
        copies.take()
    latest = copies.latest_sound()
    assert latest is not None
    assert Library(latest).companies() == library.companies()
    assert len(copies.all()) == 2


def test_no_copy_names_a_report_that_was_removed(data: Path) -> None:
    paths = DataPaths(data)
    tomorrow = time.time() + 24 * 60 * 60
    assert CatalogCopies(paths.catalog, paths.copies).take() is not None
    assert CatalogCopies(paths.catalog, paths.copies, lambda: tomorrow).take() is not None
    with open_pageproof(data=data) as client:
        (found,) = [c for c in client.companies() if c.name == NAME]
        client.library.remove(found.reports[0].sha1)
    assert len(list(paths.copies.iterdir())) == 2
    for copy in paths.copies.iterdir():
        assert found.reports[0].sha1.encode() not in copy.read_bytes()
        assert NAME.encode() not in copy.read_bytes()


def test_a_damaged_or_empty_catalog_takes_no_copy_s_place(tmp_path: Path) -> None:
    library = Library(tmp_path / "library.sqlite")
    library.add(report("a"))
    copies = CatalogCopies(tmp_path / "library.sqlite", tmp_path / "copies")
    copy = copies.take()
    assert copy is not None
    content = copy.read_bytes()
    garbage(tmp_path / "library.sqlite")
    assert copies.take() is None
    gone(tmp_path / "library.sqlite")
    Library(tmp_path / "library.sqlite").prepare()
    assert copies.take() is None
    assert copy.read_bytes() == content


def test_the_doctor_sees_every_damaged_file_and_repair_puts_it_in_order(
    data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = DataPaths(data)
    with open_pageproof(data=data) as client:
        client.ask("What was the total revenue of Veldhoorn Packaging?")
    picture = paths.pictures / ("a" * 40) / "0001.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    harmed = {
        "database": [paths.embedding_cache, paths.runs],
        "facts": [next(paths.facts.glob("*/*.json"))],
        "index": [next(paths.indexes.glob("*/*/*/manifest.json"))],
        "PDF": [next(paths.reports.glob("*.pdf"))],
    }
    for path in (path for paths_ in harmed.values() for path in paths_):
        garbage(path)

    assert run(["doctor", "--deep", "--json", "--data", str(data)]) == 3
    findings = [f for f in json.loads(capfd.readouterr().out) if f["what"].startswith("damaged ")]
    assert sorted(f["what"] for f in findings) == sorted(
        [*(f"damaged {kind}" for kind, files in harmed.items() for _ in files), "damaged picture"]
    )

    assert run(["repair", "--data", str(data)]) == 1
    output = capfd.readouterr()
    (advice,) = [line for line in output.err.splitlines() if "on your own copy of" in line and "reports/" in line]
    assert "run `pageproof ingest` on your own copy of " in advice
    assert [damage.kind for damage in damages(data)] == ["PDF"]

    assert run(["ingest", str(SAMPLES), "--catalog", str(SAMPLES / "catalog.csv"), "--data", str(data)]) == 0
    assert damages(data) == []
    assert run(["repair", "--data", str(data)]) == 0
    assert "nothing is damaged" in capfd.readouterr().out


def test_what_is_gone_is_seen_and_made_again(data: Path) -> None:
    paths = DataPaths(data)
    (veldhoorn,) = [c.reports[0].sha1 for c in Library(paths.catalog).companies() if "Veldhoorn" in c.name]
    gone(next(paths.facts.glob(f"{veldhoorn}/*.json")))
    gone(next(paths.indexes.glob("*/*/current")))
    assert sorted(damage.kind for damage in damages(data)) == ["facts", "index"]
    assert run(["repair", "--data", str(data)]) == 0
    assert damages(data) == []


def test_the_chat_s_start_makes_again_what_is_damaged_and_nothing_else(
    data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    paths = DataPaths(data)
    shared = SharedParts()
    with open_pageproof(data=data, shared=shared) as client:
        assert list(client.library.make_again()) == []
        facts = next(paths.facts.glob("*/*.json"))
        altered(facts) if b"pageproof" in facts.read_bytes()[:20] else cut(facts)
        gone(next(paths.indexes.glob("ostermere*/*/*/docstore.json")))
        results = {result.sha1: result.status for result in client.library.make_again()}
        assert facts.parent.name in results
        assert set(results.values()) == {"indexed", "unchanged"} or set(results.values()) == {"indexed"}
        assert damages(data) == []
    assert "is damaged" in caplog.text or "are damaged" in caplog.text
    shared.close()


def test_other_settings_do_not_make_a_library_s_index_at_the_chat_s_start(data: Path) -> None:
    with open_pageproof(data=data, overrides=["chunking.tokens=200"]) as client:
        assert list(client.library.make_again()) == []


def test_an_ingestion_ends_with_a_copy_of_the_catalog(data: Path) -> None:
    shutil.rmtree(data / "copies")
    with open_pageproof(data=data) as client:
        list(client.library.ingest(IngestRequest()))
    paths = DataPaths(data)
    (copy,) = CatalogCopies(paths.catalog, paths.copies).all()
    assert Library(copy).companies() == Library(paths.catalog).companies()


def test_a_catalog_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "library.sqlite").symlink_to("/proc/there is no such folder/library.sqlite")
    with pytest.raises(NotWritable, match=r"cannot be written \(unable to open database file\); make room"):
        Library(tmp_path / "library.sqlite").add(report("a"))


def test_a_catalog_that_is_a_folder_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "library.sqlite").mkdir()
    with pytest.raises(DamagedFile, match="run `pageproof repair`"):
        Library(tmp_path / "library.sqlite").companies()


def test_a_repair_leaves_alone_what_was_published_meanwhile(data: Path) -> None:
    paths = DataPaths(data)
    cut(next(paths.pages.glob("*/*.zip")))
    cut(next(paths.indexes.glob("*/*/*/docstore.json")))
    seen = list(LibraryChecks(paths, ONTOLOGY).all())
    with open_pageproof(data=data) as client:
        assert {result.status for result in client.library.make_again()} <= {"indexed", "unchanged"}
    before = sorted(path for path in data.rglob("*") if "damaged" not in path.parts)

    class SeenBefore(LibraryChecks):
        def all(self) -> Iterator[Damage]:
            return iter(seen)

    repair = LibraryRepair(paths, ONTOLOGY, SeenBefore(paths, ONTOLOGY))

    assert [damage.kind for damage in seen] == ["index", "pages"]
    assert list(repair.repair()) == []
    assert sorted(path for path in data.rglob("*") if "damaged" not in path.parts) == before


def test_nothing_of_a_removed_report_is_left_among_the_damaged_files(data: Path) -> None:
    paths = DataPaths(data)
    with open_pageproof(data=data) as client:
        (sha1,) = [c.reports[0].sha1 for c in client.companies() if c.name == NAME]
    for path in (*paths.pages.glob("*/*.zip"), *paths.facts.glob("*/*.json"), *paths.reports.glob("*.pdf")):
        cut(path)
    for manifest in paths.indexes.glob("*/*/*/manifest.json"):
        cut(manifest)
    cut(paths.catalog)
    list(LibraryRepair(paths, ONTOLOGY).repair())
    assert any(path.stem == sha1 for path in paths.damaged.rglob("*"))
    others = {path.parent.name for path in paths.damaged.rglob("*.zip")} - {sha1}
    with open_pageproof(data=data) as client:
        client.library.remove(sha1)
    assert not any(path.stem == sha1 or "ostermere" in path.name for path in data.rglob("*"))
    assert not list(paths.damaged.glob("*/library.sqlite*"))
    assert {path.parent.name for path in paths.damaged.rglob("*.zip")} == others


def test_a_database_that_is_in_use_is_not_damaged(data: Path) -> None:
    paths = DataPaths(data)
    with sqlite3.connect(paths.embedding_cache, isolation_level=None) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert damages(data) == []
    writer.close()


@pytest.mark.parametrize("damage", WAYS)
def test_a_damaged_copy_of_the_catalog_is_seen_and_removed(data: Path, damage: Callable[[Path], None]) -> None:
    paths = DataPaths(data)
    copies = CatalogCopies(paths.catalog, paths.copies)
    (copy,) = copies.all()
    damage(copy)
    assert [found.kind for found in damages(data)] == (["copy"] if copy.exists() else [])
    list(LibraryRepair(paths, ONTOLOGY).repair())
    assert damages(data) == []
    assert not copy.exists()


def test_facts_of_an_older_version_are_announced_with_their_cost_and_made_again(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_data, data)
    for file in (data / "facts").rglob("*.json"):
        file.rename(file.with_name(f"older-{file.name}"))
    place = ["--data", str(data)]
    run(["doctor", *place])
    assert "of an older version or other settings: 3 reports with facts to make, about 1 minute" in (
        capsys.readouterr().out
    )
    assert run(["upgrade", *place]) == 0
    assert "3 reports with facts to make" in capsys.readouterr().err
    assert run(["upgrade", *place]) == 0
    assert capsys.readouterr().out == "everything is of this version\n"


def test_pictures_that_are_left_are_announced_while_their_pdf_is_there(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_data, data)
    archive = next((data / "pages").rglob("*.zip"))
    pages, sha1 = PageStore(data / "pages", archive.stem), archive.parent.name
    first, *others = pages.read(sha1)
    pages.write(sha1, [first.model_copy(update={"unread_pictures": True}), *others])
    run(["doctor", "--data", str(data)])
    assert "opened; pictures of 1 report are not read yet" in capsys.readouterr().out
    DataPaths(data).report_pdf(sha1).unlink()
    run(["doctor", "--data", str(data)])
    assert "pictures of" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("index", "indexes/*/*/current"),
        ("index", "indexes/*/*/*/default__vector_store.json"),
        ("pages", "pages/*/*.zip"),
    ],
    ids=["pointer", "vectors", "pages"],
)
def test_the_doctor_fails_for_what_questions_rest_on_without_being_asked_to_look_deep(
    data: Path, capfd: pytest.CaptureFixture[str], kind: str, pattern: str
) -> None:
    garbage(next(data.glob(pattern)))

    assert run(["doctor", "--json", "--data", str(data)]) == 3

    (found,) = [f for f in json.loads(capfd.readouterr().out) if f["what"].startswith("damaged ")]
    assert (found["what"], found["advice"]) == (f"damaged {kind}", "run `pageproof repair`")
    assert run(["repair", "--data", str(data)]) == 0
    assert run(["doctor", "--data", str(data)]) == 0

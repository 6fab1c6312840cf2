import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.errors import MissingIndex, StaleIndex
from storage.files import write_atomically
from storage.records.pages import Cell, Table
from storage.stores.caches import EmbeddingCache
from storage.stores.database import Database
from storage.stores.generations import Generations, Manifest
from storage.stores.library import Library
from storage.stores.pages import PageStore, StampedCache
from tests.support.example_pages import PAGE, TABLE, report


def test_pages_are_parsed_once_and_again_when_their_report_was_read_anew(tmp_path: Path) -> None:
    store = PageStore(tmp_path, "reader")
    store.write("ab", [PAGE, PAGE.model_copy(update={"page_number": 8})])
    first, second = store.read("ab", [7, 8])
    assert store.read("ab", [8, 7, 8]) == [second, first, second]
    assert store.read("ab", [7])[0] is first
    PageStore(tmp_path, "reader").write("ab", [PAGE.model_copy(update={"width": 500})])  # as another process does
    assert store.read("ab", [7])[0].width == 500
    with pytest.raises(KeyError):
        store.read("ab", [8])


def test_a_whole_report_is_not_kept_in_memory(tmp_path: Path) -> None:
    store = PageStore(tmp_path, "reader")
    store.write("ab", [PAGE])
    (first,) = store.read("ab")
    assert store.read("ab", [7])[0] is not first


def test_what_is_kept_in_memory_makes_room_by_weight_for_what_was_used_last() -> None:
    cache: StampedCache[str, int] = StampedCache(10)
    for number, key in enumerate("abc"):
        cache.put(key, (1, 1), number, weight=4)
    assert [cache.get(key, (1, 1)) for key in "abc"] == [None, 1, 2]
    cache.get("b", (1, 1))
    cache.put("d", (1, 1), 3, weight=4)
    assert [cache.get(key, (1, 1)) for key in "bcd"] == [1, None, 3]
    assert cache.get("b", (1, 2)) is None  # its file changed
    cache.put("b", (1, 2), 9, weight=11)  # more than all
    assert [cache.get(key, (1, 2)) for key in "bd"] == [None, None]
    assert cache.get("d", (1, 1)) == 3


def test_a_page_reads_as_markdown_without_headers_and_footers() -> None:
    assert PAGE.markdown == (
        "## Results\n\n|  | Year ended 2024 | Year ended 2023 |\n| --- | --- | --- |\n| Revenue \\| net | (1,249) | – |"
    )


def test_a_table_reads_as_html_with_spans_and_headers() -> None:
    assert '<th colspan="2">Year ended</th>' in TABLE.html()
    assert "<tr><th>Revenue | net</th><td>(1,249)</td><td>–</td></tr>" in TABLE.html()


def test_a_place_without_a_cell_keeps_its_column_in_html() -> None:
    cells = (
        Cell(row=0, column=2, text="2024", role="column_header"),
        Cell(row=1, column=0, text="Cash", role="row_label"),
    )
    table = Table(row_count=2, column_count=3, cells=cells)
    assert table.html().splitlines()[1:3] == [
        "<tr><td></td><td></td><th>2024</th></tr>",
        "<tr><th>Cash</th><td></td><td></td></tr>",
    ]


def test_pages_come_back_from_the_store_as_they_went_in(tmp_path: Path) -> None:
    store = PageStore(tmp_path, "reader")
    store.write("ab", [PAGE])
    assert store.read("ab") == [PAGE]
    assert store.read("ab", [7])[0].tables == (TABLE,)
    assert "ab" in store
    assert "ab" not in PageStore(tmp_path, "another reader")


def test_pages_that_were_never_read_are_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingIndex, match="run `pageproof ingest`"):
        PageStore(tmp_path, "reader").read("ab")


def test_the_library_lists_companies_by_name_and_reports_newest_first(tmp_path: Path) -> None:
    library = Library(tmp_path / "library.sqlite")
    library.add(report("a", year=2022), ("Acme",))
    library.add(report("b", year=2024), ("ACM",))
    library.add(report("c", company="Zeta plc"))
    acme, zeta = library.companies()
    assert [r.sha1 for r in acme.reports] == ["b", "a"]
    assert acme.aliases == ("Acme", "ACM")
    assert zeta.name == "Zeta plc"
    assert library.report("b") == report("b", year=2024)
    assert library.report("nothing") is None


def test_what_another_library_adds_is_seen_and_nothing_is_read_twice(tmp_path: Path) -> None:
    one, other = Library(tmp_path / "library.sqlite"), Library(tmp_path / "library.sqlite")
    other.add(report("a"))
    seen = one.companies()
    assert one.companies() is seen
    other.add(report("b", "Beta plc"))
    assert [c.name for c in one.companies()] == ["Acme Inc.", "Beta plc"]


def test_a_report_that_changes_its_company_leaves_no_empty_company_behind(tmp_path: Path) -> None:
    library = Library(tmp_path / "library.sqlite")
    library.add(report("a", company="Acmee Inc."))
    library.add(report("a", company="Acme Inc."))
    assert [c.name for c in library.companies()] == ["Acme Inc."]


def test_many_threads_may_add_reports_at_once(tmp_path: Path) -> None:
    def add(number: int) -> None:
        Library(tmp_path / "library.sqlite").add(report(f"{number}"))

    threads = [threading.Thread(target=add, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Library(tmp_path / "library.sqlite").companies()[0].reports) == 12


def test_a_generation_that_fails_to_fill_leaves_the_old_one_current(tmp_path: Path) -> None:
    generations = Generations(tmp_path)
    with generations.locked():
        first = generations.publish(lambda folder: (folder / "x").write_text("1") and None)

    def fail(folder: Path) -> None:
        (folder / "x").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"), generations.locked():
        generations.publish(fail)
    assert generations.current() == first
    assert [p.name for p in tmp_path.iterdir() if p.is_dir()] == [first.name]


def test_only_the_last_two_generations_are_kept(tmp_path: Path) -> None:
    generations = Generations(tmp_path)
    with generations.locked():
        folders = [generations.publish(lambda folder: (folder / "x").touch()) for _ in range(4)]
    assert sorted(p for p in tmp_path.iterdir() if p.is_dir()) == folders[2:]
    assert generations.current() == folders[3]


def test_who_waited_for_a_folder_that_was_removed_publishes_into_a_new_one(tmp_path: Path) -> None:
    home = tmp_path / "company" / "print"

    def publish() -> Path:
        generations = Generations(home)
        with generations.locked():
            return generations.publish(lambda folder: (folder / "x").touch())

    publish()
    generations = Generations(home)
    with ThreadPoolExecutor(1) as threads:
        with generations.locked():
            publishing = threads.submit(publish)
            with pytest.raises(TimeoutError):  # it waits
                publishing.result(0.3)
            generations.drop_all()
            generations.remove_empty()
        made = publishing.result(30)
    assert generations.current() == made
    assert (home / "lock").exists()


def test_a_manifest_of_another_format_asks_for_a_new_ingestion(tmp_path: Path) -> None:
    manifest = Manifest(
        format=99,
        company="A",
        fingerprint="f",
        reader="r",
        embedding_model="m",
        dimensions=2,
        chunk_count=0,
        reports=(),
    )
    manifest.write(tmp_path)
    with pytest.raises(StaleIndex, match="format 99"):
        Manifest.read(tmp_path)


def test_vectors_are_kept_by_text_and_model(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "vectors.sqlite")
    cache.put("m", [("one", [1.0, 0.5]), ("two", [0.25, 0.0])])
    assert cache.get("m", ["two", "one", "three"])["one"].tolist() == [1.0, 0.5]
    assert set(cache.get("m", ["two", "three"])) == {"two"}
    assert cache.get("another", ["one"]) == {}


def test_the_companies_are_the_same_object_while_others_read_and_new_after_a_change(tmp_path: Path) -> None:
    library = Library(tmp_path / "library.sqlite")
    library.add(report("ab"))
    with Database(tmp_path / "library.sqlite", "").reading() as connection:
        connection.execute("SELECT * FROM company").fetchall()
        before = library.companies()  # while somebody else has the file open
    assert library.companies() is before
    library.add(report("ab").model_copy(update={"currency": "CHF"}))
    assert library.companies()[0].reports[0].currency == "CHF"


def test_what_a_killed_writer_had_begun_is_gone_after_the_next_publication(tmp_path: Path) -> None:
    generations = Generations(tmp_path)
    begun = tmp_path / "000001-0123abcd" / ".manifest.json.4567cdef.draft"
    begun.parent.mkdir()
    pointer = tmp_path / ".current.4addb95d.draft"
    for draft in (begun, pointer):
        draft.write_text("{")
    with generations.locked():
        generations.publish(lambda folder: write_atomically(folder / "manifest.json", b"{}"))
    assert not begun.exists()
    assert not pointer.exists()
    current = generations.current()
    assert current is not None
    assert (current / "manifest.json").read_bytes() == b"{}"

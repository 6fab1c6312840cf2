"""What an ingestion reads and writes while it runs, with doubles for the parser and the embedding model."""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from indexes.ingestion.ingestion import Indexing
from indexes.ingestion.requests import Ingested, IngestRequest
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import reading_ahead
from query_engines.retrieval.index_cache import IndexCache
from query_engines.retrieval.retrievers import PageRetriever
from storage.errors import IngestionStopped, MissingIndex, SetupError
from storage.files import sha1_of
from tests.support.small_library import ACME, SETTINGS, SmallLibrary


@pytest.fixture
def library(tmp_path: Path) -> SmallLibrary:
    return SmallLibrary(tmp_path)


def test_a_report_s_pages_are_parsed_once_in_an_ingestion(library: SmallLibrary, tmp_path: Path) -> None:
    request = IngestRequest(paths=[library.pdf("2023.pdf"), library.pdf("2024.pdf")], export=tmp_path / "export")
    results = list(library.editor.ingest(request))
    assert [o.status for o in results] == ["indexed", "indexed"]
    assert library.pages.reads == {o.sha1: 1 for o in results}
    assert sorted(p.name for p in (tmp_path / "export" / results[0].sha1).iterdir()) == [
        "0001.md",
        "0002.md",
        "0003.md",
        "pages.json",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [(b"x\nindexed y.pdf", "x indexed y.pdf"), ("a\u202efdp.pdf".encode(), "afdp.pdf")],
    ids=["two lines", "turned round"],
)
def test_a_file_whose_name_is_no_line_of_text_is_read_under_one_that_is(
    name: bytes, shown: str, library: SmallLibrary
) -> None:
    (result,) = library.ingest(os.fsdecode(name))
    assert (result.file, result.status) == (shown, "indexed")
    assert [report.file for report in library.catalog.companies()[0].reports] == [shown]


def test_a_file_whose_name_is_no_text_is_named_and_the_others_are_read(library: SmallLibrary) -> None:
    failed, read = library.ingest(os.fsdecode(b"bad\xff.pdf"), "good.pdf")
    assert (failed.file, failed.status) == ("bad\ufffd.pdf", "failed")
    assert failed.reason.endswith("bad\ufffd.pdf: the name of the file is no text; rename it")
    assert (read.file, read.status) == ("good.pdf", "indexed")


def test_the_next_pdf_is_read_while_the_last_is_embedded(library: SmallLibrary) -> None:
    library.model.happens = lambda: [library.given.acquire(timeout=5) for _ in range(2)]
    results = library.ingest("a.pdf", "b.pdf")
    assert [result.status for result in results] == ["indexed", "indexed"]
    assert not library.given.acquire(blocking=False)  # both had been read when the first was embedded


def test_a_new_report_answers_before_its_vectors_are_made(library: SmallLibrary) -> None:
    found: list[Any] = []
    searches = IndexCache(
        library.indexes,
        library.embedder,
        library.pages.read,
        lambda: Indexing(SETTINGS.chunking, library.embedder).parser,
    )

    def look() -> None:
        (report,) = library.catalog.companies()[0].reports
        searches.check(ACME, report)
        search = searches.get(ACME, report)
        found.extend([search.index, len(PageRetriever(search, "hybrid", 5).retrieve("auditor's report"))])
        found.extend([report in library.facts, library.indexes.generation(ACME)])

    library.model.happens = look
    (result,) = library.ingest("2024.pdf")
    assert found == [None, 1, True, result.sha1]
    (report,) = library.catalog.companies()[0].reports
    assert searches.get(ACME, report).index is not None
    assert library.indexes.announced(ACME) == ()


def test_all_reports_answer_before_the_vectors_of_the_first_are_made(library: SmallLibrary) -> None:
    stages: list[str] = []
    both = threading.Semaphore(0)

    def on_progress(path: Path, stage: str, *_: int) -> None:
        stages.append(f"{path.stem} {stage}")
        if stage == "answers":
            both.release()

    library.model.happens = lambda: [both.acquire(timeout=10) for _ in range(2)]
    paths = [library.pdf("a.pdf"), library.pdf("b.pdf")]
    assert [r.status for r in library.editor.ingest(IngestRequest(paths=paths), on_progress)] == ["indexed"] * 2
    assert stages.index("b answers") < stages.index("a embedding")


def test_pictures_are_read_when_all_reports_have_their_vectors_and_their_text_is_found_then(
    library: SmallLibrary,
) -> None:
    library.drawn.append("A picture of sales by region")
    seen: list[tuple[int, int]] = []
    for _ in library.editor.ingest(IngestRequest(paths=[library.pdf("a.pdf"), library.pdf("b.pdf")])):
        seen.append((library.extracted, library.found("picture of sales")))
    assert seen[-1] == (2, 0)
    assert (library.extracted, library.found("picture of sales")) == (4, 2)
    assert library.editor.with_unread_pictures() == []
    assert [result.status for result in library.ingest("a.pdf", "b.pdf")] == ["unchanged"] * 2
    assert library.extracted == 4


def test_a_picture_without_text_changes_nothing(library: SmallLibrary) -> None:
    library.drawn.append("")
    library.ingest("a.pdf")
    assert (library.extracted, library.editor.with_unread_pictures()) == (1, [])


def test_pictures_may_be_left_for_another_time(library: SmallLibrary, tmp_path: Path) -> None:
    library.drawn.append("A picture of sales by region")
    path = library.pdf("a.pdf")
    (result,) = library.editor.ingest(IngestRequest(paths=[path], pictures=False))
    assert (result.status, result.unread_pictures, library.found("picture of sales")) == ("indexed", 1, 0)
    with pytest.raises(IngestionStopped):
        library.editor.read_pictures(stopped=lambda: True)
    assert [report.sha1 for report in library.editor.with_unread_pictures()] == [result.sha1]
    library.editor.read_pictures()
    assert (library.editor.with_unread_pictures(), library.found("picture of sales")) == ([], 1)
    again = IngestRequest(paths=[path], export=tmp_path / "export")
    assert [result.status for result in library.editor.ingest(again)] == ["unchanged"]
    assert "picture of sales" in (tmp_path / "export" / result.sha1 / "0001.md").read_text()


def test_what_pictures_say_is_published_by_the_next_ingestion_after_a_crash(library: SmallLibrary) -> None:
    library.drawn.append("A picture of sales by region")
    path = library.pdf("a.pdf")
    list(library.editor.ingest(IngestRequest(paths=[path], pictures=False)))

    def die() -> None:
        raise SetupError("killed")

    library.model.happens = die
    with pytest.raises(SetupError, match="killed"):
        library.editor.read_pictures()
    assert library.found("picture of sales") == 0
    assert [result.status for result in library.editor.ingest(IngestRequest(paths=[path]))] == ["unchanged"]
    assert (library.found("picture of sales"), library.editor.with_unread_pictures()) == (1, [])


def test_a_report_that_is_removed_meanwhile_does_not_come_back_by_its_pictures(library: SmallLibrary) -> None:
    library.drawn.append("A picture of sales by region")
    (result,) = library.editor.ingest(IngestRequest(paths=[library.pdf("a.pdf")], pictures=False))
    library.meanwhile.append(lambda: library.editor.remove(result.sha1))
    library.editor.read_pictures()
    assert library.catalog.companies() == ()
    assert result.sha1 not in library.pages
    assert library.indexes.manifest(ACME) is None


def test_vectors_that_fail_leave_a_report_that_answers_and_is_finished_by_the_next_ingestion(
    library: SmallLibrary,
) -> None:
    def fail() -> None:
        raise SetupError("no model")

    library.model.happens = fail
    with pytest.raises(SetupError, match="no model"):
        library.ingest("2024.pdf")
    assert [r.file for r in library.catalog.companies()[0].reports] == ["2024.pdf"]
    assert len(library.indexes.announced(ACME)) == 1
    assert [r.status for r in library.ingest("2024.pdf")] == ["indexed"]
    assert library.indexes.announced(ACME) == ()


def test_a_report_that_is_published_and_announced_is_searched_by_its_vectors_after_the_next_ingestion(
    library: SmallLibrary,
) -> None:
    library.ingest("2024.pdf")
    (report,) = library.catalog.companies()[0].reports
    library.indexes.announce(report)  # as if killed between both
    assert [result.status for result in library.ingest("2024.pdf")] == ["unchanged"]
    assert library.indexes.announced(ACME) == ()


def test_nothing_is_left_of_a_report_that_is_removed_before_its_vectors_are_made(library: SmallLibrary) -> None:
    sha1 = sha1_of(library.pdf("2024.pdf"))
    removed = while_embedding(
        library, lambda: library.editor.remove(sha1), lambda: library.catalog.report(sha1) is None
    )
    (result,) = library.ingest("2024.pdf")
    removed.result()
    assert result.status == "failed"
    assert not any(path.is_file() for path in library.paths.indexes.rglob("*"))


def test_a_reading_whose_results_nobody_takes_ends(tmp_path: Path) -> None:
    class EndlessPool:
        rounds, ended = 0, threading.Event()

        def read(self, tasks: Sequence[ReadingTask], _: object, check: Callable[[], None]) -> Iterator[Any]:
            try:
                while True:
                    check()
                    self.rounds += 1
                    yield tasks[0], ""
            finally:
                self.ended.set()

    pool = EndlessPool()
    with reading_ahead(pool, [ReadingTask(tmp_path, "0" * 40)]) as reading:
        next(reading)
    assert pool.ended.is_set()


def test_what_stops_the_pool_is_raised_where_its_results_are_taken(tmp_path: Path) -> None:
    class BrokenPool:
        def read(self, tasks: Sequence[ReadingTask], *_: object) -> Iterator[Any]:
            yield tasks[0], ""
            raise SetupError("weights are missing")

    with reading_ahead(BrokenPool(), [ReadingTask(tmp_path, "0" * 40)]) as reading:
        assert next(reading)[1] == ""
        with pytest.raises(SetupError, match="weights are missing"):
            next(reading)


def test_publishing_a_report_reads_no_other_report_of_its_company(library: SmallLibrary, tmp_path: Path) -> None:
    for name in ("2022.pdf", "2023.pdf"):
        library.ingest(name)
    library.pages.reads.clear()
    (third,) = library.ingest("2024.pdf")
    assert library.pages.reads == {third.sha1: 1}
    at_once = SmallLibrary(tmp_path / "other")
    at_once.ingest("2022.pdf", "2023.pdf", "2024.pdf")
    assert published_chunks(library) == published_chunks(at_once)


def published_chunks(library: SmallLibrary) -> dict[str, list[tuple[str, str, dict[str, object], list[float]]]]:
    return {
        sha1: [(n.node_id, n.get_content(), n.metadata, n.get_embedding()) for n in nodes]
        for sha1, nodes in library.nodes().items()
    }


def test_two_ingestions_of_one_ingestor_keep_the_names_of_their_files(library: SmallLibrary) -> None:
    def sent(*names: str) -> Iterator[Ingested]:
        paths = {library.pdf(f"{name}.tmp"): f"{name}.pdf" for name in names}
        return library.editor.ingest(IngestRequest(paths=list(paths), names=paths))

    results = zip(sent("a", "b"), sent("c", "d"), strict=True)
    assert [[o.file for o in pair] for pair in results] == [["a.pdf", "c.pdf"], ["b.pdf", "d.pdf"]]


@pytest.fixture
def reindexing(library: SmallLibrary, tmp_path: Path) -> SmallLibrary:
    """The same library under another embedding model; one report is indexed under the first."""
    library.ingest("2024.pdf")
    return SmallLibrary(tmp_path, "another model")


def while_embedding(
    library: SmallLibrary, change: Callable[[], object], is_seen: Callable[[], bool]
) -> Future[object]:
    """Somebody else changes something as soon as a text is embedded; that goes on once the catalog has the change."""
    somebody = ThreadPoolExecutor(1)
    done: Future[object] = Future()

    def happens() -> None:
        somebody.submit(change).add_done_callback(lambda ended: done.set_result(ended.result()))
        until = time.monotonic() + 30
        while not is_seen():
            assert time.monotonic() < until, "nothing changed"
            time.sleep(0.01)

    library.model.happens = happens
    return done


def test_a_correction_made_while_a_report_is_embedded_is_not_lost(
    library: SmallLibrary, reindexing: SmallLibrary
) -> None:
    (report,) = library.catalog.companies()[0].reports

    def known() -> tuple[str, str | None]:
        now = library.catalog.report(report.sha1)
        return (now.company, now.currency) if now else ("", None)

    corrected = while_embedding(
        reindexing,
        lambda: library.editor.correct(report.sha1, company="Borealis plc", currency="CHF"),
        lambda: known()[0] == "Borealis plc",
    )
    (ingested,) = reindexing.editor.ingest(IngestRequest())
    corrected.result()
    assert (ingested.status, ingested.company) == ("indexed", "Borealis plc")
    assert known() == ("Borealis plc", "CHF")
    for indexes in (library, reindexing):
        assert [r.currency for r in indexes.published("Borealis plc")] == ["CHF"]
        assert indexes.published(ACME) == ()


def test_a_report_removed_while_it_is_embedded_stays_removed(
    library: SmallLibrary, reindexing: SmallLibrary
) -> None:
    (report,) = library.catalog.companies()[0].reports
    removed = while_embedding(
        reindexing,
        lambda: library.editor.remove(report.sha1),
        lambda: library.catalog.report(report.sha1) is None,
    )
    (ingested,) = reindexing.editor.ingest(IngestRequest())
    removed.result()
    assert (ingested.status, ingested.reason) == (
        "failed",
        "it was removed from the library while it was being ingested",
    )
    assert library.catalog.companies() == ()
    assert library.catalog.removals() == ()
    assert [path for path in library.paths.root.rglob("*") if report.sha1 in path.name] == []
    assert not any(path.is_file() for path in library.paths.indexes.rglob("*"))


def test_a_company_renamed_during_an_ingestion_takes_the_reports_that_follow(library: SmallLibrary) -> None:
    first, second = library.pdf("2023.pdf"), library.pdf("2024.pdf")

    def on_progress(path: Path, stage: str, *_: int) -> None:
        if (path, stage) == (first, "answers"):
            library.editor.correct(sha1_of(first), company="Borealis plc")

    results = library.editor.ingest(IngestRequest(paths=[first, second]), on_progress)
    assert [result.company for result in results] == ["Borealis plc", "Borealis plc"]
    assert [company.name for company in library.catalog.companies()] == ["Borealis plc"]


def test_a_report_that_is_not_in_its_company_s_index_is_said_to_be_missing(library: SmallLibrary) -> None:
    library.ingest("2023.pdf")
    (second,) = library.editor.ingest(IngestRequest(paths=[library.pdf("2024.pdf")], until="facts"))
    report = library.catalog.report(second.sha1)
    assert report is not None
    searches = IndexCache(library.indexes, library.embedder, library.pages.read)
    with pytest.raises(
        MissingIndex, match=r"2024.pdf.* is not indexed for these settings; run `pageproof ingest`"
    ):
        searches.get(ACME, report)

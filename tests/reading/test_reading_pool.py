import multiprocessing
import multiprocessing.forkserver
import os
import signal
from multiprocessing.connection import Connection, wait
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from indexes.options import ReaderOptions
from indexes.reading.document_queue import SMALLEST_PART, ReadingTask
from indexes.reading.pool import MOST_WORKERS, ReadingPool, docling_reader, peak_megabytes, usual_workers
from storage.errors import IngestionStopped, SetupError
from storage.stores.pages import PageStore
from tests.support.doubles.page_readers import LOADING_SECONDS, MakeReader, scripted, slow_to_load, without_weights
from tests.support.waiting import PATIENCE


def read(
    tmp_path: Path, *names: str, workers: int = 2, seconds: float = 60, make_reader: MakeReader = scripted
) -> dict[str, str]:
    pool = ReadingPool(workers, make_reader, ReaderOptions(seconds_per_document=seconds), tmp_path, "print")
    return {task.sha1: failure for task, failure in pool.read([ReadingTask(Path(f"{n}.pdf"), n) for n in names])}


def test_every_document_is_read_into_the_store_by_several_processes(tmp_path: Path) -> None:
    names = [f"report{n}" for n in range(6)]
    assert read(tmp_path, *names) == dict.fromkeys(names, "")
    store = PageStore(tmp_path, "print")
    assert len({store.read(name)[0].width for name in names}) == 2


def test_pictures_are_read_into_the_pages_which_stay_marked_until_somebody_publishes_them(tmp_path: Path) -> None:
    names = ["a", "blurred", "b"]
    assert read(tmp_path, *names) == dict.fromkeys(names, "")
    pool = ReadingPool(2, scripted, ReaderOptions(), tmp_path, "print")
    left = [ReadingTask(Path(f"{name}.pdf"), name, pictures=True) for name in names]
    failures = {task.sha1: failure for task, failure in pool.read(left)}
    assert failures == {"a": "", "b": "", "blurred": "blurred.pdf: its pictures are blurred"}
    store = PageStore(tmp_path, "print")
    assert [store.read(name)[0].height for name in names] == [300, 200, 300]
    assert [store.unread_pictures(name) for name in names] == [(1,)] * 3


def test_a_document_that_hangs_is_stopped_and_the_pool_goes_on(tmp_path: Path) -> None:
    failures = read(tmp_path, "hang", "a", "b", "c", workers=1, seconds=3)
    assert failures.pop("hang") == "hang.pdf: reading took longer than 3 s and was stopped"
    assert failures == {"a": "", "b": "", "c": ""}


def test_the_time_of_a_document_begins_once_its_reader_is_loaded(tmp_path: Path) -> None:
    assert read(tmp_path, "a", workers=1, seconds=LOADING_SECONDS - 1, make_reader=slow_to_load) == {"a": ""}


def test_a_process_that_dies_fails_its_document_alone(tmp_path: Path) -> None:
    failures = read(tmp_path, "die", "a", "fail", "greedy", "defect", "b")
    died, defect = failures.pop("die"), failures.pop("defect")
    assert died.startswith("die.pdf: the process that read it died (exit code 9)")
    assert failures == {
        "greedy": "greedy.pdf: reading it takes more memory than one PDF may take; export the PDF again",
        "fail": "fail.pdf: not a PDF",
        "a": "",
        "b": "",
    }
    assert defect.startswith(
        "defect.pdf: it cannot be read by a mistake in Pageproof (ZeroDivisionError, page_readers.py:"
    )


def test_a_reader_that_cannot_be_built_is_a_set_up_error(tmp_path: Path) -> None:
    pool = ReadingPool(1, without_weights, ReaderOptions(), tmp_path, "print")
    with pytest.raises(SetupError, match="weights are missing"):
        list(pool.read([ReadingTask(Path("a.pdf"), "a")]))


def read_and_report(connection: Connection, folder: Path) -> None:
    """In a process of its own: read a document that hangs, and hand on who reads it."""
    pool = ReadingPool(1, scripted, ReaderOptions(), folder, "print")
    readers = [ReadingTask(Path("hang.pdf"), "hang")]
    list(pool.read(readers, lambda *_: connection.send([c.pid for c in multiprocessing.active_children()])))


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system has no handles on processes of others")
def test_reading_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    parent = multiprocessing.get_context("spawn").Process(target=read_and_report, args=(theirs, tmp_path))
    parent.start()
    theirs.close()
    assert parent.pid is not None
    (reading,) = ours.recv()
    handle = os.pidfd_open(reading)

    os.kill(parent.pid, signal.SIGKILL)

    assert wait([handle], timeout=PATIENCE) == [handle]
    os.close(handle)
    parent.join()


def test_a_stop_is_noticed_while_a_document_hangs_and_ends_its_process(tmp_path: Path) -> None:
    looked = 0

    def check() -> None:
        nonlocal looked
        looked += 1
        if looked > 2:
            raise IngestionStopped("enough")

    pool = ReadingPool(1, scripted, ReaderOptions(), tmp_path, "print")
    before = set(multiprocessing.active_children())
    with pytest.raises(IngestionStopped):
        list(pool.read([ReadingTask(Path("hang.pdf"), "hang")], check=check))
    assert set(multiprocessing.active_children()) == before


def test_a_reading_process_does_not_count_the_memory_of_its_parent() -> None:
    held = bytearray(b"x") * 500_000_000
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(peak_megabytes) < peak_megabytes() - 300
    assert held


def test_docling_is_loaded_once_for_all_ingestions(tmp_path: Path) -> None:
    server = multiprocessing.forkserver._forkserver  # type: ignore[attr-defined]  # what forks, with its process
    loaded = []
    for _ in range(2):
        assert "no such file" in read(tmp_path, "gone", workers=1, make_reader=docling_reader)["gone"]
        loaded.append(
            (server._forkserver_pid, "libtorch" in Path(f"/proc/{server._forkserver_pid}/maps").read_text())
        )
    assert loaded[0] == loaded[1]
    assert loaded[0][1]


def test_a_long_report_is_read_by_several_processes_and_stored_as_one(tmp_path: Path) -> None:
    path, count = tmp_path / "long.pdf", 2 * SMALLEST_PART
    canvas = Canvas(str(path))
    for number in range(1, count + 1):
        canvas.drawString(72, 40, "Example plc Annual report")
        canvas.drawString(72, 400, f"The year in the harbours, part {number}")
        canvas.showPage()
    canvas.save()
    options, progress = ReaderOptions(ocr="off"), []
    pool = ReadingPool(2, docling_reader, options, tmp_path, "print")
    task = ReadingTask(path, "long", page_count=count)
    assert list(pool.read([task], lambda _, done, of: progress.append((done, of)))) == [(task, "")]
    pages = PageStore(tmp_path, "print").read("long")
    assert [page.page_number for page in pages] == list(range(1, count + 1))
    assert {block.text for page in pages for block in page.blocks if block.kind == "furniture"} == {
        "Example plc Annual report"
    }
    assert {of for _, of in progress} <= {count}
    path.write_bytes(path.read_bytes()[:2000])
    (_, failure), *_ = pool.read([task])
    assert failure.startswith(f"{path}: ")


def test_a_reader_with_large_models_gets_one_process_unless_more_are_asked_for(tmp_path: Path) -> None:
    assert set(read(tmp_path, "a", "b", "c")) == {"a", "b", "c"}
    store = PageStore(tmp_path, "print")
    pool = ReadingPool(None, scripted, ReaderOptions(), tmp_path, "print")
    assert {failure for _, failure in pool.read([ReadingTask(Path(f"{n}.pdf"), n) for n in "defg"])} == {""}
    assert len({store.read(name)[0].width for name in "defg"}) == 1
    assert 1 <= usual_workers() <= MOST_WORKERS

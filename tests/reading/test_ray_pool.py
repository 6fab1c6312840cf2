"""Reading on a Ray cluster: what the local pool gives, and a worker that dies loses nothing."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.assembly.client import Pageproof
from app.readiness import needs
from app.settings import load_settings
from indexes.fingerprints import reader_fingerprint
from indexes.options import ReaderOptions
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import ReadingPool
from storage.errors import SetupError
from storage.paths import DataPaths
from storage.stores.pages import PageStore
from tests.support.doubles.page_readers import MakeReader, mortal, scripted, without_weights
from tests.support.samples import SAMPLES
from tests.support.waiting import PATIENCE

ray = pytest.importorskip("ray", reason="the extra ray is not installed")

from indexes.reading.ray_pool import ATTEMPTS, RayReadingPool, _cluster, _same_versions, _versions  # noqa: E402  # needs Ray

pytestmark = [
    # Ray's own, at its end: it leaves a socket and the processes that it started to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One cluster for all, of two cores on this machine; the pool takes what is there."""
    with _cluster(None, 2):
        yield


def read(
    folder: Path, *names: str, make_reader: MakeReader = scripted, seconds: float = 60, **options: Path
) -> dict[str, str]:
    tasks = []
    for name in names:
        path = folder / f"{name}.pdf"
        path.write_bytes(b"%PDF")
        tasks.append(ReadingTask(path, name))
    reader = ReaderOptions(seconds_per_document=seconds, **options)
    pool = RayReadingPool(None, make_reader, reader, folder / "pages", "print")
    return {task.sha1: failure for task, failure in pool.read(tasks)}


@pytest.mark.usefixtures("cluster")
def test_every_document_is_read_by_workers_and_kept_here(tmp_path: Path) -> None:
    names = [f"report{n}" for n in range(6)]
    assert read(tmp_path, *names) == dict.fromkeys(names, "")
    store = PageStore(tmp_path / "pages", "print")
    workers = {store.read(name)[0].width - 100 for name in names}
    assert os.getpid() not in workers


@pytest.mark.usefixtures("cluster")
def test_pictures_are_read_by_workers_from_the_pages_kept_here(tmp_path: Path) -> None:
    assert read(tmp_path, "a", "b") == {"a": "", "b": ""}
    pool = RayReadingPool(None, scripted, ReaderOptions(), tmp_path / "pages", "print")
    left = [ReadingTask(tmp_path / f"{name}.pdf", name, pictures=True) for name in "ab"]
    assert [failure for _, failure in pool.read(left)] == ["", ""]
    store = PageStore(tmp_path / "pages", "print")
    assert [(store.read(name)[0].height, store.unread_pictures(name)) for name in "ab"] == [(300, (1,))] * 2


@pytest.mark.usefixtures("cluster")
def test_what_cannot_be_read_fails_alone_and_by_its_own_name(tmp_path: Path) -> None:
    failures = read(tmp_path, "fail", "hang", "a", seconds=3)
    assert failures == {
        "a": "",
        "fail": f"{tmp_path}/fail.pdf: not a PDF",
        "hang": f"{tmp_path}/hang.pdf: reading took longer than 3 s and was stopped",
    }


@pytest.mark.usefixtures("cluster")
def test_a_worker_killed_in_the_middle_loses_nothing_and_nothing_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    is_over = threading.Event()

    def kill() -> None:
        while not (pid := tmp_path / "pid").exists() or not pid.read_text():
            if is_over.wait(0.05):
                return
        os.kill(int(pid.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        failures = read(tmp_path, "slow", "a", make_reader=mortal, weights=tmp_path)
    finally:
        is_over.set()
        killer.join()
    assert failures == {"slow": "", "a": ""}
    second = PageStore(tmp_path / "pages", "print").read("slow")[0].width - 100
    assert second != int((tmp_path / "pid").read_text())
    time.sleep(2)  # Ray's messages come a moment later
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("cluster")
def test_a_document_over_which_workers_die_again_and_again_fails_alone(tmp_path: Path) -> None:
    failures = read(tmp_path, "die", "a")
    assert failures.pop("a") == ""
    assert failures["die"].startswith(f"{tmp_path}/die.pdf: {ATTEMPTS} workers died over it")


@pytest.mark.usefixtures("cluster")
def test_a_reader_that_cannot_be_built_is_a_set_up_error(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="weights are missing"):
        read(tmp_path, "a", make_reader=without_weights)


@pytest.mark.usefixtures("cluster")
def test_progress_is_told_page_by_page(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")
    reported: list[tuple[Path, int, int]] = []
    pool = RayReadingPool(1, scripted, ReaderOptions(), tmp_path / "pages", "print")
    assert list(pool.read([ReadingTask(path, "a")], lambda *progress: reported.append(progress))) == [
        (ReadingTask(path, "a"), "")
    ]
    assert reported == [(path, 1, 1)]


def test_a_machine_with_other_versions_is_refused() -> None:
    _same_versions(_versions())
    with pytest.raises(SetupError, match=r"reads with docling 1\.0 \(here .*; install the same versions"):
        _same_versions(_versions() | {"docling": "1.0"})


def test_settings_choose_ray_and_an_unknown_executor_is_refused() -> None:
    settings = load_settings(overrides=["ingest.executor=ray", "ingest.ray_address=auto"], environment={})
    assert needs(settings, {}) == ()


def test_the_command_reads_on_ray_quietly_what_the_local_pool_reads(tmp_path: Path, client: Pageproof) -> None:
    """The real thing once: command line, cluster, Docling, pages kept by the driver."""
    (report,) = [r for company in client.companies() for r in company.reports if r.file == "ostermere_2024.pdf"]
    code = "from app.command_line import main; main()"
    command = [sys.executable, "-c", code, "ingest", str(SAMPLES / report.file), "--until", "read"]
    root = SAMPLES.parent.parent
    ended = subprocess.run(
        [*command, "--executor", "ray", "--workers", "1", "--data", str(tmp_path)],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=3 * PATIENCE,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "ray" not in ended.stdout.lower()
    pages = PageStore(DataPaths(tmp_path).pages, reader_fingerprint(client.settings.reader))
    assert pages.read(report.sha1) == client.pages.read(report.sha1)


def test_the_local_pool_has_the_same_seam(tmp_path: Path) -> None:
    assert list(ReadingPool(None, scripted, ReaderOptions(), tmp_path, "print").read([])) == []

"""Reads PDFs in separate processes, so that a PDF whose reading hangs or crashes does not affect the others.

A native parser cannot be interrupted and may leak memory. A process can be killed and replaced. A long PDF is read in
parts by several processes; the last of them joins the parts.
"""

import logging
import math
import multiprocessing
import multiprocessing.forkserver
import os
import pickle
import queue
import resource
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Protocol, runtime_checkable

from indexes.options import ReaderOptions
from indexes.reading.document_queue import DocumentQueue, Job, ReadingTask
from pageproof.own_packages import in_new_process
from storage.errors import ComponentError, DocumentError, ProviderError, SetupError, UsageError
from storage.process_memory import available_megabytes, freeze_loaded_objects, limit_memory, resident_megabytes
from storage.records.pages import Page
from storage.stores.database import full_disks_explained
from storage.stores.pages import PageStore

JOBS_PER_PROCESS = 25
MOST_WORKERS = 4  # where nobody says how many
MEGABYTES_PER_PROCESS = 2500  # that a process may hold in all; one that held more is replaced after its document
MEGABYTES_RESERVED = 600  # that OCR's runtime asks the system for beyond what it ever holds
MEGABYTES_BESIDE_MODELS = 2500  # that it gives beside Docling's layout and table models, which are large
PROGRESS_SECONDS = 0.2
CHECK_SECONDS = 0.5  # how often a request to stop is looked for
START_SECONDS = 600.0  # a process that has not begun its document by then is stopped
# What is not installed is passed over.
_LOADED_ONCE = ["pageproof", "indexes.reading.docling_reader", "rapidocr.main"]


@runtime_checkable
class PageReader(Protocol):
    """The reader in a worker process."""

    def read_pages(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None = None) -> list[Page]:
        """All pages of a PDF, in order."""
        ...


@runtime_checkable
class PartReader(PageReader, Protocol):
    """A reader whose PDFs several processes read in parts."""

    def read_part(
        self, path: Path, sha1: str, page_numbers: range, on_page: Callable[[int, int], None] | None = None
    ) -> list[Page]:
        """Some consecutive pages, without what only the whole report tells of them."""
        ...

    def joined(self, path: Path, pages: Sequence[Page]) -> list[Page]:
        """All pages of a PDF, in order, from those of its parts."""
        ...


@runtime_checkable
class PictureReader(PageReader, Protocol):
    """A reader that leaves pictures on pages with words, and reads them later."""

    def with_pictures(
        self, path: Path, pages: Sequence[Page], on_page: Callable[[int, int], None] | None = None
    ) -> list[Page]:
        """All pages of a PDF, in order, with what the pictures say that were left."""
        ...


MakeReader = Callable[[ReaderOptions], PageReader]
OnPage = Callable[[Path, int, int], None]
OnPageOfOne = Callable[[int, int], None]
Check = Callable[[], None]


class DocumentPool(Protocol):
    """Reads PDFs in other processes, here or on other machines, and stores their pages."""

    def read(
        self, tasks: Sequence[ReadingTask], on_page: OnPage | None = None, check: Check | None = None
    ) -> Iterator[tuple[ReadingTask, str]]:
        """Each task when it is done, with the reason why it failed, or "" when its pages are stored.

        Raises:
            SetupError: no PDF can be read, for example because weights are missing.
        """
        ...


class _NobodyListens(Exception):  # no error: it ends a reading whose results nobody takes
    pass


@contextmanager
def reading_ahead(
    pool: DocumentPool, tasks: Sequence[ReadingTask], on_page: OnPage | None = None, check: Check | None = None
) -> Iterator[Iterator[tuple[ReadingTask, str]]]:
    """`pool.read` in a thread of its own, so that processes get their next documents while the caller works.

    Args:
        pool: reads.
        tasks: as for the pool.
        on_page: as for the pool; called from that thread.
        check: as for the pool; called from that thread.

    Yields:
        What the pool gives, and raises what it raises. At the end the reading stops, within a second.
    """
    done: queue.SimpleQueue[tuple[ReadingTask, str] | BaseException | None] = queue.SimpleQueue()
    closed = threading.Event()

    def checked() -> None:
        if closed.is_set():
            raise _NobodyListens
        if check:
            check()

    def read() -> None:
        try:
            for finished in pool.read(tasks, on_page, checked):
                done.put(finished)
            done.put(None)
        except BaseException as error:  # noqa: BLE001  # raised where the results are taken
            done.put(error)

    thread = threading.Thread(target=read, name="pageproof-reading", daemon=True)
    thread.start()

    def results() -> Iterator[tuple[ReadingTask, str]]:
        while (finished := done.get()) is not None:
            if isinstance(finished, BaseException):
                raise finished
            yield finished

    try:
        yield results()
    finally:
        closed.set()
        thread.join()


MakePool = Callable[[int | None, MakeReader, ReaderOptions, Path, str], DocumentPool]
"""Takes how many read at once (None: as many as is usual there), what they read with, and where pages are kept."""


@dataclass(frozen=True)
class _Begun:
    """The process has started and its reader is loaded; from now on the document's time is counted."""


@dataclass(frozen=True)
class Progress:
    """So many pages of a document are read."""

    done: int
    of: int


@dataclass(frozen=True)
class _Finished:
    failure: str  # "" when the pages are stored, or are here
    megabytes: float  # the process's peak memory
    part: bytes | None = None  # the pages of a part, for the process that joins them


@dataclass(frozen=True)
class CannotStart:
    """The reader cannot be built, for any document."""

    why: str


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    job: Job | None = None
    deadline: float = 0.0
    jobs: int = 0  # done

    def allow(self, seconds: float) -> None:
        """Stop the process unless it is done, or begins, within so many seconds from now."""
        self.deadline = time.monotonic() + seconds

    def kill(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()


class ReadingPool:
    """Reads PDFs into the page store with a fixed number of processes.

    A document that takes longer than `options.seconds_per_document`, or whose process dies, fails alone.
    """

    def __init__(
        self, workers: int | None, make_reader: MakeReader, options: ReaderOptions, folder: Path, fingerprint: str
    ) -> None:
        self._divides = make_reader is docling_reader and options.layout == "geometric"
        self._count = workers or (usual_workers() if self._divides else 1)
        self._seconds = options.seconds_per_document
        self._arguments = (make_reader, options, folder, fingerprint)
        self._processes = _context(make_reader)

    def read(
        self, tasks: Sequence[ReadingTask], on_page: OnPage | None = None, check: Check | None = None
    ) -> Iterator[tuple[ReadingTask, str]]:
        """Each task when it is done, with the reason why it failed, or "" when its pages are stored.

        Args:
            tasks: in any order; those of least effort come first where a long document is read by several processes.
            on_page: called with the file, the number of pages read and of all pages.
            check: called twice a second; an exception that it raises ends the reading and its processes.

        Raises:
            SetupError: the reader cannot be built, for example because weights are missing.
        """
        documents = DocumentQueue(tasks, self._count, divides=self._divides)
        workers: list[_Worker] = []
        try:
            while documents:
                self._employ(workers, documents)
                if check:
                    check()
                yield from self._events(workers, documents, on_page, CHECK_SECONDS if check else math.inf)
        finally:
            for worker in workers:
                _end(worker)

    def _employ(self, workers: list[_Worker], documents: DocumentQueue) -> None:
        """Give every process that has nothing to do its next job; begin with those that are there."""
        for place, worker in enumerate(workers):
            if worker.job is None and (job := documents.take()) is not None:
                workers[place] = self._give(worker, job)
        while len(workers) < self._count and (job := documents.take()) is not None:
            workers.append(self._give(self._start(), job))

    def _start(self) -> _Worker:
        ours, theirs = self._processes.Pipe()
        process = self._processes.Process(  # type: ignore[attr-defined]  # every context has it
            target=in_new_process, args=(_serve, theirs, *self._arguments), daemon=True
        )
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _give(self, worker: _Worker, job: Job) -> _Worker:
        if worker.jobs >= JOBS_PER_PROCESS or not worker.process.is_alive():
            _end(worker)
            worker = self._start()
        worker.job = job
        worker.allow(START_SECONDS)
        worker.connection.send(job)
        return worker

    def _events(
        self, workers: list[_Worker], documents: DocumentQueue, on_page: OnPage | None, longest: float
    ) -> Iterator[tuple[ReadingTask, str]]:
        busy = {w.connection: w for w in workers if w.job}
        patience = max(0.0, min(w.deadline for w in busy.values()) - time.monotonic())
        for ready in wait(list(busy), timeout=min(patience, longest)):
            worker = busy[ready]  # type: ignore[index]  # wait returns the objects that it was given
            if worker.job is not None:  # not dropped by what was heard just now
                yield from self._hear(worker, workers, documents, on_page)
        for worker in workers:
            if worker.job and time.monotonic() > worker.deadline:
                worker.kill()
                message = took_too_long(worker.job.task, self._seconds)
                yield from _finished(worker, workers, documents, _Finished(message, 0.0))

    def _hear(
        self, worker: _Worker, workers: list[_Worker], documents: DocumentQueue, on_page: OnPage | None
    ) -> Iterator[tuple[ReadingTask, str]]:
        """What a worker reports: yields the document that is done by it."""
        job = worker.job
        assert job is not None
        try:
            event = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            event = _Finished(died(job.task, worker.process.exitcode), 0.0)
        if isinstance(event, CannotStart):
            raise SetupError(event.why)
        if isinstance(event, _Begun):
            worker.allow(self._seconds - documents.begin(job))
        elif isinstance(event, Progress):
            done, of = documents.advance(job, event.done, event.of)
            if on_page:
                on_page(job.task.path, done, of)
        else:
            yield from _finished(worker, workers, documents, event)


def _finished(
    worker: _Worker, workers: Sequence[_Worker], documents: DocumentQueue, result: _Finished
) -> Iterator[tuple[ReadingTask, str]]:
    """Note the end of a worker's job; yields its document where that is done, and stops what is still read of it."""
    job = worker.job
    assert job is not None
    worker.job = None
    worker.jobs = JOBS_PER_PROCESS if result.megabytes > MEGABYTES_PER_PROCESS else worker.jobs + 1
    if documents.finish(job, result.part, result.failure):
        for other in workers:
            if other.job and not documents.is_wanted(other.job):
                other.kill()
                other.job = None
        yield job.task, result.failure


def usual_workers() -> int:
    """How many processes read where nobody says it: one for each core, as far as the memory goes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    available = available_megabytes()
    fit = MOST_WORKERS if available is None else int(available // MEGABYTES_PER_PROCESS)
    return max(1, min(cores, fit, MOST_WORKERS))


def warm_up(make_reader: MakeReader) -> None:
    """Begin, in a process beside this one, to load what this reader's processes need."""
    if _context(make_reader).get_start_method() == "forkserver":
        multiprocessing.forkserver.ensure_running()


def _context(make_reader: MakeReader) -> BaseContext:
    """How this reader's processes are started.

    Docling takes eight seconds of processor time to load. One process loads it, once for all ingestions, and those
    that read are forked from it; it ends with this process. Other readers load in no time.
    """
    if make_reader is not docling_reader or "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    forked = multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload(_LOADED_ONCE)
    return forked


def _end(worker: _Worker) -> None:
    worker.connection.close()
    worker.process.kill()
    worker.process.join()


def _serve(
    connection: Connection, make_reader: MakeReader, options: ReaderOptions, folder: Path, fingerprint: str
) -> None:
    """A worker's main loop: read the documents that it is sent until the connection closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl+C
    logging.getLogger().addHandler(logging.NullHandler())  # a failure is one line, which the parent prints
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        reader = make_reader(options)
    except (SetupError, UsageError) as error:
        connection.send(CannotStart(str(error)))
        return
    is_neural = options.kind == "docling" and options.layout == "neural"
    room = MEGABYTES_PER_PROCESS - resident_megabytes() + MEGABYTES_RESERVED
    limit_memory(MEGABYTES_BESIDE_MODELS if is_neural else room)
    freeze_loaded_objects(clean=False)
    store = PageStore(folder, fingerprint)
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        connection.send(_Begun())
        try:
            connection.send(_do(reader, store, job, connection))
        except SetupError as error:  # such as a key that a server refuses: it would fail for every document
            connection.send(CannotStart(str(error)))
            return


def _end_with_parent() -> None:
    """End this process when its parent is gone: a killed parent cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _do(reader: PageReader, store: PageStore, job: Job, connection: Connection) -> _Finished:
    task, numbers = job.task, job.page_numbers
    pages, failure = pages_or_failure(
        partial(_read, reader, store, job), task, lambda done, of: connection.send(Progress(done, of))
    )
    if failure:
        return _Finished(failure, peak_megabytes())
    if numbers is not None:
        return _Finished("", peak_megabytes(), pickle.dumps(pages, pickle.HIGHEST_PROTOCOL))
    with full_disks_explained():
        store.write(task.sha1, pages)
    return _Finished("", peak_megabytes())


def _read(reader: PageReader, store: PageStore, job: Job, on_page: OnPageOfOne) -> list[Page]:
    path, sha1 = job.task.path, job.task.sha1
    if job.task.pictures:
        return with_pictures(reader, path, store.read(sha1), on_page)
    if job.page_numbers is None and not job.parts:
        return reader.read_pages(path, sha1, on_page)
    if not isinstance(reader, PartReader):
        raise TypeError(f"{type(reader).__name__} cannot read parts")
    if job.page_numbers is not None:
        return reader.read_part(path, sha1, job.page_numbers, on_page)
    return reader.joined(path, [page for part in job.parts for page in pickle.loads(part)])


def with_pictures(reader: PageReader, path: Path, pages: list[Page], on_page: OnPageOfOne) -> list[Page]:
    """All pages of a PDF with what the pictures say that were left; the same pages for a reader that leaves none.

    They stay marked until the report is published with that: a process that dies before loses nothing then.
    """
    read = reader.with_pictures(path, pages, on_page) if isinstance(reader, PictureReader) else pages
    return [
        new.model_copy(update={"unread_pictures": old.unread_pictures})
        for new, old in zip(read, pages, strict=True)
    ]


def pages_or_failure(
    read: Callable[[OnPageOfOne], list[Page]], task: ReadingTask, on_page: OnPageOfOne
) -> tuple[list[Page], str]:
    """The pages that a reader gives, or why it failed; progress is reported a few times a second."""
    last = 0.0

    def on_progress(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            on_page(done, of)

    try:
        return read(on_progress), ""
    except (DocumentError, ProviderError) as error:
        return [], str(error)
    except ComponentError as error:
        return [], f"{task.path}: {error}"
    except MemoryError:
        return [], f"{task.path}: reading it takes more memory than one PDF may take; export the PDF again"
    except SetupError:
        raise
    except Exception as error:  # noqa: BLE001  # a foreign PDF finds mistakes that nobody knew; it costs itself only
        frame = traceback.extract_tb(error.__traceback__)[-1]
        mistake = f"{type(error).__name__}, {Path(frame.filename).name}:{frame.lineno}"
        return [], f"{task.path}: it cannot be read by a mistake in Pageproof ({mistake}); please report it"


def died(task: ReadingTask, exit_code: int | None) -> str:
    """The message about a document whose reading ended its process, most often because of its memory."""
    return (
        f"{task.path}: the process that read it died (exit code {exit_code}); the PDF may be damaged, or need more "
        "memory than one PDF may take; export it again"
    )


def took_too_long(task: ReadingTask, seconds: float) -> str:
    """The message about a document that took too long and was stopped."""
    return f"{task.path}: reading took longer than {seconds:g} s and was stopped"


def peak_megabytes() -> float:
    """The peak memory of this process. `ru_maxrss` is only the fallback: on Linux it includes the parent's peak."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM:")), None)
        if peak is not None:
            return int(peak.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def docling_reader(options: ReaderOptions) -> PageReader:
    """The reader for `reader.kind=docling`; it can be sent to a reading process."""
    # imported late: it loads torch, which only the reading processes need
    from indexes.reading.docling_reader import DoclingReader

    return DoclingReader.from_options(options, leaves_pictures=options.ocr == "auto")


def mineru_reader(options: ReaderOptions, key: str = "") -> PageReader:
    """The reader for `reader.kind=mineru`; it can be sent to a reading process."""
    from indexes.mineru.reader import MineruReader  # imported late: it loads an HTTP client

    return MineruReader.from_options(options, key)

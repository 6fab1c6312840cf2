"""Reads PDFs in separate processes, so that a PDF whose reading hangs or crashes does not affect the others.

A native parser cannot be interrupted and may leak memory. A process can be killed and replaced.
"""

import logging
import math
import multiprocessing
import multiprocessing.forkserver
import os
import queue
import resource
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Protocol, runtime_checkable

from indexes.options import ReaderOptions
from storage.components import make_component
from storage.errors import DocumentError, ProviderError, SetupError, UsageError
from storage.process_memory import freeze_loaded_objects, limit_memory, resident_megabytes
from storage.records.pages import Page
from storage.stores.database import full_disks_explained
from storage.stores.pages import PageStore

DOCUMENTS_PER_PROCESS = 25
MEGABYTES_PER_PROCESS = 2500  # that a process may hold in all; one that held more is replaced after its document
MEGABYTES_RESERVED = 600  # that OCR's runtime asks the system for beyond what it ever holds
MEGABYTES_BESIDE_MODELS = 2500  # that it gives beside Docling's layout and table models, which are large
PROGRESS_SECONDS = 0.2
CHECK_SECONDS = 0.5  # how often a request to stop is looked for
START_SECONDS = 600.0  # a process that has not begun its document by then is stopped
_LOADED_ONCE = ["indexes.reading.docling_reader", "rapidocr.main"]  # what is not installed is passed over


@runtime_checkable
class PageReader(Protocol):
    """The reader in a worker process."""

    def read_pages(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None = None) -> list[Page]:
        """All pages of a PDF, in order."""
        ...


MakeReader = Callable[[ReaderOptions], PageReader]
OnPage = Callable[[Path, int, int], None]
OnPageOfOne = Callable[[int, int], None]
Check = Callable[[], None]


@dataclass(frozen=True)
class ReadingTask:
    """A PDF to read, by its path and SHA-1."""

    path: Path
    sha1: str


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
        tasks: in the order in which they are started.
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
class _Progress:
    done: int
    of: int


@dataclass(frozen=True)
class _Finished:
    failure: str  # "" when the pages are stored
    megabytes: float  # the process's peak memory


@dataclass(frozen=True)
class _CannotStart:
    why: str


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    task: ReadingTask | None = None
    seconds: float = 0.0
    deadline: float = 0.0
    documents: int = 0

    def allow(self, seconds: float) -> None:
        """Stop the process unless it is done, or begins, within so many seconds from now."""
        self.seconds, self.deadline = seconds, time.monotonic() + seconds


class ReadingPool:
    """Reads PDFs into the page store with a fixed number of processes.

    A document that takes longer than `options.seconds_per_document`, or whose process dies, fails alone.
    """

    def __init__(
        self, workers: int | None, make_reader: MakeReader, options: ReaderOptions, folder: Path, fingerprint: str
    ) -> None:
        self._count = workers or 1
        self._seconds = options.seconds_per_document
        self._arguments = (make_reader, options, folder, fingerprint)
        self._processes = _context(make_reader)

    def read(
        self, tasks: Sequence[ReadingTask], on_page: OnPage | None = None, check: Check | None = None
    ) -> Iterator[tuple[ReadingTask, str]]:
        """Each task when it is done, with the reason why it failed, or "" when its pages are stored.

        Args:
            tasks: in the order in which they are started.
            on_page: called with the file, the number of pages read and of all pages.
            check: called twice a second; an exception that it raises ends the reading and its processes.

        Raises:
            SetupError: the reader cannot be built, for example because weights are missing.
        """
        waiting = deque(tasks)
        workers = [self._start() for _ in range(min(self._count, len(waiting)))]
        try:
            while waiting or any(w.task for w in workers):
                for place, worker in enumerate(workers):
                    if worker.task is None and waiting:
                        workers[place] = self._give(worker, waiting.popleft())
                if check:
                    check()
                yield from self._events(workers, on_page, CHECK_SECONDS if check else math.inf)
        finally:
            for worker in workers:
                _end(worker)

    def _start(self) -> _Worker:
        ours, theirs = self._processes.Pipe()
        process = self._processes.Process(target=_serve, args=(theirs, *self._arguments), daemon=True)  # type: ignore[attr-defined]  # every context has it
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _give(self, worker: _Worker, task: ReadingTask) -> _Worker:
        if worker.documents >= DOCUMENTS_PER_PROCESS or not worker.process.is_alive():
            _end(worker)
            worker = self._start()
        worker.task = task
        worker.allow(START_SECONDS)
        worker.connection.send(task)
        return worker

    def _events(
        self, workers: list[_Worker], on_page: OnPage | None, longest: float
    ) -> Iterator[tuple[ReadingTask, str]]:
        busy = {w.connection: w for w in workers if w.task}
        patience = max(0.0, min(w.deadline for w in busy.values()) - time.monotonic())
        for ready in wait(list(busy), timeout=min(patience, longest)):
            worker = busy[ready]  # type: ignore[index]  # wait returns the objects that it was given
            failure = self._hear(worker, on_page)
            if failure is not None:
                yield _released(worker), failure
        for worker in workers:
            if worker.task and time.monotonic() > worker.deadline:
                worker.process.kill()
                worker.process.join()
                message = took_too_long(worker.task, worker.seconds)
                yield _released(worker), message

    def _hear(self, worker: _Worker, on_page: OnPage | None) -> str | None:
        """What a worker reports: None while it reads; else why it failed, or "" for success."""
        task = worker.task
        assert task is not None
        try:
            event = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            return died(task, worker.process.exitcode)
        if isinstance(event, _CannotStart):
            raise SetupError(event.why)
        if isinstance(event, _Begun):
            worker.allow(self._seconds)
            return None
        if isinstance(event, _Progress):
            if on_page:
                on_page(task.path, event.done, event.of)
            return None
        if event.megabytes > MEGABYTES_PER_PROCESS:
            worker.documents = DOCUMENTS_PER_PROCESS
        return str(event.failure)


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


def _released(worker: _Worker) -> ReadingTask:
    task = worker.task
    assert task is not None
    worker.task = None
    worker.documents += 1
    return task


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
        connection.send(_CannotStart(str(error)))
        return
    is_neural = options.kind == "docling" and options.layout == "neural"
    room = MEGABYTES_PER_PROCESS - resident_megabytes() + MEGABYTES_RESERVED
    limit_memory(MEGABYTES_BESIDE_MODELS if is_neural else room)
    freeze_loaded_objects(clean=False)
    store = PageStore(folder, fingerprint)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(_Begun())
        try:
            connection.send(_Finished(_read(reader, store, task, connection), peak_megabytes()))
        except SetupError as error:  # such as a key that a server refuses: it would fail for every document
            connection.send(_CannotStart(str(error)))
            return


def _end_with_parent() -> None:
    """End this process when its parent is gone: a killed parent cannot end its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _read(reader: PageReader, store: PageStore, task: ReadingTask, connection: Connection) -> str:
    pages, failure = pages_or_failure(reader, task, lambda done, of: connection.send(_Progress(done, of)))
    if not failure:
        with full_disks_explained():
            store.write(task.sha1, pages)
    return failure


def pages_or_failure(reader: PageReader, task: ReadingTask, on_page: OnPageOfOne) -> tuple[list[Page], str]:
    """The pages of a document, or why it failed; progress is reported a few times a second."""
    last = 0.0

    def on_progress(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            on_page(done, of)

    try:
        return reader.read_pages(task.path, task.sha1, on_progress), ""
    except (DocumentError, ProviderError) as error:
        return [], str(error)
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

    return DoclingReader.from_options(options)


def own_reader(options: ReaderOptions) -> PageReader:
    """The reader of a class of one's own; it is made in the reading process."""
    return make_component("readers", options.kind, options.options, "reader.kind", PageReader)  # type: ignore[type-abstract]  # a protocol


def mineru_reader(options: ReaderOptions, key: str = "") -> PageReader:
    """The reader for `reader.kind=mineru`; it can be sent to a reading process."""
    from indexes.mineru.reader import MineruReader  # imported late: it loads an HTTP client

    return MineruReader.from_options(options, key)

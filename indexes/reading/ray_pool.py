"""Reads PDFs on the machines of a Ray cluster, with the same tasks, results and failures as the local pool.

The machines need no shared disk: a PDF is sent through Ray's object store, its pages come back, and the driver stores
them. When a worker dies, another one reads its document again. This module does that itself, since Ray's own retries
would expect the second reading to report its progress in exactly the same steps.
"""

import importlib.metadata
import logging
import math
import os
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import ray
from ray import exceptions
from ray._private import worker as ray_driver

from indexes.fingerprints import READER_VERSION
from indexes.options import ReaderOptions
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import (
    CHECK_SECONDS,
    JOBS_PER_PROCESS,
    CannotStart,
    Check,
    MakeReader,
    OnPage,
    PageReader,
    Progress,
    pages_or_failure,
    took_too_long,
    with_pictures,
)
from storage.errors import SetupError
from storage.records.pages import Page
from storage.stores.pages import PageStore

logger = logging.getLogger(__name__)
ATTEMPTS = 3  # workers that may die while they read the same document
_DIED = (
    exceptions.WorkerCrashedError,
    exceptions.NodeDiedError,
    exceptions.LocalRayletDiedError,
    exceptions.ObjectLostError,
    exceptions.OutOfMemoryError,
)
_READ_WITH = ("docling", "docling-core", "docling-parse", "pypdfium2", "rapidocr", "onnxruntime")


@dataclass(frozen=True)
class _Started:
    """A worker has received the document, and reads it with these versions."""

    versions: dict[str, str]


@dataclass(frozen=True)
class _Finished:
    pages: list[Page]
    failure: str  # "" when all pages are there


_Event = _Started | Progress | _Finished | CannotStart


@dataclass
class _Reading:
    """A document that a worker is reading; `events` yields what the worker reports."""

    task: ReadingTask
    attempt: int
    events: Any  # Ray's generator of references; Ray's stubs declare a list
    deadline: float = field(default=math.inf)


class RayReadingPool:
    """Reads PDFs into the page store with the workers of a cluster.

    A document fails, without affecting others, when it takes longer than `options.seconds_per_document` or when
    `ATTEMPTS` workers died while they read it.
    """

    def __init__(
        self,
        workers: int | None,
        make_reader: MakeReader,
        options: ReaderOptions,
        folder: Path,
        fingerprint: str,
        address: str | None = None,
    ) -> None:
        """Prepare a pool; the cluster is reached when reading begins.

        Args:
            workers: how many documents are read at once; None means one for each core of the cluster.
            make_reader: builds the reader of a worker; must be importable on every machine.
            options: for the reader.
            folder: of the driver's page store.
            fingerprint: of the reader.
            address: of a running cluster; None starts one on this machine and stops it at the end.
        """
        self._workers = workers
        self._make_reader = make_reader
        self._options = options
        self._store = PageStore(folder, fingerprint)
        self._address = address

    def read(
        self, tasks: Sequence[ReadingTask], on_page: OnPage | None = None, check: Check | None = None
    ) -> Iterator[tuple[ReadingTask, str]]:
        """Each task as it is done, with the reason for which it failed, or "" when its pages are kept.

        Args:
            tasks: in any order; those of most effort are begun first.
            on_page: called with the file, the pages read and the pages in all.
            check: called twice a second; an exception that it raises ends the reading.

        Raises:
            SetupError: the cluster cannot be reached, has another version, or cannot build the reader.
        """
        waiting = deque((task, 1) for task in sorted(tasks, key=lambda task: task.effort, reverse=True))
        out: list[_Reading] = []
        if not waiting:
            return
        with _cluster(self._address, self._workers) as cores:
            remote = ray.remote(num_cpus=1, max_retries=0, max_calls=JOBS_PER_PROCESS)(_read_remotely)
            try:
                while waiting or out:
                    while waiting and len(out) < (self._workers or cores):
                        out.append(self._send(*waiting.popleft(), remote))
                    if check:
                        check()
                    for reading, failure in self._hear(out, on_page, CHECK_SECONDS if check else math.inf):
                        out.remove(reading)
                        if failure is None:
                            waiting.append((reading.task, reading.attempt + 1))
                        else:
                            yield reading.task, failure
            finally:
                for reading in out:
                    ray.cancel(reading.events, force=True)

    def _send(self, task: ReadingTask, attempt: int, remote: Any) -> _Reading:
        content = ray.put(task.path.read_bytes())
        pages = self._store.read(task.sha1) if task.pictures else []
        return _Reading(task, attempt, remote.remote(content, task, pages, self._make_reader, self._options))

    def _hear(
        self, out: Sequence[_Reading], on_page: OnPage | None, longest: float
    ) -> Iterator[tuple[_Reading, str | None]]:
        """The readings that ended: why each failed ("" for success), or None where it must be read again."""
        by_events = {id(r.events): r for r in out}
        patience = min(longest, max(0.0, min(r.deadline for r in out) - time.monotonic()))
        ready, _ = ray.wait([r.events for r in out], timeout=None if patience == math.inf else patience)
        for generator in ready:
            reading = by_events.pop(id(generator))
            failure, again = self._heard(reading, on_page)
            if failure is not None or again:
                yield reading, failure
        for reading in by_events.values():
            if time.monotonic() > reading.deadline:
                ray.cancel(reading.events, force=True)
                yield reading, took_too_long(reading.task, self._options.seconds_per_document)

    def _heard(self, reading: _Reading, on_page: OnPage | None) -> tuple[str | None, bool]:
        """Why it failed ("" for success, None while it is being read), and whether it must be read again."""
        task = reading.task
        try:
            event: _Event = ray.get(next(reading.events))
        except _DIED as error:
            if reading.attempt < ATTEMPTS:
                return None, True
            return f"{task.path}: {ATTEMPTS} workers died over it, the last of {type(error).__name__}", False
        except exceptions.RayTaskError as error:
            if isinstance(error.cause, ImportError):
                raise SetupError(
                    f"a machine of the Ray cluster cannot read: {error.cause}; install this pageproof on all of them"
                ) from error
            return f"{task.path}: reading failed ({error.cause!r})", False
        if isinstance(event, CannotStart):
            raise SetupError(event.why)
        if isinstance(event, _Started):
            _same_versions(event.versions)
            reading.deadline = time.monotonic() + self._options.seconds_per_document
        elif isinstance(event, Progress):
            if on_page:
                on_page(task.path, event.done, event.of)
        else:
            if not event.failure:
                self._store.write(task.sha1, event.pages)
            return event.failure, False
        return None, False


def _read_remotely(
    content: bytes, task: ReadingTask, pages: list[Page], make_reader: MakeReader, options: ReaderOptions
) -> Iterator[_Event]:
    """Runs on a worker: read a PDF, or the pictures left on its pages, and report progress; the last is the result."""
    yield _Started(_versions())
    try:
        reader = _reader(make_reader, options)
    except SetupError as error:
        yield CannotStart(str(error))
        return
    events: SimpleQueue[Progress | None] = SimpleQueue()

    def work(path: Path) -> tuple[list[Page], str]:
        try:
            read = (
                partial(with_pictures, reader, path, pages)
                if pages
                else partial(reader.read_pages, path, task.sha1)
            )
            return pages_or_failure(read, ReadingTask(path, task.sha1), lambda *d: events.put(Progress(*d)))
        finally:
            events.put(None)

    with tempfile.TemporaryDirectory(prefix="pageproof-") as folder, ThreadPoolExecutor(1) as thread:
        path = Path(folder) / task.path.name
        path.write_bytes(content)
        ended = thread.submit(work, path)
        while (progress := events.get()) is not None:
            yield progress
        read, failure = ended.result()
    yield _Finished(read, failure.replace(str(path), str(task.path)))


@cache
def _reader(make_reader: MakeReader, options: ReaderOptions) -> PageReader:
    """The reader, built once per worker."""
    return make_reader(options)


def _versions() -> dict[str, str]:
    """The versions that decide which records a PDF gives."""
    found = {name: importlib.metadata.version(name) for name in _READ_WITH}
    return found | {"pageproof's reader": str(READER_VERSION)}


def _same_versions(theirs: dict[str, str]) -> None:
    """Check that a worker has our versions, so that pages do not depend on the machine.

    Raises:
        SetupError: a worker has other versions than this machine.
    """
    ours = _versions()
    differing = [
        f"{name} {theirs.get(name)} (here {version})"
        for name, version in ours.items()
        if theirs.get(name) != version
    ]
    if differing:
        raise SetupError(
            f"a machine of the Ray cluster reads with {', '.join(differing)}; install the same versions on all of them"
        )


@contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[int]:
    """Connect to the cluster and count its cores; an embedding program may have connected already.

    Raises:
        SetupError: the cluster cannot be reached or started.
    """
    ours = not ray.is_initialized()
    with _quiet():
        if ours:
            _connect(address, workers)
        try:
            resources = ray.cluster_resources()  # type: ignore[no-untyped-call]  # Ray's
            yield max(1, int(resources.get("CPU", 1)))
        finally:
            if ours:
                ray.shutdown()


def _connect(address: str | None, workers: int | None) -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # no usage statistics are sent
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"  # without it Ray warns of a future default
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address:
            ray.init(address, **quiet)
        else:
            ray.init(num_cpus=workers, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
    except (ConnectionError, OSError, ValueError, RuntimeError, exceptions.RayError) as error:
        where = f"the Ray cluster at {address!r}" if address else "a Ray cluster on this machine"
        raise SetupError(f"{where} cannot be used: {str(error).splitlines()[0]}") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Send Ray's messages about its workers to the log; Ray prints them to standard output at any log level."""
    printing = ray_driver.print_to_stdstream

    def logged(data: dict[str, Any], ignore_prefix: bool = False) -> None:
        del ignore_prefix
        logger.info("Ray: %s", " ".join(map(str, data.get("lines", ()))))

    ray_driver.print_to_stdstream = logged
    try:
        yield
    finally:
        ray_driver.print_to_stdstream = printing

"""Publishes a folder atomically: generations, a manifest in each, and a pointer to the current one.

A new generation is written to a folder of its own and synced; then the pointer file is replaced. Readers read the
pointer each time. If the writer is killed before the end, the old generation stays the current one.
"""

import json
import logging
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from filelock import FileLock

from storage.errors import MAKE_AGAIN, DamagedFile, SetupError, StaleIndex
from storage.files import digest, sha256_of, sync_folder, write_atomically
from storage.lexicon.words import expression
from storage.records.record import Record
from storage.records.reports import Report

logger = logging.getLogger(__name__)
GENERATIONS_RETAINED = 2  # the current generation and the one before, which a reader may still be loading
_LOCK = "lock"
_ANNOUNCED = "announced-"
_NAME_OF_GENERATION = expression(r"\d{6,12}-[0-9a-f]{8}")


class Generations:
    """All generations of one published folder, such as a company's index."""

    def __init__(self, folder: Path, clear: Callable[[Path], None] = lambda _: None) -> None:
        """Look at a folder.

        Args:
            folder: holds the generations.
            clear: called with a generation's folder before the folder is removed, to remove its data elsewhere, such
                as on a server. After a kill in between, the folder is still there and is cleared again next time.
        """
        self._folder = folder
        self._clear = clear
        self._pointer = folder / "current"

    def current(self) -> Path | None:
        """The published generation's folder; None before the first, and where the pointer leads nowhere."""
        try:
            name = self._pointer.read_bytes().decode("ascii", errors="replace").strip()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        folder = self._folder / name
        return folder if _NAME_OF_GENERATION.fullmatch(name) and folder.is_dir() else None

    def damaged_pointer(self) -> Path | None:
        """The pointer where it is there and leads nowhere."""
        return self._pointer if self._pointer.exists() and self.current() is None else None

    def has_lost_pointer(self) -> bool:
        """Whether there are generations, and the pointer is gone; or the first one was never published."""
        return not self._pointer.exists() and bool(self._all())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the writers' lock, which excludes other threads and processes."""
        lock = FileLock(self._folder / _LOCK)
        while not lock.is_locked:
            with suppress(FileNotFoundError):  # the last holder may have removed the lock file with the folder
                self._folder.mkdir(parents=True, exist_ok=True)
                lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def publish(self, fill: Callable[[Path], None]) -> Path:
        """Let `fill` write a new folder, then make it current. Call it inside `locked`."""
        number = 1 + max((_number(p) for p in self._all()), default=0)
        folder = self._folder / f"{number:06d}-{uuid.uuid4().hex[:8]}"
        folder.mkdir(parents=True)
        try:
            fill(folder)
            _sync_tree(folder)
            if self._pointer.is_dir():
                shutil.rmtree(self._pointer)
            write_atomically(self._pointer, folder.name.encode("ascii"))
        except BaseException:
            self._remove(folder)
            raise
        for old in sorted(self._all(), key=_number)[:-GENERATIONS_RETAINED]:
            self._remove(old)
        self._remove_drafts(draft for kept in self._all() for draft in kept.glob(".*.draft"))
        self._remove_drafts(self._folder.glob(f".{self._pointer.name}.*.draft"))
        return folder

    def announce(self, member: str) -> None:
        """Note that a member is published without what takes longest to make, which follows in a generation.

        It needs no lock, which a writer may hold for as long as that takes.
        """
        note = self._folder / f"{_ANNOUNCED}{member}"
        while not note.exists():
            with suppress(FileNotFoundError):  # another writer has just removed the empty folder
                write_atomically(note, b"")

    def retract(self, members: Iterable[str]) -> None:
        """Take back what was announced, once a generation has it or nobody has it any more. Call it inside `locked`."""
        for member in members:
            (self._folder / f"{_ANNOUNCED}{member}").unlink(missing_ok=True)

    def announced(self) -> tuple[str, ...]:
        """The members that are announced, sorted."""
        found = self._folder.glob(f"{_ANNOUNCED}*") if self._folder.is_dir() else ()
        return tuple(sorted(path.name.removeprefix(_ANNOUNCED) for path in found))

    def is_announced(self, member: str) -> bool:
        """Whether a member is announced."""
        return (self._folder / f"{_ANNOUNCED}{member}").exists()

    def drop_earlier(self) -> None:
        """Remove every generation but the current one. Call it inside `locked`."""
        current = self.current()
        for folder in self._all():
            if folder != current:
                self._clear(folder)
                shutil.rmtree(folder)

    def drop(self, folders: Sequence[Path]) -> None:
        """Remove some generations; what cannot be cleared elsewhere stays. Call it inside `locked`."""
        for folder in folders:
            self._remove(folder)

    def drop_all(self) -> None:
        """Remove the current generation too. Call it inside `locked`."""
        self._pointer.unlink(missing_ok=True)
        sync_folder(self._folder)
        self.drop_earlier()

    def remove(self) -> None:
        """Remove all generations, the pointer first. One whose data elsewhere cannot be removed stays, with a warning.

        Call it inside `locked`, and `remove_empty` after it.
        """
        self._pointer.unlink(missing_ok=True)
        for folder in self._all():
            self._remove(folder)

    def remove_empty(self) -> None:
        """Remove the folder and its parent if they are empty. Call it last inside `locked`.

        The lock file is removed too. A process that waits for it notices that and creates the folder again.
        """
        if self._all() or self._pointer.exists() or self.announced():
            return
        self._remove_drafts(self._folder.glob(f".{self._pointer.name}.*.draft"))
        (self._folder / _LOCK).unlink(missing_ok=True)
        with suppress(OSError):  # not empty: another process is already publishing there
            self._folder.rmdir()
            self._folder.parent.rmdir()

    def _remove_drafts(self, found: Iterable[Path]) -> None:
        """Remove drafts of writers that were killed: nobody else writes while the folder is locked."""
        for draft in list(found):
            draft.unlink(missing_ok=True)

    def _remove(self, folder: Path) -> None:
        try:
            self._clear(folder)
        except SetupError as error:  # the folder stays, so that the next attempt can clear the data elsewhere
            logger.warning("%s is kept for now: %s", folder, error)
            return
        shutil.rmtree(folder, ignore_errors=True)

    def _all(self) -> list[Path]:
        if not self._folder.exists():
            return []
        return [p for p in self._folder.iterdir() if _NAME_OF_GENERATION.fullmatch(p.name) and p.is_dir()]


def announced_below(folder: Path) -> frozenset[str]:
    """The members that are announced in any of the published folders two levels below."""
    return frozenset(path.name.removeprefix(_ANNOUNCED) for path in folder.glob(f"*/*/{_ANNOUNCED}*"))


def _number(folder: Path) -> int:
    return int(folder.name.split("-")[0])


def _sync_tree(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
    sync_folder(folder)
    sync_folder(folder.parent)


FORMAT = 1
WantedIndex = Literal["auto", "flat", "hnsw", "ivf"]
_NAME = "manifest.json"


class StoredFile(Record):
    """A file of an index, and how to know that it is what was written."""

    name: str
    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> "StoredFile":
        """A file that was just written."""
        return cls(name=path.name, bytes=path.stat().st_size, sha256=sha256_of(path))

    def check(self, folder: Path) -> None:
        """Read the file.

        Raises:
            DamagedFile: it is not what was written.
        """
        path = folder / self.name
        try:
            length = path.stat().st_size
            if length != self.bytes:
                raise OSError(f"{length} bytes instead of {self.bytes}")
            if sha256_of(path) != self.sha256:
                raise OSError("it is not what was written")
        except OSError as error:
            reason = "it is gone" if isinstance(error, FileNotFoundError) else error.strerror or error
            raise DamagedFile(f"the index file {path} is damaged ({reason}); {MAKE_AGAIN}") from error


class VectorIndex(Record):
    """How the vectors are stored and searched.

    Attributes:
        store: the kind of vector store, as in the settings.
        address: of the server that holds them; "" for local files.
        wanted: the kind of index in the settings; with "auto" the number of vectors decides when an index is written.
        breadth: candidates held in a graph (hnsw), cells looked into (ivf), 0 for an exact search.
        recall_at_30: share of an exact search's first thirty chunks that are found, for a sample of the vectors.
    """

    store: str = "faiss"
    address: str = ""
    wanted: WantedIndex = "auto"
    kind: Literal["flat", "hnsw", "ivf"] = "flat"
    breadth: int = 0
    recall_at_30: float = 1.0


class Manifest(Record):
    """What is written into every published index about itself.

    Attributes:
        versions: of the program, where they change an index; empty in those written before it was noted.
        files: of the index, without this one; empty in those written before it was noted.
        digest: of all the rest; "" in those written before it was noted.
    """

    format: int = FORMAT
    company: str
    fingerprint: str
    reader: str
    embedding_model: str
    dimensions: int
    chunk_count: int
    reports: tuple[Report, ...]
    versions: tuple[int, ...] = ()
    vector_index: VectorIndex = VectorIndex()
    files: tuple[StoredFile, ...] = ()
    digest: str = ""

    def write(self, folder: Path) -> None:
        """Write it into the index's folder, once everything else is there."""
        files = tuple(StoredFile.of(path) for path in sorted(folder.iterdir()) if path.name != _NAME)
        manifest = self.model_copy(update={"files": files, "digest": ""})
        sealed = manifest.model_copy(update={"digest": manifest._digest()})
        write_atomically(folder / _NAME, sealed.model_dump_json(indent=1).encode())

    def check(self, folder: Path) -> None:
        """Read every file of the index in this folder.

        Raises:
            DamagedFile: one is not what was written.
        """
        for file in self.files:
            file.check(folder)

    def _digest(self) -> str:
        # Without defaults: what a later version adds to the record leaves the digest as it was.
        return digest(self.model_dump(mode="json", exclude={"digest"}, exclude_defaults=True), length=32)

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The manifest of an index.

        Raises:
            DamagedFile: it cannot be read, or is not what was written.
            StaleIndex: it has another format.
        """
        try:
            content = json.loads((folder / _NAME).read_bytes())
            form = content.get("format") if isinstance(content, dict) else None
            if isinstance(form, int) and form != FORMAT:
                raise StaleIndex(f"the index in {folder} has format {form}, expected {FORMAT}; {MAKE_AGAIN}")
            found = cls.model_validate(content)
            if found.digest and found.digest != found._digest():
                raise ValueError("it is not what was written")
        except PermissionError as error:
            raise SetupError(f"the index in {folder} cannot be read ({error.strerror})") from error
        except (OSError, ValueError) as error:
            raise DamagedFile(f"the index in {folder} has no readable manifest; {MAKE_AGAIN}") from error
        return found

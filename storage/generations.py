"""Publishing a folder whole: generations and a pointer to the current one.

A generation is filled under a name of its own, synced, then the pointer file is replaced. Readers look at the
pointer each time; whoever is killed half-way leaves the old generation current.
"""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from storage.files import sync_folder, write_atomically

KEPT = 2  # the current generation and the one before, which somebody may still be loading


class Generations:
    """The generations of one thing in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pointer = folder / "current"

    def current(self) -> Path | None:
        """The published generation's folder, or None before the first."""
        try:
            name = self._pointer.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        return self._folder / name

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out, in this and other processes."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / "lock"):
            yield

    def publish(self, fill: Callable[[Path], None]) -> Path:
        """Let `fill` write a new folder, then make it current. Call it inside `locked`."""
        number = 1 + max((_number(p) for p in self._all()), default=0)
        folder = self._folder / f"{number:06d}-{uuid.uuid4().hex[:8]}"
        folder.mkdir(parents=True)
        try:
            fill(folder)
            _sync_tree(folder)
            write_atomically(self._pointer, folder.name.encode("ascii"))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        for old in sorted(self._all(), key=_number)[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)
        return folder

    def drop_earlier(self) -> None:
        """Remove every generation but the current one. Call it inside `locked`."""
        current = self.current()
        for folder in self._all():
            if folder != current:
                shutil.rmtree(folder)

    def drop_all(self) -> None:
        """Remove the current generation too. Call it inside `locked`."""
        self._pointer.unlink(missing_ok=True)
        sync_folder(self._folder)
        self.drop_earlier()

    def _all(self) -> list[Path]:
        return [p for p in self._folder.iterdir() if p.is_dir()]


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

"""Files of a library damaged in the four ways that files come to harm; disks that are full or only to read."""

import ctypes
import random
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def cut(path: Path) -> None:
    """Only its first half is left, as after a crash of the machine."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def empty(path: Path) -> None:
    """Nothing is left of it but its name."""
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    """As long as it was, and every byte another."""
    path.write_bytes(random.Random(7).randbytes(max(path.stat().st_size, 1)))


def gone(path: Path) -> None:
    """It was removed."""
    path.unlink()


def altered(path: Path) -> None:
    """One bit in the middle is another, as on a failing disk."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


WAYS: tuple[Callable[[Path], None], ...] = (cut, empty, garbage, gone)


@contextmanager
def full_disk(longest: int = 0) -> Iterator[None]:
    """No file of this process and of those that it starts may become longer than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    tempfile.gettempdir()  # looked for once, by writing a file
    resource.setrlimit(resource.RLIMIT_FSIZE, (longest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def only_to_read(folder: Path) -> None:
    """Take the right to write away from everything in a folder."""
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)


def obey_rights() -> None:
    """Give up what lets root write where nobody may; for a process that is about to begin another program."""
    libc = ctypes.CDLL(None)
    for capability in _BEYOND_RIGHTS:
        libc.prctl(_DROP_FROM_BOUNDS, capability)


_DROP_FROM_BOUNDS = 24  # PR_CAPBSET_DROP of prctl(2)
_BEYOND_RIGHTS = (1, 2, 3)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER of capabilities(7)

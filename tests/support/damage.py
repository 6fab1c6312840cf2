"""Files of a library damaged in the four ways that files come to harm."""

import random
from collections.abc import Callable
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

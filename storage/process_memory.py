"""Care for a process's memory: limit it, give free memory back, and have Python search for garbage less often.

The tensors of each batch differ in size, so glibc's heap breaks into pieces: a process that embeds for an hour would
hold gigabytes that nothing uses.
"""

import atexit
import ctypes
import gc
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

NEW_OBJECTS = 10_000  # new objects before Python searches them for cycles; its own default is 700


def give_back() -> None:
    """Return free memory to the system, where the C library can (glibc); milliseconds."""
    if trim := _malloc_trim():
        trim(0)


def freeze_loaded_objects(*, clean: bool = True) -> None:
    """Exempt all objects that exist now from garbage collection. Call it once, when everything is loaded.

    Libraries and a model are millions of objects that are never freed. Searching them for cycles stops every thread
    for more than a second, every few seconds of work. Frozen objects are never collected, so use this only in a
    process that we own; only the first call has an effect.

    Args:
        clean: search for cycles a last time. In a forked process this would copy what it shares with the others.
    """
    if gc.get_freeze_count():
        return
    if clean:
        gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries that check for leaks at exit would report frozen objects
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


_SELDOM = (5 * NEW_OBJECTS, 10, 1_000)  # of a million of them, a search through all objects
_searches_seldom = threading.Lock()  # held by the one thread that has it so


@contextmanager
def searching_seldom() -> Iterator[None]:
    """Have Python search for cycles less often, for work of seconds that makes many small objects and few cycles.

    It counts for the whole process. While one thread has it so, others change nothing.
    """
    if not _searches_seldom.acquire(blocking=False):
        yield
        return
    before = gc.get_threshold()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        _searches_seldom.release()


def resident_megabytes() -> float:
    """How much of the machine's memory this process holds, on Linux; 0 on other systems."""
    return _status_kilobytes().get("VmRSS", 0) / 1024


def limit_memory(megabytes: float) -> None:
    """Let the system refuse this process more than so many megabytes beside what it has now, on Linux.

    What the process asks for beyond them is refused to it: Python raises MemoryError, and a native library fails or
    ends the process. Nothing else of the machine suffers.
    """
    held = _status_kilobytes().get("VmData")
    if held is None:
        return
    most = (held << 10) + int(megabytes * 2**20)
    with suppress(ValueError, OSError):  # there is a lower limit already
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def available_megabytes() -> float | None:
    """How much memory new processes can have without swapping, on Linux; None on other systems."""
    available = _kilobytes(Path("/proc/meminfo")).get("MemAvailable")
    return None if available is None else available / 1024


def _status_kilobytes() -> dict[str, int]:
    return _kilobytes(Path("/proc/self/status"))


def _kilobytes(status: Path) -> dict[str, int]:
    lines = status.read_text().splitlines() if status.exists() else ()
    parts = (line.split() for line in lines)
    return {part[0].rstrip(":"): int(part[1]) for part in parts if part[-1:] == ["kB"]}


@cache
def _malloc_trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or none
        return None

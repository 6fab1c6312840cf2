"""Care for a process's memory: limit it, give free memory back, and exempt loaded objects from garbage collection.

The tensors of each batch differ in size, so glibc's heap breaks into pieces: a process that embeds for an hour would
hold gigabytes that nothing uses.
"""

import atexit
import ctypes
import gc
import resource
from contextlib import suppress
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


def limit_memory(megabytes: int) -> None:
    """Let the system refuse this process more than so many megabytes beside what it has now, on Linux.

    What the process asks for beyond them is refused to it: Python raises MemoryError, and a native library fails or
    ends the process. Nothing else of the machine suffers.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return
    held = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmData:"))
    most = (held << 10) + (megabytes << 20)
    with suppress(ValueError, OSError):  # there is a lower limit already
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


@cache
def _malloc_trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or none
        return None

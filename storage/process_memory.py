"""Care for a process's heap: give free memory back to the system, and exempt loaded objects from garbage collection.

The tensors of each batch differ in size, so glibc's heap breaks into pieces: a process that embeds for an hour would
hold gigabytes that nothing uses.
"""

import atexit
import ctypes
import gc
from functools import cache
from typing import Any

NEW_OBJECTS = 10_000  # new objects before Python searches them for cycles; its own default is 700


def give_back() -> None:
    """Return free memory to the system, where the C library can (glibc); milliseconds."""
    if trim := _malloc_trim():
        trim(0)


def freeze_loaded_objects() -> None:
    """Exempt all objects that exist now from garbage collection. Call it once, when everything is loaded.

    Libraries and a model are millions of objects that are never freed. Searching them for cycles stops every thread
    for more than a second, every few seconds of work. Frozen objects are never collected, so use this only in a
    process that we own; only the first call has an effect.
    """
    if gc.get_freeze_count():
        return
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries that check for leaks at exit would report frozen objects
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


@cache
def _malloc_trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or none
        return None

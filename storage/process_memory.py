"""What a process does about its heap: free memory goes back to the system, and what is loaded is left alone.

A model's tensors have another size with each batch; glibc keeps what they leave in pieces, and a process that embeds
for an hour holds gigabytes that nothing uses.
"""

import atexit
import ctypes
import gc
from functools import cache
from typing import Any

NEW_OBJECTS = 10_000  # before Python looks for cycles among them; 700 by itself


def give_back() -> None:
    """Return free memory to the system, where the C library can (glibc); milliseconds."""
    if trim := _malloc_trim():
        trim(0)


def freeze_loaded_objects() -> None:
    """Leave everything that is loaded now out of Python's searches for cycles.

    Libraries and a model are millions of objects that never go; looking through them halts every thread for more than a
    second, every few seconds of work. For a process that is ours: what is alive now and later becomes a cycle stays, so
    only a process's first call does it.
    """
    if gc.get_freeze_count():
        return
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries that look for leaks at the end would take what is frozen for one
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


@cache
def _malloc_trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or none to be asked
        return None

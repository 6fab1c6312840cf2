"""Giving freed memory back to the system.

A model's tensors have another size with each batch; glibc keeps what they leave in pieces, and a process that embeds
for an hour holds gigabytes that nothing uses.
"""

import ctypes
from functools import cache
from typing import Any


def give_back() -> None:
    """Return free memory to the system, where the C library can (glibc); milliseconds."""
    if trim := _malloc_trim():
        trim(0)


@cache
def _malloc_trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or none to be asked
        return None

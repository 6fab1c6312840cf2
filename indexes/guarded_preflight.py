"""Preflight of a PDF that nobody vouches for, in a process of its own.

PDFium is native code: a page made for it may keep it busy for hours, eat the memory or bring the process down.
"""

import multiprocessing
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from indexes.preflight import PreflightReport, preflight
from storage.errors import DocumentError

SECONDS = 60.0
_MEGABYTES = 4096  # of address space
Look = Callable[[Path], PreflightReport]
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class _Fault:
    why: str


def guarded_preflight(path: Path, seconds: float = SECONDS, look: Look = preflight) -> PreflightReport:
    """What `look` says, which can then neither hang nor crash its caller.

    Raises:
        DocumentError: it is missing, empty, not a PDF, damaged, encrypted, without pages, or too much for the parser.
    """
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs, path, look), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise DocumentError(f"{path}: opening it took longer than {seconds:g} s; export the PDF again")
        said = ours.recv()
    except (EOFError, ConnectionResetError) as error:
        raise DocumentError(f"{path}: it cannot be opened, the parser died of it; export the PDF again") from error
    finally:
        ours.close()
        process.kill()
        process.join()
    if isinstance(said, _Fault):
        raise DocumentError(said.why)
    if not isinstance(said, PreflightReport):
        raise TypeError(f"the process said a {type(said).__name__}")
    return said


def _serve(connection: Connection, path: Path, look: Look) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's to handle
    most = _MEGABYTES << 20
    with suppress(ValueError, OSError):  # not every system has the limit
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        connection.send(look(path))
    except DocumentError as error:
        connection.send(_Fault(str(error)))

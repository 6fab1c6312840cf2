"""Readers for the pool's tests; they live in a module because processes are spawned."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from indexes.options import ReaderOptions
from indexes.preflight import PreflightReport
from indexes.reading.pool import MEGABYTES_PER_PROCESS, MEGABYTES_RESERVED
from indexes.reading.pool import MakeReader as MakeReader
from storage.errors import DocumentError, SetupError
from storage.records.pages import Page

LOADING_SECONDS = 2.5


class ScriptedReader:
    """Does what the file's name says: hang, die, fail, or read one page."""

    def read_pages(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None = None) -> list[Page]:
        if path.stem.startswith("hang"):
            if on_page:
                on_page(1, 2)
            time.sleep(600)
        if path.stem.startswith("die"):
            os._exit(9)
        if path.stem.startswith("greedy"):
            bytearray((MEGABYTES_PER_PROCESS + MEGABYTES_RESERVED) << 20)
        if path.stem.startswith("defect"):
            return [] * (1 // len(path.suffix[4:]))
        if path.stem.startswith("fail"):
            raise DocumentError(f"{path}: not a PDF")
        if on_page:
            on_page(1, 1)
        return [Page(report_sha1=sha1, page_number=1, width=100 + os.getpid(), height=200, unread_pictures=True)]

    def with_pictures(
        self, path: Path, pages: Sequence[Page], on_page: Callable[[int, int], None] | None = None
    ) -> list[Page]:
        if path.stem.startswith("blurred"):
            raise DocumentError(f"{path}: its pictures are blurred")
        if on_page:
            on_page(len(pages), len(pages))
        return [page.model_copy(update={"height": 300, "unread_pictures": False}) for page in pages]


class MortalReader(ScriptedReader):
    """The first to read "slow" waits to be killed, and leaves its process id in the folder of `options.weights`."""

    def __init__(self, folder: Path) -> None:
        self._pid = folder / "pid"

    def read_pages(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None = None) -> list[Page]:
        if path.stem == "slow" and not self._pid.exists():
            self._pid.write_text(str(os.getpid()))
            time.sleep(600)
        return super().read_pages(path, sha1, on_page)


def mortal(options: ReaderOptions) -> MortalReader:
    assert options.weights is not None
    return MortalReader(options.weights)


def endless_look(path: Path) -> PreflightReport:
    time.sleep(600)
    return PreflightReport(sha1=str(path), page_count=1)


def dying_look(path: Path) -> PreflightReport:
    os._exit(len(str(path)))


def greedy_look(path: Path) -> PreflightReport:
    return PreflightReport(sha1=str(path), page_count=len(bytearray(8 << 30)))


def endless_drawing(_: Path, page_number: int, scale: float) -> bytes:
    time.sleep(600 * scale)
    return bytes(page_number)


def scripted(_: ReaderOptions) -> ScriptedReader:
    return ScriptedReader()


def slow_to_load(_: ReaderOptions) -> ScriptedReader:
    time.sleep(LOADING_SECONDS)
    return ScriptedReader()


def without_weights(_: ReaderOptions) -> ScriptedReader:
    raise SetupError("the weights are missing")

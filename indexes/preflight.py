"""Checks a PDF before it is read. An uploaded PDF is checked in a process of its own."""

import hashlib
import multiprocessing
import re
import resource
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pypdfium2
from pydantic import Field
from pypdfium2 import PdfiumError

from indexes.text_quality import is_nonsense
from storage.errors import DocumentError
from storage.records.record import Record

_BLOCK_BYTES = 1 << 20
_HEADER_WITHIN = 1024  # bytes; readers accept "%PDF-" anywhere in these
_SAMPLED_PAGES = 5
_OCR_EFFORT = 60  # pages with text that take as long as one page with OCR
MOST_CHARACTERS = (
    150_000  # characters on one page; a dense page has 10,000, and the parser's time grows with the square
)
_NO_PAGES = re.compile(rb"/Kids\s*\[\s*\]")


class PreflightReport(Record):
    """What is known about a PDF that can be opened.

    Attributes:
        sha1: of the file's bytes, in hexadecimal; a report's identity everywhere.
        page_count: physical pages.
        textless_share: share of pages without readable text, from a sample over the PDF; they may need OCR.
    """

    sha1: str
    page_count: int = Field(ge=1)
    textless_share: float = Field(default=0.0, ge=0, le=1)

    @property
    def effort(self) -> float:
        """The approximate work of reading, measured in pages with text."""
        return self.page_count * (1 + _OCR_EFFORT * self.textless_share)


def preflight(path: Path) -> PreflightReport:
    """Open the PDF and count its pages.

    Raises:
        DocumentError: the file is missing, empty, not a PDF, damaged, encrypted or without pages.
    """
    _check_bytes(path)
    try:
        with PDFIUM, pypdfium2.PdfDocument(path) as document:
            page_count = len(document)
            textless = _textless_share(document) if page_count else 0.0
    except PdfiumError as error:
        raise DocumentError(_why_not(path, str(error))) from error
    if page_count == 0:
        raise DocumentError(f"{path}: the PDF has no pages; export it again")
    return PreflightReport(sha1=sha1_of(path), page_count=page_count, textless_share=textless)


def check_page_lengths(path: Path) -> None:
    """Refuse a PDF with a page so full of text that reading it would take hours.

    Raises:
        DocumentError: there is such a page.
    """
    with pypdfium2.PdfDocument(path) as document:
        for number, page in enumerate(document, 1):
            count = page.get_textpage().count_chars()
            page.close()
            if count > MOST_CHARACTERS:
                raise DocumentError(
                    f"{path}: page {number} has {count:,} characters; no page of print has more than "
                    f"{MOST_CHARACTERS:,}, and reading it would take hours; remove the page, or export it again"
                )


def sha1_of(path: Path) -> str:
    """The SHA-1 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha1(usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _textless_share(document: pypdfium2.PdfDocument) -> float:
    count = min(_SAMPLED_PAGES, len(document))
    indexes = [(2 * i + 1) * len(document) // (2 * count) for i in range(count)]
    texts = [document[i].get_textpage().get_text_range() for i in indexes]
    return sum(not text.strip() or is_nonsense(text) for text in texts) / count


def _check_bytes(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_WITHIN)
    except FileNotFoundError as error:
        raise DocumentError(f"{path}: no such file; check the path") from error
    except OSError as error:
        raise DocumentError(f"{path}: cannot be opened ({error.strerror}); check it is a readable file") from error
    if not head:
        raise DocumentError(f"{path}: the file is empty (0 bytes); download or export it again")
    if b"%PDF-" not in head:
        raise DocumentError(f"{path}: not a PDF (it does not begin with %PDF-); give a PDF file")


def _why_not(path: Path, reason: str) -> str:
    """Why PDFium cannot open the file. PDFium's own reason is not enough, since it may belong to an earlier file."""
    data = path.read_bytes()
    if b"/Encrypt" in data and "password" in reason.lower():
        return f"{path}: the PDF is encrypted and needs a password; save it without one and try again"
    if _NO_PAGES.search(data):
        return f"{path}: the PDF has no pages; export it again"
    return f"{path}: the PDF is damaged or cut off; download or export it again"


SECONDS = 60.0
_MEGABYTES = 4096  # of address space
Look = Callable[[Path], PreflightReport]
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class _Failure:
    why: str


def guarded_preflight(path: Path, seconds: float = SECONDS, look: Look = preflight) -> PreflightReport:
    """Run `look` in a process of its own, so that it can neither hang nor crash the caller.

    Raises:
        DocumentError: the file is missing, empty, not a PDF, damaged, encrypted, without pages, or too large to parse.
    """
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs, path, look), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise DocumentError(f"{path}: opening it took longer than {seconds:g} s; export the PDF again")
        reply = ours.recv()
    except (EOFError, ConnectionResetError) as error:
        raise DocumentError(f"{path}: it cannot be opened, the parser died of it; export the PDF again") from error
    finally:
        ours.close()
        process.kill()
        process.join()
    if isinstance(reply, _Failure):
        raise DocumentError(reply.why)
    if not isinstance(reply, PreflightReport):
        raise TypeError(f"the process said a {type(reply).__name__}")
    return reply


def _serve(connection: Connection, path: Path, look: Look) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl+C
    most = _MEGABYTES << 20
    with suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        connection.send(look(path))
    except DocumentError as error:
        connection.send(_Failure(str(error)))


PDFIUM = threading.Lock()
"""Held by whoever opens, reads or draws a PDF in a process that has several threads."""

"""Checks a PDF before it is read, and opens foreign PDFs in a process of its own."""

import ctypes
import multiprocessing
import resource
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self, TypeVar, cast

import pypdfium2
from pydantic import Field
from pypdfium2 import PdfiumError, raw

from indexes.drawn_objects import DrawnObjects, page_problem
from indexes.text_quality import is_nonsense
from pageproof.own_packages import in_new_process
from storage.errors import DocumentError, PageproofError, SetupError
from storage.files import sha1_of
from storage.lexicon.words import expression
from storage.records.record import Record
from storage.text import storable, words

Result = TypeVar("Result")
_HEADER_WITHIN = 1024  # bytes; readers accept "%PDF-" anywhere in these
_SAMPLED_PAGES = 5
_OCR_EFFORT = 60  # pages with text that take as long as one page with OCR
_NO_PAGES = expression(rb"/Kids\s*\[\s*\]")


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


_MOST_PAGES_OF_SHELL, _MOST_CHARACTERS_OF_SHELL = 2, 1_500
_LONGEST_PACKET = 1 << 20  # bytes
_PRINTED_OF_FORM = 0.5  # of the words of a form that its pages print, if these are there
_VIEWER = "adobe"  # whose viewer the request names, in any language
_TEXT_OF_FORM = expression(rb"<text\b[^>]*>([^<]+)<")


def preflight(path: Path) -> PreflightReport:
    """Open the PDF, count its pages and look at some of them.

    Raises:
        DocumentError: the file is missing, empty, not a PDF, damaged, encrypted or without pages.
    """
    with sound_pdf(path) as document:
        share = _textless_share(document)
        return PreflightReport(sha1=sha1_of(path), page_count=len(document), textless_share=share)


@contextmanager
def sound_pdf(path: Path) -> Iterator[pypdfium2.PdfDocument]:
    """An open PDF that has pages.

    Raises:
        DocumentError: as for `preflight`.
    """
    _check_bytes(path)
    try:
        with PDFIUM, pypdfium2.PdfDocument(path) as document:
            if not len(document):
                raise DocumentError(f"{path}: the PDF has no pages; export it again")
            if _is_shell(document):
                raise DocumentError(
                    f"{path}: an XFA form, whose pages only Adobe Reader shows; open it there and print it to a PDF"
                )
            yield document
    except PdfiumError as error:
        raise DocumentError(_why_not(path, str(error))) from error


def _is_shell(document: pypdfium2.PdfDocument) -> bool:
    """Whether nothing but the request to open it elsewhere is printed: the pages of an XFA form are made when shown.

    The pages of other forms that have XFA are there. What the form prints besides fields is in them then.
    """
    if document.get_formtype() not in (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND):
        return False
    if len(document) > _MOST_PAGES_OF_SHELL:
        return False
    pages = [document[place] for place in range(len(document))]
    printed = " ".join(page.get_textpage().get_text_range() for page in pages)
    if any(map(_has_fields, pages)) or len(printed) >= _MOST_CHARACTERS_OF_SHELL:
        return False
    known, drawn = set(words(printed)), set(words(_printed_by_form(document)))
    if drawn:
        return len(drawn & known) < _PRINTED_OF_FORM * len(drawn)
    return document.get_formtype() == raw.FORMTYPE_XFA_FULL or _VIEWER in known


def _has_fields(page: pypdfium2.PdfPage) -> bool:
    """Whether the page has an annotation with a place; signatures that nobody sees have none."""
    rectangle = raw.FS_RECTF()
    for place in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, place)
        is_field = raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET
        raw.FPDFAnnot_GetRect(annotation, rectangle)
        raw.FPDFPage_CloseAnnot(annotation)
        if is_field and rectangle.right > rectangle.left and rectangle.top > rectangle.bottom:
            return True
    return False


def _printed_by_form(document: pypdfium2.PdfDocument) -> str:
    """The texts in the template of an XFA form: headings and labels."""
    packets = b""
    for place in range(raw.FPDF_GetXFAPacketCount(document)):
        size = ctypes.c_ulong()
        raw.FPDF_GetXFAPacketContent(document, place, None, 0, size)
        content = ctypes.create_string_buffer(min(size.value, _LONGEST_PACKET))
        if raw.FPDF_GetXFAPacketContent(document, place, content, len(content), size):
            packets += content.raw
    return " ".join(found.decode("utf-8", "replace") for found in _TEXT_OF_FORM.findall(packets))


def check_pages(path: Path, page_numbers: range) -> None:
    """Look whether the pages can be read.

    Raises:
        DocumentError: a page is such that no printer would take it, and reading it would take hours or all the memory.
    """
    with pypdfium2.PdfDocument(path) as document:
        for number in page_numbers:
            try:
                page = document[number - 1]
            except PdfiumError:  # a page that cannot be opened is the reader's to judge
                continue
            problem = page_problem(DrawnObjects(page), page.get_textpage)
            page.close()
            if problem:
                raise too_large(path, number, problem)


def too_large(path: Path, page_number: int, problem: str) -> DocumentError:
    """The error for a page that is too large in a way."""
    return DocumentError(
        f"{path}: page {page_number} {problem}; reading it would take hours or all the memory; "
        "remove the page, or export it again"
    )


def _textless_share(document: pypdfium2.PdfDocument) -> float:
    count = min(_SAMPLED_PAGES, len(document))
    indexes = [(2 * i + 1) * len(document) // (2 * count) for i in range(count)]
    texts = [document[i].get_textpage().get_text_range() for i in indexes]
    return sum(not text.strip() or is_nonsense(text) for text in texts) / count


def _check_bytes(path: Path) -> None:
    if storable(str(path)) != str(path):
        raise DocumentError(f"{path}: the name of the file is no text; rename it")
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe waits until somebody writes into it
            raise DocumentError(f"{path}: is no regular file; give a PDF file")
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
START_SECONDS = 300.0  # until a process on a busy machine has started
MEGABYTES = 2500  # of address space
Look = Callable[[Path], PreflightReport]
_NOT_BEGUN = (
    "the process that opens PDFs ended before it began; in a script, put what it does below "
    "`if __name__ == '__main__':`, since each new process reads the script again"
)
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class _Ready:
    """The process has started; from now on the call's time is counted."""


@dataclass(frozen=True)
class _Failure:
    kind: type[PageproofError]
    why: str


class PdfProcess:
    """A process of its own that opens foreign PDFs: none of them can hang or crash the caller, or take its memory.

    It serves one call after the other, from any thread. A PDF that brings it down costs its own call only.
    """

    def __init__(self, done: str = "opened", seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        """Nothing is started before the first call. `done` is what is done to a PDF, for messages."""
        self._done = done
        self._seconds = seconds
        self._megabytes = megabytes
        self._one_at_a_time = threading.Lock()
        self._running: tuple[BaseProcess, Connection] | None = None

    def __enter__(self) -> Self:
        """End the process when this block ends."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the process."""
        self.close()

    def call(self, job: Callable[..., Result], path: Path, *arguments: object) -> Result:
        """What `job(path, *arguments)` gives; the job is a function of a module, since the process imports it.

        Raises:
            PageproofError: raised by the job.
            DocumentError: it took too long or too much memory, or the process died of it.
        """
        with self._one_at_a_time:
            try:
                connection = self._connection()
                connection.send((job, path, *arguments))
                if not connection.poll(self._seconds):
                    message = (
                        f"{path}: it could not be {self._done} within {self._seconds:g} s; export the PDF again"
                    )
                    raise DocumentError(message)
                reply = connection.recv()
            except (EOFError, OSError) as error:
                self.close()
                raise DocumentError(
                    f"{path}: it cannot be {self._done}, the parser died of it; export the PDF again"
                ) from error
            except DocumentError:
                self.close()
                raise
        if isinstance(reply, _Failure):
            raise reply.kind(reply.why)
        return cast(Result, reply)

    def close(self) -> None:
        """End the process; the next call starts another."""
        if self._running is not None:
            process, connection = self._running
            self._running = None
            connection.close()
            process.kill()
            process.join()

    def _connection(self) -> Connection:
        if self._running is None or not self._running[0].is_alive():
            self.close()
            ours, theirs = _SPAWN.Pipe()
            process = _SPAWN.Process(
                target=in_new_process, args=(_serve, theirs, self._megabytes, self._done), daemon=True
            )
            process.start()
            theirs.close()
            self._running = process, ours
            if not ours.poll(START_SECONDS):
                raise DocumentError(
                    f"the process that opens PDFs did not start within {START_SECONDS:g} s; try again"
                )
            try:
                ours.recv()
            except (EOFError, OSError) as error:
                raise SetupError(_NOT_BEGUN) from error
        return self._running[1]


def guarded_preflight(path: Path, seconds: float = SECONDS, look: Look = preflight) -> PreflightReport:
    """Run `look` in a process of its own, so that it can neither hang nor crash the caller.

    Raises:
        DocumentError: the file is missing, empty, not a PDF, damaged, encrypted, without pages, or too large to parse.
    """
    with PdfProcess(seconds=seconds) as process:
        return process.call(look, path)


@contextmanager
def guarded_looks() -> Iterator[Look]:
    """Looks at many PDFs with one process of its own."""
    with PdfProcess() as process:
        yield partial(process.call, preflight)


def _serve(connection: Connection, megabytes: int, done: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl+C
    with suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    connection.send(_Ready())
    while True:
        try:
            job, path, *arguments = connection.recv()
        except EOFError:  # the parent is gone
            return
        try:
            connection.send(job(path, *arguments))
        except PageproofError as error:
            connection.send(_Failure(type(error), str(error)))
        except MemoryError:
            connection.send(_Failure(DocumentError, f"{path}: it needs too much memory to be {done}"))


PDFIUM = threading.Lock()
"""Held by whoever opens, reads or draws a PDF in a process that has several threads."""

"""Checks a PDF before it is read, and opens foreign PDFs in a process of its own."""

import ctypes
import hashlib
import multiprocessing
import re
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import pypdfium2
from pydantic import Field
from pypdfium2 import PdfiumError, raw

from indexes.text_quality import is_nonsense
from pageproof.own_packages import in_new_process
from storage.errors import DocumentError, PageproofError, SetupError
from storage.records.record import Record

Result = TypeVar("Result")
_BLOCK_BYTES = 1 << 20
_HEADER_WITHIN = 1024  # bytes; readers accept "%PDF-" anywhere in these
_SAMPLED_PAGES = 5
_OCR_EFFORT = 60  # pages with text that take as long as one page with OCR
# Of one page. The largest of 29 real reports have 9,000 objects, 8 million pixels and 510,000 square points; a dense
# page has 10,000 characters. The parser's time grows with the square of the characters.
MOST_CHARACTERS = 60_000
MOST_OBJECTS = 50_000
MOST_PIXELS = 100_000_000
MOST_SQUARE_POINTS = 25_000_000
_FAINT = 32  # levels of 255 that two colours or an opacity may differ, and nobody sees it
_UNPAINTED = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_RULE = 8.0  # points; a filled shape of fewer on a side is a rule, no background
_MOST_CLIPS, _MOST_CORNERS = 4, 64  # paths that cut off a text, and their points, that are looked at
_MOST_SHAPES = 300  # of a page, which are looked through for each text
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


def check_pages(path: Path, page_numbers: range) -> frozenset[int]:
    """Those of the pages on which text may be hidden: in the colour of what is behind it, clear, or behind a picture.

    Raises:
        DocumentError: a page is such that no printer would take it, and reading it would take hours or all the memory.
    """
    suspected = set()
    with pypdfium2.PdfDocument(path) as document:
        for number in page_numbers:
            try:
                page = document[number - 1]
            except PdfiumError:  # a page that cannot be opened is the reader's to judge
                continue
            drawn = _Drawn()
            problem = _problem(page, drawn)
            if drawn.may_hide_text:
                suspected.add(number)
            page.close()
            if problem:
                raise DocumentError(
                    f"{path}: page {number} {problem}; reading it would take hours or all the memory; "
                    "remove the page, or export it again"
                )
    return frozenset(suspected)


def _problem(page: pypdfium2.PdfPage, objects: "_Drawn") -> str:
    """What is too large on a page; empty where nothing is."""
    width, height = page.get_size()
    if width * height > MOST_SQUARE_POINTS:
        return (
            f"is {width:,.0f} by {height:,.0f} points large; at most {MOST_SQUARE_POINTS:,} square points are read"
        )
    drawn = _objects(raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, page.raw)
    for count, found in enumerate(drawn, 1):
        if count > MOST_OBJECTS:
            return f"has more than {MOST_OBJECTS:,} lines, pictures and pieces of text"
        pixels = objects.add(found)
        if pixels > MOST_PIXELS:
            return f"has a picture of {pixels:,} pixels; at most {MOST_PIXELS:,} are read"
    characters = page.get_textpage().count_chars()
    if characters > MOST_CHARACTERS:
        return f"has {characters:,} characters; no page of print has more than {MOST_CHARACTERS:,}"
    return ""


def _objects(count: Callable[[Any], int], get: Callable[[Any, int], Any], of: Any) -> Iterator[Any]:
    """What is drawn on a page or in a form, and in the forms in it."""
    for place in range(count(of)):
        found = get(of, place)
        yield found
        if raw.FPDFPageObj_GetType(found) == raw.FPDF_PAGEOBJ_FORM:
            yield from _objects(raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, found)


class _Drawn:
    """The objects of a page in the order in which they are drawn, and whether some of them hide text."""

    def __init__(self) -> None:
        self.may_hide_text = False
        self._red, self._green, self._blue, self._alpha = (ctypes.c_uint() for _ in range(4))
        self._colour = [ctypes.byref(number) for number in (self._red, self._green, self._blue, self._alpha)]
        self._sides = [ctypes.c_float() for _ in range(4)]
        self._box = [ctypes.byref(side) for side in self._sides]
        self._shapes: list[tuple[_Box, _Colour | None]] = []  # a picture has no colour
        self._colours = {_PAPER}
        self._plain_inks: set[_Colour] = set()
        self._texts: list[Any] = []

    def add(self, found: Any) -> int:
        """Take note of an object; the pixels that it has, if it is a picture."""
        kind = raw.FPDFPageObj_GetType(found)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            if not self.may_hide_text:
                self.may_hide_text = self._is_like_its_background(found) or self._is_cut_off(found)
                self._texts.append(found)
            return 0
        if not self.may_hide_text and kind in (
            raw.FPDF_PAGEOBJ_PATH,
            raw.FPDF_PAGEOBJ_IMAGE,
            raw.FPDF_PAGEOBJ_SHADING,
        ):
            self.may_hide_text = self._covers(found, is_path=kind == raw.FPDF_PAGEOBJ_PATH)
        return _pixels(found) if kind == raw.FPDF_PAGEOBJ_IMAGE else 0

    def _is_like_its_background(self, text: Any) -> bool:
        """Whether a text is clear, not painted, or of the colour of the last shape drawn around its middle."""
        ink = self._filled(text)
        if self._alpha.value < _FAINT or raw.FPDFTextObj_GetTextRenderMode(text) in _UNPAINTED:
            return True
        if ink not in self._plain_inks and not self._is_plain(ink):
            middle = _middle(self._place(text))
            behind = next((colour for box, colour in reversed(self._shapes) if _is_around(box, middle)), _PAPER)
            return behind is not None and _is_like(ink, behind)
        return False

    def _is_plain(self, ink: "_Colour") -> bool:
        """Whether a colour is like none of the shapes drawn so far; pages of print have thousands of texts in few."""
        is_plain = not any(_is_like(ink, colour) for colour in self._colours)
        if is_plain:
            self._plain_inks.add(ink)
        return is_plain

    def _is_cut_off(self, text: Any) -> bool:
        """Whether a text lies outside a path that cuts it off."""
        clip = raw.FPDFPageObj_GetClipPath(text)
        count = raw.FPDFClipPath_CountPaths(clip) if clip else 0
        if count <= 0:
            return False
        middle = _middle(self._place(text))
        return any(_is_outside(self._corners(clip, path), middle) for path in range(min(count, _MOST_CLIPS)))

    def _corners(self, clip: Any, path: int) -> list[tuple[float, float]]:
        """The points of a path that cuts off; none where there are too many to look at."""
        count = raw.FPDFClipPath_CountPathSegments(clip, path)
        if count > _MOST_CORNERS:
            return []
        found, (x, y) = [], (ctypes.c_float(), ctypes.c_float())
        for place in range(count):
            segment = raw.FPDFClipPath_GetPathSegment(clip, path, place)
            if segment and raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
                found.append((x.value, y.value))
        return found

    def _covers(self, shape: Any, *, is_path: bool) -> bool:
        """Take note of a shape; whether it is a picture over a text, or there are too many to tell."""
        box = self._place(shape)
        if is_path:
            if min(box[2] - box[0], box[3] - box[1]) > _RULE:
                self._shapes.append((box, self._filled(shape)))
                self._know(self._shapes[-1][1] or _PAPER)
            return len(self._shapes) > _MOST_SHAPES
        self._shapes.append((box, None))
        if len(self._shapes) > _MOST_SHAPES:
            return True
        return any(_is_around(box, _middle(self._place(text))) for text in self._texts)

    def _know(self, colour: "_Colour") -> None:
        if colour not in self._colours:
            self._colours.add(colour)
            self._plain_inks.clear()

    def _filled(self, found: Any) -> "_Colour":
        raw.FPDFPageObj_GetFillColor(found, *self._colour)
        return self._red.value, self._green.value, self._blue.value

    def _place(self, found: Any) -> "_Box":
        raw.FPDFPageObj_GetBounds(found, *self._box)
        left, bottom, right, top = self._sides
        return left.value, bottom.value, right.value, top.value


_Box = tuple[float, float, float, float]  # left, bottom, right, top
_Colour = tuple[int, int, int]
_PAPER: _Colour = (255, 255, 255)


def _middle(box: _Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _is_around(box: _Box, point: tuple[float, float]) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


def _is_outside(corners: list[tuple[float, float]], point: tuple[float, float]) -> bool:
    """Whether a point is outside the box of some corners."""
    if not corners:
        return False
    xs, ys = zip(*corners, strict=True)
    return not (min(xs) <= point[0] <= max(xs) and min(ys) <= point[1] <= max(ys))


def _is_like(ink: _Colour, colour: _Colour) -> bool:
    return all(abs(a - b) < _FAINT for a, b in zip(ink, colour, strict=True))


def _pixels(found: Any) -> int:
    width, height = ctypes.c_uint(), ctypes.c_uint()
    is_known = raw.FPDFImageObj_GetImagePixelSize(found, width, height)
    return width.value * height.value if is_known else 0


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

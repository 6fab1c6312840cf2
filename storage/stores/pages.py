"""Page records and facts in one file per report, with a cache in memory for those read last."""

import hashlib
import io
import threading
import zipfile
import zlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Literal, NamedTuple, TypeVar

from cachetools import LRUCache
from pydantic import Field, ValidationError

from storage.errors import MAKE_AGAIN, DamagedFile, MissingIndex, SetupError
from storage.files import Stamp, digest, file_stamp, write_atomically
from storage.records.facts import ReportFacts
from storage.records.pages import Page
from storage.records.record import Record
from storage.records.reports import Report

# What zipfile, zlib and pydantic raise about a file that holds something else; a folder in its place is an OSError.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
HELD = 8_000_000  # bytes of JSON whose pages are cached in memory, where they need about MEMORY_PER_BYTE times as much


class PageStore:
    """Pages by report and reader fingerprint. An archive is either complete or absent.

    An archive says whose pages it holds, which of them have pictures that are still to be read, and a digest over all
    of them; each page has a checksum. Archives of earlier versions have only the checksums.

    Pages that are read by their numbers are cached in memory, so that several questions about one report parse them
    once. Pages of a whole report are not cached, since they would push out everything else.
    """

    def __init__(self, folder: Path, reader_fingerprint: str, held: int = HELD) -> None:
        self._folder = folder
        self._fingerprint = reader_fingerprint
        self._held: StampedCache[tuple[str, int], Page] = StampedCache(held)

    def __contains__(self, sha1: str) -> bool:
        return self.path(sha1).exists()

    def stamp(self, sha1: str) -> Stamp:
        """A value that changes whenever the report's pages are written."""
        return file_stamp(self.path(sha1))

    def write(self, sha1: str, pages: Sequence[Page]) -> None:
        """Store the pages of a report; earlier ones are replaced."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for page in pages:
                archive.writestr(_member(page.page_number), page.model_dump_json())
            pictures = tuple(page.page_number for page in pages if page.unread_pictures)
            archive.comment = self._seal(archive, sha1, pictures).model_dump_json().encode()
        write_atomically(self.path(sha1), buffer.getvalue())

    def read(self, sha1: str, page_numbers: Iterable[int] | None = None) -> list[Page]:
        """Pages in the requested order; without numbers, every page in order.

        Raises:
            MissingIndex: the report was not read with this reader.
            DamagedFile: its pages are there and cannot be read.
            KeyError: it has no such page.
        """
        stamp = self.stamp(sha1)
        if page_numbers is None:
            with self._opened(sha1) as archive:
                return [_parsed(archive, name) for name in archive.namelist()]
        wanted = list(page_numbers)
        pages = {number: page for number in wanted if (page := self._held.get((sha1, number), stamp))}
        if missing := [number for number in dict.fromkeys(wanted) if number not in pages]:
            with self._opened(sha1) as archive:
                for number in missing:
                    size = archive.getinfo(_member(number)).file_size
                    pages[number] = page = _parsed(archive, _member(number))
                    self._held.put((sha1, number), stamp, page, size)
        return [pages[number] for number in wanted]

    def unread_pictures(self, sha1: str) -> tuple[int, ...]:
        """The numbers of the pages whose pictures are still to be read; none where no sound archive says it."""
        try:
            with self._opened(sha1) as archive:
                return _ArchiveSeal.model_validate_json(archive.comment).pictures if archive.comment else ()
        except (MissingIndex, DamagedFile):
            return ()

    def check(self, sha1: str) -> None:
        """Read everything that the report's archive holds.

        Raises:
            MissingIndex: the report was not read with this reader.
            DamagedFile: something in it cannot be read.
        """
        with self._opened(sha1) as archive:
            if archive.comment:  # the digest covers every page by its checksum
                for name in archive.namelist():
                    archive.read(name)
            else:
                for name in archive.namelist():
                    _parsed(archive, name)

    def is_sound(self, sha1: str) -> bool:
        """Whether the report's pages are there and can be read."""
        try:
            self.check(sha1)
        except (MissingIndex, DamagedFile):
            return False
        return True

    def path(self, sha1: str) -> Path:
        """The archive of a report's pages, whether it is there or not."""
        return self._folder / sha1 / f"{self._fingerprint}.zip"

    @contextmanager
    def _opened(self, sha1: str) -> Iterator[zipfile.ZipFile]:
        path = self.path(sha1)
        try:
            with zipfile.ZipFile(path) as archive:
                seal = _ArchiveSeal.model_validate_json(archive.comment) if archive.comment else None
                if seal is not None and seal != self._seal(archive, sha1, seal.pictures):
                    raise zipfile.BadZipFile("it is not the archive that was written here")
                if not archive.namelist():
                    raise zipfile.BadZipFile("it holds no page")
                yield archive
        except FileNotFoundError as error:
            raise MissingIndex(f"the pages of report {sha1} are not kept for this reader; {MAKE_AGAIN}") from error
        except PermissionError as error:
            raise SetupError(
                f"{path} cannot be read ({error.strerror}); give yourself the right to read it"
            ) from error
        except _UNREADABLE as error:
            raise DamagedFile(
                f"the pages of report {sha1} in {path} are damaged ({error}); {MAKE_AGAIN}"
            ) from error

    def _seal(self, archive: zipfile.ZipFile, sha1: str, pictures: tuple[int, ...]) -> "_ArchiveSeal":
        members = [(info.filename, info.file_size, info.CRC) for info in archive.infolist()]
        return _ArchiveSeal(
            report=sha1, reader=self._fingerprint, digest=digest(members, length=32), pictures=pictures
        )


class _ArchiveSeal(Record):
    """What an archive says of itself, as the comment of its zip file."""

    pageproof: Literal["pages"] = "pages"
    report: str
    reader: str
    digest: str
    pictures: tuple[int, ...] = Field(default=(), exclude_if=lambda numbers: not numbers)


def _parsed(archive: zipfile.ZipFile, name: str) -> Page:
    return Page.model_validate_json(archive.read(name))


def _member(page_number: int) -> str:
    return f"{page_number:04d}.json"


class FactStore:
    """Facts by report and by the fingerprint of the reader and the rules. A file is either complete or absent.

    The company, currency and period end of a report decide how its facts are read, so they are part of the key. The
    first line of a file says whose facts follow, and their length and digest; files of earlier versions have no such
    line.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._folder = folder
        self._fingerprint = fingerprint
        self._held: StampedCache[Path, ReportFacts] = StampedCache(HELD)

    def __contains__(self, report: Report) -> bool:
        return self.path(report).exists()

    def stamp(self, report: Report) -> Stamp:
        """A value that changes whenever the report's facts are written."""
        return file_stamp(self.path(report))

    def write(self, report: Report, facts: ReportFacts) -> None:
        """Store the facts of a report; earlier ones are replaced."""
        content = facts.model_dump_json().encode()
        seal = _FactSeal(report=report.sha1, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
        write_atomically(self.path(report), b"\n".join((seal.model_dump_json().encode(), content)))

    def read(self, report: Report) -> ReportFacts:
        """The facts of a report.

        Raises:
            MissingIndex: no facts are stored under this fingerprint.
            DamagedFile: they are there and cannot be read.
        """
        file, stamp = self.path(report), self.stamp(report)
        if (held := self._held.get(file, stamp)) is not None:
            return held
        try:
            content = file.read_bytes()
            facts = facts_in(content, report.sha1)
        except FileNotFoundError as error:
            raise MissingIndex(
                f"the facts of {report.file!r} are not kept for this profile; {MAKE_AGAIN}"
            ) from error
        except PermissionError as error:
            raise SetupError(
                f"{file} cannot be read ({error.strerror}); give yourself the right to read it"
            ) from error
        except _UNREADABLE as error:
            reason = "they do not fit" if isinstance(error, ValidationError) else error
            raise DamagedFile(
                f"the facts of {report.file!r} in {file} are damaged ({reason}); {MAKE_AGAIN}"
            ) from error
        self._held.put(file, stamp, facts, len(content))
        return facts

    def is_sound(self, report: Report) -> bool:
        """Whether the report's facts are there and can be read."""
        try:
            self.read(report)
        except (MissingIndex, DamagedFile):
            return False
        return True

    def path(self, report: Report) -> Path:
        """Where the facts of a report are, or would be."""
        known: list[object] = [report.company, report.currency, report.period_end]
        if not report.filing.is_annual:
            known.append(report.filing.months)
        return self._folder / report.sha1 / f"{digest([self._fingerprint, *known])}.json"


class _FactSeal(Record):
    """What a file of facts says of itself."""

    pageproof: Literal["facts"] = "facts"
    report: str
    bytes: int
    sha256: str


def facts_in(content: bytes, sha1: str) -> ReportFacts:
    """The facts in the content of a file.

    Raises:
        ValueError: it is not what was written, or facts of another report.
    """
    first, _, rest = content.partition(b"\n")
    if not first.startswith(b'{"pageproof":'):
        rest = content
    else:
        seal = _FactSeal.model_validate_json(first)
        if len(rest) != seal.bytes:
            raise ValueError(f"{len(rest)} bytes instead of {seal.bytes}")
        if hashlib.sha256(rest).hexdigest() != seal.sha256:
            raise ValueError("they are not what was written")
    facts = ReportFacts.model_validate_json(rest)
    if facts.report_sha1 != sha1:
        raise ValueError(f"they are of report {facts.report_sha1}")
    return facts


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Entry(NamedTuple, Generic[Value]):
    stamp: Stamp
    value: Value
    weight: int


class StampedCache(Generic[Key, Value]):
    """A cache of values up to a total weight; the least recently used ones are dropped. Safe for several threads.

    Args:
        most: the greatest total weight, in the unit that `put` uses.
    """

    def __init__(self, most: int) -> None:
        self._entries: LRUCache[Key, _Entry[Value]] = LRUCache(most, getsizeof=lambda entry: entry.weight)
        self._lock = threading.Lock()

    def get(self, key: Key, stamp: Stamp) -> Value | None:
        """The value that was stored with this stamp of its file, or None. It is not a copy."""
        with self._lock:
            found = self._entries.get(key)
            return found.value if found is not None and found.stamp == stamp else None

    def put(self, key: Key, stamp: Stamp, value: Value, weight: int) -> None:
        """Store a value under a key. The least recently used values are dropped to make room."""
        with self._lock:
            self._entries.pop(key, None)
            if weight <= self._entries.maxsize:
                self._entries[key] = _Entry(stamp, value, weight)

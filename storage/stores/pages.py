"""Page records and facts on disk, each report's in files of its own, and recently read ones in memory."""

import io
import threading
import zipfile
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from cachetools import LRUCache

from storage.errors import MissingIndex
from storage.files import Stamp, digest, file_stamp, write_atomically
from storage.records.facts import ReportFacts
from storage.records.pages import Page
from storage.records.reports import Report

HELD = (
    8_000_000  # bytes of JSON whose pages are kept in memory, where they take about MEMORY_PER_BYTE times as much
)


class PageStore:
    """Pages by report and reader fingerprint; an archive is there whole or not at all.

    Pages read by their numbers are kept in memory, so that questions about one report parse them once; whole reports
    are not, since they would push out everything else.
    """

    def __init__(self, folder: Path, reader_fingerprint: str, held: int = HELD) -> None:
        self._folder = folder
        self._fingerprint = reader_fingerprint
        self._held: StampedCache[tuple[str, int], Page] = StampedCache(held)

    def __contains__(self, sha1: str) -> bool:
        return self._archive(sha1).exists()

    def stamp(self, sha1: str) -> Stamp:
        """What changes whenever the report's pages are written."""
        return file_stamp(self._archive(sha1))

    def write(self, sha1: str, pages: Sequence[Page]) -> None:
        """Keep the pages of a report, in place of any kept before."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for page in pages:
                archive.writestr(_member(page.page_number), page.model_dump_json())
        write_atomically(self._archive(sha1), buffer.getvalue())

    def read(self, sha1: str, page_numbers: Iterable[int] | None = None) -> list[Page]:
        """Pages in the order asked for; every page in order when none are named.

        Raises:
            MissingIndex: the report was not read with this reader.
            KeyError: it has no such page.
        """
        stamp = self.stamp(sha1)
        if page_numbers is None:
            with self._opened(sha1) as archive:
                return [Page.model_validate_json(archive.read(name)) for name in archive.namelist()]
        wanted = list(page_numbers)
        pages = {number: page for number in wanted if (page := self._held.get((sha1, number), stamp))}
        if missing := [number for number in dict.fromkeys(wanted) if number not in pages]:
            with self._opened(sha1) as archive:
                for number in missing:
                    content = archive.read(_member(number))
                    pages[number] = page = Page.model_validate_json(content)
                    self._held.put((sha1, number), stamp, page, len(content))
        return [pages[number] for number in wanted]

    def _opened(self, sha1: str) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self._archive(sha1))
        except FileNotFoundError as error:
            raise MissingIndex(
                f"the pages of report {sha1} are not kept for this reader; ingest it again with this profile"
            ) from error

    def _archive(self, sha1: str) -> Path:
        return self._folder / sha1 / f"{self._fingerprint}.zip"


def _member(page_number: int) -> str:
    return f"{page_number:04d}.json"


class FactStore:
    """Facts by report and by the fingerprint of the reader and the rules; a file is there whole or not at all.

    A report's company, currency and period end say how its pages are read, so they are part of the key.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._folder = folder
        self._fingerprint = fingerprint
        self._held: StampedCache[Path, ReportFacts] = StampedCache(HELD)

    def __contains__(self, report: Report) -> bool:
        return self._file(report).exists()

    def stamp(self, report: Report) -> Stamp:
        """What changes whenever the report's facts are written."""
        return file_stamp(self._file(report))

    def write(self, report: Report, facts: ReportFacts) -> None:
        """Keep the facts of a report, in place of any kept before."""
        write_atomically(self._file(report), facts.model_dump_json().encode())

    def read(self, report: Report) -> ReportFacts:
        """The facts of a report.

        Raises:
            MissingIndex: none were kept under this fingerprint.
        """
        file, stamp = self._file(report), self.stamp(report)
        if (held := self._held.get(file, stamp)) is not None:
            return held
        try:
            content = file.read_bytes()
        except FileNotFoundError as error:
            raise MissingIndex(
                f"the facts of {report.file!r} are not kept for this profile; ingest it again with the same "
                "--profile and --set"
            ) from error
        facts = ReportFacts.model_validate_json(content)
        self._held.put(file, stamp, facts, len(content))
        return facts

    def _file(self, report: Report) -> Path:
        known = [report.company, report.currency, report.period_end]
        return self._folder / report.sha1 / f"{digest([self._fingerprint, *known])}.json"


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Entry(NamedTuple, Generic[Value]):
    stamp: Stamp
    value: Value
    weight: int


class StampedCache(Generic[Key, Value]):
    """Values by key, those used last, within a weight. Several threads may share one; values are never copied.

    Args:
        most: the weight of all values together, in whatever unit `put` is given.
    """

    def __init__(self, most: int) -> None:
        self._entries: LRUCache[Key, _Entry[Value]] = LRUCache(most, getsizeof=lambda entry: entry.weight)
        self._lock = threading.Lock()

    def get(self, key: Key, stamp: Stamp) -> Value | None:
        """The value that was read when its file had this stamp, or None."""
        with self._lock:
            found = self._entries.get(key)
            return found.value if found is not None and found.stamp == stamp else None

    def put(self, key: Key, stamp: Stamp, value: Value, weight: int) -> None:
        """Store a value, in place of any under this key; the ones used longest ago make room."""
        with self._lock:
            self._entries.pop(key, None)
            if weight <= self._entries.maxsize:
                self._entries[key] = _Entry(stamp, value, weight)

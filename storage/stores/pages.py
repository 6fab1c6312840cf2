"""Page records and facts in one file per report, with a cache in memory for those read last."""

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

HELD = 8_000_000  # bytes of JSON whose pages are cached in memory, where they need about MEMORY_PER_BYTE times as much


class PageStore:
    """Pages by report and reader fingerprint. An archive is either complete or absent.

    Pages that are read by their numbers are cached in memory, so that several questions about one report parse them
    once. Pages of a whole report are not cached, since they would push out everything else.
    """

    def __init__(self, folder: Path, reader_fingerprint: str, held: int = HELD) -> None:
        self._folder = folder
        self._fingerprint = reader_fingerprint
        self._held: StampedCache[tuple[str, int], Page] = StampedCache(held)

    def __contains__(self, sha1: str) -> bool:
        return self._archive(sha1).exists()

    def stamp(self, sha1: str) -> Stamp:
        """A value that changes whenever the report's pages are written."""
        return file_stamp(self._archive(sha1))

    def write(self, sha1: str, pages: Sequence[Page]) -> None:
        """Store the pages of a report; earlier ones are replaced."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for page in pages:
                archive.writestr(_member(page.page_number), page.model_dump_json())
        write_atomically(self._archive(sha1), buffer.getvalue())

    def read(self, sha1: str, page_numbers: Iterable[int] | None = None) -> list[Page]:
        """Pages in the requested order; without numbers, every page in order.

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
    """Facts by report and by the fingerprint of the reader and the rules. A file is either complete or absent.

    The company, currency and period end of a report decide how its facts are read, so they are part of the key.
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
        write_atomically(self.path(report), facts.model_dump_json().encode())

    def read(self, report: Report) -> ReportFacts:
        """The facts of a report.

        Raises:
            MissingIndex: no facts are stored under this fingerprint.
        """
        file, stamp = self.path(report), self.stamp(report)
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

    def path(self, report: Report) -> Path:
        """Where the facts of a report are, or would be."""
        known = [report.company, report.currency, report.period_end]
        return self._folder / report.sha1 / f"{digest([self._fingerprint, *known])}.json"


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

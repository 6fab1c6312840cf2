"""Page records on disk: one archive for each report and reader, one member for each page."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from storage.errors import MissingIndex
from storage.files import Stamp, file_stamp, write_atomically
from storage.kept_in_memory import StampedCache
from storage.pages import Page

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

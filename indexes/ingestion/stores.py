"""Where the reports of one library are stored, and which of them are damaged there."""

import logging
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexes.search.company_index import CompanyIndexes
from storage.errors import DamagedFile, MissingIndex
from storage.files import set_aside, sha1_of, write_atomically
from storage.paths import DataPaths
from storage.records.pages import Page
from storage.records.reports import Company, Report
from storage.stores.library import Library
from storage.stores.pages import FactStore, PageStore

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LibraryStores:
    """Where the reports of one library are stored, each step of them.

    Attributes:
        shared: the catalog that everybody reads, where this is a person's own library.
    """

    paths: DataPaths
    library: Library
    pages: PageStore
    facts: FactStore
    indexes: CompanyIndexes
    shared: Library | None = None

    def are_pages_sound(self, sha1: str) -> bool:
        """Whether the report's pages are there; damaged ones are set aside, so that they are read again."""
        try:
            self.pages.check(sha1)
        except MissingIndex:
            return False
        except DamagedFile as error:
            self.set_aside(self.pages.path(sha1), str(error))
            return False
        return True

    def are_facts_sound(self, report: Report) -> bool:
        """Whether the report's facts are there; damaged ones are set aside, so that they are extracted again."""
        try:
            self.facts.read(report)
        except MissingIndex:
            return False
        except DamagedFile as error:
            self.set_aside(self.facts.path(report), str(error))
            return False
        return True

    def is_pdf_sound(self, sha1: str) -> bool:
        """Whether the library's copy of a PDF is there; a damaged one is set aside."""
        path = self.paths.report_pdf(sha1)
        if path.is_file() and sha1_of(path) == sha1:
            return True
        if path.exists():
            self.set_aside(path, f"{path} is not the PDF that was stored")
        return False

    def set_aside(self, path: Path, reason: str) -> None:
        """Move a damaged file out of the way, and log why."""
        logger.warning("%s; it was moved to %s", reason.split("; ")[0], set_aside(self.paths.root, path))

    def outdated(self) -> list[Report]:
        """The reports whose pages or facts are not those of this version and these settings."""
        reports = (report for company in self.library.companies() for report in company.reports)
        return [report for report in reports if report.sha1 not in self.pages or report not in self.facts]

    def damaged(self) -> list[Report]:
        """The reports of which something is damaged that these settings made; nothing is set aside."""
        return [report for company in self.library.companies() for report in self._damaged_of(company)]

    def _damaged_of(self, company: Company) -> Iterator[Report]:
        has_index = self.indexes.is_there(company.name)
        manifest = self.indexes.complete(company.name) if has_index else None
        published = {report.sha1 for report in manifest.reports} if manifest else set()
        for report in company.reports:
            # What an index rests on is there; what no index of these settings names was perhaps never made by them.
            has_pages = report.sha1 in self.pages or report.sha1 in published
            has_facts = report in self.facts or report.sha1 in published
            if (
                (has_index and manifest is None)
                or (has_pages and not self.pages.is_sound(report.sha1))
                or (has_facts and not self.facts.is_sound(report))
            ):
                yield report


def export_pages(pages: Sequence[Page], sha1: str, folder: Path) -> None:
    """Write `folder/<sha1>/0001.md` for each page and `pages.json` with all records. Earlier files are replaced."""
    target = folder / sha1
    if target.exists():
        shutil.rmtree(target)
    for page in pages:
        write_atomically(target / f"{page.page_number:04d}.md", page.markdown.encode())
    body = ",\n".join(page.model_dump_json() for page in pages)
    write_atomically(target / "pages.json", f"[{body}]\n".encode())

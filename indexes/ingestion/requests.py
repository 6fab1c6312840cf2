"""What is to be ingested, and what becomes of each PDF."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from storage.errors import UsageError
from storage.records.answers import Usage
from storage.records.record import Record
from storage.records.reports import Report

Stage = Literal["reading", "facts", "tables", "embedding"]
Until = Literal["read", "facts", "index"]
"""The last step of an ingestion: pages stored, their facts stored too, or all of it published as an index."""
OnProgress = Callable[[Path, Stage, int, int], None]
"""Called with the file, the stage, and how much of how much is done."""
Stopped = Callable[[], bool]
"""Whether nobody wants the rest any more; called between pages and twice a second while reading."""


class IngestRequest(Record):
    """What is to be ingested, and how.

    Attributes:
        paths: PDFs and folders of PDFs; without any, the library's own reports.
        catalog: a CSV that says whose they are; what it leaves out is read from the report's first pages.
        workers: processes that read; None leaves it to where they are.
        until: the last step.
        export: a folder for the pages as they were read, as Markdown and JSON.
        names: what people call the files, where that is not their name on the disk.
    """

    paths: Sequence[Path] = ()
    catalog: Path | None = None
    workers: int | None = None
    until: Until = "index"
    export: Path | None = None
    names: Mapping[Path, str] = {}

    def name(self, path: Path) -> str:
        """What people call a file."""
        return self.names.get(path, path.name)


class Ingested(Record):
    """What became of one PDF.

    Attributes:
        status: "read" and "facts" where the ingestion was to stop there.
        reason: why it failed, or what else there is to know.
        warning: what is missing of a report that is indexed all the same.
        tables_written: tables, or parts of long ones, that a model wrote out for it now.
        usage: what that took.
    """

    file: str
    status: Literal["indexed", "unchanged", "failed", "read", "facts"]
    sha1: str = ""
    company: str = ""
    page_count: int = 0
    reason: str = ""
    warning: str = ""
    tables_written: int = 0
    usage: Usage = Usage()

    @classmethod
    def of(cls, report: Report, status: Literal["indexed", "unchanged"], reason: str = "") -> "Ingested":
        """What became of a report that is known."""
        return cls(
            file=report.file,
            status=status,
            sha1=report.sha1,
            company=report.company,
            page_count=report.page_count,
            reason=reason,
        )


def find_pdfs(paths: Sequence[Path]) -> list[Path]:
    """The named files, and every PDF below the named folders, sorted, each once.

    Raises:
        UsageError: a path does not exist, or there is no PDF in any of them.
    """
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no file or folder {str(path)!r}")
        found += sorted(p for p in path.rglob("*") if p.suffix.lower() == ".pdf") if path.is_dir() else [path]
    if not found:
        raise UsageError(f"no PDF found in {', '.join(map(str, paths))}")
    return list(dict.fromkeys(found))

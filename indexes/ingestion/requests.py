"""What to ingest, and the result of each PDF."""

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
    """What to ingest, and how.

    Attributes:
        paths: PDFs and folders of PDFs. Without any: the library's own reports.
        catalog: a CSV with the company of each report. What it leaves out is read from the report's first pages.
        workers: number of reading processes; None means the default of the executor.
        until: the last step to do.
        export: a folder for the pages as they were read, as Markdown and JSON.
        names: names of the files for people, where these differ from the names on the disk.
    """

    paths: Sequence[Path] = ()
    catalog: Path | None = None
    workers: int | None = None
    until: Until = "index"
    export: Path | None = None
    names: Mapping[Path, str] = {}

    def name(self, path: Path) -> str:
        """A file's name for people."""
        return self.names.get(path, path.name)


class Ingested(Record):
    """The result of ingesting one PDF.

    Attributes:
        status: "read" and "facts" where the ingestion was asked to stop after that step.
        reason: why it failed, or another remark.
        warning: what is missing although the report is indexed.
        tables_written: tables, or parts of long tables, that a model wrote out this time.
        usage: requests, tokens and cost of that.
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
        """The result of a report."""
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

"""What to ingest, the result of each PDF, who looks on, and what is done behind the rest."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field

from storage.errors import IngestionStopped, UsageError, in_words
from storage.incoming import one_line
from storage.paths import DataPaths
from storage.records.answers import Usage
from storage.records.record import GivenRecord, Record
from storage.records.reports import Report

Stage = Literal["reading", "facts", "answers", "tables", "embedding", "pictures"]
"""Once "answers" is reached, the report answers from its facts, rows, sections and words; its vectors follow, and when
all reports have theirs, the text in pictures."""
Until = Literal["read", "facts", "index"]
"""The last step of an ingestion: pages stored, their facts stored too, or all of it published as an index."""
OnProgress = Callable[[Path, Stage, int, int], None]
"""Called with the file, the stage, and how much of how much is done."""
OneLine = Annotated[str, BeforeValidator(one_line)]
Stopped = Callable[[], bool]
"""Whether nobody wants the rest any more; called between pages and twice a second while reading."""


class IngestRequest(GivenRecord):
    """What to ingest, and how.

    Attributes:
        paths: PDFs and folders of PDFs. Without any: the library's own reports.
        catalog: a CSV with the company of each report. What it leaves out is read from the report's first pages.
        workers: number of reading processes, at least 1; None means the default of the executor.
        until: the last step to do.
        export: a folder for the pages as they were read, as Markdown and JSON.
        names: names of the files for people, where these differ from the names on the disk.
        pictures: whether the text in pictures is read at the end; else `Ingestor.read_pictures` does it later.
    """

    paths: Sequence[Path] = ()
    catalog: Path | None = None
    workers: Annotated[int, Field(ge=1)] | None = None
    until: Until = "index"
    export: Path | None = None
    names: Mapping[Path, str] = {}
    pictures: bool = True

    def name(self, path: Path) -> str:
        """A file's name for people: one line of text, whatever it is on the disk."""
        return one_line(self.names.get(path, path.name)) or "a file without a name"


class Ingested(Record):
    """The result of ingesting one PDF.

    Attributes:
        status: "read" and "facts" where the ingestion was asked to stop after that step.
        reason: why it failed, or another remark.
        warning: what is missing although the report is indexed.
        tables_written: tables, or parts of long tables, that a model wrote out this time.
        usage: requests, tokens and cost of that.
        unread_pictures: pages with pictures whose text is left for later.
    """

    file: OneLine
    status: Literal["indexed", "unchanged", "failed", "read", "facts"]
    sha1: str = ""
    company: str = ""
    page_count: int = 0
    reason: OneLine = ""
    warning: str = ""
    tables_written: int = 0
    usage: Usage = Usage()
    unread_pictures: int = 0

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
        if not is_there(path):
            raise UsageError(f"there is no file or folder {in_words(str(path))}")
        found += sorted(p for p in path.rglob("*") if p.suffix.lower() == ".pdf") if path.is_dir() else [path]
    if not found:
        raise UsageError(f"no PDF found in {', '.join(map(str, paths))}")
    return list(dict.fromkeys(found))


def is_there(path: Path) -> bool:
    """Whether a file or folder exists; a name that no disk can have does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def can_be_folder(path: Path) -> bool:
    """Whether a path is a folder, or one can be made there."""
    if "\0" in str(path):
        return False
    try:
        return next(place for place in (path.absolute(), *path.absolute().parents) if place.exists()).is_dir()
    except OSError:  # a name that is too long
        return False


def check_export(folder: Path | None, own: DataPaths) -> None:
    """Refuse to export into what can be no folder, or into the library's own.

    Raises:
        UsageError: it is one of these.
    """
    if folder is None:
        return
    if not can_be_folder(folder):
        raise UsageError(
            f"export is {in_words(str(folder))}: a file stands there, or no folder can have that name"
        )
    own.refuse_inside(folder)


@dataclass(frozen=True)
class Watch:
    """Who looks on, and may want it to stop.

    Raises:
        UsageError: what is to be called is no function.
    """

    on_progress: OnProgress | None
    stopped: Stopped | None
    ended: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        for name, called in (("on_progress", self.on_progress), ("stopped", self.stopped)):
            if called is not None and not callable(called):
                raise UsageError(f"{name} is {in_words(called)}, expected a function or None")

    def end(self) -> None:
        """Nobody takes results any more."""
        self.ended.set()

    def check(self) -> None:
        """Go on only where somebody still wants it."""
        if self.ended.is_set() or (self.stopped is not None and self.stopped()):
            raise IngestionStopped("the ingestion was stopped; what was published by then stays")

    def of(self, path: Path, stage: Stage) -> Callable[[int, int], None] | None:
        """Called with how much of how much of a stage is done; None where nobody looks on."""
        on_progress = self.on_progress
        return (lambda done, of: on_progress(path, stage, done, of)) if on_progress else None

    def passages(self, path: Path) -> Callable[[int, int], None]:
        """The same while a report is embedded, which may be stopped."""
        tell = self.of(path, "embedding")

        def advanced(done: int, of: int) -> None:
            self.check()
            if tell:
                tell(done, of)

        return advanced


class Behind:
    """What takes longest, the vectors, in a thread of its own behind the reading and the facts, in order.

    The network that embeds runs outside Python's lock, so facts are read meanwhile.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._thread = ThreadPoolExecutor(1, "pageproof-vectors")
        self._waiting: deque[Future[Ingested]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._watch.end()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def __len__(self) -> int:
        """How many are not done."""
        return sum(not future.done() for future in self._waiting)

    def add(self, work: Callable[[], Ingested]) -> None:
        """Do it when everything before it is done."""
        self._waiting.append(self._thread.submit(work))

    def done(self) -> Iterator[Ingested]:
        """The results that are there by now, in order."""
        while self._waiting and self._waiting[0].done():
            yield self._waiting.popleft().result()

    def rest(self) -> Iterator[Ingested]:
        """All other results, each as soon as it is there."""
        while self._waiting:
            yield self._waiting.popleft().result()

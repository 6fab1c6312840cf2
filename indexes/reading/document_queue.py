"""The documents that several processes read, each in parts of consecutive pages.

One long report would otherwise hold one process while the others have nothing to do: the report that somebody waits
for, the last ones of a folder, a scanned one in their midst.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

SMALLEST_PART = 16  # pages; opening the PDF once more costs as much as reading one or two
LARGEST_PART = 64  # so that the pages of a part in which something fails are not many


@dataclass(frozen=True)
class ReadingTask:
    """A PDF to read, by its path and SHA-1.

    Attributes:
        page_count: 0 where it is not known; one process reads the whole PDF then.
        effort: the work of reading it, beside that of others; see `PreflightReport.effort`.
        pictures: its pages are stored, and only the pictures are to be read that were left then.
    """

    path: Path
    sha1: str
    page_count: int = 0
    effort: float = 0.0
    pictures: bool = False


@dataclass(frozen=True)
class Job:
    """What one process does: read a whole PDF, read a part of it, or join the parts that were read.

    Attributes:
        page_numbers: of the part, from 1; None for the whole PDF.
        parts: the pages of all parts, in order, as the processes gave them; empty unless they are to be joined.
    """

    task: ReadingTask
    page_numbers: range | None = None
    parts: tuple[bytes, ...] = ()

    @property
    def is_part(self) -> bool:
        """Whether the result is pages for another job, and not yet a report that is stored."""
        return self.page_numbers is not None


@dataclass
class _Document:
    jobs: deque[Job]  # not begun
    order: tuple[int, ...]  # the first pages of its parts
    parts: dict[int, bytes] = field(default_factory=dict)  # that were read, by their first page
    pages_read: dict[int, int] = field(default_factory=dict)
    begun: float | None = None


class DocumentQueue:
    """Gives out jobs, document by document, and says when a document is done. It holds the parts in between.

    Args:
        tasks: begun with those of least effort, since each is of use as soon as it is read, and a scanned one takes
            as long as fifty others. Without parts the longest come first: else one process reads it while all others
            have ended.
        workers: processes that read at once.
        divides: whether the reader can read parts.
    """

    def __init__(self, tasks: Sequence[ReadingTask], workers: int, *, divides: bool) -> None:
        self._tasks = deque(sorted(tasks, key=lambda task: task.effort, reverse=not divides))
        self._workers = workers if divides else 1
        self._documents: dict[ReadingTask, _Document] = {}

    def take(self) -> Job | None:
        """The next job; None if there is none now. Documents that were begun come first."""
        for document in self._documents.values():
            if document.jobs:
                return document.jobs.popleft()
        if not self._tasks:
            return None
        task = self._tasks.popleft()
        jobs = deque(_divided(task, self._workers))
        order = tuple(job.page_numbers[0] for job in jobs if job.page_numbers)
        self._documents[task] = _Document(jobs, order)
        return jobs.popleft()

    def is_wanted(self, job: Job) -> bool:
        """Whether the job's document is still to be read; a part that failed fails the document."""
        return job.task in self._documents

    def begin(self, job: Job) -> float:
        """A process has begun with the job. Returns the seconds since the first one began with the document."""
        document = self._documents[job.task]
        if document.begun is None:
            document.begun = time.monotonic()
        return time.monotonic() - document.begun

    def advance(self, job: Job, done: int, of: int) -> tuple[int, int]:
        """A process has read so many pages of its job. Returns the pages read of the document, and its pages."""
        if job.page_numbers is None:
            return done, of
        document = self._documents[job.task]
        document.pages_read[job.page_numbers[0]] = done
        return sum(document.pages_read.values()), job.task.page_count

    def finish(self, job: Job, part: bytes | None, failure: str) -> bool:
        """A process is done with the job.

        Args:
            job: as it was given out.
            part: the pages, where they are a part that was read.
            failure: why it failed; empty otherwise.

        Returns:
            Whether the document is done.
        """
        document = self._documents[job.task]
        if failure or job.page_numbers is None:
            del self._documents[job.task]
            return True
        document.parts[job.page_numbers[0]] = part or b""
        document.pages_read[job.page_numbers[0]] = len(job.page_numbers)
        if len(document.parts) == len(document.order):
            document.jobs.append(Job(job.task, parts=tuple(document.parts.pop(first) for first in document.order)))
        return False

    def __bool__(self) -> bool:
        return bool(self._tasks or self._documents)


def _divided(task: ReadingTask, workers: int) -> list[Job]:
    """A job for each part, of about the same size; a single job for the whole PDF where that is not worth it."""
    if task.pictures:
        return [Job(task)]
    pages = task.page_count
    count = max(min(workers, pages // SMALLEST_PART), -(-pages // LARGEST_PART)) if workers > 1 else 1
    if count < 2:
        return [Job(task)]
    ends = [round(pages * n / count) + 1 for n in range(count + 1)]
    return [Job(task, range(first, end)) for first, end in pairwise(ends)]

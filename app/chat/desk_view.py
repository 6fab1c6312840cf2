"""What the chat needs of a desk; `app.desk.Desk` has it, and so has the double in the tests."""

import datetime as dt
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from indexes.ingestion import Ingested, OnProgress, Stopped
from query_engines.events import Event
from storage.answers import Answer
from storage.paths import DataPaths
from storage.questions import Question
from storage.reports import Company, Report


class ChatDesk(Protocol):
    """A desk as the chat sees it."""

    @property
    def profile(self) -> str:
        """The profile's name."""
        ...

    @property
    def paths(self) -> DataPaths:
        """Where its library keeps things."""
        ...

    def companies(self) -> tuple[Company, ...]:
        """Every company in the library."""
        ...

    def has_indexes(self) -> bool:
        """Whether anything is published under its settings."""
        ...

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None."""
        ...

    def keeps(self, sha1: str) -> bool:
        """Whether the report is in the library that `ingest` writes to, so that it can be put right and removed."""
        ...

    def ingest(
        self,
        paths: Sequence[Path],
        *,
        on_progress: OnProgress | None = None,
        names: Mapping[Path, str] | None = None,
        stopped: Stopped | None = None,
    ) -> Iterator[Ingested]:
        """Read PDFs into the library; yields what became of each. Blocks: call it in a thread."""
        ...

    def correct(
        self,
        sha1: str,
        *,
        company: str | None = None,
        currency: str | None = None,
        period_end: dt.date | None = None,
    ) -> Report:
        """Put right what is known of a report that this desk keeps; None leaves a thing as it is. Blocks."""
        ...

    def remove(self, sha1: str) -> None:
        """Remove a report that this desk keeps, and everything that was made of it. Blocks."""
        ...

    def stream(self, question: Question) -> AsyncGenerator[Event, None]:
        """What happens while the question is answered; ends with AnswerReady. Closing it stops the work."""
        ...

    def close(self) -> None:
        """Let go of files and workers."""
        ...


class FollowUp(Protocol):
    """Makes a question that stands on its own out of what was asked and answered before and a new text."""

    def __call__(self, question: Question, answer: Answer, text: str) -> Question:
        """The new question; one that needs nothing of the old comes back as it is typed."""
        ...

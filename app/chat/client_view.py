"""What the chat needs of a client; `app.client.Pageproof` has it, and so has the double in the tests."""

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


class ChatClient(Protocol):
    """A client as the chat sees it."""

    @property
    def profile(self) -> str:
        """The profile's name."""
        ...

    @property
    def run_id(self) -> str | None:
        """Where its questions stand in the run log; None where nothing is logged."""
        ...

    @property
    def paths(self) -> DataPaths:
        """Where the library that it writes to keeps things."""
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
        """Whether the report can be put right and removed through this client."""
        ...

    def ingest(
        self,
        paths: Sequence[Path],
        *,
        on_progress: OnProgress | None = None,
        names: Mapping[Path, str] | None = None,
        stopped: Stopped | None = None,
    ) -> Iterator[Ingested]:
        """Bring PDFs into the library that the client writes to; yields what became of each. Blocks."""
        ...

    def correct(
        self,
        sha1: str,
        *,
        company: str | None = None,
        currency: str | None = None,
        period_end: dt.date | None = None,
    ) -> Report:
        """Put right what is known of a report; None leaves a thing as it is."""
        ...

    def remove(self, sha1: str) -> None:
        """Remove a report with everything that was made of it."""
        ...

    def discard(self, sha1: str) -> None:
        """Remove what a stopped or failed ingestion left of a report that is not in the library. Blocks."""
        ...

    def follow_up(self, question: Question, answer: Answer, text: str) -> Question:
        """What a text means after a question and its answer; a question that stands alone comes back as it is."""
        ...

    def stream(self, question: Question) -> AsyncGenerator[Event, None]:
        """What happens while the question is answered; ends with AnswerReady. Closing it stops the work."""
        ...

    def close(self) -> None:
        """Let go of files and workers."""
        ...

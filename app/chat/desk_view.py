"""What the chat needs of a desk; `app.desk.Desk` has it, and so has the double in the tests."""

from collections.abc import AsyncIterator
from typing import Protocol

from query_engines.events import Event
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

    def report(self, sha1: str) -> Report | None:
        """The report with this SHA-1, or None."""
        ...

    def stream(self, question: Question) -> AsyncIterator[Event]:
        """What happens while the question is answered; ends with AnswerReady."""
        ...

    def close(self) -> None:
        """Let go of files and workers."""
        ...

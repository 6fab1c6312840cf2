"""What the chat needs of a desk; `app.desk.Desk` has it, and so has the double in the tests."""

from collections.abc import AsyncGenerator
from typing import Protocol

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
    def run_id(self) -> str | None:
        """Where its questions stand in the run log; None where nothing is logged."""
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

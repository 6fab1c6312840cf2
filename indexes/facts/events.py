"""Sentences that tell an event, as opposed to a policy or a risk."""

from collections.abc import Iterator, Sequence

from indexes.facts.sentences import Sentence
from storage.facts import Event
from storage.reports import Report


def events_of(sentences: Sequence[Sentence], report: Report) -> Iterator[Event]:
    """The report's events in the order of their pages."""
    yield from ()

"""Sentences of the found pages, and patterns of those that state no fact about the reported period."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexes.facts.sentences import Sentence, sentences_of
from storage.lexicon import calendar
from storage.lexicon.calendar import written_years
from storage.records.pages import Page

SUPPOSED = re.compile(
    r"\b(?:may(?! \d)|(?i:might|could|would|should|if|unless|whether|potential(?:ly)?|no assurance|there can be|risks?"
    r"|subject to|intends?|intended to|intention|plans? to|planned to|expects?|expected|anticipates?|anticipated|seeks?"
    r"|aims?|proposed|propose|will|contemplated|forecasts?|targets?|from time to time|in the event|policy is"
    r"|illustrat\w+))\b"
)
NEGATED = re.compile(
    r"(?i)\b(?:not|no|never|neither|nor|none|without|cannot|unable|failed to|declined|abandoned|discontinued|terminated"
    r"|withdr[ae]wn?|waived|pending|remains? subject|has yet)\b|n't\b"
)
_MONTHS_OF_YEAR = 12
_SHORTEST, _LONGEST = 25, 900


@dataclass(frozen=True)
class PageSentence:
    """A sentence with its page and the page's rank, 0 for the best."""

    text: str
    page: Page
    rank: int

    @property
    def years(self) -> frozenset[int]:
        """The years that it names."""
        return written_years(self.text)


def dates_in(text: str) -> list[dt.date]:
    """The dates that a text names with month and year, as the first of the month."""
    return [dt.date(date.year, date.month, 1) for date in calendar.dates_in(text) if date.year]


def is_in_year_to(day: dt.date, end: dt.date) -> bool:
    """Whether a day's month is one of the twelve that end with the period."""
    return 0 <= (end.year - day.year) * _MONTHS_OF_YEAR + end.month - day.month < _MONTHS_OF_YEAR


def sentences_on(pages: Sequence[Page]) -> Iterator[PageSentence]:
    """The pages' sentences in their order, without headings and fragments."""
    for rank, page in enumerate(pages):
        for sentence in sentences_of(page):
            if _SHORTEST <= len(sentence.text) <= _LONGEST:
                yield _page_sentence(sentence, page, rank)


def _page_sentence(sentence: Sentence, page: Page, rank: int) -> PageSentence:
    return PageSentence(sentence.text, page, rank)

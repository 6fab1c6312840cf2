"""Everyday wordings of what reports print under other names."""

import re
import tomllib
from functools import cached_property
from importlib import resources

from storage.facts import EventKind, Role
from storage.record import Record
from storage.text import words

_STEM_LETTERS = 4


class Wording(Record):
    """Patterns over a question in lower case, the one thing that they ask for, and words that reports use for it.

    Attributes:
        beside: words that ask for nothing narrower where they stand beside what a pattern finds.
    """

    patterns: tuple[str, ...]
    printed: str = ""
    beside: str = ""
    metric: str | None = None
    role: Role | None = None
    event: EventKind | None = None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in self.patterns))

    def fits(self, text: str) -> bool:
        """Whether the text asks for it."""
        return self._pattern.search(text) is not None

    def covers(self, text: str, neutral: frozenset[str]) -> bool:
        """Whether every word of the text is one of the patterns' or neutral: nothing narrower is asked for."""
        return all(w in neutral or w in self._words or w.startswith(self._stems) for w in words(text))

    @cached_property
    def _words(self) -> frozenset[str]:
        told = re.sub(r"\\[a-z]|\(\?[!<=:]+", " ", " ".join([*self.patterns, self.beside]))
        return frozenset(re.findall(r"[a-z&]+", told))

    @cached_property
    def _stems(self) -> tuple[str, ...]:
        return tuple(w for w in self._words if len(w) >= _STEM_LETTERS)


def load_wordings() -> tuple[Wording, ...]:
    """The wordings that come with Pageproof, in the order in which they are tried."""
    content = tomllib.loads((resources.files("query_engines") / "everyday_words.toml").read_text(encoding="utf-8"))
    return tuple(Wording.model_validate(entry) for entry in content["wording"])

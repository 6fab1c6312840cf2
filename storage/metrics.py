"""The ontology of metrics: what is asked for by name, and under which labels reports print it."""

import re
import tomllib
from collections.abc import Sequence
from functools import cached_property
from importlib import resources
from typing import Literal

from storage.record import Record
from storage.text import words

Statement = Literal["income", "balance", "cash_flow"]
_ASIDE = re.compile(r"\([^)]*\)")
_FILLER = {"the", "a", "an", "of", "in", "on", "at", "for", "to", "from", "by", "its", "end"}
_TITLES: dict[Statement, re.Pattern[str]] = {
    "income": re.compile(
        r"statements? of (?:\w+ )*(?:operations|income|earnings|profit)|income statement|profit and loss", re.I
    ),
    "balance": re.compile(r"balance sheets?|statements? of (?:\w+ )*(?:financial position|condition)", re.I),
    "cash_flow": re.compile(r"cash flows?", re.I),
}


class Metric(Record):
    """One metric.

    Attributes:
        kind: how its figure is meant: an amount takes the table's scale; a figure per share does not; an outflow is
            printed in brackets and asked for as a size.
        asked: the words of questions that mean it.
        names: the labels that reports print, the most exact first.
    """

    id: str
    statement: Statement
    kind: Literal["amount", "per_share", "outflow"]
    asked: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def _ranks(self) -> dict[frozenset[str], int]:
        return {significant(name): rank for rank, name in reversed(list(enumerate(self.names)))}

    def rank(self, label: str) -> int | None:
        """The place of a printed label among the names, 0 for the most exact; None when it is none of them."""
        return self._ranks.get(significant(label))

    def is_at_home_in(self, title: str) -> bool:
        """Whether a table of this title is the metric's statement."""
        return _TITLES[self.statement].search(title) is not None


class Ontology:
    """All metrics."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = tuple(metrics)
        self._asked = {significant(words_): metric for metric in metrics for words_ in metric.asked}

    def asked_for(self, text: str) -> Metric | None:
        """The metric that a question's search text is the name of, word for word; None when it is none."""
        return self._asked.get(significant(text))

    @classmethod
    def load(cls) -> "Ontology":
        """The ontology that comes with Pageproof."""
        content = tomllib.loads((resources.files("storage") / "metrics.toml").read_text(encoding="utf-8"))
        return cls([Metric.model_validate(entry) for entry in content["metric"]])


def significant(text: str) -> frozenset[str]:
    """A label's words without filler, brackets and plural endings; possessives count as the plain word."""
    found = words(_ASIDE.sub(" ", text).replace("'s", "").replace("’s", "").replace("'", " ").replace("’", " "))
    return frozenset(w.removesuffix("s") for w in found) - _FILLER

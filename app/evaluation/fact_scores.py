"""Counts answers about known facts as right, wrong or missing."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from app.evaluation.scoring import agreement
from app.evaluation.truth import Truth
from app.files.answers import WrittenAnswer
from storage.records.answers import NOT_AVAILABLE, Value
from storage.records.record import Record
from storage.text import words

Outcome = Literal["right", "wrong", "missing", "right_na"]
# Titles and suffixes, which belong neither to the first nor to the last name.
_TITLES = frozenset(
    {"mr", "mrs", "ms", "dr", "prof", "professor", "sir", "dame", "jr", "sr", "ii", "iii", "phd", "ph.d", "mba"}
)


class FactCounts(Record):
    """The number of answers of each kind.

    Attributes:
        right: the known value, or an equivalent one.
        wrong: another value, or a value where the report has none.
        missing: N/A where the report has a value.
        right_na: N/A where the report has no value.
    """

    right: int = 0
    wrong: int = 0
    missing: int = 0
    right_na: int = 0


class FactReport(Record):
    """The counts over all facts and by metric, in the facts' order."""

    overall: FactCounts
    by_metric: dict[str, FactCounts]


def score_answered_facts(facts: Sequence[Truth], answers: Sequence[WrittenAnswer]) -> FactReport:
    """Count the answers of a file, by question text; a fact without an answer is missing.

    Numbers are right within 1% of the known one, names by first and last name, others by the challenge's rule.
    """
    given = {answer.question: answer.value for answer in answers}
    return _report(facts, [outcome(fact, given.get(fact.question)) for fact in facts])


def outcome(fact: Truth, value: Value | JsonValue) -> Outcome:
    """The outcome of one answer to the question about a fact; None means no answer."""
    if value is None:
        return "missing"
    if value == NOT_AVAILABLE:
        return "right_na" if NOT_AVAILABLE in fact.answers else "missing"
    return "right" if _is_right(fact, value) else "wrong"


def _is_right(fact: Truth, value: Value | JsonValue) -> bool:
    if fact.kind == "name":
        return any(_short_name(str(value)) == _short_name(str(known)) for known in fact.answers)
    if fact.kind == "number" and isinstance(value, bool):
        return False
    return agreement(fact, list(value) if isinstance(value, tuple) else value) == 1.0


def _short_name(name: str) -> tuple[str, ...]:
    """First and last name without titles and initials: "Dr. Marvin L. White, PhD" is ("marvin", "white")."""
    nickname_gone = re.sub(r"""(?<!\w)["'(][^"'()]+["')](?!\w)""", " ", name)
    parts = [word for word in words(nickname_gone) if word not in _TITLES and len(word) > 1]
    return (parts[0], parts[-1]) if parts else tuple(words(name))


def _report(facts: Sequence[Truth], outcomes: Sequence[Outcome]) -> FactReport:
    by_metric: dict[str, list[Outcome]] = {}
    for fact, found in zip(facts, outcomes, strict=True):
        by_metric.setdefault(fact.metric or fact.kind, []).append(found)
    return FactReport(
        overall=_counts(outcomes), by_metric={metric: _counts(found) for metric, found in by_metric.items()}
    )


def _counts(outcomes: Sequence[Outcome]) -> FactCounts:
    return FactCounts(**Counter[str](outcomes))

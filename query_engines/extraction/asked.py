"""What a question asks: the words that a row or sentence should have, and how much each tells."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from storage.lexicon.names import NAME_IN_QUESTION
from storage.text import stems, terms

_ASKING = frozenset(
    terms(
        "amount amounts value values spend spent make made earn earned come came record recorded get got"
        " stated say show disclose disclosed according mention list listed end year years period annual financial"
        " fiscal name named please why when where happen happened become became tell company company's group's"
        " main key principal major biggest largest greatest important they them their"
    )
)
LOOSE = frozenset(
    terms(
        "segment segments region regional area market country countries customer customers client clients business"
        " division geographic program programme total number numbers group consolidated whole overall cost holding"
        " sum net"
    )
)
_LOOSE_WEIGHT = 0.3
_UNKNOWN = 3.0  # the greatest weight of a word that is in no passage


@dataclass(frozen=True)
class QuestionTerms:
    """Stems with positive weights, rarer ones higher; `entities` are those written as names in the question."""

    weights: dict[str, float]
    entities: frozenset[str]

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(self.weights.values())

    def share(self, *places: tuple[frozenset[str], float]) -> float:
        """The share of the question that is covered, 0..1. Each word counts once, with the credit of its best place."""
        if not self.weights:
            return 0.0
        covered = sum(
            weight * max((credit for words, credit in places if word in words), default=0.0)
            for word, weight in self.weights.items()
        )
        return covered / self.total


def question_terms(text: str, passages: Iterable[frozenset[str]]) -> QuestionTerms:
    """The terms of a question's search text; words that are rare in the passages have the highest weights."""
    wanted = stems(text) - _ASKING
    counts = dict.fromkeys(wanted, 0)
    size = 0
    for words in passages:
        size += 1
        for word in wanted & words:
            counts[word] += 1
    weights = {w: _weight(w, count, size) for w, count in counts.items()}
    names = frozenset(w for name in NAME_IN_QUESTION.findall(text) for w in stems(name)) & wanted
    return QuestionTerms(weights, names - LOOSE)


def _weight(word: str, count: int, size: int) -> float:
    weight = math.log(1 + (size - count + 0.5) / (count + 0.5))
    if not count:
        weight = min(weight, _UNKNOWN)
    return weight * (_LOOSE_WEIGHT if word in LOOSE else 1.0)

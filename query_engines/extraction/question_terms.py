"""The words of a question that a passage should contain, each with a weight."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from storage.lexicon.question_words import FALLING, RISING
from storage.text import plain, terms

_SAME = (
    (re.compile(r"\b(?:U\.S\.A?\.?|USA|US|United States(?: of America)?)(?![\w$])"), "UnitedStates"),
    (re.compile(r"\b(?:U\.K\.?|UK|United Kingdom)(?!\w)"), "UnitedKingdom"),
    (re.compile(r"\bR&D\b"), "research and development"),
)
_ENTITY = re.compile(r"(?<!^)(?<![.:?!] )\b[A-Z][\w&'’.-]*[\w]")
_ONE_MEANING = (
    f"{FALLING} lower",
    f"{RISING} growth higher",
    "acquire acquired acquisition buy bought purchase purchased",
    "sell sold sale dispose disposed disposal divest divested",
    "spend spent spending",
    "pay paid payment",
    "complete completed completion close closed closing",
    "leave left depart departed resign resigned step stepped",
    "hold held holding",
    "begin began begun start started",
)
_FORMS = {form: forms.split()[0] for forms in _ONE_MEANING for form in terms(forms)}
_ASKING = frozenset(
    terms(
        "amount amounts value values spend spent make made earn earned come came record recorded get got"
        " stated say show disclose disclosed according mention list listed end year years period annual financial"
        " fiscal name named please why when where happen happened become became tell company company's group's"
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
    def wants_average(self) -> bool:
        """Whether the question asks for an average."""
        return bool({"averag", "mean", "median", "weight"} & self.weights.keys())

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


@lru_cache(maxsize=65536)
def stems(text: str) -> frozenset[str]:
    """The word stems of a text, without short figures such as footnote marks."""
    for pattern, name in _SAME:
        text = pattern.sub(name, text)
    found = terms(plain(text))
    return frozenset(_FORMS.get(w, w) for w in found if not (w.isdigit() and len(w) < 3))


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
    names = frozenset(w for name in _ENTITY.findall(text) for w in stems(name)) & wanted
    return QuestionTerms(weights, names - LOOSE)


def rarity(word: str, count: int, size: int) -> float:
    """The weight of a word that is in `count` of `size` passages."""
    return _weight(word, count, size)


def _weight(word: str, count: int, size: int) -> float:
    weight = math.log(1 + (size - count + 0.5) / (count + 0.5))
    if not count:
        weight = min(weight, _UNKNOWN)
    return weight * (_LOOSE_WEIGHT if word in LOOSE else 1.0)

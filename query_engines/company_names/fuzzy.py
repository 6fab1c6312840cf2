"""Finds misspelt names, and the names most similar to a text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from query_engines.company_names.vocabulary import NameKey, is_common

_SHORTEST_ALONE = 6  # letters that a name of one word needs, so that a typo is accepted
_SHORTEST = 8  # the same, for a name of several words
_LONG = 18  # letters that a name needs, so that two typos are accepted
_SHARED_WORD = 10.0  # points of similarity


@dataclass(frozen=True)
class _Spelled:
    key: NameKey
    letters: str
    owner: int


class SimilarNames:
    """The names of a catalog, each with the position of its owner, without their legal forms."""

    def __init__(self, names: Sequence[tuple[NameKey, int]]) -> None:
        self._names = [_Spelled(key, "".join(key), owner) for key, owner in names]
        self._letters = [name.letters for name in self._names]
        self._texts = [" ".join(name.key) for name in self._names]
        self._firsts = [name.key[0] for name in self._names]

    def slipped(self, key: NameKey) -> int | None:
        """The owner of the name that these words are, apart from a typo or a space; None where two names are close.

        Digits and the first letter must be right, and a word of the language is never taken for a misspelt name.
        """
        letters = "".join(key)
        most = _slips_allowed(key)
        if most is None:
            return None
        # One more typo is considered: if the next best name is that close, the result would be a guess.
        near = process.extract(letters, self._letters, scorer=OSA.distance, score_cutoff=most + 1, limit=None)
        if not near:
            return None
        best = min(distance for _, distance, _ in near)
        owners = {self._names[at].owner for _, distance, at in near if distance <= best + 1}
        found = [self._names[at] for _, distance, at in near if distance == best]
        if best > most or len(owners) > 1 or not any(_is_slip(key, name, int(best)) for name in found):
            return None
        return found[0].owner

    def ranked(self, spans: Sequence[NameKey], words: Sequence[str], count: int) -> list[int]:
        """Owners by the similarity of names to a span, or of their first words to a word; best first, each once."""
        if not self._names or not (spans or words):
            return []
        whole = process.cdist([" ".join(s) for s in spans] or [" ".join(words)], self._texts, scorer=fuzz.ratio)
        first = process.cdist(list(words) or [" ".join(s) for s in spans], self._firsts, scorer=fuzz.ratio)
        likeness = np.maximum(whole.max(axis=0), 0.9 * first.max(axis=0))
        longer = {word for word in words if len(word) > 2}
        bonus = np.array([len(longer.intersection(name.key)) for name in self._names])
        order = np.argsort(-(likeness + _SHARED_WORD * bonus), kind="stable")
        return list(dict.fromkeys(self._names[at].owner for at in order))[:count]


def _slips_allowed(key: NameKey) -> int | None:
    letters = sum(map(len, key))
    if letters < (_SHORTEST_ALONE if len(key) == 1 else _SHORTEST):
        return None
    return 2 if letters >= _LONG else 1


def _is_slip(written: NameKey, name: _Spelled, distance: int) -> bool:
    letters = "".join(written)
    if distance == 0:
        return written != name.key  # "Trans Union"; the name itself was considered before, and refused
    if letters[0] != name.letters[0] or re.findall(r"\d+", letters) != re.findall(r"\d+", name.letters):
        return False
    return not any(is_common(word) for word in set(written) - set(name.key))

"""Finds misspelt and shortened names, and the names most similar to a text."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from query_engines.company_names.vocabulary import JOINTS, NameKey, are_alike, is_common, is_spoken

_SHORTEST_ALONE = 6  # letters that a name of one word needs, so that a typo is accepted
_SHORTEST = 8  # the same, for a name of several words
_LONG = 18  # letters that a name needs, so that two typos are accepted
_SHARED_WORD = 10.0  # points of similarity
_SHORTEST_WORD = 2  # letters of a word that is longer with its vowels: "in" is none of "Instruments"
_SHORTEST_CUT = 3  # letters of a later word that is cut off: "Tower Semi"
_SHORTEST_START = 6  # letters of a first word that is cut off: "Commerz"
_LONG_WORD = 9  # letters of a word in which two typos are accepted
_COMMON, _TELLING = 1, 2  # weights of a word that the language has too, and of one that only names have
ENOUGH = 2  # the weight with which the beginning of a name stands for it
_SPELLED_AS = {"n": "and", "1st": "first", "2nd": "second"}
_ENOUGH_LEFT = (
    3  # words of a name of which others are left out, unless the first is only a name: "baker steel trust"
)


@dataclass(frozen=True)
class _Spelled:
    key: NameKey
    letters: str
    owner: int


class SimilarNames:
    """The names of a catalog, each with the position of its owner, without their legal forms."""

    def __init__(self, names: Sequence[tuple[NameKey, int]]) -> None:
        self._names = [_Spelled(key, "".join(key), owner) for key, owner in names]
        self._by_length: defaultdict[int, dict[int, str]] = defaultdict(dict)
        for at, name in enumerate(self._names):
            self._by_length[len(name.letters)][at] = name.letters
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
        lengths = range(len(letters) - most - 1, len(letters) + most + 2)
        near = [
            found
            for choices in (self._by_length[n] for n in lengths if n in self._by_length)
            for found in process.extract(letters, choices, scorer=OSA.distance, score_cutoff=most + 1, limit=None)
        ]
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


@dataclass(frozen=True)
class NameStart:
    """The first words of a name in a text.

    Attributes:
        end: of the words in the text; `owners` are those whose names fit so far.
        weight: `ENOUGH` where they are more than a single word of the language.
        is_exact: whether no word is misspelt, cut off or left out.
        is_alike: whether a word stands for another one of a name of which only the first is said: "bank" for
            "bancshares" in "Bridgewater Bank".
    """

    end: int
    owners: tuple[int, ...]
    weight: int
    is_exact: bool
    is_alike: bool = False


@dataclass(frozen=True, order=True)
class _Run:
    """The words of a text that are those of a name; the greatest fits best."""

    weight: int
    end: int
    is_exact: bool
    is_plain: bool  # no word stands for another one


class NameStarts:
    """Finds names by their first words, which may be cut off or misspelt: "tower semi", "safe n green", "Commerz"."""

    def __init__(self, names: Sequence[tuple[NameKey, int]], telling: set[str]) -> None:
        """Names without their legal forms, each with its owner, and words that only names have."""
        self._telling = telling
        by_first: defaultdict[str, list[tuple[NameKey, int]]] = defaultdict(list)
        for key, owner in names:
            words = tuple(word for word in key if word not in JOINTS)
            if words:
                by_first[words[0]].append((words, owner))
        self._by_first = dict(by_first)
        self._firsts = sorted(self._by_first)

    def at(self, words: Sequence[str], start: int) -> NameStart | None:
        """The longest beginning of a name that the text has from `start` on; None where no name begins so."""
        found = [
            (self._run(key, words, start, is_exact=is_exact), owner)
            for first, is_exact in self._first_words(_SPELLED_AS.get(words[start], words[start]))
            for key, owner in self._by_first[first]
        ]
        if not found:
            return None
        best = max(run for run, _ in found)
        owners = dict.fromkeys(owner for run, owner in found if run == best)
        return NameStart(best.end, tuple(owners), best.weight, best.is_exact, not best.is_plain)

    def _first_words(self, word: str) -> Iterator[tuple[str, bool]]:
        if word in self._by_first:
            yield word, True
        elif not is_common(word) and not is_spoken(word) and len(word) >= _SHORTEST_ALONE - 1:
            at = bisect_left(self._firsts, word)
            cut = [first for first in self._firsts[at : at + 2] if first.startswith(word)]
            if len(cut) == 1 and len(word) >= _SHORTEST_START:
                yield cut[0], False
            near = process.extract(word, self._firsts, scorer=OSA.distance, score_cutoff=_typos(word), limit=None)
            yield from ((first, False) for first, _, _ in near if first[0] == word[0] and first not in cut)

    def _run(self, key: NameKey, words: Sequence[str], start: int, *, is_exact: bool) -> _Run:
        """The words of a text that follow each other in a name.

        Later words of the name may be left out: "creative media trust" of Creative Media & Community Trust.
        """
        weight, end, at = self._weight(key[0]), start + 1, start + 1
        first = _Run(weight, end, is_exact, is_plain=True)
        following, said, left_out, is_plain = 1, 1, False, True
        while following < len(key):
            while at < len(words) and _SPELLED_AS.get(words[at], words[at]) in JOINTS:
                at += 1
            word = _SPELLED_AS.get(words[at], words[at]) if at < len(words) else ""
            meant = _meant(word, key[following:])
            if meant is None:
                break
            name_word = key[following + meant]
            left_out = left_out or meant > 0
            is_exact = is_exact and word == name_word and meant == 0
            is_alike = said == 1 and not name_word.startswith(word) and are_alike(word, name_word)
            is_plain = is_plain and not is_alike
            weight += self._weight(name_word)
            following, said, at = following + meant + 1, said + 1, at + 1
            end = at
        is_enough = not left_out or said >= _ENOUGH_LEFT or self._weight(key[0]) == _TELLING
        return _Run(weight, end, is_exact, is_plain) if is_enough else first

    def _weight(self, word: str) -> int:
        return _TELLING if word in self._telling or not is_common(word) else _COMMON


def _meant(word: str, names: Sequence[str]) -> int | None:
    """Which of the words that follow in a name a word stands for: the next one, cut off or misspelt, or a later one."""
    if not word:
        return None
    if word in names:
        return names.index(word)
    is_cut = len(word) >= _SHORTEST_CUT and names[0].startswith(word)
    is_slip = len(word) >= _SHORTEST_ALONE - 1 and OSA.distance(word, names[0]) <= _typos(word)
    if is_cut or is_slip:
        return 0
    return next((at for at, name in enumerate(names) if are_alike(word, name)), None)


def stands_for(word: str, name_word: str) -> bool:
    """Whether a word is one of a name, or its letters without vowels: "mgmt" of "management"."""
    letters = iter(name_word)
    is_short = len(word) > _SHORTEST_WORD and word[0] == name_word[0] and all(letter in letters for letter in word)
    return word == name_word or (is_short and not set("aeiou") & set(word[1:]))


def _typos(word: str) -> int:
    return 2 if len(word) >= _LONG_WORD else 1


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

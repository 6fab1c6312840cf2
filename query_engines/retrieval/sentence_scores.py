"""Scores the pages of a report by the sentences on them that say what an open question asks."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from indexes.facts.sentences import Sentence
from query_engines.question.parsed import Intent
from query_engines.question.search_text import FELL, ROSE, explained_in
from storage.lexicon.question_words import ASKED_LOOSELY, ASKED_OPENLY
from storage.lexicon.reasons import CAUSE
from storage.lexicon.words import expression
from storage.text import SAME, stems

Floats = npt.NDArray[np.float64]
_CAUSE = expression(CAUSE, re.IGNORECASE)
_FIGURE = expression(r"\d")
_ASKING, _LOOSELY = stems(ASKED_OPENLY), stems(ASKED_LOOSELY)
_WITH_NEIGHBOURS = 0.8  # of the credit, for a word that only the sentence before or after has
_CAUSED = 0.25  # for a sentence that names a cause, where the question asks why
_MOST_NAMES = 6
_SHORTEST = 25  # letters; a shorter line is a heading or a running head
_MOVED = 0.15  # the same for one that says with a figure that something rose or fell
_LOOSE = 0.4  # of the weight, for words that say little of the answer
_LETTERS = 6  # of a word, with which a longer one may begin
_NOWHERE: npt.NDArray[np.int32] = np.array([], dtype=np.int32)
_UNKNOWN = 3.0  # the greatest weight of a word that no sentence has


class SentenceScores:
    """An inverted index of a report's sentences by their word stems."""

    def __init__(self, sentences: Sequence[Sentence], page_count: int) -> None:
        self._count = len(sentences)
        self._page_count = page_count
        self._pages = np.array([s.page_number - 1 for s in sentences], dtype=np.int32)
        self._is_whole = np.array([len(s.text) >= _SHORTEST for s in sentences], dtype=np.float64)
        self._causes = np.array([bool(_CAUSE.search(s.text)) for s in sentences], dtype=np.float64)
        words = [stems(s.text) for s in sentences]
        moved = [
            bool(_FIGURE.search(s.text) and (ROSE | FELL) & own) for s, own in zip(sentences, words, strict=True)
        ]
        self._moved = np.array(moved, dtype=np.float64)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for i, own in enumerate(words):
            for word in own:
                places[word].append(i)
        self._places = {word: np.array(found, dtype=np.int32) for word, found in places.items()}

    def by_page(self, intent: Intent, *, wants_cause: bool) -> Floats:
        """For each page, how much of the question its best sentence says, about 0..1.

        Args:
            intent: of the question; the metric's other names count like its own.
            wants_cause: whether it asks for a reason.
        """
        best = np.zeros(self._page_count)
        metric = intent.metric or intent.explained
        names = metric.names[:_MOST_NAMES] if metric is not None else ()
        own = explained_in(intent.text) if wants_cause else stems(intent.text) - _ASKING
        for wanted in {own, *(stems(name) - _ASKING for name in names)}:
            scores = self._coverage(wanted, is_begun=wants_cause)
            if wants_cause:
                scores = scores + np.maximum(_CAUSED * self._causes, _MOVED * self._moved) * (scores > 0)
            np.maximum.at(best, self._pages, scores * self._is_whole)
        return best

    def _coverage(self, wanted: Iterable[str], *, is_begun: bool) -> Floats:
        """The share of the words in each sentence, weighted by their rarity; neighbours count a little less."""
        total, own, near = 0.0, np.zeros(self._count), np.zeros(self._count)
        for word in sorted(wanted):
            places = self._places_of(word, is_begun=is_begun)
            weight = self._weight(len(places)) * (_LOOSE if word in _LOOSELY else 1.0)
            total += weight
            own[places] += weight
            beside = np.zeros(self._count, dtype=bool)
            for shift in (-1, 0, 1):
                at = places + shift
                beside[at[(at >= 0) & (at < self._count)]] = True
            near[beside] += weight
        if not total:
            return own
        found: Floats = np.maximum(own, own + _WITH_NEIGHBOURS * (near - own) * (own > 0)) / total
        return found

    def _places_of(self, word: str, *, is_begun: bool) -> npt.NDArray[np.int32]:
        """The sentences with the word, with another of its meaning or, if told so, with one that begins with it."""
        meant = {word} | SAME.get(word, frozenset())
        if is_begun and len(word) >= _LETTERS:  # "promotion" stands for "promotional"
            meant |= {other for other in self._places if other.startswith(word)}
        found = [self._places[same] for same in meant if same in self._places]
        return np.unique(np.concatenate(found)) if found else _NOWHERE

    def _weight(self, count: int) -> float:
        weight = math.log(1 + (self._count - count + 0.5) / (count + 0.5))
        return weight if count else min(weight, _UNKNOWN)

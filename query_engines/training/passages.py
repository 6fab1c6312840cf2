"""Trains what makes a passage answer a question; `python -m tests.measures.passages LIBRARY --train` reads the reports.

Each file of `open_questions/` has the questions of one writer about annual reports, a JSON object a line: the report's
SHA-1, the question, and of each paragraph that answers it the page and some of its words. The file `set_aside` is not
used for training.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from query_engines.rerank.passages import SIGNS, Floats, Weights
from storage.text import fingerprint

FOLDER = Path(__file__).parent / "open_questions"
SET_ASIDE = "set_aside"
_STEPS, _RATE, _DECAY = 3000, 0.05, 3e-4


@dataclass(frozen=True)
class OpenQuestion:
    """A question that prose answers, with the page and words of each paragraph that does; without any, none does."""

    report: str
    question: str
    answers: tuple[tuple[int, str], ...]

    def is_answered_by(self, page: int, text: str) -> bool:
        """Whether a passage has the words that answer."""
        own = fingerprint(text)
        return any(number == page and fingerprint(words) in own for number, words in self.answers)


def read_questions(path: Path) -> list[OpenQuestion]:
    """The questions of one writer."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [OpenQuestion(r["report"], r["question"], tuple((p, words) for p, words in r["answers"])) for r in rows]


@dataclass(frozen=True)
class Example:
    """The signs of a question's passages, and which of them answer it."""

    signs: Floats
    answers: Floats


def trained(examples: Sequence[Example]) -> Weights:
    """The weights by which the answering passages of each question come first, and how sure a score is.

    The weights make the answering passages the likeliest among those of the same question; spread and bias are then
    fitted to say how likely each one is. It is the same each time.
    """
    signs = np.concatenate([one.signs for one in examples])
    middle, spread = signs.mean(0), np.maximum(signs.std(0), 1e-6)
    known = [(((one.signs - middle) / spread), one.answers) for one in examples if one.answers.any()]
    weights = np.zeros(len(SIGNS))
    slope, square = np.zeros(len(SIGNS)), np.zeros(len(SIGNS))
    for step in range(1, _STEPS + 1):
        gradient = _DECAY * len(known) * weights
        for rows, answers in known:
            raw = rows @ weights
            likely = np.exp(raw - raw.max())
            wanted = likely * answers
            gradient += rows.T @ (likely / likely.sum() - wanted / wanted.sum())
        slope, square = 0.9 * slope + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        weights -= _RATE * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    scale, bias = _calibrated([((one.signs - middle) / spread @ weights, one.answers) for one in examples])
    return Weights(middle, spread, weights * scale, bias)


def _calibrated(scored: Sequence[tuple[Floats, Floats]]) -> tuple[float, float]:
    """Slope and bias with which the best score of each question says whether it answers."""
    best = np.array([scores.max() for scores, _ in scored])
    told = np.array([answers[scores.argmax()] > 0 for scores, answers in scored], dtype=np.float64)
    middle, spread = best.mean(), max(float(best.std()), 1e-6)
    rows, at = np.column_stack([(best - middle) / spread, np.ones(len(best))]), np.zeros(2)
    for _ in range(500):  # a logistic regression, whose slope stays small where hardly anything tells
        at = at - 0.5 * (rows.T @ (1 / (1 + np.exp(-rows @ at)) - told) / len(best) + 0.01 * at)
    slope = max(float(at[0]), 1e-3) / spread
    return slope, float(at[1]) - slope * float(middle)


def written(weights: Weights) -> str:
    """The file of weights."""
    rows = zip(SIGNS, weights.middle, weights.spread, weights.weights, strict=True)
    signs = {sign: [round(float(number), 5) for number in row] for sign, *row in rows}
    return json.dumps({"bias": round(weights.bias, 5), "signs": signs}, indent=1) + "\n"

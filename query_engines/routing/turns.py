"""Reads what a turn of a conversation does with the question before: asks the same of another year, why, how much more.

A linear model over hashed words and parts of words, trained on phrases of several writers:
`python -m query_engines.training.turns` makes its weights.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from query_engines.question.classifier import ngrams

Move = Literal[
    "other",
    "growth",
    "change",
    "direction",
    "why",
    "more",
    "highest",
    "lowest",
    "grew_most",
    "fell_most",
    "compare",
    "rank",
    "share",
    "again",
    "part",
    "asks",
    "says",
]
"""What a turn does: the same of another company, period or unit; how much it grew, changed, whether it rose, why; is it
more than another; which company has the most or least of it, or whose grew or fell most; companies side by side or in
order; as a share of
something; the same shown again, in doubt; a narrower thing; something of its own; or nothing, as a remark."""
COMPANY, PERIOD = "@", "#"  # what stands for them in a turn
WEIGHTS = Path(__file__).parent / "turns.npz"
BUCKETS = 1 << 12
_WORDS = {COMPANY: " xcompany ", PERIOD: " xperiod "}
Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Reading:
    """What a turn does, and the probability of that."""

    move: Move
    probability: float


class TurnReader:
    """Reads turns whose companies are written as "@" and periods as "#"."""

    def __init__(self, weights: Floats, bias: Floats, moves: tuple[Move, ...]) -> None:
        """Use weights of shape (buckets, moves) and a bias for each move."""
        self._weights, self._bias, self._moves = weights, bias, moves

    @classmethod
    @cache
    def load(cls) -> "TurnReader":
        """The reader that comes with Pageproof."""
        with WEIGHTS.open("rb") as opened, np.load(opened, allow_pickle=False) as arrays:
            moves = tuple(cast(Move, str(move)) for move in arrays["moves"])
            return cls(arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32), moves)

    def read(self, turn: str) -> Reading:
        """The likeliest move."""
        indices, counts = signs(turn)
        logits = counts @ self._weights[indices] + self._bias
        odds = np.exp(logits - logits.max())
        best = int(odds.argmax())
        return Reading(self._moves[best], float(odds[best] / odds.sum()))


def signs(turn: str) -> tuple[Indices, Floats]:
    """The hashed words and parts of words of a turn, with weights."""
    for mark, word in _WORDS.items():
        turn = turn.replace(mark, word)
    indices, counts = ngrams(turn)
    return indices % BUCKETS, counts


MOVES: tuple[Move, ...] = get_args(Move)

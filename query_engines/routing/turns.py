"""What a turn of a conversation does with the question before: asks the same of another year, why, how much more.

It is read by a linear model that is trained on phrases of several writers: `python -m query_engines.training.turns`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from query_engines.question.classifier import LinearReader

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
order; as a share of something; the same shown again, in doubt; a narrower thing; something of its own; or nothing, as
a remark."""
MOVES: tuple[Move, ...] = get_args(Move)
COMPANY, PERIOD = "@", "#"  # what stands for them in a turn
WEIGHTS = Path(__file__).parent / "turns.npz"


@dataclass(frozen=True)
class Reading:
    """What a turn does, and the probability of that."""

    move: Move
    probability: float


def read_turn(turn: str) -> Reading:
    """The likeliest move of a turn whose companies are written as "@" and periods as "#"."""
    move, probability = LinearReader.load(WEIGHTS).read(turn)
    return Reading(cast(Move, move), probability)

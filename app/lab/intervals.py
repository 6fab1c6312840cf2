"""How far a score can be trusted: 95 % intervals by bootstrap over the questions, alone and against another variant.

Both variants of a difference are drawn with the same questions, so that what is hard for both does not hide it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.evaluation.scoring import Mark
from storage.records.record import Record

DRAWS, SEED = 4000, 1
_BOUNDS = (2.5, 97.5)  # percentiles


class Estimate(Record):
    """A mean over the questions, in points, with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def holds_zero(self) -> bool:
        """Whether a difference may be chance."""
        return self.low <= 0 <= self.high


def points(marks: Sequence[Mark]) -> NDArray[np.float64]:
    """The points of each question as the score counts them: of 150, or of 100 where a truth names no pages."""
    values = np.array([100.0 * mark.value for mark in marks])
    cited = [mark.references for mark in marks if mark.references is not None]
    return values + 50.0 * np.array(cited) if len(cited) == len(marks) else values


def mean_with_interval(points_of_questions: NDArray[np.float64]) -> Estimate:
    """The mean and its interval; the same figures always give the same interval.

    Raises:
        ValueError: there are no questions.
    """
    count = len(points_of_questions)
    if not count:
        raise ValueError("no questions to draw from")
    drawn = np.random.default_rng(SEED).integers(0, count, (DRAWS, count))
    low, high = np.percentile(points_of_questions[drawn].mean(axis=1), _BOUNDS)
    return Estimate(value=float(points_of_questions.mean()), low=float(low), high=float(high))

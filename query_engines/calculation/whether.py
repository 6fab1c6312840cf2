"""What a yes-or-no question asks of a figure: is there any, is it above zero or a number, did it rise or fall.

What is asked is read by a linear model that is trained on phrases of several writers:
`python -m query_engines.training.linear`. The answer follows from the figure, or from its change.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Literal, cast, get_args

from query_engines.question.classifier import SAYS_NOTHING, LinearReader, names_of
from query_engines.question.standing import without_names, words_in
from storage.amounts import parse_figure
from storage.lexicon.money import scale_of
from storage.lexicon.words import expression
from storage.records.derived_metrics import Change, DerivedMetric, Judgement, change_of
from storage.records.metrics import Metric, significant

Asks = Literal["exists", "positive", "negative", "above", "below", "rose", "fell", "equal", "other"]
"""What is asked of a figure: that there is any; that it is above or below zero, or a number; that it rose or fell
against the year before; that it is a number; or anything else, such as what it will be."""
ASKS: tuple[Asks, ...] = get_args(Asks)
WEIGHTS = Path(__file__).parent / "whether.npz"
FIGURE, NUMBER = "X", "N"  # what stands for the figure and a number
_SURE = 0.8  # probability from which what is asked is relied on
_ANY = Decimal("0.0001")  # the least that is more than nothing
_GROUPED = expression(r"(?<=\d)[,'](?=\d{3}(?!\d))")
_A_NUMBER = expression(r"\d[\d.,]*")
_UNITS = {"amount": "amount", "per_share": "per_share", "count": "count", "percent": "percent"}
_LIMITS: dict[Asks, tuple[str, str]] = {
    "exists": ("at_least", "more than nothing"),
    "positive": ("at_least", "above zero"),
    "negative": ("at_most", "below zero"),
    "above": ("at_least", ""),
    "below": ("at_most", ""),
    "rose": ("at_least", "higher than the year before"),
    "fell": ("at_most", "lower than the year before"),
}


def judged(text: str, names: Sequence[str], metric: Metric) -> tuple[Judgement, DerivedMetric] | None:
    """The judgement that a yes-or-no question asks for, and the figure it rests on; None where it asks something else.

    Args:
        text: of the question.
        names: of companies in it.
        metric: that it asks about, and nothing narrower.
    """
    masked, numbers = as_phrase(text, names, names_of(metric) - SAYS_NOTHING)
    found, probability = LinearReader.load(WEIGHTS).read(masked)
    asks = cast(Asks, found)
    if probability < _SURE or asks not in _LIMITS or (asks in ("above", "below")) != (len(numbers) == 1):
        return None
    side, limit = _LIMITS[asks]
    figure = _moved(metric) if asks in ("rose", "fell") else _itself(metric, is_size=asks == "exists")
    threshold = numbers[0] if numbers else _ANY if side == "at_least" else -_ANY
    if figure is None:
        return None
    source = "the question" if numbers else ""
    made = {"id": figure.id, "title": figure.title, "metric": metric.id, side: threshold, "limit": limit}
    return Judgement.model_validate({**made, "source": source}), figure


def as_phrase(text: str, names: Sequence[str], figure: frozenset[str]) -> tuple[str, tuple[Decimal, ...]]:
    """A question with signs for companies, periods, the figure and numbers, and its numbers in full units.

    Args:
        text: of the question.
        names: of companies in it.
        figure: the words of its names, in the form of `significant`.
    """
    words: list[str] = []
    numbers: list[Decimal] = []
    for word in words_in(_GROUPED.sub("", without_names(text, names))):
        scale = scale_of(word)
        if words and words[-1] == NUMBER and scale is not None:
            numbers[-1] *= scale
        elif _A_NUMBER.match(word) and (number := parse_figure(re.sub(r"[a-zA-Z]+$", "", word))) is not None:
            numbers.append(number * (scale_of(re.sub(r"^[\d.,]+", "", word)) or 1))
            words.append(NUMBER)
        elif significant(word) & figure:
            words += [] if words and words[-1] == FIGURE else [FIGURE]
        else:
            words.append(word)
    return re.sub(rf"\b{FIGURE} (?:and|&|of|-) {FIGURE}\b", FIGURE, " ".join(words)), tuple(numbers)


def _itself(metric: Metric, *, is_size: bool) -> DerivedMetric:
    """A metric as a figure to be judged; percentages are fractions there."""
    formula = f"abs({metric.id})" if is_size else metric.id
    return DerivedMetric.model_validate(
        {
            "id": metric.id,
            "title": metric.title,
            "unit": _UNITS[metric.kind],
            "formulas": [f"{formula} / 100" if metric.kind == "percent" else formula],
        }
    )


def _moved(metric: Metric) -> DerivedMetric | None:
    return change_of(metric, Change(what=metric.title, metric=metric))

"""Which lines are headings, and how headings rank."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexes.geometric.lines import Row

_LARGER = 1.12
_MOST_WORDS = 18
_MOST_ROWS = 3
_LETTERS = re.compile(r"[^\W\d_]")
_DEEPEST = 4


@dataclass(frozen=True, order=True)
class HeadingStyle:
    """How a heading is printed: what ranks it among a report's headings."""

    size: float
    bold: bool


def is_heading(rows: Sequence[Row], body: float) -> bool:
    """Few words, larger or bolder than the page's text, and not a sentence."""
    words = [w for r in rows for w in r.words]
    text = " ".join(w.text for w in words)
    if len(rows) > _MOST_ROWS or len(words) > _MOST_WORDS or text.endswith((".", ",", ";")):
        return False
    letters = len(_LETTERS.findall(text))
    if letters < 3 or letters < 0.5 * len(text.replace(" ", "")) or text.startswith("("):
        return False
    larger = min(r.size for r in rows) >= _LARGER * body
    capitals = text.upper() == text and letters >= 6 and len(rows) == 1
    return larger or all(w.bold for w in words) or capitals


def heading_levels(styles: Sequence[HeadingStyle]) -> dict[HeadingStyle, int]:
    """A level for each style of a report: 1 for the largest; styles that rank below the fourth share its level."""
    ranked = sorted(set(styles), reverse=True)
    return {style: min(rank, _DEEPEST) for rank, style in enumerate(ranked, start=1)}

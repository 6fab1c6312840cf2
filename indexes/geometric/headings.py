"""Which lines are headings."""

import re
from collections.abc import Sequence

from indexes.geometric.lines import Row

_LARGER = 1.12
_MOST_WORDS = 18
_MOST_ROWS = 3
_SLANTED_WORDS = 10
_LETTERS = re.compile(r"[^\W\d_]")


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
    slanted = len(rows) == 1 and len(words) <= _SLANTED_WORDS and all(w.italic for w in words)
    return larger or all(w.bold for w in words) or capitals or slanted

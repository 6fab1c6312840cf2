"""Words made as high as their font, where a PDF gives each no more than its letters' own height.

Otherwise a dash would be half a point high and "sun" lower than "July": neither gaps nor headings could be measured
in the print's height.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from indexes.geometric.lines import levels
from indexes.geometric.words import Word

_UNEVEN = 1.15
_MOSTLY = 0.5
_SAME_PRINT = 1.45  # from a line without to one with letters that reach up or down


def with_even_heights(words: Sequence[Word]) -> list[Word]:
    """The words, those of uneven fonts as high as the highest line of the same print."""
    lines = [_by_font(level) for level in levels(words)]
    uneven = _uneven_fonts(lines)
    if not uneven:
        return list(words)
    heights: dict[str, list[float]] = {f: sorted(_height(line[f]) for line in lines if f in line) for f in uneven}
    return [word for line in lines for font, found in line.items() for word in _even(found, heights.get(font))]


def _by_font(level: Sequence[Word]) -> dict[str, list[Word]]:
    fonts: dict[str, list[Word]] = defaultdict(list)
    for word in level:
        fonts[word.font].append(word)
    return fonts


def _uneven_fonts(lines: Sequence[dict[str, list[Word]]]) -> set[str]:
    """Fonts whose words are of different heights in most lines that have several."""
    several: dict[str, int] = defaultdict(int)
    different: dict[str, int] = defaultdict(int)
    for line in lines:
        for font, found in line.items():
            if len(found) > 1:
                several[font] += 1
                different[font] += max(w.size for w in found) > _UNEVEN * min(w.size for w in found)
    return {font for font, count in several.items() if different[font] > _MOSTLY * count}


def _height(found: Sequence[Word]) -> float:
    return max(w.bottom for w in found) - min(w.top for w in found)


def _even(found: Sequence[Word], heights: Sequence[float] | None) -> list[Word]:
    """The words of a line, as high as the highest line of their font that is not of larger print."""
    if heights is None:
        return list(found)
    top, height = min(w.top for w in found), _height(found)
    even = max(h for h in heights if h <= _SAME_PRINT * height)
    return [replace(w, top=top, bottom=top + even) for w in found]

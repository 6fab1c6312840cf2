"""Where a page has to be read by OCR."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from indexes.geometric.words import Extent, Placed, Word, overlap
from indexes.text_sense import is_nonsense

OcrMode = Literal["auto", "off", "always"]
_SMALLEST_SHARE = 0.02  # of the page; a table of a few rows. Logos and icons are smaller
_SMALLEST_SIDE = 36.0  # points
_APART = 4.0  # points; pictures are often cut into strips
_OWN_WORDS_SHARE = 0.02  # of a picture's area; a page's background has the page's words on it
_FEWEST_WORDS = 6  # in a picture that is text; a photograph shows a sign or a name


@dataclass(frozen=True)
class OcrPlan:
    """What to read by OCR, and whether the text layer's words stay."""

    places: tuple[Extent, ...] = ()
    keep_words: bool = True


def plan(
    mode: OcrMode, text: str, words: Sequence[Word], pictures: Sequence[Extent], page: Extent, drawn: bool
) -> OcrPlan:
    """What a page needs.

    Args:
        mode: as the settings say.
        text: of the text layer, line by line.
        words: the same, with their places.
        pictures: where bitmaps are drawn.
        page: its whole area.
        drawn: anything at all is visible.
    """
    if mode == "off" or not drawn:
        return OcrPlan()
    if mode == "always" or not words or is_nonsense(text):
        return OcrPlan((page,), keep_words=False)
    return OcrPlan(tuple(p for p in _joined(pictures) if _may_be_text(p, words, page)))


def added(read: Sequence[Word], words: Sequence[Word]) -> list[Word]:
    """The words that a picture adds to a page: none that stand there already, none if they are hardly any."""
    new = [w for w in read if not any(_covers(own, w) for own in words)]
    return new if len(new) >= _FEWEST_WORDS else []


def _joined(pictures: Sequence[Extent]) -> list[Extent]:
    """Pictures that touch are one."""
    left = list(pictures)
    whole: list[Extent] = []
    while left:
        first = left.pop()
        touching = [p for p in (*left, *whole) if _touch(first, p)]
        if not touching:
            whole.append(first)
            continue
        left = [p for p in left if p not in touching]
        whole = [p for p in whole if p not in touching]
        left.append(_around(first, *touching))
    return whole


def _touch(a: Extent, b: Extent) -> bool:
    return overlap(a, b) > -_APART and min(a.bottom, b.bottom) - max(a.top, b.top) > -_APART


def _around(*places: Extent) -> Extent:
    return Extent(
        min(p.left for p in places),
        min(p.top for p in places),
        max(p.right for p in places),
        max(p.bottom for p in places),
    )


def _may_be_text(picture: Extent, words: Sequence[Word], page: Extent) -> bool:
    smaller_side = min(picture.right - picture.left, picture.bottom - picture.top)
    if smaller_side < _SMALLEST_SIDE or _area(picture) < _SMALLEST_SHARE * _area(page):
        return False
    return sum(_area(w) for w in words if _covers(picture, w)) < _OWN_WORDS_SHARE * _area(picture)


def _area(place: Placed) -> float:
    return max(0.0, place.right - place.left) * max(0.0, place.bottom - place.top)


def _covers(place: Placed, word: Placed) -> bool:
    """The word's middle stands in the place."""
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return place.left <= x <= place.right and place.top <= y <= place.bottom

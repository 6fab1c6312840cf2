"""Turns a page's words upright, and places on the upright page back to the displayed page."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from indexes.layout.words import Extent, Placed, Word

Turn = Literal[0, 90, 180, 270]
_TURNS: tuple[Turn, ...] = (0, 90, 180, 270)


@dataclass(frozen=True)
class Frame:
    """A page whose text runs at `turn` degrees, counter-clockwise, from left to right."""

    width: float
    height: float
    turn: Turn = 0

    def upright(self, word: Word) -> Word:
        """The word's place on the page turned so that its text runs from left to right."""
        if self.turn == 0:
            return word
        left, top, right, bottom = self._turned(word, self.turn)
        return replace(word, left=left, top=top, right=right, bottom=bottom)

    def as_displayed(self, place: Placed) -> Extent:
        """A place on the upright page, as a place on the displayed page."""
        if self.turn in (90, 270):
            turned = Frame(self.height, self.width)
            back: Turn = 270 if self.turn == 90 else 90
            return Extent(*turned._turned(place, back))
        return Extent(*self._turned(place, self.turn))

    def _turned(self, p: Placed, turn: Turn) -> tuple[float, float, float, float]:
        if turn == 90:  # text runs upwards: the page is turned clockwise
            return self.height - p.bottom, p.left, self.height - p.top, p.right
        if turn == 270:
            return p.top, self.width - p.right, p.bottom, self.width - p.left
        if turn == 180:
            return self.width - p.right, self.height - p.bottom, self.width - p.left, self.height - p.top
        return p.left, p.top, p.right, p.bottom


def main_turn(angles: Iterable[int]) -> Turn:
    """The direction, to a quarter turn, in which most words run; 0 for none."""
    turns: Counter[Turn] = Counter(quarter for a in angles if (quarter := quarter_turn(a)) is not None)
    return turns.most_common(1)[0][0] if turns else 0


def quarter_turn(angle: int) -> Turn | None:
    """The quarter turn that an angle in degrees is within five degrees of."""
    return next((t for t in _TURNS if min(abs(angle - t), 360 - abs(angle - t)) <= 5), None)

"""Places on a page."""

from collections.abc import Iterable

from storage.record import Record


class Box(Record):
    """A rectangle in PDF points from the top left of the page as displayed (after rotation and crop)."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Points from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Points from top to bottom."""
        return self.bottom - self.top


def enclosing(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of them.

    Raises:
        ValueError: there are none.
    """
    found = list(boxes)
    if not found:
        raise ValueError("no boxes to enclose")
    return Box(
        left=min(b.left for b in found),
        top=min(b.top for b in found),
        right=max(b.right for b in found),
        bottom=max(b.bottom for b in found),
    )

"""Places on a page."""

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

    def overlaps(self, other: "Box") -> bool:
        """They share more than an edge."""
        across = min(self.right, other.right) > max(self.left, other.left)
        return across and min(self.bottom, other.bottom) > max(self.top, other.top)

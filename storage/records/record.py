"""The base of every record that crosses a module boundary, and places and ranges of pages."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from storage.components import wrong_fields
from storage.errors import UsageError


class Record(BaseModel):
    """Frozen, closed to unknown fields, written to disk and to the wire as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class GivenRecord(Record):
    """A record that a program of the user's own makes: a wrong value is said in a sentence.

    Raises:
        UsageError: a field has no such value, or there is no such field.
    """

    if not TYPE_CHECKING:  # checkers know the fields from the class

        def __init__(self, **fields: Any) -> None:
            try:
                super().__init__(**fields)
            except ValidationError as error:
                raise UsageError(f"{type(self).__name__}: {wrong_fields(error)}") from error

        __init__.__pydantic_base_init__ = True  # records that are read from files go past it


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
        """Whether the two share more than an edge."""
        across = min(self.right, other.right) > max(self.left, other.left)
        return across and min(self.bottom, other.bottom) > max(self.top, other.top)


def page_ranges(numbers: Iterable[int]) -> str:
    """Numbers in order, neighbours joined: "3-5, 17"; empty for none."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)

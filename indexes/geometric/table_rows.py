"""A printed row seen as a row of a table."""

from dataclasses import dataclass
from functools import cached_property

from indexes.geometric.figures import count_years, is_reference, is_year, names_period
from indexes.geometric.lines import Row
from indexes.geometric.pieces import Piece

_PERIOD_WORDS = 5  # for each year that a header names
_STUB_WORDS = 8


@dataclass(frozen=True)
class Band:
    """The width that a column of figures takes."""

    left: float
    right: float


@dataclass(frozen=True)
class TableRow:
    """A printed row with its pieces."""

    row: Row
    pieces: tuple[Piece, ...]

    @cached_property
    def figures(self) -> tuple[Piece, ...]:
        """Its figures, left to right; a year at its beginning is its label."""
        return tuple(p for i, p in enumerate(self.pieces) if p.figure and (i or not is_year(p.text)))

    @cached_property
    def is_data(self) -> bool:
        """It has figures to the right of a label, or several figures."""
        count = len(self.figures)
        labelled = count == 1 and self.figures[0] is not self.pieces[0]
        return (count > 1 or labelled) and not self.names_columns

    @cached_property
    def names_columns(self) -> bool:
        """It says what time each column is about, and nothing else: years, dates, "31 March"."""
        named = [p for p in self.pieces if is_year(p.text) or names_period(p.text)]
        others = [p for p in self.pieces if p not in named]
        stubbed = bool(named) and named[0] is self.pieces[0] and any(p.figure for p in others)
        heads = named[1:] if stubbed else named
        stub = self.pieces[0] if len(self.pieces) > 1 else None
        lengths = [_STUB_WORDS if p is stub else _PERIOD_WORDS * max(1, count_years(p.text)) for p in named]
        if any(len(p.words) > most for p, most in zip(named, lengths, strict=True)):
            return False
        dates = sum(max(1, count_years(p.text)) for p in heads)
        amounts = any(p.figure and not is_reference(p.text) for p in others)
        return dates > 1 and not amounts and all(len(p.words) <= 4 for p in others)

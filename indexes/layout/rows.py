"""The rows of a table: puts pieces into columns and joins labels that are printed on several lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from indexes.layout.figures import count_years, is_reference, is_year, names_period
from indexes.layout.lines import Row
from indexes.layout.pieces import Piece, pieces
from indexes.layout.words import Word

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

    @classmethod
    def of(cls, row: Row) -> "TableRow":
        """The row, split into its pieces."""
        return cls(row, pieces(row))

    @cached_property
    def figures(self) -> tuple[Piece, ...]:
        """Its figures, left to right; a year at the beginning is the label."""
        return tuple(p for i, p in enumerate(self.pieces) if p.figure and (i or not is_year(p.text)))

    @cached_property
    def is_data(self) -> bool:
        """Whether it has figures to the right of a label, or several figures."""
        count = len(self.figures)
        labelled = count == 1 and self.figures[0] is not self.pieces[0]
        return (count > 1 or labelled) and not self.names_columns

    @cached_property
    def names_columns(self) -> bool:
        """Whether it has nothing but the period of each column: years, dates, "31 March"."""
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


_INDENT = 3.0  # points
_LINE_GAP = 0.8  # of the font's height, between two lines of one cell
_NEARER = 1.1  # a line is not nearer to the next row than to its own, measured inexactly
_FULL_LABEL = 0.6  # of the width before the figures
_JOINING_WORDS = frozenset(("and", "or", "of", "to", "in", "the", "at", "for", "from", "on", "by", "december"))


@dataclass(frozen=True)
class PlacedRow:
    """A row's pieces by column: column 0 is the label, columns 1… are the bands. `spans` is for headers."""

    slots: dict[int, tuple[Piece, ...]]
    spans: dict[int, int]
    is_header: bool
    crowded: bool = False

    @property
    def label(self) -> tuple[Word, ...]:
        """The label's words."""
        return tuple(w for p in self.slots.get(0, ()) for w in p.words)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All its pieces."""
        return tuple(p for found in self.slots.values() for p in found)

    @property
    def has_figures(self) -> bool:
        """Whether there is a figure in one of its columns."""
        return any(p.figure for column, found in self.slots.items() if column for p in found)

    @property
    def has_values(self) -> bool:
        """Whether there is anything in one of its columns."""
        return any(column for column in self.slots)


def with_joined_labels(lines: Sequence[PlacedRow], bands: Sequence[Band]) -> list[PlacedRow]:
    """Join rows whose label is printed on several lines."""
    labels = [w for line in lines if not line.is_header for w in line.label if w.right <= bands[0].left]
    longest = max((w.right for w in labels), default=bands[0].left)
    left = min((w.left for w in labels), default=0.0)
    limit = max(longest, left + _FULL_LABEL * (bands[0].left - left))
    result: list[PlacedRow] = []
    for line, below in zip(lines, [*lines[1:], None], strict=True):
        if result and (_goes_on(result[-1], line, limit) or _continues_cells(result[-1], line, below)):
            result[-1] = _merged(result[-1], line)
        else:
            result.append(line)
    return result


def _goes_on(above: PlacedRow, line: PlacedRow, limit: float) -> bool:
    """Whether `line` continues the label above it: it begins in lower case, or did not fit on the line above."""
    if above.is_header or line.is_header or not above.label or (above.has_values and line.has_values):
        return _is_set_between(above, line)
    last = above.label[-1]
    if last.text.endswith((":", ".")) or _is_bracketed(above.label):
        return False
    if not line.label:  # figures halfway between the lines of their label
        return min(w.top for p in line.pieces for w in p.words) < last.bottom
    first = line.label[0]
    if first.top - last.bottom > _LINE_GAP * first.size:
        return False
    if _continues_sentence(last.text, first.text):
        return True
    wraps = last.right + 0.3 * first.size + (first.right - first.left) > limit
    apart = first.left - above.label[0].left > _INDENT and not first.text[:1].isdigit()
    return wraps and not (above.has_values or apart or is_year(last.text) or _is_shouting(above.label))


def _is_set_between(above: PlacedRow, line: PlacedRow) -> bool:
    """Whether the values belong to one row: some are beside the first line of its label, some between two lines."""
    if above.is_header or line.is_header or not above.label or line.label or set(above.slots) & set(line.slots):
        return False
    return min(w.top for p in line.pieces for w in p.words) < max(w.bottom for p in above.pieces for w in p.words)


def _continues_cells(above: PlacedRow, line: PlacedRow, below: PlacedRow | None) -> bool:
    """Whether all it has are words right below words in cells of the row above, and not nearer to the row below."""
    if above.is_header or line.is_header or line.label or line.has_figures:
        return False
    found = [(piece, above.slots.get(column, ())) for column, pieces in line.slots.items() for piece in pieces]
    if not all(upper and not any(p.figure for p in upper) for _, upper in found):
        return False
    piece = found[0][0]
    gap = piece.top - max(p.bottom for _, upper in found for p in upper)
    next_top = min((p.top for p in below.pieces), default=piece.bottom) if below else float("inf")
    return gap < min(_LINE_GAP * piece.words[0].size, _NEARER * (next_top - piece.bottom))


def _continues_sentence(last: str, first: str) -> bool:
    return (
        first.lstrip("(")[:1].islower()
        or last.endswith((",", ";", "-", "–", "&"))
        or last.lower() in _JOINING_WORDS
    )


def _is_bracketed(label: Sequence[Word]) -> bool:
    """Whether it is only a remark in brackets, such as "(in thousands)"."""
    return label[0].text.startswith("(") and label[-1].text.endswith(")")


def _is_shouting(label: Sequence[Word]) -> bool:
    return all(w.text.upper() == w.text for w in label)


def _merged(above: PlacedRow, line: PlacedRow) -> PlacedRow:
    slots = dict(above.slots)
    for column, found in line.slots.items():
        slots[column] = (*slots.get(column, ()), *found)
    return replace(above, slots=slots, crowded=above.crowded or line.crowded)

"""A table's rows with their pieces put into columns, and labels of several rows joined."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexes.geometric.figures import is_year
from indexes.geometric.pieces import Piece
from indexes.geometric.table_rows import Band
from indexes.geometric.words import Word

_INDENT = 3.0  # points
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
        """A figure stands in one of its columns."""
        return any(p.figure for column, found in self.slots.items() if column for p in found)

    @property
    def has_values(self) -> bool:
        """Anything stands in one of its columns."""
        return any(column for column in self.slots)


def with_joined_labels(lines: Sequence[PlacedRow], bands: Sequence[Band]) -> list[PlacedRow]:
    """Rows that are one label broken over several lines, joined."""
    labels = [w for line in lines if not line.is_header for w in line.label if w.right <= bands[0].left]
    longest = max((w.right for w in labels), default=bands[0].left)
    left = min((w.left for w in labels), default=0.0)
    limit = max(longest, left + _FULL_LABEL * (bands[0].left - left))
    result: list[PlacedRow] = []
    for line in lines:
        if result and _goes_on(result[-1], line, limit):
            result[-1] = _merged(result[-1], line)
        else:
            result.append(line)
    return result


def _goes_on(above: PlacedRow, line: PlacedRow, limit: float) -> bool:
    """`line` continues the label above it: it begins in lower case, or did not fit on the line above."""
    if above.is_header or line.is_header or not above.label or (above.has_values and line.has_values):
        return _is_set_between(above, line)
    last = above.label[-1]
    if last.text.endswith((":", ".")) or _is_bracketed(above.label):
        return False
    if not line.label:  # figures halfway between the lines of their label
        return min(w.top for p in line.pieces for w in p.words) < last.bottom
    first = line.label[0]
    if first.top - last.bottom > 0.8 * first.size:
        return False
    if _continues_sentence(last.text, first.text):
        return True
    wraps = last.right + 0.3 * first.size + (first.right - first.left) > limit
    apart = first.left - above.label[0].left > _INDENT and not first.text[:1].isdigit()
    return wraps and not (above.has_values or apart or is_year(last.text) or _is_shouting(above.label))


def _is_set_between(above: PlacedRow, line: PlacedRow) -> bool:
    """Values of one row of which some stand by the first line of its label and some between the lines."""
    if above.is_header or line.is_header or not above.label or line.label or set(above.slots) & set(line.slots):
        return False
    return min(w.top for p in line.pieces for w in p.words) < max(w.bottom for p in above.pieces for w in p.words)


def _continues_sentence(last: str, first: str) -> bool:
    return (
        first.lstrip("(")[:1].islower()
        or last.endswith((",", ";", "-", "–", "&"))
        or last.lower() in _JOINING_WORDS
    )


def _is_bracketed(label: Sequence[Word]) -> bool:
    """Nothing but a remark, such as "(in thousands)"."""
    return label[0].text.startswith("(") and label[-1].text.endswith(")")


def _is_shouting(label: Sequence[Word]) -> bool:
    return all(w.text.upper() == w.text for w in label)


def _merged(above: PlacedRow, line: PlacedRow) -> PlacedRow:
    slots = dict(above.slots)
    for column, found in line.slots.items():
        slots[column] = (*slots.get(column, ()), *found)
    return replace(above, slots=slots, crowded=above.crowded or line.crowded)

"""Finds columns of running text and keeps them apart from the columns of tables."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from indexes.layout.figures import is_value, opens
from indexes.layout.lines import Row, Segment, rows

_EDGE_POINTS = 2.0
_SIGNS = ("-", "–", "—", "$", "£", "€", "%")
_HEAD_LINES = 10
_HEAD_WORDS = 4
_SAME_BASELINE = 0.15  # of the font's height; the scale of a chart stands anywhere
_HEAD_GAP = 1.5  # of the font's height
_COMMON_EDGE = 3  # segments that must begin at the same x for it to be a column's left edge
_FULL_LINE = 0.7  # of the column's width
_LONG_SEGMENT = 0.5
_PROSE_SHARE = 0.5
_PROSE_ROWS = 4
_PROSE_WORDS = 3.0
_ALIGNED_SHARE = 0.6  # of terms on the left, with the lines that explain them
_ALIGNED_BESIDE = 0.8  # of short texts on the right, with the lines they belong to
_FULL_WORDS = 4  # of a line that fills its column
_ALIKE_WIDE = 0.6
_ENTRY_GAP = 1.3  # times the distance of close lines
_FEWEST_ENTRIES = 3


def text_columns(parts: Sequence[Segment]) -> list[list[Segment]]:
    """The page's parts in reading order, cut where running text is set in columns side by side.

    Every segment is in exactly one part. A part that is not cut any further may contain tables: the columns of a
    table are not columns of text.
    """
    cut = _best_cut(parts)
    if cut is None:
        return [list(parts)] if parts else []
    return [region for piece in cut.pieces for region in text_columns(piece)]


@dataclass(frozen=True)
class _Cut:
    """The segments above two columns, in the left one, in the right one, and below them.

    Attributes:
        entries: where the left column has headings of the paragraphs in the right one, each heading and its paragraph.
    """

    above: tuple[Segment, ...]
    left: tuple[Segment, ...]
    right: tuple[Segment, ...]
    below: tuple[Segment, ...]
    entries: tuple[tuple[Segment, ...], ...] = ()

    @property
    def pieces(self) -> tuple[tuple[Segment, ...], ...]:
        return tuple(p for p in (self.above, *(self.entries or (self.left, self.right)), self.below) if p)

    @property
    def weight(self) -> int:
        return len(self.left) + len(self.right)


def _best_cut(parts: Sequence[Segment]) -> _Cut | None:
    lefts = _common_lefts(parts)
    if not lefts:
        return None
    ordered = _Ordered(sorted(parts, key=lambda s: (s.top, s.left)))
    lines = _Lines(rows(ordered.segments))
    cuts = [cut for x in lefts for cut in _columns_at(ordered, x, _tables_across(lines, x))]
    return max(cuts, key=lambda c: c.weight, default=None)


class _Ordered:
    """Segments from top to bottom, with what is asked of each for every x."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        self.ids = [id(s) for s in segments]
        self.lefts, self.rights = [s.left for s in segments], [s.right for s in segments]
        self.middles = [(s.top + s.bottom) / 2 for s in segments]
        self.by_height = sorted(range(len(segments)), key=self.middles.__getitem__)


class _Lines:
    """Rows from top to bottom, with what is asked of each for every x.

    Attributes:
        lefts: of each row's segments.
        tables: for rows that end with figures alone behind a label: the row's place, and where x may be so that the
            label is on its left and nothing but figures on its right, up to and with the second bound.
    """

    def __init__(self, lines: Sequence[Row]) -> None:
        self.rows = lines
        self.lefts = [[s.left for s in line.segments] for line in lines]
        self.tables = [
            (place, self.lefts[place][first - 1], self.lefts[place][-1])
            for place, line in enumerate(lines)
            if len(line.segments) > 1 and (first := _first_of_figures(line)) < len(line.segments)
        ]

    def beyond(self, place: int, x: float) -> Sequence[Segment]:
        """The segments of a row that begin at x or on its right."""
        return self.rows[place].segments[bisect_left(self.lefts[place], x - _EDGE_POINTS) :]


def _first_of_figures(line: Row) -> int:
    """The first segment behind the label from which on all are figures on the label's baseline; their number if none.

    A row that begins with figures has no label.
    """
    label, first = line.segments[0], len(line.segments)
    if _has_figures_only(label):
        return first
    while first > 1 and _share_baseline(label, figure := line.segments[first - 1]) and _has_figures_only(figure):
        first -= 1
    return first


def _columns_at(ordered: _Ordered, x: float, tables: Set[int]) -> Iterator[_Cut]:
    """The stretches with columns on both sides of x; beside a table across x, both must be running text."""
    for cut in _cuts_at(ordered, x, tables):
        if _are_columns(cut.left, cut.right) and (
            not tables or (_is_prose(rows(cut.right)) and _is_prose(rows(cut.left)))
        ):
            yield cut
        elif not tables and (entries := _entries(cut.left, cut.right)):
            yield replace(cut, entries=entries)


def _has_figures_only(segment: Segment) -> bool:
    return all(is_value(w.text) or w.text in _SIGNS for w in segment.words)


def _tables_across(lines: _Lines, x: float) -> set[int]:
    """The segments of rows that have their label on the left of x and figures alone on its right, with their heads."""
    edge = x - _EDGE_POINTS
    data = [place for place, behind, last in lines.tables if behind < edge <= last]
    if len(data) < _COMMON_EDGE:
        return set()
    known = set(data)
    heads = [head for place in data for head in _heads(lines, place, x, known)]
    return {id(s) for place in {*data, *heads} for s in lines.rows[place].segments}


def _share_baseline(label: Segment, figure: Segment) -> bool:
    return abs(figure.words[0].bottom - label.words[0].bottom) < _SAME_BASELINE * label.size


def _heads(lines: _Lines, place: int, x: float, known: Set[int]) -> Iterator[int]:
    """The lines above a row of figures that have a few words on the right of x, with the labels between."""
    labels: list[int] = []
    size = lines.rows[place].size
    for above in range(place - 1, max(-1, place - 1 - _HEAD_LINES), -1):
        if lines.rows[above + 1].top - lines.rows[above].bottom >= _HEAD_GAP * size:
            return
        named = lines.beyond(above, x)
        if any(len(s.words) > _HEAD_WORDS for s in named):
            return
        labels.append(above)
        if named:
            yield from labels
            labels.clear()
        if above in known:  # whose heads are looked for as well
            return


def _common_lefts(parts: Sequence[Segment]) -> list[float]:
    """Left edges that several segments share, without the leftmost edge."""
    lefts = sorted(s.left for s in parts)
    found: list[float] = []
    index = 0
    while index < len(lefts):
        end = index
        while end < len(lefts) and lefts[end] - lefts[index] <= _EDGE_POINTS:
            end += 1
        if end - index >= _COMMON_EDGE and lefts[index] - lefts[0] > _EDGE_POINTS:
            found.append(lefts[index])
        index = end
    return found


def _cuts_at(ordered: _Ordered, x: float, across: Set[int]) -> Iterator[_Cut]:
    """The vertical stretches of the page in which no segment or row crosses x, with enough of them on both sides."""
    edge, inner = x - _EDGE_POINTS, x - _EDGE_POINTS / 2
    each = zip(ordered.ids, ordered.lefts, ordered.rights, strict=True)
    sides = [  # across, right, left
        -1 if number in across else 1 if left >= edge else 0 if right <= inner else -1
        for number, left, right in each
    ]
    middles, segments = ordered.middles, ordered.segments
    bounds = [
        float("-inf"),
        *(middle for middle, side in zip(middles, sides, strict=True) if side < 0),
        float("inf"),
    ]
    sided = [i for i in ordered.by_height if sides[i] >= 0]
    heights = [middles[i] for i in sided]
    for top, bottom in pairwise(bounds):
        found = sided[bisect_right(heights, top) : bisect_left(heights, bottom)]
        if len(found) < 2 * _COMMON_EDGE:
            continue
        inside = sorted(found)
        right = sum(sides[i] for i in inside)
        if right < _COMMON_EDGE or len(inside) - right < _COMMON_EDGE:
            continue
        held = set(inside)
        yield _Cut(
            above=tuple(s for i, s in enumerate(segments) if i not in held and middles[i] <= top),
            left=tuple(segments[i] for i in inside if not sides[i]),
            right=tuple(segments[i] for i in inside if sides[i]),
            below=tuple(s for i, s in enumerate(segments) if i not in held and middles[i] > top),
        )


def _are_columns(left: Sequence[Segment], right: Sequence[Segment]) -> bool:
    """Whether both sides are running text, or one side is and the other is not aligned with it line by line."""
    if len(left) < _COMMON_EDGE or len(right) < _COMMON_EDGE:
        return False
    left_rows, right_rows = rows(left), rows(right)
    left_prose, right_prose = _is_prose(left_rows), _is_prose(right_rows)
    if left_prose and right_prose:
        return True
    if _are_alike_wide(left_rows, right_rows) and _has_paragraph(left_rows) and _has_paragraph(right_rows):
        return True
    if left_prose:
        return not _is_figure_column(right_rows) and _aligned_share(right_rows, left_rows) < _ALIGNED_BESIDE
    return right_prose and _aligned_share(left_rows, right_rows) < _ALIGNED_SHARE


def _entries(left: Sequence[Segment], right: Sequence[Segment]) -> tuple[tuple[Segment, ...], ...]:
    """Headings, each with the paragraph at its side behind it; empty for other columns.

    Most headings have several lines, such as a name and an office: read across, they would cut the sentences beside
    them. A term of one line is read with the line that explains it.
    """
    if not _is_prose(rows(right)):
        return ()
    lines = rows(sorted([*left, *right], key=lambda s: (s.top, s.left)))
    steps = [below.top - above.top for above, below in pairwise(lines)]
    close, on_left = sorted(steps or [0.0])[len(steps) // 4], {id(s) for s in left}
    found: list[list[Row]] = []
    for step, line in zip([float("inf"), *steps], lines, strict=True):
        if step > _ENTRY_GAP * close and any(id(s) in on_left for s in line.segments):
            found.append([])
        if not found:
            return ()
        found[-1].append(line)
    entries = [
        (
            tuple(s for line in entry for s in line.segments if id(s) in on_left),
            tuple(s for line in entry for s in line.segments if id(s) not in on_left),
        )
        for entry in found
    ]
    tall = [1 < len(rows(heading)) <= len(rows(beside)) for heading, beside in entries if beside]
    are_headings = len(tall) >= _FEWEST_ENTRIES and 2 * sum(tall) > len(tall)
    return tuple(side for entry in entries for side in entry) if are_headings else ()


def _is_prose(side: Sequence[Row]) -> bool:
    """Whether most lines fill their column with words."""
    if len(side) < _PROSE_ROWS:
        return False
    left, right = min(r.left for r in side), max(r.right for r in side)
    width = right - left
    full = [r for r in side if r.right - r.left >= _FULL_LINE * width and _longest(r) >= _LONG_SEGMENT * width]
    worded = [r for r in full if sum(not is_value(w.text) for w in r.words) >= max(2, len(r.words) * 0.6)]
    mean = sum(len(r.words) for r in side) / len(side)
    return len(worded) >= _PROSE_SHARE * len(side) and mean >= _PROSE_WORDS


def _has_paragraph(side: Sequence[Row]) -> bool:
    """Whether some lines one below the other fill their column with words, as between tables."""
    width = max(r.right for r in side) - min(r.left for r in side)
    full = [
        len(r.words) >= _FULL_WORDS
        and len(r.segments) == 1
        and r.right - r.left >= _FULL_LINE * width
        and not any(is_value(w.text) for w in r.words[-2:])
        for r in side
    ]
    return any(a and b for a, b in pairwise(full))


def _are_alike_wide(one: Sequence[Row], other: Sequence[Row]) -> bool:
    widths = sorted(max(r.right for r in side) - min(r.left for r in side) for side in (one, other))
    return widths[0] >= _ALIKE_WIDE * widths[1]


def _longest(row: Row) -> float:
    return max(s.right - s.left for s in row.segments)


def _is_figure_column(side: Sequence[Row]) -> bool:
    """Whether most lines begin with a figure."""
    first = [r.words[0].text for r in side]
    return sum(is_value(t) or opens(t) for t in first) >= 0.5 * len(first)


def _aligned_share(lines: Sequence[Row], others: Sequence[Row]) -> float:
    """The share of lines that have a line of the other side on the same baseline."""
    baselines = [r.bottom for r in others]
    return sum(any(abs(r.bottom - b) <= _EDGE_POINTS for b in baselines) for r in lines) / len(lines)

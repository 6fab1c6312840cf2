"""Finds a quote on a page."""

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from storage.lexicon.words import expression
from storage.records.pages import Block, Page, part_of_line
from storage.records.record import Box
from storage.text import fingerprint, plain

Pieces = Callable[[Block], Iterable[tuple[str, Box]]]
_WORD = expression(r"\S+")
_DIGIT_BEFORE = expression(r"\d[.,]?$")
_DIGIT_AFTER = expression(r"[.,]?\d")


class _Segment(NamedTuple):
    """A line or a cell: the fingerprints of its words, and where these begin and end in its text."""

    marks: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    text: str
    box: Box
    is_line: bool

    @classmethod
    def of_text(cls, text: str, box: Box, *, is_line: bool) -> "_Segment":
        text = plain(text)
        found = [(mark, word.span()) for word in _WORD.finditer(text) if (mark := fingerprint(word[0]))]
        marks, spans = (tuple(part) for part in zip(*found, strict=True)) if found else ((), ())
        return cls(marks, spans, text, box, is_line)

    def place(self, start: int, end: int) -> Box:
        """Where the words are that have these letters of the fingerprint; a cell as a whole."""
        ends = list(itertools.accumulate(map(len, self.marks)))
        first, last = bisect.bisect_right(ends, start), bisect.bisect_left(ends, end)
        if not self.is_line or (first == 0 and last >= len(ends) - 1):
            return self.box
        return part_of_line(self.box, self.text, self.spans[first][0], self.spans[last][1])


def locate(quote: str, page: Page) -> tuple[Box, ...] | None:
    """The boxes of the parts of lines, or of the cells, with the quote; None when it is not on the page.

    Spacing, hyphenation, ligatures, dashes, case and table lines may differ; letters and digits may not.
    """
    wanted = fingerprint(quote)
    if not wanted:
        return None
    for pieces in (_cells, _cells_as_shown, _lines):
        found = _find(wanted, _segments(page, pieces))
        if found is not None:
            return found
    return None


def _segments(page: Page, pieces: Pieces) -> list[_Segment]:
    # A line of a table goes over all of its columns: where its words are is not known.
    return [
        segment
        for block in page.blocks
        for text, box in (pieces(block) if block.table else _lines(block))
        if (segment := _Segment.of_text(text, box, is_line=block.table is None)).marks
    ]


def _cells(block: Block) -> Iterator[tuple[str, Box]]:
    for cell in sorted(block.table.cells if block.table else (), key=lambda c: (c.row, c.column)):
        yield cell.text, cell.box or block.box


def _cells_as_shown(block: Block) -> Iterator[tuple[str, Box]]:
    """The cells in the order of the Markdown that a model reads, with the header cells of each column together."""
    table = block.table
    if table is None:
        return
    top = table.header_row_count
    head = [
        (column, cell)
        for column in range(table.column_count)
        for cell in table.cells
        if cell.row < top
        and 0 <= column - cell.column < cell.column_span
        and (cell.column == column or not cell.text.startswith("("))
    ]
    for _, cell in sorted(head, key=lambda item: item[0]):
        yield cell.text, cell.box or block.box
    for cell in sorted((c for c in table.cells if c.row >= top), key=lambda c: (c.row, c.column)):
        yield cell.text, cell.box or block.box


def _lines(block: Block) -> Iterator[tuple[str, Box]]:
    if not block.lines:
        yield block.text, block.box
    for line in block.lines:
        yield line.text, line.box


def _find(wanted: str, segments: Sequence[_Segment]) -> tuple[Box, ...] | None:
    texts = ["".join(segment.marks) for segment in segments]
    text = "".join(texts)
    start = _whole(text, wanted, _word_starts(segments))
    if start is None:
        return None
    end, at, boxes = start + len(wanted), 0, []
    for segment, mark in zip(segments, texts, strict=True):
        if at < end and at + len(mark) > start:
            boxes.append(segment.place(max(start - at, 0), min(end - at, len(mark))))
        at += len(mark)
    return tuple(boxes)


def _word_starts(segments: Sequence[_Segment]) -> list[int]:
    """The positions in the joined fingerprints at which words begin, and the end."""
    lengths = (len(word) for segment in segments for word in segment.marks)
    return list(itertools.accumulate(lengths, initial=0))


def _whole(text: str, wanted: str, starts: list[int]) -> int | None:
    """The first match that does not cut a number in two."""
    place = text.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        word_start = starts[bisect.bisect_right(starts, place) - 1]
        word_end = starts[min(bisect.bisect_left(starts, end), len(starts) - 1)]
        cut_left = wanted[0].isdigit() and _DIGIT_BEFORE.search(text[word_start:place])
        cut_right = wanted[-1].isdigit() and _DIGIT_AFTER.match(text[end:word_end])
        if not cut_left and not cut_right:
            return place
        place = text.find(wanted, place + 1)
    return None

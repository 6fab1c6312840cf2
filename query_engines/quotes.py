"""Where a quote stands on a page."""

from collections.abc import Iterator, Sequence

from storage.geometry import Box
from storage.pages import Block, Page
from storage.text import fingerprint

Segment = tuple[str, Box]  # a fingerprint and the place it is printed at


def locate(quote: str, page: Page) -> tuple[Box, ...] | None:
    """The boxes of the lines or cells that hold the quote, or None when it does not stand on the page.

    Spacing, hyphenation, ligatures, dashes, case and table rules are forgiven; letters and digits are not.
    """
    wanted = fingerprint(quote)
    if not wanted:
        return None
    for segments in (_segments(page, cells=True), _segments(page, cells=False)):
        found = _find(wanted, segments)
        if found is not None:
            return found
    return None


def _segments(page: Page, cells: bool) -> list[Segment]:
    return [
        (mark, box)
        for block in page.blocks
        for text, box in (_cells(block) if cells and block.table else _lines(block))
        if (mark := fingerprint(text))
    ]


def _cells(block: Block) -> Iterator[tuple[str, Box]]:
    for cell in sorted(block.table.cells if block.table else (), key=lambda c: (c.row, c.column)):
        yield cell.text, cell.box or block.box


def _lines(block: Block) -> Iterator[tuple[str, Box]]:
    if not block.lines:
        yield block.text, block.box
    for line in block.lines:
        yield line.text, line.box


def _find(wanted: str, segments: Sequence[Segment]) -> tuple[Box, ...] | None:
    text = "".join(mark for mark, _ in segments)
    start = _whole(text, wanted, segments)
    if start is None:
        return None
    end, at, boxes = start + len(wanted), 0, []
    for mark, box in segments:
        if at < end and at + len(mark) > start:
            boxes.append(box)
        at += len(mark)
    return tuple(boxes)


def _whole(text: str, wanted: str, segments: Sequence[Segment]) -> int | None:
    """The first place where the quote does not cut a number in two."""
    starts = {0}
    at = 0
    for mark, _ in segments:
        at += len(mark)
        starts.add(at)
    place = text.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        cut_left = place not in starts and wanted[0].isdigit() and text[place - 1].isdigit()
        cut_right = end not in starts and end < len(text) and wanted[-1].isdigit() and text[end].isdigit()
        if not cut_left and not cut_right:
            return place
        place = text.find(wanted, place + 1)
    return None

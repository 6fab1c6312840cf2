"""Where a table's cells stand on the page: its texts found among the printed words."""

from collections.abc import Sequence

from indexes.geometric.lines import Row, rows, segments
from indexes.geometric.words import Word, extent
from storage.geometry import Box
from storage.pages import Cell, Table
from storage.text import fingerprint

_BACK = 1  # printed rows that a cell may stand above the one before it: a label wrapped around its figures
_AHEAD = 12  # printed rows that are looked through for the next row of the table
_LONGEST = 60  # words of one cell


def with_places(table: Table, words: Sequence[Word]) -> Table:
    """The table with the boxes of those cells that are found, each within one printed row.

    Args:
        table: with cells in reading order.
        words: printed where the table stands.
    """
    printed = rows(segments(words))
    boxes: dict[tuple[int, int], Box] = {}
    used: set[tuple[int, int]] = set()
    at = 0
    for number in range(table.row_count):
        cells = [c for c in table.cells if c.row == number]
        row = _row_of(cells, printed, at)
        if row is None:
            continue
        at = row
        for cell in cells:
            for index in (row, *range(row + 1, min(row + 3, len(printed))), *range(max(row - _BACK, 0), row)):
                if (run := _run(cell.text, printed[index], index, used)) is not None:
                    used.update((index, place) for place in run)
                    boxes[cell.row, cell.column] = _box([printed[index].words[place] for place in run])
                    break
    return table.model_copy(
        update={"cells": tuple(c.model_copy(update={"box": boxes.get((c.row, c.column))}) for c in table.cells)}
    )


def _row_of(cells: Sequence[Cell], printed: Sequence[Row], at: int) -> int | None:
    """The printed row, from the last one on, that holds most of the cells; the first of them."""
    best, most = None, 0
    for index in range(at, min(at + _AHEAD, len(printed))):
        held = sum(len(c.text) for c in cells if _run(c.text, printed[index], index, set()) is not None)
        if held > most:
            best, most = index, held
    return best


def _run(text: str, row: Row, index: int, used: set[tuple[int, int]]) -> range | None:
    """The words of a printed row that together say the text, those not taken by another cell."""
    wanted = fingerprint(text)
    if not wanted:
        return None
    marks = [fingerprint(word.text) for word in row.words]
    for start in range(len(marks)):
        held = ""
        for end in range(start, min(start + _LONGEST, len(marks))):
            held += marks[end]
            if not wanted.startswith(held):
                break
            if held == wanted and not any((index, place) in used for place in range(start, end + 1)):
                return range(start, end + 1)
    return None


def _box(words: Sequence[Word]) -> Box:
    place = extent(words)
    return Box(left=place.left, top=place.top, right=place.right, bottom=place.bottom)

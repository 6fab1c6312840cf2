"""A golden page as a JSON file: a line for each word, a line for each row of its tables."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexes.layout.grid import Grid, GridCell
from indexes.layout.page_layout import page_blocks
from indexes.layout.words import Word

COVERED = "<"  # in a column that the cell to its left reaches over

Table = list[str]


@dataclass(frozen=True)
class GoldenPage:
    """A page's words, upright, and its tables from top to bottom as printed rows; `page` counts from 1."""

    sha1: str
    page: int
    words: tuple[Word, ...]
    tables: list[Table]


def tables_of(words: Sequence[Word]) -> list[Table]:
    """The tables that the geometry finds among a page's words, in the form that golden pages keep."""
    return [_printed(block.grid) for block in page_blocks(words) if block.grid is not None]


def _printed(grid: Grid) -> Table:
    """Each row as `its cells' roles: cell | cell | cell`."""
    rows: list[list[GridCell]] = [[] for _ in range(grid.row_count)]
    for cell in grid.cells:
        rows[cell.row].append(cell)
    return [_printed_row(row, grid.column_count) for row in rows]


def _printed_row(cells: Sequence[GridCell], column_count: int) -> str:
    texts = [""] * column_count
    for cell in cells:
        texts[cell.column : cell.column + cell.column_span] = [cell.text, *[COVERED] * (cell.column_span - 1)]
    roles = " and ".join(dict.fromkeys(cell.role for cell in cells))
    return f"{roles}: {' | '.join(texts)}"


def read(path: Path) -> GoldenPage:
    """The golden page in a file."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    words = tuple(
        Word(text, left, top, right, bottom, stored["fonts"][font])
        for text, left, top, right, bottom, font in stored["words"]
    )
    return GoldenPage(stored["source"]["sha1"], stored["source"]["page"], words, stored["tables"])


def write(path: Path, golden: GoldenPage) -> None:
    """The file of a golden page; fonts are named once and numbered from 0."""
    fonts = list(dict.fromkeys(word.font for word in golden.words))
    words = [[w.text, w.left, w.top, w.right, w.bottom, fonts.index(w.font)] for w in golden.words]
    tables = ",\n".join(f"  [\n{_lines(table, 3)}\n  ]" for table in golden.tables)
    parts = [
        f' "source": {_json({"sha1": golden.sha1, "page": golden.page})}',
        f' "tables": [\n{tables}\n ]',
        f' "fonts": {_json(fonts)}',
        f' "words": [\n{_lines(words, 2)}\n ]',
    ]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _lines(items: Sequence[Any], indent: int) -> str:
    return ",\n".join(" " * indent + _json(item) for item in items)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

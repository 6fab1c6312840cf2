"""Finds where a figure is printed on a page, and what its table says about it."""

import re
from collections.abc import Iterator
from decimal import Decimal

from storage.amounts import DecimalMark, parse_figure
from storage.lexicon.money import PER_SHARE, PERCENT
from storage.records.pages import Cell, Column, Page, Table
from storage.text import plain

_UNSCALED = re.compile(
    rf"{PER_SHARE}|{PERCENT}|\bratios?\b|\bmargins?\b|earnings per|number of|shares outstanding",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[(\[]?[-−–△▲]?\s?[$€£¥]?\s?\d[\d,.'’]*(?:\s?[)\]])?")
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?:,\d+)?(?![\d.,])")
_DASH_APART = re.compile(r"^[-−–]\s+")


def stands_on(figure: Decimal, page: Page) -> bool:
    """Whether the page prints this figure, in a table or in its text, brackets or minus included.

    A bracket that belongs to the words around it ("($0.34 per share)") is not a minus.
    """
    if any(True for _ in cells_with(figure, page)):
        return True
    return figure in figures_in(" ".join(block.text for block in page.blocks), page.decimal_mark)


def figure_on(text: str, page: Page) -> Decimal | None:
    """The value of a figure on this page, read in the number format of its table, else of the page's text."""
    printed = plain(text).strip()
    marks = (t.decimal_mark for t in page.tables for c in t.cells if c.text and plain(c.text) == printed)
    return parse_figure(text, next(marks, page.decimal_mark))


def figures_in(text: str, mark: DecimalMark = ".") -> set[Decimal]:
    """Every figure in a text. A dash with spaces around it may be a minus or an empty cell; both are read.

    With a decimal comma, groups of digits separated by spaces are also read as one figure.
    """
    bare = plain(text).replace("|", " ")
    found = [_balanced(figure.rstrip(".,'’")) for figure in _FIGURE.findall(bare)]
    found += _SPACED.findall(bare) if mark == "," else []
    tried = (parse_figure(form, mark) for figure in found for form in (figure, _DASH_APART.sub("", figure)))
    return {figure for figure in tried if figure is not None}


def cells_with(figure: Decimal, page: Page) -> Iterator[tuple[Table, Cell]]:
    """The table cells that print the figure, top to bottom."""
    for table in page.tables:
        for cell in table.cells:
            if cell.role == "value" and parse_figure(cell.text, table.decimal_mark) == figure:
                yield table, cell


def column_of(table: Table, cell: Cell) -> Column:
    """The table's information about the cell's column."""
    return table.columns[cell.column] if cell.column < len(table.columns) else Column()


def row_label(table: Table, row: int) -> str:
    """The label at the left of a row."""
    return " ".join(c.text for c in table.cells if c.row == row and c.role in ("row_label", "section"))


def _balanced(figure: str) -> str:
    return figure if figure[:1] not in "([" or figure[-1:] in ")]" else figure[1:]


def is_unscaled(label: str) -> bool:
    """Whether a row's figures are per share, percentages or counts, to which a table's scale does not apply."""
    return _UNSCALED.search(label) is not None

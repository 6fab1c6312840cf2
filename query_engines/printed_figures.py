"""Where a figure is printed on a page, and what its table says of it."""

import re
from collections.abc import Iterator
from decimal import Decimal

from storage.amounts import parse_figure
from storage.pages import Cell, Column, Page, Table
from storage.text import plain

_UNSCALED = re.compile(
    r"per (?:\w+ )?(?:share|unit|ads)|\beps\b|%|percent|\bratios?\b|\bmargins?\b|earnings per|number of|"
    r"shares outstanding",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[(\[]?[-−–]?\s?[$€£¥]?\s?\d[\d,.'’]*(?:\s?[)\]])?")

_DASH_APART = re.compile(r"^[-−–]\s+")


def stands_on(figure: Decimal, page: Page) -> bool:
    """Whether the page prints this figure, in a table or in its text, brackets or minus included.

    A bracket that belongs to the words around it ("($0.34 per share)") is no minus.
    """
    if any(True for _ in cells_with(figure, page)):
        return True
    return figure in figures_in(" ".join(block.text for block in page.blocks))


def figures_in(text: str) -> set[Decimal]:
    """Every figure that a text prints. A dash with space around it may be a minus or an empty place: both are read."""
    found = [_balanced(figure.rstrip(".,'’")) for figure in _FIGURE.findall(plain(text).replace("|", " "))]
    tried = (parse_figure(form) for figure in found for form in (figure, _DASH_APART.sub("", figure)))
    return {figure for figure in tried if figure is not None}


def cells_with(figure: Decimal, page: Page) -> Iterator[tuple[Table, Cell]]:
    """The table cells that print the figure, top to bottom."""
    for table in page.tables:
        for cell in table.cells:
            if cell.role == "value" and parse_figure(cell.text) == figure:
                yield table, cell


def column_of(table: Table, cell: Cell) -> Column:
    """What the table says of the cell's column."""
    return table.columns[cell.column] if cell.column < len(table.columns) else Column()


def row_label(table: Table, row: int) -> str:
    """The words at the left of a row."""
    return " ".join(c.text for c in table.cells if c.row == row and c.role in ("row_label", "section"))


def _balanced(figure: str) -> str:
    return figure if figure[:1] not in "([" or figure[-1:] in ")]" else figure[1:]


def is_unscaled(label: str) -> bool:
    """Whether a row's figures are per share, percentages or counts, which a table's scale does not touch."""
    return _UNSCALED.search(label) is not None

"""Turns a table's HTML into a grid of cells. Headers are found by their words, since MinerU does not mark them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from indexes.enrichment.units import unit_of_line
from indexes.layout.figures import is_figure, is_reference, is_value, is_year, names_period
from indexes.text_quality import cleaned
from storage.records.pages import Cell, CellRole, Table

_WIDEST = 200  # columns, and cells of a span: a wrong number in the HTML must not fill the memory
_REMARK_WORDS = 12
_LETTERS = 3  # letters of a text that names a row; a shorter one is a note's number or a footnote mark


@dataclass
class HtmlCell:
    """One cell as it is in the HTML."""

    text: str = ""
    row_span: int = 1
    column_span: int = 1
    is_head: bool = False


@dataclass
class _Rows(HTMLParser):
    """Collects rows of cells. Of tags inside a cell only the text is taken; a line break becomes a space."""

    found: list[list[HtmlCell]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: HtmlCell | None = None
        self._in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._open = None
            self.found.append([])
        elif tag in ("td", "th"):
            given = dict(attrs)
            spans = _span(given.get("rowspan")), _span(given.get("colspan"))
            self._open = HtmlCell("", *spans, is_head=tag == "th" or self._in_head)
            if not self.found:
                self.found.append([])
            self.found[-1].append(self._open)
        elif tag == "thead":
            self._in_head = True
        elif tag in ("br", "p", "div", "li"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._open = None
        elif tag == "thead":
            self._in_head = False

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open.text += data


def rows_of_html(html: str) -> list[list[HtmlCell]]:
    """The rows as they are in the HTML, with cleaned texts and without empty rows."""
    parser = _Rows()
    parser.feed(html)
    parser.close()
    for row in parser.found:
        for cell in row:
            cell.text = cleaned(cell.text)
    return [row for row in parser.found if row]


def table_of_rows(rows: Sequence[Sequence[HtmlCell]]) -> Table | None:
    """A table with the roles of its cells; None where all cells are empty, or spans overlap."""
    placed = list(_placed(rows))
    if not any(cell.text for cell in placed):
        return None
    columns = max(cell.column + cell.column_span for cell in placed)
    if columns > _WIDEST:
        return None
    count = len(rows)
    fitted = (c.model_copy(update={"row_span": min(c.row_span, count - c.row)}) for c in placed if c.text)
    return with_roles(Table(row_count=count, column_count=columns, cells=tuple(fitted)))


def with_roles(table: Table) -> Table:
    """The table with the roles of column headers, sections and row labels, which are found by the words of the rows.

    Rows above the first figure are column headers, except those with text only in the label column. A year or a date
    is not a figure there. In a table without figures, only cells marked in the HTML are headers.
    """
    rows: list[list[Cell]] = [[] for _ in range(table.row_count)]
    for cell in table.cells:
        rows[cell.row].append(cell)
    top = _header_rows(rows, table.column_count)
    cells = [
        cell.model_copy(update={"role": _role(cell, row, is_head=index < top)})
        for index, row in enumerate(rows)
        for cell in row
    ]
    return table.model_copy(update={"cells": tuple(cells)})


def _placed(rows: Sequence[Sequence[HtmlCell]]) -> Iterator[Cell]:
    taken: set[tuple[int, int]] = set()
    for index, row in enumerate(rows):
        column = 0
        for cell in row:
            while (index, column) in taken:
                column += 1
            if column + cell.column_span > _WIDEST:
                break
            reach = range(index, min(index + cell.row_span, len(rows)))
            taken.update((r, c) for r in reach for c in range(column, column + cell.column_span))
            yield Cell(
                row=index,
                column=column,
                row_span=cell.row_span,
                column_span=cell.column_span,
                text=cell.text,
                role="column_header" if cell.is_head else "value",
            )
            column += cell.column_span


def _header_rows(rows: Sequence[Sequence[Cell]], columns: int) -> int:
    marked = 0
    while marked < len(rows) and rows[marked] and all(c.role == "column_header" for c in rows[marked]):
        marked += 1
    body = next((i for i, row in enumerate(rows) if _has_figures(row)), None)
    if body is None or body < marked:
        return marked
    top = body
    while top > marked and _says_nothing_of_columns(rows[top - 1], columns, is_first=top == 1):
        top -= 1
    return top


def _has_figures(row: Sequence[Cell]) -> bool:
    beyond = [c for c in row if c.column > 0]
    figures = [c for c in beyond if is_value(c.text) and not is_year(c.text)]
    if any(not is_reference(c.text) or len(c.text) > 2 for c in figures):
        return True
    # "1" and "2" alone may number the columns; beside a label they are figures.
    return bool(figures) and any(c.column == 0 and c.text and not names_period(c.text) for c in row)


def _says_nothing_of_columns(row: Sequence[Cell], columns: int, *, is_first: bool) -> bool:
    """Whether it is a heading of the rows below, such as "Current assets", and not a unit or period of all columns."""
    if any(c.column > 0 for c in row):
        return False
    if not row:
        return True
    text = row[0].text
    is_over_all = row[0].column_span >= columns > 1
    if unit_of_line(text) is not None or (names_period(text) and len(text.split()) <= _REMARK_WORDS):
        return False
    return not (is_over_all and is_first)


def _role(cell: Cell, row: Sequence[Cell], *, is_head: bool) -> CellRole:
    if is_head:
        return "column_header"
    if len(row) == 1 and cell.column == 0:
        return "section" if not is_figure(cell.text) else "value"
    if cell.column == 0:
        return "row_label" if not is_value(cell.text) or is_year(cell.text) else "value"
    left = all(not is_value(c.text) for c in row if c.column <= cell.column)
    figures = any(is_value(c.text) for c in row if c.column > cell.column)
    letters = sum(c.isalpha() for c in cell.text)
    return "row_label" if left and figures and letters >= _LETTERS else "value"


def _span(value: str | None) -> int:
    try:
        return min(max(int(value or 1), 1), _WIDEST)
    except ValueError:
        return 1

"""The printed rows of a page, from tables and plain lines: label, heading above, figures by column."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from storage.amounts import DecimalMark, parse_figure
from storage.lexicon.money import MINOR_SIGN, MINOR_UNIT
from storage.lexicon.words import expression
from storage.records.pages import Block, Cell, Table
from storage.records.record import Box
from storage.text import plain

_NIL = expression(r"^[$€£¥(\s]*(?:-{1,3}|nil)[\s)%]*$", re.IGNORECASE)
_TAIL = expression(r"(?<=[\d)])\s*(?:\([a-z\d]{1,2}\)|[*†‡]+|(?:pence|cents|p|c)\b\.?\)?)$", re.IGNORECASE)
_TOKEN = r"[(\[]?-?[A-Z]{0,3}[$€£¥]?\s?\(?\d[\d,.']*\)?%?p?\)?"
_MOST_FIGURES = 30  # of one line; single spaces part them, since the line is in its plain form
_LINE = expression(
    rf"^(?P<label>\D.*?)\s(?P<figures>(?>{_TOKEN}|-)(?:\s(?>{_TOKEN}|-)){{0,{_MOST_FIGURES - 1}}})$"
)
_SUMMED_UP = expression(r"^(?:total|net cash|sub-?total)\b", re.IGNORECASE)
_TOTAL_OF = expression(
    r"^total (?P<name>(?:non-?|long-term )?current (?:assets|liabilities)|long-term liabilities)$", re.IGNORECASE
)
_GOES_ON = expression(r"(?:\b(?:of|and|in|the|by|from|for|to|on|operating|with|per|or)|,)$", re.IGNORECASE)
_PENCE = expression(rf"\b{MINOR_UNIT}\b|\(p\)|\(c\)|{MINOR_SIGN}|\bp$|(?<=\d)[pc]\)?$", re.IGNORECASE)
_SIDE = expression(
    r"^(?:assets|liabilities(?: and .*)?|equity(?: and .*)?|revenues?|income|expenses|(?:\S+ )?(?:personnel|employees"
    r"|staff|headcount))$",
    re.IGNORECASE,
)
_SPACED_GROUPS = expression(r"\(\d{1,3}(?: \d{3})+[.,\d]*\)|(?<![\d.,])\d{1,2} \d{3} \d{3}(?![\d.,])")
_MAY_BE_SPACED = expression(r"\d \d{3}(?!\d)")
MOST_LABEL = 300
_LETTERS = expression(r"[^\W\d_]")
_FEWEST_LETTERS, _FEWEST_LABELS = 4, 3  # of a label; in a column
_TOTALS = ("Total assets", "Total equity and liabilities")


@dataclass(frozen=True)
class Figure:
    """One figure of a row; the value of a dash is None."""

    column: int
    value: Decimal | None
    printed: str
    box: Box | None = None


@dataclass(frozen=True)
class PrintedRow:
    """One row.

    Attributes:
        row: its position in the table; rows read from plain lines are numbered after those of the table.
        label: its words, with wrapped lines joined.
        heading: the headings above it that apply to it.
        figures: left to right.
        in_cents: whether its label or heading says that figures are in pence or cents.
    """

    page_number: int
    row: int
    label: str
    heading: str = ""
    figures: tuple[Figure, ...] = ()
    in_cents: bool = False

    def at(self, column: int) -> Figure | None:
        """Its figure in a column."""
        return next((f for f in self.figures if f.column == column), None)

    @property
    def words(self) -> str:
        """The label, with the heading where the label alone is too general."""
        return self.label if len(self.label.split()) > 2 or not self.heading else f"{self.heading} {self.label}"


def table_rows(table: Table, page_number: int) -> list[PrintedRow]:
    """The rows below the table's header, each with the headings that apply to it."""
    sides = _sides(table)
    found: list[list[PrintedRow]] = []
    for first, behind in zip(sides, [*sides[1:], table.column_count], strict=True):
        by_row: dict[int, list[Cell]] = {}
        for cell in table.cells:
            if first <= cell.column < behind:
                by_row.setdefault(cell.row, []).append(cell)
        rows = (sorted(by_row[r], key=lambda c: c.column) for r in sorted(by_row))
        read = [_plain_row(cells, page_number, table.decimal_mark, first) for cells in rows]
        found.append([row for row in read if row is not None])
    if found[0] and table.begun_label:
        found[0][0] = replace(found[0][0], label=f"{table.begun_label} {found[0][0].label}"[:MOST_LABEL])
    above = _side(table)
    return [
        row
        for n, side in enumerate(sides_of_balance(*found) or found)
        for row in _under_totals(list(_with_headings(side, () if n else above)))
    ]


def _sides(table: Table) -> list[int]:
    """The columns of labels: the first, and those further right of a table that has two beside each other.

    So German accounts print assets and liabilities on one line, and a table may run into the text beside it.
    """
    words, figures = Counter[int](), Counter[int]()
    for cell in table.cells:
        if cell.role == "value" and cell.text.strip():
            is_number = is_nil(cell.text) or figure_of(cell.text, table.decimal_mark) is not None
            figures[cell.column] += is_number
            words[cell.column] += not is_number and len(_LETTERS.findall(cell.text)) >= _FEWEST_LETTERS
    labels = (c for c, count in sorted(words.items()) if count >= _FEWEST_LABELS and count > figures[c])
    return [0, *(c for c in labels if max(figures[left] for left in range(c)) >= _FEWEST_LABELS)]


def sides_of_balance(*sides: Sequence[PrintedRow]) -> tuple[tuple[PrintedRow, ...], ...]:
    """The two sides of a balance sheet, which end with the same figures; these totals get their names.

    Empty where they are no such sides.
    """
    last = [side[-1] for side in sides if len(side) > _FEWEST_LABELS]
    if len(last) != len(_TOTALS) or len({row.label for row in last}) > 1 or not last[0].figures:
        return ()
    assets, liabilities = ([figure.value for figure in row.figures] for row in last)
    if assets != liabilities:
        return ()
    printed = f" ({last[0].label})" if last[0].label else ""
    return tuple(
        (*side[:-1], replace(side[-1], label=f"{name}{printed}"))
        for side, name in zip(sides, _TOTALS, strict=True)
    )


def line_rows(blocks: Sequence[Block], page_number: int, mark: DecimalMark = ".") -> list[PrintedRow]:
    """Rows from printed lines outside tables: words, then figures. The last figure is in column -1."""
    lines = [line.text for block in blocks for line in (block.lines or ())] or [
        line for block in blocks for line in block.text.splitlines()
    ]
    rows = [_line_row(text, place, page_number, mark) for place, text in enumerate(lines)]
    if any(map(_SPACED_GROUPS.search, lines)):  # a space may part two figures, or two groups of one
        rows = [
            replace(row, figures=()) if row.figures and _MAY_BE_SPACED.search(lines[row.row]) else row
            for row in rows
        ]
    return list(_with_headings(rows))


def figure_of(text: str, mark: DecimalMark = ".") -> Decimal | None:
    """The number in a cell, without a footnote mark and a unit after it."""
    bare = plain(text)
    value = parse_figure(bare, mark)
    while value is None and _TAIL.search(bare):
        bare = _TAIL.sub("", bare)
        bare += ")" if bare.count("(") > bare.count(")") else ""
        value = parse_figure(bare, mark)
    return value


def is_nil(text: str) -> bool:
    """Whether a cell is a dash or "nil"."""
    return _NIL.match(plain(text)) is not None


def _under_totals(rows: Sequence[PrintedRow]) -> list[PrintedRow]:
    """Give rows without a heading the name of the total below them, such as "Total non-current liabilities"."""
    closed: list[PrintedRow] = []
    total = ""
    for row in reversed(rows):
        if match := _TOTAL_OF.match(row.label):
            total = match["name"]
        elif not row.heading and not _SUMMED_UP.match(row.label):
            row = replace(row, heading=total)
        elif row.heading:
            total = ""
        closed.append(row)
    return closed[::-1]


def _plain_row(cells: list[Cell], page_number: int, mark: DecimalMark, first: int) -> PrintedRow | None:
    if any(c.role == "column_header" for c in cells):
        return None
    is_label = [c.role in ("row_label", "section") or (first > 0 and c.column == first) for c in cells]
    label = " ".join(c.text for c, own in zip(cells, is_label, strict=True) if own).strip()
    figures, units = [], []
    for cell, own in zip(cells, is_label, strict=True):
        if own or cell.role != "value" or not cell.text.strip():
            continue
        value = figure_of(cell.text, mark)
        if value is not None or is_nil(cell.text):
            figures.append(Figure(cell.column, value, cell.text.strip(), cell.box))
        else:
            units.append(cell.text)
    words = " ".join([label, *units])
    in_cents = _PENCE.search(plain(words)) is not None or any(_PENCE.search(f.printed) for f in figures)
    return PrintedRow(page_number, cells[0].row, label[:MOST_LABEL], "", tuple(figures), in_cents)


def _line_row(text: str, place: int, page_number: int, mark: DecimalMark) -> PrintedRow:
    match = _LINE.match(plain(text))
    if match is None:
        return PrintedRow(page_number, place, plain(text)[:MOST_LABEL])
    tokens = re.findall(rf"{_TOKEN}|-", match["figures"])
    figures = tuple(Figure(i - len(tokens), figure_of(token, mark), token) for i, token in enumerate(tokens))
    return PrintedRow(
        page_number, place, match["label"][:MOST_LABEL], "", figures, bool(_PENCE.search(match["label"]))
    )


def _side(table: Table) -> list[str]:
    """The header of the label column, which applies to all rows, such as "Assets" over one side of a balance sheet."""
    if not table.columns or any(c.role == "value" and c.column == 0 for c in table.cells):
        return []
    pieces = [plain(piece) for piece in re.split(r"[|(]", table.columns[0].header)]
    return [piece for piece in pieces if _SIDE.match(piece)][:1]


def _with_headings(rows: Sequence[PrintedRow], above: Sequence[str] = ()) -> Iterator[PrintedRow]:
    """Each row with figures, with the heading rows above it. A total ends the section of its heading."""
    headings = list(above)
    cents = fresh = False
    for row in rows:
        if not row.figures:
            headings = [*headings[-1:], row.label] if fresh else [row.label]
            cents, fresh = row.in_cents, True
            continue
        label = row.label
        if fresh and label and (label[0].islower() or _GOES_ON.search(headings[-1])):
            label = f"{headings[-1]} {label}"[:MOST_LABEL]
            headings = headings[:-1]
        in_cents = row.in_cents or (cents and row.label[:5].lower() != "total")
        yield replace(row, label=label, heading=" > ".join(headings), in_cents=in_cents)
        fresh = False
        if _SUMMED_UP.match(row.label) and not re.search(r"\bper\b", row.label):
            headings, cents = [], False

"""A table's title, unit, and what holds for each of its columns: read from what is printed, never guessed.

Looked at in this order: the column's own header, the table's header, the lines above it, the top of the page.
"""

import re
from collections.abc import Iterable, Sequence

from indexes.printed_periods import PrintedTime, period_of, printed_time
from indexes.printed_units import Unit, printed_currency, printed_scale, unit_of_line
from storage.pages import Block, Cell, Column, Page, Table

_STATEMENT = re.compile(
    r"(?i)\b(?:balance sheets?|(?:income|profit and loss|cash ?flows?) (?:statements?|accounts?)"
    r"|statements? of (?:consolidated )?(?:\w+ )?(?:operations|income|earnings|cash ?flows?|(?:financial )?condition"
    r"|financial position|profit|comprehensive|changes in|equity|stockholders|shareholders|loss|activities|net assets))"
)
_ABOVE_LINES = 8
_TOP_LINES = 8
_YEAR_LINES = 3
_LONG_BLOCK_WORDS = 28
_TITLE_WORDS = 16
_NOTE_HEADER = re.compile(r"(?i)^notes?(?:\(s\))?\.?$|^ref(?:erence)?\.?$")
_NO_PERIOD = re.compile(r"(?i)\b(?:change|variance|var|increase|decrease|growth|vs\.?|versus)\b|△|Δ|\+/-")
_NO_MONEY = re.compile(r"(?i)%|\bper ?cent|\bnumber\b|\bshares\b(?! capital)|\bno\.|\bprice\b|\bper \w+\b")
_PENCE = re.compile(r"(?i)\b(?:pence|cents?|p)\b")
_TABLE_NOTE = re.compile(
    r"^\(?\d{1,2}(?:\.\d{1,2})?\)?(?:\(?[a-z]\)?)?(?:\s?[,&;]\s?\(?\d{1,2}(?:\.\d{1,2})?\)?(?:\(?[a-z]\)?)?)*$"
)


def page_in_context(page: Page) -> Page:
    """The page with every table's title, unit and columns filled from what is printed on it."""
    top = [line for block in page.blocks if block.table is None for line in _said(block)][:_TOP_LINES]
    above: list[str] = []
    blocks: list[Block] = []
    for block in page.blocks:
        if block.table is None:
            above += _said(block) if block.kind != "furniture" else []
            blocks.append(block)
            continue
        table = in_context(block.table, above[-_ABOVE_LINES:], top)
        blocks.append(block.model_copy(update={"table": table}))
        above = []
    return page.model_copy(update={"blocks": tuple(blocks)})


def in_context(table: Table, above: Sequence[str], top: Sequence[str] = ()) -> Table:
    """The table with title, unit and columns filled.

    Args:
        table: its cells with their roles.
        above: the lines between it and the table before it, in reading order.
        top: the first lines of its page.
    """
    table = with_note_roles(table)
    headers = [_header(table, i) for i in range(table.column_count)]
    near = [*reversed(above), *reversed(top)]
    unit = _unit([*_shared_headers(table), *_sections(table), *near])
    times = _column_times(headers, [line for line in near if _is_brief(line)], _brief(reversed(above)))
    columns = tuple(_column(table, i, headers[i], times[i], unit) for i in range(table.column_count))
    words = unit.words or next((u.words for c in table.cells if (u := _header_unit(c))), "")
    return table.model_copy(update={"title": _title(above, top), "unit": words, "columns": columns})


def with_note_roles(table: Table) -> Table:
    """Values that refer to notes, by their column's header, given the role "note"."""
    noted = {i for i in range(1, table.column_count) if _is_note_column(table, i)}
    if not noted:
        return table
    cells = tuple(
        cell.model_copy(update={"role": "note"}) if cell.role == "value" and cell.column in noted else cell
        for cell in table.cells
    )
    return table.model_copy(update={"cells": cells})


def _is_note_column(table: Table, column: int) -> bool:
    heads = [c.text for c in _over(table, column)]
    values = [c.text for c in table.cells if c.column == column and c.role == "value"]
    if not values or not all(_TABLE_NOTE.match(v) or not re.search(r"\d", v) for v in values):
        return False
    return any(_NOTE_HEADER.match(h.strip()) for h in heads)


def _over(table: Table, column: int) -> list[Cell]:
    return [c for c in table.cells if c.role == "column_header" and c.column <= column < c.column + c.column_span]


def _header(table: Table, column: int) -> str:
    """The column's header cells, those that span it included, from top to bottom."""
    return " ".join(c.text for c in sorted(_over(table, column), key=lambda c: c.row))


def _shared_headers(table: Table) -> list[str]:
    """Header cells that speak for several columns: those over the labels, and those that span."""
    return [c.text for c in table.cells if c.role == "column_header" and (c.column == 0 or c.column_span > 1)]


def _header_unit(cell: Cell) -> Unit | None:
    return unit_of_line(cell.text) if cell.role == "column_header" else None


def _sections(table: Table) -> list[str]:
    return [c.text for c in table.cells if c.role == "section" and c.row <= table.header_row_count + 1]


def _lines(block: Block) -> list[str]:
    return [line.text for line in block.lines] or block.text.splitlines()


def _said(block: Block) -> list[str]:
    """A short block's lines; of a paragraph its end, which may announce the table."""
    if len(block.text.split()) <= _LONG_BLOCK_WORDS:
        return _lines(block)
    return [" ".join(block.text.split()[-_LONG_BLOCK_WORDS:])]


def _title(above: Sequence[str], top: Sequence[str]) -> str:
    """The nearest line that names a statement, or else the nearest short line that is not about units or time."""
    for line in [*reversed(above), *top]:
        if _STATEMENT.search(line) and _is_short(line):
            return line
    for line in reversed(above):
        if not _is_short(line):
            continue
        time = printed_time(line)
        if unit_of_line(line) is None and not (time.says_something and len(line.split()) < 8):
            return line
    return ""


def _is_short(line: str) -> bool:
    return 0 < len(line.split()) <= _TITLE_WORDS and not line.rstrip().endswith((".", ";", ","))


def _unit(texts: Iterable[str]) -> Unit:
    """The first printed unit, its missing half from the next line that has it."""
    found = [unit for text in texts if (unit := unit_of_line(text))]
    if not found:
        return Unit()
    scale = next((u.scale for u in found if u.scale), None)
    currency = next((u.currency for u in found if u.currency), None)
    words = next((u.words for u in found if u.scale == scale or u.currency == currency), "")
    return Unit(scale, currency, words)


def _column_times(headers: Sequence[str], near: Sequence[str], above: Sequence[str]) -> list[PrintedTime]:
    """The time of each column: its year from its own header, day and length also from the words around.

    Where no header names a year, the nearest line above that names one speaks for all columns.
    """
    around = [printed_time(text) for text in (headers[0], *near)]
    dated = next((t for t in around if t.month and t.months is not None), PrintedTime())
    months = next((t.months for t in around if t.months is not None), None)
    context = PrintedTime(None, dated.month, dated.day, months)
    own = [printed_time(h) if not _NO_PERIOD.search(h) else PrintedTime() for h in headers]
    if not any(t.says_something for t in own[1:]):
        shared = next((t for t in map(printed_time, (headers[0], *above)) if t.year), PrintedTime())
        own = [PrintedTime() if _NO_PERIOD.search(h) else shared for h in headers]
    return [t.completed(context) for t in own]


def _brief(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if _is_brief(line)][:_YEAR_LINES]


def _is_brief(line: str) -> bool:
    return len(line.split()) <= _TITLE_WORDS


def _column(table: Table, index: int, header: str, time: PrintedTime, unit: Unit) -> Column:
    if index == 0 or _is_note_column(table, index):
        return Column(header=header)
    scale, currency = _column_unit(table, index, header, unit)
    return Column(header=header, period=period_of(time, header), currency=currency, scale=scale)


def _column_unit(table: Table, index: int, header: str, unit: Unit) -> tuple[int | None, str | None]:
    if _NO_MONEY.search(header) and printed_currency(header) is None:
        return printed_scale(header), None
    currency = printed_currency(header) or unit.currency or _currency_of_values(table, index)
    if _PENCE.search(header) and printed_scale(header) is None:
        return None, currency
    return printed_scale(header) or unit.scale, currency


def _currency_of_values(table: Table, index: int) -> str | None:
    texts = " ".join(c.text for c in table.cells if c.column == index and c.role == "value")
    return printed_currency(texts)

"""What a model writes about a report's tables: requested once, cached, and checked against the table's figures.

These texts only help to find pages. Answers are read and quoted from the page's own text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Protocol

from storage.lexicon.words import expression
from storage.records.answers import Usage
from storage.records.pages import Block, Cell, Page, Table, TableInContext, TableText
from storage.records.record import Record
from storage.records.reports import Report
from storage.stores.caches import TableTextCache

_ROWS = 40  # below the header, for one request: a longer reply would be cut off and lose figures
_BEFORE, _AFTER = 900, 500  # characters of the page around a table
_FIGURE = expression(r"\d[\d.,']*")
_SCALES = {"1000", "1000000", "1000000000"}
_SHORT = 1  # digits: "3 months", "note 4"
OnDone = Callable[[int, int], None]


class TableWriter(Protocol):
    """Writes tables out; see `LlmTableWriter`.

    Attributes:
        identity: of model and prompt; part of the cache key.
    """

    identity: str

    def write(
        self,
        tables: Sequence[TableInContext],
        on_written: Callable[[int, tuple[TableText, ...]], None],
        on_failure: Callable[[int, str], None],
    ) -> Usage:
        """Report the texts of each table, or why there are none."""
        ...


class WrittenTables(Record):
    """The result for a report's tables, or for the parts of long tables.

    Attributes:
        written: how many were written this time.
        reused: how many come from an earlier ingestion.
        failures: for each that failed, its place and the reason.
    """

    written: int = 0
    reused: int = 0
    failures: tuple[str, ...] = ()
    usage: Usage = Usage()


@dataclass
class _Count:
    written: int = 0
    failures: list[str] = field(default_factory=list)


class TableTexts:
    """Has a report's tables written out, and returns the texts."""

    def __init__(self, writer: TableWriter, cache: TableTextCache) -> None:
        self._writer = writer
        self._cache = cache

    def write(self, pages: Sequence[Page], report: Report, on_done: OnDone | None = None) -> WrittenTables:
        """Have every table of a report written out that has no texts yet.

        Raises:
            SetupError, UsageError: the model cannot be used.
        """
        wanted = {
            table.key(self._writer.identity): (page.page_number, table)
            for page in pages
            for table in tables_in_context(page, report)
        }
        known = self._cache.get(list(wanted))
        missing = [(key, *wanted[key]) for key in wanted if key not in known]
        count = _Count()

        def advance() -> None:
            if on_done:
                on_done(len(known) + count.written + len(count.failures), len(wanted))

        def on_written(place: int, texts: tuple[TableText, ...]) -> None:
            key, _, table = missing[place]
            faithful_texts = faithful(texts, table)
            if not faithful_texts:
                on_failure(place, "what was written has figures that the table has not, or says nothing")
                return
            self._cache.put(key, faithful_texts)
            count.written += 1
            advance()

        def on_failure(place: int, why: str) -> None:
            _, page_number, table = missing[place]
            count.failures.append(f"page {page_number}, {table.title or 'a table'}: {why}")
            advance()

        usage = Usage()
        if missing:
            advance()
            usage = self._writer.write([table for _, _, table in missing], on_written, on_failure)
        failures = tuple(count.failures)
        return WrittenTables(written=count.written, reused=len(known), failures=failures, usage=usage)

    def of(self, page: Page, report: Report) -> list[TableText]:
        """The texts of a page's tables, in their order."""
        keys = [table.key(self._writer.identity) for table in tables_in_context(page, report)]
        known = self._cache.get(keys) if keys else {}
        return [text for key in keys for text in known.get(key, ())]


def tables_in_context(page: Page, report: Report) -> Iterator[TableInContext]:
    """The page's tables as input for a model; a long table in parts, each with the header."""
    for place, block in enumerate(page.blocks):
        if block.table is None or block.table.row_count < 2 or block.table.column_count < 2:
            continue
        for part in _parts(block.table):
            yield TableInContext(
                company=report.company,
                period_end=report.period_end,
                currency=report.currency,
                section=" > ".join(page.section),
                title=part.title,
                unit=part.unit,
                before=_text(reversed(page.blocks[:place]), _BEFORE, is_before=True),
                html=_headed(part).html(),
                after=_text(page.blocks[place + 1 :], _AFTER, is_before=False),
            )


def faithful(texts: Sequence[TableText], table: TableInContext) -> tuple[TableText, ...]:
    """Only the texts whose figures are all in the table or around it, so that no text leads to a wrong page."""
    cells = unescape(re.sub(r"<[^<>]*>", " ", table.html))
    end = table.period_end.isoformat().replace("-", " ") if table.period_end else ""
    shown = " ".join(
        [cells, table.title, table.unit, table.before, table.after, table.section, table.company, end]
    )
    known = _figures(shown) | _SCALES
    return tuple(text for text in texts if _figures(text.text) <= known)


def _figures(text: str) -> set[str]:
    """Figures with more than one digit, without group separators."""
    found = (re.sub(r"\D", "", match) for match in _FIGURE.findall(text))
    return {digits for digits in found if len(digits) > _SHORT}


def _headed(table: Table) -> Table:
    """The table; if it continues from another page, with the column headers of that page."""
    if table.header_row_count or not any(column.header for column in table.columns):
        return table
    heads = [
        Cell(row=0, column=i, text=column.header, role="column_header")
        for i, column in enumerate(table.columns)
        if column.header
    ]
    moved = [cell.model_copy(update={"row": cell.row + 1}) for cell in table.cells]
    return table.model_copy(update={"row_count": table.row_count + 1, "cells": (*heads, *moved)})


def _parts(table: Table) -> Iterator[Table]:
    top = table.header_row_count
    if table.row_count - top <= _ROWS:
        yield table
        return
    for start in range(top, table.row_count, _ROWS):
        end = min(start + _ROWS, table.row_count)
        head = [cell for cell in table.cells if cell.row < top]
        body = [
            cell.model_copy(update={"row": cell.row - start + top, "row_span": min(cell.row_span, end - cell.row)})
            for cell in table.cells
            if start <= cell.row < end
        ]
        yield table.model_copy(update={"row_count": top + end - start, "cells": (*head, *body)})


def _text(blocks: Iterator[Block] | Sequence[Block], most: int, *, is_before: bool) -> str:
    """The nearest text of the page, as far as the next table."""
    found: list[str] = []
    for block in blocks:
        if block.table is not None:
            break
        if block.kind != "furniture" and block.text.strip():
            found.append(block.markdown())
        if sum(map(len, found)) >= most:
            break
    text = "\n\n".join(reversed(found) if is_before else found)
    return text[-most:] if is_before else text[:most]

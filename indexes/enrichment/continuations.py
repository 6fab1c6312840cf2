"""Adds to each page what only the whole report shows, last the tables and paragraphs that continue on the next page."""

from collections.abc import Callable, Sequence

from indexes.enrichment.headers_footers import mark_headers_footers
from indexes.enrichment.number_formats import with_number_formats
from indexes.enrichment.periods import PrintedTime, YearNames
from indexes.enrichment.sections import with_heading_levels
from indexes.enrichment.table_context import with_table_context, year_end
from storage.lexicon.words import expression
from storage.records.pages import Block, Page, Table

_SAME_EDGE_POINTS = 12.0
_FEW_LINES, _SHORT = 3, 8  # lines; words of a line
_CONTINUED = expression(r"(?i)\bcont(?:inued|['’]?d|\.)|\bfortsetzung\b|\bsuite\b")
_BEGINS = expression(r"^[A-Z][^.:!?\d]*$")
_Edges = tuple[float, float]
_ENDS = (".", "!", "?", ":", ";", ".”", '."', ".)")


def in_report(pages: Sequence[Page], names: Callable[[Sequence[Page], PrintedTime], YearNames]) -> list[Page]:
    """All pages of a report with headers and footers, heading levels, number formats, table context, continuations.

    It is the same for every parser. `names` reads from the finished pages, and the day on which the years end, what the
    company calls them.
    """
    formatted = with_number_formats(with_heading_levels(mark_headers_footers(pages)))
    end = year_end(formatted)
    found = with_continuations(with_table_context(formatted, YearNames(end)))
    known = names(found, end)
    return with_continuations(with_table_context(formatted, known)) if known.shift else found


def with_continuations(pages: Sequence[Page]) -> list[Page]:
    """The pages, with those blocks marked that continue a block of the page before.

    A table without a header, whose columns align with the table before it, takes over that table's title, unit and
    columns. It may be on the next page, or lower on the same page with no heading between. A paragraph continues on
    the next page when it begins in lower case and the paragraph before it has no full stop.
    """
    done: list[Page] = []
    for page in pages:
        done.append(_within(_continued(done[-1], page) if done else page))
    return done


def _within(page: Page) -> Page:
    """The page, where the lower part of a table that a line of text interrupts gets the context of the upper part."""
    upper: Table | None = None
    blocks: list[Block] = []
    for block in page.blocks:
        if block.table and upper and _goes_on(upper, block.table):
            block = block.model_copy(update={"table": _in_context_of(upper, block.table)})
        upper = None if block.kind == "heading" else block.table or upper
        blocks.append(block)
    return page.model_copy(update={"blocks": tuple(blocks)}) if len(page.tables) > 1 else page


def _in_context_of(upper: Table, lower: Table) -> Table:
    return lower.model_copy(update={"title": upper.title, "unit": upper.unit, "columns": upper.columns})


def _continued(before: Page, page: Page) -> Page:
    blocks = [b for b in page.blocks if b.kind != "furniture"]
    ends = [b for b in reversed(before.blocks) if b.kind != "furniture"]
    first, last = next(iter(blocks), None), next(iter(ends), None)
    block = _joined(last, first) if last and first else None
    if block is None:
        (first, _), (last, behind) = _beyond_lines(blocks), _beyond_lines(ends)
        block = _joined(last, first) if last and first else None
        block = _with_begun_label(block, behind[-1].text) if block and behind else block
    if block is None:
        return page
    return page.model_copy(update={"blocks": tuple(block if b is first else b for b in page.blocks)})


def _beyond_lines(blocks: Sequence[Block]) -> tuple[Block | None, Sequence[Block]]:
    """The first table behind a few short lines, and these: a footer, the beginning of a label, "(continued)"."""
    for place, block in enumerate(blocks[: _FEW_LINES + 1]):
        if block.table is not None:
            return block, blocks[:place]
        is_new = block.kind == "heading" and not _CONTINUED.search(block.text)
        if is_new or len(block.text.split()) > _SHORT or block.text.rstrip().endswith(_ENDS[:3]):
            break
    return None, ()


def _with_begun_label(block: Block, label: str) -> Block:
    """A continued table whose first label began under the table of the page before."""
    if block.table is None or not label or not _BEGINS.match(label):
        return block
    cells = block.table.cells
    first = next((c for c in cells if c.role == "row_label"), None)
    if first is None or first.row > 0 or not first.text[:1].islower():
        return block
    return block.model_copy(update={"table": block.table.model_copy(update={"begun_label": label})})


def _joined(last: Block, first: Block) -> Block | None:
    """The first block of a page, marked as a continuation; None when it is not one."""
    if last.table and first.table and _goes_on(last.table, first.table):
        return first.model_copy(update={"continues": True, "table": _in_context_of(last.table, first.table)})
    both = {last.kind, first.kind} <= {"paragraph", "list_item"}
    if both and first.text[:1].islower() and not last.text.endswith(_ENDS):
        return first.model_copy(update={"continues": True})
    return None


def _goes_on(last: Table, first: Table) -> bool:
    """Whether a table continues another: it has no header, and its columns align with the other's."""
    if first.header_row_count or first.column_count != last.column_count or len(last.columns) != last.column_count:
        return False
    return all(_same_column(_edges(last, i), _edges(first, i)) for i in range(1, first.column_count))


def _same_column(above: _Edges | None, below: _Edges | None) -> bool:
    """Whether two columns align: figures by their right edge, words by their left edge."""
    if above is None or below is None:
        return False
    return any(abs(a - b) <= _SAME_EDGE_POINTS for a, b in zip(above, below, strict=True))


def _edges(table: Table, column: int) -> _Edges | None:
    boxes = [c.box for c in table.cells if c.column == column and c.role in ("value", "note") and c.box]
    return (min(b.left for b in boxes), max(b.right for b in boxes)) if boxes else None

"""A page as read, and the chunks and tables cut from it. Every later step works on these records."""

import datetime as dt
from collections.abc import Sequence
from functools import cached_property
from html import escape
from typing import Literal

from pydantic import Field

from storage.amounts import DecimalMark
from storage.files import digest
from storage.records.facts import Period
from storage.records.record import Box, Record

BlockKind = Literal["heading", "paragraph", "list_item", "table", "caption", "picture", "furniture"]
CellRole = Literal["column_header", "row_label", "section", "note", "value"]
Entity = Literal["group", "company"]
TextSource = Literal["text_layer", "ocr", "partly_ocr", "none"]
# The widths of letters in shares of their height, between those of print with serifs and without.
_WIDTHS: tuple[tuple[str, float], ...] = (
    ("ijl'|.,:;!", 0.26),
    ('tf/\\ -()[]I"r', 0.31),
    ("sJcz", 0.46),
    ("aegkvxyLF?", 0.5),
    ("TZEPSBRXKAVYC&", 0.68),
    ("wDUHNGOQ", 0.73),
    ("mM", 0.82),
    ("W%@—", 0.92),
)
_WIDTH_OF = {letter: width for letters, width in _WIDTHS for letter in letters}
_USUAL_WIDTH = 0.53
_TALLEST = 2.2  # times the height of letters; what is taller has several lines


class Line(Record):
    """One printed line of a block."""

    text: str
    box: Box


class Cell(Record):
    """One cell of a table. Rows and columns count from 0; spans are at least 1."""

    row: int = Field(ge=0)
    column: int = Field(ge=0)
    row_span: int = Field(default=1, ge=1)
    column_span: int = Field(default=1, ge=1)
    text: str
    role: CellRole = "value"
    box: Box | None = None


class Column(Record):
    """What is printed about all values of one column: header, period, currency, scale.

    Attributes:
        header: the column's header cells, top to bottom, joined by spaces.
        period: the time its figures are about.
        currency: ISO 4217 code.
        scale: what one printed unit stands for; None where it is not printed.
        entity: the group with its subsidiaries, or the parent company alone, where the page distinguishes them.
    """

    header: str = ""
    period: Period | None = None
    currency: str | None = None
    scale: int | None = None
    entity: Entity | None = None


class Table(Record):
    """A grid of cells with its context. Cells are in reading order; a position covered by a span has no cell.

    Attributes:
        title: the statement's or table's name, from its header or the lines above.
        unit: the words that give scale and currency, such as "(in thousands, except per share data)".
        columns: one for each grid column.
        decimal_mark: what stands before the decimals of its figures.
        begun_label: the words with which its first label began on the page before.
    """

    row_count: int = Field(ge=1)
    column_count: int = Field(ge=1)
    cells: tuple[Cell, ...]
    title: str = ""
    unit: str = ""
    columns: tuple[Column, ...] = ()
    decimal_mark: DecimalMark = "."
    begun_label: str = ""

    def grid(self) -> list[list[str]]:
        """Texts by row and column; a spanning cell's text stands at its first place."""
        rows = [[""] * self.column_count for _ in range(self.row_count)]
        for cell in self.cells:
            rows[cell.row][cell.column] = cell.text
        return rows

    @cached_property
    def header_row_count(self) -> int:
        """How many rows from the top are column headers."""
        rows = {c.row for c in self.cells if c.role == "column_header"}
        count = 0
        while count in rows:
            count += 1
        return count

    def markdown(self) -> str:
        """Pipe rows, one line for each row; header rows are joined into the one that Markdown allows.

        A header over several columns is repeated over each of them; a remark such as "(in thousands)" appears once.
        A table that continues from another page shows the column headers of that page.
        """
        rows = self.grid()
        top = self.header_row_count
        head = [self._head(i) for i in range(self.column_count)]
        if not top and self.columns:
            head = [column.header for column in self.columns]
        lines = [_pipe_row(head), _pipe_row(["---"] * self.column_count), *map(_pipe_row, rows[top:])]
        return "\n".join(lines)

    def _head(self, column: int) -> str:
        over = (c for c in self.cells if c.row < self.header_row_count and 0 <= column - c.column < c.column_span)
        return " ".join(c.text for c in over if c.column == column or not c.text.startswith("("))

    def html(self) -> str:
        """A table element with spans; header cells and row labels as th, places without a cell as empty td."""
        cells = {(c.row, c.column): c for c in self.cells}
        spanned = {
            (c.row + down, c.column + across)
            for c in self.cells
            for down in range(c.row_span)
            for across in range(c.column_span)
        } - set(cells)
        rows = [
            "".join(
                _html_cell(cells.get((row, column)))
                for column in range(self.column_count)
                if (row, column) not in spanned
            )
            for row in range(self.row_count)
        ]
        return "<table>\n" + "\n".join(f"<tr>{row}</tr>" for row in rows) + "\n</table>"


class Block(Record):
    """A piece of a page: its kind, text and place.

    Attributes:
        text: for a table its lines as printed, so that no word depends on the grid.
        lines: the printed lines with their boxes, in reading order.
        level: 1 for the highest heading; 0 for anything else.
        table: the grid, for a block of kind "table".
        continues: the block continues a table or paragraph of the page before.
    """

    kind: BlockKind
    text: str
    box: Box
    lines: tuple[Line, ...] = ()
    level: int = Field(default=0, ge=0)
    table: Table | None = None
    continues: bool = False

    def markdown(self) -> str:
        """The block as Markdown: headings with #, list items with a dash, tables as pipe rows."""
        if self.table is not None:
            return self.table.markdown()
        if self.kind == "heading":
            return f"{'#' * max(1, min(self.level, 6))} {self.text}"
        return f"- {self.text}" if self.kind == "list_item" else self.text


class Page(Record):
    """One physical page of a report.

    Attributes:
        page_number: 1-based place in the PDF, whatever number is printed on it.
        width, height: points, as displayed.
        blocks: in reading order; headers, footers, page numbers and margin text have the kind "furniture".
        text_source: where the words come from; "partly_ocr" where text in pictures was read besides the text layer.
        ocr_boxes: on a page that was read partly by OCR, the areas that OCR read.
        annotation_boxes: where texts and stamps stand that were put on the page after it was made.
        section: titles of the report's sections that this page stands in, outermost first.
        decimal_mark: what stands before the decimals of the figures in its text.
        hidden_text: words in the PDF that cannot be seen on the page; nothing else of the record has them.
        unread_pictures: whether it has pictures, left to be read later, whose text the published report has not yet.
    """

    report_sha1: str
    page_number: int = Field(ge=1)
    width: float
    height: float
    blocks: tuple[Block, ...] = ()
    text_source: TextSource = "text_layer"
    ocr_boxes: tuple[Box, ...] = ()
    annotation_boxes: tuple[Box, ...] = Field(default=(), exclude_if=lambda boxes: not boxes)
    section: tuple[str, ...] = ()
    decimal_mark: DecimalMark = "."
    hidden_text: str = Field(default="", exclude_if=lambda text: not text)
    unread_pictures: bool = Field(default=False, exclude_if=lambda left: not left)

    @cached_property
    def markdown(self) -> str:
        """The page for a reader or a model: all blocks except headers and footers, a blank line between blocks."""
        return "\n\n".join(b.markdown() for b in self.blocks if b.kind != "furniture" and b.text.strip())

    def source_at(self, boxes: Sequence[Box]) -> Literal["text_layer", "ocr", "annotation"]:
        """Where the words at these places come from: from an annotation or OCR if any of them do."""
        if any(box.overlaps(note) for box in boxes for note in self.annotation_boxes):
            return "annotation"
        if self.text_source == "partly_ocr":
            return "ocr" if any(box.overlaps(read) for box in boxes for read in self.ocr_boxes) else "text_layer"
        return "ocr" if self.text_source == "ocr" else "text_layer"

    @property
    def tables(self) -> tuple[Table, ...]:
        """The page's tables in reading order."""
        return tuple(b.table for b in self.blocks if b.table is not None)


def part_of_line(box: Box, text: str, begin: int, end: int) -> Box:
    """Where the letters from `begin` to before `end` of a printed line are, by the usual widths of letters.

    A box of several lines stays whole. On real reports, half of the places are less than 1 point off, and 95% less
    than 4.
    """
    widths = [_WIDTH_OF.get(letter, _USUAL_WIDTH) for letter in text]
    whole = sum(widths)
    unit = (box.right - box.left) / whole if whole else 0.0
    if end <= begin or box.bottom - box.top >= _TALLEST * unit:
        return box
    left = box.left + unit * sum(widths[:begin])
    return box.model_copy(update={"left": left, "right": left + unit * sum(widths[begin:end])})


def _pipe_row(texts: list[str]) -> str:
    return "| " + " | ".join(" ".join(t.replace("|", "\\|").split()) for t in texts) + " |"


def _html_cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    tag = "td" if cell.role in ("value", "note") else "th"
    spans = (f' rowspan="{cell.row_span}"' if cell.row_span > 1 else "") + (
        f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    )
    return f"<{tag}{spans}>{escape(cell.text, quote=False)}</{tag}>"


class Chunk(Record):
    """A slice of one page, never across pages.

    Attributes:
        chunk_id: "<sha1>:<page>:<n>", the same for the same page and chunker.
        header: what the slice is about (report, period, section, table title, unit); embedded with the text.
        text: the slice, Markdown.
        written_by_model: a model wrote it about a table on the page. It helps to find the page, and is never quoted
            or used for an answer.
    """

    chunk_id: str
    report_sha1: str
    page_number: int = Field(ge=1)
    header: str = ""
    text: str
    written_by_model: bool = False


class TableInContext(Record):
    """A table as it is given to a model.

    Attributes:
        section: the report's section titles that the page belongs to.
        title, unit: as read from the lines around the table; empty where they are not printed.
        before, after: the text of the page around it.
        html: the table.
    """

    company: str
    period_end: dt.date | None = None
    currency: str | None = None
    section: str = ""
    title: str = ""
    unit: str = ""
    before: str = ""
    html: str
    after: str = ""

    def key(self, writer: str) -> str:
        """The key under which its text is cached, for one writer: a model and its prompt."""
        return digest([writer, self.model_dump(mode="json")], length=64)


class TableText(Record):
    """What a model wrote about one subject of a table. It helps to find the page and is never quoted."""

    subject: str
    information: str

    @property
    def text(self) -> str:
        """The subject, unless the information begins with it, and the information."""
        begins = self.information.casefold().startswith(self.subject.casefold())
        return self.information if begins or not self.subject else f"{self.subject}: {self.information}"

"""A report as its printed lines, each with the page that it stands on."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.pages import Page
from storage.text import plain


@dataclass(frozen=True)
class PrintedLine:
    """One line.

    Attributes:
        page: 1-based.
        text: in plain form.
        height: points.
        edge: it is furniture, such as a running head.
        table: it stands in a table.
    """

    page: int
    text: str
    height: float
    edge: bool
    table: bool


def printed_lines(pages: Sequence[Page]) -> list[PrintedLine]:
    """Every line that has a word, in reading order."""
    return [
        PrintedLine(page.page_number, text, line.box.height, block.kind == "furniture", block.table is not None)
        for page in pages
        for block in page.blocks
        for line in block.lines
        if (text := plain(line.text))
    ]


@dataclass(frozen=True)
class PrintedText:
    """A block's running text."""

    page: int
    text: str


def printed_texts(pages: Sequence[Page]) -> list[PrintedText]:
    """Every block of running text, its lines joined."""
    return [
        PrintedText(page.page_number, plain(block.text))
        for page in pages
        for block in page.blocks
        if block.table is None and block.kind != "furniture"
    ]

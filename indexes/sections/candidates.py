"""The lines of a report that may be headings, each with its place."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from storage.records.pages import Block, Page
from storage.records.record import Box
from storage.records.sections import MOST_TITLE, bare_title, is_continued, split_number
from storage.text import plain

_MOST_WORDS = 16
_MOST_LINES = 3  # of a paragraph that may be a heading
_LARGE = 1.15  # print higher than the report's usual print by this factor is large
_ITEM = re.compile(
    r"(?i)^item\s{0,3}\d{1,2}\s{0,2}\.?\s?[a-k]?\b[\s.:)\-]{0,6}(?P<title>[\[(]?[a-z][^|]{2,160})?$"
)
_NOTE = re.compile(
    r"(?i)^(?:note\s{0,2})?\(?(?P<number>\d{1,2})\)?(?:[.):\-]\s{0,3}|\s{1,4})(?P<title>[a-zÀ-ÿ][^|]{2,120})$"
)
_SENTENCE = re.compile(
    r"[.;,]$|\. [A-Z]|\b(?:of this|see|refer to|is incorporated|as described|set forth)\b|\$|[€£%]"
)


@dataclass(frozen=True)
class Candidate:
    """A line, or a short block, that may be a heading.

    Attributes:
        place: the block and line on the page, for the order.
        size: height of its print in points.
        is_heading: whether the layout says that it is a heading.
        is_running: whether it is a running head or a margin.
        is_continued: whether it says "continued".
    """

    text: str
    page_number: int
    place: tuple[int, int]
    box: Box | None
    size: float
    is_heading: bool = False
    is_running: bool = False
    is_continued: bool = False
    is_large: bool = False

    @property
    def at(self) -> tuple[int, int, int]:
        """Page, block and line, for the order."""
        return (self.page_number, *self.place)

    @property
    def bare(self) -> str:
        """The bare title."""
        return bare_title(self.text)


def candidates_of(pages: Sequence[Page]) -> list[Candidate]:
    """The possible headings in the order of the pages."""
    usual = _usual_size(pages)
    return [found for page in pages for found in _on(page, usual)]


def is_item(text: str) -> re.Match[str] | None:
    """Whether a line is the heading of a standard item; its group `title` may be empty."""
    return _ITEM.match(plain(text))


def numbered(text: str) -> re.Match[str] | None:
    """Whether a line is a heading with a number, with the groups `number` and `title`."""
    return _NOTE.match(plain(text))


def _usual_size(pages: Sequence[Page]) -> float:
    sizes = Counter[float]()
    for page in pages:
        for block in page.blocks:
            if block.kind == "paragraph" and block.lines:
                sizes[round(_size(block), 0)] += sum(len(line.text) for line in block.lines)
    return sizes.most_common(1)[0][0] if sizes else 10.0


def _size(block: Block) -> float:
    box = block.lines[0].box if block.lines else block.box
    return min(box.height, box.width)


def _on(page: Page, usual: float) -> Iterator[Candidate]:
    for i, block in enumerate(page.blocks):
        size = _size(block)
        for line, text, box in _texts(block):
            if not _may_be_heading(text):
                continue
            yield Candidate(
                text=plain(text),
                page_number=page.page_number,
                place=(i, line),
                box=box,
                size=size,
                is_heading=block.kind == "heading",
                is_running=block.kind == "furniture",
                is_continued=is_continued(text),
                is_large=size >= usual * _LARGE,
            )


def _texts(block: Block) -> Iterator[tuple[int, str, Box | None]]:
    """What of a block may be a heading: all of a short one, else its lines that stand alone."""
    whole = " ".join(block.text.split())
    if block.kind == "table":
        for i, line in enumerate(block.lines[:_MOST_LINES]):
            if is_item(line.text):
                yield i, line.text, line.box
        return
    if len(block.lines) <= _MOST_LINES and len(whole) <= MOST_TITLE:
        yield 0, whole, block.box
        if len(block.lines) < 2 or block.kind in ("heading", "furniture"):
            return
    if block.kind == "furniture":
        return
    for i, line in enumerate(block.lines):
        if (is_item(line.text) or numbered(line.text)) and (len(block.lines) > 1 or len(whole) > MOST_TITLE):
            yield i, line.text, line.box


def _may_be_heading(text: str) -> bool:
    plain_text = plain(text)
    words = plain_text.split()
    if (
        not 0 < len(words) <= _MOST_WORDS
        or len(plain_text) > MOST_TITLE
        or not any(c.isalpha() for c in plain_text)
    ):
        return False
    if is_item(plain_text):
        return not re.search(r"(?i)\b(?:of this|see|in this|included in|of our|below|above)\b", plain_text)
    _, title = split_number(plain_text)
    return bool(title) and not _SENTENCE.search(title) and not title[0].islower()

"""Finds headers, footers and page numbers by their repetition on other pages."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from storage.lexicon.words import expression
from storage.records.pages import Block, Page

_EDGE_SHARE = 0.12  # of the page's height, at its top and bottom
_MOST_WORDS = 25
_MOST_LINES = 3
_PAGES = 3  # on which a text is repeated
_SAME_HEIGHT = 0.03  # of the page's height
_PAGE_NUMBER = expression(
    r"(?i)^(?:page\s*+\|?\s*+)?[-–|]?\s*+(?:[a-z]{1,2}-)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*+(?:of|/)\s*+\d{1,4})?"
    r"\s*+[-–|]?$"
)

_Edge = tuple[str, float, Block]
"""The text of a block at a page's edge, with digits made alike; the share of the page where it begins; the block."""


def mark_headers_footers(pages: Sequence[Page]) -> list[Page]:
    """The pages in their order, with headers, footers and page numbers marked as "furniture".

    A text at a page's edge is a header or footer when it is repeated at the same height on at least three pages,
    apart from its digits, or when it is only a page number.
    """
    heights: dict[str, list[tuple[int, float]]] = defaultdict(list)
    edges = [list(_at_edges(page)) for page in pages]
    for page, found in zip(pages, edges, strict=True):
        for shape, height, _ in found:
            heights[shape].append((page.page_number, height))
    return [_marked(page, found, heights) for page, found in zip(pages, edges, strict=True)]


def _at_edges(page: Page) -> Iterator[_Edge]:
    for block in page.blocks:
        if block.table is None and len(block.lines) <= _MOST_LINES:
            start, end = _along(block, page)
            at_edge = end <= _EDGE_SHARE or start >= 1 - _EDGE_SHARE
            if at_edge and len(block.text.split()) <= _MOST_WORDS:
                yield _shape(block.text), start, block


def _along(block: Block, page: Page) -> tuple[float, float]:
    """The block's extent across its lines: from top to bottom, or sideways on a turned page."""
    box = block.lines[0].box if block.lines else block.box
    if box.height > box.width and len(block.text) > 2:
        return block.box.left / page.width, block.box.right / page.width
    return block.box.top / page.height, block.box.bottom / page.height


def _marked(page: Page, edges: Iterable[_Edge], heights: dict[str, list[tuple[int, float]]]) -> Page:
    headers_footers = {id(edge[2]) for edge in edges if _is_header_or_footer(edge, heights)}
    headers_footers |= {id(block) for block in _last_number(page)}
    if not headers_footers:
        return page
    blocks = tuple(_as_header_or_footer(b) if id(b) in headers_footers else b for b in page.blocks)
    return page.model_copy(update={"blocks": blocks})


def _last_number(page: Page) -> list[Block]:
    """A page number that is the lowest text of a page, also high on a page with little text."""
    texts = [b for b in page.blocks if b.text.strip()]
    lowest = max(texts, key=lambda b: _along(b, page)[0], default=None)
    numbered = lowest is not None and lowest.table is None and _PAGE_NUMBER.match(lowest.text.strip())
    return [lowest] if lowest is not None and numbered and len(texts) > 1 else []


def _is_header_or_footer(edge: _Edge, heights: dict[str, list[tuple[int, float]]]) -> bool:
    shape, here, block = edge
    if _PAGE_NUMBER.match(block.text.strip()):
        return True
    return len({number for number, there in heights[shape] if abs(there - here) <= _SAME_HEIGHT}) >= _PAGES


def _as_header_or_footer(block: Block) -> Block:
    return block.model_copy(update={"kind": "furniture", "level": 0})


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", " ".join(text.lower().split()))

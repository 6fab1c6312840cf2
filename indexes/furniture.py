"""Running heads, page numbers and footers, told from a page's own text by their coming back on other pages."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from storage.pages import Block, Page

_EDGE_SHARE = 0.12  # of the page's height, at its top and bottom
_MOST_WORDS = 25
_MOST_LINES = 3
_PAGES = 3  # on which a text comes back
_SAME_HEIGHT_POINTS = 20.0
_PAGE_NUMBER = re.compile(
    r"(?i)^(?:page\s*\|?\s*)?[-–|]?\s*(?:[a-z]{1,2}-)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\s*[-–|]?$"
)


def with_furniture(pages: Sequence[Page]) -> list[Page]:
    """The pages with running heads, page numbers and footers marked as furniture, their order kept.

    A text at a page's edge is furniture when it comes back, digits aside, at the same height on three pages or
    more, or is nothing but a page number.
    """
    heights: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for page in pages:
        for block in _at_edges(page):
            heights[_shape(block.text)].append((page.page_number, block.box.top))
    return [_marked(page, heights) for page in pages]


def _at_edges(page: Page) -> Iterator[Block]:
    edge = _EDGE_SHARE * page.height
    for block in page.blocks:
        if block.table is not None or len(block.text.split()) > _MOST_WORDS or len(block.lines) > _MOST_LINES:
            continue
        if block.box.bottom <= edge or block.box.top >= page.height - edge:
            yield block


def _marked(page: Page, heights: dict[str, list[tuple[int, float]]]) -> Page:
    furniture = {id(block) for block in _at_edges(page) if _is_furniture(block, heights[_shape(block.text)])}
    if not furniture:
        return page
    blocks = tuple(_as_furniture(b) if id(b) in furniture else b for b in page.blocks)
    return page.model_copy(update={"blocks": blocks})


def _is_furniture(block: Block, seen: Sequence[tuple[int, float]]) -> bool:
    if _PAGE_NUMBER.match(block.text.strip()):
        return True
    pages = {number for number, top in seen if abs(top - block.box.top) <= _SAME_HEIGHT_POINTS}
    return len(pages) >= _PAGES


def _as_furniture(block: Block) -> Block:
    return block.model_copy(update={"kind": "furniture", "level": 0})


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", " ".join(text.lower().split()))

"""The position of a page in its report: heading levels and section titles."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from storage.records.pages import Block, Page

if TYPE_CHECKING:
    import pypdfium2

_DEEPEST = 4
_SECTION_DEPTH = 2
_SAME_SIZE = 1.06
_PAGES, _SHARE = 3, 0.08  # fewer pages, or a smaller share of all, are few
_Section = tuple[int, str]


def with_heading_levels(pages: Sequence[Page]) -> list[Page]:
    """The pages with heading levels, by print height in the whole report: level 1 is the largest, 4 the smallest.

    A height that occurs on few pages, such as the cover's, gets the level of the next smaller common height.
    """
    seen: dict[float, set[int]] = defaultdict(set)
    for page in pages:
        for block in page.blocks:
            if block.kind == "heading":
                seen[_size(block)].add(page.page_number)
    levels: dict[float, int] = {}
    few = max(_PAGES, _SHARE * len(pages))
    level, largest, found_on = 1, max(seen, default=0.0), set[int]()
    for size in sorted(seen, reverse=True):
        if size * _SAME_SIZE < largest:
            level += len(found_on) >= few
            largest, found_on = size, found_on if len(found_on) < few else set()
        found_on = found_on | seen[size]
        levels[size] = min(level, _DEEPEST)
    return [page.model_copy(update={"blocks": tuple(_levelled(b, levels) for b in page.blocks)}) for page in pages]


def with_sections(pages: Sequence[Page], outline: dict[int, tuple[str, ...]]) -> list[Page]:
    """Each page with the titles of its sections: from the PDF's outline, or else from the largest headings."""
    titles = outline or _heading_paths(pages)
    return [page.model_copy(update={"section": titles.get(page.page_number, ())}) for page in pages]


def outline_of(path: Path) -> dict[int, tuple[str, ...]]:
    """By page number, the outline titles that lead to the page; empty without an outline."""
    import pypdfium2  # late: an answer opens no PDF

    with pypdfium2.PdfDocument(path) as document:
        marks = list(_marks(document))
        page_count = len(document)
    paths: dict[int, tuple[str, ...]] = {}
    stack: list[_Section] = []
    for number in range(1, page_count + 1):
        here = [(level, title) for page, level, title in marks if page == number]
        if here:
            stack = _entered(stack, here[0])
        if stack:
            paths[number] = tuple(title for _, title in stack)
        for mark in here[1:]:
            stack = _entered(stack, mark)
    return paths


def bookmarks_of(path: Path) -> list[tuple[int, int, str]]:
    """Page number, level from 0 and title of each entry of the PDF's outline; none of a PDF that cannot be opened."""
    import pypdfium2  # late, as above

    try:
        with pypdfium2.PdfDocument(path) as document:
            return list(_marks(document))
    except (pypdfium2.PdfiumError, OSError):
        return []


def _marks(document: "pypdfium2.PdfDocument") -> Iterator[tuple[int, int, str]]:
    """Page number, level and title of each outline entry that leads to a page."""
    for mark in document.get_toc():
        target = mark.get_dest()
        index = target.get_index() if target else None
        title = " ".join(mark.get_title().split())
        if index is not None and title:
            yield index + 1, mark.level, title


def _heading_paths(pages: Sequence[Page]) -> dict[int, tuple[str, ...]]:
    paths: dict[int, tuple[str, ...]] = {}
    stack: list[_Section] = []
    for page in pages:
        headings = [(b.level, b.text) for b in page.blocks if b.kind == "heading" and b.level <= _SECTION_DEPTH]
        if headings:
            stack = _entered(stack, headings[0])
        if stack:
            paths[page.page_number] = tuple(text for _, text in stack)
        for heading in headings[1:]:
            stack = _entered(stack, heading)
    return paths


def _entered(stack: Sequence[_Section], section: _Section) -> list[_Section]:
    """The current sections after a new one begins: those above it, and the new one."""
    return [*(s for s in stack if s[0] < section[0]), section]


def _size(block: Block) -> float:
    """The height of the heading's print; on a turned page the lines are higher than wide."""
    boxes = [line.box for line in block.lines] or [block.box]
    return round(min(boxes[0].height, boxes[0].width), 1)


def _levelled(block: Block, levels: dict[float, int]) -> Block:
    if block.kind != "heading":
        return block
    return block.model_copy(update={"level": levels[_size(block)]})

"""From MinerU's output to page records, held to the words that are printed on each page."""

from collections.abc import Sequence
from pathlib import Path

from indexes.html_tables import table_of_rows
from indexes.mineru.items import Item, items_of_entries, items_of_middle
from indexes.mineru.output import MineruOutput
from indexes.mineru.overleaf import Joined, put_apart
from indexes.mineru.placed_cells import with_places
from indexes.mineru.wire import Entry, Middle
from indexes.printed_page import PrintedPage, lines_of
from storage.errors import DocumentError
from storage.geometry import Box
from storage.pages import Block, Line, Page, TextSource
from storage.text import fingerprint

_SOME_WORDS = 20  # on a page that was read, something of them is found


def page_records(output: MineruOutput, printed: Sequence[PrintedPage], sha1: str, path: Path) -> list[Page]:
    """One record for each page of the PDF, in order, those without a block too.

    A block's lines and a table's cells have the places of the printed words that say the same; where none do, they
    stand in the block's own box and count as read by OCR.

    Args:
        output: of this PDF.
        printed: every page of the PDF, in order; without words where its text layer is not to be trusted.
        sha1: the report's.
        path: the PDF, for messages.

    Raises:
        DocumentError: the output is not of these pages, or does not tell on which of them something stands.
    """
    by_number = {page.number: page for page in printed}
    middle = output.middle
    try:
        if middle and (output.entries is None or any(page.preproc_blocks for page in middle.pdf_info)):
            items = _of_middle(middle, by_number)
        else:
            items = _of_entries(output.entries or (), by_number)
        apart = put_apart(items, by_number)
    except Joined as joined:
        raise DocumentError(
            f"{path}: MinerU joined a {joined.kind} of page {joined.page} with the next page's, and nothing tells "
            "which words stand on which page; parse it again with MINERU_TABLE_MERGE_ENABLE=false or the pipeline "
            "backend, and with its *_middle.json"
        ) from joined
    except ValueError as error:
        raise DocumentError(f"{path}: MinerU's output does not fit the PDF: {error}") from error
    return [_page(page, apart.get(page.number, []), sha1) for page in printed]


def _of_middle(middle: Middle, printed: dict[int, PrintedPage]) -> dict[int, list[Item]]:
    numbers = sorted(page.page_idx + 1 for page in middle.pdf_info)
    if numbers != sorted(printed):
        raise ValueError(f"it has {len(numbers)} pages, and the PDF {len(printed)}")
    return {
        page.page_idx + 1: list(items_of_middle(page, *_size(printed[page.page_idx + 1])))
        for page in middle.pdf_info
    }


def _of_entries(entries: Sequence[Entry], printed: dict[int, PrintedPage]) -> dict[int, list[Item]]:
    by_page: dict[int, list[Entry]] = {}
    for entry in entries:
        by_page.setdefault(entry.page_idx + 1, []).append(entry)
    last = max(by_page, default=0)
    if last > len(printed):
        raise ValueError(f"it speaks of page {last}, and the PDF has {len(printed)}")
    left_out = [n for n, page in printed.items() if n > last and len(page.words) > _SOME_WORDS]
    if left_out:
        raise ValueError(f"it ends with page {last}, and there is text on page {left_out[0]} of {len(printed)}")
    return {number: list(items_of_entries(found, *_size(printed[number]))) for number, found in by_page.items()}


def _size(page: PrintedPage) -> tuple[float, float]:
    return page.width, page.height


def _page(printed: PrintedPage, items: Sequence[Item], sha1: str) -> Page:
    boxes = [item.box for item in items]
    read: list[Box] = []
    blocks: list[Block] = []
    for place, item in enumerate(items):
        near = item.box or next((b for b in (*boxes[place + 1 :], *reversed(boxes[:place])) if b), printed.whole)
        block, is_printed = _table(item, near, printed) if item.rows else _text_block(item, near, printed)
        if block is not None:
            blocks.append(block)
            read += [] if is_printed else [block.box]
    source = _source(printed, len(blocks), len(read))
    return Page(
        report_sha1=sha1,
        page_number=printed.number,
        width=printed.width,
        height=printed.height,
        blocks=tuple(blocks),
        text_source=source,
        ocr_boxes=tuple(read) if source == "partly_ocr" else (),
    )


def _source(printed: PrintedPage, blocks: int, read: int) -> TextSource:
    if not blocks:
        return "none"
    if not read:
        return "text_layer"
    return "ocr" if read == blocks or not printed.words else "partly_ocr"


def _text_block(item: Item, box: Box, printed: PrintedPage) -> tuple[Block | None, bool]:
    inside = lines_of(printed.inside(box)) if item.box else ()
    if not item.text:
        # A picture, or a table of which MinerU has but a picture: the words printed in it, if there are any.
        text = "\n".join(line.text for line in inside)
        kind = "picture" if item.kind == "picture" else "paragraph"
        return (Block(kind=kind, text=text, box=box, lines=inside), True) if text else (None, True)
    said = fingerprint(item.text)
    lines = inside if fingerprint("".join(line.text for line in inside)) == said else printed.find(item.text)
    is_printed = bool(lines) or printed.says(item.text)
    lines = lines or item.lines or (Line(text=item.text, box=box),)
    level = 1 if item.kind == "heading" else 0
    own = box if item.box else _around(lines)
    return Block(kind=item.kind, text=item.text, box=own, lines=lines, level=level), is_printed


def _table(item: Item, box: Box, printed: PrintedPage) -> tuple[Block | None, bool]:
    rows = [" ".join(cell.text for cell in row if cell.text) for row in item.rows]
    words = printed.inside(box)
    is_printed = all(printed.says(row) for row in rows)
    lines = lines_of(words) if words and is_printed else tuple(Line(text=row, box=box) for row in rows if row)
    if not lines:
        return None, True
    table = table_of_rows(item.rows)
    return Block(
        kind="table" if table else "paragraph",
        text="\n".join(line.text for line in lines),
        box=box,
        lines=lines,
        table=with_places(table, words) if table else None,
    ), is_printed


def _around(lines: Sequence[Line]) -> Box:
    return Box(
        left=min(line.box.left for line in lines),
        top=min(line.box.top for line in lines),
        right=max(line.box.right for line in lines),
        bottom=max(line.box.bottom for line in lines),
    )

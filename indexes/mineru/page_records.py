"""Turns MinerU's output into page records: locates cells, and splits blocks that continue on the next page.

The words of the PDF's text layer with their places are the reference for what is really printed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pypdfium2

from indexes.drawn_objects import DrawnObjects
from indexes.layout.lines import Row, rows, segments
from indexes.layout.words import Word, box_of, extent
from indexes.mineru.html_tables import HtmlCell, table_of_rows
from indexes.mineru.items import Item, items_of_entries, items_of_middle
from indexes.mineru.output import MineruOutput
from indexes.mineru.transport import Entry, Middle
from indexes.pdf_words import Fonts, words_of
from indexes.text_quality import cleaned, is_nonsense, joined_lines
from storage.errors import DocumentError
from storage.records.pages import Block, Cell, Line, Page, Table, TextSource
from storage.records.record import Box
from storage.text import fingerprint

_SOME_WORDS = 20  # on a page that belongs to the output, at least this share is found
_PIECES = 4
_ENDS = ".,%"
_OTHER_SHARE = 0.1  # of a text's words
_EDGE = 1.5  # points that a word's centre may be outside a box


@dataclass(frozen=True)
class PrintedPage:
    """The text layer of one page.

    Attributes:
        number: 1-based.
        width, height: points, as displayed.
        words: of the text layer, in the order of the file; none where the layer is garbled.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...] = ()

    @property
    def whole(self) -> Box:
        """A box as large as the page."""
        return Box(left=0.0, top=0.0, right=self.width, bottom=self.height)

    def inside(self, box: Box) -> list[Word]:
        """The words whose centre is in the box."""
        return [w for w in self.words if _holds(box, w)]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All its lines."""
        return lines_of(self.words)

    @cached_property
    def letters(self) -> str:
        """The fingerprints of all its words, end to end."""
        return "".join(fingerprint(line.text) for line in self.lines)

    @cached_property
    def _marks(self) -> frozenset[str]:
        """Fingerprints of each word and of up to four words in a row, since kerning may split a figure."""
        found = [fingerprint(w.text) for w in self.words]
        runs = ("".join(found[i : i + n]) for n in range(1, _PIECES + 1) for i in range(len(found) - n + 1))
        return frozenset(run.rstrip(_ENDS) for run in runs)

    def contains(self, text: str) -> bool:
        """Whether the text is printed on the page: all of its figures and nearly all of its words.

        A few words may differ, since text layers may misspell a word for lack of a ligature.
        """
        marks = [mark for word in text.split() if (mark := fingerprint(word).rstrip(_ENDS)).strip("()")]
        missing = [mark for mark in marks if mark not in self._marks]
        if any(c.isdigit() for mark in missing for c in mark):
            return False
        return sum(mark not in self.letters for mark in missing) <= _OTHER_SHARE * len(marks)

    def find(self, text: str) -> tuple[Line, ...]:
        """The consecutive lines that contain the text; none where it is not found."""
        wanted = fingerprint(text)
        if not wanted:
            return ()
        for start in range(len(self.lines)):
            held = ""
            for end in range(start, len(self.lines)):
                held += fingerprint(self.lines[end].text)
                if wanted in held:
                    return self._shortest(wanted, start, end)
                if len(held) > 2 * len(wanted) + len(fingerprint(self.lines[start].text)):
                    break
        return ()

    def _shortest(self, wanted: str, start: int, end: int) -> tuple[Line, ...]:
        while start < end and wanted in "".join(fingerprint(x.text) for x in self.lines[start + 1 : end + 1]):
            start += 1
        return self.lines[start : end + 1]


def printed_pages(path: Path, *, with_words: bool = True) -> list[PrintedPage]:
    """Every page of a PDF, in order; without words where the text layer is garbled."""
    with pypdfium2.PdfDocument(path) as document:
        fonts = Fonts() if with_words else None
        return [_printed_page(document[index], index + 1, fonts) for index in range(len(document))]


def lines_of(words: Sequence[Word]) -> tuple[Line, ...]:
    """Group words into printed lines, top to bottom."""
    printed = rows(segments(words))
    return tuple(Line(text=text, box=box_of(row)) for row in printed if (text := cleaned(row.text)))


def _printed_page(page: pypdfium2.PdfPage, number: int, fonts: Fonts | None) -> PrintedPage:
    width, height = page.get_size()
    words: tuple[Word, ...] = ()
    if fonts is not None:
        layer = page.get_textpage()
        words = tuple(word for word, _ in words_of(layer, DrawnObjects(page), fonts))
        layer.close()
    text = "\n".join(" ".join(w.text for w in row.words) for row in rows(segments(words)))
    page.close()
    return PrintedPage(number, width, height, () if is_nonsense(text) else words)


def _holds(box: Box, word: Word) -> bool:
    middle, height = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return box.left - _EDGE <= middle <= box.right + _EDGE and box.top - _EDGE <= height <= box.bottom + _EDGE


def page_records(output: MineruOutput, printed: Sequence[PrintedPage], sha1: str, path: Path) -> list[Page]:
    """One record for each page of the PDF, in order, also for pages without blocks.

    A block's lines and a table's cells get the places of the same words in the text layer. Where these are not found,
    they get the block's own box and count as read by OCR.

    Args:
        output: of this PDF.
        printed: every page of the PDF, in order; without words where the text layer is garbled.
        sha1: the report's.
        path: the PDF, for messages.

    Raises:
        DocumentError: the output belongs to other pages, or it is unclear to which page something belongs.
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
        # A picture, or a table that MinerU gives only as a picture: take the words printed in it, if there are any.
        text = "\n".join(line.text for line in inside)
        kind = "picture" if item.kind == "picture" else "paragraph"
        return (Block(kind=kind, text=text, box=box, lines=inside), True) if text else (None, True)
    letters = fingerprint(item.text)
    lines = inside if fingerprint("".join(line.text for line in inside)) == letters else printed.find(item.text)
    is_printed = bool(lines) or printed.contains(item.text)
    lines = lines or item.lines or (Line(text=item.text, box=box),)
    level = 1 if item.kind == "heading" else 0
    own = box if item.box else box_of(extent([line.box for line in lines]))
    return Block(kind=item.kind, text=item.text, box=own, lines=lines, level=level), is_printed


def _table(item: Item, box: Box, printed: PrintedPage) -> tuple[Block | None, bool]:
    rows = [" ".join(cell.text for cell in row if cell.text) for row in item.rows]
    words = printed.inside(box)
    is_printed = all(printed.contains(row) for row in rows)
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


_BACK = 1  # printed rows that a cell may be above the cell before it, as in a wrapped label
_AHEAD = 12  # printed rows that are searched for the next row of the table
_LONGEST = 60  # words of one cell


def with_places(table: Table, words: Sequence[Word]) -> Table:
    """The table with the boxes of the cells that were found, each within one printed row.

    Args:
        table: with cells in reading order.
        words: printed at the table's place.
    """
    printed = rows(segments(words))
    boxes: dict[tuple[int, int], Box] = {}
    used: set[tuple[int, int]] = set()
    at = 0
    for number in range(table.row_count):
        cells = [c for c in table.cells if c.row == number]
        row = _row_of(cells, printed, at)
        if row is None:
            continue
        at = row
        for cell in cells:
            for index in (row, *range(row + 1, min(row + 3, len(printed))), *range(max(row - _BACK, 0), row)):
                if (run := _run(cell.text, printed[index], index, used)) is not None:
                    used.update((index, place) for place in run)
                    boxes[cell.row, cell.column] = box_of(extent([printed[index].words[place] for place in run]))
                    break
    return table.model_copy(
        update={"cells": tuple(c.model_copy(update={"box": boxes.get((c.row, c.column))}) for c in table.cells)}
    )


def _row_of(cells: Sequence[Cell], printed: Sequence[Row], at: int) -> int | None:
    """The first printed row, from the last one found on, that contains most of the cells."""
    best, most = None, 0
    for index in range(at, min(at + _AHEAD, len(printed))):
        held = sum(len(c.text) for c in cells if _run(c.text, printed[index], index, set()) is not None)
        if held > most:
            best, most = index, held
    return best


def _run(text: str, row: Row, index: int, used: set[tuple[int, int]]) -> range | None:
    """The words of a printed row that together are the text, without words taken by another cell."""
    wanted = fingerprint(text)
    if not wanted:
        return None
    marks = [fingerprint(word.text) for word in row.words]
    for start in range(len(marks)):
        held = ""
        for end in range(start, min(start + _LONGEST, len(marks))):
            held += marks[end]
            if not wanted.startswith(held):
                break
            if held == wanted and not any((index, place) in used for place in range(start, end + 1)):
                return range(start, end + 1)
    return None


_UNSURE_SHARE = 0.1  # of a table's rows that may be on neither page's text layer
_TEXTS = ("paragraph", "list_item")
_Place = tuple[int, int]


class Joined(Exception):
    """The parts of two pages cannot be separated. The caller, which knows the document, raises a DocumentError."""

    def __init__(self, kind: str, page: int) -> None:
        super().__init__(kind, page)
        self.kind, self.page = kind, page


def put_apart(pages: Mapping[int, Sequence[Item]], printed: Mapping[int, PrintedPage]) -> dict[int, list[Item]]:
    """The items by page number, each with only the content of its own page.

    Raises:
        Joined: the parts cannot be separated.
    """
    found = {number: list(items) for number, items in pages.items()}
    order = [(number, place) for number in sorted(found) for place in range(len(found[number]))]
    for index in reversed(range(len(order))):
        number, place = order[index]
        shell = found[number][place]
        if not shell.is_shell:
            continue
        upper = _upper(found, order[:index], shell)
        if upper is None or (shell.kind != "table" and upper[0] == number):
            continue  # joined within its own page, so every word has the right page already
        whole = found[upper[0]][upper[1]]
        if shell.kind == "table":
            between = [p for p in order[:index] if p > upper and found[p[0]][p[1]].kind == "table"]
            regions = [_region(printed[n], found[n][p].box) for n, p in (upper, *between)]
            above, below = _cut_table(whole, shell, regions, printed[number])
        else:
            above, below = _cut_text(whole, shell, printed[upper[0]], printed[number])
        found[upper[0]][upper[1]], found[number][place] = above, below
    return {number: [item for item in items if not item.is_shell] for number, items in found.items()}


def _upper(found: Mapping[int, Sequence[Item]], before: Sequence[_Place], shell: Item) -> _Place | None:
    """The block that the shell was joined to: the nearest block of its kind before it that is not a shell."""
    kinds = ("table",) if shell.kind == "table" else _TEXTS
    for number, place in reversed(before):
        item = found[number][place]
        if item.kind in kinds and not item.is_shell:
            return number, place
    return None


def _cut_text(upper: Item, shell: Item, above: PrintedPage, below: PrintedPage) -> tuple[Item, Item]:
    words = below.inside(shell.box) if shell.box else []
    lower = joined_lines([line.text for line in lines_of(words)])
    end, whole = fingerprint(lower), fingerprint(upper.text)
    if not end or not whole.endswith(end):
        raise Joined("paragraph", above.number)
    upper_words = upper.text.split()
    while upper_words and len(fingerprint(" ".join(upper_words))) > len(whole) - len(end):
        upper_words.pop()
    return replace(upper, text=" ".join(upper_words), lines=()), replace(shell, text=lower, is_shell=False)


def _cut_table(upper: Item, shell: Item, above: Sequence[PrintedPage], below: PrintedPage) -> tuple[Item, Item]:
    """Cut off the last part; `above` are the parts on the page where it begins and on the pages between."""
    here = _region(below, shell.box)
    if not here.words or not all(part.words for part in above):
        raise Joined("table", above[0].number)
    on_upper = [any(_contains(part, row) for part in above) for row in upper.rows]
    on_lower = [_contains(here, row) for row in upper.rows]
    size = len(upper.rows)
    sure = [sum(on_upper[:cut]) + sum(on_lower[cut:]) for cut in range(size + 1)]
    cut = max(range(size + 1), key=lambda place: sure[place])
    if sure[cut] < (1 - _UNSURE_SHARE) * size:
        raise Joined("table", above[0].number)
    return replace(upper, rows=upper.rows[:cut]), replace(shell, rows=upper.rows[cut:], is_shell=False)


def _contains(region: PrintedPage, row: Sequence[HtmlCell]) -> bool:
    return all(region.contains(cell.text) for cell in row)


def _region(page: PrintedPage, box: Box | None) -> PrintedPage:
    return replace(page, words=tuple(page.inside(box)) if box else ())

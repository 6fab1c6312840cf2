"""Turns Docling's conversion result into page records. No other module sees Docling's objects.

The records are made from the assembled page elements, not from the document that Docling builds from them. The
elements still have their printed rows with boxes, a paragraph that continues on the next page is one element on each
page, and no element is missing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from docling.datamodel.base_models import Cluster, PageElement
from docling.datamodel.base_models import Page as DoclingPage
from docling.datamodel.base_models import Table as DoclingTable
from docling.datamodel.document import ConversionResult
from docling_core.types.doc.base import BoundingBox
from docling_core.types.doc.items.node import DocItem
from docling_core.types.doc.items.table.table_data import TableCell
from docling_core.types.doc.labels import DocItemLabel
from docling_core.types.doc.page import TextCell

from indexes.layout.lines import rows, segments
from indexes.layout.words import Extent, Placed, Word, box_of, extent
from indexes.text_quality import cleaned, joined_lines
from storage.records.pages import Block, BlockKind, Cell, CellRole, Line, Page, Table, TextSource
from storage.records.record import Box

_KINDS: dict[DocItemLabel, BlockKind] = {
    DocItemLabel.SECTION_HEADER: "heading",
    DocItemLabel.TITLE: "heading",
    DocItemLabel.LIST_ITEM: "list_item",
    DocItemLabel.CAPTION: "caption",
    DocItemLabel.PICTURE: "picture",
    DocItemLabel.PAGE_HEADER: "furniture",
    DocItemLabel.PAGE_FOOTER: "furniture",
}
_Place = tuple[int, int, int, int, int]


class Printed(NamedTuple):
    """A printed row, its place as displayed, and whether OCR read it."""

    text: str
    place: Placed
    is_read: bool = False


def pages_of(result: ConversionResult, sha1: str) -> list[Page]:
    """One record for each page of a successful conversion of the report with this SHA-1, in order."""
    elements: dict[int, list[PageElement]] = defaultdict(list)
    for element in result.assembled.elements:
        elements[element.page_no].append(element)
    order = _document_order(result)
    return [
        _page(page, sorted(elements[page.page_no], key=lambda e: _rank(e, order)), sha1) for page in result.pages
    ]


def _page(page: DoclingPage, elements: Sequence[PageElement], sha1: str) -> Page:
    blocks = tuple(block for e in elements for block in _blocks(e))
    clusters = [cluster.cells for e in elements for cluster in _with_children(e.cluster)]
    source, places = text_source([[Printed(c.text, *_cell_place(c)) for c in cells] for cells in clusters], blocks)
    size = page.size
    return Page(
        report_sha1=sha1,
        page_number=page.page_no,
        width=size.width if size else 0.0,
        height=size.height if size else 0.0,
        blocks=blocks,
        text_source=source,
        ocr_boxes=places,
    )


def _document_order(result: ConversionResult) -> dict[_Place, int]:
    """The rank of each place on each page in Docling's reading order."""
    heights = {p.page_no: p.size.height for p in result.pages if p.size}
    order: dict[_Place, int] = {}
    for rank, (item, _) in enumerate(result.document.iterate_items(with_groups=False)):
        for prov in item.prov if isinstance(item, DocItem) else ():
            box = prov.bbox.to_top_left_origin(heights.get(prov.page_no, 0.0))
            order.setdefault(_place(prov.page_no, box), rank)
    return order


def _place(page_number: int, box: BoundingBox) -> _Place:
    return page_number, round(box.l), round(box.t), round(box.r), round(box.b)


def _rank(element: PageElement, order: dict[_Place, int]) -> tuple[int, float]:
    """Docling's rank if there is one; headers, footers and elements without a rank are ordered by their height."""
    return order.get(_place(element.page_no, element.cluster.bbox), len(order)), element.cluster.bbox.t


def _blocks(element: PageElement) -> Iterator[Block]:
    """The element's block and the blocks of texts inside it, such as a picture's captions."""
    table = _table(element) if isinstance(element, DoclingTable) else None
    for cluster in _with_children(element.cluster):
        is_apart = cluster.label in (DocItemLabel.TABLE, DocItemLabel.DOCUMENT_INDEX)
        own = table if cluster is element.cluster else None
        kind = _KINDS.get(cluster.label, "paragraph")
        yield from block_of(kind, _rows(cluster.cells), _extent(cluster.bbox), own, is_apart=is_apart)


def _with_children(cluster: Cluster) -> Iterator[Cluster]:
    yield cluster
    for child in cluster.children:
        yield from _with_children(child)


def _rows(cells: Sequence[TextCell]) -> list[Printed]:
    """The printed rows of a block's cells."""
    places = [(cell.text, _cell_place(cell)[0]) for cell in cells]
    words = [Word(text, place.left, place.top, place.right, place.bottom) for text, place in places]
    return [Printed(row.text, extent(row.words)) for row in rows(segments(words))]


def _table(element: DoclingTable) -> Table | None:
    cells = tuple(_cell(c) for c in element.table_cells if cleaned(c.text))
    return Table(row_count=element.num_rows, column_count=element.num_cols, cells=cells) if cells else None


def _cell(cell: TableCell) -> Cell:
    return Cell(
        row=cell.start_row_offset_idx,
        column=cell.start_col_offset_idx,
        row_span=max(1, cell.row_span),
        column_span=max(1, cell.col_span),
        text=cleaned(cell.text),
        role=_role(cell),
        box=box_of(_extent(cell.bbox)) if cell.bbox else None,
    )


def _role(cell: TableCell) -> CellRole:
    if cell.column_header:
        return "column_header"
    if cell.row_section:
        return "section"
    return "row_label" if cell.row_header else "value"


def _cell_place(cell: TextCell) -> tuple[Extent, bool]:
    """Where a cell is, and whether OCR read it."""
    return _extent(cell.rect.to_bounding_box()), cell.from_ocr


def _extent(box: BoundingBox) -> Extent:
    return Extent(box.l, box.t, box.r, box.b)


def block_of(
    kind: BlockKind, printed: Iterable[Printed], place: Placed, table: Table | None, *, is_apart: bool
) -> Iterator[Block]:
    """The block of some rows; none where they print nothing.

    Args:
        kind: of a block without a table.
        printed: the rows, from top to bottom.
        place: of the block.
        table: its grid.
        is_apart: whether its rows are no running text.
    """
    lines = tuple(Line(text=text, box=box_of(row.place)) for row in printed if (text := cleaned(row.text)))
    if not lines:
        return
    texts = [line.text for line in lines]
    yield Block(
        kind="table" if table else kind,
        text="\n".join(texts) if is_apart or kind == "furniture" else joined_lines(texts),
        box=box_of(place),
        lines=lines,
        level=1 if kind == "heading" else 0,
        table=table,
    )


def text_source(
    printed: Sequence[Sequence[Printed]], blocks: Sequence[Block]
) -> tuple[TextSource, tuple[Box, ...]]:
    """Where the words come from; where both sources were used, also the places that OCR read, by block."""
    if not blocks:
        return "none", ()
    read = [found for rows_ in printed if (found := [row.place for row in rows_ if row.is_read])]
    if not read:
        return "text_layer", ()
    if all(row.is_read for rows_ in printed for row in rows_):
        return "ocr", ()
    return "partly_ocr", tuple(box_of(extent(places)) for places in read)

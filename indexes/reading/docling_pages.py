"""Turns Docling's conversion result into page records. No other module sees Docling's objects.

The records are made from the assembled page elements, not from the document that Docling builds from them. The
elements still have their printed rows with boxes, a paragraph that continues on the next page is one element on each
page, and no element is missing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from docling.datamodel.base_models import Cluster, PageElement
from docling.datamodel.base_models import Page as DoclingPage
from docling.datamodel.base_models import Table as DoclingTable
from docling.datamodel.document import ConversionResult
from docling_core.types.doc.base import BoundingBox
from docling_core.types.doc.items.node import DocItem
from docling_core.types.doc.items.table.table_data import TableCell
from docling_core.types.doc.labels import DocItemLabel
from docling_core.types.doc.page import BoundingRectangle, TextCell

from indexes.layout.lines import rows, segments
from indexes.layout.words import Word, extent
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
    source, places = _text_source(elements, blocks)
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
        lines = _lines(cluster.cells)
        if not lines:
            continue
        kind = _kind(cluster)
        own = table if cluster is element.cluster else None
        yield Block(
            kind="table" if own else kind,
            text=_text(kind, lines, apart=cluster.label in (DocItemLabel.TABLE, DocItemLabel.DOCUMENT_INDEX)),
            box=_box(cluster.bbox),
            lines=lines,
            level=1 if kind == "heading" else 0,
            table=own,
        )


def _with_children(cluster: Cluster) -> Iterator[Cluster]:
    yield cluster
    for child in cluster.children:
        yield from _with_children(child)


def _kind(cluster: Cluster) -> BlockKind:
    return _KINDS.get(cluster.label, "paragraph")


def _text(kind: BlockKind, lines: Sequence[Line], apart: bool) -> str:
    texts = [line.text for line in lines]
    return "\n".join(texts) if apart or kind == "furniture" else joined_lines(texts)


def _lines(cells: Sequence[TextCell]) -> tuple[Line, ...]:
    """The printed rows of a block's cells."""
    places = [(cell.text, _box_around(cell.rect)) for cell in cells]
    words = [Word(text, box.left, box.top, box.right, box.bottom) for text, box in places]
    printed = [(row.text, extent(row.words)) for row in rows(segments(words))]
    return tuple(
        Line(text=text, box=Box(left=e.left, top=e.top, right=e.right, bottom=e.bottom))
        for raw, e in printed
        if (text := cleaned(raw))
    )


def _table(element: DoclingTable) -> Table | None:
    if not element.table_cells:
        return None
    cells = tuple(_cell(c) for c in element.table_cells if cleaned(c.text))
    if not cells:
        return None
    return Table(row_count=element.num_rows, column_count=element.num_cols, cells=cells)


def _cell(cell: TableCell) -> Cell:
    return Cell(
        row=cell.start_row_offset_idx,
        column=cell.start_col_offset_idx,
        row_span=max(1, cell.row_span),
        column_span=max(1, cell.col_span),
        text=cleaned(cell.text),
        role=_role(cell),
        box=_box(cell.bbox) if cell.bbox else None,
    )


def _role(cell: TableCell) -> CellRole:
    if cell.column_header:
        return "column_header"
    if cell.row_section:
        return "section"
    return "row_label" if cell.row_header else "value"


def _text_source(elements: Iterable[PageElement], blocks: Sequence[Block]) -> tuple[TextSource, tuple[Box, ...]]:
    """Where the words come from; where both sources were used, also the places that OCR read, by cluster."""
    if not blocks:
        return "none", ()
    clusters = [c.cells for e in elements for c in _with_children(e.cluster) if c.cells]
    read = [found for cells in clusters if (found := [cell for cell in cells if cell.from_ocr])]
    if not read:
        return "text_layer", ()
    if all(cell.from_ocr for cells in clusters for cell in cells):
        return "ocr", ()
    return "partly_ocr", tuple(_around(cells) for cells in read)


def _around(cells: Sequence[TextCell]) -> Box:
    return _box(BoundingBox.enclosing_bbox([cell.rect.to_bounding_box() for cell in cells]))


def _box_around(rect: BoundingRectangle) -> Box:
    xs, ys = (rect.r_x0, rect.r_x1, rect.r_x2, rect.r_x3), (rect.r_y0, rect.r_y1, rect.r_y2, rect.r_y3)
    return Box(left=min(xs), top=min(ys), right=max(xs), bottom=max(ys))


def _box(box: BoundingBox) -> Box:
    return Box(left=box.l, top=box.t, right=box.r, bottom=box.b)

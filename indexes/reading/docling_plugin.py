"""The geometric layout as plug-ins of Docling: a layout engine, an OCR engine and a table-structure engine.

Docling finds this module by the entry point `pageproof_geometric` and calls its three factory functions.
The layout engine gives each cluster its printed rows as cells, so Docling's post-processing is switched off.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Cluster, LayoutPrediction, Page, Table, TableStructurePrediction
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseLayoutOptions, BaseTableStructureOptions, OcrOptions
from docling.models.base_layout_model import BaseLayoutModel
from docling.models.base_ocr_model import BaseOcrModel
from docling.models.base_table_model import BaseTableStructureModel
from docling_core.types.doc.base import BoundingBox, CoordOrigin
from docling_core.types.doc.items.table.table_data import TableCell
from docling_core.types.doc.labels import DocItemLabel
from docling_core.types.doc.page import BoundingRectangle, ColorRGBA, TextCell

from indexes.layout.blocks import Kind, LayoutBlock
from indexes.layout.grid import Grid, GridCell
from indexes.layout.lines import Row
from indexes.layout.page_layout import Frame, main_turn, page_blocks, quarter_turn, table_grid
from indexes.layout.words import Extent, Placed, Word, extent
from indexes.reading.alphabets import Glyph
from indexes.reading.decoded_pages import DecodedPage
from indexes.reading.ocr_engine import PageOcrModel, PageOcrOptions, ReadWord, TextLayer
from indexes.reading.ocr_words import OCR_FONT

_LABELS: dict[Kind, DocItemLabel] = {
    "heading": DocItemLabel.SECTION_HEADER,
    "paragraph": DocItemLabel.TEXT,
    "list_item": DocItemLabel.LIST_ITEM,
    "listing": DocItemLabel.DOCUMENT_INDEX,
    "table": DocItemLabel.TABLE,
    "furniture": DocItemLabel.PAGE_FOOTER,
}


class GeometricLayoutOptions(BaseLayoutOptions):
    """Chooses the geometric layout engine, which has no options."""

    kind: ClassVar[str] = "pageproof_geometric_layout"


class GeometricTableOptions(BaseTableStructureOptions):
    """Chooses the geometric table-structure engine, which has no options."""

    kind: ClassVar[str] = "pageproof_geometric_tables"


class GeometricLayoutModel(BaseLayoutModel):
    """Blocks in reading order, from word positions and fonts. Clusters are numbered in that order."""

    requires_layout_postprocessing = False

    def __init__(
        self,
        artifacts_path: Path | None,
        accelerator_options: AcceleratorOptions,
        options: GeometricLayoutOptions,
        enable_remote_services: bool = False,
    ) -> None:
        """Docling's factory passes all four arguments; this engine needs no weights, accelerator or service."""
        del artifacts_path, accelerator_options, enable_remote_services
        self.options = options

    @classmethod
    def get_options_type(cls) -> type[BaseLayoutOptions]:
        """The options class by which Docling selects this engine."""
        return GeometricLayoutOptions

    def predict_layout(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[LayoutPrediction]:
        """One prediction for each page, in the given order."""
        del conv_res
        return [LayoutPrediction(clusters=_clusters(page)) for page in pages]


class GeometricOcrOptions(PageOcrOptions):
    """Chooses OCR with the geometric layout of its words."""

    kind: ClassVar[Literal["pageproof_geometric_ocr"]] = "pageproof_geometric_ocr"  # type: ignore[assignment]


class GeometricOcrModel(PageOcrModel):
    """OCR followed by a second layout of the page, since Docling computes the layout before OCR."""

    @classmethod
    def get_options_type(cls) -> type[OcrOptions]:
        """The options class by which Docling selects this engine."""
        return GeometricOcrOptions

    def text_layer(self, page: Page) -> TextLayer | None:
        """What the page has without OCR; None where it could not be parsed."""
        decoded = page._backend
        if not isinstance(decoded, DecodedPage):
            return None
        return TextLayer(decoded.text, [w for w, _ in decoded.words if w.text.strip()], decoded.pictures)

    def glyphs(self, page: Page) -> Sequence[Glyph]:
        """The printed characters of a page, whose letters may be wrong; none where they are not known."""
        return page._backend.glyphs() if isinstance(page._backend, DecodedPage) else ()

    def leaves_pictures(self, page: Page) -> bool:
        """Whether the pictures of a page with words are left to be read later."""
        return isinstance(page._backend, DecodedPage) and page._backend.leaves_pictures()

    def add_words(self, page: Page, words: Sequence[ReadWord], *, keep: bool) -> None:
        """Give the page the words that were read, beside its own ones or in their place, and lay it out again."""
        decoded = page._backend
        if isinstance(decoded, DecodedPage):
            new = [
                (Word(word.text, place.left, place.top, place.right, place.bottom, OCR_FONT), int(turn))
                for place, word, turn in words
            ]
            decoded.words = [*(decoded.words if keep else ()), *new]
            page.predictions.layout = LayoutPrediction(clusters=_clusters(page))


class GeometricTableModel(BaseTableStructureModel):
    """The grid of each table cluster, whichever layout engine found it."""

    def __init__(
        self,
        enabled: bool,
        artifacts_path: Path | None,
        options: GeometricTableOptions,
        accelerator_options: AcceleratorOptions,
        enable_remote_services: bool = False,
    ) -> None:
        """Docling's factory passes all five arguments; only `enabled` is used."""
        del artifacts_path, accelerator_options, enable_remote_services
        self.enabled = enabled
        self.options = options

    @classmethod
    def get_options_type(cls) -> type[BaseTableStructureOptions]:
        """The options class by which Docling selects this engine."""
        return GeometricTableOptions

    def predict_tables(
        self, conv_res: ConversionResult, pages: Sequence[Page]
    ) -> Sequence[TableStructurePrediction]:
        """One prediction for each page, in the given order."""
        del conv_res
        return [_page_tables(page) for page in pages]


def layout_engines() -> dict[str, list[type[BaseLayoutModel]]]:
    """Called by Docling's plug-in mechanism."""
    return {"layout_engines": [GeometricLayoutModel]}


def ocr_engines() -> dict[str, list[type[BaseOcrModel]]]:
    """Called by Docling's plug-in mechanism."""
    return {"ocr_engines": [PageOcrModel, GeometricOcrModel]}


def table_structure_engines() -> dict[str, list[type[BaseTableStructureModel]]]:
    """Called by Docling's plug-in mechanism."""
    return {"table_structure_engines": [GeometricTableModel]}


def _page_words(page: Page) -> tuple[Frame, list[Word], list[Word]]:
    """The page's rotation, its words turned upright, and, as displayed, the words that run in another direction."""
    words = page._backend.words if isinstance(page._backend, DecodedPage) else []
    size = page.size
    frame = Frame(size.width, size.height, main_turn(angle for _, angle in words)) if size else Frame(0, 0)
    along: list[Word] = []
    across: list[Word] = []
    for word, angle in words:
        if quarter_turn(angle) == frame.turn:
            along.append(frame.upright(word))
        else:
            across.append(word)
    return frame, along, across


def _clusters(page: Page) -> list[Cluster]:
    """The page's blocks in reading order. Words that run across the others come last, as "furniture"."""
    frame, along, across = _page_words(page)
    blocks = page_blocks(along)
    if isinstance(page._backend, DecodedPage):
        page._backend.grids = {i: (b.grid, len(b.words)) for i, b in enumerate(blocks) if b.grid is not None}
    found = [_cluster(i, block, frame) for i, block in enumerate(blocks)]
    if across:
        cells = [_cell(w.text, w, is_seen=w.font == OCR_FONT) for w in across]
        found.append(_labelled(len(found), DocItemLabel.PAGE_FOOTER, extent(across), cells))
    return found


def _cluster(number: int, block: LayoutBlock, frame: Frame) -> Cluster:
    cells = [_cell(row.text, frame.as_displayed(row), is_seen=_is_seen(row)) for row in block.rows]
    return _labelled(number, _LABELS[block.kind], frame.as_displayed(extent(block.rows)), cells)


def _labelled(number: int, label: DocItemLabel, place: Extent, cells: list[TextCell]) -> Cluster:
    return Cluster(id=number, label=label, confidence=1.0, bbox=_bounding_box(place), cells=list(cells))


def _is_seen(row: Row) -> bool:
    """Whether OCR read its longest word."""
    longest = max(row.words, key=lambda w: len(w.text)) if len(row.words) > 1 else row.words[0]
    return longest.font == OCR_FONT


_RECT = BoundingRectangle(
    r_x0=0, r_y0=0, r_x1=0, r_y1=0, r_x2=0, r_y2=0, r_x3=0, r_y3=0, coord_origin=CoordOrigin.TOPLEFT
)
_CELL = TextCell(index=0, rgba=ColorRGBA(r=0, g=0, b=0), rect=_RECT, text="", orig="", from_ocr=False)


def _cell(text: str, place: Placed, *, is_seen: bool) -> TextCell:
    """A cell of Docling's. It is a changed copy, with one colour for all, since a report has many thousands."""
    left, top, right, bottom = place.left, place.top, place.right, place.bottom
    corners = {"r_x0": left, "r_y0": bottom, "r_x1": right, "r_y1": bottom}
    rect = _RECT.model_copy(update=corners | {"r_x2": right, "r_y2": top, "r_x3": left, "r_y3": top})
    return _CELL.model_copy(update={"rect": rect, "text": text, "orig": text, "from_ocr": is_seen})


def _bounding_box(place: Placed) -> BoundingBox:
    return BoundingBox(l=place.left, t=place.top, r=place.right, b=place.bottom, coord_origin=CoordOrigin.TOPLEFT)


def _page_tables(page: Page) -> TableStructurePrediction:
    clusters = page.predictions.layout.clusters if page.predictions.layout else []
    tables = [c for c in clusters if c.label == DocItemLabel.TABLE]
    if not tables:
        return TableStructurePrediction()
    frame, along, _ = _page_words(page)
    known = page._backend.grids if isinstance(page._backend, DecodedPage) else {}
    grids = {c.id: (c, _grid_in(c, along, frame, *known.get(c.id, (None, 0)))) for c in tables}
    return TableStructurePrediction(
        table_map={i: _table(page.page_no, c, cells, frame) for i, (c, cells) in grids.items() if cells}
    )


def _grid_in(cluster: Cluster, words: Sequence[Word], frame: Frame, known: Grid | None, count: int) -> Grid | None:
    """The grid of the words whose centre is in the cluster: the one that the layout knows if it is of all of them.

    A label between two lines, which the layout takes for another block, is in the cluster too.
    """
    box = frame.upright_extent(Extent(cluster.bbox.l, cluster.bbox.t, cluster.bbox.r, cluster.bbox.b))
    # Of thousands of words, so the sums are compared, which are twice the middles.
    left, top, right, bottom = 2 * box.left, 2 * box.top, 2 * box.right, 2 * box.bottom
    inside = [w for w in words if left <= w.left + w.right <= right and top <= w.top + w.bottom <= bottom]
    return known if known is not None and len(inside) == count else table_grid(inside)


def _table(page_number: int, cluster: Cluster, cells: Grid, frame: Frame) -> Table:
    return Table(
        label=cluster.label,
        id=cluster.id,
        page_no=page_number,
        cluster=cluster,
        text="",
        otsl_seq=[],
        num_rows=cells.row_count,
        num_cols=cells.column_count,
        table_cells=[_table_cell(c, frame) for c in cells.cells],
    )


_TABLE_CELL = TableCell(
    start_row_offset_idx=0, end_row_offset_idx=1, start_col_offset_idx=0, end_col_offset_idx=1, text=""
)


def _table_cell(cell: GridCell, frame: Frame) -> TableCell:
    return _TABLE_CELL.model_copy(
        update={
            "start_row_offset_idx": cell.row,
            "end_row_offset_idx": cell.row + 1,
            "start_col_offset_idx": cell.column,
            "end_col_offset_idx": cell.column + cell.column_span,
            "col_span": cell.column_span,
            "text": cell.text,
            "bbox": _bounding_box(frame.as_displayed(cell.extent)),
            "column_header": cell.role == "column_header",
            "row_header": cell.role == "row_label",
            "row_section": cell.role == "section",
        }
    )

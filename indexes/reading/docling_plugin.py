"""What Docling runs of ours: an OCR engine, and a pipeline that lays out pages by where their words stand.

Docling finds this module by the entry point `pageproof_geometric` and calls `ocr_engines`. The pipeline makes page
records of the words themselves: Docling's objects of cells, clusters and tables between them would take longer than the
layout.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from docling.backend.abstract_backend import AbstractDocumentBackend
from docling.datamodel.base_models import ConversionStatus, DoclingComponentType, ErrorItem
from docling.datamodel.base_models import Page as DoclingPage
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import PdfPipelineOptions
from docling.models.base_ocr_model import BaseOcrModel
from docling.pipeline.base_pipeline import ConvertPipeline, get_expected_page_nos

from indexes.layout.blocks import LayoutBlock
from indexes.layout.page_layout import Frame, main_turn, page_blocks, quarter_turn, table_grid
from indexes.layout.words import Word, box_of, extent
from indexes.reading.alphabets import Glyph
from indexes.reading.decoded_pages import DecodedDocument, DecodedPage
from indexes.reading.docling_pages import Printed, block_of, text_source
from indexes.reading.ocr_engine import PageOcrModel, PageOcrOptions, ReadWord, TextLayer
from indexes.reading.ocr_words import OCR_FONT
from indexes.text_quality import cleaned
from storage.records.pages import Block, BlockKind, Cell, Page, Table


def ocr_engines() -> dict[str, list[type[BaseOcrModel]]]:
    """Called by Docling's plug-in mechanism."""
    return {"ocr_engines": [PageOcrModel]}


class GeometricPipeline(ConvertPipeline):
    """Reads pages one after the other into the records that their document's backend collects."""

    def __init__(self, pipeline_options: PdfPipelineOptions) -> None:
        """Load OCR where it is wanted.

        Raises:
            ImportError: OCR's runtime is missing.
        """
        super().__init__(pipeline_options)
        self._ocr: _DecodedOcr | None = None
        if pipeline_options.do_ocr and isinstance(pipeline_options.ocr_options, PageOcrOptions):
            accelerator = pipeline_options.accelerator_options
            self._ocr = _DecodedOcr(True, None, pipeline_options.ocr_options, accelerator)

    @classmethod
    def get_default_options(cls) -> PdfPipelineOptions:
        """Docling's."""
        return PdfPipelineOptions()

    @classmethod
    def is_backend_supported(cls, backend: AbstractDocumentBackend) -> bool:
        """Whether the pages come with words."""
        return isinstance(backend, DecodedDocument)

    def _build_document(self, conv_res: ConversionResult) -> ConversionResult:
        backend, seconds = conv_res.input._backend, self.pipeline_options.document_timeout
        assert isinstance(backend, DecodedDocument)
        numbers, begun = get_expected_page_nos(conv_res), time.monotonic()
        for number in numbers:
            decoded = backend.load_page(number - 1)
            if not decoded.is_valid():
                return _stopped(conv_res, decoded.get_error_message())
            page = DoclingPage(page_no=number, size=decoded.get_size())
            page._backend = decoded
            if self._ocr:
                list(self._ocr(conv_res, [page]))
            page._backend = None
            backend.findings.pages.append(record_of(decoded, backend.findings.sha1))
            conv_res.pages.append(page)
            conv_res._progress.page_completed(number, total_pages=len(numbers), success=True)
            if seconds is not None and time.monotonic() - begun > seconds:
                return _stopped(conv_res, f"reading took longer than {seconds:g} s")
        return conv_res

    def _determine_status(self, conv_res: ConversionResult) -> ConversionStatus:
        return ConversionStatus.PARTIAL_SUCCESS if conv_res.errors else ConversionStatus.SUCCESS

    def _unload(self, conv_res: ConversionResult) -> None:
        if isinstance(conv_res.input._backend, DecodedDocument):
            conv_res.input._backend.unload()


def _stopped(conv_res: ConversionResult, why: str) -> ConversionResult:
    error = ErrorItem(component_type=DoclingComponentType.PIPELINE, module_name=__name__, error_message=why)
    conv_res.errors.append(error)
    return conv_res


class _DecodedOcr(PageOcrModel):
    """OCR of pages whose words are in their backend."""

    def text_layer(self, page: DoclingPage) -> TextLayer | None:
        """What the page has without OCR."""
        decoded = _decoded(page)
        return TextLayer(decoded.text, [w for w, _ in decoded.words if w.text.strip()], decoded.pictures)

    def glyphs(self, page: DoclingPage) -> Sequence[Glyph]:
        """The printed characters of a page, whose letters may be wrong; none where they are not known."""
        return _decoded(page).glyphs()

    def leaves_pictures(self, page: DoclingPage) -> bool:
        """Whether the pictures of a page with words are left to be read later."""
        return _decoded(page).leaves_pictures()

    def add_words(self, page: DoclingPage, words: Sequence[ReadWord], *, keep: bool) -> None:
        """Give the page the words that were read, beside its own ones or in their place."""
        decoded = _decoded(page)
        new = [
            (Word(word.text, place.left, place.top, place.right, place.bottom, OCR_FONT), int(turn))
            for place, word, turn in words
        ]
        decoded.words = [*(decoded.words if keep else ()), *new]


def _decoded(page: DoclingPage) -> DecodedPage:
    assert isinstance(page._backend, DecodedPage)
    return page._backend


@dataclass(frozen=True)
class Upright:
    """A page's words, turned so that most of them run from left to right.

    Attributes:
        frame: the page's rotation.
        along: the words turned upright.
        across: those that run in another direction, as displayed.
    """

    frame: Frame
    along: list[Word]
    across: list[Word]

    @classmethod
    def of(cls, decoded: DecodedPage) -> "Upright":
        """The words of a page."""
        words, size = decoded.words, decoded.get_size()
        angles = [angle for _, angle in words]
        frame = Frame(size.width, size.height, main_turn(angles))
        turned = {angle for angle in set(angles) if quarter_turn(angle) != frame.turn}
        along = [word for word, angle in words if angle not in turned] if turned else [word for word, _ in words]
        across = [word for word, angle in words if angle in turned] if turned else []
        return cls(frame, [frame.upright(word) for word in along] if frame.turn else along, across)


def record_of(decoded: DecodedPage, sha1: str) -> Page:
    """The record of a page: its blocks in reading order; words that run across the others come last, as "furniture"."""
    words = Upright.of(decoded)
    has_read = any(word.font == OCR_FONT for word, _ in decoded.words)
    printed: list[list[Printed]] = []
    blocks: list[Block] = []
    for block in page_blocks(words.along):
        rows = [Printed(r.text, words.frame.as_displayed(r), has_read and _is_read(r.words)) for r in block.rows]
        table = _table(block, words) if block.kind == "table" else None
        kind: BlockKind = "paragraph" if block.kind == "listing" or block.kind == "table" else block.kind
        place = words.frame.as_displayed(extent(block.rows))
        blocks += block_of(kind, rows, place, table, is_apart=kind != block.kind)
        printed.append(rows)
    if words.across:
        printed.append([Printed(word.text, word, word.font == OCR_FONT) for word in words.across])
        blocks += block_of("furniture", printed[-1], extent(words.across), None, is_apart=True)
    source, places = text_source(printed, blocks)
    size = decoded.get_size()
    return Page(
        report_sha1=sha1,
        page_number=decoded.page_no,
        width=size.width,
        height=size.height,
        blocks=tuple(blocks),
        text_source=source,
        ocr_boxes=places,
        annotation_boxes=tuple(map(box_of, decoded.notes)),
        hidden_text=decoded.hidden,
        unread_pictures=decoded.has_unread_pictures,
    )


def _is_read(words: Sequence[Word]) -> bool:
    """Whether OCR read the longest of them."""
    return max(words, key=lambda word: len(word.text)).font == OCR_FONT


def _table(block: LayoutBlock, words: Upright) -> Table | None:
    """The table of all words whose middle is in the block: the one that the layout knows, if it is of all of them.

    A label between two lines, which the layout takes for another block, is in it too.
    """
    box = extent(block.rows)
    # Of thousands of words, so the sums are compared, which are twice the middles.
    left, top, right, bottom = 2 * box.left, 2 * box.top, 2 * box.right, 2 * box.bottom
    inside = [w for w in words.along if left <= w.left + w.right <= right and top <= w.top + w.bottom <= bottom]
    grid = block.grid if block.grid is not None and len(inside) == len(block.words) else table_grid(inside)
    cells = tuple(
        Cell(
            row=cell.row,
            column=cell.column,
            column_span=max(1, cell.column_span),
            text=text,
            role=cell.role,
            box=box_of(words.frame.as_displayed(cell.extent)),
        )
        for cell in (grid.cells if grid else ())
        if (text := cleaned(cell.text))
    )
    return Table(row_count=grid.row_count, column_count=grid.column_count, cells=cells) if grid and cells else None

"""Reading PDFs through Docling's standard pipeline, as a LlamaIndex reader.

Importing this module loads Docling, its plug-ins and torch (seconds, hundreds of megabytes): import it late.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Self

from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.backend_options import ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import ConversionStatus, InputFormat
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import ThreadedPdfPipelineOptions
from docling.datamodel.progress import BaseConversionProgress, PageCompletedProgress
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling.models.factories import get_layout_factory, get_ocr_factory, get_table_structure_factory
from llama_index.core.schema import Document
from llama_index.readers.docling import DoclingReader as LlamaIndexDoclingReader

from indexes.enrichment.continuations import in_report
from indexes.enrichment.sections import outline_of, with_sections
from indexes.options import ReaderOptions
from indexes.preflight import check_pages, preflight, sound_pdf, too_large
from indexes.reading.decoded_pages import DecodedDocument, DecodedOptions, Findings
from indexes.reading.docling_pages import pages_of
from indexes.reading.docling_plugin import GeometricPipeline
from indexes.reading.ocr_engine import PageOcrOptions
from indexes.report_identity.identity import year_names
from storage.errors import DocumentError, SetupError
from storage.process_memory import searching_seldom
from storage.records.pages import Page

logger = logging.getLogger(__name__)
for _factory in (get_layout_factory, get_ocr_factory, get_table_structure_factory):
    _factory(allow_external_plugins=True)  # loads all engines now, before reading processes are forked
_PAGES_IN_FLIGHT = 8  # parsed pages waiting for the pipeline; bounds memory


class DoclingReader(LlamaIndexDoclingReader):
    """Reads PDFs into page records, or into one LlamaIndex document for each page.

    With `leaves_pictures`, pictures on pages with words are not looked at; `with_pictures` reads them later.
    """

    layout: Literal["geometric", "neural"] = "geometric"
    hidden_text: Literal["apart", "read"] = "apart"
    leaves_pictures: bool = False

    @classmethod
    def from_options(cls, options: ReaderOptions, *, leaves_pictures: bool = False) -> Self:
        """A reader with a loaded pipeline.

        Args:
            options: what to read, and how.
            leaves_pictures: leave them for later, where the geometric layout is chosen.

        Raises:
            SetupError: OCR's runtime is missing; or `layout` is "neural" and Docling's weights are missing.
        """
        return cls(
            doc_converter=_converter(options),
            layout=options.layout,
            hidden_text=options.hidden_text,
            leaves_pictures=leaves_pictures,
        )

    @searching_seldom()
    def read_pages(self, path: Path, sha1: str, on_page: Callable[[int, int], None] | None = None) -> list[Page]:
        """One record for every physical page, in order.

        Args:
            path: the PDF.
            sha1: its SHA-1, which is written into the records.
            on_page: called with the number of pages done and of all pages, from another thread, in any order.

        Raises:
            DocumentError: the PDF cannot be read completely.
        """
        with sound_pdf(path) as document:
            whole = range(1, len(document) + 1)
        return self.joined(path, self.read_part(path, sha1, whole, on_page))

    def read_part(
        self, path: Path, sha1: str, page_numbers: range, on_page: Callable[[int, int], None] | None = None
    ) -> list[Page]:
        """Some consecutive pages, without what only the whole report tells of them; see `joined`.

        Args:
            path: the PDF.
            sha1: its SHA-1, which is written into the records.
            page_numbers: from 1, without gaps.
            on_page: as for `read_pages`, with the numbers of this part.

        Raises:
            DocumentError: one of the pages cannot be read.
        """
        return self._read(path, sha1, page_numbers, on_page, leaves_pictures=self.leaves_pictures)

    def with_pictures(
        self, path: Path, pages: Sequence[Page], on_page: Callable[[int, int], None] | None = None
    ) -> list[Page]:
        """All pages of a PDF, in order, with what the pictures say that were left.

        Args:
            path: the PDF.
            pages: all of them, as they were read; those with unread pictures are read again.
            on_page: called with the number of these that are done, and of all of them.

        Raises:
            DocumentError: one of them cannot be read.
        """
        left = [page.page_number for page in pages if page.unread_pictures]
        again: dict[int, Page] = {}
        for numbers in _runs(left):
            read = self._read(path, pages[0].report_sha1, numbers, None, leaves_pictures=False)
            again |= {page.page_number: page for page in read}
            if on_page:
                on_page(len(again), len(left))
        return self.joined(path, [again.get(page.page_number, page) for page in pages])

    @searching_seldom()
    def _read(
        self,
        path: Path,
        sha1: str,
        page_numbers: range,
        on_page: Callable[[int, int], None] | None,
        *,
        leaves_pictures: bool,
    ) -> list[Page]:
        findings = Findings(sha1)
        options = self.doc_converter.format_to_options[InputFormat.PDF].backend_options
        if isinstance(options, DecodedOptions):
            options.leaves_out_hidden = self.hidden_text == "apart"
            options.leaves_pictures = leaves_pictures
            options.findings = findings
        else:
            check_pages(path, page_numbers)
        result = self.doc_converter.convert(
            path,
            raises_on_error=False,
            page_range=(page_numbers[0], page_numbers[-1]),
            progress_callback=_progress(on_page),
        )
        if findings.problem:
            raise too_large(path, *findings.problem)
        _check(path, result, page_numbers)
        return findings.pages or pages_of(result, sha1)

    @searching_seldom()
    def joined(self, path: Path, pages: Sequence[Page]) -> list[Page]:
        """All pages of a PDF, in order, with what follows from the pages around each: headers, contexts, sections."""
        return with_sections(in_report(pages, year_names), outline_of(path))

    def lazy_load_data(
        self,
        file_path: str | Path | Iterable[str] | Iterable[Path],
        extra_info: dict[str, Any] | None = None,
        fs: Any = None,
    ) -> Iterator[Document]:
        """One document for each page, with `page` (1-based), `file` and `sha1` in its metadata."""
        del fs
        for path in [file_path] if isinstance(file_path, str | Path) else file_path:
            report = preflight(Path(path))
            for page in self.read_pages(Path(path), report.sha1):
                yield Document(
                    doc_id=f"{report.sha1}:{page.page_number}",
                    text=page.markdown,
                    metadata={
                        **(extra_info or {}),
                        "page": page.page_number,
                        "file": Path(path).name,
                        "sha1": report.sha1,
                    },
                )


def _runs(numbers: Sequence[int]) -> Iterator[range]:
    """Ascending numbers as ranges without gaps."""
    for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        found = [number for _, number in run]
        yield range(found[0], found[-1] + 1)


def _converter(options: ReaderOptions) -> DocumentConverter:
    pipeline = ThreadedPdfPipelineOptions(
        do_ocr=options.ocr != "off",
        do_table_structure=True,
        document_timeout=options.seconds_per_document,
        allow_external_plugins=True,
        accelerator_options=AcceleratorOptions(device=options.device),
        artifacts_path=options.weights if options.layout == "neural" else None,
        layout_batch_size=options.batch_size,
        table_batch_size=options.batch_size,
        ocr_batch_size=1,
        queue_max_size=_PAGES_IN_FLIGHT,
    )
    if options.ocr != "off":
        pipeline.ocr_options = PageOcrOptions(read=options.ocr, threads=options.parser_threads)
    converter = DocumentConverter(
        allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: _pdf_option(options, pipeline)}
    )
    try:
        converter.initialize_pipeline(InputFormat.PDF)
    except ImportError as error:
        raise SetupError(
            f"reader.ocr={options.ocr!r} needs rapidocr and onnxruntime ({error}); run `make setup`, "
            "or choose reader.ocr='off'"
        ) from error
    except (OSError, RuntimeError) as error:  # raised by the hub and the loaders for missing weights
        raise SetupError(_missing_weights(options.layout, error)) from error
    return converter


def _pdf_option(options: ReaderOptions, pipeline: ThreadedPdfPipelineOptions) -> PdfFormatOption:
    """Docling's own pipeline and parser for its own models; for the geometric layout, those of plain records."""
    if options.layout == "neural":
        parser = ThreadedDoclingParseBackendOptions(
            parser_threads=options.parser_threads, max_concurrent_results=_PAGES_IN_FLIGHT
        )
        return PdfFormatOption(pipeline_options=pipeline, backend_options=parser)
    return PdfFormatOption(
        pipeline_cls=GeometricPipeline,
        backend=DecodedDocument,
        pipeline_options=pipeline,
        backend_options=DecodedOptions(),
    )


def _missing_weights(layout: str, error: Exception) -> str:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return (
        f"reader.layout={layout!r} needs Docling's layout and TableFormer weights, which are not on this machine "
        f"({reason}); run `docling-tools models download` and set reader.weights (or DOCLING_ARTIFACTS_PATH) to its "
        "folder, or choose reader.layout='geometric', which needs none"
    )


def _progress(on_page: Callable[[int, int], None] | None) -> Callable[[BaseConversionProgress], None] | None:
    if on_page is None:
        return None

    def on_event(event: BaseConversionProgress) -> None:
        if isinstance(event, PageCompletedProgress):
            on_page(event.completed_pages, event.total_pages)

    return on_event


def _check(path: Path, result: ConversionResult, page_numbers: range) -> None:
    """Raise an error unless every page was read."""
    read = {page.page_no for page in result.pages}
    missing = [number for number in page_numbers if number not in read]
    if result.status is ConversionStatus.SUCCESS and not missing:
        return
    for reason in dict.fromkeys(e.error_message for e in result.errors):
        logger.info("%s: %s", path, reason)
    where = f"page {missing[0]}" if missing else f"one of pages {page_numbers[0]} to {page_numbers[-1]}"
    raise DocumentError(
        f"{path}: {where} cannot be read; the PDF is damaged, or reading took longer than "
        "reader.seconds_per_document allows; export it again, or raise that setting"
    )

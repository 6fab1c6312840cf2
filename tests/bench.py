"""`make bench`: what is slow or fast here, each as a ratio to a reference in the same run. Prints Markdown.

Reads the reports in PAGEPROOF_REAL_REPORTS where that is set, else the samples.
"""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pypdfium2
from docling.datamodel.base_models import InputFormat
from docling.document_converter import DocumentConverter, NativePdfFormatOption

from indexes.docling_reader import DoclingReader
from indexes.options import ReaderOptions

REPORTS = 3
SAMPLES = Path(__file__).parent.parent / "app" / "samples"


def main() -> None:
    root = os.environ.get("PAGEPROOF_REAL_REPORTS")
    reports = sorted((Path(root) / "reports" if root else SAMPLES).glob("*.pdf"))[:REPORTS]
    ours = DoclingReader.from_options(ReaderOptions())
    native = DocumentConverter(
        allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: NativePdfFormatOption()}
    )
    native.initialize_pipeline(InputFormat.PDF)
    speeds = {
        "Pageproof, geometric, 1 parser thread": pages_per_second(
            lambda p: len(ours.read_pages(p, "0" * 40)), reports
        ),
        "Docling NativePdfPipeline (no tables)": pages_per_second(lambda p: len(native.convert(p).pages), reports),
        "pypdfium2, text only": pages_per_second(raw_text, reports),
    }
    reference = speeds["Docling NativePdfPipeline (no tables)"]
    print("| reading | pages/s | ratio |\n|---|---|---|")
    for name, speed in speeds.items():
        print(f"| {name} | {speed:.1f} | {speed / reference:.2f} |")


def pages_per_second(read: Callable[[Path], int], reports: Sequence[Path]) -> float:
    started = time.perf_counter()
    pages = sum(read(path) for path in reports)
    return pages / (time.perf_counter() - started)


def raw_text(path: Path) -> int:
    document = pypdfium2.PdfDocument(path)
    for page in document:
        page.get_textpage().get_text_range()
    return len(document)


if __name__ == "__main__":
    main()

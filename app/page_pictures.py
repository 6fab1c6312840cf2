"""Pictures of report pages, with highlighted passages of an answer."""

import io
import logging
import re
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
from PIL import Image, ImageChops, ImageDraw

from indexes.preflight import PDFIUM
from storage.errors import DocumentError, UsageError
from storage.files import write_atomically
from storage.paths import DataPaths
from storage.records.record import Box

logger = logging.getLogger(__name__)
PIXELS_PER_POINT = 2.0
LONGEST_SIDE = 4000  # pixels; larger pages are drawn smaller
_HIGHLIGHT = (255, 214, 0)
_PADDING = 1.5  # points around each box, so that the mark does not cut the letters
_SHA1 = re.compile(r"[0-9a-f]{40}")


class PagePictures:
    """Draws pages of the library's PDFs. Pages without marks are stored on disk; marks are drawn at each call."""

    def __init__(self, paths: DataPaths) -> None:
        self._paths = paths

    def png(self, sha1: str, page_number: int, boxes: Sequence[Box] = ()) -> bytes:
        """A page as PNG, with the boxes marked.

        Args:
            sha1: of the report.
            page_number: 1-based.
            boxes: places to mark, in points of the displayed page from the top left; parts outside the page are
                cut off.

        Raises:
            UsageError: the page does not exist, or the SHA-1 is invalid.
            DocumentError: the PDF is missing or cannot be drawn.
        """
        if not _SHA1.fullmatch(sha1):
            raise UsageError(f"{sha1!r} does not name a report: expected the 40 hex digits of a SHA-1")
        stored = self._paths.pictures / sha1 / f"{page_number:04d}.png"
        png = stored.read_bytes() if stored.is_file() else b""
        if not is_picture(png):
            png = _draw(self._paths.report_pdf(sha1), page_number)
            _store(stored, png)
        return _mark(png, boxes) if boxes else png


def is_picture(png: bytes) -> bool:
    """Whether a file's content is a whole picture."""
    try:
        with Image.open(io.BytesIO(png)) as picture:
            picture.verify()
    except (OSError, SyntaxError, ValueError):
        return False
    return True


def _store(path: Path, png: bytes) -> None:
    """Keep a picture for the next time; where it cannot be kept, it is drawn again then."""
    try:
        write_atomically(path, png)
    except OSError as error:
        logger.warning("the picture %s cannot be stored: %s", path, error)


def _draw(pdf: Path, page_number: int) -> bytes:
    with PDFIUM:
        try:
            document = pypdfium2.PdfDocument(pdf)
        except (pypdfium2.PdfiumError, FileNotFoundError) as error:
            raise DocumentError(f"report {pdf.stem} cannot be drawn: {error}; ingest it again") from error
        try:
            if not 1 <= page_number <= len(document):
                raise UsageError(f"report {pdf.stem} has no page {page_number}: it has {len(document)} pages")
            page = document[page_number - 1]
            scale = min(PIXELS_PER_POINT, LONGEST_SIDE / max(page.get_size()))
            image = page.render(scale=scale).to_pil().convert("RGB")
        except pypdfium2.PdfiumError as error:
            raise DocumentError(f"page {page_number} of report {pdf.stem} cannot be drawn: {error}") from error
        finally:
            document.close()
    # The scale is stored in the picture, so that marks fit it later.
    return _encoded(image, dpi=72 * scale)


def _mark(png: bytes, boxes: Sequence[Box]) -> bytes:
    with Image.open(io.BytesIO(png)) as page:
        dpi = page.info["dpi"][0]
        ink = Image.new("RGB", page.size, "white")
        pen = ImageDraw.Draw(ink)
        for box in boxes:
            corners = (
                box.left - _PADDING,
                box.top - _PADDING,
                box.right + _PADDING,
                box.bottom + _PADDING,
            )
            pen.rectangle([corner * dpi / 72 for corner in corners], fill=_HIGHLIGHT)
        return _encoded(_under_the_letters(page.convert("RGB"), ink), dpi=dpi)


def _under_the_letters(page: Image.Image, ink: Image.Image) -> Image.Image:
    """Marks that colour the paper and leave black letters black, like a highlighter."""
    return Image.blend(page, ImageChops.multiply(page, ink), 0.6)


def _encoded(image: Image.Image, dpi: float) -> bytes:
    target = io.BytesIO()
    image.save(target, format="PNG", dpi=(dpi, dpi), compress_level=4)
    return target.getvalue()

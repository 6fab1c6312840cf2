"""Readers of the user's own, also LlamaIndex's: what they give is looked at, and their errors are their own."""

import contextlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from indexes.options import ReaderOptions
from indexes.reading.pool import PageReader, PictureReader
from storage.components import make_component, of_the_user
from storage.errors import ComponentError, UsageError
from storage.records.pages import Block, Page
from storage.records.record import Box
from storage.text import storable

OnPage = Callable[[int, int], None]


@runtime_checkable
class DocumentReader(Protocol):
    """A LlamaIndex reader."""

    def load_data(self, *args: Any, **kwargs: Any) -> list[Any]:
        """LlamaIndex documents of a file: one for each page, or each with its page."""
        ...


def own_reader(options: ReaderOptions) -> PageReader:
    """The reader of a class of one's own; it is made in the reading process.

    Raises:
        UsageError: it is no reader.
    """
    made: object = make_component("readers", options.kind, options.options, "reader.kind", object)
    if not isinstance(made, PageReader | DocumentReader):
        raise UsageError(
            f"reader.kind: {options.kind!r} makes a {type(made).__name__}, expected a PageReader with "
            "`read_pages(path, sha1, on_page)`, or a reader of LlamaIndex"
        )
    return guarded(made)


def guarded(reader: PageReader | DocumentReader) -> PageReader:
    """A reader of the user's own, whose errors are its own and whose pages are looked at."""
    return _OwnPictureReader(reader) if isinstance(reader, PictureReader) else _OwnReader(reader)


class _OwnReader:
    """Reads with a class of the user's own, also one of LlamaIndex's."""

    def __init__(self, inner: PageReader | DocumentReader) -> None:
        self._inner = inner
        self._what = f"the reader {type(inner).__name__}"

    def read_pages(self, path: Path, sha1: str, on_page: OnPage | None = None) -> list[Page]:
        with of_the_user(self._what):
            if isinstance(self._inner, PageReader):
                return self._pages(self._inner.read_pages(path, sha1, on_page))
            found = self._inner.load_data(*_file_for(self._inner, path))
        return self._pages(_pages_of_documents(self._what, found, path, sha1))

    def _pages(self, found: object) -> list[Page]:
        if not isinstance(found, list | tuple) or not found:
            raise ComponentError(f"{self._what} gave {_of_what(found)}, expected a list of Page records")
        if strange := next((page for page in found if not isinstance(page, Page)), None):
            raise ComponentError(f"{self._what} gave {_of_what(strange)} among the pages, expected Page records")
        numbers = [page.page_number for page in found]
        if numbers != list(range(1, len(found) + 1)):
            raise ComponentError(f"{self._what} gave the pages {numbers[:9]}, expected all in order, from page 1")
        return list(found)


class _OwnPictureReader(_OwnReader):
    """The same of a class that leaves pictures for later."""

    def with_pictures(self, path: Path, pages: Sequence[Page], on_page: OnPage | None = None) -> list[Page]:
        with of_the_user(self._what):
            return self._pages(cast(PictureReader, self._inner).with_pictures(path, pages, on_page))


_FILE_NAMES = ("file", "file_path", "input_file", "path", "pdf_path")  # as LlamaIndex's readers call it
_NUMBERS = ("page_number", "page")  # where documents say of which page they are, 1-based


def _file_for(reader: DocumentReader, path: Path) -> tuple[Path]:
    """What a LlamaIndex reader is called with.

    Raises:
        ComponentError: it does not read a file.
    """
    first = next(iter(inspect.signature(reader.load_data).parameters), "")
    if first not in _FILE_NAMES:
        raise ComponentError(
            f"the reader {type(reader).__name__} does not read one file: its load_data takes {first or 'nothing'!r} "
            f"first, expected {' or '.join(_FILE_NAMES)}"
        )
    return (path,)


def _pages_of_documents(what: str, documents: object, path: Path, sha1: str) -> list[Page]:
    """Pages whose text is that of a LlamaIndex reader's documents. Which page it is is never guessed.

    Raises:
        ComponentError: the documents do not say it, and there is not one for each page.
    """
    from pypdfium2 import PdfDocument  # late: only this reader needs PDFium

    if not isinstance(documents, list) or not all(hasattr(one, "get_content") for one in documents):
        raise ComponentError(f"{what} gave {_of_what(documents)}, expected a list of LlamaIndex documents")
    with contextlib.closing(PdfDocument(path)) as pdf:
        sizes = [page.get_size() for page in pdf]
    given = [next((one.metadata[key] for key in _NUMBERS if key in one.metadata), None) for one in documents]
    numbers = [int(str(number)) if str(number).isdecimal() else 0 for number in given]
    if not all(numbers) and len(documents) == len(sizes):
        numbers = list(range(1, len(sizes) + 1))
    if not documents or not all(1 <= number <= len(sizes) for number in numbers):
        raise ComponentError(
            f"{what} gave {len(documents)} documents for {len(sizes)} pages, without `page_number` in their metadata; "
            "expected one document for each page, since every answer names its page"
        )
    texts: dict[int, list[str]] = {}
    for number, document in zip(numbers, documents, strict=True):
        texts.setdefault(number, []).append(storable(document.get_content()))
    return [
        _page_of_text(sha1, number, size, "\n\n".join(texts.get(number, ())))
        for number, size in enumerate(sizes, start=1)
    ]


def _page_of_text(sha1: str, number: int, size: tuple[float, float], text: str) -> Page:
    """A page of paragraphs, each of which may stand anywhere on it."""
    width, height = size
    box = Box(left=0, top=0, right=width, bottom=height)
    parts = (part.strip() for part in text.split("\n\n"))
    blocks = tuple(Block(kind="paragraph", text=part, box=box) for part in parts if part)
    return Page(report_sha1=sha1, page_number=number, width=width, height=height, blocks=blocks)


def _of_what(found: object) -> str:
    if isinstance(found, list | tuple):
        return "an empty list" if not found else f"a list of {type(found[0]).__name__}"
    return "nothing" if found is None else f"a {type(found).__name__}"

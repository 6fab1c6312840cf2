"""Functions that build the parsers; they can be sent to a reading process."""

from indexes.options import ReaderOptions
from indexes.reading.pool import PageReader


def docling_reader(options: ReaderOptions) -> PageReader:
    """The reader for `reader.kind=docling`."""
    # imported late: it loads torch, which only the reading processes need
    from indexes.reading.docling_reader import DoclingReader

    return DoclingReader.from_options(options)


def mineru_reader(options: ReaderOptions, key: str = "") -> PageReader:
    """The reader for `reader.kind=mineru`."""
    from indexes.mineru.reader import MineruReader  # imported late: it loads an HTTP client

    return MineruReader.from_options(options, key)

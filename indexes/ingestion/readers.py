"""The parsers by name, as functions that a reading process can be sent."""

from indexes.mineru.reader import MineruReader
from indexes.options import ReaderOptions
from indexes.reading.pool import PageReader


def docling_reader(options: ReaderOptions) -> PageReader:
    """What the reading processes read with."""
    from indexes.reading.docling_reader import (
        DoclingReader,  # late: pulls in torch, and only the reading processes need it
    )

    return DoclingReader.from_options(options)


def mineru_reader(options: ReaderOptions, key: str = "") -> PageReader:
    """The same for `reader.kind=mineru`."""
    return MineruReader.from_options(options, key)

"""The parser of the settings, as the reading processes make it."""

from collections.abc import Mapping
from functools import partial

from indexes.ingestion import docling_reader, mineru_reader
from indexes.mineru.transport import KEY_VARIABLE
from indexes.options import ReaderOptions
from indexes.reading_pool import MakeReader


def reader_maker(options: ReaderOptions, environment: Mapping[str, str]) -> MakeReader:
    """What makes the reader in each reading process; it is sent there, with the key that the process has not."""
    if options.kind == "mineru":
        return partial(mineru_reader, key=environment.get(KEY_VARIABLE, "").strip())
    return docling_reader

"""Builds what reads PDFs: the chosen parser, in processes of this machine or of a Ray cluster."""

import os
import secrets
import sys
from collections.abc import Mapping
from functools import partial

from indexes.options import IngestOptions, ReaderOptions
from indexes.reading.pool import MakePool, MakeReader, ReadingPool, docling_reader, mineru_reader
from storage.errors import MissingExtra

_AUTHENTICATION = "RAY_AUTH_MODE"


def reader_maker(options: ReaderOptions, environment: Mapping[str, str]) -> MakeReader:
    """A function that makes the reader in each reading process; it carries the key, which the process does not have."""
    if options.kind == "mineru":
        from indexes.mineru.transport import KEY_VARIABLE  # late: it loads an HTTP client

        return partial(mineru_reader, key=environment.get(KEY_VARIABLE, "").strip())
    return docling_reader


def reading_pools(options: IngestOptions) -> MakePool:
    """A function that makes the reading pool; a cluster that it starts accepts work only from this process.

    Raises:
        MissingExtra: Ray is chosen and not installed.
    """
    if options.executor == "local":
        return ReadingPool
    if options.ray_address is None and "ray" not in sys.modules and _AUTHENTICATION not in os.environ:
        # Ray would listen on every network of this machine; it reads this variable once, when it is imported.
        os.environ |= {_AUTHENTICATION: "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        # imported late: it is an optional package and takes a second
        from indexes.reading.ray_pool import RayReadingPool
    except ImportError as error:
        raise MissingExtra(
            f"ingest.executor=ray needs a package that is not installed ({error.name}); "
            "run `pip install 'pageproof[ray]'`, on every machine of the cluster"
        ) from error
    return partial(RayReadingPool, address=options.ray_address)

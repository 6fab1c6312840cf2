"""What reads the PDFs: the parser of the settings, in processes of this machine or of a Ray cluster."""

import os
import secrets
import sys
from collections.abc import Mapping
from functools import partial

from indexes.ingestion.readers import docling_reader, mineru_reader
from indexes.mineru.transport import KEY_VARIABLE
from indexes.options import IngestOptions, ReaderOptions
from indexes.reading.pool import MakePool, MakeReader, ReadingPool
from storage.errors import MissingExtra

_AUTHENTICATION = "RAY_AUTH_MODE"


def reader_maker(options: ReaderOptions, environment: Mapping[str, str]) -> MakeReader:
    """What makes the reader in each reading process; it is sent there, with the key that the process has not."""
    if options.kind == "mineru":
        return partial(mineru_reader, key=environment.get(KEY_VARIABLE, "").strip())
    return docling_reader


def reading_pools(options: IngestOptions) -> MakePool:
    """What makes the pool of the settings; a cluster that it starts takes work from this process alone.

    Raises:
        MissingExtra: Ray is chosen, and not installed.
    """
    if options.executor == "local":
        return ReadingPool
    if options.ray_address is None and "ray" not in sys.modules and _AUTHENTICATION not in os.environ:
        # Ray listens on every network that this machine is in, and reads this once, when it is imported.
        os.environ |= {_AUTHENTICATION: "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        # late: an extra, and a second
        from indexes.reading.ray_pool import RayReadingPool
    except ImportError as error:
        raise MissingExtra(
            f"ingest.executor=ray needs a package that is not installed ({error.name}); "
            "run `pip install 'pageproof[ray]'`, on every machine of the cluster"
        ) from error
    return partial(RayReadingPool, address=options.ray_address)

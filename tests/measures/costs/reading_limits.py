"""How much memory and time a thick report takes to read: `python -m tests.measures.costs.reading_limits [PAGES]`.

Reads a generated report in a process of its own, as `ingest` does, and states that process's peak memory. Exits 1
when the peak is over the limit at which the reading pool replaces a process.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from indexes.options import ReaderOptions
from indexes.reading.docling_reader import DoclingReader
from indexes.reading.pool import MEGABYTES_PER_PROCESS
from tests.support.hostile_files import thick_report

PAGES = 1000


def main() -> int:
    """Read and state."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    with tempfile.TemporaryDirectory() as folder:
        path = thick_report(Path(folder) / "thick.pdf", count)
        reader = DoclingReader.from_options(ReaderOptions(seconds_per_document=3600))
        started = time.perf_counter()
        pages = reader.read_pages(path, "0" * 40)
        seconds = time.perf_counter() - started
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(
        f"{len(pages)} pages in {seconds:.0f} s ({len(pages) / seconds:.1f} pages/s), peak {megabytes:.0f} MB "
        f"(limit {MEGABYTES_PER_PROCESS} MB)\n"
    )
    return 0 if megabytes <= MEGABYTES_PER_PROCESS else 1


if __name__ == "__main__":
    sys.exit(main())

"""How much faster two processes read than one: `python -m tests.measures.costs.reading_workers FOLDER [REPORTS]`.

Reads the folder's PDFs (all, or the first REPORTS by name) with one worker and with two, as `ingest` does, each into an
empty page store, and states seconds, the ratio, and the peak memory of the reading processes.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from indexes.fingerprints import reader_fingerprint
from indexes.ingestion.requests import find_pdfs
from indexes.options import ReaderOptions
from indexes.preflight import preflight
from indexes.reading.document_queue import ReadingTask
from indexes.reading.pool import ReadingPool, docling_reader


def main() -> None:
    """Read twice and state."""
    pdfs = find_pdfs([Path(sys.argv[1])])
    pdfs = pdfs[: int(sys.argv[2])] if len(sys.argv) > 2 else pdfs
    seconds = {workers: _seconds(pdfs, workers) for workers in (1, 2)}
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sys.stdout.write(
        f"{len(pdfs)} reports: {seconds[1]:.0f} s with one worker, {seconds[2]:.0f} s with two, "
        f"{seconds[1] / seconds[2]:.2f} times as fast; largest process {peak:.0f} MB\n"
    )


def _seconds(pdfs: list[Path], workers: int) -> float:
    options = ReaderOptions()
    looks = [(pdf, preflight(pdf)) for pdf in pdfs]
    tasks = [ReadingTask(pdf, look.sha1, look.page_count, look.effort) for pdf, look in looks]
    with tempfile.TemporaryDirectory() as folder:
        pool = ReadingPool(workers, docling_reader, options, Path(folder), reader_fingerprint(options))
        started = time.perf_counter()
        failures = [failure for _, failure in pool.read(tasks) if failure]
        sys.stderr.write("".join(f"{failure}\n" for failure in failures))
        return time.perf_counter() - started


if __name__ == "__main__":
    main()

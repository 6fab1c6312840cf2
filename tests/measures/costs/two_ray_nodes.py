"""Reading on two Ray nodes of which one is killed: every document is read, none twice.

`python -m tests.measures.costs.two_ray_nodes` starts two nodes on this machine, each a Ray of its own with one core.
The documents are doubles that take a moment each, so this measures what is lost and what it costs, not reading.
"""

import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from indexes.options import ReaderOptions
from indexes.reading.document_queue import ReadingTask
from indexes.reading.ray_pool import RayReadingPool
from storage.records.pages import Page
from storage.stores.pages import PageStore

DOCUMENTS, KILLED_AFTER, SECONDS = 29, 5, 0.5


class SlowReader:
    """Reads one page of a document in half a second."""

    def read_pages(self, _: Path, sha1: str, on_page: Callable[[int, int], None] | None = None) -> list[Page]:
        """The page."""
        time.sleep(SECONDS)
        if on_page:
            on_page(1, 1)
        return [Page(report_sha1=sha1, page_number=1, width=100, height=200)]


def slow_reader(_: ReaderOptions) -> SlowReader:
    """Makes it, in a worker's process."""
    return SlowReader()


def main() -> int:
    """Read, kill a node in the middle, and count; 1 where a document is lost or there twice."""
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        second = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        try:
            tasks = []
            for number in range(DOCUMENTS):
                path = folder / f"report{number}.pdf"
                path.write_bytes(b"%PDF")
                tasks.append(ReadingTask(path, f"report{number}"))
            pool = RayReadingPool(
                None, slow_reader, ReaderOptions(seconds_per_document=60), folder / "pages", "print"
            )
            started, results = time.monotonic(), []
            for task, failure in pool.read(tasks):
                results.append((task.sha1, failure))
                if len(results) == KILLED_AFTER:
                    cluster.remove_node(second, allow_graceful=False)
            seconds = time.monotonic() - started
        finally:
            ray.shutdown()
            cluster.shutdown()  # type: ignore[no-untyped-call]  # Ray's
        store = PageStore(folder / "pages", "print")
        read = Counter(sha1 for sha1, failure in results if not failure)
        lost = [task.sha1 for task in tasks if read[task.sha1] != 1 or task.sha1 not in store]
    sys.stdout.write(
        f"{DOCUMENTS} documents on two nodes, one killed after {KILLED_AFTER}: {len(lost)} lost or read twice, "
        f"{seconds:.1f} s (at least {DOCUMENTS * SECONDS / 2:.1f} with both)\n"
    )
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())

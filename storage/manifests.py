"""What a company's index was built from."""

from pathlib import Path
from typing import Literal

from storage.errors import StaleIndex
from storage.files import write_atomically
from storage.record import Record
from storage.reports import Report

FORMAT = 1
WantedIndex = Literal["auto", "flat", "hnsw", "ivf"]
_NAME = "manifest.json"


class VectorIndex(Record):
    """What the vectors are searched with.

    Attributes:
        store: what keeps them.
        address: the server that keeps them; "" where none does.
        wanted: as the settings said; "auto" is decided by the number of vectors, whenever an index is written.
        breadth: candidates held in a graph (hnsw), cells looked into (ivf), 0 for an exact search.
        recall_at_30: share of an exact search's first thirty chunks that are found, for a sample of the vectors.
    """

    store: Literal["faiss", "qdrant"] = "faiss"
    address: str = ""
    wanted: WantedIndex = "auto"
    kind: Literal["flat", "hnsw", "ivf"] = "flat"
    breadth: int = 0
    recall_at_30: float = 1.0


class Manifest(Record):
    """Written into every published index."""

    format: int = FORMAT
    company: str
    fingerprint: str
    reader: str
    embedding_model: str
    dimensions: int
    chunk_count: int
    reports: tuple[Report, ...]
    vector_index: VectorIndex = VectorIndex()

    def write(self, folder: Path) -> None:
        """Keep it in the index's folder."""
        write_atomically(folder / _NAME, self.model_dump_json(indent=1).encode())

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """The manifest of an index.

        Raises:
            StaleIndex: it is of another format or not readable.
        """
        try:
            found = cls.model_validate_json((folder / _NAME).read_bytes())
        except (OSError, ValueError) as error:
            raise StaleIndex(
                f"the index in {folder} has no readable manifest; ingest its reports again"
            ) from error
        if found.format != FORMAT:
            raise StaleIndex(
                f"the index in {folder} has format {found.format}, expected {FORMAT}; ingest its reports again"
            )
        return found

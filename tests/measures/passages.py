"""How often the passages that are shown for a question in words answer it: `python -m tests.measures.passages LIBRARY`.

LIBRARY holds the reports of `query_engines/training/open_questions/`. Each question is asked as people ask it. Printed
are those whose first passage answers, one of three does, the pages read have an answering one at all, and what else was
answered. With --train the weights are made anew from the writers that are not set aside; --show prints each miss of
theirs, never of those set aside.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

from app import open_pageproof
from app.settings import data_paths, load_settings
from indexes.fingerprints import reader_fingerprint
from indexes.options import model_id
from indexes.search.cached_embedding import CachedEmbedder, SentenceLikeness
from indexes.search.embeddings import build_embedder
from query_engines.question.section_topics import without_company
from query_engines.rerank import passages
from query_engines.rerank.passages import NearPassages, Weights
from query_engines.training.passages import (
    FOLDER,
    SET_ASIDE,
    Example,
    OpenQuestion,
    read_questions,
    trained,
    written,
)
from storage.records.answers import Answer
from storage.records.pages import Page
from storage.records.questions import Question
from storage.records.reports import Company
from storage.stores.caches import EmbeddingCache
from storage.stores.pages import PageStore

_MOST = 3


class Reports:
    """The library's reports, as questions are asked of them."""

    def __init__(self, library: Path) -> None:
        settings, paths = load_settings(), data_paths(library)
        self._store = PageStore(paths.pages, reader_fingerprint(settings.reader))
        embedder = CachedEmbedder(
            lambda: build_embedder(settings.embedding),
            model_id(settings.embedding),
            EmbeddingCache(paths.embedding_cache),
        )
        self.near = NearPassages(SentenceLikeness(embedder))
        self._client = open_pageproof("offline", data=library)
        self._companies: dict[str, Company] = {
            report.sha1: company for company in self._client.companies() for report in company.reports
        }

    def ask(self, asked: OpenQuestion) -> Answer:
        """The answer of the product."""
        return self._client.ask(Question(text=asked.question, company=self._companies[asked.report].name))

    def pages(self, asked: OpenQuestion, answer: Answer) -> list[Page]:
        """The pages that were read for it, best first."""
        return self._store.read(asked.report, answer.pages)

    def weighed(self, asked: OpenQuestion, pages: Sequence[Page]) -> Example | None:
        """The passages of pages as an example; None where none is near at all."""
        text = without_company(asked.question, self._companies[asked.report])
        found, signs = self.near.weighed(text, pages)
        answers = [asked.is_answered_by(one.page.page_number, one.text) for one in found]
        return Example(signs, np.array(answers, dtype=np.float64)) if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("--train", action="store_true", help="make the weights anew")
    parser.add_argument(
        "--show", action="store_true", help="print each miss of the writers that are not set aside"
    )
    given = parser.parse_args()
    reports = Reports(given.library)
    writers = {path.stem: read_questions(path) for path in sorted(FOLDER.glob("*.jsonl"))}
    for writer, questions in writers.items():
        counts: Counter[str] = Counter()
        for asked in questions:
            told = outcome(asked, reports.ask(asked))
            counts[told] += 1
            if given.show and writer != SET_ASIDE and told != "first":
                print(f"{told:12s} {asked.report[:8]} {asked.question}")
        print(f"{writer}: " + ", ".join(f"{many} {told}" for told, many in counts.most_common()))
    examples: dict[str, list[Example]] = {writer: [] for writer in writers}
    for writer, questions in writers.items():
        for asked in questions:
            example = reports.weighed(asked, reports.pages(asked, reports.ask(asked)))
            examples[writer] += [example] if example else []
    if given.train:
        weights = trained([one for writer, own in examples.items() if writer != SET_ASIDE for one in own])
        Path(str(files(passages.__package__).joinpath(passages.WEIGHTS))).write_text(written(weights))
        for writer, own in examples.items():
            print(f"{writer}: {ranks(weights, own)}")


def outcome(asked: OpenQuestion, answer: Answer) -> str:
    """What a question gets: the place of the first passage that answers, or what it gets instead."""
    kind = "" if asked.answers else "unanswered: "
    if answer.is_available:
        cited = any(asked.is_answered_by(one.page, one.quote) for one in answer.citations)
        return f"{kind}answered" + (", by the passage" if cited else "")
    for place, one in enumerate(answer.nearest_passages, 1):
        if asked.is_answered_by(one.page, one.quote):
            return "first" if place == 1 else "among three"
    return f"{kind}{answer.reason}"


def ranks(weights: Weights, examples: Sequence[Example]) -> str:
    """How many of the examples with an answering passage have it first, and among three."""
    known = [one for one in examples if one.answers.any()]
    order = [one.answers[np.argsort(-weights.of(one.signs), kind="stable")] for one in known]
    first, three = sum(one[0] > 0 for one in order), sum(one[:_MOST].any() for one in order)
    return f"of {len(known)} with an answering passage, first {first}, among {_MOST} {three}"


if __name__ == "__main__":
    main()

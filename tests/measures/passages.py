"""How often the passages that are shown for a question in words answer it: `python -m tests.measures.passages LIBRARY`.

LIBRARY holds the reports of `query_engines/training/open_questions/`. Each question is asked as people ask it. Printed
are those whose first passage answers, those of which one of three does, and what the others get. With --aside only the
questions of the writer set aside are asked. With --train nothing is asked, but the weights are made anew from the other
writers. --show prints each miss, never of the one set aside.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

from app import open_pageproof
from indexes.search.cached_embedding import SentenceLikeness
from query_engines.answering.nearest import MOST_PASSAGES
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
from storage.records.questions import Question
from tests.measures.retrieval import Bench


class Reports:
    """The library's reports, as questions are asked of them."""

    def __init__(self, library: Path) -> None:
        self._bench = Bench(library)
        self._likeness = SentenceLikeness(self._bench.embedder)
        self._client = open_pageproof("offline", data=library)

    def ask(self, asked: OpenQuestion) -> Answer:
        """The answer of the product."""
        return self._client.ask(Question(text=asked.question, company=self._bench.companies[asked.report].name))

    def weighed(self, asked: OpenQuestion) -> Example | None:
        """The passages near a question as an example; None where none is."""
        company = self._bench.companies[asked.report]
        search = self._bench.index_cache.get(company.name, self._bench.reports[asked.report])
        near = NearPassages(search, self._bench.pages.read, self._likeness)
        found, signs = near.weighed(without_company(asked.question, company))
        answers = [asked.is_answered_by(one.page.page_number, one.text) for one in found]
        return Example(signs, np.array(answers, dtype=np.float64)) if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("--train", action="store_true", help="make the weights anew")
    parser.add_argument("--aside", action="store_true", help="ask the questions of the writer set aside alone")
    parser.add_argument(
        "--show", action="store_true", help="print each miss of the writers that are not set aside"
    )
    given = parser.parse_args()
    reports = Reports(given.library)
    examples: dict[str, list[Example]] = {}
    for writer, questions in ((path.stem, read_questions(path)) for path in sorted(FOLDER.glob("*.jsonl"))):
        if given.aside and writer != SET_ASIDE:
            continue
        counts: Counter[str] = Counter()
        own = examples[writer] = []
        for asked in questions:
            if given.train:
                example = reports.weighed(asked)
                own += [example] if example else []
                continue
            told = outcome(asked, reports.ask(asked))
            counts[told] += 1
            if given.show and writer != SET_ASIDE and told != "first":
                print(f"{told:12s} {asked.report[:8]} {asked.question}")
        if counts:
            print(f"{writer}: " + ", ".join(f"{many} {told}" for told, many in counts.most_common()), flush=True)
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
    first, three = sum(one[0] > 0 for one in order), sum(one[:MOST_PASSAGES].any() for one in order)
    return f"of {len(known)} with an answering passage, first {first}, among {MOST_PASSAGES} {three}"


if __name__ == "__main__":
    main()

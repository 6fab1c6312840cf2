"""Pages judged by a model, with a judge whose figures are given."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.types import BasePydanticProgram

from prompts.tasks.rerank import PageJudgement, PageJudgements
from query_engines.events import Event, StepFinished, listening
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.rerank.base import LLMRerankPostprocessor
from query_engines.retrieval.page_nodes import found_page
from storage.errors import ProviderError
from storage.records.reports import Report
from tests.support.example_pages import plain_pages

REPORT = Report(sha1="a", file="a.pdf", company="Acme", page_count=9)
QUESTION = QueryBundle("What was the revenue?")


class Judge(BasePydanticProgram[PageJudgements]):
    """Gives each page the figure listed for it; a page without one is left out, `fails` ends the request."""

    def __init__(self, relevance: dict[int, float], fails: int | None = None) -> None:
        self.relevance = relevance
        self.fails = fails
        self.asked: list[list[int]] = []

    @property
    def output_cls(self) -> type[PageJudgements]:
        return PageJudgements

    def __call__(self, *args: Any, **kwargs: Any) -> PageJudgements:
        del args
        numbers = [page.page_number for page in kwargs["pages"]]
        self.asked.append(numbers)
        if self.fails in numbers:
            raise ProviderError("down")
        known = [n for n in numbers if n in self.relevance]
        return PageJudgements(
            judgements=[PageJudgement(page=n, reasoning="r", relevance=self.relevance[n]) for n in known]
        )

    async def acall(self, *args: Any, **kwargs: Any) -> PageJudgements:
        return self(*args, **kwargs)


@pytest.fixture
def loop() -> Iterator[BackgroundLoop]:
    running = BackgroundLoop()
    yield running
    running.close()


def rerank(judge: Judge, loop: BackgroundLoop, scores: dict[int, float], **options: Any) -> list[NodeWithScore]:
    chosen = {"first_weight": 0.3, "own_weight": 0.7, "pages_per_request": 3, **options}
    postprocessor = LLMRerankPostprocessor(judge=judge, report=REPORT, read_pages=plain_pages, loop=loop, **chosen)
    nodes = [found_page("a", page, score) for page, score in scores.items()]
    return postprocessor.postprocess_nodes(nodes, QUESTION)


def ranked(nodes: Sequence[NodeWithScore]) -> dict[int, float]:
    return {node.metadata["page"]: node.score or 0.0 for node in nodes}


def test_the_first_stage_counts_three_tenths_and_the_model_seven(loop: BackgroundLoop) -> None:
    judge = Judge({4: 0.1, 7: 1.0, 9: 0.5})

    found = ranked(rerank(judge, loop, {4: 0.8, 7: 0.4, 9: 0.6}))

    # Scaled within the candidates: 0.8 -> 1, 0.6 -> 0.5, 0.4 -> 0.
    assert found == pytest.approx({7: 0.7, 9: 0.15 + 0.35, 4: 0.3 + 0.07})
    assert list(found) == [7, 9, 4]


def test_three_pages_go_into_a_request(loop: BackgroundLoop) -> None:
    judge = Judge({n: 0.5 for n in range(1, 8)})
    rerank(judge, loop, {n: 1 - n / 10 for n in range(1, 8)})
    assert judge.asked == [[1, 2, 3], [4, 5, 6], [7]]


def test_a_failed_request_keeps_the_first_stage_s_scores_and_is_told(loop: BackgroundLoop) -> None:
    judge = Judge({1: 0.2, 2: 0.2, 3: 0.2}, fails=4)
    events: list[Event] = []
    with listening(events.append):
        found = rerank(judge, loop, {1: 0.5, 2: 0.4, 3: 0.3, 4: 0.25})

    assert ranked(found)[4] == 0.0
    assert [n.metadata.get("rerank_failed", False) for n in found] == [False, False, False, True]
    (summary,) = [e.summary for e in events if isinstance(e, StepFinished)]
    assert "3 of 4 pages judged in 2 requests" in summary
    assert "pages 4 (1 requests failed)" in summary


def test_a_page_that_the_model_left_out_keeps_its_first_stage_score(loop: BackgroundLoop) -> None:
    assert ranked(rerank(Judge({1: 0.0}), loop, {1: 0.9, 2: 0.8, 3: 0.1})) == pytest.approx(
        {2: 0.875, 1: 0.3, 3: 0.0}
    )


def test_a_judgement_of_a_page_that_was_not_given_is_passed_over(loop: BackgroundLoop) -> None:
    assert ranked(rerank(Judge({1: 0.5, 99: 1.0}), loop, {1: 0.9})) == pytest.approx({1: 0.65})


def test_without_candidates_no_model_is_asked(loop: BackgroundLoop) -> None:
    judge = Judge({})
    assert rerank(judge, loop, {}) == []
    assert judge.asked == []

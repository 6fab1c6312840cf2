"""Ten questions over the samples, answered by a real model: `make test-model MODEL=FILE` runs them."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app import open_pageproof
from app.evaluation.fact_scores import outcome
from app.evaluation.truth import Truth, read_truth
from storage.records.answers import Answer
from storage.records.questions import Question
from tests.support.samples import ROOT

MODEL = os.environ.get("PAGEPROOF_MODEL", "")
pytestmark = [
    pytest.mark.skipif(not MODEL, reason="PAGEPROOF_MODEL names no model's file"),
    pytest.mark.timeout(3_600),  # a small machine reads a hundred tokens a second
]
METRICS = (
    *("Total revenue", "Operating income", "Net income", "Total assets", "Shareholders' equity"),
    *("Cash flow from operations", "Capital expenditures", "EPS (earnings per share), basic", "CEO"),
    "number of employees at year end",
)


@pytest.fixture(scope="module")
def answered(sample_data: Path) -> Iterator[Sequence[tuple[Truth, Answer]]]:
    """One question for each metric, of one company after the other, and its answer."""
    known = {(t.company, t.metric): t for t in read_truth(ROOT / "app" / "samples" / "facts.json").truths}
    companies = sorted({company for company, _ in known if company})
    asked = [known[companies[i % len(companies)], metric] for i, metric in enumerate(METRICS)]
    settings = [f"llm.model={MODEL}", "answers.cache=false"]
    with open_pageproof("local", overrides=settings, data=sample_data) as client:
        yield [
            (t, client.ask(Question(text=t.question, kind="name" if t.kind == "name" else "number")))
            for t in asked
        ]


def test_every_draft_of_a_real_model_can_be_read(answered: Sequence[tuple[Truth, Answer]]) -> None:
    assert [answer.question for _, answer in answered if answer.reason == "model_failed"] == []


def test_no_wrong_answer_of_a_real_model_passes_every_check(answered: Sequence[tuple[Truth, Answer]]) -> None:
    wrong = [(truth, answer) for truth, answer in answered if outcome(truth, answer.value) == "wrong"]
    assert [str(a) for _, a in wrong if all(check.verdict != "failed" for check in a.checks)] == []


def test_a_real_model_finds_answers(answered: Sequence[tuple[Truth, Answer]]) -> None:
    right = [answer for truth, answer in answered if outcome(truth, answer.value) in ("right", "right_na")]
    assert len(right) >= 4, "the smallest models find half of them"


def test_a_brief_prompt_stays_small(answered: Sequence[tuple[Truth, Answer]]) -> None:
    each = [answer.usage.prompt_tokens / answer.usage.requests for _, answer in answered]
    assert max(each) < 4_000

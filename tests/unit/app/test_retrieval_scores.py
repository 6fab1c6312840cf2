"""Recall and mean reciprocal rank over pages, with values by hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from app.evaluation.retrieval import RetrievalQuestion, retrieval_questions, score_retrieval
from app.evaluation.truth import Truth, TruthFile, TruthForm, read_truth
from storage.errors import UsageError

REAL = os.environ.get("PAGEPROOF_REAL_REPORTS")


def question(*pages: int, metric: str | None = "Net income", kind: str = "number") -> RetrievalQuestion:
    refs = frozenset(("a", page) for page in pages)
    return RetrievalQuestion(text="q", kind=kind, company="Acme", metric=metric, pages=refs)


def found(*pages: int) -> list[tuple[str, int]]:
    return [("a", page) for page in pages]


def test_recall_and_mrr_are_those_by_hand() -> None:
    questions = [question(5, 9), question(2), question(3), question(1)]
    ranked = [found(9, 5), found(7, 8, 2), found(9, 8, 7, 6, 5, 4, 3), found(2, 3)]

    report = score_retrieval(ranked, questions)

    # First hits at ranks 1, 3, 7 and nowhere.
    assert report.n == 4
    assert report.recall == {"1": 0.25, "3": 0.5, "5": 0.5, "10": 0.75}
    assert report.mrr == pytest.approx((1 + 1 / 3 + 1 / 7) / 4)


def test_figures_are_told_by_metric_and_by_kind_where_there_is_none() -> None:
    questions = [question(1), question(1, metric="CEO"), question(1, metric=None, kind="boolean")]

    by_metric = score_retrieval([found(1), found(2), found(2, 1)], questions).by_metric

    assert {name: (f.n, f.recall["1"], f.mrr) for name, f in by_metric.items()} == {
        "Net income": (1, 1, 1),
        "CEO": (1, 0, 0),
        "boolean": (1, 0, 0.5),
    }


def test_the_report_is_the_object_of_retrieval_json() -> None:
    figures = {"n": 1, "recall": {"1": 1.0, "3": 1.0, "5": 1.0, "10": 1.0}, "mrr": 1.0}

    report = score_retrieval([found(1)], [question(1)]).model_dump()

    assert report == {**figures, "by_metric": {"Net income": figures}}


def test_the_same_page_of_another_report_is_no_hit() -> None:
    assert score_retrieval([[("b", 1)]], [question(1)]).mrr == 0


def test_a_page_named_twice_takes_one_rank() -> None:
    assert score_retrieval([found(7, 7, 1)], [question(1)]).mrr == 0.5


def test_a_ranking_is_needed_for_each_question() -> None:
    with pytest.raises(ValueError, match="longer"):
        score_retrieval([found(1)], [question(1), question(2)])


def test_no_questions_are_the_users_to_fix() -> None:
    with pytest.raises(UsageError, match="no questions with pages"):
        score_retrieval([], [])


def known(form: TruthForm, *truths: dict[str, Any]) -> TruthFile:
    defaults: dict[str, Any] = {"question": "q", "kind": "number"}
    return TruthFile(form=form, truths=tuple(Truth(**(defaults | truth)) for truth in truths))


POOL, OTHER = frozenset({("a", 1), ("a", 2)}), frozenset({("b", 3)})


def test_each_pool_of_a_comparison_is_a_question_of_its_own() -> None:
    truth = known("round2", {"answers": ("Acme",), "kind": "name", "pools": (POOL, OTHER)})

    assert [(q.text, q.company, q.pages) for q in retrieval_questions(truth)] == [
        ("q", None, POOL),
        ("q", None, OTHER),
    ]


def test_the_challenges_false_with_pages_is_a_question() -> None:
    truth = known("round2", {"answers": ("False",), "kind": "boolean", "pools": (POOL,)}, {"answers": ("N/A",)})

    assert [q.pages for q in retrieval_questions(truth)] == [POOL]


def test_a_fact_that_is_n_a_or_false_or_has_no_pages_is_no_question() -> None:
    truth = known(
        "facts",
        {"answers": (0,), "metric": "Dividend per share", "company": "Acme", "pools": (POOL,)},
        {"answers": (False,), "kind": "boolean", "pools": (POOL,)},
        {"answers": ("N/A", 0), "pools": (POOL,)},
        {"answers": (5,), "pools": ()},
    )

    assert retrieval_questions(truth) == (
        RetrievalQuestion(text="q", kind="number", company="Acme", metric="Dividend per share", pages=POOL),
    )


@pytest.mark.skipif(REAL is None, reason="PAGEPROOF_REAL_REPORTS is not set")
def test_the_known_facts_and_answers_make_the_questions_counted_in_them() -> None:
    folder = Path(REAL or "") / "truth"

    counts = [len(retrieval_questions(read_truth(folder / f"{n}.json"))) for n in ("facts", "erc2_answers")]

    assert counts == [305, 4]


def test_wordings_of_facts_take_answers_and_pages_from_the_facts_beside_them(tmp_path: Path) -> None:
    fact = {"metric": "Total revenue", "kind": "number", "value": 12, "pages": [3]}
    report = {"sha1": "a", "company": "Acme", "currency": "USD", "facts": [fact]}
    (tmp_path / "facts.json").write_text(json.dumps([report]))
    wordings = tmp_path / "voices.json"
    wordings.write_text(
        json.dumps([{"sha1": "a", "metric": "Total revenue", "text": "acme sales?", "lang": "en"}])
    )
    (question,) = retrieval_questions(read_truth(wordings))
    assert (question.text, question.kind, question.pages) == ("acme sales?", "number", frozenset({("a", 4)}))

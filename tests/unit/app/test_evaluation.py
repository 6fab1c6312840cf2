"""What stands beside the score: pages, price, and the answers that are not right."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.command_line import run
from app.evaluation.scoring import ReferenceFigures, evaluate, wrong_answers
from app.evaluation.truth import Truth
from app.files.answers import WrittenAnswer


def truth(question: str, kind: str, *answers: Any, pools: Any = ()) -> Truth:
    return Truth(question=question, kind=kind, answers=answers, pools=pools)


def given_answer(question: str, value: Any, *pages: tuple[str, int], **more: Any) -> WrittenAnswer:
    return WrittenAnswer(question=question, value=value, references=frozenset(pages), **more)


POOL_A, POOL_B = frozenset({("a", 1), ("a", 2)}), frozenset({("b", 5)})


def test_precision_counts_cited_pages_and_recall_counts_pools() -> None:
    known = [truth("one", "name", "x", pools=(POOL_A, POOL_B)), truth("two", "name", "y", pools=(POOL_A,))]

    found = evaluate(known, [given_answer("one", "x", ("a", 1), ("a", 2), ("c", 9))])

    # Two of three cited pages are right; one of three pools has a page.
    assert found.references == ReferenceFigures(precision=2 / 3, recall=1 / 3, cited=3, pools=3)


def test_where_nothing_is_cited_precision_is_not_known() -> None:
    found = evaluate([truth("one", "name", "x", pools=(POOL_A,))], [given_answer("one", "x")])

    assert found.references == ReferenceFigures(precision=None, recall=0, cited=0, pools=1)


def test_pages_cited_where_none_are_wanted_count_in_r_but_not_in_precision() -> None:
    found = evaluate([truth("one", "number", "N/A", pools=())], [given_answer("one", "N/A", ("a", 1))])

    assert (found.R, found.references) == (90, None)


def test_price_is_the_mean_over_the_answers_that_tell_it() -> None:
    known = [truth(q, "name", "x") for q in ("one", "two", "three")]
    answers = [
        given_answer("one", "x", seconds=1.0, cost_usd=0.002),
        given_answer("two", "x", seconds=2.0),
        given_answer("three", "x"),
        given_answer("nobody asked", "x", seconds=100.0, cost_usd=5.0),
    ]

    found = evaluate(known, answers)

    assert (found.seconds_per_question, found.cost_usd_per_question) == (1.5, 0.002)


def test_a_fault_says_what_was_given_expected_why_and_where() -> None:
    known = [
        truth("right", "number", 5, pools=(POOL_A,)),
        truth("off", "number", 5, pools=(POOL_A,)),
        truth("some", "names", ("CEO", "CFO")),
        truth("none", "name", "Ann", pools=(POOL_B,)),
        truth("left out", "name", "Ann"),
    ]
    answers = [
        given_answer("right", 5),
        given_answer("off", 7, ("b", 5)),
        given_answer("some", ["CEO"]),
        given_answer("none", "N/A", reason="not_found"),
    ]

    found = {wrong.question: wrong for wrong in wrong_answers(known, answers)}

    assert {name: wrong.outcome for name, wrong in found.items()} == {
        "off": "wrong",
        "some": "part",
        "none": "missing",
        "left out": "missing",
    }
    assert (found["off"].given, found["off"].expected) == (7, (5,))
    assert (found["off"].cited, found["off"].wanted) == ((("b", 5),), (("a", 1), ("a", 2)))
    assert (found["none"].reason, found["left out"].given) == ("not_found", None)


@pytest.fixture
def scored(tmp_path: Path) -> list[str]:
    """The arguments of `evaluate` over two answers, one of them wrong."""
    page = {"report_sha1": "a", "page": 1}
    usage = {"requests": 2, "cost_usd": 0.5}
    rows = [
        {"question": "How much?", "value": 5, "citations": [page], "seconds": 2.0, "usage": usage},
        {"question": "Who?", "value": "Bob", "citations": [], "seconds": 4.0, "usage": usage},
    ]
    answers, known = tmp_path / "a.jsonl", tmp_path / "t.json"
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    pools = {"reference_pools": [["a:0"]]}
    content = {
        "How much?": {"kind": "number", "answers": [5], **pools},
        "Who?": {"kind": "name", "answers": ["Ann"], **pools},
    }
    known.write_text(json.dumps(content), encoding="utf-8")
    return ["evaluate", str(answers), "--truth", str(known)]


def test_evaluate_keeps_the_contract_s_names_and_tells_pages_and_price(
    scored: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*scored, "--json"]) == 0

    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {
        *("n", "R", "G", "score", "official", "by_kind", "answerable", "answered", "hallucination_rate"),
        *("wrong", "missing", "notes", "references", "seconds_per_question", "cost_usd_per_question"),
    }
    assert printed["references"] == {"precision": 1.0, "recall": 0.5, "cited": 1, "pools": 2}
    assert (printed["seconds_per_question"], printed["cost_usd_per_question"]) == (3.0, 0.5)
    assert (printed["by_kind"]["name"]["wrong"], printed["by_kind"]["number"]["wrong"]) == (1, 0)


def test_evaluate_lists_as_many_errors_as_asked_for(scored: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*scored, "--errors", "5", "--json"]) == 0
    (error,) = json.loads(capsys.readouterr().out)["errors"]
    assert (error["question"], error["given"], error["expected"], error["wanted"]) == (
        "Who?",
        "Bob",
        ["Ann"],
        [["a", 1]],
    )

    assert run([*scored, "--errors", "5"]) == 0
    shown = capsys.readouterr().out
    assert "wrong    Who?" in shown
    assert "given Bob, page –; expected Ann, page 1" in shown
    assert "precision 1.000 of 1 cited, recall 0.500 of 2" in shown
    assert "3.00 s and 0.5000 USD a question" in shown

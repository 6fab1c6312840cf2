"""The challenge's score, against values by hand and against an independent reading of its rule."""

import importlib.util
import json
import math
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.evaluation.fact_scores import FactCounts, score_answered_facts
from app.evaluation.scoring import ScoreReport, agreement, score
from app.evaluation.truth import Truth, TruthFile, read_truth
from app.files.answers import WrittenAnswer, read_answers
from storage.errors import UsageError
from storage.records.answers import Value

REAL = os.environ.get("PAGEPROOF_REAL_REPORTS")
needs_real = pytest.mark.skipif(REAL is None, reason="PAGEPROOF_REAL_REPORTS is not set")


def truth(kind: str, *answers: Any, pools: Any = (), question: str = "q", **more: Any) -> Truth:
    return Truth(question=question, kind=kind, answers=answers, pools=pools, **more)


def given_answer(value: Any, *references: tuple[str, int], question: str = "q") -> WrittenAnswer:
    return WrittenAnswer(question=question, value=value, references=frozenset(references))


def in_file(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "expected", "value", "right"),
    [
        ("number", 1000, 1009.9, 1),
        ("number", 1000, 1010, 0),
        ("number", "9000.0", "9001", 1),
        ("number", -1000, -1009.9, 1),
        ("number", 0, 0, 1),
        ("number", 0, 0.001, 0),
        ("number", 5, "five", 0),
        ("number", 5, [5], 0),
        ("number", 5, "N/A", 0),
        ("number", "N/A", "N/A", 1),
        ("number", "N/A", 5, 0),
        ("number", "N/A", None, 0),
        ("boolean", "True", True, 1),
        ("boolean", False, "no", 1),
        ("boolean", False, "N/A", 0),
        ("name", "Holley Inc.", " holley INC. ", 1),
        ("name", "Holley Inc.", "Holley", 0),
        ("names", "CEO,CFO", ["cfo", "CEO"], 1),
        ("names", "CEO,CFO", "CEO, CTO", 1 / 3),
        ("names", ("CEO", "CFO"), ["CEO"], 1 / 2),
        ("names", "CEO", 7, 0),
    ],
)
def test_a_value_earns_what_the_rule_says(kind: str, expected: Any, value: Any, right: float) -> None:
    assert agreement(truth(kind, expected), value) == right


@pytest.mark.parametrize(
    ("value", "right"),
    [
        (["Board Member"], 1 / 2),
        (["Board Member", "CFO"], 1),
        (["Director", "CFO", "Board Member"], 1),
        (["Board Member", "CFO", "CEO"], 2 / 3),
        (["CEO"], 0),
    ],
)
def test_another_wording_of_a_name_stands_for_it_once(value: list[str], right: float) -> None:
    assert agreement(truth("names", ("Director", "CFO"), also_names=("Board Member",)), value) == right


@pytest.mark.parametrize(
    ("pages", "earned"),
    [
        ([("a", 1), ("b", 5)], 100),
        ([("a", 1)], 75),
        ([], 50),
        ([("a", 1), ("b", 5), ("b", 6)], 90),
        ([("a", 1), ("a", 2), ("b", 5)], 100),
        ([("c", n) for n in range(9)], 0),
    ],
)
def test_each_missed_pool_costs_a_quarter_and_each_false_page_a_tenth(
    pages: list[tuple[str, int]], earned: float
) -> None:
    known = truth("name", "x", pools=(frozenset({("a", 1), ("a", 2)}), frozenset({("b", 5)})))

    report = score([known], [given_answer("x", *pages)])
    assert {"R": earned, "G": 100} == pytest.approx(report.model_dump(include={"R", "G"}))


def test_the_report_over_five_questions_is_the_one_by_hand() -> None:
    known = [
        truth("number", -100, pools=(frozenset({("a", 1)}),), question="loss"),
        truth("number", "N/A", question="nothing"),
        truth("number", "N/A", question="nothing either"),
        truth("name", "Acme", question="who"),
        truth("boolean", True, question="whether"),
    ]
    answers = [
        given_answer(-100.5, ("a", 1), question="loss"),
        given_answer(7, ("z", 1), question="nothing"),
        given_answer("N/A", question="nothing either"),
        given_answer("N/A", question="who"),
    ]

    report = score(known, answers)

    # G: 1 0 1 0 0; R: 1 .9 1 1 0 (a question without an answer earns nothing).
    assert (report.n, report.G, report.R, report.score) == (5, 40, pytest.approx(78), pytest.approx(79))
    assert (report.official.G, report.official.R) == (20, report.R)  # no negative number for the published rule
    assert (report.by_kind["number"].n, report.by_kind["number"].G) == (3, pytest.approx(200 / 3))
    assert report.answerable is not None
    assert (report.answerable.n, report.answerable.G) == (3, pytest.approx(100 / 3))
    assert (report.hallucination_rate, report.wrong, report.missing, report.notes) == (0.5, 1, 2, ())


def test_n_a_is_right_where_it_is_one_of_several_answers() -> None:
    report = score([truth("number", "N/A", 0)], [given_answer("N/A")])

    assert (report.G, report.missing, report.hallucination_rate) == (100, 0, None)


def test_a_truth_without_pages_is_scored_by_values_alone_and_says_so() -> None:
    report = score([truth("number", 5, pools=None)], [given_answer(5)])

    assert (report.R, report.G, report.score) == (None, 100, 100)
    assert "names no pages" in report.notes[0]


def test_open_texts_are_left_out_and_counted() -> None:
    report = score([truth("number", 5), truth("text", "Because.", question="why")], [given_answer(5)])

    assert report.n == 1
    assert report.notes == ("1 open texts are not scored: the challenge has no rule for them",)


def test_nothing_to_score_is_the_users_to_fix() -> None:
    with pytest.raises(UsageError, match="no questions to score"):
        score([], [])


# The rule once more, straight from its description, over the challenge's own files.


def oracle(truths: dict[str, Any], submission: list[dict[str, Any]]) -> tuple[float, float]:
    earned_g = earned_r = 0.0
    for question, known in truths.items():
        found = [item for item in submission if item["question_text"] == question]
        if not found:
            continue
        item = found[-1]
        earned_g += max(value_by_the_rule(known["kind"], expected, item["value"]) for expected in known["answers"])
        pages = {f"{r['pdf_sha1']}:{r['page_index']}" for r in item["references"]}
        penalty = sum(0.25 for pool in known["reference_pools"] if pages.isdisjoint(pool))
        penalty += sum(0.1 for page in pages if not any(page in pool for pool in known["reference_pools"]))
        earned_r += max(0.0, 1 - penalty)
    return 100 * earned_r / len(truths), 100 * earned_g / len(truths)


def value_by_the_rule(kind: str, expected: str, value: Any) -> float:
    if "N/A" in (expected, value) or value is None:
        return 1.0 if expected == value else 0.0
    match kind:
        case "number":
            try:
                distance = abs(float(value) - float(expected))
            except (TypeError, ValueError):
                return 0.0
            return 1.0 if distance == 0 or distance < abs(float(expected)) / 100 else 0.0
        case "boolean":
            is_yes = str(value).lower() in ("true", "yes")
            is_no = str(value).lower() in ("false", "no")
            return 1.0 if (is_yes and expected == "True") or (is_no and expected == "False") else 0.0
        case "name":
            return 1.0 if str(value).strip().lower() == expected.strip().lower() else 0.0
        case _:
            listed = value if isinstance(value, list) else value.split(",")
            given_names = {name.strip().lower() for name in listed}
            known_names = {name.strip().lower() for name in expected.split(",")}
            return len(given_names & known_names) / len(given_names | known_names)


QUESTIONS = st.sampled_from([f"question {n}" for n in range(6)])
NAMES = st.sampled_from(["Acme Inc.", "acme inc.", "Beta", " beta ", "Gamma"])
NUMBERS = st.sampled_from([-100.0, -100.5, -102.0, 0.0, 1e-9, 100.0, 100.9, 101.5, 2e9])
PAGES = st.tuples(st.sampled_from(["a" * 40, "b" * 40]), st.integers(0, 3))
ANSWERS = {
    "number": NUMBERS.map(str),
    "boolean": st.sampled_from(["True", "False"]),
    "name": NAMES,
    "names": st.lists(NAMES, min_size=1, max_size=3).map(",".join),
}
VALUES = {
    "number": NUMBERS | NUMBERS.map(str) | st.just("many"),
    "boolean": st.booleans() | st.sampled_from(["yes", "no", "true", "maybe"]),
    "name": NAMES,
    "names": st.lists(NAMES, min_size=1, max_size=3) | NAMES,
}


@st.composite
def challenges(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A truth of round 2 and a submission to it, some of whose questions are others, asked twice or left out."""
    truths = {}
    for question in draw(st.sets(QUESTIONS, min_size=1)):
        kind = draw(st.sampled_from(sorted(ANSWERS)))
        pool = st.lists(PAGES, min_size=1, max_size=3).map(lambda pages: [f"{s}:{i}" for s, i in pages])
        truths[question] = {
            "kind": kind,
            "answers": draw(st.lists(ANSWERS[kind] | st.just("N/A"), min_size=1, max_size=2)),
            "reference_pools": draw(st.lists(pool, max_size=3)),
        }
    submission = []
    for question in draw(st.lists(QUESTIONS, max_size=8)):
        kind = truths.get(question, {"kind": "name"})["kind"]
        pages = draw(st.lists(PAGES, max_size=4))
        submission.append(
            {
                "question_text": question,
                "value": draw(VALUES[kind] | st.sampled_from(["N/A", None])),
                "references": [{"pdf_sha1": sha1, "page_index": index} for sha1, index in pages],
            }
        )
    return truths, submission


def scored(folder: Path, truths: object, submission: list[dict[str, Any]]) -> ScoreReport:
    known = read_truth(in_file(folder, "truth.json", truths))
    return score(known.truths, read_answers(in_file(folder, "answers.json", {"answers": submission})))


@given(challenge=challenges())
def test_any_submission_scores_as_the_rule_read_by_somebody_else(
    challenge: tuple[dict[str, Any], list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    report = scored(tmp_path_factory.mktemp("any"), *challenge)

    references, values = oracle(*challenge)
    expected = [references, values, references / 2 + values]
    assert [report.R, report.G, report.score] == pytest.approx(expected)


def official_scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("erc_score", Path(REAL or "") / "tools" / "erc_score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_real
@given(challenge=challenges())
def test_any_submission_scores_exactly_as_the_projects_script(
    challenge: tuple[dict[str, Any], list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    report = scored(tmp_path_factory.mktemp("any"), *challenge)

    rows = official_scorer().score(*challenge)
    values, references = 100 * sum(r[2] for r in rows) / len(rows), 100 * sum(r[3] for r in rows) / len(rows)
    assert (report.G, report.R, report.score) == (values, references, references / 2 + values)


# Files of known answers.


def test_round_2_keeps_its_pools_with_pages_from_1(tmp_path: Path) -> None:
    content = {"Mergers?": {"kind": "boolean", "answers": ["True"], "reference_pools": [["abc:6", "abc:0"]]}}

    known = read_truth(in_file(tmp_path, "t.json", content))

    pool = frozenset({("abc", 7), ("abc", 1)})
    expected = Truth(question="Mergers?", kind="boolean", answers=("True",), pools=(pool,))
    assert known == TruthFile(form="round2", truths=(expected,))


def test_round_1_has_no_pools(tmp_path: Path) -> None:
    content = [{"question": "EPS?", "schema": "number", "answer": ["N/A", 1.5], "comment": "c"}]

    known = read_truth(in_file(tmp_path, "t.json", content))

    expected = Truth(question="EPS?", kind="number", answers=("N/A", 1.5), pools=None)
    assert known == TruthFile(form="round1", truths=(expected,))


def facts_file(folder: Path, *facts: dict[str, Any]) -> TruthFile:
    report = {"sha1": "abc", "company": "SECURE Inc.", "currency": "CUP", "facts": list(facts)}
    return read_truth(in_file(folder, "facts.json", [report]))


def test_a_fact_is_worded_as_the_challenge_words_it(tmp_path: Path) -> None:
    metric = "EPS (earnings per share), basic"
    known = facts_file(tmp_path, {"metric": metric, "kind": "number", "value": 1.5, "pages": [79], "also": [150]})

    (fact,) = known.truths
    assert fact.question == (
        "What was the EPS (earnings per share) (in CUP) for SECURE Inc. according to the annual report (within "
        "the last period or at the end of the last period)? If data is not available, return 'N/A'."
    )
    assert (fact.answers, fact.pools, fact.metric) == ((1.5, 150), (frozenset({("abc", 80)}),), metric)
    assert (fact.report_sha1, fact.company) == ("abc", "SECURE Inc.")


def test_what_is_not_in_a_report_has_no_page_to_cite(tmp_path: Path) -> None:
    known = facts_file(tmp_path, {"metric": "Net income", "kind": "number", "value": "N/A", "pages": [3]})

    assert known.truths[0].pools == ()


def test_questions_keep_other_names_apart_from_other_answers(tmp_path: Path) -> None:
    names = {"kind": "names", "text": "Who left?", "value": ["CEO", "CFO"], "also": ["N/A", "Chair"], "pages": []}
    content = [{"sha1": "abc", "company": "Acme", "questions": [names]}]

    (known,) = read_truth(in_file(tmp_path, "t.json", content)).truths

    assert (known.answers, known.also_names, known.pools) == ((("CEO", "CFO"), "N/A"), ("Chair",), ())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "no known form of truth"),
        ({}, "no known form of truth"),
        ([{"text": "a", "kind": "name"}], "no known form of truth"),
        ({"q": {"kind": "name", "answers": [], "reference_pools": []}}, "q → answers: .*at least 1 item"),
        ({"q": {"kind": "name", "answers": ["a"], "reference_pools": [["p6"]]}}, "q → reference_pools → 0 → 0"),
        ([{"sha1": "a", "company": "b", "facts": [{"kind": "name", "value": "c", "pages": ["d"]}]}], "pages → 0"),
    ],
)
def test_a_truth_that_cannot_be_read_says_where(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_truth(in_file(tmp_path, "t.json", content))


@needs_real
def test_every_known_fact_is_worded_to_the_letter_of_the_templates() -> None:
    folder = Path(REAL or "") / "truth"
    templates = json.loads((folder / "templates.json").read_text(encoding="utf-8"))["facts"]
    reports = json.loads((folder / "facts.json").read_text(encoding="utf-8"))

    assert [fact.question for fact in read_truth(folder / "facts.json").truths] == [
        templates[fact["metric"]]["text"].replace("CUR", report["currency"]).replace("COMPANY", report["company"])
        for report in reports
        for fact in report["facts"]
    ]


# Facts, one by one.


@pytest.mark.parametrize(
    ("kind", "answers", "value", "counted"),
    [
        ("number", (-1000,), -1009.0, "right"),
        ("number", (1000, 500), 500.0, "right"),
        ("number", (1000,), 1011.0, "wrong"),
        ("number", (1,), True, "wrong"),
        ("number", (1000,), "N/A", "missing"),
        ("number", ("N/A", 0), 0.0, "right"),
        ("number", ("N/A",), 0.0, "wrong"),
        ("number", (84, "N/A"), "N/A", "right_na"),
        ("name", ("Marvin L. White",), "Dr. Marvin White, Ph.D.", "right"),
        ("name", ("John 'Skander' Malcolm", "Skander Malcolm"), "John Malcolm", "right"),
        ("name", ("R. Erik Holmlin",), "Erik Holmlin", "right"),
        ("name", ("Ann Fandozzi",), "Ann Smith", "wrong"),
        ("name", ("Pat O'Brien D'Angelo",), "Pat D'Angelo", "right"),
        ("boolean", (False,), False, "right"),
        ("boolean", (False,), True, "wrong"),
    ],
)
def test_an_answer_to_a_fact_is_counted_once(kind: str, answers: Any, value: Value, counted: str) -> None:
    report = score_answered_facts(
        [truth(kind, *answers, metric="m", question="q")], [given_answer(value, question="q")]
    )

    assert report.overall == FactCounts(**{counted: 1})


def test_facts_are_counted_by_metric() -> None:
    facts = [
        truth("number", 5, metric="Net income", question="a"),
        truth("name", "A B", metric="CEO", question="b"),
        truth("number", 5, metric="Net income", question="c"),
    ]

    report = score_answered_facts(
        facts,
        [given_answer(5.0, question="a"), given_answer("N/A", question="b"), given_answer(6.0, question="c")],
    )

    assert report.by_metric == {"Net income": FactCounts(right=1, wrong=1), "CEO": FactCounts(missing=1)}
    assert report.overall == FactCounts(right=1, wrong=1, missing=1)


def test_facts_are_found_by_question_and_missing_where_nobody_answered() -> None:
    facts = [
        truth("number", 5, metric="Net income", question="income?"),
        truth("number", "N/A", metric="Long-term debt", question="debt?"),
        truth("name", "A B", metric="CEO", question="who?"),
    ]

    report = score_answered_facts(
        facts, [given_answer(5, question="income?"), given_answer(None, question="who?")]
    )

    assert report.overall == FactCounts(right=1, missing=2)


def test_figures_that_are_no_numbers_are_never_right() -> None:
    assert agreement(truth("number", 5), math.nan) == 0

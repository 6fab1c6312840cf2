"""Variants side by side: what is asked again and what is not, what fails alone, what the report says."""

import csv
import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.command_line import run
from app.evaluation.scoring import evaluate
from app.evaluation.truth import Truth
from app.files.answers import StepSeconds, WrittenAnswer, read_answers
from app.files.sheets import FileQuestion
from app.lab.asking import StoredAnswers, Variant, VariantAnswers, answers_key, parse_variant, variants_named
from app.lab.comparison import Comparison, compare, mean_with_interval
from app.lab.exports import as_csv, as_junit
from app.lab.page import as_markdown, best, columns, lines, page, picture, troubles
from app.runs.answers import FailedQuestion
from app.settings import load_settings, profiles
from storage.errors import UsageError
from storage.records.answers import Answer
from storage.records.questions import Question
from storage.records.reports import Company


@pytest.mark.parametrize(
    ("typed", "profile", "overrides"),
    [
        ("offline", "offline", ()),
        ("rerank.kind=none", "offline", ("rerank.kind=none",)),
        (
            "openai, retrieval.pages=5,rerank.kind=none",
            "openai",
            ("retrieval.pages=5", "rerank.kind=none"),
        ),
    ],
)
def test_a_variant_is_a_profile_with_settings(typed: str, profile: str, overrides: tuple[str, ...]) -> None:
    variant = parse_variant(typed)

    assert (variant.profile, variant.overrides) == (profile, overrides)


def test_a_variant_twice_is_one_and_all_profiles_come_after_those_typed() -> None:
    named = variants_named(["rerank.kind=none", "offline", "offline,rerank.kind=none"], all_profiles=True)

    assert [v.name for v in named[:2]] == ["offline, rerank.kind=none", "offline"]
    assert {v.name for v in named[1:]} == {p.name for p in profiles()}


@pytest.mark.parametrize(
    ("typed", "expected"), [([], "nothing to compare"), (["offline,pages"], "'pages' is no setting")]
)
def test_a_variant_that_cannot_be_understood_is_named(typed: list[str], expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        variants_named(typed, all_profiles=False)


def file_question(text: str, company: str | None = None) -> FileQuestion:
    return FileQuestion(question=Question(text=text, kind="number", company=company), kind_in_file="number")


def answered(text: str, value: float) -> Answer:
    return Answer(question=text, kind="number", value=value, seconds=1.5)


def test_kept_answers_are_found_by_question_company_and_key(tmp_path: Path) -> None:
    one, other = file_question("How much?", "Alpha"), file_question("How much?", "Beta")
    StoredAnswers(tmp_path, "offline", "k1").add(one, answered("How much?", 5), StepSeconds(search=0.5))

    again = StoredAnswers(tmp_path, "another name", "k1")

    assert (one in again, other in again) == (True, False)
    assert one not in StoredAnswers(tmp_path, "offline", "k2")
    assert again.of([other, one])[0].value == 5
    assert again.of([one])[0].step_seconds == StepSeconds(search=0.5)
    assert read_answers(again.path) == again.of([one])


def test_half_a_line_of_a_killed_run_is_forgotten(tmp_path: Path) -> None:
    stored = StoredAnswers(tmp_path, "offline", "k1")
    stored.add(file_question("one"), answered("one", 1), None)
    stored.add(file_question("two"), answered("two", 2), None)
    stored.path.write_text(stored.path.read_text()[:-20])

    again = StoredAnswers(tmp_path, "offline", "k1")
    again.add(file_question("two"), answered("two", 2), None)

    assert file_question("one") in again
    assert [
        a.value for a in StoredAnswers(tmp_path, "offline", "k1").of([file_question("one"), file_question("two")])
    ] == [1, 2]


def test_the_key_changes_with_settings_and_library() -> None:
    offline, fewer = load_settings("offline"), load_settings("offline", ["retrieval.pages=5"])
    acme = Company(name="Acme")

    keys = {answers_key(offline, []), answers_key(fewer, []), answers_key(offline, [acme])}

    assert (len(keys), answers_key(offline, [])) == (3, answers_key(load_settings("offline"), []))


POOL = frozenset({("a" * 40, 7)})
TRUTHS = [
    Truth(question="How much?", kind="number", answers=(5,), pools=(POOL,)),
    Truth(question="Who <b>?", kind="name", answers=("Ann",), pools=(POOL,)),
    Truth(question="not asked", kind="name", answers=("Bob",), pools=(POOL,)),
]
QUESTIONS = [file_question("How much?"), file_question("Who <b>?"), file_question("nobody knows")]


def given_answer(question: str, value: Any, page_number: int = 7, seconds: float = 1.0) -> WrittenAnswer:
    cited = frozenset({("a" * 40, page_number)})
    parts = StepSeconds(search=0.5, answer=2.0)
    return WrittenAnswer(
        question=question, value=value, references=cited, seconds=seconds, cost_usd=0.0, step_seconds=parts
    )


def compared() -> Comparison:
    good = VariantAnswers(
        variant=Variant(name="good", profile="offline"),
        answers=(given_answer("How much?", 5), given_answer("Who <b>?", "Ann"), given_answer("nobody knows", 1)),
    )
    poor = VariantAnswers(
        variant=Variant(name="poor", profile="offline", overrides=("retrieval.pages=1",)),
        answers=(
            given_answer("How much?", 5, seconds=3.0),
            given_answer("Who <b>?", "<script>", page_number=8, seconds=3.0),
        ),
        failed=(FailedQuestion(question="nobody knows", error="the model was away"),),
    )
    keyless = VariantAnswers(variant=Variant(name="openai", profile="openai"), lacks=("the key OPENAI_API_KEY",))
    return compare(QUESTIONS, TRUTHS, [good, poor, keyless], ("set.csv", "truth.json"))


def test_each_variant_is_scored_over_the_questions_that_were_asked() -> None:
    found = compared()

    good, poor, keyless = found.variants
    assert good.evaluation == evaluate(TRUTHS[:2], [given_answer("How much?", 5), given_answer("Who <b>?", "Ann")])
    assert poor.evaluation is not None
    assert (good.evaluation.score, poor.evaluation.G, poor.evaluation.wrong) == (150, 50, 1)
    assert (keyless.evaluation, keyless.lacks) == (None, ("the key OPENAI_API_KEY",))
    assert best(found) == {"good"}


def test_rows_say_where_variants_differ_and_which_pages_are_right() -> None:
    same, differing, unknown = compared().rows

    assert (same.differs, differing.differs, unknown.differs) == (False, True, True)
    assert [(a.outcome, bool(a.right_pages)) for a in differing.given] == [("right", True), ("wrong", False)]
    assert (unknown.expected, [a.outcome for a in unknown.given]) == (None, [None, None])
    assert [a.value for a in unknown.given] == [1, None]


def test_the_table_has_a_line_for_each_variant_and_says_what_is_missing() -> None:
    found = compared()

    by_name = {line[0]: dict(zip(columns(found), line, strict=True)) for line in lines(found)}
    assert by_name["poor"] == {
        **{"variant": "poor", "score": "91.2", "95 %": "32.5 … 150.0", "± first": "~-58.8 (-117.5 … +0.0)"},
        **{"G": "50.0", "R": "82.5", "G name": "0.0", "G number": "100.0"},
        **{"answered": "100.0%", "wrong": "50.0%", "missing": "0.0%"},
        **{"pages P": "0.500", "pages R": "0.500", "s/question": "3.00", "USD/question": "0.0000"},
        **{"search s": "0.50", "answer s": "2.00", "checks s": "0.00"},
    }
    assert troubles(found.variants) == (
        "openai: not asked: needs the key OPENAI_API_KEY",
        "poor: 1 questions got no answer; the first: the model was away",
    )
    assert "| **`good`** | 150.0 |" in as_markdown(found)


def test_intervals_narrow_with_more_questions_and_pairs_take_out_what_is_hard_for_both() -> None:
    chance = np.random.default_rng(7)
    hard = chance.random(400) * 100
    better = hard + 2 + chance.normal(0, 1, 400)

    few, many = mean_with_interval(hard[:40]), mean_with_interval(hard)
    paired = mean_with_interval(better - hard)

    assert few.high - few.low > 2 * (many.high - many.low)
    assert many.low < hard.mean() < many.high
    assert paired.low > 1.8
    assert not paired.holds_zero
    assert mean_with_interval(better).low < many.high  # alone, they could not be told apart


def test_an_interval_holds_the_mean_of_all_questions_in_nineteen_of_twenty_sets() -> None:
    chance = np.random.default_rng(3)
    everything = chance.choice([0.0, 50.0, 150.0], 100_000, p=[0.3, 0.1, 0.6])

    holds = [
        found.low <= everything.mean() <= found.high
        for found in (mean_with_interval(chance.choice(everything, 120)) for _ in range(200))
    ]

    assert 0.9 <= np.mean(holds) <= 0.99


def test_saying_nothing_is_never_the_best() -> None:
    unknown = Truth(question="nobody knows", kind="number", answers=("N/A",), pools=None)
    silent = VariantAnswers(
        variant=Variant(name="silent", profile="offline"),
        answers=(
            WrittenAnswer(question="nobody knows", value="N/A"),
            WrittenAnswer(question="How much?", value="N/A"),
        ),
    )
    found = compare(QUESTIONS, [unknown, TRUTHS[0]], [silent], ("set.csv", "truth.json"))

    assert (dict(zip(columns(found), lines(found)[0], strict=True))["answered"], best(found)) == (
        "0.0%",
        frozenset(),
    )
    assert "silent: answered nothing" in troubles(found.variants)[0]


def test_a_page_where_nothing_differs_opens_on_all_questions() -> None:
    found = compared()
    same = found.model_copy(update={"rows": found.rows[:1]})

    assert 'id="differs" checked>' in page(found)
    assert 'id="differs" >' in page(same)


def test_other_programs_read_each_answer_once() -> None:
    found = compared()

    rows = list(csv.DictReader(as_csv(found).decode("utf-8-sig").splitlines()))
    suites = ET.fromstring(as_junit(found)).findall("testsuite")

    assert [(r["variant"], r["question"], r["outcome"]) for r in rows] == [
        *(("good", "How much?", "right"), ("good", "Who <b>?", "right"), ("good", "nobody knows", "")),
        *(("poor", "How much?", "right"), ("poor", "Who <b>?", "wrong"), ("poor", "nobody knows", "")),
    ]
    assert (rows[4]["value"], rows[4]["known_answer"], rows[4]["pages"]) == ("<script>", "Ann", f"{'a' * 40}:8")
    assert [(s.get("name"), s.get("tests"), s.get("failures")) for s in suites] == [
        *(("good", "2", "0"), ("poor", "2", "1"), ("openai", "0", "0")),
    ]
    assert suites[1].find("testcase/failure").get("message") == "wrong: given <script>; known Ann"  # type: ignore[union-attr]


def test_the_report_is_one_file_without_a_network_that_runs_no_answer() -> None:
    report = page(compared())

    assert not re.findall(r"(?:src|href)\s*=|@import|url\(|https?://(?!www\.w3\.org/2000/svg)", report)
    assert "&lt;script&gt;" in report
    assert report.count("<script>") == 1
    assert report.count('data-differs="yes"') == 2
    assert "Who &lt;b&gt;?" in report
    assert "$" not in report.split("<script>")[0]


def test_the_picture_has_a_point_for_each_variant_cheaper_ones_to_the_left() -> None:
    drawn = ET.fromstring(picture(compared()))

    circles = {c[0].text or "": c for c in drawn.iter("{http://www.w3.org/2000/svg}circle")}
    place = {name.split(":")[0]: (float(c.get("cx", 0)), float(c.get("cy", 0))) for name, c in circles.items()}
    assert set(place) == {"good", "poor"}
    assert place["good"][0] < place["poor"][0]
    assert place["good"][1] < place["poor"][1]  # y grows downwards: higher is better


def test_a_picture_of_one_variant_or_none_can_be_drawn() -> None:
    found = compared()
    one = found.model_copy(update={"variants": found.variants[:1]})
    none = found.model_copy(update={"variants": found.variants[2:]})

    assert [picture(c).count("<circle") for c in (one, none)] == [1, 0]


# The whole of it, over the sample reports.


@pytest.fixture
def sample_set(tmp_path: Path) -> tuple[Path, Path]:
    """Three questions, one of them of no known answer, and the truth of the other two."""
    who, how_much = (
        "Who is the chief executive of Veldhoorn?",
        "What was the total revenue of Ostermere Instruments?",
    )
    questions, truth = tmp_path / "q.json", tmp_path / "t.json"
    wordings = [(how_much, "number"), (who, "name"), ("What is the net income of Tsukimine?", "number")]
    questions.write_text(json.dumps([{"text": text, "kind": kind} for text, kind in wordings]))
    content = {
        how_much: {"kind": "number", "answers": [386412000], "reference_pools": []},
        who: {"kind": "name", "answers": ["nobody"], "reference_pools": []},
    }
    truth.write_text(json.dumps(content))
    return questions, truth


def test_a_lab_asks_only_what_is_new_and_writes_its_report(
    sample_data: Path, sample_set: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, truth = sample_set
    out = tmp_path / "lab"
    arguments = ["lab", str(questions), "--truth", str(truth), "--out", str(out), "--data", str(sample_data)]
    arguments += ["--variant", "offline", "--variant", "retrieval.pages=2", "--json"]

    assert run(arguments) == 0
    first = json.loads(capsys.readouterr().out)
    assert run([*arguments, "--variant", "retrieval.pages=3"]) == 0
    again = json.loads(capsys.readouterr().out)

    assert [v["asked"] for v in first["variants"]] == [3, 3]
    assert [v["asked"] for v in again["variants"]] == [0, 0, 3]
    assert first["variants"][0]["evaluation"] == again["variants"][0]["evaluation"]
    assert first["variants"][0]["evaluation"]["by_kind"]["number"]["G"] == 100
    assert {f.name for f in out.iterdir()} == {
        "answers",
        *(f"lab.{ending}" for ending in ("csv", "html", "json", "md", "svg", "xml")),
    }
    assert json.loads((out / "lab.json").read_text()) == again


def test_a_variant_that_cannot_run_says_what_it_lacks_and_the_others_go_on(
    sample_data: Path, sample_set: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, truth = sample_set
    arguments = ["lab", str(questions), "--truth", str(truth), "--out", str(tmp_path / "lab"), "--json"]
    arguments += ["--data", str(sample_data), "--variant", "openai", "--variant", "chunking.tokens=90"]

    assert run([*arguments, "--variant", "offline"]) == 1

    captured = capsys.readouterr()
    printed = {v["name"]: v for v in json.loads(captured.out)["variants"]}
    assert printed["openai"]["lacks"] == ["the key OPENAI_API_KEY"]
    assert "pageproof ingest" in printed["offline, chunking.tokens=90"]["lacks"][0]
    assert printed["offline"]["evaluation"]["n"] == 2
    assert "openai: not asked: needs the key OPENAI_API_KEY" in captured.err


def test_a_variant_without_facts_is_asked_and_says_so(
    sample_data: Path, sample_set: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, truth = sample_set
    factless = tmp_path / "library"
    shutil.copytree(sample_data, factless, ignore=shutil.ignore_patterns("facts"))
    arguments = ["lab", str(questions), "--truth", str(truth), "--out", str(tmp_path / "lab")]

    assert run([*arguments, "--data", str(factless), "--variant", "offline"]) == 0

    assert "offline: no facts of 3 of 3 reports are kept" in capsys.readouterr().err


def test_a_sample_is_drawn_from_what_has_a_known_answer(
    sample_data: Path, sample_set: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, truth = sample_set
    arguments = ["lab", str(questions), "--truth", str(truth), "--out", str(tmp_path / "lab"), "--json"]

    assert run([*arguments, "--data", str(sample_data), "--variant", "offline", "--sample", "5"]) == 0

    printed = json.loads(capsys.readouterr().out)
    assert printed["count"] == 2


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--variant", "offline,retrieval.page=3"], "known: retrieval.chunks"),
        (["--variant", "nonsense"], "there is no profile 'nonsense'"),
        ([], "nothing to compare"),
    ],
)
def test_a_wrong_setting_is_told_before_anything_is_asked(
    sample_set: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    expected: str,
) -> None:
    questions, truth = sample_set
    out = tmp_path / "lab"

    assert run(["lab", str(questions), "--truth", str(truth), "--out", str(out), *more]) == 2

    assert expected in capsys.readouterr().err
    assert not out.exists()

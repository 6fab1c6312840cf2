"""What people have is never replaced or dropped by a run over a file of questions."""

import json
from pathlib import Path

import pytest

from app.command_line import run
from app.files.answers import AnswerWriter
from app.files.questions import FileQuestion
from storage.records.answers import Answer, Usage
from storage.records.questions import Question

TEXTS = ("What was the total revenue of Ostermere Instruments?", "Who is the CEO of Ostermere Instruments?")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "q.json"
    path.write_text(json.dumps([{"text": text} for text in TEXTS]), encoding="utf-8")
    return path


def answer(questions: Path, out: Path, *more: str) -> int:
    return run(["answer", str(questions), "--out", str(out), "--data", str(questions.parent / "data"), *more])


@pytest.mark.parametrize("name", ["q.json", "./q.json", "link.json", "again.json"])
def test_answers_never_replace_their_questions(
    name: str, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (questions.parent / "link.json").symlink_to(questions)
    (questions.parent / "again.json").hardlink_to(questions)
    before = questions.read_bytes()

    assert answer(questions, questions.parent / name, "--force") == 2

    assert "is the file of questions" in capsys.readouterr().err
    assert questions.read_bytes() == before


def test_answers_that_are_there_are_replaced_only_with_force(
    questions: Path, sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = questions.parent / "a.json"
    out.write_text('{"answers": "by hand"}', encoding="utf-8")

    assert answer(questions, out) == 2

    err = capsys.readouterr().err
    assert (err.count("\n"), "--resume" in err, "--force" in err) == (1, True, True)
    assert out.read_text(encoding="utf-8") == '{"answers": "by hand"}'
    assert run(["answer", str(questions), "--out", str(out), "--force", "--data", str(sample_data)]) == 0
    assert len(json.loads(out.read_text(encoding="utf-8"))["answers"]) == len(TEXTS)


def test_a_run_again_says_what_a_stopped_run_has_left_before_it_is_lost(
    questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = questions.parent / "a.jsonl"
    stopped = AnswerWriter(out, [FileQuestion(question=Question(text=text)) for text in TEXTS])
    paid = Answer(question=TEXTS[0], kind="number", value=1.0, usage=Usage(requests=1, cost_usd=0.25))
    stopped.add(FileQuestion(question=Question(text=TEXTS[0])), paid)
    journal = (questions.parent / "a.jsonl.partial").read_bytes()

    assert answer(questions, out) == 2

    err = capsys.readouterr().err
    assert "holds 1 answer of a run that was stopped (0.2500 USD)" in err
    assert (questions.parent / "a.jsonl.partial").read_bytes() == journal


def test_resume_and_force_contradict_each_other(questions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(questions, questions.parent / "a.json", "--resume", "--force") == 2
    assert "give one of the two" in capsys.readouterr().err

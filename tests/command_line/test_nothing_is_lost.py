"""What people have is never replaced or dropped by a run over a file of questions."""

import csv
import json
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from app.command_line import run
from app.files.answers import AnswerWriter
from app.files.questions import read_question_file
from app.files.sheets import FileQuestion
from storage.errors import UsageError
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


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = Workbook()
    made.worksheets[0].append(["ID", "Question", "Year"])
    made.worksheets[0].append(["Q-1", "What was the total revenue of Ostermere Instruments?", 2023])
    made.save(tmp_path / "q.xlsx")
    return tmp_path / "q.xlsx"


def test_in_place_makes_a_copy_and_asks_for_the_year_of_the_row(
    book: Path, sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = book.read_bytes()

    assert run(["answer", str(book), "--in-place", "--data", str(sample_data)]) == 0

    copy = book.with_name("q (before answers).xlsx")
    assert copy.read_bytes() == before
    assert str(copy) in capsys.readouterr().out
    cells = [cell.value for cell in load_workbook(book).worksheets[0][2]]
    assert cells[:5] == ["Q-1", "What was the total revenue of Ostermere Instruments?", 2023, 402_875_000, "USD"]
    assert run(["answer", str(book), "--in-place", "--data", str(sample_data)]) == 2
    assert "has answers already" in capsys.readouterr().err


def test_ids_and_other_columns_go_on_to_every_form_of_answers(book: Path, sample_data: Path) -> None:
    for name in ("a.csv", "a.jsonl", "a.xlsx"):
        assert run(["answer", str(book), "--out", str(book.with_name(name)), "--data", str(sample_data)]) == 0
    with book.with_name("a.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["ID"], row["Year"], row["value"]) == ("Q-1", "2023", "402875000")
    line = json.loads(book.with_name("a.jsonl").read_text(encoding="utf-8"))
    assert line["columns"] == {"ID": "Q-1", "Question": TEXTS[0], "Year": 2023}
    assert load_workbook(book.with_name("a.xlsx")).worksheets[0]["A2"].value == "Q-1"


def test_what_a_workbook_would_lose_is_said_before_anything_is_asked(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(book, "a") as packed:
        packed.writestr("xl/vbaProject.bin", b"macros")

    assert run(["answer", str(book), "--in-place", "--data", str(book.parent / "data")]) == 2
    assert "would lose its macros" in capsys.readouterr().err
    assert answer(book, book.with_name("a.xlsx")) == 3  # nothing is ingested
    assert "will lack its macros; " in capsys.readouterr().err


def test_a_workbook_that_was_changed_meanwhile_is_not_written_over(book: Path) -> None:
    source = read_question_file(book)
    writer = AnswerWriter(book, source.questions, source=source)
    writer.add(source.questions[0], Answer(question="?", kind="number", value=1.0))
    book.write_bytes(book.read_bytes() + b" ")
    changed = book.read_bytes()

    with pytest.raises(UsageError, match="was changed while its questions were asked"):
        writer.finish()

    assert book.read_bytes() == changed
    assert book.with_name("q.xlsx.partial").exists()

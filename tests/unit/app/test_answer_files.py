"""Writing answers as they come, and going on where a run stopped."""

import csv
import json
from pathlib import Path

import pytest
from openpyxl import load_workbook

from app.files.answer_json import TABLE_COLUMNS, Submission
from app.files.answers import AnswerWriter, WrittenAnswer, read_answers
from app.files.sheets import FileQuestion
from storage.errors import UsageError
from storage.records.answers import Answer, Citation
from storage.records.questions import AnswerKind, Question


def file_question(text: str, kind: AnswerKind | None = "number", company: str | None = None) -> FileQuestion:
    return FileQuestion(question=Question(text=text, kind=kind, company=company), kind_in_file=kind)


def answered(question: FileQuestion, value: float = 1.0, page: int = 3) -> Answer:
    cited = Citation(report_sha1="abc", file="a.pdf", page=page, page_width=1, page_height=1, quote="q")
    kind = question.question.kind or "number"
    company = question.question.company
    return Answer(question=question.question.text, kind=kind, company=company, value=value, citations=(cited,))


def finished(path: Path, questions: list[FileQuestion], *, resume: bool = False) -> AnswerWriter:
    writer = AnswerWriter(path, questions, resume=resume)
    for number, question in enumerate(questions):
        if question in writer.pending:
            writer.add(question, answered(question, float(number)))
    writer.finish()
    return writer


def content(path: Path) -> object:
    """What a file says; a workbook's bytes hold the time of writing."""
    if path.suffix != ".xlsx" or not path.read_bytes().startswith(b"PK"):
        return path.read_text(encoding="utf-8")
    cells = [cell for sheet in load_workbook(path) for row in sheet.iter_rows() for cell in row]
    return [(c.value, c.number_format, c.fill.fgColor.rgb, c.hyperlink and c.hyperlink.target) for c in cells]


ONE, TWO, THREE = file_question("one"), file_question("two"), file_question("three")


def test_a_submission_is_written_in_the_questions_order_whatever_came_first(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    sender = Submission(team_email="a@b.example", submission_name="first try")
    writer = AnswerWriter(path, [ONE, TWO], submission=sender)

    writer.add(TWO, answered(TWO, 2.0))
    writer.add(ONE, answered(ONE, 1.0))
    writer.finish()

    written = json.loads(path.read_text(encoding="utf-8"))
    assert list(written) == ["answers", "team_email", "submission_name"]
    assert [(a["question_text"], a["value"]) for a in written["answers"]] == [("one", 1), ("two", 2)]
    assert written["submission_name"] == "first try"


def test_json_lines_hold_one_full_answer_each(tmp_path: Path) -> None:
    finished(tmp_path / "a.jsonl", [ONE, TWO])

    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["question"], line["citations"][0]["page"]) for line in lines] == [("one", 3), ("two", 3)]


def test_a_table_has_its_header_and_a_row_for_each_answer(tmp_path: Path) -> None:
    finished(tmp_path / "a.csv", [ONE, TWO])

    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert tuple(rows[0]) == TABLE_COLUMNS
    assert [row[0] for row in rows[1:]] == ["one", "two"]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx"])
def test_the_old_file_stands_until_the_new_one_is_complete(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("old", encoding="utf-8")
    writer = AnswerWriter(path, [ONE])

    writer.add(ONE, answered(ONE))
    before = content(path)
    writer.finish()

    assert before == "old"
    assert content(path) != "old"
    assert [left.name for left in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx"])
def test_a_finished_file_is_resumed_with_new_questions_only(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    finished(path, [ONE, TWO])
    before = content(path)

    writer = AnswerWriter(path, [ONE, THREE, TWO], resume=True)

    assert writer.pending == (THREE,)
    finished(path, [ONE, TWO], resume=True)
    assert content(path) == before


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx"])
def test_a_killed_run_goes_on_from_its_journal(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    killed = AnswerWriter(path, [ONE, TWO, THREE])
    killed.add(TWO, answered(TWO))
    with (tmp_path / f"{name}.partial").open("a", encoding="utf-8") as journal:
        journal.write('[{"question": {"te')  # killed here

    assert not path.exists()
    assert AnswerWriter(path, [ONE, TWO, THREE], resume=True).pending == (ONE, THREE)


def test_without_resume_every_question_is_asked_again(tmp_path: Path) -> None:
    finished(tmp_path / "a.json", [ONE])

    assert AnswerWriter(tmp_path / "a.json", [ONE]).pending == (ONE,)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx"])
def test_an_answer_of_another_kind_is_not_taken_for_this_question(tmp_path: Path, name: str) -> None:
    finished(tmp_path / name, [ONE])

    assert AnswerWriter(tmp_path / name, [file_question("one", "text")], resume=True).pending != ()


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx"])
def test_a_comparison_is_found_again_under_the_files_kind(tmp_path: Path, name: str) -> None:
    which = file_question("Which is larger?", "name")
    writer = AnswerWriter(tmp_path / name, [which])
    writer.add(which, Answer(question="Which is larger?", kind="comparative", value="Acme"))
    writer.finish()

    assert AnswerWriter(tmp_path / name, [which], resume=True).pending == ()


def test_one_text_asked_about_two_companies_is_two_questions(tmp_path: Path) -> None:
    acme, beta = file_question("Revenue?", company="Acme"), file_question("Revenue?", company="Beta")
    writer = AnswerWriter(tmp_path / "a.csv", [acme, beta])
    writer.add(acme, answered(acme))
    writer.finish()

    assert AnswerWriter(tmp_path / "a.csv", [acme, beta], resume=True).pending == (beta,)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx"])
def test_one_text_about_several_companies_is_found_again_by_its_place(tmp_path: Path, name: str) -> None:
    questions = [file_question("CEO?", "name", "ACME"), file_question("CEO?", "name", "Nobody")]
    writer = AnswerWriter(tmp_path / name, questions)
    writer.add(questions[0], Answer(question="CEO?", kind="name", company="Acme Inc.", value="A. Smith"))
    writer.add(questions[1], Answer(question="CEO?", kind="name", reason="company_unknown"))
    writer.finish()

    assert AnswerWriter(tmp_path / name, questions, resume=True).pending == ()


def test_equal_questions_share_an_answer_and_keep_their_places(tmp_path: Path) -> None:
    writer = finished(tmp_path / "a.json", [ONE, TWO, ONE])

    assert writer.pending == ()
    assert [a.question for a in read_answers(tmp_path / "a.json")] == ["one", "two", "one"]


def test_a_question_without_an_answer_is_left_out_for_a_later_run(tmp_path: Path) -> None:
    writer = AnswerWriter(tmp_path / "a.json", [ONE, TWO])
    writer.add(TWO, answered(TWO))
    writer.finish()

    assert [a.question for a in read_answers(tmp_path / "a.json")] == ["two"]
    assert AnswerWriter(tmp_path / "a.json", [ONE, TWO], resume=True).pending == (ONE,)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx"])
def test_a_failed_question_stands_as_na_and_is_asked_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    writer = AnswerWriter(path, [ONE, TWO])
    writer.add(ONE, answered(ONE))
    writer.add(TWO, Answer(question="two", kind="number"), error="the server is away")
    writer.finish()
    assert "N/A" in str(content(path))

    again = AnswerWriter(path, [ONE, TWO], resume=True)
    assert again.pending == (TWO,)
    again = AnswerWriter(path, [ONE, TWO], resume=True)  # the one before was killed at once
    assert again.pending == (TWO,)

    again.add(TWO, answered(TWO, 2.0))
    again.finish()
    assert AnswerWriter(path, [ONE, TWO], resume=True).pending == ()
    assert "the server is away" not in str(content(path))


def test_a_submission_has_no_place_for_an_error(tmp_path: Path) -> None:
    writer = AnswerWriter(tmp_path / "a.json", [ONE])
    writer.add(ONE, Answer(question="one", kind="number"), error="the server is away")
    writer.finish()

    (answer,) = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["answers"]
    assert answer == {"question_text": "one", "kind": "number", "value": "N/A", "references": []}


def test_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"written as .json, .jsonl, .csv, .xlsx, .html, not '.txt'"):
        AnswerWriter(tmp_path / "a.txt", [ONE])


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.xlsx", "a.json.partial"])
def test_something_else_is_not_resumed_but_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("gibberish\n", encoding="utf-8")

    with pytest.raises(UsageError, match=f"{name}: "):
        AnswerWriter(tmp_path / name.removesuffix(".partial"), [ONE], resume=True)


@pytest.mark.parametrize(
    ("name", "taken"), [("a.json", {}), ("a.jsonl", {"seconds": 0.0, "cost_usd": 0.0})], ids=lambda v: str(v)
)
def test_answers_are_read_for_scoring_with_pages_from_1(
    tmp_path: Path, name: str, taken: dict[str, float]
) -> None:
    finished(tmp_path / name, [ONE])

    expected = WrittenAnswer(question="one", value=0, references=frozenset({("abc", 3)}), **taken)
    assert read_answers(tmp_path / name) == (expected,)


def test_answers_of_round_1_are_a_bare_list_without_references(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"question": "one", "schema": "number", "answer": "N/A"}]', encoding="utf-8")

    assert read_answers(path) == (WrittenAnswer(question="one", value="N/A"),)


def test_a_reference_without_its_page_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"question_text": "q", "references": [{"pdf_sha1": "abc"}]}]', encoding="utf-8")

    with pytest.raises(UsageError, match=r"answer 1: references\.0\.page_index: Field required"):
        read_answers(path)


def test_a_table_is_not_scored_because_it_names_no_reports(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"scored from .json and .jsonl, not '.csv'"):
        read_answers(tmp_path / "a.csv")

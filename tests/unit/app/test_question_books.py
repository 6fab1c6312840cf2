"""Questions in workbooks: a column of them, or a grid of companies and metrics to fill in."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from app.files.headings import cell_question
from app.files.questions import read_question_file, read_questions
from app.files.sheets import FileQuestion
from storage.errors import UsageError
from storage.records.questions import Question


def book(folder: Path, *rows: list[Any]) -> Path:
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    made.create_sheet("Notes").append(["how", "to read this"])
    made.save(folder / "q.xlsx")
    return folder / "q.xlsx"


def test_a_column_of_questions_is_read_by_its_headings(tmp_path: Path) -> None:
    path = book(
        tmp_path,
        ["Kind", "Question", "note", "Company", "Currency"],
        ["number", "Revenue 2023?", 5, "Acme", "eur"],
        [],
        [None, "Who is the CEO of Beta?"],
    )

    assert read_questions(path) == (
        FileQuestion(
            question=Question(text="Revenue 2023?", kind="number", company="Acme", currency="EUR"),
            kind_in_file="number",
        ),
        FileQuestion(question=Question(text="Who is the CEO of Beta?")),
    )


def test_each_empty_cell_of_a_grid_is_a_question_by_the_ontologys_name(tmp_path: Path) -> None:
    path = book(tmp_path, ["Company", "sales", "Backlog"], ["Acme", None, 7], ["Beta plc"])

    read = read_question_file(path)

    assert [question.question for question in read.questions] == [
        Question(text="What was the Total revenue of Acme?", kind="number", company="Acme"),
        Question(text="What was the Total revenue of Beta plc?", kind="number", company="Beta plc"),
        Question(text="What was the Backlog of Beta plc?", kind="number", company="Beta plc"),
    ]
    assert [(place.row, place.column) for place in read.places if place] == [(2, 2), (3, 2), (3, 3)]


def test_a_heading_that_is_not_known_takes_no_year_from_the_others(tmp_path: Path) -> None:
    path = book(
        tmp_path,
        [None, "2024", None, "2023", None, None],
        ["Company", "Revenue", "Net income", "Revenue", "Net income", "Zing"],
        ["Acme"],
    )
    asked = [question.question.text for question in read_question_file(path).questions]
    assert [("in 2024" in text, "in 2023" in text) for text in asked[:4]] == [(True, False)] * 2 + [
        (False, True)
    ] * 2


def test_a_heading_that_is_a_question_is_asked_as_it_stands() -> None:
    assert cell_question("Acme", "Who is the CEO?") == Question(text="Who is the CEO?", company="Acme")


def test_a_title_that_no_question_would_be_understood_by_keeps_the_users_words() -> None:
    # The ontology's title says "non-current", which it would not find again.
    assert cell_question("Acme", "lease liabilities").text == "What was the lease liabilities of Acme?"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "cell A1 of 'Notes', 'how', is no heading that is known; expected a column 'Question'"),
        (
            [["What is revenue?"], ["Who is the CEO?"]],
            "cell A1 of 'Sheet', .* expected a column .* or a grid",
        ),
        ([["Company", "Revenue"], ["Acme", 5]], "no cell is empty"),
        ([["question"], []], "holds no questions"),
        ([["question", "kind"], ["Revenue?", "poem"]], "cell B2 of 'Sheet': kind 'poem' is not one of number"),
        ([["question", "currency"], ["Revenue?", "dollars"]], "cell B2 of 'Sheet': 'dollars' is no currency"),
    ],
)
def test_a_workbook_without_questions_says_what_was_expected(
    tmp_path: Path, rows: list[list[Any]], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        read_questions(book(tmp_path, *rows))


@pytest.mark.parametrize("content", [b"", b"no workbook", b"PK\x05\x06" + bytes(18)], ids=["empty", "text", "zip"])
def test_what_is_no_workbook_is_the_users_to_fix(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "q.xlsx").write_bytes(content)

    with pytest.raises(UsageError, match=r"is not an Excel workbook"):
        read_questions(tmp_path / "q.xlsx")


def test_a_workbook_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_questions(tmp_path / "q.xlsx")

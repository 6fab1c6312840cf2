"""Files of questions as people and the challenge write them."""

import csv
import io
import json
from pathlib import Path

import pytest

from app.files.questions import read_question_file, read_questions
from app.files.sheets import FileQuestion
from app.library.company_edits import companies_csv, edit_from_csv
from storage.errors import UsageError
from storage.records.questions import Question
from storage.records.reports import Company, Report


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_round_1_calls_the_kind_a_schema(tmp_path: Path) -> None:
    path = written(tmp_path, "q.json", [{"question": "Who is the CEO?", "schema": "name", "answer": ["N/A"]}])

    assert read_questions(path) == (
        FileQuestion(question=Question(text="Who is the CEO?", kind="name"), kind_in_file="name"),
    )


def test_round_2_calls_the_question_a_text(tmp_path: Path) -> None:
    path = written(tmp_path, "q.json", [{"text": "Total assets?", "kind": "number"}])

    assert read_questions(path)[0].question == Question(text="Total assets?", kind="number")


def test_string_means_text_and_the_files_word_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path, "q.json", [{"text": "Why did sales fall?", "kind": "string"}])

    (read,) = read_questions(path)

    assert (read.question.kind, read.kind_in_file) == ("text", "string")


def test_the_text_is_kept_to_the_letter(tmp_path: Path) -> None:
    path = written(tmp_path, "q.json", [{"text": "Total assets? ", "kind": " Number "}])

    (read,) = read_questions(path)

    assert (read.question.text, read.question.kind, read.kind_in_file) == ("Total assets? ", "number", "Number")


@pytest.mark.parametrize("item", [{"text": "a"}, {"text": "a", "kind": None}, {"text": "a", "kind": " "}], ids=str)
def test_a_kind_that_is_missing_or_empty_is_left_to_be_inferred(tmp_path: Path, item: dict[str, object]) -> None:
    (read,) = read_questions(written(tmp_path, "q.json", [item]))

    assert (read.question.kind, read.kind_in_file) == (None, None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_csv_columns_are_found_by_name_in_any_order(tmp_path: Path, delimiter: str) -> None:
    rows = [["Kind", "note", "Company", "Question"], ["boolean", "x", "Holley Inc.", '"Mergers, or any?"']]
    path = written(tmp_path, "q.csv", "\ufeff" + "\r\n".join(delimiter.join(row) for row in rows) + "\r\n")

    assert [read.question for read in read_questions(path)] == [
        Question(text="Mergers, or any?", kind="boolean", company="Holley Inc.")
    ]


def test_a_csv_row_may_end_before_its_last_columns(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_text("text,kind,company\nWhat was the total revenue?,number\nWho is the CEO?\n", encoding="utf-8")
    assert [(read.question.text, read.question.kind) for read in read_questions(path)] == [
        ("What was the total revenue?", "number"),
        ("Who is the CEO?", None),
    ]


def test_empty_csv_rows_are_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path, "q.csv", "question,kind\nfirst,\n,\n\nsecond,text\n")

    assert [read.question.text for read in read_questions(path)] == ["first", "second"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.csv", "What is revenue?\nWho is the CEO?\n", r"row 1, column 1, 'What is revenue\?', is no heading"),
        ("q.csv", "", "it is empty; expected a column 'Question'"),
        ("q.csv", "question,kind\nok,name\nWho, then,name\n", r"row 3: expected 2 cells .* found 3"),
        ("q.csv", "question,kind,company\n,name,Acme\n", "row 2, column 1: is empty, and the row has no question"),
        ("q.csv", "question,kind,year\nok,name,2024-99-99\n", "row 2, column 3: '2024-99-99' is no period"),
        ("q.csv", "question,kind,year\nok,name,0000-01-01\n", "row 2, column 3: '0000-01-01' is no period"),
        ("q.json", "{", "is not JSON: .* in line 1"),
        ("q.json", [{"text": "a", "period": "2024-02-30"}], "question 1: '2024-02-30' is no period"),
        ("q.json", {"questions": []}, "expected a list of questions, found dict"),
        ("q.json", [], "holds no questions"),
        ("q.json", [{"text": "a"}, "b"], "question 2: expected an object .* found 'b'"),
        ("q.json", [{"prompt": "a"}], "question 1: expected a text .* found fields: 'prompt'"),
        ("q.json", [{"text": 5}], "question 1: `text` is 5, expected a text"),
        ("q.json", [{"text": "a", "kind": "poem"}], "question 1: kind 'poem' is not one of number, boolean"),
        ("q.txt", "a", r"read from .json, .csv, .tsv, .xlsx, .xlsm, not '.txt'"),
    ],
)
def test_bad_input_says_file_item_and_what_was_expected(
    tmp_path: Path, name: str, content: object, message: str
) -> None:
    path = written(tmp_path, name, content)

    with pytest.raises(UsageError, match=message) as error:
        read_questions(path)

    assert str(error.value).startswith(str(path))


def test_a_file_that_is_not_there_is_the_users_to_fix(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_questions(tmp_path / "missing.json")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_read_as_spreadsheets_of_any_country_write_it(
    encoding: str, separator: str, tmp_path: Path
) -> None:
    rows = [["ID", "FRAGE", "Firma", "Jahr"], ["7", "Wie hoch war der Umsatz?", "Müller & Söhne AG", "2022"]]
    text = "\r\n".join(separator.join(row) for row in rows)
    (tmp_path / "q.csv").write_bytes(text.encode(encoding))

    read = read_question_file(tmp_path / "q.csv")

    asked = Question(text="Wie hoch war der Umsatz in 2022?", company="Müller & Söhne AG")
    assert [one.question for one in read.questions] == [asked]
    assert read.columns[0]["ID"] == "7"


def test_a_file_in_an_unknown_encoding_is_the_users_to_fix(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes(b"question\n\x81\x8d\x8f?\n")

    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_questions(path)


def test_a_company_s_name_is_no_formula_in_a_table_and_comes_back_as_it_was() -> None:
    names = ("=1+1", "@SUM(A1)", "-Minus AG", "'s-Hertogenbosch N.V.", "Plain plc")
    known = [
        Company(name=name, reports=(Report(sha1=f"{n:040x}", company=name, file="+a.pdf", page_count=1),))
        for n, name in enumerate(names)
    ]
    text = companies_csv(known)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
    assert edit_from_csv(known, text).changes_nothing


@pytest.mark.parametrize(
    "metric",
    [
        "Total square feet",
        "Total order backlog",
        "Total revnue",
        "Average selling price",
        "Sum insured",
        "Total",
        "Note",
    ],
)
def test_a_row_of_a_list_does_not_vanish_because_its_metric_begins_like_a_total(
    tmp_path: Path, metric: str
) -> None:
    path = written(
        tmp_path, "q.csv", f"company,metric,year\nOstermere,{metric},2023\nOstermere,Total revenue,2023\n"
    )

    assert [read.question.text for read in read_questions(path)] == [
        f"What was the {metric} of Ostermere in 2023?",
        "What was the Total revenue of Ostermere in 2023?",
    ]


def test_the_total_below_a_list_of_one_company_is_no_question(tmp_path: Path) -> None:
    path = written(
        tmp_path, "q.csv", "Ostermere,\nMetric,Value\nTotal order backlog,\nTotal:,\nSource: reports,\n"
    )

    (read,) = read_questions(path)

    assert read.question.text == "What was the Total order backlog of Ostermere?"


def test_a_row_of_a_grid_does_not_vanish_because_its_metric_begins_like_a_total(tmp_path: Path) -> None:
    path = written(tmp_path, "q.csv", "Metric,Ostermere,Veldhoorn\nTotal square feet,,\nRevenue,,\nTotal,,\n")

    assert [read.question.text for read in read_questions(path)][:2] == [
        "What was the Total square feet of Ostermere?",
        "What was the Total square feet of Veldhoorn?",
    ]
    assert len(read_questions(path)) == 4


def test_a_company_whose_name_ends_like_a_section_keeps_its_row(tmp_path: Path) -> None:
    path = written(tmp_path, "q.csv", "Company,Metric,2023\nApollo Global Management,Revenue,\nTotal,Wombats,\n")

    assert [read.question.company for read in read_questions(path)] == ["Apollo Global Management", "Total"]


def test_a_company_that_is_called_target_begins_no_other_table(tmp_path: Path) -> None:
    path = written(
        tmp_path, "q.csv", "company,metric\nOstermere,Revenue\nTarget,Total revenue\nVeldhoorn,Revenue\n"
    )

    assert [read.question.company for read in read_questions(path)] == ["Ostermere", "Target", "Veldhoorn"]


@pytest.mark.parametrize(
    ("written_so", "code"), [("usd", "USD"), ("US dollars", "USD"), ("yen", "JPY"), ("RMB", "CNY"), ("THB", "THB")]
)
def test_a_currency_is_understood_alike_in_every_form_of_file(tmp_path: Path, written_so: str, code: str) -> None:
    table = written(tmp_path, "q.csv", f"question,currency\nWhat was the revenue?,{written_so}\n")
    items = written(tmp_path, "q.json", [{"text": "What was the revenue?", "currency": written_so}])

    assert [read_questions(path)[0].question.currency for path in (table, items)] == [code, code]


def test_three_letters_that_are_no_currency_are_refused_in_every_form_of_file(tmp_path: Path) -> None:
    table = written(tmp_path, "q.csv", "question,currency\nWhat was the revenue?,XXQ\n")
    items = written(tmp_path, "q.json", [{"text": "What was the revenue?", "currency": "XXQ"}])

    for path in (table, items):
        with pytest.raises(UsageError, match="'XXQ' is no currency; expected a code of three letters such as EUR"):
            read_questions(path)


def test_a_row_of_a_list_without_its_metric_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "q.csv", "company,metric,year\nOstermere,Revenue,2023\nVeldhoorn,,2023\n")

    with pytest.raises(UsageError, match="row 3, column 2: is empty, and the row has no metric"):
        read_questions(path)

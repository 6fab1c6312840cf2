"""Thirty workbooks as people make them: read as meant or refused with the cell named, and never changed beside."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from app.files.answer_books import as_book, book_row, book_rows
from app.files.figure_tables import cited_source
from app.files.filled_books import BESIDE
from app.files.questions import QuestionFile, read_question_file
from storage.errors import UsageError
from storage.records.answers import Answer, Check, Unit
from tests.support.question_workbooks import WORKBOOKS, MadeWorkbook

MEANT = [made for made in WORKBOOKS if made.meant]
REFUSED = [made for made in WORKBOOKS if not made.meant]


def saved(made: MadeWorkbook, folder: Path) -> Path:
    made.make().save(folder / "q.xlsx")
    return folder / "q.xlsx"


def lines(read: QuestionFile, made: MadeWorkbook) -> Iterator[str]:
    """What was read, in the form of `MadeWorkbook.meant`."""
    several = len({place.sheet for place in read.places if place}) > 1
    book = made.make()
    for one, place in zip(read.questions, read.places, strict=True):
        assert place is not None
        cell = book[place.sheet].cell(place.row, place.column).coordinate if place.column else f"row {place.row}"
        asked = one.question
        parts = (
            f"{cell} of {place.sheet}" if several else cell,
            asked.text,
            asked.kind or "",
            asked.company or "",
            asked.currency or "",
            str(one.scale or ""),
        )
        yield " | ".join(parts).replace("|  |", "| |").rstrip("| ")


def answers(read: QuestionFile) -> bytes:
    """The workbook with an answer of 5,000,000 EUR to every question."""
    checked = (Check(name="figure", verdict="passed"),)
    rows = [
        book_row(
            Answer(
                question=one.question.text, kind="number", value=5e6, unit=Unit(currency="EUR"), checks=checked
            ),
            None,
            cited_source,
        )
        for one in read.questions
    ]
    return as_book(list(zip(read.questions, rows, strict=True)), read)


def cells(book: Workbook, name: str) -> dict[str, tuple[Any, ...]]:
    """Every cell of a sheet: its value or formula, and how it looks."""
    return {
        cell.coordinate: (
            cell.value,
            cell.number_format,
            *map(repr, (cell.font, cell.fill, cell.border, cell.comment)),
        )
        for row in book[name].iter_rows()
        for cell in row
        if cell.value is not None or cell.has_style
    }


def test_there_are_thirty_of_them() -> None:
    assert len(WORKBOOKS) == len({made.name for made in WORKBOOKS}) == 30


@pytest.mark.parametrize("made", MEANT, ids=lambda made: made.name)
def test_a_workbook_is_read_as_it_is_meant(made: MadeWorkbook, tmp_path: Path) -> None:
    assert list(lines(read_question_file(saved(made, tmp_path)), made)) == list(made.meant)


@pytest.mark.parametrize("made", REFUSED, ids=lambda made: made.name)
def test_a_workbook_that_is_not_understood_is_refused_with_its_cell(made: MadeWorkbook, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read_question_file(saved(made, tmp_path))
    assert made.error in str(refused.value)


@pytest.mark.parametrize("made", MEANT, ids=lambda made: made.name)
def test_nothing_but_new_columns_and_empty_cells_is_written(made: MadeWorkbook, tmp_path: Path) -> None:
    path = saved(made, tmp_path)
    read = read_question_file(path)
    before, after = load_workbook(path), load_workbook(io.BytesIO(answers(read)))

    for name in before.sheetnames:
        asked = {
            before[name].cell(p.row, p.column).coordinate
            for p in read.places
            if p and p.column and p.sheet == name
        }
        was, now = cells(before, name), cells(after, name)
        assert {place: now[place] for place in was if place not in asked} == {
            place: cell for place, cell in was.items() if place not in asked
        }
        added = set(now) - set(was) - asked
        if asked:
            assert added == set()
        elif added:
            width = before[name].max_column
            assert min(after[name][place].column for place in added) == width + 1
            assert len({after[name][place].column for place in added}) <= len(BESIDE)
        assert after[name].merged_cells.ranges == before[name].merged_cells.ranges
        assert after[name].freeze_panes == before[name].freeze_panes
        assert after[name].auto_filter.ref == before[name].auto_filter.ref
        assert after[name].sheet_state == before[name].sheet_state
        assert len(after[name].data_validations.dataValidation) == len(
            before[name].data_validations.dataValidation
        )


def test_a_figure_is_shown_in_the_unit_of_its_heading(tmp_path: Path) -> None:
    (made,) = (one for one in WORKBOOKS if one.name.startswith("a grid of peers"))
    read = read_question_file(saved(made, tmp_path))

    sheet = load_workbook(io.BytesIO(answers(read)))["Peers"]

    assert (sheet["D2"].value, sheet["D2"].number_format) == (5, '#,##0 "EUR million"')
    assert sheet["G3"].value == 120


def test_answers_in_a_people_s_workbook_are_found_again(tmp_path: Path) -> None:
    read = read_question_file(saved(WORKBOOKS[1], tmp_path))
    (tmp_path / "a.xlsx").write_bytes(answers(read))

    assert [row["value"] for row in book_rows(tmp_path / "a.xlsx")] == [5_000_000, 5_000_000]


def test_a_sheet_of_somebody_s_called_answers_is_left_alone(tmp_path: Path) -> None:
    book = Workbook()
    book.worksheets[0].title = "Answers"
    book["Answers"].append(["Question", "My answer"])
    book["Answers"].append(["What was the revenue of Acme?", "=1+1"])
    book.save(tmp_path / "q.xlsx")

    (tmp_path / "a.xlsx").write_bytes(answers(read_question_file(tmp_path / "q.xlsx")))

    after = load_workbook(tmp_path / "a.xlsx")
    assert after["Answers"]["B2"].value == "=1+1"
    assert [row["value"] for row in book_rows(tmp_path / "a.xlsx")] == [5_000_000]

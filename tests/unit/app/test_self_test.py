"""The self-test: which rows are asked, and when an answer is wrong and ticked."""

import datetime as dt

import pytest

from app.evaluation.self_test import ReportRows, RowQuestion, draw_row_questions, is_askable, judged, summed_up
from storage.records.answers import Answer, Check
from storage.records.facts import Period
from storage.records.metrics import Ontology
from storage.records.pages import Block, Cell, Column, Page, Table
from storage.records.questions import Question
from storage.records.reports import Report
from tests.support.example_pages import BOX

ASKED = RowQuestion(
    question=Question(text="What was the cash of Acme in 2022?", kind="number"),
    group="statement",
    company="Acme",
    row="cash",
    page_number=3,
    expected=(1046000.0, -1046000.0),
    printed=("1,046",),
)
PASSED = Check(name="figure", verdict="passed")
FAILED = Check(name="figure", verdict="failed")

LABELS = ("Cash", "Trade receivables", "Inventories", "Total current assets", "Total assets", "Trade payables")


def balance_sheet() -> Page:
    """Six rows for two days, in thousands."""
    years = (dt.date(2022, 12, 31), dt.date(2021, 12, 31))
    cells = [Cell(row=0, column=i, text=str(day.year), role="column_header") for i, day in enumerate(years, 1)]
    for row, label in enumerate(LABELS, 1):
        cells.append(Cell(row=row, column=0, text=label, role="row_label"))
        cells += [Cell(row=row, column=i, text=f"{row * 100 + i}") for i in (1, 2)]
    columns = (Column(), *(Column(period=Period(end=day), scale=1000, header=str(day.year)) for day in years))
    table = Table(
        row_count=7, column_count=3, cells=tuple(cells), columns=columns, title="Consolidated balance sheet"
    )
    block = Block(kind="table", text="the balance sheet", box=BOX, table=table)
    return Page(report_sha1="a" * 40, page_number=1, width=9, height=9, blocks=(block,))


def answer(value: float | str, *checks: Check) -> Answer:
    return Answer(question=ASKED.question.text, kind="number", value=value, checks=checks)


@pytest.mark.parametrize(
    ("value", "checks", "outcome", "ticked"),
    [
        (1046000.0, (PASSED,), "right", True),
        (886000.0, (PASSED,), "wrong", True),
        (886000.0, (PASSED, FAILED), "wrong", False),
        ("N/A", (), "missing", False),
        ("Cash was £1,046 thousand.", (), "right", True),
    ],
)
def test_an_answer_that_the_rows_do_not_print_is_wrong(
    value: float | str, checks: tuple[Check, ...], outcome: str, ticked: bool
) -> None:
    found = judged(ASKED, answer(value, *checks))
    assert (found.outcome, found.is_ticked) == (outcome, ticked)


@pytest.mark.parametrize(
    ("value", "printed", "known", "outcome"),
    [
        (6_147_000.0, "6.1", 6_100_000.0, "right"),
        (11.7, "12%", 12.0, "right"),
        (6_247_000.0, "6.1", 6_100_000.0, "wrong"),
        (1.4, "1", 1.0, "wrong"),
    ],
)
def test_a_figure_that_a_note_rounds_is_the_same_figure(
    value: float, printed: str, known: float, outcome: str
) -> None:
    asked = ASKED.model_copy(update={"expected": (known, -known), "printed": (printed,)})
    assert judged(asked, answer(value, PASSED)).outcome == outcome


def test_na_is_right_where_no_row_says_it() -> None:
    nowhere = ASKED.model_copy(update={"expected": (), "group": "neighbour"})
    assert judged(nowhere, answer("N/A")).outcome == "right_na"
    assert judged(nowhere, answer(5.0, PASSED)).outcome == "wrong"


def test_the_wrong_and_ticked_come_first_and_are_counted() -> None:
    given = [answer(1.0, FAILED), answer(2.0, PASSED), answer(1046000.0, PASSED)]
    found = summed_up([judged(ASKED, one) for one in given])
    assert [one.value for one in found.wrong] == ["2", "1"]
    assert (found.n, found.wrong_and_ticked, found.right_in_statements) == (3, 1, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("label", "asked"),
    [("Trade receivables", True), ("Total", False), ("Balance at 1 January", False), ("Closing balance", False)],
)
def test_a_label_that_says_nothing_alone_is_not_asked(label: str, asked: bool) -> None:
    assert is_askable(label) is asked


def test_the_same_seed_draws_the_same_questions() -> None:
    report = Report(sha1="a" * 40, file="a.pdf", company="Acme", period_end=dt.date(2022, 12, 31), page_count=1)
    rows = ReportRows(report, [balance_sheet()], None, Ontology.load())
    drawn = draw_row_questions([rows], 40, 7)
    assert drawn == draw_row_questions([rows], 40, 7)
    assert {one.group for one in drawn} >= {"statement", "other_dimension", "neighbour", "opening", "other_year"}
    receivables = [one for one in drawn if one.group == "statement" and one.row == "trade receivables"]
    assert {one.expected for one in receivables} <= {(201000.0, -201000.0), (202000.0, -202000.0)}
    assert not any(one.expected for one in drawn if one.group in ("neighbour", "other_year", "other_dimension"))

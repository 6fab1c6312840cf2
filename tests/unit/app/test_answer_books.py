"""Answers as a workbook."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from app.files.answer_books import as_book, book_row, book_rows
from app.files.figure_tables import Source
from app.files.questions import QuestionFile, read_question_file
from app.files.sheets import FileQuestion
from storage.records.answers import Answer, Check, Citation, CitedFigure, Nearest, Understood, Unit, Usage
from storage.records.questions import Question


def source_of(cited: Citation) -> Source:
    return Source(report="Acme 2022", link=f"file:///data/reports/{cited.report_sha1}.pdf#page={cited.page}")


PASSED = Check(name="figure", verdict="passed")


def cited(page: int, quote: str = "Revenue 3,114") -> Citation:
    return Citation(report_sha1="abc", file="acme.pdf", page=page, page_width=1, page_height=1, quote=quote)


def revenue(question: str = "Revenue?", **changes: Any) -> Answer:
    known: dict[str, Any] = {
        "question": question,
        "kind": "number",
        "company": "Acme",
        "value": 3_114_000.0,
        "unit": Unit(currency="USD", scale=1000, printed="3,114", period_end=dt.date(2022, 12, 31)),
        "citations": (cited(45), cited(46, "the other"), cited(45, "again")),
        "checks": (PASSED,),
        "usage": Usage(requests=2, prompt_tokens=10, completion_tokens=2, cost_usd=0.0123),
        "seconds": 1.5,
    }
    return Answer.model_validate(known | changes)


def written(folder: Path, *answers: Answer, source: QuestionFile | None = None, error: str | None = None) -> Path:
    path = folder / "a.xlsx"
    rows = [book_row(answer, error, source_of) for answer in answers]
    asked = [FileQuestion(question=Question(text=a.question, kind=a.kind, company=a.company)) for a in answers]
    questions = source.questions[: len(answers)] if source else asked
    path.write_bytes(as_book(list(zip(questions, rows, strict=True)), source))
    return path


def cells(path: Path, number: int = 2) -> dict[str, Any]:
    sheet = load_workbook(path)["Answers"]
    return {str(head.value): cell for head, cell in zip(sheet[1], sheet[number], strict=True)}


def test_values_have_their_own_types(tmp_path: Path) -> None:
    row = cells(written(tmp_path, revenue()))

    assert (row["Value"].value, row["Value"].data_type) == (3_114_000, "n")
    assert (row["Currency"].value, row["As printed"].value) == ("USD", "3,114")
    assert row["Period to"].value == dt.datetime(2022, 12, 31)
    assert (row["Cost (USD)"].value, row["Seconds"].value) == (0.0123, 1.5)
    assert cells(written(tmp_path, revenue(kind="boolean", value=True, unit=None)))["Value"].value is True


def test_a_value_opens_the_pdf_at_its_page_and_every_cited_page_has_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, revenue())

    link = cells(path)["Value"].hyperlink
    assert (link.target, link.location) in [
        ("file:///data/reports/abc.pdf#page=45", None),
        ("file:///data/reports/abc.pdf", "page=45"),
    ]
    sources = load_workbook(path)["Sources"]
    assert [[c.value for c in row] for row in sources.iter_rows(min_row=2)] == [
        [1, "Acme", "Acme 2022", 45, "Revenue 3,114", "acme.pdf"],
        [1, "Acme", "Acme 2022", 46, "the other", "acme.pdf"],
    ]


def test_colours_tell_the_checks_apart(tmp_path: Path) -> None:
    answers = [
        revenue("1"),
        revenue("2", checks=()),
        revenue("3", checks=(PASSED, Check(name="period", verdict="failed"))),
        revenue("4", value="N/A", reason="not_found", citations=()),
    ]
    path = written(tmp_path, *answers)

    colours = [cells(path, number)["Value"].fill.fgColor.rgb for number in (2, 3, 4, 5)]
    legend = [row[0].fill.fgColor.rgb for row in load_workbook(path)["Colours"].iter_rows()]
    assert colours == legend[:4]
    assert len(set(legend)) == 5


def test_a_quote_that_looks_like_a_formula_is_a_text(tmp_path: Path) -> None:
    row = cells(written(tmp_path, revenue(citations=(cited(1, '=HYPERLINK("http://evil")'),))))

    assert (row["Quotes"].value, row["Quotes"].data_type) == ('=HYPERLINK("http://evil")', "s")


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    answer = revenue(citations=(cited(45, "=1+1"), cited(46)))
    row = book_row(answer, None, source_of)

    assert book_rows(written(tmp_path, answer)) == [row]


def test_a_grid_of_a_csv_comes_back_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "grid.csv"
    path.write_text("Company;sales;known\nAcme;;7\nBeta;;x\nGamma;;\n", encoding="utf-8")
    source = read_question_file(path)
    found = revenue(source.questions[0].question.text)
    missing = revenue(
        source.questions[1].question.text,
        company="Beta",
        value="N/A",
        reason="not_found",
        citations=(),
        unit=None,
    )

    sheet = load_workbook(written(tmp_path, found, missing, source=source))["Grid"]

    shown = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert shown == [
        ["Company", "sales", "known"],
        ["Acme", 3_114_000, "7"],
        ["Beta", "N/A", "x"],
        ["Gamma", None, None],
    ]
    assert sheet["B2"].number_format == '#,##0 "USD"'
    assert sheet["B2"].hyperlink is not None
    assert sheet["B3"].comment.text == "not found"
    assert sheet["B2"].fill.fgColor.rgb != sheet["B3"].fill.fgColor.rgb


@pytest.mark.parametrize(
    ("changes", "unit", "form"),
    [
        ({"value": 27.1, "unit": Unit(measure="percent", printed="27.1%")}, "%", '#,##0.0#"%"'),
        ({"value": 3.1, "unit": Unit(measure="times", printed="3.1x")}, "x", '0.00"x"'),
        (
            {"value": 1.35, "unit": Unit(currency="EUR"), "understood": Understood(dimension="per share")},
            "EUR per share",
            "#,##0.00##",
        ),
        ({"value": 1207.0, "unit": None}, None, "#,##0"),
    ],
    ids=["percent", "times", "per share", "count"],
)
def test_a_figure_has_the_number_format_of_its_unit(
    changes: dict[str, Any], unit: str | None, form: str, tmp_path: Path
) -> None:
    row = cells(written(tmp_path, revenue(**changes)))
    assert (row["Unit"].value, row["Value"].number_format) == (unit, form)


def test_a_calculated_figure_is_a_formula_over_its_operands(tmp_path: Path) -> None:
    operands = tuple(
        CitedFigure(name=name, value=value, unit=Unit(currency="EUR"), citation=cited(8))
        for name, value in (("Gross profit", 552_800.0), ("Total revenue", 1_842_600.0))
    )
    margin = revenue(
        value=30.0011,
        unit=Unit(measure="percent", printed="30.0%"),
        formula="Gross profit / Total revenue",
        operands=operands,
    )
    path = written(tmp_path, margin)

    shown = [[cell.value for cell in row][1:7] for row in load_workbook(path)["Parts"].iter_rows(min_row=2)]
    assert shown == [
        ["operand", "Acme", "Gross profit", None, 552_800, "EUR"],
        ["operand", "Acme", "Total revenue", None, 1_842_600, "EUR"],
        ["result", None, "Gross profit / Total revenue", None, "=(F2 / F3)*100", "%"],
    ]
    assert (
        load_workbook(path, data_only=True)["Parts"]["F4"].value == 30.0011
    )  # for programs that calculate nothing
    assert book_rows(path) == [book_row(margin, None, source_of)]


def test_a_workbook_of_an_earlier_version_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, revenue())
    book = load_workbook(path)
    book["Sources"].delete_cols(6)
    book["Sources"]["C2"].value = "acme.pdf"
    book.save(path)

    sources = book_rows(path)[0]["sources"]

    assert isinstance(sources, list)
    assert [(s["page"], s["quote"], s["file"]) for s in sources] == [
        (45, "Revenue 3,114", ""),
        (46, "the other", ""),
    ]


def test_a_comparison_s_parts_stand_on_their_own_sheet_with_a_chart(tmp_path: Path) -> None:
    parts = tuple(revenue(f"{n}?", company=name, value=n * 1000.0) for n, name in enumerate("ABC", 1))
    ranking = revenue(kind="names", value=("C", "B", "A"), unit=None, parts=parts, citations=())
    sheet = load_workbook(written(tmp_path, ranking))["Parts"]

    assert [[sheet.cell(row, column).value for column in (3, 6, 7, 8)] for row in (2, 3, 4)] == [
        ["A", 1000, "USD", 45],
        ["B", 2000, "USD", 45],
        ["C", 3000, "USD", 45],
    ]
    assert len(sheet._charts) == 1


def chart_of(folder: Path, *parts: Answer) -> Any:
    together = revenue(kind="text", value="…", unit=None, parts=parts, citations=())
    return next(iter(load_workbook(written(folder, together))["Parts"]._charts), None)


def yearly(company: str, year: int, value: float | str) -> Answer:
    unit = Unit(currency="USD", period_end=dt.date(year, 12, 31)) if value != "N/A" else None
    return revenue(f"{company} {year}", company=company, value=value, unit=unit)


def test_a_series_is_a_line_over_the_years_that_are_printed(tmp_path: Path) -> None:
    line = chart_of(tmp_path, *(yearly("A", 2018 + n, "N/A" if n < 2 else n * 10.0) for n in range(5)))
    gap = chart_of(tmp_path, *(yearly("A", 2018 + n, "N/A" if n == 2 else n * 10.0) for n in range(5)))

    assert [series.val.numRef.f for series in line.series] == ["'Parts'!$F$4:$F$6"]
    assert line.series[0].cat.numRef.f == "'Parts'!$E$4:$E$6"
    assert gap is None


def test_companies_over_years_stand_side_by_side_in_each_year(tmp_path: Path) -> None:
    bars = chart_of(tmp_path, *(yearly(name, 2021 + n, 10.0) for name in "AB" for n in range(2)))

    assert [series.val.numRef.f for series in bars.series] == ["'Parts'!$F$2:$F$3", "'Parts'!$F$4:$F$5"]
    assert bars.legend is not None


def test_rows_are_as_high_as_their_longest_text(tmp_path: Path) -> None:
    path = written(tmp_path, revenue(), revenue(summary="word " * 60))
    heights = [load_workbook(path)["Answers"].row_dimensions[row].height for row in (2, 3)]

    assert heights == [15, 75]


def test_the_nearest_figure_and_the_explanation_stand_beside_an_answer_that_is_none(tmp_path: Path) -> None:
    percent = Unit(measure="percent", printed="12.5%")
    near = Nearest(
        value=12.5, unit=percent, relation="other_period", page=8, quote="Revenue 12.5", detail="printed for 2023"
    )
    row = cells(
        written(tmp_path, revenue(value="N/A", reason="other_period", nearest=near, summary="Not of 2024."))
    )
    assert row["Unit of it"].value == "%"
    assert (row["Nearest figure"].value, row["How it differs"].value, row["Explanation"].value) == (
        12.5,
        "page 8, “Revenue 12.5”: printed for 2023",
        "Not of 2024.",
    )


def test_a_failed_question_says_why(tmp_path: Path) -> None:
    path = written(tmp_path, revenue(value="N/A", citations=()), error="the server is away")

    assert cells(path)["Error"].value == "the server is away"
    assert load_workbook(path)["Colours"]["A5"].fill.fgColor.rgb == cells(path)["Value"].fill.fgColor.rgb

"""The table of an answer's figures, and its workbook."""

import datetime as dt
import io

import pytest
from openpyxl import load_workbook

from app.files.figure_tables import cell_formula, cited_source, in_figures, table_book, table_of
from storage.records.answers import Answer, Citation, CitedFigure, SeriesFigure, Understood, Unit


def citation(page: int, quote: str = "Revenue 12") -> Citation:
    return Citation(report_sha1="a" * 40, file="a.pdf", page=page, page_width=600, page_height=800, quote=quote)


def part(company: str, value: float | None, currency: str = "USD", year: int = 2022, page: int = 3) -> Answer:
    unit = Unit(currency=currency, printed=str(value), period_end=dt.date(year, 12, 31))
    known = {"value": value, "unit": unit, "citations": (citation(page),)} if value is not None else {}
    return Answer.model_validate({"question": "?", "kind": "number", "company": company, **known})


def margin(company: str, top: float, bottom: float, year: int = 2022) -> Answer:
    end = dt.date(year, 12, 31)
    operands = tuple(
        CitedFigure(name=name, value=value, period=end, citation=citation(page))
        for page, (name, value) in enumerate((("Net income", top), ("Total revenue", bottom)), 4)
    )
    return Answer(
        question="?",
        kind="number",
        company=company,
        value=top / bottom * 100,
        unit=Unit(measure="percent", printed=f"{top / bottom * 100:.1f}%", period_end=end),
        understood=Understood(dimension="percent"),
        formula="Net income / Total revenue",
        operands=operands,
        citations=(citation(4),),
    )


def table_answer(cells: dict[tuple[str, str, str], Answer]) -> Answer:
    series = tuple(
        SeriesFigure(
            company=company,
            metric=metric,
            column=column,
            period=answer.unit.period_end if answer.unit else None,
            value=answer.value if isinstance(answer.value, float) else "N/A",
            unit=answer.unit,
            citation=answer.citations[0] if answer.citations else None,
        )
        for (company, metric, column), answer in cells.items()
    )
    return Answer(question="?", kind="text", value="…", parts=tuple(cells.values()), series=series)


TWO_YEARS = {
    ("Acme", "Revenue", "2021"): part("Acme", 10.0, year=2021),
    ("Acme", "Revenue", "2022"): part("Acme", 12.0),
    ("Acme", "Net margin", "2021"): part("Acme", None),
    ("Acme", "Net margin", "2022"): margin("Acme", 3.0, 12.0),
    ("Bern", "Revenue", "2021"): part("Bern", 5.0, "CHF", year=2021),
    ("Bern", "Revenue", "2022"): part("Bern", 6.0, "CHF"),
}


def test_years_are_columns_and_a_row_says_its_unit() -> None:
    table = table_of(table_answer(TWO_YEARS))
    assert table is not None
    assert (table.heads, table.columns, table.unit) == (("Company", "Metric"), ("2021", "2022"), "")
    assert [(row.names, row.unit) for row in table.rows] == [
        (("Acme", "Revenue"), "USD"),
        (("Acme", "Net margin"), "%"),
        (("Bern", "Revenue"), "CHF"),
    ]


def test_figures_of_one_unit_say_it_once() -> None:
    cells = {("Acme", "Revenue", y): part("Acme", 10.0, year=int(y)) for y in ("2021", "2022")}
    table = table_of(table_answer(cells))
    assert table is not None
    assert (table.heads, table.unit, table.rows[0].unit) == (("Metric",), "USD", "")


def test_where_no_year_is_asked_for_the_columns_name_the_one_that_all_figures_are_of() -> None:
    cells = {
        ("Acme", "Revenue", ""): part("Acme", 10.0),
        ("Acme", "Net margin", ""): margin("Acme", 3.0, 12.0),
        ("Chip", "Revenue", ""): part("Chip", 7.0),
        ("Chip", "Net margin", ""): margin("Chip", 1.0, 7.0),
    }
    table = table_of(table_answer(cells))
    assert table is not None
    assert (table.heads, table.columns, table.units) == (
        *(("Company",), ("Revenue, 2022", "Net margin, 2022"), ("USD", "%")),
    )


def test_figures_of_different_years_have_no_year_in_their_column() -> None:
    cells = {("Acme", "Revenue", ""): part("Acme", 10.0), ("Chip", "Revenue", ""): part("Chip", 7.0, year=2021)}
    table = table_of(table_answer(cells))
    assert table is not None
    assert table.columns == ("Revenue",)


def test_a_column_of_growth_is_not_called_by_what_grows() -> None:
    cells = {(company, "Revenue", ""): margin(company, 3.0, 12.0) for company in ("Acme", "Chip")}
    answer = table_answer(cells).model_copy(update={"understood": Understood(figure="growth of revenue")})
    table = table_of(answer)
    assert table is not None
    assert table.columns == ("Growth of revenue, 2022",)
    plain = {(company, "Revenue", ""): part(company, 3.0) for company in ("Acme", "Chip")}
    difference = table_answer(plain).model_copy(update={"understood": Understood(figure="difference of revenue")})
    table = table_of(difference)
    assert table is not None
    assert table.columns == ("Revenue, 2022",)


def test_one_figure_is_no_table() -> None:
    assert table_of(Answer(question="?", kind="number", value=1.0)) is None


def test_the_workbook_has_the_rows_in_the_order_shown_with_links_and_formulas() -> None:
    table = table_of(table_answer(TWO_YEARS))
    assert table is not None
    content = table_book(
        table,
        "Revenue & margin",
        lambda cited: cited_source(cited, link=f"http://chat/{cited.report_sha1}#page={cited.page}"),
        [2, 0],
        note="Their years end on different days.",
    )
    book = load_workbook(io.BytesIO(content))
    rows = list(book["Figures"].iter_rows(values_only=True))
    assert rows[0] == ("Company", "Metric", "Unit", "2021", "2022")
    assert [row[:2] for row in rows[1:4]] == [("Bern", "Revenue"), ("Acme", "Revenue"), ("Acme", "Net margin")]
    assert rows[3][3:] == ("N/A", "=(Operands!$D$2 / Operands!$D$3)*100")
    linked = book["Figures"]["E2"]
    assert (linked.value, linked.hyperlink.target) == (6, f"http://chat/{'a' * 40}#page=3")
    assert book["Figures"]["E4"].number_format.endswith('"%"')
    assert load_workbook(io.BytesIO(content), data_only=True)["Figures"]["E4"].value == 25
    assert book["Figures"]["A6"].value == "Their years end on different days."
    assert book["Sources"].auto_filter.ref == "A1:G6"
    operands = list(book["Operands"].iter_rows(min_row=2, values_only=True))
    assert [(row[1], row[3], row[5]) for row in operands] == [("Net income", 3, 4), ("Total revenue", 12, 5)]


EQUITY = [("Net income", "2022"), ("Equity", "2021"), ("Equity", "2022")]


@pytest.mark.parametrize(
    ("formula", "operands", "unit", "made"),
    [
        ("Net income / Revenue", [("Net income", "2022"), ("Revenue", "2022")], "%", "=(A1 / A2)*100"),
        (
            "(Revenue 2022 − Revenue 2021) / |Revenue 2021|",
            [("Revenue", "2022"), ("Revenue", "2021")],
            "%",
            "=((A1 - A2) / ABS(A2))*100",
        ),
        ("Net income 2022 / ((Equity 2021 + Equity 2022) / 2)", EQUITY, "x", "=A1 / ((A2 + A3) / 2)"),
        ("the highest", [("Revenue", "2022")], "", ""),
    ],
)
def test_each_year_of_a_formula_has_its_own_cell(
    formula: str, operands: list[tuple[str, str]], unit: str, made: str
) -> None:
    assert cell_formula(formula, operands, [f"A{n}" for n in range(1, len(operands) + 1)], unit) == made


def test_a_formula_in_figures_has_each_operand_s_own_figure() -> None:
    assert in_figures(margin("Acme", -3.0, 12_000.0)) == "(-3) / 12,000"

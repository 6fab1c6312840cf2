import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from app.command_line import run
from app.evaluation.truth import read_truth
from app.library.fact_files import write_facts
from app.library.fact_sheet import FactRow, FactSheet

OSTERMERE = "Ostermere Instruments, Inc."
ROW = FactRow(
    company="Acme",
    report_sha1="ab",
    file="acme.pdf",
    page=7,
    link="file:///library/ab.pdf#page=7",
    confidence="low",
    metric="total_revenue",
    title="Total revenue",
    value=1_200_000,
    unit="USD",
    period_end=None,
    period="",
    printed="1,200",
    scale=1000,
    row_label='=HYPERLINK("http://evil")',
    is_current=True,
    checks={"balance": "passed"},
)


def at(year: int, **changes: Any) -> FactRow:
    return FactRow.model_validate({**ROW.model_dump(), "period_end": f"{year}-12-31", **changes})


def test_the_workbook_has_numbers_that_open_their_pages(sample_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "facts.xlsx"
    assert run(["facts", "--out", str(out), "--data", str(sample_data)]) == 0
    book = openpyxl.load_workbook(out)
    assert book.sheetnames == ["Facts", "Officers", "Events"]
    sheet = book["Facts"]
    head = [cell.value for cell in sheet[1]]
    assert head[:6] == ["Company", "Metric", "Unit", "2025", "2024", "2023"]
    assert sheet.freeze_panes == "C2"
    assert sheet.column_dimensions["B"].width > 20
    row = next(r for r in sheet.iter_rows(min_row=2) if (r[0].value, r[1].value) == (OSTERMERE, "Total revenue"))
    cell = row[4]
    assert (cell.value, cell.data_type, cell.number_format) == (386412000, "n", "#,##0")
    link, fragment = cell.hyperlink.target.split("#")
    assert fragment == "page=8"
    assert Path(link.removeprefix("file://")).read_bytes().startswith(b"%PDF")
    assert "✓ prose" in row[head.index("Checks")].value
    assert row[head.index("Confidence")].value == "high"


def test_a_label_that_looks_like_a_formula_stays_a_text(tmp_path: Path) -> None:
    write_facts(FactSheet(facts=(ROW,)), tmp_path / "f.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "f.xlsx")["Facts"]
    labels = [c for c in sheet[2] if c.value == ROW.row_label]
    assert [c.data_type for c in labels] == ["s"]
    write_facts(FactSheet(facts=(ROW,)), tmp_path / "f.csv")
    (line,) = csv.DictReader((tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines())
    assert line["row_label"] == f"'{ROW.row_label}"
    assert line["value"] == "1200000"


def test_a_doubtful_value_is_marked_by_its_colour(tmp_path: Path) -> None:
    write_facts(FactSheet(facts=(at(2024), at(2023, confidence="high"))), tmp_path / "f.xlsx")
    doubtful, sure = openpyxl.load_workbook(tmp_path / "f.xlsx")["Facts"][2][3:5]
    assert doubtful.fill.fgColor.rgb == "00FBDDCB"
    assert sure.fill.fill_type is None


def test_for_a_year_its_own_report_speaks_before_the_next_one_s_prior_column() -> None:
    newer, prior = at(2024, value=3), at(2023, value=2, is_current=False)
    own = at(2023, value=1, report_sha1="aa")
    (rows,) = FactSheet(facts=(newer, prior, own)).by_metric()
    assert [(r.year, r.value) for r in rows] == [(2024, 3), (2023, 1)]


def test_quarters_and_years_are_columns_of_their_own_and_no_figure_stands_twice() -> None:
    year, quarter = at(2023, column="2023", value=4), at(2023, column="Q4 2023", value=1)
    again = at(2023, column="2023", value=5, is_current=False)
    restated = at(2023, column="2023", value=6, is_current=False, is_restating=True)
    trailing = at(2024, column="TTM", value=7)
    sheet = FactSheet(facts=(again, quarter, year, trailing))
    (rows,) = sheet.by_metric()
    assert [(r.label, r.value) for r in rows] == [("TTM", 7), ("2023", 4), ("Q4 2023", 1)]
    assert sheet.columns() == ("TTM", "2023", "Q4 2023")
    (rows,) = FactSheet(facts=(year, restated)).by_metric()
    assert [r.value for r in rows] == [6]


def test_only_the_last_years_are_shown() -> None:
    sheet = FactSheet(facts=tuple(at(year, column=str(year)) for year in (2024, 2023, 2022)))
    assert sheet.of_last(2).columns() == ("2024", "2023")


def test_facts_as_json_of_one_company_and_metric(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["facts", "Ostermere Instruments", "--metric", "revenue", "--data", str(sample_data)]
    assert run([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [(f["title"], f["value"], f["period_end"]) for f in printed["facts"]] == [
        ("Total revenue", 386412000, "2024-12-31"),
        ("Total revenue", 402875000, "2023-12-31"),
    ]
    assert run([*arguments, "--out", str(tmp_path / "f.json")]) == 0
    assert json.loads((tmp_path / "f.json").read_text()) == printed


def test_facts_are_readable_on_the_terminal(sample_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["facts", OSTERMERE, "--data", str(sample_data)]) == 0
    out = capsys.readouterr().out
    line = next(row for row in out.splitlines() if row.startswith("Total revenue "))
    assert line.split() == [
        "Total",
        "revenue",
        "USD",
        "386,412,000",
        "402,875,000",
        "8",
        "high",
        *["✓", "subtotals", "✓", "prose"],
    ]
    assert "chief executive: Dana R. Whitcombe (page 1" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["Osthermere"], "nearest names: Ostermere Instruments, Inc."),
        (["--metric", "revnue"], "nearest: total_revenue"),
        (["--out", "facts.pdf"], "expected .xlsx, .csv or .json"),
    ],
)
def test_what_facts_cannot_do_is_one_line(
    arguments: list[str], expected: str, sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["facts", *arguments, "--data", str(sample_data)]) == 2
    err = capsys.readouterr().err
    assert expected in err
    assert err.count("\n") == 1


def test_reports_without_facts_are_named(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "library"
    shutil.copytree(sample_data, data)
    files = sorted((data / "facts").iterdir())
    shutil.rmtree(files[0])
    assert run(["facts", "--metric", "revenue", "--data", str(data)]) == 1
    assert "ingest it again" in capsys.readouterr().err
    shutil.rmtree(data / "facts")
    assert run(["facts", "--data", str(data)]) == 3
    assert run(["facts", "--data", str(tmp_path / "none")]) == 3


def worked_out(sheet: Any) -> dict[tuple[str, str, str], float]:
    """Each formula of a sheet, evaluated by Python from the numbers in the cells that it names."""
    head = [cell.value for cell in sheet[1]]
    found = {}
    for row in sheet.iter_rows(min_row=2):
        for name, cell in zip(head, row, strict=True):
            if cell.data_type == "f":
                cells = re.sub(r"\b[A-Z]{1,2}\d+\b", lambda m: f"({sheet[m[0]].value})", cell.value[1:])
                found[row[0].value, row[1].value, name] = eval(cells, {"ABS": abs})
    return found


def test_calculated_figures_are_live_formulas_over_cells_that_open_their_pages(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "grid.xlsx"
    assert run(["facts", "--calculated", "--out", str(out), "--data", str(sample_data)]) == 0
    sheet = openpyxl.load_workbook(out)["Facts"]
    formulas = worked_out(sheet)
    capsys.readouterr()
    assert run(["facts", "--calculated", "--json", "--data", str(sample_data)]) == 0
    rows = [row for row in json.loads(capsys.readouterr().out)["facts"] if row["formula"]]
    assert len(formulas) > 50
    for row in rows:
        value = formulas.get((row["company"], row["title"], row["column"]))
        assert value is None or value == pytest.approx(row["value"], abs=1e-3), row["title"]
    margin = next(r for r in sheet.iter_rows(min_row=2) if r[1].value == "Gross margin, calculated")
    assert re.fullmatch(r"=\w\d+ / \w\d+\*100|=\(\w\d+ / \w\d+\)\*100", margin[4].value)
    assert margin[4].hyperlink.target.endswith("#page=8")
    stored = openpyxl.load_workbook(out, data_only=True)["Facts"][margin[4].coordinate].value
    assert stored == pytest.approx(formulas[margin[0].value, margin[1].value, sheet["E1"].value], abs=1e-3)


def test_a_sum_of_one_line_is_not_written_beside_that_line(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def sums(*given: str) -> list[dict[str, Any]]:
        assert run(["facts", *given, "--json", "--data", str(sample_data)]) == 0
        rows = json.loads(capsys.readouterr().out)["facts"]
        places = {(r["report_sha1"], r["page"], str(r["boxes"]), r["value"]): r["metric"] for r in reversed(rows)}
        return [
            row
            for row in rows
            if row["metric"].startswith("total_") and "all lines" in row["title"]
            and places[row["report_sha1"], row["page"], str(row["boxes"]), row["value"]] != row["metric"]
        ]  # fmt: skip

    assert sums() == []
    assert sums("--calculated")  # there, what is calculated needs them


def test_a_derived_metric_comes_with_the_figures_that_it_is_calculated_from(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["facts", OSTERMERE, "--metric", "operating margin", "--json", "--data", str(sample_data)]
    assert run(asked) == 0
    rows = json.loads(capsys.readouterr().out)["facts"]
    assert {row["metric"] for row in rows} == {"operating_income", "total_revenue", "operating_margin"}
    calculated = next(row for row in rows if row["formula"] and row["column"] == "2024")
    assert calculated["formula"] == "operating_income / total_revenue"
    assert [(o["metric"], o["page"]) for o in calculated["operands"]] == [
        ("operating_income", 8),
        ("total_revenue", 8),
    ]


def test_an_unknown_metric_is_refused_with_the_nearest_printed_or_derived_ones(
    sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["facts", "--metric", "quick ratoi", "--data", str(sample_data)]) == 2
    assert "quick_ratio" in capsys.readouterr().err


def test_a_fact_table_is_a_truth_for_retrieval_and_evaluation(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, place = tmp_path / "facts.json", ["--data", str(sample_data)]
    assert run(["facts", OSTERMERE, "--out", str(table), *place]) == 0
    capsys.readouterr()
    assert run(["retrieval", str(table), "--json", *place]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (
        found["n"]
        == len({row["title"] for row in json.loads(table.read_text())["facts"] if row["is_current"]}) + 1
    )
    assert found["recall"]["10"] == 1.0
    truth = next(t for t in read_truth(table).truths if t.metric == "Total revenue")
    assert (truth.answers, truth.kind) == ((386412000,), "number")
    answers = tmp_path / "answers.json"
    answers.write_text(
        json.dumps({"answers": [{"question_text": truth.question, "kind": "number", "value": 386412000}]})
    )
    assert run(["evaluate", str(answers), "--truth", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["by_kind"]["number"]["G"] > 0

"""`pageproof companies --edit`, through the command line, over copies of the sample library."""

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from app.command_line import run
from tests.support.libraries import with_pages
from tests.support.samples import SAMPLES

OSTERMERE, VELDHOORN = "Ostermere Instruments, Inc.", "Veldhoorn Packaging N.V."


@pytest.fixture
def data(sample_data: Path, tmp_path: Path) -> Path:
    copied = tmp_path / "data"
    shutil.copytree(sample_data, copied)
    return copied


def listed(data: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    capsys.readouterr()
    assert run(["companies", "--json", "--data", str(data)]) == 0
    return {c["name"]: c for c in json.loads(capsys.readouterr().out)}


def answer_to(data: Path, question: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["ask", question, "--json", "--data", str(data)]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_renamed_company_answers_under_both_names_with_the_vectors_it_had(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "embeddings.sqlite").unlink()
    assert run(["companies", OSTERMERE, "--edit", "--name", "Osprey Tools Corp.", "--data", str(data)]) == 0
    assert "changed: Osprey Tools Corp.  (was Ostermere Instruments, Inc.)" in capsys.readouterr().out
    for name in ("Osprey Tools Corp.", OSTERMERE):
        found = answer_to(data, f"What was the total revenue of {name}?", capsys)
        assert (found["company"], found["value"]) == ("Osprey Tools Corp.", 386412000)
    assert run(["facts", "Osprey Tools Corp.", "--json", "--data", str(data)]) == 0
    assert "386412000" in capsys.readouterr().out
    companies = listed(data, capsys)
    assert OSTERMERE not in companies
    assert OSTERMERE in companies["Osprey Tools Corp."]["aliases"]
    assert not list((data / "indexes").glob("ostermere*"))


def test_an_edit_outlives_the_next_ingest_and_costs_it_nothing(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit = ["companies", OSTERMERE, "--edit", "--name", "Osprey", "--currency", "eur", "--data", str(data)]
    assert run(edit) == 0
    capsys.readouterr()
    ingest = ["ingest", str(SAMPLES), "--catalog", str(SAMPLES / "catalog.csv"), "--json", "--data", str(data)]
    assert run(ingest) == 0
    assert {o["status"] for o in json.loads(capsys.readouterr().out)} == {"unchanged"}
    osprey = listed(data, capsys)["Osprey"]
    assert osprey["reports"][0]["currency"] == "EUR"
    assert [e["source"] for e in osprey["reports"][0]["evidence"][:3]] == ["edited", "edited", "catalog"]


def test_two_companies_given_one_name_become_one_with_both_reports(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["companies", "Ostermere", "--edit", "--name", VELDHOORN, "--data", str(data)]) == 0
    both = listed(data, capsys)[VELDHOORN]
    assert {r["file"] for r in both["reports"]} == {"ostermere_2024.pdf", "veldhoorn_2024.pdf"}
    assert {OSTERMERE, "OSTM", "Veldhoorn"} <= set(both["aliases"])
    (folder,) = (data / "indexes").glob("veldhoorn*/*")
    manifest = json.loads((folder / (folder / "current").read_text() / "manifest.json").read_text())
    assert {r["file"] for r in manifest["reports"]} == {"ostermere_2024.pdf", "veldhoorn_2024.pdf"}
    assert {r["company"] for r in manifest["reports"]} == {VELDHOORN}


def test_one_report_can_be_given_to_another_company_and_back(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = listed(data, capsys)
    merge = ["companies", OSTERMERE, "--edit", "--name", VELDHOORN, "--data", str(data)]
    part = ["companies", VELDHOORN, "--edit", "--report", "ostermere_2024.pdf", "--name", OSTERMERE]
    drop = ["companies", VELDHOORN, "--edit", "--data", str(data)]
    assert run(merge) == 0
    assert run([*part, "--data", str(data)]) == 0
    for alias in (OSTERMERE, *before[OSTERMERE]["aliases"]):
        drop += ["--drop-alias", alias]
    assert run(drop) == 0
    after = listed(data, capsys)
    assert [r["file"] for r in after[OSTERMERE]["reports"]] == ["ostermere_2024.pdf"]
    assert after[VELDHOORN]["aliases"] == before[VELDHOORN]["aliases"]
    found = answer_to(data, f"What was the total revenue of {OSTERMERE}?", capsys)
    assert (found["company"], found["value"]) == (OSTERMERE, 386412000)


def test_the_catalog_is_edited_in_the_person_s_editor(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys, pathlib\np = pathlib.Path(sys.argv[1])\n"
        "p.write_text(p.read_text().replace('2024-12-31', '2024-09-30').replace('Veldhoorn;', 'VP;'))\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    assert run(["companies", "--edit", "--data", str(data)]) == 0
    companies = listed(data, capsys)
    assert companies[VELDHOORN]["reports"][0]["period_end"] == "2024-09-30"
    assert companies[VELDHOORN]["aliases"] == ["VP", "Veldhoorn Packaging"]
    assert companies["Tsukimine Seiki Co., Ltd."]["reports"][0]["period_end"] == "2025-03-31"


def test_a_slip_in_the_editor_changes_nothing_and_keeps_what_was_typed(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = listed(data, capsys)
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys, pathlib\np = pathlib.Path(sys.argv[1])\n"
        "p.write_text(p.read_text().replace('2025-03-31', 'March').replace('EUR', 'CHF'))\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    monkeypatch.delenv("VISUAL", raising=False)
    assert run(["companies", "--edit", "--data", str(data)]) == 2
    printed = capsys.readouterr().err
    assert "period_end is 'March'" in printed
    assert listed(data, capsys) == before
    stored_at = Path(printed.rsplit("--from ", 1)[1].strip().rstrip("`"))
    stored_at.write_text(stored_at.read_text().replace("March", "2025-03-30"))
    assert run(["companies", "--edit", "--from", str(stored_at), "--data", str(data)]) == 0
    after = listed(data, capsys)
    assert after[VELDHOORN]["reports"][0]["currency"] == "CHF"
    stored_at.unlink()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["Nobody", "--edit", "--name", "X"], "no companies are called 'Nobody'"),
        ([OSTERMERE, "--name", "X"], "need --edit"),
        (["--edit", "--name", "X"], "give the company"),
        ([OSTERMERE, "--edit", "--name", " "], "is empty"),
        ([OSTERMERE, "--edit", "--currency", "XXQ"], "three letters"),
        ([OSTERMERE, "--edit", "--period-end", "30/06/2022"], "expected YYYY-MM-DD"),
        ([OSTERMERE, "--edit", "--report", "none.pdf"], "has no report 'none.pdf'; it has ostermere_2024.pdf"),
        ([OSTERMERE, "--edit", "--drop-alias", "None"], "has no alias 'None'"),
        (["--edit", "--from", "nowhere.csv"], "nowhere.csv"),
    ],
    ids=lambda v: " ".join(v)[:40] if isinstance(v, list) else None,
)
def test_a_wrong_edit_is_one_line_and_changes_nothing(
    arguments: list[str], expected: str, sample_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = listed(sample_data, capsys)
    assert run(["companies", *arguments, "--data", str(sample_data)]) == 2
    printed = capsys.readouterr().err
    assert expected in printed
    assert printed.count("\n") == 1
    assert listed(sample_data, capsys) == before


def test_a_csv_that_lacks_a_column_or_names_a_report_twice_is_refused(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sha1 = listed(sample_data, capsys)[OSTERMERE]["reports"][0]["sha1"]
    table = tmp_path / "catalog.csv"
    for rows, expected in (
        ([["sha1"], [sha1]], "lacks the columns"),
        ([["sha1", "company_name", "aliases", "currency", "period_end"], *[[sha1, "X", "", "", ""]] * 2], "twice"),
    ):
        with table.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        assert run(["companies", "--edit", "--from", str(table), "--data", str(sample_data)]) == 2
        assert expected in capsys.readouterr().err


def test_companies_shows_where_each_thing_was_read(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(with_pages(sample_data, tmp_path / "data"))
    assert run(["ingest", str(SAMPLES / "ostermere_2024.pdf"), "--data", data]) == 0
    capsys.readouterr()
    assert run(["companies", "--data", data]) == 0
    out = capsys.readouterr().out
    assert out.startswith(OSTERMERE)
    assert "  USD  2024-12-31  10-K\n" in out
    assert 'name from page 1: "' in out
    assert 'period end from page 1: "' in out

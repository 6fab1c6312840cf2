"""An ingestion that stops on the way, and goes on without reading again."""

import json
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from app.command_line import run
from tests.support.libraries import quick_reader
from tests.support.samples import SAMPLES

REPORT = str(SAMPLES / "ostermere_2024.pdf")
QUESTION = "What was the total revenue of Ostermere Instruments, Inc.?"


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def where(sample_data: Path, tmp_path: Path) -> list[str]:
    """The arguments of a new library that is read into quickly."""
    reader = quick_reader(sample_data, tmp_path / "output")
    return ["--data", str(tmp_path / "data"), *(word for setting in reader for word in ("--set", setting))]


def test_reading_extracting_and_indexing_go_on_from_what_is_kept(
    where: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = ["--catalog", str(SAMPLES / "catalog.csv")]

    (read,) = printed(["ingest", REPORT, "--until", "read", *catalog, *where], capsys)
    assert (read["status"], read["page_count"]) == ("read", 13)
    assert printed(["companies", *where], capsys) == []
    (archive,) = (tmp_path / "data" / "pages").rglob("*.zip")
    written = archive.stat().st_mtime_ns

    (extracted,) = printed(["ingest", REPORT, "--until", "facts", *catalog, *where], capsys)
    assert (extracted["status"], extracted["company"]) == ("facts", "Ostermere Instruments, Inc.")
    assert printed(["facts", "Ostermere", *where], capsys)["facts"]
    assert run(["ask", QUESTION, *where]) == 3
    assert "pageproof ingest" in capsys.readouterr().err

    (indexed,) = printed(["ingest", *where], capsys)  # no path: the library's own copy, under its known name
    assert (indexed["status"], indexed["file"]) == ("indexed", "ostermere_2024.pdf")
    assert printed(["ask", QUESTION, *where], capsys)["value"] == 386412000
    (unchanged,) = printed(["ingest", *where], capsys)
    assert unchanged["status"] == "unchanged"
    assert archive.stat().st_mtime_ns == written


def test_reports_that_are_only_read_are_not_told_to_be_in_the_library(
    where: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.pdf"
    copy.write_bytes(Path(REPORT).read_bytes())

    assert run(["ingest", REPORT, str(copy), "--until", "read", *where]) == 0

    assert capsys.readouterr().out.splitlines()[-1] == "2 of 2 reports are read"


def test_without_a_path_an_empty_library_has_nothing_to_ingest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ingest", "--data", str(tmp_path)]) == 2
    assert "the library has no reports yet" in capsys.readouterr().err


def test_a_step_that_does_not_exist_lists_those_that_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ingest", REPORT, "--until", "lunch", "--data", str(tmp_path)]) == 2
    assert "expected read, facts, index" in capsys.readouterr().err


def test_tower_limited_and_tower_corporation_stay_two_companies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--data", str(tmp_path / "data")]
    for file, name in (("one", "Tower Limited"), ("two", "Tower Corporation"), ("three", "TOWER LTD.")):
        a_report(tmp_path / f"{file}.pdf", name, year=2021 if file == "three" else 2022)
        printed(["ingest", str(tmp_path / f"{file}.pdf"), "--until", "facts", *where], capsys)
    found = {c["name"]: len(c["reports"]) for c in printed(["companies", *where], capsys)}
    assert found == {"Tower Corporation": 1, "Tower Limited": 2}


def a_report(path: Path, company: str, year: int) -> None:
    """A report of two pages that names its company."""
    canvas = Canvas(str(path))
    lines = [company, "Annual report", f"for the year ended 31 December {year}"]
    for page in range(2):
        for at, line in enumerate(
            [*lines, f"The directors of {company} present their report for {year}.", "Page text"]
        ):
            canvas.drawString(72, 760 - 24 * at, f"{line}" if page == 0 else f"{line} ")
        canvas.showPage()
    canvas.save()

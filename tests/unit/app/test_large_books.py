"""Workbooks that are larger than they look: measured before they are opened."""

import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.files.questions import read_question_file
from app.files.workbooks import MOST_XML, open_book, read_sheet
from storage.errors import UsageError


def book(path: Path) -> Path:
    made = Workbook()
    made.active["A1"], made.active["A2"] = "question", "What was the revenue of Ostermere?"
    made.save(path)
    return path


def with_sheet(path: Path, old: bytes, new: bytes, name: str = "xl/worksheets/sheet1.xml") -> Path:
    """The workbook with something else in its sheet."""
    with zipfile.ZipFile(path) as packed:
        parts = {part: packed.read(part) for part in packed.namelist()}
    parts[name] = parts[name].replace(old, new)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for part, content in parts.items():
            packed.writestr(part, content)
    return path


@pytest.mark.parametrize("read", [read_question_file, read_sheet, open_book], ids=lambda read: read.__name__)
def test_a_sheet_packed_to_nothing_is_refused_before_it_is_unpacked(tmp_path: Path, read: object) -> None:
    assert callable(read)
    path = with_sheet(book(tmp_path / "a.xlsx"), b"<sheetData>", b" " * (MOST_XML + 1) + b"<sheetData>")
    assert path.stat().st_size < 100_000
    with pytest.raises(UsageError, match="too large to be read: 40 MB of tables unpacked, expected at most 40"):
        read(path)


@pytest.mark.parametrize(
    "merged",
    [
        b'<mergeCell ref="A1:XFD1048576"/>',
        b"<mergeCell  foo=\"1\"\n ref = 'A1:XFD1048576'/>",
        b'<mergeCell ref="A1:ZZ1000"/>' * 4,
        b" " * ((1 << 20) - 30) + b'<mergeCell ref="A1:XFD1048576"/>',
    ],
    ids=["whole", "other quotes", "several", "across pieces"],
)
def test_merged_cells_that_are_the_whole_sheet_are_refused_before_they_are_made(
    tmp_path: Path, merged: bytes
) -> None:
    merged = b"</sheetData><mergeCells>" + merged + b"</mergeCells>"
    with pytest.raises(UsageError, match="merged cells that are too large"):
        read_question_file(with_sheet(book(tmp_path / "a.xlsx"), b"</sheetData>", merged))


def test_an_ordinary_workbook_is_read(tmp_path: Path) -> None:
    (found,) = read_question_file(book(tmp_path / "a.xlsx")).questions
    assert found.question.text == "What was the revenue of Ostermere?"

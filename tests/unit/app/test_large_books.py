"""Workbooks that are larger than they look: measured before they are opened."""

import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.files.questions import read_question_file
from app.files.workbooks import MOST_BYTES, MOST_XML, open_book, read_sheet
from storage.errors import UsageError

SHEET = "xl/worksheets/sheet1.xml"


def book(path: Path) -> Path:
    made = Workbook()
    made.active["A1"], made.active["A2"] = "question", "What was the revenue of Ostermere?"
    made.save(path)
    return path


def with_sheet(path: Path, old: bytes, new: bytes, name: str = SHEET) -> Path:
    """The workbook with something else in a part."""
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
    with pytest.raises(UsageError, match=r"too large to be read: .* merged cells, expected at most 2,000,000"):
        read_question_file(with_sheet(book(tmp_path / "a.xlsx"), b"</sheetData>", merged))


CELLS = b'<row r="3">' + b"<c t='b'><v>1</v></c>" * 600_000 + b"</row></sheetData>"


@pytest.mark.parametrize(
    ("part", "before", "content", "expected"),
    [
        (SHEET, b"</sheetData>", b"<row/>" * 1_000_001 + b"</sheetData>", "cells, rows and other elements"),
        (SHEET, b"</sheetData>", CELLS, "cells, rows and other elements"),
        (SHEET, b"</sheetData>", b"<a>" * 200_000 + b"</a>" * 200_000 + b"</sheetData>", "101 levels"),
        ("xl/styles.xml", b"</cellXfs>", b"<xf/>" * 200_001 + b"</cellXfs>", "200,001 styles"),
        ("docProps/core.xml", b"</cp:core", b"<x/>" * 200_001 + b"</cp:core", "200,001 styles and other elements"),
    ],
    ids=["empty rows", "cells", "levels", "styles", "a part of another kind"],
)
def test_elements_without_number_are_refused_before_they_are_read(
    tmp_path: Path, part: str, before: bytes, content: bytes, expected: str
) -> None:
    path = with_sheet(book(tmp_path / "a.xlsx"), before, content, part)
    assert path.stat().st_size < 100_000
    with pytest.raises(UsageError, match=f"too large to be read: .*{expected}"):
        read_question_file(path)


def test_a_workbook_with_too_large_pictures_says_so(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/media/image1.png", b"\0" * (MOST_BYTES + 1_000_000))
    with pytest.raises(UsageError, match="101 MB unpacked, with its pictures, expected at most 100"):
        read_question_file(path)


def test_a_workbook_that_declares_entities_is_none(tmp_path: Path) -> None:
    entity = b'<!DOCTYPE x [<!ENTITY lol "lol">]><worksheet'
    with pytest.raises(UsageError, match="is not an Excel workbook"):
        read_question_file(with_sheet(book(tmp_path / "a.xlsx"), b"<worksheet", entity))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("question," + ",".join(f"c{n}" for n in range(50_000)), "50,001 columns, expected at most 2,000"),
        ("question\n" + "\n" * 3_000 + "," * 1_999, "cells, expected at most 2,000,000"),
    ],
    ids=["columns", "cells"],
)
def test_a_table_with_columns_without_number_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=expected):
        read_question_file(tmp_path / "a.csv")


def test_an_ordinary_workbook_is_read(tmp_path: Path) -> None:
    (found,) = read_question_file(book(tmp_path / "a.xlsx")).questions
    assert found.question.text == "What was the revenue of Ostermere?"

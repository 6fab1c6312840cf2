"""What a file has to be before it is read."""

import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from indexes.preflight import check_pages, guarded_preflight, preflight
from storage.errors import DocumentError
from storage.files import sha1_of
from tests.support.hostile_files import crowded_page, huge_picture, many_lines, nested_forms, one_page
from tests.support.samples import SAMPLES


def write_pdf(path: Path, pages: int = 2, password: str | None = None) -> Path:
    encryption = StandardEncryption(password, canPrint=0) if password else None
    canvas = Canvas(str(path), encrypt=encryption)
    for number in range(1, pages + 1):
        canvas.drawString(72, 720, f"Page {number}")
        canvas.showPage()
    canvas.save()
    return path


def test_a_good_pdf_tells_its_pages_and_its_sha1(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "report.pdf", pages=3)
    report = preflight(path)
    assert report.page_count == 3
    assert report.sha1 == hashlib.sha1(path.read_bytes()).hexdigest() == sha1_of(path)


def missing(folder: Path) -> Path:
    return folder / "absent.pdf"


def empty(folder: Path) -> Path:
    (folder / "empty.pdf").write_bytes(b"")
    return folder / "empty.pdf"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.pdf")
    return folder / "pipe.pdf"


def device(folder: Path) -> Path:
    (folder / "device.pdf").symlink_to("/dev/zero")
    return folder / "device.pdf"


def without_text_in_its_name(folder: Path) -> Path:
    return write_pdf(folder / "plain.pdf").rename(folder / os.fsdecode(b"bad\xff.pdf"))


def not_a_pdf(folder: Path) -> Path:
    (folder / "letter.pdf").write_bytes(b"PK\x03\x04 a word processor's file")
    return folder / "letter.pdf"


def a_folder(folder: Path) -> Path:
    return folder


def cut_off(folder: Path) -> Path:
    path = write_pdf(folder / "cut.pdf")
    path.write_bytes(path.read_bytes()[:300])
    return path


def encrypted(folder: Path) -> Path:
    return write_pdf(folder / "secret.pdf", password="open sesame")


def without_pages(folder: Path) -> Path:
    path = folder / "none.pdf"
    with pypdfium2.PdfDocument.new() as document:
        document.save(str(path))
    return path


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (missing, "no such file"),
        (empty, "empty"),
        (not_a_pdf, "not a PDF"),
        (a_folder, "no regular file"),
        (pipe, "no regular file"),
        (device, "no regular file"),
        (without_text_in_its_name, "the name of the file is no text"),
        (cut_off, "damaged or cut off"),
        (encrypted, "password"),
        (without_pages, "no pages"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_bad_file_is_refused_in_one_line_that_names_it(make, expected: str, tmp_path: Path) -> None:
    path = make(tmp_path)
    with pytest.raises(DocumentError) as refused:
        preflight(path)
    message = str(refused.value)
    assert expected in message
    assert str(path) in message
    assert "\n" not in message


def test_pages_without_text_are_expected_to_take_longer_than_their_number_says(tmp_path: Path) -> None:
    blank = Canvas(str(tmp_path / "blank.pdf"))
    for _ in range(3):
        blank.rect(72, 72, 200, 200)
        blank.showPage()
    blank.save()
    texts, pictures = preflight(write_pdf(tmp_path / "text.pdf", pages=3)), preflight(tmp_path / "blank.pdf")
    assert (texts.textless_share, texts.effort) == (0.0, 3)
    assert pictures.textless_share == 1.0
    assert pictures.effort > 10 * texts.effort


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (huge_picture, "page 1 has a picture of 900,000,000 pixels; at most 100,000,000 are read"),
        (many_lines, "page 1 has more than 50,000 lines, pictures and pieces of text"),
        (crowded_page, r"page 1 has \d+,\d+ characters; no page of print has more than 60,000"),
        (
            partial(one_page, content=b"0 0 m 9 9 l S", size="14400 14400"),
            "page 1 is 14,400 by 14,400 points large",
        ),
    ],
)
def test_a_page_that_would_take_all_the_memory_is_refused_before_it_is_read(
    make: Callable[[Path], Path], expected: str, tmp_path: Path
) -> None:
    with pytest.raises(DocumentError, match=expected):
        check_pages(make(tmp_path / "large.pdf"), range(1, 2))


def test_forms_within_forms_are_given_up(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"nested\.pdf: it (?:cannot be opened|could not be|needs too much)"):
        guarded_preflight(nested_forms(tmp_path / "nested.pdf"), seconds=20)


def test_real_reports_are_far_from_the_limits() -> None:
    for path in sorted(SAMPLES.glob("*.pdf")):
        check_pages(path, range(1, preflight(path).page_count + 1))

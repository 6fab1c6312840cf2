"""Docling itself, with our engines, over a small PDF and, where they are at hand, a real report."""

import json
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from indexes.options import ReaderOptions
from indexes.reading.docling_reader import DoclingReader
from storage.errors import DocumentError, SetupError
from storage.files import sha1_of
from storage.records.pages import Page

HEIGHT = A4[1]


def statement(canvas: Canvas, height: float = HEIGHT) -> None:
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(72, height - 100, "Consolidated income statement")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(72, height - 120, "(in thousands of euros)")
    rows = [
        ("", "2022", "2021"),
        ("Revenue", "12,500", "11,900"),
        ("Cost of sales", "(9,000)", "(8,800)"),
        ("Gross profit", "3,500", "3,100"),
    ]
    for number, (label, now, before) in enumerate(rows):
        baseline = height - 150 - 16 * number
        canvas.drawString(72, baseline, label)
        canvas.drawRightString(400, baseline, now)
        canvas.drawRightString(500, baseline, before)


def draw_headers(canvas: Canvas, number: int) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(72, 30, "Example plc Annual report 2022")
    canvas.drawRightString(520, 30, str(number))
    canvas.saveState()
    canvas.translate(20, 300)
    canvas.rotate(90)
    canvas.drawString(0, 0, "For personal use only")
    canvas.restoreState()


def prose(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 10)
    for number in range(6):
        canvas.drawString(
            72, HEIGHT - 100 - 13 * number, "The group sells engines to makers of ships in many seas, and"
        )


def write_report(path: Path) -> Path:
    canvas = Canvas(str(path), pagesize=A4)
    statement(canvas)
    draw_headers(canvas, 1)
    canvas.bookmarkPage("statements")
    canvas.addOutlineEntry("Financial statements", "statements")
    canvas.showPage()
    prose(canvas)
    draw_headers(canvas, 2)
    canvas.showPage()
    canvas.showPage()  # a page without a word
    prose(canvas)
    draw_headers(canvas, 4)
    canvas.showPage()
    canvas.setPageRotation(90)  # displayed upright, printed sideways
    statement(canvas, height=A4[0])
    canvas.showPage()
    canvas.save()
    return path


@pytest.fixture(scope="module")
def reader() -> DoclingReader:
    return DoclingReader.from_options(ReaderOptions())


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("pdf") / "example.pdf")


@pytest.fixture(scope="module")
def pages(reader: DoclingReader, report: Path) -> list[Page]:
    return reader.read_pages(report, sha1_of(report))


def test_every_physical_page_is_read_even_an_empty_one(pages: list[Page]) -> None:
    assert [p.page_number for p in pages] == [1, 2, 3, 4, 5]
    assert [p.text_source for p in pages] == ["text_layer"] * 2 + ["none"] + ["text_layer"] * 2


def test_a_report_read_in_parts_is_the_report_read_as_a_whole(
    reader: DoclingReader, report: Path, pages: list[Page]
) -> None:
    sha1 = sha1_of(report)
    parts = [page for part in (range(1, 3), range(3, 6)) for page in reader.read_part(report, sha1, part)]
    assert reader.joined(report, parts) == pages


def test_a_statement_comes_out_as_a_table_in_its_context(pages: list[Page]) -> None:
    (table,) = pages[0].tables
    assert table.grid() == [
        ["", "2022", "2021"],
        ["Revenue", "12,500", "11,900"],
        ["Cost of sales", "(9,000)", "(8,800)"],
        ["Gross profit", "3,500", "3,100"],
    ]
    assert (table.title, table.unit) == ("Consolidated income statement", "(in thousands of euros)")
    assert [(c.scale, c.currency, c.period.year) for c in table.columns[1:] if c.period] == [
        (1000, "EUR", 2022),
        (1000, "EUR", 2021),
    ]


def test_footers_page_numbers_and_margin_text_are_headers_and_footers(pages: list[Page]) -> None:
    assert "Annual report" not in pages[0].markdown
    assert "personal" not in pages[0].markdown
    headers_footers = " ".join(b.text for b in pages[0].blocks if b.kind == "furniture")
    assert "Example plc Annual report 2022" in headers_footers
    assert "personal" in headers_footers


def test_lines_stand_where_they_are_printed(pages: list[Page], report: Path) -> None:
    line = next(line for b in pages[0].blocks for line in b.lines if line.text.startswith("Revenue"))
    assert line.box.left == pytest.approx(72, abs=1)
    assert line.box.right == pytest.approx(500, abs=1)
    with pypdfium2.PdfDocument(report) as document:
        text = (
            document[0]
            .get_textpage()
            .get_text_bounded(
                left=line.box.left - 2,
                right=line.box.right + 2,
                top=HEIGHT - line.box.top + 2,
                bottom=HEIGHT - line.box.bottom - 2,
            )
        )
    assert text.split() == ["Revenue", "12,500", "11,900"]


def test_a_turned_page_reads_the_same_and_keeps_its_places_as_displayed(pages: list[Page]) -> None:
    turned = pages[4]
    assert (round(turned.width), round(turned.height)) == (round(A4[0]), round(A4[1]))
    assert turned.tables[0].grid() == pages[0].tables[0].grid()
    line = next(line for b in turned.blocks for line in b.lines if line.text.startswith("Revenue"))
    assert line.box.top == pytest.approx(72, abs=1)
    assert line.box.bottom == pytest.approx(500, abs=1)


def test_pages_know_the_sections_of_the_outline(pages: list[Page]) -> None:
    assert {p.section for p in pages} == {("Financial statements",)}


def test_no_word_of_the_text_layer_is_lost(pages: list[Page], report: Path) -> None:
    with pypdfium2.PdfDocument(report) as document:
        for page in pages:
            printed = document[page.page_number - 1].get_textpage().get_text_range().split()
            assert sorted(w for b in page.blocks for w in b.text.split()) == sorted(printed)


def test_progress_is_told_for_every_page(reader: DoclingReader, report: Path) -> None:
    reported: list[tuple[int, int]] = []
    reader.read_pages(report, "ab", on_page=lambda done, all_: reported.append((done, all_)))
    assert sorted(reported) == [(n, 5) for n in range(1, 6)]


def test_llamaindex_gets_one_document_for_each_page(reader: DoclingReader, report: Path) -> None:
    documents = reader.load_data(report, extra_info={"company": "Example plc"})
    assert [d.metadata for d in documents] == [
        {"company": "Example plc", "page": n, "file": "example.pdf", "sha1": sha1_of(report)} for n in range(1, 6)
    ]
    assert "| Revenue | 12,500 | 11,900 |" in documents[0].text


def test_a_document_that_runs_out_of_time_is_an_error_and_never_half_a_report(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    canvas = Canvas(str(path))
    for _ in range(60):
        prose(canvas)
        canvas.showPage()
    canvas.save()
    hurried = DoclingReader.from_options(ReaderOptions(seconds_per_document=0.05))
    with pytest.raises(DocumentError, match=r"seconds_per_document"):
        hurried.read_pages(path, "ab")


def test_the_neural_layout_without_weights_says_which_and_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(SetupError, match="docling-tools models download") as refused:
        DoclingReader.from_options(ReaderOptions(layout="neural"))
    assert "DOCLING_ARTIFACTS_PATH" in str(refused.value)
    with pytest.raises(SetupError, match=r"reader\.weights"):
        DoclingReader.from_options(ReaderOptions(layout="neural", weights=tmp_path / "none"))


def statement_facts(real_reports: Path) -> Iterator[tuple[list[int], str]]:
    reports = json.loads((real_reports / "truth" / "facts.json").read_text())
    (armadale,) = (r for r in reports if r["company"] == "Armadale Capital Plc")
    for fact in armadale["facts"]:
        if fact["metric"] in ("Total assets", "Net income", "Cash flow from operations"):
            yield fact["pages"], fact["printed"]


def test_a_real_reports_statement_figures_stand_in_table_rows(reader: DoclingReader, real_reports: Path) -> None:
    path = real_reports / "reports" / "a85dba6c75031912d56a811637f803ba4ddeb257.pdf"
    pages = reader.read_pages(path, path.stem)
    assert len(pages) == 48
    for indices, printed in statement_facts(real_reports):
        assert any(printed in c.text for i in indices for t in pages[i].tables for c in t.cells), printed

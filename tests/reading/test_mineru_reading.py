"""From MinerU's files to page records. The files are a double's: see `tests/support/doubles/mineru_writer.py`."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app import open_pageproof
from app.assembly.client import Pageproof
from indexes.enrichment.continuations import in_report
from indexes.facts.extract import extract_facts
from indexes.layout.words import Word
from indexes.mineru.html_tables import rows_of_html, table_of_rows
from indexes.mineru.items import without_formulas
from indexes.mineru.output import MineruOutput
from indexes.mineru.page_records import PrintedPage, page_records, printed_pages
from indexes.report_identity.identity import year_names
from storage.errors import DocumentError, ProviderError
from storage.records.metrics import Ontology
from storage.records.pages import Page
from storage.records.record import Box
from tests.support.doubles import mineru_writer
from tests.support.samples import SAMPLES, samples_request

SHA1 = "b" * 40
PDF = Path("report.pdf")


def table_of(html: str) -> list[list[str]]:
    table = table_of_rows(rows_of_html(html))
    assert table is not None
    return table.grid()


def roles_of(*rows: str) -> list[str]:
    """Each row's roles by their first letters; cells are cut at |."""
    cells = "".join(f"<tr>{''.join(f'<td>{c.strip()}</td>' for c in row.split('|'))}</tr>" for row in rows)
    table = table_of_rows(rows_of_html(f"<table>{cells}</table>"))
    assert table is not None
    short = {"column_header": "h", "row_label": "l", "section": "s", "value": "v", "note": "n"}
    return ["".join(short[c.role] for c in table.cells if c.row == row) for row in range(table.row_count)]


def printed(number: int, *lines: str, left: float = 50.0) -> PrintedPage:
    """A page of words, 6 points a letter, a line every 20 points from 100 on."""
    words = []
    for place, line in enumerate(lines):
        at = left
        for word in line.split():
            words.append(Word(word, at, 100.0 + 20 * place, at + 6 * len(word), 110.0 + 20 * place))
            at += 6 * len(word) + 3
    return PrintedPage(number, 1000.0, 1000.0, tuple(words))


def records(entries: Sequence[dict[str, Any]], *pages: PrintedPage, middle: str | None = None) -> list[Page]:
    return page_records(MineruOutput.of_files(json.dumps(entries), middle, "test"), pages, SHA1, PDF)


def entry(text: str, page_idx: int = 0, top: int = 95, bottom: int = 115, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, "bbox": [40, top, 900, bottom], "page_idx": page_idx, **more}


def table(page_idx: int, *rows: str, top: int = 95, bottom: int = 900) -> dict[str, Any]:
    body = "".join(f"<tr>{''.join(f'<td>{c.strip()}</td>' for c in row.split('|'))}</tr>" for row in rows)
    found: dict[str, Any] = {"type": "table", "page_idx": page_idx, "bbox": [40, top, 900, bottom], "img_path": ""}
    return found | ({"table_body": f"<table>{body}</table>", "img_path": "a.jpg"} if rows else {})


def test_html_s_spans_breaks_and_open_tags_become_a_grid() -> None:
    html = (
        "<html><body><table><tr><td rowspan=2>Item</td><td colspan='2'>Year ended<br>31 March</td></tr>"
        "<tr><td>2024<td>2023</tr><tr><td>R&amp;D <sup>(1)</sup></td><td>5</td><td></td></table></body></html>"
    )
    assert table_of(html) == [["Item", "Year ended 31 March", ""], ["", "2024", "2023"], ["R&D (1)", "5", ""]]


def test_an_absurd_span_fills_no_memory() -> None:
    assert (
        table_of('<table><tr><td colspan="99999999">a</td><td>b</td></tr><tr><td>c</td></tr></table>')[0][0] == "a"
    )
    assert table_of_rows(rows_of_html("<table><tr><td> </td></tr></table>")) is None


@pytest.mark.parametrize(
    ("rows", "roles"),
    [
        (["| 2024 | 2023", "Revenue | 5 | 4", "Total | (1) | -"], ["hh", "lvv", "lvv"]),
        (["(in thousands) | Year ended", "Current assets | ", "Cash | 5"], ["hh", "s", "lv"]),
        (["| 2024", "£m |", "Assets |", "Cash | 5", "Debt |", "Loans | 4"], ["h", "h", "s", "lv", "s", "lv"]),
        (["Due in | Amount", "2024 | 1,200", "2025 | 900"], ["hh", "lv", "lv"]),
        (["| Net sales | 1,200"], ["lv"]),
        (["Name | Position", "Ann Lee | Chair"], ["lv", "lv"]),
        (["| Note | 2024", "Revenue | 4(a) | 500"], ["hh", "lvv"]),
    ],
)
def test_a_row_s_words_tell_what_it_is(rows: list[str], roles: list[str]) -> None:
    assert roles_of(*rows) == roles


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"rose by $1 2 . 5 \%$ to", "rose by 12.5% to"),
        (r"$\mathrm { E U R } 5$ million", "EUR 5 million"),
        ("cost $5 million and $6 million", "cost $5 million and $6 million"),
        (r"\$1,234 and 5\%", "$1,234 and 5%"),
        (r"2023$^{(1)}$", "2023(1)"),
        (r"$\frac{a}{b}$", r"$\frac{a}{b}$"),
        (r"dated $3 ^ { \mathrm { r d } }$ May", "dated 3rd May"),
    ],
)
def test_figures_taken_for_formulas_are_written_plainly(written: str, plain: str) -> None:
    assert without_formulas(written) == plain


def test_every_page_is_there_and_words_stand_where_they_are_printed() -> None:
    pages = records(
        [entry("Revenue rose sharply."), entry("Chair's statement", 2, text_level=1)],
        printed(1, "Revenue rose", "sharply."),
        printed(2),
        printed(3, "Chair's statement"),
    )
    assert [(p.page_number, p.text_source, len(p.blocks)) for p in pages] == [
        (1, "text_layer", 1),
        (2, "none", 0),
        (3, "text_layer", 1),
    ]
    assert [line.text for line in pages[0].blocks[0].lines] == ["Revenue rose", "sharply."]
    assert pages[0].blocks[0].lines[0].box == Box(left=50, top=100, right=119, bottom=110)
    assert pages[2].blocks[0].kind == "heading"


def test_what_the_text_layer_does_not_say_counts_as_read_from_the_picture() -> None:
    page = printed(1, "Revenue was 1,234")
    (record,) = records([entry("Revenue was 1,234")], page)
    (other,) = records([entry("Revenue was 1,284"), entry("Revenue was 1,234", top=195, bottom=215)], page)
    (scan,) = records([entry("Revenue was 1,234")], printed(1))
    assert (record.text_source, other.text_source, scan.text_source) == ("text_layer", "partly_ocr", "ocr")
    assert other.ocr_boxes == (other.blocks[0].box,)


def test_a_caption_without_a_place_is_found_on_the_page() -> None:
    caption = {**table(0, "| 2024", "Cash | 5", top=115), "table_caption": ["Table 1. Cash"]}
    (page,) = records([caption], printed(1, "Table 1. Cash", "2024", "Cash 5"))
    assert [(b.kind, b.box.top) for b in page.blocks] == [("caption", 100), ("table", 115)]


def test_a_table_joined_over_the_page_s_end_is_put_apart_by_what_is_printed() -> None:
    rows = ["| 2024", "Cash | 5", "Debtors | 70", "Stock | 12", "Total | 87"]
    entries = [
        table(0, *rows),
        entry("3", top=950, bottom=970, type="page_number"),
        table(1),
        entry("End.", 1, 950, 970),
    ]
    upper, lower = records(entries, printed(1, "2024", "Cash 5", "Debtors 70"), printed(2, "Stock 12", "Total 87"))
    assert upper.tables[0].grid() == [["", "2024"], ["Cash", "5"], ["Debtors", "70"]]
    assert lower.tables[0].grid() == [["Stock", "12"], ["Total", "87"]]
    assert lower.tables[0].cells[1].box == Box(left=83, top=100, right=95, bottom=110)


def test_a_table_over_three_pages_is_put_apart_twice() -> None:
    rows = ["| 2024", *(f"Item{n} | {n}00" for n in range(1, 7))]
    found = records(
        [table(0, *rows), table(1), table(2)],
        printed(1, "2024", "Item1 100", "Item2 200"),
        printed(2, "Item3 300", "Item4 400"),
        printed(3, "Item5 500", "Item6 600"),
    )
    assert [page.tables[0].row_count for page in found] == [3, 2, 2]


def test_a_paragraph_joined_over_the_page_s_end_is_put_apart() -> None:
    entries = [entry("Sales of our non-current goods rose."), entry("", 1)]
    upper, lower = records(entries, printed(1, "Sales of our non-"), printed(2, "current goods rose."))
    assert (upper.blocks[0].text, lower.blocks[0].text) == ("Sales of our", "current goods rose.")


def test_parts_that_nothing_tells_apart_are_an_error_not_a_guess() -> None:
    with pytest.raises(DocumentError, match=r"joined a table of page 1 .*MINERU_TABLE_MERGE_ENABLE=false"):
        records([table(0, "| 2024", "Cash | 5", "Debt | 6"), table(1)], printed(1), printed(2))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([entry("a", 5)], "speaks of page 6, and the PDF has 2"),
        ([entry("a", 0)], "ends with page 1, and there is text on page 2"),
        ([entry("a", 0, bottom=2200), entry("a", 1)], "scale of 0 to 1000"),
    ],
)
def test_output_of_another_pdf_or_scale_is_an_error(entries: list[dict[str, Any]], expected: str) -> None:
    with pytest.raises(DocumentError, match=expected):
        records(entries, printed(1), printed(2, *["ten words stand on this line of the second page"] * 3))


def test_a_middle_file_of_fewer_pages_is_an_error() -> None:
    middle = mineru_writer.middle([Page(report_sha1=SHA1, page_number=1, width=10, height=10)])
    with pytest.raises(DocumentError, match="it has 1 pages, and the PDF 2"):
        page_records(MineruOutput.of_files(None, middle, "test"), [printed(1), printed(2)], SHA1, PDF)


@pytest.mark.parametrize("sample", ["ostermere_2024", "veldhoorn_2024", "tsukimine_2025"])
@pytest.mark.parametrize("with_middle", [False, True])
def test_facts_read_from_mineru_s_forms_are_those_of_docling_s_pages(
    client: Pageproof, sample: str, with_middle: bool
) -> None:
    report = next(r for c in client.companies() for r in c.reports if r.file == f"{sample}.pdf")
    ours = client.pages.read(report.sha1)
    middle = mineru_writer.middle(ours) if with_middle else None
    output = MineruOutput.of_files(mineru_writer.content_list(ours), middle, "test")
    pdf = SAMPLES / report.file
    read = in_report(page_records(output, printed_pages(pdf), report.sha1, pdf), year_names)

    ontology = Ontology.load()
    expected, found = (extract_facts(pages, report, ontology=ontology) for pages in (ours, read))
    assert len(expected.facts) > 50
    assert [(f.metric, f.value, f.period, f.page_number, f.currency) for f in found.facts] == [
        (f.metric, f.value, f.period, f.page_number, f.currency) for f in expected.facts
    ]
    if (
        not with_middle
    ):  # a middle file does not say that a block's lines are rows, which one sample's officers are
        assert {(p.name, p.role) for p in found.seats} == {(p.name, p.role) for p in expected.seats}


def test_a_folder_of_output_is_ingested_and_answers_with_marked_places(client: Pageproof, tmp_path: Path) -> None:
    folder, data = tmp_path / "output", tmp_path / "data"
    report = next(r for c in client.companies() for r in c.reports if r.file == "ostermere_2024.pdf")
    pages = client.pages.read(report.sha1)
    (folder / "ostermere_2024" / "auto").mkdir(parents=True)
    written = folder / "ostermere_2024" / "auto" / "ostermere_2024_content_list.json"
    written.write_text(mineru_writer.content_list(pages), encoding="utf-8")
    overrides = ["reader.kind=mineru", f"reader.mineru_folder={folder}"]
    with open_pageproof("offline", overrides=overrides, data=data) as mineru:
        (ingested,) = mineru.library.ingest(samples_request("ostermere_2024.pdf"))
        assert (ingested.status, ingested.warning) == ("indexed", "")
        question = "What was the total revenue of Ostermere Instruments?"
        (ours, theirs) = (d.query(question, kind="number").response for d in (client, mineru))
    assert theirs.value == ours.value
    assert theirs.citations[0].page == ours.citations[0].page
    assert theirs.citations[0].boxes
    assert not {c.name for c in theirs.checks if c.verdict == "failed"}


def test_a_report_without_output_or_with_two_is_told(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no output of MinerU for it"):
        MineruOutput.of_folder(tmp_path, PDF, SHA1)
    for backend in ("auto", "vlm"):
        (tmp_path / backend).mkdir()
        (tmp_path / backend / "report_content_list.json").write_text("[]")
    with pytest.raises(DocumentError, match=r"auto/report_content_list\.json, vlm/"):
        MineruOutput.of_folder(tmp_path, PDF, SHA1)
    shutil.rmtree(tmp_path / "vlm")
    assert MineruOutput.of_folder(tmp_path, PDF, SHA1).entries == ()
    (tmp_path / "auto" / "report_content_list.json").unlink()
    (tmp_path / f"{SHA1}.zip").write_bytes(mineru_writer.archive("x", "[]"))
    assert MineruOutput.of_folder(tmp_path, PDF, SHA1).entries == ()


def test_an_archive_that_unpacks_to_too_much_is_refused() -> None:
    # The size that an archive claims is looked at before anything is unpacked.
    claimed = mineru_writer.archive("x", "[]").replace((2).to_bytes(4, "little"), (1 << 31).to_bytes(4, "little"))
    with pytest.raises(ProviderError, match=r"unpacks to|damaged"):
        MineruOutput.of_archive(claimed, "test")

"""A report of sixty pages with its words and contents, as a library stores it, for reading it on the screen.

Page 3 is turned by a quarter, page 4 is landscape, and of page 5 only the inner part is displayed.
"""

import hashlib

from reportlab.pdfgen.canvas import Canvas

from storage.paths import DataPaths
from storage.records.facts import ReportFacts
from storage.records.pages import Block, Cell, Line, Page, Table
from storage.records.record import Box
from storage.records.reports import Report
from storage.records.sections import Section
from storage.stores.pages import FactStore, PageStore

PAGES = 60
TURNED, LANDSCAPE, CROPPED = 3, 4, 5
SIZES = {TURNED: (842.0, 595.0), LANDSCAPE: (842.0, 595.0), CROPPED: (495.0, 742.0)}
SIZE = (595.0, 842.0)
WORDS = Box(left=72, top=92, right=272, bottom=104)
"""Where the first line stands, on upright pages."""
FIGURE = Box(left=400, top=192, right=460, bottom=204)


def write_long_report(paths: DataPaths) -> Report:
    """Write the PDF, the page records and the facts; gives the report."""
    paths.reports.mkdir(parents=True, exist_ok=True)
    draft = paths.reports / "long.pdf"
    _write_pdf(Canvas(str(draft), pagesize=SIZE, invariant=1))
    sha1 = hashlib.sha1(draft.read_bytes()).hexdigest()
    draft.rename(paths.report_pdf(sha1))
    report = Report(sha1=sha1, file="long.pdf", company="Long Reports plc", page_count=PAGES, fiscal_year=2023)
    PageStore(paths.pages, "reader").write(sha1, [page(sha1, number) for number in range(1, PAGES + 1)])
    sections = (
        Section(title="Strategic report", first_page=2, last_page=29, source="contents"),
        Section(title="Risks", number="1", level=2, first_page=10, last_page=29),
        Section(title="Financial statements", first_page=30, last_page=PAGES, source="contents"),
    )
    FactStore(paths.facts, "rules").write(report, ReportFacts(report_sha1=sha1, sections=sections))
    return report


def page(sha1: str, number: int) -> Page:
    """The record of one page."""
    width, height = SIZES.get(number, SIZE)
    label = Box(left=72, top=192, right=172, bottom=204)
    cells = (
        Cell(row=0, column=0, text="Total assets", role="row_label", box=label),
        Cell(row=0, column=1, text=f"{number},000", box=FIGURE),
    )
    table = Block(
        kind="table",
        text=f"Total assets {number},000",
        box=Box(left=72, top=192, right=460, bottom=204),
        table=Table(row_count=1, column_count=2, cells=cells),
    )
    below = Box(left=72, top=106, right=172, bottom=118)
    lines = (Line(text=f"Words of page {number} and share-", box=WORDS), Line(text="holders’ équity", box=below))
    paragraph = Block(kind="paragraph", text=" ".join(line.text for line in lines), box=WORDS, lines=lines)
    return Page(report_sha1=sha1, page_number=number, width=width, height=height, blocks=(paragraph, table))


def _write_pdf(canvas: Canvas) -> None:
    for number in range(1, PAGES + 1):
        width, height = SIZES[LANDSCAPE] if number == LANDSCAPE else SIZE
        # reportlab takes the size of a turned page as it is displayed, and the rest as it is written
        canvas.setPageSize(SIZES[TURNED] if number == TURNED else (width, height))
        canvas.setPageRotation(90 if number == TURNED else 0)
        canvas.setCropBox((50, 50, width - 50, height - 50) if number == CROPPED else (0, 0, width, height))
        canvas.setFont("Helvetica", 12)
        canvas.drawString(72, height - 102, f"Words of page {number} and share-")
        canvas.drawString(72, height - 116, "holders’ équity")
        canvas.drawString(72, height - 202, "Total assets")
        canvas.drawRightString(460, height - 202, f"{number},000")
        canvas.showPage()
    canvas.save()

"""Links from the card to pages of reports: addresses only, never bytes. No Chainlit here."""

from collections.abc import Callable, Iterable, Sequence

from query_engines.events import PageRead
from storage.answers import Citation
from storage.geometry import Box
from storage.record import Record
from storage.reports import Report

ReportOf = Callable[[str], Report | None]
"""The report with this SHA-1, or None when it has left the library."""
MOST_BOXES = 60  # marks on one page; the address stays well under what servers accept


class PageLink(Record):
    """A page to open.

    Attributes:
        note: "read by OCR" where the page is a picture of text, or the relevance of a page that is not cited.
        base: what stands before a page's number in the address of its picture, so that its neighbours are known too.
        boxes: the marks, as the picture's address takes them.
        mark_top, mark_bottom: where the marks are, as shares of the page's height from the top.
        page_width, page_height: in points; 0 where they are not known.
    """

    label: str
    title: str
    file: str
    quote: str
    note: str
    base: str
    page: int
    page_count: int
    boxes: str
    mark_top: float
    mark_bottom: float
    pdf: str
    page_width: float
    page_height: float


def cited_pages(citations: Sequence[Citation], report_of: ReportOf) -> tuple[PageLink, ...]:
    """The links of citations; with several reports, each says which."""
    names = _names([(c.report_sha1, c.file) for c in citations], report_of)
    return tuple(_cited(citation, names[citation.report_sha1], report_of) for citation in citations)


def other_pages(
    read: Sequence[PageRead], citations: Sequence[Citation], report_of: ReportOf
) -> tuple[PageLink, ...]:
    """The links of the pages that were read and are not cited, best first."""
    cited = {(c.report_sha1, c.page) for c in citations}
    names = _names([(r.report_sha1, "") for r in read], report_of)
    others = dict.fromkeys(r for r in read if (r.report_sha1, r.page) not in cited)
    links = []
    for place in others:
        report = report_of(place.report_sha1)
        if report is not None:
            note = "" if place.score is None else f"{place.score:.2f}"
            links.append(_link(report.file, report, place.page, names[place.report_sha1], note))
    return tuple(links)


def _cited(citation: Citation, name: str, report_of: ReportOf) -> PageLink:
    report = report_of(citation.report_sha1)
    note = "read by OCR" if citation.text_source == "ocr" else ""
    plain = _link(citation.file, report, citation.page, name, note, citation.report_sha1)
    height = citation.page_height or 1.0
    return plain.model_copy(
        update={
            "quote": citation.quote,
            "boxes": _boxes(citation.boxes),
            "mark_top": min((box.top for box in citation.boxes), default=0.0) / height,
            "mark_bottom": max((box.bottom for box in citation.boxes), default=0.0) / height,
            "page_width": citation.page_width,
            "page_height": citation.page_height,
        }
    )


def _link(file: str, report: Report | None, page: int, name: str, note: str, sha1: str = "") -> PageLink:
    sha1 = report.sha1 if report else sha1
    return PageLink(
        label=f"{name} p. {page}" if name else f"p. {page}",
        title=f"{_report_name(report) or file}, page {page}",
        file=file,
        quote="",
        note=note,
        base=f"/report/{sha1}/",
        page=page,
        page_count=report.page_count if report else page,
        boxes="",
        mark_top=0.0,
        mark_bottom=0.0,
        pdf=f"/report/{sha1}.pdf",
        page_width=0.0,
        page_height=0.0,
    )


def _report_name(report: Report | None) -> str:
    """A report for people: files are often named by numbers."""
    if report is None:
        return ""
    year = report.fiscal_year or (report.period_end.year if report.period_end else None)
    return f"{report.company} {year}" if year else report.company


def _names(places: Sequence[tuple[str, str]], report_of: ReportOf) -> dict[str, str]:
    """What tells the reports apart: nothing where there is one, the company, or the file."""
    files = dict(places)
    if len(files) < 2:
        return dict.fromkeys(files, "")
    reports = {sha1: report_of(sha1) for sha1 in files}
    companies = {sha1: report.company for sha1, report in reports.items() if report}
    if len(set(companies.values())) == len(files):
        return companies
    return {sha1: report.file if report else files[sha1] for sha1, report in reports.items()}


def _boxes(boxes: Iterable[Box]) -> str:
    marks = [f"{b.left:.1f},{b.top:.1f},{b.right:.1f},{b.bottom:.1f}" for b in boxes]
    return "?boxes=" + ";".join(marks[:MOST_BOXES]) if marks else ""

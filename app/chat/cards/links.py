"""Links of a card to the pages of reports. No Chainlit here."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from app.page_pictures import MOST_BOXES
from query_engines.events import PageRead
from storage.records.answers import Answer, Citation
from storage.records.record import Box, Record
from storage.records.reports import Report

ReportOf = Callable[[str], Report | None]
"""The report with this SHA-1, or None when it has left the library."""


class PageLink(Record):
    """A page to open.

    Attributes:
        title: the report's.
        note: "read by OCR" where the page is a picture of text.
        boxes: the marks, each left, top, right, bottom in points.
    """

    label: str
    title: str
    quote: str
    note: str
    sha1: str
    page: int
    boxes: tuple[tuple[float, float, float, float], ...] = ()


def cited_pages(citations: Sequence[Citation], report_of: ReportOf) -> tuple[PageLink, ...]:
    """The links of citations; with several reports, each says which."""
    names = _names([(c.report_sha1, c.file) for c in citations], report_of)
    return tuple(_cited(citation, names[citation.report_sha1], report_of) for citation in citations)


def operand_pages(answer: Answer, report_of: ReportOf) -> tuple[PageLink, ...]:
    """The links of a calculated figure's operands, each with its name and its figure."""
    links = cited_pages([operand.citation for operand in answer.operands], report_of)
    return tuple(
        link.model_copy(
            update={"label": f"{operand.name}: {operand.unit.printed if operand.unit else ''}, {link.label}"}
        )
        for link, operand in zip(links, answer.operands, strict=True)
    )


def nearest_page(answer: Answer, report_of: ReportOf) -> tuple[PageLink, ...]:
    """The link of the figure that comes nearest where there is no answer."""
    near = answer.nearest.citation if answer.nearest else None
    links = cited_pages((near,) if near else (), report_of)
    return tuple(link.model_copy(update={"label": f"nearest: {link.label}"}) for link in links)


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
            links.append(_link(report.file, report, place.page, names[place.report_sha1], ""))
    return tuple(links)


def _cited(citation: Citation, name: str, report_of: ReportOf) -> PageLink:
    report = report_of(citation.report_sha1)
    note = "read by OCR" if citation.text_source == "ocr" else ""
    plain = _link(citation.file, report, citation.page, name, note, citation.report_sha1)
    return plain.model_copy(update={"quote": citation.quote, "boxes": tuple(_sides(citation.boxes))})


def _link(file: str, report: Report | None, page: int, name: str, note: str, sha1: str = "") -> PageLink:
    return PageLink(
        label=f"{name} p. {page}" if name else f"p. {page}",
        title=report_name(report) or file,
        quote="",
        note=note,
        sha1=report.sha1 if report else sha1,
        page=page,
    )


def report_name(report: Report | None) -> str:
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


def _sides(boxes: Iterable[Box]) -> Iterator[tuple[float, float, float, float]]:
    for box in islice(boxes, MOST_BOXES):
        yield round(box.left, 1), round(box.top, 1), round(box.right, 1), round(box.bottom, 1)

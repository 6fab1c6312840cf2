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
PrintedOf = Callable[[Report, int], str]
"""The number that a page of a report prints, "" where it is unknown or the page's own."""


class LinkedReports:
    """The reports that a card's links lead to, and the numbers that their pages print."""

    def __init__(self, report_of: ReportOf, printed_of: PrintedOf = lambda _report, _page: "") -> None:
        self.report = report_of
        self._printed_of = printed_of

    def printed(self, report: Report | None, page: int) -> str:
        """The number that a page prints; "" where nothing more is known of its report."""
        return self._printed_of(report, page) if report else ""


class PageLink(Record):
    """A page to open.

    Attributes:
        title: the report's.
        note: "read by OCR" where the page is a picture of text, "from an annotation" where the words were put on it.
        printed: the number that the page prints, "" where it is unknown or the page's own.
        boxes: the marks, each left, top, right, bottom in points.
    """

    label: str
    title: str
    quote: str
    note: str
    sha1: str
    page: int
    printed: str = ""
    boxes: tuple[tuple[float, float, float, float], ...] = ()

    def place(self, page_word: str, printed_word: str = "printed") -> str:
        """The page in words, with the number that it prints: "p. 35 (printed 29)"."""
        return f"{page_word} {self.page}" + (f" ({printed_word} {self.printed})" if self.printed else "")


def cited_pages(citations: Sequence[Citation], reports: LinkedReports) -> tuple[PageLink, ...]:
    """The links of citations; with several reports, each says which."""
    names = _names([(c.report_sha1, c.file) for c in citations], reports)
    return tuple(_cited(citation, names[citation.report_sha1], reports) for citation in citations)


def operand_pages(answer: Answer, reports: LinkedReports) -> tuple[PageLink, ...]:
    """The links of a calculated figure's operands, each with its name and its figure."""
    links = cited_pages([operand.citation for operand in answer.operands], reports)
    return tuple(
        link.model_copy(
            update={"label": f"{operand.name}: {operand.unit.printed if operand.unit else ''}, {link.label}"}
        )
        for link, operand in zip(links, answer.operands, strict=True)
    )


def nearest_page(answer: Answer, reports: LinkedReports) -> tuple[PageLink, ...]:
    """The link of the figure that comes nearest where there is no answer."""
    near = answer.nearest.citation if answer.nearest else None
    links = cited_pages((near,) if near else (), reports)
    return tuple(link.model_copy(update={"label": f"nearest: {link.label}"}) for link in links)


def neighbour_pages(answer: Answer, reports: LinkedReports) -> tuple[PageLink, ...]:
    """The links of the figures that differ from the answer in scope alone, each with what it is."""
    if not answer.citations:
        return ()
    cited = answer.citations[0]
    report = reports.report(cited.report_sha1)
    currency = (answer.unit and answer.unit.currency) or ""
    links = (_link(cited.file, report, n.page, "", "", reports, cited.report_sha1) for n in answer.neighbours)
    figures = (answer.words.figure(float(near.value), 1, currency) for near in answer.neighbours)
    return tuple(
        link.model_copy(update={"quote": near.row_label, "label": f"{near.title} {figure}, {link.label}"})
        for link, near, figure in zip(links, answer.neighbours, figures, strict=True)
    )


def near_passages(answer: Answer, reports: LinkedReports) -> tuple[PageLink, ...]:
    """The links of the passages that come nearest where only reading can answer."""
    return cited_pages([passage.citation for passage in answer.nearest_passages], reports)


def source_pages(answer: Answer, citations: Sequence[Citation], reports: LinkedReports) -> tuple[PageLink, ...]:
    """The links of citations; without any, those of what comes nearest."""
    return cited_pages(citations, reports) or nearest_page(answer, reports) or near_passages(answer, reports)


def other_pages(
    read: Sequence[PageRead], citations: Sequence[Citation], reports: LinkedReports
) -> tuple[PageLink, ...]:
    """The links of the pages that were read and are not cited, best first."""
    cited = {(c.report_sha1, c.page) for c in citations}
    names = _names([(r.report_sha1, "") for r in read], reports)
    others = dict.fromkeys(r for r in read if (r.report_sha1, r.page) not in cited)
    links = []
    for place in others:
        report = reports.report(place.report_sha1)
        if report is not None:
            links.append(_link(report.file, report, place.page, names[place.report_sha1], "", reports))
    return tuple(links)


def _cited(citation: Citation, name: str, reports: LinkedReports) -> PageLink:
    report = reports.report(citation.report_sha1)
    note = {"ocr": "read by OCR", "annotation": "from an annotation"}.get(citation.text_source, "")
    plain = _link(citation.file, report, citation.page, name, note, reports, citation.report_sha1)
    return plain.model_copy(update={"quote": citation.quote, "boxes": tuple(sides(citation.boxes))})


def _link(
    file: str, report: Report | None, page: int, name: str, note: str, reports: LinkedReports, sha1: str = ""
) -> PageLink:
    return PageLink(
        label=f"{name} p. {page}" if name else f"p. {page}",
        title=report_name(report) or file,
        quote="",
        note=note,
        sha1=report.sha1 if report else sha1,
        page=page,
        printed=reports.printed(report, page),
    )


def report_name(report: Report | None) -> str:
    """A report for people; "" where nothing more is known of it."""
    return report.title if report else ""


def _names(places: Sequence[tuple[str, str]], reports: LinkedReports) -> dict[str, str]:
    """What tells the reports apart: nothing where there is one, the company, or the file."""
    files = dict(places)
    if len(files) < 2:
        return dict.fromkeys(files, "")
    known = {sha1: reports.report(sha1) for sha1 in files}
    companies = {sha1: report.company for sha1, report in known.items() if report}
    if len(set(companies.values())) == len(files):
        return companies
    return {sha1: report.file if report else files[sha1] for sha1, report in known.items()}


def sides(boxes: Iterable[Box]) -> Iterator[tuple[float, float, float, float]]:
    """The marks of a page, as many as it can have: left, top, right, bottom in points."""
    for box in islice(boxes, MOST_BOXES):
        yield round(box.left, 1), round(box.top, 1), round(box.right, 1), round(box.bottom, 1)

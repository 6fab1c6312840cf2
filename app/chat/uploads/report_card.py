"""A report on its way into the library, and what is known of it then, as the card on the screen. No Chainlit here."""

from pydantic import JsonValue

from app.chat.uploads.uploads import UploadState
from storage.records.record import Record
from storage.records.reports import EvidenceSource, Report, ReportField
from storage.stores.inbox import Received
from storage.text import capital

_LABELS: dict[ReportField, str] = {
    "company": "Company",
    "currency": "Currency",
    "period_end": "Period ended",
    "fiscal_year": "Fiscal year",
    "type": "Kind of filing",
}
_SOURCES: dict[EvidenceSource, str] = {
    "report": "read in the report",
    "catalog": "from the catalog",
    "file_name": "from the file's name: no name was found in the report",
    "edited": "put right by hand",
}
_FILED = "from where it is filed: no page names it"


class KnownField(Record):
    """One thing known of a report and where it is from.

    Attributes:
        page: 1-based; 0 where no page says it.
        link: the PDF at that page.
        quote: the words there.
    """

    label: str
    value: str
    source: str
    page: int = 0
    link: str = ""
    quote: str = ""


class KnownReport(Record):
    """A report in the library.

    Attributes:
        period_end: YYYY-MM-DD, or "".
        can_change: it is in the library of the person who looks at it.
        questions: first questions about it.
    """

    company: str
    currency: str
    period_end: str
    pages: int
    pdf: str
    fields: tuple[KnownField, ...]
    can_change: bool
    questions: tuple[str, ...]


class ReportCard(Record):
    """What the screen shows.

    Attributes:
        headline: what is going on, or what became of it.
        share: how much of this stage is done, 0..1; None where that is not known.
        tone: how the headline is drawn.
    """

    sha1: str
    name: str
    headline: str
    tone: str
    note: str = ""
    share: float | None = None
    is_final: bool = True
    is_removed: bool = False
    waits: bool = False
    can_stop: bool = False
    can_retry: bool = False
    report: KnownReport | None = None


def upload_card(
    received: Received, state: UploadState, before: int, report: Report | None, *, can_change: bool
) -> dict[str, JsonValue]:
    """The props of an upload's card: JSON only.

    Args:
        received: what was sent.
        state: how far it is.
        before: uploads of the same person that are read first.
        report: as the library knows it, once it is there.
        can_change: whether it may be put right and removed, once nothing is done with it any more.
    """
    known = report if state.is_in_library else None
    card = ReportCard(
        sha1=received.sha1,
        name=received.name,
        headline=_headline(received, state, before),
        note=_note(state),
        share=state.done / state.of if state.of and state.stage in ("reading", "embedding") else None,
        tone={"failed": "failed", "indexed": "done", "unchanged": "done"}.get(state.stage, "busy"),
        is_final=state.is_final,
        waits=state.stage == "waiting",
        can_stop=not state.is_final,
        can_retry=state.can_retry,
        report=_known(known, can_change and state.is_final) if known else None,
    )
    return card.model_dump(mode="json")


def known_card(report: Report, headline: str, *, can_change: bool) -> dict[str, JsonValue]:
    """The props of a card for a report that is in the library."""
    known = _known(report, can_change)
    card = ReportCard(sha1=report.sha1, name=report.file, headline=headline, tone="done", report=known)
    return card.model_dump(mode="json")


def removed_card(sha1: str) -> dict[str, JsonValue]:
    """The props of a card for what is not in the library any more."""
    return ReportCard(sha1=sha1, name="", headline="", tone="done", is_removed=True).model_dump(mode="json")


def first_question(report: Report) -> str:
    """What can be asked of a report whose year may be one of several."""
    year = _year(report)
    return f"What was the total revenue of {report.company}" + (f" in {year}?" if year else "?")


def _headline(received: Received, state: UploadState, before: int) -> str:
    if state.stage == "waiting":
        return f"Waiting: {_reports(before)} read first" if before else "Waiting for its turn"
    if state.stage == "reading":
        page = f"page {min(state.done + 1, state.of):,} of {state.of:,}"
        return f"Reading {page}" if state.of else f"Preparing to read {_pages(received.page_count)}"
    if state.stage == "unchanged":
        return f"In the library already: {_pages(received.page_count)}"
    return {
        "facts": "Its figures are read" if state.done else "Looking for its figures",
        "answers": "Answers from its figures and words already; the search by meaning follows",
        "tables": "Answers already; writing out its tables",
        "embedding": f"Answers already; {state.done:,} of {state.of:,} passages can be found by meaning",
        "pictures": "Ready; the text in its pictures is read",
        "indexed": f"Ready: {_pages(received.page_count)} read",
        "failed": "It could not be read",
        "stopped": "Stopped: nothing of it is in the library",
        "interrupted": "Reading it was interrupted several times",
    }[state.stage]


def _note(state: UploadState) -> str:
    if not state.is_final:
        return "You can ask about it now." if state.is_in_library else "You can ask meanwhile."
    message = state.warning or state.reason
    message = capital(message).rstrip(".") + "." if message else ""
    return f"{message} The PDF is kept until it is read or removed.".strip() if state.can_retry else message


def _reports(count: int) -> str:
    return "1 report is" if count == 1 else f"{count:,} reports are"


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count:,} pages"


def _known(report: Report, can_change: bool) -> KnownReport:
    values: dict[ReportField, str] = {
        "company": report.company,
        "currency": report.currency or "",
        "period_end": f"{report.period_end.day} {report.period_end:%B %Y}" if report.period_end else "",
        "fiscal_year": str(report.fiscal_year or ""),
        "type": report.filing.type or "",
    }
    if report.period_end and not report.fiscal_year:  # its end is known: a year without a name is nothing to miss
        del values["fiscal_year"]
    return KnownReport(
        company=report.company,
        currency=report.currency or "",
        period_end=report.period_end.isoformat() if report.period_end else "",
        pages=report.page_count,
        pdf=f"/report/{report.sha1}.pdf",
        fields=tuple(_field(report, field, value) for field, value in values.items()),
        can_change=can_change,
        questions=(
            first_question(report),
            f"Who is the chief executive of {report.company}?",
            f"Overview of {report.company}",
        ),
    )


def _field(report: Report, field: ReportField, value: str) -> KnownField:
    evidence = next((e for e in report.evidence if e.field == field), None)
    if not value or evidence is None:
        return KnownField(label=_LABELS[field], value=value, source="" if value else "not found in the report")
    is_guessed = evidence.source == "report" and evidence.page is None
    return KnownField(
        label=_LABELS[field],
        value=value,
        source=_FILED if is_guessed else _SOURCES[evidence.source],
        page=evidence.page or 0,
        link=f"/report/{report.sha1}.pdf#page={evidence.page}" if evidence.page else "",
        quote=evidence.quote,
    )


def _year(report: Report) -> int | None:
    return report.year_name

"""The library as the panel of sources lists it, one report opened there, and first questions. No Chainlit here."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import Literal

from pydantic import JsonValue

from app.chat.cards.links import LinkedReports, sides
from app.chat.cards.words import Speech
from app.chat.session.client_pool import ChatClient, ClientPool, Key
from app.chat.uploads.uploads import Upload, UploadState
from app.library.fact_sheet import FactRow, FactSheet
from app.library.overview import Overview
from query_engines.events import AnswerReady
from storage.errors import PageproofError
from storage.lexicon.names import form_code
from storage.records.answers import Answer
from storage.records.questions import Question
from storage.records.record import Record
from storage.records.reports import Company, Report
from storage.text import capital

logger = logging.getLogger(__name__)
SourceStage = Literal["queued", "reading", "answers", "complete", "failed", "stopped", "interrupted"]
"""How far a report is; "answers" is from its figures and words, while the search by meaning is not ready."""
SourceFilter = Literal["all", "yours", "reading", "chosen"]
MOST_LISTED = 300  # reports; the browser draws them all at once
_MOST_YEARS = 5
_MOST_EVENTS = 40
_STAGES: dict[str, SourceStage] = {
    "waiting": "queued",
    "reading": "reading",
    "facts": "reading",
    "answers": "answers",
    "tables": "answers",
    "embedding": "answers",
    "pictures": "complete",
    "indexed": "complete",
    "unchanged": "complete",
    "failed": "failed",
    "stopped": "stopped",
    "interrupted": "interrupted",
}


class Source(Record):
    """One report in the list.

    Attributes:
        title: what kind of filing it is, of which period; its file's name where that is not known.
        period_end: YYYY-MM-DD, or "".
        done, of: pages while it is read.
        whose: "yours" or "shared" where there is a difference.
        can_change: it can be corrected and removed by the person who looks.
        can_retry: its PDF is stored, and reading it again may help.
        can_hand_over: it is their own, and they may put it into the shared library.
        is_handed_over: it is on its way there.
        note: why it failed, or what is missing.
    """

    sha1: str
    company: str
    title: str
    file: str
    label: str
    period_end: str = ""
    currency: str = ""
    pages: int
    stage: SourceStage = "complete"
    done: int = 0
    of: int = 0
    whose: Literal["", "yours", "shared"] = ""
    can_change: bool = False
    can_retry: bool = False
    can_hand_over: bool = False
    is_handed_over: bool = False
    note: str = ""


class SourceList(Record):
    """What the panel shows; `more` reports fit and are left out."""

    sources: tuple[Source, ...]
    companies: int
    reports: int
    reading: int
    more: int
    is_personal: bool
    takes_uploads: bool


class Whose(Record):
    """What the person who looks may do with the reports.

    Attributes:
        is_personal: they have a library of their own, beside the shared one.
        takes_uploads: they can send PDFs.
        hands_over: they may put their own reports into the shared library.
        on_the_way: SHA-1s of reports that are being put there.
    """

    is_personal: bool = False
    takes_uploads: bool = False
    hands_over: bool = False
    on_the_way: frozenset[str] = frozenset()


class Wanted(Record):
    """What the panel is to show: reports with all these words, of a filter."""

    words: str = ""
    filter: SourceFilter = "all"
    chosen: tuple[str, ...] = ()


def source_list(
    companies: Sequence[Company],
    uploads: Sequence[Upload],
    owns: Callable[[str], bool],
    may_change: Callable[[str], bool],
    wanted: Wanted,
    whose: Whose,
) -> SourceList:
    """The list of what a person may ask about, and of what is on its way there.

    Args:
        companies: everything that can be asked about.
        uploads: of this person, the oldest first.
        owns: whether a report, by SHA-1, is in the library of the person who looks.
        may_change: whether that person may correct and remove it.
        wanted: what to leave out.
        whose: what else they may do.
    """
    states = {upload.received.sha1: upload for upload in uploads}
    fitting = [source for source in _sources(companies, states, whose.is_personal) if _fits(source, wanted)]
    if wanted.filter == "yours":
        fitting = [source for source in fitting if owns(source.sha1)]
    shown = [_with_rights(source, owns, may_change, whose) for source in fitting[:MOST_LISTED]]
    return SourceList(
        sources=tuple(shown),
        companies=len(companies),
        reports=sum(len(company.reports) for company in companies),
        reading=sum(not upload.state.is_final for upload in uploads) + len(whose.on_the_way),
        more=len(fitting) - len(shown),
        is_personal=whose.is_personal,
        takes_uploads=whose.takes_uploads,
    )


def label_of(report: Report) -> str:
    """A report in two or three words, for a chip: its company without the legal form, and its year."""
    year = report.year_name or ""
    part = f" Q{report.filing.quarter}" if report.filing.quarter else ""
    return f"{short_name(report.company)} {year}{part}".strip()


def short_name(company: str) -> str:
    """A company's name without its legal form."""
    words = company.split()
    while len(words) > 1 and form_code(words[-1]) is not None:
        words.pop()
    return " ".join(words).rstrip(",")


def _sources(companies: Sequence[Company], uploads: dict[str, Upload], is_personal: bool) -> Iterator[Source]:
    """What is on its way first, then the library by company."""
    known = {report.sha1 for company in companies for report in company.reports}
    for sha1, upload in reversed(uploads.items()):
        if sha1 not in known and upload.state.stage != "stopped":
            yield _on_its_way(upload, is_personal)
    for company in companies:
        for report in company.reports:
            state = uploads[report.sha1].state if report.sha1 in uploads else None
            yield _in_library(company, report, state)


def _on_its_way(upload: Upload, is_personal: bool) -> Source:
    sent, state = upload.received, upload.state
    return Source(
        sha1=sent.sha1,
        company="",
        title=sent.name,
        file=sent.name,
        label=sent.name,
        pages=sent.page_count,
        **_stage(state),
        whose="yours" if is_personal else "",
        can_change=state.is_final,
        can_retry=state.can_retry,
        note=_sentence(state.reason),
    )


def _in_library(company: Company, report: Report, state: UploadState | None) -> Source:
    return Source(
        sha1=report.sha1,
        company=company.name,
        title=capital(report.described) or report.file,
        file=report.file,
        label=label_of(report),
        period_end=report.period_end.isoformat() if report.period_end else "",
        currency=report.currency or "",
        pages=report.page_count,
        **(_stage(state) if state is not None and state.is_in_library else {}),
        note=_sentence(state.warning) if state is not None else "",
    )


def _stage(state: UploadState) -> dict[str, JsonValue]:
    is_counted = state.stage == "reading"
    return {
        "stage": _STAGES[state.stage],
        "done": state.done if is_counted else 0,
        "of": state.of if is_counted else 0,
    }


def _with_rights(
    source: Source, owns: Callable[[str], bool], may_change: Callable[[str], bool], whose: Whose
) -> Source:
    if not source.company:
        return source
    is_own = owns(source.sha1)
    is_handed_over = source.sha1 in whose.on_the_way
    rights = {
        "whose": ("yours" if is_own else "shared") if whose.is_personal else "",
        "can_change": may_change(source.sha1) and not is_handed_over,
        "can_hand_over": is_own and whose.is_personal and whose.hands_over and not is_handed_over,
        "is_handed_over": is_handed_over,
    }
    return source.model_copy(update=rights)


def _fits(source: Source, wanted: Wanted) -> bool:
    if wanted.filter == "reading" and source.stage == "complete":
        return False
    if wanted.filter == "chosen" and source.sha1 not in wanted.chosen:
        return False
    text = f"{source.company} {source.title} {source.file} {source.label} {source.period_end}".casefold()
    return all(word in text for word in wanted.words.casefold().split())


def _sentence(message: str) -> str:
    return capital(message).rstrip(".") + "." if message else ""


class PagedLine(Record):
    """A line and the page (1-based) that prints it.

    Attributes:
        last_page: of a section.
        page_printed: the number that the page itself prints, "" where it is unknown or the page's own.
    """

    text: str
    page: int
    last_page: int = 0
    page_printed: str = ""


class FigurePlace(PagedLine):
    """A figure: as it is printed, whether it is sure, and its marks, each left, top, right, bottom in points."""

    printed: str
    is_sure: bool
    boxes: tuple[tuple[float, float, float, float], ...] = ()


class FigureLine(Record):
    """A metric of a report: a figure for each of its periods, None where it prints none."""

    title: str
    unit: str
    figures: tuple[FigurePlace | None, ...]


class FilingEvents(Record):
    """A filing of the company and the events that it tells of."""

    sha1: str
    title: str
    period_end: str
    is_this: bool
    events: tuple[PagedLine, ...]


class SourceDetails(Record):
    """One report, opened in the panel.

    Attributes:
        about: what the company is and does, in the report's own sentences.
        periods: the headings of the figures, the newest first.
        key_figures: the titles of those that an overview shows.
        timeline: every filing of the company, the newest first.
    """

    sha1: str
    company: str
    title: str
    file: str
    label: str
    pages: int
    about: tuple[PagedLine, ...] = ()
    people: tuple[PagedLine, ...] = ()
    risks: tuple[PagedLine, ...] = ()
    contents: tuple[PagedLine, ...] = ()
    periods: tuple[str, ...] = ()
    figures: tuple[FigureLine, ...] = ()
    key_figures: tuple[str, ...] = ()
    timeline: tuple[FilingEvents, ...] = ()


def source_details(
    company: Company, report: Report, overview: Overview | None, sheet: FactSheet, reports: LinkedReports
) -> SourceDetails:
    """A report with its overview and the facts of its company; None and an empty sheet where nothing was read."""

    def numbered(line: PagedLine) -> PagedLine:
        return line.model_copy(update={"page_printed": reports.printed(report, line.page)})

    rows = [row for row in sheet.facts if row.report_sha1 == report.sha1]
    periods = sheet.model_copy(update={"facts": tuple(rows)}).columns()[:_MOST_YEARS]
    return SourceDetails(
        sha1=report.sha1,
        company=company.name,
        title=capital(report.described) or report.file,
        file=report.file,
        label=label_of(report),
        pages=report.page_count,
        about=tuple(map(numbered, _lines(overview.about))) if overview else (),
        people=tuple(map(numbered, _lines(overview.people))) if overview else (),
        risks=tuple(map(numbered, _lines(overview.risks))) if overview else (),
        contents=tuple(
            numbered(PagedLine(text=s.title, page=s.first_page, last_page=s.last_page)) for s in overview.contents
        )
        if overview
        else (),
        periods=periods,
        figures=tuple(_figures(sheet.model_copy(update={"facts": tuple(rows)}), periods, report, reports)),
        key_figures=tuple(figure.title for figure in overview.figures) if overview else (),
        timeline=tuple(_timeline(company, report, sheet, reports)),
    )


def _lines(lines: Iterable[PagedLine] | Iterable[object]) -> tuple[PagedLine, ...]:
    return tuple(PagedLine.model_validate(line, from_attributes=True) for line in lines)


def _figures(
    sheet: FactSheet, periods: Sequence[str], report: Report, reports: LinkedReports
) -> Iterator[FigureLine]:
    for rows in sheet.by_metric():
        by_period = {row.label: row for row in rows}
        if any(period in by_period for period in periods):
            figures = tuple(_figure(by_period.get(period), report, reports) for period in periods)
            yield FigureLine(title=rows[0].title, unit=rows[0].unit, figures=figures)


def _figure(row: FactRow | None, report: Report, reports: LinkedReports) -> FigurePlace | None:
    if row is None:
        return None
    return FigurePlace(
        text=row.value_text,
        page=row.page,
        page_printed=reports.printed(report, row.page),
        printed=row.printed,
        is_sure=row.confidence == "high",
        boxes=tuple(sides(row.boxes)),
    )


def _timeline(company: Company, this: Report, sheet: FactSheet, reports: LinkedReports) -> Iterator[FilingEvents]:
    by_period = sorted(
        company.reports, key=lambda r: r.period_end.isoformat() if r.period_end else "", reverse=True
    )
    for report in by_period:
        told = [row for row in sheet.events if row.report_sha1 == report.sha1 and row.confidence != "low"]
        events = {
            row.quote: PagedLine(text=row.quote, page=row.page, page_printed=reports.printed(report, row.page))
            for row in told
        }
        yield FilingEvents(
            sha1=report.sha1,
            title=capital(report.described) or report.file,
            period_end=report.period_end.isoformat() if report.period_end else "",
            is_this=report.sha1 == this.sha1,
            events=tuple(events.values())[:_MOST_EVENTS],
        )


_FIGURES = (
    "What was the total revenue of {}?",
    "What was the net income of {}?",
    "What were the total assets of {}?",
)
_PEOPLE = ("Who is the CEO of {}?", "Who is the CFO of {}?")
_PASSAGES = ("What are the main risks of {}?", "What does {} do?")
_COMPARED = ("Which had the higher total revenue, {} or {}?", "Which had the higher total assets, {} or {}?")
_MOST_TRIED = 6  # questions for one place on the screen
PATIENCE_SECONDS = 3.0


class FirstQuestions:
    """Questions that the first screen offers. Each was answered before from this library, without a model."""

    def __init__(self, clients: ClientPool, patience: float = PATIENCE_SECONDS) -> None:
        """Try questions with clients of the pool; nobody waits longer than `patience` in seconds."""
        self._clients = clients
        self._patience = patience
        self._tried: dict[tuple[str | None, Speech], tuple[int, list[str], asyncio.Task[None]]] = {}

    async def offered(self, owner: str | None, speech: Speech) -> list[str]:
        """Up to three questions about a person's library in a language; fewer while they are still tried."""
        key = self._clients.key(self._clients.choices(), owner)
        async with self._clients.at(key) as client:
            companies = await asyncio.to_thread(client.companies)
        library = hash(tuple(report.sha1 for company in companies for report in company.reports))
        known = self._tried.get((owner, speech))
        if known is None or known[0] != library:
            found: list[str] = []
            task = asyncio.create_task(self._try(key, _by_place(companies, speech), found))
            self._tried[owner, speech] = known = (library, found, task)
        await asyncio.wait({known[2]}, timeout=self._patience)
        return list(known[1])

    async def close(self) -> None:
        """Try nothing more."""
        for *_, task in self._tried.values():
            task.cancel()
        await asyncio.gather(*(task for *_, task in self._tried.values()), return_exceptions=True)

    async def _try(self, key: Key, places: Sequence[Sequence[str]], found: list[str]) -> None:
        """Find the first question of each place that has an answer which fails no check."""
        alone = ("answers.kind=extractive", "rerank.kind=lexical", "retrieval.mode=bm25", "runs.log=false")
        try:
            async with self._clients.at(key.model_copy(update={"overrides": (*key.overrides, *alone)})) as client:
                for questions in places:
                    good = [text for text in questions if text not in found]
                    found += [text async for text in _first_good(client, good)]
        except PageproofError as error:  # no question is offered of a library that cannot be read
            logger.warning("the first questions cannot be tried: %s", error)


async def _first_good(client: ChatClient, questions: Sequence[str]) -> AsyncIterator[str]:
    for text in questions[:_MOST_TRIED]:
        answers = [e.answer async for e in client.stream(Question(text=text)) if isinstance(e, AnswerReady)]
        if any(map(_is_good, answers)):
            yield text
            return


def _is_good(answer: Answer) -> bool:
    is_whole = all(part.is_available for part in answer.parts)
    return answer.is_available and is_whole and all(check.verdict != "failed" for check in answer.checks)


def _by_place(companies: Sequence[Company], speech: Speech) -> list[list[str]]:
    """Questions for each place on the screen, the best first: a figure, several companies or a person, a passage."""
    names = [short_name(company.name) for company in companies if company.reports][: 2 * _MOST_TRIED]
    compared = [wording.format(*pair) for pair, wording in product(pairwise(names), _COMPARED)]
    passages = _spread(_PASSAGES, names[1:] + names[:1])
    people, figures = _spread(_PEOPLE, names), _spread(_FIGURES, names)
    return [
        _worded(place, speech)
        for place in (figures, compared[:_MOST_TRIED] + people, passages + people + figures[::-1])
    ]


def _worded(questions: Sequence[str], speech: Speech) -> list[str]:
    """The questions in a language, as far as its catalog has them: it has what is understood in it."""
    return [speech(question) for question in questions if speech.knows(question)]


def _spread(wordings: Sequence[str], names: Sequence[str]) -> list[str]:
    return [wording.format(name) for wording, name in product(wordings, names[: _MOST_TRIED // 2])]

"""An overview of a company's newest report: what it is, its figures, people, events, risks and contents, with pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from app.library.fact_sheet import FactRow, KnownFacts, companies_named
from indexes.roles.names import is_name, short_name
from prompts.kinds.text import TextDraft
from query_engines.question.section_topics import sections_for
from query_engines.sections.drafting import draft_of_section
from query_engines.sections.passages import is_one_sentence, stands_alone
from storage.amounts import grouped
from storage.errors import MissingIndex
from storage.lexicon.calendar import WrittenDate, dates_in
from storage.lexicon.names import ABBREVIATED_FORM
from storage.lexicon.words import ITSELF, expression
from storage.records.facts import Event, ReportFacts, Seat
from storage.records.metrics import Statement
from storage.records.record import Record
from storage.records.reports import Report
from storage.records.sections import Section, SectionKinds
from storage.stores.protocols import StoredPages
from storage.text import capital, terms

METRICS = (
    *("total_revenue", "gross_profit", "operating_income", "net_income", "eps_basic", "dividend_per_share"),
    *("total_assets", "shareholders_equity", "cash", "operating_cash_flow", "employees"),
)
_MOST_YEARS = 2
_TITLES = {"employees": "employees"}  # of whatever day and sort the page counts them
_STATEMENTS: dict[Statement, str] = {
    "income": "Income statement",
    "balance": "Balance sheet",
    "cash_flow": "Cash flow statement",
}
_PERIOD = expression(
    r"(?i)\b(?:as (?:at|of)|for the (?:\w+ )?(?:years?|periods?))\b.*$"
)  # behind a statement's title
_LEAST_FIGURES = 4  # of a page that is a statement
# The company under any name, and what it did or was done to it in the first clause of a sentence.
_ITS_NAME = rf"(?:[Ww]e|[Tt]he {ITSELF}(?: of Directors)?(?:,? [A-Z][\w&.'-]*){{0,4}})"
_DID = expression(
    r"^(?![^.;]*\bpurchase of [^.,;]{0,40}\b(?:building|land|property|site|yard)\b)"
    rf"(?:(?:In|On|During|Effective|As of|At|By) [^.;]{{3,60}}?,? )?{_ITS_NAME}(?: (?:has|have|had|largely))*"
    r" (?:completed|closed|announced|entered|signed|agreed|acquired|purchased)\b"
)
_SUED = expression(
    rf"\bagainst (?:both |each of )?(?:us\b|our\b|{_ITS_NAME})|\b{_ITS_NAME} (?:filed|brought|commenced)"
    r" an? (?!motion|answer|reply)[^.;]{0,40}\b(?:action|claim|complaint|lawsuit|petition|suit)\b"
)
_PLAINLY = {"acquisition": _DID, "litigation": _SUED}
_SHOWN_EVENTS = {"acquisition": 2, "leadership_change": 2, "product_launch": 2, "buyback": 1, "litigation": 1}
_MOST_RISKS = 6
_MOST_PEOPLE = 15
_MOST_CONTENTS = 30
_LONGEST = 600  # letters of a sentence
_ABBREVIATED = expression(rf"\b(?:{ABBREVIATED_FORM})\.$")
_SAME_EVENT = 0.6  # of the words of two sentences
_EVENT_NAMES = {"buyback": "share buyback", "acquisition": "acquisition or merger"}


class OverviewLine(Record):
    """A line in the report's own words, and its page (1-based)."""

    text: str
    page: int


class OverviewFigure(Record):
    """A metric's figures, one for each shown period, None where the report prints none.

    Attributes:
        change: from the period before, in percent; None where that has no meaning.
        page: that prints the newest one.
    """

    title: str
    unit: str
    values: tuple[float | None, ...]
    change: float | None
    page: int


class OverviewSection(Record):
    """A section with its pages."""

    title: str
    kind: str
    first_page: int
    last_page: int


class Overview(Record):
    """What a company's newest report holds.

    Attributes:
        filing: what kind of document it is.
        about: what the company is and does, in the report's own sentences.
        periods: the headings of the figures, the newest first.
        people: officers and directors, each with a position.
        risks: the first headings of the risk section, or sentences that head its paragraphs.
    """

    company: str
    report_sha1: str
    file: str
    filing: str
    page_count: int
    about: tuple[OverviewLine, ...] = ()
    periods: tuple[str, ...] = ()
    figures: tuple[OverviewFigure, ...] = ()
    people: tuple[OverviewLine, ...] = ()
    events: tuple[OverviewLine, ...] = ()
    risks: tuple[OverviewLine, ...] = ()
    contents: tuple[OverviewSection, ...] = ()


class Overviews:
    """Makes overviews from the stored facts, sections and pages; nothing is searched and no model is asked."""

    def __init__(self, known: KnownFacts, pages: StoredPages, kinds: SectionKinds) -> None:
        self._known = known
        self._pages = pages
        self._kinds = kinds

    def of(self, name: str, sha1: str | None = None) -> Overview:
        """The overview of a company's newest report, or of the one with this SHA-1.

        Raises:
            UsageError: the name fits no company, or several.
            MissingIndex: the library is empty, or no facts are stored for these settings.
        """
        companies = self._known.companies()
        (company,) = companies_named([name], companies)
        report = next((r for r in company.reports if r.sha1 == sha1), None) if sha1 else company.main_report
        facts = self._known.table.of(company, report) if report is not None else None
        if report is None or facts is None:
            raise MissingIndex(
                f"no facts of {company.name} are stored for these settings; ingest its report again"
            )
        sheet = self._known.sheet([company.name], METRICS)
        rows = [row for row in sheet.facts if row.report_sha1 == report.sha1 and row.confidence != "low"]
        periods = tuple(dict.fromkeys(row.label for row in rows if row.is_current))[:1]
        periods = (*periods, *(p for p in _before(rows, periods) if p not in periods))[:_MOST_YEARS]
        sure = [p for p in facts.officers if p.confidence != "low" and (p.role == "auditor" or is_name(p.name))]
        listed = [
            line.model_copy(update={"text": _without_stop(line.text)})
            for line in self._lines("directors", report, facts)
        ]
        return Overview(
            company=company.name,
            report_sha1=report.sha1,
            file=report.file,
            filing=report.described,
            page_count=report.page_count,
            about=tuple(self._lines("business", report, facts)),
            periods=periods,
            figures=tuple(_figures(rows, periods)),
            people=tuple(people_shown(sure, listed)[:_MOST_PEOPLE]),
            events=tuple(events_shown(facts.events, company.name)),
            risks=tuple(self._lines("risks", report, facts))[:_MOST_RISKS],
            contents=contents_with_statements(facts.sections, self._statements(report, facts)),
        )

    def _statements(self, report: Report, facts: ReportFacts) -> list[tuple[str, int]]:
        """The title and the page of each primary statement: the page that prints most of its figures."""
        printed: defaultdict[Statement, Counter[int]] = defaultdict(Counter)
        for fact in facts.facts:
            statement = self._known.ontology[fact.metric].statement
            if statement in _STATEMENTS:
                printed[statement][fact.page_number] += 1
        found = [(statement, *pages.most_common(1)[0]) for statement, pages in printed.items()]
        places = {page: statement for statement, page, count in found if count >= _LEAST_FIGURES}
        titles = {
            page.page_number: next((_PERIOD.sub("", t.title).rstrip(" ,") for t in page.tables if t.title), "")
            for page in self._pages.read(report.sha1, sorted(places))
        }
        return [(titles.get(page) or _STATEMENTS[places[page]], page) for page in sorted(places)]

    def _lines(self, kind: str, report: Report, facts: ReportFacts) -> list[OverviewLine]:
        """What the section of a kind says, as an answer would say it."""
        match = sections_for(self._kinds[kind], "", facts.sections)
        if match is None:
            return []
        last = report.page_count
        pages = self._pages.read(report.sha1, [number for number in match.pages if number <= last])
        draft = draft_of_section("", match, report, pages, TextDraft, facts.seats)
        if not isinstance(draft, TextDraft) or not isinstance(draft.final_answer, list):
            return []
        return [
            OverviewLine(text=_short(sentence.text), page=draft.evidence[sentence.evidence_numbers[0] - 1].page)
            for sentence in draft.final_answer
        ]


def overview_markdown(overview: Overview, link: str = "", literal: Callable[[str], str] = str) -> str:
    """The overview as Markdown.

    Args:
        overview: what it says.
        link: a URL of the PDF, to which "#page=N" is added; empty for none.
        literal: makes a report's own words show as they are, whatever signs of Markdown are in them.
    """

    def page(number: int) -> str:
        return f"[p. {number}]({link}#page={number})" if link else f"p. {number}"

    parts = [f"**{literal(overview.company)}**, {overview.filing or 'report'}, {overview.page_count} pages"]
    if overview.about:
        parts.append("\n".join(f"{literal(line.text)} ({page(line.page)})" for line in overview.about))
    if overview.figures:
        head = ["", *overview.periods, "change", "page"]
        rows = [head, ["---"] * len(head), *(_row(figure, page) for figure in overview.figures)]
        parts.append("\n".join("| " + " | ".join(row) + " |" for row in rows))
    for title, lines in (
        ("People", overview.people),
        ("Sentences that tell of events", overview.events),
        ("From the risk section", overview.risks),
    ):
        if lines:
            parts.append(
                f"**{title}**\n\n" + "\n".join(f"- {literal(line.text)} ({page(line.page)})" for line in lines)
            )
    if overview.contents:
        entries = (f"- {literal(s.title)} ({_place(s, page)})" for s in overview.contents)
        parts.append("**Contents**\n\n" + "\n".join(entries))
    return "\n\n".join(parts)


def _place(section: OverviewSection, page: Callable[[int], str]) -> str:
    if section.last_page == section.first_page:
        return page(section.first_page)
    return f"{page(section.first_page)} to {page(section.last_page)}"


def _row(figure: OverviewFigure, page: Callable[[int], str]) -> list[str]:
    shown = ["–" if value is None else grouped(value) for value in figure.values]
    change = "" if figure.change is None else f"{figure.change:+.1f}%"
    unit = "" if figure.unit == "number" else f" ({figure.unit})"
    return [f"{capital(figure.title)}{unit}", *shown, change, page(figure.page)]


def _before(rows: Sequence[FactRow], current: Sequence[str]) -> Iterator[str]:
    """The annual periods before the current one, the newest first."""
    years = sorted({row.label for row in rows if row.label.isdigit()}, reverse=True)
    yield from (year for year in years if not current or not current[0].isdigit() or year < current[0])


def _figures(rows: Sequence[FactRow], periods: Sequence[str]) -> Iterator[OverviewFigure]:
    for metric in METRICS:
        own: dict[str, FactRow] = {}
        for row in rows:
            if row.metric == metric:
                own.setdefault(row.label, row)
        newest = own.get(periods[0]) if periods else None
        if newest is None:
            continue
        values = tuple(float(own[p].value) if p in own and own[p].unit == newest.unit else None for p in periods)
        before = values[1] if len(values) > 1 else None
        change = 100 * (newest.value / before - 1) if before and before > 0 and newest.value > 0 else None
        yield OverviewFigure(
            title=_TITLES.get(metric, newest.title),
            unit=newest.unit,
            values=values,
            change=change,
            page=newest.page,
        )


def people_shown(officers: Sequence[Seat], listed: Sequence[OverviewLine]) -> list[OverviewLine]:
    """The officers, then those whom a list names besides.

    An officer of whose position the list says more is told in the words of the list.
    """
    own = [OverviewLine(text=f"{officer.name}, {officer.title}", page=officer.page_number) for officer in officers]
    shown = dict.fromkeys(_fullest(line, [*listed, *own]) for line in own)
    known = {_last_name(line) for line in own}
    return [*shown, *(line for line in listed if _last_name(line) not in known)]


def _fullest(officer: OverviewLine, lines: Sequence[OverviewLine]) -> OverviewLine:
    """The first line of the same name that tells the office and more; else the officer's own."""
    same = (line for line in lines if _last_name(line) == _last_name(officer))
    return next((line for line in same if _position_words(officer) < _position_words(line)), officer)


def _last_name(line: OverviewLine) -> str:
    return short_name(line.text.split(",")[0])[1]


def _position_words(line: OverviewLine) -> set[str]:
    return set(terms(line.text.partition(",")[2]))


def contents_with_statements(
    sections: Sequence[Section], statements: Sequence[tuple[str, int]]
) -> tuple[OverviewSection, ...]:
    """The contents with the primary statements, which no section that begins before them swallows.

    Args:
        sections: the report's, in the order of its pages.
        statements: their titles and pages.
    """
    places = [page for _, page in statements]
    starts = sorted({section.first_page for section in sections})
    shown = []
    for section in _contents(sections):
        inside = [page for page in places if section.first_page < page <= section.last_page]
        if section.first_page in places:  # a statement ends where anything else begins
            inside += [page for page in starts if section.first_page < page <= section.last_page]
        last = (
            min(inside, default=section.last_page + 1) - 1 if section.kind != "statements" else section.last_page
        )
        shown.append(section.model_copy(update={"last_page": last}))
    listed = {section.first_page for section in shown}
    added = [
        OverviewSection(title=t, kind="", first_page=n, last_page=n) for t, n in statements if n not in listed
    ]
    return tuple(sorted((*shown, *added), key=lambda section: section.first_page))


def _contents(sections: Sequence[Section]) -> Iterator[OverviewSection]:
    """The report's large parts and the main section of each kind, in the order of the pages."""
    large = [s for s in sections if s.level == 1 and s.source != "heading"]
    shown = [s for s in sections if s.is_main or (s in large and len(large) <= _MOST_CONTENTS)]
    for section in shown[: 2 * _MOST_CONTENTS]:
        yield OverviewSection(
            title=section.named, kind=section.kind, first_page=section.first_page, last_page=section.last_page
        )


def events_shown(events: Sequence[Event], company: str) -> Iterator[OverviewLine]:
    """The first certain sentences of each kind of event, as quotes; of news about supply and guidance none."""
    for kind, most in _SHOWN_EVENTS.items():
        sure = [e for e in events if e.kind == kind and e.confidence == "high" and _is_plain(e, company)]
        whole_first = sorted({e.quote: e for e in sure}.values(), key=lambda e: _is_cut(e.quote))
        for event in _told_once(whole_first)[:most]:
            yield OverviewLine(text=f"{_event_name(kind)}: “{_short(event.quote)}”", page=event.page_number)


def _is_plain(event: Event, company: str) -> bool:
    """Whether a sentence can be read alone and tells an event that is the company's, in its first clause."""
    if not (stands_alone(event.quote) and is_one_sentence(event.quote)):
        return False
    tells = _PLAINLY.get(event.kind)
    own = rf"\b{re.escape(company.split()[0])}\b(?:['’]s)?"
    return tells is None or tells.search(re.sub(own, "the Company", event.quote)) is not None


def _told_once(events: Sequence[Event]) -> list[Event]:
    """Events without those of which an earlier one tells, by its date or by most of its words."""
    told: list[tuple[Event, list[WrittenDate], set[str]]] = []
    for event in events:
        dates, words = dates_in(event.quote), set(terms(event.quote))
        if not any(
            any(_may_be_one(event, a, b) for a in dates for b in known)
            or len(words & same) > _SAME_EVENT * len(words)
            for _, known, same in told
        ):
            told.append((event, dates, words))
    return [event for event, _, _ in told]


def _may_be_one(event: Event, one: WrittenDate, other: WrittenDate) -> bool:
    """Whether two dates are one day; of deals also "in May 2022" and "on 9 May 2022"."""
    if None in (one.year, other.year) or (one.year, one.month) != (other.year, other.month):
        return False
    is_of_month = event.kind == "acquisition" and None in (one.day, other.day)
    return is_of_month or (one.day is not None and one.day == other.day)


def _event_name(kind: str) -> str:
    name = _EVENT_NAMES.get(kind, kind.replace("_", " "))
    return f"{capital(name)}"


def _without_stop(line: str) -> str:
    """A line that is no sentence without the full stop that a sentence has; that of an abbreviation stays."""
    return line if _ABBREVIATED.search(line) else line.removesuffix(".")


def _short(text: str) -> str:
    return f"{text[: _LONGEST - 1].rsplit(' ', 1)[0]} …" if _is_cut(text) else text


def _is_cut(text: str) -> bool:
    """Whether a text is too long to be shown whole, or ends within its sentence."""
    return len(text) > _LONGEST or text[-1:].isalnum() or text[-1:] == ","

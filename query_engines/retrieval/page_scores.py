"""Scores how well each page of a report fits a question, by its words and by signs of its kind."""

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from indexes.facts.events import events_of
from indexes.facts.sentences import Sentence, headcounts, sentences_of
from indexes.roles.officers import officers_of
from indexes.roles.offices import CHIEFS
from query_engines.question.parsed import Intent
from query_engines.retrieval.report_rows import CHOSEN, NON_GAAP, PARENT, Floats, ReportRows, tables_and_rows
from storage.lexicon.words import expression
from storage.records.facts import Confidence, EventKind, Role
from storage.records.metrics import Metric, Statement
from storage.records.pages import Page
from storage.records.reports import Report
from storage.text import plain

ROW_MATCHES = 0.6  # with this likeness of a row, a question is taken to be about that row
# The points of a page that fits in every way, by rule; its score is then FULL.
_ALL_WORDS, _ALL_LINE, _ALL_EVENT, _ALL_PERSON = 1.6, 1.3, 0.8, 0.6
FULL = 1.7  # above 1, the best score of the first stage, since all words of the page were compared
_CURRENT = 0.25
_PLAIN_LINE = -0.4
_HEADCOUNT = 1.6
EMPLOYEES = "employees"


class PageScores:
    """Scores the pages of one report; repeated requests are cached.

    The weights were chosen by hand. A row that fits the metric counts most, then a table that is the report's own
    statement. Contents, accounting policies, figures of the parent and non-GAAP figures count against a page.
    """

    def __init__(self, pages: Sequence[Page], report: Report, read_pages: Callable[[], Sequence[Page]]) -> None:
        tables, rows = tables_and_rows(pages, report)
        self.page_count = len(pages)
        self._report = report
        self._read_pages = read_pages
        self._tables = tables
        self._rows = ReportRows(rows)
        self._signs: PageSigns = page_signs(pages)
        self._sentences: list[Sentence] = [sentence for page in pages for sentence in sentences_of(page)]
        self._cached: dict[str, Floats] = {}
        self._lock = threading.Lock()

    @property
    def goes_on(self) -> frozenset[int]:
        """The numbers of pages whose last table continues on the next page."""
        return self._signs.goes_on

    def statement_pages(self, statement: Statement) -> tuple[int, ...]:
        """The numbers of the pages of the report's own statement, in order; none for notes and text."""
        points = self._tables.statement.get(statement)
        if points is None or not len(self._rows):
            return ()
        own = self._rows.pages[points[self._rows.tables] >= CHOSEN]
        return tuple(int(page) + 1 for page in np.unique(own))

    def of(self, intent: Intent, bm25: Floats) -> Floats:
        """A score for each page; `FULL` means that it fits in every way.

        Args:
            intent: what the question asks for.
            bm25: the BM25 score of each page's best chunk, as a share of the best score.
        """
        likeness = self._rows.likeness(intent.text)
        by_words = self._by_words(likeness, bm25)
        if intent.operands:
            return 0.5 * by_words + self._operands(intent.operands, bm25)
        row_matches = bool(len(likeness)) and not intent.is_by_name and float(likeness.max()) >= ROW_MATCHES
        if intent.topic == "other" or (row_matches and intent.metric is None):
            return by_words
        if intent.metric is not None:
            lines = self._line(intent.metric, bm25)
            mixed: Floats = by_words + 0.3 * lines if row_matches else lines
            return mixed
        if intent.event is not None:
            scores = self._once(intent.event, lambda: self._event(intent))
            found: Floats = (
                (scores + 0.5 * bm25 - 0.5 * self._signs.contents - 0.4 * self._signs.risk) * FULL / _ALL_EVENT
            )
        else:
            scores = self._once(str(intent.role), lambda: self._person(intent))
            found = (scores + 0.3 * bm25 - self._signs.contents) * FULL / _ALL_PERSON
        return found

    def _by_words(self, likeness: Floats, bm25: Floats) -> Floats:
        rows = likeness + 0.1 * self._tables.against[self._rows.tables] if len(likeness) else likeness
        best = self._rows.best_by_page(rows, self.page_count)
        found: Floats = (best + 0.6 * bm25 - self._signs.contents) * FULL / _ALL_WORDS
        return found

    def _operands(self, operands: Sequence[Metric], bm25: Floats) -> Floats:
        """The scores of the rows that a figure is calculated from: pages with several of them come first."""
        lines: list[Floats] = [np.maximum(self._line(metric, bm25), 0.0) for metric in operands]
        found: Floats = np.sum(lines, axis=0) / len(lines)
        return found

    def _line(self, metric: Metric, bm25: Floats) -> Floats:
        exactness = self._rows.metric_scores(metric)
        statement = self._tables.statement.get(metric.statement)
        points = exactness + _CURRENT * self._rows.is_current + self._tables.against[self._rows.tables]
        if statement is not None:
            points = points + statement[self._rows.tables]
        points = points + _PLAIN_LINE * (self._rows.tables < 0)
        best = self._rows.best_by_page(np.where(exactness > 0, points, 0.0), self.page_count)
        if metric.id == EMPLOYEES:
            best = np.maximum(best, _HEADCOUNT * self._once(EMPLOYEES, self._headcount))
        signs = self._signs
        against = 2.0 * signs.contents + 0.3 * signs.policy + 0.8 * signs.parent + 0.3 * signs.non_gaap
        found: Floats = (best + 0.3 * bm25 - against) * FULL / _ALL_LINE
        return found

    def _event(self, intent: Intent) -> Floats:
        if intent.event is None:
            raise TypeError("no event is asked for")
        return event_scores(intent.event, self._sentences, self._report, self.page_count)

    def _person(self, intent: Intent) -> Floats:
        if intent.role is None:
            raise TypeError("no office is asked for")
        return person_scores(intent.role, self._read_pages(), self._report)

    def _headcount(self) -> Floats:
        return headcount_scores(self._sentences, self._report, self.page_count)

    def _once(self, key: str, make: Callable[[], Floats]) -> Floats:
        with self._lock:
            if key not in self._cached:
                self._cached[key] = make()
            return self._cached[key]


_CONTENTS = expression(r"(?i)\b(?:table of )?contents\b|\bindex to (?:consolidated )?financial statements\b")
_POLICY = expression(
    r"(?i)\baccounting polic|\bbasis of preparation\b|\brecently (?:issued|adopted)\b|\buse of estimates\b"
)
_RISK = expression(r"(?i)\brisk factors?\b|\brisks? relat(?:ed|ing) to\b|\bprincipal risks\b")
_TO_A_PAGE = expression(r"(?m)(?:\.{3}|\s)\|?\s{0,9}\d{1,3}\s{0,9}\|?$")
_TOP_BLOCKS, _TOP_LETTERS = 5, 400
_ENTRIES = 8  # lines that end in a page number


@dataclass(frozen=True)
class PageSigns:
    """Signs of pages; each array has one entry for each page, 1 for pages with the sign, else 0.

    Attributes:
        goes_on: the numbers of pages whose last table continues on the next page.
    """

    contents: Floats
    policy: Floats
    risk: Floats
    parent: Floats
    non_gaap: Floats
    goes_on: frozenset[int]


def page_signs(pages: Sequence[Page]) -> PageSigns:
    """The signs of a report's pages, in their order."""
    tops = [plain(" ".join(block.text for block in page.blocks[:_TOP_BLOCKS])[:_TOP_LETTERS]) for page in pages]
    sections = [f"{top} {' '.join(page.section)}" for top, page in zip(tops, pages, strict=True)]
    contents = [bool(_CONTENTS.search(top)) and _lists_pages(page) for top, page in zip(tops, pages, strict=True)]
    return PageSigns(
        contents=np.array(contents, dtype=np.float64),
        policy=_matches(_POLICY, tops),
        risk=_matches(_RISK, sections),
        parent=_matches(PARENT, tops),
        non_gaap=_matches(NON_GAAP, tops),
        goes_on=frozenset(page.page_number - 1 for page in pages if _continues_a_table(page)),
    )


def _matches(pattern: re.Pattern[str], texts: Sequence[str]) -> Floats:
    return np.array([bool(pattern.search(text)) for text in texts], dtype=np.float64)


def _lists_pages(page: Page) -> bool:
    return len(_TO_A_PAGE.findall(page.markdown)) > _ENTRIES


def _continues_a_table(page: Page) -> bool:
    return any(block.continues and block.table is not None for block in page.blocks)


# Words that every sentence about such an event contains, so that most sentences need not be parsed.
_NEEDED: dict[EventKind, re.Pattern[str]] = {
    "acquisition": expression(r"(?i)acqui|merger|combination"),
    "buyback": expression(r"(?i)repurchas|buy-?back|bought back|purchased|own shares"),
    "dividend_policy": expression(r"(?i)dividend"),
    "layoffs": expression(r"(?i)redundan|workforce|laid off|positions|headcount|employees|reduction in force"),
    "litigation": expression(r"(?i)complaint|lawsuit|class action|subpoena|petition|demand|proceeding"),
    "guidance": expression(r"(?i)guidance|outlook|expect|anticipat"),
    "restructuring": expression(r"(?i)restructur|reorgani|realign|cost[- ](?:reduction|saving)"),
    "esg": expression(r"(?i)esg|sustainab|net[- ]zero|carbon|emission|divers|tcfd|climate"),
    "supply_chain": expression(r"(?i)supply[- ]chain"),
    "leadership_change": expression(
        r"(?i)appoint|named|promoted|elected|joined|resign|stepp|retire|retiri|depart|ceased|succe|transition"
    ),
    "product_launch": expression(r"(?i)launch|introduced|released|unveiled"),
}
_SURENESS: dict[Confidence, float] = {"high": 1.0, "medium": 0.6, "low": 0.25}
_EACH_MORE, _MOST = 0.15, 4.0
_NEAR = 80  # letters between a name and its office
_LONG = 300  # letters; a longer paragraph is usually about more than one person
_SURE_HEADCOUNT = 10.0


def event_scores(kind: EventKind, sentences: Sequence[Sentence], report: Report, page_count: int) -> Floats:
    """How certainly each page reports an event of the kind, from 0; several sentences increase it."""
    needed = _NEEDED[kind]
    best, sum_ = np.zeros(page_count), np.zeros(page_count)
    for event in events_of([s for s in sentences if needed.search(s.text)], report):
        if event.kind == kind:
            page, sureness = event.page_number - 1, _SURENESS[event.confidence]
            best[page] = max(best[page], sureness)
            sum_[page] += sureness
    found: Floats = best + _EACH_MORE * np.minimum(sum_, _MOST)
    return found


def person_scores(role: Role, pages: Sequence[Page], report: Report) -> Floats:
    """How clearly each page names the holder of an office; all 0 where no holder was found with confidence."""
    plainness = np.zeros(len(pages))
    person = next((p for p in officers_of(pages, report.company) if p.role == role), None)
    office = CHIEFS.get(role)
    if person is None or office is None or person.confidence == "low":
        return plainness
    last_name = re.compile(re.escape(person.name.split()[-1]), re.IGNORECASE)
    for index, page in enumerate(pages):
        texts = [block.text for block in page.blocks if block.kind != "furniture"]
        for text in texts:
            if last_name.search(text) and office.search(text):
                plainness[index] = max(plainness[index], 0.6 if len(text) > _LONG else 0.8)
        if not plainness[index] and _beside(last_name, office, plain(" ".join(texts))):
            plainness[index] = 0.6
    plainness[person.page_number - 1] += 0.3
    return plainness


def headcount_scores(sentences: Sequence[Sentence], report: Report, page_count: int) -> Floats:
    """How certainly each page states the number of employees, 0..1 or slightly more."""
    year = report.year if report.period_end else None
    found = np.zeros(page_count)
    for count in headcounts(sentences, year):
        page = count.page_number - 1
        found[page] = max(found[page], count.score / _SURE_HEADCOUNT)
    return found


def _beside(name: re.Pattern[str], office: re.Pattern[str], text: str) -> bool:
    around = (text[max(0, m.start() - _NEAR) : m.end() + _NEAR] for m in name.finditer(text))
    return any(office.search(words) for words in around)

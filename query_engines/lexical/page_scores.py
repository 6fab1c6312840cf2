"""How well each page of a report answers a question, by its words alone."""

import threading
from collections.abc import Callable, Sequence

import numpy as np

from indexes.facts.sentences import Sentence, sentences_of
from query_engines.asked import Asked
from query_engines.lexical.page_signs import PageSigns, page_signs
from query_engines.lexical.report_rows import Floats, ReportRows
from query_engines.lexical.report_tables import CHOSEN, tables_and_rows
from query_engines.lexical.told import telling_event, telling_headcount, telling_person
from storage.metrics import Metric, Statement
from storage.pages import Page
from storage.reports import Report

ROW_SAYS_IT = 0.6  # likeness of a row from which a question is taken to be about that row
# What a page that fits in every way comes to, in points of each rule; its score is then FULL.
_ALL_WORDS, _ALL_LINE, _ALL_EVENT, _ALL_PERSON = 1.6, 1.3, 0.8, 0.6
FULL = 1.7  # above 1, the best of the first stage: a page whose every word was read outweighs a near chunk
_CURRENT = 0.25
_PLAIN_LINE = -0.4
_HEADCOUNT = 1.6
EMPLOYEES = "employees"


class PageScores:
    """Scores the pages of one report; what is asked again is kept.

    Weights are by hand from how reports are written: a row that says the metric counts most, then that its table is
    the report's own statement; contents, policies, the parent's and non-GAAP figures count against a page.
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
        self._told: dict[str, Floats] = {}
        self._telling = threading.Lock()

    @property
    def goes_on(self) -> frozenset[int]:
        """The numbers of the pages whose last table continues on the next page."""
        return self._signs.goes_on

    def statement_pages(self, statement: Statement) -> tuple[int, ...]:
        """The numbers of the pages of the report's own statement, in order; none for notes and text."""
        points = self._tables.statement.get(statement)
        if points is None or not len(self._rows):
            return ()
        own = self._rows.pages[points[self._rows.tables] >= CHOSEN]
        return tuple(int(page) + 1 for page in np.unique(own))

    def of(self, asked: Asked, bm25: Floats) -> Floats:
        """A score for each page; `FULL` is a page that fits in every way.

        Args:
            asked: what the question asks for.
            bm25: how the pages' best chunks fare in BM25, as shares of the best, one for each page.
        """
        likeness = self._rows.likeness(asked.text)
        by_words = self._by_words(likeness, bm25)
        row_says_it = bool(len(likeness)) and not asked.is_by_name and float(likeness.max()) >= ROW_SAYS_IT
        if asked.topic == "other" or (row_says_it and asked.metric is None):
            return by_words
        if asked.metric is not None:
            lines = self._line(asked.metric, bm25)
            mixed: Floats = by_words + 0.3 * lines if row_says_it else lines
            return mixed
        if asked.event is not None:
            told = self._kept(asked.event, lambda: self._event(asked))
            found: Floats = (
                (told + 0.5 * bm25 - 0.5 * self._signs.contents - 0.4 * self._signs.risk) * FULL / _ALL_EVENT
            )
        else:
            told = self._kept(str(asked.role), lambda: self._person(asked))
            found = (told + 0.3 * bm25 - self._signs.contents) * FULL / _ALL_PERSON
        return found

    def _by_words(self, likeness: Floats, bm25: Floats) -> Floats:
        rows = likeness + 0.1 * self._tables.against[self._rows.tables] if len(likeness) else likeness
        best = self._rows.best_by_page(rows, self.page_count)
        found: Floats = (best + 0.6 * bm25 - self._signs.contents) * FULL / _ALL_WORDS
        return found

    def _line(self, metric: Metric, bm25: Floats) -> Floats:
        says = self._rows.saying(metric)
        statement = self._tables.statement.get(metric.statement)
        points = says + _CURRENT * self._rows.is_current + self._tables.against[self._rows.tables]
        if statement is not None:
            points = points + statement[self._rows.tables]
        points = points + _PLAIN_LINE * (self._rows.tables < 0)
        best = self._rows.best_by_page(np.where(says > 0, points, 0.0), self.page_count)
        if metric.id == EMPLOYEES:
            best = np.maximum(best, _HEADCOUNT * self._kept(EMPLOYEES, self._headcount))
        signs = self._signs
        against = 2.0 * signs.contents + 0.3 * signs.policy + 0.8 * signs.parent + 0.3 * signs.non_gaap
        found: Floats = (best + 0.3 * bm25 - against) * FULL / _ALL_LINE
        return found

    def _event(self, asked: Asked) -> Floats:
        if asked.event is None:
            raise TypeError("no event is asked for")
        return telling_event(asked.event, self._sentences, self._report, self.page_count)

    def _person(self, asked: Asked) -> Floats:
        if asked.role is None:
            raise TypeError("no office is asked for")
        return telling_person(asked.role, self._read_pages(), self._report)

    def _headcount(self) -> Floats:
        return telling_headcount(self._sentences, self._report, self.page_count)

    def _kept(self, key: str, make: Callable[[], Floats]) -> Floats:
        with self._telling:
            if key not in self._told:
                self._told[key] = make()
            return self._told[key]

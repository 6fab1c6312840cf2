"""The rows of a report's tables, searchable by their labels and the words around them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from indexes.facts.printed_rows import line_rows
from indexes.facts.statements import KINDS, Part, find_statements, parts_of, score
from storage.lexicon.words import expression
from storage.records.metrics import Metric, Statement
from storage.records.pages import Page
from storage.records.reports import Report
from storage.text import plain, terms

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
AROUND = 0.6  # weight of a word in the heading, title or column instead of the label
LOOSE = 0.4  # factor of a label with many words that are not in the question
_NAMED, _NESTED = 100, 200  # places of `Metric.place`: names come before rows under a heading, then patterns
_UNKNOWN_WORD = 3.0  # the greatest weight of a word that the report does not contain


@dataclass(frozen=True)
class Row:
    """A printed row with figures.

    Attributes:
        page_index: 0-based place of its page in the report.
        table: number of its table in the report; -1 for a line outside tables.
        around: the words of its heading, its table's title and column headers, and its section.
        is_current: whether it has a figure for the reported period.
        is_share: whether all its figures are percentages.
    """

    page_index: int
    table: int
    label: str
    heading: str
    around: str
    is_current: bool
    is_share: bool


class ReportRows:
    """All rows of one report, in its order; every array has one entry for each."""

    def __init__(self, rows: Sequence[Row]) -> None:
        labels = [frozenset(terms(row.label)) for row in rows]
        self.pages: Integers = np.array([row.page_index for row in rows], dtype=np.int64)
        self.tables: Integers = np.array([row.table for row in rows], dtype=np.int64)
        self.is_current = np.array([row.is_current for row in rows], dtype=bool)
        self._is_share = np.array([row.is_share for row in rows], dtype=bool)
        self._names = [(row.label, row.heading) for row in rows]
        self._in_label = _postings(labels)
        around = [
            frozenset(terms(f"{row.heading} {row.around}")) - label
            for row, label in zip(rows, labels, strict=True)
        ]
        self._in_around = _postings(around)
        self._label_weight = np.array([max(sum(map(self._weight, label)), 1e-6) for label in labels])
        self._strengths: dict[str, Floats] = {}

    def __len__(self) -> int:
        return len(self._names)

    def likeness(self, text: str) -> Floats:
        """How well each row fits a search text, 0..1. Rare words count more; words not in the text count against it."""
        wanted = list(dict.fromkeys(terms(text)))
        in_labels, near, total = np.zeros(len(self)), np.zeros(len(self)), 0.0
        for word in wanted:
            weight = self._weight(word)
            in_label, in_around = self._in_label.get(word), self._in_around.get(word)
            if in_label is None and in_around is None:
                weight = min(weight, _UNKNOWN_WORD)
            if in_label is not None:
                in_labels[in_label] += weight
            if in_around is not None:
                near[in_around] += weight
            total += weight
        if not total:
            return in_labels
        found: Floats = (
            (in_labels + AROUND * near) / total * (LOOSE + (1 - LOOSE) * in_labels / self._label_weight)
        )
        return found

    def metric_scores(self, metric: Metric) -> Floats:
        """How exactly each row fits a metric, 0..1; 0 where it does not."""
        if metric.id not in self._strengths:
            places = {name: metric.place(*name) for name in dict.fromkeys(self._names)}
            strengths = np.array([_strength(places[name]) for name in self._names])
            if metric.kind != "percent":
                strengths[self._is_share] = 0.0
            self._strengths[metric.id] = strengths
        return self._strengths[metric.id]

    def best_by_page(self, scores: Floats, page_count: int) -> Floats:
        """The best row's score on each page; 0 for a page without rows."""
        best = np.zeros(page_count)
        np.maximum.at(best, self.pages, scores)
        return best

    def _weight(self, word: str) -> float:
        rows = self._in_label.get(word)
        count = 0 if rows is None else len(rows)
        return math.log(1 + (len(self._names) - count + 0.5) / (count + 0.5))


def _postings(documents: Sequence[frozenset[str]]) -> dict[str, Integers]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        for word in document:
            found[word].append(number)
    return {word: np.array(numbers, dtype=np.int64) for word, numbers in found.items()}


def _strength(place: int | None) -> float:
    if place is None:
        return 0.0
    if place < _NAMED:
        return 1.0 - min(place, 12) / 80
    return 0.85 if place < _NESTED else 0.75


NON_GAAP = expression(
    r"(?i)\bnon-?(?:gaap|ifrs)\b|\breconciliation of\b|\balternative performance|\bpro ?forma\b"
    r"|\badjusted (?:ebitda|earnings|net|operating|profit)"
)
PARENT = expression(
    r"(?i)\bparent[- ]company\b|\bcompany only\b|\bcondensed financial information of\b"
    r"|^company (?:balance|statement|income)"
)
_PART = expression(r"(?i)\b(?:quarterly|segments?|selected|five[- ]year|discontinued|unaudited)\b")
_LIKEST = 14.0  # a score of `statements.score` that is certain
_LIKENESS, _OTHER = 0.5, -0.2
CHOSEN = 0.6  # bonus of the report's own statement over other tables, whose likeness counts at most 0.5
_AGAINST = ((NON_GAAP, -0.6), (PARENT, -0.8))
_AGAINST_PART = -0.3
_LONGEST_LABEL = 160  # letters; a longer line that ends in a figure is a sentence
_NEAREST = 300  # letters above a table that still belong to it
_MAX_TITLES = 2


@dataclass(frozen=True)
class ReportTables:
    """Scores of tables; each array has one entry for each table.

    Attributes:
        statement: by statement, how certainly a table is the report's own one.
        against: penalties for tables whose figures are not the reported ones; 0 or less.
    """

    statement: dict[Statement, Floats]
    against: Floats


def tables_and_rows(pages: Sequence[Page], report: Report) -> tuple[ReportTables, list[Row]]:
    """A report's tables, and all its rows with figures: those of tables first, then those of plain lines."""
    parts = parts_of(pages, report)
    sections = {page.page_number: " ".join(page.section[-_MAX_TITLES:]) for page in pages}
    places = {page.page_number: index for index, page in enumerate(pages)}
    rows = [row for number, part in enumerate(parts) for row in _rows(part, number, places, sections)]
    rows += [row for page in pages for row in _plain_rows(page, places, sections)]
    return _tables(parts), rows


def _tables(parts: Sequence[Part]) -> ReportTables:
    chosen = {_key(part): kind for kind, found in find_statements(parts).items() for part in found.parts}
    statement: dict[Statement, Floats] = {}
    for kind in KINDS:
        points = []
        for part in parts:
            own = chosen.get(_key(part))
            bonus = CHOSEN if own == kind else _OTHER if own else 0.0
            points.append(_LIKENESS * min(max(score(kind, part), 0.0), _LIKEST) / _LIKEST + bonus)
        statement[kind] = np.array([*points, 0.0])  # the last entry is for plain lines, whose table is -1
    return ReportTables(statement, np.array([*map(_against, parts), 0.0]))


def _key(part: Part) -> tuple[object, ...]:
    """A key of a part that does not change when its columns are filled in for a statement."""
    return (part.page_number, part.from_lines, part.rows)


def _against(part: Part) -> float:
    about = f"{plain(part.title)} {plain(part.above)}"
    points = sum(weight for pattern, weight in _AGAINST if pattern.search(about))
    return points + _AGAINST_PART * bool(_PART.search(plain(part.title)))


def _rows(part: Part, number: int, places: dict[int, int], sections: dict[int, str]) -> Iterator[Row]:
    headers = " ".join(column.header for column in part.columns)
    around = f"{part.title} {part.above[-_NEAREST:]} {headers} {sections[part.page_number]}"
    for row in part.rows:
        if row.figures:
            yield Row(
                page_index=places[part.page_number],
                table=number,
                label=row.label,
                heading=row.heading,
                around=around,
                is_current=part.current is not None and row.at(part.current.index) is not None,
                is_share=all("%" in figure.printed for figure in row.figures),
            )


def _plain_rows(page: Page, places: dict[int, int], sections: dict[int, str]) -> Iterator[Row]:
    blocks = [block for block in page.blocks if block.table is None and block.kind != "furniture"]
    for row in line_rows(blocks, page.page_number, page.decimal_mark):
        if row.figures and len(row.label) < _LONGEST_LABEL:
            yield Row(
                page_index=places[page.page_number],
                table=-1,
                label=row.label,
                heading=row.heading,
                around=sections[page.page_number],
                is_current=True,
                is_share=all("%" in figure.printed for figure in row.figures),
            )

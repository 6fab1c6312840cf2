"""What is known of each table of a report beside its rows: which statement it is, and what speaks against it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from indexes.facts.printed_rows import line_rows
from indexes.facts.statements import KINDS, Part, find_statements, parts_of, score
from query_engines.lexical.report_rows import Floats, Row
from storage.metrics import Statement
from storage.pages import Page
from storage.reports import Report
from storage.text import plain

NON_GAAP = re.compile(
    r"(?i)\bnon-?(?:gaap|ifrs)\b|\breconciliation of\b|\balternative performance|\bpro ?forma\b"
    r"|\badjusted (?:ebitda|earnings|net|operating|profit)"
)
PARENT = re.compile(
    r"(?i)\bparent[- ]company\b|\bcompany only\b|\bcondensed financial information of\b"
    r"|^company (?:balance|statement|income)"
)
_PART = re.compile(r"(?i)\b(?:quarterly|segments?|selected|five[- ]year|discontinued|unaudited)\b")
_LIKEST = 14.0  # a score of `statements.score` that leaves no doubt
_LIKENESS, _OTHER = 0.5, -0.2
CHOSEN = 0.6  # what the report's own statement has over any other table, whose likeness counts at most 0.5
_AGAINST = ((NON_GAAP, -0.6), (PARENT, -0.8))
_AGAINST_PART = -0.3
_LONGEST_LABEL = 160  # letters; a longer line that ends in a figure is a sentence
_NEAREST = 300  # letters above a table that still are about it
_TITLES_KEPT = 2


@dataclass(frozen=True)
class ReportTables:
    """One entry for each table.

    Attributes:
        statement: by statement, how much a table is the report's own one.
        against: what makes its figures others than the reported ones; 0 or less.
    """

    statement: dict[Statement, Floats]
    against: Floats


def tables_and_rows(pages: Sequence[Page], report: Report) -> tuple[ReportTables, list[Row]]:
    """A report's tables, and all its rows with figures: those of tables first, then those of plain lines."""
    parts = parts_of(pages, report)
    sections = {page.page_number: " ".join(page.section[-_TITLES_KEPT:]) for page in pages}
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
        statement[kind] = np.array([*points, 0.0])  # the last is for plain lines, whose table is -1
    return ReportTables(statement, np.array([*map(_against, parts), 0.0]))


def _key(part: Part) -> tuple[object, ...]:
    """What a part keeps when a statement is put together: its columns may be filled in."""
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

"""Questions beyond the ontology: rows of tables that are no statement, drawn by a seed, asked as a person would."""

import random
import re
from collections.abc import Mapping, Sequence

from app.evaluation.retrieval import RetrievalQuestion
from indexes.facts.printed_rows import table_rows
from indexes.facts.statements import find_statements, parts_of
from storage.records.metrics import folded
from storage.records.pages import Page
from storage.records.record import Record
from storage.records.reports import Report
from storage.text import plain

SEED = 20240607
WITH_TABLE = (
    "What was {row} ({about}) in {year}?",
    "How much was {row} under {about} for {company} in {year}?",
    "In {about}, what figure does {company} give for {row} in {year}?",
    "What did {company} report for {row} in {year} ({about})?",
)
ALONE = "How much did {company} have in {row} last year?"
_GENERIC = re.compile(
    r"(?i)^(?:total|sub-?total|others?|net|balance|basic|diluted|(?:non-)?current|company|group|average|mean|median"
    r"|year|date|january|february|march|april|may|june|july|august|september|october|november|december|q[1-4])\b"
    r".{0,12}$|\d{4}|^\W*\d"
)
_MOST_PAGES = 2  # a label that stands on more of them asks for no page in particular


class DrawnRow(Record):
    """A row that is asked about."""

    report: Report
    page_number: int
    label: str
    about: str


def draw_rows(pages: Mapping[str, Sequence[Page]], reports: Mapping[str, Report], count: int) -> list[DrawnRow]:
    """Random rows of random tables outside the statements, each label of a report once; the same for the same seed."""
    rng = random.Random(SEED)
    found = {sha1: _askable(pages[sha1], reports[sha1]) for sha1 in sorted(pages)}
    sha1s = [sha1 for sha1, rows in found.items() if rows]
    drawn: dict[tuple[str, str], DrawnRow] = {}
    while len(drawn) < min(
        count, len({(r.report.sha1, folded(r.label)) for rows in found.values() for r in rows})
    ):
        row = rng.choice(found[rng.choice(sha1s)])
        drawn.setdefault((row.report.sha1, folded(row.label)), row)
    return list(drawn.values())


def with_table(rows: Sequence[DrawnRow]) -> list[RetrievalQuestion]:
    """Questions that name row and table."""
    rng = random.Random(SEED)
    questions = []
    for row in rows:
        report = row.report
        year = report.period_end.year if report.period_end else ""
        text = rng.choice(WITH_TABLE).format(row=row.label, about=row.about, company=report.company, year=year)
        questions.append(_question(text if report.company in text else f"{report.company}: {text}", row))
    return questions


def alone(rows: Sequence[DrawnRow]) -> list[RetrievalQuestion]:
    """Harder: the row in lower case, no table, and of five words or more one is left out."""
    rng = random.Random(SEED)
    questions = []
    for row in rows:
        words = row.label.lower().split()
        if len(words) > 4:
            words.pop(rng.randrange(1, len(words) - 1))
        questions.append(_question(ALONE.format(company=row.report.company, row=" ".join(words)), row))
    return questions


def _question(text: str, row: DrawnRow) -> RetrievalQuestion:
    pages = frozenset({(row.report.sha1, row.page_number)})
    return RetrievalQuestion(text=text, kind="number", company=row.report.company, metric=None, pages=pages)


def _askable(pages: Sequence[Page], report: Report) -> list[DrawnRow]:
    statements = {p for found in find_statements(parts_of(pages, report)).values() for p in found.pages}
    standing: dict[str, set[int]] = {}
    for page in pages:
        for table in page.tables:
            for row in table_rows(table, page.page_number):
                if row.figures:
                    standing.setdefault(folded(row.label), set()).add(page.page_number)
    rows = []
    for page in pages:
        for table in page.tables if page.page_number not in statements else ():
            about = plain(table.title) or (page.section[-1] if page.section else "")
            for row in table_rows(table, page.page_number):
                label = plain(row.label)
                if not row.figures or not 3 < len(about) < 90 or not _is_informative(label):
                    continue
                if len(standing[folded(row.label)]) <= _MOST_PAGES:
                    rows.append(DrawnRow(report=report, page_number=page.page_number, label=label, about=about))
    return rows


def _is_informative(label: str) -> bool:
    words = len(re.findall("[A-Za-z]{3,}", label))
    return 2 <= len(label.split()) <= 12 and words >= 2 and not _GENERIC.search(label)

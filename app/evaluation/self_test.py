"""How far answers about a library can be trusted: questions drawn from the rows that its reports print.

Asked is what a row says, in several wordings, and what no row says: another company's rows, other dimensions,
neighbouring labels, opening balances, other years. An answer is wrong if the rows do not print it, unless it is a share
of revenue that was calculated from the row; it is ticked if no check failed. Rows that a report prints twice under one
label with different figures are not asked.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from indexes.facts.printed_rows import PrintedRow, figure_of
from indexes.facts.statements import Part, find_statements, parts_of
from query_engines.verification.printed_figures import is_unscaled
from storage.lexicon.calendar import dates_in
from storage.lexicon.words import expression
from storage.records.answers import Answer
from storage.records.facts import ReportFacts
from storage.records.metrics import Ontology, folded, significant
from storage.records.pages import Page
from storage.records.questions import AnswerKind, Question
from storage.records.record import Record
from storage.records.reports import Report
from storage.text import plain

Group = Literal[
    "statement", "note", "other_company", "other_dimension", "neighbour", "opening", "closing", "other_year"
]
Outcome = Literal["right", "wrong", "missing", "right_na"]
SHARES: dict[Group, int] = {
    "statement": 40,
    "note": 20,
    "other_company": 8,
    "other_dimension": 8,
    "neighbour": 8,
    "opening": 8,
    "closing": 2,
    "other_year": 6,
}
_WORDINGS: tuple[tuple[str, AnswerKind | None], ...] = (
    ("What was the {row} of {company} in {year}?", None),
    ("{company}: {row} {year}", "number"),
    ("Please give me {company}'s {row} for {year}.", None),
    ("What figure did {company} report for {row} in {year}?", "number"),
    ("In {year}, how much was the {row} of {company}?", None),
    (
        "For {company}, what was the value of {row} at the end of {year}? If data is not available, return 'N/A'.",
        "number",
    ),
)
_SHARE_OF_REVENUE = "What percentage of total revenue was the {row} of {company} in {year}?"
_OTHER_DIMENSIONS = (
    "What was the {row} per employee of {company} in {year}?",
    _SHARE_OF_REVENUE,
    "What was the {row} per share of {company} in {year}?",
    "How many shares were in the {row} of {company} in {year}?",
    "How many employees stood behind the {row} of {company} in {year}?",
)
_LAST_QUARTER = "{row} in the fourth quarter"
_NEIGHBOURS = (
    "impairment of {row}",
    "{row} of the parent company",
    "{row} of the North American segment",
    "accumulated {row}",
    "{row} of discontinued operations",
    _LAST_QUARTER,
    "{row} due within three months",
    "pledged {row}",
)
_OPENINGS = (
    "What was the {row} of {company} at the beginning of {year}?",
    "What was the {row} of {company} on the first day of {year}?",
)
_GENERIC = expression(
    r"^\W*(?:total|sub-?total|others?|net|balance|basic|diluted|(?:non-)?current|company|group|average|mean|median"
    r"|year|date|amount|level \d|beginning|ending|opening|closing|less|plus|notes?|adjustments?"
    r"|increase|decrease|mrs?|ms|dr)\b.{0,12}$"
    r"|\d{4}|^\W*\d",
    re.IGNORECASE,
)
_DAY = expression(
    r"[\s,–-]{0,5}(?:balance )?(?:at|as at|as of|on|,)?\s{0,3}(?:the )?(?:beginning|start|end|opening|close) of"
    r" (?:the )?(?:financial |fiscal )?(?:year|period)|\b(?:beginning|opening|ending|closing)\b",
    re.IGNORECASE,
)
_BEGINS = expression(r"\b(?:beginning|start|opening)\b", re.IGNORECASE)
_LONGEST_LABEL, _LONGEST_ROW_QUOTE = 90, 16
_ROUNDED = 0.002  # of the value: notes round what statements print in full
_YEAR = 12
_SCALES = frozenset({0.01, 1.0, 1e3, 1e6, 1e9})


class RowQuestion(Record):
    """A question about a printed row.

    Attributes:
        expected: the figures that are right, in full units; empty where N/A is right.
        printed: the same as they are printed.
        words: what a quote must contain to say it after all.
        parts: the row's own figures, of which a share of revenue may be calculated.
    """

    question: Question
    group: Group
    company: str
    row: str
    page_number: int
    expected: tuple[float, ...] = ()
    printed: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    parts: tuple[float, ...] = ()


class Asked(Record):
    """What was answered to it; `is_ticked` if the answer failed no check."""

    asked: RowQuestion
    value: str
    outcome: Outcome
    is_ticked: bool
    reason: str | None = None
    page: int | None = None
    quote: str = ""


class GroupCounts(Record):
    """Outcomes of one group of questions."""

    n: int
    right: int
    wrong: int
    missing: int
    right_na: int
    wrong_and_ticked: int


class SelfTest(Record):
    """The outcomes, and the answers that are wrong, ticked ones first."""

    n: int
    wrong_and_ticked: int
    right_in_statements: float | None
    by_group: dict[str, GroupCounts]
    wrong: tuple[Asked, ...]

    @property
    def share_wrong_and_ticked(self) -> float:
        """Of all questions."""
        return self.wrong_and_ticked / self.n if self.n else 0.0


@dataclass(frozen=True)
class RowFigure:
    """A figure of a row in a column of a whole year or of a day."""

    label: str
    heading: str
    title: str
    year: int
    values: tuple[float, ...]
    printed: str
    page_number: int
    in_statement: bool
    is_alone: bool
    is_money: bool

    @cached_property
    def key(self) -> frozenset[str]:
        """The label's words, by which rows are the same."""
        return significant(folded(self.label))


class ReportRows:
    """The rows of one report, and what they say."""

    def __init__(
        self, report: Report, pages: Sequence[Page], facts: ReportFacts | None, ontology: Ontology
    ) -> None:
        self.report = report
        self._facts = facts
        self._ontology = ontology
        parts = parts_of(pages, report)
        common = Counter(p.scale for p in parts if p.scale)
        usual = common.most_common(1)[0][0] if common else 1
        statements = {(p.page_number, p.rows) for found in find_statements(parts).values() for p in found.parts}
        self.figures = tuple(
            figure for p in parts for figure in _figures(p, (p.page_number, p.rows) in statements, usual)
        )
        self._around = tuple({significant(f"{f.label} {f.heading} {f.title}") for f in self.figures})
        self.years = frozenset(f.year for f in self.figures)

    def means(self, label: str) -> bool:
        """Whether the report prints the metric whose row another report calls so, in other words."""
        named = (m.id for m in self._ontology.metrics if m.place(label) is not None)
        return self._facts is not None and any(self._facts.of(metric) for metric in named)

    def says(self, words: frozenset[str]) -> bool:
        """Whether a row, with its headings and its table's title, contains all the words."""
        return any(words <= around for around in self._around)

    def askable(self, *, in_statement: bool) -> list[RowFigure]:
        """Figures of rows that are asked about: the only ones under their label and year."""
        found = [f for f in self.figures if f.in_statement is in_statement and f.is_alone and is_askable(f.label)]
        return [f for f in found if len({v for v in self.expected(f.key, f.year) if v > 0}) <= len(f.values)]

    def expected(self, key: frozenset[str], year: int) -> tuple[float, ...]:
        """What rows of this label print for the year, with and without their sign, and the facts of such a row."""
        found = [v for f in self.figures if f.key == key and f.year == year and f.is_alone for v in f.values]
        return tuple(dict.fromkeys(w for v in found for w in (v, -v)))

    def also(self, label: str, year: int) -> tuple[float, ...]:
        """The fact of the metric that the label names."""
        metric = self._ontology.metric_named(label)
        metric = metric or next((m for m in self._ontology.metrics if m.rank(label) is not None), None)
        facts = self._facts.of(metric.id) if metric and self._facts else ()
        return tuple(s * float(f.value) for f in facts if f.period and f.period.year == year for s in (1, -1))


def is_askable(label: str) -> bool:
    """Whether a label says enough to be asked for."""
    words = re.findall(r"[A-Za-z]{3,}", label)
    is_dated = _DAY.search(label) or any(date.day for date in dates_in(label))
    return bool(words) and len(label) <= _LONGEST_LABEL and not _GENERIC.search(label) and not is_dated


def draw_row_questions(reports: Sequence[ReportRows], count: int, seed: int) -> list[RowQuestion]:
    """Questions in the shares of `SHARES`, the same for the same reports and seed."""
    rng = random.Random(seed)
    drawn: dict[str, RowQuestion] = {}
    total = sum(SHARES.values())
    for group, share in SHARES.items():
        wanted, tries = round(count * share / total), 0
        own: dict[str, RowQuestion] = {}
        while len(own) < wanted and tries < 60 * wanted:
            tries += 1
            rows = rng.choice(reports)
            found = _drawn(group, rows, reports, rng)
            if found is not None and found.question.text not in drawn:
                own.setdefault(found.question.text, found)
        drawn |= own
    return list(drawn.values())


def _drawn(
    group: Group, rows: ReportRows, reports: Sequence[ReportRows], rng: random.Random
) -> RowQuestion | None:
    if group == "closing":
        return _closing(rows, rng)
    figures = rows.askable(in_statement=group != "note")
    if not figures:
        return None
    figure = rng.choice(figures)
    text, kind = rng.choice(_WORDINGS)
    if group in ("statement", "note"):
        return _question(group, rows, figure, text, kind, expected=True)
    if group == "other_year":
        years = [y for y in range(min(rows.years) - 4, max(rows.years) + 3) if y not in rows.years]
        return _question(group, rows, replace(figure, year=rng.choice(years)), text, kind) if years else None
    if group == "opening":
        before = rows.expected(figure.key, figure.year - 1)
        is_balance = figure.is_money and _is_balance(figure, rows)
        if not before or not is_balance or before == rows.expected(figure.key, figure.year):
            return None
        own = _question(group, rows, figure, rng.choice(_OPENINGS), None)
        return own.model_copy(update={"expected": before + rows.also(figure.label, figure.year - 1)})
    if group == "other_company":
        other = rng.choice([r for r in reports if r is not rows] or [rows])
        is_name = rows.report.company.split()[0].lower() in figure.label.lower()
        known = is_name or len(figure.key) < 2 or other.says(figure.key) or other.also(figure.label, figure.year)
        return None if known or other.means(figure.label) else _question(group, other, figure, text, kind)
    if group == "other_dimension":
        return _question(group, rows, figure, rng.choice(_OTHER_DIMENSIONS), None) if figure.is_money else None
    is_of_a_day = _is_balance(figure, rows)  # the last quarter ends with the year
    neighbours = [form for form in _NEIGHBOURS if form != _LAST_QUARTER or not is_of_a_day]
    label = rng.choice(neighbours).format(row=_spoken(figure.label))
    is_there = rows.says(significant(label)) or rows.also(label, figure.year)
    return None if is_there else _question(group, rows, replace(figure, label=label), text, kind)


def _closing(rows: ReportRows, rng: random.Random) -> RowQuestion | None:
    """A balance of a roll-forward, asked for at the end of its year: never the one at its beginning."""
    opening = [f for f in rows.figures if _BEGINS.search(f.label) and f.is_alone and len(_undated(f.label)) > 3]
    if not opening:
        return None
    figure = rng.choice(opening)
    name = significant(_undated(figure.label))
    closing = [
        f
        for f in rows.figures
        if f.year == figure.year and not _BEGINS.search(f.label) and name <= significant(f.label)
    ]
    if not closing or not name:
        return None
    label = f"{_undated(figure.label)} at the end of the year"
    own = _question(
        "closing", rows, replace(figure, label=label), "What was the {row} of {company} in {year}?", None
    )
    values = tuple(w for f in closing for v in f.values for w in (v, -v))
    known = values + rows.also(_undated(figure.label), figure.year)
    return own.model_copy(update={"expected": known, "printed": tuple(f.printed for f in closing)})


def _undated(label: str) -> str:
    return " ".join(_DAY.sub(" ", label).strip(" ,;:-–").split())


def _is_balance(figure: RowFigure, rows: ReportRows) -> bool:
    """Whether its table is the balance sheet, whose columns are days."""
    pages = {f.page_number for f in rows.figures if f.in_statement and "total assets" in f.label.lower()}
    return figure.page_number in pages


def _question(
    group: Group,
    rows: ReportRows,
    figure: RowFigure,
    text: str,
    kind: AnswerKind | None,
    *,
    expected: bool = False,
) -> RowQuestion:
    label = _spoken(figure.label)
    wording = text.format(row=label, company=rows.report.company, year=figure.year)
    same = [f for f in rows.figures if f.key == figure.key and f.year == figure.year]
    return RowQuestion(
        question=Question(text=wording, kind=kind),
        group=group,
        company=rows.report.company,
        row=label,
        page_number=figure.page_number,
        expected=rows.expected(figure.key, figure.year) + rows.also(figure.label, figure.year) if expected else (),
        printed=tuple(dict.fromkeys(f.printed for f in same)) if expected else (),
        words=tuple(sorted(significant(label))),
        parts=rows.expected(figure.key, figure.year) if text == _SHARE_OF_REVENUE else (),
    )


def _spoken(label: str) -> str:
    """A label inside a sentence."""
    text = plain(label).strip(" :;,.*†–-")
    return text if text[:2].isupper() or text[1:2] == "&" else text[:1].lower() + text[1:]


def _figures(part: Part, in_statement: bool, usual: int) -> Iterator[RowFigure]:
    spans = Counter(c.period for c in part.columns if c.period)
    for row in part.rows:
        for column in part.columns:
            period, figure = column.period, row.at(column.index)
            if period is None or figure is None or figure.value is None or period.months not in (None, _YEAR):
                continue
            scale = column.scale or part.scale
            label = f"{row.heading} {row.label}"
            bare = is_unscaled(f"{label} {column.header}") or "%" in figure.printed
            scales = {1} if bare else {scale} if scale else {1, usual}
            if bare and "%" not in figure.printed:
                scales |= {scale or usual}
            values = [float(figure.value) * s for s in sorted(scales)]
            if row.in_cents:
                values.append(float(figure.value) / 100)
            yield RowFigure(
                label=_label(row),
                heading=plain(row.heading),
                title=plain(f"{part.title} {part.above}"),
                year=period.year,
                values=tuple(values),
                printed=figure.printed,
                page_number=part.page_number,
                in_statement=in_statement,
                is_alone=spans[period] == 1,
                is_money=not bare,
            )


def _label(row: PrintedRow) -> str:
    return folded(row.label) if row.label.isupper() else plain(row.label)


def judged(asked: RowQuestion, answer: Answer) -> Asked:
    """The outcome of one answer."""
    cited = answer.citations[0] if answer.citations else None
    return Asked(
        asked=asked,
        value=answer.value_text,
        outcome=_outcome(asked, answer),
        is_ticked=answer.is_available and all(c.verdict != "failed" for c in answer.checks),
        reason=answer.reason,
        page=cited.page if cited else None,
        quote=cited.quote if cited else "",
    )


def _outcome(asked: RowQuestion, answer: Answer) -> Outcome:
    if not answer.is_available:
        return "missing" if asked.expected else "right_na"
    value = answer.value
    if any(abs(abs(o.value) - abs(part)) <= _ROUNDED * abs(part) for o in answer.operands for part in asked.parts):
        return "right"  # calculated from the row itself, which is cited
    if isinstance(value, float) and not isinstance(value, bool):
        is_near = any(abs(value - known) <= _ROUNDED * abs(known) for known in asked.expected)
        if is_near or _rounds_to(value, asked):
            return "right"
    elif isinstance(value, str) and any(p.strip("$€£¥ ()") in value for p in asked.printed):
        return "right"
    return "right" if not asked.expected and _is_said(asked, answer) else "wrong"


def _rounds_to(value: float, asked: RowQuestion) -> bool:
    """Whether the value is one of the printed figures before it was rounded to its digits, at least two."""
    for printed in asked.printed:
        bare, figure = re.sub(r"[^\d.]", "", printed), figure_of(printed)
        if figure and len(bare.replace(".", "").lstrip("0")) > 1:
            last = 10.0 ** -len(bare.partition(".")[2])
            scales = {round(abs(known / float(figure)), 9) for known in asked.expected}
            if any(abs(abs(value) - abs(float(figure)) * s) <= last * s / 2 for s in scales & _SCALES):
                return True
    return False


def _is_said(asked: RowQuestion, answer: Answer) -> bool:
    """Whether a cited row has all the words after all; then it answers the question."""
    rows = (c.quote for c in answer.citations if len(c.quote.split()) <= _LONGEST_ROW_QUOTE)
    return asked.group in ("other_company", "neighbour") and any(set(asked.words) <= significant(q) for q in rows)


def summed_up(answers: Sequence[Asked]) -> SelfTest:
    """Counts by group, and what is wrong."""
    groups: dict[str, list[Asked]] = {}
    for one in answers:
        groups.setdefault(one.asked.group, []).append(one)
    wrong = sorted((a for a in answers if a.outcome == "wrong"), key=lambda a: not a.is_ticked)
    by_group = {name: _counts(ones) for name, ones in groups.items()}
    own = by_group.get("statement")
    return SelfTest(
        n=len(answers),
        wrong_and_ticked=sum(a.is_ticked for a in wrong),
        right_in_statements=own.right / own.n if own else None,
        by_group=by_group,
        wrong=tuple(wrong),
    )


def _counts(answers: Sequence[Asked]) -> GroupCounts:
    found: Mapping[Outcome, int] = Counter(a.outcome for a in answers)
    ticked = sum(a.outcome == "wrong" and a.is_ticked for a in answers)
    return GroupCounts(
        n=len(answers),
        right=found.get("right", 0),
        wrong=found.get("wrong", 0),
        missing=found.get("missing", 0),
        right_na=found.get("right_na", 0),
        wrong_and_ticked=ticked,
    )

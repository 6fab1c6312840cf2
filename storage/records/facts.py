"""What a report says: figures of metrics, people and events, each with its period and place."""

import datetime as dt
from collections import Counter
from decimal import Decimal
from functools import cached_property
from typing import Literal

from pydantic import Field

from storage.records.answers import Verdict
from storage.records.metrics import Statement, folded, significant
from storage.records.record import Box, Record
from storage.records.reports import MONTHS_OF_YEAR, ending_year
from storage.records.sections import Section


class Period(Record):
    """A span that ends on a day, or a day alone.

    `months` is the length of the span, 12 for a year. It is None for a single day, as on a balance sheet, and
    where the length is not printed. Where only a year's number is printed, `end` is the last day of that
    calendar year. `printed` holds the words on the page.
    """

    end: dt.date
    months: int | None = None
    printed: str = ""

    @property
    def year(self) -> int:
        """The calendar year to which it counts: a year of weeks that ends on 1 January 2023 is that of 2022."""
        return ending_year(self.end)

    @property
    def is_year_alone(self) -> bool:
        """Whether the words give no day: then a year in them is the company's name for its fiscal year."""
        numbers = "".join(c if c.isdecimal() else " " for c in self.printed).split()
        return bool(numbers) and self.end.day not in map(int, numbers)


NEAR_DAYS = 10  # between the last day of a month and that of a period which is counted in weeks


def is_as_long(months: int | None, wanted: int | None) -> bool:
    """Whether a period's length is the wanted one; a position at a day fits any."""
    return not months or wanted is None or months == wanted


Confidence = Literal["high", "medium", "low"]
FactCheckName = Literal[
    "balance",  # total assets = total liabilities and equity, or liabilities + equity
    "subtotals",  # a total is the sum of its parts
    "cash_tie",  # net income = first row of the cash flow statement
    "cash_flow_sum",  # operating + investing + financing = change in cash
    "per_share",  # earnings per share x shares = net income
    "prior_report",  # the prior year's figure = the current one of the report before
    "prose",  # the amount stands in a sentence of the report
]
EventKind = Literal[
    "acquisition",
    "buyback",
    "dividend_policy",
    "layoffs",
    "litigation",
    "guidance",
    "restructuring",
    "esg",
    "supply_chain",
    "leadership_change",
    "product_launch",
]
Role = Literal["chief_executive", "chief_financial", "chief_operating", "chair", "president", "auditor", "other"]
OFFICERS: tuple[Role, ...] = (
    "chief_executive",
    "chief_financial",
    "chief_operating",
    "chair",
    "president",
    "auditor",
)


def office_title(role: Role) -> str:
    """An office as people call it: "chief financial officer"."""
    words = role.replace("_", " ")
    return f"{words} officer" if words.startswith("chief ") else words


class FactCheck(Record):
    """One comparison of a fact with others of its report."""

    name: FactCheckName
    verdict: Verdict
    detail: str = ""


class Fact(Record):
    """A metric's value, as a report prints it for one period.

    Attributes:
        metric: the id of an ontology's metric.
        value: in full units of the currency, signed; scale applied, pence and cents as parts of one.
        printed: the figure as it stands on the page; for a sum of printed figures, all of them joined by " + ".
        scale: what one printed unit stands for: 1,000 in thousands, 0.01 in pence.
        page_number: 1-based.
        boxes: of the figure.
        row_label: the words of its row, with the heading where the label alone says nothing.
        basis: the words of its column where that is not the one that is meant: "before exceptional items", "US$".
    """

    metric: str
    value: Decimal
    printed: str
    scale: Decimal = Decimal(1)
    currency: str | None = None
    period: Period | None = None
    statement: Statement
    report_sha1: str
    page_number: int
    boxes: tuple[Box, ...] = ()
    row_label: str = ""
    basis: str = ""
    confidence: Confidence = "medium"
    checks: tuple[FactCheck, ...] = ()

    @property
    def is_sum(self) -> bool:
        """Whether it was added up from printed figures because the total itself was not found in print."""
        return " + " in self.printed

    @property
    def last_digit(self) -> Decimal:
        """What one of the last printed digit stands for: 100,000 for 1.2 in millions."""
        return self.scale.scaleb(min(0, int((self.value / self.scale).as_tuple().exponent)))


SHAREHOLDER = "shareholder"
HolderList = Literal["substantial", "largest"]
"""A list of holders: of those from a share on that has to be told, or of the largest that are registered."""


class Seat(Record):
    """Who holds an office, has a seat in a body, or holds shares: a person, or a firm such as the auditor.

    Attributes:
        name: as printed.
        role: the id of the office; "member" of a list of people, or of a committee; "shareholder" of a list of holders.
        title: the position, as this page prints it.
        elsewhere: what other pages say of the position.
        body: the areas of a committee, such as "audit risk", whose member or chair it is; of holders of shares, the
            kind of their list; empty for others.
        section: the place, among the report's sections, of the one that lists the people; None outside of lists.
        is_part: whether the position is what a longer text has of one, or only what a list's heading says.
        is_next: whether they are to take the office.
        since: the day or the year from which, as printed; empty where none is.
        share: of the company's shares, in percent; None where none is printed.
    """

    name: str
    role: str
    title: str = ""
    elsewhere: str = ""
    body: str = ""
    section: int | None = None
    is_part: bool = False
    is_next: bool = False
    since: str = ""
    share: Decimal | None = None
    report_sha1: str
    page_number: int
    quote: str = ""
    boxes: tuple[Box, ...] = ()
    confidence: Confidence = "medium"


class Event(Record):
    """A sentence that tells something that happened.

    Attributes:
        about: the position for a change of leadership, the product for a launch; else empty.
    """

    kind: EventKind
    quote: str
    about: str = ""
    report_sha1: str
    page_number: int
    boxes: tuple[Box, ...] = ()
    confidence: Confidence = "medium"


class PrintedValue(Record):
    """A figure as printed, without its scale; a dash is zero."""

    value: Decimal
    printed: str
    period: Period | None = None
    box: Box | None = None


class PrintedPart(Record):
    """A part of a breakdown, or its total: its printed name, the heading above it, and a figure for each period."""

    name: str
    heading: str = ""
    values: tuple[PrintedValue, ...] = ()

    def of(self, year: int | None) -> PrintedValue | None:
        """The figure of a year; of a table without periods the only one."""
        return next((v for v in self.values if v.period is None or v.period.year == year), None)


class Breakdown(Record):
    """A printed total and the parts that add up to it, such as revenue by region or payments by year due.

    Attributes:
        subject: what is split, in the words of the total, its headings and its column.
        title: of the table.
        around: the words above the table, with the report's section.
        metrics: ids of the ontology's metrics whose figure the total is.
        is_row: whether the parts are columns of one row; else they are rows.
        is_percent: whether the figures are shares already.
        scale: what one printed unit stands for; None where that is not certain.
    """

    subject: str
    title: str = ""
    around: str = ""
    metrics: tuple[str, ...] = ()
    is_row: bool = False
    is_percent: bool = False
    total: PrintedPart
    parts: tuple[PrintedPart, ...]
    scale: Decimal | None = None
    currency: str | None = None
    report_sha1: str
    page_number: int

    @property
    def years(self) -> tuple[int, ...]:
        """The years of its figures, the newest first."""
        return tuple(sorted({v.period.year for v in self.total.values if v.period}, reverse=True))


_SEVERAL = 2


_STATEMENTS = frozenset[Statement]({"income", "balance", "cash_flow"})


class ReportFacts(Record):
    """All that was read from one report.

    Attributes:
        period_end: last day of the period that the report is about, where known.
        other_spans: figures of other lengths of time than the report's own that stand beside them: the quarter in a
            half-year report, the nine months in a report about the third quarter.
        other_bases: figures of other columns of the same periods: before exceptional items, of the parent company, in
            another currency.
        lines: the labels of each statement that was found.
        breakdowns: the totals that its tables split into parts.
        labels: those of all rows that its tables and lines print, each once.
        names: words that its sentences print with a capital only, in small letters: of products, places, people.
        sections: the report's sections in the order of its pages.
        seconds: how long extraction took.
    """

    report_sha1: str
    period_end: dt.date | None = None
    facts: tuple[Fact, ...] = ()
    other_spans: tuple[Fact, ...] = ()
    other_bases: tuple[Fact, ...] = ()
    seats: tuple[Seat, ...] = ()
    events: tuple[Event, ...] = ()
    lines: dict[Statement, tuple[str, ...]] = Field(default_factory=dict)
    breakdowns: tuple[Breakdown, ...] = ()
    labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    seconds: float = 0.0

    @cached_property
    def usual_scale(self) -> int | None:
        """What one printed unit stands for in most rows of its statements; notes often print no unit of their own."""
        of_money = (f for f in self.facts if f.currency and f.statement in _STATEMENTS and f.scale >= 1)
        counts = Counter(int(fact.scale) for fact in of_money if fact.row_label and not fact.is_sum)
        return counts.most_common(1)[0][0] if counts else None

    @cached_property
    def label_words(self) -> frozenset[str]:
        """The words of all row labels, in the form of `significant`."""
        return frozenset[str]().union(*self._names_of_rows)

    def prints(self, words: frozenset[str], besides: frozenset[str]) -> bool:
        """Whether it prints a row under exactly these words, in the form of `significant`.

        `besides` do not count, unless they leave a single word, which many a row would share.
        """
        asked = words - besides
        if len(asked) < _SEVERAL:
            return bool(asked) and words in self._names_of_rows
        return any(name - besides == asked for name in self._names_of_rows)

    def prints_within(self, words: frozenset[str]) -> bool:
        """Whether it prints a row of several words that are all among these, in the form of `significant`."""
        return any(len(name) >= _SEVERAL and name <= words for name in self._names_of_rows)

    @cached_property
    def _names_of_rows(self) -> frozenset[frozenset[str]]:
        return frozenset(significant(folded(label)) for label in self.labels)

    def of(self, metric: str) -> tuple[Fact, ...]:
        """A metric's facts, the latest period first."""
        found = [fact for fact in self.facts if fact.metric == metric]
        return tuple(sorted(found, key=lambda f: f.period.end if f.period else dt.date.max, reverse=True))

    def over(self, metric: str, end: dt.date, months: int | None) -> Fact | None:
        """A metric's fact of the period that ends near a day and is so long; a position has no length.

        Args:
            metric: which.
            end: the last day. Companies that count in weeks end some days before or after the month.
            months: the length; None for any.
        """
        for fact in (*self.of(metric), *(f for f in self.other_spans if f.metric == metric)):
            period = fact.period
            if period is None or abs((period.end - end).days) > NEAR_DAYS:
                continue
            length = period.months or (MONTHS_OF_YEAR if period.is_year_alone else None)  # "2022" over a column
            if is_as_long(length, months):
                return fact
        return None

    def current(self, metric: str) -> Fact | None:
        """A metric's fact of the reported period; a fact without a period counts as of it."""
        found = [f for f in self.of(metric) if f.period is None or self._is_current(f.period)]
        return found[0] if found else None

    def holders(self, role: str, body: str = "") -> tuple[Seat, ...]:
        """Those who hold an office now, in the order of the page; with a body, that of the committee."""
        return tuple(s for s in self.seats if s.role == role and s.body == body and not s.is_next)

    @property
    def officers(self) -> tuple[Seat, ...]:
        """The chief officers, the chair and the auditor, each office once."""
        return tuple(seat for role in OFFICERS for seat in self.holders(role))

    def events_of(self, kind: EventKind) -> tuple[Event, ...]:
        """The events of one kind, in the order of their pages."""
        return tuple(event for event in self.events if event.kind == kind)

    def _is_current(self, period: Period) -> bool:
        return (
            self.period_end is None
            or abs((period.end - self.period_end).days) < 32
            or (period.year == ending_year(self.period_end))
        )

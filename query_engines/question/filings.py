"""Chooses the filing for a question, and the column and the line of it: by period, topic and fiscal calendar."""

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from indexes.facts.fact_table import FactTable
from query_engines.question.classifier import SAYS_NOTHING
from query_engines.question.parsed import Intent, ParsedQuestion
from query_engines.question.search_text import nameless
from storage.lexicon.periods import NamedPeriod
from storage.lexicon.question_words import LESS, WITHOUT
from storage.lexicon.words import expression
from storage.records.facts import NEAR_DAYS, Fact, ReportFacts
from storage.records.metrics import Metric, Ontology, folded, significant
from storage.records.reports import (
    MONTHS_OF_QUARTER,
    MONTHS_OF_YEAR,
    Company,
    FilingType,
    FiscalCalendar,
    Report,
    calendar_of,
    names_of_year,
)
from storage.text import stems

BESIDE_A_LABEL: Final = SAYS_NOTHING | {"year", "period"} | {"prior", "current", "previou"}
"""Words that stand beside any label and tell no row from another."""
_ENTITY: Final = frozenset({"group", "consolidated", "before", "excluding"})
_BASIS_LEADS: Final = frozenset({"before", "pre", "excluding", "alone", "only", "basi"})
_PARENT_WORDS: Final = frozenset({"company", "parent"})
_LEFT_OUT = expression(rf"{WITHOUT}|\b{LESS}\b", re.IGNORECASE)
_OF_PARENT = expression(
    r"(?i)\bparent\b|\bcompany(?:['’]s)? (?:alone|only|itself)\b|\b(?:standalone|unconsolidated)\b"
    r"|\bnot (?:of )?the group\b"
)
_ORDINALS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class WantedPeriod:
    """The period that a question is about, by the company's calendar.

    Attributes:
        end: its last day, as far as the month tells it.
        months: its length; None for a position at a day.
        name: as the company calls it.
    """

    end: dt.date
    months: int | None
    name: str

    def in_words(self, end: dt.date | None) -> str:
        """The name with the last day: "fiscal 2022, ended 28 January 2023"."""
        day = end or self.end
        return f"{self.name}, ended {day.day} {day:%B %Y}"


@dataclass(frozen=True)
class ChosenFiling:
    """The filing to answer from.

    Attributes:
        period: that the question names; None where it names none, or several.
        fact: what the filing prints of the metric for it; None where the fact table does not decide.
        remark: how another filing differs.
    """

    report: Report
    period: WantedPeriod | None = None
    fact: Fact | None = None
    remark: str = ""


class FilingChooser:
    """Chooses among a company's filings. It looks at the catalog and the fact table, never at a page."""

    def __init__(self, table: FactTable) -> None:
        self._table = table

    def choose(self, parsed: ParsedQuestion, company: Company) -> ChosenFiling:
        """The filing for a question; a company with one report is asked about that one.

        Args:
            parsed: the question, about this company.
            company: with at least one report.
        """
        reports = company.reports
        period = wanted_period(parsed, reports)
        if len(reports) == 1 and (period is None or parsed.intent.part_metric is None):
            return ChosenFiling(reports[0])
        wanted = _of_topic(parsed, reports, self._events(company)) or reports
        if period is None:
            if wanted is not reports:
                return ChosenFiling(_newest(wanted))
            newest = self._newest_with(parsed.intent, company)
            return newest or ChosenFiling(company.main_report or reports[0])
        ranked = _ranked(wanted, period)
        metric = parsed.intent.part_metric or parsed.intent.sole_metric
        if metric is None:
            return ChosenFiling(self._with_operand(parsed.intent, company, ranked, period) or ranked[0], period)
        return self._of_fact(company, ranked, period, metric) or ChosenFiling(ranked[0], period)

    def _newest_with(self, intent: Intent, company: Company) -> ChosenFiling | None:
        """The newest filing that prints a position, a whole year of a figure, or an officer; None for other topics."""
        metric, years = intent.sole_metric, calendar_of(company.reports)
        for report in sorted(company.reports, key=_end, reverse=True):
            facts, end = self._table.of(company, report), report.period_end
            if facts is None or (metric is None and intent.role is None):
                continue
            if metric is None and intent.role and facts.holders(intent.role):
                return ChosenFiling(report)
            if metric is None or end is None:
                continue
            if metric.is_of_day and facts.over(metric.id, end, None):
                return ChosenFiling(report)
            if years.months_over(end) == MONTHS_OF_YEAR and (fact := facts.over(metric.id, end, MONTHS_OF_YEAR)):
                whole = (
                    None
                    if report.filing.is_annual
                    else _part(years, years.year_of(end), MONTHS_OF_YEAR, MONTHS_OF_YEAR, end)
                )
                return ChosenFiling(report, whole, fact if whole else None)
        return None

    def _with_operand(
        self, intent: Intent, company: Company, ranked: Sequence[Report], period: WantedPeriod
    ) -> Report | None:
        """The first filing that prints, for a part of a year, a figure that is calculated with."""
        change, derived = intent.part_change, intent.part_derived
        names = derived.metrics if derived else [change.metric.id] if change and change.metric else []
        return next(
            (
                report
                for report in ranked
                if (facts := self._table.of(company, report))
                and any(facts.over(name, period.end, period.months) for name in names)
            ),
            None,
        )

    def _of_fact(
        self, company: Company, ranked: Sequence[Report], period: WantedPeriod, metric: Metric
    ) -> ChosenFiling | None:
        """The first filing that prints the figure; a later one where it restates it."""
        months = None if metric.is_of_day else period.months
        found = [
            (report, fact)
            for report in ranked
            if (facts := self._table.of(company, report)) and (fact := facts.over(metric.id, period.end, months))
        ]
        if not found:
            return None
        report, fact = found[0]
        later = [(r, f) for r, f in found[1:] if _is_later(r, report)]
        other = next(((r, f) for r, f in reversed(later) if _differ(f, fact)), None)
        if other is None or not (_is_certain(fact) and _is_certain(other[1])):
            return ChosenFiling(report, period, fact)
        remark = f"restated: {_said(fact, report)}, {_said(other[1], other[0])}"
        if other[0].filing.is_restated or other[0].filing.is_amended:
            return ChosenFiling(other[0], period, other[1], remark)
        return ChosenFiling(report, period, fact, remark.replace("restated", "printed differently", 1))

    def _events(self, company: Company) -> Callable[[Report], ReportFacts | None]:
        return lambda report: self._table.of(company, report)


def ranked_filings(parsed: ParsedQuestion, reports: Sequence[Report]) -> list[Report]:
    """The filings that may answer a question by its period, the most likely first; as given where it names none."""
    period = wanted_period(parsed, reports)
    return list(reports) if period is None else _ranked(reports, period)


def wanted_period(parsed: ParsedQuestion, reports: Sequence[Report]) -> WantedPeriod | None:
    """The one period that a question names, by the company's calendar; None where there is none or several."""
    named = [p for p in parsed.periods if p.kind != "trailing"]
    if len(named) != 1 or not reports:
        return None
    return _resolved(named[0], calendar_of(reports), reports)


def trailing_parts(reports: Sequence[Report]) -> tuple[str, ...]:
    """The parts of years that the last twelve months are made of, as people call them; empty without a whole year.

    The last fiscal year; where a newer part of a year is reported, also that part, which is added, and the same part
    of the year before, which is taken off.
    """
    years = calendar_of(reports)
    newest = _latest(None, years, reports)
    last = _newest_year(MONTHS_OF_YEAR, years, reports)
    if newest is None or last is None:
        return ()
    over, year = years.months_over(newest.end), years.year_of(newest.end)
    if over == MONTHS_OF_YEAR or year != last + 1:
        return (f"fiscal {last}",)
    part = f"the first {over} months of fiscal"
    return f"fiscal {last}", f"{part} {year}", f"{part} {last}"


def _resolved(named: NamedPeriod, years: FiscalCalendar, reports: Sequence[Report]) -> WantedPeriod | None:
    if named.is_of_several_years:
        return None
    if named.year is not None and named.month is not None:
        return _of_date(named, years)
    if named.kind == "latest":
        return _latest(named.months, years, reports)
    if named.kind == "relative":
        return _relative(named.years_back or 0, years, reports)
    over = _months_over(named)
    year = named.year
    if year is not None and (named.first_year is not None or not (named.is_fiscal or named.is_part_of_year)):
        year -= years.shift  # a bare year is the one in which the company's year ends
    if year is None:
        year = _newest_year(over, years, reports)
    if year is None:
        return None
    return _part(years, year, over, named.months or MONTHS_OF_YEAR)


def _of_date(named: NamedPeriod, years: FiscalCalendar) -> WantedPeriod:
    """A period by its last day, with the length that the words before it say."""
    year, month = named.year or 0, named.month or MONTHS_OF_YEAR
    last = calendar.monthrange(year, month)[1]
    end = dt.date(year, month, min(named.day or last, last))
    over = years.months_over(end)
    months = named.months or (over if over == MONTHS_OF_YEAR else None)
    return _part(years, years.year_of(end), over, months, end)


def _months_over(named: NamedPeriod) -> int:
    """How many months of the fiscal year are over by the period's end."""
    months = named.months or MONTHS_OF_YEAR
    return min((named.part or 1) * months, MONTHS_OF_YEAR)


def _part(
    years: FiscalCalendar, year: int, over: int, months: int | None, end: dt.date | None = None
) -> WantedPeriod:
    fiscal = f"{year}" if years.is_plain else f"fiscal {year}"
    name = fiscal
    if months == MONTHS_OF_QUARTER:
        name = f"the {_ORDINALS[over // MONTHS_OF_QUARTER - 1]} quarter of {fiscal}"
    elif months is not None and months < MONTHS_OF_YEAR:
        name = f"{'the first' if over == months else 'the last'} {months} months of {fiscal}"
    return WantedPeriod(end or years.end_of(year, over), months, name)


def _latest(months: int | None, years: FiscalCalendar, reports: Sequence[Report]) -> WantedPeriod | None:
    """The newest part of a year of a length; without one, as many months as are over."""
    for report in sorted(reports, key=_end, reverse=True):
        filing, end = report.filing, report.period_end
        if end is None or not filing.is_periodic:
            continue
        over = years.months_over(end)
        if not filing.is_annual and (months is None or months == MONTHS_OF_QUARTER or over >= months):
            return _part(years, years.year_of(end), over, months or over, end)
    newest = _newest_year(MONTHS_OF_YEAR, years, reports)
    return None if newest is None else _part(years, newest, MONTHS_OF_YEAR, months or MONTHS_OF_YEAR)


def _relative(back: int, years: FiscalCalendar, reports: Sequence[Report]) -> WantedPeriod | None:
    """A year counted from that of the newest annual report."""
    newest = next(
        (r for r in sorted(reports, key=_end, reverse=True) if r.filing.is_annual and r.period_end), None
    )
    if newest is None or newest.period_end is None:
        return None
    return _part(years, years.year_of(newest.period_end) - back, MONTHS_OF_YEAR, MONTHS_OF_YEAR)


def _newest_year(over: int, years: FiscalCalendar, reports: Sequence[Report]) -> int | None:
    """The newest fiscal year of which so many months are reported."""
    ends = [r.period_end for r in reports if r.period_end and r.filing.is_periodic]
    names = {years.year_of(end) for end in ends}
    reached = [
        y for y in names if any(years.end_of(y, over) - dt.timedelta(days=NEAR_DAYS) <= end for end in ends)
    ]
    return max(reached, default=None)


def _end(report: Report) -> dt.date:
    return report.period_end or dt.date.min


def _last_day(report: Report) -> dt.date | None:
    """The last day of its period, or of the calendar year by which it calls itself."""
    if report.period_end is not None or report.fiscal_year is None:
        return report.period_end
    return dt.date(report.fiscal_year, MONTHS_OF_YEAR, 31)


def missing_filings(reports: Sequence[Report]) -> tuple[str, ...]:
    """The filings that lie between those of a company and are not there, as people call them, the oldest first."""
    years = calendar_of(reports)
    annual = {years.year_of(r.period_end) for r in reports if r.period_end and r.filing.is_annual}
    quarters = {
        (years.year_of(r.period_end), r.filing.quarter)
        for r in reports
        if r.period_end and r.filing.quarter and not r.filing.is_annual
    }
    gaps = [
        (year, len(_ORDINALS))
        for year in range(min(annual, default=0), max(annual, default=0))
        if year not in annual
    ]
    for year in {year for year, _ in quarters}:
        newest = max(quarter for of, quarter in quarters if of == year)
        last = len(_ORDINALS) - 1 if year in annual else newest
        gaps += [(year, quarter) for quarter in range(1, last) if (year, quarter) not in quarters]
        gaps += [(year, last)] if (year, last) not in quarters and last < len(_ORDINALS) else []
    return tuple(_called(years, year, quarter) for year, quarter in sorted(gaps))


def _called(years: FiscalCalendar, year: int, quarter: int) -> str:
    whole = quarter == len(_ORDINALS)
    months = MONTHS_OF_YEAR if whole else MONTHS_OF_QUARTER
    period = _part(years, year, quarter * MONTHS_OF_QUARTER, months).name
    return f"the annual report of {period}" if whole else f"the report of {period}"


_PREFERRED: tuple[FilingType | None, ...] = (
    *(None, "10-K", "20-F", "40-F", "annual report", "10-Q", "interim report"),
    *("earnings release", "8-K", "prospectus", "proxy statement", "other"),
)


def _ranked(reports: Sequence[Report], period: WantedPeriod) -> list[Report]:
    ranked = sorted(reports, key=lambda report: _rank(report, period))
    told = _told_by(reports, period)
    return ranked if told is None else [told, *(report for report in ranked if report is not told)]


def _told_by(reports: Sequence[Report], period: WantedPeriod) -> Report | None:
    """The filing that was new on a day on which no period ended: its cover and notes look that far ahead."""
    if period.months is not None:
        return None
    ago = [(r, (period.end - r.period_end).days) for r in reports if r.period_end and r.filing.is_periodic]
    if any(abs(days) <= NEAR_DAYS for _, days in ago):
        return None
    new = [report for report, days in ago if 0 < days <= _NEW_FOR_DAYS]
    return max(new, key=_end, default=None)


_NEW_FOR_DAYS = 120


def _rank(report: Report, period: WantedPeriod) -> tuple[int, int, int, int]:
    """Orders filings for a period: those about it, then later ones that print it beside theirs, then others."""
    filing, end = report.filing, _last_day(report)
    is_whole = period.months == MONTHS_OF_YEAR
    away = abs((end - period.end).days) if end else 10**6
    if not filing.is_periodic:
        step = 5
    elif away <= NEAR_DAYS:
        is_of_kind = filing.is_annual == is_whole or period.months is None
        step = 0 if is_of_kind else 1
    elif end is not None and end > period.end:
        step = 2 if filing.is_annual == is_whole else 3
    else:
        step = 4
    return step, away if step > 1 else 0, not filing.is_amended, _PREFERRED.index(filing.type)


def _is_later(report: Report, than: Report) -> bool:
    return _end(report) > _end(than) or (_end(report) == _end(than) and report.filing.is_amended)


_MOST_ROUNDING = 200  # a difference of less than a two-hundredth may be rounding


def _differ(one: Fact, other: Fact) -> bool:
    difference = abs(one.value - other.value)
    unit = max(one.scale, other.scale)
    return (
        difference > unit and difference * _MOST_ROUNDING * 5 > abs(one.value) and one.currency == other.currency
    )


def _is_certain(fact: Fact) -> bool:
    """Whether a figure was read with some certainty; that another filing prints another one is no doubt here."""
    differs = any(check.name == "prior_report" and check.verdict == "failed" for check in fact.checks)
    return fact.confidence != "low" or differs


def _said(fact: Fact, report: Report) -> str:
    year = report.year_name or ""
    return f"{fact.printed} in the {year} {report.filing.type or 'report'}"


_NAMED_TYPES: tuple[tuple[tuple[str, ...], frozenset[FilingType]], ...] = (
    (("proxy", "schedule 14a"), frozenset({"proxy statement"})),
    (("10-q", "10q", "quarterly report"), frozenset({"10-Q", "interim report"})),
    (("8-k", "8k", "6-k", "6k", "announcement"), frozenset({"8-K"})),
    (("prospectus",), frozenset({"prospectus"})),
    (
        ("earnings release", "press release", "news release", "results release"),
        frozenset({"earnings release", "8-K"}),
    ),
    (
        ("half-year report", "half-yearly report", "half year report", "interim report", "interim results"),
        frozenset({"interim report"}),
    ),
    (
        ("10-k", "10k", "20-f", "20f", "40-f", "40f", "annual report"),
        frozenset({"10-K", "20-F", "40-F", "annual report"}),
    ),
)
"""What questions call a filing, and which types it may be."""
_OF_MEETING = (
    *("pay ratio", "say on pay", "say-on-pay", "annual meeting", "general meeting", "nominee", "nominees"),
    *("for election", "for re-election", "beneficial owner", "beneficial owners", "beneficially owned"),
    *("auditor fees", "auditor's fees", "audit fees", "board of directors", "independent directors"),
)
_PAY, _PAID = (
    stems("compensation pay remuneration salary bonus"),
    stems("executive ceo cfo officer director chief"),
)
_DEALS = frozenset({"acquisition", "leadership_change"})


def _of_topic(
    parsed: ParsedQuestion, reports: Sequence[Report], facts_of: Callable[[Report], ReportFacts | None]
) -> Sequence[Report]:
    """The filings of the kind that the question names, or in which its topic is told; empty where it says nothing."""
    return list(_named_kind(parsed.text, reports)) or _of_events(parsed, reports, facts_of)


def _named_kind(text: str, reports: Sequence[Report]) -> Iterator[Report]:
    said = f" {' '.join(word.strip('.,;:?!()') for word in text.lower().split())} "
    named = [types for names, types in _NAMED_TYPES if any(f" {name} " in said for name in names)]
    is_of_pay = stems(text) & _PAY and stems(text) & _PAID
    is_of_meeting = is_of_pay or any(f" {phrase} " in said for phrase in _OF_MEETING)
    named += [frozenset[FilingType]({"proxy statement"})] if is_of_meeting else []
    for types in named:
        if found := [report for report in reports if report.filing.type in types]:
            yield from found
            return


def _of_events(
    parsed: ParsedQuestion, reports: Sequence[Report], facts_of: Callable[[Report], ReportFacts | None]
) -> Sequence[Report]:
    """The announcements that tell such an event, where the question names no period or theirs."""
    event = parsed.intent.event
    if event not in _DEALS:
        return []
    years = set(parsed.years)
    announcements = [
        report
        for report in reports
        if report.filing.type == "8-K" and (not years or (report.period_end is not None and report.year in years))
    ]

    def tells(report: Report) -> bool:
        facts = facts_of(report)
        return facts is not None and bool(facts.events_of(event))

    is_told_elsewhere = announcements and any(tells(r) for r in reports if r.filing.is_periodic)
    return [r for r in announcements if tells(r)] or ([] if is_told_elsewhere else announcements)


def _newest(reports: Sequence[Report]) -> Report:
    return max(reports, key=_end)


def on_basis(facts: ReportFacts, parsed: ParsedQuestion) -> ReportFacts:
    """The facts in the column that a question names beside the one usually meant: its words, or its currency."""
    said = significant(parsed.wording) | (_PARENT_WORDS if _OF_PARENT.search(parsed.wording) else frozenset())
    named = {
        fact.basis: words
        for fact in facts.other_bases
        if (words := basis_words(fact.basis)) and words <= said and not all(map(str.isdigit, words))
    }
    own = {fact.currency for fact in facts.facts if fact.currency}
    chosen = max(named, key=lambda basis: len(named[basis]), default="")
    if not chosen and parsed.currency not in own:
        chosen = next((f.basis for f in facts.other_bases if f.currency and f.currency == parsed.currency), "")
    if not chosen:
        return facts
    return facts.model_copy(update={"facts": tuple(f for f in facts.other_bases if f.basis == chosen)})


def without_basis(parsed: ParsedQuestion, basis: str) -> ParsedQuestion:
    """The question without the words that name the column whose figures are looked at."""
    words = basis_words(basis) | _ENTITY | _BASIS_LEADS
    kept = [word for word in parsed.intent.text.split() if not significant(word) or not significant(word) <= words]
    return replace(parsed, intent=parsed.intent.model_copy(update={"text": " ".join(kept)}), standing=None)


def basis_words(basis: str) -> frozenset[str]:
    """The words by which a question names a column beside the one usually meant."""
    words = significant(basis.lower().replace("pre-", "").replace("(note", "")) - BESIDE_A_LABEL
    return words & _PARENT_WORDS or words - _ENTITY


def of_line(facts: ReportFacts | None, metric: Metric | None, label: str) -> ReportFacts | None:
    """The facts without a printed total, where a question has words of the line that the total lacks."""
    if facts is None or metric is None or not metric.joined_with:
        return facts
    lines = [f for f in facts.of(metric.id) if f.statement == metric.statement]
    totals = [f for f in facts.of(metric.id) if f.statement != metric.statement]
    if not lines or not totals:
        return facts
    own = significant(folded(lines[0].row_label)) - significant(folded(totals[0].row_label))
    if not own & significant(label):
        return facts
    return facts.model_copy(update={"facts": tuple(f for f in facts.facts if f not in totals)})


def of_scope(metric: Metric | None, ontology: Ontology | None, parsed: ParsedQuestion) -> Metric | None:
    """The metric of the scope that a question names: with minorities, in total, the current part.

    Words of a scope that are left out ("not including current maturities") name none, nor do words that stand apart:
    "long-term debt once the current portion is taken out".
    """
    if metric is None or ontology is None or _LEFT_OUT.search(parsed.question.text):
        return metric
    beside = [other for id_ in metric.beside if (other := ontology.get(id_))]
    scopes = [metric, *(other for other in beside if other.statement in (metric.statement, "notes"))]
    asked = parsed.question.text
    asked = nameless(asked, parsed.company) if parsed.company else asked  # "the current portion of Acme's debt"
    said = [words for word in folded(asked).split() if (words := significant(word))]
    named = [
        (len(words), -place, scope)
        for place, scope in enumerate(scopes)
        for name in scope.question_names
        if _stand_together(words := significant(folded(name)), said)
    ]
    return max(named, key=lambda each: each[:2])[2] if named else metric


def _stand_together(words: frozenset[str], said: Sequence[frozenset[str]]) -> bool:
    """Whether these words follow each other in what is said, with none that says something else between them."""
    return any(
        words == frozenset().union(*said[start : start + length])
        for length in range(1, len(words) + 1)
        for start in range(len(said) - length + 1)
    )


def is_of_later_year(fact: Fact | None, year: int) -> bool:
    """Whether a fact's year ends later: such a fact is none of "the year before", however people call its year."""
    return fact is not None and fact.period is not None and fact.period.year > year


def is_of_another_year(fact: Fact | None, year: int | None, parsed: ParsedQuestion, report: Report) -> bool:
    """Whether a fact's year surely is not the one asked for: that has a day, or the report a name for its own."""
    period = fact.period if fact is not None else None
    if fact is not None and period is None:
        return year not in (None, report.year, report.year_name)
    if period is None or year in (None, period.year):
        return False
    is_named = report.fiscal_year is not None and not report.is_called_by_first_year
    return is_named or any(named.month for named in parsed.periods)


def is_of_less(fact: Fact | None, parsed: ParsedQuestion, report: Report) -> bool:
    """Whether a fact is of a part of the year that the question asks for whole."""
    months = fact.period.months if fact is not None and fact.period is not None else None
    asks_year = parsed.year is not None and not any(
        named.is_part_of_year or named.month for named in parsed.periods
    )
    return asks_year and not report.filing.is_annual and bool(months) and (months or 0) < MONTHS_OF_YEAR


def may_be_called(year: int, fact: Fact) -> bool:
    """Whether people name a fact's period by this year: that of its end, or the one in which most of it lies."""
    return fact.period is None or year in names_of_year(fact.period.end)[1:]

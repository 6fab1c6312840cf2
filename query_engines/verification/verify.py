"""Checks a draft against the pages from which it was drawn, by code alone. Nothing is added to the draft."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from indexes.facts.events import events_of
from indexes.facts.printed_rows import table_rows
from indexes.facts.sentences import Sentence
from indexes.roles.auditors import firm_key
from indexes.roles.officers import officers_of
from prompts.drafts import Draft, Evidence
from prompts.kinds import KINDS
from prompts.kinds.text import TextDraft
from query_engines.calculation.derivation import Derivation
from query_engines.question.parsed import FactMatch, ParsedQuestion
from query_engines.verification.figures import bearing, check_calculated, check_figure
from query_engines.verification.meaning import (
    check_dimension,
    check_name,
    check_row,
    check_sentences,
    check_subject,
    same_person,
)
from query_engines.verification.printed_figures import cells_with, column_of, figure_on
from query_engines.verification.quotes import locate
from query_engines.verification.units import Wanted, places_of
from storage.lexicon.periods import NamedPeriod, periods_in, years_named
from storage.lexicon.words import NOT, expression
from storage.records.answers import NOT_AVAILABLE, Check, CheckName, Citation, CitedFigure, Unit, Verdict
from storage.records.facts import EventKind, Fact
from storage.records.pages import Page
from storage.records.record import Box, Record
from storage.records.reports import Report, ending_year, names_of_year

_SAID_IF_KNOWN: frozenset[CheckName] = frozenset({"dimension", "row", "name", "sentence"})  # left out elsewhere
NO_FACTS = FactMatch()
_OF_SECTION = Check(name="sentence", verdict="not_applicable", detail="the section that it is from is about it")
_AGREES = Decimal("0.01")  # of the value, since text rounds what a statement prints in full


class Verification(Record):
    """The verified parts of a draft: its checks, its citations, the unit of its number and how it was calculated."""

    checks: tuple[Check, ...]
    citations: tuple[Citation, ...]
    unit: Unit | None
    formula: str | None = None
    operands: tuple[CitedFigure, ...] = ()

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(c for c in self.checks if c.verdict == "failed")


_NO_PERIOD = Check(name="period", verdict="not_applicable", detail='"no" may rest on an event of another time')


def verify(
    draft: Draft,
    question: ParsedQuestion,
    report: Report,
    pages: Mapping[int, Page],
    facts: FactMatch = NO_FACTS,
    *,
    drawn_from_table: bool = False,
) -> Verification:
    """Check a draft.

    Args:
        draft: of a program.
        question: its kind decides which checks apply; the answer must be in its currency and year.
        report: of the pages.
        pages: those that the program was given, by page number.
        facts: the report's facts for the question.
        drawn_from_table: whether the draft comes from the fact table, so that agreeing with it proves nothing.
    """
    value = draft.final_answer
    is_cited = value != NOT_AVAILABLE  # beside an N/A, a passage that only comes near is no citation
    held = [e for e in draft.evidence if e.page in pages and (is_cited or e.relation == "same")]
    calculated = facts.calculated if drawn_from_table and value != NOT_AVAILABLE else None
    calculated = calculated if calculated is not None and calculated.value is not None else None
    verdicts: dict[CheckName, Check] = {}
    if value != NOT_AVAILABLE:
        wanted = Wanted(question.query.search, question.dimension, facts.usual_scale)
        its_own = held if drawn_from_table else bearing(value, wanted, held, pages)
        verdicts = {
            "page": _page(draft, pages),
            "quote": _quote(held, pages),
            "figure": check_figure(value, wanted, held, pages, sums=drawn_from_table)
            if calculated is None
            else check_calculated(value, calculated, facts, held, pages),
            "currency": _currency(question.currency, report, held),
            "period": _NO_PERIOD
            if value is False
            else _period(_year_of(question, report, facts), report, its_own, pages),
            "fact_table": _fact_table(
                value, with_officer(facts, report, pages), held, report, drawn_from_table=drawn_from_table
            ),
            "name": check_name(question, value, held),
            "sentence": check_subject(question, held) if facts.section is None else _OF_SECTION,
        }
        if calculated is None:
            verdicts["dimension"] = check_dimension(question, its_own)
            verdicts["row"] = check_row(question, facts, its_own, pages, drawn_from_table=drawn_from_table)
        if isinstance(draft, TextDraft):
            verdicts["sentences"] = check_sentences(draft, question.query, report, pages)
    names = KINDS["number" if calculated is not None else question.kind].checks
    found = (verdicts[name] for name in names if name in verdicts)
    left_out = _SAID_IF_KNOWN | (frozenset() if question.kind == "number" else {"fact_table"})
    checks = tuple(c for c in found if c.verdict != "not_applicable" or c.name not in left_out)
    citations = tuple(_citation(e, report, pages[e.page]) for e in held)
    if calculated is not None:
        return Verification(
            checks=checks,
            citations=citations,
            unit=_unit_of(calculated, report) if question.kind == "number" else None,
            formula=calculated.in_words if len(calculated.operands) > 1 else None,  # one line is what is printed
            operands=tuple(_operands(calculated, held, citations)),
        )
    unit = _unit(held, report, facts) if question.kind == "number" and value != NOT_AVAILABLE else None
    return Verification(checks=checks, citations=citations, unit=unit)


def _year_of(question: ParsedQuestion, report: Report, facts: FactMatch) -> int | None:
    """The calendar year in which the requested period ends."""
    return ending_year(facts.period_end) if facts.period_end is not None else question.year_in(report)


def _page(draft: Draft, pages: Mapping[int, Page]) -> Check:
    claimed = {*draft.relevant_pages, *(e.page for e in draft.evidence)}
    foreign = sorted(claimed - set(pages))
    if foreign:
        return _check("page", "failed", f"not among the pages that were read: {', '.join(map(str, foreign))}")
    if not draft.evidence:
        return _check("page", "not_applicable", "no passage was cited")
    return _check("page", "passed", "among the pages that were read")


def _quote(evidence: Sequence[Evidence], pages: Mapping[int, Page]) -> Check:
    if not evidence:
        return _check("quote", "not_applicable", "no passage was cited")
    missing = [e for e in evidence if locate(e.quote, pages[e.page]) is None]
    if missing:
        return _check("quote", "failed", f"not printed on page {missing[0].page}: {missing[0].quote!r}")
    return _check("quote", "passed", "printed there")


def _currency(requested: str | None, report: Report, evidence: Sequence[Evidence]) -> Check:
    printed = next((e.currency for e in evidence if e.currency), None) or report.currency
    if requested is None or printed is None:
        return _check(
            "currency", "not_applicable", "no currency was asked for" if requested is None else "none is known"
        )
    verdict: Verdict = "passed" if requested == printed else "failed"
    return _check("currency", verdict, f"asked {requested}, printed {printed}")


def _period(
    requested: int | None, report: Report, evidence: Sequence[Evidence], pages: Mapping[int, Page]
) -> Check:
    if requested is None and report.period_end is None:
        return _check("period", "not_applicable", "the report's period is not known")
    end = report.period_end
    by_column = {requested} if requested is not None else {ending_year(end)} if end else set()
    by_words = {requested} if requested is not None else set(names_of_year(end)) if end else set()
    columns = [(years, by_column) for e in evidence if (years := _column_years(e, pages[e.page]))]
    claimed = (_claimed_years(e, report, skips_later=requested is None) for e in evidence)
    known = columns or [(years, by_words) for years in claimed if years]
    if not known:
        return _check("period", "not_applicable", "the passage names no year")
    years_printed = ", ".join(map(str, sorted(set().union(*(years for years, _ in known)))))
    if any(years & wanted for years, wanted in known):
        return _check("period", "passed", years_printed)
    return _check("period", "failed", f"asked {max(by_column)}, printed {years_printed}")


def _fact_table(
    value: object, facts: FactMatch, evidence: Sequence[Evidence], report: Report, *, drawn_from_table: bool
) -> Check:
    """Check whether an answer is what rules read for this metric and period, officer or event.

    A doubtful fact contradicts nothing.
    """
    if isinstance(value, bool):
        return _events_table(value, facts, evidence, report, drawn_from_table=drawn_from_table)
    if isinstance(value, str):
        return _people_table(value, facts, drawn_from_table=drawn_from_table)
    if facts.metric is None:
        return _check("fact_table", "not_applicable", "the question is for no single metric")
    if not facts.is_stored:
        return _check("fact_table", "not_applicable", "no facts of this report are kept; ingest it again")
    if facts.fact is None:
        return _check("fact_table", "not_applicable", f"it holds no {facts.metric.title} for this period")
    held = fact_text(facts.fact)
    if drawn_from_table:
        return _check("fact_table", "not_applicable", f"the answer comes from it: {held}")
    if not isinstance(value, int | float):
        return _check("fact_table", "not_applicable", "the answer is no number")
    given, known = Decimal(repr(value)), facts.fact.value
    signs = (1, -1) if facts.metric.sign == "size" else (1,)
    if any(abs(given - sign * known) <= abs(known) * _AGREES for sign in signs):
        return _check("fact_table", "passed", f"the same there: {held}")
    verdict: Verdict = "not_applicable" if facts.fact.confidence == "low" else "failed"
    return _check("fact_table", verdict, f"there it is {held}")


_DENIES = expression(rf"\b{NOT}\b|n['’]t\b|\b(?:kein\w*|nicht|aucun\w*|ning[uú]n\w*|nessun\w*)\b", re.IGNORECASE)
SURELY_READ = frozenset[EventKind]({"buyback", "acquisition"})
"""Kinds of event whose sentences the rules rarely miss."""


def _events_table(
    value: bool, facts: FactMatch, evidence: Sequence[Evidence], report: Report, *, drawn_from_table: bool
) -> Check:
    """Check whether rules that read sentences find the event in the report, or in the passage that was cited."""
    if drawn_from_table or facts.event not in SURELY_READ:
        return _check("fact_table", "not_applicable", "no event is asked for that the rules surely read")
    certain = [event for event in facts.events if event.confidence != "low"]
    told = certain or [
        event
        for each in evidence
        for event in events_of([Sentence(each.quote, each.page)], report)
        if event.kind == facts.event
    ]
    if value:
        what = f"page {told[0].page_number} tells it" if told else "no sentence that rules read tells it"
        return _check("fact_table", "passed" if told else "failed", what)
    if certain:
        return _check("fact_table", "failed", f"page {certain[0].page_number} tells it: {certain[0].quote!r}")
    if evidence and not any(_DENIES.search(each.quote) for each in evidence):
        return _check("fact_table", "failed", "no passage that was cited denies it")
    return _check("fact_table", "not_applicable", "it holds none")


def with_officer(facts: FactMatch, report: Report, pages: Mapping[int, Page]) -> FactMatch:
    """The facts with the officer that rules read on the given pages, where no facts of the report are kept."""
    if facts.role is None or facts.is_stored or facts.person is not None:
        return facts
    people = officers_of([pages[number] for number in sorted(pages)], report.company)
    return replace(facts, person=next((person for person in people if person.role == facts.role), None))


def _people_table(value: str, facts: FactMatch, *, drawn_from_table: bool) -> Check:
    """Check whether a name is that of the officer whom rules read for the office."""
    person = facts.person
    if drawn_from_table or person is None or person.confidence == "low":
        return _check("fact_table", "not_applicable", "it holds no certain name for this office")
    is_firm = person.role == "auditor"
    same = firm_key(value) == firm_key(person.name) if is_firm else same_person(value, person.name)
    return _check("fact_table", "passed" if same else "failed", f"there it is {person.name}, {person.title}")


def fact_text(fact: Fact) -> str:
    """The fact on one line, with page and confidence."""
    period = f" for {fact.period.end}" if fact.period else ""
    return (
        f"{fact.value:,f} {fact.currency or ''}".rstrip()
        + f"{period}, {fact.row_label!r} on page {fact.page_number}, confidence {fact.confidence}"
    )


def _column_years(evidence: Evidence, page: Page) -> set[int]:
    """The calendar years of the columns that print the figure in a table.

    Where a column does not name its own, as under a caption for the whole table, a year over the row comes first.
    """
    printed = figure_on(evidence.printed_figure or "", page)
    found: set[int] = set()
    for table, cell in places_of(printed, evidence.quote, page) if printed is not None else ():
        column = column_of(table, cell)
        row = next((row for row in table_rows(table, page.page_number) if row.row == cell.row), None)
        over_row = years_named(periods_in(row.heading)) if row is not None else ()
        if over_row and not years_named(periods_in(column.header)):
            found.update(over_row)
        elif (period := column.period) is not None:
            found.add(period.year)
    return found


def _claimed_years(evidence: Evidence, report: Report, *, skips_later: bool) -> set[int]:
    """The calendar years of the passage, as the draft gives them; a fiscal year may have either of its names.

    With `skips_later`, a day after the report's period on which something is done is no period of a figure.
    """
    found = set()
    said = evidence.period or ""
    for period in periods_in(said):
        if period.year is not None and period.month and period.day:
            if skips_later and _is_of_a_later_act(period, said, report):
                continue
            found.add(ending_year(dt.date(period.year, period.month, min(period.day, 28))))
            continue
        named = [year for year in (period.first_year, period.year) if year is not None]
        later = [year + 1 for year in named] if report.is_called_by_first_year and not period.month else []
        found.update(later if period.is_fiscal and later else [*named, *later])
    return found


_ON = expression(r"\W{0,3}on\b", re.IGNORECASE)


def _is_of_a_later_act(period: NamedPeriod, said: str, report: Report) -> bool:
    """Whether a day is one after the report's period on which something is done: "to the meeting on 31 May 2023"."""
    end = report.period_end
    if end is None or period.year is None or not period.month or not period.day:
        return False
    is_later = (period.year, period.month, period.day) > (end.year, end.month, end.day)
    return is_later and _ON.match(period.phrase(said)) is not None


def _citation(evidence: Evidence, report: Report, page: Page) -> Citation:
    boxes = _of_its_figure(locate(evidence.quote, page) or (), evidence, page)
    return Citation(
        report_sha1=report.sha1,
        file=report.file,
        page=page.page_number,
        page_width=page.width,
        page_height=page.height,
        quote=evidence.quote,
        boxes=boxes,
        text_source=page.source_at(boxes),
    )


def _of_its_figure(boxes: tuple[Box, ...], evidence: Evidence, page: Page) -> tuple[Box, ...]:
    """The boxes of a row without those of other columns, whose figures the passage has beside its own."""
    printed = figure_on(evidence.printed_figure or "", page)
    if printed is None:
        return boxes
    of_others = {cell.box for table in page.tables for cell in table.cells if cell.role == "value"}
    its_own = {cell.box for _, cell in cells_with(printed, page)}
    is_marked = any(box in its_own for box in boxes)
    return tuple(box for box in boxes if box in its_own or box not in of_others) if is_marked else boxes


def _unit(evidence: Sequence[Evidence], report: Report, facts: FactMatch) -> Unit | None:
    first = next((e for e in evidence if e.printed_figure), None)
    if first is None:
        return None
    cited = " + ".join(e.printed_figure for e in evidence if e.printed_figure)  # several are those of a sum
    fact = facts.fact if facts.fact is not None and facts.fact.printed in (first.printed_figure, cited) else None
    return Unit(
        currency=first.currency,
        scale=first.scale or 1,
        printed=fact.printed if fact else first.printed_figure or "",
        period_end=fact.period.end if fact is not None and fact.period else report.period_end,
        measure="percent" if _is_percent(first) else None,
    )


def _is_percent(evidence: Evidence) -> bool:
    """Whether a figure is a percentage: by its sign, or by the label of its row."""
    is_labelled = evidence.currency is None and _PERCENTAGE.match(evidence.quote) is not None
    return is_labelled or (evidence.printed_figure or "").endswith("%")


_PERCENTAGE = expression(r"\D{0,60}\bpercentage\b", re.IGNORECASE)


def _unit_of(derivation: Derivation, report: Report) -> Unit:
    """The unit of a calculated figure, as people write it."""
    metric, end = derivation.metric, report.period_end
    closing = [o.fact.period.end for o in derivation.operands if o.moment == "closing" and o.fact.period]
    measure = None if metric.is_money or metric.unit == "count" else metric.unit
    return Unit(
        currency=derivation.currency if metric.is_money else None,
        printed=derivation.shown,
        period_end=max(closing, default=end),
        measure=measure,
    )


def _operands(
    derivation: Derivation, evidence: Sequence[Evidence], citations: Sequence[Citation]
) -> Iterator[CitedFigure]:
    at = 0
    for operand in derivation.operands:
        fact, first = operand.fact, evidence[at] if at < len(evidence) else None
        if first is None:
            return
        end = fact.period.end if fact.period else None
        yield CitedFigure(
            name=operand.title,
            value=float(fact.value),
            unit=Unit(currency=fact.currency, scale=first.scale or 1, printed=fact.printed, period_end=end),
            period=end,
            row=fact.row_label,
            citation=citations[at],
        )
        at += len(fact.printed.split(" + "))


def _check(name: CheckName, verdict: Verdict, detail: str) -> Check:
    return Check(name=name, verdict=verdict, detail=detail)

"""Finds the facts that a question asks for; a question about something narrower asks for none."""

import datetime as dt
import re
from dataclasses import replace
from itertools import takewhile
from typing import Final

from indexes.facts.fact_table import FactTable, neighbours_of
from indexes.roles.auditors import firm_key
from query_engines.calculation.derivation import Derivation, Span, decides, derive
from query_engines.calculation.part_figures import YEAR_ALONE, PartsFound, in_money
from query_engines.calculation.part_questions import is_of_later_years
from query_engines.calculation.parts import find_parts
from query_engines.calculation.row_questions import asks_to_calculate, named_figures
from query_engines.company_names.vocabulary import is_spelled_right, is_spoken
from query_engines.question.classifier import label_words, names_of, said_beside
from query_engines.question.filings import (
    BESIDE_A_LABEL,
    ChosenFiling,
    FilingChooser,
    WantedPeriod,
    is_of_another_year,
    is_of_later_year,
    is_of_less,
    may_be_called,
    of_line,
    of_scope,
    on_basis,
    without_basis,
)
from query_engines.question.parsed import NAMED_EVENTS, FactMatch, Intent, ParsedQuestion
from query_engines.question.search_text import label_in, nameless
from query_engines.question.section_topics import SectionMatch, sections_for
from query_engines.question.told_events import said_of_event, surest, told
from storage.lexicon.names import names_a_place
from storage.lexicon.periods import periods_in
from storage.lexicon.question_words import WITHOUT
from storage.lexicon.words import FUNCTION_WORDS, expression
from storage.records.derived_metrics import Change, DerivedMetric, change_of
from storage.records.facts import EventKind, ReportFacts, Role, Seat
from storage.records.metrics import Metric, Ontology, folded, significant
from storage.records.reports import MONTHS_OF_YEAR, Company, Report, ending_year
from storage.text import words

_NOT_MONEY: Final = {"per share": "per_share", "percent": "percent", "ratio": "ratio", "date": "date"}
_FUNCTION: Final = significant(" ".join((*FUNCTION_WORDS, "but", "not")))
_PERIOD: Final = frozenset({"year", "period"})
_OF_LESS = expression(
    r"(?i)\b(?:of (?:the parent company|discontinued operations)|in the \w+ quarter|due (?:with)?in \w+ \w+)$"
)
# "What was the …", "Acme's …": a question for a thing, not for what is said about it.
PLAINLY = expression(
    r"(?i)(?:in \d{4}, )?(?:what|how much) (?:was|were) (?:the )?"
    r"|(?:[^,:?]|, (?=(?:Inc|Ltd|LLC|Corp|Co|S\.?A|N\.?V|PLC)\b)){2,90}(?:['’]s|s['’]) "
)
# A label that begins or ends with what is always an amount, and is no sentence: "proceeds from the purchase plan".
_AMOUNTS = (
    r"(?:proceeds|(?:re)?payments|purchases|expenses?|costs?|income|fees|losses|gains?|charges|provisions|balances?"
    r"|receivables?|payables?|depreciation|amorti[sz]ation|contributions)"
)
_AMOUNT = expression(
    r"(?i)^(?!.{0,200}\b(?:is|are|was|were|did|do|does|has|have|had|about|because|when|which|who)\b)"
    rf"(?:(?:net |total |other |gross )?{_AMOUNTS}\b|.{{0,60}} {_AMOUNTS}$)"
)
_LEFT_OUT = expression(WITHOUT, re.IGNORECASE)
QUALIFIERS = frozenset(
    words("gros adjusted forma impairment accumulated deferred discontinued other diluted pledged")
)
_MOST_FIGURES, _MOST_ROWS, _SHORT_ROW = 26, 4, 60  # of a list for a model; letters of a row
_TICKER = expression(r"\b[A-Z]{2,5}(?:[._][A-Z])?\b")


class FactLookup:
    """Finds the facts that questions ask for."""

    def __init__(
        self,
        table: FactTable,
        ontology: Ontology | None = None,
        *,
        strict: bool = True,
    ) -> None:
        """Prepare a lookup.

        Args:
            table: the facts.
            ontology: the titles of what is calculated with; without one nothing is.
            strict: leaves out sums of printed figures, since nothing may be calculated.
        """
        self._table = table
        self._ontology = ontology
        self._strict = strict
        self._filings = FilingChooser(table)

    def _facts(self, parsed: ParsedQuestion, report: Report) -> ReportFacts | None:
        """The facts of a report, on the basis that the question names."""
        stored = self._table.of(parsed.company, report) if parsed.company is not None else None
        return on_basis(stored, parsed) if stored is not None else None

    def choose(self, parsed: ParsedQuestion, company: Company) -> ChosenFiling:
        """The filing of a company, with at least one, that answers a question about it."""
        return self._filings.choose(parsed, company)

    def look_up_in(self, parsed: ParsedQuestion, chosen: ChosenFiling) -> FactMatch:
        """The facts of the chosen filing; a figure that was found when it was chosen is the one."""
        stored = self._facts(parsed, chosen.report) if parsed.company is not None else None
        match = self._of_filing(parsed, chosen)
        metric = match.metric or parsed.intent.sole_metric
        others = [m for m in self._ontology.metrics if metric and m.id != metric.id] if self._ontology else []
        fact = match.fact if metric is not None and match.fact and match.fact.metric == metric.id else None
        return replace(
            match,
            usual_scale=stored.usual_scale if stored else None,
            others=others,
            neighbours=neighbours_of(fact, metric, stored) if fact and metric and stored else (),
        )

    def printed_in(self, parsed: ParsedQuestion, report: Report) -> tuple[str, ...]:
        """What a report prints figures of: the metrics of its fact table, then rows with words of the question."""
        facts = self._facts(parsed, report)
        if facts is None or self._ontology is None:
            return ()
        found = (self._ontology.get(fact.metric) for fact in facts.facts)
        known = dict.fromkeys(metric.title for metric in found if metric is not None and "," not in metric.title)
        asked = significant(parsed.intent.text)
        shared = {label: len(significant(label) & asked) for label in facts.labels if len(label) <= _SHORT_ROW}
        rows = sorted((label for label, count in shared.items() if count), key=lambda label: -shared[label])
        return (*list(known)[:_MOST_FIGURES], *rows[:_MOST_ROWS])

    def _of_filing(self, parsed: ParsedQuestion, chosen: ChosenFiling) -> FactMatch:
        match, period, fact = self.look_up(parsed, chosen.report), chosen.period, chosen.fact
        if period is None:
            return match
        end = fact.period.end if fact and fact.period else None
        match = replace(match, period_end=end or period.end, period_name=period.in_words(end))
        if parsed.kind == "number" and period.months != MONTHS_OF_YEAR and parsed.company is not None:
            stored = self._facts(parsed, chosen.report)
            if stored and (found := self._derived_in_part(match, stored, parsed.intent, period)):
                return found
        metric = parsed.intent.sole_metric or parsed.intent.part_metric
        is_other_row = match.metric is None and match.fact is None and parsed.intent.sole_metric is not None
        if parsed.kind != "number" or metric is None or match.is_opening or is_other_row:
            return match
        is_on_basis = match.fact is not None and bool(match.fact.basis)
        if fact is not None and not is_on_basis and not (self._strict and fact.is_sum):
            return replace(match, metric=metric, fact=fact, is_stored=True, is_read=True, remark=chosen.remark)
        filing, is_other = chosen.report.filing, match.fact is not None and match.fact.period is not None
        if is_other and filing.is_periodic and not filing.is_annual:
            return replace(match, fact=None)  # the figure of a quarter is not that of its year
        return match

    def _derived_in_part(
        self, match: FactMatch, facts: ReportFacts, intent: Intent, period: WantedPeriod
    ) -> FactMatch | None:
        """The match with what is to be calculated of a part of a year; None where that is nothing, or is printed."""
        change, printed = intent.part_change, intent.part_metric
        changed = self._changed(change, facts, period.end.year) if change else None
        metric = intent.part_derived or changed
        if metric is None or self._ontology is None:
            return None
        if changed is None and printed is not None and facts.over(printed.id, period.end, period.months):
            return None
        derivation = derive(metric, facts, self._ontology, span=Span(period.end, period.months))
        ends = [o.fact.period.end for o in derivation.operands if o.moment == "closing" and o.fact.period]
        return replace(
            match,
            period_name=period.in_words(max(ends, default=None)),
            is_read=bool(facts.facts),
            metric=None,
            fact=None,
            derivation=derivation,
            may_calculate=intent.part_derived is None or not self._strict,
        )

    def settled(self, parsed: ParsedQuestion, report: Report) -> ParsedQuestion:
        """The question as one for a figure, where it asks plainly for a row that the report prints, or per head of it.

        A sentence that shares the row's words says something else.
        """
        is_of_words = parsed.question.kind is None and parsed.kind in ("text", "names", "name")
        is_open = is_of_words and parsed.query.operation != "why"
        if is_open and parsed.kind == "text" and parsed.company is not None and parsed.intent.asks_what_is_due:
            due = self._of_parts(parsed, self._facts(parsed, report), None)
            return parsed if due is None else parsed.with_kind("number")
        if not is_open or not parsed.periods or parsed.company is None or not PLAINLY.match(parsed.wording):
            return parsed
        facts, label = self._facts(parsed, report), parsed.query.subject
        topic = significant(parsed.section.title) if parsed.section else frozenset[str]()
        is_row = facts is not None and bool(significant(label) - topic) and prints_row(label, facts)
        is_measured = parsed.intent.dimension in _NOT_MONEY or asks_for_opening(parsed, report)
        is_measured = parsed.kind == "text" and is_measured
        is_amount = _AMOUNT.match(label) is not None
        return parsed.with_kind("number") if is_row or is_measured or is_amount else parsed

    def look_up(self, parsed: ParsedQuestion, report: Report) -> FactMatch:
        """The facts of a report for a question about its company.

        Raises:
            ValueError: the question's company is not known.
        """
        if parsed.company is None:
            raise ValueError(f"the company of {parsed.text!r} is not known yet")
        facts = self._facts(parsed, report)
        found = self._looked_up(parsed, report, facts)
        asked = nameless(parsed.text, parsed.company)
        is_defined = found.fact is not None and parsed.asks_for_exactly_it  # "the net worth, assets minus debts"
        if is_defined or not asks_to_calculate(asked):
            return found
        if facts is None or self._ontology is None or self._strict:
            return replace(found, may_relate=True)
        return replace(found, named=named_figures(asked, facts, self._ontology), may_relate=True)

    def _looked_up(self, parsed: ParsedQuestion, report: Report, facts: ReportFacts | None) -> FactMatch:
        intent, year = parsed.intent, _requested_year(parsed, report)
        parts = self._of_parts(parsed, facts, year)
        if parts is not None and facts is not None and not _is_for_parts(parts, intent.text, facts):
            parts = None
        if parsed.kind == "number":
            if asks_for_opening(parsed, report):
                return self._opening(facts, self._metric(parsed, facts), year, report)
            is_label = facts is not None and prints_row(label_in(intent.text), facts)
            metric = self._metric(parsed, facts)
            match = self._of_metric(of_line(facts, metric, label_in(intent.text)), metric, year)
            if _is_of_another_firm(parsed, facts):
                return replace(match, fact=None, periods=())
            is_newer = year is not None and is_of_later_year(match.fact, year)
            is_newer = is_newer and any(period.years_back for period in periods_in(parsed.question.text))
            is_other = is_newer or is_of_another_year(match.fact, year, parsed, report)
            is_other = is_other or is_of_less(match.fact, parsed, report)
            match = replace(match, is_printed_label=is_label, fact=None if is_other else match.fact)
            found = replace(self._derived(match, facts, intent, year), judgement=None, beside=())
            is_share = intent.parts is not None and intent.parts.operation == "share"
            found = self._with_whole(found, parsed, facts, year)
            return (
                found
                if parts is None or (found.pages and not is_share)
                else self._of_part(found, parts, intent.change)
            )
        known = facts or ReportFacts(report_sha1=report.sha1)
        if parsed.kind == "boolean" and intent.judgement is not None:
            return self._derived(FactMatch(is_stored=facts is not None, year=year), facts, intent, year)
        asks_for_auditor = parsed.section is not None and parsed.section.lists == "firm"
        role = (
            intent.role if intent.is_plain and parsed.kind == "name" else "auditor" if asks_for_auditor else None
        )
        event = intent.event if intent.is_plain and _is_event_question(parsed, intent.event) else None
        events = told(event, parsed, known, year, report) if event else ()
        if not events and said_of_event(parsed):
            event = None  # the rules for events say nothing about this person, company or body, or so grave a case
        section = None
        if parsed.section is not None and parsed.company is not None and not events:
            section = sections_for(parsed.section, intent.text, known.sections)
        found = FactMatch(
            section=section,
            sections=known.sections if parsed.kind in ("text", "boolean") else (),
            is_stored=facts is not None,
            is_read=bool(known.facts),
            named_parts=parts if parsed.kind in ("name", "names", "text") else None,
            derivation=self._explained(parsed, facts, year),
            role=role,
            event=event,
            year=year,
            person=_officer(known, role, year, report),
            seats=_seats(parsed, known, section),
            events=surest(events, of_any_time=intent.is_of_any_time),
        )
        return self._with_whole(found, parsed, facts, year) if parsed.kind == "text" else found

    def _with_whole(
        self, found: FactMatch, parsed: ParsedQuestion, facts: ReportFacts | None, year: int | None
    ) -> FactMatch:
        """The match with the figure that the question is likely about, to be shown where it is not the answer."""
        guess, standing = parsed.guess, parsed.standing
        metric = self._ontology.get(guess.topic) if self._ontology and guess.is_figure else parsed.intent.metric
        if metric is None or found.derivation is not None:
            return found
        said = (standing.surely_said if standing else "") or said_beside(metric.id, label_in(parsed.intent.text))
        return replace(found, whole=found.fact or self._of_metric(facts, metric, year).fact, said_beside=said)

    def _explained(self, parsed: ParsedQuestion, facts: ReportFacts | None, year: int | None) -> Derivation | None:
        """The change that a question wants explained, as far as the fact table knows it."""
        metric = parsed.intent.metric or parsed.intent.explained
        if parsed.kind != "text" or facts is None or metric is None or self._ontology is None:
            return None
        changed = self._changed(Change(what=metric.title, metric=metric, is_share=True), facts, year)
        is_asked = parsed.query.operation == "why"
        return derive(changed, facts, self._ontology, year) if changed and is_asked else None

    def _of_parts(self, parsed: ParsedQuestion, facts: ReportFacts | None, year: int | None) -> PartsFound | None:
        """The parts of a figure that the question asks about; parts are money, and nothing for each head or share."""
        asked = parsed.intent.parts
        if parsed.intent.dimension == "per share":
            return None
        is_portion_of_rest = (
            asked is not None and asked.is_portion and asked.kinds and _LEFT_OUT.search(parsed.text)
        )
        if is_of_later_years(parsed.question.text) or is_portion_of_rest:
            return None
        if facts is None or asked is None or asked.is_of_names != (parsed.kind in ("name", "names")):
            return None
        if asked.is_of_each != (parsed.kind == "text"):
            return None
        return find_parts(asked, facts, parsed.intent.metric, year, parsed.years)

    def _of_part(self, match: FactMatch, parts: PartsFound, change: Change | None) -> FactMatch:
        """The match with the figure of one part; a share is calculated, so in strict mode it only tells the user."""
        if parts.fact is not None:
            return replace(match, is_read=True, metric=None, fact=parts.fact, derivation=None)
        derivation = parts.derivation
        is_growth = derivation is not None and "opening" in derivation.formula
        is_in_money = change is not None and not change.is_share and not change.is_growth
        if derivation is not None and is_growth and is_in_money and not parts.breakdown.is_percent:
            derivation = in_money(derivation)
        return replace(
            match,
            is_read=True,
            metric=None,
            derivation=derivation,
            may_calculate=is_growth or not self._strict,
        )

    def _of_metric(self, facts: ReportFacts | None, metric: Metric | None, year: int | None) -> FactMatch:
        found = _of_metric(facts, metric, year)
        if self._strict and found.fact is not None and found.fact.is_sum:
            return replace(found, fact=None, periods=(), parts=found.fact.printed)
        return found

    def _metric(self, parsed: ParsedQuestion, facts: ReportFacts | None) -> Metric | None:
        """The metric that a question asks for, else that of the statement's row whose very label it writes."""
        if basis := next((fact.basis for fact in facts.facts if fact.basis), "") if facts else "":
            parsed = without_basis(parsed, basis)
        asked = _metric_asked(parsed, facts)
        is_row = asked is None and parsed.intent.sole_metric is not None
        found = self._labelled(parsed.query.subject, facts) if is_row and facts else asked
        scope = of_scope(found, self._ontology, parsed)
        return self._with_all_lines(scope, facts, parsed) if scope is not None and facts is not None else scope

    def _with_all_lines(self, metric: Metric, facts: ReportFacts, parsed: ParsedQuestion) -> Metric | None:
        """The sum of the metric's lines, where a question names more than the printed row: amortization, too.

        None where it names none of the row's words, but those of another line of the sum.
        """
        beside = [self._ontology.get(id_) for id_ in metric.beside] if self._ontology else []
        row, said = facts.current(metric.id), significant(parsed.wording) & names_of(metric)
        for whole in beside:
            summed = facts.current(whole.id) if whole is not None and whole.adds else None
            label = significant(row.row_label) if row else frozenset[str]()
            if row and summed and summed.value != row.value and said - label:
                return whole if said & label else None
        return metric

    def _opening(
        self, facts: ReportFacts | None, metric: Metric | None, year: int | None, report: Report
    ) -> FactMatch:
        """The balance at the beginning of a year, which is that at the end of the year before; flows have none."""
        closing = year or (ending_year(report.period_end) if report.period_end else None)
        before = closing - 1 if closing is not None else None
        is_balance = metric is not None and (metric.statement == "balance" or metric.id == "cash_at_end")
        match = self._of_metric(facts, metric if is_balance else None, before)
        is_at_end = match.fact and match.fact.period and match.fact.period.year == before
        return replace(match, metric=metric, is_opening=True, year=before, fact=match.fact if is_at_end else None)

    def _derived(self, match: FactMatch, facts: ReportFacts | None, intent: Intent, year: int | None) -> FactMatch:
        """The match with what the question asks to calculate.

        In strict mode only a change is calculated, since the question itself asks to calculate, and what one line alone
        decides; a derived metric only tells the user.
        """
        if facts is None or self._ontology is None:
            return match
        label = label_in(intent.text)
        change = intent.change
        is_own = match.fact is not None and match.metric is not None and match.metric.place(label) is not None
        is_row = change is not None and (is_own or prints_row(label, facts) or _OF_LESS.search(label) is not None)
        is_other = change is not None and bool((significant(label) & QUALIFIERS) - significant(change.what))
        changed = self._changed(change, facts, year) if change and not is_row and not is_other else None
        metric = intent.derived or changed
        if metric is None:
            return match
        is_change = intent.derived is None
        derived = [derive(used, facts, self._ontology, year) for used in (metric, *intent.beside)]
        deciding = decides(derived, intent.judgement)
        return replace(
            match,
            is_read=bool(facts.facts),
            fact=None if is_change else match.fact,
            derivation=deciding,
            may_calculate=is_change
            or not self._strict
            or (intent.judgement is not None and len(metric.metrics) == 1),
            judgement=intent.judgement,
            beside=tuple(one for one in derived if one is not deciding and one.value is not None),
        )

    def _changed(self, change: Change, facts: ReportFacts, year: int | None) -> DerivedMetric | None:
        """The change of the metric that the question names, or of the row whose label it names."""
        metric = change.metric or self._labelled(change.what, facts)
        if metric is None:
            return None
        known = {f.period.year: f.value for f in reversed(facts.of(metric.id)) if f.period}
        end = year or (ending_year(facts.period_end) if facts.period_end else max(known, default=0))
        figures = [known[y] for y in (end, end - 1) if y in known]
        if change.is_growth and len(figures) > 1 and min(figures) * max(figures) > 0:
            change = change.model_copy(update={"is_share": True})
        return change_of(metric, change, is_negative=bool(figures) and max(figures) < 0)

    def _labelled(self, what: str, facts: ReportFacts) -> Metric | None:
        """The metric of the only row of a statement whose label a question writes."""
        wanted = significant(what)
        found = [f.metric for f in facts.facts if wanted and significant(folded(f.row_label)) == wanted]
        return self._ontology[found[0]] if self._ontology and len(set(found)) == 1 else None


def asks_for_opening(parsed: ParsedQuestion, report: Report) -> bool:
    """Whether a question is for the beginning of a year: in words, or by the day on which the report's year begins."""
    if parsed.query.is_opening:
        return True
    end = report.period_end
    first = end + dt.timedelta(days=1) if end is not None else None
    return first is not None and any((p.month, p.day) == (first.month, first.day) for p in parsed.periods)


def _metric_asked(parsed: ParsedQuestion, facts: ReportFacts | None) -> Metric | None:
    """The metric that a question asks for; None where its words are of another dimension, or those of another row.

    A question that is written as labels are, with no everyday word, must be a label of the metric.
    """
    intent = parsed.intent
    metric = intent.sole_metric
    if metric is None or (intent.dimension in _NOT_MONEY and _NOT_MONEY[intent.dimension] != metric.kind):
        return None
    if parsed.asks_for_exactly_it:
        return metric
    label = label_in(intent.text)
    if _is_of_less(label, metric):
        return None
    wanted = significant(label) - (frozenset() if label.isupper() else _own_words(label, parsed.company))
    names = tuple(map(significant, (metric.title, *metric.question_names, *metric.names)))
    of_names = frozenset[str]().union(*names)
    is_label = metric.place(label) is not None and not (wanted & QUALIFIERS) - of_names
    if facts is None or intent.is_by_name or not wanted:
        return metric
    own = (*(significant(folded(f.row_label)) for f in facts.of(metric.id)), *(name - _PERIOD for name in names))
    said = max((name for name in own if name <= wanted), key=len, default=frozenset[str]())
    name = significant(parsed.company.name) if said and parsed.company else frozenset[str]()
    beside = wanted - said - BESIDE_A_LABEL - name
    if said and parsed.language == "en" and _is_narrowed(label, said, of_names | name):
        return None
    if said and not beside:
        is_own_row = wanted == said or not facts.prints(wanted, frozenset())
        return metric if is_own_row else None
    without_year = frozenset(word for word in wanted if not YEAR_ALONE.fullmatch(word))
    # The row of another figure, which only shares the metric's words.
    is_other_row = prints_row(label, facts, without_year) and (said or not is_label)
    in_words = metric.statement in ("notes", "text")
    if is_other_row or (in_words and facts.prints_within(wanted - said - name)):
        return None  # "employees behind the cash and cash equivalents"
    if is_label or (said and in_words):
        return metric
    if parsed.language != "en" and wanted.isdisjoint(facts.label_words):
        return metric  # in another language than its rows
    of_labels = label_words() | of_names | _FUNCTION
    unusual = {w for w in wanted.intersection(facts.label_words) if not is_spoken(w) and not is_spoken(f"{w}s")}
    return None if wanted <= of_labels | unusual else metric


def _is_of_less(label: str, metric: Metric) -> bool:
    """Whether a label takes a part of the metric, and none that its names have: "due within one year"."""
    less = _OF_LESS.search(label)
    if less is None or _LEFT_OUT.search(label[: less.start()]):
        return False
    return not any(folded(less[0]) in folded(name) for name in metric.names)


def _is_narrowed(label: str, said: frozenset[str], known: frozenset[str]) -> bool:
    """Whether a word that nobody says in passing stands right behind a figure's name: "equity accounted investees"."""
    tokens = label.split()
    last = max((at for at, token in enumerate(tokens) if significant(token) & said), default=len(tokens))
    behind = takewhile(lambda token: token.isalpha() and token.islower(), tokens[last + 1 : last + 3])
    words_behind = takewhile(lambda token: token not in FUNCTION_WORDS, behind)
    return any(
        significant(word) - known - BESIDE_A_LABEL and not is_spoken(word) and is_spelled_right(word)
        for word in words_behind
    )


def _own_words(label: str, company: Company | None) -> frozenset[str]:
    """The words of a label by which the company is called."""
    tickers = (each for each in _TICKER.findall(label) if not names_a_place(f"in {each}"))
    return significant(" ".join([*(company.name.split()[:1] if company else ()), *tickers]))


def prints_row(label: str, facts: ReportFacts, said: frozenset[str] | None = None) -> bool:
    """Whether a table prints a row under exactly the words of a label."""
    return facts.prints(significant(label) if said is None else said, BESIDE_A_LABEL)


def same_label(printed: str, label: str) -> bool:
    """Whether a printed label has exactly the words of another one, but for those that stand beside any."""
    return bare_name(printed) == bare_name(label)


def bare_name(label: str) -> frozenset[str]:
    """The words of a label without those that stand beside any, unless it has no others."""
    said = significant(folded(label))
    return said - BESIDE_A_LABEL or said


def _is_for_parts(parts: PartsFound, text: str, facts: ReportFacts) -> bool:
    """Whether a question is for the parts that were found, and not for a row of a statement with its very words."""
    if parts.chosen and parts.fact is None and parts.derivation is None:
        return True
    if parts.fact is not None and any(part.name.strip().isdigit() for part in parts.chosen):
        return True  # "how much of its debt is due in 2025": the row of all debt is not that of a year
    is_row = prints_row(label_in(text), facts)
    return not is_row or any(same_label(part.name, label_in(text)) for part in parts.chosen)


def _is_event_question(parsed: ParsedQuestion, event: EventKind | None) -> bool:
    return parsed.kind == "boolean" or (event in NAMED_EVENTS and parsed.kind in ("name", "names", "text"))


def _requested_year(parsed: ParsedQuestion, report: Report) -> int | None:
    """The year that a question names, or the prior year if it asks for that."""
    if parsed.year is None and parsed.is_of_year_before and report.period_end:
        return ending_year(report.period_end) - 1
    return parsed.year_in(report)


def _officer(known: ReportFacts, role: Role | None, year: int | None, report: Report) -> Seat | None:
    """The holder of an office in the reported period, if certain; a report says too little about other years."""
    if role is None or (year is not None and report.period_end is not None and year != report.year):
        return None
    return next((p for p in known.holders(role) if p.confidence != "low"), None)


def _seats(parsed: ParsedQuestion, known: ReportFacts, section: SectionMatch | None) -> tuple[Seat, ...]:
    """The seats of those whom a question asks for by an office, a committee, or the list that a section has."""
    if parsed.intent.party is not None:
        return parsed.intent.party.seats_in(known)
    if section is None:
        return tuple(seat for seat in known.seats if seat.is_next and seat.role in parsed.intent.offices_next)
    if section.rule.lists == "firm":
        return known.holders("auditor")
    if section.rule.lists == "holders":
        asked = parsed.intent.holders
        return () if section.wanted or asked is None else asked.seats_in(known)
    if section.rule.lists != "people":
        return ()
    numbers = {known.sections.index(own) for own in section.sections}
    return (*known.officers, *(seat for seat in known.seats if seat.section in numbers))


def _is_of_another_firm(parsed: ParsedQuestion, facts: ReportFacts | None) -> bool:
    """Whether a question about an audit names a firm that is not known to be the report's auditor."""
    firm = parsed.intent.firm
    auditors = facts.holders("auditor") if facts is not None and firm else ()
    return bool(firm) and firm_key(firm) not in {firm_key(seat.name) for seat in auditors}


def _of_metric(facts: ReportFacts | None, metric: Metric | None, year: int | None) -> FactMatch:
    if facts is None or metric is None:
        return FactMatch(is_stored=facts is not None, metric=metric, year=year)
    periods = facts.of(metric.id)
    current = facts.current(metric.id)
    fact = current if year is None else next((f for f in periods if f.period and f.period.year == year), None)
    if fact is None and current is not None and year is not None and may_be_called(year, current):
        fact = current
    return FactMatch(
        is_stored=True, is_read=bool(facts.facts), metric=metric, year=year, fact=fact, periods=periods
    )

"""Answers without a language model: from the fact table, else from rows or sentences, else N/A."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from llama_index.core.types import BasePydanticProgram

from prompts.drafts import Draft, UnavailableBecause
from prompts.kinds import draft_for
from prompts.kinds.name import NameDraft
from prompts.kinds.names import NamesDraft
from prompts.kinds.number import NumberDraft
from prompts.kinds.text import TextDraft
from query_engines.calculation.derivation import Derivation
from query_engines.extraction.counts import counted_in, percentage_in, price_in
from query_engines.extraction.from_facts import (
    draft_from_facts,
    draft_of_each,
    draft_of_figure,
    draft_of_parts,
    passage,
)
from query_engines.extraction.from_sentences import (
    draft_of_another_time,
    draft_of_denial,
    draft_of_names,
    draft_of_told,
    hint_of,
    people_moved,
    positions_changed,
    products_launched,
)
from query_engines.extraction.rows import Sought, found_row
from query_engines.question.functions import MovesAsked, PartyAsked
from query_engines.question.parsed import FactMatch, ParsedQuestion, reported_year
from query_engines.sections.drafting import draft_of_section
from query_engines.sections.parties import draft_of_party, draft_of_successor
from query_engines.verification.meaning import is_row_itself, misfit
from storage.lexicon.question_words import is_share
from storage.records.answers import NOT_AVAILABLE, Check
from storage.records.facts import Fact
from storage.records.metrics import significant
from storage.records.pages import Page
from storage.records.questions import AnswerKind
from storage.records.reports import Report
from storage.text import words


class ExtractiveProgram(BasePydanticProgram[Draft]):
    """Answers from the fact table, else from a row or sentence that clearly fits, else with N/A.

    Attributes:
        draws_from_facts: a draft may come from the fact table, so that agreeing with it proves nothing.
    """

    draws_from_facts = True

    def __init__(self, kind: AnswerKind) -> None:
        self._kind = kind

    @property
    def output_cls(self) -> type[Draft]:
        """The form of the drafts."""
        return draft_for(self._kind)

    async def acall(self, *args: Any, **kwargs: Any) -> Draft:
        """Like `__call__`; it does not wait for anything."""
        return self(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Draft:
        """Draft an answer.

        Args:
            *args: none.
            **kwargs: `question` (ParsedQuestion), `report` (Report), `pages` (Page records, best first), `facts`
                (FactMatch, what the fact table has).
        """
        if args:
            raise TypeError("the program takes keyword arguments only")
        question: ParsedQuestion = kwargs["question"]
        report: Report = kwargs["report"]
        pages: Sequence[Page] = kwargs["pages"]
        facts: FactMatch = kwargs["facts"]
        currency = question.currency
        is_other = bool(currency and report.currency and currency != report.currency)
        if self._kind == "number" and is_other and not (facts.fact and facts.fact.currency == currency):
            return self._unavailable(f"The report is in {report.currency}, not in {currency}.", "other_currency")
        if question.intent.party is not None:
            return self._of_party(question.intent.party, question, facts, report, pages)
        if self.output_cls is NameDraft and question.intent.offices_next:
            successor = draft_of_successor(question.query.search, facts.seats, pages)
            return successor or self._unavailable(
                "No page that was read says who is to take the office.", "not_found"
            )
        found = self._from_facts(question, facts, report, pages)
        wrong = _misfit(found, question, facts, pages) if found is not None else None
        if found is not None and wrong is None:
            return found
        section = self._from_section(question, facts, report, pages) if found is None else None
        if section is not None:
            return section
        beyond = self._beyond(question, facts if wrong is None else _without_metric(facts), report, pages)
        unfit = _misfit(beyond, question, _without_metric(facts), pages)
        if unfit is None and (wrong is None or beyond.final_answer != NOT_AVAILABLE):
            return beyond
        return self._near(found if unfit is None and found is not None else beyond, unfit or wrong)

    def _of_party(
        self,
        asked: PartyAsked,
        question: ParsedQuestion,
        facts: FactMatch,
        report: Report,
        pages: Sequence[Page],
    ) -> Draft:
        """The names that the pages print; another year's may be other ones."""
        found = draft_of_party(question.query.search, asked, facts.seats, pages, self.output_cls)
        is_of_report = question.year in (None, reported_year(report))
        missing = f"No page that was read names the {asked.called}, or pages name several."
        return found if found is not None and is_of_report else self._unavailable(missing, "not_found")

    def _from_section(
        self, question: ParsedQuestion, facts: FactMatch, report: Report, pages: Sequence[Page]
    ) -> Draft | None:
        """What the section lists that the question asks for."""
        match = facts.section
        if match is None:
            return None
        found = draft_of_section(question.query.search, match, report, pages, self.output_cls, facts.seats)
        if match.rule.lists == "firm":
            if self._kind == "text" or (question.year is not None and question.year != reported_year(report)):
                found = None  # another year's auditor may be another firm, and sentences name none
            return found or self._unavailable("No page that was read names the auditor.", "not_found")
        if found is None and not match.sections:
            title = match.rule.title
            return self._unavailable(f"The map of the report has no section for it ({title}).", "not_found")
        return found

    def _from_facts(
        self, question: ParsedQuestion, facts: FactMatch, report: Report, pages: Sequence[Page]
    ) -> Draft | None:
        query, form = question.query.search, self.output_cls
        split = facts.named_parts
        page = next((p for p in pages if split and p.page_number == split.breakdown.page_number), None)
        if split is not None and page is not None and form in (NameDraft, NamesDraft):
            return draft_of_parts(query, split, form, page)
        if split is not None and page is not None and form is TextDraft:
            return draft_of_each(query, split, page)
        if form is NamesDraft or (form is NameDraft and facts.event is not None):
            named = (
                people_moved(facts.events, report, question.intent.moves or MovesAsked())
                if facts.event == "leadership_change" and question.dimension != "titles"
                else positions_changed(facts.events, report)
                if facts.event == "leadership_change"
                else products_launched(facts.events)
                if facts.event == "product_launch"
                else {}
            )
            return draft_of_names(query, named, report, pages, form)
        if form is TextDraft and facts.event is not None:
            return draft_of_told(query, facts.event, facts.events, report, pages)
        return draft_from_facts(query, facts, pages) if form is NameDraft or facts.person is None else None

    def _beyond(self, question: ParsedQuestion, facts: FactMatch, report: Report, pages: Sequence[Page]) -> Draft:
        """A draft from rows and sentences, where the fact table has no answer."""
        found: Draft | None = None
        is_told = self._kind == "boolean" and facts.calculated is not None and _is_told(facts.calculated)
        if facts.calculated is not None and not is_told and self._kind in ("number", "boolean"):
            reason: UnavailableBecause = (
                "not_disclosed" if facts.calculated.reason == "not_disclosed" else "not_found"
            )
            return self._unavailable(facts.no_meaning or _not_calculated(facts.calculated), reason)
        if self._kind == "number":
            found = self._number_beyond(question, facts, report, pages)
        elif self._kind == "boolean":
            if facts.event is None and question.intent.metric is None:  # of a line, its figure says it
                found = draft_of_another_time(question.query.search, facts.year, report, pages)
            found = found or draft_of_denial(question, facts.year, report, pages) or self._hinted(facts, pages)
        silence = "" if self._kind == "text" else _silence(facts)
        looked_for = f"{silence} {LOOKED_FOR.get(self._kind, NOT_READ)}".strip()
        return found or self._unavailable(looked_for, "not_found")

    def _hinted(self, facts: FactMatch, pages: Sequence[Page]) -> Draft | None:
        """N/A with the sentence that may tell of the event: rules alone cannot say whether it does."""
        hint = hint_of(facts.event, pages)
        if hint is None:
            return None
        page = hint.page.page_number
        draft = self._unavailable(
            f"A sentence on page {page} may tell of it, which rules cannot decide: {hint.text!r}", "not_found"
        )
        return draft.model_copy(update={"evidence": [passage(hint.page, hint.text)], "relevant_pages": [page]})

    def _number_beyond(
        self, question: ParsedQuestion, facts: FactMatch, report: Report, pages: Sequence[Page]
    ) -> Draft | None:
        query, year = question.query.search, facts.year or (report.year if report.period_end else None)
        bought = question.intent.bought
        if bought and (price := price_in(bought, report.currency, pages)) is not None:
            return _of_figure(query, price, pages, "A sentence says what was paid. Confidence: medium.")
        if facts.derivation and (stated := percentage_in(facts.derivation, pages)) is not None:
            return _of_figure(query, stated, pages, "The statements confirm it. Confidence: high.")
        if facts.periods and facts.fact is None and not facts.is_opening:
            return self._unavailable(_other_periods(facts), "other_period")
        if facts.metric is not None and (facts.is_opening or (facts.is_read and not facts.is_counted)):
            # the rules for facts rejected the rows that look like it
            return self._unavailable(_silence(facts), "not_found")
        if question.query.is_ahead and not question.intent.asks_what_is_due:
            return None  # rows have what was
        # Rows about shares are nearly always what was paid for them; their number is in sentences.
        is_count, counted = question.dimension == "count", question.intent.counted
        row = (
            None if is_count and is_share(counted) else found_row(_sought(question, facts, report), report, pages)
        )
        if row is not None and _explains(row, question.query.residue):
            trust = "Its row, column and table say what is asked, and no other figure does. Confidence: medium."
            return _of_figure(query, row, pages, trust)
        stated = counted_in(query, counted, year, pages) if is_count else None
        trust = "No sentence says another count. Confidence: low."
        return _of_figure(query, stated, pages, trust) if stated is not None else None

    def _near(self, draft: Draft, check: Check | None) -> Draft:
        """N/A with the figure that comes nearest, and why it is not the one."""
        why = f"The nearest figure is not the one asked for: {check.detail}." if check else ""
        cited = [e.model_copy(update={"relation": "other_measure"}) for e in draft.evidence[:1]]
        unavailable = self._unavailable(f"{why} {draft.reasoning_summary}", "not_found")
        return unavailable.model_copy(update={"evidence": cited, "relevant_pages": [e.page for e in cited]})

    def _unavailable(self, analysis: str, reason: UnavailableBecause) -> Draft:
        message = f"Looked for without a language model. {analysis}"
        return self.output_cls(
            step_by_step_analysis=message,
            reasoning_summary=message,
            evidence=[],
            relevant_pages=[],
            unavailable_because=reason,
            final_answer=NOT_AVAILABLE,
        )


def _misfit(draft: Draft, question: ParsedQuestion, facts: FactMatch, pages: Sequence[Page]) -> Check | None:
    """The check by which a figure is not what was asked, if any."""
    if not isinstance(draft, NumberDraft) or draft.final_answer == NOT_AVAILABLE:
        return None
    given = {page.page_number: page for page in pages}
    if facts.calculated is None:
        return misfit(question, facts, draft.evidence, given)
    asked, unit = question.intent.dimension, facts.calculated.metric.unit
    counts_units = unit in words(question.query.search)
    if (asked == "count" and unit != "count" and not counts_units) or is_row_itself(
        question, draft.evidence, given
    ):
        return Check(name="row", verdict="failed", detail=f"{facts.calculated.metric.title} is calculated")
    return None


def _without_metric(facts: FactMatch) -> FactMatch:
    """The facts for a question that the metric's figure does not answer: its rows are looked for instead."""
    return replace(facts, metric=None, fact=None, periods=(), parts="", derivation=None, judgement=None, remark="")


def _is_told(derivation: Derivation) -> bool:
    """Whether sentences say of a figure that is not printed whether there is one: "no dividend was paid"."""
    return derivation.reason == "not_found" and derivation.metric.id == _DIVIDEND


_DIVIDEND = "dividend_of_the_year"
LOOKED_FOR: dict[AnswerKind, str] = {
    "number": "On the pages that were read, no row of a table and no sentence gives it plainly.",
    "boolean": "No sentence on the pages that were read says plainly whether it happened, or denies it.",
    "name": "Without a model, names are given only where the report lists them plainly.",
    "names": "Without a model, names are given only where the report lists them plainly.",
    "text": "What the report says in prose takes a reader or a language model.",
}
NOT_READ = "Only a language model answers questions of this kind."


def _explains(row: Fact, asked: Sequence[str]) -> bool:
    """Whether a row says each of the words that change what is asked and that nothing else has explained."""
    said = significant(f"{row.row_label} {row.basis}")
    return all(significant(word) <= said for word in asked)


def _of_figure(query: str, fact: Fact, pages: Sequence[Page], trust: str) -> NumberDraft:
    page = next(page for page in pages if page.page_number == fact.page_number)
    return draft_of_figure(query, fact, page, trust)


def _sought(question: ParsedQuestion, facts: FactMatch, report: Report) -> Sought:
    reported = report.year if report.period_end else None
    return Sought(
        query=question.query.search,
        year=facts.year or reported,
        is_reported=facts.year in (None, reported) and not facts.is_opening,
        is_day=facts.is_opening,
        is_part=any(period.is_part_of_year for period in question.periods),
        dimension=question.dimension,
        is_printed_label=facts.is_printed_label,
    )


def _not_calculated(derivation: Derivation) -> str:
    return f"{derivation.metric.title} cannot be calculated: {derivation.why_not}."


def _silence(facts: FactMatch) -> str:
    if facts.derivation is not None and facts.derivation.value is not None:
        pages = ", ".join(map(str, facts.derivation.pages))
        return (
            f"No row of the report's tables prints {facts.derivation.metric.title}, nor does a sentence that was "
            "read, and what is not printed is calculated only where the strictness is analyst. "
            f"Calculated, it is {facts.derivation.shown} = {facts.derivation.in_figures} (pages {pages})."
        )
    if not facts.is_stored:
        return "No facts of this report are kept; ingest it again to have them read."
    if facts.parts:
        return (
            f"The report prints parts of it ({facts.parts}), not their sum, and sums are "
            "calculated only where the strictness is analyst."
        )
    if facts.event:
        return f"No sentence of the report was read as telling of {facts.event.replace('_', ' ')}."
    if facts.metric or facts.role:
        return "It is not among the figures and names that were read from the report."
    return "It is not among the figures that are read from every report."


def _other_periods(facts: FactMatch) -> str:
    years = ", ".join(sorted(str(f.period.year) for f in facts.periods if f.period))
    return f"The report gives it for {years}, not for {facts.year}."

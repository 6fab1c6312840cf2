"""An answer without any language model: from the report's fact table, else from a labelled row, or N/A."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.types import BasePydanticProgram

from prompts.drafts import AnyDraft, UnavailableBecause, draft_for
from query_engines.fact_lookup import FactsAsked
from query_engines.programs.known_facts import draft_from_facts
from query_engines.programs.labelled_rows import draft_from_rows
from query_engines.search_text import asked_currency
from storage.answers import NOT_AVAILABLE
from storage.pages import Page
from storage.questions import AnswerKind, Question
from storage.reports import Report


class ExtractiveProgram(BasePydanticProgram[AnyDraft]):
    """Answers what the fact table holds, and numbers from table rows; to anything else it says that it cannot."""

    def __init__(self, kind: AnswerKind) -> None:
        self._kind = kind

    @property
    def output_cls(self) -> type[AnyDraft]:
        """The draft of this program's kind."""
        return draft_for(self._kind)

    async def acall(self, *args: Any, **kwargs: Any) -> AnyDraft:
        """Like `__call__`; there is nothing to wait for."""
        return self(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> AnyDraft:
        """Draft an answer.

        Args:
            *args: none.
            **kwargs: `question` (Question), `search_text` (what it looks for), `report` (Report), `pages` (Page
                records, best first), `facts` (FactsAsked, what the fact table says).
        """
        if args:
            raise TypeError("the program takes keyword arguments only")
        question: Question = kwargs["question"]
        report: Report = kwargs["report"]
        pages: Sequence[Page] = kwargs["pages"]
        facts: FactsAsked = kwargs["facts"]
        asked = kwargs.get("search_text") or question.text
        currency = question.currency or asked_currency(question.text)
        if self._kind == "number" and currency and report.currency and currency != report.currency:
            return self._unavailable(f"The report is in {report.currency}, not in {currency}.", "other_currency")
        known = draft_from_facts(asked, facts, pages)
        if known is not None:
            return known
        if self._kind != "number":
            return self._unavailable(
                "Without a language model only figures, officers and events of the fact table are answered. "
                + _silence(facts),
                "not_found",
            )
        if facts.periods and facts.fact is None:
            return self._unavailable(_other_periods(facts), "other_period")
        if facts.metric is not None and facts.is_read:  # a row that the rules did not take for it is another's
            return self._unavailable(_silence(facts), "not_disclosed" if facts.parts else "not_found")
        year = facts.year or (report.period_end.year if report.period_end else None)
        row = draft_from_rows(asked, facts.metric, year, report, pages)
        return row or self._unavailable(
            f"{_silence(facts)} No table row on the {len(pages)} pages is labelled like {asked!r}.", "not_found"
        )

    def _unavailable(self, analysis: str, reason: UnavailableBecause) -> AnyDraft:
        return self.output_cls(
            step_by_step_analysis=analysis,
            reasoning_summary=analysis,
            evidence=[],
            relevant_pages=[],
            unavailable_because=reason,
            final_answer=NOT_AVAILABLE,
        )


def _silence(facts: FactsAsked) -> str:
    if not facts.is_kept:
        return "No facts of this report are kept; ingest it again to have them read."
    if facts.parts:
        return (
            f"The report prints parts of it ({facts.parts}), not their sum; in strict mode nothing is calculated."
        )
    if facts.metric or facts.role or facts.event:
        return "The report's fact table holds nothing of it."
    return "The question is for nothing that the fact table holds."


def _other_periods(facts: FactsAsked) -> str:
    years = ", ".join(sorted(str(f.period.year) for f in facts.periods if f.period))
    return f"The report's fact table holds it for {years}, not for {facts.year}."

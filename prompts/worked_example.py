"""A worked example: what a model is given and the draft that is right."""

import datetime as dt
from typing import Self

from pydantic import model_validator

from prompts.drafts import AnyDraft, Evidence, TextDraft
from storage.record import Record


class Example(Record):
    """A question, the pages given with it as (page number, Markdown), and the draft that is right."""

    question: str
    company: str
    currency: str
    period_end: dt.date
    pages: tuple[tuple[int, str], ...]
    draft: AnyDraft

    @model_validator(mode="after")
    def _keeps_the_rules(self) -> Self:
        """An example that breaks a rule teaches a model to break it."""
        draft, texts = self.draft, dict(self.pages)
        for passage in draft.evidence:
            if passage.quote not in texts.get(passage.page, ""):
                raise ValueError(f"the quote {passage.quote!r} is not on page {passage.page}, word for word")
            if passage.printed_figure and passage.printed_figure not in passage.quote:
                raise ValueError(f"the figure {passage.printed_figure!r} is not in its quote {passage.quote!r}")
        if draft.relevant_pages != list(dict.fromkeys(passage.page for passage in draft.evidence)):
            raise ValueError(f"relevant_pages {draft.relevant_pages} are not the pages in evidence, in its order")
        if (draft.unavailable_because is None) == (draft.final_answer == "N/A"):
            raise ValueError("unavailable_because is given with 'N/A' and null with any other answer")
        if isinstance(draft, TextDraft) and isinstance(draft.final_answer, list):
            places = set(range(1, len(draft.evidence) + 1))
            if not all(s.evidence_numbers and places >= set(s.evidence_numbers) for s in draft.final_answer):
                raise ValueError("every sentence names entries of evidence, counted from 1")
        return self


def passage(page: int, quote: str, period: str | None = None) -> Evidence:
    """Evidence that is not about a figure."""
    return Evidence(page=page, quote=quote, printed_figure=None, scale=None, currency=None, period=period)

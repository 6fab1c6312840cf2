"""Yes or no about one event that a question names, from the sentences of the found pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from prompts.drafts import BooleanDraft
from query_engines.programs.asked_words import AskedWords, asked_words, stems
from query_engines.programs.passages import passage
from query_engines.programs.telling_sentences import (
    NEGATED,
    SUPPOSED,
    Told,
    dates_in,
    is_in_year_to,
    told_on,
)
from storage.pages import Page
from storage.reports import Report

# A yes needs every word but loose ones in one sentence of the asked year; a no, most of them in a sentence that puts
# it in another year, or that says it was not, or not yet, done.
SAID_FOR_YES, SAID_FOR_NO = 0.9, 0.75
Stand = Literal["yes", "other_year", "not_done", "unclear"]
_MOST_CITED = 2


@dataclass(frozen=True)
class _Stands:
    told: Told
    said: float
    stand: Stand


def draft_from_telling(asked: str, year: int | None, report: Report, pages: Sequence[Page]) -> BooleanDraft | None:
    """Whether what is asked happened in the asked or reported year; None where sentences leave it open."""
    sentences = list(told_on(pages))
    words = asked_words(asked, [stems(told.text) for told in sentences])
    if not words.entities and len(words.weights) < 3:
        return None
    when = year or (report.period_end.year if report.period_end else None)
    found = sorted(
        (s for told in sentences if (s := _stands(told, words, when, report)) is not None),
        key=lambda s: (-s.said, s.told.rank),
    )
    yes = [s for s in found if s.stand == "yes" and s.said >= SAID_FOR_YES]
    no = [s for s in found if s.stand in ("other_year", "not_done")]
    if yes and not [s for s in no if s.said >= yes[0].said]:
        return _draft(asked, True, yes[:1], f"A sentence tells it of {when}.")
    if no and not [s for s in found if s.stand == "yes"]:
        why = {"other_year": f"in another year than {when}", "not_done": "as not done, or not yet"}
        kinds = " and ".join(dict.fromkeys(why[s.stand] for s in no[:_MOST_CITED]))
        return _draft(asked, False, no[:_MOST_CITED], f"The sentences nearest to the question tell it {kinds}.")
    return None


def _stands(told: Told, words: AskedWords, year: int | None, report: Report) -> _Stands | None:
    own = stems(told.text)
    said = words.share((own, 1.0))
    if said < SAID_FOR_NO or not words.entities <= own:
        return None
    return _Stands(told, said, _stand(told, year, report))


def _stand(told: Told, year: int | None, report: Report) -> Stand:
    if SUPPOSED.search(told.text) or NEGATED.search(told.text):
        return "not_done"
    if not told.years or year is None:
        return "unclear"
    end = report.period_end
    if end is not None and end.year == year and (days := dates_in(told.text)):  # the report's own twelve months
        inside = [is_in_year_to(day, end) for day in days]
        return "yes" if all(inside) else "unclear" if any(inside) else "other_year"
    if told.years == {year}:
        return "yes"
    return "other_year" if year not in told.years else "unclear"


def _draft(asked: str, value: bool, stands: Sequence[_Stands], told: str) -> BooleanDraft:
    share = f"They say {stands[0].said:.0%} of its words. Confidence: low."
    quotes = " ".join(f"Page {s.told.page.page_number}: {s.told.text!r}" for s in stands)
    return BooleanDraft(
        step_by_step_analysis=f"Found without a language model. Asked: {asked!r}. {told} {share} {quotes}",
        reasoning_summary=f"Found without a language model: {told} {share}",
        evidence=[passage(s.told.page, s.told.text) for s in stands],
        relevant_pages=list(dict.fromkeys(s.told.page.page_number for s in stands)),
        unavailable_because=None,
        final_answer=value,
    )

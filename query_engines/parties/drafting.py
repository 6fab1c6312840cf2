"""Drafts the names of those who hold a function, or sit on a committee, in the report's own words."""

from collections.abc import Sequence

from prompts.drafts import Draft, passage
from prompts.kinds.name import NameDraft
from prompts.kinds.names import NamesDraft
from query_engines.parties.committees import members_in
from query_engines.parties.holders import Holder, holders_in
from query_engines.question.functions import PartyAsked
from query_engines.verification.quotes import locate
from storage.records.pages import Page
from storage.records.reports import Report


def draft_of_party(
    query: str, asked: PartyAsked, pages: Sequence[Page], report: Report, form: type[Draft]
) -> Draft | None:
    """The names that a question asks for; None where no page that was read names them, or pages disagree.

    Args:
        query: the question without company and period.
        asked: the function or the committees.
        pages: of the report, in any order.
        report: of the pages.
        form: of the draft: one name, or several; any other gets none.
    """
    if asked.function is not None:
        found = holders_in(asked.function, pages, report.company)
    else:
        found = members_in(asked, pages)
    found = [holder for holder in found if locate(holder.quote, holder.page) is not None]
    if not found or (form is NameDraft and len(found) > 1 and not asked.is_plural):
        return None
    names = [holder.name for holder in found]
    shared = _shared(query, asked, found)
    if form is NameDraft:
        return NameDraft(**shared, final_answer=" and ".join(names))
    return NamesDraft(**shared, final_answer=names) if form is NamesDraft else None


def _shared(query: str, asked: PartyAsked, found: Sequence[Holder]) -> dict[str, object]:
    listed = "; ".join(f"{holder.name} (page {holder.page.page_number})" for holder in found)
    note = f"The report names as {asked.called}: {listed}. No language model read or worded it."
    return {
        "step_by_step_analysis": f"Found without a language model. Asked: {query!r}. {note}",
        "reasoning_summary": f"Found without a language model. {note}",
        "evidence": [passage(holder.page.page_number, holder.quote) for holder in found],
        "relevant_pages": list(dict.fromkeys(holder.page.page_number for holder in found)),
        "unavailable_because": None,
    }

"""Drafts the names of those who hold an office, sit on a committee, or are to take an office, as the report says."""

from collections.abc import Sequence

from prompts.drafts import Draft, drafted, passage
from prompts.kinds.name import NameDraft
from prompts.kinds.names import NamesDraft
from query_engines.question.functions import PartyAsked
from query_engines.verification.quotes import locate
from storage.records.facts import Seat
from storage.records.pages import Page


def draft_of_party(
    query: str, asked: PartyAsked, seats: Sequence[Seat], pages: Sequence[Page], form: type[Draft]
) -> Draft | None:
    """The names that a question asks for; None where no given page prints them, or they are several and one is asked.

    Args:
        query: the question without company and period.
        asked: the office or the committees.
        seats: of those who hold it.
        pages: of the report, in any order.
        form: of the draft: one name, or several; any other gets none.
    """
    found = printed(seats, pages)
    is_one = form is NameDraft
    if not found or form not in (NameDraft, NamesDraft) or (is_one and len(found) > 1 and not asked.is_plural):
        return None
    names = [seat.name for seat in found]
    listed = "; ".join(f"{seat.name} (page {seat.page_number})" for seat in found)
    note = f"The report names as {asked.called}: {listed}. No language model read or worded it."
    evidence = [passage(seat.page_number, seat.quote) for seat in found]
    return drafted(form, query, " and ".join(names) if is_one else names, note, evidence)


def draft_of_successor(text: str, seats: Sequence[Seat], pages: Sequence[Page]) -> NameDraft | None:
    """The one person who is to take the office that a question names; None where pages name nobody, or several."""
    found = {seat.name: seat for seat in reversed(printed(seats, pages))}
    if len(found) != 1:
        return None
    (seat,) = found.values()
    summary = f"A sentence on page {seat.page_number} says who is to take the office: {seat.name}."
    return drafted(NameDraft, text, seat.name, summary, [passage(seat.page_number, seat.quote)])


def printed(seats: Sequence[Seat], pages: Sequence[Page]) -> list[Seat]:
    """The seats whose quote stands on its page, among those that are given."""
    given = {page.page_number: page for page in pages}
    return [s for s in seats if s.page_number in given and locate(s.quote, given[s.page_number]) is not None]

"""The course of an answer: a first draft; other pages if it found nothing; a second look if a check failed."""

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from llama_index.core.schema import NodeWithScore

from prompts.answers.second_look import DraftInDoubt, finding, overlooked
from query_engines.answering.drafting import Attempt, Drafting, page_of
from query_engines.events import step
from query_engines.question.parsed import FactMatch, QuestionBundle
from query_engines.retrieval.page_nodes import ReadPages, page_node
from query_engines.retrieval.second_search import may_find_more
from query_engines.verification.verify import fact_text
from storage.errors import PromptTooLong, ProviderError
from storage.lexicon.words import expression
from storage.records.facts import Event
from storage.records.record import page_ranges

_FIGURE, _PERCENT = expression(r"\d"), expression(r"\d ?%|\bper ?cent\b", re.IGNORECASE)
_BEGINNING = 5  # letters of a word that stand for it
_MOSTLY = 0.5  # share of the words that are asked about; others may say it in other words
SearchAgain = Callable[[QuestionBundle, Collection[int]], tuple[str, list[NodeWithScore]]]


@dataclass(frozen=True)
class Course:
    """The current attempt, notes on what happened, and every page that was read."""

    attempt: Attempt
    read: tuple[NodeWithScore, ...]
    notes: tuple[str, ...] = ()
    looked: bool = False  # whether a second look was taken or tried

    def then(self, tried: Attempt, note: str) -> "Course":
        """The course after one more attempt, which replaces the first one only if its checks are better."""
        known = {node.metadata["page"] for node in self.read}
        read = (*self.read, *(node for node in tried.nodes if node.metadata["page"] not in known))
        better = tried.is_better_than(self.attempt)
        return replace(self, attempt=tried if better else self.attempt, read=read, notes=(*self.notes, note))

    def noted(self, note: str) -> "Course":
        """The same course with a note."""
        return replace(self, notes=(*self.notes, note))


class AnswerCourse:
    """Runs the course of one question about one report, from its first pages to the final draft."""

    def __init__(
        self,
        drafting: Drafting,
        read_pages: ReadPages,
        search_again: SearchAgain | None,
        *,
        second_look: bool,
    ) -> None:
        """Without `search_again` there is no second search."""
        self._drafting = drafting
        self._read_pages = read_pages
        self._search_again = search_again
        self._second_look = second_look and drafting.answerer == "llm"

    async def run(self, query: QuestionBundle, nodes: Sequence[NodeWithScore]) -> Course:
        """Run the course on page nodes, best first, with at most one second search and one second look.

        If a later step fails, the first draft stays the final one.

        Raises:
            ProviderError: the first request to the model failed, or the model did not fill in the form.
            PromptTooLong: the pages do not fit into the model's window.
        """
        first = await self._drafting.attempt(query, nodes)
        course = await self._looked_again(query, Course(first, first.nodes))
        was_shown_the_fact = course.looked and not first.is_available
        may_find = may_find_more(course.attempt.draft, query.facts, self._drafting.answerer)
        if may_find and not was_shown_the_fact and self._search_again is not None:
            course = await self._tried_again(query, course, self._search_again)
        return course

    async def _looked_again(self, query: QuestionBundle, course: Course) -> Course:
        """The course after a second look, if there are findings against the draft."""
        doubt = _doubt(course.attempt, query.facts) if self._second_look and not course.looked else None
        if doubt is None:
            return course
        course = replace(course, looked=True)
        nodes = await asyncio.to_thread(self._with_fact_page, course.attempt.nodes, query.facts)
        try:
            second = await self._drafting.attempt(query, nodes, doubt)
        except (ProviderError, PromptTooLong) as error:
            return course.noted(f"A second look failed: {error}")
        both = f"The first answer was {_described(course.attempt)}, the second {_described(second)}"
        better = "second" if second.is_better_than(course.attempt) else "first"
        note = f"A second look was taken. {' '.join(doubt.findings)} {both}; the {better} is kept."
        return course.then(second, note)

    async def _tried_again(self, query: QuestionBundle, course: Course, search: SearchAgain) -> Course:
        """The course after a draft from pages that were not read yet; the same course where there are none."""
        read = {node.metadata["page"] for node in course.read}
        with step("retrieval", "Searching once more") as running:
            words, found = await asyncio.to_thread(search, query, read)
            listed = page_ranges(page_of(node).page_number for node in found)
            brought = f"pages {listed}" if found else "no other page"
            running.summary = f"The first pages gave no answer. Searched for “{words}”: {brought}."
        if not found:
            return course
        try:
            second = await self._drafting.attempt(query, found)
        except (ProviderError, PromptTooLong) as error:
            return course.noted(f"A second search brought pages {listed}, but reading them failed: {error}")
        tried = await self._looked_again(query, Course(second, second.nodes, looked=course.looked))
        note = f"A second search brought pages {listed}; from them the answer was {_described(tried.attempt)}."
        for earlier in tried.notes:
            course = course.noted(earlier)
        return course.then(tried.attempt, note)

    def _with_fact_page(self, nodes: Sequence[NodeWithScore], facts: FactMatch) -> Sequence[NodeWithScore]:
        read = {node.metadata["page"] for node in nodes}
        missing = [
            each for each in (facts.fact, _told(facts)) if each is not None and each.page_number not in read
        ]
        pages = [page for each in missing for page in self._read_pages(each.report_sha1, [each.page_number])]
        return [*(page_node(page, page.markdown, nodes[0].score if nodes else None) for page in pages), *nodes]


def _doubt(attempt: Attempt, facts: FactMatch) -> DraftInDoubt | None:
    """The findings against a draft: its failed checks; or, for "not found", what the fact table has."""
    findings = tuple(finding(check) for check in attempt.verified.failed)
    if attempt.unavailable_because in ("not_found", "not_disclosed"):
        findings = tuple(overlooked(text) for text in _certain(facts))
    return DraftInDoubt(draft=attempt.draft, findings=findings) if findings else None


def _certain(facts: FactMatch) -> Iterator[str]:
    """What the fact table surely has for a question: its figure, or the sentence that tells the event."""
    if facts.fact is not None and facts.fact.confidence != "low":
        yield fact_text(facts.fact)
    if (told := _told(facts)) is not None:
        yield f"{told.quote!r} on page {told.page_number}"


def _told(facts: FactMatch) -> Event | None:
    """The event that is surely told."""
    return next((event for event in facts.events if event.confidence != "low"), None)


def _described(attempt: Attempt) -> str:
    if reason := attempt.unavailable_because:
        return f"N/A ({reason})"
    failed = ", ".join(check.name for check in attempt.verified.failed)
    value = f"{attempt.value:,}" if type(attempt.value) in (int, float) else repr(attempt.value)
    return f"{value} ({f'failed: {failed}' if failed else 'no check failed'})"

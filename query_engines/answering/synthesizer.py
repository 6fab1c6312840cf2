"""Makes a checked answer from pages."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType
from llama_index_instrumentation import get_dispatcher

from query_engines.answering.course import AnswerCourse, Course
from query_engines.answering.drafting import page_of
from query_engines.answering.nearest import in_words, nearest_known, nearest_passages
from query_engines.llamaindex_defaults import OwnSynthesizer
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.options import AnswerOptions, VerificationOptions
from query_engines.question.filings import wanted_period
from query_engines.question.parsed import FactMatch, ParsedQuestion, QuestionBundle
from query_engines.question.parser import as_bundle
from query_engines.rerank.passages import NearPassages
from query_engines.retrieval.page_nodes import PageNode
from query_engines.verification.verify import Verification
from storage.errors import StructuredOutputError
from storage.records.answers import NOT_AVAILABLE, Answer, Neighbour, Relation
from storage.records.facts import NEAR_DAYS
from storage.records.questions import AnswerKind
from storage.records.record import page_ranges
from storage.records.reports import Report

dispatcher = get_dispatcher(__name__)
_PROFITS = frozenset({"net_income", "net_income_attributable", "operating_income", "pretax_income"})
_SILENT = frozenset({"buyback"})  # kinds of event of which the rules' silence is a "no"
VersionFor = Callable[[AnswerKind], str]  # the version of the prompts for a kind


class TypedAnswerSynthesizer(OwnSynthesizer):
    """Makes an answer from the final draft of a question's course.

    The response is a `PydanticResponse` around a `storage.records.answers.Answer`.
    """

    def __init__(
        self,
        report: Report,
        course: AnswerCourse,
        answers: AnswerOptions,
        verification: VerificationOptions,
        loop: BackgroundLoop,
        version_for: VersionFor,
        *,
        near: NearPassages | None = None,
    ) -> None:
        """Without `near`, no passages are shown where there is no answer."""
        super().__init__()
        self._near = near
        self._report = report
        self._course = course
        self._answers = answers
        self._loop = loop
        self._version_for = version_for
        self._on_failure = verification.on_failure

    async def asynthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> PydanticResponse:
        """Answer from page nodes, best first."""
        question = as_bundle(query if isinstance(query, QueryBundle) else QueryBundle(query))
        dispatcher.event(SynthesizeStartEvent(query=question))
        answer, read = await self._answer(question, [n for n in nodes if isinstance(n.node, PageNode)])
        response = PydanticResponse(response=answer, source_nodes=[*read, *(additional_source_nodes or ())])
        dispatcher.event(SynthesizeEndEvent(query=question, response=response))
        return response

    def synthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> PydanticResponse:
        """`asynthesize` for callers outside an event loop."""
        return self._loop.run(self.asynthesize(query, nodes, additional_source_nodes))

    async def _answer(
        self, query: QuestionBundle, nodes: Sequence[NodeWithScore]
    ) -> tuple[Answer, Sequence[NodeWithScore]]:
        """The answer and the page nodes that were read for it."""
        started = time.perf_counter()
        found, read = await self._found(query, nodes)
        pages = tuple(node.metadata["page"] for node in read)
        if found.get("value", NOT_AVAILABLE) == NOT_AVAILABLE or found.get("from_silence"):
            found["summary"] = f"{found['summary']} {self._pages_read(pages)}".strip()
        answer = Answer(
            question=query.parsed.question.text,
            kind=found.pop("kind", query.parsed.kind),
            company=self._report.company,
            understood=query.parsed.understood.model_copy(update={"figure": found.pop("figure", "")}),
            filing=self._report.described,
            period=query.facts.period_name,
            remark=" ".join(filter(None, _remarks(query.parsed, query.facts))),
            neighbours=_neighbours(query.facts, found),
            pages=pages,
            seconds=time.perf_counter() - started,
            prompt_version=self._version_for(query.parsed.kind) if self._answers.kind == "llm" else "",
        )
        return answer.model_copy(update=found), read

    async def _found(
        self, query: QuestionBundle, nodes: Sequence[NodeWithScore]
    ) -> tuple[dict[str, Any], Sequence[NodeWithScore]]:
        """The answer's fields, and the page nodes that were read."""
        if not nodes:
            summary = "The search found no page with text in this report."
            return {"reason": "not_found", "analysis": summary, "summary": summary}, ()
        try:
            course = await self._course.run(query, nodes)
        except StructuredOutputError as error:
            summary = f"The model gave no answer that could be read: {error.what}."
            return {"reason": "model_failed", "analysis": str(error), "summary": summary}, nodes
        fields = self._response_fields(course)
        if fields["value"] == NOT_AVAILABLE:
            pages = [page_of(node) for node in course.read]
            known = nearest_known(query.facts, fields["reason"], query.parsed.currency, self._report, pages)
            fields["nearest"] = course.attempt.nearest or known
            fields |= _without_meaning(query.facts, fields)
            fields |= _later_than_reports(query.parsed, fields)
            fields |= self._of_silence(query, fields) or await asyncio.to_thread(self._to_read, query, fields)
        return fields, course.read

    def _of_silence(self, query: QuestionBundle, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields that change where nothing was found and the question says what that means.

        The rules for facts read every sentence for programmes of buybacks, so their silence is a "no" by itself.
        """
        parsed, facts = query.parsed, query.facts
        is_silent = fields["reason"] in ("not_found", "not_disclosed") and not fields["citations"]
        if parsed.kind != "boolean" or not is_silent:
            return {}
        meant = parsed.query.silence if isinstance(parsed.query.silence, bool) else None
        if meant is None and facts.is_read and facts.event in _SILENT:
            meant = False
        if meant is None:
            return {}
        searched = f"No mention was found. {fields['summary']}"
        return {"value": meant, "reason": None, "from_silence": True, "summary": searched}

    def _response_fields(self, course: Course) -> dict[str, Any]:
        """The answer's fields, from the final draft."""
        attempt = course.attempt
        draft, verified = attempt.draft, attempt.verified
        is_withheld = attempt.is_available and bool(verified.failed) and self._on_failure == "withhold"
        return {
            "kind": attempt.kind,
            "value": NOT_AVAILABLE if is_withheld else attempt.value,
            "reason": "unverified" if is_withheld else attempt.unavailable_because,
            "unit": verified.unit,
            "formula": None if is_withheld else verified.formula,
            "operands": () if is_withheld else verified.operands,
            "citations": verified.citations,
            "checks": verified.checks,
            "analysis": "\n\n".join((draft.step_by_step_analysis, *course.notes)),
            "figure": "" if is_withheld else attempt.figure,
            "relation": "same" if is_withheld else attempt.relation,
            "summary": _withheld(verified) if is_withheld else _marked(draft.reasoning_summary, attempt.relation),
        }

    def _to_read(self, query: QuestionBundle, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields that change where nothing was found without a model and passages are near."""
        facts = query.facts
        is_of_facts = facts.metric or facts.role or facts.calculated or query.parsed.intent.party
        is_known = query.parsed.kind != "text" and (fields["nearest"] is not None or is_of_facts)
        if self._near is None or fields["reason"] != "not_found" or is_known:
            return {}
        near = nearest_passages(self._near, query.parsed, facts, self._report)
        return {"reason": "needs_reading", "nearest_passages": near} if near else {}

    def _pages_read(self, pages: Sequence[int]) -> str:
        count = self._report.page_count
        if not pages:
            return f"None of the {count} pages was read."
        return f"Read: page{'s' * (len(pages) > 1)} {page_ranges(pages)} of {count}."

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not supported: an answer needs pages, not plain texts."""
        del query_str, text_chunks
        raise TypeError("call asynthesize with page nodes")

    def get_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not supported: an answer needs pages, not plain texts."""
        del query_str, text_chunks
        raise TypeError("call synthesize with page nodes")

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        del prompts  # prompts are data in the prompts package


def _remarks(parsed: ParsedQuestion, facts: FactMatch) -> tuple[str, ...]:
    return (_names_another(parsed), contradiction(parsed, facts), facts.remark)


def contradiction(parsed: ParsedQuestion, facts: FactMatch) -> str:
    """That figures moved the other way than a question for reasons takes for granted; "" where they did not."""
    derived, presumed = facts.derivation, parsed.query.presumed
    if derived is None or derived.value is None or derived.metric.unit != "percent":
        return ""
    now = derived.operands[0]
    if now.metric in _PROFITS and presumed == ("profit" if now.fact.value < 0 else "loss"):
        figure = f"{now.fact.value:,f} {now.fact.currency or ''}".rstrip()
        return f"The figures say the opposite. {now.title}: {figure} (page {now.fact.page_number})."
    if presumed != ("fell" if derived.value > 0 else "rose"):
        return ""
    return f"The figures say the opposite. {derived.metric.title}: {derived.shown} = {derived.in_figures}."


def _names_another(parsed: ParsedQuestion) -> str:
    """That the question names another company than the one that was given beside it; "" where it does not."""
    named, given = parsed.named_otherwise, parsed.company
    if named is None or given is None:
        return ""
    return f"The question names {named.name}; it was asked of {given.name}, the company given beside it."


def _neighbours(facts: FactMatch, fields: dict[str, Any]) -> tuple[Neighbour, ...]:
    """The figures of other scopes, where the answer is the fact itself."""
    value = fields.get("value", NOT_AVAILABLE)
    is_fact = facts.fact is not None and type(value) is float and value == float(facts.fact.value)
    return facts.neighbours if is_fact else ()


def _without_meaning(facts: FactMatch, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that change where nothing was found and the figure has no meaning for this company."""
    if not facts.no_meaning or facts.no_meaning in fields["summary"]:
        return {}
    return {"reason": "not_disclosed", "summary": f"{facts.no_meaning} {fields['summary']}"}


def _later_than_reports(parsed: ParsedQuestion, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that change where the period that is asked for ended after those of all the company's reports."""
    reports = parsed.company.reports if parsed.company else ()
    if parsed.query.is_ahead or fields["reason"] not in ("not_found", "other_period"):
        return {}
    newest = max((report.period_end for report in reports if report.period_end), default=None)
    period = wanted_period(parsed, reports)
    if parsed.company is None or newest is None or period is None or (period.end - newest).days <= NEAR_DAYS:
        return {}
    told = f"The newest report of {parsed.company.name} in the library is of the period to {newest}."
    return {"reason": "later_than_reports", "summary": f"{told} {fields['summary']}"}


def _marked(summary: str, relation: Relation) -> str:
    words = in_words(relation)
    return f"Not quite what was asked: {words}. {summary}" if words else summary


def _withheld(verified: Verification) -> str:
    failed = "; ".join(f"{check.name}: {check.detail}" for check in verified.failed)
    return f"An answer was found, but is withheld, since it did not pass every check ({failed})."

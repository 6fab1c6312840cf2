"""From pages to a checked answer."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
from llama_index.core.llms import MockLLM
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.response_synthesizers import BaseSynthesizer
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType
from llama_index.core.types import BasePydanticProgram
from llama_index_instrumentation import get_dispatcher

from prompts.assemble import prompt_version
from prompts.drafts import AnyDraft
from query_engines.background_loop import BackgroundLoop
from query_engines.events import step
from query_engines.fact_lookup import FactsAsked
from query_engines.options import AnswerOptions, VerificationOptions
from query_engines.page_nodes import PageNode
from query_engines.question_bundle import QuestionBundle, as_bundle
from query_engines.usage import counting
from query_engines.verification import Verification, verify
from storage.answers import NOT_AVAILABLE, Answer, Reason, Value
from storage.errors import StructuredOutputError
from storage.questions import AnswerKind
from storage.reports import Report

dispatcher = get_dispatcher(__name__)
ProgramFor = Callable[[AnswerKind], BasePydanticProgram[Any]]
LookUp = Callable[[QuestionBundle], FactsAsked]


class TypedAnswerSynthesizer(BaseSynthesizer):
    """Lets the kind's program draft an answer from a report's pages and verifies the draft.

    The response is a `PydanticResponse` around a `storage.answers.Answer`.
    """

    def __init__(
        self,
        report: Report,
        program_for: ProgramFor,
        answers: AnswerOptions,
        verification: VerificationOptions,
        look_up: LookUp,
        loop: BackgroundLoop,
    ) -> None:
        super().__init__(llm=MockLLM())  # the base insists on one; ours live in the programs
        self._report = report
        self._program_for = program_for
        self._answers = answers
        self._look_up = look_up
        self._loop = loop
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
        answer = await self._answer(question, [n.node for n in nodes if isinstance(n.node, PageNode)])
        response = PydanticResponse(response=answer, source_nodes=[*nodes, *(additional_source_nodes or ())])
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

    async def _answer(self, query: QuestionBundle, nodes: Sequence[PageNode]) -> Answer:
        started = time.perf_counter()
        answer = Answer(
            question=query.question.text,
            kind=query.kind,
            company=self._report.company,
            pages=tuple(n.page.page_number for n in nodes),
        )
        if self._answers.kind == "llm":
            answer = answer.model_copy(
                update={"prompt_version": prompt_version(query.kind, self._answers.strictness)}
            )
        with counting() as count:
            try:
                found = await self._draft(query, nodes)
            except StructuredOutputError as error:
                found = {"reason": "model_failed", "analysis": str(error)}
        return answer.model_copy(update={**found, "usage": count.usage, "seconds": time.perf_counter() - started})

    async def _draft(self, query: QuestionBundle, nodes: Sequence[PageNode]) -> dict[str, Any]:
        if not nodes:
            told = "The search found no page with text in this report."
            return {"reason": "not_found", "analysis": told, "summary": told}
        facts = await asyncio.to_thread(self._look_up, query)
        with step("answer", "Answering") as running:
            draft = cast(
                AnyDraft,
                await self._program_for(query.kind).acall(
                    question=query.question,
                    search_text=query.search_text,
                    report=self._report,
                    pages=[n.page for n in nodes],
                    texts=[n.get_content() for n in nodes],
                    facts=facts,
                ),
            )
            running.write_analysis(draft.step_by_step_analysis)
            running.summary = draft.reasoning_summary
        with step("verification", "Checking against the page") as running:
            pages = {n.page.page_number: n.page for n in nodes}
            drawn_from_table = self._answers.kind == "extractive"
            verified = verify(
                draft, query.kind, query.question, self._report, pages, facts, drawn_from_table=drawn_from_table
            )
            running.summary = "\n".join(f"- {c.name}: {c.verdict} ({c.detail})" for c in verified.checks)
        value, reason = self._outcome(draft, verified)
        return {
            "value": value,
            "reason": reason,
            "unit": verified.unit,
            "citations": verified.citations,
            "checks": verified.checks,
            "analysis": draft.step_by_step_analysis,
            "summary": draft.reasoning_summary,
        }

    def _outcome(self, draft: AnyDraft, verified: Verification) -> tuple[Value, Reason | None]:
        claimed = draft.final_answer
        if claimed == NOT_AVAILABLE:
            return NOT_AVAILABLE, draft.unavailable_because or "not_found"
        if verified.failed and self._on_failure == "withhold":
            return NOT_AVAILABLE, "unverified"
        return tuple(claimed) if isinstance(claimed, list) else claimed, None

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not offered: an answer needs pages, not bare texts."""
        del query_str, text_chunks
        raise TypeError("call asynthesize with page nodes")

    def get_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not offered: an answer needs pages, not bare texts."""
        del query_str, text_chunks
        raise TypeError("call synthesize with page nodes")

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        del prompts  # prompts are data in the prompts package

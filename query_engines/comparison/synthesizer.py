"""From the answers about each party to the answer."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.instrumentation.events.synthesis import SynthesizeEndEvent, SynthesizeStartEvent
from llama_index.core.prompts.mixin import PromptDictType
from llama_index.core.schema import NodeWithScore, QueryType, TextNode
from llama_index_instrumentation import get_dispatcher

from query_engines.base_needs import OwnSynthesizer
from query_engines.comparison.decision import decide
from query_engines.comparison.outcome import Part
from query_engines.comparison.sub_questions import PlannedBundle
from query_engines.events import step
from storage.answers import Answer, Check, CheckName, Verdict

dispatcher = get_dispatcher(__name__)


class PartNode(TextNode):
    """A party's answer on its way through LlamaIndex; no page."""

    part: Part


class ComparisonSynthesizer(OwnSynthesizer):
    """Decides by code, from the typed answers that the nodes carry.

    The answer rests on the pages of the parts that it uses, and on no other.
    """

    def __init__(self, *, strict: bool) -> None:
        super().__init__()
        self._strict = strict

    async def asynthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> PydanticResponse:
        """Like `synthesize`; there is nothing to wait for."""
        return self.synthesize(query, nodes, additional_source_nodes)

    def synthesize(
        self,
        query: QueryType,
        nodes: list[NodeWithScore],
        additional_source_nodes: Sequence[NodeWithScore] | None = None,
        **_: Any,
    ) -> PydanticResponse:
        """Answer from part nodes, in the plan's order."""
        if not isinstance(query, PlannedBundle):
            raise TypeError(f"expected a planned question, got {type(query).__name__}")
        dispatcher.event(SynthesizeStartEvent(query=query))
        with step("answer", "Comparing") as running:
            answer = self._answer(query, [n.node.part for n in nodes if isinstance(n.node, PartNode)])
            running.write_analysis(answer.analysis)
            running.summary = answer.summary
        response = PydanticResponse(response=answer, source_nodes=list(additional_source_nodes or ()))
        dispatcher.event(SynthesizeEndEvent(query=query, response=response))
        return response

    def _answer(self, query: PlannedBundle, parts: Sequence[Part]) -> Answer:
        plan = query.plan
        found = decide(plan, parts, query.question.kind, strict=self._strict)
        used = [parts[i].answer for i in found.used]
        companies = {party.company for party in plan.parties}
        return Answer(
            question=query.question.text,
            kind=found.kind,
            company=companies.pop() if len(companies) == 1 else None,
            value=found.value,
            unit=found.unit,
            reason=found.reason,
            candidates=() if found.used else tuple(dict.fromkeys(c for p in parts for c in p.answer.candidates)),
            citations=tuple(dict.fromkeys(c for answer in used for c in answer.citations)),
            checks=_together(used),
            analysis="\n\n".join(found.told),
            summary=" ".join(found.told[:1]),
            parts=tuple(part.answer for part in parts),
            prompt_version=next((a.prompt_version for a in used if a.prompt_version), ""),
        )

    async def aget_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not offered: a comparison needs answers, not bare texts."""
        del query_str, text_chunks
        raise TypeError("call asynthesize with part nodes")

    def get_response(self, query_str: str, text_chunks: Sequence[str], **_: Any) -> str:
        """Not offered: a comparison needs answers, not bare texts."""
        del query_str, text_chunks
        raise TypeError("call synthesize with part nodes")

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        del prompts  # prompts are data in the prompts package


def _together(answers: Sequence[Answer]) -> tuple[Check, ...]:
    """One check of each name: failed where it failed for one, passed where it passed for any."""
    names: dict[CheckName, list[tuple[str, Check]]] = {}
    for answer in answers:
        for check in answer.checks:
            names.setdefault(check.name, []).append((answer.company or "", check))
    return tuple(_one_of(name, checks) for name, checks in names.items())


def _one_of(name: CheckName, checks: Sequence[tuple[str, Check]]) -> Check:
    order: tuple[Verdict, ...] = ("failed", "passed", "not_applicable")
    verdict = next(v for v in order if any(c.verdict == v for _, c in checks))
    those = [(company, c) for company, c in checks if c.verdict == verdict]
    if verdict == "failed":
        return Check(name=name, verdict=verdict, detail="; ".join(f"{who}: {c.detail}" for who, c in those))
    return Check(name=name, verdict=verdict, detail=f"for {len(those)} of {len(checks)}")

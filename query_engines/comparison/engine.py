"""Answers about several companies or years."""

from collections.abc import Mapping
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.query_engine import BaseQueryEngine, SubQuestionQueryEngine
from llama_index.core.query_engine.sub_question_query_engine import SubQuestionAnswerPair
from llama_index.core.question_gen.types import SubQuestion
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.tools import QueryEngineTool, ToolMetadata

from query_engines.background_loop import BackgroundLoop
from query_engines.comparison.outcome import Part
from query_engines.comparison.plan import Party, Plan
from query_engines.comparison.sub_questions import PartyQuestion, PlannedBundle, PlannedQuestionGenerator
from query_engines.comparison.synthesizer import ComparisonSynthesizer, PartNode
from query_engines.events import step
from query_engines.question_bundle import as_bundle, bundle
from query_engines.usage import counting
from storage.answers import Answer
from storage.errors import MissingIndex, PageproofError, ProviderError
from storage.questions import Question


class AnsweredPart(SubQuestionAnswerPair):
    """A sub-question with its typed answer."""

    part: Part


class ComparisonEngine(SubQuestionQueryEngine):
    """LlamaIndex's engine, made for each question over the companies that it names.

    The base drops what fails and passes texts on; here every sub-question is its own step and comes back as a typed
    answer, with its reason where it has none. All are asked at once; the model's own gate holds them back. Where
    every one of them fails, the first error is raised.
    """

    def __init__(
        self, plan: Plan, engines: Mapping[str, BaseQueryEngine], loop: BackgroundLoop, *, strict: bool
    ) -> None:
        tools = [
            QueryEngineTool(engine, ToolMetadata(name=name, description=f"Annual reports of {name}"))
            for name, engine in engines.items()
        ]
        super().__init__(PlannedQuestionGenerator(), ComparisonSynthesizer(strict=strict), tools, verbose=False)
        self._plan = plan
        self._loop = loop
        self._strict = strict
        self._errors: list[PageproofError] = []

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query = as_bundle(query_bundle)
        planned = PlannedBundle(query_str=query.question.text, question=query.question, plan=self._plan)
        with counting() as count:
            response = await super()._aquery(planned)
        if self._errors and len(self._errors) == len(self._plan.parties):
            raise self._errors[0]
        if isinstance(response, PydanticResponse) and isinstance(response.response, Answer):
            response.response = response.response.model_copy(update={"usage": count.usage})
        return response

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    async def _aquery_subq(self, sub_q: SubQuestion, color: str | None = None) -> AnsweredPart:
        """Ask one party.

        Raises:
            PageproofError: what would stop every other sub-question too, such as a missing key.
        """
        del color
        if not isinstance(sub_q, PartyQuestion):
            raise TypeError(f"expected a party's question, got {type(sub_q).__name__}")
        with step("sub_question", f"{sub_q.party.label}: {sub_q.sub_question}") as running:
            engine, sources = self._query_engines.get(sub_q.tool_name), list[NodeWithScore]()
            if engine is None:
                answer = _without_company(sub_q)
            else:
                answer, sources = await self._asked(sub_q, engine)
            running.summary = answer.summary
        part = Part(party=sub_q.party, answer=answer)
        return AnsweredPart(sub_q=sub_q, answer=answer.summary, sources=sources, part=part)

    async def _asked(self, sub_q: PartyQuestion, engine: BaseQueryEngine) -> tuple[Answer, list[NodeWithScore]]:
        question = Question(
            text=sub_q.sub_question,
            kind=sub_q.kind,
            company=sub_q.party.company,
            currency=sub_q.currency if self._strict else None,
        )
        try:
            response = await engine.aquery(bundle(question))
        except (ProviderError, MissingIndex) as error:
            self._errors.append(error)
            return _failed(sub_q, error), []
        if not isinstance(response, PydanticResponse) or not isinstance(response.response, Answer):
            raise TypeError(f"an engine gave a {type(response).__name__}, expected an Answer")
        return response.response, response.source_nodes

    def _construct_node(self, qa_pair: SubQuestionAnswerPair) -> NodeWithScore:
        if not isinstance(qa_pair, AnsweredPart):
            raise TypeError(f"expected an answered part, got {type(qa_pair).__name__}")
        return NodeWithScore(node=PartNode(text=qa_pair.answer or "", part=qa_pair.part))


def _without_company(sub_q: PartyQuestion) -> Answer:
    party: Party = sub_q.party
    several = party.is_ambiguous
    told = (
        f"{party.label!r} fits {len(party.candidates)} companies of the library."
        if several
        else f"{party.label!r} is no company of the library."
    )
    return Answer(
        question=sub_q.sub_question,
        kind=sub_q.kind,
        company=party.label,
        reason="company_ambiguous" if several else "company_unknown",
        candidates=party.candidates,
        analysis=told,
        summary=told,
    )


def _failed(sub_q: PartyQuestion, error: PageproofError) -> Answer:
    """Without an index there is no data; a provider that cannot be reached says nothing of the data."""
    return Answer(
        question=sub_q.sub_question,
        kind=sub_q.kind,
        company=sub_q.party.company,
        reason="not_found" if isinstance(error, MissingIndex) else "model_failed",
        analysis=str(error),
        summary=str(error),
    )

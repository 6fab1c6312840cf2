"""Answers about one company."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine, RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle

from query_engines.answering.synthesizer import TypedAnswerSynthesizer
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.llm.usage import counting
from query_engines.question.bundle import QuestionBundle, as_bundle, kind_of_one
from query_engines.question.intent import Understanding
from query_engines.question.search_text import report_for, with_year_named
from storage.errors import MissingIndex
from storage.records.answers import Answer
from storage.records.reports import Company, Report

RetrieverFor = Callable[[Company, Report], BaseRetriever]
PostprocessorsFor = Callable[[Company, Report], list[BaseNodePostprocessor]]
SynthesizerFor = Callable[[Company, Report], TypedAnswerSynthesizer]


class CompanyQueryEngine(BaseQueryEngine):
    """A light shell: the company's index is loaded when the first question comes.

    A question is understood, its pages are found, put in order and cut to the best; from those it is answered.
    """

    def __init__(
        self,
        company: Company,
        understanding: Understanding,
        retriever_for: RetrieverFor,
        postprocessors_for: PostprocessorsFor,
        synthesizer_for: SynthesizerFor,
        loop: BackgroundLoop,
    ) -> None:
        super().__init__(callback_manager=None)
        self._company = company
        self._understanding = understanding
        self._retriever_for = retriever_for
        self._postprocessors_for = postprocessors_for
        self._synthesizer_for = synthesizer_for
        self._loop = loop

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def report_for(self, query: QueryBundle) -> Report:
        """The report of the asked year, else one that looks back on it, else the latest.

        Raises:
            MissingIndex: the company has no report.
        """
        reports = self._company.reports
        if not reports:
            raise MissingIndex(f"no report of {self._company.name!r} is in the library; run `pageproof ingest`")
        return report_for(as_bundle(query).question.text, reports)

    async def aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The pages that an answer would be drawn from, best first."""
        query = self._about_the_company(query_bundle)
        engine = await asyncio.to_thread(self._engine, self.report_for(query))
        return await engine.aretrieve(query)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query = self._about_the_company(query_bundle)
        engine = await asyncio.to_thread(self._engine, self.report_for(query))
        with counting() as count:
            response = await engine.aquery(query)
        if isinstance(response, PydanticResponse) and isinstance(response.response, Answer):
            asked = as_bundle(query_bundle).question.text
            response.response = response.response.model_copy(update={"usage": count.usage, "question": asked})
        return response

    def _engine(self, report: Report) -> RetrieverQueryEngine:
        return RetrieverQueryEngine(
            self._retriever_for(self._company, report),
            response_synthesizer=self._synthesizer_for(self._company, report),
            node_postprocessors=self._postprocessors_for(self._company, report),
        )

    def _about_the_company(self, query_bundle: QueryBundle) -> QuestionBundle:
        """The question with its year named and taken apart, of a kind that one report can answer in."""
        query = as_bundle(query_bundle)
        text = with_year_named(query.question.text, self._company.reports)
        question = query.question.model_copy(update={"text": text, "kind": kind_of_one(query.kind, text)})
        return replace(query, query_str=text, question=question, asked=self._understanding.of(text, self._company))

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

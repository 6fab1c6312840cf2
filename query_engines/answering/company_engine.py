"""Answers about one company."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine, RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle

from query_engines.events import step
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.parsed import FactMatch, ParsedQuestion, QuestionBundle
from query_engines.question.parser import QuestionParser
from storage.errors import MissingIndex
from storage.records.reports import Company, Report

ReportEngineFor = Callable[[Company, Report], RetrieverQueryEngine]


class CompanyQueryEngine(BaseQueryEngine):
    """Answers questions about one company. The company's index is loaded at the first question.

    The question is interpreted for this company, the report is chosen and the requested facts are looked up, each
    once. Then the report's engine retrieves pages, ranks them and answers from the best ones.
    """

    def __init__(
        self,
        company: Company,
        parser: QuestionParser,
        lookup: FactLookup,
        report_engine_for: ReportEngineFor,
        loop: BackgroundLoop,
    ) -> None:
        super().__init__(callback_manager=None)
        self._company = company
        self._parser = parser
        self._lookup = lookup
        self._report_engine_for = report_engine_for
        self._loop = loop

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The pages that an answer would be drawn from, best first."""
        query, engine = await asyncio.to_thread(self._ready, query_bundle)
        return await engine.aretrieve(query)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query, engine = await asyncio.to_thread(self._ready, query_bundle)
        return await engine.aquery(query)

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    def _ready(self, query_bundle: QueryBundle) -> tuple[QuestionBundle, RetrieverQueryEngine]:
        """The question with its facts, and the engine of the report for the requested year.

        Raises:
            MissingIndex: no report of the company is indexed under these settings.
        """
        query = self._parser.bundle(query_bundle)
        parsed = self._parser.about(query.parsed, self._company)
        if not self._company.reports:
            raise MissingIndex(f"no report of {self._company.name!r} is in the library; run `pageproof ingest`")
        report = parsed.report_among(self._company.reports)
        engine = self._report_engine_for(self._company, report)
        facts = self._looked_up(query, parsed, report)
        return replace(query, query_str=parsed.text, parsed=parsed, facts=facts), engine

    def _looked_up(self, query: QuestionBundle, parsed: ParsedQuestion, report: Report) -> FactMatch:
        with step("retrieval", "Looking up the fact table") as running:
            facts = query.facts if query.facts.is_stored else self._lookup.look_up(parsed, report)
            running.summary = (
                f"Page {facts.pages[0]} states it." if facts.pages else "It holds nothing that is asked for."
            )
        return facts

"""Answers about one company."""

import asyncio
from dataclasses import replace
from typing import Any, Protocol

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine, RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle

from query_engines.events import step
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.fact_lookup import FactLookup
from query_engines.question.filings import ChosenFiling
from query_engines.question.parsed import FactMatch, ParsedQuestion, QuestionBundle
from query_engines.question.parser import QuestionParser
from storage.errors import MissingIndex
from storage.records.answers import NOT_AVAILABLE, Answer
from storage.records.reports import Company, Report


class ReportEngines(Protocol):
    """Makes the engines of a company's reports."""

    def engine(self, company: Company, report: Report) -> RetrieverQueryEngine:
        """The engine that searches the report.

        Raises:
            MissingIndex: the company has no index under these settings.
        """
        ...

    def from_facts(self, company: Company, report: Report) -> RetrieverQueryEngine | None:
        """The engine that reads only the pages with the facts of the question; None where a model answers.

        Raises:
            MissingIndex: the company has no index under these settings.
        """
        ...


class CompanyQueryEngine(BaseQueryEngine):
    """Answers questions about one company. The company's index is loaded when a question needs to be searched for.

    The question is interpreted for this company, the report is chosen and the requested facts are looked up, each
    once. If the fact table has the answer and it passes every check, the report is not searched, so neither vectors
    nor their model are needed. Otherwise the report's engine retrieves pages, ranks them and answers from the best.
    """

    def __init__(
        self,
        company: Company,
        parser: QuestionParser,
        lookup: FactLookup,
        report_engines: ReportEngines,
        loop: BackgroundLoop,
    ) -> None:
        super().__init__(callback_manager=None)
        self._company = company
        self._parser = parser
        self._lookup = lookup
        self._report_engines = report_engines
        self._loop = loop

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The pages that an answer would be drawn from, best first."""
        query, report = await asyncio.to_thread(self._ready, query_bundle)
        engine = await asyncio.to_thread(self._report_engines.engine, self._company, report)
        return await engine.aretrieve(query)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query, report = await asyncio.to_thread(self._ready, query_bundle)
        known = self._report_engines.from_facts(self._company, report) if query.facts.pages else None
        if known is not None and _is_answered(response := await known.aquery(query)):
            return response
        engine = await asyncio.to_thread(self._report_engines.engine, self._company, report)
        return await engine.aquery(query)

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    def _ready(self, query_bundle: QueryBundle) -> tuple[QuestionBundle, Report]:
        """The question with its facts, and the filing that answers it.

        Raises:
            MissingIndex: no report of the company is in the library.
        """
        query = self._parser.bundle(query_bundle)
        parsed = self._parser.about(query.parsed, self._company)
        if not self._company.reports:
            raise MissingIndex(f"no report of {self._company.name!r} is in the library; run `pageproof ingest`")
        chosen = self._lookup.choose(parsed, self._company)
        parsed = self._lookup.settled(parsed, chosen.report)
        report, facts = chosen.report, self._looked_up(query, parsed, chosen)
        return replace(query, query_str=parsed.text, parsed=parsed, facts=facts), report

    def _looked_up(self, query: QuestionBundle, parsed: ParsedQuestion, chosen: ChosenFiling) -> FactMatch:
        with step("retrieval", "Looking up the fact table") as running:
            facts = query.facts if query.facts.is_stored else self._lookup.look_up_in(parsed, chosen)
            running.summary = (
                f"Page {facts.pages[0]} states it." if facts.pages else "It holds nothing that is asked for."
            )
        return facts


def _is_answered(response: RESPONSE_TYPE) -> bool:
    """Whether there is an answer that failed no check."""
    answer = response.response if isinstance(response, PydanticResponse) else None
    return (
        isinstance(answer, Answer)
        and answer.value != NOT_AVAILABLE
        and all(check.verdict != "failed" for check in answer.checks)
    )

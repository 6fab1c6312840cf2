"""From a question to the engine of the company that it names."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.llms import MockLLM
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine, RouterQueryEngine
from llama_index.core.schema import QueryBundle
from llama_index.core.tools import QueryEngineTool, ToolMetadata

from query_engines.background_loop import BackgroundLoop
from query_engines.company_engine import CompanyQueryEngine
from query_engines.company_names import CompanyNames
from query_engines.events import step
from query_engines.question_bundle import as_bundle
from query_engines.selector import UNRESOLVED, CompanySelector, chosen_companies
from storage.answers import Answer
from storage.reports import Company

CANDIDATES = 20


class UnresolvedCompanyEngine(BaseQueryEngine):
    """Answers N/A with its reason where a question names no company, an unknown one, or several."""

    def __init__(self, names: CompanyNames) -> None:
        super().__init__(callback_manager=None)
        self._names = names

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query = as_bundle(query_bundle)
        chosen = chosen_companies(query, self._names)
        nearest = self._names.nearest(query.question.company or query.question.text)
        told = (
            f"The question names, or its name fits, {len(chosen)} companies of the library; ask about one."
            if chosen
            else "The question names no company of the library."
        )
        answer = Answer(
            question=query.question.text,
            kind=query.kind,
            reason="company_ambiguous" if chosen else "company_unknown",
            candidates=tuple(c.name for c in chosen[:CANDIDATES]) or nearest,
            analysis=told,
            summary=told,
        )
        return PydanticResponse(response=answer)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)


class CompanyRouter(BaseQueryEngine):
    """LlamaIndex's RouterQueryEngine, made for each question over the few companies it may be about.

    So ten thousand companies cost nothing, and one ingested a moment ago is seen.
    """

    def __init__(
        self,
        companies: Callable[[], Sequence[Company]],
        engine_for: Callable[[Company], CompanyQueryEngine],
        loop: BackgroundLoop,
    ) -> None:
        super().__init__(callback_manager=None)
        self._companies = companies
        self._engine_for = engine_for
        self._loop = loop
        self._names: tuple[Sequence[Company], CompanyNames] | None = None

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        query = as_bundle(query_bundle)
        with step("routing", "Choosing the company") as running:
            router, running.summary = await asyncio.to_thread(self._router, query)
        return await router.aquery(query)

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    def _router(self, query: QueryBundle) -> tuple[RouterQueryEngine, str]:
        names = self._known_names()
        chosen = chosen_companies(query, names)[:CANDIDATES]
        tools = [_tool(self._engine_for(company), company.name) for company in chosen]
        tools.append(_tool(UnresolvedCompanyEngine(names), UNRESOLVED))
        # The base insists on a model; nothing here asks one.
        router = RouterQueryEngine(CompanySelector(names), tools, llm=MockLLM())
        return router, " · ".join(c.name for c in chosen) or "no company of the library"

    def _known_names(self) -> CompanyNames:
        """The names of all companies, made anew only when the library gives other companies."""
        companies, known = self._companies(), self._names
        if known is None or known[0] is not companies:
            known = self._names = (companies, CompanyNames(companies))
        return known[1]


def _tool(engine: BaseQueryEngine, name: str) -> QueryEngineTool:
    return QueryEngineTool(engine, ToolMetadata(name=name, description=f"Annual reports of {name}"))

"""The page of a known fact as the first of the pages found."""

import asyncio

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from pydantic import ConfigDict, Field

from query_engines.events import step
from query_engines.fact_lookup import FactLookup
from query_engines.page_nodes import found_page
from query_engines.question_bundle import as_bundle
from storage.reports import Company, Report


class FactPagesPostprocessor(BaseNodePostprocessor):
    """Puts the page whose fact the question asks for before the others, whatever they scored."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    lookup: FactLookup = Field(exclude=True)
    company: Company
    report: Report

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "FactPagesPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = as_bundle(query_bundle or QueryBundle(""))
        with step("retrieval", "Looking up the fact table") as running:
            numbers = self.lookup.look_up(query, self.company, self.report).pages
            running.summary = f"Page {numbers[0]} states it." if numbers else "It holds nothing that is asked for."
        best = max((n.score for n in nodes if n.score is not None), default=None)
        found = {n.metadata["page"]: n for n in nodes}
        led = [found.get(number) or found_page(self.report.sha1, number, best) for number in numbers]
        return [*led, *(n for n in nodes if n.metadata["page"] not in numbers)]

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._postprocess_nodes, nodes, query_bundle)

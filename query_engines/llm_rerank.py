"""Putting found pages in order by a language model's judgement."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.types import BasePydanticProgram
from pydantic import ConfigDict, Field

from prompts.assemble import PageText
from prompts.rerank import PageJudgements, rerank_messages
from query_engines.background_loop import BackgroundLoop
from query_engines.events import step
from query_engines.llm import CompatOpenAI
from query_engines.page_nodes import ReadPages, scaled, with_pages
from query_engines.programs.cascade import CascadeProgram
from query_engines.question_bundle import as_bundle
from query_engines.retrieval import score_table
from storage.errors import ProviderError
from storage.pages import Page
from storage.reports import Report

Judge = BasePydanticProgram[PageJudgements]


class LLMRerankPostprocessor(BaseNodePostprocessor):
    """A few pages per request, all requests at once; the model's 0..1 is weighed with the first stage's score.

    The first stage's scores are scaled to 0..1 within the candidates. A page that a model did not judge, because its
    request failed or its judgement was left out, keeps its scaled first-stage score alone, and the step says so.

    Attributes:
        judge: called with `question`, `report` and `pages`.
        pages_per_request: pages that one request judges.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    judge: Judge = Field(exclude=True)
    report: Report
    read_pages: ReadPages = Field(exclude=True)
    loop: BackgroundLoop = Field(exclude=True)
    first_weight: float
    own_weight: float
    pages_per_request: int

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "LLMRerankPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return self.loop.run(self._apostprocess_nodes(nodes, query_bundle))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        question = as_bundle(query_bundle or QueryBundle("")).question.text
        with step("rerank", "Judging the pages") as running:
            found = await asyncio.to_thread(with_pages, nodes, self.read_pages)
            size = self.pages_per_request
            batches = [[page for _, page in found[i : i + size]] for i in range(0, len(found), size)]
            judged = await asyncio.gather(*(self._judged(question, batch) for batch in batches))
            relevance = {page: figure for part in judged if part is not None for page, figure in part.items()}
            pages = self._ordered(nodes, relevance)
            running.summary = self._told(pages, len(batches), sum(part is None for part in judged))
        return pages

    async def _judged(self, question: str, batch: Sequence[Page]) -> dict[int, float] | None:
        """The judged pages' relevance; None where the request failed."""
        try:
            said = await self.judge.acall(question=question, report=self.report, pages=batch)
        except ProviderError:
            return None
        judgements = cast(PageJudgements, said)  # not a stream of them
        given = {page.page_number for page in batch}
        return {j.page: j.relevance for j in judgements.judgements if j.page in given}

    def _ordered(self, nodes: Sequence[NodeWithScore], relevance: dict[int, float]) -> list[NodeWithScore]:
        first = scaled(nodes)
        ordered = []
        for found in nodes:
            number = found.metadata["page"]
            node, score = found.node.model_copy(deep=True), first[number]
            if number in relevance:
                node.metadata["rerank_score"] = relevance[number]
                score = self.first_weight * score + self.own_weight * relevance[number]
            else:
                node.metadata["rerank_failed"] = True
            ordered.append(NodeWithScore(node=node, score=score))
        return sorted(ordered, key=lambda page: -(page.score or 0.0))

    def _told(self, pages: Sequence[NodeWithScore], requests: int, failed: int) -> str:
        lost = [page.metadata["page"] for page in pages if page.metadata.get("rerank_failed")]
        told = f"{len(pages) - len(lost)} of {len(pages)} pages judged in {requests} requests."
        if lost:
            why = f"{failed} requests failed" if failed else "their judgement was left out"
            listed = ", ".join(map(str, sorted(lost)))
            told += f" Not judged, and ranked by the search alone: pages {listed} ({why})."
        return f"{told}\n\n{score_table('score', pages)}"


def page_judge(llm: CompatOpenAI, loop: BackgroundLoop) -> Judge:
    """The program that judges pages."""

    def build_messages(
        *, with_schema: bool, question: str, report: Report, pages: Sequence[Page], **_: Any
    ) -> Any:
        return rerank_messages(
            question=question,
            company=report.company,
            currency=report.currency,
            period_end=report.period_end,
            pages=[PageText(page_number=page.page_number, markdown=page.markdown) for page in pages],
            with_schema=with_schema,
        )

    return CascadeProgram(llm, PageJudgements, build_messages, loop)

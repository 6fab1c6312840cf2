"""Rerankers: the lexical one, which needs no model; those that ask a language model; and the user's own."""

import asyncio
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.types import BasePydanticProgram
from pydantic import ConfigDict, Field

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.answers.assemble import PageText, ReportHeader
from prompts.tasks.rerank import RERANK_PROMPTS, PageJudgements, RerankPrompts, rerank_messages
from query_engines.events import step
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import as_bundle
from query_engines.rerank.passages import NearPassages, in_words
from query_engines.retrieval.index_cache import ReportSearch
from query_engines.retrieval.page_nodes import ReadPages, found_page, page_node, scaled, with_pages
from query_engines.retrieval.retrievers import score_table
from storage.components import of_the_user
from storage.errors import ComponentError, ProviderError
from storage.records.pages import Page
from storage.records.reports import Report

if TYPE_CHECKING:
    from query_engines.llm.client import CompatOpenAI


class BatchRerankPostprocessor(BaseNodePostprocessor):
    """Combines a model's scores with those of the first stage, scaled to 0..1 within the candidates.

    A page without a score, because its request failed or the model omitted it, has only its scaled first-stage score,
    and the step's summary says so.

    Attributes:
        pages_per_request: pages that one request scores.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    label: ClassVar[str]
    read_pages: ReadPages = Field(exclude=True)
    loop: BackgroundLoop = Field(exclude=True)
    first_weight: float
    own_weight: float
    pages_per_request: int

    @abstractmethod
    async def scored(self, question: ParsedQuestion, batch: Sequence[Page]) -> dict[int, float]:
        """The model's scores by page number; higher is better.

        Raises:
            ProviderError: the request failed.
        """

    def spread(self, raw: Mapping[int, float]) -> Mapping[int, float]:
        """The model's scores of all candidates, scaled to 0..1 where they are on another scale."""
        return raw

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return self.loop.run(self._apostprocess_nodes(nodes, query_bundle))

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        question = as_bundle(query_bundle or QueryBundle("")).parsed
        with step("rerank", self.label) as running:
            found = [page for _, page in await asyncio.to_thread(with_pages, nodes, self.read_pages)]
            size = self.pages_per_request
            batches = [found[start : start + size] for start in range(0, len(found), size)]
            parts = await asyncio.gather(*(self._tried(question, batch) for batch in batches))
            raw = {page: score for part in parts if part is not None for page, score in part.items()}
            pages = weighed(nodes, self.spread(raw), self.first_weight, self.own_weight, shown=raw)
            running.summary = batch_summary(pages, len(batches), sum(part is None for part in parts))
        return pages

    async def _tried(self, question: ParsedQuestion, batch: Sequence[Page]) -> dict[int, float] | None:
        try:
            return await self.scored(question, batch)
        except ProviderError:
            return None


def weighed(
    nodes: Sequence[NodeWithScore],
    own: Mapping[int, float],
    first_weight: float,
    own_weight: float,
    shown: Mapping[int, float] | None = None,
) -> list[NodeWithScore]:
    """The candidates by both scores, best first. A page without a reranker's score has only its scaled first one.

    Args:
        nodes: candidates of one report with the first stage's scores.
        own: the reranker's scores by page number, 0..1.
        first_weight: the first stage's share.
        own_weight: the reranker's share.
        shown: the reranker's scores before scaling, if they were scaled; they are shown with the pages.
    """
    first = scaled(nodes)
    ordered = []
    for found in nodes:
        number = found.metadata["page"]
        node, score = found.node.model_copy(deep=True), first[number]
        if number in own:
            node.metadata["rerank_score"] = (shown or own)[number]
            score = first_weight * score + own_weight * own[number]
        else:
            node.metadata["rerank_failed"] = True
        ordered.append(NodeWithScore(node=node, score=score))
    return sorted(ordered, key=lambda page: -(page.score or 0.0))


def batch_summary(pages: Sequence[NodeWithScore], requests: int, failed: int) -> str:
    """Markdown about how many pages were judged, which were not and why, and the best pages' scores."""
    lost = [page.metadata["page"] for page in pages if page.metadata.get("rerank_failed")]
    summary = f"{len(pages) - len(lost)} of {len(pages)} pages judged in {requests} requests."
    if lost:
        why = f"{failed} requests failed" if failed else "their judgement was left out"
        listed = ", ".join(map(str, sorted(lost)))
        summary += f" Not judged, and ranked by the search alone: pages {listed} ({why})."
    return f"{summary}\n\n{score_table('score', pages)}"


class LexicalRerankPostprocessor(BaseNodePostprocessor):
    """Scores every page of the report, also those not retrieved, and adds the scaled first-stage score.

    A page is as good as its row that fits best, or, for a question that prose answers, as its nearest passage.

    Attributes:
        page_count: pages in the result.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    search: ReportSearch = Field(exclude=True)
    near: NearPassages = Field(exclude=True)
    first_weight: float
    own_weight: float
    page_count: int

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "LexicalRerankPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        query = as_bundle(query_bundle or QueryBundle(""))
        parsed, intent = query.parsed, query.parsed.intent
        with step("rerank", "Reading every page's words") as running:
            scores = self.search.scores
            bm25 = self.search.words.page_shares(intent.search_words, scores.page_count)
            is_open = parsed.kind == "text" or (parsed.kind != "number" and intent.topic == "other")
            own = scores.of(intent, bm25) if intent.event or not is_open else np.zeros(scores.page_count)
            if is_open:
                near = self.near.by_page(in_words(parsed, query.facts), scores.page_count)
                own = np.maximum(near, own / peak) if (peak := own.max()) > 0 else near
            first, found = scaled(nodes), {node.metadata["page"]: node for node in nodes}
            combined = {
                number: self.own_weight * float(score) + self.first_weight * first.get(number, 0.0)
                for number, score in enumerate(own, start=1)
                if score > 0 or number in first
            }
            best = sorted(combined, key=lambda number: (-combined[number], number))[: self.page_count]
            pages = [self._scored(number, combined[number], float(own[number - 1]), found) for number in best]
            running.summary = score_table("score", pages)
        return pages

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._postprocess_nodes, nodes, query_bundle)

    def _scored(self, number: int, combined: float, own: float, found: dict[int, NodeWithScore]) -> NodeWithScore:
        candidate = found.get(number) or found_page(self.search.report.sha1, number, None)
        node = candidate.node.model_copy(update={"metadata": {**candidate.node.metadata, "rerank_score": own}})
        return NodeWithScore(node=node, score=combined)


Judge = BasePydanticProgram[PageJudgements]


class LLMRerankPostprocessor(BatchRerankPostprocessor):
    """Has a language model judge from 0 to 1 how much each page helps.

    Attributes:
        judge: called with `question`, `report` and `pages`.
    """

    label = "Judging the pages"
    judge: Judge = Field(exclude=True)
    report: Report

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "LLMRerankPostprocessor"

    async def scored(self, question: ParsedQuestion, batch: Sequence[Page]) -> dict[int, float]:
        """The relevance of each judged page."""
        reply = await self.judge.acall(question=question, report=self.report, pages=batch)
        judgements = cast(PageJudgements, reply)  # not a stream
        given = {page.page_number for page in batch}
        return {j.page: j.relevance for j in judgements.judgements if j.page in given}


def page_judge(
    llm: "CompatOpenAI",
    loop: BackgroundLoop,
    prompts: RerankPrompts = RERANK_PROMPTS,
    repair: RepairPrompts = REPAIR_PROMPTS,
) -> Judge:
    """The program that judges pages."""
    from query_engines.llm.structured import CascadeProgram  # late: it loads the package openai

    def build_messages(
        *, with_schema: bool, question: ParsedQuestion, report: Report, pages: Sequence[Page], **_: Any
    ) -> Any:
        return rerank_messages(
            question.for_model,
            ReportHeader(
                company=report.company,
                filing=report.described,
                currency=report.currency,
                period_end=report.period_end,
            ),
            [PageText(page_number=page.page_number, markdown=page.markdown) for page in pages],
            with_schema,
            prompts,
        )

    return CascadeProgram(llm, PageJudgements, build_messages, loop, repair)


class OwnRerankPostprocessor(BaseNodePostprocessor):
    """Gives the found pages to the user's postprocessor and takes its order, and what it leaves out.

    Attributes:
        inner: gets nodes whose text is a whole page and whose score is the search's; `metadata` has `page` (1-based)
            and `report_sha1`. It must return some of these nodes, best first.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)
    inner: BaseNodePostprocessor = Field(exclude=True)
    read_pages: ReadPages = Field(exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of the class."""
        return "OwnRerankPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        with of_the_user(self._what):
            found = self.inner.postprocess_nodes(self._whole(nodes), _asked(query_bundle))
        return self._checked(found, nodes)

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if not nodes:
            return []
        with step("rerank", f"Ranking the pages by {type(self.inner).__name__}") as running:
            whole = await asyncio.to_thread(self._whole, nodes)
            with of_the_user(self._what):
                found = await self.inner.apostprocess_nodes(whole, _asked(query_bundle))
            ranked = self._checked(found, nodes)
            running.summary = score_table("score", ranked)
        return ranked

    def _whole(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        return [
            page_node(page, page.markdown, node.score, node.metadata)
            for node, page in with_pages(nodes, self.read_pages)
        ]

    @property
    def _what(self) -> str:
        return f"the reranker {type(self.inner).__name__}"

    def _checked(self, found: object, given: Sequence[NodeWithScore]) -> list[NodeWithScore]:
        """The found ones, each once, as they were given, with the scores that they have now.

        Raises:
            ComponentError: it returned something else than nodes that it was given.
        """
        if not isinstance(found, list | tuple) or not all(isinstance(node, NodeWithScore) for node in found):
            raise ComponentError(f"{self._what} returned {_in_words(found)}, expected a list of NodeWithScore")
        known = {node.node.node_id: node for node in given}
        if strange := [node.node.node_id for node in found if node.node.node_id not in known]:
            raise ComponentError(f"{self._what} returned a node that it was not given: {strange[0]!r}")
        ranked = {node.node.node_id: node.score for node in found}
        return [NodeWithScore(node=known[number].node, score=score) for number, score in ranked.items()]


def _asked(query: QueryBundle | None) -> QueryBundle:
    """The question in its own words."""
    return QueryBundle(as_bundle(query or QueryBundle("")).parsed.question.text)


def _in_words(found: object) -> str:
    kinds = {type(one).__name__ for one in found} if isinstance(found, list | tuple) else set()
    return f"a list of {' and '.join(sorted(kinds))}" if kinds else repr(found)[:40]

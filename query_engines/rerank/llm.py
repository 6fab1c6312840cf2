"""Reranks pages by a language model's judgement."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from llama_index.core.types import BasePydanticProgram
from pydantic import Field

from prompts.answers.answer_prompts import REPAIR_PROMPTS, RepairPrompts
from prompts.answers.assemble import PageText, ReportHeader
from prompts.tasks.rerank import RERANK_PROMPTS, PageJudgements, RerankPrompts, rerank_messages
from query_engines.llm.event_loop import BackgroundLoop
from query_engines.question.parsed import ParsedQuestion
from query_engines.rerank.base import BatchRerankPostprocessor
from storage.records.pages import Page
from storage.records.reports import Report

if TYPE_CHECKING:
    from query_engines.llm.client import CompatOpenAI

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

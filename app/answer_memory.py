"""Answers given again instead of asking a model again."""

import asyncio
import logging
import sqlite3

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.schema import NodeWithScore

from app.answer_keys import AnswerKey, AnswerKeys
from query_engines.page_nodes import ReadPages, page_node
from query_engines.question_bundle import QuestionBundle
from storage.answer_cache import AnswerCache, KeptAnswer, SourcePage
from storage.answers import Answer, Usage

logger = logging.getLogger(__name__)


class AnswerMemory:
    """Keeps the answers that a model was paid for. Its own failures cost the saving, never the answer."""

    def __init__(self, cache: AnswerCache, keys: AnswerKeys, read_pages: ReadPages) -> None:
        self._cache = cache
        self._keys = keys
        self._read_pages = read_pages

    async def key(self, query: QuestionBundle) -> AnswerKey | None:
        """Under which the question's answer may stand now."""
        return await asyncio.to_thread(self._keys.key, query)

    async def recall(self, key: AnswerKey) -> PydanticResponse | None:
        """The answer kept under this key, with its pages; it took nothing from a model this time."""
        try:
            kept = await asyncio.to_thread(self._cache.get, key.text)
        except (sqlite3.Error, OSError) as error:
            logger.warning("kept answers cannot be read: %s", error)
            return None
        return None if kept is None else await asyncio.to_thread(self._response, kept)

    async def keep(self, key: AnswerKey, response: PydanticResponse) -> None:
        """Keep an answer, where it is one to be given again."""
        answer, nodes = response.response, response.source_nodes
        if not isinstance(answer, Answer) or not _is_worth_keeping(answer, nodes, key):
            return
        sources = tuple(
            SourcePage(report_sha1=n.metadata["report_sha1"], page=n.metadata["page"], score=n.score)
            for n in nodes
        )
        try:
            await asyncio.to_thread(self._cache.put, key.text, KeptAnswer(answer=answer, sources=sources))
        except (sqlite3.Error, OSError) as error:
            logger.warning("an answer cannot be kept: %s", error)

    def _response(self, kept: KeptAnswer) -> PydanticResponse:
        answer = kept.answer.model_copy(update={"cached": True, "usage": Usage(), "parts": _free(kept.answer)})
        return PydanticResponse(response=answer, source_nodes=[self._node(source) for source in kept.sources])

    def _node(self, source: SourcePage) -> NodeWithScore:
        (page,) = self._read_pages(source.report_sha1, [source.page])
        return page_node(page, page.markdown, source.score)


def _is_worth_keeping(answer: Answer, nodes: list[NodeWithScore], key: AnswerKey) -> bool:
    """Paid for, resting on what the key holds, and whole: no part failed, and every page was judged that was to be."""
    answers = (answer, *answer.parts)
    known = {a.company for a in answers if a.company is not None} <= key.companies
    failed = any(a.reason == "model_failed" for a in answers)
    half_judged = any(node.metadata.get("rerank_failed") for node in nodes)
    return answer.usage.requests > 0 and known and not failed and not half_judged


def _free(answer: Answer) -> tuple[Answer, ...]:
    return tuple(part.model_copy(update={"cached": True, "usage": Usage()}) for part in answer.parts)

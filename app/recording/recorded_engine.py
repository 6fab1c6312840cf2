"""Wraps the engines: gives stored answers, and logs every question."""

import asyncio
import logging
import sqlite3
import time
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import QueryBundle

from app.recording.answer_cache import AnswerMemory
from query_engines.llm.event_loop import BackgroundLoop, turn
from query_engines.llm.usage import counted_answer
from query_engines.question.parsed import QuestionBundle
from query_engines.question.parser import QuestionParser
from storage.errors import PageproofError
from storage.records.answers import Answer
from storage.stores.run_log import LoggedAnswer, Run, RunLog

logger = logging.getLogger(__name__)


class RunTrail:
    """The client's run in the log. If the log cannot be written, there is one warning, and answers continue."""

    def __init__(self, log: RunLog, run: Run) -> None:
        self.run = run
        self._log = log
        self._has_warned = False

    async def add(self, entry: LoggedAnswer) -> None:
        """Log a question."""
        try:
            await asyncio.to_thread(self._log.append, self.run, entry)
        except (sqlite3.Error, OSError) as error:
            if not self._has_warned:
                self._has_warned = True
                logger.warning("the run log cannot be written: %s", error)


class RecordedQueryEngine(BaseQueryEngine):
    """A client's engines, wrapped by its answer cache and its run log.

    Args:
        inner: answers with a `PydanticResponse` around an Answer.
        parser: for questions that are not parsed yet.
        memory: the answer cache; None to do without.
        trail: the run log; None to do without.
    """

    def __init__(
        self,
        inner: BaseQueryEngine,
        parser: QuestionParser,
        profile: str,
        memory: AnswerMemory | None,
        trail: RunTrail | None,
        loop: BackgroundLoop,
    ) -> None:
        super().__init__(callback_manager=None)
        self._inner = inner
        self._parser = parser
        self._profile = profile
        self._memory = memory
        self._trail = trail
        self._loop = loop

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        with turn():
            return await self._recorded(query_bundle)

    async def _recorded(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        started = time.perf_counter()
        query = await asyncio.to_thread(self._parser.bundle, query_bundle)
        question = query.parsed.question
        try:
            response, answer = await self._answered(query)
        except Exception as error:  # raised again after it was logged
            message = str(error) if isinstance(error, PageproofError) else f"a defect: {error!r}"
            await self._log(LoggedAnswer.failure(question, message, time.perf_counter() - started))
            raise
        seconds = time.perf_counter() - started
        answer = answer.model_copy(update={"profile": self._profile, "seconds": seconds})
        response.response = answer
        await self._log(LoggedAnswer.of(question, answer))
        return response

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    async def _answered(self, query: QuestionBundle) -> tuple[PydanticResponse, Answer]:
        key = await self._memory.key(query) if self._memory else None
        if self._memory and key and (given := await self._memory.recall(key)) is not None:
            return given
        response, answer = await counted_answer(self._inner, query)
        if self._memory and key:
            await self._memory.store(key, response)
        return response, answer

    async def _log(self, entry: LoggedAnswer) -> None:
        if self._trail:
            await self._trail.add(entry)

"""Where every question passes: kept answers come out, and what came of it is logged."""

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
from query_engines.question.bundle import QuestionBundle, as_bundle
from storage.errors import PageproofError
from storage.records.answers import Answer
from storage.stores.run_log import LoggedAnswer, Run, RunLog

logger = logging.getLogger(__name__)


class RunTrail:
    """The client's own run in the log. A log that cannot be written is told once and fails no answer."""

    def __init__(self, log: RunLog, run: Run) -> None:
        self.run = run
        self._log = log
        self._told = False

    async def add(self, entry: LoggedAnswer) -> None:
        """Log a question."""
        try:
            await asyncio.to_thread(self._log.append, self.run, entry)
        except (sqlite3.Error, OSError) as error:
            if not self._told:
                self._told = True
                logger.warning("the run log cannot be written: %s", error)


class RecordedQueryEngine(BaseQueryEngine):
    """The engines of a client, with its memory and its trail around them.

    Args:
        inner: answers with a `PydanticResponse` around an Answer.
        memory: None gives no kept answers.
        trail: None logs nothing.
    """

    def __init__(
        self,
        inner: BaseQueryEngine,
        profile: str,
        memory: AnswerMemory | None,
        trail: RunTrail | None,
        loop: BackgroundLoop,
    ) -> None:
        super().__init__(callback_manager=None)
        self._inner = inner
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
        query, started = as_bundle(query_bundle), time.perf_counter()
        try:
            response, answer = await self._answered(query)
        except Exception as error:  # goes on as it came, once the trail has it
            told = str(error) if isinstance(error, PageproofError) else f"a defect: {error!r}"
            await self._log(LoggedAnswer.failure(query.question, told, time.perf_counter() - started))
            raise
        seconds = time.perf_counter() - started
        answer = answer.model_copy(update={"profile": self._profile, "seconds": seconds})
        response.response = answer
        await self._log(LoggedAnswer.of(query.question, answer))
        return response

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._loop.run(self._aquery(query_bundle))

    async def _answered(self, query: QuestionBundle) -> tuple[PydanticResponse, Answer]:
        key = await self._memory.key(query) if self._memory else None
        kept = await self._memory.recall(key) if self._memory and key else None
        response = kept or await self._inner.aquery(query)
        if not isinstance(response, PydanticResponse) or not isinstance(response.response, Answer):
            raise TypeError(f"the engines gave a {type(response).__name__}, expected an Answer")
        if self._memory and key and not kept:
            await self._memory.keep(key, response)
        return response, response.response

    async def _log(self, entry: LoggedAnswer) -> None:
        if self._trail:
            await self._trail.add(entry)

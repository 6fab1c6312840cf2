"""Wraps the engines as LlamaIndex expects them: gives stored answers, logs every question, names files and prompts."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse, Response
from llama_index.core.prompts import BasePromptTemplate, PromptTemplate
from llama_index.core.prompts.mixin import PromptDictType, PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType

from app.recording.answer_cache import AnswerMemory
from query_engines.llm.event_loop import BackgroundLoop, turn
from query_engines.llm.usage import counted_answer
from query_engines.question.parsed import QuestionBundle
from query_engines.question.parser import QuestionParser
from storage.errors import PageproofError, UsageError, check_type
from storage.records.answers import Answer
from storage.records.reports import Report
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


@dataclass
class AnswerResponse(PydanticResponse):
    """LlamaIndex's response to a question; `response` is the typed answer, and its text is short, with pages."""

    response: Answer

    def __str__(self) -> str:
        from app.files.answer_json import answer_text  # late: it loads openpyxl

        return answer_text(self.response)

    def get_response(self) -> Response:
        """The same as LlamaIndex's plain response."""
        return Response(str(self), self.source_nodes, self.metadata)


@dataclass(frozen=True)
class Surroundings:
    """What an engine tells beside its answers.

    Attributes:
        report_of: gives a report of the library by its SHA-1.
        prompts: what a model is told, by name, with blanks as LlamaIndex writes them.
    """

    report_of: Callable[[str], Report | None]
    prompts: Callable[[], dict[str, str]]

    def named(self, nodes: Sequence[NodeWithScore]) -> list[NodeWithScore]:
        """The nodes, each of which says of what it is a page: company, file and filing."""
        for found in nodes:
            report = self.report_of(str(found.node.metadata.get("report_sha1", "")))
            if report is not None:
                named = {"company": report.company, "file": report.file, "filing": report.filing.type}
                found.node.metadata |= named
        return list(nodes)


class PagesRetriever(BaseRetriever):
    """A LlamaIndex retriever of whole pages, best first, each with `company`, `file`, `report_sha1` and `page`."""

    def __init__(
        self, pages: Callable[[str], Coroutine[Any, Any, list[NodeWithScore]]], loop: BackgroundLoop
    ) -> None:
        super().__init__()
        self._pages = pages
        self._loop = loop

    def retrieve(self, str_or_query_bundle: QueryType) -> list[NodeWithScore]:
        """The pages for a question.

        Raises:
            UsageError: it is no text, or empty.
        """
        return super().retrieve(_asked(str_or_query_bundle))

    async def aretrieve(self, str_or_query_bundle: QueryType) -> list[NodeWithScore]:
        """The same in an event loop."""
        return await super().aretrieve(_asked(str_or_query_bundle))

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._loop.run(self._pages(query_bundle.query_str))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await self._loop.arun(self._pages(query_bundle.query_str))


class RecordedQueryEngine(BaseQueryEngine):
    """A client's engines, wrapped by its answer cache and its run log.

    Args:
        inner: answers with a `PydanticResponse` around an Answer.
        parser: for questions that are not parsed yet.
        memory: the answer cache; None to do without.
        trail: the run log; None to do without.
        beside: what it tells beside its answers.
    """

    def __init__(
        self,
        inner: BaseQueryEngine,
        parser: QuestionParser,
        profile: str,
        memory: AnswerMemory | None,
        trail: RunTrail | None,
        loop: BackgroundLoop,
        beside: Surroundings | None = None,
    ) -> None:
        super().__init__(callback_manager=None)
        self._beside = beside or Surroundings(lambda _: None, dict)
        self._inner = inner
        self._parser = parser
        self._profile = profile
        self._memory = memory
        self._trail = trail
        self._loop = loop

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _get_prompts(self) -> PromptDictType:
        """What a model is told; without a model nothing of it is used."""
        return {name: PromptTemplate(text) for name, text in self._beside.prompts().items()}

    def _update_prompts(self, prompts: dict[str, BasePromptTemplate]) -> None:
        del prompts
        raise UsageError(
            "prompts are changed in files: `pageproof prompts --out FOLDER` writes them, and the setting "
            "answers.prompts=FOLDER names them"
        )

    def query(self, str_or_query_bundle: QueryType) -> RESPONSE_TYPE:
        """Answer a question.

        Raises:
            UsageError: it is no text, or empty.
        """
        return super().query(_asked(str_or_query_bundle))

    async def aquery(self, str_or_query_bundle: QueryType) -> RESPONSE_TYPE:
        """The same in an event loop."""
        return await super().aquery(_asked(str_or_query_bundle))

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
        await self._log(LoggedAnswer.of(question, answer))
        return AnswerResponse(answer, self._beside.named(response.source_nodes), response.metadata)

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


def _asked(query: object) -> QueryType:
    """A question as LlamaIndex brings it.

    Raises:
        UsageError: it is no text, or empty.
    """
    text = query.query_str if isinstance(query, QueryBundle) else query
    check_type("the question", text, str, "a text, or a QueryBundle of LlamaIndex")
    assert isinstance(text, str)
    if not text.strip():
        raise UsageError("the question is empty")
    return query if isinstance(query, QueryBundle) else text

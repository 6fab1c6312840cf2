"""Returns stored answers without using a model, as long as nothing has changed that they depend on."""

import asyncio
import hashlib
import logging
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.schema import NodeWithScore

from app.chat_options import ChatOptions
from app.settings import Settings
from query_engines.question.parsed import QuestionBundle
from query_engines.retrieval.page_nodes import ReadPages, page_node
from storage.files import digest
from storage.options import CacheOptions
from storage.records.answers import Answer, Usage
from storage.records.record import Record
from storage.records.reports import Company
from storage.stores.caches import AnswerCache, CachedAnswer, SourcePage
from storage.stores.protocols import StoredFacts, StoredPages

GenerationOf = Callable[[str], str | None]
_ANSWERING = ("storage", "prompts", "indexes", "query_engines")
_DATA = (".py", ".toml", ".txt")
# Settings that do not change an answer: speed, budget and patience of requests, where reports are read and logs go,
# caches, and the look of the chat.
_NO_MATTER: dict[str, set[str]] = {
    "llm": {
        "parallel",
        "stream",
        "requests_per_minute",
        "tokens_per_minute",
        "budget_usd",
        "prompt_usd_per_million",
        "completion_usd_per_million",
        "timeout_seconds",
    },
    "answers": {"cache", "prompts"},  # the text of the prompts counts, not their folder
    "ingest": {"executor", "ray_address"},
    "runs": {"log"},
    "caches": set(CacheOptions.model_fields),
    "chat": set(ChatOptions.model_fields),
}


class AnswerKey(Record):
    """A key and the companies whose state it includes. An answer based on other companies is not stored under it."""

    text: str
    companies: frozenset[str]


class AnswerKeys:
    """Makes the keys of one client.

    A key includes the question with its hints; the settings that matter; the model's name and address; the files of
    the program and its prompts; and for each company that the question may be about, its data in the catalog, its
    published index, and the state of its pages and facts. So after any ingestion, edit or update, older answers have
    another key.
    """

    def __init__(
        self,
        settings: Settings,
        model: str,
        prompts: str,
        generation_of: GenerationOf,
        pages: StoredPages,
        facts: StoredFacts,
    ) -> None:
        self._fixed = digest([_that_matter(settings), model, prompts, program_digest()])
        self._generation_of = generation_of
        self._pages = pages
        self._facts = facts

    def key(self, query: QuestionBundle) -> AnswerKey | None:
        """The current key of a question; None where it is about no company of the library."""
        companies = query.parsed.companies
        if not companies:
            return None
        question = [query.parsed.question.model_dump(mode="json"), query.parsed.kind]
        text = digest([self._fixed, question, [self._state(company) for company in companies]], length=32)
        return AnswerKey(text=text, companies=frozenset(company.name for company in companies))

    def _state(self, company: Company) -> list[Any]:
        files = [(self._pages.stamp(report.sha1), self._facts.stamp(report)) for report in company.reports]
        return [company.model_dump(mode="json"), self._generation_of(company.name), files]


_HOME = Path(__file__).parents[2]


@cache
def program_digest() -> str:
    """Twelve hex digits that change with the program that answers: its code, prompts, rules and word lists."""
    hashed = hashlib.sha256()
    for package in _ANSWERING:
        for path, content in sorted(_files(_HOME / package, package)):
            hashed.update(f"{path} {len(content)}\n".encode())
            hashed.update(content)
    return hashed.hexdigest()[:12]


def _files(folder: Path, path: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _files(entry, f"{path}/{entry.name}")
        elif entry.name.endswith(_DATA):
            found.append((f"{path}/{entry.name}", entry.read_bytes()))
    return found


def _that_matter(settings: Settings) -> dict[str, dict[str, Any]]:
    return {
        section: {key: value for key, value in values.items() if key not in _NO_MATTER.get(section, ())}
        for section, values in settings.model_dump(mode="json").items()
    }


logger = logging.getLogger(__name__)


class AnswerMemory:
    """Stores the answers for which a model was paid. If the cache fails, only the saving is lost, not the answer."""

    def __init__(self, cache: AnswerCache, keys: AnswerKeys, read_pages: ReadPages) -> None:
        self._cache = cache
        self._keys = keys
        self._read_pages = read_pages

    async def key(self, query: QuestionBundle) -> AnswerKey | None:
        """The current key of the question."""
        return await asyncio.to_thread(self._keys.key, query)

    async def recall(self, key: AnswerKey) -> tuple[PydanticResponse, Answer] | None:
        """The answer stored under this key, with its pages; its usage is zero."""
        try:
            cached = await asyncio.to_thread(self._cache.get, key.text)
        except (sqlite3.Error, OSError) as error:
            logger.warning("kept answers cannot be read: %s", error)
            return None
        return None if cached is None else await asyncio.to_thread(self._response, cached)

    async def store(self, key: AnswerKey, response: PydanticResponse) -> None:
        """Store an answer, if it may be used again."""
        answer, nodes = response.response, response.source_nodes
        if not isinstance(answer, Answer) or not _is_worth_storing(answer, nodes, key):
            return
        sources = tuple(
            SourcePage(report_sha1=n.metadata["report_sha1"], page=n.metadata["page"], score=n.score)
            for n in nodes
        )
        try:
            await asyncio.to_thread(self._cache.put, key.text, CachedAnswer(answer=answer, sources=sources))
        except (sqlite3.Error, OSError) as error:
            logger.warning("an answer cannot be kept: %s", error)

    def _response(self, cached: CachedAnswer) -> tuple[PydanticResponse, Answer]:
        answer = cached.answer.model_copy(update={"cached": True, "usage": Usage(), "parts": _free(cached.answer)})
        nodes = [self._node(source) for source in cached.sources]
        return PydanticResponse(response=answer, source_nodes=nodes), answer

    def _node(self, source: SourcePage) -> NodeWithScore:
        (page,) = self._read_pages(source.report_sha1, [source.page])
        return page_node(page, page.markdown, source.score)


def _is_worth_storing(answer: Answer, nodes: list[NodeWithScore], key: AnswerKey) -> bool:
    """Whether an answer cost money, depends only on the key's companies, and is complete: nothing failed."""
    answers = (answer, *answer.parts)
    known = {a.company for a in answers if a.company is not None} <= key.companies
    failed = any(a.reason == "model_failed" for a in answers)
    half_judged = any(node.metadata.get("rerank_failed") for node in nodes)
    return answer.usage.requests > 0 and known and not failed and not half_judged


def _free(answer: Answer) -> tuple[Answer, ...]:
    return tuple(part.model_copy(update={"cached": True, "usage": Usage()}) for part in answer.parts)

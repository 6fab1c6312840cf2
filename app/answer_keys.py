"""What an answer rests on, as a key: while nothing of it changed, the answer may be given again."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from app.settings import Settings
from query_engines.question_bundle import QuestionBundle
from storage.files import digest
from storage.kept import KeptFacts, KeptPages
from storage.record import Record
from storage.reports import Company

GenerationOf = Callable[[str], str | None]
CompaniesOf = Callable[[QuestionBundle], Sequence[Company]]
_ANSWERING = ("storage", "prompts", "indexes", "query_engines")
_DATA = (".py", ".toml", ".txt")
# How fast, how dear and how patiently a model is asked, where reports are read and traces go: the answer is the same.
_NO_MATTER = {
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
    "answers": {"cache", "prompts"},  # what the prompts say counts, not where they lie
    "ingest": {"executor", "ray_address"},
    "runs": {"log"},
}


class AnswerKey(Record):
    """A key, and the companies whose state it holds; an answer that rests on another one is not kept under it."""

    text: str
    companies: frozenset[str]


class AnswerKeys:
    """Makes the keys of one client.

    A key holds the question with its hints; the settings that matter; the model's name and address; the program and
    its prompts, as their files are; and of each company that the question may be about, what the catalog says, which
    index is published, and the state of its pages and facts. So whatever is ingested, edited or updated, an older
    answer has another key.
    """

    def __init__(
        self,
        settings: Settings,
        model: str,
        prompts: str,
        companies_of: CompaniesOf,
        generation_of: GenerationOf,
        pages: KeptPages,
        facts: KeptFacts,
    ) -> None:
        self._fixed = digest([_that_matter(settings), model, prompts, program_digest()])
        self._companies_of = companies_of
        self._generation_of = generation_of
        self._pages = pages
        self._facts = facts

    def key(self, query: QuestionBundle) -> AnswerKey | None:
        """The key of a question now, or None where it is about no company of the library."""
        companies = self._companies_of(query)
        if not companies:
            return None
        asked = [query.question.model_dump(mode="json"), query.kind]
        text = digest([self._fixed, asked, [self._state(company) for company in companies]], length=32)
        return AnswerKey(text=text, companies=frozenset(company.name for company in companies))

    def _state(self, company: Company) -> list[Any]:
        files = [(self._pages.stamp(report.sha1), self._facts.stamp(report)) for report in company.reports]
        return [company.model_dump(mode="json"), self._generation_of(company.name), files]


@cache
def program_digest() -> str:
    """Twelve hex digits that change with the program that answers: its code, prompts, rules and word lists."""
    hashed = hashlib.sha256()
    for package in _ANSWERING:
        for path, content in sorted(_files(resources.files(package), package)):
            hashed.update(f"{path} {len(content)}\n".encode())
            hashed.update(content)
    return hashed.hexdigest()[:12]


def _files(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
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

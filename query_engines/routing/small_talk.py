"""Replies to what is no question: a greeting, thanks, "what can you do?". Nothing is searched for."""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE, PydanticResponse
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.query_engine import BaseQueryEngine
from llama_index.core.schema import QueryBundle

from query_engines.question.parsed import ParsedQuestion
from query_engines.question.parser import as_bundle
from storage.records.answers import Answer
from storage.records.reports import Company

TALK = "small talk"  # the engine for what asks nothing of a report
SOURCE = "talk_source"  # "where is that printed?", which in a conversation gives the answer before with its page
_ADVICE = "talk_advice"  # "will it go bust next year?"
_SURE = 0.7  # of talk; below that, a question that is not understood is still a question
_LONGEST = 25  # words of talk; who writes more wants something
_SHOWN = 5  # companies that a reply names


class SmallTalkEngine(BaseQueryEngine):
    """Answers in the language it is spoken to, with three questions that this library can answer."""

    def __init__(self, companies: Sequence[Company]) -> None:
        super().__init__(callback_manager=None)
        self._companies = tuple(companies)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}

    def _query(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        parsed = as_bundle(query_bundle).parsed
        reply = self.reply(parsed)
        answer = Answer(question=parsed.question.text, kind="text", value=reply, understood=parsed.understood)
        return PydanticResponse(response=answer)

    async def _aquery(self, query_bundle: QueryBundle) -> RESPONSE_TYPE:
        return self._query(query_bundle)

    def reply(self, parsed: ParsedQuestion) -> str:
        """What to say."""
        words = _replies()[parsed.guess.language if parsed.guess.language in _replies() else "en"]
        # The first company, the second, and so on, around again where there are fewer than questions.
        known = self._companies or (Company(name="…"),)
        asked = [q.format(company=known[at % len(known)].name) for at, q in enumerate(words["questions"])]
        names = ", ".join(company.name for company in self._companies[:_SHOWN])
        more = len(self._companies) - _SHOWN
        return str(words[parsed.guess.topic]).format(
            companies=f"{names} … (+{more})" if more > 0 else names, questions="\n".join(f"- {q}" for q in asked)
        )


def is_small_talk(parsed: ParsedQuestion) -> bool:
    """Whether somebody asks nothing of a report: no company, no kind given, and few words.

    Who names a period wants a figure, but for advice on what is to come.
    """
    guess, question = parsed.guess, parsed.question
    if question.kind is not None or question.company is not None or parsed.companies:
        return False
    if parsed.periods and guess.topic != _ADVICE:
        return False
    return guess.is_talk and guess.probability >= _SURE and len(parsed.wording.split()) <= _LONGEST


@cache
def _replies() -> dict[str, dict[str, Any]]:
    file = Path(__file__).parent / "small_talk.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))

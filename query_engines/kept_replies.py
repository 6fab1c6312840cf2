"""A question's replies from a model, kept until it is done, so that a killed run asks only what was in flight."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from openai.types.chat import ChatCompletion

from storage.files import digest
from storage.reply_journal import ReplyJournal


class QuestionReplies:
    """The replies that one question has had so far. Without a journal nothing is kept."""

    def __init__(self, journal: ReplyJournal | None) -> None:
        self._journal = journal
        self._keys: list[str] = []

    def take(self, key: str) -> ChatCompletion | None:
        """What an earlier run was told to this request; it costs nothing now."""
        self._keys.append(key)
        kept = self._journal.take(key) if self._journal else None
        return None if kept is None else ChatCompletion.construct(**json.loads(kept))

    def keep(self, key: str, reply: object) -> None:
        """Keep a reply; what is none, such as a proxy's page, is not kept."""
        if self._journal is not None and isinstance(reply, ChatCompletion):
            self._journal.keep(key, reply.model_dump_json())

    def settle(self) -> None:
        """The question is done, for better or worse; its answer is written."""
        if self._journal is not None:
            self._journal.forget(self._keys)


_question: ContextVar[QuestionReplies | None] = ContextVar("pageproof_question_replies", default=None)


@contextmanager
def replies_of_a_question(journal: ReplyJournal | None) -> Iterator[QuestionReplies]:
    """Keep the replies to requests of this context, and of tasks and threads started from it."""
    replies = QuestionReplies(journal)
    token = _question.set(replies if journal else None)
    try:
        yield replies
    finally:
        _question.reset(token)


def question_replies() -> QuestionReplies | None:
    """Where the running question's replies are kept, if anywhere."""
    return _question.get()


def request_key(address: str, body: dict[str, Any]) -> str:
    """A request's name: the same for the same words to the same model."""
    return digest([address, body], length=32)

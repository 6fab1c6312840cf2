"""Questions and what is asked for."""

from typing import Literal

from storage.record import Record

AnswerKind = Literal["number", "boolean", "name", "names", "comparative", "text"]


class Question(Record):
    """What somebody asks.

    Attributes:
        kind: None lets Pageproof infer it.
        company: a company's name that overrides what the text says.
        currency: ISO 4217 code that the answer must be in; None takes the report's.
    """

    text: str
    kind: AnswerKind | None = None
    company: str | None = None
    currency: str | None = None

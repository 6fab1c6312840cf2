"""A question and the kind of its answer."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from storage.records.record import Record
from storage.text import storable

AnswerKind = Literal["number", "boolean", "name", "names", "comparative", "text"]


class Question(Record):
    """A question in plain words, with optional hints.

    Attributes:
        kind: None lets Pageproof infer it.
        company: a company's name that overrides what the text says.
        currency: ISO 4217 code that the answer must be in; None means the report's currency.
    """

    text: Annotated[str, AfterValidator(storable)]
    kind: AnswerKind | None = None
    company: Annotated[str, AfterValidator(storable)] | None = None
    currency: str | None = None
